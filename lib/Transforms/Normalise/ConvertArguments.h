// Gives scalars of nested SDFGs values of their own if their type differs from that of the connected element.
//
// An argument of a nested SDFG aliases the outer memory, so both must have the same type. A scalar may have another type than the
// connected element: then it is a separate value, converted on entry and exit.
//
//     A[i] -> p  nested  q -> R[i]        =>        A[i] -> p_value -> p  nested  q -> q_value -> R[i]
//     (p: float32, A: float64, ...)                 (p_value: float32, a transient)
//
// Legal when every execution of the nested SDFG writes the converted results, without conflict resolution: the
// transient is copied back entirely. An argument that is read and written has one transient for both.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Pass/Pass.h"

namespace sdfgc::transforms {

/// Adds transients with converted values for such arguments of the nested SDFGs in `g`, but not of those nested deeper.
/// Returns whether there were any. Afterwards both ends of an argument have the same type; only copies convert.
bool convertArguments(ir::SDFG &g, pass::Context &context);

} // namespace sdfgc::transforms
