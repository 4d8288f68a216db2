// SHA-256 (FIPS 180-4), for files that other programs verify: every language has it. Cache keys use the faster Hash.h.
#pragma once

#include <string>
#include <string_view>

namespace sdfgc {

/// Returns the digest of a text as 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

} // namespace sdfgc
