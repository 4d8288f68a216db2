// What the code of tasklets reads and writes, for its derivative.
#pragma once

#include "sdfgc/Analysis/Symbols.h"
#include "sdfgc/Diag/Diag.h"
#include "sdfgc/Nest/Nest.h"
#include "sdfgc/Tasklet/Derivatives.h"

#include <variant>

namespace sdfgc::transforms::gradient {

/// How the gradients of a tasklet's connectors are called: the prefix and their names, where nothing else is called so.
std::map<Name, Name> gradientConnectors(const ir::Tasklet &t, const ir::SDFG &g, const std::string &prefix);

/// What a derivative needs to know of a tasklet in Python, or why it has none. `isActive`: does a use carry a gradient, as far as its
/// memory is concerned? `types`: of the SDFG's symbols, which must outlive the signature.
std::variant<py::Signature, diag::Message> signatureOf(const nest::Step &s, const ir::Tasklet &t, const ir::SDFG &g,
                                                       const analysis::SymbolTypes &types,
                                                       const std::function<bool(const nest::Use &)> &isActive,
                                                       const std::string &prefix, py::Ties ties);

/// Does code that is not understood, and reads nothing that carries a derivative, leave results without one: one element each, or sums?
bool leavesNoDerivative(const nest::Step &s, const ir::Tasklet &t, const std::function<bool(const nest::Use &)> &isActive);

/// Is a conflict resolution a sum?
bool isSum(const std::string &wcr);

/// The uses at a connector; a tasklet may write one result to several places.
std::vector<const nest::Use *> usesAt(const nest::Step &s, Name connector, bool written);

/// Says why there is no derivative.
diag::Message messageOf(const py::DerivativeError &e);

/// Why something has no derivative, and where that is.
struct Obstacle {
    diag::Message message;
    const ir::Node *at;
};
/// Why there can be no gradients, or tangents, of what a step uses; nothing if there can be. `takesPart`: would a use have one?
std::optional<Obstacle> obstacleOfContainers(const nest::Step &s, const ir::SDFG &g,
                                             const std::function<bool(const nest::Use &)> &takesPart);
/// Why the copy of a step has no derivative; nothing if it has.
std::optional<diag::Message> obstacleOfCopy(const nest::Step &s);
/// Why a nested SDFG has none whose arguments share elements that it writes: they would hand on gradients, or tangents, of each other.
/// `isActive`: does a use carry one?
std::optional<diag::Message> obstacleOfArguments(const nest::Step &s, const std::function<bool(const nest::Use &)> &isActive,
                                                 const sym::Assumptions &facts);
/// Why a state that the nest form cannot read (HiddenState) has none.
diag::Message obstacleOfState(const ir::State &s);
/// Why a scope that could not be taken apart, whose entry this is, has none.
diag::Message obstacleOfScope(const ir::Node &entry);

} // namespace sdfgc::transforms::gradient
