// Ranges for the profilers of GPUs (instrumentation GPU_TX_MARKERS): NVTX in Nsight Systems, rocTX in rocprof.
//
// Rules: a range names what the host does from its beginning to the end of the block; ranges nest. A real device has no other output.
// The emulated device adds each range to the report, with the category "Marker" and times of its own clock.
//   SDFGC_GPU_HEADER(marker) defines, in gpu::detail: bool pushRange(const char *), void popRange(), int64_t rangeTime() in
//   nanoseconds, or -1 if a profiler has the times
#pragma once

#include "sdfgc/rt/gpu.h"
#include "sdfgc/rt/report.h"

#include SDFGC_GPU_HEADER(marker)

namespace sdfgc::gpu {

/// A range from here to the end of the block: `sdfgc::gpu::Marker marker(report, "state_s", {0, 1});`
class Marker {
public:
    Marker(rt::Report &report, const char *name, rt::ElementId element)
        : report_(report), name_(name), element_(element), isOn_(report.isOn()) {
        if (!isOn_)
            return;
        if (!detail::pushRange(name))
            report.note("SD6025", "ranges are not marked: the library of the profiler was not found");
        begin_ = detail::rangeTime();
    }
    Marker(const Marker &) = delete;
    Marker &operator=(const Marker &) = delete;
    ~Marker() {
        if (!isOn_)
            return;
        detail::popRange();
        if (begin_ < 0)
            return;
        try {
            report_.addInterval(name_, "Marker", begin_, detail::rangeTime(), element_);
        } catch (...) {
            // Out of memory: the program is worth more than the event.
        }
    }

private:
    rt::Report &report_;
    const char *name_;
    rt::ElementId element_;
    bool isOn_;
    int64_t begin_ = -1;
};

} // namespace sdfgc::gpu
