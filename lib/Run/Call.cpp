// The parent maps and fills memory that it shares with the child, forks, and waits; the child loads the library and calls it. The
// child's findings also travel through shared memory: a crash loses nothing that was recorded before it.
#include "sdfgc/Run/Call.h"

#include "Run/Child.h"
#include "Run/Foreign.h"
#include "sdfgc/Support/Signals.h"
#include "sdfgc/Support/Time.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <sstream>
#include <sys/wait.h>

namespace sdfgc::run {

DeviceCounts DeviceCounts::operator-(const DeviceCounts &before) const {
    return {kernels - before.kernels,     libraryCalls - before.libraryCalls, fills - before.fills,
            copies - before.copies,       copiesIn - before.copiesIn,         bytesIn - before.bytesIn,
            copiesOut - before.copiesOut, bytesOut - before.bytesOut,         waits - before.waits,
            graphs - before.graphs,       allocations - before.allocations};
}

namespace {

using Status = CallResult::Status;

/// Waits for the child, but at most `seconds` (0: no limit); returns its status, or nothing on a timeout.
std::optional<int> waitFor(pid_t child, double seconds) {
    Timer timer;
    int status = 0;
    while (::waitpid(child, &status, seconds > 0 ? WNOHANG : 0) != child) {
        if (seconds > 0 && timer.seconds() > seconds) {
            ::kill(child, SIGKILL);
            ::waitpid(child, &status, 0);
            return std::nullopt;
        }
        ::usleep(2000);
    }
    return status;
}

/// Lines from the MPI emulation; a truncated one is dropped.
std::vector<SentMessages> sentMessages(const char *text) {
    std::vector<SentMessages> out;
    std::istringstream lines(text);
    SentMessages one;
    while (lines >> one.messages >> one.bytes >> one.mostMessages >> one.mostBytes && lines.get() == ' ' &&
           std::getline(lines, one.element) && !lines.eof())
        out.push_back(one);
    return out;
}

/// Splits the times of calls into warm-up and the others. If the measurement ended with the first call, there is no warm-up.
void divideTimes(CallResult &to, const double *times, int calls, const CallOptions &options) {
    const int warmups = options.measure && calls <= options.warmup ? 0 : std::min(options.warmup, calls);
    to.warmups.assign(times, times + warmups);
    to.seconds.assign(times + warmups, times + calls);
}

/// The report of a rank, and the contents of its arguments after the call.
CallResult resultOf(const RankCall &rank, const CallOptions &options) {
    CallResult out;
    const Report &report = *rank.shared.report;
    out.status = report.status;
    out.signal = report.signal;
    out.rank = report.rank;
    out.message = report.message.data();
    out.frames.assign(report.frames.begin(), report.frames.begin() + static_cast<std::ptrdiff_t>(report.frameCount));
    out.initSeconds = report.initSeconds;
    if (report.isEmulated)
        out.device = report.device;
    divideTimes(out, rank.shared.times, report.calls, options);
    for (int i = 0; i < report.graphs; ++i)
        out.graphs.push_back(rank.shared.graphs[i].counters());
    if (rank.shared.sent)
        out.sent = sentMessages(rank.shared.sent);
    for (std::size_t i = 0; i < rank.memory.size(); ++i)
        out.memory.push_back(rank.memory[rank.arguments->all[i].sharesWith.value_or(i)].content());
    return out;
}

/// Allocates memory for the arguments of every rank; returns the error if there is not enough memory, otherwise an empty text.
std::string allocate(std::vector<RankCall> &ranks, const std::vector<const Arguments *> &arguments, const CallOptions &options) {
    for (const Arguments *one : arguments) {
        ranks.emplace_back(*one, options);
        if (!ranks.back().told.data())
            return "there is not enough memory";
        ranks.back().shared.report->rank = -1;
        ranks.back().shared.report->status = Status::Exited; // unless the child reports something else
        for (const Argument &a : one->all) {
            ranks.back().memory.emplace_back(a.data.size());
            if (!ranks.back().memory.back().data())
                return "there is not enough memory for `" + a.name.str() + "`";
        }
    }
    return "";
}

} // namespace

std::vector<CallResult> callRanks(const std::string &library, const std::string &name,
                                  const std::vector<const Arguments *> &arguments, const CallOptions &options) {
    auto failed = [&](const std::string &why) {
        CallResult one;
        one.status = Status::NotStarted;
        one.message = why;
        return std::vector<CallResult>(arguments.size(), one);
    };
    if (!options.runner.empty())
        return arguments.size() > 1 ? failed("several ranks of a program for another machine need an MPI of that machine")
                                    : std::vector<CallResult>{callForeign(*arguments.front(), options)};
    std::vector<RankCall> ranks;
    if (const std::string why = allocate(ranks, arguments, options); !why.empty())
        return failed(why);
    std::fflush(nullptr);
    const pid_t parent = ::getpid(), child = ::fork();
    if (child < 0)
        return failed(std::string("no process could be started: ") + std::strerror(errno));
    if (child == 0) {
        endWithParent(parent);
        for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE})
            ::signal(signal, SIG_DFL);
        callInChild(library, name, ranks, options);
        std::fflush(nullptr);
        ::_exit(0);
    }
    const std::optional<int> ended = waitFor(child, options.seconds);
    std::vector<CallResult> results;
    for (const RankCall &rank : ranks)
        results.push_back(resultOf(rank, options));
    CallResult &first = results.front(); // of the entire process
    if (!ended) {
        first.status = Status::TimedOut;
    } else if (WIFSIGNALED(*ended)) {
        first.status = Status::Crashed;
        first.signal = WTERMSIG(*ended);
    } else if (WEXITSTATUS(*ended) != 0) {
        first.status = Status::Exited;
        first.signal = WEXITSTATUS(*ended);
    }
    return results;
}

CallResult call(const std::string &library, const std::string &name, const Arguments &arguments, const CallOptions &options) {
    return std::move(callRanks(library, name, {&arguments}, options).front());
}

} // namespace sdfgc::run
