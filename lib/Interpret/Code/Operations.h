// The operations of instructions on numbers. Each function returns the operation for one type, or null if the type does not support
// it.
#pragma once

#include "../Machine.h"

#include "sdfgc/Tasklet/Ast.h"

namespace sdfgc::interpret {

/// `to = a op b` on `n` lanes, in an arithmetic type. Integer division and remainder by zero are reported at the site in `extra`,
/// and the result is 0. Shifts by a negative number, or by at least the width of the type, are also reported; they use only the
/// lowest bits of the count.
Operation binaryOperation(py::Op op, ScalarKind type);
/// The same for a complex number and a real number of its parts' type, either of which may be `a`: the real number is not converted
/// to complex first. Supports `+ - * /`; null for others.
Operation complexWithReal(py::Op op, ScalarKind complex, bool realFirst);
/// `to = a op b`, a bool for each lane.
Operation comparison(py::Op op, ScalarKind type);
/// The same for a signed left and an unsigned right operand of 64 bits, compared by value.
Operation mixedComparison(py::Op op);
/// `to = op a`.
Operation unaryOperation(py::Op op, ScalarKind type);
/// `to = a ** n`, n not negative, by squaring; one lane.
Operation wholePower(ScalarKind type);

/// `to = a` on `n` lanes, between any two numeric types. A floating-point number that the integer type cannot represent is reported
/// at the site in `extra`; the result is the nearest value that it can represent, or 0 for NaN.
Operation conversion(ScalarKind to, ScalarKind from);
/// `to = a`, `n` bytes; `to` gets `n` lanes that are all `a`, which has as many bytes as the kind.
Operation copyOfBytes(int64_t bytes);
Operation broadcast(ScalarKind type);

/// A function of one or two arguments, all converted to the type; its result has type `result`.
struct FunctionOperation {
    Operation run = nullptr;
    Type result;
    Type argument; // the type that all arguments are converted to
};
/// The function of that name for arguments of the given types; `run` is null for unknown names.
FunctionOperation functionOperation(std::string_view name, const std::vector<Type> &arguments);

// ---- control
const Instruction *stop(const Instruction *, Machine &);       // the end of the code
const Instruction *jump(const Instruction *, Machine &);       // by n
const Instruction *jumpUnless(const Instruction *, Machine &); // by n where the bool a is false

// ---- memory; `extra` is an Access, or a Site for addresses in registers
Operation loadElement(int64_t bytes);
Operation storeElement(int64_t bytes);
const Instruction *loadElementOld(const Instruction *, Machine &);     // for an update: not counted as a separate read; n bytes
const Instruction *storeElementUpdate(const Instruction *, Machine &); // of an update; n bytes
const Instruction *addressElement(const Instruction *, Machine &);     // to: a Pointer
const Instruction *advance(const Instruction *, Machine &);            // to = the Pointer a plus b (an int64) times n bytes
const Instruction *loadAt(const Instruction *, Machine &);             // to: n bytes at the Pointer a
const Instruction *storeAt(const Instruction *, Machine &);            // b: n bytes, to the Pointer a
const Instruction *loadAtOld(const Instruction *, Machine &);
const Instruction *storeAtUpdate(const Instruction *, Machine &);

} // namespace sdfgc::interpret
