// Loads and stores, with all of their checks.
#include "Builder.h"

#include "../Values.h"

#include <cstring>

namespace sdfgc::interpret {

namespace {

template <int64_t known> int64_t bytesOf(const Instruction *i) { return known ? known : i->n; }

template <int64_t known> void copyBytes(std::byte *to, const std::byte *from, int64_t bytes) {
    std::memcpy(to, from, static_cast<std::size_t>(known ? known : bytes));
}

template <int64_t known> const Instruction *load(const Instruction *i, Machine &m) {
    const Access &x = *static_cast<const Access *>(i->extra);
    const int64_t bytes = bytesOf<known>(i);
    Buffer *buffer = nullptr;
    int64_t offset = 0;
    if (const std::byte *at = m.locate(x, bytes, buffer, offset)) {
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
    if (std::byte *at = m.locate(x, bytes, buffer, offset)) {
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
    const std::byte *at = m.locate(x, i->n, buffer, offset);
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
    if (std::byte *at = m.locate(x, i->n, buffer, offset)) {
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

// ---------------------------------------------------------------------------------------------------- construction

Operand Builder::load(const Access *x, Type t, bool update) {
    const Operand out = reserve(t);
    const int64_t bytes = sizeOf(t);
    emit({update ? loadElementOld : loadElement(bytes), out.at, nullptr, nullptr, bytes, x});
    return out;
}

void Builder::store(const Access *x, Operand value, bool update) {
    const int64_t bytes = sizeOf(value.type);
    emit({update ? storeElementUpdate : storeElement(bytes), nullptr, value.at, nullptr, bytes, x});
}

Operand Builder::loadAt(Operand pointer, Type t, bool update) {
    const Operand out = reserve(t);
    emit({update ? loadAtOld : interpret::loadAt, out.at, pointer.at, nullptr, sizeOf(t), site_});
    return out;
}

void Builder::storeAt(Operand pointer, Operand value, bool update) {
    emit({update ? storeAtUpdate : interpret::storeAt, nullptr, pointer.at, value.at, sizeOf(value.type), site_});
}

Operand Builder::addressOf(const Access *x, Type pointee) {
    const Operand out = reserve(Type::pointer(pointee));
    emit({addressElement, out.at, nullptr, nullptr, 1, x});
    return out;
}

Operand Builder::advance(Operand pointer, Operand index) {
    const Operand i = convert(index, ScalarKind::Int64), out = reserve(pointer.type);
    emit({interpret::advance, out.at, pointer.at, i.at, std::max<int64_t>(sizeOf(pointer.type.element()), 1)});
    return out;
}

} // namespace sdfgc::interpret
