// Module prefixes, casts, operator functions and constants (format reference 9.5).
#include "Tasklet/AstUtil.h"
#include "Tasklet/Functions.h"
#include "sdfgc/Tasklet/Types.h"

#include <algorithm>
#include <array>

namespace sdfgc::py {

using namespace detail;

namespace {

template <class T, std::size_t N> const T *find(const std::array<std::pair<std::string_view, T>, N> &table, std::string_view key) {
    const auto it = std::find_if(table.begin(), table.end(), [&](const auto &row) { return row.first == key; });
    return it == table.end() ? nullptr : &it->second;
}

// C type names that code strings use as casts. `float` and `int` have C's widths, as in DaCe's generated code.
constexpr auto cTypes = std::to_array<std::pair<std::string_view, ScalarKind>>({
    {"float", ScalarKind::Float32},
    {"double", ScalarKind::Float64},
    {"int", ScalarKind::Int32},
    {"long", ScalarKind::Int64},
    {"int8_t", ScalarKind::Int8},
    {"int16_t", ScalarKind::Int16},
    {"int32_t", ScalarKind::Int32},
    {"int64_t", ScalarKind::Int64},
    {"uint8_t", ScalarKind::UInt8},
    {"uint16_t", ScalarKind::UInt16},
    {"uint32_t", ScalarKind::UInt32},
    {"uint64_t", ScalarKind::UInt64},
    {"size_t", ScalarKind::UInt64},
    {"uint", ScalarKind::UInt32},
    {"complex", ScalarKind::Complex128},
    {"half", ScalarKind::Float16},
});

// As members of dace or NumPy, the same names have Python's widths.
constexpr auto pythonTypes = std::to_array<std::pair<std::string_view, ScalarKind>>({
    {"float", ScalarKind::Float64},
    {"float_", ScalarKind::Float64},
    {"double", ScalarKind::Float64},
    {"single", ScalarKind::Float32},
    {"half", ScalarKind::Float16},
    {"int", ScalarKind::Int64},
    {"int_", ScalarKind::Int64},
    {"intc", ScalarKind::Int32},
    {"uint", ScalarKind::UInt32},
    {"complex", ScalarKind::Complex128},
});

// Functions that are really operators.
constexpr auto binaryFunctions = std::to_array<std::pair<std::string_view, Op>>({
    {"bitwise_and", Op::BitAnd},
    {"bitwise_or", Op::BitOr},
    {"bitwise_xor", Op::BitXor},
    {"left_shift", Op::Shl},
    {"right_shift", Op::Shr},
    {"int_floor", Op::IntFloor},
    {"power", Op::Pow},
    {"true_divide", Op::TrueDiv},
    {"floor_divide", Op::FloorDiv},
    {"mod", Op::Mod},
});
constexpr auto compareFunctions = std::to_array<std::pair<std::string_view, Op>>({
    {"Eq", Op::Eq},
    {"Ne", Op::Ne},
    {"NotEq", Op::Ne},
    {"Lt", Op::Lt},
    {"Le", Op::Le},
    {"LtE", Op::Le},
    {"Gt", Op::Gt},
    {"Ge", Op::Ge},
    {"GtE", Op::Ge},
    {"Is", Op::Is},
    {"IsNot", Op::IsNot},
});
constexpr auto boolFunctions = std::to_array<std::pair<std::string_view, Op>>({
    {"And", Op::And},
    {"Or", Op::Or},
    {"AND", Op::And},
    {"OR", Op::Or},
    {"logical_and", Op::And},
    {"logical_or", Op::Or},
});

// Other names for the functions in Functions.cpp: symbolic, Fortran, NumPy and Python spellings.
constexpr auto aliases = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"Abs", "abs"},
    {"Min", "min"},
    {"Max", "max"},
    {"ROUND", "round"},
    {"Mod", "cpp_mod"},
    {"Mod_float", "cpp_mod"},
    {"Modulo", "py_mod"},
    {"Modulo_float", "py_mod"},
    {"int_floor_ni", "py_floor"},
    {"absolute", "abs"},
    {"minimum", "min"},
    {"maximum", "max"},
    {"conjugate", "conj"},
    {"remainder", "py_mod"},
    {"degrees", "rad2deg"},
    {"radians", "deg2rad"},
    {"gamma", "tgamma"},
    {"arcsin", "asin"},
    {"arccos", "acos"},
    {"arctan", "atan"},
    {"arctan2", "atan2"},
    {"arcsinh", "asinh"},
    {"arccosh", "acosh"},
    {"arctanh", "atanh"},
    {"angle", "arg"},
});
// Names that mean this only as members of one module, and a C function otherwise.
constexpr auto numpyOnly = std::to_array<std::string_view>({"remainder", "mod", "power"});
constexpr auto mathOnly = std::to_array<std::string_view>({"gamma"});

// Functions that C also has for float, under the name with `f`: `expf`, `fmaxf`.
constexpr auto alsoForFloat = std::to_array<std::string_view>(
    {"acos", "acosh", "asin",  "asinh",  "atan",      "atan2",     "atanh",  "cbrt",      "ceil",  "copysign", "cos",
     "cosh", "erf",   "erfc",  "exp",    "exp2",      "expm1",     "fabs",   "fdim",      "floor", "fma",      "fmax",
     "fmin", "fmod",  "hypot", "ilogb",  "ldexp",     "lgamma",    "llrint", "llround",   "log",   "log10",    "log1p",
     "log2", "logb",  "lrint", "lround", "nearbyint", "nextafter", "pow",    "remainder", "rint",  "round",    "scalbn",
     "sin",  "sinh",  "sqrt",  "tan",    "tanh",      "tgamma",    "trunc"});
// Functions whose second argument is an integer.
constexpr auto withExponent = std::to_array<std::string_view>({"ldexp", "scalbn"});

constexpr auto constants = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"pi", "3.141592653589793"},
    {"e", "2.718281828459045"},
    {"tau", "6.283185307179586"},
    {"inf", "inf"},
    {"nan", "nan"},
});

ExprRef typedFloat(std::string_view token, ScalarKind kind, Position at) {
    Expr e;
    e.kind = ExprKind::Float;
    e.text = std::string(token);
    e.type = kind;
    e.at = at;
    return share(std::move(e));
}

// A dotted function or type name without its module.
struct Dotted {
    std::string module, rest;
};
Dotted splitModule(const Expr &callee) {
    const std::string all = dottedName(callee);
    for (std::string_view prefix : {"dace.math.", "dace.cmath.", "math.", "cmath.", "dace.", "np.", "numpy.", "builtins."})
        if (all.starts_with(prefix))
            return {std::string(prefix.substr(0, prefix.size() - 1)), all.substr(prefix.size())};
    return {"", all};
}

std::optional<Type> castType(const Dotted &d) {
    const bool pythonWidths = d.module == "dace" || d.module == "np" || d.module == "numpy";
    const ScalarKind *kind = pythonWidths ? find(pythonTypes, d.rest) : find(cTypes, d.rest);
    if (kind)
        return Type(*kind);
    if (d.module.empty() || pythonWidths || d.module == "builtins")
        return scalarTypeByName(d.rest);
    return std::nullopt;
}

// Whether the tables apply to the name; some entries require a certain module.
bool isTableName(const Dotted &d) {
    const auto among = [&](const auto &names) { return std::find(names.begin(), names.end(), d.rest) != names.end(); };
    if (among(numpyOnly))
        return d.module == "np" || d.module == "numpy";
    return !among(mathOnly) || d.module == "math";
}

class Resolver {
public:
    explicit Resolver(const Env &env) : env_(env) {}

    ExprRef operator()(const ExprRef &e) const {
        switch (e->kind) {
        case ExprKind::Name:
            return constantName(e);
        case ExprKind::Attribute:
            return attribute(e);
        case ExprKind::Unary:
            return fold(e);
        case ExprKind::Call:
            return call(e);
        default:
            return e;
        }
    }

    Type annotationType(const Expr &annotation) const {
        const Dotted d = splitModule(annotation);
        if (const auto t = castType(d))
            return *t;
        if (const auto s = structType(d.rest))
            return *s;
        const bool plain = annotation.kind == ExprKind::Name;
        return plain ? Type::opaque(annotation.name) : Type();
    }

private:
    const Env &env_;

    std::optional<Type> structType(const std::string &name) const {
        constexpr std::string_view prefix = "__DACESTRUCT_";
        if (!env_.structByName || name.empty())
            return std::nullopt;
        return env_.structByName(name.starts_with(prefix) ? Name(name.substr(prefix.size())) : Name(name));
    }

    bool isCallback(Name n) const {
        if (env_.isCallback && env_.isCallback(n))
            return true;
        const auto t = env_.typeOf ? env_.typeOf(n) : std::nullopt;
        return t && t->isCallback();
    }

    // C's INFINITY and NAN are float constants; these do not widen other operands.
    ExprRef constantName(const ExprRef &e) const {
        if (isName(*e, "inf") || isName(*e, "nan"))
            return typedFloat(e->name.view(), ScalarKind::Float32, e->at);
        return e;
    }

    ExprRef attribute(const ExprRef &e) const {
        const Dotted d = splitModule(*e);
        if (d.module.empty())
            return e;
        const std::string_view *token = find(constants, d.rest);
        return token ? typedFloat(*token, ScalarKind::Float64, e->at) : e;
    }

    // +literal, -(-literal), not literal
    ExprRef fold(const ExprRef &e) const {
        const ExprRef &a = e->args[0];
        const bool number = a->kind == ExprKind::Int || a->kind == ExprKind::Float || a->kind == ExprKind::Imaginary;
        if (e->op == Op::Pos && number)
            return a;
        if (e->op == Op::Not && a->kind == ExprKind::Bool)
            return boolLit(a->text == "False");
        if (e->op == Op::Neg && a->kind == ExprKind::Unary && a->op == Op::Neg) {
            const ExprKind inner = a->args[0]->kind;
            if (inner == ExprKind::Int || inner == ExprKind::Float || inner == ExprKind::Imaginary)
                return a->args[0];
        }
        return e;
    }

    ExprRef call(const ExprRef &e) const {
        const Expr &callee = *e->args[0];
        if (callee.kind == ExprKind::Call && isName(*callee.args[0], "decltype") && callee.args.size() == 2)
            return decltypeCast(e, *callee.args[1]);
        if (ExprRef part = method(e))
            return part;
        const Dotted d = splitModule(callee);
        if (d.rest.empty() || (d.module.empty() && isCallback(Name(d.rest))))
            return e;
        if (const auto t = castType(d); t && e->keywords.empty())
            return cast(e, *t);
        if (const auto s = structType(d.rest))
            return renamed(e, s->name(), *s);
        if (ExprRef r = functionOfC(e, d))
            return r;
        if (e->keywords.empty() && isTableName(d))
            if (ExprRef r = operatorCall(e, d))
                return r;
        return function(e, d);
    }

    // `z.real()`, a method of C++'s complex numbers, for the attribute `z.real`; `z.conj()`. Null for other calls.
    ExprRef method(const ExprRef &e) const {
        const Expr &callee = *e->args[0];
        if (callee.kind != ExprKind::Attribute || e->args.size() != 1 || !splitModule(callee).module.empty())
            return nullptr;
        const ExprRef &object = callee.args[0];
        const auto t = object->kind == ExprKind::Name && env_.typeOf ? env_.typeOf(object->name) : std::nullopt;
        if (t && *t && !valueOf(*t).isNumeric()) // an object of a user-defined type
            return nullptr;
        if (callee.name.view() == "real" || callee.name.view() == "imag")
            return e->args[0];
        const bool conjugate = callee.name.view() == "conj" || callee.name.view() == "conjugate";
        return conjugate ? py::call("conj", {object}) : nullptr;
    }

    ExprRef decltypeCast(const ExprRef &e, const Expr &of) const {
        const auto t = of.kind == ExprKind::Name && env_.typeOf ? env_.typeOf(of.name) : std::nullopt;
        return t && *t && e->args.size() == 2 ? castTo(valueOf(*t), e->args[1]) : e;
    }

    ExprRef cast(const ExprRef &e, Type t) const {
        if (e->args.size() == 1)
            return castTo(t, intLit(0));
        if (e->args.size() == 2)
            return castTo(t, e->args[1]);
        if (e->args.size() != 3 || !t.isComplex())
            return e;
        Expr pair = *castTo(t, e->args[1]);
        pair.args.push_back(e->args[2]);
        return share(std::move(pair));
    }

    // `expf(x)` is `exp` of a float, and `labs(i)` is `abs` of a 64-bit integer: the types are those of C's declarations. Null for
    // other calls.
    static ExprRef functionOfC(const ExprRef &e, const Dotted &d) {
        if (!d.module.empty() || !e->keywords.empty() || e->args.size() < 2 || d.rest.size() < 2)
            return nullptr;
        const auto isAmong = [](const auto &names, std::string_view n) {
            return std::find(names.begin(), names.end(), n) != names.end();
        };
        const std::string base = d.rest.substr(0, d.rest.size() - 1);
        std::vector<ExprRef> args(e->args.begin() + 1, e->args.end());
        if (d.rest == "labs" || d.rest == "llabs")
            return py::call("abs", {castTo(ScalarKind::Int64, args[0])});
        if (d.rest.back() != 'f' || !isAmong(alsoForFloat, base))
            return nullptr;
        for (std::size_t i = 0; i < args.size(); ++i)
            if (i == 0 || !isAmong(withExponent, base))
                args[i] = castTo(ScalarKind::Float32, args[i]);
        return py::call(Name(base), std::move(args));
    }

    ExprRef operatorCall(const ExprRef &e, const Dotted &d) const {
        const std::vector<ExprRef> args(e->args.begin() + 1, e->args.end());
        Expr r;
        r.at = e->at;
        r.args = args;
        if (const Op *op = find(binaryFunctions, d.rest); op && args.size() == 2) {
            r.kind = ExprKind::Binary;
            r.op = *op;
        } else if (const Op *op = find(boolFunctions, d.rest); op && args.size() >= 2) {
            r.kind = ExprKind::BoolOp;
            r.op = *op;
        } else if (const Op *op = find(compareFunctions, d.rest); op && args.size() >= 2) {
            r.kind = ExprKind::Compare;
            r.ops.assign(args.size() - 1, *op);
        } else if (bitFunction(r, d.rest)) {
        } else if (d.rest == "IfExpr" && args.size() == 3) {
            r.kind = ExprKind::IfExp;
        } else if ((d.rest == "Not" || d.rest == "logical_not" || d.rest == "bitwise_invert") && args.size() == 1) {
            r.kind = ExprKind::Unary;
            r.op = d.rest == "bitwise_invert" ? Op::Invert : Op::Not;
            return fold(share(std::move(r)));
        } else {
            return nullptr;
        }
        return share(std::move(r));
    }

    // Fortran's btest, ibset, ibclr, ishft (to the left) and ibits, as Fortran front ends spell them, on r's operands.
    static bool bitFunction(Expr &r, const std::string &name) {
        if (r.args.size() == 3 && name == "bitwise_extract") {
            const ExprRef mask = py::binary(Op::Sub, py::binary(Op::Shl, intLit(1), r.args[2]), intLit(1));
            r.kind = ExprKind::Binary;
            r.op = Op::BitAnd;
            r.args = {py::binary(Op::Shr, r.args[0], r.args[1]), mask};
            return true;
        }
        if (r.args.size() != 2)
            return false;
        const ExprRef value = r.args[0], n = r.args[1], bit = py::binary(Op::Shl, intLit(1), n);
        r.kind = ExprKind::Binary;
        if (name == "bitwise_test") {
            r.op = Op::BitAnd;
            r.args = {py::binary(Op::Shr, value, n), intLit(1)};
        } else if (name == "bitwise_set") {
            r.op = Op::BitOr;
            r.args = {value, bit};
        } else if (name == "bitwise_clear") {
            r.op = Op::BitAnd;
            r.args = {value, py::unary(Op::Invert, bit)};
        } else if (name == "bitwise_shift" && n->kind == ExprKind::Int) {
            r.op = Op::Shl;
        } else {
            return false;
        }
        return true;
    }

    // Known functions lose their module; unknown members of dace keep it in C++'s spelling; others stay as they are and are
    // reported later.
    ExprRef function(const ExprRef &e, const Dotted &d) const {
        const std::string_view *alias = isTableName(d) ? find(aliases, d.rest) : nullptr;
        const Name target(alias ? *alias : std::string_view(d.rest));
        if (d.module.empty() || d.module == "builtins" || findFunction(target.view()))
            return renamed(e, target, e->type);
        if (d.module != "np" && d.module != "numpy" && d.rest.find('.') == std::string::npos) {
            const bool ofDace = d.module.starts_with("dace");
            return ofDace ? renamed(e, Name("dace::" + (d.module == "dace" ? "" : d.module.substr(5) + "::") + d.rest), e->type)
                          : e;
        }
        return e;
    }

    ExprRef renamed(const ExprRef &e, Name callee, Type t) const {
        if (isName(*e->args[0], callee.view()) && e->type == t)
            return e;
        Expr copy = *e;
        copy.type = t;
        Expr name;
        name.kind = ExprKind::Name;
        name.name = callee;
        name.at = e->at;
        copy.args[0] = share(std::move(name));
        return share(std::move(copy));
    }
};

// DaCe's old memlet syntax `a << A(1)[i]` leaves shift statements behind, which have no effect.
bool isMemletStatement(const Stmt &s) {
    return s.kind == StmtKind::ExprStmt && s.value->kind == ExprKind::Binary && (s.value->op == Op::Shl || s.value->op == Op::Shr);
}

std::vector<StmtRef> annotate(const std::vector<StmtRef> &block, const Resolver &resolver) {
    std::vector<StmtRef> out;
    for (const StmtRef &s : block) {
        Stmt copy = *s;
        if (s->kind == StmtKind::AnnAssign && s->extra)
            copy.type = resolver.annotationType(*s->extra);
        copy.body = annotate(s->body, resolver);
        copy.orelse = annotate(s->orelse, resolver);
        out.push_back(std::make_shared<const Stmt>(std::move(copy)));
    }
    return out;
}

} // namespace

ExprRef resolveModules(const ExprRef &e, const Env &env) { return rewrite(e, Resolver(env)); }

std::vector<StmtRef> resolveModules(const std::vector<StmtRef> &block, const Env &env) {
    const Resolver resolver(env);
    std::vector<StmtRef> kept;
    std::copy_if(block.begin(), block.end(), std::back_inserter(kept), [](const StmtRef &s) { return !isMemletStatement(*s); });
    return annotate(rewrite(kept, resolver), resolver);
}

} // namespace sdfgc::py
