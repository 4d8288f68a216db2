// The verifier: the rules of each level (docs/developer/design.md; format reference section 10; codegen-semantics
// section 2).
#pragma once

#include "sdfgc/Diag/Diag.h"
#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::analysis {

/// Checks the entire graph, including nested SDFGs, against the rules of `level` and all lower ones. Reports all
/// errors, with the element and, for graphs from a file, `file`. Returns true if there were none. Emits warnings at
/// level Loaded only, because they would repeat later. Nearly linear in the size of the graph. Never crashes on a graph
/// with intact pointers.
///
/// `kept`: if Typed or higher, the graph has satisfied the rules of this level and has not changed since, so that the
/// rules of its states and descriptors are not checked again if no level above Typed adds to them.
bool verify(const ir::SDFG &root, ir::Level level, diag::Engine &diags, const std::string &file = "",
            ir::Level kept = ir::Level::Loaded);

/// Returns the location of an element for diagnostics: element name, JSON path and source location.
diag::Location placeOf(const ir::Node &n);
diag::Location placeOf(const ir::Edge &e);
diag::Location placeOf(const ir::Block &b);
diag::Location placeOf(const ir::InterstateEdge &e, const ir::Region &r);
diag::Location placeOf(const ir::SDFG &g, const ir::DataDesc &d, Name name);

} // namespace sdfgc::analysis
