// Symbols that edges set to elements of arrays.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <map>
#include <vector>

namespace sdfgc::transforms {

/// An element of a container that a symbol is set to, by one edge.
struct NamedElement {
    Name container;
    std::vector<sym::Expr> index;
    const ir::Block *at = nullptr; // where the edge leads to
};
/// Symbols of an SDFG that one edge of all sets to an integer of an array: those of name-elements, and of the program.
std::map<Name, NamedElement> namedElements(const ir::SDFG &g);

} // namespace sdfgc::transforms
