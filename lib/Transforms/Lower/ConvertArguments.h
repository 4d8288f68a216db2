// Scalars of nested SDFGs that have another type than what they are connected to hold values of their own.
//
// An argument of a nested SDFG is another name for the memory outside, so both have one type. A scalar may have another type than the
// element that it is connected to: then it is a value, which is converted on the way in and on the way out.
//
//     A[i] -> p  nested  q -> R[i]        =>        A[i] -> p_value -> p  nested  q -> q_value -> R[i]
//     (p: float32, A: float64, ...)                 (p_value: float32, a transient)
//
// Legal when every execution of the nested SDFG writes the results that are converted, without conflict resolution: the transient is
// copied back as a whole. An argument that is read and written has one transient for both.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Pass/Pass.h"

namespace sdfgc::transforms {

/// Gives such arguments of the nested SDFGs in `g`, not of those inside of them, transients with the converted values. Returns whether
/// there was one. Afterwards the two ends of an argument have one type; only copies convert.
bool convertArguments(ir::SDFG &g, pass::Context &context);

} // namespace sdfgc::transforms
