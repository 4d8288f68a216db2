// The emulated GPU: settings from the environment, random numbers, reports. Part of gpu_emulate.cpp.
//
// Rules: a report is a readable line that names the kernel and the element of the graph, and a line with the seed that reproduces
// the run. Reports may be made in a signal handler, so no memory is allocated.
#pragma once

#include "sdfgc/rt/gpu.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define SDFGC_EMULATE_ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SDFGC_EMULATE_ASAN
#endif
#endif
#ifdef SDFGC_EMULATE_TSAN // emulate_kernel.h
#include <sanitizer/tsan_interface.h>
#endif

namespace sdfgc::gpu::emulate {

/// SDFGC_EMULATE_<NAME> of the environment, or `otherwise`.
inline const char *environment(const char *name, const char *otherwise) {
    char variable[64];
    std::snprintf(variable, sizeof variable, "SDFGC_EMULATE_%s", name);
    const char *value = std::getenv(variable);
    return value && *value ? value : otherwise;
}
inline uint64_t environmentNumber(const char *name, uint64_t otherwise) {
    const char *text = environment(name, "");
    char *end = nullptr;
    const uint64_t value = std::strtoull(text, &end, 0);
    return end == text ? otherwise : value;
}

struct Settings {
    uint64_t seed = environmentNumber("SEED", 1);
    const bool abortOnError = std::strcmp(environment("ON_ERROR", "continue"), "abort") == 0;
    const bool protect = environmentNumber("PROTECT", 1) != 0;
    const bool protectAlways = environmentNumber("PROTECT", 1) > 1;
    const unsigned threads = static_cast<unsigned>(environmentNumber("THREADS", 1));
    const int multiprocessors = static_cast<int>(environmentNumber("MULTIPROCESSORS", 2));
    const size_t stackBytes = environmentNumber("STACK", 256) << 10;
    const size_t memoryBytes = environmentNumber("MEMORY", 1 << 20) << 20; // the maximum of memory allocated at a time
};

inline Settings &settings() {
    static Settings all;
    return all;
}

/// splitmix64: every seed, including 0 and 1, gives an unrelated sequence.
class Random {
public:
    explicit Random(uint64_t seed = 0) : state_(seed) {}
    uint64_t next() {
        uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }
    /// 0 <= result < count.
    uint64_t below(uint64_t count) { return next() % count; }

private:
    uint64_t state_;
};

/// All reports of the process, on the standard error stream or in the file that SDFGC_EMULATE_REPORT names.
class Reports {
public:
    int count() const { return __atomic_load_n(&count_, __ATOMIC_ACQUIRE); }
    const char *last() const { return last_; }
    void clear() {
        count_ = 0;
        last_[0] = '\0';
    }

    /// One report; `format` as for printf, without the end of the line.
    __attribute__((format(printf, 2, 0))) void add(const char *format, va_list arguments) {
        while (__atomic_test_and_set(&busy_, __ATOMIC_ACQUIRE))
            ;
        std::vsnprintf(last_, sizeof last_, format, arguments);
        char text[sizeof last_ + 128];
        const int length =
            std::snprintf(text, sizeof text, "sdfgc emulation: %s\n    repeat this run with SDFGC_EMULATE_SEED=%llu\n", last_,
                          static_cast<unsigned long long>(settings().seed));
        ssize_t ignored = write(file(), text, static_cast<size_t>(length));
        (void)ignored;
        __atomic_add_fetch(&count_, 1, __ATOMIC_ACQ_REL);
        __atomic_clear(&busy_, __ATOMIC_RELEASE);
    }

private:
    int file() {
        if (file_ < 0) {
            const char *path = environment("REPORT", "");
            file_ = *path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : STDERR_FILENO;
            if (file_ < 0)
                file_ = STDERR_FILENO;
        }
        return file_;
    }

    char last_[1536] = "";
    int count_ = 0, file_ = -1;
    bool busy_ = false;
};

inline Reports &reports() {
    static Reports all;
    return all;
}

/// A warning rather than an error: leaks, uninitialised values.
__attribute__((format(printf, 1, 2))) inline void warn(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    reports().add(format, arguments);
    va_end(arguments);
}

/// An error of the program. With SDFGC_EMULATE_ON_ERROR=abort the process ends here, for debuggers and core files.
__attribute__((format(printf, 1, 2))) inline void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    reports().add(format, arguments);
    va_end(arguments);
    if (settings().abortOnError)
        std::abort();
}

/// "k (state s, map m)" in a buffer of the caller.
struct KernelName {
    char text[256];
    explicit KernelName(const Launch &launch) {
        std::snprintf(text, sizeof text, launch.element[0] ? "%s (%s)" : "%s", launch.name, launch.element);
    }
};

} // namespace sdfgc::gpu::emulate
