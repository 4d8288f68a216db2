// Symbols that edges set to elements of arrays.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <map>
#include <vector>

namespace sdfgc::transforms {

/// A container element that a symbol is assigned by a single edge.
struct NamedElement {
    Name container;
    std::vector<sym::Expr> index;
    const ir::Block *at = nullptr; // the target of the edge
};
/// Returns the symbols that exactly one edge assigns, if it assigns an integer element of an array: those of name-elements
/// and others.
std::map<Name, NamedElement> namedElements(const ir::SDFG &g);

} // namespace sdfgc::transforms
