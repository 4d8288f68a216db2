// Python text and symbolic expressions of the graph in terms of variables of the generated function.
#include "Lowering.h"

#include <algorithm>
#include <limits>

namespace sdfgc::tree {

using py::ExprKind;
using py::ExprRef;

Type symbolVariableType(Type declared) {
    if (declared.isVoid())
        return ScalarKind::Int64;
    if (declared.isInteger() && declared.scalar() != ScalarKind::UInt64)
        return ScalarKind::Int64;
    return declared;
}

sym::Expr Lowering::sub(const Instance &in, sym::Expr e) const {
    if (e.isInteger())
        return e;
    e = sym::exact(e);
    for (Name n : e.freeSymbols())
        if (!in.symbols.count(n) && in.places.count(n))
            return readContainers(in, sym::substitute(e, in.symbols));
    return sym::substitute(e, in.symbols);
}

/// Symbolic strings may name scalars and members of structures, which live in variables too.
sym::Expr Lowering::readContainers(const Instance &in, sym::Expr e) const {
    std::map<Name, sym::Expr> replacements;
    for (Name n : e.freeSymbols()) {
        auto it = in.places.find(n);
        if (it == in.places.end() || in.symbols.count(n))
            continue;
        const Variable &v = fn(in).vars[it->second.var];
        bool indexed = v.kind == VarKind::Pointer || v.kind == VarKind::Buffer || v.kind == VarKind::Stack;
        if (v.kind == VarKind::Member || v.kind == VarKind::StateField)
            continue;
        replacements[n] = indexed ? sym::subscript(v.name, {it->second.offset}) : sym::Expr::symbol(v.name);
    }
    return sym::substitute(e, replacements);
}

sym::Subset Lowering::sub(const Instance &in, const sym::Subset &s) const {
    sym::Subset out = s;
    for (sym::Range &r : out.dims)
        r = {sub(in, r.begin), sub(in, r.end), sub(in, r.step), sub(in, r.tile)};
    return out;
}

sym::Expr Lowering::final(const Instance &in, sym::Expr e) {
    usesUndefinedSize_ = usesUndefinedSize_ || e.isUndefined();
    if (e.isInteger() || e.isSymbol())
        return e;
    const sym::Assumptions &facts = in.fn->facts;
    return sym::rewrite(e, [&](sym::Expr x) {
        if (x.kind() != sym::Kind::FloorDiv && x.kind() != sym::Kind::Mod)
            return x;
        sym::Expr a = x.operands()[0], b = x.operands()[1];
        if (sym::isNonNegative(a, facts) != sym::Truth::True || sym::isPositive(b, facts) != sym::Truth::True)
            return x;
        return sym::call(x.kind() == sym::Kind::FloorDiv ? "__cdiv" : "__cmod", {a, b});
    });
}

// ---------------------------------------------------------------------------------------------------- symbolic to Python trees

namespace {

/// An integer literal of the type of offsets.
ExprRef typedInt(int64_t v) {
    auto lit = std::make_shared<py::Expr>(*py::intLit(v));
    lit->type = ScalarKind::Int64;
    return lit;
}

ExprRef fold(py::Op op, const std::vector<ExprRef> &terms, Type t) {
    ExprRef out = terms.front();
    for (std::size_t i = 1; i < terms.size(); ++i)
        out = py::binary(op, out, terms[i], t);
    return out;
}

/// `N - 3` rather than `N + -3`; a leading constant goes last.
ExprRef sum(sym::Expr e, std::vector<ExprRef> terms) {
    const Type t = [&] {
        Type joined;
        for (const ExprRef &a : terms)
            joined = commonType(joined, a->type);
        return joined;
    }();
    ExprRef out;
    int64_t constant = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        std::optional<int64_t> v = e.operands()[i].asInt();
        if (v && *v != std::numeric_limits<int64_t>::min())
            constant = *v;
        else
            out = out ? py::binary(py::Op::Add, out, terms[i], t) : terms[i];
    }
    if (!out || constant == 0)
        return fold(py::Op::Add, terms, t);
    return py::binary(constant < 0 ? py::Op::Sub : py::Op::Add, out, typedInt(constant < 0 ? -constant : constant), t);
}

ExprRef compareExpr(py::Op op, ExprRef a, ExprRef b) {
    auto e = std::make_shared<py::Expr>();
    e->kind = ExprKind::Compare;
    e->args = {std::move(a), std::move(b)};
    e->ops = {op};
    e->type = ScalarKind::Bool;
    return e;
}

ExprRef makeNode(ExprKind kind, std::vector<ExprRef> args, Type t) {
    auto e = std::make_shared<py::Expr>();
    e->kind = kind;
    e->args = std::move(args);
    e->type = t;
    return e;
}

ExprRef noneExpr() { return makeNode(ExprKind::None, {}, Type()); }

std::optional<py::Op> comparison(sym::Kind k) {
    switch (k) {
    case sym::Kind::Eq:
        return py::Op::Eq;
    case sym::Kind::Ne:
        return py::Op::Ne;
    case sym::Kind::Lt:
        return py::Op::Lt;
    case sym::Kind::Le:
        return py::Op::Le;
    case sym::Kind::Gt:
        return py::Op::Gt;
    case sym::Kind::Ge:
        return py::Op::Ge;
    case sym::Kind::Is:
        return py::Op::Is;
    case sym::Kind::IsNot:
        return py::Op::IsNot;
    default:
        return std::nullopt;
    }
}

std::optional<py::Op> arithmetic(sym::Kind k) {
    switch (k) {
    case sym::Kind::FloorDiv:
        return py::Op::FloorDiv;
    case sym::Kind::Mod:
        return py::Op::Mod;
    case sym::Kind::BitAnd:
        return py::Op::BitAnd;
    case sym::Kind::BitOr:
        return py::Op::BitOr;
    case sym::Kind::BitXor:
        return py::Op::BitXor;
    case sym::Kind::Shl:
        return py::Op::Shl;
    case sym::Kind::Shr:
        return py::Op::Shr;
    default:
        return std::nullopt;
    }
}

Type joined(const std::vector<ExprRef> &args) {
    Type t;
    for (const ExprRef &a : args)
        t = commonType(t, a->type);
    return t;
}

} // namespace

ExprRef Lowering::toPy(const Instance &in, sym::Expr e) const {
    // A sum or product with rational coefficients is one exact fraction (format reference 1.9).
    if (e.kind() == sym::Kind::Add || e.kind() == sym::Kind::Mul || e.kind() == sym::Kind::Rational) {
        auto [num, den] = sym::asFraction(e);
        if (!den.isOne() && num != e)
            return py::binary(py::Op::CDiv, toPy(in, num), toPy(in, den), ScalarKind::Int64);
    }
    std::vector<ExprRef> args;
    for (sym::Expr a : e.operands())
        args.push_back(toPy(in, a));
    if (auto op = comparison(e.kind()))
        return compareExpr(*op, args[0], args[1]);
    if (auto op = arithmetic(e.kind()))
        return py::binary(*op, args[0], args[1], joined(args));
    if (e.kind() == sym::Kind::Call && (e.name() == Name("__cdiv") || e.name() == Name("__cmod"))) // what final() made
        return py::binary(e.name() == Name("__cdiv") ? py::Op::CDiv : py::Op::CMod, args[0], args[1], joined(args));
    switch (e.kind()) {
    case sym::Kind::Integer:
        return typedInt(e.numerator());
    case sym::Kind::Float: {
        char text[40];
        std::snprintf(text, sizeof text, "%.17g", e.floatValue());
        return py::floatLit(text);
    }
    case sym::Kind::Bool:
        return py::boolLit(e.boolValue());
    case sym::Kind::None:
        return noneExpr();
    case sym::Kind::Symbol: {
        auto it = in.fn->facts.find(e.name());
        Type t = it != in.fn->facts.end() && it->second.type ? it->second.type : Type(ScalarKind::Int64);
        return py::name(e.name(), t);
    }
    case sym::Kind::Add:
        return sum(e, args);
    case sym::Kind::Mul:
        return fold(py::Op::Mul, args, joined(args));
    case sym::Kind::Pow:
        return py::binary(py::Op::Pow, args[0], args[1], joined(args));
    case sym::Kind::Min:
        return py::call("min", args, joined(args));
    case sym::Kind::Max:
        return py::call("max", args, joined(args));
    case sym::Kind::Abs:
        return py::call("abs", args, joined(args));
    case sym::Kind::CeilDiv:
        return py::call("int_ceil", args, joined(args));
    case sym::Kind::Floor:
        return py::call("floor", args, joined(args));
    case sym::Kind::Ceil:
        return py::call("ceil", args, joined(args));
    case sym::Kind::BitNot:
        return py::unary(py::Op::Invert, args[0], args[0]->type);
    case sym::Kind::Not:
        return py::unary(py::Op::Not, args[0], ScalarKind::Bool);
    case sym::Kind::And:
    case sym::Kind::Or: {
        auto b = std::make_shared<py::Expr>(*makeNode(ExprKind::BoolOp, args, ScalarKind::Bool));
        b->op = e.kind() == sym::Kind::And ? py::Op::And : py::Op::Or;
        return b;
    }
    case sym::Kind::Select:
        return makeNode(ExprKind::IfExp, args, commonType(args[1]->type, args[2]->type));
    case sym::Kind::Cast:
        return py::castTo(e.type(), args[0]);
    case sym::Kind::Call:
        if (e.name() == Name("__cdiv") || e.name() == Name("__cmod")) // of final()
            return py::binary(e.name() == Name("__cdiv") ? py::Op::CDiv : py::Op::CMod, args[0], args[1], joined(args));
        return py::call(e.name(), args, joined(args));
    case sym::Kind::Attr: {
        auto a = std::make_shared<py::Expr>(*makeNode(ExprKind::Attribute, args, ScalarKind::Int64));
        a->name = e.name();
        return a;
    }
    case sym::Kind::Subscript: {
        args.insert(args.begin(), py::name(e.name()));
        return makeNode(ExprKind::Subscript, args, ScalarKind::Int64);
    }
    default:
        return py::raw(e.str());
    }
}

std::optional<sym::Expr> Lowering::toSym(const py::Expr &e) const {
    auto operand = [&](std::size_t i) { return toSym(*e.args[i]); };
    switch (e.kind) {
    case ExprKind::Int: {
        errno = 0;
        char *end = nullptr;
        long long v = std::strtoll(e.text.c_str(), &end, 0);
        return errno || *end ? std::nullopt : std::optional<sym::Expr>(sym::Expr(static_cast<int64_t>(v)));
    }
    case ExprKind::Name:
        return e.type.isInteger() ? std::optional(sym::Expr::symbol(e.name)) : std::nullopt;
    case ExprKind::Unary: {
        auto a = operand(0);
        return e.op == py::Op::Neg && a ? std::optional(-*a) : std::nullopt;
    }
    case ExprKind::Binary: {
        if (e.args[0]->type.isFloat() || e.args[1]->type.isFloat())
            return std::nullopt;
        auto a = operand(0), b = operand(1);
        if (!a || !b)
            return std::nullopt;
        switch (e.op) {
        case py::Op::Add:
            return *a + *b;
        case py::Op::Sub:
            return *a - *b;
        case py::Op::Mul:
            return *a * *b;
        case py::Op::FloorDiv:
            return sym::floorDiv(*a, *b);
        case py::Op::Mod:
            return sym::mod(*a, *b);
        default:
            return std::nullopt;
        }
    }
    default:
        return std::nullopt;
    }
}

// ---------------------------------------------------------------------------------------------------- Python text

py::Env Lowering::environment(Instance &in) const {
    py::Env env;
    env.typeOf = [&in](Name n) -> std::optional<Type> {
        if (auto it = in.fn->facts.find(n); it != in.fn->facts.end() && it->second.type)
            return it->second.type;
        if (const ir::Constant *c = in.g->constant(n))
            return c->desc.dtype;
        return std::nullopt;
    };
    env.isCallback = [&in](Name n) {
        for (const ir::SDFG *g = in.g; g; g = g->parentSDFG())
            if (const Type *t = g->symbols.find(n))
                return t->isCallback();
        return false;
    };
    env.structByName = [this](Name n) -> std::optional<Type> {
        for (Type t : module_->structs)
            if (t.name() == n)
                return t;
        return std::nullopt;
    };
    return env;
}

std::function<bool(const py::Expr &)> Lowering::nonNegativeOracle(const Instance &in) const {
    return [this, &in](const py::Expr &e) {
        auto s = toSym(e);
        return s && sym::isNonNegative(*s, in.fn->facts) == sym::Truth::True;
    };
}

ExprRef Lowering::expression(Instance &in, const std::string &text, ir::Language language, const diag::Location &where) {
    if (language == ir::Language::CPP)
        return py::raw(text);
    auto parsed = py::parseExpr(text);
    if (!parsed.value)
        return py::raw(text); // text that is not Python is C++ (format reference 9.1)
    py::Env env = environment(in);
    ExprRef e = py::resolveModules(*parsed.value, env);
    e = bindNames(in, e, where);
    if (!e)
        return nullptr;
    e = py::inferTypes(e, env);
    return py::lowerOperators(e, semantics(), nonNegativeOracle(in));
}

ExprRef Lowering::resolution(Instance &in, const ExprRef &lambda, Type element) const {
    if (!lambda)
        return lambda;
    py::Env env = environment(in);
    auto outer = env.typeOf;
    env.typeOf = [&lambda, element, outer](Name n) -> std::optional<Type> {
        bool parameter = std::find(lambda->params.begin(), lambda->params.end(), n) != lambda->params.end();
        return parameter ? std::optional(element) : outer(n);
    };
    return py::lowerOperators(py::inferTypes(py::resolveModules(lambda, env), env), semantics());
}

ExprRef Lowering::bindNames(Instance &in, const ExprRef &e, const diag::Location &where) {
    if (!e)
        return e;
    if (e->kind == ExprKind::Name)
        return bindName(in, *e, where);
    if (e->kind == ExprKind::Subscript || e->kind == ExprKind::Attribute)
        if (ExprRef bound = bindSubscript(in, *e, where))
            return bound;
    auto copy = std::make_shared<py::Expr>(*e);
    bool againstNone = e->kind == ExprKind::Compare &&
                       std::any_of(e->args.begin(), e->args.end(), [](const ExprRef &a) { return a->kind == ExprKind::None; });
    for (std::size_t i = 0; i < copy->args.size(); ++i) {
        // The callee of a call is a function name, not data.
        if (e->kind == ExprKind::Call && i == 0 && copy->args[0]->kind == ExprKind::Name && !in.symbols.count(copy->args[0]->name))
            continue;
        copy->args[i] = bindNames(in, copy->args[i], where);
        if (againstNone && copy->args[i] && copy->args[i]->kind == ExprKind::MemRef && copy->args[i]->args.empty()) {
            MemRef address = fn(in).refs[refOf(*copy->args[i])];
            address.address = true;
            copy->args[i] = tree::memRef(fn(in).refs.add(address), Type::pointer(copy->args[i]->type));
        }
    }
    for (py::Keyword &k : copy->keywords)
        k.value = bindNames(in, k.value, where);
    return copy;
}

ExprRef Lowering::bindName(Instance &in, const py::Expr &e, const diag::Location &) {
    if (auto it = in.symbols.find(e.name); it != in.symbols.end())
        return toPy(in, it->second);
    if (in.g->arrays.contains(e.name) && !in.g->constant(e.name)) {
        Place p = place(in, e.name);
        if (!p.valid())
            return std::make_shared<py::Expr>(e);
        bool single = p.desc && (p.desc->isScalar() || p.desc->numElements().isOne());
        if (single)
            return read(in, p, p.offset);
        return tree::memRef(addressAt(in, p, p.offset), Type::pointer(p.type));
    }
    auto copy = std::make_shared<py::Expr>(e);
    if (const ir::Constant *c = in.g->constant(e.name))
        copy->type = c->desc.isScalar() ? c->desc.dtype : Type::pointer(c->desc.dtype);
    return copy;
}

namespace {

/// `A.b.c` as one name, if it is a chain of attributes on a name.
std::optional<std::string> dotted(const py::Expr &e) {
    if (e.kind == ExprKind::Name)
        return e.name.str();
    // Files of the Fortran front end write `s[0].x` for a member of a structure.
    bool firstElement =
        e.kind == ExprKind::Subscript && e.args.size() == 2 && e.args[1]->kind == ExprKind::Int && e.args[1]->text == "0";
    if (firstElement)
        return dotted(*e.args[0]);
    if (e.kind != ExprKind::Attribute)
        return std::nullopt;
    auto base = dotted(*e.args[0]);
    return base ? std::optional(*base + "." + e.name.str()) : std::nullopt;
}

} // namespace

/// Elements of containers by subscript, members of structures by attribute; null when the node is something else.
ExprRef Lowering::bindSubscript(Instance &in, const py::Expr &e, const diag::Location &where) {
    const py::Expr &base = e.kind == ExprKind::Subscript ? *e.args[0] : e;
    auto path = dotted(base);
    if (!path)
        return nullptr;
    Name data(*path);
    const ir::DataDesc *d = in.g->desc(data);
    const ir::Constant *constant = in.g->constant(data);
    if (!d && !constant)
        return nullptr;
    Place p = place(in, data);
    if (!p.valid())
        return nullptr;
    if (e.kind == ExprKind::Attribute)
        return d && (d->isScalar() || d->numElements().isOne()) && !d->isArray()
                   ? read(in, p, p.offset)
                   : tree::memRef(addressAt(in, p, p.offset), Type::pointer(p.type));
    std::vector<ExprRef> indices;
    for (std::size_t i = 1; i < e.args.size(); ++i) {
        ExprRef index = bindNames(in, e.args[i], where);
        if (index && index->kind == ExprKind::Tuple)
            indices.insert(indices.end(), index->args.begin(), index->args.end());
        else
            indices.push_back(index);
    }
    if (indices.size() != p.strides.size()) {
        error(diag::Id::SubscriptRank, where, data.str(), indices.size(), p.strides.size());
        return py::intLit(0);
    }
    py::Env env = environment(in);
    MemRef ref;
    ref.var = p.var;
    ref.offset = p.offset;
    std::vector<ExprRef> dynamic;
    for (std::size_t d2 = 0; d2 < indices.size(); ++d2) {
        ExprRef index = py::inferTypes(indices[d2], env);
        ref.offset += p.offsets[d2] * p.strides[d2];
        if (auto s = toSym(*index)) {
            ref.offset += *s * p.strides[d2];
        } else {
            dynamic.push_back(py::lowerOperators(index, semantics(), nonNegativeOracle(in)));
            ref.strides.push_back(final(in, p.strides[d2]));
        }
    }
    ref.offset = final(in, ref.offset);
    auto out = std::make_shared<py::Expr>(*tree::memRef(fn(in).refs.add(ref), p.type));
    out->args = std::move(dynamic);
    return out;
}

// ---------------------------------------------------------------------------------------------------- variables of values

VarId Lowering::declareValue(Instance &in, Name wanted, Type t, bool isConst) {
    Variable v;
    v.name = in.fn->names.declare(wanted);
    v.type = t;
    v.isConst = isConst;
    if (in.fn->device.inside)
        in.fn->device.ownNames.insert(v.name);
    in.fn->facts[v.name] = {};
    in.fn->facts[v.name].type = t;
    return fn(in).vars.add(std::move(v));
}

void Lowering::assignSymbol(Instance &in, Name symbol, ExprRef value, Block &out) {
    auto it = in.symbols.find(symbol);
    if (it == in.symbols.end() || !it->second.isSymbol())
        return;
    Type t = in.symbolTypes[symbol];
    auto *code = out.add<Code>();
    code->stmts.push_back(py::assign(py::name(it->second.name(), t), std::move(value)));
}

} // namespace sdfgc::tree
