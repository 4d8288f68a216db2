// Short texts for drawings and the viewer: one function per kind of text within a line.
#pragma once

#include "sdfgc/IR/StateGraph.h"

namespace sdfgc::ir::text {

/// The nonempty items, as in `a, b`.
std::string join(const std::vector<std::string> &items, std::string_view separator = ", ");
/// `N, 2*M` in brackets, empty for an empty list.
std::string bracketed(const std::vector<sym::Expr> &list);

/// A Python expression with the fewest parentheses; text that is not Python is returned as it is.
std::string expression(const std::string &python);
std::string expression(const std::optional<Code> &code);
/// Statements of a code string, one per line.
std::vector<std::string> statements(const Code &code);

/// `float64[N, M] strides [1, N]`: type and shape, then everything that is not default. For a structure its name, optionally with
/// its members.
std::string descriptor(const DataDesc &d, bool members = false);
/// ` (CPU_Heap, Persistent)`: storage and lifetime if they are decided; empty otherwise.
std::string placement(const DataDesc &d);

/// `A[i, 0:N]`; `s` for a scalar or if there is no subset.
std::string access(Name data, const std::optional<sym::Subset> &subset, const SDFG &g);
} // namespace sdfgc::ir::text
