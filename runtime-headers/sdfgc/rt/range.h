// Range: Python's range(n), range(a, b), range(a, b, s) as something to loop over in C++ code: `for (auto i : range(0, 5, 2))`.
//
// Values are 64-bit. The number of values is computed up front as Python does, so a step that does not divide the distance ends the
// loop, a negative step counts down, and an empty range has no values. (DaCe's class has 32-bit values and compares for equality:
// range(0, 5, 2) never ends there.) A step of zero, an error in Python, gives an empty range. sdfgc itself prints ordinary for
// loops.
#pragma once

#include "sdfgc/rt/config.h"

#include <cstdint>

namespace sdfgc::rt {

class Range {
public:
    class iterator {
    public:
        SDFGC_HD constexpr int64_t operator*() const { return value_; }
        SDFGC_HD constexpr iterator &operator++() {
            // The value after the last one may not be representable: wrap instead of overflowing.
            value_ = static_cast<int64_t>(static_cast<uint64_t>(value_) + static_cast<uint64_t>(step_));
            --left_;
            return *this;
        }
        SDFGC_HD constexpr iterator operator++(int) {
            iterator before = *this;
            ++*this;
            return before;
        }
        /// Position only: compares the number of values that are left.
        SDFGC_HD constexpr bool operator==(const iterator &other) const { return left_ == other.left_; }
        SDFGC_HD constexpr bool operator!=(const iterator &other) const { return left_ != other.left_; }

    private:
        friend class Range;
        SDFGC_HD constexpr iterator(int64_t value, int64_t step, uint64_t left) : value_(value), step_(step), left_(left) {}

        int64_t value_, step_;
        uint64_t left_;
    };

    SDFGC_HD constexpr Range(int64_t end) : Range(0, end, 1) {}
    SDFGC_HD constexpr Range(int64_t begin, int64_t end, int64_t step = 1)
        : begin_(begin), step_(step), size_(countOf(begin, end, step)) {}

    SDFGC_HD constexpr iterator begin() const { return iterator(begin_, step_, size_); }
    SDFGC_HD constexpr iterator end() const { return iterator(begin_, step_, 0); }
    SDFGC_HD constexpr uint64_t size() const { return size_; }

private:
    SDFGC_HD static constexpr uint64_t countOf(int64_t begin, int64_t end, int64_t step) {
        const uint64_t from = static_cast<uint64_t>(begin), to = static_cast<uint64_t>(end), by = static_cast<uint64_t>(step);
        if (step > 0 && begin < end)
            return (to - from - 1) / by + 1;
        if (step < 0 && begin > end)
            return (from - to - 1) / (0 - by) + 1;
        return 0;
    }

    int64_t begin_, step_;
    uint64_t size_;
};

} // namespace sdfgc::rt
