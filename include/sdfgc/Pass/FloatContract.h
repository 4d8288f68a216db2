// The floating-point contract: how compilation may change the results of a program.
//
// Each change to numbers has a class. Passes declare theirs in Passes.def; command-line options select the allowed
// classes:
//
//   class  what may change                                       allowed
//   F0     nothing: bitwise identical (a NaN stays some NaN)     always
//   F1     the order of sums that library nodes and conflict     unless --reductions ordered
//          resolution leave open, the algorithm of a
//          library node, and what a minimum or maximum
//          in a loop makes of NaN
//   F2     a * b + c is rounded once                             --fp-model contract, fast
//   V      functions of the C library may be computed by its     by --vector-math, whose default does from -O2 on,
//          vector counterparts, at most four units in the        unless --reductions ordered
//          last place away
//   F3     the order of what the program wrote in an order       --fp-model fast
//
// Parts of passes call Context::allows; the manager skips a pass whose class is above F1 and not allowed. Passes of
// class F1 do work that is needed in any case, so they run and ask: with --reductions ordered, they must keep sums in
// index order.
#pragma once

#include "sdfgc/Support/OptionValues.h"

#include <cstdint>
#include <string_view>

namespace sdfgc::pass {

/// --fp-model: the freedom of passes and compilers with floating-point numbers.
enum class FpModel : uint8_t {
    Strict,   // every operation rounds as written
    Contract, // a * b + c may become a fused operation
    Fast,     // operations may be reordered, and infinities and NaNs are assumed not to occur
};
/// --reductions: the order of sums that the graph leaves open.
enum class ReductionOrder : uint8_t { Any, Ordered };
/// --vector-math: the library that computes functions such as `exp` for several iterations of a loop at once.
enum class VectorMath : uint8_t {
    Auto,    // Libmvec where results may differ from those of the scalar functions, None elsewhere
    None,    // the scalar functions
    Libmvec, // glibc's
    Sleef,   // SLEEF's, under the names of glibc's
};

/// How a change may affect floating-point numbers. All other values are unchanged in every class.
enum class FloatClass : uint8_t { F0, F1, F2, V, F3 };

/// Returns `F0`, `F1`, `F2`, `V` or `F3`.
std::string_view name(FloatClass c);

/// Returns a readable description of a class: `the same bits`, `sums that the graph leaves open in another order`.
std::string_view description(FloatClass c);

/// Is a class allowed? The command line has already rejected `Fast` with `Ordered`. Here, `Ordered` disallows F1 under
/// every model. V does not depend on the model: `vectorMath` decides, where `Auto` stands for `None`
/// (CompileOptions::vectorMathUsed resolves it).
bool allows(FpModel model, ReductionOrder reductions, VectorMath vectorMath, FloatClass c);

} // namespace sdfgc::pass

namespace sdfgc {
template <> struct Words<pass::FpModel> { static constexpr std::string_view list[] = {"strict", "contract", "fast"}; };
template <> struct Words<pass::ReductionOrder> { static constexpr std::string_view list[] = {"any", "ordered"}; };
template <> struct Words<pass::VectorMath> { static constexpr std::string_view list[] = {"auto", "none", "libmvec", "sleef"}; };
} // namespace sdfgc
