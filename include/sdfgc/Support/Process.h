// Running programs: an argument vector, never a shell; output captured; several at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sdfgc::process {

struct Command {
    std::vector<std::string> argv;                                // argv[0] is searched on PATH when it has no '/'
    std::string folder;                                           // where it runs; empty: here
    std::vector<std::pair<std::string, std::string>> environment; // added to, or replacing, this process's variables
    bool mergeOutput = false; // standard error goes into Outcome::out, in the order in which it was written
};

struct Outcome {
    bool started = false;  // false: `error` says why (no such program, no memory)
    int exitCode = -1;     // when it ended by itself
    int signal = 0;        // when a signal ended it
    bool timedOut = false; // it was killed because its time was over
    std::string out, err;  // captured, each up to Limits::captureBytes
    std::string error;
    double seconds = 0;
    long peakKiB = 0; // largest resident memory
    bool ok() const { return started && exitCode == 0 && !timedOut && signal == 0; }
    /// One line for people: "exit status 1", "killed by signal 9 (Killed)", "took longer than 5 s", "cannot run x: ...".
    std::string describe() const;
};

struct Limits {
    double seconds = 0;                   // 0: no limit
    std::size_t captureBytes = 64u << 20; // output beyond it is read and dropped
};

/// Runs one command to its end; standard input is empty.
Outcome run(const Command &command, const Limits &limits = {});

/// Full path of a program: as it is when it has a '/', otherwise the first executable file of that name on PATH; empty if none.
std::string find(const std::string &program);

/// The command as one could type it in a shell, for messages and logs.
std::string quoted(const std::vector<std::string> &argv);

/// Several running children, watched by one poll loop. Each is a process group of its own, so that killing a compiler driver kills
/// the compiler proper. Destroying the set kills what still runs.
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

    /// Starts a command under a number of the caller. When it cannot start, wait() delivers the failed outcome.
    void start(std::size_t id, const Command &command, const Limits &limits = {});
    /// Waits until a child ends, `timeoutSeconds` are over (< 0: no limit), `watchDescriptor` (if >= 0) can be read, or this
    /// process gets SIGINT, SIGTERM or SIGHUP. Returns the children that ended, by number.
    std::vector<Finished> wait(double timeoutSeconds = -1, int watchDescriptor = -1);
    std::size_t running() const;
    /// Asks all children to end (SIGTERM, so that compilers remove their temporary files), kills after a second those that did not,
    /// and waits for them. Their outcomes are not delivered.
    void killAll();
    /// The signal that asked this process to stop while a Set was alive, or 0. Whoever sees it cleans up and ends.
    static int interrupted();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace sdfgc::process
