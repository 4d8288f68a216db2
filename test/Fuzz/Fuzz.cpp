// Runs sdfgc over damaged graphs. What must hold for any bytes whatsoever: every subcommand ends in time with status 0 or 1, prints
// an error when it is 1, and what `opt` writes can be read again.
//
//   fuzz [--seconds N] [--runs N] [--seed N] [--keep DIR] GRAPH...
//
// Run number i takes graph i modulo their number and the seed plus i, so that `--seed S+i --runs 1` on that graph repeats it. Each
// run is a process of its own: a crash or a hang is one finding. Findings go to DIR (default: the current folder). Exit status 1
// when there are any.
#include "Mutator.h"

#include "sdfgc/Driver/Driver.h"
#include "sdfgc/Serialize/Serialize.h"
#include "sdfgc/Serialize/Text.h"
#include "sdfgc/Support/File.h"

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

constexpr unsigned secondsPerRun = 20;
enum ChildStatus : int { Refused, Accepted, Broken };

struct Options {
    double seconds = 0;
    std::size_t runs = 0;
    uint64_t seed = 1;
    std::string keep = ".";
    std::vector<std::string> graphs;
};

struct Seed {
    std::string path;
    json::Value graph;
    std::string text; // the graph in its text form; empty where it has none
};

[[noreturn]] void fault(const std::string &what, const std::string &detail) {
    std::fprintf(stderr, "%s\n%s", what.c_str(), detail.c_str());
    std::fflush(stderr);
    std::_Exit(Broken);
}

/// One subcommand in this process; does not come back when the contract is broken.
int subcommand(const std::vector<std::string> &arguments) {
    std::ostringstream out, err;
    driver::Environment environment{out, err};
    const int status = driver::run(arguments, environment);
    const bool told = err.str().find("error: ") != std::string::npos;
    if (status != driver::Done && status != driver::InputFault)
        fault("`" + arguments[0] + "` ends with status " + std::to_string(status), err.str());
    if ((status == driver::InputFault) != told)
        fault("`" + arguments[0] + "` ends with status " + std::to_string(status) + " against what it prints", err.str());
    return status;
}

ChildStatus runAll(const std::string &input, const std::string &folder) {
    const std::string saved = folder + "/saved.sdfg";
    if (subcommand({"check", input}) != driver::Done)
        return Refused;
    const std::string printed = folder + "/printed.sdfgt";
    if (subcommand({"print", input, "-o", printed}) == driver::Done && subcommand({"check", printed}) != driver::Done)
        fault("`print` wrote a graph that `check` refuses", "");
    subcommand({"info", input});
    subcommand({"emit", input, "-o", folder + "/out"});
    if (subcommand({"opt", input, "--passes", "", "-o", saved}) == driver::Done && subcommand({"check", saved}) != driver::Done)
        fault("`opt` wrote a graph that `check` refuses", "");
    return Accepted;
}

/// Runs all subcommands in a child process; says what was wrong, if anything, and counts graphs that pass the verifier.
std::optional<std::string> tryInput(const std::string &input, const std::string &folder, std::size_t &accepted) {
    const std::string log = folder + "/log";
    const pid_t child = ::fork();
    if (child == 0) {
        if (!std::freopen(log.c_str(), "w", stderr))
            std::_Exit(Broken);
        ::alarm(secondsPerRun);
        rlimit noCore{0, 0};
        ::setrlimit(RLIMIT_CORE, &noCore);
        std::_Exit(runAll(input, folder));
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    accepted += WIFEXITED(status) && WEXITSTATUS(status) == Accepted;
    if (WIFEXITED(status) && WEXITSTATUS(status) != Broken)
        return std::nullopt;
    std::string why;
    if (WIFSIGNALED(status))
        why = WTERMSIG(status) == SIGALRM ? "hangs\n" : std::string("is killed by ") + strsignal(WTERMSIG(status)) + "\n";
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
        else if (word == "--keep")
            o.keep = value;
        else
            return std::nullopt;
    }
    return o.graphs.empty() ? std::nullopt : std::optional(o);
}

std::vector<Seed> load(const std::vector<std::string> &paths) {
    std::vector<Seed> seeds;
    for (const std::string &path : paths) {
        Result<std::string> text = file::read(path);
        std::optional<json::Value> graph = text ? json::parse(*text) : std::nullopt;
        diag::Engine scratch;
        const std::unique_ptr<ir::SDFG> read = serialize::readFile(path, scratch);
        if (graph)
            seeds.push_back({path, std::move(*graph), read ? serialize::print(*read) : std::string()});
        else
            std::fprintf(stderr, "fuzz: %s is not JSON\n", path.c_str());
    }
    return seeds;
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
        return (o.runs != 0 && run >= o.runs) || (o.seconds > 0 && spent.count() >= o.seconds);
    };
    std::size_t findings = 0, accepted = 0, run = 0;
    for (; !over(run); ++run) {
        const Seed &seed = seeds[run % seeds.size()];
        Mutator mutator(o.seed + run);
        const bool asText = run % 3 == 2 && !seed.text.empty();
        const std::string text = asText ? mutator.mutateText(seed.text) : mutator.mutate(seed.graph);
        const std::string input = folder->path() + "/input.sdfg";
        if (!file::writeAtomic(input, text))
            return 2;
        const std::optional<std::string> wrong = tryInput(input, folder->path(), accepted);
        if (!wrong)
            continue;
        ++findings;
        const std::string kept = o.keep + "/finding-" + std::to_string(o.seed + run) + ".sdfg";
        if (!file::writeAtomic(kept, text))
            return 2;
        std::printf("%s, seed %llu, as %s:\n%s\n", seed.path.c_str(), static_cast<unsigned long long>(o.seed + run), kept.c_str(),
                    wrong->substr(0, 2000).c_str());
        std::fflush(stdout);
    }
    std::printf("%zu runs, %zu accepted, %zu findings\n", run, accepted, findings);
    return findings == 0 ? 0 : 1;
}

} // namespace
} // namespace sdfgc::fuzz

int main(int argc, char **argv) {
    const std::optional<sdfgc::fuzz::Options> o = sdfgc::fuzz::parse(argc, argv);
    if (!o) {
        std::fprintf(stderr, "usage: fuzz [--seconds N] [--runs N] [--seed N] [--keep DIR] GRAPH...\n");
        return 2;
    }
    return sdfgc::fuzz::fuzz(*o);
}
