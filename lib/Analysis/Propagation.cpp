#include "sdfgc/Analysis/Propagation.h"

namespace sdfgc::analysis {

sym::Subset propagate(const sym::Subset &s, Name parameter, const sym::Range &range, const sym::Subset &whole,
                      const sym::Assumptions &facts) {
    sym::Subset out = sym::propagate(s, parameter, range, {}, facts);
    for (std::size_t d = 0; d < out.dims.size() && d < whole.dims.size(); ++d)
        if (out.dims[d].end.isUndefined())
            out.dims[d] = whole.dims[d];
    return out;
}

} // namespace sdfgc::analysis
