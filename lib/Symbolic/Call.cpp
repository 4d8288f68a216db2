// Casts, members, elements, functions by name, over-approximations.
#include "Symbolic/Functions.h"
#include "Symbolic/Polynomial.h"

#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace sdfgc::sym {
namespace {

enum class Function : uint8_t {
    Min,
    Max,
    And,
    Or,
    Not,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Is,
    IsNot,
    FloorDiv,
    CeilDiv,
    Floor,
    Ceil,
    Mod,
    Abs,
    Pow,
    Sqrt,
    Round,
    Select,
    BitAnd,
    BitOr,
    BitXor,
    BitNot,
    Shl,
    Shr,
    Attr,
    Subscript,
    Approx,
    Complex,
};

struct FunctionRow {
    const char *name;
    Function function;
    int arity; // -1: one or more
};

// Every spelling of format reference 1.8, old and new.
constexpr FunctionRow functionTable[] = {
    {"Min", Function::Min, -1},
    {"min", Function::Min, -1},
    {"Max", Function::Max, -1},
    {"max", Function::Max, -1},
    {"And", Function::And, -1},
    {"AND", Function::And, -1},
    {"Or", Function::Or, -1},
    {"OR", Function::Or, -1},
    {"Not", Function::Not, 1},
    {"Eq", Function::Eq, 2},
    {"Ne", Function::Ne, 2},
    {"NotEq", Function::Ne, 2},
    {"Lt", Function::Lt, 2},
    {"Le", Function::Le, 2},
    {"LtE", Function::Le, 2},
    {"Gt", Function::Gt, 2},
    {"Ge", Function::Ge, 2},
    {"GtE", Function::Ge, 2},
    {"Is", Function::Is, 2},
    {"IsNot", Function::IsNot, 2},
    {"int_floor", Function::FloorDiv, 2},
    {"__int_floor", Function::FloorDiv, 2},
    {"int_ceil", Function::CeilDiv, 2},
    {"floor", Function::Floor, 1},
    {"ceil", Function::Ceil, 1},
    {"ceiling", Function::Ceil, 1},
    {"Mod", Function::Mod, 2},
    {"Abs", Function::Abs, 1},
    {"abs", Function::Abs, 1},
    {"pow", Function::Pow, 2},
    {"Pow", Function::Pow, 2},
    {"sqrt", Function::Sqrt, 1},
    {"round", Function::Round, 1},
    {"ROUND", Function::Round, 1},
    {"IfExpr", Function::Select, 3},
    {"ITE", Function::Select, 3},
    {"bitwise_and", Function::BitAnd, 2},
    {"BitwiseAnd", Function::BitAnd, 2},
    {"__bitwise_and", Function::BitAnd, 2},
    {"bitwise_or", Function::BitOr, 2},
    {"BitwiseOr", Function::BitOr, 2},
    {"__bitwise_or", Function::BitOr, 2},
    {"bitwise_xor", Function::BitXor, 2},
    {"BitwiseXor", Function::BitXor, 2},
    {"__bitwise_xor", Function::BitXor, 2},
    {"bitwise_invert", Function::BitNot, 1},
    {"BitwiseNot", Function::BitNot, 1},
    {"__bitwise_invert", Function::BitNot, 1},
    {"left_shift", Function::Shl, 2},
    {"LeftShift", Function::Shl, 2},
    {"__left_shift", Function::Shl, 2},
    {"right_shift", Function::Shr, 2},
    {"RightShift", Function::Shr, 2},
    {"__right_shift", Function::Shr, 2},
    {"Attr", Function::Attr, 2},
    {"Subscript", Function::Subscript, -1},
    {"SymExpr", Function::Approx, 2},
    {"complex", Function::Complex, 2},
};

const FunctionRow *findFunction(Name name) {
    static const auto *index = [] {
        auto *m = new std::unordered_map<Name, const FunctionRow *>;
        for (const FunctionRow &row : functionTable)
            m->emplace(row.name, &row);
        return m;
    }();
    auto at = index->find(name);
    return at == index->end() ? nullptr : at->second;
}

struct CastName {
    const char *name;
    ScalarKind type;
};

// C spellings; `int64`, `dace.int64` and the like are found by their own names.
constexpr CastName castNames[] = {
    {"bool", ScalarKind::Bool},       {"int", ScalarKind::Int32},       {"int8_t", ScalarKind::Int8},
    {"int16_t", ScalarKind::Int16},   {"int32_t", ScalarKind::Int32},   {"int64_t", ScalarKind::Int64},
    {"uint8_t", ScalarKind::UInt8},   {"uint16_t", ScalarKind::UInt16}, {"uint32_t", ScalarKind::UInt32},
    {"uint64_t", ScalarKind::UInt64}, {"float", ScalarKind::Float32},   {"double", ScalarKind::Float64},
};

/// `s.x.y` of symbols and members as one dotted name.
std::optional<std::string> dottedName(Expr e) {
    if (e.isSymbol())
        return e.name().str();
    if (e.kind() != SymbolicKind::Attr)
        return std::nullopt;
    std::optional<std::string> base = dottedName(e.operands()[0]);
    return base ? std::optional(*base + "." + e.name().str()) : std::nullopt;
}

Expr plainCall(Name name, std::span<const Expr> args) { return makeNode({.kind = SymbolicKind::Call, .ops = args, .name = name}); }

Expr squareRoot(const std::vector<Expr> &args) {
    Expr root = pow(args[0], Expr::rational(1, 2));
    return isExactNumber(root) || isUndefinedValue(root) ? root : plainCall("sqrt", args);
}

std::optional<Expr> complexConstant(const std::vector<Expr> &args) {
    std::optional<Num> re = asNumber(args[0]), im = asNumber(args[1]);
    if (!re || !im || re->kind == Num::Kind::Complex || im->kind == Num::Kind::Complex)
        return std::nullopt;
    return Expr::complex(re->toDouble(), im->toDouble());
}

std::optional<Expr> structural(Function f, const std::vector<Expr> &args) {
    switch (f) {
    case Function::Attr:
        return args[1].isSymbol() ? std::optional(attr(args[0], args[1].name())) : std::nullopt;
    case Function::Subscript: {
        std::optional<std::string> container = dottedName(args[0]);
        return container ? std::optional(subscript(Name(*container), {args.begin() + 1, args.end()})) : std::nullopt;
    }
    case Function::Complex:
        return complexConstant(args);
    case Function::Sqrt:
        return squareRoot(args);
    case Function::Round:
        return isIntegerValued(args[0]) ? args[0] : plainCall("round", args);
    default:
        return std::nullopt;
    }
}

Expr apply(Function f, Name name, std::vector<Expr> args) {
    switch (f) {
    case Function::Min:
        return min(std::move(args));
    case Function::Max:
        return max(std::move(args));
    case Function::And:
        return logicalAnd(std::move(args));
    case Function::Or:
        return logicalOr(std::move(args));
    case Function::Not:
        return logicalNot(args[0]);
    case Function::Eq:
        return compare(SymbolicKind::Eq, args[0], args[1]);
    case Function::Ne:
        return compare(SymbolicKind::Ne, args[0], args[1]);
    case Function::Lt:
        return compare(SymbolicKind::Lt, args[0], args[1]);
    case Function::Le:
        return compare(SymbolicKind::Le, args[0], args[1]);
    case Function::Gt:
        return compare(SymbolicKind::Gt, args[0], args[1]);
    case Function::Ge:
        return compare(SymbolicKind::Ge, args[0], args[1]);
    case Function::Is:
        return compare(SymbolicKind::Is, args[0], args[1]);
    case Function::IsNot:
        return compare(SymbolicKind::IsNot, args[0], args[1]);
    case Function::FloorDiv:
        return floorDiv(args[0], args[1]);
    case Function::CeilDiv:
        return ceilDiv(args[0], args[1]);
    case Function::Floor:
        return floor(args[0]);
    case Function::Ceil:
        return ceil(args[0]);
    case Function::Mod:
        return mod(args[0], args[1]);
    case Function::Abs:
        return abs(args[0]);
    case Function::Pow:
        return pow(args[0], args[1]);
    case Function::Select:
        return select(args[0], args[1], args[2]);
    case Function::BitAnd:
        return bitwise(SymbolicKind::BitAnd, args[0], args[1]);
    case Function::BitOr:
        return bitwise(SymbolicKind::BitOr, args[0], args[1]);
    case Function::BitXor:
        return bitwise(SymbolicKind::BitXor, args[0], args[1]);
    case Function::BitNot:
        return bitNot(args[0]);
    case Function::Shl:
        return bitwise(SymbolicKind::Shl, args[0], args[1]);
    case Function::Shr:
        return bitwise(SymbolicKind::Shr, args[0], args[1]);
    case Function::Approx:
        return approx(args[0], args[1]);
    default:
        break;
    }
    std::optional<Expr> e = structural(f, args);
    return e ? *e : plainCall(name, args);
}

/// Does the integer fit the integer type?
bool fits(int64_t v, Type t) {
    int64_t bits = *t.bytes() * 8;
    if (t.isUnsigned())
        return v >= 0 && (bits == 64 || v < int64_t(1) << bits);
    return bits == 64 || (v >= -(int64_t(1) << (bits - 1)) && v < int64_t(1) << (bits - 1));
}

/// Folds constants of the target type; other constants keep their cast (a float32 constant has been rounded).
std::optional<Expr> castConstant(Type t, Expr a) {
    if (a.kind() == SymbolicKind::Complex)
        return t == Type(ScalarKind::Complex128) ? std::optional(a) : std::nullopt;
    std::optional<Num> v = asNumber(a);
    if (!v)
        return std::nullopt;
    if (t.isBool())
        return Expr::boolean(v->isExact() ? v->n != 0 : v->re != 0);
    if (t.isInteger() && v->isInteger() && fits(v->n, t))
        return Expr(v->n);
    if (t == Type(ScalarKind::Float64) && v->isExact())
        return Expr::floating(v->toDouble());
    if (t == Type(ScalarKind::Float64))
        return a;
    return std::nullopt;
}

} // namespace

std::optional<Type> castTypeByName(std::string_view name) {
    for (const CastName &row : castNames)
        if (name == row.name)
            return Type(row.type);
    return scalarTypeByName(name.substr(0, 5) == "dace." ? name.substr(5) : name);
}

Expr cast(Type t, Expr a) {
    if (t.isVoid() || a.isSymbol() || (t.isBool() && isBooleanValued(a)) || (a.kind() == SymbolicKind::Cast && a.type() == t))
        return a;
    if (a.kind() == SymbolicKind::Approx)
        return approx(cast(t, a.operands()[0]), cast(t, a.operands()[1]));
    if (std::optional<Expr> constant = castConstant(t, a))
        return *constant;
    Expr ops[] = {a};
    return makeNode({.kind = SymbolicKind::Cast, .ops = ops, .type = t});
}

Expr attr(Expr base, Name member) {
    Expr ops[] = {base};
    return makeNode({.kind = SymbolicKind::Attr, .ops = ops, .name = member});
}

Expr subscript(Name container, std::vector<Expr> indices) {
    return makeNode({.kind = SymbolicKind::Subscript, .ops = indices, .name = container});
}

bool isFunction(Name name, std::size_t arguments) {
    const FunctionRow *row = findFunction(name);
    return row && (row->arity < 0 ? arguments > 0 : arguments == static_cast<std::size_t>(row->arity));
}

Expr call(Name function, std::vector<Expr> args) {
    if (isFunction(function, args.size()))
        return apply(findFunction(function)->function, function, std::move(args));
    if (args.size() == 1)
        if (std::optional<Type> t = castTypeByName(function.view()))
            return cast(*t, args[0]);
    return plainCall(function, args);
}

Expr approx(Expr exact, Expr over) {
    if (exact == over)
        return exact;
    Expr ops[] = {exact, over};
    return makeNode({.kind = SymbolicKind::Approx, .ops = ops});
}

} // namespace sdfgc::sym
