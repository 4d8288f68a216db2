// Derivatives of tasklets: the block that takes gradients of outputs to gradients of inputs, and the one that takes tangents of inputs
// to tangents of outputs. What each function contributes is in Derivatives.def.
//
// Both read as a person would write them: values that the derivative needs are computed once, what it does not need is left out,
// factors of one and zero are folded. `y = a * x + b` has `x_bar = a * y_bar` and `b_bar = y_bar`.
#pragma once

#include "sdfgc/Support/OptionValues.h"
#include "sdfgc/Tasklet/Types.h"

#include <variant>

namespace sdfgc::py {

/// What the sides of a maximum or minimum get when they are equal: half each, or all to the first.
enum class Ties : uint8_t { Split, First };

/// What a block that is differentiated reads and writes.
struct Signature {
    std::map<Name, Type> inputs, outputs;       // connectors; the element's type, or a pointer to it, for those with subscripts
    std::set<Name> pointers;                    // connectors that the code reads or writes with subscripts
    std::set<Name> activeInputs, activeOutputs; // those that carry gradients; others than floats are never active
    std::set<Name> sums;                        // outputs with subscripts where each store is a summand
    Env env;                                    // symbols and constants, which are never active
    std::function<Name(Name)> gradient;         // the connector that carries the gradient, or tangent, of an input or output
    Ties ties = Ties::Split;
    Semantics semantics = Semantics::Python;
};

/// A block that differentiates. It is untyped, as if parsed: parseBlock(print(block)) equals it.
struct Derivative {
    std::vector<StmtRef> block;
    std::set<Name> primals; // inputs whose values it reads; a linear block reads none
    std::set<Name> results; // reverse: active inputs whose gradients it assigns (the derivative of others is zero); forward: active
                            // outputs whose tangents it assigns
    std::set<Name>
        indexed; // reverse: those results that are pointers: each `gradient(x)[i] = v` in the block, under its conditions, is
                 // a contribution to be added there, and several may be to one element
    std::set<Name> stored;  // active outputs that the block stores to by subscripts: reverse reads `gradient(y)[i]` for each store
    std::set<Name> partial; // active outputs without subscripts that some path through the block does not assign
};

struct DerivativeError {
    enum class Kind : uint8_t {
        Function,  // no derivative is known: `what` is the name of the function
        Construct, // cannot be differentiated: `what` says what it is, as in "a `while` loop"
        Complex,   // the derivative goes through complex numbers
        Foreign,   // C++
        Typing,    // types do not fit: `what` is the message
    };
    Kind kind;
    std::string what;
    Position at; // in the code of the tasklet
};
using DerivativeOr = std::variant<Derivative, DerivativeError>;

/// Reverse mode: reads inputs and gradients of outputs, assigns the contributions to the gradients of active inputs. A result without
/// subscripts is assigned once on every path. Gradients of outputs may be read after those of inputs have been assigned, so they must
/// not share memory. `block` is as parsed. Fails for what DerivativeError lists; what does not lie between an
/// active input and an active output may be of any kind but C++ and loops of unknown length.
DerivativeOr reverseOf(const std::vector<StmtRef> &block, const Signature &signature);

/// Forward mode: reads inputs and tangents of active inputs, assigns the tangents of active outputs wherever `block` assigns the
/// outputs. Fails as reverseOf.
DerivativeOr tangentOf(const std::vector<StmtRef> &block, const Signature &signature);

/// Assigns zero to the gradients of active outputs wherever `block` assigns the outputs: what it replaces has no influence on what
/// comes after. `results` are the outputs, `stored` and `partial` as for reverseOf. Fails for loops of unknown length and C++.
DerivativeOr clearingOf(const std::vector<StmtRef> &block, const Signature &signature);

/// Rows of Derivatives.def, for its inventory.
enum class Differentiable : uint8_t { Yes, Passive, No, Unlisted };
Differentiable differentiable(std::string_view function);

} // namespace sdfgc::py

namespace sdfgc {
template <> struct Words<py::Ties> { static constexpr std::string_view list[] = {"split", "first"}; };
} // namespace sdfgc
