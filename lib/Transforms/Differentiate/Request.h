// What is differentiated: results and arguments of the program, and of the SDFGs that are nested in it.
#pragma once

#include "Transforms/Differentiate/Storage.h"

#include "sdfgc/Nest/Nest.h"
#include "sdfgc/Tasklet/Derivatives.h"

#include <functional>
#include <variant>

namespace sdfgc::transforms::gradient {

enum class Mode : uint8_t {
    Reverse, // gradients, after the program
    Forward, // tangents, along with it
};

/// What is left of a program with its gradient.
enum class Part : uint8_t { Both, Forward, Backward };

/// What is differentiated, in one SDFG.
struct Request {
    std::vector<Name> of, wrt;
    bool seedOne = false;  // the gradient of the result begins with one
    bool zeroInit = false; // other gradients begin with zero
    bool isNested = false; // arguments are those of a nested SDFG: all gradients are cleared that the program overwrites
    py::Ties ties = py::Ties::Split;
    Strategy strategy;
    Part part = Part::Both;
    std::string prefix = "gradient_"; // of the names of gradients
    std::set<Name> filled;            // transients of a nested SDFG that will be filled from around when it begins
    /// The names of both lists, each once.
    std::vector<Name> arguments() const;
};

/// The names of a list, each once.
std::vector<Name> namesOf(const std::string &list);
/// Why a container of the program cannot be differentiated, in words; empty if it can.
std::string whyNoGradient(const ir::SDFG &g, Name n);
/// What the options `of`, `wrt` and `mode` ask for; the passes in front of `differentiate` share them with it. Nothing if it will refuse
/// one of the names.
std::optional<Request> requestOf(const pass::OptionValues &options, const ir::SDFG &root);
Mode modeOf(const pass::OptionValues &options);

/// The request for a nested SDFG whose connectors carry gradients as their uses do, or why there is none. `around`: of the SDFG around it.
std::variant<Request, diag::Message> requestOfNested(const nest::Step &s, const std::function<bool(const nest::Use &)> &isActive,
                                                     const Request &around, Mode mode);

/// Changes an SDFG, and then each nested SDFG that takes part, with its own request. `change` returns false after an error; then the
/// others are left as they are.
bool changeParts(ir::SDFG &g, const Request &r, Mode mode, const std::function<bool(ir::SDFG &, const Request &)> &change);

/// Does anything in an SDFG, or in what is nested in it, update a container of the SDFG by conflict resolution? `byMoreThanSums`: so that what it
/// was before is needed for the gradient.
bool isUpdatedIn(ir::SDFG &g, Name container, bool byMoreThanSums = false);

} // namespace sdfgc::transforms::gradient
