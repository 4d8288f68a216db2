// What to do about an input that is no graph.
#pragma once

#include <string>
#include <string_view>

namespace sdfgc::serialize {

/// The hint for a file `name` whose `text` is neither JSON nor the text form of a graph: how DaCe makes a graph from a Python program.
/// Names the programs of the file where it is such a program. Empty for pickles and empty files, which need another hint.
std::string hintForNoGraph(std::string_view name, std::string_view text);

/// The hint for a path that cannot be read: the graph that a folder holds, or the file whose suffix was left out. Empty where neither is
/// there.
std::string hintForUnreadable(const std::string &path);

} // namespace sdfgc::serialize
