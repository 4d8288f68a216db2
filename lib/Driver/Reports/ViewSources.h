// The sources that `sdfgc view` shows next to a graph: the user's Python files, and the program that sdfgc generates.
#pragma once

#include "Driver/Compilation/PipelineOptions.h"
#include "sdfgc/Support/Json.h"

#include <map>
#include <string>
#include <vector>

namespace sdfgc::driver {

/// One source: {"name", "text"}, or {"name", "missing": why there is no text}; "links": [[from, to, "FILE:LINE"]...] relates lines
/// of a generated source to lines of the user's program.
using SourceList = std::vector<json::Value>;

/// The Python files that elements of a graph name (ir::sourceFiles), in their order. Each is searched at its own path, then in
/// `folders`, by its path and by its last name. Only `.py` files are read, since a graph may come from a stranger. A file that
/// lacks the lines that the graph names is rejected.
SourceList pythonSources(const std::map<std::string, int> &files, const std::vector<std::string> &folders);

/// The sources that the program in `path` compiles to, without a build folder. Returns nothing after errors.
std::optional<SourceList> emittedSources(Session &session, const std::string &path, const TargetOptions &target,
                                         const ToolchainChoice &toolchain, const PipelineOptions &pipeline);

/// The sources under `src/` of a build folder; none where that cannot be read.
SourceList builtSources(const std::string &folder);

} // namespace sdfgc::driver
