// The text of a C++ tasklet.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// Text of a tasklet as it stands in the program: without the margin that it had, and with the tasklet's stream where it names
/// DaCe's current one. The function then needs the program's state.
std::string taskletText(const Instance &in, const ir::Tasklet &t, const std::string &text);

/// Symbols of the SDFG that the text of a tasklet mentions, in the order of the first mention, without names of connectors.
std::vector<Name> symbolsIn(const Instance &in, const ir::Tasklet &t, const std::set<Name> &connectors);

} // namespace sdfgc::tree::lowering
