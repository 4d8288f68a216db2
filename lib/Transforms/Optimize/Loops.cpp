#include "Transforms/Optimize/Loops.h"

#include "sdfgc/Analysis/Symbols.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Nest/Nest.h"
#include "sdfgc/Tasklet/Ast.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;

namespace {

/// A value of integers in a loop's header; nothing where it is more than symbols and arithmetic.
std::optional<sym::Expr> valueOf(const py::Expr &e) {
    const std::string text = py::print(e);
    if (nest::hasQuotient(text)) // rounded in code, but not in expressions
        return std::nullopt;
    return sym::parse(text).expr;
}

/// The value that code assigns to a variable, if that is all it does.
py::ExprRef assigned(const std::optional<Code> &code, Name variable) {
    if (!code || code->language != Language::Python)
        return nullptr;
    const auto block = py::parseBlockOrRaw(code->text);
    if (block.size() != 1 || block[0]->kind != py::StmtKind::Assign || block[0]->targets.size() != 1 ||
        block[0]->targets[0]->kind != py::ExprKind::Name || block[0]->targets[0]->name != variable)
        return nullptr;
    return block[0]->value;
}

} // namespace

std::optional<LoopHeader> headerOf(const LoopRegion &l) {
    if (l.inverted || l.unroll || !l.variable || !l.condition || l.condition->language != Language::Python)
        return std::nullopt;
    const py::ExprRef first = assigned(l.init, l.variable), next = assigned(l.update, l.variable);
    const auto condition = py::parseExpr(l.condition->text);
    if (!first || !next || !condition.value)
        return std::nullopt;
    const py::Expr &test = **condition.value;
    if (test.kind != py::ExprKind::Compare || test.ops.size() != 1 || test.args[0]->kind != py::ExprKind::Name ||
        test.args[0]->name != l.variable)
        return std::nullopt;
    const auto begin = valueOf(*first), following = valueOf(*next), end = valueOf(*test.args[1]);
    if (!begin || !following || !end || begin->dependsOn(l.variable) || end->dependsOn(l.variable))
        return std::nullopt;
    const sym::Expr step = *following - sym::Expr::symbol(l.variable);
    const auto by = step.asInt();
    const py::Op op = test.ops[0];
    if (by && *by >= 1 && (op == py::Op::Lt || op == py::Op::Le))
        return LoopHeader{{*begin, op == py::Op::Lt ? *end - 1 : *end, step, 1}, false};
    if (by && *by == -1 && (op == py::Op::Gt || op == py::Op::Ge))
        return LoopHeader{{op == py::Op::Gt ? *end + 1 : *end, *begin, 1, 1}, true};
    return std::nullopt;
}

namespace {

/// Does something outside of a loop read its variable, without a loop around it that sets it?
class ReadsOutside {
public:
    ReadsOutside(const SDFG &g, const LoopRegion &l) : g_(g), loop_(l) {}
    bool any() { return region(g_); }

private:
    bool in(const Code &c) const { return analysis::namesInCode(c, g_).count(loop_.variable) != 0; }
    bool in(const std::optional<Code> &c) const { return c && in(*c); }

    bool region(const Region &r) {
        for (const auto &b : r.blocks())
            if (block(*b))
                return true;
        return std::any_of(r.edges().begin(), r.edges().end(), [this](const auto &e) {
            return in(e->condition) || std::any_of(e->assignments.begin(), e->assignments.end(), [this](const auto &a) {
                       return a.first == loop_.variable || in(Code{a.second, Language::Python});
                   });
        });
    }

    bool block(const Block &b) {
        if (&b == &loop_)
            return false;
        if (const auto *s = dyn_cast<State>(&b))
            return state(*s);
        if (const auto *c = dyn_cast<ConditionalBlock>(&b))
            return std::any_of(c->branches().begin(), c->branches().end(),
                               [this](const auto &branch) { return in(branch.condition) || region(*branch.region); });
        if (const auto *l = dyn_cast<LoopRegion>(&b)) {
            if (l->variable == loop_.variable) // sets it
                return in(l->init);
            if (in(l->init) || in(l->condition) || in(l->update))
                return true;
        }
        const auto *r = dyn_cast<Region>(&b);
        return r && region(*r);
    }

    bool state(const State &s) const {
        const ScopeTree scopes(s);
        const auto mentions = [this](const std::optional<sym::Subset> &subset) {
            return subset && subset->freeSymbols().count(loop_.variable) != 0;
        };
        return std::any_of(
                   s.nodes().begin(), s.nodes().end(),
                   [&](const auto &n) { return analysis::freeSymbols(*n).count(loop_.variable) && !isParameterAt(*n, scopes); }) ||
               std::any_of(s.edges().begin(), s.edges().end(), [&](const auto &e) {
                   return (mentions(e->memlet.subset) || mentions(e->memlet.otherSubset)) && !isParameterAt(*e->src, scopes);
               });
    }

    /// Is the name a parameter of a map there, or of the map that begins there?
    bool isParameterAt(const Node &n, const ScopeTree &scopes) const {
        const auto sets = [this](const Node *scope) {
            const auto *m = dyn_cast<MapEntry>(scope);
            return m && std::find(m->params.begin(), m->params.end(), loop_.variable) != m->params.end();
        };
        const std::vector<Node *> around = scopes.enclosing(&n);
        return sets(&n) || std::any_of(around.begin(), around.end(), sets);
    }

    const SDFG &g_;
    const LoopRegion &loop_;
};

} // namespace

bool isVariableReadOutside(const LoopRegion &l) { return ReadsOutside(*l.sdfg(), l).any(); }

void forgetVariable(SDFG &g, Name variable) {
    const std::vector<Region *> left = allRegions(g);
    if (std::none_of(left.begin(), left.end(), [variable](const Region *other) {
            const auto *l = dyn_cast<LoopRegion>(other);
            return l && l->variable == variable;
        }))
        g.symbols.erase(variable);
}

State &stateInPlaceOf(LoopRegion &l) {
    Region &r = *l.parent();
    const bool starts = r.start() == &l;
    auto *s = r.add<State>();
    s->label = l.label;
    s->debugInfo = l.debugInfo;
    for (InterstateEdge *e : r.inEdges(&l))
        e->dst = s;
    for (InterstateEdge *e : r.outEdges(&l))
        e->src = s;
    if (starts)
        r.setStart(s);
    return *s;
}

bool isOfIntegers(const sym::Range &r, const SDFG &g) {
    const auto isInteger = [&g](Name n) {
        const Type *t = g.symbols.find(n);
        return !g.desc(n) && (!t || t->isInteger());
    };
    const auto fits = [&](sym::Expr e) {
        const auto names = e.freeSymbols();
        return std::all_of(names.begin(), names.end(), isInteger);
    };
    return fits(r.begin) && fits(r.end);
}

bool isInScope(const SDFG &g) {
    for (const SDFG *at = &g; at->parentNode; at = at->parentSDFG())
        if (ScopeTree(*at->parentNode->state()).scopeOf(at->parentNode))
            return true;
    return false;
}

} // namespace sdfgc::transforms
