// sdfgc reduce: finds the smallest graph with which a command still fails.
#include "Driver/CommandLine/Words.h"
#include "Driver/Crash.h"
#include "Driver/Reports/ProgressLine.h"
#include "Driver/Subcommand.h"
#include "sdfgc/Reduce/Reduce.h"
#include "sdfgc/Serialize/Serialize.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Process.h"
#include "sdfgc/Support/Resources.h"

#include <algorithm>
#include <ostream>

namespace sdfgc::driver {
namespace {

/// Replaces `{}` in a command with a file.
std::vector<std::string> withFile(std::vector<std::string> words, const std::string &file) {
    for (std::string &w : words)
        for (std::size_t at = 0; (at = w.find("{}", at)) != std::string::npos; at += file.size())
            w.replace(at, 2, file);
    return words;
}

} // namespace

/// The cause of different results.
enum class Difference : uint8_t { Passes, Program };

} // namespace sdfgc::driver

template <> struct sdfgc::Words<sdfgc::driver::Difference> { static constexpr std::string_view list[] = {"passes", "program"}; };

namespace sdfgc::driver {
namespace {

class Reduce : public Subcommand {
    void addOptions(CommandLine &line) override {
        line.argument("PROG.sdfg", input_, "graph to reduce; `-` reads standard input");
        line.group("What to keep");
        line.text("--test", test_, "COMMAND",
                  "command that fails, with `{}` for the graph; it is split into words as in a shell, but run without one");
        line.choice("--differ", differ_,
                    "difference to keep, instead of --test: `passes`, if a pass changes the interpreter's results (`sdfgc opt "
                    "--validate`); `program`, if the compiled program has other results (`sdfgc run --validate`)");
        line.text("--options", options_, "OPTIONS", "additional options for --differ, as in '--target cuda --passes resolve-wcr'");
        requireClosed(line, "--test", test_);
        requireClosed(line, "--options", options_);
        line.text("--match", match_, "TEXT", "text that the command must print to count as the same failure");
        line.flag("--any-failure", anyFailure_, "accept any failure, not only one with the same exit status or signal");
        line.real("--timeout", timeout_, "SECONDS",
                  "time limit for each run of the command; a run that takes longer does not count as a failure");
        line.flag("--no-verify", unverified_, "also try graphs that break rules which the original graph fulfils");
        line.group("Output");
        line.text("-o,--output", output_, "FILE",
                  "file for the smallest graph so far, written after every step (default: <name>.reduced.sdfg)");
    }

    void run(Session &s) override {
        if (differ_ && !test_.empty()) {
            s.diags.report(diag::Id::OptionConflict, {}, "--differ", "--test");
            return;
        }
        command_ = splitWords(test_);
        if (!differ_ && (command_.empty() || test_.find("{}") == std::string::npos)) {
            s.diags.report(diag::Id::OptionMisused, {},
                           command_.empty() ? "--test is missing" : "the command of --test has no `{}` for the graph",
                           "usage: sdfgc reduce PROG.sdfg --test 'COMMAND {}'");
            return;
        }
        std::unique_ptr<ir::SDFG> graph = readUnverified(s); // whether it is valid may be the question
        Result<file::TemporaryFolder> folder = file::TemporaryFolder::create("sdfgc-reduce");
        if (!folder)
            s.diags.report(diag::Id::OutputFailed, {}, folder.error());
        if (!graph || !folder)
            return;
        candidate_ = file::join(folder->path(), graph->name.str() + ".sdfg");
        if (differ_)
            testForDifference(file::join(folder->path(), "left"));
        if (output_.empty())
            output_ = (input_ == "-" ? graph->name.str() : file::nameOf(input_).substr(0, file::nameOf(input_).find('.'))) +
                      ".reduced.sdfg";
        if (!learnFailure(s, *graph))
            return;
        search(s, *graph);
    }

    std::unique_ptr<ir::SDFG> readUnverified(Session &s) const {
        if (input_ != "-")
            return serialize::readFile(input_, s.diags);
        Result<std::string> text = file::read("/dev/stdin");
        if (text)
            return serialize::readText(std::move(*text), "<stdin>", s.diags);
        s.diags.report(diag::Id::InputFailed, {}, text.error());
        return nullptr;
    }

    /// Every try is a separate process, so graphs that crash sdfgc or the program are handled like any other.
    void testForDifference(const std::string &reproducer) {
        const bool passes = differ_ == Difference::Passes;
        command_ = {executablePath(), passes ? "opt" : "run", "--validate", candidate_, "--validate-dir", reproducer};
        if (passes)
            command_.insert(command_.end(), {"-o", "/dev/null"});
        for (std::string &word : splitWords(options_))
            command_.push_back(std::move(word));
        if (match_.empty())
            match_ = std::string(diag::info(passes ? diag::Id::ResultsChanged : diag::Id::ProgramDiffers).code);
    }

    process::Outcome test(const ir::SDFG &graph) const {
        diag::Engine unused;
        process::Outcome none;
        if (!serialize::writeFile(graph, candidate_, unused))
            return none;
        process::Command command{withFile(command_, candidate_), {}, {}, true};
        return process::run(command, {timeout_});
    }

    bool isFailure(const process::Outcome &o) const {
        return o.started && !o.timedOut && (o.exitCode != 0 || o.signal != 0) &&
               (match_.empty() || o.out.find(match_) != std::string::npos);
    }

    /// Runs the command on the entire graph.
    bool learnFailure(Session &s, const ir::SDFG &graph) {
        s.log().info("testing the original graph");
        crash::setActivity("testing the graph");
        original_ = test(graph);
        if (isFailure(original_))
            return true;
        const bool silent = original_.started && original_.exitCode != 0;
        s.diags.report(diag::Id::TestSucceeds, {},
                       silent ? "it ends with " + original_.describe() + ", but does not print `" + match_ + "`"
                              : original_.describe());
        return false;
    }

    void search(Session &s, ir::SDFG &graph) {
        reduce::Options options;
        options.verify = !unverified_;
        options.stop = [] { return process::Set::interrupted() != 0; };
        bool written = true;
        ProgressLine progress(s);
        const std::size_t all = reduce::elementCount(graph);
        std::size_t left = all, tests = 0;
        options.onSuccess = [&](const ir::SDFG &smaller, const std::string &what) {
            progress.done("without " + what);
            left = reduce::elementCount(*ir::clone(smaller));
            written = serialize::writeFile(smaller, output_, s.diags) && written;
        };
        reduce::Summary summary;
        std::unique_ptr<ir::SDFG> smallest = reduce::shrink(
            graph,
            [&](const ir::SDFG &candidate) {
                progress.show(std::to_string(left) + " of " + std::to_string(all) + " elements left, test " +
                              std::to_string(++tests));
                const process::Outcome o = test(candidate);
                return isFailure(o) && (anyFailure_ || (o.exitCode == original_.exitCode && o.signal == original_.signal));
            },
            options, &summary);
        progress.clear();
        s.interruptedBy = process::Set::interrupted();
        if (summary.successes == 0 && written)
            serialize::writeFile(*smallest, output_, s.diags);
        s.environment.out << output_ << ": " << reduce::elementCount(*smallest) << " of " << reduce::elementCount(graph)
                          << " elements, after " << summary.tests << " tests\n";
    }

    std::optional<Difference> differ_;
    std::string input_, test_, options_, match_, output_, candidate_;
    bool anyFailure_ = false, unverified_ = false;
    double timeout_ = 60;
    std::vector<std::string> command_;
    process::Outcome original_;
};

} // namespace

std::unique_ptr<Subcommand> createReduce() { return std::make_unique<Reduce>(); }

} // namespace sdfgc::driver
