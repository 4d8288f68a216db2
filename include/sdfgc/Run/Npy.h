// NumPy's files (.npy, format versions 1 to 3: numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
#pragma once

#include "sdfgc/Support/Result.h"
#include "sdfgc/Types/Type.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::run {

/// Element type of an array as NumPy names it: kind `b` (bool), `i`, `u`, `f`, `c` or `V` (raw bytes), and bytes per element.
struct Dtype {
    char kind = 'f';
    int size = 8;
    /// `float64`, `complex64`, `bool`, `void16`: for messages.
    std::string name() const;
    friend bool operator==(const Dtype &, const Dtype &) = default;
};

/// The element type that holds values of a scalar type; formats that NumPy does not know (bfloat16, 8-bit floats) are unsigned
/// integers of their bits. Nothing for types that are no numbers.
std::optional<Dtype> dtypeOf(Type t);

/// An array in memory: row-major, byte order of this machine.
struct NpyArray {
    Dtype dtype;
    std::vector<int64_t> shape;
    std::string data;
    int64_t elements() const;
};

/// Reads the text of a file: any version, both byte orders, both orders of dimensions. Objects, text, dates and records are
/// refused.
Result<NpyArray> parseNpy(std::string_view file);
/// The text of a file of version 1.0.
std::string npyText(const NpyArray &a);

} // namespace sdfgc::run
