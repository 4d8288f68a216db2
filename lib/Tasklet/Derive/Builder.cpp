// Turns expressions into operations on names, each of which is created once.
#include "Tasklet/Derive/Simplify.h"
#include "Tasklet/Derive/Steps.h"
#include "Tasklet/Infer.h"
#include "Tasklet/Numbers.h"

#include <algorithm>
#include <cmath>

namespace sdfgc::py::detail {

namespace {

// A name for a value that has none in the program: `exp_x`, otherwise `t`.
std::string describe(const Expr &flat) {
    if (flat.kind == ExprKind::Call && flat.args[0]->kind == ExprKind::Name) {
        const std::string function = flat.args[0]->name.str();
        if (function.find_first_of(".:") == std::string::npos)
            return function +
                   (flat.args.size() == 2 && flat.args[1]->kind == ExprKind::Name ? "_" + flat.args[1]->name.str() : "_t");
    }
    if (flat.kind == ExprKind::Subscript && flat.args[0]->kind == ExprKind::Name)
        return flat.args[0]->name.str() + "_t";
    return "t";
}

bool isFloatLiteral(const Expr &e) {
    if (e.kind == ExprKind::Unary && e.op == Op::Neg)
        return isFloatLiteral(*e.args[0]);
    return e.kind == ExprKind::Float && !(e.type == Type(ScalarKind::Float32));
}

// The number in a form that does not widen float32: without a point if it is whole.
ExprRef narrow(const ExprRef &literal) {
    const double v = *literalValue(*literal);
    constexpr double exact = 1 << 24;
    if (std::floor(v) == v && std::fabs(v) <= exact && !(v == 0 && std::signbit(v)))
        return intLit(static_cast<int64_t>(v));
    return castTo(ScalarKind::Float32, literal);
}

/// `wanted`, or the first free name made of `wanted` and a number; `next` holds the next number to try for each.
Name firstFree(const std::string &wanted, std::set<Name> &taken, std::map<std::string, int> &next) {
    int &k = next.try_emplace(wanted, 1).first->second;
    while (true) {
        const Name n = k == 1 ? Name(wanted) : Name(wanted + "_" + std::to_string(k));
        ++k;
        if (taken.insert(n).second)
            return n;
    }
}

} // namespace

Builder::Builder(const Signature &signature, std::set<Name> reserved)
    : signature_(signature), reserved_(std::move(reserved)), taken_(reserved_) {
    env_ = signature.env;
    env_.typeOf = [this](Name n) { return lookUp(n); };
}

std::optional<Type> Builder::lookUp(Name n) const {
    if (const auto it = types_.find(n); it != types_.end())
        return it->second;
    return signature_.env.typeOf ? signature_.env.typeOf(n) : std::nullopt;
}

Type Builder::typeOf(const ExprRef &e) const { return valueOf(inferTypes(e, env_, signature_.semantics)->type); }

ExprRef Builder::converted(const ExprRef &e, Type t) const {
    const Type from = typeOf(e);
    if (!t || !from || promoted(from) == promoted(t) || (isLiteral(*e) && !isFloatLiteral(*e)))
        return e;
    return isFloatLiteral(*e) && promoted(t) == Type(ScalarKind::Float32) ? narrow(e) : castTo(promoted(t), e);
}

Type Builder::commonTypeOf(const ExprRef &a, const ExprRef &b) const {
    if (!a || !b)
        return a || b ? typeOf(a ? a : b) : Type();
    const Type t = typeOf(a), u = typeOf(b);
    if (isLiteral(*a) != isLiteral(*b) && !isIntegral(isLiteral(*a) ? u : t))
        return isLiteral(*a) ? u : t;
    return commonType(t, u);
}

Name Builder::fresh(std::string_view wanted) {
    const Name n = firstFree(std::string(wanted), taken_, next_);
    wanted_[n] = std::string(wanted);
    return n;
}

std::string Builder::plainName(Name n) const {
    const auto it = wanted_.find(n);
    return it == wanted_.end() ? n.str() : it->second;
}

std::vector<StmtRef> Builder::renumbered(const std::vector<StmtRef> &block) const {
    std::map<Name, ExprRef> renamed;
    std::set<Name> taken = reserved_;
    std::map<std::string, int> next;
    const std::function<void(const std::vector<StmtRef> &)> visit = [&](const std::vector<StmtRef> &stmts) {
        for (const StmtRef &s : stmts) {
            const bool assigns = s->kind == StmtKind::Assign && s->targets[0]->kind == ExprKind::Name;
            if (const auto it = assigns ? wanted_.find(s->targets[0]->name) : wanted_.end();
                it != wanted_.end() && !renamed.count(it->first)) {
                renamed[it->first] = name(firstFree(it->second, taken, next));
            }
            visit(s->body);
            visit(s->orelse);
        }
    };
    visit(block);
    return substitute(block, renamed);
}

const Name *Builder::known(const std::string &text) const {
    for (const Scope *s = current_; s; s = s->outer)
        if (const auto it = s->known.find(text); it != s->known.end())
            return &it->second;
    return nullptr;
}

void Builder::within(std::vector<DerivationStep> &steps, Scope &scope, const std::function<void()> &f) {
    Scope *const scopeBefore = current_;
    std::vector<DerivationStep> *const stepsBefore = steps_;
    scope.outer = current_;
    current_ = &scope;
    steps_ = &steps;
    f();
    current_ = scopeBefore;
    steps_ = stepsBefore;
    scope.outer = nullptr; // the scope object itself may be moved
}

ExprRef Builder::leaf(const ExprRef &e, std::string_view wanted) {
    if (e->kind == ExprKind::Name || isLiteral(*e))
        return e;
    return typedLeaf(inferTypes(e, env_, signature_.semantics), wanted);
}

ExprRef Builder::typedLeaf(const ExprRef &e, std::string_view wanted) {
    if (e->kind == ExprKind::Name || isLiteral(*e))
        return e;
    if (wanted.empty() && e->kind != ExprKind::IfExp && isIntegral(valueOf(e->type)))
        return e;
    if (e->kind == ExprKind::Subscript || e->kind == ExprKind::Lambda)
        return named(e, wanted);
    if (e->kind == ExprKind::Attribute)
        return member(e, wanted);
    const Expr *callee = e->kind == ExprKind::Call ? e->args[0].get() : nullptr;
    const Expr *test = e->kind == ExprKind::IfExp ? e->args[0].get() : nullptr;
    const ExprRef flat = mapChildren(e, [&](const ExprRef &c) {
        if (c.get() == callee)
            return c;
        return c.get() == test ? condition(c) : typedLeaf(c, "");
    });
    return named(narrowLiterals(flat), wanted);
}

// The real part of a real number is the number itself.
ExprRef Builder::member(const ExprRef &e, std::string_view wanted) {
    const ExprRef &of = e->args[0];
    const Type t = valueOf(of->type);
    if (laneOf(t).isNumeric() && !laneOf(t).isComplex() && (e->name == Name("real") || e->name == Name("imag")))
        return e->name == Name("real") ? typedLeaf(of, wanted) : intLit(0);
    return named(mapChildren(e, [this](const ExprRef &c) { return typedLeaf(c, ""); }), wanted);
}

ExprRef Builder::condition(const ExprRef &e) { return e->kind == ExprKind::Name || isLiteral(*e) ? e : named(e, "cond"); }

ExprRef Builder::narrowLiterals(const ExprRef &flat) const {
    const bool choosing = flat->kind == ExprKind::IfExp;
    if (!choosing && flat->kind != ExprKind::Binary && flat->kind != ExprKind::Call)
        return flat;
    const std::size_t first = flat->kind == ExprKind::Binary ? 0 : 1;
    bool floats = false;
    for (std::size_t k = first; k < flat->args.size(); ++k) {
        const Type t = isFloatLiteral(*flat->args[k]) ? Type() : promoted(typeOf(flat->args[k]));
        if (t && !isIntegral(t) && !(t == Type(ScalarKind::Float32)))
            return flat;
        floats = floats || t.isFloat();
    }
    if (!floats)
        return flat;
    return mapChildren(flat, [](const ExprRef &c) { return isFloatLiteral(*c) ? narrow(c) : c; });
}

ExprRef Builder::named(const ExprRef &flat, std::string_view wanted) {
    const std::string text = print(*flat);
    const Type t = typeOf(flat);
    if (const Name *n = known(text))
        return name(*n, t);
    DerivationStep s;
    s.kind = DerivationStep::Kind::Let;
    s.name = fresh(wanted.empty() ? describe(*flat) : std::string(wanted));
    s.value = flat;
    s.at = flat->at;
    define(s.name, t);
    current_->known.emplace(text, s.name);
    const ExprRef result = name(s.name, t);
    push(std::move(s));
    return result;
}

} // namespace sdfgc::py::detail
