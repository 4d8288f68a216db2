// 128-bit content hashes: equal content gives an equal digest in every run and on every machine.
//
// The function is MurmurHash3 x64 128 (Austin Appleby, public domain): several GB/s, good dispersion, but no protection
// against deliberate collisions, which cache keys do not need.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sdfgc {

struct Digest {
    std::uint64_t high = 0, low = 0;
    /// Returns 32 hexadecimal digits.
    std::string hex() const;
    friend auto operator<=>(const Digest &, const Digest &) = default;
};

class Hasher {
public:
    /// Appends bytes: add("ab") and add("a"), add("b") give the same digest.
    Hasher &add(std::string_view bytes);
    /// Appends a field with its length: fields("ab","") and fields("a","b") differ.
    Hasher &field(std::string_view bytes);
    Digest digest() const;

private:
    void block(const char *bytes);
    std::uint64_t h1_ = 0, h2_ = 0, length_ = 0;
    std::array<char, 16> rest_{}; // the last length_ % 16 bytes, not yet mixed in
};

/// Returns the digest of a text.
Digest hashOf(std::string_view bytes);

} // namespace sdfgc
