// Powers, and real numbers that are rounded to integers: `floor(sqrt(N))`.
#include "sdfgc/CodeGen/SymPrinter.h"

namespace sdfgc::codegen {

using sym::Expr;

/// An integer to an integer power.
SymPrinter::Text SymPrinter::power(Expr base, Expr exponent) const {
    if (isCount_)
        return ofSizes("power", std::vector<Expr>{base, exponent});
    if (inOpenCl_)
        return {"sdfgc_ipow_int64(" + print(base) + ", " + print(exponent) + ")", Precedence::Primary};
    use("math"); // the result has the type of the base, and a literal's type is too narrow
    const std::string text = base.isInteger() ? "int64_t(" + print(base) + ")" : print(base);
    return {"sdfgc::rt::ipow(" + text + ", " + print(exponent) + ")", Precedence::Primary};
}

/// A quotient; a real one where a real number is needed.
SymPrinter::Text SymPrinter::fraction(Expr above, Expr below) const {
    if (!isReal_)
        return binary("/", Precedence::Multiplicative, above, below);
    return {cast("double", print(above)) + " / " + print(below, Precedence::Unary), Precedence::Multiplicative};
}

std::string SymPrinter::real(Expr e) const {
    SymPrinter printer(uses_, spell_, inOpenCl_);
    printer.isReal_ = true;
    return printer.print(e);
}

/// An integer computed from real numbers: `floor(sqrt(N))`.
SymPrinter::Text SymPrinter::roundedReal(const char *function, Expr e) const {
    use("cmath");
    const std::string name = inOpenCl_ ? std::string("sdfgc_") + function + "_float64(" : std::string("std::") + function + "(";
    return {cast("int64_t", name + real(e) + ")"), Precedence::Primary};
}

/// A function of <cmath>.
SymPrinter::Text SymPrinter::realCall(Name function, std::span<const Expr> args) const {
    use("cmath");
    std::string text;
    for (const Expr a : args)
        text += (text.empty() ? "" : ", ") + real(a);
    const std::string name = inOpenCl_ ? "sdfgc_" + function.str() + "_float64" : "std::" + function.str();
    return {name + "(" + text + ")", Precedence::Primary};
}

} // namespace sdfgc::codegen
