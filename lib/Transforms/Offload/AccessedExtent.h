// How much of an argument does a program access, if a size of it is in its shape only?
#pragma once

#include "Transforms/Offload/FlattenMembers.h"

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Pass/CompileOptions.h"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace sdfgc::transforms {

/// A way to find, when the program starts, the elements of an argument that it accesses.
struct AccessedExtent {
    std::string obstacle;           // why there is none; empty if there is one
    std::size_t dimension = 0;      // the outermost one, whose size is not known
    std::unique_ptr<ir::SDFG> code; // sets its only output, extentOutput, to the extent that suffices; at least 0
};

/// The container that AccessedExtent::code writes.
Name extentOutput();

/// Finds it for an argument of the program in which only the size of the outermost dimension mentions symbols that are not
/// parameters (`known` is). The dataflow of the program must still use
/// the argument itself. `members`: those that flattenMembers found.
AccessedExtent accessedExtent(const ir::SDFG &root, Name argument, const std::set<Name> &known, const FlatMembers &members);

/// Arguments whose sizes callers do not pass.
struct UnknownSizes {
    std::string obstacle;                   // why one of them cannot be copied; empty if all can
    std::map<Name, AccessedExtent> extents; // of those that the device needs, if they can be found
};
/// Returns them. `parameters`: of the program, as returned by parametersOnHost; `find`: may the program find the extents?
/// `where`: do callers keep arrays? Those on the device are only copied if control flow reads them; those that may be there cannot be
/// read in order to find extents.
UnknownSizes unknownSizes(const ir::SDFG &root, const std::set<Name> &parameters, const FlatMembers &members, bool find,
                          pass::Arguments where);

/// Adds the code to a state. The caller provides `result`, a scalar. `hostName` returns the name under which the host has a
/// container that the code reads.
void addExtentCode(ir::State &s, AccessedExtent extent, Name result, const std::function<Name(Name)> &hostName);

} // namespace sdfgc::transforms
