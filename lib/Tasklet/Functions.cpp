#include "Tasklet/Functions.h"

#include <algorithm>
#include <array>

namespace sdfgc::py::detail {

namespace {

constexpr bool inStdComplex = true;

// Sorted by name (by byte) for binary search.
constexpr auto functions = std::to_array<Function>({
    {"abs", Rule::RealPart, Place::Std, inStdComplex},
    {"acos", Rule::Float, Place::Std, inStdComplex},
    {"acosh", Rule::Float, Place::Std, inStdComplex},
    {"arg", Rule::RealPart, Place::Std, inStdComplex},
    {"asin", Rule::Float, Place::Std, inStdComplex},
    {"asinh", Rule::Float, Place::Std, inStdComplex},
    {"atan", Rule::Float, Place::Std, inStdComplex},
    {"atan2", Rule::Float, Place::Std},
    {"atanh", Rule::Float, Place::Std, inStdComplex},
    {"cbrt", Rule::Float, Place::Std},
    {"ceil", Rule::Float, Place::Std},
    {"ceiling", Rule::Join, Place::Math},
    {"cmp_equal", Rule::Bool, Place::Utility},
    {"cmp_greater", Rule::Bool, Place::Utility},
    {"cmp_greater_equal", Rule::Bool, Place::Utility},
    {"cmp_less", Rule::Bool, Place::Utility},
    {"cmp_less_equal", Rule::Bool, Place::Utility},
    {"cmp_not_equal", Rule::Bool, Place::Utility},
    {"conj", Rule::Join, Place::Std, inStdComplex},
    {"copysign", Rule::Float, Place::Std},
    {"cos", Rule::Float, Place::Std, inStdComplex},
    {"cosh", Rule::Float, Place::Std, inStdComplex},
    {"cpp_divmod", Rule::Nothing, Place::Ufunc, false, 2},
    {"cpp_mod", Rule::Join, Place::Ufunc},
    {"deg2rad", Rule::Float, Place::Ufunc},
    {"erf", Rule::Float, Place::Std},
    {"erfc", Rule::Float, Place::Std},
    {"exp", Rule::Float, Place::Std, inStdComplex},
    {"exp2", Rule::Float, Place::Std},
    {"expm1", Rule::Float, Place::Std},
    {"fabs", Rule::Float, Place::Std},
    {"fdim", Rule::Float, Place::Std},
    {"floor", Rule::Float, Place::Std},
    {"floordiv", Rule::Join, Place::Math},
    {"floormod", Rule::Join, Place::Math},
    {"fma", Rule::Float, Place::Std},
    {"fmax", Rule::Float, Place::Std},
    {"fmin", Rule::Float, Place::Std},
    {"fmod", Rule::Float, Place::Std},
    {"frexp", Rule::Int32, Place::Ufunc},
    {"gcd", Rule::Join, Place::Math},
    {"heaviside", Rule::Join, Place::Ufunc},
    {"hypot", Rule::Float, Place::Std},
    {"ilogb", Rule::Int32, Place::Std},
    {"imag", Rule::RealPart, Place::Std, inStdComplex},
    {"int_ceil", Rule::Join, Place::Math},
    {"ipow", Rule::First, Place::Math},
    {"iround", Rule::Int64, Place::Ufunc},
    {"isfinite", Rule::Bool, Place::Std},
    {"isinf", Rule::Bool, Place::Std},
    {"isnan", Rule::Bool, Place::Std},
    {"lcm", Rule::Join, Place::Math},
    {"ldexp", Rule::FloatOne, Place::Std},
    {"lgamma", Rule::Float, Place::Std},
    {"llrint", Rule::Int64, Place::Std},
    {"llround", Rule::Int64, Place::Std},
    {"log", Rule::Float, Place::Std, inStdComplex},
    {"log10", Rule::Float, Place::Std, inStdComplex},
    {"log1p", Rule::Float, Place::Std},
    {"log2", Rule::Float, Place::Std},
    {"logb", Rule::Float, Place::Std},
    {"lrint", Rule::Int64, Place::Std},
    {"lround", Rule::Int64, Place::Std},
    {"max", Rule::Join, Place::Math},
    {"min", Rule::Join, Place::Math},
    {"nearbyint", Rule::Float, Place::Std},
    {"nextafter", Rule::Float, Place::Std},
    {"np_float_pow", Rule::Double, Place::Ufunc},
    {"np_frexp", Rule::Nothing, Place::Ufunc, false, 2},
    {"np_modf", Rule::Nothing, Place::Ufunc, false, 2},
    {"omp_get_max_threads", Rule::Int32, Place::Omp},
    {"omp_get_num_threads", Rule::Int32, Place::Omp},
    {"omp_get_thread_num", Rule::Int32, Place::Omp},
    {"pow", Rule::Float, Place::Std, inStdComplex},
    {"printf", Rule::Int32, Place::Stdio},
    {"puts", Rule::Int32, Place::Stdio},
    {"py_divmod", Rule::Nothing, Place::Ufunc, false, 2},
    {"py_floor", Rule::Join, Place::Ufunc},
    {"py_mod", Rule::Join, Place::Ufunc},
    {"rad2deg", Rule::Float, Place::Ufunc},
    {"real", Rule::RealPart, Place::Std, inStdComplex},
    {"reciprocal", Rule::Join, Place::Math},
    {"remainder", Rule::Float, Place::Std},
    {"rint", Rule::Float, Place::Std},
    {"round", Rule::Join, Place::Std},
    {"scalbn", Rule::FloatOne, Place::Std},
    {"select", Rule::Nothing, Place::Vec},
    {"sgn", Rule::Int32, Place::Math},
    {"sign", Rule::Join, Place::Math},
    {"sign_numpy_2", Rule::Join, Place::Ufunc},
    {"signbit", Rule::Bool, Place::Std},
    {"sin", Rule::Float, Place::Std, inStdComplex},
    {"sinh", Rule::Float, Place::Std, inStdComplex},
    {"sqrt", Rule::Float, Place::Std, inStdComplex},
    {"tan", Rule::Float, Place::Std, inStdComplex},
    {"tanh", Rule::Float, Place::Std, inStdComplex},
    {"tgamma", Rule::Float, Place::Std},
    {"trunc", Rule::Float, Place::Std},
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
    switch (f.place) {
    case Place::Math:
        return {"math", "sdfgc::rt::" + name};
    case Place::Ufunc:
        return {"ufunc", "sdfgc::rt::" + name};
    case Place::Vec:
        return {"vec", "sdfgc::rt::" + name};
    case Place::Utility:
        return {"utility", "std::" + name};
    case Place::Stdio:
        return {"cstdio", name};
    case Place::Omp:
        return {"omp", name};
    case Place::Std:
        break;
    }
    return {"cmath", "std::" + name};
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
