// What subscripts of a connector count along (format reference 6.12).
#pragma once

#include "sdfgc/Symbolic/Subset.h"

namespace sdfgc::interpret {

/// A dimension of the container that an index counts along, and how far apart its elements are.
struct Counted {
    std::size_t dim;
    sym::Expr step;
};

/// What so many indices count along: the dimensions of the subset that have more than one element, or all of them; then, where there are
/// more, its tiles. Nothing where it is none of these.
std::vector<Counted> countedBy(std::size_t indices, const sym::Subset &s);

} // namespace sdfgc::interpret
