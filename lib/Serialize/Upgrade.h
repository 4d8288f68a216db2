// What is settled when a graph has been read whole: facts about symbols, and symbols that old files leave undeclared.
#pragma once

#include "Document.h"

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::serialize {

/// Facts of symbolic texts hold where the text stands; the IR keeps them for the whole graph. So they stay only for symbols with
/// one value in the graph: what a map, a loop, a consume scope or an edge assigns keeps its type alone. A declared type goes before
/// one in a text. Entries that say nothing are removed.
void settleHints(ir::SDFG &g);

/// Is the root of a version (up to 0.9) that neither declares symbols nor maps them into nested SDFGs?
bool declaresNoSymbols(Json root);
/// Declares the symbols of such a graph as int32, as those versions took them, and maps those of the outer graph into nested ones.
void declareSymbols(ir::SDFG &root);

} // namespace sdfgc::serialize
