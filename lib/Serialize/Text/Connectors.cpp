#include "Serialize/Text/Connectors.h"

#include "Serialize/Fields.h"

#include <algorithm>

namespace sdfgc::serialize::text {

namespace {

/// The visitor of Fields.h that checks whether everything has its default.
struct Defaults {
    bool hold = true;
    template <class T> void field(std::string_view, const T &value, const T &otherwise) { hold = hold && value == otherwise; }
    template <class T> void nullable(std::string_view key, const T &v, const T &otherwise) { field(key, v, otherwise); }
    template <class T> void dataName(std::string_view key, const T &v, const T &otherwise) { field(key, v, otherwise); }
    template <class T> void meta(std::string_view key, const T &v, const T &otherwise) { field(key, v, otherwise); }
};

} // namespace

bool isPlainOrder(const ir::Edge &e) {
    static const ir::Memlet defaults;
    if (e.srcConn || e.dstConn || !e.memlet.isEmpty() || !e.memlet.extra.empty())
        return false;
    Defaults d;
    memletFields(d, e.memlet, defaults);
    return d.hold;
}

bool standsAtSource(const ir::Edge &e) {
    return (isa<ir::AccessNode>(e.dst) || e.dst->isExit()) && !isa<ir::AccessNode>(e.src) && !e.src->isEntry();
}

bool isCopyLine(const ir::Edge &e) { return (isa<ir::AccessNode>(e.dst) || e.dst->isExit()) && !standsAtSource(e); }

bool Connectors::areUsual(const ir::Node &n, bool in) {
    auto [it, isNew] = usual_.try_emplace({&n, in}, true);
    if (isNew)
        it->second = compare(n, in);
    return it->second;
}

const ir::Connector *Connectors::find(const ir::Node &n, bool in, Name name) {
    constexpr std::size_t kMany = 32;
    const std::vector<ir::Connector> &list = in ? n.inConnectors : n.outConnectors;
    if (list.size() < kMany)
        return in ? n.inConnector(name) : n.outConnector(name);
    auto &byName = many_[&list];
    if (byName.empty())
        for (const ir::Connector &c : list)
            byName.emplace(c.name, &c);
    auto at = byName.find(name);
    return at == byName.end() ? nullptr : at->second;
}

bool Connectors::compare(const ir::Node &n, bool in) {
    const std::vector<ir::Connector> &list = in ? n.inConnectors : n.outConnectors;
    std::vector<Name> names;
    std::vector<Name> said; // connectors of edges in the node's own line
    for (const ir::Edge *e : in ? n.inEdges() : n.outEdges())
        if (Name c = in ? e->dstConn : e->srcConn) {
            names.push_back(c);
            if (isa<ir::AccessNode>(&n) ? false : standsAtSource(*e) != in)
                said.push_back(c);
        }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::sort(said.begin(), said.end());
    if (!std::equal(names.begin(), names.end(), list.begin(), list.end(),
                    [](Name name, const ir::Connector &c) { return name == c.name; }))
        return false;
    const bool inner = (n.isEntry() && !in) || (n.isExit() && in);
    return std::all_of(list.begin(), list.end(), [&](const ir::Connector &c) {
        if (!inner)
            return !c.type || std::binary_search(said.begin(), said.end(), c.name);
        const Name other = otherSide(c.name);
        const ir::Connector *outer = other ? find(n, !in, other) : nullptr;
        return c.type == (outer ? outer->type : Type());
    });
}

} // namespace sdfgc::serialize::text
