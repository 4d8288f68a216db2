// Derivatives of tasklets: the block that maps gradients of outputs to gradients of inputs, and the one that maps
// tangents of inputs to tangents of outputs. Derivatives.def has the derivatives of functions.
//
// Both blocks are readable: values that the derivative needs are computed once, unneeded ones are omitted, and factors
// of one and zero are folded. `y = a * x + b` has `x_bar = a * y_bar` and `b_bar = y_bar`.
#pragma once

#include "sdfgc/Support/OptionValues.h"
#include "sdfgc/Tasklet/Types.h"

#include <variant>

namespace sdfgc::py {

/// How equal sides of a maximum or minimum share the derivative: half each, or all to the first.
enum class Ties : uint8_t { Split, First };

/// The inputs and outputs of a block to differentiate.
struct Signature {
    std::map<Name, Type> inputs, outputs;       // connectors; element types, or pointers to them for connectors with subscripts
    std::set<Name> pointers;                    // connectors that the code accesses with subscripts
    std::set<Name> activeInputs, activeOutputs; // those that carry gradients; only floats can be active
    std::set<Name> sums;                        // outputs with subscripts whose stores are summands
    Env env;                                    // symbols and constants, which are never active
    std::function<Name(Name)> gradient;         // the connector that carries the gradient, or tangent, of an input or output
    Ties ties = Ties::Split;
    Semantics semantics = Semantics::Python;
};

/// A differentiated block. It is untyped, as if parsed: parseBlock(print(block)) equals it.
struct Derivative {
    std::vector<StmtRef> block;
    std::set<Name> primals; // inputs whose values it reads; a linear block reads none
    std::set<Name> results; // reverse: active inputs whose gradients it assigns (others have a zero derivative); forward: active
                            // outputs whose tangents it assigns
    /// Reverse: results that are pointers. Each `gradient(x)[i] = v` in the block, under its conditions, is a contribution
    /// to add there, and an element may receive several.
    std::set<Name> indexed;
    std::set<Name> stored;  // active outputs that the block stores to with subscripts: reverse reads `gradient(y)[i]` for each
                            // store
    std::set<Name> partial; // active outputs without subscripts that some path through the block does not assign
};

struct DerivativeError {
    enum class Kind : uint8_t {
        Function,  // no known derivative: `what` is the name of the function
        Construct, // cannot be differentiated: `what` describes it, as in "a `while` loop"
        Complex,   // the derivative involves complex numbers
        Foreign,   // C++
        Typing,    // type error: `what` is the message
    };
    Kind kind;
    std::string what;
    Position at; // in the code of the tasklet
};
using DerivativeOr = std::variant<Derivative, DerivativeError>;

/// Reverse mode: reads inputs and gradients of outputs, and assigns the contributions to the gradients of active
/// inputs. A result without subscripts is assigned once on every path. Gradients of outputs may be read after those of
/// inputs have been assigned, so they must not share memory. `block` is as parsed. Fails in the cases of
/// DerivativeError; code that is not on a path from an active input to an active output may be anything except C++ and
/// loops of unknown length.
DerivativeOr reverseOf(const std::vector<StmtRef> &block, const Signature &signature);

/// Forward mode: reads inputs and tangents of active inputs, and assigns the tangents of active outputs wherever
/// `block` assigns the outputs. Fails like reverseOf.
DerivativeOr tangentOf(const std::vector<StmtRef> &block, const Signature &signature);

/// Assigns zero to the gradients of active outputs wherever `block` assigns the outputs, since the overwritten value
/// has no influence on later code. `results` are the outputs, `stored` and `partial` are as for reverseOf. Fails for
/// loops of unknown length and C++.
DerivativeOr clearingOf(const std::vector<StmtRef> &block, const Signature &signature);

/// The rows of Derivatives.def, for its inventory.
enum class Differentiable : uint8_t { Yes, Passive, No, Unlisted };
Differentiable differentiable(std::string_view function);

} // namespace sdfgc::py

namespace sdfgc {
template <> struct Words<py::Ties> { static constexpr std::string_view list[] = {"split", "first"}; };
} // namespace sdfgc
