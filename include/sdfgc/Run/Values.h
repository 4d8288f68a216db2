// Numbers as text, in generators and in memory, for every element type that NumPy or sdfgc knows.
#pragma once

#include "sdfgc/Types/Type.h"

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sdfgc::run {

/// A number of any kind: integers are exact, others are rounded to the element type when they are stored.
struct Number {
    bool isInteger = false;
    int64_t integer = 0;
    std::complex<double> value; // also when it is an integer
};

/// `100`, `-2.5`, `1e-3`, `inf`, `nan`, `true`, `False`, `1+2j`, `3j`. Nothing for other text.
std::optional<Number> parseNumber(std::string_view text);

/// Appends the bytes of a number as an element of a scalar type. False when the type cannot hold it: a fraction, a value out of
/// range or a complex number where there is no room for it.
bool store(Type type, const Number &n, std::string &out);

/// The value of the bytes of one element, as text: `2.5`, `(1+2j)`, `True`.
std::string textOf(Type type, std::string_view bytes);
/// The value as a number; the real part of a complex one.
double valueOf(Type type, std::string_view bytes);

/// `[4, 8]`
std::string shapeText(const std::vector<int64_t> &shape);

/// A generator of random numbers that gives the same numbers on every machine (xoshiro256**, seeded by splitmix64).
class Random {
public:
    explicit Random(uint64_t seed);
    uint64_t next();
    /// In [0, 1), all 53 bits random.
    double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

private:
    uint64_t state_[4];
};

} // namespace sdfgc::run
