// The targets that sdfgc compiles for, from the table Targets.def.
#pragma once

#include "sdfgc/CodeGen/CodeGen.h"
#include "sdfgc/Diag/Diag.h"

#include <optional>
#include <string>
#include <vector>

namespace sdfgc::targets {

struct TargetInfo {
    std::string name; // `cpu`, as in --target
    codegen::Sources (*emit)(const tree::Module &, const pass::CompileOptions &);
    std::string summary;
    std::string description; // of its page in docs/user/targets
};

/// All targets, in the order of the table.
const std::vector<TargetInfo> &all();
/// The row of a target, or null.
const TargetInfo *find(const pass::Target &target);
/// The first thing in a graph that a target does not take, by the table Pass/Accepted.def: a container that it uses, a scope, a tasklet.
struct Refusal {
    std::string what, hint;
    diag::Location place;
};
std::optional<Refusal> refusal(ir::SDFG &graph, const pass::Target &target);
/// Can a graph as it was loaded be compiled for the target of `compile`? If not, its refusal is reported as SD6002. If so, what the
/// compilation will leave out of it is reported in warnings (SD6022, SD6023).
bool accepts(ir::SDFG &graph, const pass::CompileOptions &compile, diag::Engine &diags);
/// The same for a tree: one that queues work on a device is for GPU targets.
bool accepts(const tree::Module &module, const pass::CompileOptions &compile, diag::Engine &diags);

} // namespace sdfgc::targets
