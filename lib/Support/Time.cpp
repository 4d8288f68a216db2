#include "sdfgc/Support/Time.h"

#include "sdfgc/Support/Json.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

namespace sdfgc {

std::int64_t Timer::nowNs() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::int64_t wallClockNs() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

TimeTrace::Scope::Scope(TimeTrace *trace, std::string_view name, std::string_view detail) : trace_(trace) {
    if (!trace_)
        return;
    name_ = name;
    detail_ = detail;
    start_ = trace_->nowUs();
}

TimeTrace::Scope::~Scope() {
    if (trace_)
        trace_->add(std::move(name_), std::move(detail_), start_, trace_->nowUs() - start_, trace_->laneOfThisThread());
}

int TimeTrace::laneOfThisThread() {
    const std::uint64_t self = std::hash<std::thread::id>()(std::this_thread::get_id());
    std::lock_guard guard(lock_);
    auto at = std::find(threads_.begin(), threads_.end(), self);
    if (at == threads_.end())
        at = threads_.insert(at, self);
    return static_cast<int>(at - threads_.begin());
}

void TimeTrace::add(std::string name, std::string detail, std::int64_t startUs, std::int64_t durationUs, int lane) {
    std::lock_guard guard(lock_);
    spans_.push_back({std::move(name), std::move(detail), startUs, durationUs, lane});
}

std::string TimeTrace::chromeJson() const {
    std::lock_guard guard(lock_);
    // An outer span may start at the same time as its first inner one, but is longer or, if the clock is too coarse, was recorded
    // later.
    std::vector<Span> ordered(spans_.rbegin(), spans_.rend());
    std::stable_sort(ordered.begin(), ordered.end(),
                     [](const Span &a, const Span &b) { return a.start != b.start ? a.start < b.start : a.duration > b.duration; });
    std::string out = "{\"traceEvents\":[";
    for (const Span &s : ordered) {
        out += &s == ordered.data() ? "\n" : ",\n";
        out += "{\"ph\":\"X\",\"pid\":1,\"tid\":" + std::to_string(s.lane) + ",\"ts\":" + std::to_string(s.start) +
               ",\"dur\":" + std::to_string(s.duration) + ",\"name\":";
        json::appendQuoted(out, s.name);
        if (!s.detail.empty()) {
            out += ",\"args\":{\"detail\":";
            json::appendQuoted(out, s.detail);
            out += '}';
        }
        out += '}';
    }
    return out + "\n]}\n";
}

} // namespace sdfgc
