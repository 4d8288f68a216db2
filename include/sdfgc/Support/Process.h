// Runs programs: from an argument vector, never through a shell; captures output; runs several in parallel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sdfgc::process {

struct Command {
    std::vector<std::string> argv;                                // argv[0] is searched on PATH unless it contains '/'
    std::string folder;                                           // working folder; empty: the current one
    std::vector<std::pair<std::string, std::string>> environment; // variables added to, or replaced in, this process's environment
    bool mergeOutput = false;                                     // standard error goes to Outcome::out, in the order of writing
};

struct Outcome {
    bool started = false;  // false: `error` has the reason (no such program, out of memory)
    int exitCode = -1;     // if it exited by itself
    int signal = 0;        // if a signal ended it
    bool timedOut = false; // killed by the time limit
    std::string out, err;  // captured, each up to Limits::captureBytes
    std::string error;
    double seconds = 0;
    long peakKiB = 0; // largest resident memory
    bool ok() const { return started && exitCode == 0 && !timedOut && signal == 0; }
    /// Returns a readable line: "exit status 1", "killed by signal 9 (Killed)", "took longer than 5 s", "cannot run x:
    /// ...".
    std::string describe() const;
};

struct Limits {
    double seconds = 0;                   // 0: no limit
    std::size_t captureBytes = 64u << 20; // further output is read and discarded
};

/// Runs a command to its end; standard input is empty.
Outcome run(const Command &command, const Limits &limits = {});

/// Returns the full path of a program: unchanged if it contains '/', otherwise the first executable file with that name
/// on PATH; empty if there is none.
std::string find(const std::string &program);

/// Returns the command as typed in a shell, for messages and logs.
std::string quoted(const std::vector<std::string> &argv);

/// A set of running children, watched by one poll loop. Each is in its own process group, so that killing a compiler
/// driver also kills the compiler proper. The destructor kills children that are still running.
class Set {
public:
    struct Finished {
        std::size_t id;
        Outcome outcome;
    };
    Set();
    ~Set();
    Set(const Set &) = delete;
    Set &operator=(const Set &) = delete;

    /// Starts a command with a number chosen by the caller. If it cannot start, wait() delivers the failed outcome.
    void start(std::size_t id, const Command &command, const Limits &limits = {});
    /// Waits until a child ends, `timeoutSeconds` have passed (< 0: no limit), `watchDescriptor` (if >= 0) is readable,
    /// or this process receives SIGINT, SIGTERM or SIGHUP. Returns the children that ended, by number.
    std::vector<Finished> wait(double timeoutSeconds = -1, int watchDescriptor = -1);
    std::size_t running() const;
    /// Asks all children to end (SIGTERM, so that compilers remove their temporary files), kills the remaining ones
    /// after a second, and waits for them. Their outcomes are not delivered.
    void killAll();
    /// Returns the signal that asked this process to stop while a Set existed, or 0. The caller should clean up and
    /// exit.
    static int interrupted();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace sdfgc::process
