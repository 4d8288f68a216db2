// Sizes that a program needs only because its arguments are copied to the device.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Pass/Pass.h"

#include <set>

namespace sdfgc::transforms {

/// Is a size or a stride of a container undefined?
bool hasUndefinedSize(const ir::DataDesc &d);
/// `the size of `A` needs `n`, which is not an argument of the program`, if the descriptor of `A` mentions a symbol other than the
/// known ones; empty if it does not.
std::string missingSize(Name array, const ir::DataDesc &d, const std::set<Name> &known);

/// Why an argument of the program cannot be copied: nothing gives its size. Empty if all can be.
std::string uncopiable(const ir::SDFG &root);

/// The symbols that the program has as parameters for every target: those that its code needs, once library nodes are
/// expanded.
std::set<Name> parametersOnHost(const ir::SDFG &root, const pass::Context &context);

/// What copies of the arguments need that is no parameter: `the size of `A` needs `n`, which is not an argument of the program`.
/// Empty if there is nothing. `onHost`: as returned by parametersOnHost; `found`: arguments of which the program finds what to copy.
std::string neededForCopies(const ir::SDFG &root, const std::set<Name> &onHost, const std::set<Name> &found = {});
/// The arguments whose sizes need such a symbol.
std::vector<Name> arraysOfUnknownSize(const ir::SDFG &root, const std::set<Name> &onHost);

/// Records the symbols that the program needs now, but not on the host, in SDFG::handleSizes.
void keepParameters(ir::SDFG &root, const std::set<Name> &onHost, pass::Context &context);

} // namespace sdfgc::transforms
