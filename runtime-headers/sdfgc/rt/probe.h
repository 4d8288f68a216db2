// DataReport: data instrumentation. Containers and symbols are written to files when the program reaches an access node, or read
// back instead of being computed.
//
// Rules (codegen-semantics 25.4), DaCe's folders and formats, so that its tools read them:
//   FOLDER/<milliseconds since 1970>/<container>/<key>_<version>.bin   a container: number of dimensions, shape, strides, each as a
//                                                                      32-bit integer, then the elements as they lie in memory
//   FOLDER/<milliseconds since 1970>/<symbol>/<key>_<version>          a symbol, as text that reads back exactly
// The key is `<cfg>_<state>_<node>` (for symbols the state's number); the version counts the visits from 0. A program has one
// folder per DataReport, made at the first save. Data is restored from the folder that restoreFrom() names, by the same count of
// visits. If a file cannot be written or read, Error is thrown rather than continuing with wrong data.
#pragma once

#include "sdfgc/rt/abi.h"
#include "sdfgc/rt/files.h"
#include "sdfgc/rt/threads.h"

#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>

namespace sdfgc::rt {

class DataReport {
public:
    /// Saves go below `folder`, whose parent exists.
    explicit DataReport(std::string folder = buildFolder() + "/data") : base_(std::move(folder)) {}
    DataReport(const DataReport &) = delete;
    DataReport &operator=(const DataReport &) = delete;

    /// The source for restoring: the folder of one saved run, with a folder per container. Restarts the counting of visits.
    void restoreFrom(const char *folder) {
        const LockGuard guard(mutex_);
        source_ = folder;
        visits_.clear();
    }

    /// `count` elements from `data` on; shape and strides in elements.
    template <class T>
    void save(const char *container, const char *key, const T *data, std::initializer_list<int64_t> shape,
              std::initializer_list<int64_t> strides, int64_t count) {
        const LockGuard guard(mutex_);
        std::string head;
        append(head, static_cast<int64_t>(shape.size()));
        for (const int64_t extent : shape)
            append(head, extent);
        for (const int64_t stride : strides)
            append(head, stride);
        write(container, visit(key) + ".bin", head, data, count > 0 ? static_cast<std::size_t>(count) * sizeof(T) : 0);
    }

    /// Fills `count` elements from the file of this visit, which holds as many.
    template <class T>
    void restore(const char *container, const char *key, T *data, std::initializer_list<int64_t> shape,
                 std::initializer_list<int64_t> /*strides*/, int64_t count) {
        const LockGuard guard(mutex_);
        const std::size_t bytes = count > 0 ? static_cast<std::size_t>(count) * sizeof(T) : 0;
        const std::string content = read(container, visit(key) + ".bin");
        const std::size_t head = sizeof(uint32_t) * (1 + 2 * shape.size());
        if (content.size() != head + bytes)
            throw Error(ProgramError, "a file of instrumented data has another size than the container that it is restored to");
        if (bytes > 0)
            __builtin_memcpy(static_cast<void *>(data), content.data() + head, bytes);
    }

    /// An integer or floating-point symbol.
    template <class T> void saveSymbol(const char *symbol, const char *key, T value) {
        const LockGuard guard(mutex_);
        char text[64];
        if constexpr (static_cast<T>(0.5) != T(0)) // a float: 17 digits are enough to read a double back
            std::snprintf(text, sizeof text, "%.17g", static_cast<double>(value));
        else
            std::snprintf(text, sizeof text, "%s", std::to_string(value).c_str());
        write(symbol, std::string(key) + "_" + visitNumber(symbol), text, nullptr, 0);
    }

    template <class T> T restoreSymbol(const char *symbol, const char *key) {
        const LockGuard guard(mutex_);
        const std::string text = read(symbol, std::string(key) + "_" + visitNumber(symbol));
        if constexpr (static_cast<T>(0.5) != T(0))
            return static_cast<T>(std::strtod(text.c_str(), nullptr));
        else if constexpr (static_cast<T>(-1) < T(0))
            return static_cast<T>(std::strtoll(text.c_str(), nullptr, 10));
        else
            return static_cast<T>(std::strtoull(text.c_str(), nullptr, 10));
    }

private:
    static void append(std::string &head, int64_t number) {
        const auto narrow = static_cast<int32_t>(number);
        if (narrow != number)
            throw Error(ProgramError, "instrumented data has an extent beyond 32 bits, which its file format cannot hold");
        head.append(reinterpret_cast<const char *>(&narrow), sizeof narrow);
    }

    std::string visitNumber(const std::string &name) { return std::to_string(visits_[name]++); }
    std::string visit(const char *key) { return std::string(key) + "_" + visitNumber(key); }

    void write(const char *item, const std::string &file, const std::string &head, const void *body, std::size_t bytes) {
        using detail::makeFolder;
        if (run_.empty()) {
            const std::string run = base_ + "/" + std::to_string(detail::nanoseconds(CLOCK_REALTIME) / 1000000);
            if (!makeFolder(base_) || !makeFolder(run))
                throw Error(ProgramError, "the folder for instrumented data cannot be made");
            run_ = run;
        }
        const std::string folder = run_ + "/" + item, path = folder + "/" + file, partial = detail::partialName(base_);
        if (!makeFolder(folder) || !detail::writeFile(partial, head, body, bytes))
            throw Error(ProgramError, "instrumented data cannot be written");
        if (std::rename(partial.c_str(), path.c_str()) != 0) {
            unlink(partial.c_str());
            throw Error(ProgramError, "instrumented data cannot be written");
        }
    }

    std::string read(const char *item, const std::string &file) const {
        if (source_.empty())
            throw Error(ProgramError, "no folder to restore instrumented data from was set");
        std::FILE *input = std::fopen((source_ + "/" + item + "/" + file).c_str(), "rb");
        if (!input)
            throw Error(ProgramError, "a file of instrumented data is missing");
        std::string content;
        char block[4096];
        while (const std::size_t got = std::fread(block, 1, sizeof block, input))
            content.append(block, got);
        std::fclose(input);
        return content;
    }

    Mutex mutex_;
    std::string base_, run_, source_;
    std::map<std::string, int64_t> visits_; // by key, for symbols by name
};

} // namespace sdfgc::rt
