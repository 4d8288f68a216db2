// Buffer<T>: an owned, aligned, uninitialised array on the heap. Generated code uses it for CPU_Heap containers and for Register
// arrays that are too large for the stack.
//
// Rules (DaCe's CPU_Heap allocation, codegen-semantics 10.2): the alignment is 64 bytes unless the container asks for another; the
// size is the container's total size with padding; data() is the start of the memory plus the container's start offset; zero()
// clears all of it. A failed allocation throws std::bad_alloc, which guard() of abi.h turns into an error code.
#pragma once

#include "sdfgc/rt/sizes.h"

#include <cstddef>
#include <cstdint>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace sdfgc::rt {

namespace detail {

/// Requests pages of 2 MiB for large memory, which make the first touch ten times faster (if the system leaves the choice to the
/// program). This is only a hint and has no other effect.
inline void adviseHugePages([[maybe_unused]] void *memory, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    constexpr std::size_t hugePage = std::size_t(2) << 20;
    if (bytes < 2 * hugePage)
        return;
    const std::size_t begin = (reinterpret_cast<std::size_t>(memory) + hugePage - 1) / hugePage * hugePage;
    const std::size_t end = (reinterpret_cast<std::size_t>(memory) + bytes) / hugePage * hugePage;
    if (end > begin)
        madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

/// Must memory have exactly the requested size? Otherwise sanitizers miss accesses beyond the end.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool exactSizes = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool exactSizes = true;
#else
inline constexpr bool exactSizes = false;
#endif
#else
inline constexpr bool exactSizes = false;
#endif

} // namespace detail

template <class T> class Buffer {
    static_assert(__is_trivially_copyable(T), "Buffer holds plain data: its elements are neither constructed nor destroyed");

public:
    static constexpr int64_t defaultAlignment = 64;

    /// No memory yet: see allocate().
    Buffer() noexcept = default;

    /// `count` elements; none if `count` <= 0. `alignment` in bytes is a power of two; 0 or less means the default.
    explicit Buffer(int64_t count, int64_t startOffset = 0, int64_t alignment = defaultAlignment) {
        allocate(count, startOffset, alignment);
    }

    Buffer(Buffer &&other) noexcept { swap(other); }
    Buffer &operator=(Buffer &&other) noexcept {
        Buffer taken(static_cast<Buffer &&>(other));
        swap(taken);
        return *this;
    }
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;
    ~Buffer() { release(); }

    /// Late or repeated allocation. Contents are kept if size and alignment are those of the present memory, else they are lost.
    void allocate(int64_t count, int64_t startOffset = 0, int64_t alignment = defaultAlignment) {
        const int64_t wanted = count > 0 ? count : 0;
        const std::size_t bytesAlignment = effectiveAlignment(alignment);
        if (wanted != size_ || bytesAlignment != alignment_) {
            release();
            if (wanted > 0) {
                const std::size_t bytes = detail::bytesOf<T>(wanted);
                base_ = static_cast<T *>(::operator new(bytes, std::align_val_t(bytesAlignment)));
                detail::adviseHugePages(base_, bytes);
            }
            size_ = wanted;
            alignment_ = bytesAlignment;
        }
        data_ = base_ ? base_ + startOffset : nullptr;
    }

    /// At least `count` elements; the contents are lost. For sizes that change from use to use: memory that is large enough is
    /// kept, and memory that grows a second time grows by half at least. With the address sanitizer, memory has exactly the size.
    void reserve(int64_t count, int64_t startOffset = 0, int64_t alignment = defaultAlignment) {
        if (detail::exactSizes)
            return allocate(count, startOffset, alignment);
        if (count > size_ || effectiveAlignment(alignment) != alignment_)
            allocate(count > size_ && size_ > 0 && count < size_ + size_ / 2 ? size_ + size_ / 2 : count, startOffset, alignment);
        data_ = base_ ? base_ + startOffset : nullptr;
    }

    /// Frees the memory; the buffer can be allocated again.
    void release() noexcept {
        if (base_)
            ::operator delete(static_cast<void *>(base_), std::align_val_t(alignment_));
        base_ = data_ = nullptr;
        size_ = 0;
        alignment_ = 0;
    }

    /// Sets every byte to zero, also those before the start offset.
    void zero() noexcept {
        if (base_)
            __builtin_memset(static_cast<void *>(base_), 0, static_cast<std::size_t>(size_) * sizeof(T));
    }

    void swap(Buffer &other) noexcept {
        exchange(base_, other.base_);
        exchange(data_, other.data_);
        exchange(size_, other.size_);
        exchange(alignment_, other.alignment_);
    }

    /// The element with index 0: the start of the memory plus the start offset; null while nothing is allocated.
    T *data() const noexcept { return data_; }
    operator T *() const noexcept { return data_; }
    T &operator[](int64_t index) const noexcept { return data_[index]; }
    int64_t size() const noexcept { return size_; }

private:
    template <class U> static void exchange(U &a, U &b) noexcept {
        U kept = a;
        a = b;
        b = kept;
    }

    static std::size_t effectiveAlignment(int64_t alignment) noexcept {
        const std::size_t asked = static_cast<std::size_t>(alignment > 0 ? alignment : defaultAlignment);
        return asked > alignof(T) ? asked : alignof(T);
    }

    T *base_ = nullptr; // what operator new returned
    T *data_ = nullptr; // base_ plus the start offset
    int64_t size_ = 0;
    std::size_t alignment_ = 0; // of base_; 0 while there is none
};

} // namespace sdfgc::rt
