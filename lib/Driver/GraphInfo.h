// What `sdfgc info` knows about the GPU graphs of a program.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Support/Json.h"
#include "sdfgc/Tree/Tree.h"

namespace sdfgc::driver {

/// An SDFG, region or loop that says something about GPU graphs.
struct MarkedRegion {
    std::string element, mark; // `off`, `auto`, `require`, `formed`
    int operations = -1;       // of a formed one
};

/// All of them, outer SDFGs first.
std::vector<MarkedRegion> markedRegions(ir::SDFG &root);

/// A graph that the program launches.
struct LaunchedGraph {
    std::string name;
    int nodes = 0;
    std::vector<std::string> memory; // of the device, that it uses and the program keeps between calls: names
    std::string bytes;               // of that, as a formula; empty when it is not known
};

/// All of them, in the order of the tree.
std::vector<LaunchedGraph> launchedGraphs(const tree::Module &m);

json::Value graphsJson(const std::vector<MarkedRegion> &regions);
json::Value graphsJson(const std::vector<LaunchedGraph> &graphs);

} // namespace sdfgc::driver
