// Memory shared by sdfgc and the process that runs a program.
#pragma once

#include "sdfgc/Run/Call.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <new>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace sdfgc::run {

constexpr std::size_t alignment = 64, maxFrames = 64;

inline std::size_t pageSize() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

/// Pages shared by parent and child, followed by an inaccessible one.
class SharedMemory {
public:
    explicit SharedMemory(std::size_t bytes) : bytes_(bytes) {
        const std::size_t page = pageSize(), whole = (std::max<std::size_t>(bytes, 1) + page - 1) / page * page;
        size_ = whole + page;
        if (size_ < bytes)
            return;
        void *p = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED)
            return;
        base_ = static_cast<char *>(p);
        ::mprotect(base_ + whole, page, PROT_NONE);
        // As close to the end as alignment permits.
        begin_ = base_ + (whole - bytes) / alignment * alignment;
    }
    SharedMemory(SharedMemory &&o) noexcept
        : base_(std::exchange(o.base_, nullptr)), begin_(o.begin_), size_(o.size_), bytes_(o.bytes_) {}
    SharedMemory &operator=(SharedMemory &&) = delete;
    ~SharedMemory() {
        if (base_)
            ::munmap(base_, size_);
    }
    char *data() const { return base_ ? begin_ : nullptr; }
    std::string content() const { return std::string(begin_, bytes_); }

private:
    char *base_ = nullptr, *begin_ = nullptr;
    std::size_t size_ = 0, bytes_;
};

/// The child's report; the times of the calls follow it.
struct Report {
    CallResult::Status status;
    int signal;
    int rank;   // the one that crashed, if it is a thread and known; otherwise -1
    int calls;  // number of calls with a time, including warm-up
    int graphs; // number of graphs with counters
    std::size_t frameCount;
    std::array<std::uint64_t, maxFrames> frames;
    double initSeconds;
    bool isEmulated; // is the device?
    DeviceCounts device;
    std::array<char, 1024> message;

    void say(CallResult::Status s, const char *text) {
        status = s;
        std::snprintf(message.data(), message.size(), "%s", text ? text : "");
    }
};

/// A `<name>_graph_info` of the program's C interface (lib/Targets/Gpu): its numbers, in order.
struct GraphInfo {
    const char *name;
    std::array<int64_t, 9> numbers;
    const char *lastReason;
};

/// The same with its texts, which follow the times.
struct SharedCounters {
    std::array<int64_t, 9> numbers;
    std::array<char, 256> name;
    std::array<char, 512> lastReason;

    GraphCounters counters() const {
        const auto &n = numbers;
        return {name.data(), n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], lastReason.data()};
    }
};

/// Memory shared by parent and child in addition to the arguments.
struct Shared {
    Report *report;
    double *times;
    SharedCounters *graphs;
    char *sent; // text of the MPI emulation, sentRoom bytes; null: not requested
    static constexpr std::size_t sentRoom = std::size_t(1) << 18;

    static int calls(const CallOptions &o) { return o.warmup + o.repeat; }
    static std::size_t bytes(const CallOptions &o) {
        return sizeof(Report) + static_cast<std::size_t>(calls(o)) * sizeof(double) +
               static_cast<std::size_t>(o.gpuGraphs) * sizeof(SharedCounters) + (o.messages ? sentRoom : 0);
    }
    /// With null memory, everything is empty.
    Shared(char *memory, const CallOptions &o)
        : report(memory ? new (memory) Report{} : nullptr),
          times(reinterpret_cast<double *>(memory ? memory + sizeof(Report) : nullptr)),
          graphs(reinterpret_cast<SharedCounters *>(memory ? times + calls(o) : nullptr)),
          sent(memory && o.messages ? reinterpret_cast<char *>(graphs + o.gpuGraphs) : nullptr) {}
};

} // namespace sdfgc::run
