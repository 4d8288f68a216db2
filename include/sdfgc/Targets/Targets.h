// The targets that sdfgc compiles for, from the table Targets.def.
#pragma once

#include "sdfgc/CodeGen/CodeGen.h"

#include <string>
#include <vector>

namespace sdfgc::targets {

struct TargetInfo {
    std::string name; // `cpu`, as in --target
    codegen::Sources (*emit)(const tree::Module &, const pass::CompileOptions &);
    std::string summary;
    std::string description; // of its page in docs/targets
};

/// All targets, in the order of the table.
const std::vector<TargetInfo> &all();
/// The target of that name, or null.
const TargetInfo *find(const std::string &name);
/// Can a graph as it was loaded be compiled for the target of `compile`? A graph with containers or scopes on a GPU has no meaning
/// for target cpu: the first one is reported as SD6002, and false returned.
bool accepts(ir::SDFG &graph, const pass::CompileOptions &compile, diag::Engine &diags);
/// The same for a tree: one that queues work on a device is for GPU targets.
bool accepts(const tree::Module &module, const pass::CompileOptions &compile, diag::Engine &diags);

} // namespace sdfgc::targets
