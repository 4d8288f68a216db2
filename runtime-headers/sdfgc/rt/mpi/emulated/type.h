// Types of the emulation: the bytes of a message, and their basic types.
#pragma once

#include "sdfgc/rt/mpi/emulate.h"

#include <complex>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace sdfgc::mpi::emulated {

constexpr std::size_t sizes[] = {1, sizeof(bool), 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 8, 16};
constexpr const char *names[] = {"bytes",  "bool",   "int8",   "int16",   "int32",   "int64",     "uint8",
                                 "uint16", "uint32", "uint64", "float32", "float64", "complex64", "complex128"};
inline std::size_t sizeOf(Basic b) { return sizes[static_cast<std::size_t>(b)]; }

/// Elements of one basic type one after the other.
struct Run {
    std::ptrdiff_t offset;
    Basic basic;
    std::size_t count;
};

struct Type {
    std::vector<Run> runs; // in the order of the message
    std::ptrdiff_t extent = 0;
    bool isCommitted = false, isBasic = false;

    void append(const Type &item, std::ptrdiff_t at) {
        for (const Run &r : item.runs) {
            Run *last = runs.empty() ? nullptr : &runs.back();
            if (last && last->basic == r.basic &&
                last->offset + static_cast<std::ptrdiff_t>(last->count * sizeOf(last->basic)) == r.offset + at)
                last->count += r.count;
            else
                runs.push_back({r.offset + at, r.basic, r.count});
        }
    }
};

/// Kinds and numbers of the elements of a message, without their positions.
using Signature = std::vector<std::pair<Basic, std::size_t>>;

inline Signature signatureOf(const Type &type, std::int64_t count) {
    Signature out;
    for (std::int64_t i = 0; i < count; ++i)
        for (const Run &r : type.runs) {
            if (!out.empty() && out.back().first == r.basic)
                out.back().second += r.count;
            else
                out.emplace_back(r.basic, r.count);
            if (type.runs.size() == 1) { // all items are alike: no need to count them one by one
                out.back().second += r.count * static_cast<std::size_t>(count - 1);
                return out;
            }
        }
    return out;
}

inline std::string text(const Signature &s) {
    std::string out;
    for (const auto &[basic, count] : s)
        out += (out.empty() ? "" : " and ") + std::to_string(count) + " " + names[static_cast<std::size_t>(basic)];
    return out.empty() ? "nothing" : out;
}

/// Calls visit(bytes, size) for each piece of memory of `count` items.
template <class Visit> void forEachPiece(const void *data, std::int64_t count, const Type &type, Visit visit) {
    char *base = static_cast<char *>(const_cast<void *>(data));
    for (std::int64_t i = 0; i < count; ++i)
        for (const Run &r : type.runs)
            visit(base + i * type.extent + r.offset, r.count * sizeOf(r.basic));
}

inline std::vector<char> packed(const void *data, std::int64_t count, const Type &type) {
    std::vector<char> out;
    forEachPiece(data, count, type, [&](const char *from, std::size_t n) { out.insert(out.end(), from, from + n); });
    return out;
}
/// Fills the memory from `bytes`, as far as they reach.
inline void unpack(const std::vector<char> &bytes, void *data, std::int64_t count, const Type &type) {
    std::size_t at = 0;
    forEachPiece(data, count, type, [&](char *to, std::size_t n) {
        n = std::min(n, bytes.size() - at);
        if (n > 0)
            std::memcpy(to, bytes.data() + at, n);
        at += n;
    });
}

} // namespace sdfgc::mpi::emulated
