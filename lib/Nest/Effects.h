// Effects of a code node beyond its uses of containers.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::nest {

/// Does a node, or one nested in it, have effects that its memlets do not show: code in another language than Python, a callback,
/// internal state, memory that persists between executions of a nested SDFG, messages to other processes? Such nodes keep their
/// order.
bool hasEffects(const ir::Node &n);

/// Does Python code give an output a value on every path, without reading its previous value?
bool assignsAlways(const ir::Tasklet &t, Name output);

} // namespace sdfgc::nest
