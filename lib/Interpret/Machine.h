// The machine on which a graph is executed: instructions over registers, accesses to containers, and what is reported.
//
// A graph is made into steps and code once (Plan.h). Code is a list of instructions: a function with the addresses of its registers.
// Nothing in a graph is recursive, and one task runs at a time, so that every value has a register of its own, for good.
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

/// Does what an instruction says and returns the next one; null at the end.
using Operation = const Instruction *(*)(const Instruction *, Machine &);

struct Instruction {
    Operation run;
    std::byte *to = nullptr;
    const std::byte *a = nullptr, *b = nullptr;
    int64_t n = 1;               // lanes, bytes, or how far to jump
    const void *extra = nullptr; // an Access, ...
};

/// What an instruction keeps between its runs, in `extra`.
template <class T> T &ownOf(const Instruction *i) { return *static_cast<T *>(const_cast<void *>(i->extra)); }

/// Instructions in order; the last one ends.
class Code {
public:
    Code() = default;
    explicit Code(std::vector<Instruction> list) : list_(std::move(list)) {}
    void run(Machine &m) const { resume(list_.data(), m); }
    /// Goes on at an instruction of the code, until one has no next.
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

/// How sizes and layout of a container follow from symbols.
struct Layout {
    Code code;
    std::vector<const int64_t *> shape, strides, offset;
    const int64_t *total = nullptr, *start = nullptr;
    bool isFixed = false; // nothing but constants
};

/// A container as the program has it at a moment.
struct Container {
    /// One that has no memory yet, and nothing in any dimension.
    Container(Name name, const ir::DataDesc &desc);
    Name name;
    const ir::DataDesc *desc;
    Type type;                                   // of an element
    int64_t unit;                                // its size in bytes
    std::shared_ptr<Buffer> buffer;              // none: not allocated, no array given, a reference that is not set
    int64_t start = 0;                           // of its first element in the buffer, in bytes
    std::vector<int64_t> shape, strides, offset; // in elements
    int64_t total = 0;                           // elements to allocate
    std::shared_ptr<std::vector<Queue>> queues;  // of a stream
    Layout layout;
    bool zeroed = false;        // new memory is zeros
    int64_t held = 0;           // bytes that were allocated for it at most
    std::size_t firstQueue = 0; // of a stream: its own first one among the queues

    /// Sizes and layout by the values that symbols have now. Negative sizes are reported where memory is allocated by them.
    void measure(Machine &m, bool allocated = true);
    /// New memory without values, or queues without elements.
    void allocate(Machine &m);
    /// Stands for the memory at an address.
    void standAt(Pointer p);
    /// Stands for what another container has from an element on: memory, or queues.
    void standFor(const Access &first, Machine &m);
    /// The queue of a stream at an element; null where there is none.
    Queue *queue(const Access &x) const;
};

/// Where a graph accesses a container: for reports.
struct Site {
    std::string element; // `f: state main, tasklet mul`
    std::string subset;  // `A[i, 0:N]`
    ir::DebugInfo debugInfo;
    uint32_t number; // as cells remember it; 0: one of those that are too many
};
inline uint32_t numberOf(const Site *site) { return site ? site->number : 0; } // sizes and constants have none

/// An access to one element of a container at indices in registers.
struct Access {
    Container *container = nullptr;
    std::vector<const int64_t *> index;
    const Site *site = nullptr;
    bool allowOutside = false; // of the shape, as long as it is inside of the memory
};

/// Registers that were made one after the other.
struct Range {
    std::size_t first = 0, last = 0; // chunks of the machine, the last one excluded
};

class Machine {
public:
    explicit Machine(const Options &options) : options(options) {}

    Options options;
    Order order;
    Space space = Space::Host; // in which code runs
    std::vector<Report> reports;
    int64_t held = 0; // bytes that were allocated for containers

    // ---- what instructions point to; it lives as long as the machine
    std::byte *allocate(int64_t bytes);
    /// Registers between two calls are a range of their own, which can be kept and brought back: those of a thread.
    void beginRange();
    Range endRange();
    void save(const Range &r, std::vector<std::byte> &to) const;
    void load(const Range &r, const std::vector<std::byte> &from);
    /// All of them.
    std::vector<std::byte> saved() const;
    void load(const std::vector<std::byte> &from) { load({0, chunks_.size()}, from); }
    const Site *site(std::string element, std::string subset, const ir::DebugInfo &where);
    /// An access to the first element of a container; whoever asks gives it indices.
    Access *access(Container &c, const Site *site);

    // ---- memory of the caller
    /// What a pointer in memory leads to: the same buffer each time. `bytes`: how large it is at least, as far as is known.
    std::shared_ptr<Buffer> behind(std::byte *address, Name container, int64_t bytes, int64_t unit);
    void forgetPointers() { behind_.clear(); }

    // ---- elements
    /// The address of `bytes` from an element on; null, and a report, where there are none. Indices outside of the shape are reported,
    /// too, but there may be memory.
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
    /// The memory behind an address, `bytes` long; null, and a report, where it is not in the buffer.
    std::byte *memoryAt(Pointer p, int64_t bytes, const Site *site);
    /// Notes that `bytes` are read, are written as `value` says, or updated with conflict resolution.
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

    /// Is there time left? Asked by everything that repeats; looks at the clock now and then.
    bool goesOn() { return !stopped_ && ((++ticks_ & 0x3ff) != 0 || hasTime()); }
    bool stopped() const { return stopped_; }
    void startClock();

    // ---- reports
    /// Returns whether it is the first one of its kind there.
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
