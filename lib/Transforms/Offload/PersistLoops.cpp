// persist-loops: run host loops around small kernels as one kernel.
//
//   before:  for i = 0; i < N {                         after:  map loop[_ = 0] GPU_Persistent, one block {
//              a = A[i, i]                 copy                   nested loop {
//              map[k = 0:i] GPU_Device {...}                        for i = 0; i < N {
//              map[thread = 0] GPU_Device {                           a = A[i, i]        every thread, into a register
//                A[i, i] = sqrt(a) }                                  map[k = 0:i] GPU_Device {...}    shared by the threads
//            }                                                        A[i, i] = sqrt(a)                the first thread
//                                                                   } } }
//
// place-barriers then lets the threads wait for each other between steps that depend on each other.
//
// One block: a launch costs three microseconds, and a step of a block one, most of which is the latency of memory. So a single
// block, although it uses one multiprocessor of more than a hundred, is faster up to some thousand elements per step.
//
// Many blocks: if steps are larger, but shorter than a launch, as many blocks as the device runs at once share them. They wait for each
// other at barriers of the grid, which take two microseconds. Wavefronts (skew-loops) are such loops: their threads have long sums, so one
// multiprocessor would be too slow. Elements that code outside of maps uses are in device memory then. The first block computes sums.
//
// Both: if a loop for one block is next to a loop for many, it becomes a part of its kernel. Its maps get a grid limit, so that only the
// threads of the first block run them, which wait for each other at barriers of the block.
//
//     for p { map[i = ...] GPU_Device {...} }            factorisation: many blocks
//     for i { s = A[i, 0:i] @ y[0:i];  y[i] -= s }       solution: the first block
//
// The estimate of FewElements.h compares the forms for each loop, inner loops first. Steps that take longer than a launch stay
// launches. So stencils over time keep theirs, each for several steps (tile-time).
//
// One thread: a loop that contains no maps would make all threads wait in each iteration. One of them runs it alone (ThreadLoops.h).
//
// Legal as described in KernelLoops.h. Loops that follow each other become one kernel, together with states and branches
// before, between and after them if these are not faster on the entire device.
//
// Containers that nothing outside of the kernel uses are private to it:
//   - an element that only code writes that all threads run becomes a register: each thread computes the same value;
//   - other elements are in shared memory;
//   - arrays stay in device memory.
// Others are its arguments. Host scalars that it writes move to the device. Symbols that are read after it are such scalars
// (KernelResults.h).
//
// Library nodes are expanded afterwards, to maps and tasklets, because a kernel cannot call libraries. map-to-threads lets the
// threads of the block share sums, in an order that does not depend on the device.
//
// Not handled: loops with library calls other than reductions and products by vectors; loops whose control flow reads views or
// members on the host.
#include "Transforms/Edits/DevicePlacement.h"
#include "Transforms/Edits/HostReads.h"
#include "Transforms/Edits/Nodes.h"
#include "Transforms/Edits/Outline.h"
#include "Transforms/Offload/FewElements.h"
#include "Transforms/Offload/KernelLoops.h"
#include "Transforms/Offload/KernelMemory.h"
#include "Transforms/Offload/KernelResults.h"

#include "sdfgc/Analysis/Device/Async.h"
#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Flow/SymbolLiveness.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/Mentions.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/Identifier.h"
#include "sdfgc/IR/LabelName.h"
#include "sdfgc/IR/ScopeConnectors.h"
#include "sdfgc/Nest/LiveAfter.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>
#include <utility>

namespace sdfgc::transforms {
namespace {

using namespace ir;

/// Names that code outside of a block mentions.
std::set<Name> mentionedOutside(Block &b) {
    SDFG &g = *b.sdfg();
    const std::vector<Block *> all = blocksOf(b);
    const std::set<const Block *> inside(all.begin(), all.end());
    std::set<Name> out;
    const auto add = [&out](const auto &names) { out.insert(names.begin(), names.end()); };
    for (Block *other : blocksOf(g)) {
        if (inside.count(other))
            continue;
        if (const auto *s = dyn_cast<State>(other)) {
            add(analysis::readIn(*s));
            for (const AccessNode *a : nodesOf<AccessNode>(*s))
                out.insert(a->data);
        }
        if (const auto *l = dyn_cast<LoopRegion>(other))
            add(analysis::containersRead(*l, g));
        if (const auto *c = dyn_cast<ConditionalBlock>(other))
            add(analysis::containersRead(*c, g));
    }
    for (const InterstateEdge *e : allInterstateEdges(g))
        if (!inside.count(e->src) || !inside.count(e->dst))
            add(analysis::containersRead(*e, g));
    return out;
}

/// Replaces a part of a host program with a kernel.
class Kernel {
public:
    Kernel(Block &content, KernelBlocks blocks) : content_(content), blocks_(blocks), g_(*content.sdfg()), types_(g_) {}

    void make() {
        const std::string name = identifierOf(content_.label.empty() ? "loop" : content_.label, "loop_");
        node_ = outlined(content_, name, types_);
        readOnDevice();
        passContainers();
        passSymbols(*node_, symbolsBefore(), types_);
        const std::set<Name> assigned = analysis::assignedIn(content_);
        State &s = stateInPlace();
        for (const Name n : own_)
            g_.arrays.erase(n);
        const std::set<Name> left = analysis::assignedIn(g_);
        for (const Name n : assigned)
            if (!left.count(n) && !node_->mapped(n))
                g_.symbols.erase(n);
        placeNode(s, name);
    }

private:
    /// Symbols that have a value before the kernel, except those that it sets before it reads them.
    std::set<Name> symbolsBefore() {
        Block &top = *analysis::outermost(*cast<Region>(&content_));
        std::set<Name> known = knownAt(g_, top);
        const std::vector<Block *> all = blocksOf(content_);
        const std::set<const Block *> inside(all.begin(), all.end());
        for (const Block *b : blocksOf(top)) {
            const auto *r = inside.count(b) ? nullptr : dyn_cast<Region>(b);
            if (const auto *l = r ? dyn_cast<LoopRegion>(r) : nullptr)
                known.insert(l->variable);
            if (r)
                for (const auto &e : r->edges())
                    for (const auto &[symbol, value] : e->assignments)
                        known.insert(symbol);
        }
        const std::set<Name> read = analysis::SymbolLiveness(g_).readBy(content_);
        for (const Name n : analysis::assignedIn(content_))
            if (!read.count(n))
                known.erase(n);
        return known;
    }

    /// Arrays of the host that control flow reads: those of the device that are copied to them take their names. Others get a copy
    /// on the device, made before the kernel.
    void readOnDevice() {
        SDFG &inner = *node_->sdfg;
        const std::set<Name> read = analysis::containersReadByControlFlow(inner);
        for (State *s : allStates(inner))
            for (const auto &e : s->edges())
                if (const AccessNode *from = copiedForControl(*e))
                    outer_[cast<AccessNode>(e->dst)->data] = from->data;
        for (const Name host : read) {
            DataDesc *d = inner.arrays.find(host);
            if (!d || !d->isArray() || d->storage == Storage::GPU_Global)
                continue;
            d->storage = Storage::GPU_Global;
            if (outer_.count(host))
                continue;
            outer_[host] = onDevice(host);
        }
        for (const auto &[host, device] : outer_)
            if (inner.arrays.contains(device)) {
                for (State *s : allStates(inner))
                    dropCopies(*s, host);
                inner.arrays.find(host)->storage = Storage::GPU_Global;
                renameDataflow(inner, device, host);
                inner.arrays.erase(device);
            }
    }

    /// An array of the device with the elements of one of the host: if nothing writes either, one that the program starts with.
    Name onDevice(Name host) {
        const bool isConstant = !g_.desc(host)->transient && !writtenInDataflow(g_, host);
        if (const Name twin = isConstant ? twinAtStart(host) : Name())
            return twin;
        const Name device = g_.freshName("gpu_" + host.str());
        DataDesc d = *g_.desc(host);
        d.storage = Storage::GPU_Global;
        d.transient = true;
        d.lifetime = Lifetime::Scope;
        g_.arrays.set(device, d);
        Block &before = isConstant ? *g_.start() : content_;
        before.parent()->addStateBefore(&before, g_.freshLabel("copy_" + host.str()))->copyAll(host, device);
        return device;
    }

    /// The array to which the first states copy all of one of the host, and that nothing else writes.
    Name twinAtStart(Name host) const {
        const DataDesc &d = *g_.desc(host);
        for (const State *s = g_.start() ? dyn_cast<State>(g_.start()) : nullptr; s;) {
            for (const auto &e : s->edges()) {
                const auto *from = dyn_cast<AccessNode>(e->src), *to = dyn_cast<AccessNode>(e->dst);
                const DataDesc *twin = from && to && from->data == host ? g_.desc(to->data) : nullptr;
                if (twin && twin->storage == Storage::GPU_Global && twin->shape == d.shape && twin->strides == d.strides &&
                    analysis::sourceSubset(e.get()) == d.fullSubset() && isWrittenOnce(to->data))
                    return to->data;
            }
            s = s->outEdges().size() == 1 ? dyn_cast<State>(s->outEdges().front()->dst) : nullptr;
        }
        return {};
    }

    bool isWrittenOnce(Name device) const {
        std::size_t writes = 0;
        for (const State *s : allStates(g_))
            for (const AccessNode *a : nodesOf<AccessNode>(*s))
                if (const AccessNode *owner = analysis::nodeBehindViews(a); owner && owner->data == device)
                    writes += a->inEdges().size();
        return writes == 1;
    }

    static void dropCopies(State &s, Name host) {
        std::vector<Node *> dead;
        for (const AccessNode *a : nodesOf<AccessNode>(std::as_const(s)))
            if (a->data == host) {
                dead.push_back(const_cast<AccessNode *>(a));
                for (const Edge *e : a->inEdges())
                    if (e->src->outEdges().size() == 1)
                        dead.push_back(e->src);
            }
        s.removeNodes(dead);
    }

    void passContainers() {
        SDFG &inner = *node_->sdfg;
        const analysis::Mentions mentions(inner);
        const std::set<Name> written = writtenIn(inner), outside = mentionedOutside(content_);
        analysis::Memories memories(*g_.root());
        nest::LiveAfter live(g_, memories);
        std::vector<Name> names;
        for (const auto &[name, d] : inner.arrays)
            names.push_back(name);
        for (const Name n : names) {
            DataDesc &d = *inner.desc(n);
            if (!mentions.contain(n) || inner.constant(n)) {
                if (!inner.constant(n))
                    inner.arrays.erase(n);
                continue;
            }
            if (d.isView())
                continue;
            if (d.transient && !outer_.count(n) && d.lifetime != Lifetime::Persistent && d.lifetime != Lifetime::Global &&
                !outside.count(n) && !live.isLive(content_, n)) {
                own_.push_back(n);
                continue;
            }
            const bool isWritten = written.count(n) != 0;
            d.transient = false;
            d.lifetime = Lifetime::Scope;
            if (isWritten)
                d.storage = Storage::GPU_Global;
            const Type type = d.isScalar() && !isWritten ? d.dtype : Type::pointer(d.dtype);
            node_->addIn(n, type);
            if (isWritten)
                node_->addOut(n, type);
        }
        for (const Name n : names)
            if (const DataDesc *d = g_.desc(n); d && d->isView() && inner.desc(n) && !outside.count(n))
                own_.push_back(n);
    }

    State &stateInPlace() {
        const DebugInfo where = content_.debugInfo;
        State &s = replaceByState(content_, content_.label);
        s.debugInfo = where;
        return s;
    }

    void placeNode(State &s, const std::string &name) {
        MapEntry *entry = s.addMap(name, {"_"}, {{0, 0, 1, 1}}, Schedule::GPU_Persistent, s.debugInfo);
        if (blocks_ == KernelBlocks::One)
            entry->gpuGridLimit = {1, 1, 1};
        auto *n = cast<NestedSDFGNode>(s.adopt(std::move(node_)));
        const auto outer = [this](Name argument) { return outer_.count(argument) ? outer_.at(argument) : argument; };
        const auto whole = [&](Name argument) { return Memlet::simple(outer(argument), g_.desc(outer(argument))->fullSubset()); };
        for (const Connector &c : n->inConnectors) {
            s.connect(s.add<AccessNode>(outer(c.name)), {}, entry, scopeInput(c.name), whole(c.name));
            s.connect(entry, scopeOutput(c.name), n, c.name, whole(c.name));
        }
        if (n->inConnectors.empty())
            s.connect(entry, {}, n, {}, Memlet::empty());
        for (const Connector &c : n->outConnectors) {
            s.connect(n, c.name, entry->exit, scopeInput(c.name), whole(c.name));
            s.connect(entry->exit, scopeOutput(c.name), s.add<AccessNode>(outer(c.name)), {}, whole(c.name));
        }
        if (n->outConnectors.empty())
            s.connect(n, {}, entry->exit, {}, Memlet::empty());
        if (blocks_ == KernelBlocks::One)
            placeInBlock(*n->sdfg);
        else
            placeInGrid(*n->sdfg);
    }

    Block &content_;
    const KernelBlocks blocks_;
    SDFG &g_;
    const analysis::SymbolTypes types_;
    std::unique_ptr<NestedSDFGNode> node_;
    std::vector<Name> own_;      // containers that move into the kernel
    std::map<Name, Name> outer_; // containers of arguments that are not those of the same name
};

/// Moves blocks that follow each other to a region of their own.
Region &joined(const std::vector<Block *> &chain) {
    Region &r = *chain.front()->parent();
    const Block *const start = r.start();
    auto *inner = r.add<Region>();
    inner->label = r.sdfg()->freshLabel(chain.front()->label + "_kernel");
    for (const Block *b : chain)
        if (isa<LoopRegion>(b) && !inner->debugInfo.known())
            inner->debugInfo = b->debugInfo;
    std::vector<std::unique_ptr<InterstateEdge>> between;
    for (std::size_t i = 1; i < chain.size(); ++i)
        between.push_back(r.detachEdge(chain[i]->inEdges().front()));
    takePlace(r, start, *chain.front(), *chain.back(), *inner, *inner);
    for (Block *b : chain)
        inner->adopt(r.detach(b));
    for (auto &e : between)
        inner->adopt(std::move(e));
    inner->setStart(chain.front());
    return *inner;
}

class PersistLoops : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        if (!option<bool>("blocks") || !mentionsGpu(root))
            return false;
        choice_ = {[](LoopRegion &l, KernelBlocks blocks) { return !whyNotInKernel(l, true, blocks); }};
        estimateDeviceWork(root, &choice_);
        changed_ = false;
        sdfg(root, context);
        if (!changed_)
            return false;
        placeWrittenScalars(root, context);
        root.renumber();
        return true;
    }

    void sdfg(SDFG &g, pass::Context &context) {
        for (NestedSDFGNode *nested : hostNested(g))
            sdfg(*nested->sdfg, context);
        region(g, context);
    }

    void region(Region &r, pass::Context &context) {
        std::vector<Block *> blocks;
        for (const auto &b : r.blocks())
            blocks.push_back(b.get());
        std::set<const Block *> done;
        for (Block *b : blocks) {
            if (done.count(b))
                continue;
            auto *l = dyn_cast<LoopRegion>(b);
            if (l && choice_.kernels.count(l)) {
                KernelBlocks form = choice_.kernels.at(l);
                std::vector<Block *> chain = chainAround(*l, form);
                if (std::vector<Block *> mixed = chainWithMany(*l, form); !mixed.empty()) {
                    chain = std::move(mixed);
                    form = KernelBlocks::Many;
                }
                done.insert(chain.begin(), chain.end());
                if (context.mayChange(*l, form == KernelBlocks::One ? "runs as a kernel of one block"
                                                                    : "runs as a kernel whose blocks wait for each other"))
                    enclose(chain, form);
                continue;
            }
            if (l && choice_.work[l].isFasterInBlock())
                context.missed(*l, "the host launches its kernels", whyNotInKernel(*l, true));
            if (auto *c = dyn_cast<ConditionalBlock>(b))
                for (const auto &branch : c->branches())
                    region(*branch.region, context);
            else if (auto *inner = dyn_cast<Region>(b))
                region(*inner, context);
        }
    }

    /// The blocks around a loop for one block, if one of them is a loop for many blocks; otherwise nothing.
    std::vector<Block *> chainWithMany(LoopRegion &l, KernelBlocks form) const {
        if (form == KernelBlocks::Many || whyNotInKernel(l, true, KernelBlocks::Many))
            return {};
        std::vector<Block *> chain = chainAround(l, KernelBlocks::Many);
        const bool hasMany = std::any_of(chain.begin(), chain.end(), [this](const Block *b) {
            const auto *other = dyn_cast<LoopRegion>(b);
            const auto chosen = other ? choice_.kernels.find(other) : choice_.kernels.end();
            return chosen != choice_.kernels.end() && chosen->second == KernelBlocks::Many;
        });
        return hasMany ? chain : std::vector<Block *>();
    }

    /// A loop that is a kernel, with blocks before and after it that may be a part of it.
    std::vector<Block *> chainAround(LoopRegion &l, KernelBlocks form) const {
        std::vector<Block *> chain{&l};
        while (Block *before = joins(*chain.front(), true, form))
            chain.insert(chain.begin(), before);
        while (Block *after = joins(*chain.back(), false, form))
            chain.push_back(after);
        const auto isIdle = [this](const Block *b) {
            const auto *s = dyn_cast<State>(b);
            return choice_.work.at(b).launches == 0 || (s && isCopyForNext(*s));
        };
        while (isIdle(chain.front()))
            chain.erase(chain.begin());
        while (isIdle(chain.back()))
            chain.pop_back();
        return chain;
    }

    /// The block before or after a block, if it is the only one there and should be in the same kernel.
    Block *joins(const Block &b, bool before, KernelBlocks form) const {
        const auto &edges = before ? b.inEdges() : b.outEdges();
        if (edges.size() != 1 || !isForKernel(*edges.front()))
            return nullptr;
        Block *other = before ? edges.front()->src : edges.front()->dst;
        if ((before ? other->outEdges() : other->inEdges()).size() != 1)
            return nullptr;
        const auto known = choice_.work.find(other);
        if (known == choice_.work.end())
            return nullptr;
        if (const auto *s = dyn_cast<State>(other); s && isCopyForNext(*s))
            return other;
        const DeviceWork &work = known->second;
        const auto *l = dyn_cast<LoopRegion>(other);
        const auto chosen = l ? choice_.kernels.find(l) : choice_.kernels.end();
        const bool isKernel = chosen != choice_.kernels.end();
        if (isKernel && chosen->second == form)
            return other;
        if (isKernel ? form != KernelBlocks::Many : work.inKernel(form).onDevice() - Costs().launch > work.onDevice())
            return nullptr;
        return whyNotInKernel(*other, true, form) ? nullptr : other;
    }

    static bool isCopyForNext(const State &s) { return s.outEdges().size() == 1 && copiesOnlyFor(s, *s.outEdges().front()->dst); }

    void enclose(std::vector<Block *> chain, KernelBlocks form) {
        if (form == KernelBlocks::Many)
            mix(chain);
        returnSymbols(chain);
        Block &content = chain.size() > 1 ? joined(chain) : *chain.front();
        for (const Block *b : blocksOf(content)) // other blocks may get their addresses
            choice_.work.erase(b);
        Kernel(content, form).make();
        changed_ = true;
    }

    /// Lets the first block run the maps of loops for one block. The blocks wait for each other before such a loop, rather than in each
    /// of its iterations.
    void mix(std::vector<Block *> &chain) const {
        bool first = false;
        for (std::size_t k = 0; k < chain.size(); ++k) {
            const auto *l = dyn_cast<LoopRegion>(chain[k]);
            const bool isOfOne = l && choice_.kernels.count(l) && choice_.kernels.at(l) == KernelBlocks::One;
            if (isOfOne)
                limitToFirstBlock(*chain[k]);
            if (isOfOne && !std::exchange(first, isOfOne) && k > 0) {
                State *wait = chain[k]->parent()->addStateBefore(chain[k], chain[k]->sdfg()->freshLabel("wait"));
                analysis::addAsyncOp(*wait, {analysis::AsyncOp::GridBarrier, 0, -1});
                chain.insert(chain.begin() + static_cast<std::ptrdiff_t>(k++), wait);
            }
            first = isOfOne;
        }
    }

    /// Lets one of many blocks run the maps of a loop.
    static void limitToFirstBlock(Block &loop) {
        for (Block *b : blocksOf(loop))
            if (auto *s = dyn_cast<State>(b)) {
                const analysis::ScopeTree scopes(*s);
                for (Node *n : scopes.children(nullptr))
                    if (auto *m = dyn_cast<MapEntry>(n))
                        m->gpuGridLimit = {1, 1, 1};
            }
    }

    LoopChoice choice_;
    bool changed_ = false;
};

} // namespace

std::unique_ptr<pass::Pass> createPersistLoops() { return std::make_unique<PersistLoops>(); }

} // namespace sdfgc::transforms
