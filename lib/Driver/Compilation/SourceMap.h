// Maps lines of generated sources to elements of the graph, and those to the user's own program.
#pragma once

#include "Driver/Compilation/Compilation.h"
#include "sdfgc/Analysis/Origins.h"

namespace sdfgc::driver {

/// Finds elements of the graph by lines of the sources. Valid as long as the compilation result.
class SourceMap {
public:
    explicit SourceMap(const Compiled &made);
    /// The element that a line of a source file in the build folder comes from: `element` and `source` of the location; both are
    /// empty if there is none. `file` is relative to the folder.
    diag::Location elementAt(const std::string &file, int line) const;

private:
    const std::vector<codegen::MapEntry> &entries_;
    std::optional<analysis::Origins> origins_; // of the graph; none if a tree was read
};

/// Completes the diagnostic of a failed compiler: one note for each of its first errors that belongs to an element.
void explainCompilerErrors(const Compiled &made, const std::vector<build::CompilerMessage> &messages, diag::Diagnostic &d);

} // namespace sdfgc::driver
