// Loops and branches that a GPU graph can control on the device: those that run while, or if, a flag in device memory
// is set.
//
//     state arm    { map GPU_Device -> go }
//     state look   { go -> host_go }                     the host reads the flag before the loop
//     while host_go {
//         state body { ... map GPU_Device -> go }
//         state look_1 { go -> host_go }                 and again after every iteration
//     }
//
// Only the condition of the loop reads the host's copy of the flag. So the states that copy it to the host (*looks*)
// matter only for the host path: in a graph the device reads the flag itself. A branch, `if host_go { ... }` without an
// else branch, has one look, before it. keep-loops-on-device creates both forms; a program may also contain them from
// the start.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <map>

namespace sdfgc::analysis {

/// A loop, or a conditional block with a single branch, and its flag.
struct DeviceLoop {
    ir::Block *block = nullptr;
    Name flag; // in device memory, one bool
};

/// Finds the loops and branches of this form in a program. Valid until the program changes; later blocks are not found.
class DeviceLoops {
public:
    explicit DeviceLoops(ir::SDFG &root);
    /// Returns null for a block of another form.
    const DeviceLoop *of(const ir::Block &b) const;
    /// Returns the loop or branch that a state is a look of, or null.
    const DeviceLoop *lookedAtBy(const ir::State &s) const;

private:
    void collect(ir::SDFG &g);
    std::map<const ir::Block *, DeviceLoop> loops_;
    std::map<const ir::State *, const DeviceLoop *> looks_;
};

} // namespace sdfgc::analysis
