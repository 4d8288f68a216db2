#include "Tasklet/AstUtil.h"
#include "Tasklet/Numbers.h"

#include <algorithm>
#include <array>
#include <limits>

namespace sdfgc::py {

using namespace detail;

namespace {

Expr node(ExprKind kind, Type t = Type()) {
    Expr e;
    e.kind = kind;
    e.type = t;
    return e;
}

bool equalOrNull(const ExprRef &a, const ExprRef &b) { return a == b || (a && b && equal(*a, *b)); }

bool equalAll(const std::vector<ExprRef> &a, const std::vector<ExprRef> &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), equalOrNull);
}

bool equal(const Stmt &a, const Stmt &b) {
    return a.kind == b.kind && a.op == b.op && a.type == b.type && a.text == b.text && a.old == b.old &&
           equalAll(a.targets, b.targets) && equalOrNull(a.value, b.value) && equalOrNull(a.extra, b.extra) &&
           py::equal(a.body, b.body) && py::equal(a.orelse, b.orelse);
}

} // namespace

namespace detail {

ExprRef share(Expr e) { return std::make_shared<const Expr>(std::move(e)); }

ExprRef withType(const ExprRef &e, Type t) {
    if (e->type == t)
        return e;
    Expr copy = *e;
    copy.type = t;
    return share(std::move(copy));
}

ExprRef mapChildren(const ExprRef &e, const ExprFn &f) {
    std::optional<Expr> copy;
    auto edit = [&]() -> Expr & { return copy ? *copy : copy.emplace(*e); };
    for (std::size_t k = 0; k < e->args.size(); ++k) {
        if (!e->args[k])
            continue;
        if (ExprRef r = f(e->args[k]); r != e->args[k])
            edit().args[k] = std::move(r);
    }
    for (std::size_t k = 0; k < e->keywords.size(); ++k)
        if (ExprRef r = f(e->keywords[k].value); r != e->keywords[k].value)
            edit().keywords[k].value = std::move(r);
    return copy ? share(std::move(*copy)) : e;
}

StmtRef mapExprs(const StmtRef &s, const ExprFn &f) {
    std::optional<Stmt> copy;
    auto edit = [&]() -> Stmt & { return copy ? *copy : copy.emplace(*s); };
    for (std::size_t k = 0; k < s->targets.size(); ++k)
        if (ExprRef r = f(s->targets[k]); r != s->targets[k])
            edit().targets[k] = std::move(r);
    if (s->value)
        if (ExprRef r = f(s->value); r != s->value)
            edit().value = std::move(r);
    if (s->extra && s->kind != StmtKind::AnnAssign) // an annotation is not a value
        if (ExprRef r = f(s->extra); r != s->extra)
            edit().extra = std::move(r);
    return copy ? std::make_shared<const Stmt>(std::move(*copy)) : s;
}

void forEachChild(const Expr &e, const std::function<void(const Expr &)> &f) {
    for (const ExprRef &a : e.args)
        if (a)
            f(*a);
    for (const Keyword &k : e.keywords)
        f(*k.value);
}

void forEachExpr(const Stmt &s, const std::function<void(const Expr &)> &f) {
    for (const ExprRef &t : s.targets)
        f(*t);
    if (s.value)
        f(*s.value);
    if (s.extra && s.kind != StmtKind::AnnAssign)
        f(*s.extra);
}

bool isModule(const Expr &e) {
    constexpr std::array<std::string_view, 6> modules = {"math", "cmath", "dace", "np", "numpy", "builtins"};
    return e.kind == ExprKind::Name && std::find(modules.begin(), modules.end(), e.name.view()) != modules.end();
}

std::string dottedName(const Expr &e) {
    if (e.kind == ExprKind::Name)
        return e.name.str();
    if (e.kind != ExprKind::Attribute)
        return "";
    const std::string base = dottedName(*e.args[0]);
    return base.empty() ? "" : base + "." + e.name.str();
}

Name rootName(const Expr &e) {
    const Expr *at = &e;
    while (at->kind == ExprKind::Subscript || at->kind == ExprKind::Attribute)
        at = at->args[0].get();
    return at->kind == ExprKind::Name ? at->name : Name();
}

std::optional<int64_t> intValue(const Expr &e) {
    if (e.kind == ExprKind::Unary && e.op == Op::Neg && e.args[0]->kind == ExprKind::Int) {
        const auto v = unsignedValue(e.args[0]->text);
        const uint64_t limit = uint64_t(1) << 63;
        return v && *v <= limit ? std::optional<int64_t>(static_cast<int64_t>(0 - *v)) : std::nullopt;
    }
    if (e.kind != ExprKind::Int)
        return std::nullopt;
    const auto v = unsignedValue(e.text);
    return v && *v <= uint64_t(std::numeric_limits<int64_t>::max()) ? std::optional<int64_t>(static_cast<int64_t>(*v))
                                                                    : std::nullopt;
}

} // namespace detail

ExprRef intLit(int64_t v) {
    Expr e = node(ExprKind::Int);
    e.text = std::to_string(v < 0 ? 0 - static_cast<uint64_t>(v) : static_cast<uint64_t>(v));
    ExprRef literal = share(std::move(e));
    return v < 0 ? unary(Op::Neg, literal) : literal;
}

ExprRef floatLit(std::string token) {
    Expr e = node(ExprKind::Float);
    e.text = std::move(token);
    return share(std::move(e));
}

ExprRef boolLit(bool v) {
    Expr e = node(ExprKind::Bool);
    e.text = v ? "True" : "False";
    return share(std::move(e));
}

ExprRef name(Name n, Type t) {
    Expr e = node(ExprKind::Name, t);
    e.name = n;
    return share(std::move(e));
}

ExprRef unary(Op op, ExprRef a, Type t) {
    Expr e = node(ExprKind::Unary, t);
    e.op = op;
    e.args = {std::move(a)};
    return share(std::move(e));
}

ExprRef binary(Op op, ExprRef a, ExprRef b, Type t) {
    Expr e = node(ExprKind::Binary, t);
    e.op = op;
    e.args = {std::move(a), std::move(b)};
    return share(std::move(e));
}

ExprRef compare(Op op, ExprRef a, ExprRef b) {
    Expr e = node(ExprKind::Compare, ScalarKind::Bool);
    e.ops = {op};
    e.args = {std::move(a), std::move(b)};
    return share(std::move(e));
}

ExprRef boolOp(Op op, std::vector<ExprRef> operands) {
    Expr e = node(ExprKind::BoolOp, ScalarKind::Bool);
    e.op = op;
    e.args = std::move(operands);
    return share(std::move(e));
}

ExprRef call(Name function, std::vector<ExprRef> args, Type t) {
    Expr e = node(ExprKind::Call, t);
    e.args = {name(function)};
    e.args.insert(e.args.end(), args.begin(), args.end());
    return share(std::move(e));
}

ExprRef castTo(Type t, ExprRef a) {
    Expr e = node(ExprKind::Cast, t);
    e.at = a->at;
    e.args = {std::move(a)};
    return share(std::move(e));
}

ExprRef raw(std::string cpp, Type t) {
    Expr e = node(ExprKind::Raw, t);
    e.text = std::move(cpp);
    return share(std::move(e));
}

ExprRef memRef(int slot, Type t) {
    Expr e = node(ExprKind::MemRef, t);
    e.slot = slot;
    return share(std::move(e));
}

StmtRef assign(ExprRef target, ExprRef value) {
    Stmt s;
    s.kind = StmtKind::Assign;
    s.at = target->at;
    s.targets = {std::move(target)};
    s.value = std::move(value);
    return std::make_shared<const Stmt>(std::move(s));
}

StmtRef rawStatement(std::string cpp) {
    Stmt s;
    s.kind = StmtKind::Raw;
    s.text = std::move(cpp);
    s.at = {1, 1};
    return std::make_shared<const Stmt>(std::move(s));
}

bool equal(const Expr &a, const Expr &b) {
    if (a.kind != b.kind || a.op != b.op || a.name != b.name || a.text != b.text || a.ops != b.ops || a.params != b.params ||
        a.slot != b.slot || (a.kind == ExprKind::Cast && !(a.type == b.type)))
        return false;
    const auto sameKeyword = [](const Keyword &x, const Keyword &y) { return x.name == y.name && equal(*x.value, *y.value); };
    return equalAll(a.args, b.args) &&
           std::equal(a.keywords.begin(), a.keywords.end(), b.keywords.begin(), b.keywords.end(), sameKeyword);
}

bool equal(const std::vector<StmtRef> &a, const std::vector<StmtRef> &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const StmtRef &x, const StmtRef &y) { return equal(*x, *y); });
}

namespace {

/// How many operands are evaluated whenever the expression is.
std::size_t certainOperands(const Expr &e) {
    switch (e.kind) {
    case ExprKind::IfExp:
    case ExprKind::BoolOp:
        return 1;
    case ExprKind::Compare:
        return 2;
    default:
        return e.args.size();
    }
}

} // namespace

ExprRef withOperands(const Expr &e, const std::function<ExprRef(const ExprRef &, bool)> &f) {
    auto out = std::make_shared<Expr>(e);
    const std::size_t certain = certainOperands(e);
    for (std::size_t k = e.kind == ExprKind::Call ? 1 : 0; k < out->args.size(); ++k)
        if (out->args[k])
            out->args[k] = f(out->args[k], k < certain);
    for (Keyword &k : out->keywords)
        k.value = f(k.value, true);
    return out;
}

ExprRef rewrite(const ExprRef &e, const std::function<ExprRef(const ExprRef &)> &f) {
    return f(mapChildren(e, [&](const ExprRef &c) { return rewrite(c, f); }));
}

ExprRef replace(const ExprRef &e, const std::function<ExprRef(const ExprRef &)> &f) {
    if (ExprRef other = f(e))
        return other;
    return mapChildren(e, [&](const ExprRef &c) { return replace(c, f); });
}

namespace {

/// Maps all expressions of a block, including those in nested blocks.
template <class F> std::vector<StmtRef> mapBlock(const std::vector<StmtRef> &block, const F &f) {
    std::vector<StmtRef> out;
    out.reserve(block.size());
    for (const StmtRef &s : block) {
        StmtRef r = mapExprs(s, f);
        if (!s->body.empty() || !s->orelse.empty()) {
            Stmt copy = *r;
            copy.body = mapBlock(s->body, f);
            copy.orelse = mapBlock(s->orelse, f);
            r = std::make_shared<const Stmt>(std::move(copy));
        }
        out.push_back(std::move(r));
    }
    return out;
}

} // namespace

std::vector<StmtRef> rewrite(const std::vector<StmtRef> &block, const std::function<ExprRef(const ExprRef &)> &f) {
    return mapBlock(block, [&](const ExprRef &e) { return rewrite(e, f); });
}

std::vector<StmtRef> replace(const std::vector<StmtRef> &block, const std::function<ExprRef(const ExprRef &)> &f) {
    return mapBlock(block, [&](const ExprRef &e) { return replace(e, f); });
}

ExprRef substitute(const ExprRef &e, const std::map<Name, ExprRef> &replacements) {
    if (e->kind == ExprKind::Name) {
        const auto it = replacements.find(e->name);
        return it == replacements.end() ? e : it->second;
    }
    if (e->kind == ExprKind::Lambda) {
        std::map<Name, ExprRef> inner = replacements;
        for (Name p : e->params)
            inner.erase(p);
        return mapChildren(e, [&](const ExprRef &c) { return substitute(c, inner); });
    }
    if (e->kind == ExprKind::Attribute && isModule(*e->args[0]))
        return e;
    const Expr *callee = e->kind == ExprKind::Call && e->args[0]->kind == ExprKind::Name ? e->args[0].get() : nullptr;
    return mapChildren(e, [&](const ExprRef &c) { return c.get() == callee ? c : substitute(c, replacements); });
}

std::vector<StmtRef> substitute(const std::vector<StmtRef> &block, const std::map<Name, ExprRef> &replacements) {
    std::vector<StmtRef> out;
    out.reserve(block.size());
    for (const StmtRef &s : block) {
        Stmt copy = *mapExprs(s, [&](const ExprRef &e) { return substitute(e, replacements); });
        copy.body = substitute(s->body, replacements);
        copy.orelse = substitute(s->orelse, replacements);
        out.push_back(std::make_shared<const Stmt>(std::move(copy)));
    }
    return out;
}

} // namespace sdfgc::py
