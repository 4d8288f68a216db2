// Numbers as text, generated numbers, and numbers in memory, for every element type that NumPy or sdfgc supports.
#pragma once

#include "sdfgc/Types/Type.h"

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sdfgc::run {

/// A number of any kind: integers are exact; others are rounded to the element type when stored.
struct Number {
    bool isInteger = false;
    int64_t integer = 0;
    std::complex<double> value; // also set for integers
};

/// Parses `100`, `-2.5`, `1e-3`, `inf`, `nan`, `true`, `False`, `1+2j`, `3j`. Returns nothing for other text.
std::optional<Number> parseNumber(std::string_view text);

/// Appends the bytes of a number as an element of a scalar type. Returns false if the type cannot hold it: a fraction,
/// an out-of-range value, or a complex number for a real type.
bool store(Type type, const Number &n, std::string &out);

/// Returns the value of an element's bytes as text: `2.5`, `(1+2j)`, `True`.
std::string textOf(Type type, std::string_view bytes);
/// Returns the value as a number; the real part if it is complex.
double valueOf(Type type, std::string_view bytes);

/// `[4, 8]`
std::string shapeText(const std::vector<int64_t> &shape);

/// A random number generator with the same sequence on every machine (xoshiro256**, seeded by splitmix64).
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
