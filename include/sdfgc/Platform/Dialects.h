// The languages of GPU programs: the table Dialects.def.
#pragma once

#include "sdfgc/Platform/Libraries.h"

#include <span>
#include <string_view>

namespace sdfgc::platform {

/// A row of Dialects.def, which says what the fields mean. Lists are words with a blank between them.
struct Dialect {
    std::string_view name, title;
    Device device = Device::Cuda;
    std::string_view compiler, variables, customary, language, suffix, words, prefixes;
};

/// The dialects, in the order of the table.
std::span<const Dialect> dialects();
/// The dialect that a target is printed in, by the target's name; null for targets without a GPU.
const Dialect *dialect(std::string_view target);
/// The dialect of a source file, by its name; null for others.
const Dialect *dialectOfFile(std::string_view path);
/// The dialect that a word of a program belongs to (`cublasHandle_t`, `rocblas_dgemm`), or null.
const Dialect *dialectOfWord(std::string_view word);

} // namespace sdfgc::platform
