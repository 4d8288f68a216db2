// NumPy files (.npy, format versions 1 to 3: numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
#pragma once

#include "sdfgc/Support/Result.h"
#include "sdfgc/Types/Type.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::run {

/// NumPy's element type of an array: kind `b` (bool), `i`, `u`, `f`, `c` or `V` (raw bytes), and bytes per element.
struct Dtype {
    char kind = 'f';
    int size = 8;
    /// `float64`, `complex64`, `bool`, `void16`: for messages.
    std::string name() const;
    friend bool operator==(const Dtype &, const Dtype &) = default;
};

/// Returns the element type for values of a scalar type. Formats unknown to NumPy (bfloat16, 8-bit floats) become
/// unsigned integers with their bits. Nothing for types that are not numbers.
std::optional<Dtype> dtypeOf(Type t);

/// An array in memory: row-major, byte order of this machine.
struct NpyArray {
    Dtype dtype;
    std::vector<int64_t> shape;
    std::string data;
    int64_t elements() const;
};

/// Parses the contents of a file: any version, byte order and order of dimensions. Rejects objects, text, dates and
/// records.
Result<NpyArray> parseNpy(std::string_view file);
/// Returns the contents of a file of version 1.0.
std::string npyText(const NpyArray &a);

} // namespace sdfgc::run
