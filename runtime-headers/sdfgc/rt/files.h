// Clock and files for instrumentation (report.h, probe.h).
//
// Rules: a file appears under its name only when it is complete: it is written under another name on the same file system and
// renamed. Reports of a program go to its build folder, independent of the current folder of the host.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <dlfcn.h>
#include <string>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

namespace sdfgc::rt {

/// The build folder of the library that contains this code: the folder of its file, without a final `lib`, or `build`, which is where
/// DaCe keeps libraries; `.` if unknown.
inline std::string buildFolder() {
    static const char here = 0;
    Dl_info library{};
    const std::string file = dladdr(&here, &library) && library.dli_fname ? library.dli_fname : "";
    const std::size_t slash = file.rfind('/');
    if (slash == std::string::npos)
        return ".";
    std::string folder = file.substr(0, slash);
    const auto drop = [&folder](const std::string &end) {
        if (folder.size() <= end.size() || folder.compare(folder.size() - end.size(), end.size(), end) != 0)
            return false;
        folder.resize(folder.size() - end.size());
        return true;
    };
    while (drop("/.")) // the Python modules load `lib/././libNAME.so`
        ;
    if (!drop("/lib"))
        drop("/build");
    return folder;
}

namespace detail {

inline int64_t nanoseconds(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<int64_t>(time.tv_sec) * 1000000000 + time.tv_nsec;
}

/// Creates the folder if it does not exist; its parent must exist. False, with errno, on failure.
inline bool makeFolder(const std::string &path) { return mkdir(path.c_str(), 0777) == 0 || errno == EEXIST; }

/// A name in `folder` that nothing else uses.
inline std::string partialName(const std::string &folder) {
    static int64_t count = 0;
    return folder + "/.partial-" + std::to_string(getpid()) + "-" + std::to_string(nanoseconds(CLOCK_MONOTONIC)) + "-" +
           std::to_string(__atomic_fetch_add(&count, 1, __ATOMIC_RELAXED));
}

/// Writes head and body to `path`. On failure nothing is left, and errno says why.
inline bool writeFile(const std::string &path, const std::string &head, const void *body = nullptr, std::size_t bodyBytes = 0) {
    std::FILE *file = std::fopen(path.c_str(), "wb");
    if (!file)
        return false;
    const bool written = std::fwrite(head.data(), 1, head.size(), file) == head.size() &&
                         (bodyBytes == 0 || std::fwrite(body, 1, bodyBytes, file) == bodyBytes);
    const bool closed = std::fclose(file) == 0;
    if (written && closed)
        return true;
    const int reason = errno;
    unlink(path.c_str());
    errno = reason;
    return false;
}

} // namespace detail

} // namespace sdfgc::rt
