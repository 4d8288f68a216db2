// Functions that code may call: those of C++'s <cmath> and <complex>, and DaCe's own as in docs/developer/runtime-headers.md.
#include "Operations.h"

#include "../Values.h"

#include <cmath>
#include <numeric>

namespace sdfgc::interpret {

namespace {

template <class T> inline constexpr bool isReal = std::is_floating_point_v<T>;
template <class T> inline constexpr bool isInt = std::is_integral_v<T>;
template <class T> inline constexpr bool isFloating = isReal<T> || isComplexType<T>;
constexpr double pi = 3.14159265358979323846;

/// The type in which a function computes.
enum class In : uint8_t {
    Joined,   // the common type of the arguments
    Floating, // the same, but integers become float64
    Double,
};

struct Function {
    std::string_view name;
    std::size_t arguments;
    In in;
    /// The operation for a type and its result type (by default the same).
    FunctionOperation (*make)(ScalarKind);
};

/// `to = F::of(a)`, `F::of(a, b)` or `F::of(a, b, extra)`, for each lane.
template <class F, class T> const Instruction *apply(const Instruction *i, Machine &) {
    for (int64_t k = 0; k < i->n; ++k) {
        const T &a = (&as<T>(i->a))[k];
        if constexpr (requires { F::of(a); }) {
            using R = decltype(F::of(a));
            (&as<R>(i->to))[k] = F::of(a);
        } else if constexpr (requires { F::of(a, a); }) {
            using R = decltype(F::of(a, a));
            (&as<R>(i->to))[k] = F::of(a, (&as<T>(i->b))[k]);
        } else {
            using R = decltype(F::of(a, a, a));
            (&as<R>(i->to))[k] = F::of(a, (&as<T>(i->b))[k], static_cast<const T *>(i->extra)[k]);
        }
    }
    return i + 1;
}

template <class R> constexpr ScalarKind kindOf() {
    if constexpr (std::is_same_v<R, bool>)
        return ScalarKind::Bool;
    else if constexpr (std::is_same_v<R, int32_t>)
        return ScalarKind::Int32;
    else if constexpr (std::is_same_v<R, int64_t>)
        return ScalarKind::Int64;
    else if constexpr (std::is_same_v<R, uint32_t>)
        return ScalarKind::UInt32;
    else if constexpr (std::is_same_v<R, uint64_t>)
        return ScalarKind::UInt64;
    else if constexpr (std::is_same_v<R, float>)
        return ScalarKind::Float32;
    else if constexpr (std::is_same_v<R, double>)
        return ScalarKind::Float64;
    else if constexpr (std::is_same_v<R, std::complex<float>>)
        return ScalarKind::Complex64;
    else
        return ScalarKind::Complex128;
}

template <class F> FunctionOperation make(ScalarKind k) {
    FunctionOperation out;
    withNumber(k, [&](auto tag) {
        using T = typename decltype(tag)::type;
        if constexpr (requires(T a) { F::of(a); })
            out = {apply<F, T>, kindOf<decltype(F::of(T()))>(), k};
        else if constexpr (requires(T a) { F::of(a, a); })
            out = {apply<F, T>, kindOf<decltype(F::of(T(), T()))>(), k};
        else if constexpr (requires(T a) { F::of(a, a, a); })
            out = {apply<F, T>, kindOf<decltype(F::of(T(), T(), T()))>(), k};
    });
    return out;
}

// ---- of the standard library, by type
#define SDFGC_REAL(name)                                                                                                           \
    struct name##_ {                                                                                                               \
        template <class T>                                                                                                         \
        requires isReal<T>                                                                                                         \
        static T of(T a) { return std::name(a); }                                                                                  \
    }
#define SDFGC_FLOATING(name)                                                                                                       \
    struct name##_ {                                                                                                               \
        template <class T>                                                                                                         \
        requires isFloating<T>                                                                                                     \
        static T of(T a) { return std::name(a); }                                                                                  \
    }
#define SDFGC_REAL2(name)                                                                                                          \
    struct name##_ {                                                                                                               \
        template <class T>                                                                                                         \
        requires isReal<T>                                                                                                         \
        static T of(T a, T b) { return std::name(a, b); }                                                                          \
    }
SDFGC_REAL(cbrt);
SDFGC_REAL(ceil);
SDFGC_REAL(erf);
SDFGC_REAL(erfc);
SDFGC_REAL(fabs);
SDFGC_REAL(floor);
SDFGC_REAL(lgamma);
SDFGC_REAL(logb);
SDFGC_REAL(nearbyint);
SDFGC_REAL(rint);
SDFGC_REAL(tgamma);
SDFGC_REAL(trunc);
SDFGC_FLOATING(acos);
SDFGC_FLOATING(acosh);
SDFGC_FLOATING(asin);
SDFGC_FLOATING(asinh);
SDFGC_FLOATING(atan);
SDFGC_FLOATING(atanh);
SDFGC_FLOATING(cos);
SDFGC_FLOATING(cosh);
SDFGC_FLOATING(exp);
SDFGC_FLOATING(log);
SDFGC_FLOATING(log10);
SDFGC_FLOATING(sin);
SDFGC_FLOATING(sinh);
SDFGC_FLOATING(sqrt);
SDFGC_FLOATING(tan);
SDFGC_FLOATING(tanh);
SDFGC_REAL2(atan2);
SDFGC_REAL2(copysign);
SDFGC_REAL2(fdim);
SDFGC_REAL2(fmax);
SDFGC_REAL2(fmin);
SDFGC_REAL2(fmod);
SDFGC_REAL2(hypot);
SDFGC_REAL2(nextafter);
SDFGC_REAL2(remainder);
#undef SDFGC_REAL
#undef SDFGC_FLOATING
#undef SDFGC_REAL2

// The standard library has these only for real numbers; for complex numbers, their definition is used.
#define SDFGC_EXTENDED(name, ofComplex)                                                                                            \
    struct name##_ {                                                                                                               \
        template <class T>                                                                                                         \
        requires isFloating<T>                                                                                                     \
        static T of(T a) {                                                                                                         \
            if constexpr (isComplexType<T>)                                                                                        \
                return ofComplex;                                                                                                  \
            else                                                                                                                   \
                return std::name(a);                                                                                               \
        }                                                                                                                          \
    }
SDFGC_EXTENDED(exp2, std::pow(T(2), a));
SDFGC_EXTENDED(expm1, std::exp(a) - T(1));
SDFGC_EXTENDED(log1p, std::log(T(1) + a));
SDFGC_EXTENDED(log2, std::log(a) / std::log(T(2)));
#undef SDFGC_EXTENDED
struct Pow {
    template <class T>
    requires isFloating<T>
    static T of(T a, T b) { return std::pow(a, b); }
};
struct Min {
    template <class T>
    requires(!isComplexType<T>) static T of(T a, T b) { return a < b ? a : b; }
};
struct Max {
    template <class T>
    requires(!isComplexType<T>) static T of(T a, T b) { return a > b ? a : b; }
};
struct Abs {
    template <class T> static auto of(T a) {
        if constexpr (std::is_unsigned_v<T>)
            return a;
        else if constexpr (isInt<T>)
            return a < 0 ? static_cast<T>(std::make_unsigned_t<T>(0) - static_cast<std::make_unsigned_t<T>>(a)) : a;
        else
            return std::abs(a);
    }
};
struct Conj {
    template <class T> static T of(T a) {
        if constexpr (isComplexType<T>)
            return std::conj(a);
        else
            return a;
    }
};
struct Real {
    template <class T> static auto of(T a) {
        if constexpr (isComplexType<T>)
            return a.real();
        else
            return a;
    }
};
struct Imag {
    template <class T> static auto of(T a) {
        if constexpr (isComplexType<T>)
            return a.imag();
        else
            return T(0);
    }
};
struct Arg {
    template <class T>
    requires isComplexType<T>
    static auto of(T a) { return std::arg(a); }
};
struct Round { // halves away from zero
    template <class T> static T of(T a) {
        if constexpr (isInt<T>)
            return a;
        else if constexpr (isComplexType<T>)
            return T(std::round(a.real()), std::round(a.imag()));
        else
            return std::round(a);
    }
};
struct RoundToInt {
    template <class T>
    requires(!isComplexType<T>) static int64_t of(T a) {
        if constexpr (isInt<T>)
            return static_cast<int64_t>(a);
        else
            return static_cast<int32_t>(std::round(a));
    }
};
struct RoundToLong {
    template <class T>
    requires isReal<T>
    static int64_t of(T a) { return std::llround(a); }
};
struct NearestToLong {
    template <class T>
    requires isReal<T>
    static int64_t of(T a) { return std::llrint(a); }
};
template <class T> T signOf(T a) { return static_cast<T>((a > T(0)) - (a < T(0))); }
template <bool isUnit> struct Sign { // a complex number on the unit circle, or on the real axis
    template <class T> static T of(T a) {
        if constexpr (isComplexType<T> && isUnit)
            return a == T(0) ? a : a / std::abs(a);
        else if constexpr (isComplexType<T>)
            return a.real() != 0 ? T(signOf(a.real())) : T(signOf(a.imag()));
        else
            return a != a ? a : signOf(a);
    }
};
struct SignInt {
    template <class T>
    requires(!isComplexType<T>) static int32_t of(T a) { return (a > T(0)) - (a < T(0)); }
};
struct Reciprocal {
    template <class T> static T of(T a) {
        if constexpr (isInt<T>)
            return a == T(0) ? T(0) : static_cast<T>(T(1) / a);
        else
            return T(1) / a;
    }
};
struct Ceiling {
    template <class T>
    requires(!isComplexType<T>) static T of(T a) {
        if constexpr (isInt<T>)
            return a;
        else
            return std::ceil(a);
    }
};
struct CeilDiv {
    template <class T>
    requires(!isComplexType<T>) static T of(T a, T b) {
        if constexpr (isInt<T>) {
            if (b == 0)
                return 0;
            const T q = static_cast<T>(a / b), r = static_cast<T>(a % b);
            return r != 0 && (r < 0) == (b < 0) ? static_cast<T>(q + 1) : q;
        } else {
            return std::ceil(a / b);
        }
    }
};
struct Gcd {
    template <class T>
    requires isInt<T>
    static T of(T a, T b) { return std::gcd(a, b); }
};
struct Lcm {
    template <class T>
    requires isInt<T>
    static T of(T a, T b) { return std::lcm(a, b); }
};
struct IsNan {
    template <class T> static bool of(T a) {
        if constexpr (isComplexType<T>)
            return std::isnan(a.real()) || std::isnan(a.imag());
        else
            return a != a;
    }
};
struct IsInf {
    template <class T> static bool of(T a) {
        if constexpr (isComplexType<T>)
            return std::isinf(a.real()) || std::isinf(a.imag());
        else if constexpr (isInt<T>)
            return false;
        else
            return std::isinf(a);
    }
};
struct IsFinite {
    template <class T> static bool of(T a) { return !IsNan::of(a) && !IsInf::of(a); }
};
struct SignBit {
    template <class T>
    requires(!isComplexType<T>) static bool of(T a) {
        if constexpr (isInt<T>)
            return a < T(0);
        else
            return std::signbit(a);
    }
};
struct Exponent {
    template <class T>
    requires isReal<T>
    static int32_t of(T a) {
        int e = 0;
        (void)std::frexp(a, &e);
        return e;
    }
};
struct Mantissa {
    template <class T>
    requires isReal<T>
    static T of(T a) {
        int e = 0;
        return std::frexp(a, &e);
    }
};
struct WholePart {
    template <class T>
    requires isReal<T>
    static T of(T a) { return std::trunc(a); }
};
struct FractionPart {
    template <class T>
    requires isReal<T>
    static T of(T a) { return std::copysign(a == std::trunc(a) ? T(0) : a - std::trunc(a), a); }
};
struct ExponentBase2 {
    template <class T>
    requires isReal<T>
    static int32_t of(T a) { return std::ilogb(a); }
};
struct Heaviside {
    template <class T>
    requires(!isComplexType<T>) static T of(T a) { return T(a > T(0) ? 1 : 0); }
};
struct HeavisideWith {
    template <class T>
    requires(!isComplexType<T>) static T of(T a, T atZero) { return a != a ? a : a < T(0) ? T(0) : a > T(0) ? T(1) : atZero; }
};
struct ToRadians {
    template <class T>
    requires isReal<T>
    static T of(T a) { return static_cast<T>(static_cast<double>(a) * (pi / 180)); }
};
struct ToDegrees {
    template <class T>
    requires isReal<T>
    static T of(T a) { return static_cast<T>(static_cast<double>(a) * (180 / pi)); }
};
struct MultiplyAdd {
    template <class T>
    requires isReal<T>
    static T of(T a, T b, T c) { return std::fma(a, b, c); }
};
struct Scale { // ldexp
    template <class T>
    requires isReal<T>
    static T of(T a, T n) { return std::ldexp(a, static_cast<int>(n)); }
};

constexpr Function functions[] = {
    {"abs", 1, In::Joined, make<Abs>},
    {"acos", 1, In::Floating, make<acos_>},
    {"acosh", 1, In::Floating, make<acosh_>},
    {"arg", 1, In::Floating, make<Arg>},
    {"asin", 1, In::Floating, make<asin_>},
    {"asinh", 1, In::Floating, make<asinh_>},
    {"atan", 1, In::Floating, make<atan_>},
    {"atan2", 2, In::Floating, make<atan2_>},
    {"atanh", 1, In::Floating, make<atanh_>},
    {"cbrt", 1, In::Floating, make<cbrt_>},
    {"ceil", 1, In::Floating, make<ceil_>},
    {"ceiling", 1, In::Joined, make<Ceiling>},
    {"conj", 1, In::Joined, make<Conj>},
    {"copysign", 2, In::Floating, make<copysign_>},
    {"cos", 1, In::Floating, make<cos_>},
    {"cosh", 1, In::Floating, make<cosh_>},
    {"deg2rad", 1, In::Floating, make<ToRadians>},
    {"erf", 1, In::Floating, make<erf_>},
    {"erfc", 1, In::Floating, make<erfc_>},
    {"exp", 1, In::Floating, make<exp_>},
    {"exp2", 1, In::Floating, make<exp2_>},
    {"expm1", 1, In::Floating, make<expm1_>},
    {"fabs", 1, In::Floating, make<fabs_>},
    {"fdim", 2, In::Floating, make<fdim_>},
    {"floor", 1, In::Floating, make<floor_>},
    {"fma", 3, In::Floating, make<MultiplyAdd>},
    {"fmax", 2, In::Floating, make<fmax_>},
    {"fmin", 2, In::Floating, make<fmin_>},
    {"fmod", 2, In::Floating, make<fmod_>},
    {"frexp", 1, In::Floating, make<Exponent>},
    {"gcd", 2, In::Joined, make<Gcd>},
    {"heaviside", 1, In::Joined, make<Heaviside>},
    {"heaviside", 2, In::Joined, make<HeavisideWith>},
    {"hypot", 2, In::Floating, make<hypot_>},
    {"ilogb", 1, In::Floating, make<ExponentBase2>},
    {"imag", 1, In::Joined, make<Imag>},
    {"int_ceil", 2, In::Joined, make<CeilDiv>},
    {"iround", 1, In::Joined, make<RoundToInt>},
    {"isfinite", 1, In::Joined, make<IsFinite>},
    {"isinf", 1, In::Joined, make<IsInf>},
    {"isnan", 1, In::Joined, make<IsNan>},
    {"lcm", 2, In::Joined, make<Lcm>},
    {"ldexp", 2, In::Floating, make<Scale>},
    {"lgamma", 1, In::Floating, make<lgamma_>},
    {"llrint", 1, In::Floating, make<NearestToLong>},
    {"llround", 1, In::Floating, make<RoundToLong>},
    {"log", 1, In::Floating, make<log_>},
    {"log10", 1, In::Floating, make<log10_>},
    {"log1p", 1, In::Floating, make<log1p_>},
    {"log2", 1, In::Floating, make<log2_>},
    {"logb", 1, In::Floating, make<logb_>},
    {"lrint", 1, In::Floating, make<NearestToLong>},
    {"lround", 1, In::Floating, make<RoundToLong>},
    {"max", 2, In::Joined, make<Max>},
    {"min", 2, In::Joined, make<Min>},
    {"nearbyint", 1, In::Floating, make<nearbyint_>},
    {"nextafter", 2, In::Floating, make<nextafter_>},
    {"np_float_pow", 2, In::Double, make<Pow>},
    {"np_frexp:0", 1, In::Double, make<Mantissa>},
    {"np_frexp:1", 1, In::Double, make<Exponent>},
    {"np_modf:0", 1, In::Double, make<WholePart>},
    {"np_modf:1", 1, In::Double, make<FractionPart>},
    {"pow", 2, In::Floating, make<Pow>},
    {"rad2deg", 1, In::Floating, make<ToDegrees>},
    {"real", 1, In::Joined, make<Real>},
    {"reciprocal", 1, In::Joined, make<Reciprocal>},
    {"remainder", 2, In::Floating, make<remainder_>},
    {"rint", 1, In::Floating, make<rint_>},
    {"round", 1, In::Joined, make<Round>},
    {"scalbn", 2, In::Floating, make<Scale>},
    {"sgn", 1, In::Joined, make<SignInt>},
    {"sign", 1, In::Joined, make<Sign<false>>},
    {"sign_numpy_2", 1, In::Joined, make<Sign<true>>},
    {"signbit", 1, In::Joined, make<SignBit>},
    {"sin", 1, In::Floating, make<sin_>},
    {"sinh", 1, In::Floating, make<sinh_>},
    {"sqrt", 1, In::Floating, make<sqrt_>},
    {"tan", 1, In::Floating, make<tan_>},
    {"tanh", 1, In::Floating, make<tanh_>},
    {"tgamma", 1, In::Floating, make<tgamma_>},
    {"trunc", 1, In::Floating, make<trunc_>},
};

} // namespace

FunctionOperation functionOperation(std::string_view name, const std::vector<Type> &arguments) {
    for (const Function &f : functions) {
        if (f.name != name || f.arguments != arguments.size())
            continue;
        Type t;
        for (const Type a : arguments)
            t = commonType(t, a);
        const int64_t lanes = t.isVector() ? t.lanes() : 1;
        Type lane = t.isVector() ? t.element() : t;
        lane = arithmeticTypeOf(lane);
        if (f.in == In::Double || (f.in == In::Floating && lane.isInteger()))
            lane = ScalarKind::Float64;
        FunctionOperation found = f.make(lane.scalar());
        if (found.run && lanes > 1) {
            found.result = Type::vector(found.result, lanes);
            found.argument = Type::vector(found.argument, lanes);
        }
        return found;
    }
    return {};
}

} // namespace sdfgc::interpret
