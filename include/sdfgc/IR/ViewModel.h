// A graph in the form that a page needs to draw it: flat lists of drawn elements with readable texts. Cannot be loaded
// again.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Support/Json.h"

#include <map>
#include <string>
#include <vector>

namespace sdfgc::ir {

/// Lines about elements, by name (elementName). The name of a container is `SDFG: container NAME`.
using ElementNotes = std::map<std::string, std::vector<std::string>>;

/// {"name": ..., "containers": [{"nodes": [NODE...], "edges": [[from, to, text, detail]...]}...]}: container 0 holds
/// the contents of the root. NODE: "k" kind (`state`, `loop`, `region`, `if`, `branch`, `access`, `tasklet`, `nested`,
/// `library`, `map`, `consume`, `entry`, `exit`, `break`, `continue`, `return`), "n" name, and optionally "h" the text
/// below the name, "d" lines with details, "m" the code of a tasklet with its connectors replaced by their memlets
/// (`alpha * p[i]` for `__in1 * __in2`) if that differs from "d", "r" its notes, "s" the source line, "c" the container
/// with its contents, "f" flags, as words: `start` (of a region), `graph` (it is a GPU graph, or requests some),
/// `transient`. from and to are positions in the list of nodes. A scope is one node; in its container the entry comes
/// first and the exit last, and edges from outside end at the scope. Total, without recursion.
json::Value viewModel(const SDFG &root, const ElementNotes &notes = {});

/// Returns the source files that elements of the graph come from, as the graph spells them, each with the last line
/// that an element mentions.
std::map<std::string, int> sourceFiles(const SDFG &root);

} // namespace sdfgc::ir
