// What a node moves and computes, as far as the graph states it: for reports that compare times with the limits of a machine.
#pragma once

#include "sdfgc/Analysis/Scopes.h"

#include <optional>

namespace sdfgc::analysis {

/// Returns the number of bytes that the memlets around a node or scope name: every input once and every output once, however often
/// the inside uses an element. Nothing if a size is unknown.
std::optional<sym::Expr> bytesMoved(const ir::Node &n);

/// Returns the number of floating-point operations of all iterations of a map: additions, subtractions, products and quotients of
/// its Python tasklets, each of which counts 1, like every function call. Nothing if something in it has no such number: other
/// nodes, code in C++, branches, integer results, ranges of inner maps that depend on outer ones. `scopes`: of the map's state.
std::optional<sym::Expr> floatOperations(const ir::MapEntry &m, const ScopeTree &scopes);

} // namespace sdfgc::analysis
