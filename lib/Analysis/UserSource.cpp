#include "sdfgc/Analysis/UserSource.h"

#include <algorithm>
#include <string_view>

namespace sdfgc::analysis {
namespace {

using namespace ir;

constexpr std::string_view ownFolders[] = {"dace/sdfg/", "dace/frontend/", "dace/transformation/", "dace/libraries/"};

bool isOfUser(const DebugInfo &d) {
    const std::string_view file = d.file.view();
    return d.known() && std::none_of(std::begin(ownFolders), std::end(ownFolders),
                                     [&](std::string_view folder) { return file.find(folder) != std::string_view::npos; });
}

/// The entry of an exit; null if there is none. For any other node, the node itself.
const Node *entryOf(const Node *n) {
    if (const auto *m = dyn_cast<MapExit>(n))
        return m->entry;
    const auto *c = dyn_cast<ConsumeExit>(n);
    return c ? c->entry : n;
}

/// The scope of a node, as determined by its incoming edges; null at the top level of a state.
const Node *scopeAround(const Node &n) {
    const Node *at = entryOf(&n);
    while (at && !at->inEdges().empty()) {
        at = at->inEdges().front()->src;
        if (at->isEntry())
            return at;
        at = entryOf(at);
    }
    return nullptr;
}

DebugInfo debugInfoOf(const Node &n);

DebugInfo debugInfoOf(const Block &b) {
    for (const Block *at = &b; at; at = at->parent()) {
        if (isOfUser(at->debugInfo))
            return at->debugInfo;
        if (at->conditional() && isOfUser(at->conditional()->debugInfo))
            return at->conditional()->debugInfo;
        const auto *g = dyn_cast<SDFG>(at);
        if (g && g->parentNode)
            return debugInfoOf(*g->parentNode);
    }
    return {};
}

DebugInfo debugInfoOf(const Node &n) {
    for (const Node *at = &n; at; at = scopeAround(*at))
        if (isOfUser(at->debugInfo))
            return at->debugInfo;
    return n.state() ? debugInfoOf(*n.state()) : DebugInfo();
}

DebugInfo debugInfoOf(const Edge &e) {
    if (isOfUser(e.memlet.debugInfo) || !e.src || !e.dst)
        return e.memlet.debugInfo;
    return isOfUser(e.src->debugInfo) ? e.src->debugInfo : debugInfoOf(*e.dst);
}

diag::SourceLoc sourceOf(const DebugInfo &d) {
    return d.known() ? diag::SourceLoc{d.file, d.startLine, d.startColumn, d.endLine, d.endColumn} : diag::SourceLoc();
}

} // namespace

diag::SourceLoc userSource(const Block &b) { return sourceOf(debugInfoOf(b)); }
diag::SourceLoc userSource(const Node &n) { return sourceOf(debugInfoOf(n)); }
diag::SourceLoc userSource(const Edge &e) { return sourceOf(debugInfoOf(e)); }
diag::SourceLoc userSource(const InterstateEdge &e, const Region &r) {
    return sourceOf(isOfUser(e.debugInfo) ? e.debugInfo : debugInfoOf(r));
}
diag::SourceLoc userSource(const SDFG &g, Name container) {
    const DataDesc *d = g.desc(container);
    return sourceOf(d && isOfUser(d->debugInfo) ? d->debugInfo : debugInfoOf(g));
}

} // namespace sdfgc::analysis
