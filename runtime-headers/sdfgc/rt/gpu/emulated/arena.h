// The emulated GPU's memory. Part of gpu_emulate.cpp.
//
// Rules: device memory is a separate range of addresses, mapped twice. The mapping that programs see (the device's view) is closed
// to everything except a running kernel: host code that accesses it faults, and so does a kernel that leaves an allocation, or uses
// one that is freed or that the stream has not allocated yet. The emulation itself copies through the second mapping (the back
// door), which is always open. Addresses are never reused. An allocation ends, up to CUDA's alignment of 256 bytes, at a closed
// page; the bytes between its ends and the closed pages have a pattern that is checked after every kernel, and traced like new
// memory.
//
//     64 KiB of closed pages | margin | allocation | margin (< 256 bytes) | 64 KiB of closed pages
//
// New memory has a pattern that is a NaN in every floating-point format and whose lower half is a number. The number identifies the
// origin of a value that was never written, even after arithmetic (NaNs keep their payload).
#pragma once

#include "sdfgc/rt/gpu/emulated/report.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <sys/mman.h>
#include <vector>

#ifdef SDFGC_EMULATE_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace sdfgc::gpu::emulate {

/// Names of places whose memory was never written, by the number in the pattern.
class Origins {
public:
    static constexpr uint32_t mark = 0xfff70000, quietMark = 0xffff0000;

    /// The pattern for a place of this name; the same name gets the same one. Beyond 65534 names all share one.
    uint32_t pattern(const std::string &name) {
        const std::lock_guard<std::mutex> guard(mutex_);
        const auto [entry, added] = numbers_.emplace(name, 0);
        if (added) {
            entry->second = static_cast<uint32_t>(std::min<size_t>(names_.size() + 1, 0xffff));
            if (entry->second < 0xffff)
                names_.push_back(&entry->first);
        }
        return mark | entry->second;
    }

    /// The name if these 8 bytes look like a value that was never written or was computed from one; else null.
    const char *find(uint64_t value) const {
        const uint32_t high = static_cast<uint32_t>(value >> 32), low = static_cast<uint32_t>(value), number = low & 0xffff;
        if ((low & 0xffff0000) != mark || (high != low && high != (quietMark | number)))
            return nullptr;
        if (number == 0xffff)
            return "memory that was never written";
        return number == 0 || number > names_.size() ? nullptr : names_[number - 1]->c_str();
    }

private:
    std::mutex mutex_;
    std::map<std::string, uint32_t> numbers_;
    std::vector<const std::string *> names_; // the keys of numbers_
};

inline void fillPattern(void *memory, size_t bytes, uint32_t pattern) {
    char *to = static_cast<char *>(memory);
    for (; bytes >= sizeof pattern; bytes -= sizeof pattern, to += sizeof pattern)
        std::memcpy(to, &pattern, sizeof pattern);
    std::memcpy(to, &pattern, bytes);
}

struct Allocation {
    enum State { Pending, Live, Freed }; // Pending: mallocAsync has not run in its stream yet

    uintptr_t begin = 0; // in the device's view
    size_t bytes = 0;
    uintptr_t pages = 0, pagesEnd = 0;
    std::string name;
    std::string freedBy; // "free", or the stream of freeAsync
    State state = Live;
    bool open = false;
    unsigned closings = 0; // times that closing was requested
    uint32_t marginPattern = 0;

    bool contains(uintptr_t address, size_t count) const {
        return address >= begin && address - begin <= bytes && count <= bytes - (address - begin);
    }
};

class Arena {
public:
    Arena() {
        page_ = static_cast<size_t>(sysconf(_SC_PAGESIZE));
        file_ = memfd_create("sdfgc emulated device memory", MFD_CLOEXEC);
        for (size_ = size_t(1) << 38; file_ >= 0 && size_ >= size_t(1) << 28; size_ >>= 1) {
            void *view = mmap(nullptr, size_, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file_, 0);
            void *door =
                view == MAP_FAILED ? view : mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_, 0);
            if (door != MAP_FAILED) {
                view_ = reinterpret_cast<uintptr_t>(view);
                door_ = static_cast<char *>(door);
                next_ = gap;
                return;
            }
            if (view != MAP_FAILED)
                munmap(view, size_);
        }
        size_ = 0; // every allocation fails
    }

    bool owns(const volatile void *p) const { return reinterpret_cast<uintptr_t>(p) - view_ < size_; }
    /// The back door to an address of the device's view.
    char *door(const volatile void *p) const { return door_ + (reinterpret_cast<uintptr_t>(p) - view_); }

    /// Null if memory is exhausted.
    Allocation *allocate(size_t bytes, const char *name, Allocation::State state) {
        if (bytes > settings().memoryBytes || used_ > settings().memoryBytes - bytes)
            return nullptr;
        const size_t payload = roundUp(bytes, alignment), pages = roundUp(payload, page_);
        if (size_ == 0 || next_ > size_ - gap || pages > size_ - gap - next_ || !grow(next_ + pages))
            return nullptr;
        auto a = std::make_unique<Allocation>();
        a->pages = view_ + next_;
        a->pagesEnd = a->pages + pages;
        a->begin = a->pagesEnd - payload;
        a->bytes = bytes;
        a->name = *name ? name : "allocation " + std::to_string(all_.size() + 1);
        a->state = state;
        next_ += pages + gap;
        used_ += bytes;
        a->marginPattern = origins.pattern("memory beside '" + a->name + "'");
        fillMargins(*a);
        fillPattern(door(pointer(a->begin)), bytes, origins.pattern("'" + a->name + "'"));
        poison(*a);
        all_.push_back(std::move(a));
        if (!settings().protect && state == Allocation::Live)
            open(*all_.back());
        return all_.back().get();
    }

    /// Runs mallocAsync in its stream.
    void activate(Allocation &a) {
        a.state = Allocation::Live;
        if (!settings().protect)
            open(a);
    }

    /// Closes the memory for good; its contents are lost.
    void release(Allocation &a, const std::string &how) {
        close(a);
        a.state = Allocation::Freed;
        a.freedBy = how;
        used_ -= a.bytes;
        madvise(door(pointer(a.pages)), a.pagesEnd - a.pages, MADV_REMOVE);
#ifdef SDFGC_EMULATE_ASAN
        ASAN_POISON_MEMORY_REGION(pointer(a.pages), a.pagesEnd - a.pages);
#endif
    }

    /// The last allocation that begins, with its margin, at or before the address; null if there is none.
    Allocation *before(const volatile void *p) const {
        const uintptr_t address = reinterpret_cast<uintptr_t>(p);
        const auto next = std::upper_bound(all_.begin(), all_.end(), address,
                                           [](uintptr_t value, const std::unique_ptr<Allocation> &a) { return value < a->pages; });
        return next == all_.begin() ? nullptr : std::prev(next)->get();
    }
    /// The allocation that an address belongs to, its end included, whatever its state; null if none.
    Allocation *find(const volatile void *p) const {
        Allocation *a = before(p);
        return a && a->contains(reinterpret_cast<uintptr_t>(p), 0) ? a : nullptr;
    }
    /// The allocation whose pages contain the address, or the nearest one.
    Allocation *nearest(const volatile void *p) const {
        const uintptr_t address = reinterpret_cast<uintptr_t>(p);
        Allocation *a = before(p);
        const auto next = std::upper_bound(all_.begin(), all_.end(), address,
                                           [](uintptr_t value, const std::unique_ptr<Allocation> &b) { return value < b->pages; });
        if (next != all_.end() && (!a || (address >= a->pagesEnd && (*next)->pages - address < address - a->pagesEnd)))
            return next->get();
        return a;
    }

    /// Lets kernels use an allocation until closeAll(). Called by the signal handler too.
    void open(Allocation &a) {
        if (a.open)
            return;
        mprotect(pointer(a.pages), a.pagesEnd - a.pages, PROT_READ | PROT_WRITE);
        a.open = true;
        if (openCount_ < maxOpen)
            open_[openCount_++] = &a;
        else
            overflow_ = true;
    }
    void closeAll() {
        if (!settings().protect)
            return;
        if (overflow_)
            for (const auto &a : all_)
                close(*a);
        int stillOpen = 0;
        for (int i = 0; i < openCount_; ++i)
            if (!overflow_ && mayStayOpen(*open_[i]))
                open_[stillOpen++] = open_[i];
            else
                close(*open_[i]);
        openCount_ = stillOpen;
        overflow_ = false;
    }

    /// Closes all allocations, including those that closeAll() would leave open.
    void closeEach() {
        for (int i = 0; i < openCount_; ++i)
            close(*open_[i]);
        if (overflow_)
            for (const auto &a : all_)
                close(*a);
        openCount_ = 0;
        overflow_ = false;
    }
    /// Protects a part of a closed allocation as mprotect() does. Called by the signal handler too.
    static void protect(uintptr_t from, uintptr_t to, int protection) { mprotect(pointer(from), to - from, protection); }
    size_t pageSize() const { return page_; }

    /// Finds an open allocation whose margin was written and repairs the margin; null if there is none.
    Allocation *damaged(bool &behind) {
        for (int i = 0; i < openCount_; ++i) {
            Allocation &a = *open_[i];
            if (a.state != Allocation::Live || (intactBefore(a) && intactBehind(a)))
                continue;
            behind = !intactBehind(a);
            fillMargins(a);
            return &a;
        }
        return nullptr;
    }

    /// Calls one(allocation) for all that are not freed, in the order in which they were made.
    template <class One> void forEachLive(One one) const {
        for (const auto &a : all_)
            if (a->state != Allocation::Freed)
                one(*a);
    }

    Origins origins;

private:
    static constexpr size_t alignment = 256;       // CUDA's
    static constexpr size_t gap = size_t(1) << 16; // closed addresses between allocations; a multiple of every page size
    static constexpr int maxOpen = 4096;

    static size_t roundUp(size_t n, size_t unit) { return (std::max<size_t>(n, 1) + unit - 1) / unit * unit; }
    static void *pointer(uintptr_t address) { return reinterpret_cast<void *>(address); }

    bool grow(size_t bytes) {
        if (bytes <= fileBytes_)
            return true;
        const size_t wanted = std::min(size_, std::max(bytes, fileBytes_ * 2));
        if (ftruncate(file_, static_cast<off_t>(wanted)) != 0)
            return false;
        fileBytes_ = wanted;
        return true;
    }

    /// Opening and closing take time for every page: 12 ms for 256 MiB. Large memory is therefore closed only occasionally, once it
    /// was closed often enough to catch host code that accesses it regularly.
    static bool mayStayOpen(Allocation &a) {
        constexpr unsigned often = 64;
        constexpr uintptr_t large = uintptr_t(1) << 20;
        if (settings().protectAlways || a.state != Allocation::Live || a.pagesEnd - a.pages < large)
            return false;
        return ++a.closings > often && a.closings % often != 0;
    }

    void close(Allocation &a) {
        if (a.open)
            mprotect(pointer(a.pages), a.pagesEnd - a.pages, PROT_NONE);
        a.open = false;
    }

    /// Margins identify their allocation: a value read beside it is traced like one that was never written. The pattern is aligned
    /// to its size, regardless of where the allocation ends.
    static unsigned char marginByte(const Allocation &a, uintptr_t address) {
        return static_cast<unsigned char>(a.marginPattern >> address % 4 * 8);
    }
    void fillMargins(const Allocation &a) {
        for (uintptr_t i = a.pages; i < a.begin; ++i)
            *door(pointer(i)) = static_cast<char>(marginByte(a, i));
        for (uintptr_t i = a.begin + a.bytes; i < a.pagesEnd; ++i)
            *door(pointer(i)) = static_cast<char>(marginByte(a, i));
    }
    bool intact(const Allocation &a, uintptr_t from, uintptr_t to) const {
        const unsigned char *const bytes = reinterpret_cast<const unsigned char *>(door(pointer(from)));
        unsigned char differences = 0;
        for (uintptr_t i = from; i < to; ++i)
            differences |= static_cast<unsigned char>(bytes[i - from] ^ marginByte(a, i));
        return differences == 0;
    }
    bool intactBefore(const Allocation &a) const { return intact(a, a.pages, a.begin); }
    bool intactBehind(const Allocation &a) const { return intact(a, a.begin + a.bytes, a.pagesEnd); }

    void poison(const Allocation &a) {
#ifdef SDFGC_EMULATE_ASAN
        ASAN_POISON_MEMORY_REGION(pointer(a.pages), a.begin - a.pages);
        ASAN_POISON_MEMORY_REGION(pointer(a.begin + a.bytes), a.pagesEnd - a.begin - a.bytes);
#else
        (void)a;
#endif
    }

    int file_ = -1;
    size_t page_ = 0, size_ = 0, next_ = 0, fileBytes_ = 0, used_ = 0;
    uintptr_t view_ = 0;
    char *door_ = nullptr;
    std::vector<std::unique_ptr<Allocation>> all_; // by address, as addresses only grow
    Allocation *open_[maxOpen] = {};
    int openCount_ = 0;
    bool overflow_ = false;
};

} // namespace sdfgc::gpu::emulate
