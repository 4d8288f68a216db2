// Elements of arrays that expressions read, and symbols that edges set to them.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Tasklet/Ast.h"

#include <map>
#include <optional>
#include <vector>

namespace sdfgc::transforms {

/// The elements of an array that an expression reads, as subscripts: `idx[i + 1]`.
std::vector<sym::Expr> elementsRead(const std::string &text, Name array, const ir::SDFG &g);

/// A container element that a symbol is assigned by a single edge.
struct NamedElement {
    Name container;
    std::vector<sym::Expr> index;
    const ir::Block *at = nullptr; // the target of the edge
};
/// Returns the element that an expression is, as in `K[i]`, if it is an integer of an array. `at`: the block at which it is read.
std::optional<NamedElement> namedElement(const py::Expr &e, const ir::Block &at);
/// Returns the symbols that exactly one edge assigns, if it assigns an integer element of an array: those of name-elements
/// and others.
std::map<Name, NamedElement> namedElements(const ir::SDFG &g);

} // namespace sdfgc::transforms
