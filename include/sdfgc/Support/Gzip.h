// gzip in memory (RFC 1952), for .sdfgz files and reproducers.
#pragma once

#include "sdfgc/Support/Result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace sdfgc::gzip {

/// Whether the bytes start as a gzip file does (1f 8b).
bool isCompressed(std::string_view bytes);

/// The content of all members of a gzip file. Fails on broken or cut data and beyond `maxBytes` of content, so that a small file
/// cannot fill the memory.
Result<std::string> inflate(std::string_view bytes, std::uint64_t maxBytes);

/// One member without a time stamp or a name: the same content gives the same bytes. `level` 1 (fast) to 9 (small).
Result<std::string> deflate(std::string_view content, int level = 6);

} // namespace sdfgc::gzip
