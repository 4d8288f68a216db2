// One program in a shared library, called with prepared arguments in a process of its own: a crash ends the call, not sdfgc.
#pragma once

#include "sdfgc/Run/Arguments.h"

namespace sdfgc::run {

struct CallOptions {
    int repeat = 1; // timed calls; every one starts with the arguments as they were prepared
    int warmup = 0; // calls before them, whose times do not count
    /// Measures a program instead of only calling it: `repeat` is the most, and no further call begins once `enoughSeconds` are spent. The
    /// results are those of the first call, and the output of later ones is discarded: a program may keep state and print.
    bool measure = false;
    static constexpr double enoughSeconds = 1;
    double seconds = 0;    // limit for everything together; 0: none
    int mpiSeed = 0;       // delays and choices of emulated ranks; 0: none
    int gpuGraphs = 0;     // the GPU graphs of the program, when their counters are wanted
    bool messages = false; // what emulated ranks send is wanted
};

/// What emulated ranks sent for an element of the graph.
struct SentMessages {
    std::string element;
    int64_t messages = 0, bytes = 0;         // of all ranks
    int64_t mostMessages = 0, mostBytes = 0; // of the rank that sent most of each
};

/// What a program tells of one of its GPU graphs, `<name>_gpu_graphs` of its C interface (docs/user/interfaces.md).
struct GraphCounters {
    std::string name;
    int64_t entries, builds, launches, updates, nodesLast, usedLast, hostPath, iterationsLast, evictions;
    std::string lastReason;
};

struct CallResult {
    enum class Status {
        Done,
        NotLoaded,  // the library or a function is not there; `message` says why
        NotStarted, // no memory, no process
        InitFailed, // the initialiser gave no handle
        Error,      // the program reported an error: `message`
        ExitFailed, // the finaliser reported one
        Complained, // the emulated device found faults, so many as `message` says; the results are there
        Crashed,    // by `signal`
        Exited,     // the program ended the process; `signal` is the exit status
        TimedOut,
    };
    Status status = Status::Done;
    std::string message;
    int signal = 0;
    int rank = -1; // of a job, where the failure is that of one rank and it is known
    /// After a crash: where, as offsets in the file of the library, innermost call first; those of other libraries are left out.
    std::vector<uint64_t> frames;
    double initSeconds = 0;
    std::vector<double> warmups; // of each call before the timed ones
    std::vector<double> seconds; // of each timed call; where measuring ended with the first call, of that one
    /// Contents of every argument after the last call (CallOptions::measure: after the first), in the order of Arguments::all.
    std::vector<std::string> memory;
    /// In all calls, warm-up included; in the first rank's result.
    std::vector<SentMessages> sent;
    /// Of a graph that was interpreted: bytes of the program's own containers, each as large as it was at most.
    int64_t held = 0;
    /// After the last call, as many as CallOptions::gpuGraphs asked for at most.
    std::vector<GraphCounters> graphs;
};

/// Calls `__dace_init_<name>`, then `__program_<name>` as often as asked, then `__dace_exit_<name>`. After every array comes a page
/// that cannot be touched, so that writing beyond its end is a crash here and not a wrong number elsewhere. What the program prints
/// goes where the output of this process goes. Never throws.
CallResult call(const std::string &library, const std::string &name, const Arguments &arguments, const CallOptions &options);

/// The same on several ranks at once, each with arguments of its own: threads of one process, for which the library was built with the
/// emulation of MPI. What concerns all of them (a crash, a time-out, a deadlock, messages that are left over) is in the first result.
std::vector<CallResult> callRanks(const std::string &library, const std::string &name,
                                  const std::vector<const Arguments *> &arguments, const CallOptions &options);

} // namespace sdfgc::run
