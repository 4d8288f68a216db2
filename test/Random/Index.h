// Symbolic integers of a program under construction: the text, and the possible values.
//
// A program is generated for several sizes at once. For each of them, an index knows its minimum and maximum, so that chosen
// subscripts are inside of the container for all sizes by construction.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace sdfgc::random {

/// The number of size sets for which a program is generated.
inline constexpr std::size_t kSizes = 2;
using Values = std::array<int64_t, kSizes>;

struct Index {
    std::string text;
    Values low{}, high{}; // low > high: no value, in a loop without iterations
    bool isAtom = true;   // needs no parentheses in a product

    static Index constant(int64_t value);
    static Index symbol(std::string name, Values low, Values high);
    /// The values 0 ... bound - 1.
    static Index below(std::string name, const Index &bound);
    bool isConstant(int64_t value) const { return text == std::to_string(value); }
    /// The text as an operand of a product.
    std::string factor() const { return isAtom ? text : "(" + text + ")"; }
    /// Are all values in 0 ... extent - 1, for all sizes?
    bool fits(const Index &extent) const;
    /// Is it less than `other`, for all sizes and values? An index without values is below every other.
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
/// The remainder of a division by a positive value; it is below the maximum of `divisor`.
Index remainder(const Index &a, const Index &divisor);

/// `0:N, i, 2:M:3`
std::string joined(const std::vector<std::string> &parts, std::string_view between = ", ");

} // namespace sdfgc::random
