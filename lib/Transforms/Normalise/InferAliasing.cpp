#include "Transforms/Normalise/InferAliasing.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Scopes.h"

#include <map>
#include <set>

namespace sdfgc::transforms {
namespace {

using namespace ir;

/// The container at the other end of a node's edge, behind any views.
Name addressedContainer(const Edge &e, bool outgoing) {
    const Node *end = outgoing ? analysis::pathDestination(&e) : analysis::pathSource(&e);
    const auto *access = dyn_cast<AccessNode>(end);
    if (!access)
        return e.memlet.data;
    const AccessNode *behind = analysis::nodeBehindViews(access);
    return (behind ? behind : access)->data;
}

bool markAliasing(DataDesc *inner) {
    if (!inner || !inner->isArray() || inner->mayAlias)
        return false;
    inner->mayAlias = true;
    return true;
}

} // namespace

bool inferAliasing(NestedSDFGNode &node) {
    std::map<Name, std::set<Name>> connectorsOf;
    for (const Edge *e : node.inEdges())
        if (!e->memlet.isEmpty() && e->dstConn)
            connectorsOf[addressedContainer(*e, false)].insert(e->dstConn);
    for (const Edge *e : node.outEdges())
        if (!e->memlet.isEmpty() && e->srcConn)
            connectorsOf[addressedContainer(*e, true)].insert(e->srcConn);
    std::map<Name, std::size_t> connectorsOfOwner;
    for (const auto &[container, connectors] : connectorsOf)
        connectorsOfOwner[analysis::ownerOf(container)] += connectors.size();

    bool changed = false;
    const SDFG &outer = *node.state()->sdfg();
    for (const auto &[container, connectors] : connectorsOf) {
        const DataDesc *d = outer.desc(container);
        bool wholeStructureToo =
            connectorsOf.count(analysis::ownerOf(container)) && connectorsOfOwner[analysis::ownerOf(container)] > 1;
        if (connectors.size() > 1 || (d && d->mayAlias) || wholeStructureToo)
            for (Name c : connectors)
                changed |= markAliasing(node.sdfg->desc(c));
    }
    return changed;
}

} // namespace sdfgc::transforms
