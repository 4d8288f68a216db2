// From lines of generated sources back to elements of the graph, and on to the user's own program.
#pragma once

#include "Driver/Compilation.h"

namespace sdfgc::driver {

/// The element that a line of a source file of the build folder comes from: `element` and `source` of the place; both are empty
/// when the line belongs to none. `file` is relative to the folder.
diag::Location elementAt(const Compiled &made, const std::string &file, int line);

/// Completes the diagnostic of a compiler that failed: one note for each of its first errors that belongs to an element.
void explainCompilerErrors(const Compiled &made, const std::vector<build::CompilerMessage> &messages, diag::Diagnostic &d);

} // namespace sdfgc::driver
