// Memory of an interpreted program: buffers that know of each element when it was written and read.
#pragma once

#include "sdfgc/Support/Name.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace sdfgc::interpret {

/// When something happened: tasks (a tasklet, a copy) are numbered in the order in which they are executed.
using Time = uint64_t;
inline constexpr Time never = 0;
inline constexpr Time beforeTheCall = 1; // by the caller

/// When an element was accessed, and by which of the machine's sites: one word, which is always stored as a whole. (A part of it that is
/// stored on its own lets the processor wait when the word is read soon afterwards, as by a tasklet that reads what it writes.)
struct Stamp {
    static constexpr unsigned siteBits = 20;
    Time time : 63 - siteBits = never;
    Time updates : 1 = 0; // a write with conflict resolution
    Time site : siteBits = 0;
};

/// What is remembered of one element: its last write and its last read.
struct Cell {
    Stamp written, read;
};
static_assert(sizeof(Cell) == 16);

/// Where memory is, for the tree: a graph that is interpreted has one memory for all.
enum class Space : uint8_t { Host, Device, Both };

/// The memory of one container. A cell is as large as an element of the container that the buffer was made for.
struct Buffer : std::enable_shared_from_this<Buffer> {
    /// Memory of the caller, `elements` of `unit` bytes, all of which have values.
    Buffer(Name container, std::byte *memory, int64_t elements, int64_t unit)
        : container(container), memory(memory), bytes(elements * unit), unit(unit),
          cells(static_cast<std::size_t>(elements), Cell{{beforeTheCall}, {}}) {}
    /// Memory of the caller whose size nobody knows: it is as large as what is accessed.
    Buffer(Name container, std::byte *memory, int64_t unit)
        : container(container), memory(memory), bytes(0), unit(unit), isOpen(true) {}
    /// Memory of its own, without values.
    Buffer(Name container, int64_t elements, int64_t unit)
        : container(container), own(static_cast<std::size_t>(elements * unit)), memory(own.data()), bytes(elements * unit),
          unit(unit), cells(static_cast<std::size_t>(elements)) {}
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;

    /// Lets a cell be `bytes` large, where memory is looked at in smaller elements than those it was made for.
    void refine(int64_t finer) {
        if (finer <= 0 || finer >= unit || unit % finer != 0)
            return;
        std::vector<Cell> all;
        for (const Cell &c : cells)
            all.insert(all.end(), static_cast<std::size_t>(unit / finer), c);
        cells = std::move(all);
        unit = finer;
        shift = shiftOf(unit);
    }
    /// Lets memory of the caller be at least `least` bytes large. It has values.
    void reach(int64_t least) {
        bytes = std::max(bytes, least);
        cells.resize(static_cast<std::size_t>((bytes + unit - 1) / unit), Cell{{beforeTheCall}, {}});
    }
    /// Are these bytes in it?
    bool holds(int64_t offset, int64_t size) {
        if (offset >= 0 && isOpen)
            reach(offset + size);
        return offset >= 0 && offset + size <= bytes;
    }
    /// The number of the cell of a byte.
    int64_t cellOf(int64_t offset) const { return shift >= 0 ? offset >> shift : offset / unit; }
    /// Has anything written all of these bytes?
    bool hasValue(int64_t offset, int64_t size) const {
        for (int64_t c = cellOf(offset), end = cellOf(offset + size - 1); c <= end; ++c)
            if (cells[static_cast<std::size_t>(c)].written.time == never)
                return false;
        return true;
    }
    /// Lets them be as if nothing had.
    void forget(int64_t offset, int64_t size) {
        for (int64_t c = cellOf(offset), end = cellOf(offset + size - 1); c <= end; ++c)
            cells[static_cast<std::size_t>(c)].written = {};
    }
    /// Does the program allocate it, rather than its caller?
    bool isOwn() const { return !own.empty(); }
    /// As new, without values.
    void forget() { cells.assign(cells.size(), Cell{}); }
    /// Other memory of its own, without values, for elements of `size` bytes. Addresses in the buffer now mean the new memory.
    void renew(int64_t elements, int64_t size, std::byte content) {
        unit = size;
        shift = shiftOf(unit);
        own.assign(static_cast<std::size_t>(elements * unit), content);
        memory = own.data();
        bytes = elements * unit;
        cells.assign(static_cast<std::size_t>(elements), Cell{});
        isReleased = false;
    }
    /// Gives the memory back. Who uses it from then on is reported.
    void release() {
        renew(0, unit, std::byte(0));
        isReleased = true;
    }

    Name container;
    std::vector<std::byte> own;
    std::byte *memory;
    int64_t bytes, unit;
    int shift = shiftOf(unit); // unit is 2 ** shift; -1 if it is no power of two
    std::vector<Cell> cells;
    static int shiftOf(int64_t unit) {
        return std::has_single_bit(static_cast<uint64_t>(unit)) ? std::countr_zero(static_cast<uint64_t>(unit)) : -1;
    }
    bool isShared = true; // false: each thread has its own; nothing is said about the order of accesses
    bool isReleased = false;
    bool isOpen = false;
    Space space = Space::Host;
};

/// An address: what a register of a pointer type holds.
struct Pointer {
    Buffer *buffer = nullptr;
    int64_t offset = 0; // bytes
};

} // namespace sdfgc::interpret
