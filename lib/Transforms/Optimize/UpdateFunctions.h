// Values that combine an old value with something else: `s + x`, `max(s, x)`.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Tasklet/Types.h"

#include <functional>
#include <optional>
#include <string>

namespace sdfgc::transforms {

/// Which updates of floating-point numbers may change their order (pass::FloatClass). Those of integers and bool always may.
struct UpdateOrder {
    bool extrema = false;  // minima and maxima: a NaN may be kept or lost, and a zero may have the other sign
    bool sums = false;     // sums and products; there are then no NaNs either
    bool openSums = false; // those with conflict resolution, whose order the graph leaves open
};

/// `f(old, other)`.
struct UpdateFunction {
    std::string wcr; // f
    py::ExprRef other;
};

using TypeOfExpr = std::function<Type(const py::ExprRef &)>;

/// Does `value` combine the name `old`, of type `type`, by a function whose order is free, with an expression that does not read
/// it? Combining must keep the type of the computation. `typeOf`: the type of a part of the value.
std::optional<UpdateFunction> updateFunctionOf(const py::ExprRef &value, Name old, Type type, const TypeOfExpr &typeOf,
                                               const UpdateOrder &order);

/// The kind of a conflict resolution.
py::Reduction kindOfUpdate(const std::string &wcr);

/// Is it an integer, a bool, or a floating-point number of C++?
bool isUpdatable(Type t);

/// The value that a tasklet assigns to an output, if that is all it does; otherwise null.
py::ExprRef valueOf(const ir::Tasklet &t, Name output);

/// Do the connectors of a tasklet have the element type of the container?
bool seeType(const ir::Tasklet &t, Name input, Name output, Type type);

} // namespace sdfgc::transforms
