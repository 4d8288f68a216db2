// From lines of generated sources back to elements of the graph, and on to the user's own program.
#pragma once

#include "Driver/Compilation.h"
#include "sdfgc/Analysis/Origins.h"

namespace sdfgc::driver {

/// Finds elements of the graph by lines of the sources. Valid as long as what was made.
class SourceMap {
public:
    explicit SourceMap(const Compiled &made);
    /// The element that a line of a source file of the build folder comes from: `element` and `source` of the place; both are empty
    /// when the line belongs to none. `file` is relative to the folder.
    diag::Location elementAt(const std::string &file, int line) const;

private:
    const std::vector<codegen::MapEntry> &entries_;
    std::optional<analysis::Origins> origins_; // of the graph; none when a tree was read
};

/// Completes the diagnostic of a compiler that failed: one note for each of its first errors that belongs to an element.
void explainCompilerErrors(const Compiled &made, const std::vector<build::CompilerMessage> &messages, diag::Diagnostic &d);

} // namespace sdfgc::driver
