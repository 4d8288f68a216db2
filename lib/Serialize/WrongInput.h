// Advice on an input that is not a graph.
#pragma once

#include <string>
#include <string_view>

namespace sdfgc::serialize {

/// The hint for a file `name` whose `text` is neither JSON nor the text form of a graph: how DaCe creates a graph from a Python
/// program. Names the programs in the file if it contains any. Empty for pickles and empty files, which need another hint.
std::string hintForNoGraph(std::string_view name, std::string_view text);

/// The hint for a path that cannot be read: the graph in a folder, or the file with the missing suffix. Empty if neither exists.
std::string hintForUnreadable(const std::string &path);

} // namespace sdfgc::serialize
