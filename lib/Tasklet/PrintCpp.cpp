// Lowered, typed expressions as C++ text.
#include "Tasklet/PrintCpp.h"
#include "Tasklet/AstUtil.h"
#include "Tasklet/Numbers.h"
#include "sdfgc/Tasklet/FunctionNames.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>

namespace sdfgc::py {

namespace detail {

namespace {

/// Does a lambda use only its parameters? Memory references are variables of the surrounding function.
bool capturesNothing(const Expr &lambda) {
    bool memory = false;
    rewrite(lambda.args[0], [&](const ExprRef &e) {
        memory |= e->kind == ExprKind::MemRef;
        return e;
    });
    return !memory && freeNames(lambda).empty();
}

int binaryPrec(Op op) {
    switch (op) {
    case Op::Add:
    case Op::Sub:
        return cppSum;
    case Op::Shl:
    case Op::Shr:
        return cppShift;
    case Op::BitAnd:
        return cppBitAnd;
    case Op::BitXor:
        return cppBitXor;
    case Op::BitOr:
        return cppBitOr;
    default:
        return cppProduct;
    }
}

// Can no neighbouring operator split the text?
bool isOneToken(const std::string &text) {
    if (text.size() == 3 && text.front() == '\'' && text.back() == '\'') // a character
        return true;
    return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c == '_' || c == ':'; });
}

int precedence(const Expr &e) {
    switch (e.kind) {
    case ExprKind::Unary:
        return cppUnary;
    case ExprKind::Binary:
        return e.op == Op::MatMul || e.op == Op::Pow || e.op == Op::FloorDiv || e.op == Op::IntFloor ? cppPostfix
                                                                                                     : binaryPrec(e.op);
    case ExprKind::BoolOp:
        return e.op == Op::And ? cppAnd : cppOr;
    case ExprKind::Compare: {
        if (e.ops.size() != 1)
            return cppAnd;
        const std::string_view op = cppOperator(e.ops[0]);
        return op == "==" || op == "!=" ? cppEqual : cppLess;
    }
    case ExprKind::IfExp:
        return cppAssign;
    case ExprKind::Raw:
        return isOneToken(e.text) ? cppPrimary : cppLowest;
    case ExprKind::Attribute:
    case ExprKind::Subscript:
    case ExprKind::Call:
    case ExprKind::Cast:
        return cppPostfix;
    default:
        return cppPrimary;
    }
}

std::string quoted(const std::string &content) {
    std::string out = "\"";
    for (char c : content) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            out += '\\', out += c;
        else if (c == '\n')
            out += "\\n";
        else if (c == '\t')
            out += "\\t";
        else if (byte < 0x20 || byte == 0x7F) { // three octal digits end the escape, whatever follows
            out += '\\';
            for (int shift = 6; shift >= 0; shift -= 3)
                out += static_cast<char>('0' + ((byte >> shift) & 7));
        } else
            out += c;
    }
    return out + "\"";
}

bool isMostNegative(const Expr &e) {
    const auto v = intValue(e);
    return v && ((e.type == Type(ScalarKind::Int32) && *v == std::numeric_limits<int32_t>::min()) ||
                 *v == std::numeric_limits<int64_t>::min());
}

} // namespace

std::string_view cppOperator(Op op) {
    // In the order of Op. Operators that C++ lacks have the closest one, since they occur here only before the lowering.
    constexpr auto texts = std::to_array<std::string_view>({
        "+", "-", "*", "/", "/",  "%",  "*",  "*",  "<<", ">>", "&", "|",  "^",  "/",  "/",  "%",
        "-", "+", "~", "!", "&&", "||", "==", "!=", "<",  "<=", ">", ">=", "==", "!=", "==", "!=",
    });
    static_assert(texts.size() == static_cast<std::size_t>(Op::NotIn) + 1);
    return texts[static_cast<std::size_t>(op)];
}

std::string CppExprPrinter::text(const Expr &e, int minPrec) const {
    if (printer_.inOpenCl)
        if (std::string call = openClStruct(e); !call.empty())
            return call;
    const std::string t = bare(e);
    return precedence(e) < minPrec ? "(" + t + ")" : t;
}

std::string CppExprPrinter::type(Type t) const {
    if (printer_.inOpenCl)
        return t.openClName();
    const Type lane = laneOf(valueOf(t));
    if (t.isVector())
        uses("vec");
    if (lane.isComplex())
        uses(printer_.inKernel ? "gpu_complex" : "complex");
    if (isLowPrecision(lane))
        uses("half");
    return printer_.inKernel ? t.kernelName() : t.cppName();
}

std::string CppExprPrinter::join(const std::vector<ExprRef> &args, std::size_t from) const {
    std::string out;
    for (std::size_t k = from; k < args.size(); ++k)
        out += (k > from ? ", " : "") + (args[k] ? text(*args[k]) : std::string());
    return out;
}

std::string CppExprPrinter::bare(const Expr &e) const {
    switch (e.kind) {
    case ExprKind::Int:
        return intText(e);
    case ExprKind::Float:
        return floatText(e.text, e.type);
    case ExprKind::Imaginary:
        return imaginaryText(e);
    case ExprKind::Bool:
        return e.text == "True" ? "true" : "false";
    case ExprKind::None:
        return printer_.inOpenCl ? "0" : "nullptr";
    case ExprKind::String:
        return quoted(e.text);
    case ExprKind::Name:
    case ExprKind::MemRef:
        return spelled(e);
    case ExprKind::Attribute:
        return text(*e.args[0], cppPostfix) + (e.args[0]->type.isPointer() ? "->" : ".") + e.name.str();
    case ExprKind::Subscript:
        return subscriptText(e);
    case ExprKind::Slice:
        return join(e.args, 0);
    case ExprKind::Unary:
        return unaryText(e);
    case ExprKind::Binary:
        return binaryText(e);
    case ExprKind::BoolOp:
        return boolText(e);
    case ExprKind::Compare:
        return compareText(e);
    case ExprKind::IfExp:
        return text(*e.args[0], cppOr) + " ? " + text(*e.args[1], cppOr) + " : " + text(*e.args[2]);
    case ExprKind::Call:
        return callText(e);
    case ExprKind::Lambda:
        return lambdaText(e);
    case ExprKind::Tuple:
        uses("tuple");
        return "std::make_tuple(" + join(e.args, 0) + ")";
    case ExprKind::Cast:
        return castText(e);
    case ExprKind::Raw:
        return e.text;
    }
    return "";
}

std::string CppExprPrinter::intText(const Expr &e) const {
    const auto v = unsignedValue(e.text);
    if (!v || *v <= uint64_t(std::numeric_limits<int32_t>::max()))
        return e.text;
    const std::string wide = printer_.inOpenCl ? "L" : "LL"; // of 64 bits; `long long` has 128 in OpenCL C
    if (e.type.isUnsigned())
        return e.text + (*v > std::numeric_limits<uint32_t>::max() || e.type == Type(ScalarKind::UInt64) ? "U" + wide : "U");
    return e.text + (*v > uint64_t(std::numeric_limits<int64_t>::max()) ? "U" + wide : wide);
}

std::string CppExprPrinter::floatText(const std::string &token, Type t) const {
    const bool single = t == Type(ScalarKind::Float32);
    const bool infinite = token == "inf" || token == "1e309";
    if (!infinite && token != "nan")
        return token + (single ? "f" : "");
    uses("cmath");
    const std::string macro = infinite ? "INFINITY" : "NAN";
    return single ? macro : printer_.inOpenCl ? "(double)(" + macro + ")" : "double(" + macro + ")";
}

std::string CppExprPrinter::imaginaryText(const Expr &e) const {
    const bool single = e.type == Type(ScalarKind::Complex64);
    const Type part = single ? ScalarKind::Float32 : ScalarKind::Float64;
    return type(single ? ScalarKind::Complex64 : ScalarKind::Complex128) + "(" + floatText("0.0", part) + ", " +
           floatText(e.text, part) + ")";
}

std::string CppExprPrinter::spelled(const Expr &e) const {
    if (printer_.spell)
        return printer_.spell(e);
    return e.kind == ExprKind::Name ? e.name.str() : "mem" + std::to_string(e.slot);
}

std::string CppExprPrinter::unaryText(const Expr &e) const {
    if (e.op == Op::Neg && isMostNegative(e)) // it has no literal, as the positive number does not fit
        return e.type == Type(ScalarKind::Int32) ? "(-2147483647 - 1)"
               : printer_.inOpenCl               ? "(-9223372036854775807L - 1)"
                                                 : "(-9223372036854775807LL - 1)";
    const std::string op(cppOperator(e.op)), operand = text(*e.args[0], cppUnary);
    return operand[0] == op[0] ? op + "(" + operand + ")" : op + operand; // never `--x`
}

// Keeps the parentheses of operators whose relative precedence is little known and causes compiler warnings.
std::string CppExprPrinter::operandText(const Expr &e, int minPrec, int parentPrec) const {
    const int prec = precedence(e);
    const bool bitsOrShift = parentPrec >= cppBitOr && parentPrec <= cppShift && parentPrec != cppEqual && parentPrec != cppLess;
    const bool unclear = (bitsOrShift && prec < cppUnary && prec != parentPrec) || (parentPrec == cppOr && prec == cppAnd) ||
                         ((parentPrec == cppEqual || parentPrec == cppLess) && (prec == cppEqual || prec == cppLess));
    return text(e, unclear ? cppUnary : minPrec);
}

std::string CppExprPrinter::binaryText(const Expr &e) const {
    if (e.op == Op::MatMul || e.op == Op::Pow || e.op == Op::FloorDiv || e.op == Op::IntFloor) // not lowered: not a C++ operator
        return (e.op == Op::MatMul ? "gemm(" : e.op == Op::Pow ? "pow(" : "floordiv(") + join(e.args, 0) + ")";
    const int prec = binaryPrec(e.op);
    return operandText(*e.args[0], prec, prec) + " " + std::string(cppOperator(e.op)) + " " +
           operandText(*e.args[1], prec + 1, prec);
}

std::string CppExprPrinter::boolText(const Expr &e) const {
    const int prec = e.op == Op::And ? cppAnd : cppOr;
    std::string out;
    for (const ExprRef &a : e.args)
        out += (out.empty() ? "" : " " + std::string(cppOperator(e.op)) + " ") + operandText(*a, prec + 1, prec);
    return out;
}

std::string CppExprPrinter::compareText(const Expr &e) const {
    std::string out;
    for (std::size_t k = 0; k < e.ops.size(); ++k) {
        const std::string_view op = cppOperator(e.ops[k]);
        const int prec = op == "==" || op == "!=" ? cppEqual : cppLess;
        out += (k ? " && " : "") + operandText(*e.args[k], prec, prec) + " " + std::string(op) + " " +
               operandText(*e.args[k + 1], prec + 1, prec);
    }
    return out;
}

/// `isInCast`: the operand of another cast. GCC takes `(double(float(x[f(i)])) + y)` for the type of a function with a parameter
/// `x[f(i)]`, if `f` is a template, and rejects the size.
std::string CppExprPrinter::castText(const Expr &e, bool isInCast) const {
    const std::string name = type(e.type);
    if (printer_.inOpenCl)
        return "(" + name + ")(" + join(e.args, 0) + ")";
    // A functional cast needs a one-word type, template arguments included.
    const std::string head = name.substr(0, name.find('<'));
    const bool oneWord = isOneToken(head) && !name.empty() && name.find('*') == std::string::npos;
    const bool isOuter = e.args.size() == 1 && e.args[0]->kind == ExprKind::Cast;
    const std::string content = isOuter ? castText(*e.args[0], true) : join(e.args, 0);
    const bool isElement = e.args.size() == 1 && (e.args[0]->kind == ExprKind::Subscript || e.args[0]->kind == ExprKind::MemRef);
    const bool isAmbiguous = isInCast && isElement && content.find('(') != std::string::npos;
    return (oneWord && !isAmbiguous ? name : "static_cast<" + name + ">") + "(" + content + ")";
}

std::string CppExprPrinter::functionName(const Function &f, const Expr &call) const {
    bool vector = false, complex = false;
    for (std::size_t k = 1; k < call.args.size(); ++k) {
        const Type t = valueOf(call.args[k]->type);
        vector = vector || t.isVector();
        complex = complex || laneOf(t).isComplex();
    }
    const std::string name(f.name), runtime = "sdfgc::rt::";
    if (!complex && !printer_.inKernel && hasVectorForm(name))
        uses("vectormath");
    if (vector || f.header == FunctionHeader::Vec) {
        const bool basic = name == "min" || name == "max" || name == "abs" || name == "select";
        return uses(basic ? "vec" : "vecmath"), runtime + name;
    }
    if (complex && name != "ipow") { // math.h has it for everything that can be multiplied
        const std::string spelled = name == "round" ? "ROUND" : name;
        if (printer_.inKernel)
            return uses("gpu_complexmath"), "sdfgc::gpu::" + spelled;
        if (f.complexInStd)
            return uses("complex"), "std::" + name;
        return uses("complexmath"), runtime + spelled;
    }
    if (name == "abs" && valueOf(call.args[1]->type).isUnsigned())
        return uses("math"), runtime + name;
    if (name == "frexp" && call.args.size() > 2) // the C function, with a pointer for the exponent
        return uses("cmath"), "std::" + name;
    const CppFunction plain = numberSpelling(f);
    return uses(plain.topic), plain.name;
}

bool isInitialiser(const Expr &e) {
    return e.kind == ExprKind::Call && e.type.isStruct() && e.args[0]->kind == ExprKind::Name && e.args[0]->name == e.type.name();
}

std::string CppExprPrinter::callText(const Expr &e) const {
    const Expr &callee = *e.args[0];
    if (isInitialiser(e))
        return structText(e);
    if (printer_.inOpenCl)
        return openClCall(e);
    std::string function = text(callee, cppPostfix);
    if (callee.kind == ExprKind::Name && !callee.type.isCallback()) {
        const Function *f =
            e.args.size() > 1 || callee.name.view().starts_with("omp_") ? findFunction(callee.name.view()) : nullptr;
        if (f)
            function = functionName(*f, e);
        else if (callee.name.view().starts_with("dace::") || isHeaderFunction(callee.name.view()))
            uses("dace");
    }
    return function + "(" + join(e.args, 1) + ")";
}

// Designated initialisers must follow the order of declaration; the lowering has sorted the values.
std::string CppExprPrinter::structText(const Expr &e) const {
    std::string out;
    for (std::size_t k = 1; k < e.args.size(); ++k)
        out += (out.empty() ? "" : ", ") + text(*e.args[k]);
    for (const Keyword &k : e.keywords) {
        const std::optional<Type> field = e.type.field(k.name);
        out += (out.empty() ? "." : ", .") + k.name.str() + " = " + (field ? textAs(*k.value, *field) : text(*k.value));
    }
    return (printer_.inOpenCl ? "(" + type(e.type) + ")" : type(e.type)) + "{" + out + "}";
}

std::string CppExprPrinter::lambdaText(const Expr &e) const {
    std::string params;
    for (Name p : e.params)
        params += (params.empty() ? "auto " : ", auto ") + p.str();
    return (capturesNothing(e) ? "[](" : "[&](") + params + ") { return " + text(*e.args[0]) + "; }";
}

std::string CppExprPrinter::subscriptText(const Expr &e) const {
    if (e.args.size() == 2)
        return text(*e.args[0], cppPostfix) + "[" + text(*e.args[1]) + "]";
    uses("tuple");
    return text(*e.args[0], cppPostfix) + "[std::make_tuple(" + join(e.args, 1) + ")]";
}

} // namespace detail

std::string CppPrinter::place(const Expr &e) const { return detail::CppExprPrinter(*this).place(e, detail::cppLowest); }

std::string CppPrinter::exprAs(const Expr &e, Type t) const {
    return detail::CppExprPrinter(*this).textAs(e, t, detail::cppLowest);
}

std::string CppPrinter::expr(const Expr &e) const { return detail::CppExprPrinter(*this).text(e, detail::cppLowest); }

} // namespace sdfgc::py
