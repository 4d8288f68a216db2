// The ranks of an emulated job: which ones run, and which ones wait for what.
//
// One lock guards everything. A waiting rank registers itself; the rank that fulfils its condition removes it from the list under
// the lock. So if all live ranks wait, none can ever continue: that is a deadlock, and all of them are notified.
#pragma once

#include "sdfgc/rt/mpi/emulated/type.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <string_view>
#include <thread>

namespace sdfgc::mpi::emulated {

/// An error, as a code and this thread's text for it.
constexpr int failed = 1;

/// Objects that a rank has created and not freed.
struct Open {
    int types = 0, operators = 0, communicators = 0;
};

struct Rank {
    const char *element = "a call outside of the graph";
    std::string waits; // for what, while it does
    const void *event = nullptr;
    Open open;
    bool hasFinalised = false;
    std::mt19937_64 random;
};

/// The messages that a rank has sent for one element.
struct Sent {
    std::int64_t messages = 0, bytes = 0;
};

class Job {
public:
    Job(int count, std::uint64_t seed) : ranks(static_cast<std::size_t>(count)), seed_(seed), alive_(count) {
        for (std::size_t r = 0; r < ranks.size(); ++r)
            ranks[r].random.seed(seed * 1000003 + r);
    }
    std::vector<Rank> ranks;
    std::mutex lock;
    std::string broken;                            // why the job cannot continue
    std::map<std::string, std::vector<Sent>> sent; // by element, of each rank

    /// A rank sends; under the lock. Messages of initialisers are not part of a call.
    void count(const char *element, int rank, std::int64_t messages, std::size_t bytesEach) {
        if (std::string_view(element) == "initialisation")
            return;
        std::vector<Sent> &all = sent[element];
        all.resize(ranks.size());
        all[static_cast<std::size_t>(rank)].messages += messages;
        all[static_cast<std::size_t>(rank)].bytes += messages * static_cast<std::int64_t>(bytesEach);
    }

    /// A pause that the seed decides, so that ranks meet in another order.
    void delay(Rank &r) {
        if (seed_ == 0)
            return;
        const std::uint64_t n = r.random() % 8;
        if (n < 3)
            std::this_thread::yield();
        else if (n == 3)
            std::this_thread::sleep_for(std::chrono::microseconds(r.random() % 200));
    }
    /// Chooses one of `n` possibilities.
    std::size_t choose(Rank &r, std::size_t n) { return seed_ == 0 || n < 2 ? 0 : r.random() % n; }

    /// Waits until `event` has happened (see `happened`); false if the job cannot continue.
    bool wait(std::unique_lock<std::mutex> &held, Rank &r, const void *event, std::string what) {
        r.waits = std::move(what);
        r.event = event;
        ++waiting_;
        lookForDeadlock();
        changed_.wait(held, [&] { return !r.event || !broken.empty(); });
        if (r.event)
            --waiting_;
        r.event = nullptr;
        return broken.empty();
    }
    /// Wakes all ranks that wait for `event`.
    void happened(const void *event) {
        for (Rank &r : ranks)
            if (r.event == event) {
                r.event = nullptr;
                --waiting_;
            }
        changed_.notify_all();
    }
    void breakOff(std::string why) {
        if (broken.empty())
            broken = std::move(why);
        changed_.notify_all();
    }
    /// A rank has ended.
    void leave() {
        --alive_;
        lookForDeadlock();
    }

private:
    void lookForDeadlock() {
        if (waiting_ == 0 || waiting_ < alive_ || !broken.empty())
            return;
        std::string why = "deadlock: no rank can go on";
        for (std::size_t r = 0; r < ranks.size(); ++r)
            if (ranks[r].event)
                why += "; rank " + std::to_string(r) + " waits in " + ranks[r].element + " " + ranks[r].waits;
        breakOff(why);
    }
    std::condition_variable changed_;
    std::uint64_t seed_;
    int alive_, waiting_ = 0;
};

inline Job &theOnlyRank() {
    static Job job(1, 0);
    return job;
}
inline Job *running = nullptr;
inline thread_local int myRank = 0;
inline thread_local std::string lastError;

inline Job &job() { return running ? *running : theOnlyRank(); }
inline Rank &me() { return job().ranks[static_cast<std::size_t>(myRank)]; }

inline int fail(std::string why) {
    lastError = std::move(why);
    return failed;
}
/// The result of a call that the end of the job interrupted.
inline int interrupted() { return fail(job().broken); }

} // namespace sdfgc::mpi::emulated
