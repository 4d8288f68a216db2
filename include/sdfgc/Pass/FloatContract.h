// The floating-point contract: what may become of the results of a program on its way to machine code.
//
// What a change does to numbers has a class. Passes declare theirs in Passes.def; options of the command line say which classes are allowed:
//
//   class  what may change                                       allowed
//   F0     nothing: the same bits (a NaN stays some NaN)         always
//   F1     the order of sums that library nodes and conflict     unless --reductions ordered
//          resolution leave open, and the algorithm of a
//          library node
//   F2     a * b + c is rounded once                             --fp-model contract, fast
//   V      functions are those of a vector library, a few units  --fp-model contract, fast
//          in the last place away
//   F3     the order of what the program wrote in an order       --fp-model fast
//
// Parts of passes ask Context::allows; the manager leaves out a pass whose class is above F1 and not allowed. Passes of class F1 do work that is
// needed in any case, so they run and ask: with --reductions ordered, they must keep sums in the order of their indices.
#pragma once

#include "sdfgc/Support/OptionValues.h"

#include <cstdint>
#include <string_view>

namespace sdfgc::pass {

/// --fp-model: how free passes and compilers are with floating-point numbers.
enum class FpModel : uint8_t {
    Strict,   // every operation rounds as written
    Contract, // a * b + c may become one fused operation
    Fast,     // operations may be reordered, and neither infinities nor NaNs occur
};
/// --reductions: the order of sums that the graph leaves open.
enum class ReductionOrder : uint8_t { Any, Ordered };

/// What a change may do to floating-point numbers. Everything else keeps its value in every class.
enum class FloatClass : uint8_t { F0, F1, F2, V, F3 };

/// Returns `F0`, `F1`, `F2`, `V` or `F3`.
std::string_view name(FloatClass c);

/// Returns what a class allows, for people: `the same bits`, `sums that the graph leaves open in another order`.
std::string_view description(FloatClass c);

/// Is a class allowed? `Fast` and `Ordered` exclude each other, which the command line has seen to: here, `Ordered` takes F1 away from
/// every model.
bool allows(FpModel model, ReductionOrder reductions, FloatClass c);

} // namespace sdfgc::pass

namespace sdfgc {
template <> struct Words<pass::FpModel> { static constexpr std::string_view list[] = {"strict", "contract", "fast"}; };
template <> struct Words<pass::ReductionOrder> { static constexpr std::string_view list[] = {"any", "ordered"}; };
} // namespace sdfgc
