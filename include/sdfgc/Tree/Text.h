// The text form of the schedule tree (docs/user/tree-text.md): everything that a module holds, readable and read back.
#pragma once

#include "sdfgc/Diag/Diag.h"
#include "sdfgc/Tree/Tree.h"

#include <string_view>

namespace sdfgc::tree {

/// What files with trees are called.
inline constexpr std::string_view fileSuffix = ".sdfgtree";
/// Does the text begin as a tree does (and no graph in any form)?
bool isTreeText(std::string_view text);

/// The module as text. Linear in its size. `same(*parse(print(m)), m)` holds for every module that `verify` accepts: numbers of
/// variables and references are not kept, and of variables and references that no statement mentions nothing is.
std::string print(const Module &m);

/// Reads what print writes, or a person; `file` is named in messages. Reports the first error (SD2150, SD2151) at its line and
/// column and returns null. What the text says may still be wrong: see verify.
std::unique_ptr<Module> parse(std::string_view text, const std::string &file, diag::Engine &diagnostics);

} // namespace sdfgc::tree
