// The text form of the schedule tree (docs/user/tree-text.md): lossless, readable, and parsed back.
#pragma once

#include "sdfgc/Diag/Diag.h"
#include "sdfgc/Tree/Tree.h"

#include <string_view>

namespace sdfgc::tree {

/// The suffix of files with trees.
inline constexpr std::string_view fileSuffix = ".sdfgtree";
/// Does the text start like a tree, and not like a graph in any form?
bool isTreeText(std::string_view text);

/// Returns the module as text, in linear time. `same(*parse(print(m)), m)` holds for every module that `verify`
/// accepts. Numbers of variables and references are not preserved, and unused variables and references are omitted.
std::string print(const Module &m);

/// Parses the output of print, or handwritten text; `file` is used in messages. Reports the first error (SD2150,
/// SD2151) with line and column and returns null. The module may still be invalid: see verify.
std::unique_ptr<Module> parse(std::string_view text, const std::string &file, diag::Engine &diagnostics);

} // namespace sdfgc::tree
