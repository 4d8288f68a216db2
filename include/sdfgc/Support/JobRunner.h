// Runs commands that depend on each other, several at a time, as make and ninja do.
#pragma once

#include "sdfgc/Support/Process.h"

#include <functional>
#include <string>
#include <vector>

namespace sdfgc {

struct Job {
    process::Command command;
    std::string title;              // for progress: "compile f.cpp"
    std::vector<std::size_t> after; // indices of jobs (in the same list) that must have succeeded before
    /// Called right after the command succeeded, before jobs that wait for this one start; returning false makes the job failed.
    std::function<bool(const process::Outcome &)> finish;
};

enum class JobState { NotRun, Done, Failed, Killed };

struct JobResult {
    JobState state = JobState::NotRun;
    process::Outcome outcome; // when it ran
    int lane = 0;             // which of the parallel workers ran it
    double startSeconds = 0;  // since the run began
};

struct JobProgress {
    std::size_t done, running, total;
    const Job &job; // the one that just started or ended
    bool ended;
};

struct JobOptions {
    unsigned workers = 0;                                // 0: as many as there are processors for this process
    bool jobserver = true;                               // take part in GNU make's jobserver when MAKEFLAGS names one
    bool keepGoing = false;                              // otherwise the first failure kills what runs
    process::Limits limits;                              // for each command
    std::function<void(const JobProgress &)> onProgress; // called on the calling thread
};

struct JobReport {
    std::vector<JobResult> results; // one per job, same order
    bool ok = false;                // all jobs are Done
    bool hasCycle = false;          // the order contains a cycle; nothing was run
    int interruptedBy = 0;          // signal, when the run was interrupted
};

/// Runs all jobs. Ready jobs start in the order of their index. Blocks until everything has ended.
JobReport runJobs(const std::vector<Job> &jobs, const JobOptions &options = {});

/// Processors that this process may use (its affinity mask), at least 1.
unsigned processorCount();

/// A client of GNU make's jobserver (make manual, "Job slots"): one slot is ours from the start, each further one is a byte read
/// from a pipe or fifo and written back after use.
class Jobserver {
public:
    /// From the text of MAKEFLAGS: `--jobserver-auth=fifo:PATH`, `--jobserver-auth=R,W` or the older `--jobserver-fds=R,W`; the
    /// last one counts. Not available when there is none or its descriptors are not open here.
    explicit Jobserver(const std::string &makeflags);
    ~Jobserver();
    Jobserver(const Jobserver &) = delete;
    Jobserver &operator=(const Jobserver &) = delete;

    bool available() const { return read_ >= 0; }
    /// Tries to take one slot; never blocks.
    bool acquire();
    /// Gives one slot back.
    void release();
    /// Can be polled for reading when a slot may be free.
    int descriptor() const { return read_; }

private:
    bool openFifo(const std::string &path);
    bool openPipe(int read, int write);
    int read_ = -1, write_ = -1;
    std::string tokens_; // bytes taken, to be given back
};

} // namespace sdfgc
