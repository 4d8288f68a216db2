// Elements that equal a maximum or minimum: all of them share its gradient, or the first one has it (`ties`).
#pragma once

#include "Transforms/Differentiate/Maker.h"

#include "sdfgc/Tasklet/Derivatives.h"

namespace sdfgc::transforms::gradient {

/// What is kept for each element of a result, so that the elements it was taken from are known: how many there are, or the number of the
/// first one in the order of the walk.
class Winners {
public:
    /// `walk`: over the elements of the operand. An operand of another type than the result is compared as one of its type.
    Winners(py::Ties ties, const Maker::Walk &walk, Type operand, Type result)
        : first_(ties == py::Ties::First), number_(walk.number().str()),
          converted_(operand == result ? "" : "dace." + result.str()) {}

    /// A container like the result.
    ir::DataDesc like(const ir::DataDesc &result) const;
    /// What is in it to begin with, as a number.
    std::string begin() const { return first_ ? none() : "0"; }
    /// Code for what the element `x` adds to it, where the result is `y`.
    std::string entry(Name x, Name y) const;
    /// The function that combines these.
    std::string wcr() const { return first_ ? "lambda a, b: min(a, b)" : "lambda a, b: a + b"; }
    /// Code for the part of `value` that the element has; `n`: what is kept.
    std::string part(Name value, Name n, Name x, Name y) const;

private:
    static std::string none(); // a number that no element has
    std::string isOne(Name x, Name y) const;
    bool first_;
    std::string number_;
    std::string converted_; // what turns an element into one of the result; empty if nothing does
};

} // namespace sdfgc::transforms::gradient
