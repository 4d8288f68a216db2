// Runs random programs through random pass pipelines and compares their results.
//
//   randomPrograms [--seed N] [--runs N] [--seconds N] [--compile-every N] [--pipelines N] [--judge-every N] [--keep DIR]
//   randomPrograms GRAPH... [--sizes N=3,M=5]... [the same options]     recorded graphs instead of programs that are made
//   randomPrograms --planted N [--seed N]       finds each planted fault (Damage.h), in N programs at most
//   randomPrograms --print --seed N             the program, and on standard error the sizes that it is made for
//
// Run number i uses seed plus i, so `--seed S+i --runs 1` repeats it. Each run is a separate process: a crash or a hang is one
// finding. Findings go to DIR (default: the current folder). The exit status is 1 if there are any.
#include "Generator.h"
#include "Trials.h"

#include "sdfgc/Support/File.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sdfgc::random {
namespace {

constexpr rlim_t secondsPerRun = 60;  // CPU time
constexpr unsigned longestRun = 3600; // wall-clock time
constexpr rlim_t bytesPerRun = rlim_t(4) << 30;
enum ChildStatus : int { Agreed, Discarded, Found };

struct Options {
    uint64_t seed = 1;
    std::size_t runs = 0, compileEvery = 0, pipelines = 2, judgeEvery = 1, planted = 0;
    double seconds = 0;
    std::string keep = ".";
    bool print = false, showDiscarded = false;
    std::vector<std::string> graphs; // instead of generated programs
    std::vector<Sizes> sizes;        // for the graphs; chosen if there are none
};

struct Counts {
    std::size_t runs = 0, discarded = 0, findings = 0, compiled = 0;
};

[[noreturn]] void runChild(const Subject &subject, const Plan &plan, const std::string &log) {
    if (!std::freopen(log.c_str(), "w", stderr) || !std::freopen("/dev/null", "w", stdout))
        std::_Exit(Found);
    ::alarm(longestRun);
    const rlimit noCore{0, 0}, memory{bytesPerRun, bytesPerRun}, time{secondsPerRun, secondsPerRun};
    ::setrlimit(RLIMIT_CORE, &noCore);
    ::setrlimit(RLIMIT_CPU, &time);
    if (!plan.compile) // the emulated device reserves addresses
        ::setrlimit(RLIMIT_AS, &memory);
    const Verdict v = judge(subject, plan);
    if (v.kind == Verdict::Kind::Finding)
        std::fprintf(stderr, "%s\npipeline: %s\ninput: %s\n", v.what.c_str(), v.pipeline.c_str(), v.input.c_str());
    else if (v.kind == Verdict::Kind::Discarded)
        std::fprintf(stderr, "%s\n", v.what.c_str());
    std::fflush(stderr);
    std::_Exit(v.kind == Verdict::Kind::Finding ? Found : v.kind == Verdict::Kind::Discarded ? Discarded : Agreed);
}

/// Tests a program in a child process. Returns its status and output.
std::pair<ChildStatus, std::string> inChild(const Subject &subject, const Plan &plan, const std::string &folder) {
    const std::string log = folder + "/log";
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child == 0)
        runChild(subject, plan, log);
    int status = 0;
    ::waitpid(child, &status, 0);
    const Result<std::string> said = file::read(log);
    const std::string text = said ? *said : said.error();
    const bool hangs =
        WIFSIGNALED(status) && (WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL);
    if (WIFSIGNALED(status))
        return {Found, (hangs ? "hangs\n" : std::string("is killed by ") + strsignal(WTERMSIG(status)) + "\n") + text};
    if (WEXITSTATUS(status) > Found)
        return {Found, "ends with status " + std::to_string(WEXITSTATUS(status)) + "\n" + text};
    return {static_cast<ChildStatus>(WEXITSTATUS(status)), text};
}

/// The words that repeat a run.
std::string commandFor(const Options &o, const Subject &subject) {
    std::string out = "randomPrograms --runs 1 --seed " + std::to_string(subject.seed);
    out += " --pipelines " + std::to_string(o.pipelines) + (o.compileEvery != 0 ? " --compile-every 1" : "");
    for (const Sizes &sizes : subject.sizes) {
        std::string list;
        for (const auto &[name, value] : sizes)
            list += (list.empty() ? "" : ",") + name + "=" + std::to_string(value);
        out += " --sizes " + list;
    }
    return out;
}

/// Writes the graph, the finding, and the commands that reproduce it and reduce the graph.
bool keep(const Options &o, const Subject &subject, const std::string &what) {
    const std::string folder = o.keep + "/finding-" + std::to_string(subject.seed), command = commandFor(o, subject);
    const std::string text =
        what + "\nrepeat:  " + command + " program.sdfg\nshrink:  sdfgc reduce program.sdfg --test '" + command + " {}'\n";
    return file::makeFolder(folder) && file::writeAtomic(folder + "/program.sdfg", subject.text) &&
           file::writeAtomic(folder + "/finding.txt", text);
}

Subject made(uint64_t seed) {
    const Generated program = generate(seed);
    return {program.text, program.sizes, seed};
}

/// Run number `run` of the options: a generated program, or one of the graphs with another seed.
std::optional<Subject> subjectOf(const Options &o, std::size_t run) {
    const uint64_t seed = o.seed + run;
    if (o.graphs.empty())
        return made(seed);
    const std::string &path = o.graphs[seed % o.graphs.size()];
    Result<std::string> text = file::read(path);
    if (!text) {
        std::fprintf(stderr, "randomPrograms: %s\n", text.error().c_str());
        return std::nullopt;
    }
    return Subject{std::move(*text), o.sizes, seed};
}

/// Programs from the seed on, until the number of runs is reached or the time is up.
int runAll(const Options &o, const std::string &folder) {
    const auto start = std::chrono::steady_clock::now();
    Counts counts;
    auto over = [&] {
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
        return (o.runs != 0 && counts.runs >= o.runs) || (o.seconds > 0 && spent.count() >= o.seconds);
    };
    Plan plan;
    plan.pipelines = o.pipelines;
    plan.every = o.judgeEvery;
    plan.folder = folder;
    for (; !over(); ++counts.runs) {
        const std::optional<Subject> next = subjectOf(o, counts.runs);
        if (!next)
            return 2;
        const Subject &subject = *next;
        plan.compile = o.compileEvery != 0 && counts.runs % o.compileEvery == 0;
        const auto [status, said] = inChild(subject, plan, folder);
        counts.compiled += plan.compile && status == Agreed;
        counts.discarded += status == Discarded;
        if (status == Discarded && o.showDiscarded)
            std::printf("seed %llu discarded: %s", static_cast<unsigned long long>(subject.seed), said.c_str());
        if (status != Found)
            continue;
        ++counts.findings;
        if (!keep(o, subject, said))
            return 2;
        std::printf("seed %llu: %s\n", static_cast<unsigned long long>(subject.seed), said.substr(0, 1000).c_str());
        std::fflush(stdout);
    }
    std::printf("%zu programs, %zu discarded, %zu compiled, %zu findings\n", counts.runs, counts.discarded, counts.compiled,
                counts.findings);
    return counts.findings == 0 ? 0 : 1;
}

/// For each planted fault, programs from the seed on until one of them shows it. The exit status is 1 if that many programs do not
/// show a fault.
int findPlanted(const Options &o, const std::string &folder) {
    std::size_t missed = 0;
    for (const Damage &damage : damages()) {
        Plan plan;
        plan.pipelines = 0;
        plan.every = o.judgeEvery;
        plan.damage = &damage;
        std::size_t n = 0;
        std::string how;
        for (; n < o.planted && how.empty(); ++n) {
            const auto [status, said] = inChild(made(o.seed + n), plan, folder);
            if (status == Found && !said.starts_with("is killed") && !said.starts_with("hangs"))
                how = said.substr(0, said.find('\n'));
        }
        missed += how.empty();
        std::printf("%-20s %s: %s\n", std::string(damage.name).c_str(),
                    how.empty() ? "not found" : ("program " + std::to_string(n)).c_str(),
                    how.empty() ? std::string(damage.what).c_str() : how.c_str());
        std::fflush(stdout);
    }
    std::printf("%zu faults, %zu not found\n", damages().size(), missed);
    return missed == 0 ? 0 : 1;
}

int run(const Options &o) {
    const Result<file::TemporaryFolder> folder = file::TemporaryFolder::create("sdfgc-random");
    if (!folder)
        return 2;
    ::setenv("TMPDIR", folder->path().c_str(), 1); // reproducers of internal errors
    for (const char *target : {"cpu", "cuda"})     // here rather than in every child
        for (int level = 0; level < levels; ++level)
            standardTrial(target, level);
    return o.planted > 0 ? findPlanted(o, folder->path()) : runAll(o, folder->path());
}

/// `N=3,M=5`
Sizes parseSizes(const std::string &text) {
    Sizes out;
    std::istringstream in(text);
    for (std::string item; std::getline(in, item, ',');)
        if (const std::size_t sign = item.find('='); sign != std::string::npos)
            out[item.substr(0, sign)] = std::atoll(item.c_str() + sign + 1);
    return out;
}

std::optional<Options> parse(int argc, char **argv) {
    Options o;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (!word.starts_with("--")) {
            o.graphs.push_back(word);
            continue;
        }
        if (word == "--print" || word == "--show-discarded") {
            (word == "--print" ? o.print : o.showDiscarded) = true;
            continue;
        }
        if (i + 1 == argc)
            return std::nullopt;
        const char *value = argv[++i];
        if (word == "--seed")
            o.seed = std::strtoull(value, nullptr, 10);
        else if (word == "--runs")
            o.runs = std::strtoull(value, nullptr, 10);
        else if (word == "--seconds")
            o.seconds = std::atof(value);
        else if (word == "--compile-every")
            o.compileEvery = std::strtoull(value, nullptr, 10);
        else if (word == "--pipelines")
            o.pipelines = std::strtoull(value, nullptr, 10);
        else if (word == "--judge-every")
            o.judgeEvery = std::max<std::size_t>(1, std::strtoull(value, nullptr, 10));
        else if (word == "--sizes")
            o.sizes.push_back(parseSizes(value));
        else if (word == "--planted")
            o.planted = std::strtoull(value, nullptr, 10);
        else if (word == "--keep")
            o.keep = value;
        else
            return std::nullopt;
    }
    return o;
}

} // namespace
} // namespace sdfgc::random

int main(int argc, char **argv) {
    using namespace sdfgc::random;
    const std::optional<Options> o = parse(argc, argv);
    if (!o) {
        std::fprintf(stderr, "usage: randomPrograms [--seed N] [--runs N] [--seconds N] [--compile-every N] [--pipelines N] "
                             "[--judge-every N] [--keep DIR] "
                             "[GRAPH... | --planted N | --print]\n");
        return 2;
    }
    if (o->print) {
        const Generated made = generate(o->seed);
        std::fputs(made.text.c_str(), stdout);
        for (const Sizes &sizes : made.sizes) // the sizes for the caller to run it with
            for (const auto &[name, value] : sizes)
                std::fprintf(stderr, "%s=%lld%s", name.c_str(), static_cast<long long>(value),
                             name == sizes.rbegin()->first ? "\n" : " ");
        return 0;
    }
    return run(*o);
}
