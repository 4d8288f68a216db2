// A graph as a page that draws it wants it: flat lists of what is drawn, with the texts that people read. Not for loading.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Support/Json.h"

#include <map>
#include <string>
#include <vector>

namespace sdfgc::ir {

/// Lines about elements, by their names (elementName). A container has `SDFG: container NAME`.
using ElementNotes = std::map<std::string, std::vector<std::string>>;

/// {"name": ..., "containers": [{"nodes": [NODE...], "edges": [[from, to, text, detail]...]}...]}: container 0 is the content of
/// the root. NODE: "k" kind (`state`, `loop`, `region`, `if`, `branch`, `access`, `tasklet`, `nested`, `library`, `map`, `consume`,
/// `entry`, `exit`, `break`, `continue`, `return`), "n" name, and where there is something to say "h" what is written below the
/// name, "d" lines for a closer look, "m" the code of a tasklet with its connectors replaced by the memlets at them (`alpha * p[i]`
/// for `__in1 * __in2`) where that differs from "d", "r" its notes, "s" the source line, "c" the container that holds its content, "f"
/// flags, words: `start` (of a region), `graph` (it is a GPU graph, or asks for some), `transient`. from and to are positions in the
/// list of nodes. A scope is one node; in its container the entry comes first, the exit last, and edges from outside end at the scope.
/// Total, without recursion.
json::Value viewModel(const SDFG &root, const ElementNotes &notes = {});

/// The source files that elements of the graph come from, as the graph spells them, each with the last line that an element names.
std::map<std::string, int> sourceFiles(const SDFG &root);

} // namespace sdfgc::ir
