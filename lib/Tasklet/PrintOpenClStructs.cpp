// Complex numbers, vectors, and floats of 16 and 8 bits in OpenCL C.
//
// They are structures of opencl_structs.h. OpenCL C has no complex numbers, and its own vectors have other alignments than C++'s and
// convert from scalars at places where complex numbers must not. A structure has neither operators nor conversions, so a form that is
// missing here is an error of the compiler and never another number.
//
//     z = a * b          z = sdfgc_mul_complex128(a, b)
//     z = x * b          z = sdfgc_mul_left_complex128(x, b)        a real number on the left
//     z = x              z = sdfgc_complex128_of(x)
//     h = g + 1          h = sdfgc_float16_of(sdfgc_float_of_float16(g) + 1)
//
// Small floats are computed with as float: their value is that of a float everywhere but where it is stored.
#include "Tasklet/AstUtil.h"
#include "Tasklet/PrintCpp.h"

#include <algorithm>
#include <array>

namespace sdfgc::py {

namespace detail {

namespace {

bool isStored(const Expr &e) {
    return e.kind == ExprKind::Name || e.kind == ExprKind::MemRef || e.kind == ExprKind::Subscript || e.kind == ExprKind::Attribute;
}

bool isWide(Type t) { return t.isComplex() || (t.isVector() && t.lanes() != 1); }

/// The type of complex numbers or vectors that an operation computes in; no type if no operand is one.
Type structOf(const Expr &e, std::size_t from) {
    Type common;
    for (std::size_t k = from; k < e.args.size(); ++k)
        if (const Type t = valueOf(e.args[k]->type); isWide(t))
            common = !common || t == Type(ScalarKind::Complex128) ? t : common;
    if (common && valueOf(e.type) == Type(ScalarKind::Complex128))
        common = ScalarKind::Complex128;
    return common;
}

bool isComplex(const Expr &e) { return valueOf(e.type).isComplex(); }

std::string applied(const std::string &function, const std::string &arguments) { return function + "(" + arguments + ")"; }

/// The function for an operator on complex numbers; empty if there is none.
std::string_view operatorName(Op op) {
    switch (op) {
    case Op::Add:
        return "add";
    case Op::Sub:
        return "sub";
    case Op::Mul:
        return "mul";
    case Op::TrueDiv:
    case Op::CDiv:
        return "div";
    default:
        return "";
    }
}

} // namespace

std::string CppExprPrinter::textAs(const Expr &e, Type t, int minPrec) const {
    const Type to = valueOf(t), from = valueOf(e.type);
    if (!printer_.inOpenCl || !isOpenClStruct(to))
        return text(e, minPrec);
    const std::string name = to.openClName();
    if (isLowPrecision(to)) {
        if (from == to && isStored(e))
            return bare(e);
        const bool isRounded = from == to && e.kind == ExprKind::Cast;
        return isRounded ? textAs(*e.args[0], to) : applied(name + "_of", text(e));
    }
    if (isWide(from))
        return from == to ? text(e, minPrec) : applied(name + "_of_" + from.str(), text(e));
    return applied(name + "_of", text(e));
}

std::string CppExprPrinter::place(const Expr &e, int minPrec) const {
    return printer_.inOpenCl && isLowPrecision(valueOf(e.type)) ? bare(e) : text(e, minPrec);
}

std::string CppExprPrinter::updated(const Expr &target, Op op, const Expr &value) const {
    const Type t = valueOf(target.type);
    if (!printer_.inOpenCl || !isOpenClStruct(t))
        return "";
    const ExprRef whole = binary(op, share(Expr(target)), share(Expr(value)), isWide(t) ? t : Type(ScalarKind::Float32));
    return textAs(*whole, t);
}

/// A real operand of a complex operation stays real; a scalar operand of vectors becomes a vector.
std::string CppExprPrinter::openClOperator(const Expr &e) const {
    const Type t = structOf(e, 0);
    const std::string name(operatorName(e.op));
    const Expr &a = *e.args[0], &b = *e.args[1];
    const bool isLeft = t.isComplex() && !isComplex(a), isRight = t.isComplex() && !isComplex(b);
    return applied(openClFunction(name + (isLeft    ? "_left"
                                          : isRight ? "_right"
                                                    : ""),
                                  t),
                   (isLeft ? text(a) : textAs(a, t)) + ", " + (isRight ? text(b) : textAs(b, t)));
}

std::string CppExprPrinter::openClComparison(const Expr &e) const {
    const Type t = structOf(e, 0);
    std::string out;
    for (std::size_t k = 0; k < e.ops.size(); ++k)
        out += (k ? " && " : "") + std::string(e.ops[k] == Op::Ne ? "!" : "") +
               applied(openClFunction("equal", t), textAs(*e.args[k], t) + ", " + textAs(*e.args[k + 1], t));
    return e.ops.size() > 1 ? "(" + out + ")" : out;
}

std::string CppExprPrinter::openClStructCall(const Expr &e, const Function &f) const {
    const Type t = structOf(e, 1);
    std::string name(f.name), arguments;
    if (name == "pow" && t.isComplex() && e.args.size() == 3 && isComplex(*e.args[1]) != isComplex(*e.args[2]))
        name += isComplex(*e.args[1]) ? "_right" : "_left";
    if (name == "np_float_pow")
        name = "pow";
    const bool isEach = name == "pow" || f.rule == Rule::Join || t.isVector();
    for (std::size_t k = 1; k < e.args.size(); ++k)
        arguments += (k > 1 ? ", " : "") + (isEach || isComplex(*e.args[k]) ? textAs(*e.args[k], t) : text(*e.args[k]));
    return applied(openClFunction(name, t), arguments);
}

/// The value of an expression that is, or is computed from, a structure; empty for other expressions. It binds like a call.
std::string CppExprPrinter::openClStruct(const Expr &e) const {
    const Type t = e.type;
    switch (e.kind) {
    case ExprKind::Subscript:
        if (e.args.size() == 2 && isWide(e.args[0]->type)) // of a vector
            return text(*e.args[0], cppPostfix) + ".lane[" + text(*e.args[1]) + "]";
        [[fallthrough]];
    case ExprKind::Name:
    case ExprKind::MemRef:
    case ExprKind::Attribute:
        return isLowPrecision(t) ? applied("sdfgc_float_of_" + t.str(), bare(e)) : "";
    case ExprKind::Cast:
        if (t.isComplex() && e.args.size() == 2)
            return applied(openClFunction("parts", t), join(e.args, 0));
        if (isWide(t))
            return textAs(*e.args[0], t);
        return isLowPrecision(t) ? applied("sdfgc_float_of_" + t.str(), textAs(*e.args[0], t)) : "";
    case ExprKind::Imaginary:
        return applied(openClFunction("parts", t), "0, " + floatText(e.text, realOf(t)));
    case ExprKind::Unary:
        if (!isWide(t) || !structOf(e, 0))
            return "";
        return e.op == Op::Neg ? applied(openClFunction("neg", t), text(*e.args[0])) : text(*e.args[0]);
    case ExprKind::Binary:
        return structOf(e, 0) ? openClOperator(e) : "";
    case ExprKind::Compare:
        return structOf(e, 0) ? openClComparison(e) : "";
    case ExprKind::IfExp:
        return isWide(t)
                   ? "(" + text(*e.args[0], cppOr) + " ? " + textAs(*e.args[1], t, cppOr) + " : " + textAs(*e.args[2], t) + ")"
                   : "";
    case ExprKind::Call: {
        const Function *f = isOpenClStructCall(e) ? findFunction(e.args[0]->name.view()) : nullptr;
        return f ? openClStructCall(e, *f) : "";
    }
    default:
        return "";
    }
}

bool isOpenClStructCall(const Expr &e) {
    return e.kind == ExprKind::Call && e.args[0]->kind == ExprKind::Name && findFunction(e.args[0]->name.view()) && structOf(e, 1);
}

namespace {

std::string whyNoComplex(const Expr &e) {
    static constexpr auto functions = std::to_array<std::string_view>(
        {"abs",  "acos",  "acosh", "arg",  "asin",         "asinh",        "atan",  "atanh", "conj",  "cos",   "cosh",      "exp",
         "exp2", "expm1", "imag",  "ipow", "isinf",        "isfinite",     "isnan", "log",   "log10", "log1p", "log2",      "pow",
         "real", "round", "sign",  "sin",  "sign_numpy_2", "np_float_pow", "sinh",  "sqrt",  "tan",   "tanh",  "reciprocal"});
    if (e.kind == ExprKind::Call && std::find(functions.begin(), functions.end(), dottedName(*e.args[0])) == functions.end())
        return "the function `" + dottedName(*e.args[0]) + "` of complex numbers";
    if (e.kind == ExprKind::Binary && operatorName(e.op).empty())
        return "an operator on complex numbers that is not + - * /";
    const bool isOrdered =
        e.kind == ExprKind::Compare && std::any_of(e.ops.begin(), e.ops.end(), [](Op op) { return op != Op::Eq && op != Op::Ne; });
    return isOrdered ? "an order of complex numbers" : "";
}

/// Operands are vectors of one type, or scalars.
std::string whyNoVector(const Expr &e, Type t, std::size_t from) {
    static constexpr auto functions = std::to_array<std::string_view>(
        {"abs", "ceil", "cos", "exp", "fabs", "floor", "fmax", "fmin", "log", "max", "min", "pow", "sin", "sqrt", "tanh"});
    static constexpr auto ofIntegers = std::to_array<std::string_view>({"abs", "max", "min"});
    for (std::size_t k = from; k < e.args.size(); ++k)
        if (const Type operand = valueOf(e.args[k]->type); isWide(operand) && !(operand == t))
            return "an operation on " + operand.str() + " and " + t.str();
    if (e.kind == ExprKind::Binary && operatorName(e.op).empty())
        return "an operator on vectors that is not + - * /";
    if (e.kind == ExprKind::Cast && isWide(e.type) && !(e.type == t))
        return "a conversion of " + t.str() + " to " + e.type.str();
    if (e.kind == ExprKind::Subscript && e.args.size() != 2)
        return "several elements of a vector";
    if (e.kind != ExprKind::Call)
        return "";
    const std::string name = dottedName(*e.args[0]);
    const bool has = t.element().isInteger() ? std::find(ofIntegers.begin(), ofIntegers.end(), name) != ofIntegers.end()
                                             : std::find(functions.begin(), functions.end(), name) != functions.end();
    return has && (e.args.size() == 2 || e.args.size() == 3) ? "" : "the function `" + name + "` of vectors";
}

} // namespace

std::string whyNoOpenClStruct(const Expr &e) {
    const std::size_t from = e.kind == ExprKind::Call ? 1 : 0;
    const Type t = structOf(e, from);
    return !t ? "" : t.isComplex() ? whyNoComplex(e) : whyNoVector(e, t, from);
}

} // namespace detail

using namespace detail;

bool isOpenClStruct(Type t) { return isWide(t) || (t.isScalar() && isLowPrecision(t)); }

bool hasOpenClUpdate(Reduction r, Type t) {
    switch (r) {
    case Reduction::Sum:
    case Reduction::Sub:
    case Reduction::Exchange:
        return !t.isVector() || t.lanes() == 1;
    case Reduction::Product:
    case Reduction::Div:
    case Reduction::Min:
    case Reduction::Max:
        return !isWide(t);
    default:
        return !isOpenClStruct(t);
    }
}

} // namespace sdfgc::py
