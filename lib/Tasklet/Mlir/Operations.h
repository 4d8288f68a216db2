// The operations of MLIR's dialects arith and math, as Python expressions.
#pragma once

#include "Tasklet/Mlir/Tokens.h"

#include <string>
#include <vector>

namespace sdfgc::mlir {

/// A value: the Python text of a name or of a literal with a type, which needs no parentheses.
struct Value {
    std::string text;
    Type type;
};

/// An operation without regions.
struct Operation {
    std::string name; // without the dialect: `addi`
    std::vector<Value> operands;
    std::string predicate; // of comparisons: its name, or its number in the generic form
    Type result;
};

/// Returns the operation's value as Python. Refuses operations that are not translated, and other numbers of operands.
std::string expressionOf(const Operation &o);

/// `dace.int32(a)`
std::string castTo(Type t, const std::string &value);

/// The name without `arith.`, `std.`, `math.`, `func.` and `builtin.`, which versions of MLIR write or leave out.
std::string plainName(const std::string &name);

} // namespace sdfgc::mlir
