// Memlets of scopes: what all iterations of a range access.
#pragma once

#include "sdfgc/Symbolic/Subset.h"

namespace sdfgc::analysis {

/// The union of `s` over `parameter` in `range`: exact for affine bounds. Dimensions for which it is not known become those of `whole`, the
/// full subset of the container (DataDesc::fullSubset): its indices need not begin at 0.
sym::Subset propagate(const sym::Subset &s, Name parameter, const sym::Range &range, const sym::Subset &whole,
                      const sym::Assumptions &facts = {});

} // namespace sdfgc::analysis
