// MurmurHash3 x64 128, computed incrementally.
#include "sdfgc/Support/Hash.h"

#include <bit>
#include <cstring>

namespace sdfgc {
namespace {

constexpr std::uint64_t c1 = 0x87c37b91114253d5ull, c2 = 0x4cf5ad432745937full;

std::uint64_t mixFirst(std::uint64_t k) { return std::rotl(k * c1, 31) * c2; }
std::uint64_t mixSecond(std::uint64_t k) { return std::rotl(k * c2, 33) * c1; }

std::uint64_t finalMix(std::uint64_t k) {
    k = (k ^ (k >> 33)) * 0xff51afd7ed558ccdull;
    k = (k ^ (k >> 33)) * 0xc4ceb9fe1a85ec53ull;
    return k ^ (k >> 33);
}

/// Little-endian number of `n` <= 8 bytes, independent of the machine.
std::uint64_t load(const char *bytes, std::size_t n) {
    std::uint64_t v = 0;
    if constexpr (std::endian::native == std::endian::little) {
        std::memcpy(&v, bytes, n);
    } else {
        for (std::size_t i = 0; i < n; ++i)
            v |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    }
    return v;
}

} // namespace

std::string Digest::hex() const {
    static constexpr char digits[] = "0123456789abcdef";
    std::string out;
    for (const std::uint64_t half : {high, low})
        for (int shift = 60; shift >= 0; shift -= 4)
            out += digits[(half >> shift) & 15];
    return out;
}

void Hasher::block(const char *bytes) {
    h1_ ^= mixFirst(load(bytes, 8));
    h1_ = (std::rotl(h1_, 27) + h2_) * 5 + 0x52dce729;
    h2_ ^= mixSecond(load(bytes + 8, 8));
    h2_ = (std::rotl(h2_, 31) + h1_) * 5 + 0x38495ab5;
}

Hasher &Hasher::add(std::string_view bytes) {
    const std::size_t held = length_ % 16;
    length_ += bytes.size();
    if (held) {
        const std::size_t n = std::min(16 - held, bytes.size());
        std::memcpy(rest_.data() + held, bytes.data(), n);
        bytes.remove_prefix(n);
        if (held + n < 16)
            return *this;
        block(rest_.data());
    }
    for (; bytes.size() >= 16; bytes.remove_prefix(16))
        block(bytes.data());
    if (!bytes.empty())
        std::memcpy(rest_.data(), bytes.data(), bytes.size());
    return *this;
}

Hasher &Hasher::field(std::string_view bytes) {
    std::array<char, 8> size;
    for (std::size_t i = 0; i < 8; ++i)
        size[i] = static_cast<char>(static_cast<std::uint64_t>(bytes.size()) >> (8 * i));
    return add({size.data(), size.size()}).add(bytes);
}

Digest Hasher::digest() const {
    std::uint64_t h1 = h1_, h2 = h2_;
    const std::size_t held = length_ % 16;
    if (held > 8)
        h2 ^= mixSecond(load(rest_.data() + 8, held - 8));
    if (held > 0)
        h1 ^= mixFirst(load(rest_.data(), held < 8 ? held : 8));
    h1 ^= length_;
    h2 ^= length_;
    h1 += h2;
    h2 += h1;
    h1 = finalMix(h1);
    h2 = finalMix(h2);
    h1 += h2;
    h2 += h1;
    return {h1, h2};
}

Digest hashOf(std::string_view bytes) { return Hasher().add(bytes).digest(); }

} // namespace sdfgc
