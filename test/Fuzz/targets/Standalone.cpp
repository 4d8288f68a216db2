// A target without libFuzzer: runs every file of the corpus, then copies damaged with fixed seeds, so that every run is the same.
//
//   fuzz-TARGET [--runs N] [--seed N] [--keep DIR] FILE-OR-FOLDER...
//
// Run number i damages file number i (modulo the number of files) with seed plus i. An input that violates an invariant, crashes or
// takes more than 20 s ends the process; it is kept in DIR (default: the current folder) as finding-TARGET, which reproduces the
// finding as the only argument.
#include "../Mutator.h"
#include "Target.h"

#include "sdfgc/Support/File.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <optional>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace sdfgc::fuzz {
namespace {

constexpr unsigned secondsPerInput = 20;
constexpr std::size_t largestInput = 1 << 14; // larger inputs cost time and find little

struct Options {
    std::size_t runs = 0;
    uint64_t seed = 1;
    std::string keep = ".";
    std::vector<std::string> inputs;
};

// Written by the signal handler, which must not allocate memory.
std::string keptAs;
std::string_view running;

void keepInput(int signal) {
    const int out = ::open(keptAs.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    const bool kept = out >= 0 && ::write(out, running.data(), running.size()) == static_cast<ssize_t>(running.size());
    const std::string_view why = signal == SIGALRM ? "an input hangs" : "an input ends the process";
    for (std::string_view part : {why, std::string_view(kept ? "; it is kept as " : "; it cannot be kept as "),
                                  std::string_view(keptAs), std::string_view("\n")})
        (void)!::write(STDERR_FILENO, part.data(), part.size());
    ::signal(signal, SIG_DFL);
    ::raise(signal);
}

void catchSignals() {
    static char stack[1 << 16]; // of the handler: the normal stack may be exhausted
    stack_t alternative{};
    alternative.ss_sp = stack;
    alternative.ss_size = sizeof stack;
    ::sigaltstack(&alternative, nullptr);
    struct sigaction action {};
    action.sa_handler = keepInput;
    action.sa_flags = SA_ONSTACK | SA_NODEFER;
    for (int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM})
        ::sigaction(signal, &action, nullptr);
    const rlimit noCore{0, 0};
    ::setrlimit(RLIMIT_CORE, &noCore);
}

void runWatched(const std::string &input) {
    running = input;
    ::alarm(secondsPerInput);
    runInput(input);
    ::alarm(0);
}

/// The named files, and the files in the named folders, sorted by name.
std::optional<std::vector<std::string>> read(const std::vector<std::string> &paths) {
    std::vector<std::string> texts;
    for (const std::string &path : paths) {
        std::vector<std::string> files{path};
        if (Result<std::vector<std::string>> names = file::list(path)) {
            files.clear();
            for (const std::string &name : *names)
                files.push_back(file::join(path, name));
        }
        for (const std::string &one : files) {
            Result<std::string> text = file::read(one);
            if (!text) {
                std::fprintf(stderr, "%s\n", text.error().c_str());
                return std::nullopt;
            }
            texts.push_back(std::move(*text));
        }
    }
    return texts;
}

/// In the target's way or, sometimes, by bytes; several times, so that damage is combined.
std::string damagedSometimes(std::string text, uint64_t seed) {
    Random random(seed);
    for (std::size_t n = 1 + random.below(3); n > 0; --n) {
        const uint64_t next = seed * 31 + n;
        std::string made = random.oneIn(6) ? Mutator(next).damageBytes(text) : damaged(text, next, largestInput);
        if (made.size() <= largestInput)
            text = std::move(made);
    }
    return text;
}

int run(const Options &o, const std::string &program) {
    const std::optional<std::vector<std::string>> corpus = read(o.inputs);
    if (!corpus || corpus->empty())
        return 2;
    keptAs = file::join(o.keep, "finding-" + file::nameOf(program));
    catchSignals();
    for (const std::string &text : *corpus)
        runWatched(text);
    for (std::size_t i = 0; i < o.runs; ++i)
        runWatched(damagedSometimes((*corpus)[i % corpus->size()], o.seed + i));
    std::printf("%s: %zu files, %zu damaged copies\n", file::nameOf(program).c_str(), corpus->size(), o.runs);
    return 0;
}

std::optional<Options> parse(int argc, char **argv) {
    Options o;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (!word.starts_with("--")) {
            o.inputs.push_back(word);
            continue;
        }
        if (i + 1 == argc)
            return std::nullopt;
        const char *value = argv[++i];
        if (word == "--runs")
            o.runs = static_cast<std::size_t>(std::atoll(value));
        else if (word == "--seed")
            o.seed = static_cast<uint64_t>(std::atoll(value));
        else if (word == "--keep")
            o.keep = value;
        else
            return std::nullopt;
    }
    return o.inputs.empty() ? std::nullopt : std::optional(o);
}

} // namespace
} // namespace sdfgc::fuzz

int main(int argc, char **argv) {
    const std::optional<sdfgc::fuzz::Options> o = sdfgc::fuzz::parse(argc, argv);
    if (!o) {
        std::fprintf(stderr, "usage: %s [--runs N] [--seed N] [--keep DIR] FILE-OR-FOLDER...\n", argv[0]);
        return 2;
    }
    return sdfgc::fuzz::run(*o, argv[0]);
}
