// gzip in memory (RFC 1952), for .sdfgz files and reproducers.
#pragma once

#include "sdfgc/Support/Result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace sdfgc::gzip {

/// Do the bytes start like a gzip file (1f 8b)?
bool isCompressed(std::string_view bytes);

/// Returns the contents of all members of a gzip file. Fails on corrupt or truncated data, and beyond `maxBytes`, so
/// that a small file cannot exhaust the memory.
Result<std::string> inflate(std::string_view bytes, std::uint64_t maxBytes);

/// Returns a single member without a time stamp or a name, so the same content gives the same bytes. `level`: 1 (fast)
/// to 9 (small).
Result<std::string> deflate(std::string_view content, int level = 6);

} // namespace sdfgc::gzip
