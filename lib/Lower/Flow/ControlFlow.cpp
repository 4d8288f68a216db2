// Control flow.
#include "ControlFlow.h"

#include "Graphs.h"
#include "Lower/Expressions/Expressions.h"
#include "Lower/Expressions/Symbols.h"
#include "Lower/Program/Measurements.h"
#include "States.h"
#include "UnstructuredFlow.h"

#include "sdfgc/Analysis/Verify.h"

#include <utility>

namespace sdfgc::tree::lowering {

using namespace ir;

namespace {

/// Indices of a block and its region, as used in the source map; empty for a root.
std::vector<int> originOf(const ir::Block &b) {
    const Region *r = b.parent();
    return r ? std::vector<int>{r->cfgId, static_cast<int>(b.id())} : std::vector<int>{};
}

/// Can a region be written as a sequence: does every block have at most one out-edge, which is unconditional, and is there no
/// cycle?
bool isSequence(const Region &r) {
    if (r.kind() == BlockKind::Unstructured)
        return false;
    for (const auto &b : r.blocks())
        if (b->outEdges().size() > 1 || (!b->outEdges().empty() && !b->outEdges().front()->isUnconditional()))
            return false;
    const ir::Block *at = r.start();
    for (std::size_t steps = 0; at; at = at->outEdges().empty() ? nullptr : at->outEdges().front()->dst)
        if (++steps > r.blocks().size())
            return false;
    return true;
}

/// Is there a `continue` of this loop rather than of an inner one?
bool containsContinue(const Region &r) {
    for (const auto &b : r.blocks()) {
        if (b->kind() == BlockKind::Continue)
            return true;
        if (const auto *inner = dyn_cast<Region>(b.get()); inner && inner->kind() != BlockKind::Loop && containsContinue(*inner))
            return true;
        if (const auto *c = dyn_cast<ConditionalBlock>(b.get()))
            for (const auto &branch : c->branches())
                if (containsContinue(*branch.region))
                    return true;
    }
    return false;
}

/// The assignment of a loop's start or step to its variable; null if there is none or an error was reported.
py::StmtRef loopStatement(Instance &in, const std::optional<ir::Code> &code, const diag::Location &where) {
    if (!code || code->empty())
        return nullptr;
    const ir::Code::Block *parsed = code->block();
    if (!parsed || parsed->size() != 1 || (*parsed)[0]->kind != py::StmtKind::Assign || (*parsed)[0]->targets.size() != 1 ||
        (*parsed)[0]->targets[0]->kind != py::ExprKind::Name) {
        in.error(diag::Id::BadCode, where, "a loop statement must be one assignment: `" + code->text() + "`");
        return nullptr;
    }
    const py::Stmt &s = *(*parsed)[0];
    const py::ExprRef value = expression(in, s.value, where, symbolicSemantics(in));
    return value ? symbolAssignment(in, s.targets[0]->name, value) : nullptr;
}

/// Is the label informative? Default labels of loops in the text form (`loop`, `loop_2`) are not.
bool hasGivenLabel(const LoopRegion &l) {
    return l.label.find_first_not_of("_0123456789", l.label.starts_with("loop") ? 4 : 0) != std::string::npos;
}

/// A loop region. `continue` jumps to the step if that comes after the body.
void lowerLoop(Instance &in, LoopRegion &l, tree::Block &out) {
    diag::Location where = analysis::placeOf(l);
    auto *node = out.add<Loop>();
    node->comment = hasGivenLabel(l) ? "loop " + l.label : "";
    node->origin = originOf(l);
    node->unroll = l.unroll;
    node->unrollFactor = l.unrollFactor;
    if (l.inverted)
        node->form = l.updateBeforeCondition ? Loop::DoWhile : Loop::TestLast;
    node->init = loopStatement(in, l.init, where);
    if (l.condition && !l.condition->empty())
        node->condition = expression(in, *l.condition, where);
    node->update = loopStatement(in, l.update, where);
    if (l.inverted && node->update && containsContinue(l))
        node->continueLabel = Name("next_" + std::to_string(in.fn->labels++));
    Loop *outer = std::exchange(in.loop, node);
    in.fn->names.open();
    lowerRegion(in, l, node->body);
    in.fn->names.close();
    in.loop = outer;
    if (node->continueLabel)
        node->body.add<Label>(node->continueLabel);
}

/// A conditional block: an `if` with its other branches.
void lowerConditional(Instance &in, ConditionalBlock &c, tree::Block &out) {
    diag::Location where = analysis::placeOf(c);
    auto *node = out.add<If>();
    node->origin = originOf(c);
    for (const auto &branch : c.branches()) {
        If::Branch b;
        if (branch.condition)
            b.condition = expression(in, *branch.condition, where);
        b.body = std::make_unique<tree::Block>();
        in.fn->names.open();
        lowerRegion(in, *branch.region, *b.body);
        in.fn->names.close();
        node->branches.push_back(std::move(b));
    }
}

} // namespace

void lowerRegion(Instance &in, Region &r, tree::Block &out) {
    if (r.blocks().empty())
        return;
    ir::Block *at = r.start();
    if (!at) {
        in.error(diag::Id::LowerUnsupported, analysis::placeOf(r), "a region without a start block", "give `start_block`");
        return;
    }
    if (!isSequence(r))
        return lowerUnstructured(in, r, out);
    for (;;) {
        lowerBlock(in, *at, out);
        if (at->outEdges().empty())
            break;
        const InterstateEdge &e = *at->outEdges().front();
        addAssignments(in, e, r, out);
        at = e.dst;
    }
}

void lowerBlock(Instance &in, ir::Block &b, tree::Block &out) {
    switch (b.kind()) {
    case BlockKind::State:
        return lowerState(in, static_cast<State &>(b), out);
    case BlockKind::Loop:
        return lowerLoop(in, static_cast<LoopRegion &>(b), measuredRegion(in, static_cast<LoopRegion &>(b), out));
    case BlockKind::Conditional:
        return lowerConditional(in, static_cast<ConditionalBlock &>(b), out);
    case BlockKind::Break:
        out.add<Break>();
        return;
    case BlockKind::Continue:
        if (in.loop && in.loop->continueLabel)
            out.add<Goto>(in.loop->continueLabel);
        else
            out.add<Continue>();
        return;
    case BlockKind::Return:
        out.add<Return>();
        return;
    default:
        if (auto &r = static_cast<Region &>(b); r.graph == GraphMark::Formed)
            return lowerGraph(in, r, measuredRegion(in, r, out));
        else
            return lowerRegion(in, r, out);
    }
}

void addAssignments(Instance &in, const InterstateEdge &e, const Region &r, tree::Block &out) {
    if (e.assignments.empty())
        return;
    const diag::Location where = analysis::placeOf(e, r);
    for (const auto &[symbol, text] : e.assignments)
        if (py::ExprRef value = expression(in, ir::Code(text), where))
            if (py::StmtRef assignment = symbolAssignment(in, symbol, std::move(value)))
                out.add<Code>()->stmts.push_back(std::move(assignment));
}

} // namespace sdfgc::tree::lowering
