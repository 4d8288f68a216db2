// Loops and branches that a GPU graph can decide on the device: those that run while, or if, a flag in device memory holds.
//
//     state arm    { map GPU_Device -> go }
//     state look   { go -> host_go }                     the host looks at the flag, in front of the loop
//     while host_go {
//         state body { ... map GPU_Device -> go }
//         state look_1 { go -> host_go }                 and again after every iteration
//     }
//
// The host's copy of the flag is read by the condition of the loop and by nothing else. So the states that bring it to the host (*looks*)
// matter to the host path only: in a graph the device looks at the flag itself. A branch, `if host_go { ... }` without another, has one look,
// in front of it. Both are made by keep-loops-on-device; a program may have them from the beginning.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <map>

namespace sdfgc::analysis {

/// A loop, or a conditional block with one branch, and its flag.
struct DeviceLoop {
    ir::Block *block = nullptr;
    Name flag; // in device memory, one bool
};

/// The loops and branches of this form in a program. Valid until the program changes; blocks that are new since are not found.
class DeviceLoops {
public:
    explicit DeviceLoops(ir::SDFG &root);
    /// Null for a block of another form.
    const DeviceLoop *of(const ir::Block &b) const;
    /// What a state is a look of; null if it is none.
    const DeviceLoop *lookedAtBy(const ir::State &s) const;

private:
    void collect(ir::SDFG &g);
    std::map<const ir::Block *, DeviceLoop> loops_;
    std::map<const ir::State *, const DeviceLoop *> looks_;
};

} // namespace sdfgc::analysis
