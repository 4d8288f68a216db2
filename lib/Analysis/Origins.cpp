#include "sdfgc/Analysis/Origins.h"

#include "sdfgc/Analysis/Verify.h"

namespace sdfgc::analysis {
namespace {

/// The element of a list, or null.
template <typename List> auto elementAt(const List &list, int i) -> decltype(list[0].get()) {
    return i >= 0 && static_cast<std::size_t>(i) < list.size() ? list[static_cast<std::size_t>(i)].get() : nullptr;
}

} // namespace

Origins::Origins(const ir::SDFG &root) {
    for (const ir::SDFG *g : ir::allSDFGs(root))
        for (const ir::Region *r : ir::allRegions(*g))
            regions_.emplace(r->cfgId, r);
}

Origins::Element Origins::find(const std::vector<int> &origin) const {
    const auto region = regions_.find(origin.empty() ? -1 : origin[0]);
    if (region == regions_.end() || origin.size() < 2)
        return {};
    const ir::Block *block = elementAt(region->second->blocks(), origin[1]);
    const auto *state = block ? dyn_cast<ir::State>(block) : nullptr;
    return {block, state && origin.size() > 2 ? elementAt(state->nodes(), origin[2]) : nullptr};
}

diag::Location Origins::placeOf(const std::vector<int> &origin) const {
    const auto [block, node] = find(origin);
    return node ? analysis::placeOf(*node) : block ? analysis::placeOf(*block) : diag::Location();
}

diag::SourceLoc Origins::sourceOf(const std::vector<int> &origin) const {
    const auto [block, node] = find(origin);
    const ir::DebugInfo d = node ? node->debugInfo : block ? block->debugInfo : ir::DebugInfo();
    return d.known() ? diag::SourceLoc{d.file, d.startLine, d.startColumn, d.endLine, d.endColumn} : diag::SourceLoc();
}

} // namespace sdfgc::analysis
