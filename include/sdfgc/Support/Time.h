// Time: a monotonic timer, and a recorder of nested spans in Chrome's trace format (chrome://tracing, ui.perfetto.dev).
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace sdfgc {

/// Measures the time since its construction.
class Timer {
public:
    Timer() : startNs_(nowNs()) {}
    double seconds() const { return static_cast<double>(nowNs() - startNs_) * 1e-9; }
    std::int64_t microseconds() const { return (nowNs() - startNs_) / 1000; }
    /// Nanoseconds since a fixed point; monotonic.
    static std::int64_t nowNs();

private:
    std::int64_t startNs_;
};

/// Nanoseconds since 1970, for comparison with the times of files.
std::int64_t wallClockNs();

/// Collects spans from any thread.
class TimeTrace {
public:
    /// Records a span from construction to destruction. Does nothing without a trace, so callers need no condition:
    ///     TimeTrace::Scope scope(trace, "pass", name);
    class Scope {
    public:
        Scope(TimeTrace *trace, std::string_view name, std::string_view detail = {});
        ~Scope();
        Scope(const Scope &) = delete;
        Scope &operator=(const Scope &) = delete;

    private:
        TimeTrace *trace_;
        std::string name_, detail_;
        std::int64_t start_ = 0;
    };

    /// Adds a span measured elsewhere (a compiler run); `lane` separates parallel spans in the display.
    void add(std::string name, std::string detail, std::int64_t startUs, std::int64_t durationUs, int lane);
    /// Microseconds since the trace was created.
    std::int64_t nowUs() const { return clock_.microseconds(); }
    /// Returns `{"traceEvents":[...]}`: complete events (`ph` = X) ordered by start.
    std::string chromeJson() const;

private:
    struct Span {
        std::string name, detail;
        std::int64_t start, duration;
        int lane;
    };
    int laneOfThisThread();
    Timer clock_;
    mutable std::mutex lock_;
    std::vector<Span> spans_;
    std::vector<std::uint64_t> threads_; // index = lane
};

} // namespace sdfgc
