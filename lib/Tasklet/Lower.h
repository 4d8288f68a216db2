// The lowering of operators, split over Lower.cpp (operators, conversions), NonNegative.cpp, LowerPow.cpp,
// LowerCalls.cpp and LowerBlock.cpp (statements).
#pragma once

#include "Tasklet/Infer.h"

namespace sdfgc::py::detail {

using NonNegative = std::function<bool(const Expr &)>;

class Lowering {
public:
    Lowering(Semantics semantics, const NonNegative &nonNegative) : semantics_(semantics), oracle_(nonNegative) {}

    /// Lowers a node whose children are lowered.
    ExprRef node(const ExprRef &e) const;
    /// A value as an operand of C++'s `!`, `&&` or `if`.
    ExprRef truth(const ExprRef &e) const;
    /// A value to be stored to a target of type t: converted if C++ would not convert it.
    ExprRef forStore(const ExprRef &e, Type t) const;
    /// `target op value` of an augmented assignment, lowered.
    ExprRef binary(const ExprRef &e) const;

private:
    Semantics semantics_;
    const NonNegative &oracle_;

    // Lower.cpp
    ExprRef operands(const ExprRef &e) const;
    ExprRef trueDivision(const ExprRef &e) const;
    ExprRef inOneSign(const ExprRef &e) const;
    ExprRef floorOperator(const ExprRef &e) const;
    ExprRef shift(const ExprRef &e) const;
    ExprRef compare(const ExprRef &e) const;
    ExprRef comparePair(Op op, ExprRef a, ExprRef b, Position at) const;
    ExprRef membership(Op op, const ExprRef &a, const ExprRef &b, Position at) const;
    ExprRef choice(const ExprRef &e) const;
    ExprRef cast(const ExprRef &e) const;

    // NonNegative.cpp
    bool isNonNegative(const Expr &e) const;
    /// The same for e after an operation in integers of type t has converted it.
    bool isNonNegativeIn(Type t, const Expr &e) const;
    bool callIsNonNegative(const Expr &e) const;

    // LowerPow.cpp
    ExprRef power(const ExprRef &e) const;
    ExprRef wholePower(const ExprRef &base, uint64_t n, Type t) const;

    // LowerCalls.cpp
    ExprRef call(const ExprRef &e) const;
    ExprRef mathCall(const ExprRef &e, const Function &f) const;
    ExprRef minMax(const ExprRef &e) const;
    ExprRef remainder(const ExprRef &e) const;
    ExprRef structInitialiser(const ExprRef &e) const;
    ExprRef complexPart(const ExprRef &e, std::string_view part, const ExprRef &of) const;
};

/// e in type t: literals are rewritten, the rest is cast; e itself when it has the type.
ExprRef convert(const ExprRef &e, Type t);
/// The number v as a literal of type t.
ExprRef literal(int64_t v, Type t);

} // namespace sdfgc::py::detail
