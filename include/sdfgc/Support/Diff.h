// The difference of two texts by lines, as `diff -u` shows it.
#pragma once

#include <string>
#include <string_view>

namespace sdfgc {

/// Unified diff with `context` lines around each change, under the header `--- nameBefore` / `+++ nameAfter`. Empty when the texts
/// are equal. The edit script is a shortest one (Myers, "An O(ND) difference algorithm and its variations", 1986); between texts
/// that differ in more than some thousand lines it is the whole changed part instead, so that time and memory stay linear.
std::string unifiedDiff(std::string_view before, std::string_view after, std::string_view nameBefore, std::string_view nameAfter,
                        int context = 3);

} // namespace sdfgc
