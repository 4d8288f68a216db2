// Information about a program's GPU graphs for `sdfgc info`.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Support/Json.h"
#include "sdfgc/Tree/Tree.h"

namespace sdfgc::driver {

/// An SDFG, region or loop with a GPU graph mark.
struct MarkedRegion {
    std::string element, mark; // `off`, `auto`, `require`, `formed`
    int operations = -1;       // of a formed one
};

/// All of them, outer SDFGs first.
std::vector<MarkedRegion> markedRegions(ir::SDFG &root);

/// A graph launched by the program.
struct LaunchedGraph {
    std::string name;
    int nodes = 0;
    std::vector<std::string> memory; // names of the device memory that it uses and the program keeps between calls
    std::string bytes;               // size of that memory as a formula; empty if unknown
};

/// All of them, in the order of the tree.
std::vector<LaunchedGraph> launchedGraphs(const tree::Module &m);

json::Value graphsJson(const std::vector<MarkedRegion> &regions);
json::Value graphsJson(const std::vector<LaunchedGraph> &graphs);

} // namespace sdfgc::driver
