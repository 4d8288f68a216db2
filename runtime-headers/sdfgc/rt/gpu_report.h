// Times of a GPU program's elements, measured with events of the device (instrumentation GPU_Events).
//
// Rules: an element is measured from the first event on any of its streams to the last one. Nothing waits while the program runs: the
// times are read when the call ends, so streams stay as concurrent as without measurements. Reports have the category "GPU" and times
// on the clock of the host: the moment when the first event of the call was queued, plus the time between events.
// A call that fails reports none. The emulated device has a clock of its own, whose times are the same in every run.
#pragma once

#include "sdfgc/rt/gpu_program.h"
#include "sdfgc/rt/report.h"

#include <initializer_list>
#include <vector>

namespace sdfgc::gpu {

/// Numbers of streams: at most eight are measured.
class StreamNumbers {
public:
    StreamNumbers(std::initializer_list<int> numbers) noexcept {
        for (const int number : numbers)
            if (count_ < most)
                numbers_[count_++] = number;
    }
    const int *begin() const noexcept { return numbers_; }
    const int *end() const noexcept { return numbers_ + count_; }

    static constexpr int most = 8;

private:
    int numbers_[most] = {}, count_ = 0;
};

/// The measurements of a handle. Events are kept for later calls.
class Times {
public:
    Times() noexcept = default;
    Times(const Times &) = delete;
    Times &operator=(const Times &) = delete;
    ~Times() {
        for (const Event event : events_)
            (void)eventDestroy(event);
    }

private:
    friend class Timer;

    struct Span {
        const char *name;
        rt::ElementId element;
        rt::Work work;
        int streams = 0;
        Event begin[StreamNumbers::most], end[StreamNumbers::most];
        bool isEnded = false;
    };

    /// An event that this call has not used yet.
    Event next() {
        if (used_ == events_.size()) {
            Event event{};
            check(eventCreateTiming(event), "creating an event");
            events_.push_back(event);
        }
        return events_[used_++];
    }

    Event record(Program &program, int stream) {
        const Event event = next();
        check(eventRecord(event, program.stream(stream)), "recording an event");
        return event;
    }

    std::size_t begin(Program &program, rt::Report &report, const char *name, rt::ElementId element, rt::Work work,
                      const StreamNumbers &streams) {
        if (spans_.empty()) {
            report.addSource(&Times::add, this);
            used_ = 0;
            start_ = report.nanoseconds();
            first_ = record(program, *streams.begin());
        }
        Span span{name, element, work, 0, {}, {}, false};
        for (const int stream : streams)
            span.begin[span.streams++] = record(program, stream);
        spans_.push_back(span);
        return spans_.size() - 1;
    }

    void end(Program &program, std::size_t number, const StreamNumbers &streams) {
        int i = 0;
        for (const int stream : streams)
            spans_[number].end[i++] = record(program, stream);
        spans_[number].isEnded = true;
    }

    /// Microseconds from the first event of the call.
    double since(Event event) const {
        float milliseconds = 0;
        check(eventSynchronize(event), "waiting for an event");
        check(eventElapsed(milliseconds, first_, event), "reading an event");
        return double(milliseconds) * 1000;
    }

    void addAll(rt::Report &report) const {
        for (const Span &span : spans_) {
            if (!span.isEnded)
                continue;
            double begin = since(span.begin[0]), end = since(span.end[0]);
            for (int i = 1; i < span.streams; ++i) {
                const double b = since(span.begin[i]), e = since(span.end[i]);
                begin = b < begin ? b : begin;
                end = e > end ? e : end;
            }
            const auto from = static_cast<int64_t>(begin * 1000 + 0.5), to = static_cast<int64_t>(end * 1000 + 0.5);
            report.addInterval(span.name, "GPU", start_ + from, start_ + to, span.element, span.work);
        }
    }

    static void add(rt::Report &report, void *data) {
        auto *times = static_cast<Times *>(data);
        try {
            times->addAll(report);
        } catch (const rt::Error &) {
            report.note("SD6025", "the times of the device cannot be read after an error");
        }
        times->spans_.clear();
    }

    std::vector<Event> events_;
    std::size_t used_ = 0;
    std::vector<Span> spans_;
    Event first_{};
    int64_t start_ = 0; // nanoseconds
};

/// Measures the operations that are queued on these streams from here to the end of the block:
/// `sdfgc::gpu::Timer timer(gpu, times, report, "Map m", {0, 1, 2}, {0});`
class Timer {
public:
    Timer(Program &program, Times &times, rt::Report &report, const char *name, rt::ElementId element, const StreamNumbers &streams,
          rt::Work work = {})
        : program_(program), times_(times), streams_(streams), isOn_(report.isOn()) {
        if (isOn_)
            number_ = times.begin(program, report, name, element, work, streams);
    }
    Timer(const Timer &) = delete;
    Timer &operator=(const Timer &) = delete;
    ~Timer() {
        if (!isOn_)
            return;
        try {
            times_.end(program_, number_, streams_);
        } catch (...) {
            // The device failed: the next operation reports it. The span has no end and is not reported.
        }
    }

private:
    Program &program_;
    Times &times_;
    const StreamNumbers streams_;
    bool isOn_;
    std::size_t number_ = 0;
};

} // namespace sdfgc::gpu
