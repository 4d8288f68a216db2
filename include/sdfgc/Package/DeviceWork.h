// What one call of a GPU program asks of the device: operations, copies between host and device, waits; as formulas.
//
//     for t in range(T):        kernels T*2, copies to the device 1 of 8*N bytes, waits 1
//         two kernels
//
// An operation is a kernel, a call of a library, a fill, or a copy within the device. The nodes of GPU graphs count as
// often as they run. The emulation counts the same while a program runs (sdfgc_emulation_counts; `run --stats`).
#pragma once

#include "sdfgc/Support/Json.h"
#include "sdfgc/Tree/Tree.h"

#include <string>
#include <vector>

namespace sdfgc::package {

/// The formulas are in terms of the program's arguments. One is undefined (`?`) if it sums over a loop in which it does
/// not change linearly, or needs a value that only the device knows.
struct DeviceWork {
    sym::Expr kernels = 0, libraryCalls = 0, fills = 0, copies = 0;   // copies: within the device
    sym::Expr copiesIn = 0, bytesIn = 0, copiesOut = 0, bytesOut = 0; // to the device, to the host
    sym::Expr waits = 0;                                              // of the host: for a stream, an event, the device
    sym::Expr graphs = 0;                                             // launches of GPU graphs

    /// A number that no argument determines, as a symbol of the formulas: how often a loop runs, on average, or in which
    /// part of its executions (from 0 to 1) a branch runs.
    struct Unknown {
        Name symbol;
        bool isLoop = true;
        std::string condition; // as Python
    };
    std::vector<Unknown> unknown; // in text order

    sym::Expr operations() const { return kernels + libraryCalls + fills + copies; }
};

/// The work of one call of a module's program, for sizes that are not zero: empty kernels and copies count as well. Needs
/// a tree after outline-gpu-graphs; graphs are assumed to be launched as such. Never fails.
DeviceWork deviceWorkOf(const tree::Module &m);

/// Text of `info` and member `device_work` of the manifest. Formulas are Python expressions, null if undefined.
std::string asText(const DeviceWork &w);
json::Value toJson(const DeviceWork &w);

} // namespace sdfgc::package
