// Tasklets in MLIR, translated to Python: the part of MLIR that is arithmetic on numbers.
//
//     func.func @mlir_entry(%a: i32, %b: f64) -> f64 {
//         %0 = arith.sitofp %a : i32 to f64                        _0 = dace.float64(a)
//         %1 = arith.addf %0, %b : f64                     ->      _1 = _0 + b
//         return %1 : f64                                          c = _1
//     }
//
// DaCe runs MLIR's tools on the text, one version of which reads it. The translation needs no tools, reads the names of all versions
// (`addi`, `std.addi`, `arith.addi`) and the generic form, and works in kernels, in the interpreter, and in derivatives.
//
// Translated: func (calls are inlined), arith, math, scf.if and scf.for; integers, real numbers, and vectors of them with a fixed
// length. Meaning is MLIR's: quotients of integers are rounded towards zero, and `divui` takes its operands as unsigned numbers.
// Not translated, with the reason: branches between blocks (cf), recursion, memory, tensors, and other dialects.
#pragma once

#include "sdfgc/Support/Result.h"
#include "sdfgc/Types/Type.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sdfgc::mlir {

struct Argument {
    Name name; // without %
    Type type;
};

struct Translation {
    std::vector<Argument> inputs; // of the function mlir_entry, in order
    std::vector<Type> results;
    std::string python; // statements that assign `outputs` from `inputs`
};

/// Translates the function `mlir_entry` of a module. `outputs`: a name for each result. Fails with a reason for text that is no MLIR, for
/// none or several such functions, for another number of results, and for operations that are not translated.
/// DaCe: dace/codegen/targets/mlir, whose names of types this accepts.
Result<Translation> translate(std::string_view text, const std::vector<Name> &outputs);

} // namespace sdfgc::mlir
