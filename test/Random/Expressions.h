// Code of tasklets: Python expressions of a wanted kind over what a tasklet can read.
#pragma once

#include "../RandomNumbers.h"

#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::random {

using Random = test::RandomNumbers;

enum class Kind { Bool, Integer, Real, Complex };
Kind kindOf(std::string_view type);

/// Something that an expression can mention.
struct Leaf {
    std::string text;
    Kind kind;
    bool isLarge = false; // may be far from zero: sums that grow
};

class Expressions {
public:
    Expressions(Random &r, const std::vector<Leaf> &leaves) : random_(r), leaves_(leaves) {}

    /// A value for an element of that type. It is finite, and small enough that no sum or product of a few such values overflows.
    std::string value(std::string_view type);
    /// A whole number from -8 to 8 (of bool: anything), of which sums and extrema are the same in every order.
    std::string whole(std::string_view type);
    /// 1 or -1, of which products are.
    std::string sign(std::string_view type);
    std::string condition() { return boolean(2); }

private:
    std::string any(Kind kind, int depth);
    std::string boolean(int depth);
    std::string integer(int depth);
    std::string real(int depth);
    std::string complexNumber(int depth);
    const Leaf *leaf(Kind kind);
    std::string comparison(int depth);

    Random &random_;
    const std::vector<Leaf> &leaves_;
};

} // namespace sdfgc::random
