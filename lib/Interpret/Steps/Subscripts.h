// The dimensions that subscripts of a connector index (format reference 6.12).
#pragma once

#include "sdfgc/Symbolic/Subset.h"

namespace sdfgc::interpret {

/// A dimension of the container that an index refers to, and its stride.
struct Counted {
    std::size_t dim;
    sym::Expr step;
};

/// The dimensions for this number of indices: those of the subset with more than one element, or all of them; then, if there are
/// more indices, its tiles. Nothing if the number matches none of these.
std::vector<Counted> countedBy(std::size_t indices, const sym::Subset &s);

} // namespace sdfgc::interpret
