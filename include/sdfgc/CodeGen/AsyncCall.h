// A call of a GPU program that queues its work and does not wait for it (`sdfgc build --async`).
//
// Such a call is possible if the host needs nothing of the device until the end of the program: its waits are the last statements,
// and all else is queued. The waits are then left out of the program's function; the usual entry point makes them itself.
#pragma once

#include "sdfgc/Tree/Tree.h"

#include <string>
#include <vector>

namespace sdfgc::codegen {

struct AsyncCall {
    std::string obstacle, hint;            // why there is none; empty: it is possible
    std::vector<const tree::Node *> waits; // in the program's function, which end it
};

/// Examines a program that uses a device.
AsyncCall asyncCall(const tree::Module &m);

/// Returns the name of the function in C.
std::string asyncName(const tree::Module &m);

} // namespace sdfgc::codegen
