// propagate-constants: replace containers in control flow with the only constant that the program stores in them.
//
//     state { t: add <- 1 }                      state { t: add <- 1 }
//     if add and not wait { a }         ->       if not wait { a }
//
// Front ends of Fortran store flags in scalars. simplify-control-flow then removes the branches that never run, and
// eliminate-dead-code the scalar.
//
// Legal when:
//   1. the container has one element, an integer or a bool;
//   2. every write to its memory is a tasklet that does nothing but assign a number or a truth value, always the same one;
//   3. one of the writes has certainly happened before the read.
//
// Not handled: reads in dataflow, elements of arrays, real numbers, and values that a nested SDFG stores.
#include "Transforms/Optimize/ContainerWrites.h"
#include "Transforms/Optimize/ControlReads.h"

#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Nest/Nest.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>
#include <map>

namespace sdfgc::transforms {
namespace {

using namespace ir;

/// The number that an expression is, or 0 and 1 for truth values.
std::optional<int64_t> numberOf(const py::Expr &e) {
    if (e.kind == py::ExprKind::Bool)
        return e.text == "True";
    if (e.kind == py::ExprKind::Unary && e.op == py::Op::Neg && e.args[0]->kind == py::ExprKind::Int) {
        const auto n = sym::parse(e.args[0]->text).expr->asInt();
        return n ? std::optional(-*n) : std::nullopt;
    }
    return e.kind == py::ExprKind::Int ? sym::parse(e.text).expr->asInt() : std::nullopt;
}

bool isTruth(const py::Expr &e) {
    return e.kind == py::ExprKind::Compare || e.kind == py::ExprKind::BoolOp || e.kind == py::ExprKind::Bool ||
           (e.kind == py::ExprKind::Unary && e.op == py::Op::Not);
}

/// Removes truth values from `and`, `or` and `not`, if the result is not another kind of value.
py::ExprRef withoutTruths(const py::ExprRef &e) {
    if (e->kind == py::ExprKind::Unary && e->op == py::Op::Not && e->args[0]->kind == py::ExprKind::Bool)
        return py::boolLit(e->args[0]->text != "True");
    if (e->kind != py::ExprKind::BoolOp)
        return e;
    const bool neutral = e->op == py::Op::And;
    std::vector<py::ExprRef> rest;
    for (const py::ExprRef &a : e->args) {
        if (a->kind != py::ExprKind::Bool) {
            rest.push_back(a);
        } else if ((a->text == "True") != neutral) { // what follows is not evaluated
            rest.push_back(a);
            break;
        }
    }
    if (rest.empty())
        return py::boolLit(neutral);
    if (rest.size() == 1)
        return isTruth(*rest.front()) ? rest.front() : e;
    return rest.size() == e->args.size() ? e : py::boolOp(e->op, std::move(rest));
}

/// The number as a value of a type; null if it has no such value.
py::ExprRef literalOf(int64_t number, Type type) {
    if (type.isBool())
        return py::boolLit(number != 0);
    const int64_t bits = 8 * type.bytes().value_or(0);
    const bool fits = type.isUnsigned()
                          ? number >= 0 && (bits >= 63 || number >> bits == 0)
                          : bits >= 64 || (number >= -(int64_t{1} << (bits - 1)) && number < int64_t{1} << (bits - 1));
    if (!fits || number == INT64_MIN)
        return nullptr;
    const py::ExprRef plain = number < 0 ? py::unary(py::Op::Neg, py::intLit(-number)) : py::intLit(number);
    return type.isSigned() && bits <= 32 ? plain : py::castTo(type, plain);
}

class ConstantPropagation {
public:
    ConstantPropagation(SDFG &g, analysis::Memories &memories, pass::Context &context)
        : g_(g), context_(context), reads_(g), writes_(g, memories) {}

    bool run() {
        for (Region *r : allRegions(g_)) {
            if (nest::isKept(*r))
                continue;
            for (const auto &e : r->edges()) {
                code(e->condition, *e->src);
                for (auto &[symbol, text] : e->assignments)
                    value(text, *e->src);
            }
            for (const auto &b : r->blocks())
                if (auto *c = dyn_cast<ConditionalBlock>(b.get()))
                    for (auto &branch : c->branches())
                        if (branch.condition)
                            code(*branch.condition, *c);
            if (auto *l = dyn_cast<LoopRegion>(r))
                header(*l);
        }
        return changed_;
    }

private:
    void code(Code &c, const Block &from) {
        if (const py::ExprRef e = c.expression())
            if (const py::ExprRef now = withConstants(e, from))
                c = Code(*now);
    }

    void value(std::string &text, const Block &from) {
        if (const auto parsed = py::parseExpr(text); parsed.value)
            if (const py::ExprRef now = withConstants(*parsed.value, from))
                text = py::print(*now);
    }

    /// The expression with constants in place of what it reads from containers; null if there are none.
    py::ExprRef withConstants(const py::ExprRef &e, const Block &from) {
        const py::ExprRef now = reads_.replaced(e, true, [&](const ControlRead &r, bool) { return constantAt(r, from); });
        changed_ |= now != nullptr;
        return now ? py::rewrite(now, withoutTruths) : nullptr;
    }

    void header(LoopRegion &l) {
        const auto constant = [&](const ControlRead &r, bool) { return constantAt(r, l); };
        for (std::optional<Code> *c : {&l.init, &l.update})
            if (*c)
                changed_ |= reads_.replaceInStatement(**c, true, constant);
        if (l.condition)
            code(*l.condition, l);
    }

    /// The constant that a container has after a block; null if none is known.
    py::ExprRef constantAt(const ControlRead &r, const Block &at) {
        if (!r.isHarmless || !g_.desc(r.container)->numElements().isOne())
            return nullptr;
        const auto [known, isNew] = constants_.try_emplace(r.container);
        if (isNew)
            known->second = constantOf(r);
        Constant &c = known->second;
        if (!c.literal || std::none_of(c.writes.begin(), c.writes.end(),
                                       [&](const ContainerWrite *w) { return w->certain && writes_.dominates(*w->state, at); }))
            return nullptr;
        if (!c.isReplaced && !context_.mayChange({g_, r.container}, "control flow reads it as `" + py::print(*c.literal) + "`"))
            c.literal = nullptr;
        c.isReplaced = true;
        return c.literal;
    }

    struct Constant {
        std::vector<const ContainerWrite *> writes;
        py::ExprRef literal; // null: not a constant
        bool isReplaced = false;
    };

    Constant constantOf(const ControlRead &r) const {
        Constant out;
        std::optional<int64_t> number;
        for (const ContainerWrite *w : writes_.of(r.container)) {
            const auto value = storedBy(*w);
            if (!value || (number && *number != *value))
                return {};
            number = value;
            out.writes.push_back(w);
        }
        if (number)
            out.literal = literalOf(*number, r.type);
        return out;
    }

    /// The number that a write stores in its container, if it is a tasklet that does nothing else.
    static std::optional<int64_t> storedBy(const ContainerWrite &w) {
        const Edge *in = w.node->inEdges().size() == 1 ? w.node->inEdges().front() : nullptr;
        const auto *t = in ? dyn_cast<Tasklet>(in->src) : nullptr;
        if (!t || !in->memlet.wcr.empty() || w.node->setZero || !t->code.isPython())
            return std::nullopt;
        const Code::Block *block = t->code.block();
        if (!block || block->size() != 1)
            return std::nullopt;
        const py::Stmt &s = *block->front();
        if (s.kind != py::StmtKind::Assign || s.targets.size() != 1 || s.targets[0]->kind != py::ExprKind::Name ||
            s.targets[0]->name != in->srcConn)
            return std::nullopt;
        const Connector *out = t->outConnector(in->srcConn);
        if (!out || !(out->type.isInteger() || out->type.isBool()))
            return std::nullopt;
        const auto number = numberOf(*s.value);
        if (!number || !literalOf(*number, out->type))
            return std::nullopt;
        return out->type.isBool() ? *number != 0 : *number;
    }

    SDFG &g_;
    pass::Context &context_;
    const ControlReads reads_;
    const ContainerWrites writes_;
    std::map<Name, Constant> constants_;
    bool changed_ = false;
};

class PropagateConstants : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        if (mentionsGpu(root))
            return false;
        analysis::Memories memories(root);
        bool changed = false;
        for (SDFG *g : allSDFGs(root))
            if (!analysis::containersReadByControlFlow(*g).empty())
                changed |= ConstantPropagation(*g, memories, context).run();
        if (changed)
            root.renumber();
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createPropagateConstants() { return std::make_unique<PropagateConstants>(); }

} // namespace sdfgc::transforms
