// while-loops: turn `for` loops whose variable does not count into `while` loops.
//
//     for i = 1; i < N; i = 2 * i {              i = 1
//         a                              ->      while i < N {
//     }                                              a
//                                                    i = 2 * i
//                                                }
//
// Edges then assign the variable like any other symbol. The gradient restores its values while it runs backwards
// (Differentiate/Flow.h), and counts the iterations separately.
//
// Legal when:
//   1. No formula counts the iterations (LoopHeader.h).
//   2. `init` and `update` are single assignments to the variable, and the body is a sequence, so the update has one place.
//   3. The update runs before the condition, as in all loops except some `do ... while` loops.
//
// Not handled: loops that the graph asks not to change (`optimize`).
#include "Transforms/Normalise/Normalise.h"
#include "sdfgc/Analysis/Flow/Loops.h"

#include "sdfgc/Nest/Nest.h"
#include "sdfgc/Tasklet/Ast.h"
#include "sdfgc/Transforms/Passes.h"

namespace sdfgc::transforms {

using namespace ir;

namespace {

/// The new value of the variable after `v = value` or `v += value`; nothing for any other code.
std::optional<std::string> valueGivenBy(const std::optional<Code> &c, Name v) {
    const Code::Block *block = c ? c->block() : nullptr;
    if (!block || block->size() != 1)
        return std::nullopt;
    const py::Stmt &s = *block->front();
    if (s.targets.size() != 1 || !py::equal(*s.targets[0], *py::name(v)))
        return std::nullopt;
    if (s.kind == py::StmtKind::AugAssign)
        return py::print(*py::binary(s.op, s.targets[0], s.value));
    return s.kind == py::StmtKind::Assign ? std::optional(py::print(*s.value)) : std::nullopt;
}

/// Removes the variable from the header of a loop if it does not count. Returns whether it did.
bool takeOutOfHeader(LoopRegion &l) {
    SDFG &g = *l.sdfg();
    const std::vector<Block *> chain = analysis::sequenceOf(l);
    if (l.variable.empty() || chain.empty() || nest::isKept(l) || (l.inverted && !l.updateBeforeCondition) ||
        analysis::countedLoop(l))
        return false;
    const auto first = valueGivenBy(l.init, l.variable), next = valueGivenBy(l.update, l.variable);
    if (!first || !next)
        return false;
    if (!g.symbols.contains(l.variable))
        g.symbols[l.variable] = ScalarKind::Int64;
    for (InterstateEdge *e : l.parent()->addStateBefore(&l, g.freshLabel("first"))->outEdges())
        e->assignments = {{l.variable, *first}};
    auto *end = l.add<State>();
    end->label = g.freshLabel("next");
    l.connect(chain.back(), end, {"1", Language::Python}, {{l.variable, *next}});
    l.variable = Name();
    l.init.reset();
    l.update.reset();
    return true;
}

bool whileLoops(SDFG &g) {
    bool changed = false;
    for (Region *r : allRegions(g))
        if (auto *l = dyn_cast<LoopRegion>(r))
            changed |= takeOutOfHeader(*l);
    return changed;
}

} // namespace

std::unique_ptr<pass::Pass> createWhileLoops() { return std::make_unique<ForEachSdfg>(whileLoops); }

} // namespace sdfgc::transforms
