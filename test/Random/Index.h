// Symbolic integers of a program that is being made: the text, and what values it can take.
//
// A program is made for several sizes at once: for each, an index knows its least and its greatest value, so that what is chosen as
// a subscript is inside of the container for all of them, by construction.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace sdfgc::random {

/// How many sets of sizes a program is made for.
inline constexpr std::size_t kSizes = 2;
using Values = std::array<int64_t, kSizes>;

struct Index {
    std::string text;
    Values low{}, high{}; // low > high: it has no value, in a loop without iterations
    bool isAtom = true;   // needs no parentheses in a product

    static Index constant(int64_t value);
    static Index symbol(std::string name, Values low, Values high);
    bool isConstant(int64_t value) const { return text == std::to_string(value); }
    /// The text as an operand of a product.
    std::string factor() const { return isAtom ? text : "(" + text + ")"; }
    /// Is every value in 0 ... extent - 1, for all sizes?
    bool fits(const Index &extent) const;
    /// Is it less than `other`, for all sizes and values? No value is less than any.
    bool isBelow(const Index &other) const;
    /// Is the value at least `least`, for all sizes?
    bool isAtLeast(int64_t least) const;
};

Index operator+(const Index &a, const Index &b);
Index operator-(const Index &a, const Index &b);
Index operator+(const Index &a, int64_t b);
Index operator-(const Index &a, int64_t b);
Index operator*(int64_t factor, const Index &a);
Index minimum(const Index &a, const Index &b);
/// Rounded down and up; the divisor is positive.
Index floorOf(const Index &a, int64_t divisor);
Index ceilOf(const Index &a, int64_t divisor);
/// What is left after division by something positive, which is not less than the greatest `divisor`.
Index remainder(const Index &a, const Index &divisor);

/// `0:N, i, 2:M:3`
std::string joined(const std::vector<std::string> &parts, std::string_view between = ", ");

} // namespace sdfgc::random
