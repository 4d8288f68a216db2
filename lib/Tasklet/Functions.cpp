#include "Tasklet/Functions.h"

#include <algorithm>
#include <array>

namespace sdfgc::py::detail {

namespace {

constexpr bool inStdComplex = true;

// Sorted by name (by byte) for binary search.
constexpr auto functions = std::to_array<Function>({
    {"abs", Rule::RealPart, FunctionHeader::Std, inStdComplex},
    {"acos", Rule::Float, FunctionHeader::Std, inStdComplex},
    {"acosh", Rule::Float, FunctionHeader::Std, inStdComplex},
    {"arg", Rule::RealPart, FunctionHeader::Std, inStdComplex},
    {"asin", Rule::Float, FunctionHeader::Std, inStdComplex},
    {"asinh", Rule::Float, FunctionHeader::Std, inStdComplex},
    {"atan", Rule::Float, FunctionHeader::Std, inStdComplex},
    {"atan2", Rule::Float, FunctionHeader::Std},
    {"atanh", Rule::Float, FunctionHeader::Std, inStdComplex},
    {"cbrt", Rule::Float, FunctionHeader::Std},
    {"ceil", Rule::Float, FunctionHeader::Std},
    {"ceiling", Rule::Join, FunctionHeader::Math},
    {"cmp_equal", Rule::Bool, FunctionHeader::Utility},
    {"cmp_greater", Rule::Bool, FunctionHeader::Utility},
    {"cmp_greater_equal", Rule::Bool, FunctionHeader::Utility},
    {"cmp_less", Rule::Bool, FunctionHeader::Utility},
    {"cmp_less_equal", Rule::Bool, FunctionHeader::Utility},
    {"cmp_not_equal", Rule::Bool, FunctionHeader::Utility},
    {"conj", Rule::Join, FunctionHeader::Std, inStdComplex},
    {"copysign", Rule::Float, FunctionHeader::Std},
    {"cos", Rule::Float, FunctionHeader::Std, inStdComplex},
    {"cosh", Rule::Float, FunctionHeader::Std, inStdComplex},
    {"cpp_divmod", Rule::Nothing, FunctionHeader::Ufunc, false, 2},
    {"cpp_mod", Rule::Join, FunctionHeader::Ufunc},
    {"deg2rad", Rule::Float, FunctionHeader::Ufunc},
    {"erf", Rule::Float, FunctionHeader::Std},
    {"erfc", Rule::Float, FunctionHeader::Std},
    {"exp", Rule::Float, FunctionHeader::Std, inStdComplex},
    {"exp2", Rule::Float, FunctionHeader::Std},
    {"expm1", Rule::Float, FunctionHeader::Std},
    {"fabs", Rule::Float, FunctionHeader::Std},
    {"fdim", Rule::Float, FunctionHeader::Std},
    {"floor", Rule::Float, FunctionHeader::Std},
    {"floordiv", Rule::Join, FunctionHeader::Math},
    {"floormod", Rule::Join, FunctionHeader::Math},
    {"fma", Rule::Float, FunctionHeader::Std},
    {"fmax", Rule::Float, FunctionHeader::Std},
    {"fmin", Rule::Float, FunctionHeader::Std},
    {"fmod", Rule::Float, FunctionHeader::Std},
    {"frexp", Rule::Int32, FunctionHeader::Ufunc},
    {"gcd", Rule::Join, FunctionHeader::Math},
    {"heaviside", Rule::Join, FunctionHeader::Ufunc},
    {"hypot", Rule::Float, FunctionHeader::Std},
    {"ilogb", Rule::Int32, FunctionHeader::Std},
    {"imag", Rule::RealPart, FunctionHeader::Std, inStdComplex},
    {"int_ceil", Rule::Join, FunctionHeader::Math},
    {"ipow", Rule::First, FunctionHeader::Math},
    {"iround", Rule::Int64, FunctionHeader::Ufunc},
    {"isfinite", Rule::Bool, FunctionHeader::Std},
    {"isinf", Rule::Bool, FunctionHeader::Std},
    {"isnan", Rule::Bool, FunctionHeader::Std},
    {"lcm", Rule::Join, FunctionHeader::Math},
    {"ldexp", Rule::FloatOne, FunctionHeader::Std},
    {"lgamma", Rule::Float, FunctionHeader::Std},
    {"llrint", Rule::Int64, FunctionHeader::Std},
    {"llround", Rule::Int64, FunctionHeader::Std},
    {"log", Rule::Float, FunctionHeader::Std, inStdComplex},
    {"log10", Rule::Float, FunctionHeader::Std, inStdComplex},
    {"log1p", Rule::Float, FunctionHeader::Std},
    {"log2", Rule::Float, FunctionHeader::Std},
    {"logb", Rule::Float, FunctionHeader::Std},
    {"lrint", Rule::Int64, FunctionHeader::Std},
    {"lround", Rule::Int64, FunctionHeader::Std},
    {"max", Rule::Join, FunctionHeader::Math},
    {"min", Rule::Join, FunctionHeader::Math},
    {"nearbyint", Rule::Float, FunctionHeader::Std},
    {"nextafter", Rule::Float, FunctionHeader::Std},
    {"np_float_pow", Rule::Double, FunctionHeader::Ufunc},
    {"np_frexp", Rule::Nothing, FunctionHeader::Ufunc, false, 2},
    {"np_modf", Rule::Nothing, FunctionHeader::Ufunc, false, 2},
    {"omp_get_max_threads", Rule::Int32, FunctionHeader::Omp},
    {"omp_get_num_threads", Rule::Int32, FunctionHeader::Omp},
    {"omp_get_thread_num", Rule::Int32, FunctionHeader::Omp},
    {"pow", Rule::Float, FunctionHeader::Std, inStdComplex},
    {"printf", Rule::Int32, FunctionHeader::Stdio},
    {"puts", Rule::Int32, FunctionHeader::Stdio},
    {"py_divmod", Rule::Nothing, FunctionHeader::Ufunc, false, 2},
    {"py_floor", Rule::Join, FunctionHeader::Ufunc},
    {"py_mod", Rule::Join, FunctionHeader::Ufunc},
    {"rad2deg", Rule::Float, FunctionHeader::Ufunc},
    {"real", Rule::RealPart, FunctionHeader::Std, inStdComplex},
    {"reciprocal", Rule::Join, FunctionHeader::Math},
    {"remainder", Rule::Float, FunctionHeader::Std},
    {"rint", Rule::Float, FunctionHeader::Std},
    {"round", Rule::Join, FunctionHeader::Std},
    {"scalbn", Rule::FloatOne, FunctionHeader::Std},
    {"select", Rule::Nothing, FunctionHeader::Vec},
    {"sgn", Rule::Int32, FunctionHeader::Math},
    {"sign", Rule::Join, FunctionHeader::Math},
    {"sign_numpy_2", Rule::Join, FunctionHeader::Ufunc},
    {"signbit", Rule::Bool, FunctionHeader::Std},
    {"sin", Rule::Float, FunctionHeader::Std, inStdComplex},
    {"sinh", Rule::Float, FunctionHeader::Std, inStdComplex},
    {"sqrt", Rule::Float, FunctionHeader::Std, inStdComplex},
    {"tan", Rule::Float, FunctionHeader::Std, inStdComplex},
    {"tanh", Rule::Float, FunctionHeader::Std, inStdComplex},
    {"tgamma", Rule::Float, FunctionHeader::Std},
    {"trunc", Rule::Float, FunctionHeader::Std},
});
static_assert(std::is_sorted(functions.begin(), functions.end(),
                             [](const Function &a, const Function &b) { return a.name < b.name; }));

Type join(std::span<const Type> args) {
    Type t;
    for (Type a : args) {
        if (!a)
            return Type();
        t = arithmeticType(t, a);
    }
    return t;
}

} // namespace

std::span<const Function> allFunctions() { return functions; }

const Function *findFunction(std::string_view name) {
    const auto it = std::lower_bound(functions.begin(), functions.end(), name,
                                     [](const Function &f, std::string_view n) { return f.name < n; });
    return it != functions.end() && it->name == name ? &*it : nullptr;
}

CppFunction numberSpelling(const Function &f) {
    const std::string name(f.name);
    switch (f.header) {
    case FunctionHeader::Math:
        return {"math", "sdfgc::rt::" + name};
    case FunctionHeader::Ufunc:
        return {"ufunc", "sdfgc::rt::" + name};
    case FunctionHeader::Vec:
        return {"vec", "sdfgc::rt::" + name};
    case FunctionHeader::Utility:
        return {"utility", "std::" + name};
    case FunctionHeader::Stdio:
        return {"cstdio", name};
    case FunctionHeader::Omp:
        return {"omp", name};
    case FunctionHeader::Std:
        break;
    }
    return {"cmath", "std::" + name};
}

bool hasVectorForm(std::string_view name) {
    static constexpr auto names = std::to_array<std::string_view>(
        {"acos", "acosh", "asin",  "asinh", "atan",  "atan2", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp",
         "exp2", "expm1", "hypot", "log",   "log10", "log1p", "log2",  "pow",  "sin", "sinh", "tan", "tanh"});
    static_assert(std::is_sorted(names.begin(), names.end()));
    return std::binary_search(names.begin(), names.end(), name);
}

Type promoted(Type t) {
    if (t.isBool() || (t.isInteger() && t.bytes().value_or(4) < 4))
        return ScalarKind::Int32;
    return isLowPrecision(t) ? Type(ScalarKind::Float32) : t;
}

Type floating(Type t) {
    return mapLane(t, [](Type e) { return e.isBool() || e.isInteger() ? Type(ScalarKind::Float64) : e; });
}

Type valueOf(Type t) { return t.isPointer() ? t.element() : t; }

Type realOf(Type t) {
    return mapLane(t, [](Type e) {
        if (!e.isComplex())
            return e;
        return Type(e.scalar() == ScalarKind::Complex64 ? ScalarKind::Float32 : ScalarKind::Float64);
    });
}

bool isLowPrecision(Type t) { return t.isFloat() && t.bytes().value_or(8) < 4; }

Type arithmeticType(Type a, Type b) {
    a = promoted(valueOf(a));
    b = promoted(valueOf(b));
    if (a.isVector() != b.isVector()) {
        const Type vector = a.isVector() ? a : b, scalar = a.isVector() ? b : a;
        if (!isIntegral(vector) && !(scalar.isComplex() && !laneOf(vector).isComplex()))
            return vector;
    }
    return commonType(a, b);
}

bool isIntegral(Type t) { return laneOf(t).isInteger() || laneOf(t).isBool(); }

Type resultType(const Function &f, std::span<const Type> args) {
    const Type first = args.empty() ? Type() : valueOf(args[0]);
    switch (f.rule) {
    case Rule::Float:
        return floating(join(args));
    case Rule::FloatOne:
        return floating(promoted(first));
    case Rule::Double: {
        const Type t = join(args);
        return t.isComplex() ? Type(ScalarKind::Complex128) : Type(ScalarKind::Float64);
    }
    case Rule::RealPart:
        return promoted(realOf(first));
    case Rule::Join:
        return join(args);
    case Rule::First:
        return first;
    case Rule::Bool:
        return mapLane(first, [](Type) { return Type(ScalarKind::Bool); });
    case Rule::Int32:
        return mapLane(first, [](Type) { return Type(ScalarKind::Int32); });
    case Rule::Int64:
        return Type(ScalarKind::Int64);
    case Rule::Nothing:
        return Type();
    }
    return Type();
}

} // namespace sdfgc::py::detail
