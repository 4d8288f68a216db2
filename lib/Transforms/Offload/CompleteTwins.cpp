// complete-twins: add copies that DaCe's GPU transformation forgets.
//
//   before:  if x { kernel -> gpu_A; return }               after:  A -> gpu_A
//            if y { kernel -> gpu_A }                               if x { kernel -> gpu_A; gpu_A -> A; return }
//            gpu_A -> A                                             if y { kernel -> gpu_A }
//                                                                   gpu_A -> A
//
// The transformation gives an argument A a twin in device memory, copies A to gpu_A at the start and gpu_A to A at the
// end (DaCe: GPUTransformSDFG in transformation/interstate/gpu_transform_sdfg.py). It fails in two ways, and the caller
// sees both in A:
//
//   1. A return ends the program before the final copies, so results stay on the device.
//   2. An argument is not copied to the device if some write covers it completely. But that write may be conditional,
//      may cover the memory only in part, through a view, or may combine with the old contents. Then uninitialised
//      elements are copied back.
//
// A walk over the control flow tracks which twins may hold elements that were never filled, and which may hold results
// that their arguments lack. The pass copies an argument to its twin at the start if the twin would otherwise come back
// unfilled, and copies results back before returns.
//
// A twin is a transient named gpu_A, has A's shape, is in device memory, and is copied entirely to A somewhere. Other
// containers are never changed.
#include "sdfgc/Analysis/Flow/FlowWalk.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/LibraryNodes/LibraryNodes.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>
#include <map>
#include <set>

namespace sdfgc::transforms {
namespace {

using namespace ir;

using Names = std::set<Name>;

/// Does the edge write an entire container, according to its memlet?
bool coversAll(const Edge &e, const DataDesc &d) {
    const auto subset = analysis::destinationSubset(&e);
    return !e.memlet.isEmpty() && !e.memlet.dynamic && e.memlet.wcr.empty() && (!subset || *subset == d.fullSubset());
}

bool alwaysWrites(const NestedSDFGNode &n, Name argument);

/// Does the code at the start of a path always write when it runs, regardless of the old contents?
bool writesAlways(const Edge &leaf) {
    if (leaf.memlet.dynamic || !leaf.memlet.wcr.empty())
        return false;
    if (const auto *nested = dyn_cast<NestedSDFGNode>(leaf.src))
        return alwaysWrites(*nested, leaf.srcConn);
    if (const auto *t = dyn_cast<Tasklet>(leaf.src)) // Python code with access to an entire array may write only parts of it
        return !t->code.isPython() || (leaf.memlet.subset && leaf.memlet.subset->numElements().isOne());
    const auto *library = dyn_cast<LibraryNode>(leaf.src);
    return !library || libnodes::overwrites(*library);
}

bool writesAll(Edge &e, const DataDesc &d) {
    if (!coversAll(e, d))
        return false;
    const std::vector<Edge *> leaves = analysis::memletLeaves(&e);
    return std::all_of(leaves.begin(), leaves.end(), [](const Edge *leaf) { return writesAlways(*leaf); });
}

/// Does a nested SDFG write an entire argument, in a state that always runs?
bool alwaysWrites(const NestedSDFGNode &n, Name argument) {
    const DataDesc *d = n.sdfg ? n.sdfg->desc(argument) : nullptr;
    const Block *b = d ? n.sdfg->start() : nullptr;
    for (std::size_t steps = 0; b && isa<State>(b) && steps < n.sdfg->blocks().size(); ++steps) {
        for (const auto &node : cast<State>(b)->nodes())
            if (auto *a = dyn_cast<AccessNode>(node.get()); a && a->data == argument)
                for (Edge *e : a->inEdges())
                    if (writesAll(*e, *d))
                        return true;
        const auto &out = b->outEdges();
        b = out.size() == 1 && out.front()->isUnconditional() ? out.front()->dst : nullptr;
    }
    return false;
}

/// Twins that may have elements that were never filled, and those that may have results that their arguments lack.
struct Known {
    Names unfilled, ahead;
    void join(const Known &o) {
        unfilled.insert(o.unfilled.begin(), o.unfilled.end());
        ahead.insert(o.ahead.begin(), o.ahead.end());
    }
    bool sameAs(const Known &o) const { return unfilled == o.unfilled && ahead == o.ahead; }
};

class TwinFlow : public analysis::FlowWalk<Known> {
public:
    explicit TwinFlow(SDFG &g) : g_(g) {
        for (State *s : allStates(g))
            for (const auto &e : s->edges())
                if (const auto twin = copyBack(*e))
                    argumentOf_[*twin] = cast<AccessNode>(e->dst)->data;
    }

    bool run(pass::Context &context) {
        if (argumentOf_.empty())
            return false;
        Known begin;
        for (const auto &[twin, argument] : argumentOf_)
            begin.unfilled.insert(twin);
        whole(g_, begin);
        for (const auto &[block, twins] : left_)
            copyBackAt(*block, twins, context);
        if (!toFill_.empty())
            fillAtStart(context);
        return !left_.empty() || !toFill_.empty();
    }

protected:
    Known state(State &s, Known now) override {
        const analysis::ScopeTree scopes(s);
        for (Node *n : scopes.order())
            if (const AccessNode *memory = analysis::nodeBehindViews(n); memory && argumentOf_.count(memory->data))
                access(*cast<AccessNode>(n), memory->data, scopes.scopeOf(n) != nullptr, now);
        return now;
    }

    void atReturn(Block &b, const Known &now) override {
        auto at = std::find_if(left_.begin(), left_.end(), [&](const auto &l) { return l.first == &b; });
        if (at == left_.end() && !now.ahead.empty())
            at = left_.insert(at, {&b, {}});
        for (Name twin : now.ahead) {
            at->second.insert(twin);
            if (now.unfilled.count(twin))
                toFill_.insert(twin);
        }
    }

private:
    /// The twin, if the edge copies it back to its argument.
    std::optional<Name> copyBack(const Edge &e) const {
        const auto *from = dyn_cast<AccessNode>(e.src), *to = dyn_cast<AccessNode>(e.dst);
        const DataDesc *device = from ? g_.desc(from->data) : nullptr, *host = to ? g_.desc(to->data) : nullptr;
        if (!device || !host || from->data.str() != "gpu_" + to->data.str() || !device->transient || host->transient)
            return std::nullopt;
        const bool twins = device->storage == Storage::GPU_Global && device->isArray() && !device->isView() && host->isArray() &&
                           !isGpuStorage(host->storage) && device->shape == host->shape && device->dtype == host->dtype;
        return twins && coversAll(e, *host) ? std::optional(from->data) : std::nullopt;
    }

    void access(AccessNode &a, Name twin, bool inScope, Known &now) {
        const Name argument = argumentOf_.at(twin);
        for (Edge *e : a.inEdges()) {
            const AccessNode *from = analysis::nodeBehindViews(e->src);
            if (e->memlet.isEmpty() || (from && from->data == twin)) // the edge of a view
                continue;
            const bool all = !inScope && a.data == twin && writesAll(*e, *g_.desc(twin));
            if (all)
                now.unfilled.erase(twin);
            if (all && from && from->data == argument)
                now.ahead.erase(twin);
            else
                now.ahead.insert(twin);
        }
        for (Edge *e : a.outEdges())
            if (copyBack(*e) == twin) {
                if (now.unfilled.count(twin))
                    toFill_.insert(twin);
                now.ahead.erase(twin);
            }
    }

    void copyBackAt(Block &block, const Names &twins, pass::Context &context) {
        State *s = block.parent()->addStateBefore(&block, "copy_back");
        for (Name twin : twins) {
            s->copyAll(twin, argumentOf_.at(twin));
            context.done(block,
                         "copies `" + twin.str() + "` back to `" + argumentOf_.at(twin).str() + "`, which the return would skip");
        }
    }

    void fillAtStart(pass::Context &context) {
        State *s = g_.addStateBefore(g_.start(), "fill");
        for (Name twin : toFill_) {
            s->copyAll(argumentOf_.at(twin), twin);
            context.done({g_, twin}, "starts as a copy of `" + argumentOf_.at(twin).str() +
                                         "`: not every element that is copied back is always written");
        }
    }

    SDFG &g_;
    std::map<Name, Name> argumentOf_;             // for each twin
    std::vector<std::pair<Block *, Names>> left_; // twins to copy back before each return
    Names toFill_;
};

class CompleteTwins : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        const bool changed = TwinFlow(root).run(context);
        if (changed)
            root.renumber();
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createCompleteTwins() { return std::make_unique<CompleteTwins>(); }

} // namespace sdfgc::transforms
