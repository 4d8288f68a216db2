// The inputs and outputs of tasklet code, for its derivative.
#pragma once

#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Diag/Diag.h"
#include "sdfgc/Nest/Nest.h"
#include "sdfgc/Tasklet/Derivatives.h"

#include <variant>

namespace sdfgc::transforms::gradient {

/// Names for the gradients of a tasklet's connectors: the prefix plus the connector's name, changed if that name is
/// taken.
std::map<Name, Name> gradientConnectors(const ir::Tasklet &t, const ir::SDFG &g, const std::string &prefix);

/// Returns the data that a derivative needs about a Python tasklet, or why it has none. `isActive`: does a use carry a gradient,
/// judging by its memory? `types`: of the SDFG's symbols; must outlive the signature.
std::variant<py::Signature, diag::Message> signatureOf(const nest::Step &s, const ir::Tasklet &t, const ir::SDFG &g,
                                                       const analysis::SymbolTypes &types,
                                                       const std::function<bool(const nest::Use &)> &isActive,
                                                       const std::string &prefix, py::Ties ties);

/// Does opaque code that reads nothing with a derivative leave results without one: single elements, or sums?
bool leavesNoDerivative(const nest::Step &s, const ir::Tasklet &t, const std::function<bool(const nest::Use &)> &isActive);

/// Is a conflict resolution a sum?
bool isSum(const std::string &wcr);

/// The uses at a connector; a tasklet may write one result to several destinations.
std::vector<const nest::Use *> usesAt(const nest::Step &s, Name connector, bool written);

/// Explains why there is no derivative.
diag::Message messageOf(const py::DerivativeError &e);

/// The reason why something has no derivative, and its node.
struct Obstacle {
    diag::Message message;
    const ir::Node *at;
};
/// Returns why the containers of a step cannot have gradients, or tangents; nothing if they can. `takesPart`: would a
/// use have one?
std::optional<Obstacle> obstacleOfContainers(const nest::Step &s, const ir::SDFG &g,
                                             const std::function<bool(const nest::Use &)> &takesPart);
/// Returns why the copy of a step has no derivative; nothing if it has one.
std::optional<diag::Message> obstacleOfCopy(const nest::Step &s);
/// Refuses nested SDFGs whose arguments share elements that they write, since these would propagate each other's
/// gradients or tangents. `isActive`: does a use carry one?
std::optional<diag::Message> obstacleOfArguments(const nest::Step &s, const std::function<bool(const nest::Use &)> &isActive,
                                                 const sym::Assumptions &facts);
/// Explains why a state that the nest form cannot read (HiddenState) has no derivative.
diag::Message obstacleOfState(const ir::State &s);
/// Explains why the scope of an entry that could not be taken apart has no derivative.
diag::Message obstacleOfScope(const ir::Node &entry);

} // namespace sdfgc::transforms::gradient
