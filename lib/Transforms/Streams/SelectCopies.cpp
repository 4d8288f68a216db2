// select-copies: choose how each copy is performed.
//
//   before:  a -> t                                     after:  a -> t (Linear)
//            a[0:N, 2] -> t[0:N]                                a[0:N, 2] -> t[0:N] (Elements)
//            a -> gpu_a                                         a -> gpu_a (Linear)
//            gpu_a[0:N, 2] -> b[0:N]                            gpu_a[0:N, 2] -> b[0:N] (Pitched)
//            gpu_a[0:N, 0:2:M] -> gpu_b                         map[i0 = 0:N, i1 = 0:M / 2] GPU_Device {
//                                                                 gpu_b[i0, i1] = gpu_a[i0, 2 * i1] }
//            c[0:N, 0:2:M] -> gpu_c                             c[0:N, 0:2:M] -> staged_c
//                                                               map GPU_Device { gpu_c[...] = staged_c[...] }
//
// The table is in sdfgc/Analysis/Memory/Copies.h. Two of its results replace the copy with other elements of the graph:
//
//   Kernel    a map over the elements, by dimension where both sides correspond, else by row-major number
//     Staged    a copy of one run of memory, plus one on the side where elements can be moved individually, the device
//               if possible; both are looked up again
//
// The other results are recorded on the memlet, for the lowering, later passes and the verifier.
//
// A copy reads all elements before it writes one. A copy from a container to an overlapping part of the same container
// goes through a temporary if it could overwrite elements that it has yet to read.
//
// Not handled: streams (push and pop) and assignments of references, which are not copies of this kind.
//
// Runs after all passes that add copies.
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/IR/ScopeConnectors.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using analysis::GraphCopy;

/// Subset of the element at the given steps along the dimensions of an iteration, in the order of axesOf.
sym::Subset elementAt(const sym::Subset &s, const std::vector<sym::Expr> &steps) {
    sym::Subset out;
    std::size_t axis = 0;
    for (const sym::Range &r : s.dims) {
        sym::Expr index = r.begin;
        if (!r.steps().isOne())
            index += steps[axis++] * r.step;
        if (!r.tile.isOne())
            index += steps[axis++];
        out.dims.push_back({index, index, 1, 1});
    }
    return out;
}

/// The indices of the element at a row-major position; zeros if the shape has no elements.
std::vector<sym::Expr> stepsOf(const std::vector<analysis::Axis> &axes, sym::Expr linear) {
    std::vector<sym::Expr> out(axes.size(), 0);
    if (std::any_of(axes.begin(), axes.end(), [](const analysis::Axis &a) { return a.size.isZero(); }))
        return out;
    sym::Expr below = 1;
    for (std::size_t d = axes.size(); d-- > 0;) {
        sym::Expr step = sym::floorDiv(linear, below);
        out[d] = d > 0 ? sym::mod(step, axes[d].size) : step;
        below *= axes[d].size;
    }
    return out;
}

class Selection {
public:
    Selection(State &s, analysis::Memories &memories, pass::Context &context)
        : state_(s), g_(*s.sdfg()), memories_(memories), context_(context) {}

    bool run() {
        bool changed = false;
        for (bool again = true; again;) { // the results of a staged copy are looked up, too
            again = false;
            for (GraphCopy &c : analysis::copiesOf(state_, memories_)) {
                if (analysis::overwritesItsSource(c, memories_)) {
                    context_.done(*c.edge, "copied through a container, because it overwrites elements that it reads");
                    buffered(c);
                    again = changed = true;
                    break;
                }
                const CopyMethod method = analysis::chooseCopy(c.ends(), c.shape());
                const bool rewrites = method == CopyMethod::Kernel || method == CopyMethod::Staged;
                if (!rewrites && c.edge->memlet.copy != method) {
                    c.edge->memlet.copy = method;
                    changed = true;
                }
                if (!rewrites)
                    continue;
                context_.done(*c.edge,
                              method == CopyMethod::Kernel ? "copied by a kernel" : "copied through a contiguous container");
                if (method == CopyMethod::Kernel)
                    kernel(c);
                else
                    staged(c);
                again = changed = true;
                break; // edges have changed
            }
        }
        return changed;
    }

private:
    struct End {
        Node *node;
        Name connector;
    };
    End sourceOf(const GraphCopy &c) const {
        const Edge *in = c.node ? c.node->inEdges().front() : c.edge;
        return {in->src, in->srcConn};
    }
    void drop(const GraphCopy &c) {
        if (c.node)
            state_.removeNode(c.node);
        else
            state_.removeEdge(c.edge);
    }

    void kernel(const GraphCopy &c) {
        const analysis::CopyShape shape = c.shape();
        MapEntry *entry = mapOver(shape);
        MapExit *exit = entry->exit;
        std::vector<sym::Expr> from, to;
        if (shape.corresponding) {
            for (Name p : entry->params)
                from.push_back(sym::Expr::symbol(p));
            to = from;
        } else {
            const sym::Expr k = sym::Expr::symbol(entry->params.front());
            from = stepsOf(shape.from, k);
            to = stepsOf(shape.to, k);
        }
        const Name value = unused("value"), out = unused("out");
        Tasklet *t = state_.addTasklet("copy", {out.str() + " = " + value.str()});
        t->inConnectors.push_back({value, c.source->dtype});
        t->outConnectors.push_back({out, c.target->dtype});
        entry->inConnectors.push_back({scopeInput("from"), {}});
        entry->outConnectors.push_back({scopeOutput("from"), {}});
        exit->inConnectors.push_back({scopeInput("to"), {}});
        exit->outConnectors.push_back({scopeOutput("to"), {}});
        Memlet read = Memlet::simple(c.fromData, c.fromSubset), write = Memlet::simple(c.toData, c.toSubset);
        write.wcr = c.edge->memlet.wcr;
        write.wcrMode = write.wcr.empty() ? WcrMode::Unset : WcrMode::Plain; // each element is accessed once
        read.dynamic = write.dynamic = c.edge->memlet.dynamic;
        Memlet readOne = read, writeOne = write;
        readOne.subset = elementAt(c.fromSubset, from);
        writeOne.subset = elementAt(c.toSubset, to);
        readOne.volume = writeOne.volume = 1;
        const End source = sourceOf(c), target{c.edge->dst, c.edge->dstConn};
        state_.connect(source.node, source.connector, entry, scopeInput("from"), read);
        state_.connect(entry, scopeOutput("from"), t, value, readOne);
        state_.connect(t, out, exit, scopeInput("to"), writeOne);
        state_.connect(exit, scopeOutput("to"), target.node, target.connector, write);
        drop(c);
    }

    MapEntry *mapOver(const analysis::CopyShape &shape) {
        MapEntry *entry = state_.addMap("copy", {}, {}, Schedule::GPU_Device);
        if (shape.corresponding)
            for (std::size_t d = 0; d < shape.to.size(); ++d)
                addParameter(*entry, d, shape.to[d].size);
        else
            addParameter(*entry, 0, analysis::volume(shape.to));
        if (entry->params.empty()) // one element
            addParameter(*entry, 0, 1);
        return entry;
    }
    /// A name that is neither a container nor a symbol.
    Name unused(std::string name) const {
        while (g_.arrays.contains(Name(name)) || g_.symbols.find(Name(name)))
            name.insert(0, "_");
        return Name(name);
    }
    void addParameter(MapEntry &m, std::size_t number, sym::Expr size) {
        m.params.push_back(unused("i" + std::to_string(number)));
        m.ranges.push_back({0, size - 1, 1, 1});
    }

    /// Copies through a contiguous container with the sizes of the side whose memory it is not in, so that the transfer is by
    /// dimension.
    void staged(const GraphCopy &c) {
        const bool onHost = stagedOnHost(c), ofSource = c.ends().fromDevice == onHost; // the side in the other memory
        const analysis::CopyShape shape = c.shape();
        const std::vector<analysis::Axis> &crossing = ofSource ? shape.from : shape.to;
        DataDesc between = DataDesc::array((ofSource ? c.source : c.target)->dtype, sizesOf(crossing), true);
        if (!onHost && analysis::isDense(crossing)) // in the host's order, so that the transfer is one contiguous run
            std::transform(crossing.begin(), crossing.end(), between.strides.begin(),
                           [](const analysis::Axis &a) { return a.stride; });
        between.storage = onHost ? Storage::CPU_Heap : Storage::GPU_Global;
        throughContainer(c, std::move(between));
    }
    /// Copies through a container with all elements, if elements may be overwritten before they are read.
    void buffered(const GraphCopy &c) {
        const Storage storage = c.executor == analysis::Executor::Thread ? Storage::Register
                                : c.ends().fromDevice                    ? Storage::GPU_Global
                                                                         : Storage::CPU_Heap;
        DataDesc all = DataDesc::array(c.source->dtype, sizesOf(c.shape().from), true);
        all.storage = storage;
        throughContainer(c, std::move(all));
    }
    void throughContainer(const GraphCopy &c, DataDesc d) {
        std::string base = "staged_" + c.from->data.str();
        std::replace(base.begin(), base.end(), '.', '_'); // of a member
        const Name name = g_.freshName(base);
        const sym::Subset whole = d.fullSubset();
        sym::Assumptions sizes;
        for (const Name n : d.totalSize.freeSymbols())
            sizes[n].nonnegative = true;
        if (sym::isNonNegative(d.totalSize, sizes) != sym::Truth::True) // a copy of N - 1 = -1 elements needs no memory
            d.totalSize = sym::max({0, d.totalSize});
        g_.arrays.set(name, std::move(d));
        auto *between = state_.add<AccessNode>(name);
        Memlet first = Memlet::simple(c.fromData, c.fromSubset), second = Memlet::simple(name, whole);
        first.otherSubset = whole;
        second.otherSubset = c.toSubset;
        second.wcr = c.edge->memlet.wcr;
        second.wcrMode = c.edge->memlet.wcrMode;
        const End source = sourceOf(c);
        state_.connect(source.node, source.connector, between, {}, first);
        state_.connect(between, {}, c.edge->dst, c.edge->dstConn, second);
        drop(c);
    }
    /// Values with conflict resolution are combined in the destination's memory. Otherwise a kernel moves the elements, which is
    /// dozens of times as fast, unless the transferred part has gaps on the host and none on the device.
    static bool stagedOnHost(const GraphCopy &c) {
        const analysis::CopyEnds ends = c.ends();
        const analysis::CopyShape shape = c.shape();
        if (ends.resolves)
            return ends.fromDevice;
        return !analysis::isDense(ends.fromDevice ? shape.to : shape.from) &&
               analysis::isRun(ends.fromDevice ? shape.from : shape.to);
    }
    static std::vector<sym::Expr> sizesOf(const std::vector<analysis::Axis> &axes) {
        std::vector<sym::Expr> sizes;
        for (const analysis::Axis &a : axes)
            sizes.push_back(a.size);
        if (sizes.empty())
            sizes.push_back(1);
        return sizes;
    }

    State &state_;
    SDFG &g_;
    analysis::Memories &memories_;
    pass::Context &context_;
};

class SelectCopies : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        bool changed = false;
        analysis::Memories memories(root);
        for (SDFG *g : allSDFGs(root))
            for (State *s : allStates(*g))
                changed |= Selection(*s, memories, context).run();
        if (changed)
            root.renumber();
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createSelectCopies() { return std::make_unique<SelectCopies>(); }

} // namespace sdfgc::transforms
