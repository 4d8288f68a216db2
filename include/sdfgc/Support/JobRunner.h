// Runs interdependent commands in parallel, as make and ninja do.
#pragma once

#include "sdfgc/Support/Process.h"

#include <functional>
#include <string>
#include <vector>

namespace sdfgc {

struct Job {
    process::Command command;
    std::string title;              // for progress: "compile f.cpp"
    std::vector<std::size_t> after; // indices of jobs (in the same list) that must succeed first
    /// Called right after the command succeeded, before dependent jobs start; returning false makes the job fail.
    std::function<bool(const process::Outcome &)> finish;
};

enum class JobState { NotRun, Done, Failed, Killed };

struct JobResult {
    JobState state = JobState::NotRun;
    process::Outcome outcome; // if it ran
    int lane = 0;             // index of the parallel worker that ran it
    double startSeconds = 0;  // since the start of the run
};

struct JobProgress {
    std::size_t done, running, total;
    const Job &job; // the one that has just started or ended
    bool ended;
};

struct JobOptions {
    unsigned workers = 0;                                // 0: the number of processors available to this process
    bool jobserver = true;                               // participate in GNU make's jobserver if MAKEFLAGS names one
    bool keepGoing = false;                              // otherwise the first failure kills running jobs
    process::Limits limits;                              // for each command
    std::function<void(const JobProgress &)> onProgress; // called on the calling thread
};

struct JobReport {
    std::vector<JobResult> results; // one per job, same order
    bool ok = false;                // all jobs are Done
    bool hasCycle = false;          // the dependences contain a cycle; nothing was run
    int interruptedBy = 0;          // the signal, if the run was interrupted
};

/// Runs all jobs. Ready jobs start in index order. Blocks until all have ended.
JobReport runJobs(const std::vector<Job> &jobs, const JobOptions &options = {});

/// Returns the number of processors that this process may use (its affinity mask), at least 1.
unsigned processorCount();

/// A client of GNU make's jobserver (make manual, "Job slots"): it owns one slot from the start; each further slot is a
/// byte read from a pipe or fifo and written back after use.
class Jobserver {
public:
    /// Reads the value of MAKEFLAGS: `--jobserver-auth=fifo:PATH`, `--jobserver-auth=R,W` or the older
    /// `--jobserver-fds=R,W`; the last one wins. Not available if there is none or its descriptors are not open in this
    /// process.
    explicit Jobserver(const std::string &makeflags);
    ~Jobserver();
    Jobserver(const Jobserver &) = delete;
    Jobserver &operator=(const Jobserver &) = delete;

    bool available() const { return read_ >= 0; }
    /// Tries to take one slot; never blocks.
    bool acquire();
    /// Returns a slot.
    void release();
    /// A descriptor to poll for reading; readable if a slot may be free.
    int descriptor() const { return read_; }

private:
    bool openFifo(const std::string &path);
    bool openPipe(int read, int write);
    int read_ = -1, write_ = -1;
    std::string tokens_; // acquired bytes, to be written back
};

} // namespace sdfgc
