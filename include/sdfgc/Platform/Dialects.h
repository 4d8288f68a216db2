// The languages of GPU programs: the table Dialects.def.
#pragma once

#include "sdfgc/Platform/Libraries.h"

#include <span>
#include <string_view>

namespace sdfgc::platform {

/// A row of Dialects.def, which documents the fields. Lists are words separated by blanks.
struct Dialect {
    std::string_view name, title;
    Device device = Device::Cuda;
    std::string_view compiler, variables, customary, language, suffix, words, prefixes;
};

/// The dialects, in table order.
std::span<const Dialect> dialects();
/// Returns the dialect of a target by name; null for targets without a GPU.
const Dialect *dialect(std::string_view target);
/// Returns the dialect of a source file by name, or null.
const Dialect *dialectOfFile(std::string_view path);
/// Returns the dialect that a word of a program belongs to (`cublasHandle_t`, `rocblas_dgemm`), or null.
const Dialect *dialectOfWord(std::string_view word);

} // namespace sdfgc::platform
