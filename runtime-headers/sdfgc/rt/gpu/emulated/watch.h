// Observes the memory that the nodes of a graph use, to find pairs of unordered nodes that use the same memory. Part of
// gpu_emulate.cpp.
//
// Rules: during a graph's launch, device memory is closed at the beginning of every node, so each 64th part of an allocation faults
// when a node first reads or writes it. Unordered nodes that use the same part, at least one of them writing, may still use
// different elements of it. So memory is restored to its state before the launch, and the nodes run again in the same order,
// single-stepped in shared parts. That gives the exact addresses (and instruction.h the widths), so there are no false alarms.
// Further bytes that an instruction writes are found by comparing. Atomic updates of the same element need no order.
#pragma once

#include "sdfgc/rt/gpu/emulated/graph.h"
#include "sdfgc/rt/gpu/emulated/instruction.h"

namespace sdfgc::gpu::emulate {

/// A range of addresses.
struct Range {
    uintptr_t begin, end;
};

/// Ranges that are added in any order and then queried.
class Ranges {
public:
    void add(Range range) { all_.push_back(range); }
    void seal() {
        std::sort(all_.begin(), all_.end(), [](const Range &a, const Range &b) { return a.begin < b.begin; });
        size_t kept = 0;
        for (const Range &r : all_)
            if (kept > 0 && r.begin <= all_[kept - 1].end)
                all_[kept - 1].end = std::max(all_[kept - 1].end, r.end);
            else
                all_[kept++] = r;
        all_.resize(kept);
    }
    /// The first common address; 0 if there is none.
    uintptr_t meets(const Ranges &other) const {
        for (size_t i = 0, j = 0; i < all_.size() && j < other.all_.size();) {
            const Range &a = all_[i], &b = other.all_[j];
            if (a.begin < b.end && b.begin < a.end)
                return std::max(a.begin, b.begin);
            a.end <= b.end ? ++i : ++j;
        }
        return 0;
    }
    bool has(const Range &range) const {
        const auto next = std::upper_bound(all_.begin(), all_.end(), range.begin,
                                           [](uintptr_t value, const Range &r) { return value < r.begin; });
        return (next != all_.begin() && std::prev(next)->end > range.begin) || (next != all_.end() && next->begin < range.end);
    }
    const std::vector<Range> &all() const { return all_; }

private:
    std::vector<Range> all_;
};

#ifdef __x86_64__

/// A list of fixed capacity in separate memory, which a signal handler can append to: pages are allocated when first accessed.
template <class T> class FixedList {
public:
    explicit FixedList(size_t capacity) : capacity_(capacity) {
        void *const memory =
            mmap(nullptr, capacity * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED)
            capacity_ = 0;
        else
            data_ = static_cast<T *>(memory);
    }
    FixedList(const FixedList &) = delete;
    FixedList &operator=(const FixedList &) = delete;
    ~FixedList() {
        if (data_)
            munmap(static_cast<void *>(data_), capacity_ * sizeof(T));
    }
    /// Space for `count` more; null, from then on, if the list is full.
    T *add(size_t count = 1) {
        if (count > capacity_ - size_) {
            full_ = true;
            return nullptr;
        }
        size_ += count;
        return data_ + (size_ - count);
    }
    bool full() const { return full_; }
    void clear() { size_ = 0; }
    T *begin() { return data_; }
    T *end() { return data_ + size_; }

private:
    T *data_ = nullptr;
    size_t capacity_, size_ = 0;
    bool full_ = false;
};

class AccessWatch final : public FaultWatch {
public:
    AccessWatch(Device &device, size_t nodes) : device_(device), outer_(current_), used_(nodes), exact_(nodes) {
        current_ = this;
        device.watch = this;
    }
    ~AccessWatch() override {
        current_ = outer_;
        device_.watch = outer_;
    }

    /// The watch of the running graph, or of its body; null if none.
    static AccessWatch *current() { return current_; }
    /// Is it single-stepping now?
    bool steps() const { return stepping_; }

    /// The node whose kernel, copy, fill or body runs next.
    void beginNode(size_t node) { node_ = node; }
    /// Saves the page-locked blocks that its kernel may write for rewind(): those that its pointers refer to, or all if arguments
    /// may contain pointers.
    void keepPinned(const std::vector<const volatile void *> &pointers, bool hasClasses) {
        for (const volatile void *p : pointers)
            keepPinned(p);
        if (hasClasses)
            for (const auto &[address, block] : device_.pinned)
                keepPinned(reinterpret_cast<const void *>(address));
    }
    void endNode() {
        used_[node_].assign(touched_.begin(), touched_.end());
        touched_.clear();
        Exact &exact = exact_[node_];
        for (const Access &access : accesses_)
            (access.kind == Access::Atomic  ? exact.atomic
             : access.kind == Access::Write ? exact.written
                                            : exact.read)
                .add(access.range);
        accesses_.clear();
        for (const Kept &copy : before_)
            addChanges(copy);
        before_.clear();
        beforeBytes_.clear();
    }

    /// A copy, fill or other host code uses this.
    void note(const Box &box, bool write) {
        if (!device_.arena.owns(box.begin))
            return write ? keepPinned(box.begin) : void();
        Allocation *a = device_.arena.find(box.begin);
        for (size_t i = 0; a && box.width > 0 && i < box.rows(); ++i) {
            const uintptr_t begin = reinterpret_cast<uintptr_t>(box.row(i)), end = begin + box.width;
            for (unsigned part = partOf(*a, begin); part <= partOf(*a, end - 1); ++part)
                mark(*a, part, write);
            if (stepping_)
                (write ? exact_[node_].written : exact_[node_].read).add({begin, end});
        }
    }

    // FaultWatch
    bool runsKernel() const override { return runs_; }
    void beginKernel() override {
        device_.arena.closeEach();
        runs_ = true;
    }
    void touch(Allocation &a, const void *address, bool write, void *context) override {
        const unsigned part = partOf(a, reinterpret_cast<uintptr_t>(address));
        mark(a, part, write);
        if (touched_.full()) // undecided then
            return device_.arena.open(a);
        if (const Known *k = stepping_ && context ? known(a) : nullptr;
            k && (k->meetings >> part & 1) != 0 && step(a, part, address, write, context))
            return;
        const Range pages = pagesOf(a, part);
        Arena::protect(pages.begin, pages.end, write ? PROT_READ | PROT_WRITE : PROT_READ);
    }
    void endKernel() override {
        runs_ = false;
        for (const Touched &t : touched_)
            device_.arena.open(*t.a);
    }

    /// After the first run: finds parts of allocations that unordered nodes share; false if there are none. `hash` identifies them.
    bool findMeetings(const Ancestors &ancestors, uint64_t &hash) {
        std::map<uintptr_t, std::vector<std::pair<size_t, Touched>>> users;
        for (size_t node = 0; node < used_.size(); ++node)
            for (const Touched &t : used_[node])
                users[t.a->begin].push_back({node, t});
        hash = 0;
        for (const auto &[begin, list] : users)
            for (size_t i = 0; i < list.size(); ++i)
                for (size_t j = i + 1; j < list.size(); ++j) {
                    const Touched &x = list[i].second, &y = list[j].second;
                    const uint64_t parts = (x.written & (y.read | y.written)) | (x.read & y.written);
                    if (parts == 0 || ancestors.ordered(list[i].first, list[j].first))
                        continue;
                    if (Known *k = known(*x.a))
                        k->meetings |= parts;
                    pairs_.insert({list[i].first, list[j].first});
                    for (const uint64_t word : {uint64_t(begin), parts, uint64_t(list[i].first), uint64_t(list[j].first)})
                        hash = Random(hash ^ word).next();
                }
        return !pairs_.empty();
    }

    /// Restores memory and observes every access to shared parts; false if some memory was not saved.
    bool rewind() {
        if (kept_.full() || keptBytes_.full() || touched_.full() || known_.full())
            return false;
        for (const Kept &k : kept_)
            std::memcpy(k.memory, k.copy, k.bytes);
        stepping_ = true;
        instance_ = this;
        struct sigaction own = {};
        own.sa_sigaction = &AccessWatch::onTrap;
        own.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        sigemptyset(&own.sa_mask);
        sigaction(SIGTRAP, &own, &previousTrap_);
        sigset_t trap; // a trap that is blocked would end the process
        sigemptyset(&trap);
        sigaddset(&trap, SIGTRAP);
        pthread_sigmask(SIG_UNBLOCK, &trap, &previousMask_);
        return true;
    }

    /// After the second run: calls one(node, other, address, bothWrite) for each pair that uses the same memory: `node` reads or
    /// writes what `other` writes.
    template <class One> void forEachConflict(One one) {
        pthread_sigmask(SIG_SETMASK, &previousMask_, nullptr);
        sigaction(SIGTRAP, &previousTrap_, nullptr);
        for (Exact &e : exact_)
            e.seal();
        for (const auto &[i, j] : pairs_) {
            const Exact &a = exact_[i], &b = exact_[j];
            if (const uintptr_t at = a.changes(b.read); at != 0)
                one(j, i, at, false);
            else if (const uintptr_t back = b.changes(a.read); back != 0)
                one(i, j, back, false);
            else if (uintptr_t both = a.changes(b.written); both != 0 || (both = a.written.meets(b.atomic)) != 0)
                one(i, j, both, true);
        }
    }

private:
    static constexpr size_t mostKept = size_t(64) << 20, mostAccesses = 1 << 17;

    /// The accesses of a node to an allocation; a bit for each part.
    struct Touched {
        Allocation *a;
        uint64_t read, written;
    };
    /// The facts known about an allocation; a bit for each part.
    struct Known {
        Allocation *a;
        uint64_t kept, meetings, copied;
    };
    /// A saved copy of memory.
    struct Kept {
        char *memory, *copy;
        size_t bytes;
        uintptr_t address; // in the device's view; 0: page-locked memory
    };
    struct Access {
        enum Kind { Read, Write, Atomic };
        Range range;
        Kind kind;
    };
    /// Bytes that a node uses in parts that it shares with others.
    struct Exact {
        Ranges read, written, atomic;

        /// Elements that the node updates atomically count as neither read nor written.
        void seal() {
            atomic.seal();
            for (Ranges *plain : {&read, &written}) {
                Ranges rest;
                for (const Range &r : plain->all())
                    if (!atomic.has(r))
                        rest.add(r);
                *plain = rest;
                plain->seal();
            }
        }
        uintptr_t changes(const Ranges &ranges) const {
            const uintptr_t at = written.meets(ranges);
            return at != 0 ? at : atomic.meets(ranges);
        }
    };

    size_t partBytes(const Allocation &a) const {
        const size_t pages = (a.pagesEnd - a.pages) / device_.arena.pageSize();
        return (pages + 63) / 64 * device_.arena.pageSize();
    }
    unsigned partOf(const Allocation &a, uintptr_t address) const {
        return static_cast<unsigned>((address - a.pages) / partBytes(a));
    }
    Range pagesOf(const Allocation &a, unsigned part) const {
        const uintptr_t begin = a.pages + part * partBytes(a);
        return {begin, std::min(begin + partBytes(a), a.pagesEnd)};
    }

    // Functions that the signal handler also calls do not allocate.

    /// Null if there are too many, which are then not checked.
    Known *known(Allocation &a) {
        Known *k = std::find_if(known_.begin(), known_.end(), [&](const Known &entry) { return entry.a == &a; });
        if (k == known_.end() && (k = known_.add()))
            *k = {&a, 0, 0, 0};
        return k;
    }

    void mark(Allocation &a, unsigned part, bool write) {
        const uint64_t bit = uint64_t(1) << part;
        Touched *t = std::find_if(touched_.begin(), touched_.end(), [&](const Touched &known) { return known.a == &a; });
        if (t == touched_.end()) {
            if (t = touched_.add(); !t)
                return;
            *t = {&a, 0, 0};
        }
        (write ? t->written : t->read) |= bit;
        if (stepping_)
            return;
        if (outer_) // there the body is one node
            outer_->mark(a, part, write);
        if (Known *k = write ? known(a) : nullptr; k && (k->kept & bit) == 0) {
            k->kept |= bit;
            keep(kept_, keptBytes_, pagesOf(a, part));
        }
    }
    void keep(FixedList<Kept> &list, FixedList<char> &bytes, Range pages) {
        char *const memory = device_.arena.door(reinterpret_cast<void *>(pages.begin));
        keep(list, bytes, {memory, nullptr, pages.end - pages.begin, pages.begin});
    }
    void keep(FixedList<Kept> &list, FixedList<char> &bytes, Kept what) {
        what.copy = bytes.add(what.bytes);
        Kept *const kept = what.copy ? list.add() : nullptr;
        if (!kept)
            return;
        std::memcpy(what.copy, what.memory, what.bytes);
        *kept = what;
    }
    void keepPinned(const volatile void *p) {
        if (outer_)
            outer_->keepPinned(p);
        const auto block = device_.findPinned(p);
        if (!stepping_ && block != device_.pinned.end() && keptBlocks_.insert(block->first).second)
            keep(kept_, keptBytes_, {reinterpret_cast<char *>(block->first), nullptr, block->second.bytes, 0});
    }

    /// Steps over one instruction; false if there were too many.
    bool step(Allocation &a, unsigned part, const void *address, bool write, void *context) {
        Access *const access = accesses_.add();
        if (!access || passingCount_ == mostPassing)
            return false;
        const uintptr_t at = reinterpret_cast<uintptr_t>(address);
        auto &registers = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
        const Instruction instruction(reinterpret_cast<const unsigned char *>(registers[REG_RIP]));
        // An access at the beginning of a page may include bytes before that page.
        const unsigned bytes = at % device_.arena.pageSize() == 0 ? 1 : instruction.bytes();
        if (write && instruction.isAtomic())
            *access = {{at, (at / 8 + 1) * 8}, Access::Atomic};
        else
            *access = {{at, at + bytes}, write ? Access::Write : Access::Read};
        const Range pages = pagesOf(a, part);
        if (Known *k = write ? known(a) : nullptr; k && (k->copied >> part & 1) == 0) {
            k->copied |= uint64_t(1) << part;
            keep(before_, beforeBytes_, pages);
        }
        Arena::protect(pages.begin, pages.end, PROT_READ | PROT_WRITE);
        passing_[passingCount_++] = pages;
        registers[REG_EFL] |= trapFlag;
        return true;
    }
    static void onTrap(int, siginfo_t *, void *context) {
        static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_EFL] &= ~trapFlag;
        for (int i = 0; i < instance_->passingCount_; ++i)
            Arena::protect(instance_->passing_[i].begin, instance_->passing_[i].end, PROT_NONE);
        instance_->passingCount_ = 0;
    }
    /// Bytes that a node has changed in a part count as written, regardless of the width of its instructions.
    void addChanges(const Kept &old) {
        const auto differs = [&](size_t i) { return old.copy[i] != old.memory[i]; };
        for (size_t i = 0, end; i < old.bytes; i = end) {
            for (end = i + 1; end < old.bytes && differs(end) == differs(i);)
                ++end;
            if (differs(i))
                exact_[node_].written.add({old.address + i, old.address + end});
        }
        if (Known *k = known(*device_.arena.before(reinterpret_cast<void *>(old.address))))
            k->copied = 0;
    }

    static constexpr greg_t trapFlag = 0x100;
    static constexpr int mostPassing = 8; // parts that one instruction uses

    Device &device_;
    AccessWatch *const outer_; // of the graph that this one is the body of
    size_t node_ = 0;
    bool runs_ = false;                      // a kernel
    FixedList<Touched> touched_{1024};       // by the node that runs
    std::vector<std::vector<Touched>> used_; // by node
    FixedList<Known> known_{1024};
    FixedList<Kept> kept_{1 << 16}; // memory before the launch, of parts that were written
    FixedList<char> keptBytes_{mostKept};
    std::set<uintptr_t> keptBlocks_;

    bool stepping_ = false;                     // the second run
    std::set<std::pair<size_t, size_t>> pairs_; // of nodes that meet
    std::vector<Exact> exact_;                  // by node
    FixedList<Access> accesses_{mostAccesses};  // of the node that runs
    FixedList<Kept> before_{1 << 16};           // parts that the node writes, before it does
    FixedList<char> beforeBytes_{mostKept};
    Range passing_[mostPassing];
    int passingCount_ = 0;
    struct sigaction previousTrap_ = {};
    sigset_t previousMask_ = {};
    static inline AccessWatch *instance_ = nullptr, *current_ = nullptr;
};

#endif

} // namespace sdfgc::gpu::emulate
