// Text of C++ expressions, shared by the printers of expressions and statements.
#pragma once

#include "Tasklet/Functions.h"
#include "sdfgc/Tasklet/Types.h"

namespace sdfgc::py::detail {

// How tightly a construct binds in C++'s grammar.
enum CppPrec : int {
    cppLowest,
    cppAssign,
    cppOr,
    cppAnd,
    cppBitOr,
    cppBitXor,
    cppBitAnd,
    cppEqual,
    cppLess,
    cppShift,
    cppSum,
    cppProduct,
    cppUnary,
    cppPostfix,
    cppPrimary,
};

class CppExprPrinter {
public:
    explicit CppExprPrinter(const CppPrinter &p) : printer_(p) {}

    /// Adds parentheses if the expression binds less tightly than minPrec.
    std::string text(const Expr &e, int minPrec = cppAssign) const;
    /// The value as one of another type, to which C++ converts by itself.
    std::string textAs(const Expr &e, Type t, int minPrec = cppAssign) const;
    /// What is assigned to.
    std::string place(const Expr &e, int minPrec = cppAssign) const;
    /// The value that `target op= value` stores, if OpenCL C has no such operator for the type; empty otherwise.
    std::string updated(const Expr &target, Op op, const Expr &value) const;
    /// The C++ name of the type; also reports its header.
    std::string type(Type t) const;
    bool inOpenCl() const { return printer_.inOpenCl; }
    void uses(std::string_view key) const {
        if (printer_.uses)
            printer_.uses(key);
    }

private:
    const CppPrinter &printer_;

    std::string bare(const Expr &e) const;
    std::string join(const std::vector<ExprRef> &args, std::size_t from) const;
    std::string intText(const Expr &e) const;
    std::string floatText(const std::string &token, Type t) const;
    std::string imaginaryText(const Expr &e) const;
    std::string spelled(const Expr &e) const;
    std::string unaryText(const Expr &e) const;
    std::string operandText(const Expr &e, int minPrec, int parentPrec) const;
    std::string binaryText(const Expr &e) const;
    std::string boolText(const Expr &e) const;
    std::string compareText(const Expr &e) const;
    std::string castText(const Expr &e, bool isInCast = false) const;
    std::string callText(const Expr &e) const;
    std::string structText(const Expr &e) const;
    std::string functionName(const Function &f, const Expr &call) const;
    std::string lambdaText(const Expr &e) const;
    std::string subscriptText(const Expr &e) const;

    // ---- PrintOpenCl.cpp
    std::string openClCall(const Expr &e) const;
    // ---- PrintOpenClStructs.cpp
    std::string openClStruct(const Expr &e) const;
    std::string openClOperator(const Expr &e) const;
    std::string openClComparison(const Expr &e) const;
    std::string openClStructCall(const Expr &e, const Function &f) const;
    std::string openClArguments(const Expr &e, const std::string &function) const;
};

/// Is it `S(a=1)`, a new structure?
bool isInitialiser(const Expr &e);
/// Is it a call with complex numbers or vectors?
bool isOpenClStructCall(const Expr &e);
/// Why OpenCL C has no text for an expression with complex numbers or vectors; empty if it has one, or there are none.
std::string whyNoOpenClStruct(const Expr &e);

/// `+=` and the like, for the operator of an augmented assignment.
std::string_view cppOperator(Op op);

} // namespace sdfgc::py::detail
