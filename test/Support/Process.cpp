#include "sdfgc/Support/Process.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Time.h"

#include <catch2/catch.hpp>

#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

using namespace sdfgc;
using process::Command;

namespace {
Command shell(const std::string &script) { return {{"/bin/sh", "-c", script}}; }
} // namespace

TEST_CASE("process: output, errors and exit status are captured apart") {
    const auto o = process::run(shell("echo out; echo err >&2; exit 3"));
    CHECK(o.started);
    CHECK(o.out == "out\n");
    CHECK(o.err == "err\n");
    CHECK(o.exitCode == 3);
    CHECK_FALSE(o.ok());
    CHECK(o.describe() == "exit status 3");
    CHECK(o.peakKiB > 0);
}

TEST_CASE("process: merged output keeps its order") {
    Command c = shell("echo 1; echo 2 >&2; echo 3");
    c.mergeOutput = true;
    const auto o = process::run(c);
    CHECK(o.out == "1\n2\n3\n");
    CHECK(o.err.empty());
    CHECK(o.ok());
}

TEST_CASE("process: arguments are passed as they are, no shell reads them") {
    const auto o = process::run({{"printf", "%s|", "a b", "$HOME", "*", "", "'\"\n"}});
    CHECK(o.out == "a b|$HOME|*||'\"\n|");
}

TEST_CASE("process: folder and environment") {
    Command c = shell("pwd; echo $SDFGC_TEST; echo $PATH; cat");
    c.folder = "/";
    c.environment = {{"SDFGC_TEST", "x y"}, {"PATH", "/only:/bin:/usr/bin"}};
    CHECK(process::run(c).out == "/\nx y\n/only:/bin:/usr/bin\n");
}

TEST_CASE("process: what cannot start says why") {
    CHECK(process::run({{"no-such-program-here"}}).describe() == "cannot run no-such-program-here: no such program");
    CHECK(process::run({{}}).describe() == "cannot run an empty command: no such program");
    Command c = shell("true");
    c.folder = "/no/such";
    CHECK(process::run(c).describe() == "cannot run /bin/sh in /no/such: No such file or directory");
}

TEST_CASE("process: a time limit ends the child and its children") {
    const Timer timer;
    const auto o = process::run(shell("echo begun; sleep 60; echo done"), {0.1});
    CHECK(o.timedOut);
    CHECK_FALSE(o.ok());
    CHECK(o.out == "begun\n");
    CHECK(timer.seconds() < 10);
    // A process that ignores SIGTERM is killed.
    const auto stubborn = process::run(shell("trap '' TERM; while :; do sleep 1; done"), {0.1});
    CHECK(stubborn.timedOut);
    CHECK(stubborn.signal == SIGKILL);
}

TEST_CASE("process: a signal is told apart from an exit status") {
    const auto o = process::run(shell("kill -SEGV $$"));
    CHECK(o.signal == SIGSEGV);
    CHECK(o.describe() == "ended by signal 11 (Segmentation fault)");
}

TEST_CASE("process: a grandchild that keeps the output open does not hold us up") {
    const Timer timer;
    const auto o = process::run(shell("sleep 5 & echo $!"));
    CHECK(o.ok());
    CHECK(timer.seconds() < 4);
    ::kill(std::atoi(o.out.c_str()), SIGKILL);
}

TEST_CASE("process: much output does not block, and is cut at the limit") {
    CHECK(process::run(shell("head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2")).err.size() == 3000000);
    process::Limits limits;
    limits.captureBytes = 1000;
    const auto o = process::run(shell("head -c 3000000 /dev/zero"), limits);
    CHECK(o.ok());
    CHECK(o.out.size() == 1000);
}

TEST_CASE("process: find follows PATH") {
    CHECK(process::find("sh").ends_with("/sh"));
    CHECK(process::find("/bin/sh") == "/bin/sh");
    CHECK(process::find("/etc/passwd").empty()); // not executable
    CHECK(process::find("/tmp").empty());        // a folder
    CHECK(process::find("").empty());
}

TEST_CASE("process: quoted commands survive a shell") {
    const std::vector<std::string> argv = {"printf", "%s|", "a b", "it's", "$x", "", "-O2"};
    CHECK(process::quoted(argv) == "printf '%s|' 'a b' 'it'\\''s' '$x' '' -O2");
    CHECK(process::run(shell(process::quoted(argv))).out == "a b|it's|$x||-O2|");
}

TEST_CASE("process: several run at once and come back by number") {
    process::Set set;
    const Timer timer;
    set.start(7, shell("sleep 0.3; echo seven"));
    set.start(3, shell("sleep 0.3; echo three"));
    set.start(5, {{"no-such-program-here"}});
    std::string got;
    while (set.running())
        for (auto &[id, outcome] : set.wait())
            got += std::to_string(id) + ":" + outcome.out;
    CHECK(timer.seconds() < 0.58);
    CHECK(got.starts_with("5:"));
    CHECK(got.find("7:seven\n") != std::string::npos);
    CHECK(got.find("3:three\n") != std::string::npos);
}

TEST_CASE("process: wait gives up after its time") {
    process::Set set;
    set.start(0, shell("sleep 30"));
    const Timer timer;
    CHECK(set.wait(0.05).empty());
    CHECK(timer.seconds() < 5);
    CHECK(set.running() == 1);
}

TEST_CASE("process: a signal to us ends the children and is remembered") {
    const auto tmp = file::TemporaryFolder::create();
    REQUIRE(tmp);
    const std::string pidFile = file::join(tmp->path(), "pid");
    const pid_t tool = ::fork();
    if (tool == 0) { // a separate process: the signal is remembered for the lifetime of a process
        const auto o = process::run(shell("echo $$ > " + pidFile + ".new; mv " + pidFile + ".new " + pidFile + "; sleep 60"));
        ::_exit(o.signal == SIGINT && process::Set::interrupted() == SIGINT ? 0 : 1);
    }
    while (!file::exists(pidFile))
        ::usleep(1000);
    ::kill(tool, SIGINT);
    int status = -1;
    REQUIRE(::waitpid(tool, &status, 0) == tool);
    CHECK(status == 0);
    CHECK(::kill(std::stoi(*file::read(pidFile)), 0) != 0); // the child has ended
}
