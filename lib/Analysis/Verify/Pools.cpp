// Memory of the device's pool is there between Allocate and Free, on every path (sdfgc/Analysis/Async.h). That streams keep to this
// order is what Streams.cpp checks: both nodes write the container.
#include "Analysis/Verify/Verifier.h"

#include "sdfgc/Analysis/FlowWalk.h"
#include "sdfgc/Analysis/Streams.h"

namespace sdfgc::analysis {

using namespace ir;

namespace {

/// Containers of the pool that may have no memory here.
struct Missing {
    std::set<Memory> memories;
    void join(const Missing &other) { memories.insert(other.memories.begin(), other.memories.end()); }
    bool sameAs(const Missing &other) const { return memories == other.memories; }
};

class PoolWalk : private FlowWalk<Missing> {
public:
    using Found = std::function<void(const StreamStep &, Memory)>;
    PoolWalk(SDFG &root, StreamSteps &steps, Found found) : root_(root), steps_(steps), found_(std::move(found)) {}

    void run() {
        Missing none;
        for (SDFG *g : allSDFGs(root_))
            for (Name data : pooledContainers(*g))
                none.memories.insert(steps_.memory(*g, data));
        if (!none.memories.empty())
            whole(root_, std::move(none));
    }

private:
    Missing state(State &s, const Missing &in) override {
        Missing now = in;
        for (const StreamStep &step : steps_.of(s)) {
            const auto *l = dyn_cast<LibraryNode>(step.node);
            bool allocates = false, frees = false;
            if (l)
                if (auto op = asyncOp(*l)) {
                    allocates = op->kind == AsyncOp::Allocate;
                    frees = op->kind == AsyncOp::Free;
                }
            if (step.kind == StreamStep::Nested)
                now = whole(*static_cast<NestedSDFGNode *>(step.node)->sdfg, std::move(now));
            for (const auto *list : {&step.uses, &step.host})
                for (MemoryUse u : *list)
                    if (allocates)
                        now.memories.erase(u.memory);
                    else if (now.memories.erase(u.memory) && reported_.insert({step.node, u.memory}).second)
                        found_(step, u.memory);
            if (frees)
                now.memories.insert(step.uses.front().memory);
        }
        return now;
    }

    SDFG &root_;
    StreamSteps &steps_;
    Found found_;
    std::set<std::pair<const Node *, Memory>> reported_;
};

} // namespace

void Verifier::pools(const SDFG &constRoot) {
    SDFG &root = const_cast<SDFG &>(constRoot); // nothing is changed
    StreamSteps steps(root);
    PoolWalk(root, steps, [&](const StreamStep &step, Memory m) {
        if (step.edge)
            report(diag::Id::PoolMemoryGone, *step.edge, steps.name(m));
        else
            report(diag::Id::PoolMemoryGone, *step.node, steps.name(m));
    }).run();
}

} // namespace sdfgc::analysis
