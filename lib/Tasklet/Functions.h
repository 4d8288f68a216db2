// The functions that code strings call by name: their result types and their C++ counterparts (format reference 9.6, 9.7, 11.10).
#pragma once

#include "sdfgc/Tasklet/FunctionNames.h"
#include "sdfgc/Types/Type.h"

#include <span>
#include <string_view>

namespace sdfgc::py::detail {

enum class Rule : uint8_t {
    Float,    // common type of the arguments; integers and bool give float64
    FloatOne, // as Float, but only of the first argument (ldexp)
    Double,   // float64, or complex128 for complex arguments
    RealPart, // real type of a complex argument, otherwise the argument's own
    Join,     // common type of the arguments after integer promotion
    First,    // the first argument's type
    Bool,
    Int32,
    Int64,
    Nothing, // no value
};

enum class FunctionHeader : uint8_t {
    Std,     // std::f of <cmath>; complex arguments only if `complexInStd`, otherwise sdfgc::rt::f of rt/complex.h
    Utility, // std::f of <utility>
    Math,    // sdfgc::rt::f of rt/math.h
    Ufunc,   // sdfgc::rt::f of rt/ufunc.h
    Vec,     // sdfgc::rt::f of rt/vec.h
    Stdio,
    Omp,
};

struct Function {
    std::string_view name;
    Rule rule;
    FunctionHeader header;
    bool complexInStd = false; // the C++ standard library has it for std::complex
    std::size_t results = 0;   // number of trailing arguments that are results by reference
};

/// All functions, by name.
std::span<const Function> allFunctions();
/// The function of that name, or null.
const Function *findFunction(std::string_view name);
/// The C++ spelling of a call on numbers that are neither complex nor vectors.
CppFunction numberSpelling(const Function &f);

/// Do vector libraries have a form of a function of <cmath> (runtime-headers/sdfgc/rt/vectormath.h)?
bool hasVectorForm(std::string_view name);

/// Result type of a call. Arguments of unknown (void) type leave the result unknown where it depends on them.
Type resultType(const Function &f, std::span<const Type> args);

/// The type in which C++ computes with t: bool and integers below 32 bits become int32, floats below 32 bits (which convert to
/// float) float32. Vectors compute in their own type.
Type promoted(Type t);
/// The floating type for math functions and true division: integers and bool give float64, others stay. Vectors by element.
Type floating(Type t);
/// A pointer used as a value stands for its first element (format reference 6.12).
Type valueOf(Type t);
/// float32 for complex64, float64 for complex128, otherwise t itself.
Type realOf(Type t);
/// Float types without C++ arithmetic: half, bfloat16 and the 8-bit ones.
bool isLowPrecision(Type t);
/// Result type of an arithmetic operator on two operands, in C++ and in NumPy where they agree: commonType after promotion. A
/// scalar does not widen the floats of a vector.
Type arithmeticType(Type a, Type b);
/// Integers or bool, by element.
bool isIntegral(Type t);
/// The element type of a vector, otherwise t.
inline Type laneOf(Type t) { return t.isVector() ? t.element() : t; }
/// t with the element of a vector replaced by f(element).
template <class F> Type mapLane(Type t, F f) { return t.isVector() ? Type::vector(f(t.element()), t.lanes()) : f(t); }

} // namespace sdfgc::py::detail
