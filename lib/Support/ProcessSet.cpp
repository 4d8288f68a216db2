// Manages children in one poll loop: their output, their ends, their time limits, and signals to stop.
#include "sdfgc/Support/Process.h"
#include "sdfgc/Support/Time.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace sdfgc::process {
namespace {

constexpr double kGraceSeconds = 1; // between asking a child to end and killing it

// ---- signals

volatile std::sig_atomic_t gSignal = 0;
std::atomic<int> gWakeWrite{-1};

void onSignal(int number) {
    const int saved = errno;
    gSignal = number;
    if (const int fd = gWakeWrite.load(); fd >= 0)
        (void)!::write(fd, "", 1); // full: a wake-up is pending already
    errno = saved;
}

/// Catches terminating signals while at least one Set exists. The children are in process groups of their own, so a Ctrl-C at the
/// terminal reaches only us.
class SignalGuard {
public:
    static SignalGuard &instance() {
        static SignalGuard guard;
        return guard;
    }
    void enter() {
        std::lock_guard hold(lock_);
        if (users_++ > 0 || ::pipe2(pipe_, O_CLOEXEC | O_NONBLOCK) != 0)
            return;
        gWakeWrite = pipe_[1];
        struct sigaction action {};
        action.sa_handler = onSignal;
        for (std::size_t i = 0; i < std::size(kCaught); ++i) {
            ::sigaction(kCaught[i], nullptr, &old_[i]);
            if (old_[i].sa_handler != SIG_IGN) // under nohup
                ::sigaction(kCaught[i], &action, nullptr);
        }
    }
    void leave() {
        std::lock_guard hold(lock_);
        if (--users_ > 0 || pipe_[0] < 0)
            return;
        for (std::size_t i = 0; i < std::size(kCaught); ++i)
            ::sigaction(kCaught[i], &old_[i], nullptr);
        gWakeWrite = -1;
        for (int &fd : pipe_)
            ::close(std::exchange(fd, -1));
    }
    int wakeDescriptor() const { return pipe_[0]; }

private:
    static constexpr int kCaught[] = {SIGINT, SIGTERM, SIGHUP};
    std::mutex lock_;
    int users_ = 0, pipe_[2] = {-1, -1};
    struct sigaction old_[std::size(kCaught)];
};

// ---- starting

struct Child {
    pid_t pid = -1;
    int pidDescriptor = -1; // readable when the child has ended; -1 on kernels before 5.3
    int out = -1, err = -1; // our ends of the pipes
    Outcome outcome;
    Limits limits;
    Timer timer;
    double deadline = 0; // in seconds of `timer`; 0: none
    bool asked = false;  // SIGTERM was sent
};

void closeDescriptor(int &fd) {
    if (fd >= 0)
        ::close(std::exchange(fd, -1));
}

std::vector<std::string> environmentFor(const Command &command) {
    std::vector<std::string> variables;
    for (char **v = environ; v && *v; ++v) {
        const std::string_view text = *v;
        const std::string_view name = text.substr(0, text.find('='));
        if (std::none_of(command.environment.begin(), command.environment.end(), [&](const auto &e) { return e.first == name; }))
            variables.emplace_back(text);
    }
    for (const auto &[name, value] : command.environment)
        variables.push_back(name + "=" + value);
    return variables;
}

std::vector<char *> pointers(std::vector<std::string> &texts) {
    std::vector<char *> result;
    for (std::string &t : texts)
        result.push_back(t.data());
    result.push_back(nullptr);
    return result;
}

/// Starts `program`; returns errno. `output` and `error` become the child's file descriptors 1 and 2.
int spawn(const Command &command, const std::string &program, int output, int error, pid_t &pid) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, 1);
    posix_spawn_file_actions_adddup2(&actions, error, 2);
    if (!command.folder.empty())
        posix_spawn_file_actions_addchdir_np(&actions, command.folder.c_str());
    sigset_t ordinary;
    sigemptyset(&ordinary);
    sigaddset(&ordinary, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &ordinary);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    std::vector<std::string> arguments = command.argv, variables = environmentFor(command);
    const int status =
        ::posix_spawn(&pid, program.c_str(), &actions, &attributes, pointers(arguments).data(), pointers(variables).data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return status;
}

bool makePipe(int (&ends)[2]) {
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return false;
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return true;
}

/// Starts the child; on failure, its outcome has the reason.
void startChild(Child &child, const Command &command) {
    const std::string name = command.argv.empty() ? "an empty command" : command.argv[0];
    const std::string program = command.argv.empty() ? "" : find(name);
    if (program.empty()) {
        child.outcome.error = "cannot run " + name + ": no such program";
        return;
    }
    int out[2] = {-1, -1}, err[2] = {-1, -1};
    int status = 0;
    if (!makePipe(out) || (!command.mergeOutput && !makePipe(err)))
        status = errno;
    else
        status = spawn(command, program, out[1], command.mergeOutput ? out[1] : err[1], child.pid);
    closeDescriptor(out[1]);
    closeDescriptor(err[1]);
    child.out = out[0];
    child.err = err[0];
    if (status) {
        closeDescriptor(child.out);
        closeDescriptor(child.err);
        const std::string where = command.folder.empty() ? "" : " in " + command.folder;
        child.outcome.error = "cannot run " + name + where + ": " + std::strerror(status);
        return;
    }
    child.outcome.started = true;
    child.pidDescriptor = static_cast<int>(::syscall(SYS_pidfd_open, child.pid, 0));
    if (child.pidDescriptor >= 0)
        ::fcntl(child.pidDescriptor, F_SETFD, FD_CLOEXEC);
}

// ---- watching

/// Reads all available output; closes the descriptor at its end.
void drain(int &fd, std::string &into, std::size_t most) {
    char buffer[1 << 16];
    while (fd >= 0) {
        const ssize_t n = ::read(fd, buffer, sizeof buffer);
        if (n > 0) {
            into.append(buffer, std::min(static_cast<std::size_t>(n), most - std::min(most, into.size())));
        } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
            closeDescriptor(fd);
        } else if (errno == EAGAIN) {
            return;
        }
    }
}

void drainBoth(Child &child) {
    drain(child.out, child.outcome.out, child.limits.captureBytes);
    drain(child.err, child.outcome.err, child.limits.captureBytes);
}

/// Collects the exit status if the child has ended; with `block`, waits for that.
bool reap(Child &child, bool block) {
    int status = 0;
    rusage usage{};
    pid_t got;
    do
        got = ::wait4(child.pid, &status, block ? 0 : WNOHANG, &usage);
    while (got < 0 && errno == EINTR);
    if (got == 0)
        return false;
    drainBoth(child);
    closeDescriptor(child.out); // a grandchild may keep the other end open forever
    closeDescriptor(child.err);
    closeDescriptor(child.pidDescriptor);
    Outcome &o = child.outcome;
    o.seconds = child.timer.seconds();
    o.peakKiB = usage.ru_maxrss;
    if (got > 0 && WIFEXITED(status))
        o.exitCode = WEXITSTATUS(status);
    else if (got > 0 && WIFSIGNALED(status))
        o.signal = WTERMSIG(status);
    return true;
}

/// Ends the process group of a child that has timed out: asks first, and kills it a second later.
void enforceDeadline(Child &child) {
    if (child.deadline <= 0 || child.timer.seconds() < child.deadline)
        return;
    child.outcome.timedOut = true;
    ::kill(-child.pid, child.asked ? SIGKILL : SIGTERM);
    child.deadline = child.asked ? 0 : child.deadline + kGraceSeconds;
    child.asked = true;
}

} // namespace

struct Set::Impl {
    std::map<std::size_t, Child> children;

    /// Descriptors to poll; the first two are the signal pipe and the caller's.
    std::vector<pollfd> descriptors(int watchDescriptor) const {
        std::vector<pollfd> fds = {{SignalGuard::instance().wakeDescriptor(), POLLIN, 0}, {watchDescriptor, POLLIN, 0}};
        for (const auto &[id, child] : children)
            for (const int fd : {child.out, child.err, child.pidDescriptor})
                if (fd >= 0)
                    fds.push_back({fd, POLLIN, 0});
        return fds;
    }

    /// Milliseconds until the caller's timeout or the next deadline; -1: no limit.
    int pollTimeout(double secondsLeft) const {
        for (const auto &[id, child] : children)
            if (child.deadline > 0) {
                const double left = std::max(0.0, child.deadline - child.timer.seconds());
                secondsLeft = secondsLeft < 0 ? left : std::min(secondsLeft, left);
            }
        return secondsLeft < 0 ? -1 : static_cast<int>(std::min(secondsLeft * 1000 + 1, 1e9));
    }

    std::vector<Finished> collect() {
        std::vector<Finished> finished;
        for (auto at = children.begin(); at != children.end();) {
            Child &child = at->second;
            bool over = !child.outcome.started;
            if (!over) {
                drainBoth(child);
                enforceDeadline(child);
                // Without a pid descriptor, the end of both outputs indicates that the child is about to end.
                const bool closed = child.out < 0 && child.err < 0;
                over = reap(child, child.pidDescriptor < 0 && closed && child.deadline <= 0);
            }
            if (over)
                finished.push_back({at->first, std::move(child.outcome)});
            at = over ? children.erase(at) : std::next(at);
        }
        return finished;
    }
};

Set::Set() : impl_(std::make_unique<Impl>()) { SignalGuard::instance().enter(); }

Set::~Set() {
    killAll();
    SignalGuard::instance().leave();
}

void Set::start(std::size_t id, const Command &command, const Limits &limits) {
    Child &child = impl_->children[id];
    child.limits = limits;
    child.deadline = limits.seconds;
    startChild(child, command);
}

std::vector<Set::Finished> Set::wait(double timeoutSeconds, int watchDescriptor) {
    const Timer timer;
    while (true) {
        std::vector<Finished> finished = impl_->collect();
        const double left = timeoutSeconds < 0 ? -1 : std::max(0.0, timeoutSeconds - timer.seconds());
        if (!finished.empty() || gSignal || left == 0)
            return finished;
        std::vector<pollfd> fds = impl_->descriptors(watchDescriptor);
        ::poll(fds.data(), fds.size(), impl_->pollTimeout(left));
        if (fds[1].revents)
            return impl_->collect();
    }
}

std::size_t Set::running() const { return impl_->children.size(); }

void Set::killAll() {
    auto &children = impl_->children;
    std::vector<pid_t> groups;
    for (const auto &[id, child] : children)
        if (child.outcome.started)
            groups.push_back(child.pid);
    auto signalAll = [&](int number) {
        for (auto &[id, child] : children)
            if (child.outcome.started)
                ::kill(-child.pid, number);
    };
    signalAll(SIGTERM);
    const Timer timer;
    while (!children.empty() && timer.seconds() < kGraceSeconds) {
        impl_->collect();
        if (!children.empty())
            ::poll(nullptr, 0, 2);
    }
    signalAll(SIGKILL);
    for (auto &[id, child] : children)
        if (child.outcome.started)
            reap(child, true);
    children.clear();
    // What the children have started (a compiler proper) may take a moment longer, and would still write to its folder.
    std::erase_if(groups, [](pid_t group) { return ::kill(-group, 0) != 0; });
    while (!groups.empty() && timer.seconds() < kGraceSeconds) {
        ::poll(nullptr, 0, 2);
        std::erase_if(groups, [](pid_t group) { return ::kill(-group, 0) != 0; });
    }
    for (const pid_t group : groups)
        ::kill(-group, SIGKILL);
}

int Set::interrupted() { return gSignal; }

} // namespace sdfgc::process
