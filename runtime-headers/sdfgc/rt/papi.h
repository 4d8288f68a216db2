// Counters of the CPU, from PAPI (instrumentation PAPI_Counters).
//
// Rules: libpapi is opened when the first element is measured, so one program runs on machines with and without it, and nothing but
// instrumented programs asks for it. Without the library, or where the machine does not have a counter, the report gets a note, which
// is printed (SD6025), and the program runs on. Each thread that is measured has its counters started once; an element's value is the
// difference between two readings, so measurements nest. Reports have the category "papi", with one value for each counter and thread.
//   SDFGC_PAPI_COUNTERS=NAME,NAME   counters instead of those that the program was built with
#pragma once

#include "sdfgc/rt/report.h"

#include <dlfcn.h>
#include <omp.h>
#include <string>
#include <vector>

namespace sdfgc::rt {

/// Which threads an element is measured in: this one, or every thread of the team that parallel regions here use.
enum class Threads { One, Team };
inline constexpr Threads inThread = Threads::One, inTeam = Threads::Team;

namespace detail {

/// The functions of libpapi, by its C interface, and the counters of this process.
class Papi {
public:
    static constexpr int most = 16; // counters

    /// Opens the library when it is called first; `counters` is a list with commas. Problems become notes of the report.
    static Papi &get(Report &report, const char *counters) {
        static Papi papi(counters);
        if (!papi.problem_.empty())
            report.note("SD6025", papi.problem_);
        return papi;
    }

    int count() const { return static_cast<int>(codes_.size()); }
    const char *name(int i) const { return names_[static_cast<std::size_t>(i)].c_str(); }

    /// Reads the counters of this thread, and starts them if it is new. False if they cannot be counted.
    bool read(long long *values) {
        static thread_local int set = unknown;
        if (set == unknown)
            set = start();
        return set != failed && read_(set, values) == ok;
    }

private:
    static constexpr int ok = 0, unknown = -2, failed = -3;

    explicit Papi(const char *counters) {
        void *library = nullptr;
        for (const char *file : {"libpapi.so", "libpapi.so.7.2", "libpapi.so.7.1", "libpapi.so.7.0", "libpapi.so.6.0"})
            if (!library)
                library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        const char *chosen = std::getenv("SDFGC_PAPI_COUNTERS");
        if (!library)
            problem_ = "PAPI_Counters are not counted: libpapi.so cannot be opened";
        else if (!load(library) || !open())
            problem_ = "PAPI_Counters are not counted: libpapi.so cannot be used";
        else
            add(chosen && *chosen ? chosen : counters);
    }

    template <class F> static bool find(void *library, const char *name, F &function) {
        function = reinterpret_cast<F>(dlsym(library, name));
        return function != nullptr;
    }
    bool load(void *library) {
        return find(library, "PAPI_library_init", init_) && find(library, "PAPI_thread_init", threadInit_) &&
               find(library, "PAPI_event_name_to_code", code_) && find(library, "PAPI_create_eventset", create_) &&
               find(library, "PAPI_add_event", add_) && find(library, "PAPI_start", start_) && find(library, "PAPI_read", read_);
    }
    /// PAPI wants the version that its header has: the major and the minor number in the upper bytes.
    bool open() {
        for (const int version : {0x07020000, 0x07010000, 0x07000000, 0x06000000, 0x05070000})
            if (init_(version) == version)
                return threadInit_([]() -> unsigned long { return static_cast<unsigned long>(pthread_self()); }) == ok;
        return false;
    }
    /// Keeps the counters that the machine can count together.
    void add(const std::string &list) {
        std::string missing;
        int trial = -1;
        const bool hasSet = create_(&trial) == ok;
        for (std::size_t at = 0; hasSet && at <= list.size();) {
            const std::size_t end = list.find(',', at) == std::string::npos ? list.size() : list.find(',', at);
            const std::string name = list.substr(at, end - at);
            at = end + 1;
            int code = 0;
            if (name.empty())
                continue;
            if (count() < most && code_(name.c_str(), &code) == ok && add_(trial, code) == ok) {
                names_.push_back(name);
                codes_.push_back(code);
            } else {
                missing += (missing.empty() ? "" : ", ") + name;
            }
        }
        if (!hasSet)
            missing = list;
        if (!missing.empty())
            problem_ = "PAPI does not count " + missing + " on this machine";
    }
    int start() {
        int set = -1;
        if (codes_.empty() || create_(&set) != ok)
            return failed;
        for (const int code : codes_)
            if (add_(set, code) != ok)
                return failed;
        return start_(set) == ok ? set : failed;
    }

    int (*init_)(int) = nullptr;
    int (*threadInit_)(unsigned long (*)()) = nullptr;
    int (*code_)(const char *, int *) = nullptr;
    int (*create_)(int *) = nullptr;
    int (*add_)(int, int) = nullptr;
    int (*start_)(int) = nullptr;
    int (*read_)(int, long long *) = nullptr;
    std::string problem_;
    std::vector<std::string> names_;
    std::vector<int> codes_;
};

} // namespace detail

/// Counts from here to the end of the block:
/// `sdfgc::rt::PapiCounters counters(report, "Map m", {0, 1, 2}, "PAPI_TOT_INS,PAPI_TOT_CYC", inTeam);`
class PapiCounters {
public:
    PapiCounters(Report &report, const char *name, ElementId element, const char *counters, Threads threads)
        : report_(report), name_(name), element_(element), threads_(threads) {
        if (!report.isOn())
            return;
        papi_ = &detail::Papi::get(report, counters);
        if (papi_->count() == 0)
            return;
        begin_.resize(threads == Threads::Team ? static_cast<std::size_t>(omp_get_max_threads()) : 1);
        read(begin_);
    }
    PapiCounters(const PapiCounters &) = delete;
    PapiCounters &operator=(const PapiCounters &) = delete;
    ~PapiCounters() {
        if (begin_.empty())
            return;
        try {
            std::vector<Reading> end(begin_.size());
            read(end);
            for (std::size_t t = 0; t < begin_.size(); ++t)
                for (int i = 0; begin_[t].isValid && end[t].isValid && i < papi_->count(); ++i)
                    report_.addCounter(name_, "papi", papi_->name(i), static_cast<double>(end[t].values[i] - begin_[t].values[i]),
                                       element_, threads_ == Threads::Team ? static_cast<int64_t>(t) : Report::thisThread);
        } catch (...) {
            // Out of memory: the program is worth more than the events.
        }
    }

private:
    struct Reading {
        long long values[detail::Papi::most] = {};
        bool isValid = false;
    };

    void read(std::vector<Reading> &all) {
        if (threads_ == Threads::One) {
            all[0].isValid = papi_->read(all[0].values);
            return;
        }
        // The runtime of OpenMP keeps the threads of a team, so the regions of the element run on the same ones.
#ifdef _OPENMP
#pragma omp parallel num_threads(static_cast <int>(all.size()))
#endif
        {
            const auto t = static_cast<std::size_t>(omp_get_thread_num());
            if (t < all.size())
                all[t].isValid = papi_->read(all[t].values);
        }
    }

    Report &report_;
    const char *name_;
    ElementId element_;
    Threads threads_;
    detail::Papi *papi_ = nullptr;
    std::vector<Reading> begin_; // by thread; empty if nothing is counted
};

} // namespace sdfgc::rt
