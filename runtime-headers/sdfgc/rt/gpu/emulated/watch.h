// Which memory the nodes of a graph use, to find pairs of nodes that use the same one and have no order. Part of gpu_emulate.cpp.
//
// Rules: a graph's launch runs with device memory closed at the beginning of every node, so that each 64th part of an allocation faults
// when a node first reads or writes it. Nodes without an order that meet in a part, at least one of them writing, may still use
// different elements of it. Then memory is put back to what it was before the launch, and the nodes run once more in the same order,
// instruction by instruction where they met, which gives the addresses: there are no false alarms. What an instruction writes beyond
// its first byte is found by comparing. Atomic updates of the same element need no order.
#pragma once

#include "sdfgc/rt/gpu/emulated/graph.h"

namespace sdfgc::gpu::emulate {

/// A range of addresses.
struct Range {
    uintptr_t begin, end;
};

/// Ranges that are added in any order, and then asked.
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

class AccessWatch final : public FaultWatch {
public:
    AccessWatch(Device &device, size_t nodes) : device_(device), touched_(nodes), exact_(nodes) { device.watch = this; }
    ~AccessWatch() override { device_.watch = nullptr; }

    /// The node whose kernel, copy or fill comes now. Pinned blocks that it may write are kept for rewind().
    void beginNode(size_t node, const std::vector<const volatile void *> &pointers) {
        node_ = node;
        for (const volatile void *p : pointers)
            keepPinned(p);
    }
    void endNode() {
        for (const Kept &copy : before_)
            addChanges(copy);
        before_.clear();
    }

    /// A copy or fill of the host's code uses this.
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
    void beginKernel() override { device_.arena.closeEach(); }
    void touch(Allocation &a, const void *address, bool write, void *context) override {
        const unsigned part = partOf(a, reinterpret_cast<uintptr_t>(address));
        mark(a, part, write);
        if (stepping_ && (meetings_[&a] >> part & 1) != 0 && steps_ < mostSteps)
            return step(a, part, address, write, context);
        const Range pages = pagesOf(a, part);
        Arena::protect(pages.begin, pages.end, write ? PROT_READ | PROT_WRITE : PROT_READ);
    }
    void endKernel() override {
        for (const Touched &t : touched_[node_])
            device_.arena.open(*t.a);
    }

    /// After the first run: finds parts of allocations where nodes without an order meet; false if there is none. `hash` says which.
    bool findMeetings(const Ancestors &ancestors, uint64_t &hash) {
        std::map<Allocation *, std::vector<std::pair<size_t, Touched>>> users;
        for (size_t node = 0; node < touched_.size(); ++node)
            for (const Touched &t : touched_[node])
                users[t.a].push_back({node, t});
        hash = 0;
        for (const auto &[a, list] : users)
            for (size_t i = 0; i < list.size(); ++i)
                for (size_t j = i + 1; j < list.size(); ++j) {
                    const Touched &x = list[i].second, &y = list[j].second;
                    const uint64_t parts = (x.written & (y.read | y.written)) | (x.read & y.written);
                    if (parts == 0 || ancestors.ordered(list[i].first, list[j].first))
                        continue;
                    meetings_[a] |= parts;
                    pairs_.insert({list[i].first, list[j].first});
                    for (const uint64_t word : {uint64_t(a->begin), parts, uint64_t(list[i].first), uint64_t(list[j].first)})
                        hash = Random(hash ^ word).next();
                }
        return !pairs_.empty();
    }

    /// Puts memory back and watches every access where nodes meet; false when not all of it was kept.
    bool rewind() {
        if (keptBytes_ > mostKept)
            return false;
        for (const Kept &k : kept_)
            std::memcpy(k.memory, k.bytes.data(), k.bytes.size());
        stepping_ = true;
        instance_ = this;
        struct sigaction own = {};
        own.sa_sigaction = &AccessWatch::onTrap;
        own.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        sigemptyset(&own.sa_mask);
        sigaction(SIGTRAP, &own, &previousTrap_);
        return true;
    }

    /// After the second run: calls one(node, other, address) for each pair that uses the same memory; `writes`: of both.
    template <class One> void forEachConflict(One one) {
        sigaction(SIGTRAP, &previousTrap_, nullptr);
        for (Exact &e : exact_)
            e.seal();
        for (const auto &[i, j] : pairs_) {
            const Exact &a = exact_[i], &b = exact_[j];
            if (const uintptr_t at = a.written.meets(b.read) | a.atomic.meets(b.read); at != 0)
                one(j, i, at, false);
            else if (const uintptr_t back = b.written.meets(a.read) | b.atomic.meets(a.read); back != 0)
                one(i, j, back, false);
            else if (const uintptr_t both = a.written.meets(b.written) | a.atomic.meets(b.written) | a.written.meets(b.atomic);
                     both != 0)
                one(i, j, both, true);
        }
    }

private:
    static constexpr size_t mostKept = size_t(64) << 20, mostSteps = 1 << 17;

    /// What a node does with an allocation; a bit for each part.
    struct Touched {
        Allocation *a;
        uint64_t read, written;
    };
    struct Kept {
        char *memory;
        std::vector<char> bytes;
        uintptr_t address; // in the device's view; 0: page-locked memory
    };
    /// Bytes that a node uses in parts where it meets others.
    struct Exact {
        Ranges read, written, atomic;

        /// Elements that the node updates atomically are read and changed by nothing else of it.
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

    /// Memory is allocated here and in what it calls, also when a signal handler calls it: the fault is that of an instruction of a
    /// kernel which uses device memory, and the host's allocator has none.
    void mark(Allocation &a, unsigned part, bool write) {
        const uint64_t bit = uint64_t(1) << part;
        std::vector<Touched> &list = touched_[node_];
        auto t = std::find_if(list.begin(), list.end(), [&](const Touched &known) { return known.a == &a; });
        if (t == list.end())
            t = list.insert(t, {&a, 0, 0});
        (write ? t->written : t->read) |= bit;
        if (write && !stepping_ && (keptParts_[&a] & bit) == 0) {
            keptParts_[&a] |= bit;
            const Range pages = pagesOf(a, part);
            keep(kept_, device_.arena.door(reinterpret_cast<void *>(pages.begin)), pages.end - pages.begin, pages.begin);
        }
    }
    void keep(std::vector<Kept> &where, char *memory, size_t bytes, uintptr_t address) {
        if (&where == &kept_ && (keptBytes_ += bytes) > mostKept)
            return;
        where.push_back({memory, std::vector<char>(memory, memory + bytes), address});
    }
    void keepPinned(const volatile void *p) {
        const auto block = device_.findPinned(p);
        if (stepping_ || block == device_.pinned.end() || !keptBlocks_.insert(block->first).second)
            return;
        keep(kept_, reinterpret_cast<char *>(block->first), block->second.bytes, 0);
    }

    /// Lets one instruction through.
    void step(Allocation &a, unsigned part, const void *address, bool write, void *context) {
        const uintptr_t at = reinterpret_cast<uintptr_t>(address);
        auto &registers = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
        const Range pages = pagesOf(a, part);
        Exact &exact = exact_[node_];
        ++steps_;
        if (write && isAtomic(reinterpret_cast<const unsigned char *>(registers[REG_RIP])))
            exact.atomic.add({at, (at / 8 + 1) * 8});
        else
            (write ? exact.written : exact.read).add({at, at + 1});
        if (write && std::none_of(before_.begin(), before_.end(), [&](const Kept &k) { return k.address == pages.begin; }))
            keep(before_, device_.arena.door(reinterpret_cast<void *>(pages.begin)), pages.end - pages.begin, pages.begin);
        Arena::protect(pages.begin, pages.end, PROT_READ | PROT_WRITE);
        passing_.push_back(pages);
        registers[REG_EFL] |= trapFlag;
    }
    static void onTrap(int, siginfo_t *, void *context) {
        static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_EFL] &= ~trapFlag;
        for (const Range &pages : instance_->passing_)
            Arena::protect(pages.begin, pages.end, PROT_NONE);
        instance_->passing_.clear();
    }
    /// Does the instruction lock its memory: a lock prefix, or an exchange?
    static bool isAtomic(const unsigned char *code) {
        for (;; ++code) {
            if (*code == 0xf0)
                return true;
            const bool prefix = *code == 0x66 || *code == 0x67 || *code == 0xf2 || *code == 0xf3 || *code == 0x2e ||
                                *code == 0x36 || *code == 0x3e || *code == 0x26 || *code == 0x64 || *code == 0x65 ||
                                (*code & 0xf0) == 0x40;
            if (!prefix)
                return *code == 0x86 || *code == 0x87;
        }
    }
    /// What a node has changed in a part is written, whatever the width of its instructions.
    void addChanges(const Kept &copy) {
        const auto differs = [&](size_t i) { return copy.bytes[i] != copy.memory[i]; };
        for (size_t i = 0, end; i < copy.bytes.size(); i = end) {
            for (end = i + 1; end < copy.bytes.size() && differs(end) == differs(i);)
                ++end;
            if (differs(i))
                exact_[node_].written.add({copy.address + i, copy.address + end});
        }
    }

    static constexpr greg_t trapFlag = 0x100;

    Device &device_;
    size_t node_ = 0;
    std::vector<std::vector<Touched>> touched_; // by node
    std::vector<Kept> kept_;                    // memory before the launch, of parts that were written
    std::map<Allocation *, uint64_t> keptParts_;
    std::set<uintptr_t> keptBlocks_;
    size_t keptBytes_ = 0;

    bool stepping_ = false; // the second run
    std::map<Allocation *, uint64_t> meetings_;
    std::set<std::pair<size_t, size_t>> pairs_; // of nodes that meet
    std::vector<Exact> exact_;
    std::vector<Kept> before_; // parts that the node writes, before it does
    std::vector<Range> passing_;
    size_t steps_ = 0;
    struct sigaction previousTrap_ = {};
    static inline AccessWatch *instance_ = nullptr;
};

#endif

} // namespace sdfgc::gpu::emulate
