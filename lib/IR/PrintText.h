// Pieces of the text form: one function per kind of thing that stands inside a line.
#pragma once

#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Support/TextWriter.h"

namespace sdfgc::ir::text {

/// `a, b` from the items that are not empty.
std::string join(const std::vector<std::string> &items, std::string_view separator = ", ");
/// `N, 2*M` in brackets, empty for an empty list.
std::string bracketed(const std::vector<sym::Expr> &list);

/// One Python expression with the fewest parentheses; text that is no Python as it is.
std::string expression(const std::string &python);
std::string expression(const std::optional<Code> &code);
/// Statements of a code string, one a line.
std::vector<std::string> statements(const Code &code);

/// `float64[N, M] strides [1, N]`: type and shape, then everything that is not the default. Of a structure the name, or also its
/// members.
std::string descriptor(const DataDesc &d, bool members = false);
/// Structures among the containers of an SDFG and their members, innermost first: name, and `member: type` for each member.
std::vector<std::pair<std::string, std::vector<std::string>>> structures(const SDFG &g);
/// ` (CPU_Heap, Persistent)`: storage and lifetime where they are decided; empty otherwise.
std::string placement(const DataDesc &d);

/// `A[i, 0:N]`; `s` for a scalar or without subset.
std::string access(Name data, const std::optional<sym::Subset> &subset, const SDFG &g);
/// `value -> A[i]`, or `A[i] (+)= value` for a conflict resolution.
std::string store(const std::string &destination, const std::string &value, const Memlet &m);

/// Opens a block with `head(items) tail {`, for instance a signature. Beyond 120 columns every item has a line of its own.
void openList(TextWriter &w, const std::string &head, const std::vector<std::string> &items, const std::string &tail);

/// `head a, b, c tail` on as many lines of at most 120 columns as it takes.
void fillList(TextWriter &w, const std::string &head, const std::vector<std::string> &items, const std::string &tail);

/// `   // t.py:12`, empty when unknown.
std::string source(const DebugInfo &d);

} // namespace sdfgc::ir::text

namespace sdfgc::ir {

struct PrintOptions;

/// What stands between the braces of an SDFG; nested SDFGs come back to it.
void printBody(TextWriter &w, const SDFG &g, const PrintOptions &o);
void printState(TextWriter &w, const State &s, const PrintOptions &o);
/// `A: float64[N]`, `s: int32`: what is not transient, in the order of the C call.
std::vector<std::string> printArguments(const SDFG &g);

} // namespace sdfgc::ir
