#include "Guarded.h"

#include "sdfgc/Support/Signals.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstring>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sdfgc::interpret {

namespace {

constexpr std::byte untouched{0xA5};

int64_t pageSize() {
    static const int64_t size = sysconf(_SC_PAGESIZE);
    return size;
}

} // namespace

bool GuardedCopy::take(const std::byte *from, int64_t bytes) {
    const int64_t page = pageSize(), needed = std::max<int64_t>((bytes + page - 1) / page, 1);
    if (needed != pages_) {
        release();
        void *all = mmap(nullptr, static_cast<std::size_t>((needed + 2) * page), PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (all == MAP_FAILED)
            return false;
        all_ = static_cast<std::byte *>(all);
        pages_ = needed;
        if (mprotect(all_ + page, static_cast<std::size_t>(needed * page), PROT_READ | PROT_WRITE) != 0)
            return false;
    }
    bytes_ = bytes;
    std::fill(all_ + page, begin(), untouched);
    std::copy_n(from, bytes, begin());
    return true;
}

std::byte *GuardedCopy::end() const { return all_ + (pages_ + 1) * pageSize(); }

bool GuardedCopy::guards(const void *address) const {
    const auto *at = static_cast<const std::byte *>(address);
    return all_ && at >= all_ && at < end() + pageSize();
}

bool GuardedCopy::isIntact() const {
    return std::all_of(all_ + pageSize(), begin(), [](std::byte b) { return b == untouched; });
}

void GuardedCopy::release() {
    if (all_)
        munmap(all_, static_cast<std::size_t>((pages_ + 2) * pageSize()));
    all_ = nullptr;
    pages_ = bytes_ = 0;
}

namespace {

constexpr std::array stopping{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

thread_local sigjmp_buf *wayBack = nullptr; // of the call that is running on this thread
thread_local Stop lastStop;
std::atomic<bool> anyStopped{false};
std::array<struct sigaction, stopping.size()> before;

void onSignal(int signal, siginfo_t *info, void *) {
    if (wayBack) {
        anyStopped = true;
        lastStop = {signal, info->si_addr};
        siglongjmp(*wayBack, 1);
    }
    // A thread of a library: there is no way to continue. Restore the previous behaviour.
    for (std::size_t k = 0; k < stopping.size(); ++k)
        sigaction(stopping[k], &before[k], nullptr);
    raise(signal);
}

} // namespace

std::optional<Stop> callGuarded(NativeLibrary::Function function, void *const *values) {
    struct sigaction ours {};
    ours.sa_sigaction = onSignal;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (std::size_t k = 0; k < stopping.size(); ++k)
        sigaction(stopping[k], &ours, &before[k]);
    sigjmp_buf here;
    volatile bool done = false;
    if (sigsetjmp(here, 1) == 0) {
        wayBack = &here;
        lastStop = {};
        try {
            function(values);
            done = true;
        } catch (...) {
        }
    }
    wayBack = nullptr;
    for (std::size_t k = 0; k < stopping.size(); ++k)
        sigaction(stopping[k], &before[k], nullptr);
    return done ? std::nullopt : std::optional(lastStop);
}

bool hasStopped() { return anyStopped; }

namespace {

/// The child's answer about its call, in memory shared with the parent.
struct Answer {
    bool isStopped = true; // also if it never answers
    Stop stop;
};

[[noreturn]] void answer(NativeLibrary::Function function, void *const *values, unsigned seconds, std::byte *to) {
    ::signal(SIGALRM, SIG_DFL);
    ::alarm(seconds);
    const std::optional<Stop> stopped = callGuarded(function, values);
    const Answer said{stopped.has_value(), stopped.value_or(Stop{})};
    std::memcpy(to, &said, sizeof said);
    std::fflush(stdout);
    ::_exit(0); // does not run destructors, which belong to the parent
}

} // namespace

std::optional<Stop> callApart(NativeLibrary::Function function, void *const *values, unsigned seconds) {
    Answer said;
    GuardedCopy shared;
    if (!shared.take(reinterpret_cast<const std::byte *>(&said), sizeof said))
        return Stop{SIGKILL, nullptr}; // out of memory; the system would kill it, too
    std::fflush(stdout);               // otherwise the child would print it again
    const pid_t parent = ::getpid(), child = ::fork();
    if (child == 0) {
        endWithParent(parent);
        answer(function, values, seconds, shared.begin());
    }
    int status = 0;
    pid_t ended = -1;
    while (child > 0 && (ended = ::waitpid(child, &status, 0)) < 0 && errno == EINTR) {
    }
    if (ended != child)
        return Stop{SIGKILL, nullptr};
    if (WIFSIGNALED(status))
        return Stop{WTERMSIG(status), nullptr};
    std::memcpy(&said, shared.begin(), sizeof said);
    return said.isStopped ? std::optional(said.stop) : std::nullopt;
}

} // namespace sdfgc::interpret
