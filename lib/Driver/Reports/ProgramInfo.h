// Information about a program for `sdfgc info`: collected here, printed in Info.cpp.
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
    /// `8*N*M`: the number of bytes if the element size is known, otherwise `N*M * sizeof(S)`.
    std::string bytes() const;
};

struct ProgramInfo {
    std::string name, daceVersion;
    analysis::ArgumentList arguments;
    std::map<Name, analysis::Access> access;           // by container of the root SDFG
    std::vector<ContainerInfo> transients;             // those that need memory, outer SDFGs first
    std::vector<std::pair<std::string, int>> elements; // `states`, `tasklets`, ...; only those that occur
    std::vector<std::pair<std::string, int>> schedules;
    std::vector<std::string> libraryNodes; // class names, sorted
    std::vector<std::string> environments; // sorted
    std::vector<std::string> targets;      // those that can compile it
    std::vector<std::string> devices;      // required by schedules and storages, besides a CPU: `gpu`, `mpi`, `fpga`, ...
};

/// Examines the entire graph, including nested SDFGs. The result points into the graph.
ProgramInfo collectInfo(ir::SDFG &root);

} // namespace sdfgc::driver
