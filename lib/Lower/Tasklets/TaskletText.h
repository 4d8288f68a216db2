// The text of a C++ tasklet.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// Text of a tasklet as it appears in the program: without its original margin, and with the tasklet's stream instead of DaCe's
/// current one. In that case, the function needs the program's state.
std::string taskletText(const Instance &in, const ir::Tasklet &t, const std::string &text);

/// Symbols of the SDFG that the text of a tasklet mentions, in order of first mention, except names of connectors.
std::vector<Name> symbolsIn(const Instance &in, const ir::Tasklet &t, const std::set<Name> &connectors);

} // namespace sdfgc::tree::lowering
