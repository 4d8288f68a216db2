// What to differentiate: results and arguments of the program and of its nested SDFGs.
#pragma once

#include "Transforms/Differentiate/Storage.h"

#include "sdfgc/Nest/Nest.h"
#include "sdfgc/Tasklet/Derivatives.h"
#include "sdfgc/Transforms/Choices.h"

#include <functional>
#include <variant>

namespace sdfgc::transforms::gradient {

/// What to differentiate, in one SDFG.
struct Request {
    std::vector<Name> of, wrt;
    bool seedOne = false;  // the gradient of the result starts at one
    bool zeroInit = false; // other gradients start at zero
    bool isNested = false; // arguments are those of a nested SDFG: gradients of everything that the program overwrites are cleared
    py::Ties ties = py::Ties::Split;
    Strategy strategy;
    Part part = Part::Both;
    std::string prefix = "gradient_"; // prefix of the names of gradients
    std::set<Name> filled;            // transients of a nested SDFG that the outer SDFG fills before it starts
    /// The names of both lists, without duplicates.
    std::vector<Name> arguments() const;
};

/// Returns the names in a list, without duplicates.
std::vector<Name> namesOf(const std::string &list);
/// Returns why a container of the program cannot be differentiated, in words; an empty text if it can.
std::string whyNoGradient(const ir::SDFG &g, Name n);
/// Returns the request in the options `of` and `wrt`, which the passes before differentiate share with it. Returns nothing if
/// differentiate will reject one of the names.
std::optional<Request> requestOf(const pass::OptionValues &options, const ir::SDFG &root);

/// Returns the request for a nested SDFG whose connectors carry gradients if their uses do, or the reason why it has
/// none. `around`: the request of the outer SDFG.
std::variant<Request, diag::Message> requestOfNested(const nest::Step &s, const std::function<bool(const nest::Use &)> &isActive,
                                                     const Request &around, Mode mode);

/// Changes an SDFG, and then each nested SDFG that carries gradients, with its own request. `change` returns false after an
/// error, and the remaining SDFGs are then left unchanged.
bool changeParts(ir::SDFG &g, const Request &r, Mode mode, const std::function<bool(ir::SDFG &, const Request &)> &change);

/// Runs the passes of pipelines/differentiate.yaml from count-loops to join-arguments, for graphs that are made after them.
void normalise(ir::SDFG &g, pass::Context &context);

/// Does anything in an SDFG, or in its nested SDFGs, update a container of the SDFG with conflict resolution?
/// `byMoreThanSums`: considers only updates whose gradient needs the old value.
bool isUpdatedIn(ir::SDFG &g, Name container, bool byMoreThanSums = false);

} // namespace sdfgc::transforms::gradient
