// Memory of an interpreted program: buffers that record for each element when it was written and read.
#pragma once

#include "sdfgc/Support/Name.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace sdfgc::interpret {

/// Time of an event: tasks (a tasklet, a copy) are numbered in execution order.
using Time = uint64_t;
inline constexpr Time never = 0;
inline constexpr Time beforeTheCall = 1; // by the caller

/// Time of an access to an element and the site in the machine that made it, in one word, which is always stored as a whole.
/// (Storing a part of it separately would stall the processor if the word is read soon afterwards, as by a tasklet that reads what
/// it has just written.)
struct Stamp {
    static constexpr unsigned siteBits = 20;
    Time time : 63 - siteBits = never;
    Time updates : 1 = 0; // a write with conflict resolution
    Time site : siteBits = 0;
};

/// The record of one element: its last write and its last read.
struct Cell {
    Stamp written, read;
};
static_assert(sizeof(Cell) == 16);

/// The location of memory in a tree; an interpreted graph has a single memory.
enum class Space : uint8_t { Host, Device, Both };

/// The memory of one container. A cell is as large as an element of the container for which the buffer was created.
struct Buffer : std::enable_shared_from_this<Buffer> {
    /// Memory of the caller, `elements` of `unit` bytes, all of which have values.
    Buffer(Name container, std::byte *memory, int64_t elements, int64_t unit)
        : container(container), memory(memory), bytes(elements * unit), unit(unit),
          cells(static_cast<std::size_t>(elements), Cell{{beforeTheCall}, {}}) {}
    /// Memory of the caller of unknown size: it is as large as the accesses to it.
    Buffer(Name container, std::byte *memory, int64_t unit)
        : container(container), memory(memory), bytes(0), unit(unit), isOpen(true) {}
    /// Memory allocated here, without values.
    Buffer(Name container, int64_t elements, int64_t unit)
        : container(container), own(static_cast<std::size_t>(elements * unit)), memory(own.data()), bytes(elements * unit),
          unit(unit), cells(static_cast<std::size_t>(elements)) {}
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;

    /// Reduces the cell size to `bytes`, if memory is accessed in smaller elements than those it was created for.
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
    /// Grows memory of the caller to at least `least` bytes. The new part has values.
    void reach(int64_t least) {
        bytes = std::max(bytes, least);
        cells.resize(static_cast<std::size_t>((bytes + unit - 1) / unit), Cell{{beforeTheCall}, {}});
    }
    /// Are these bytes inside the buffer?
    bool holds(int64_t offset, int64_t size) {
        if (offset >= 0 && isOpen)
            reach(offset + size);
        return offset >= 0 && offset + size <= bytes;
    }
    /// The index of the cell that contains a byte.
    int64_t cellOf(int64_t offset) const { return shift >= 0 ? offset >> shift : offset / unit; }
    /// Have all of these bytes been written?
    bool hasValue(int64_t offset, int64_t size) const {
        for (int64_t c = cellOf(offset), end = cellOf(offset + size - 1); c <= end; ++c)
            if (cells[static_cast<std::size_t>(c)].written.time == never)
                return false;
        return true;
    }
    /// Marks them as never written.
    void forget(int64_t offset, int64_t size) {
        for (int64_t c = cellOf(offset), end = cellOf(offset + size - 1); c <= end; ++c)
            cells[static_cast<std::size_t>(c)].written = {};
    }
    /// Is it allocated by the program rather than by its caller?
    bool isOwn() const { return !own.empty(); }
    /// Resets the buffer: no element has a value.
    void forget() { cells.assign(cells.size(), Cell{}); }
    /// Replaces the memory with new memory without values, for elements of `size` bytes. Existing addresses in the buffer then
    /// refer to the new memory.
    void renew(int64_t elements, int64_t size, std::byte content) {
        unit = size;
        shift = shiftOf(unit);
        own.assign(static_cast<std::size_t>(elements * unit), content);
        memory = own.data();
        bytes = elements * unit;
        cells.assign(static_cast<std::size_t>(elements), Cell{});
        isReleased = false;
    }
    /// Frees the memory. Later uses are reported.
    void release() {
        renew(0, unit, std::byte(0));
        isReleased = true;
    }

    Name container;
    std::vector<std::byte> own;
    std::byte *memory;
    int64_t bytes, unit;
    int shift = shiftOf(unit); // unit is 2 ** shift; -1 if it is not a power of two
    std::vector<Cell> cells;
    static int shiftOf(int64_t unit) {
        return std::has_single_bit(static_cast<uint64_t>(unit)) ? std::countr_zero(static_cast<uint64_t>(unit)) : -1;
    }
    bool isShared = true; // false: private to each thread; the order of accesses is not checked
    bool isReleased = false;
    bool isOpen = false;
    Space space = Space::Host;
};

/// An address, the value of a register of pointer type.
struct Pointer {
    Buffer *buffer = nullptr;
    int64_t offset = 0; // bytes
};

} // namespace sdfgc::interpret
