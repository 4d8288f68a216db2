// Shared memory of an emulated block. Part of gpu_emulate.cpp.
//
// Rules: an array is placed when a thread of the block first reaches its declaration, and has the pattern of unwritten memory at
// the start of every block. Arrays are separated by margins, which are checked when the block ends (and poisoned for
// AddressSanitizer). Sizes are limited as on a device.
#pragma once

#include "sdfgc/rt/gpu/emulated/arena.h"

namespace sdfgc::gpu::emulate {

class SharedMemory {
public:
    /// Starts a new block, with nothing written yet. `patternOf` gives the pattern of an array from its name.
    void begin(size_t dynamicBytes) {
        ++block_;
        dynamicBytes_ = dynamicBytes;
    }
    /// Starts another kernel, with other declarations.
    void forget() {
        for (const Array &a : arrays_)
            poison(a, false);
        arrays_.clear();
        used_ = 0;
        staticBytes_ = 0;
    }

    /// The array of a declaration (`key`); null if the block has no room for it. `pattern()` is called for a new array.
    template <class Pattern> void *get(const void *key, size_t bytes, const char *name, Pattern pattern) {
        for (Array &a : arrays_)
            if (a.key == key)
                return fresh(a);
        if (key != dynamicKey() && (staticBytes_ += bytes) > limit)
            return nullptr;
        if (memory_.empty())
            memory_.resize(capacity / sizeof memory_[0]);
        const size_t begin = used_ + margin, end = begin + (bytes + 15) / 16 * 16;
        if (end + margin > capacity)
            return nullptr;
        used_ = end;
        arrays_.push_back({key, name, begin, bytes, pattern(), 0});
        poison(arrays_.back(), false); // its front margin may be the margin behind another array
        std::memset(base() + begin - margin, marginByte, margin);
        std::memset(base() + begin + bytes, marginByte, end - begin - bytes + margin);
        poison(arrays_.back(), true);
        return fresh(arrays_.back());
    }
    template <class Pattern> void *dynamic(Pattern pattern) {
        return get(dynamicKey(), dynamicBytes_, "dynamic shared memory", pattern);
    }

    /// An array with a write beyond its ends, and its size; null if none. The margins are repaired.
    const char *damaged(size_t &bytes) {
        for (const Array &a : arrays_) {
            bool intact = true;
            const auto check = [&](size_t from, size_t to) {
                for (size_t i = from; i < to; ++i)
                    intact = intact && static_cast<unsigned char>(base()[i]) == marginByte;
                std::memset(base() + from, marginByte, to - from);
            };
            poison(a, false);
            check(a.begin - margin, a.begin);
            check(a.begin + a.bytes, (a.begin + a.bytes + 15) / 16 * 16 + margin);
            poison(a, true);
            if (!intact) {
                bytes = a.bytes;
                return a.name;
            }
        }
        return nullptr;
    }

    static constexpr size_t limit = 48 << 10; // of declared arrays
    static constexpr size_t limitOptin = SDFGC_WARP_SIZE == 64 ? 64 << 10 : 227 << 10;

private:
    struct Array {
        const void *key;
        const char *name;
        size_t begin, bytes;
        uint32_t pattern;
        uint64_t block; // the block in which it was last filled with the pattern
    };
    static constexpr size_t margin = 64, capacity = limitOptin + limit + (64 << 10); // room for the margins of many arrays
    static constexpr unsigned char marginByte = 0xa5;

    static const void *dynamicKey() {
        static const char key = 0;
        return &key;
    }
    struct alignas(16) Unit {
        char bytes[16];
    };
    char *base() { return memory_[0].bytes; }

    void *fresh(Array &a) {
        if (a.block != block_) {
            a.block = block_;
            fillPattern(base() + a.begin, a.bytes, a.pattern);
        }
        return base() + a.begin;
    }

    /// Closes (or opens) the margins around an array for instrumented code.
    void poison(const Array &a, bool on) {
#ifdef SDFGC_EMULATE_ASAN
        char *front = base() + a.begin - margin, *behind = base() + a.begin + a.bytes;
        const size_t behindBytes = (a.begin + a.bytes + 15) / 16 * 16 + margin - a.begin - a.bytes;
        (on ? __asan_poison_memory_region : __asan_unpoison_memory_region)(front, margin);
        (on ? __asan_poison_memory_region : __asan_unpoison_memory_region)(behind, behindBytes);
#else
        (void)a, (void)on;
#endif
    }

    std::vector<Unit> memory_;
    std::vector<Array> arrays_;
    size_t used_ = 0, staticBytes_ = 0, dynamicBytes_ = 0;
    uint64_t block_ = 0;
};

} // namespace sdfgc::gpu::emulate
