#include "Driver/Crash.h"
#include "SourceTree.h"
#include "sdfgc/Driver/Driver.h"
#include "sdfgc/Support/File.h"

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

using namespace sdfgc;

namespace {

struct Death {
    int status = -1; // of waitpid
    std::string err;
    std::string command; // command.txt of the reproducer
    std::string before;  // before.sdfg
    bool hasInput = false;
};

/// Runs `crash` in a child process with the handlers installed.
template <class F> Death dieOf(F crash) {
    file::TemporaryFolder folder = std::move(*file::TemporaryFolder::create("sdfgc-crash-test"));
    const std::string input = file::join(folder.path(), "prog.sdfg"), log = file::join(folder.path(), "log");
    REQUIRE(file::writeAtomic(input, "the graph"));
    const pid_t child = ::fork();
    if (child == 0) {
        ::setenv("TMPDIR", folder.path().c_str(), 1);
        if (!std::freopen(log.c_str(), "w", stderr))
            ::_exit(1);
        driver::installCrashHandlers({"build", input, "--cflags", "-O1 -g"});
        driver::crash::setActivity("running the pass x");
        driver::crash::setInput(input);
        crash();
        ::_exit(0);
    }
    Death d;
    REQUIRE(::waitpid(child, &d.status, 0) == child);
    d.err = *file::read(log);
    const std::string reproducer = file::join(folder.path(), "sdfgc-bug-" + std::to_string(child));
    if (file::exists(reproducer)) {
        d.command = *file::read(file::join(reproducer, "command.txt"));
        if (Result<std::string> graph = file::read(file::join(reproducer, "before.sdfg")))
            d.before = *graph;
        d.hasInput = *file::read(file::join(reproducer, "prog.sdfg")) == "the graph";
    }
    return d;
}

void checkDeath(const Death &d, const std::string &reason) {
    INFO(d.err);
    CHECK(WIFEXITED(d.status));
    CHECK(WEXITSTATUS(d.status) == 70);
    CHECK(d.err.starts_with("sdfgc: error: internal error: " + reason + " while running the pass x; "));
    CHECK(d.err.find('\n') == d.err.size() - 1); // one line
    CHECK(d.command.find("command: sdfgc build ") != std::string::npos);
    CHECK(d.command.find("'-O1 -g'") != std::string::npos);
    CHECK(d.hasInput);
}

/// Ends only when the stack overflows; the compiler must not notice that.
volatile bool endless = true;
[[gnu::noinline]] int recurse(int depth) {
    volatile char frame[4096];
    frame[0] = static_cast<char>(depth);
    return endless ? recurse(depth + 1) + frame[0] : frame[0];
}

void loseException() { throw std::runtime_error("lost"); }

} // namespace

TEST_CASE("a crash is one line, a reproducer and status 70") {
    checkDeath(dieOf([] { std::raise(SIGSEGV); }), "invalid memory access (SIGSEGV)");
    checkDeath(dieOf([] { std::abort(); }), "abort (SIGABRT)");
    checkDeath(dieOf([]() noexcept { loseException(); }), "lost");
    checkDeath(dieOf([] { std::raise(SIGFPE); }), "arithmetic fault (SIGFPE)");
}

TEST_CASE("a reproducer holds the passes and the graph before the one that failed") {
    auto crash = [](const std::vector<std::string> &replay) {
        return dieOf([replay] {
            driver::crash::setReplayProgram("/usr/bin/sort"); // writes its input to the file after -o, as `sdfgc opt` does
            driver::crash::setPasses("a,b{k=1},c");
            driver::crash::setReplay(replay);
            std::raise(SIGSEGV);
        });
    };
    const Death d = crash({"--reverse", std::string(SDFGC_SOURCE_DIR) + "/.clang-format"});
    checkDeath(d, "invalid memory access (SIGSEGV)");
    CHECK(d.command.find("\npasses: a,b{k=1},c\n") != std::string::npos);
    CHECK(d.before.find("BasedOnStyle: LLVM\n") != std::string::npos);
    CHECK(crash({}).before.empty());
    checkDeath(crash({"no-such-file"}), "invalid memory access (SIGSEGV)");
    checkDeath(crash(std::vector<std::string>(1000, "too many")), "invalid memory access (SIGSEGV)");
}

TEST_CASE("an overflow of the stack is reported as well") {
    checkDeath(dieOf([] { recurse(0); }), "invalid memory access (SIGSEGV)");
}

TEST_CASE("texts longer than the buffers are cut") {
    driver::crash::setActivity(std::string(10000, 'x'));
    CHECK(driver::crash::activity() == std::string(255, 'x'));
    driver::crash::setActivity("");
}
