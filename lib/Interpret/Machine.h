// The machine that executes a graph: instructions over registers, accesses to containers, and reports.
//
// A graph is translated to steps and code once (Plan.h). Code is a list of instructions, each a function with the addresses of its
// registers. Graphs have no recursion and one task runs at a time, so every value has its own register permanently.
#pragma once

#include "Memory.h"
#include "Order.h"

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Interpret/Interpret.h"

#include <chrono>
#include <deque>
#include <map>
#include <set>

namespace sdfgc::interpret {

class Machine;
struct Instruction;

/// Executes an instruction and returns the next one; null at the end.
using Operation = const Instruction *(*)(const Instruction *, Machine &);

struct Instruction {
    Operation run;
    std::byte *to = nullptr;
    const std::byte *a = nullptr, *b = nullptr;
    int64_t n = 1;               // lanes, bytes, or how far to jump
    const void *extra = nullptr; // an Access, ...
};

/// The data that an instruction keeps between its runs, in `extra`.
template <class T> T &ownOf(const Instruction *i) { return *static_cast<T *>(const_cast<void *>(i->extra)); }

/// Instructions in order; the last one ends.
class Code {
public:
    Code() = default;
    explicit Code(std::vector<Instruction> list) : list_(std::move(list)) {}
    void run(Machine &m) const { resume(list_.data(), m); }
    /// Runs from an instruction of the code on, until one has no successor.
    static void resume(const Instruction *i, Machine &m) {
        while (i)
            i = i->run(i, m);
    }
    const Instruction *begin() const { return list_.data(); }
    bool empty() const { return list_.size() <= 1; }

private:
    std::vector<Instruction> list_;
};

/// A value in a register.
struct Operand {
    Type type;
    std::byte *at = nullptr;
    explicit operator bool() const { return at != nullptr; }
};

template <class T> T &as(std::byte *at) { return *reinterpret_cast<T *>(at); }
template <class T> const T &as(const std::byte *at) { return *reinterpret_cast<const T *>(at); }

/// A queue of elements, or several (stream arrays).
struct Queue {
    std::deque<std::vector<std::byte>> elements;
};

struct Access;

/// The sizes and layout of a container as functions of symbols.
struct Layout {
    Code code;
    std::vector<const int64_t *> shape, strides, offset;
    const int64_t *total = nullptr, *start = nullptr;
    bool isFixed = false; // only constants
};

/// A container in its current state.
struct Container {
    /// A container without memory, of size 0 in each dimension.
    Container(Name name, const ir::DataDesc &desc);
    Name name;
    const ir::DataDesc *desc;
    Type type;                                   // of an element
    int64_t unit;                                // its size in bytes
    std::shared_ptr<Buffer> buffer;              // none: not allocated, no array given, a reference that is not set
    int64_t start = 0;                           // offset of its first element in the buffer, in bytes
    std::vector<int64_t> shape, strides, offset; // in elements
    int64_t total = 0;                           // elements to allocate
    std::shared_ptr<std::vector<Queue>> queues;  // of a stream
    Layout layout;
    bool zeroed = false;        // new memory is zeros
    int64_t held = 0;           // maximum number of bytes allocated for it
    std::size_t firstQueue = 0; // of a stream: index of its first queue
    std::string astray;         // of an argument that is passed elements outside of the shape: which ones; it has no memory then

    /// Computes sizes and layout from the current values of symbols. Negative sizes are reported if memory is allocated by them.
    void measure(Machine &m, bool allocated = true);
    /// Allocates memory without values, or queues without elements.
    void allocate(Machine &m);
    /// Makes it an alias for the memory at an address.
    void standAt(Pointer p);
    /// Makes it an alias for all of another container, whose elements have the same indices.
    void standFor(const Container &all);
    /// Makes it an alias for another container from an element on: for its memory, or its queues.
    void standFor(const Access &first, Machine &m);
    /// The queue of a stream at an element; null if there is none.
    Queue *queue(const Access &x) const;
};

/// A point at which a graph accesses a container, for reports.
struct Site {
    std::string element; // `f: state main, tasklet mul`
    std::string subset;  // `A[i, 0:N]`
    ir::DebugInfo debugInfo;
    uint32_t number; // as stored in cells; 0: one of those beyond the limit
};
inline uint32_t numberOf(const Site *site) { return site ? site->number : 0; } // sizes and constants have none

/// An access to one element of a container at indices in registers.
struct Access {
    Container *container = nullptr;
    std::vector<const int64_t *> index;
    const Site *site = nullptr;
    bool allowOutside = false; // may be outside of the shape, as long as it is inside the memory
};

/// Registers that were created one after the other.
struct Range {
    std::size_t first = 0, last = 0; // chunks of the machine, the last one excluded
};

class Machine {
public:
    explicit Machine(const Options &options) : options(options) {}

    Options options;
    Order order;
    Space space = Space::Host; // where code runs
    std::vector<Report> reports;
    int64_t held = 0; // bytes allocated for containers

    // ---- objects that instructions point to; they live as long as the machine
    std::byte *allocate(int64_t bytes);
    /// Registers created between two calls form a separate range, which can be saved and restored: the registers of a thread.
    void beginRange();
    Range endRange();
    void save(const Range &r, std::vector<std::byte> &to) const;
    void load(const Range &r, const std::vector<std::byte> &from);
    /// Saves all of them.
    std::vector<std::byte> saved() const;
    void load(const std::vector<std::byte> &from) { load({0, chunks_.size()}, from); }
    const Site *site(std::string element, std::string subset, const ir::DebugInfo &where);
    /// An access to the first element of a container; the caller sets its indices.
    Access *access(Container &c, const Site *site);

    // ---- memory of the caller
    /// The buffer that a pointer in memory leads to: the same one each time. `bytes`: its minimum size, as far as known.
    std::shared_ptr<Buffer> behind(std::byte *address, Name container, int64_t bytes, int64_t unit);
    void forgetPointers() { behind_.clear(); }

    // ---- elements
    /// The address of `bytes` starting at an element; if they do not exist, reports this and returns null. Indices outside of the
    /// shape are also reported, but there may be memory.
    std::byte *locate(const Access &x, int64_t bytes, Buffer *&buffer, int64_t &offset) {
        const Container &c = *x.container;
        int64_t element = 0;
        bool inside = true;
        for (std::size_t d = 0; d < x.index.size(); ++d) {
            const int64_t i = *x.index[d] + c.offset[d];
            inside = inside && static_cast<uint64_t>(i) < static_cast<uint64_t>(c.shape[d]);
            element += i * c.strides[d];
        }
        buffer = c.buffer.get();
        offset = c.start + element * c.unit;
        if (inside && buffer && offset >= 0 && offset + bytes <= buffer->bytes) [[likely]]
            return buffer->memory + offset;
        return unusual(x, inside, offset, bytes);
    }
    Pointer addressOf(const Access &x);
    /// If the element's index is outside of the shape in one of these dimensions: the element and the shape.
    std::string outsideOfShape(const Access &x, const std::vector<std::size_t> &dims);
    /// Reports that a container without memory is accessed.
    void reportNoMemory(const Container &c, const Site *site);
    /// The `bytes` of memory at an address; if they are not in the buffer, reports this and returns null.
    std::byte *memoryAt(Pointer p, int64_t bytes, const Site *site);
    /// Records that `bytes` are read, written with `value`, or updated with conflict resolution.
    void noteRead(Buffer &b, int64_t offset, int64_t bytes, const Site *site) {
        for (int64_t c = b.cellOf(offset), end = b.cellOf(offset + bytes - 1); c <= end; ++c) {
            Cell &cell = b.cells[static_cast<std::size_t>(c)];
            if (cell.written.time == never || !order.isBefore(cell.written.time))
                suspicious(b, c, Fault::Read, site);
            if (order.isBefore(cell.read.time))
                cell.read = {order.now, 0, numberOf(site)};
        }
    }
    void noteWrite(Buffer &b, int64_t offset, int64_t bytes, const std::byte *value, const Site *site) {
        for (int64_t c = b.cellOf(offset), end = b.cellOf(offset + bytes - 1); c <= end; ++c) {
            Cell &cell = b.cells[static_cast<std::size_t>(c)];
            if (!order.isBefore(cell.read.time) || !order.isBefore(cell.written.time))
                conflicting(b, c, offset, bytes, value, site);
            cell.written = {order.now, 0, numberOf(site)};
        }
    }
    void noteUpdate(Buffer &b, int64_t offset, int64_t bytes, const Site *site) {
        for (int64_t c = b.cellOf(offset), end = b.cellOf(offset + bytes - 1); c <= end; ++c) {
            Cell &cell = b.cells[static_cast<std::size_t>(c)];
            if (cell.written.time == never || !order.isBefore(cell.read.time) ||
                (!cell.written.updates && !order.isBefore(cell.written.time)))
                suspicious(b, c, Fault::Update, site);
            cell.written = {order.now, 1, numberOf(site)};
        }
    }

    /// Is there time left? Called by everything that repeats; it reads the clock now and then.
    bool goesOn() { return !stopped_ && ((++ticks_ & 0x3ff) != 0 || hasTime()); }
    bool stopped() const { return stopped_; }
    void startClock();

    // ---- reports
    /// Returns whether this is the first report of its kind at the site.
    bool report(FaultKind kind, const Site *site, std::string what);

private:
    enum class Fault { Read, Update };
    void race(const Buffer &b, int64_t cell, const char *does, const char *did, uint64_t other, const Site *site);
    std::byte *unusual(const Access &x, bool inside, int64_t offset, int64_t bytes);
    void suspicious(Buffer &b, int64_t cell, Fault fault, const Site *site);
    void conflicting(Buffer &b, int64_t cell, int64_t offset, int64_t bytes, const std::byte *value, const Site *site);

    std::deque<Site> sites_;
    std::deque<Access> accesses_;
    struct Chunk {
        std::unique_ptr<std::byte[]> memory;
        std::size_t room, used;
    };
    std::vector<Chunk> chunks_;
    std::vector<std::size_t> rangesBegun_;
    std::map<std::pair<std::byte *, int64_t>, std::shared_ptr<Buffer>> behind_; // by address and size of an element
    bool full_ = true;                                                          // the next register needs a new chunk
    std::set<std::pair<FaultKind, const Site *>> reported_;
    bool hasTime();
    unsigned ticks_ = 0;
    bool stopped_ = false;
    std::chrono::steady_clock::time_point end_{};
};

} // namespace sdfgc::interpret
