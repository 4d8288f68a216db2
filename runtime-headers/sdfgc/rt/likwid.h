// Regions of LIKWID's marker interface (instrumentation LIKWID_CPU and LIKWID_GPU).
//
// Rules: liblikwid is opened when the first region begins, as papi.h does with its library, with the same notes. The program chooses
// the events itself and must not run under likwid-perfctr. Regions have the names `state_C_S_-1` and `scope_C_S_N`, from the element.
// When a call ends, the report gets an interval "Timer" and one value for each event, for each thread or GPU, with the category "likwid"
// or "likwid_gpu"; both are sums over the executions of the region in the call.
//   LIKWID_EVENTS, LIKWID_GEVENTS   the group of events instead of the one that the program was built with; LIKWID_THREADS,
//   LIKWID_GPUS, LIKWID_MODE, LIKWID_FORCE   as LIKWID documents them. What the environment does not set is: one thread per CPU from
//   CPU 0 on, GPU 0, perf_event, forced
#pragma once

#include "sdfgc/rt/report.h"

#include <dlfcn.h>
#include <omp.h>
#include <string>
#include <vector>

namespace sdfgc::rt {
namespace detail {

/// What LIKWID_CPU and LIKWID_GPU share: the library, and the regions of this process.
class Likwid {
public:
    struct Region {
        std::string name;
        ElementId element;
        bool isUsed = false; // in this call
    };
    static constexpr int mostEvents = 256;

protected:
    explicit Likwid(const char *kind) {
        for (const char *file : {"liblikwid.so", "liblikwid.so.5.4", "liblikwid.so.5.3", "liblikwid.so.5.2"})
            if (!library_)
                library_ = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        if (!library_)
            problem_ = std::string(kind) + " counts nothing: liblikwid.so cannot be opened";
        else if (std::getenv("LIKWID_PIN"))
            problem_ = std::string(kind) + " may be wrong: the program runs under likwid-perfctr or likwid-pin";
    }
    void noteProblem(Report &report) const {
        if (!problem_.empty())
            report.note("SD6025", problem_);
    }

    template <class F> bool find(const char *name, F &function) const {
        function = library_ ? reinterpret_cast<F>(dlsym(library_, name)) : nullptr;
        return function != nullptr;
    }
    static const char *nameOf(const char *event) { return event ? event : "?"; }
    static void setDefault(const char *variable, const std::string &value) { setenv(variable, value.c_str(), 0); }

    /// The region of an element; `isNew`: the library does not know it yet.
    Region &region(const ElementId &e, bool &isNew) {
        const std::string name = std::string(e.node < 0 ? "state_" : "scope_") + std::to_string(e.cfg) + "_" +
                                 std::to_string(e.state) + "_" + std::to_string(e.node);
        for (Region &r : regions_)
            if (r.name == name) {
                isNew = false;
                return r;
            }
        isNew = true;
        regions_.push_back({name, e, false});
        return regions_.back();
    }

    std::string problem_;
    void *library_ = nullptr;
    bool isReady_ = false;
    std::vector<Region> regions_;
};

/// The CPU.
class LikwidCpu : public Likwid {
public:
    static LikwidCpu &get(Report &report, const char *events) {
        static LikwidCpu cpu(events);
        cpu.noteProblem(report);
        return cpu;
    }
    ~LikwidCpu() {
        if (isReady_)
            close_();
    }

    void begin(Report &report, const ElementId &element) {
        if (!isReady_)
            return;
        bool isNew = false;
        Region &r = region(element, isNew);
        const char *name = r.name.c_str();
        const bool isFirst = !r.isUsed;
        r.isUsed = true;
        report.addSource(&LikwidCpu::add, this);
#ifdef _OPENMP
#pragma omp parallel
#endif
        {
            if (isNew)
                register_(name);
            if (isFirst && !isNew)
                reset_(name);
#ifdef _OPENMP
#pragma omp barrier
#endif
            start_(name);
        }
    }
    void end(const ElementId &element) {
        if (!isReady_)
            return;
        bool isNew = false;
        const std::string name = region(element, isNew).name;
#ifdef _OPENMP
#pragma omp parallel
#endif
        stop_(name.c_str());
    }

private:
    explicit LikwidCpu(const char *events) : Likwid("LIKWID_CPU") {
        if (!library_)
            return;
        if (!find("likwid_markerInit", init_) || !find("likwid_markerThreadInit", threadInit_) ||
            !find("likwid_markerRegisterRegion", register_) || !find("likwid_markerStartRegion", start_) ||
            !find("likwid_markerStopRegion", stop_) || !find("likwid_markerResetRegion", reset_) ||
            !find("likwid_markerGetRegion", get_) || !find("likwid_markerClose", close_) ||
            !find("perfmon_getIdOfActiveGroup", group_) || !find("perfmon_getEventName", eventName_)) {
            problem_ = "LIKWID_CPU counts nothing: liblikwid.so has another interface";
            return;
        }
        std::string threads = "0";
        for (int i = 1; i < omp_get_max_threads(); ++i)
            threads += "," + std::to_string(i);
        setDefault("LIKWID_FILEPATH", buildFolder() + "/likwid_marker.out");
        setDefault("LIKWID_MODE", "2"); // perf_event
        setDefault("LIKWID_FORCE", "1");
        setDefault("LIKWID_EVENTS", events);
        setDefault("LIKWID_PERF_PID", std::to_string(getpid()));
        setDefault("LIKWID_THREADS", threads);
        init_();
#ifdef _OPENMP
#pragma omp parallel
#endif
        threadInit_();
        isReady_ = true;
    }

    /// Adds what the regions of the call counted.
    void addAll(Report &report) {
        const auto threads = static_cast<std::size_t>(omp_get_max_threads());
        struct Result {
            int events = mostEvents, calls = 0;
            double seconds = 0, values[mostEvents] = {};
        };
        std::vector<Result> results(threads);
        for (Region &r : regions_) {
            if (!r.isUsed)
                continue;
            r.isUsed = false;
            results.assign(threads, {});
#ifdef _OPENMP
#pragma omp parallel
#endif
            {
                const auto t = static_cast<std::size_t>(omp_get_thread_num());
                if (t < results.size())
                    get_(r.name.c_str(), &results[t].events, results[t].values, &results[t].seconds, &results[t].calls);
            }
            const int group = group_();
            const int64_t now = report.now();
            for (std::size_t t = 0; t < threads; ++t) {
                const auto thread = static_cast<int64_t>(t);
                const auto microseconds = static_cast<int64_t>(results[t].seconds * 1e6);
                report.addCompletion("Timer", "likwid", now - microseconds, now, r.element, {}, thread);
                for (int i = 0; i < results[t].events && i < mostEvents; ++i)
                    report.addCounter(r.name.c_str(), "likwid", nameOf(eventName_(group, i)), results[t].values[i], r.element,
                                      thread);
            }
        }
    }
    static void add(Report &report, void *data) { static_cast<LikwidCpu *>(data)->addAll(report); }

    void (*init_)() = nullptr;
    void (*threadInit_)() = nullptr;
    int (*register_)(const char *) = nullptr;
    int (*start_)(const char *) = nullptr;
    int (*stop_)(const char *) = nullptr;
    int (*reset_)(const char *) = nullptr;
    void (*get_)(const char *, int *, double *, double *, int *) = nullptr;
    void (*close_)() = nullptr;
    int (*group_)() = nullptr;
    char *(*eventName_)(int, int) = nullptr;
};

/// One GPU of NVIDIA.
class LikwidGpu : public Likwid {
public:
    static LikwidGpu &get(Report &report, const char *events) {
        static LikwidGpu gpu(events);
        gpu.noteProblem(report);
        return gpu;
    }
    ~LikwidGpu() {
        if (isReady_)
            close_();
    }

    void begin(Report &report, const ElementId &element) {
        if (!isReady_)
            return;
        bool isNew = false;
        Region &r = region(element, isNew);
        if (isNew)
            register_(r.name.c_str());
        else if (!r.isUsed)
            reset_(r.name.c_str());
        r.isUsed = true;
        report.addSource(&LikwidGpu::add, this);
        start_(r.name.c_str());
    }
    void end(const ElementId &element) {
        bool isNew = false;
        if (isReady_)
            stop_(region(element, isNew).name.c_str());
    }

private:
    explicit LikwidGpu(const char *events) : Likwid("LIKWID_GPU") {
        if (!library_)
            return;
        // Releases up to 5.2 have other names.
        const bool isFound =
            (find("nvmon_markerInit", init_) && find("nvmon_markerRegisterRegion", register_) &&
             find("nvmon_markerStartRegion", start_) && find("nvmon_markerStopRegion", stop_) &&
             find("nvmon_markerResetRegion", reset_) && find("nvmon_markerGetRegion", get_) && find("nvmon_markerClose", close_)) ||
            (find("likwid_gpuMarkerInit", init_) && find("likwid_gpuMarkerRegisterRegion", register_) &&
             find("likwid_gpuMarkerStartRegion", start_) && find("likwid_gpuMarkerStopRegion", stop_) &&
             find("likwid_gpuMarkerResetRegion", reset_) && find("likwid_gpuMarkerGetRegion", get_) &&
             find("likwid_gpuMarkerClose", close_));
        if (!isFound || !find("nvmon_getIdOfActiveGroup", group_) || !find("nvmon_getEventName", eventName_)) {
            problem_ = "LIKWID_GPU counts nothing: liblikwid.so was built without support for NVIDIA GPUs";
            return;
        }
        setDefault("LIKWID_GPUS", "0");
        setDefault("LIKWID_GEVENTS", events);
        setDefault("LIKWID_GPUFILEPATH", buildFolder() + "/likwid_marker_gpu.out");
        init_();
        isReady_ = true;
    }

    void addAll(Report &report) {
        std::vector<double> values(mostEvents);
        for (Region &r : regions_) {
            if (!r.isUsed)
                continue;
            r.isUsed = false;
            double seconds = 0, *first = values.data();
            int gpus = 1, events = mostEvents, calls = 0;
            get_(r.name.c_str(), &gpus, &events, &first, &seconds, &calls);
            const int group = group_();
            const int64_t now = report.now();
            report.addCompletion("Timer", "likwid_gpu", now - static_cast<int64_t>(seconds * 1e6), now, r.element, {}, 0);
            for (int i = 0; i < events && i < mostEvents; ++i)
                report.addCounter(r.name.c_str(), "likwid_gpu", nameOf(eventName_(group, i)), values[static_cast<std::size_t>(i)],
                                  r.element, 0);
        }
    }
    static void add(Report &report, void *data) { static_cast<LikwidGpu *>(data)->addAll(report); }

    void (*init_)() = nullptr;
    int (*register_)(const char *) = nullptr;
    int (*start_)(const char *) = nullptr;
    int (*stop_)(const char *) = nullptr;
    int (*reset_)(const char *) = nullptr;
    void (*get_)(const char *, int *, int *, double **, double *, int *) = nullptr;
    void (*close_)() = nullptr;
    int (*group_)() = nullptr;
    char *(*eventName_)(int, int) = nullptr;
};

} // namespace detail

/// A region from here to the end of the block, in all threads: `sdfgc::rt::LikwidRegion region(report, "State s", {0, 1}, "CLOCK");`
template <class Device> class LikwidRegionOf {
public:
    LikwidRegionOf(Report &report, const char *, ElementId element, const char *events) : element_(element) {
        if (!report.isOn())
            return;
        device_ = &Device::get(report, events);
        device_->begin(report, element);
    }
    LikwidRegionOf(const LikwidRegionOf &) = delete;
    LikwidRegionOf &operator=(const LikwidRegionOf &) = delete;
    ~LikwidRegionOf() {
        if (device_)
            device_->end(element_);
    }

private:
    ElementId element_;
    Device *device_ = nullptr;
};
using LikwidRegion = LikwidRegionOf<detail::LikwidCpu>;
using LikwidGpuRegion = LikwidRegionOf<detail::LikwidGpu>;

} // namespace sdfgc::rt
