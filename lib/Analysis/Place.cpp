// The position of an element: name, path in the JSON file, line of the user's program.
#include "sdfgc/Analysis/Verify.h"

#include <algorithm>

namespace sdfgc::analysis {

using namespace ir;

namespace {

template <class List, class Item> std::string indexOf(const List &list, const Item *item) {
    auto it = std::find_if(list.begin(), list.end(), [&](const auto &p) { return p.get() == item; });
    return std::to_string(it - list.begin());
}

/// Parts of the path of a block, innermost first; the root SDFG has none.
std::vector<std::string> partsOf(const Block *b) {
    std::vector<std::string> parts;
    while (b) {
        if (auto *g = dyn_cast<SDFG>(b)) {
            if (!g->parentNode)
                break;
            parts.push_back("attributes.sdfg");
            parts.push_back("nodes[" + std::to_string(g->parentNode->id()) + "]");
            b = g->parentNode->state();
        } else if (const ConditionalBlock *c = b->conditional()) {
            const auto &all = c->branches();
            auto it = std::find_if(all.begin(), all.end(), [&](const auto &branch) { return branch.region.get() == b; });
            parts.push_back("branches[" + std::to_string(it - all.begin()) + "][1]");
            b = c;
        } else {
            parts.push_back("nodes[" + std::to_string(b->id()) + "]");
            b = b->parent();
        }
    }
    return parts;
}

std::string pathOf(const Block *b, const std::string &last = "") {
    std::vector<std::string> parts = partsOf(b);
    std::string path;
    for (auto it = parts.rbegin(); it != parts.rend(); ++it)
        path += (path.empty() ? "" : ".") + *it;
    if (!last.empty())
        path += (path.empty() ? "" : ".") + last;
    return path;
}

diag::Location place(std::string element, std::string path, const DebugInfo &d) {
    diag::Location p;
    p.element = std::move(element);
    p.path = std::move(path);
    if (d.known())
        p.source = {d.file, d.startLine, d.startColumn, d.endLine, d.endColumn};
    return p;
}

} // namespace

diag::Location placeOf(const Node &n) {
    std::string path = n.state() ? pathOf(n.state(), "nodes[" + std::to_string(n.id()) + "]") : "";
    return place(elementName(n), std::move(path), n.debugInfo);
}

diag::Location placeOf(const Edge &e) {
    const State *s = e.src ? e.src->state() : nullptr;
    std::string path = s ? pathOf(s, "edges[" + indexOf(s->edges(), &e) + "]") : "";
    DebugInfo source = e.memlet.debugInfo;
    for (const Node *end : {e.src, e.dst})
        if (!source.known() && end)
            source = end->debugInfo;
    return place(elementName(e), std::move(path), source);
}

diag::Location placeOf(const Block &b) { return place(elementName(b), pathOf(&b), b.debugInfo); }

diag::Location placeOf(const InterstateEdge &e, const Region &r) {
    return place(elementName(e, r), pathOf(&r, "edges[" + indexOf(r.edges(), &e) + "]"), e.debugInfo);
}

diag::Location placeOf(const SDFG &g, const DataDesc &d, Name name) {
    return place(elementName(g) + ": container " + name.str(), pathOf(&g, "attributes._arrays." + name.str()), d.debugInfo);
}

} // namespace sdfgc::analysis
