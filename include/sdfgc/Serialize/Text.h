// The text form of a graph (docs/user/graph-text.md): readable at a glance, stable names, one element a line, and complete:
// `readText(print(g))` is the same graph. Files in it end in `.sdfgt`; readFile and readText of Serialize.h take them.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <optional>
#include <string>
#include <string_view>

namespace sdfgc::serialize {

/// Of files in this form.
inline constexpr std::string_view kTextSuffix = ".sdfgt";

struct PrintOptions {
    bool debugInfo = true; // where elements come from in the user's program
};

/// The whole graph. Ids must be current (SDFG::renumber). Total: a graph with broken scopes gives a text, too, which may not be
/// readable.
std::string print(const ir::SDFG &g, const PrintOptions &o = {});
/// Only what `part` names: SDFGs with this very name, and states with `part` in their element name or in that of one of their nodes
/// or edges, each under a comment with its name. Nothing when there is none.
std::optional<std::string> printMatching(const ir::SDFG &g, const std::string &part, const PrintOptions &o = {});

/// Is that the beginning of a graph's text form: the word `sdfg` after comments and blanks?
bool looksLikeGraphText(std::string_view text);

} // namespace sdfgc::serialize
