// Calls in OpenCL C, and what OpenCL C cannot express.
//
// OpenCL C has neither templates nor overloads of its own, so the name of a function says the type that it computes in:
// `sdfgc_floordiv_int64(a, b)`. C converts the arguments, which are of other types at times. That type is the one that the C++
// function would deduce (runtime-headers/sdfgc/rt/math.h, ufunc.h), so both compute the same numbers.
#include "Tasklet/AstUtil.h"
#include "Tasklet/PrintCpp.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace sdfgc::py {

namespace detail {

namespace {

/// The functions of real numbers that opencl_device.h does not have.
bool isLeftToCpp(const Function &f) {
    static constexpr std::string_view names[] = {"arg", "conj", "real", "imag", "nearbyint"};
    return f.header == FunctionHeader::Vec || f.header == FunctionHeader::Utility || f.header == FunctionHeader::Omp ||
           f.header == FunctionHeader::Stdio || std::find(std::begin(names), std::end(names), f.name) != std::end(names);
}

Type knownType(const Expr &e) {
    const Type t = valueOf(e.type);
    return t ? t : Type(ScalarKind::Int64); // a symbol or a counter
}

/// The common type of C++ (std::common_type): equal types stay as they are, others are promoted.
Type commonOf(const Expr &call) {
    Type common;
    for (std::size_t k = 1; k < call.args.size(); ++k) {
        const Type t = knownType(*call.args[k]);
        common = !common || common == t ? t : arithmeticType(common, t);
    }
    return common.isBool() ? Type(ScalarKind::Int32) : common;
}

/// Do integers of different signedness meet in int64 (math.h)?
bool meetsInInt64(const Expr &call) {
    bool isSigned = false, isUnsigned = false, isAll = true;
    for (std::size_t k = 1; k < call.args.size(); ++k) {
        const Type t = knownType(*call.args[k]);
        isAll = isAll && isIntegral(t);
        (t.isUnsigned() || t.isBool() ? isUnsigned : isSigned) = true;
    }
    return isAll && isSigned && isUnsigned;
}

/// The type that a call computes in.
Type computedIn(const Function &f, const Expr &call) {
    const Type first = knownType(*call.args[1]);
    switch (f.rule) {
    case Rule::Float:
        return floating(commonOf(call));
    case Rule::Double:
        return ScalarKind::Float64;
    case Rule::FloatOne:
    case Rule::Bool:
        return floating(promoted(first));
    case Rule::Int32:
    case Rule::Int64:
        return f.header == FunctionHeader::Std ? floating(promoted(first)) : promoted(first);
    case Rule::First:
    case Rule::RealPart:
        return first.isBool() ? Type(ScalarKind::Int32) : first;
    default:
        break;
    }
    if (f.header == FunctionHeader::Std || f.name == "deg2rad" || f.name == "rad2deg")
        return floating(commonOf(call));
    const bool divides = f.name != "min" && f.name != "max" && f.name != "heaviside";
    return divides && meetsInInt64(call) ? Type(ScalarKind::Int64) : commonOf(call);
}

const Function *functionOf(const Expr &call) {
    const Expr &callee = *call.args[0];
    return callee.kind == ExprKind::Name && call.args.size() > 1 ? findFunction(callee.name.view()) : nullptr;
}

} // namespace

/// Minima and maxima of several values are combined from the right, as in math.h.
std::string CppExprPrinter::openClArguments(const Expr &e, const std::string &function) const {
    if (e.args.size() <= 3 || !(e.args[0]->name.view() == "min" || e.args[0]->name.view() == "max"))
        return function + "(" + join(e.args, 1) + ")";
    std::string out = text(*e.args.back());
    for (std::size_t k = e.args.size() - 1; k-- > 1;)
        out = function + "(" + text(*e.args[k]) + ", " + out + ")";
    return out;
}

/// The call without the trailing arguments that are results.
Expr withoutResults(const Function &f, Expr call) {
    if (call.args.size() > f.results)
        call.args.resize(call.args.size() - f.results);
    return call;
}

std::string CppExprPrinter::openClCall(const Expr &e) const {
    const Function *f = functionOf(e);
    if (f && f->results > 0) { // a macro, as results may be in any memory
        std::string name = "SDFGC_";
        for (const char c : f->name)
            name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        return name + "(" + computedIn(*f, withoutResults(*f, e)).str() + ", " + join(e.args, 1) + ")";
    }
    if (f) {
        const Type t = computedIn(*f, e);
        return e.args.size() == 2 && (f->name == "min" || f->name == "max") ? "((" + t.openClName() + ")(" + text(*e.args[1]) + "))"
                                                                            : openClArguments(e, openClFunction(f->name, t));
    }
    return text(*e.args[0], cppPostfix) + "(" + join(e.args, 1) + ")"; // of the printer: numbers of threads
}

} // namespace detail

using namespace detail;

bool isOpenClType(Type t) { return (t.isScalar() || t.isVector() || t.isStruct()) && !t.openClName().empty(); }

std::string openClFunction(std::string_view name, Type t) {
    if (isOpenClStruct(t))
        return "sdfgc_" + std::string(name) + t.openClName().substr(std::string_view("sdfgc").size());
    return "sdfgc_" + std::string(name) + "_" + laneOf(t).str();
}

std::string whyNotOpenCl(const Expr &e) {
    if (e.type && !e.type.isCallback() && e.kind != ExprKind::Lambda && e.kind != ExprKind::String &&
        !isOpenClType(valueOf(e.type)))
        return "a value of type " + e.type.str();
    switch (e.kind) {
    case ExprKind::String:
        return "a string";
    case ExprKind::Tuple:
        return "a tuple";
    case ExprKind::Raw:
        return "code in C++";
    case ExprKind::Attribute:
        if (!e.args[0]->type.isStruct() || !e.args[0]->type.field(e.name))
            return "the member `" + e.name.str() + "`";
        break;
    case ExprKind::Cast:
        if (e.args.size() != 1 && !(e.type.isComplex() && e.args.size() == 2))
            return "a value of type " + e.type.str();
        break;
    case ExprKind::Call: {
        const Function *f = functionOf(e);
        const std::string name = dottedName(*e.args[0]);
        if (isOpenClStructCall(e) || isInitialiser(e))
            break;
        if (f ? isLeftToCpp(*f) : !name.starts_with("__thread_") && !name.starts_with("__block_"))
            return "the function `" + name + "`";
        const Type t = f ? computedIn(*f, withoutResults(*f, e)) : Type();
        const bool isStored = f && std::all_of(e.args.end() - static_cast<std::ptrdiff_t>(f->results), e.args.end(),
                                               [](const ExprRef &result) { return !isOpenClStruct(valueOf(result->type)); });
        if (f && (!isOpenClType(t) || isOpenClStruct(t) || !isStored))
            return "the function `" + name + "` of " + t.str();
        break;
    }
    default:
        break;
    }
    std::string why = whyNoOpenClStruct(e);
    forEachChild(e, [&](const Expr &child) {
        if (why.empty() && !(e.kind == ExprKind::Call && &child == e.args[0].get()))
            why = whyNotOpenCl(child);
    });
    return why;
}

} // namespace sdfgc::py
