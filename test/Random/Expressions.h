// Code of tasklets: Python expressions of a required kind over the values that a tasklet can read.
#pragma once

#include "../RandomNumbers.h"

#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::random {

using Random = test::RandomNumbers;

enum class ValueKind { Bool, Integer, Real, Complex };
ValueKind kindOf(std::string_view type);

/// A leaf of an expression.
struct Leaf {
    std::string text;
    ValueKind kind;
    bool isLarge = false; // may be large: growing sums
};

class Expressions {
public:
    Expressions(Random &r, const std::vector<Leaf> &leaves) : random_(r), leaves_(leaves) {}

    /// A value for an element of this type. It is finite, and small enough that sums and products of a few such values do not
    /// overflow.
    std::string value(std::string_view type);
    /// An integer from -8 to 8 (for bool: any value), so that sums and extrema are the same in every order.
    std::string whole(std::string_view type);
    /// 1 or -1, so that products are the same in every order.
    std::string sign(std::string_view type);
    std::string condition() { return boolean(2); }

private:
    std::string any(ValueKind kind, int depth);
    std::string boolean(int depth);
    std::string integer(int depth);
    std::string real(int depth);
    std::string complexNumber(int depth);
    const Leaf *leaf(ValueKind kind);
    std::string comparison(int depth);

    Random &random_;
    const std::vector<Leaf> &leaves_;
};

} // namespace sdfgc::random
