// Loads and stores, with everything that is checked at them.
#include "Operations.h"

#include <cstring>

namespace sdfgc::interpret {

namespace {

template <int64_t known> int64_t bytesOf(const Instruction *i) { return known ? known : i->n; }

template <int64_t known> void copyBytes(std::byte *to, const std::byte *from, int64_t bytes) {
    std::memcpy(to, from, static_cast<std::size_t>(known ? known : bytes));
}

/// The memory of an access, `bytes` long from the element on.
std::byte *wide(const Access &x, int64_t bytes, Machine &m, Buffer *&buffer, int64_t &offset) {
    std::byte *at = m.locate(x, buffer, offset);
    if (at && bytes > x.container->unit)
        return m.memoryAt({buffer, offset}, bytes, x.site);
    return at;
}

template <int64_t known> const Instruction *load(const Instruction *i, Machine &m) {
    const Access &x = *static_cast<const Access *>(i->extra);
    const int64_t bytes = bytesOf<known>(i);
    Buffer *buffer = nullptr;
    int64_t offset = 0;
    if (const std::byte *at = wide(x, bytes, m, buffer, offset)) {
        m.noteRead(*buffer, offset, bytes, x.site);
        copyBytes<known>(i->to, at, bytes);
    } else {
        std::memset(i->to, 0, static_cast<std::size_t>(bytes));
    }
    return i + 1;
}

template <int64_t known> const Instruction *store(const Instruction *i, Machine &m) {
    const Access &x = *static_cast<const Access *>(i->extra);
    const int64_t bytes = bytesOf<known>(i);
    Buffer *buffer = nullptr;
    int64_t offset = 0;
    if (std::byte *at = wide(x, bytes, m, buffer, offset)) {
        m.noteWrite(*buffer, offset, bytes, i->a, x.site);
        copyBytes<known>(at, i->a, bytes);
    }
    return i + 1;
}

} // namespace

Operation loadElement(int64_t bytes) { return bytes == 8 ? load<8> : bytes == 4 ? load<4> : load<0>; }
Operation storeElement(int64_t bytes) { return bytes == 8 ? store<8> : bytes == 4 ? store<4> : store<0>; }

const Instruction *loadElementOld(const Instruction *i, Machine &m) {
    const Access &x = *static_cast<const Access *>(i->extra);
    Buffer *buffer = nullptr;
    int64_t offset = 0;
    const std::byte *at = wide(x, i->n, m, buffer, offset);
    if (at)
        std::memcpy(i->to, at, static_cast<std::size_t>(i->n));
    else
        std::memset(i->to, 0, static_cast<std::size_t>(i->n));
    return i + 1;
}

const Instruction *storeElementUpdate(const Instruction *i, Machine &m) {
    const Access &x = *static_cast<const Access *>(i->extra);
    Buffer *buffer = nullptr;
    int64_t offset = 0;
    if (std::byte *at = wide(x, i->n, m, buffer, offset)) {
        m.noteUpdate(*buffer, offset, i->n, x.site);
        std::memcpy(at, i->a, static_cast<std::size_t>(i->n));
    }
    return i + 1;
}

const Instruction *addressElement(const Instruction *i, Machine &m) {
    as<Pointer>(i->to) = m.addressOf(*static_cast<const Access *>(i->extra));
    return i + 1;
}

const Instruction *advance(const Instruction *i, Machine &) {
    Pointer p = as<Pointer>(i->a);
    p.offset += as<int64_t>(i->b) * i->n;
    as<Pointer>(i->to) = p;
    return i + 1;
}

const Instruction *loadAt(const Instruction *i, Machine &m) {
    const Pointer p = as<Pointer>(i->a);
    const auto *site = static_cast<const Site *>(i->extra);
    if (const std::byte *at = m.memoryAt(p, i->n, site)) {
        m.noteRead(*p.buffer, p.offset, i->n, site);
        std::memcpy(i->to, at, static_cast<std::size_t>(i->n));
    } else {
        std::memset(i->to, 0, static_cast<std::size_t>(i->n));
    }
    return i + 1;
}

const Instruction *storeAt(const Instruction *i, Machine &m) {
    const Pointer p = as<Pointer>(i->a);
    const auto *site = static_cast<const Site *>(i->extra);
    if (std::byte *at = m.memoryAt(p, i->n, site)) {
        m.noteWrite(*p.buffer, p.offset, i->n, i->b, site);
        std::memcpy(at, i->b, static_cast<std::size_t>(i->n));
    }
    return i + 1;
}

const Instruction *loadAtOld(const Instruction *i, Machine &m) {
    const std::byte *at = m.memoryAt(as<Pointer>(i->a), i->n, static_cast<const Site *>(i->extra));
    if (at)
        std::memcpy(i->to, at, static_cast<std::size_t>(i->n));
    return i + 1;
}

const Instruction *storeAtUpdate(const Instruction *i, Machine &m) {
    const Pointer p = as<Pointer>(i->a);
    const auto *site = static_cast<const Site *>(i->extra);
    if (std::byte *at = m.memoryAt(p, i->n, site)) {
        m.noteUpdate(*p.buffer, p.offset, i->n, site);
        std::memcpy(at, i->b, static_cast<std::size_t>(i->n));
    }
    return i + 1;
}

} // namespace sdfgc::interpret
