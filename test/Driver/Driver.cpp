#include "sdfgc/Driver/Driver.h"
#include "Driver/Crash.h"
#include "Driver/Subcommand.h"
#include "Driver/VersionText.h"
#include "SourceTree.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Json.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <new>
#include <sstream>
#include <stdexcept>

using namespace sdfgc;

namespace {

struct Outcome {
    int status;
    std::string out, err;
};

Outcome sdfgcRun(const std::vector<std::string> &arguments, bool atTerminal = false) {
    std::ostringstream out, err;
    driver::Environment environment{out, err, atTerminal};
    int status = driver::run(arguments, environment);
    return {status, out.str(), err.str()};
}

std::string graph(const std::string &name) { return std::string(SDFGC_SOURCE_DIR) + "/test/graphs/" + name; }

struct Folder {
    file::TemporaryFolder folder = std::move(*file::TemporaryFolder::create("sdfgc-driver-test"));
    std::string operator/(const std::string &name) const { return file::join(folder.path(), name); }
    std::string read(const std::string &name) const {
        Result<std::string> text = file::read(*this / name);
        REQUIRE(text);
        return *text;
    }
    std::string add(const std::string &name, const std::string &content) const {
        REQUIRE(file::writeAtomic(*this / name, content));
        return *this / name;
    }
};

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

} // namespace

TEST_CASE("progress is a line that is replaced on a terminal, and silent elsewhere") {
    const Folder f;
    const std::vector<std::string> arguments{
        "opt", "--validate", graph("vadd.sdfg"), "--passes", "raise-control-flow,default-schedules", "-o", f / "after.sdfg"};
    const char *old = std::getenv("TERM");
    const std::string terminal = old ? old : "";
    ::setenv("TERM", "xterm", 1);
    const std::string shown = sdfgcRun(arguments, true).err;
    CHECK(contains(shown, "\rinput 1: N=5 plain values\x1b[K"));
    CHECK(contains(shown, "\rraise-control-flow (1 of 2): no change\x1b[K"));
    CHECK(contains(shown, "\r\x1b[K"));
    CHECK(sdfgcRun(arguments).err.empty());
    std::vector<std::string> quiet = arguments;
    quiet.emplace_back("-q");
    CHECK(sdfgcRun(quiet, true).err.empty());
    ::setenv("TERM", "dumb", 1);
    CHECK_FALSE(contains(sdfgcRun(arguments, true).err, "\r"));
    old ? ::setenv("TERM", terminal.c_str(), 1) : ::unsetenv("TERM");
}

TEST_CASE("a reduction shows how far it has come on a terminal") {
    const Folder f;
    const std::vector<std::string> arguments{"reduce", graph("vadd.sdfg"), "--no-verify", "--any-failure",
                                             "--test", "false {}",         "-o",          f / "small.sdfg"};
    const char *old = std::getenv("TERM");
    const std::string terminal = old ? old : "";
    ::setenv("TERM", "xterm", 1);
    const std::string shown = sdfgcRun(arguments, true).err;
    CHECK(contains(shown, " elements left, test 1\x1b[K"));
    CHECK(contains(shown, "\rwithout "));
    CHECK(contains(shown, " elements left, test 2\x1b[K"));
    CHECK(shown.substr(0, shown.rfind("\r\x1b[K")).find('\n') == std::string::npos);
    CHECK_FALSE(contains(sdfgcRun(arguments).err, "\r"));
    old ? ::setenv("TERM", terminal.c_str(), 1) : ::unsetenv("TERM");
}

TEST_CASE("a long pipeline shows its pass on a terminal, and removes the line before it ends") {
    const Folder f;
    const char *old = std::getenv("TERM");
    const std::string terminal = old ? old : "";
    ::setenv("TERM", "xterm", 1);
    const auto shown = [&f](double patience, const std::vector<std::string> &more) {
        std::vector<std::string> arguments{"opt", graph("vadd.sdfg"), "--passes", "raise-control-flow,default-schedules",
                                           "-o",  f / "after.sdfg"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        std::ostringstream out, err;
        driver::Environment environment{out, err, true, patience};
        CHECK(driver::run(arguments, environment) == 0);
        return err.str();
    };
    CHECK(shown(0, {}).starts_with("\rpass 1 of 2: raise-control-flow\x1b[K\rpass 2 of 2: default-schedules\x1b[K\r\x1b[K"));
    CHECK_FALSE(contains(shown(1000, {}), "\r"));
    CHECK_FALSE(contains(shown(0, {"--print-after", "raise-control-flow"}), "\r"));
    CHECK_FALSE(contains(shown(0, {"-q"}), "\r"));
    old ? ::setenv("TERM", terminal.c_str(), 1) : ::unsetenv("TERM");
}

TEST_CASE("version, help and no subcommand") {
    CHECK(sdfgcRun({"--version"}).out.starts_with("sdfgc "));
    CHECK(sdfgcRun({"--version"}).status == 0);
    CHECK(sdfgcRun({"-V"}).out == sdfgcRun({"--version"}).out);
    CHECK(sdfgcRun({"--version"}).out == "sdfgc " + driver::versionText() + "\n");
    Outcome help = sdfgcRun({"--help"});
    CHECK(help.status == 0);
    for (const driver::SubcommandInfo &s : driver::subcommands())
        CHECK(contains(help.out, "  " + s.name + " "));
    Outcome nothing = sdfgcRun({});
    CHECK(nothing.status == 2);
    CHECK(contains(nothing.err, "a subcommand is missing"));
    Outcome wrong = sdfgcRun({"chekc", "x"});
    CHECK(wrong.status == 2);
    CHECK(contains(wrong.err, "unknown subcommand `chekc`"));
    CHECK(contains(wrong.err, "did you mean `sdfgc check`?"));
    CHECK(contains(sdfgcRun({"--color", "never"}).err, "options come after the subcommand"));
}

TEST_CASE("every subcommand has help that names all its options, and the docs name them too") {
    Result<std::string> docs = file::read(std::string(SDFGC_SOURCE_DIR) + "/docs/user/cli.md");
    REQUIRE(docs);
    for (const driver::SubcommandInfo &info : driver::subcommands()) {
        Outcome help = sdfgcRun({info.name, "--help"});
        CHECK(help.status == 0);
        CHECK(contains(help.out, "usage: " + info.usage()));
        CHECK(contains(*docs, "sdfgc " + info.name));
        driver::CommandLine line(info.usage(), "");
        info.create()->addOptions(line);
        driver::GeneralOptions general;
        general.addTo(line);
        for (const driver::OptionRow &row : line.rows()) {
            INFO(info.name << " " << row.names);
            const std::string longName = row.names.substr(row.names.rfind(',') + 1);
            CHECK(contains(help.out, longName));
            CHECK(contains(*docs, longName));
            for (const std::string &value : row.values)
                CHECK(contains(*docs, value));
        }
    }
}

TEST_CASE("check accepts a good graph and says what is wrong with a bad one") {
    Outcome good = sdfgcRun({"check", graph("vadd.sdfg")});
    CHECK(good.status == 0);
    CHECK(good.out.empty());
    CHECK(good.err.empty());
    Folder f;
    Outcome bad = sdfgcRun({"check", f.add("bad.sdfg", "{\"type\": \"SDFG\", ")});
    CHECK(bad.status == 1);
    CHECK(contains(bad.err, "bad.sdfg"));
    CHECK(sdfgcRun({"check", f / "none.sdfg"}).status == 1);
    Outcome untyped = sdfgcRun({"check", "--level", "typed", graph("vadd.sdfg")});
    CHECK(untyped.status == 1);
}

TEST_CASE("diagnostics for machines") {
    Folder f;
    const std::string bad = f.add("bad.sdfg", "[]");
    Outcome lines = sdfgcRun({"check", "--diagnostics", "json", bad});
    std::istringstream in(lines.err);
    for (std::string line; std::getline(in, line);) {
        auto value = json::parse(line);
        REQUIRE(value);
        CHECK(value->get("severity")->text() == "error");
    }
    auto sarif = json::parse(sdfgcRun({"check", "--diagnostics=sarif", bad}).err);
    REQUIRE(sarif);
    CHECK(sarif->get("version")->text() == "2.1.0");
    // Errors of the command line itself have the format that the command line requests.
    auto usage = json::parse(sdfgcRun({"check", "--diagnostics=json", "--levle", "x", bad}).err);
    REQUIRE(usage);
    CHECK(usage->get("name")->text() == "OptionUnknown");
}

TEST_CASE("colour, verbosity") {
    Folder f;
    const std::string bad = f.add("bad.sdfg", "[]");
    CHECK(contains(sdfgcRun({"check", "--color=always", bad}).err, "\x1b["));
    CHECK_FALSE(contains(sdfgcRun({"check", bad}).err, "\x1b["));
    CHECK(contains(sdfgcRun({"check", "-v", graph("vadd.sdfg")}).err, "sdfgc: reading "));
    Outcome both = sdfgcRun({"check", "-v", "-q", graph("vadd.sdfg")});
    CHECK(both.status == 2);
    CHECK(contains(both.err, "--quiet and --verbose cannot be used together"));
}

TEST_CASE("opt writes graphs, also compressed and to standard output") {
    Folder f;
    REQUIRE(sdfgcRun({"opt", graph("vadd.sdfg"), "--passes", "raise-control-flow", "-o", f / "a.sdfg"}).status == 0);
    CHECK(sdfgcRun({"check", f / "a.sdfg"}).status == 0);
    REQUIRE(sdfgcRun({"opt", graph("vadd.sdfg"), "--passes", "raise-control-flow", "-o", f / "a.sdfgz"}).status == 0);
    CHECK(f.read("a.sdfgz").starts_with("\x1f\x8b"));
    Outcome out = sdfgcRun({"opt", graph("vadd.sdfg"), "--passes=raise-control-flow", "-o", "-", "--indent"});
    CHECK(json::parse(out.out));
    CHECK(contains(out.out, "\n  \""));
    Outcome text = sdfgcRun({"opt", graph("vadd.sdfg"), "--passes=raise-control-flow"});
    std::istringstream lines(sdfgcRun({"print", f / "a.sdfg"}).out); // which also prints the orders of lists
    std::string withoutOrders;
    for (std::string line; std::getline(lines, line);)
        withoutOrders += line.find_first_not_of(' ') == line.find("order ") ? "" : line + "\n";
    CHECK(text.out == withoutOrders);
    CHECK(sdfgcRun({"opt", graph("vadd.sdfg"), "--passes=raise-control-flow", "-o", f / "no/such/folder/a.sdfg"}).status == 1);
}

TEST_CASE("pipelines of opt") {
    Folder f;
    const std::string good = f.add("good.yaml", "passes: [raise-control-flow]\n"),
                      bad = f.add("bad.yaml", "passes:\n  - rise-control-flow\n");
    CHECK(sdfgcRun({"opt", graph("vadd.sdfg"), "--pipeline", good}).status == 0);
    Outcome wrong = sdfgcRun({"opt", graph("vadd.sdfg"), "--pipeline", bad});
    CHECK(wrong.status == 1);
    CHECK(contains(wrong.err, "bad.yaml:2:5: error: unknown pass `rise-control-flow`"));
    Outcome list = sdfgcRun({"opt", graph("vadd.sdfg"), "--passes", "rise-control-flow"});
    CHECK(list.status == 2);
    CHECK(contains(list.err, "--passes:1:1: error: unknown pass"));
    CHECK(sdfgcRun({"opt", graph("vadd.sdfg"), "--pipeline", good, "--passes", "raise-control-flow"}).status == 2);
    Outcome missing = sdfgcRun({"opt", graph("vadd.sdfg"), "--pipeline", "no-such-pipeline"});
    CHECK(missing.status == 1);
    CHECK(contains(missing.err, "is neither a file nor an installed pipeline"));
    Outcome level = sdfgcRun({"opt", graph("vadd.sdfg"), "--passes", "expand-library-nodes"});
    CHECK(level.status == 2);
    CHECK(contains(level.err, "needs a program that is typed, but at this point it is "));
    CHECK(sdfgcRun({"opt", graph("vadd.sdfg"), "--passes", "raise-control-flow", "--print-after", "nothing"}).status == 2);
}

TEST_CASE("a dumped graph goes on where it was dumped") {
    Folder f;
    const std::vector<std::string> run{"opt", graph("vadd.sdfg"), "--pipeline=cpu"};
    auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), run.begin(), run.end());
        return more;
    };
    REQUIRE(sdfgcRun(with({"-o", f / "whole.sdfg"})).status == 0);
    REQUIRE(sdfgcRun(with({"-o", f / "half.sdfg", "--stop-after", "infer-types", "--dump-dir", f / "dump"})).status == 0);
    Result<std::vector<std::string>> dumped = file::list(f / "dump");
    REQUIRE(dumped);
    std::erase_if(*dumped, [](const std::string &name) { return name.starts_with("."); }); // the lock of the folder
    REQUIRE(dumped->size() >= 3);
    CHECK(dumped->front() == "00-input.sdfg");
    CHECK(dumped->back().ends_with("-infer-types.sdfg"));
    const std::string last = dumped->back(), step = last.substr(0, last.size() - 5);
    REQUIRE(sdfgcRun({"opt", f / ("dump/" + last), "--pipeline=cpu", "--start-after", step, "-o", f / "rest.sdfg"}).status == 0);
    CHECK(f.read("rest.sdfg") == f.read("whole.sdfg"));
    // A list of passes may also continue from there: the level is detected.
    CHECK(sdfgcRun({"opt", f / ("dump/" + last), "--passes", "expand-library-nodes"}).status == 0);
}

TEST_CASE("what is printed of passes") {
    const std::vector<std::string> base{"opt", graph("vadd.sdfg"),
                                        "--passes=raise-control-flow,fill-scope-connectors,default-schedules"};
    auto run = [&](const std::string &option) {
        std::vector<std::string> arguments = base;
        arguments.push_back(option);
        return sdfgcRun(arguments);
    };
    CHECK(contains(run("--print-before=default-schedules").out, "// ---- before default-schedules (03 of 03) ----\n"));
    CHECK(contains(run("--print-after=raise-control-flow").out, "// ---- after raise-control-flow (01 of 03) ----\n"));
    CHECK(contains(run("--print-after-all").out, "// ---- after fill-scope-connectors (02 of 03) ----\n"));
    CHECK(contains(run("--print-after-change").out, "+++ after default-schedules\n"));
    Outcome timed = run("--time-passes");
    CHECK(contains(timed.err, "default-schedules"));
    CHECK(contains(timed.err, "share"));
}

TEST_CASE("remarks, traces and dependencies are written to files") {
    Folder f;
    REQUIRE(sdfgcRun({"opt", graph("external.sdfg"), "--passes=raise-control-flow", "-o", f / "a b.sdfg", "--remarks",
                      f / "remarks", "--time-trace", f / "trace.json", "--depfile", f / "a.d"})
                .status == 0);
    f.read("remarks");
    auto trace = json::parse(f.read("trace.json"));
    REQUIRE(trace);
    CHECK(contains(f.read("trace.json"), "raise-control-flow"));
    const std::string rule = f.read("a.d");
    CHECK(contains(rule, "/a\\ b.sdfg: \\\n  " + graph("external.sdfg") + " \\\n  "));
}

TEST_CASE("info tells the interface") {
    Outcome text = sdfgcRun({"info", graph("vadd.sdfg")});
    CHECK(text.status == 0);
    CHECK(contains(text.out, "program vadd"));
    auto value = json::parse(sdfgcRun({"info", "--json", graph("vadd.sdfg")}).out);
    REQUIRE(value);
    const auto &arguments = value->get("arguments")->items();
    REQUIRE(arguments.size() == 4);
    CHECK(arguments[0].get("name")->text() == "A");
    CHECK(arguments[0].get("access")->text() == "in");
    CHECK(arguments[0].get("shape")->items().at(0).text() == "N");
    CHECK(arguments[2].get("name")->text() == "C");
    CHECK(arguments[2].get("access")->text() == "out");
    CHECK(arguments[3].get("kind")->text() == "symbol");
    CHECK(value->get("init")->items().at(0).get("name")->text() == "N");
    CHECK(value->get("elements")->get("maps")->text() == "1");
    CHECK(value->get("targets")->items().size() == 5);
    CHECK(value->get("devices")->items().empty());
}

TEST_CASE("passes, targets and doctor list what there is") {
    Outcome passes = sdfgcRun({"passes"});
    CHECK(contains(passes.out, "raise-control-flow"));
    auto list = json::parse(sdfgcRun({"passes", "--json"}).out);
    REQUIRE(list);
    CHECK(list->items().size() >= 4);
    CHECK(contains(sdfgcRun({"targets"}).out, "cpu"));
    Outcome doctor = sdfgcRun({"doctor", "--cc", "/no/such/compiler"});
    CHECK(doctor.status == 3);
    CHECK(contains(doctor.out, "pipelines: "));
}

TEST_CASE("library nodes are listed and described") {
    CHECK(contains(sdfgcRun({"nodes"}).out, "blas.Gemm "));
    CHECK(contains(sdfgcRun({"nodes", "Gemm"}).out, "cblas_?gemm"));
    CHECK(contains(sdfgcRun({"nodes", "mpi.Dummy"}).out, "refused"));
    CHECK(contains(sdfgcRun({"nodes", "Transpose"}).out, "in earlier versions in"));
    auto list = json::parse(sdfgcRun({"nodes", "--json"}).out);
    REQUIRE(list);
    CHECK(list->items().size() > 40);
    Outcome wrong = sdfgcRun({"nodes", "Gem"});
    CHECK(wrong.status == 2);
    CHECK(contains(wrong.err, "did you mean `Gemm`?"));
}

TEST_CASE("a pass is described by its name") {
    CHECK(contains(sdfgcRun({"passes", "infer-types"}).out, "| needs | structured |"));
    CHECK(contains(sdfgcRun({"passes", "infer-type"}).err, "did you mean `infer-types`?"));
}

TEST_CASE("people at a terminal are told where the results are") {
    Folder f;
    const std::vector<std::string> view{"view", graph("vadd.sdfg"), "-o", f / "page.html"};
    CHECK(contains(sdfgcRun(view, true).err, "sdfgc: wrote " + f / "page.html"));
    CHECK(sdfgcRun(view).err.empty());
    std::vector<std::string> quiet = view, json = view;
    quiet.emplace_back("-q");
    CHECK(sdfgcRun(quiet, true).err.empty());
    json.insert(json.end(), {"--diagnostics", "json"});
    CHECK(sdfgcRun(json, true).err.empty());
}

TEST_CASE("of many warnings of a kind the first ones are printed, then how many more there are") {
    Folder f;
    std::string text = *file::read(graph("vadd.sdfg"));
    for (const char *node : {"\"data\":\"A\"", "\"data\":\"B\"", "\"data\":\"C\""})
        for (std::size_t at = text.find(node); at != std::string::npos; at = text.find(node, at + 40))
            text.insert(at, "\"strange" + std::to_string(at) + "\":1,"); // each name is reported once
    const std::string path = f.add("strange.sdfg", text);
    auto warnings = [](const Outcome &o) {
        int count = 0;
        for (std::size_t at = o.err.find("[SD1030]\n"); at != std::string::npos; at = o.err.find("[SD1030]\n", at + 1))
            ++count;
        return count;
    };
    Outcome some = sdfgcRun({"check", path}), all = sdfgcRun({"check", path, "-v"});
    CHECK(warnings(some) == 3);
    CHECK(contains(some.err, " more like the last [SD1030]; --verbose shows all\n"));
    CHECK(warnings(all) > 3);
    CHECK_FALSE(contains(all.err, "more like the last"));
}

TEST_CASE("a run goes on from the dump of the pass that it names only") {
    Folder f;
    REQUIRE(sdfgcRun({"opt", graph("vadd.sdfg"), "--dump-dir", f / "dump", "-o", f / "all.sdfg"}).status == 0);
    const std::string early = f / "dump/02-fill-scope-connectors.sdfg", right = f / "dump/07-infer-types.sdfg";
    CHECK(sdfgcRun({"opt", right, "--start-after", "07-infer-types", "-o", f / "rest.sdfg"}).status == 0);
    Outcome wrong = sdfgcRun({"opt", early, "--start-after", "07-infer-types", "-o", f / "wrong.sdfg"});
    CHECK(wrong.status == 1);
    CHECK(contains(wrong.err, "needs a program that is typed, but at this point it is "));
    CHECK(contains(wrong.err, "--start-after 07-infer-types takes what --dump-dir wrote after that pass"));
}

TEST_CASE("exceptions end in a diagnostic") {
    auto outcome = [](const std::function<void()> &work) {
        std::ostringstream out, err;
        driver::Environment environment{out, err, false};
        driver::Session session(environment);
        session.guard(work);
        int status = session.finish();
        return Outcome{status, out.str(), err.str()};
    };
    Outcome memory = outcome([] { throw std::bad_alloc(); });
    CHECK(memory.status == 1);
    CHECK(contains(memory.err, "out of memory [SD9002]"));

    Folder f;
    ::setenv("TMPDIR", (f / "").c_str(), 1);
    driver::crash::setActivity("testing");
    Outcome bug = outcome([] { throw std::runtime_error("lost"); });
    ::unsetenv("TMPDIR");
    CHECK(bug.status == 70);
    CHECK(contains(bug.err, "internal error: lost while testing [SD9001]"));
    CHECK(contains(bug.err, "a reproducer is in " + (f / "")));
    CHECK(outcome([] {}).status == 0);
}
