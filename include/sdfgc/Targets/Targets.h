// The targets of sdfgc, from the table Targets.def.
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
    std::string description; // text of its page in docs/user/targets
};

/// All targets, in table order.
const std::vector<TargetInfo> &all();
/// Returns the row of a target, or null.
const TargetInfo *find(const pass::Target &target);
/// The first element of a graph that a target does not accept, by the table Pass/Accepted.def: a container that it
/// uses, a scope, a tasklet.
struct Refusal {
    std::string what, hint;
    diag::Location place;
};
std::optional<Refusal> refusal(ir::SDFG &graph, const pass::Target &target);
/// Can a loaded graph be compiled for the target of `compile`? If not, reports the refusal as SD6002. If so, warns
/// about what the compilation will ignore (SD6022, SD6023).
bool accepts(ir::SDFG &graph, const pass::CompileOptions &compile, diag::Engine &diags);
/// The same for a tree: one that queues work on a device requires a GPU target.
bool accepts(const tree::Module &module, const pass::CompileOptions &compile, diag::Engine &diags);
/// Can the program have a call that does not wait (CodeGen/AsyncCall.h)? If not, reports the reason as SD6002.
bool acceptsAsync(const tree::Module &module, const pass::CompileOptions &compile, diag::Engine &diags);
/// The sources of such a program, for the targets cuda and hip.
codegen::Sources emitAsync(const tree::Module &m, const pass::CompileOptions &compile);

} // namespace sdfgc::targets
