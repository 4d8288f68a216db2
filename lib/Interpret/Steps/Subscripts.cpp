#include "Subscripts.h"

namespace sdfgc::interpret {

std::vector<Counted> countedBy(std::size_t indices, const sym::Subset &s) {
    std::vector<Counted> squeezed, all, tiles;
    for (std::size_t d = 0; d < s.rank(); ++d) {
        all.push_back({d, s.dims[d].step});
        if (!s.dims[d].tile.isOne())
            tiles.push_back({d, 1});
    }
    for (const std::size_t d : s.nonUnitDims())
        squeezed.push_back(all[d]);
    for (std::vector<Counted> *dims : {&squeezed, &all}) {
        if (dims->size() == indices)
            return *dims;
        dims->insert(dims->end(), tiles.begin(), tiles.end());
        if (dims->size() == indices)
            return *dims;
    }
    return {};
}

} // namespace sdfgc::interpret
