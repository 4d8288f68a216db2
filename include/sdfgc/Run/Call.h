// Calls a program in a shared library with prepared arguments, in a separate process: a crash ends the call, not sdfgc.
#pragma once

#include "sdfgc/Run/Arguments.h"

#include <optional>

namespace sdfgc::run {

struct CallOptions {
    int repeat = 1; // timed calls; each starts with the arguments as prepared
    int warmup = 0; // untimed calls before them
    /// Measures a program instead of only calling it: `repeat` is the maximum, and no call starts after
    /// `enoughSeconds`. The results are those of the first call, and the output of later ones is discarded, because a
    /// program may keep state and print.
    bool measure = false;
    static constexpr double enoughSeconds = 1;
    double seconds = 0;    // time limit for everything together; 0: none
    int mpiSeed = 0;       // seed for delays and choices of emulated ranks; 0: none
    int gpuGraphs = 0;     // the number of the program's GPU graphs, to get their counters
    bool messages = false; // collect the messages of emulated ranks
    /// For a program of another machine: the command that runs its programs here, and the program that calls the library, as made with
    /// --caller. Makes one call, whatever `repeat`, `warmup` and `measure` say, and counts nothing.
    std::vector<std::string> runner;
    std::string caller;
};

/// The messages that emulated ranks sent for an element of the graph.
struct SentMessages {
    std::string element;
    int64_t messages = 0, bytes = 0;         // of all ranks
    int64_t mostMessages = 0, mostBytes = 0; // of the rank that sent the most of each
};

/// The counters of a GPU graph, from `<name>_gpu_graphs` of the C interface (docs/user/interfaces.md).
struct GraphCounters {
    std::string name;
    int64_t entries, builds, launches, updates, nodesLast, usedLast, hostPath, iterationsLast, evictions;
    std::string lastReason;
};

/// What an emulated device did in a call; kernels and copies in GPU graphs count, too. The order is that of
/// `sdfgc_emulation_counts` (runtime-headers/sdfgc/rt/gpu/emulate.h).
struct DeviceCounts {
    int64_t kernels = 0, libraryCalls = 0, fills = 0, copies = 0;   // copies: within the device
    int64_t copiesIn = 0, bytesIn = 0, copiesOut = 0, bytesOut = 0; // to the device, to the host
    int64_t waits = 0;                                              // of the host
    int64_t graphs = 0;                                             // launches
    int64_t allocations = 0;                                        // of device memory and page-locked memory

    int64_t operations() const { return kernels + libraryCalls + fills + copies; }
    /// What happened since `before`.
    DeviceCounts operator-(const DeviceCounts &before) const;
};

struct CallResult {
    enum class Status {
        Done,
        NotLoaded,  // the library or a function is missing; `message` has the reason
        NotStarted, // out of memory or processes
        InitFailed, // the initialiser returned no handle
        Error,      // the program reported an error: `message`
        ExitFailed, // the finaliser reported an error
        Complained, // the emulated device found faults, whose number is in `message`; the results exist
        Crashed,    // by `signal`
        Exited,     // the program ended the process; `signal` is the exit status
        TimedOut,
    };
    Status status = Status::Done;
    std::string message;
    int signal = 0;
    int rank = -1; // of a job, if the failure is that of a single known rank
    /// After a crash: its position, as offsets in the library file, innermost call first; excludes other libraries.
    std::vector<uint64_t> frames;
    double initSeconds = 0;
    std::vector<double> warmups; // of each untimed call
    std::vector<double> seconds; // of each timed call; if measuring ended with the first call, of that one
    /// Contents of every argument after the last call (CallOptions::measure: after the first), in the order of
    /// Arguments::all.
    std::vector<std::string> memory;
    /// In all calls, including warm-up; in the first rank's result.
    std::vector<SentMessages> sent;
    /// For an interpreted graph: bytes of the program's own containers, each at its largest size.
    int64_t held = 0;
    /// After the last call, at most CallOptions::gpuGraphs of them.
    std::vector<GraphCounters> graphs;
    /// Of the last call; nothing if no device is emulated.
    std::optional<DeviceCounts> device;
};

/// Calls `__dace_init_<name>`, then `__program_<name>` as often as requested, then `__dace_exit_<name>`. Every array is
/// followed by an inaccessible page, so that writing beyond its end crashes instead of corrupting other data. The
/// program's output goes where this process's output goes. Never throws.
CallResult call(const std::string &library, const std::string &name, const Arguments &arguments, const CallOptions &options);

/// The same on several ranks at once, each with its own arguments. Ranks are threads of one process, and the library
/// must be built with the emulation of MPI. Failures of the entire job (a crash, a time-out, a deadlock, unreceived
/// messages) are in the first result.
std::vector<CallResult> callRanks(const std::string &library, const std::string &name,
                                  const std::vector<const Arguments *> &arguments, const CallOptions &options);

} // namespace sdfgc::run
