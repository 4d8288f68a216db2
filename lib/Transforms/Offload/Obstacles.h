// What keeps a program on the host.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <string>

namespace sdfgc::transforms {

/// Is the code of a tasklet for the host: C++, with side effects, or a call of the user's function?
bool isForHost(const ir::Tasklet &t);

/// Why a program cannot be moved to a device; empty if it can. Members of structures are containers already.
std::string obstacle(ir::SDFG &root);

/// Would kernels only store single values that the host has computed, outside of loops?
bool onlyStores(ir::SDFG &root);

} // namespace sdfgc::transforms
