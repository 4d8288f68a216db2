// Elements that equal a maximum or minimum: either all share its gradient, or the first one receives it (`ties`).
#pragma once

#include "Transforms/Differentiate/Maker.h"

#include "sdfgc/Tasklet/Derivatives.h"

namespace sdfgc::transforms::gradient {

/// A value per result element that identifies the elements it was taken from: their number, or the index of the first
/// one in walk order.
class Winners {
public:
    /// `walk`: over the elements of the operand. If operand and result types differ, elements are converted before they
    /// are compared.
    Winners(py::Ties ties, const Maker::Walk &walk, Type operand, Type result)
        : first_(ties == py::Ties::First), number_(walk.number().str()),
          converted_(operand == result ? "" : "dace." + result.str()) {}

    /// A container with the shape of the result.
    ir::DataDesc like(const ir::DataDesc &result) const;
    /// Its initial value, as a number.
    std::string begin() const { return first_ ? none() : "0"; }
    /// Code for the contribution of element `x` if the result is `y`.
    std::string entry(Name x, Name y) const;
    /// The function that combines contributions.
    std::string wcr() const { return first_ ? "lambda a, b: min(a, b)" : "lambda a, b: a + b"; }
    /// Code for the share of `value` that the element receives; `n`: the stored value.
    std::string part(Name value, Name n, Name x, Name y) const;

private:
    static std::string none(); // a number that no element has
    std::string isOne(Name x, Name y) const;
    bool first_;
    std::string number_;
    std::string converted_; // converts an element to the result type; empty if the types are equal
};

} // namespace sdfgc::transforms::gradient
