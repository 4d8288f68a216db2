// raise-control-flow: turn state machines into loops, conditional blocks and returns.
//
//   before:  init -(i = 0)-> guard                   after:  init -> loop (i = 0; i < N; i = i + 1) { body } -> end
//            guard -(i < N)-> body
//            body -(i = i + 1)-> guard
//            guard -(not i < N)-> end
//
// Rules: format reference 5.5, semantics reference 11.1. Afterwards every block outside Unstructured regions has at
// most one outgoing edge, which is unconditional.
//
// For each region, from the inside out:
//   1. Blocks and edges become a graph in which every jump is explicit: "no edge is true" is a jump to the region's
//      end, and the second of two opposite conditions is not tested (ControlFlow/FlowGraph).
//   2. Cycles are collapsed to LoopRegions, innermost first: for, while, do-while, or `while True` with breaks
//      (ControlFlow/Loops). A cycle with two entries, or with exits to several places, is wrapped in an Unstructured
//      region (ControlFlow/Unstructured).
//   3. The acyclic rest becomes a chain with conditional blocks, by the dominator tree (ControlFlow/Branches).
//
// Updates of loop regions become assignments, so `i += 2` becomes `i = i + 2`: all later passes see a single form.
//
// Every assignment of every edge is kept, on an edge at the same point of the execution; an empty state is inserted in
// between if necessary. Unreachable blocks are removed.
//
// Not handled: regions that are already chains, and Unstructured regions in the file (the insides of their blocks are
// raised).
#include "Transforms/Normalise/ControlFlow/Structure.h"

#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Tasklet/Ast.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;

/// Is it a sequence of blocks from the start, without conditions and without other blocks?
bool isChain(const Region &r) {
    std::vector<const InterstateEdge *> out(r.blocks().size(), nullptr);
    for (const auto &e : r.edges()) {
        if (!e->isUnconditional() || out[e->src->id()])
            return false;
        out[e->src->id()] = e.get();
    }
    const Block *b = r.start();
    for (std::size_t visited = 1; visited <= r.blocks().size(); ++visited) {
        if (!b)
            return false;
        if (!out[b->id()])
            return visited == r.blocks().size();
        b = out[b->id()]->dst;
    }
    return false; // a cycle
}

/// Rewrites `i += 2` as `i = i + 2`. Returns whether it was such a statement.
bool spellOut(std::optional<Code> &statement) {
    const Code::Block *block = statement ? statement->block() : nullptr;
    if (!block || block->size() != 1 || block->front()->kind != py::StmtKind::AugAssign)
        return false;
    const py::Stmt &s = *block->front();
    statement = Code(py::print(*s.targets[0]) + " = " + py::print(*py::binary(s.op, s.targets[0], s.value)));
    return true;
}

class RaiseControlFlow : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        bool changed = false;
        const std::vector<SDFG *> graphs = allSDFGs(root);
        for (auto g = graphs.rbegin(); g != graphs.rend(); ++g) { // inner first: unreachable blocks are removed with theirs
            for (Region *r : allRegions(**g))
                if (auto *l = dyn_cast<LoopRegion>(r))
                    for (auto *statement : {&l->init, &l->update})
                        changed |= spellOut(*statement);
            changed |= raise(**g, context);
        }
        if (changed)
            root.renumber();
        return changed;
    }

private:
    static bool raise(SDFG &g, pass::Context &context) {
        std::vector<Region *> regions = allRegions(g);
        std::vector<Region *> todo;
        for (auto r = regions.rbegin(); r != regions.rend(); ++r) { // inner regions first
            (*r)->renumberBlocks();
            if (!(*r)->blocks().empty() && (*r)->kind() != BlockKind::Unstructured && !isChain(**r))
                todo.push_back(*r);
        }
        if (todo.empty())
            return false;
        auto canBeNaN = [&g](Name n) {
            const Type *t = g.symbols.find(n);
            const DataDesc *d = g.desc(n);
            return (t && !t->isVoid() && !t->isInteger() && !t->isBool()) || (d && !d->dtype.isInteger() && !d->dtype.isBool());
        };
        flow::Raising raising{flow::Labels(g), context, ""};
        for (Region *r : todo) {
            raising.element = static_cast<const Block &>(*r);
            if (!r->start()) {
                context.diags.report(diag::Id::StartBlockUnknown, analysis::placeOf(static_cast<const Block &>(*r)));
                continue;
            }
            flow::Graph graph = flow::takeFrom(*r, canBeNaN);
            flow::collapseLoops(graph, raising);
            flow::writeStructured(graph, *r, raising);
        }
        g.usesExplicitControlFlow = true;
        return true;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createRaiseControlFlow() { return std::make_unique<RaiseControlFlow>(); }

} // namespace sdfgc::transforms
