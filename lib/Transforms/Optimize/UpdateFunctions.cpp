#include "Transforms/Optimize/UpdateFunctions.h"

#include <algorithm>
#include <map>

namespace sdfgc::transforms {

using namespace ir;

namespace {

bool isName(const py::Expr &e, Name n) { return e.kind == py::ExprKind::Name && e.name == n; }

/// The operands of a chain of one operator.
void operandsOf(const py::ExprRef &e, py::Op op, std::vector<py::ExprRef> &out) {
    const bool continues = (e->kind == py::ExprKind::Binary || e->kind == py::ExprKind::BoolOp) && e->op == op;
    if (!continues)
        return out.push_back(e);
    for (const py::ExprRef &a : e->args)
        operandsOf(a, op, out);
}

/// A function, and what it is applied to.
struct Chain {
    py::Reduction kind;
    std::string wcr;
    std::vector<py::ExprRef> operands;
};

std::optional<Chain> chainOf(const py::ExprRef &e) {
    using py::Reduction;
    if (e->kind == py::ExprKind::Call && e->args.size() == 3 && e->keywords.empty()) {
        for (const char *function : {"min", "max"})
            for (const char *name : {function, function[1] == 'i' ? "Min" : "Max"})
                if (isName(*e->args[0], Name(name)))
                    return Chain{function[1] == 'i' ? Reduction::Min : Reduction::Max,
                                 "lambda a, b: " + std::string(function) + "(a, b)",
                                 {e->args[1], e->args[2]}};
        return std::nullopt;
    }
    if (e->kind != py::ExprKind::Binary && e->kind != py::ExprKind::BoolOp)
        return std::nullopt;
    struct Function {
        Reduction kind;
        const char *text;
    };
    static const std::map<py::Op, Function> functions{
        {py::Op::Add, {Reduction::Sum, "a + b"}},       {py::Op::Mul, {Reduction::Product, "a * b"}},
        {py::Op::BitAnd, {Reduction::BitAnd, "a & b"}}, {py::Op::BitOr, {Reduction::BitOr, "a | b"}},
        {py::Op::BitXor, {Reduction::BitXor, "a ^ b"}}, {py::Op::And, {Reduction::LogicalAnd, "a and b"}},
        {py::Op::Or, {Reduction::LogicalOr, "a or b"}}};
    const auto function = functions.find(e->op);
    if (function == functions.end())
        return std::nullopt;
    Chain out{function->second.kind, "lambda a, b: " + std::string(function->second.text), {}};
    operandsOf(e, e->op, out.operands);
    return out;
}

bool isExtremum(py::Reduction kind) { return kind == py::Reduction::Min || kind == py::Reduction::Max; }

/// May updates of this kind be reordered? Floating-point numbers have no bits, and logical functions yield bool.
bool isFree(py::Reduction kind, Type type, const UpdateOrder &order) {
    const bool isLogical = kind == py::Reduction::LogicalAnd || kind == py::Reduction::LogicalOr;
    if (type.isBool() || isLogical)
        return type.isBool() && isLogical;
    if (type.isInteger())
        return true;
    return isExtremum(kind) ? order.extrema : order.sums && (kind == py::Reduction::Sum || kind == py::Reduction::Product);
}

/// May an operand of this type be combined with values of another one? Several operands are combined with each other first, so
/// they must all have that type. A sum of integers may be cut to a narrower type before or after, a minimum may not.
bool fits(const py::Expr &e, Type own, const Chain &chain, Type type) {
    if (own == type)
        return true;
    if (!own.isInteger() || chain.operands.size() > 2)
        return false;
    if (type.isInteger() && !isExtremum(chain.kind))
        return true;
    return e.kind == py::ExprKind::Int && (type.isFloat() || (type.isSigned() && own.bytes() <= type.bytes()));
}

/// `x if x > old else old` is a maximum of integers. Of real numbers it is not: it says what becomes of NaNs and signs of zeros.
std::optional<UpdateFunction> extremumByChoice(const py::ExprRef &value, Name old, Type type, const TypeOfExpr &typeOf) {
    const py::Expr &test = *value->args[0];
    if (test.kind != py::ExprKind::Compare || test.ops.size() != 1 || !type.isInteger())
        return std::nullopt;
    const bool isLeft = isName(*test.args[0], old);
    const py::ExprRef &other = test.args[isLeft ? 1 : 0];
    const bool isGreater = test.ops[0] == py::Op::Gt || test.ops[0] == py::Op::Ge;
    if ((!isLeft && !isName(*test.args[1], old)) || py::freeNames(*other).count(old) || !(typeOf(other) == type) ||
        (!isGreater && test.ops[0] != py::Op::Lt && test.ops[0] != py::Op::Le))
        return std::nullopt;
    const bool keepsLeft = py::equal(*value->args[1], *test.args[0]) && py::equal(*value->args[2], *test.args[1]);
    const bool keepsRight = py::equal(*value->args[1], *test.args[1]) && py::equal(*value->args[2], *test.args[0]);
    if (!keepsLeft && !keepsRight)
        return std::nullopt;
    return UpdateFunction{isGreater == keepsLeft ? "lambda a, b: max(a, b)" : "lambda a, b: min(a, b)", other};
}

/// `old + x if c else old` is `old + (x if c else 0)`.
std::optional<UpdateFunction> updateUnderCondition(const py::ExprRef &value, Name old, Type type, const TypeOfExpr &typeOf,
                                                   const UpdateOrder &order) {
    const bool first = isName(*value->args[2], old);
    if (!first && !isName(*value->args[1], old))
        return std::nullopt;
    if (py::freeNames(*value->args[0]).count(old))
        return std::nullopt;
    std::optional<UpdateFunction> out = updateFunctionOf(value->args[first ? 1 : 2], old, type, typeOf, order);
    const py::Reduction kind = out ? kindOfUpdate(out->wcr) : py::Reduction::Custom;
    const bool hasPlainIdentity = kind == py::Reduction::Sum || kind == py::Reduction::Product || kind == py::Reduction::BitOr;
    if (!hasPlainIdentity || !type.isInteger())
        return std::nullopt;
    py::Expr choice = *value;
    const py::ExprRef identity = py::intLit(kind == py::Reduction::Product ? 1 : 0);
    choice.args = {value->args[0], first ? out->other : identity, first ? identity : out->other};
    out->other = std::make_shared<const py::Expr>(std::move(choice));
    return out;
}

} // namespace

std::optional<UpdateFunction> updateFunctionOf(const py::ExprRef &value, Name old, Type type, const TypeOfExpr &typeOf,
                                               const UpdateOrder &order) {
    if (value->kind == py::ExprKind::IfExp) {
        const auto extremum = extremumByChoice(value, old, type, typeOf);
        return extremum ? extremum : updateUnderCondition(value, old, type, typeOf, order);
    }
    const auto chain = chainOf(value);
    if (!chain || !isFree(chain->kind, type, order))
        return std::nullopt;
    py::ExprRef other;
    int olds = 0;
    for (const py::ExprRef &e : chain->operands) {
        if (isName(*e, old)) {
            ++olds;
            continue;
        }
        if (py::freeNames(*e).count(old) || !fits(*e, typeOf(e), *chain, type))
            return std::nullopt;
        other = !other                                ? e
                : value->kind == py::ExprKind::BoolOp ? py::boolOp(value->op, {other, e})
                                                      : py::binary(value->op, other, e);
    }
    return olds == 1 && other ? std::optional(UpdateFunction{chain->wcr, other}) : std::nullopt;
}

py::Reduction kindOfUpdate(const std::string &wcr) {
    const auto parsed = py::parseWcr(wcr);
    return parsed.value ? parsed.value->kind : py::Reduction::Custom;
}

bool isUpdatable(Type t) { return t.isInteger() || t.isBool() || t == Type(ScalarKind::Float32) || t == Type(ScalarKind::Float64); }

py::ExprRef valueOf(const Tasklet &t, Name output) {
    if (!t.code.isPython())
        return nullptr;
    const auto block = t.code.blockOrRaw();
    if (block.size() != 1 || block[0]->kind != py::StmtKind::Assign || block[0]->targets.size() != 1 ||
        block[0]->targets[0]->kind != py::ExprKind::Name || block[0]->targets[0]->name != output)
        return nullptr;
    return block[0]->value;
}

bool seeType(const Tasklet &t, Name input, Name output, Type type) {
    const Connector *in = t.inConnector(input), *out = t.outConnector(output);
    return in && out && (!in->type || in->type == type) && (!out->type || out->type == type);
}

} // namespace sdfgc::transforms
