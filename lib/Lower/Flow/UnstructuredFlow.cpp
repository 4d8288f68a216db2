// Control flow that is not a sequence, as labels and jumps.
#include "UnstructuredFlow.h"

#include "ControlFlow.h"
#include "Lower/Expressions/Expressions.h"

#include "sdfgc/Analysis/Verify.h"

#include <algorithm>

namespace sdfgc::tree::lowering {

using namespace ir;

namespace {

/// Jumps along the edges of a block to the labels of their targets. Returns whether the last jump is unconditional, so that control
/// does not fall through.
bool leave(Instance &in, const Region &r, std::vector<InterstateEdge *> edges,
           const std::function<Name(const ir::Block *)> &labelOf, tree::Block &body) {
    std::stable_partition(edges.begin(), edges.end(), [](const InterstateEdge *e) { return !e->isUnconditional(); });
    for (InterstateEdge *e : edges) {
        tree::Block *target = &body;
        if (!e->isUnconditional()) {
            auto *branch = body.add<If>();
            branch->branches.push_back({expression(in, e->condition, analysis::placeOf(*e, r)), std::make_unique<tree::Block>()});
            target = branch->branches.back().body.get();
        }
        addAssignments(in, *e, r, *target);
        target->add<Goto>(labelOf(e->dst));
        if (e->isUnconditional())
            return true;
    }
    return false;
}

} // namespace

void lowerUnstructured(Instance &in, Region &r, tree::Block &out) {
    int id = in.fn->labels++;
    auto labelOf = [&](const ir::Block *b) { return Name("block_" + std::to_string(id) + "_" + std::to_string(b->id())); };
    Name end("end_" + std::to_string(id));
    std::vector<ir::Block *> order{r.start()};
    for (const auto &b : r.blocks())
        if (b.get() != r.start())
            order.push_back(b.get());

    for (std::size_t i = 0; i < order.size(); ++i) {
        ir::Block *b = order[i];
        out.add<Label>(labelOf(b));
        auto *body = out.add<tree::Block>();
        body->braces = true;
        in.fn->names.open();
        lowerBlock(in, *b, *body);
        const bool left = leave(in, r, b->outEdges(), labelOf, *body);
        if (!left && i + 1 < order.size())
            body->add<Goto>(end);
        in.fn->names.close();
    }
    out.add<Label>(end);
}

} // namespace sdfgc::tree::lowering
