// What instructions do with numbers. Each function gives the operation for one type, or null where the type has none.
#pragma once

#include "../Machine.h"

#include "sdfgc/Tasklet/Ast.h"

namespace sdfgc::interpret {

/// `to = a op b` in a type in which arithmetic is done, `n` lanes. Division and remainder of integers by zero are reported at the
/// site in `extra`, and give 0. So are shifts by a negative number or by at least the bits of the type, of which the lowest bits count.
Operation binaryOperation(py::Op op, ScalarKind type);
/// The same of a complex number of a type and a real one of its parts' type, which is `a` or `b`: the real number is not made complex
/// first. For `+ - * /`; null for others.
Operation complexWithReal(py::Op op, ScalarKind complex, bool realFirst);
/// `to = a op b`, a bool for each lane.
Operation comparison(py::Op op, ScalarKind type);
/// The same for a signed left and an unsigned right operand of 64 bits, by value.
Operation mixedComparison(py::Op op);
/// `to = op a`.
Operation unaryOperation(py::Op op, ScalarKind type);
/// `to = a ** n`, n not negative, by squaring; one lane.
Operation wholePower(ScalarKind type);

/// `to = a`, between any two types that hold numbers, `n` lanes. A real number that the integer type cannot hold is reported at the site
/// in `extra`; the nearest number that it can hold counts, and 0 for NaN.
Operation conversion(ScalarKind to, ScalarKind from);
/// `to = a`, `n` bytes; `to` gets `n` lanes that are all `a`, which has as many bytes as the kind.
Operation copyOfBytes(int64_t bytes);
Operation broadcast(ScalarKind type);

/// A function of one or two arguments, all converted to the type; what it returns is in `result`.
struct FunctionOperation {
    Operation run = nullptr;
    Type result;
    Type argument; // what all arguments are to be converted to
};
/// The function of a name for arguments of some types; `run` is null for names that nobody knows.
FunctionOperation functionOperation(std::string_view name, const std::vector<Type> &arguments);

// ---- control
const Instruction *stop(const Instruction *, Machine &);       // the end of the code
const Instruction *jump(const Instruction *, Machine &);       // by n
const Instruction *jumpUnless(const Instruction *, Machine &); // by n where the bool a is false

// ---- memory; `extra` is an Access, or a Site for addresses in registers
Operation loadElement(int64_t bytes);
Operation storeElement(int64_t bytes);
const Instruction *loadElementOld(const Instruction *, Machine &);     // for an update: not a read by itself; n bytes
const Instruction *storeElementUpdate(const Instruction *, Machine &); // of an update; n bytes
const Instruction *addressElement(const Instruction *, Machine &);     // to: a Pointer
const Instruction *advance(const Instruction *, Machine &);            // to = the Pointer a plus b (an int64) times n bytes
const Instruction *loadAt(const Instruction *, Machine &);             // to: n bytes at the Pointer a
const Instruction *storeAt(const Instruction *, Machine &);            // b: n bytes, to the Pointer a
const Instruction *loadAtOld(const Instruction *, Machine &);
const Instruction *storeAtUpdate(const Instruction *, Machine &);

} // namespace sdfgc::interpret
