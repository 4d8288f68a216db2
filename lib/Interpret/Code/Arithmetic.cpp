// Operators on numbers (docs/user/semantics.md, *Operators*).
#include "Operations.h"

#include "../Values.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace sdfgc::interpret {

namespace {

template <class T> inline constexpr bool isInteger = std::is_integral_v<T>;
template <class T> using Unsigned = std::make_unsigned_t<T>;

// Integers wrap around.
struct Add {
    template <class T> static T of(T a, T b, const Instruction &, Machine &) {
        if constexpr (isInteger<T>)
            return static_cast<T>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b));
        else
            return a + b;
    }
};
struct Sub {
    template <class T> static T of(T a, T b, const Instruction &, Machine &) {
        if constexpr (isInteger<T>)
            return static_cast<T>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b));
        else
            return a - b;
    }
};
struct Mul {
    template <class T> static T of(T a, T b, const Instruction &, Machine &) {
        if constexpr (isInteger<T>)
            return static_cast<T>(static_cast<Unsigned<T>>(a) * static_cast<Unsigned<T>>(b));
        else
            return a * b;
    }
};

template <class T> bool isZeroDivisor(T b, const Instruction &i, Machine &m) {
    if (b != T(0))
        return false;
    m.report(FaultKind::DivisionByZero, static_cast<const Site *>(i.extra), "an integer is divided by zero");
    return true;
}

/// Quotient and remainder towards zero; the most negative integer by -1 wraps.
template <class T> T quotient(T a, T b) {
    if (std::is_signed_v<T> && b == static_cast<T>(-1))
        return static_cast<T>(Unsigned<T>(0) - static_cast<Unsigned<T>>(a));
    return static_cast<T>(a / b);
}
template <class T> T remainder(T a, T b) { return std::is_signed_v<T> && b == static_cast<T>(-1) ? T(0) : static_cast<T>(a % b); }

struct Divide { // C's: integers towards zero
    template <class T> static T of(T a, T b, const Instruction &i, Machine &m) {
        if constexpr (isInteger<T>)
            return isZeroDivisor(b, i, m) ? T(0) : quotient(a, b);
        else
            return a / b;
    }
};
struct Remainder { // C's % and fmod
    template <class T> static T of(T a, T b, const Instruction &i, Machine &m) {
        if constexpr (isInteger<T>)
            return isZeroDivisor(b, i, m) ? T(0) : remainder(a, b);
        else if constexpr (isComplexType<T>)
            return T();
        else
            return std::fmod(a, b);
    }
};
struct FloorMod { // Python's %
    template <class T> static T of(T a, T b, const Instruction &i, Machine &m) {
        if constexpr (isInteger<T>) {
            if (isZeroDivisor(b, i, m))
                return 0;
            const T r = remainder(a, b);
            return r != 0 && (r < 0) != (b < 0) ? static_cast<T>(r + b) : r;
        } else if constexpr (isComplexType<T>) {
            return T();
        } else {
            const T r = std::fmod(a, b);
            if (r == 0)
                return std::copysign(T(0), b);
            return (r < 0) != (b < 0) ? r + b : r;
        }
    }
};
struct FloorDiv { // Python's //
    template <class T> static T of(T a, T b, const Instruction &i, Machine &m) {
        if constexpr (isInteger<T>) {
            if (isZeroDivisor(b, i, m))
                return 0;
            const T q = quotient(a, b), r = remainder(a, b);
            return r != 0 && (r < 0) != (b < 0) ? static_cast<T>(q - 1) : q;
        } else if constexpr (isComplexType<T>) {
            return T();
        } else { // the q for which a is q * b + a % b
            if (b == 0)
                return a / b;
            const T r = std::fmod(a, b);
            T q = (a - r) / b;
            if (r != 0 && (r < 0) != (b < 0))
                q -= 1;
            if (q == 0)
                return std::copysign(T(0), a / b);
            const T whole = std::floor(q);
            return q - whole > T(0.5) ? whole + 1 : whole;
        }
    }
};

template <class T> T integerPower(T base, uint64_t n) { // by squaring
    T result = T(1);
    for (; n; n >>= 1) {
        if (n & 1)
            result = static_cast<T>(result * base);
        if (n > 1)
            base = static_cast<T>(base * base);
    }
    return result;
}
struct Power { // the exponent in the same type
    template <class T> static T of(T a, T b, const Instruction &, Machine &) {
        if constexpr (!isInteger<T>)
            return std::pow(a, b);
        else if (b < T(0))
            return a == T(1) ? T(1) : a == static_cast<T>(-1) ? (b % 2 ? static_cast<T>(-1) : T(1)) : T(0);
        else
            return static_cast<T>(integerPower(static_cast<Unsigned<T>>(a), static_cast<uint64_t>(b)));
    }
};
struct WholePower { // a separate exponent per lane: `n` of the instruction is the exponent, one lane
    template <class T> static T of(T a, T, const Instruction &i, Machine &) {
        if constexpr (isInteger<T>)
            return static_cast<T>(integerPower(static_cast<Unsigned<T>>(a), static_cast<uint64_t>(i.n)));
        else
            return integerPower(a, static_cast<uint64_t>(i.n));
    }
};

template <class Bits> struct OnBits {
    template <class T> static T of(T a, T b, const Instruction &, Machine &) {
        if constexpr (isInteger<T>)
            return Bits::of(a, b);
        else
            return T();
    }
};
/// If C++ does not define a shift by the count, only its lowest bits are used.
template <class Bits> struct Shift {
    template <class T> static T of(T a, T b, const Instruction &i, Machine &m) {
        if constexpr (isInteger<T>) {
            if (static_cast<Unsigned<T>>(b) >= 8 * sizeof(T)) [[unlikely]]
                m.report(FaultKind::Shift, static_cast<const Site *>(i.extra),
                         "an integer of " + std::to_string(8 * sizeof(T)) + " bits is shifted by " + std::to_string(b));
            return Bits::of(a, b);
        } else {
            return T();
        }
    }
};
struct And {
    template <class T> static T of(T a, T b) { return static_cast<T>(a & b); }
};
struct Or {
    template <class T> static T of(T a, T b) { return static_cast<T>(a | b); }
};
struct Xor {
    template <class T> static T of(T a, T b) { return static_cast<T>(a ^ b); }
};
struct Left {
    template <class T> static T of(T a, T b) { return static_cast<T>(static_cast<Unsigned<T>>(a) << (b & (8 * sizeof(T) - 1))); }
};
struct Right {
    template <class T> static T of(T a, T b) { return static_cast<T>(a >> (b & (8 * sizeof(T) - 1))); }
};

template <class Op, class T> const Instruction *binary(const Instruction *i, Machine &m) {
    if (i->n == 1) {
        as<T>(i->to) = Op::of(as<T>(i->a), as<T>(i->b), *i, m);
    } else {
        const T *a = &as<T>(i->a), *b = &as<T>(i->b);
        T *to = &as<T>(i->to);
        for (int64_t k = 0; k < i->n; ++k)
            to[k] = Op::of(a[k], b[k], *i, m);
    }
    return i + 1;
}

template <class Op> Operation binaryFor(ScalarKind k) {
    Operation out = nullptr;
    withNumber(k, [&](auto tag) { out = binary<Op, typename decltype(tag)::type>; });
    return out;
}

} // namespace

Operation binaryOperation(py::Op op, ScalarKind k) {
    switch (op) {
    case py::Op::Add:
        return binaryFor<Add>(k);
    case py::Op::Sub:
        return binaryFor<Sub>(k);
    case py::Op::Mul:
        return binaryFor<Mul>(k);
    case py::Op::TrueDiv:
    case py::Op::CDiv:
        return binaryFor<Divide>(k);
    case py::Op::CMod:
        return binaryFor<Remainder>(k);
    case py::Op::FloorDiv:
        return binaryFor<FloorDiv>(k);
    case py::Op::Mod:
        return binaryFor<FloorMod>(k);
    case py::Op::Pow:
        return binaryFor<Power>(k);
    case py::Op::BitAnd:
        return binaryFor<OnBits<And>>(k);
    case py::Op::BitOr:
        return binaryFor<OnBits<Or>>(k);
    case py::Op::BitXor:
        return binaryFor<OnBits<Xor>>(k);
    case py::Op::Shl:
        return binaryFor<Shift<Left>>(k);
    case py::Op::Shr:
        return binaryFor<Shift<Right>>(k);
    default:
        return nullptr;
    }
}

namespace {

template <class C, class F> Operation withOneReal(bool realFirst, F) {
    using Part = typename C::value_type;
    if (realFirst)
        return [](const Instruction *i, Machine &) {
            as<C>(i->to) = F()(as<Part>(i->a), as<C>(i->b));
            return i + 1;
        };
    return [](const Instruction *i, Machine &) {
        as<C>(i->to) = F()(as<C>(i->a), as<Part>(i->b));
        return i + 1;
    };
}

template <class C> Operation withOneReal(py::Op op, bool realFirst) {
    switch (op) {
    case py::Op::Add:
        return withOneReal<C>(realFirst, std::plus<>());
    case py::Op::Sub:
        return withOneReal<C>(realFirst, std::minus<>());
    case py::Op::Mul:
        return withOneReal<C>(realFirst, std::multiplies<>());
    case py::Op::TrueDiv:
    case py::Op::CDiv:
        return withOneReal<C>(realFirst, std::divides<>());
    default:
        return nullptr;
    }
}

} // namespace

Operation complexWithReal(py::Op op, ScalarKind complex, bool realFirst) {
    return complex == ScalarKind::Complex64 ? withOneReal<std::complex<float>>(op, realFirst)
                                            : withOneReal<std::complex<double>>(op, realFirst);
}

Operation wholePower(ScalarKind k) {
    Operation out = nullptr;
    withNumber(k, [&](auto tag) {
        using T = typename decltype(tag)::type;
        out = [](const Instruction *i, Machine &m) {
            as<T>(i->to) = WholePower::of(as<T>(i->a), T(), *i, m);
            return i + 1;
        };
    });
    return out;
}

// ---------------------------------------------------------------------------------------------------- comparisons

namespace {

struct Eq {
    template <class T> static bool of(const T &a, const T &b) { return a == b; }
};
struct Ne {
    template <class T> static bool of(const T &a, const T &b) { return a != b; }
};
struct Lt {
    template <class T> static bool of(const T &a, const T &b) { return a < b; }
};
struct Le {
    template <class T> static bool of(const T &a, const T &b) { return a <= b; }
};
struct Gt {
    template <class T> static bool of(const T &a, const T &b) { return a > b; }
};
struct Ge {
    template <class T> static bool of(const T &a, const T &b) { return a >= b; }
};

template <class Op, class T> const Instruction *compare(const Instruction *i, Machine &) {
    for (int64_t k = 0; k < i->n; ++k)
        (&as<bool>(i->to))[k] = Op::of((&as<T>(i->a))[k], (&as<T>(i->b))[k]);
    return i + 1;
}
template <class Op> const Instruction *compareMixed(const Instruction *i, Machine &) {
    for (int64_t k = 0; k < i->n; ++k)
        (&as<bool>(i->to))[k] = Op::of(__int128((&as<int64_t>(i->a))[k]), __int128((&as<uint64_t>(i->b))[k]));
    return i + 1;
}

template <class Op> Operation comparisonFor(ScalarKind k) {
    Operation out = nullptr;
    withNumber(k, [&](auto tag) {
        using T = typename decltype(tag)::type;
        if constexpr (!isComplexType<T> || std::is_same_v<Op, Eq> || std::is_same_v<Op, Ne>)
            out = compare<Op, T>;
    });
    return out;
}

/// Calls `f` with the class of a comparison.
template <class F> Operation withComparison(py::Op op, F &&f) {
    switch (op) {
    case py::Op::Eq:
    case py::Op::Is:
        return f(Eq());
    case py::Op::Ne:
    case py::Op::IsNot:
        return f(Ne());
    case py::Op::Lt:
        return f(Lt());
    case py::Op::Le:
        return f(Le());
    case py::Op::Gt:
        return f(Gt());
    case py::Op::Ge:
        return f(Ge());
    default:
        return nullptr;
    }
}

} // namespace

Operation comparison(py::Op op, ScalarKind k) {
    return withComparison(op, [&](auto which) { return comparisonFor<decltype(which)>(k); });
}

Operation mixedComparison(py::Op op) {
    return withComparison(op, [](auto which) -> Operation { return compareMixed<decltype(which)>; });
}

// ---------------------------------------------------------------------------------------------------- one operand

namespace {

template <class T, class F> const Instruction *each(const Instruction *i, F &&f) {
    for (int64_t k = 0; k < i->n; ++k)
        (&as<T>(i->to))[k] = f((&as<T>(i->a))[k]);
    return i + 1;
}
template <class T> const Instruction *negate(const Instruction *i, Machine &) {
    return each<T>(i, [](T a) {
        if constexpr (isInteger<T>)
            return static_cast<T>(Unsigned<T>(0) - static_cast<Unsigned<T>>(a));
        else
            return -a;
    });
}
template <class T> const Instruction *invert(const Instruction *i, Machine &) {
    return each<T>(i, [](T a) { return static_cast<T>(~a); });
}
const Instruction *logicalNot(const Instruction *i, Machine &) {
    return each<bool>(i, [](bool a) { return !a; });
}

} // namespace

Operation unaryOperation(py::Op op, ScalarKind k) {
    if (op == py::Op::Not)
        return k == ScalarKind::Bool ? logicalNot : nullptr;
    Operation out = nullptr;
    withNumber(k, [&](auto tag) {
        using T = typename decltype(tag)::type;
        if (op == py::Op::Neg)
            out = negate<T>;
        if constexpr (isInteger<T>)
            if (op == py::Op::Invert)
                out = invert<T>;
    });
    return out;
}

// ---------------------------------------------------------------------------------------------------- conversions

namespace {

/// Reports a number out of the range of an integer type: C++ leaves its conversion undefined, and results depend on instructions.
[[gnu::noinline, gnu::cold]] void reportTooLarge(double x, const char *type, const Instruction &i, Machine &m) {
    std::array<char, 40> number{};
    std::snprintf(number.data(), number.size(), "%.9g", x);
    m.report(FaultKind::Conversion, static_cast<const Site *>(i.extra),
             std::string(number.data()) + " is converted to " + type + ", which has no such value");
}

template <class To> const char *nameOf() {
    static_assert(std::is_integral_v<To>);
    constexpr std::array<const char *, 4> isSigned = {"int8", "int16", "int32", "int64"},
                                          plain = {"uint8", "uint16", "uint32", "uint64"};
    constexpr std::size_t at = sizeof(To) == 1 ? 0 : sizeof(To) == 2 ? 1 : sizeof(To) == 4 ? 2 : 3;
    return std::is_signed_v<To> ? isSigned[at] : plain[at];
}

template <class To> To checkedInteger(double x, const Instruction &i, Machine &m) {
    constexpr double least = static_cast<double>(std::numeric_limits<To>::min());
    constexpr double above = static_cast<double>(std::numeric_limits<To>::max() / 2 + 1) * 2; // the first value that is too large
    if (x >= least && x < above) [[likely]]
        return static_cast<To>(x);
    if (!(std::trunc(x) >= least && x < above)) // also NaN
        reportTooLarge(x, nameOf<To>(), i, m);
    return truncated<To>(x);
}

template <class T> double realValue(T x) {
    if constexpr (isComplexType<T>)
        return static_cast<double>(x.real());
    else
        return static_cast<double>(value(x));
}

} // namespace

Operation conversion(ScalarKind to, ScalarKind from) {
    Operation out = nullptr;
    withScalar(to, [&](auto toTag) {
        withScalar(from, [&](auto fromTag) {
            using To = typename decltype(toTag)::type;
            using From = typename decltype(fromTag)::type;
            constexpr bool mayNotFit = std::is_integral_v<To> && !std::is_same_v<To, bool> && !std::is_integral_v<From>;
            out = [](const Instruction *i, Machine &m) {
                for (int64_t k = 0; k < i->n; ++k) {
                    const From &x = (&as<From>(i->a))[k];
                    if constexpr (mayNotFit)
                        (&as<To>(i->to))[k] = checkedInteger<To>(realValue(x), *i, m);
                    else
                        (&as<To>(i->to))[k] = converted<To>(x);
                }
                return i + 1;
            };
        });
    });
    return out;
}

namespace {

template <class Word> const Instruction *copyWord(const Instruction *i, Machine &) {
    as<Word>(i->to) = as<Word>(i->a);
    return i + 1;
}
const Instruction *copyMany(const Instruction *i, Machine &) {
    std::memcpy(i->to, i->a, static_cast<std::size_t>(i->n));
    return i + 1;
}

} // namespace

Operation copyOfBytes(int64_t bytes) { return bytes == 8 ? copyWord<uint64_t> : bytes == 4 ? copyWord<uint32_t> : copyMany; }

Operation broadcast(ScalarKind type) {
    Operation out = nullptr;
    withScalar(type, [&](auto tag) {
        using T = typename decltype(tag)::type;
        out = [](const Instruction *i, Machine &) {
            for (int64_t k = 0; k < i->n; ++k)
                (&as<T>(i->to))[k] = as<T>(i->a);
            return i + 1;
        };
    });
    return out;
}

// ---------------------------------------------------------------------------------------------------- control

const Instruction *stop(const Instruction *, Machine &) { return nullptr; }
const Instruction *jump(const Instruction *i, Machine &) { return i + i->n; }
const Instruction *jumpUnless(const Instruction *i, Machine &) { return as<bool>(i->a) ? i + 1 : i + i->n; }

} // namespace sdfgc::interpret
