// What `sdfgc info` knows about a program: collected here, printed in Info.cpp.
#pragma once

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/Sdfg.h"

#include <map>

namespace sdfgc::driver {

struct ContainerInfo {
    Name name;
    const ir::DataDesc *desc = nullptr;
    const ir::SDFG *owner = nullptr;
    sym::Expr elements; // allocated
    /// `8*N*M`: bytes where the size of an element is known, otherwise `N*M * sizeof(S)`.
    std::string bytes() const;
};

struct ProgramInfo {
    std::string name, daceVersion;
    analysis::ArgumentList arguments;
    std::map<Name, analysis::Access> access;           // by container of the root SDFG
    std::vector<ContainerInfo> transients;             // those that need memory, outer SDFGs first
    std::vector<std::pair<std::string, int>> elements; // `states`, `tasklets`, ...; those that occur
    std::vector<std::pair<std::string, int>> schedules;
    std::vector<std::string> libraryNodes; // class names, sorted
    std::vector<std::string> environments; // sorted
    std::vector<std::string> targets;      // those that can compile it
    std::vector<std::string> devices;      // what its schedules and storages ask for beside a CPU: `gpu`, `mpi`, `fpga`, ...
};

/// Looks at the whole graph, nested SDFGs included. The result points into the graph.
ProgramInfo collectInfo(ir::SDFG &root);

} // namespace sdfgc::driver
