// Runs sdfgc over damaged graphs. The following must hold for any sequence of bytes: every subcommand ends in time and within 4
// GiB, with status 0 or 1; it prints an error if the status is 1; and the output of `opt` can be read again. Status 2 is for lists
// of passes that do not match.
//
//   fuzz [--seconds N] [--runs N] [--seed N] [--first N] [--keep DIR] GRAPH...
//
// GRAPH is JSON (.sdfg) or text (.sdfgt). Run number i damages graph number i (modulo the number of graphs) with seed plus i: the
// tree, the bytes, the text, by exchanging names, by inserting parts of another graph; or it keeps the graph and damages the list
// of passes. Each run is a separate process. A crash or a hang is one finding, which is kept in DIR (default: the current folder);
// the output names the subcommand with its options. The exit status is 1 if there are findings.
//
//   fuzz --write DIR [--runs N] [--seed N] [--first N] GRAPH...
//
// writes the damaged graphs to DIR/SEED.sdfg without running anything. Seeds that damage lists of passes are omitted.
//
// --first starts with a run other than number 0: the finding of seed S among runs from seed F on is reproduced by `--seed F --first
// S-F --runs 1` with the same graphs, where S-F is a number.
#include "Mutator.h"

#include "sdfgc/Driver/Driver.h"
#include "sdfgc/Serialize/Serialize.h"
#include "sdfgc/Serialize/Text.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Text.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sdfgc::fuzz {
namespace {

constexpr rlim_t secondsPerRun = 20;       // of CPU time: the machine may be busy
constexpr unsigned secondsOfWaiting = 300; // for processes that use none
enum ChildStatus : int { Refused, Accepted, Broken };

struct Options {
    double seconds = 0;
    std::size_t runs = 0, first = 0;
    uint64_t seed = 1;
    std::string keep = ".";
    std::string write; // a folder for the graphs; empty: they are run
    std::vector<std::string> graphs;
};

constexpr rlim_t bytesPerRun = rlim_t{4} << 30;
constexpr const char *targetNames[] = {"cpu", "cuda", "hip"};

struct Seed {
    std::string path;
    json::Value graph;
    std::string text; // the graph in its text form; empty if it has none
};

/// The input of a run and its options.
struct Input {
    std::string text;
    std::string target;
    std::string passes; // empty: the passes of the target
    std::vector<std::string> options() const {
        std::vector<std::string> words{"--target", target};
        if (target != "cpu")
            words.emplace_back("--emulate"); // needs no device compiler
        if (!passes.empty())
            words.insert(words.end(), {"--passes", passes});
        return words;
    }
};

[[noreturn]] void fault(const std::string &what, const std::string &detail) {
    std::fprintf(stderr, "%s\n%s", what.c_str(), detail.c_str());
    std::fflush(stderr);
    std::_Exit(Broken);
}

/// Runs one subcommand in this process; does not return if the contract is broken.
int subcommand(const std::vector<std::string> &arguments, bool mayMisuse = false) {
    std::ostringstream out, err;
    driver::Environment environment{out, err};
    const int status = driver::run(arguments, environment);
    const bool told = err.str().find("error: ") != std::string::npos;
    const std::string command = "`" + text::joined(arguments, " ") + "`";
    if (status != driver::Done && status != driver::InputFault && !(mayMisuse && status == driver::UsageFault))
        fault(command + " ends with status " + std::to_string(status), err.str());
    if (err.str().find(diag::info(diag::Id::OutOfMemory).code) != std::string::npos)
        fault(command + " needs too much memory", err.str());
    if ((status != driver::Done) != told)
        fault(command + " ends with status " + std::to_string(status) + " against what it prints", err.str());
    return status;
}

ChildStatus runAll(const std::string &input, const std::string &folder, const Input &run) {
    std::vector<std::string> emit{"emit", input, "-o", folder + "/out"};
    for (std::string &word : run.options())
        emit.push_back(std::move(word));
    for (const char *file : {"/out/.sdfgc/program", "/out/CMakeLists.txt"}) // so that programs of any name can use the folder
        (void)file::removeTree(folder + file);
    if (!run.passes.empty())
        return subcommand(emit, true) == driver::Done ? Accepted : Refused;
    const std::string saved = folder + "/saved.sdfg";
    if (subcommand({"check", input}) != driver::Done)
        return Refused;
    const std::string printed = folder + "/printed.sdfgt";
    if (subcommand({"print", input, "-o", printed}) == driver::Done && subcommand({"check", printed}) != driver::Done)
        fault("`print` wrote a graph that `check` refuses", "");
    subcommand({"info", input});
    subcommand(emit);
    if (subcommand({"opt", input, "--passes", "", "-o", saved}) == driver::Done && subcommand({"check", saved}) != driver::Done)
        fault("`opt` wrote a graph that `check` refuses", "");
    return Accepted;
}

/// Runs all subcommands in a child process; returns the error, if any, and counts graphs that pass the verifier.
std::optional<std::string> tryInput(const std::string &input, const std::string &folder, const Input &run, std::size_t &accepted) {
    const std::string log = folder + "/log";
    const pid_t child = ::fork();
    if (child == 0) {
        if (!std::freopen(log.c_str(), "w", stderr))
            std::_Exit(Broken);
        ::alarm(secondsOfWaiting);
        const rlimit noCore{0, 0}, memory{bytesPerRun, bytesPerRun}, time{secondsPerRun, secondsPerRun + 1};
        ::setrlimit(RLIMIT_CPU, &time);
        ::setrlimit(RLIMIT_CORE, &noCore);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // sanitizers reserve huge ranges of addresses
        ::setrlimit(RLIMIT_AS, &memory);
#endif
        std::_Exit(runAll(input, folder, run));
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    accepted += WIFEXITED(status) && WEXITSTATUS(status) == Accepted;
    if (WIFEXITED(status) && WEXITSTATUS(status) != Broken)
        return std::nullopt;
    std::string why;
    if (WIFSIGNALED(status))
        why = WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGXCPU
                  ? "hangs\n"
                  : std::string("is killed by ") + strsignal(WTERMSIG(status)) + "\n";
    Result<std::string> said = file::read(log);
    return why + (said ? *said : said.error());
}

std::optional<Options> parse(int argc, char **argv) {
    Options o;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (!word.starts_with("--")) {
            o.graphs.push_back(word);
            continue;
        }
        if (i + 1 == argc)
            return std::nullopt;
        const char *value = argv[++i];
        if (word == "--seconds")
            o.seconds = std::atof(value);
        else if (word == "--runs")
            o.runs = static_cast<std::size_t>(std::atoll(value));
        else if (word == "--seed")
            o.seed = static_cast<uint64_t>(std::atoll(value));
        else if (word == "--first")
            o.first = static_cast<std::size_t>(std::atoll(value));
        else if (word == "--keep")
            o.keep = value;
        else if (word == "--write")
            o.write = value;
        else
            return std::nullopt;
    }
    return o.graphs.empty() ? std::nullopt : std::optional(o);
}

std::vector<Seed> load(const std::vector<std::string> &paths) {
    std::vector<Seed> seeds;
    for (const std::string &path : paths) {
        diag::Engine scratch;
        const std::unique_ptr<ir::SDFG> read = serialize::readFile(path, scratch);
        const Result<std::string> text = path.ends_with(".sdfgt") && read ? serialize::writeText(*read) : file::read(path);
        std::optional<json::Value> graph = text ? json::parse(*text) : std::nullopt;
        if (graph)
            seeds.push_back({path, std::move(*graph), read ? serialize::print(*read) : std::string()});
        else
            std::fprintf(stderr, "fuzz: %s is no graph\n", path.c_str());
    }
    return seeds;
}

/// The names of a target's own passes, in order.
std::vector<std::string> passesOf(const std::string &target) {
    std::ostringstream out, err;
    driver::Environment environment{out, err};
    driver::run({"passes", "--pipeline", target, "--target", target}, environment);
    std::vector<std::string> passes;
    std::istringstream lines(out.str());
    for (std::string line, number, name; std::getline(lines, line);)
        if (std::istringstream words(line); words >> number >> name && number != "//")
            passes.push_back(name);
    return passes;
}

/// Run number `run` over the graphs.
Input damaged(const std::vector<Seed> &seeds, std::size_t run, uint64_t seed) {
    const Seed &one = seeds[run % seeds.size()];
    Random random(seed + run);
    const Seed &other = random.pick(seeds);
    Mutator mutator(seed + run);
    Input input;
    input.target = random.pick(targetNames);
    const bool hasText = !one.text.empty();
    switch (random.below(8)) {
    case 0:
    case 1:
        input.text = hasText ? mutator.mutateText(one.text) : mutator.mutate(one.graph);
        break;
    case 2:
        input.text = mutator.cross(one.graph, other.graph);
        break;
    case 3:
        input.text = hasText ? mutator.crossText(one.text, other.text) : mutator.cross(one.graph, other.graph);
        break;
    case 4:
        input.text = mutator.renameText(hasText ? one.text : one.graph.dump());
        break;
    case 5: {
        std::vector<std::string> passes = passesOf(input.target);
        mutator.mutatePasses(passes);
        input.passes = text::joined(passes, ",");
        input.text = one.graph.dump();
        break;
    }
    default:
        input.text = mutator.mutate(one.graph);
    }
    return input;
}

/// Writes the damaged graphs of all runs.
int writeAll(const Options &o) {
    const std::vector<Seed> seeds = load(o.graphs);
    if (seeds.size() != o.graphs.size() || o.runs == 0)
        return 2;
    for (std::size_t run = o.first; run < o.first + o.runs; ++run) {
        const Input made = damaged(seeds, run, o.seed);
        const std::string path = o.write + "/" + std::to_string(o.seed + run) + ".sdfg";
        if (made.passes.empty() && !file::writeAtomic(path, made.text))
            return 2;
    }
    return 0;
}

int fuzz(const Options &o) {
    const std::vector<Seed> seeds = load(o.graphs);
    Result<file::TemporaryFolder> folder = file::TemporaryFolder::create("sdfgc-fuzz");
    if (seeds.size() != o.graphs.size() || !folder)
        return 2;
    ::setenv("TMPDIR", folder->path().c_str(), 1); // reproducers of internal errors
    const auto start = std::chrono::steady_clock::now();
    auto over = [&](std::size_t run) {
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
        return (o.runs != 0 && run - o.first >= o.runs) || (o.seconds > 0 && spent.count() >= o.seconds);
    };
    std::size_t findings = 0, accepted = 0, run = o.first;
    for (; !over(run); ++run) {
        const Input made = damaged(seeds, run, o.seed);
        const std::string input = folder->path() + "/input.sdfg";
        if (!file::writeAtomic(input, made.text))
            return 2;
        const std::optional<std::string> wrong = tryInput(input, folder->path(), made, accepted);
        if (!wrong)
            continue;
        ++findings;
        const std::string kept = o.keep + "/finding-" + std::to_string(o.seed + run) + ".sdfg";
        if (!file::writeAtomic(kept, made.text))
            return 2;
        std::printf("%s, seed %llu, as %s, with %s:\n%s\n", seeds[run % seeds.size()].path.c_str(),
                    static_cast<unsigned long long>(o.seed + run), kept.c_str(), text::joined(made.options(), " ").c_str(),
                    wrong->substr(0, 2000).c_str());
        std::fflush(stdout);
    }
    std::printf("%zu runs, %zu accepted, %zu findings\n", run - o.first, accepted, findings);
    return findings == 0 ? 0 : 1;
}

} // namespace
} // namespace sdfgc::fuzz

int main(int argc, char **argv) {
    const std::optional<sdfgc::fuzz::Options> o = sdfgc::fuzz::parse(argc, argv);
    if (!o) {
        std::fprintf(stderr, "usage: fuzz [--seconds N] [--runs N] [--seed N] [--first N] [--keep DIR] GRAPH...\n");
        return 2;
    }
    return o->write.empty() ? sdfgc::fuzz::fuzz(*o) : sdfgc::fuzz::writeAll(*o);
}
