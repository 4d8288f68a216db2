// What a code node does besides its uses of containers.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::nest {

/// Does a node, or one inside of it, do more than its memlets tell: code that is not Python, a callback, a state of its own, memory
/// that lasts from one execution of a nested SDFG to the next, messages to other processes? Such nodes keep their order.
bool hasEffects(const ir::Node &n);

/// Does Python code give an output a value on every path, without reading what it held before?
bool assignsAlways(const ir::Tasklet &t, Name output);

} // namespace sdfgc::nest
