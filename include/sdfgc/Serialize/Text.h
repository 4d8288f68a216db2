// The text form of a graph (docs/user/graph-text.md): readable, with stable names, one element per line, and complete:
// `readText(print(g))` is the same graph. Such files end in `.sdfgt`; readFile and readText of Serialize.h accept them.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <optional>
#include <string>
#include <string_view>

namespace sdfgc::serialize {

/// The suffix of files in this form.
inline constexpr std::string_view kTextSuffix = ".sdfgt";

struct PrintOptions {
    bool debugInfo = true; // positions of elements in the user's program
    bool orders = true;    // of nodes, edges and blocks in the graph's lists, where it is not that of the text
};

/// Prints the entire graph. Ids must be current (SDFG::renumber). Total: a graph with broken scopes is printed too, but
/// may not be parsed again. Without `orders`, the text is read as the same graph with its lists in the order of the text.
std::string print(const ir::SDFG &g, const PrintOptions &o = {});
/// Prints only matching parts: SDFGs with exactly this name, and states with `part` in their element name or in that of
/// a node or edge, each under a comment with its name. Nothing if there are none.
std::optional<std::string> printMatching(const ir::SDFG &g, const std::string &part, const PrintOptions &o = {});

/// Does the text start like a graph in text form: with the word `sdfg` after comments and blanks?
bool looksLikeGraphText(std::string_view text);

} // namespace sdfgc::serialize
