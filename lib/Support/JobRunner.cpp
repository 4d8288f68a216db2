#include "sdfgc/Support/JobRunner.h"

#include "sdfgc/Support/Time.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include <sched.h>

namespace sdfgc {
namespace {

/// One run: ready, running and finished jobs.
class Run {
public:
    Run(const std::vector<Job> &jobs, const JobOptions &options)
        : jobs_(jobs), options_(options), workers_(options.workers ? options.workers : processorCount()),
          jobserver_(options.jobserver ? makeflags() : ""), waiting_(jobs.size()), dependents_(jobs.size()), busy_(workers_) {
        report_.results.resize(jobs.size());
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            waiting_[i] = jobs[i].after.size();
            for (const std::size_t before : jobs[i].after)
                dependents_[before].push_back(i);
            if (jobs[i].after.empty())
                ready_.insert(i);
        }
    }

    JobReport run() {
        report_.hasCycle = hasCycle();
        while (!report_.hasCycle && (running_ || (!ready_.empty() && !stopped_))) {
            startReady();
            const bool wantsSlot = !ready_.empty() && !stopped_ && running_ < workers_;
            for (auto &[id, outcome] : children_.wait(-1, wantsSlot ? jobserver_.descriptor() : -1))
                end(id, std::move(outcome));
            if (process::Set::interrupted())
                break;
            if (stopped_)
                break;
            returnSlots(ready_.empty() ? 0 : 1);
        }
        stopRest();
        report_.ok = !report_.hasCycle && std::all_of(report_.results.begin(), report_.results.end(),
                                                      [](const JobResult &r) { return r.state == JobState::Done; });
        return std::move(report_);
    }

private:
    static std::string makeflags() {
        const char *flags = std::getenv("MAKEFLAGS");
        return flags ? flags : "";
    }

    /// Simulates the run (Kahn's algorithm); jobs that never become ready are on a cycle or after one.
    bool hasCycle() const {
        std::vector<std::size_t> waiting = waiting_, ready(ready_.begin(), ready_.end());
        std::size_t reached = 0;
        for (; reached < ready.size(); ++reached)
            for (const std::size_t next : dependents_[ready[reached]])
                if (--waiting[next] == 0)
                    ready.push_back(next);
        return reached != jobs_.size();
    }

    /// The first slot is ours; the others come from the jobserver if there is one.
    bool takeSlot() {
        if (running_ == 0 || !jobserver_.available() || slots_ >= running_)
            return true;
        if (!jobserver_.acquire())
            return false;
        ++slots_;
        return true;
    }

    /// Returns slots that the running jobs, and `more` about to start, do not need.
    void returnSlots(std::size_t more) {
        for (; slots_ && slots_ + 1 > running_ + more; --slots_)
            jobserver_.release();
    }

    void startReady() {
        while (!stopped_ && !ready_.empty() && running_ < workers_ && takeSlot()) {
            const std::size_t id = *ready_.begin();
            ready_.erase(ready_.begin());
            JobResult &result = report_.results[id];
            result.lane = static_cast<int>(std::find(busy_.begin(), busy_.end(), false) - busy_.begin());
            result.startSeconds = timer_.seconds();
            result.state = JobState::Killed; // unless it ends by itself
            busy_[static_cast<std::size_t>(result.lane)] = true;
            ++running_;
            progress(id, false);
            children_.start(id, jobs_[id].command, options_.limits);
        }
    }

    void end(std::size_t id, process::Outcome outcome) {
        JobResult &result = report_.results[id];
        result.outcome = std::move(outcome);
        busy_[static_cast<std::size_t>(result.lane)] = false;
        --running_;
        const bool good = result.outcome.ok() && (!jobs_[id].finish || jobs_[id].finish(result.outcome));
        result.state = good ? JobState::Done : JobState::Failed;
        if (good) {
            ++done_;
            for (const std::size_t next : dependents_[id])
                if (--waiting_[next] == 0)
                    ready_.insert(next);
        } else if (!options_.keepGoing) {
            stopped_ = true;
        }
        progress(id, true);
    }

    void stopRest() {
        report_.interruptedBy = process::Set::interrupted();
        children_.killAll();
        running_ = 0;
        returnSlots(0);
    }

    void progress(std::size_t id, bool ended) const {
        if (options_.onProgress)
            options_.onProgress({done_, running_, jobs_.size(), jobs_[id], ended});
    }

    const std::vector<Job> &jobs_;
    const JobOptions &options_;
    const std::size_t workers_;
    Jobserver jobserver_;
    process::Set children_;
    Timer timer_;
    JobReport report_;
    std::vector<std::size_t> waiting_; // number of unfinished predecessors
    std::vector<std::vector<std::size_t>> dependents_;
    std::set<std::size_t> ready_;
    std::vector<bool> busy_; // by lane
    std::size_t running_ = 0, done_ = 0, slots_ = 0;
    bool stopped_ = false;
};

} // namespace

JobReport runJobs(const std::vector<Job> &jobs, const JobOptions &options) {
    JobReport report = Run(jobs, options).run();
    if (report.interruptedBy == 0) // by a signal that came between the end of the last job and that of the handlers
        report.interruptedBy = process::Set::interrupted();
    return report;
}

unsigned processorCount() {
    cpu_set_t set;
    if (::sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
}

} // namespace sdfgc
