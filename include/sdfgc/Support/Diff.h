// The line-based difference of two texts, as shown by `diff -u`.
#pragma once

#include <string>
#include <string_view>

namespace sdfgc {

/// Returns a unified diff with `context` lines around each change, under the header `--- nameBefore` / `+++ nameAfter`.
/// Empty if the texts are equal. The edit script is a shortest one (Myers, "An O(ND) difference algorithm and its
/// variations", 1986). If the texts differ in more than a few thousand lines, it replaces the entire changed part
/// instead, so that time and memory stay linear.
std::string unifiedDiff(std::string_view before, std::string_view after, std::string_view nameBefore, std::string_view nameAfter,
                        int context = 3);

} // namespace sdfgc
