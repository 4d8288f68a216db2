// The values of an input: the contents of arrays and scalars.
#pragma once

#include "sdfgc/Run/Arguments.h"
#include "sdfgc/Run/Values.h"

namespace sdfgc::validate {

enum class Values : uint8_t {
    Plain,   // quarters from -4 to 4, many of them equal; integers that may be indices. Sums of them are exact in any order
    Ordered, // ascending, the same integers
    Real,    // numbers that every operation rounds; nonzero integers from -4 to 4
    Special, // every second one is NaN, an infinity, a signed zero or a subnormal number; integers as in Plain
    Extreme  // the same, or the largest number; every second integer is one of the largest or smallest of its type
};
std::string_view name(Values v);

/// Fills arguments with values. `indices`: integers of Plain and Ordered are below it. `finite`: as in InputOptions. Padding is not
/// changed.
class Filler {
public:
    Filler(Values values, int64_t indices, bool finite, uint64_t seed)
        : values_(values), indices_(indices), finite_(finite), random_(seed) {}
    void fill(run::Argument &a);

private:
    void append(Type type, int64_t position, std::string &out);
    double real(Type type, int64_t position);
    uint64_t integer(Type type, int64_t position);
    uint64_t below(uint64_t n) { return random_.next() % n; }

    Values values_;
    int64_t indices_;
    bool finite_;
    run::Random random_;
    uint64_t turn_ = 0; // the next special value: neighbours have different ones
};

} // namespace sdfgc::validate
