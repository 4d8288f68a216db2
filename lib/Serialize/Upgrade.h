// Final steps after a graph has been read completely: facts about symbols, and symbols that old files do not declare.
#pragma once

#include "Document.h"

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::serialize {

/// Facts in symbolic texts hold where the text is; the IR keeps them for the entire graph. So they are kept only for symbols with a
/// single value in the graph: symbols assigned by a map, a loop, a consume scope or an edge only keep their type. A declared type
/// takes precedence over one in a text. Empty entries are removed.
void settleHints(ir::SDFG &g);

/// Is it the root of a version (up to 0.9) that neither declares symbols nor maps them into nested SDFGs?
bool declaresNoSymbols(Json root);
/// Declares the symbols of such a graph as int32, as those versions did, and maps the outer graph's symbols into nested ones.
void declareSymbols(ir::SDFG &root);

} // namespace sdfgc::serialize
