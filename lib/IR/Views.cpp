// The edge that defines a view (format reference 3.5).
#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/IR/StateGraph.h"

#include <unordered_set>
#include <utility>

namespace sdfgc::ir {

namespace {

Edge *because(std::string *why, const char *reason, Edge *result = nullptr) {
    if (why)
        *why = reason;
    return result;
}

/// Rows 5 to 11 of the table: one edge on each side.
Edge *chooseOfTwo(const AccessNode *n, Edge *in, Edge *out, std::string *why) {
    const bool fromData = isa<AccessNode>(pathSource(in)), toData = isa<AccessNode>(pathDestination(out));
    if (fromData != toData)
        return fromData ? in : out;
    if (!fromData)
        return because(why, "neither its in-edge nor its out-edge leads to an access node");
    if (in->dstConn == Name("views"))
        return in;
    if (out->srcConn == Name("views"))
        return out;
    const bool inIsOwn = in->memlet.data == n->data, outIsOwn = out->memlet.data == n->data;
    if (inIsOwn && outIsOwn)
        return because(why, "both of its edges carry memlets of the view itself");
    if (inIsOwn != outIsOwn)
        return inIsOwn ? out : in;
    if (in->src->isEntry())
        return in;
    if (out->dst->isExit())
        return out;
    return because(why, "both of its edges could be the viewing edge; the in-edge is taken", in);
}

/// The first of the edges that move data, and their number. DaCe counts ordering edges that leave a view but not those that enter
/// it; if they counted, an order added by a pass could change what a view views.
template <typename Edges> std::pair<Edge *, std::size_t> edgesWithData(const Edges &edges) {
    std::pair<Edge *, std::size_t> found{nullptr, 0};
    for (Edge *e : edges)
        if (!e->memlet.isEmpty() && ++found.second == 1)
            found.first = e;
    return found;
}

} // namespace

Edge *viewEdge(const AccessNode *n, std::string *why) {
    if (why)
        why->clear();
    const auto [in, ins] = edgesWithData(n->inEdges());
    const auto [out, outs] = edgesWithData(n->outEdges());
    if (!ins && !outs)
        return because(why, "it has no edge");
    if (ins == 1 && outs == 1)
        return chooseOfTwo(n, in, out, why);
    if (ins == 1)
        return isa<AccessNode>(pathSource(in)) ? in : because(why, "its only in-edge does not come from an access node");
    if (outs == 1)
        return isa<AccessNode>(pathDestination(out)) ? out : because(why, "its only out-edge does not lead to an access node");
    if (ins == 0 || ins == outs)
        return because(why, ins ? "it has several edges on both sides" : "it has several out-edges and no in-edge");
    return chooseOfTwo(n, in, out, why); // the table leaves this open; as in DaCe, the first edge on each side counts
}

AccessNode *viewedNode(const AccessNode *n) {
    Edge *e = viewEdge(n);
    if (!e)
        return nullptr;
    return dyn_cast<AccessNode>(e->dst == n ? pathSource(e) : pathDestination(e));
}

const AccessNode *nodeBehindViews(const Node *n) {
    std::unordered_set<const AccessNode *> seen;
    const auto *access = dyn_cast<AccessNode>(n);
    while (access && seen.insert(access).second) {
        const DataDesc *d = access->state()->sdfg()->desc(access->data);
        if (!d || !d->isView())
            return access;
        access = viewedNode(access);
    }
    return nullptr;
}

} // namespace sdfgc::ir
