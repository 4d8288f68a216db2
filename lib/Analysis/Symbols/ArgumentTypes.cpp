#include "sdfgc/Analysis/Symbols/ArgumentTypes.h"

#include "sdfgc/Analysis/Scopes.h"

#include <algorithm>

namespace sdfgc::analysis {

using namespace ir;

bool differ(Type a, Type b) {
    const Type x = a.isVector() ? a.element() : a, y = b.isVector() ? b.element() : b;
    return x.isNumeric() && y.isNumeric() && !(x == y);
}

const DataDesc *outerContainer(const Edge &e, const NestedSDFGNode &n) {
    const auto *access = dyn_cast<AccessNode>(e.dst == &n ? pathSource(&e) : pathDestination(&e));
    if (!access)
        return nullptr;
    const Name data = e.memlet.data; // a member of the structure at the other end
    const bool isMember = data && data.str().rfind(access->data.str() + ".", 0) == 0;
    return n.state()->sdfg()->desc(isMember ? data : access->data);
}

bool isConverted(const Edge &e, const NestedSDFGNode &n) {
    const Name argument = e.dst == &n ? e.dstConn : e.srcConn;
    const DataDesc *inner = n.sdfg && argument ? n.sdfg->desc(argument) : nullptr, *outer = inner ? outerContainer(e, n) : nullptr;
    return outer && inner->isScalar() && inner->dtype.isScalar() && outer->dtype.isScalar() && differ(inner->dtype, outer->dtype);
}

namespace {

bool hasIterations(const MapEntry &m) {
    return std::all_of(m.ranges.begin(), m.ranges.end(), [](const sym::Range &r) { return r.steps().asInt().value_or(0) > 0; });
}

/// Is the data of an edge written whenever its state runs?
bool isCertain(const Edge &e) {
    if (e.memlet.isEmpty() || e.memlet.dynamic || !e.memlet.wcr.empty())
        return false;
    if (const auto *nested = dyn_cast<NestedSDFGNode>(e.src))
        return nested->sdfg && alwaysWrites(*nested->sdfg, e.srcConn);
    const auto *exit = dyn_cast<MapExit>(e.src);
    if (!exit)
        return e.src->kind() != NodeKind::ConsumeExit;
    const Name inside = e.srcConn ? pairedConnector(e.srcConn) : Name();
    const Edge *in = inside ? exit->inEdge(inside) : nullptr;
    return exit->entry && hasIterations(*exit->entry) && in && isCertain(*in);
}

bool alwaysWrites(const State &s, Name scalar) {
    return std::any_of(s.nodes().begin(), s.nodes().end(), [scalar](const auto &n) {
        const auto *access = dyn_cast<AccessNode>(n.get());
        return access && access->data == scalar &&
               std::any_of(access->inEdges().begin(), access->inEdges().end(), [](const Edge *e) { return isCertain(*e); });
    });
}

bool mayReturn(const Block &b) {
    if (const auto *c = dyn_cast<ConditionalBlock>(&b))
        return std::any_of(c->branches().begin(), c->branches().end(),
                           [](const auto &branch) { return mayReturn(*branch.region); });
    const auto *r = dyn_cast<Region>(&b);
    return b.kind() == BlockKind::Return ||
           (r && std::any_of(r->blocks().begin(), r->blocks().end(), [](const auto &inner) { return mayReturn(*inner); }));
}

bool alwaysWrites(const Region &r, Name scalar);

bool alwaysWrites(const Block &b, Name scalar) {
    if (const auto *s = dyn_cast<State>(&b))
        return alwaysWrites(*s, scalar);
    if (const auto *c = dyn_cast<ConditionalBlock>(&b))
        return !c->branches().empty() && !c->branches().back().condition &&
               std::all_of(c->branches().begin(), c->branches().end(),
                           [scalar](const auto &branch) { return alwaysWrites(*branch.region, scalar); });
    const bool runsOnce = b.kind() == BlockKind::Named || b.kind() == BlockKind::FunctionCall || b.kind() == BlockKind::Region;
    return runsOnce && alwaysWrites(static_cast<const Region &>(b), scalar);
}

/// Does one of the blocks that evidently follow each other unconditionally write the scalar?
bool alwaysWrites(const Region &r, Name scalar) {
    std::size_t left = r.blocks().size();
    for (const Block *b = r.start(); b && left > 0; --left) {
        if (alwaysWrites(*b, scalar))
            return true;
        if (mayReturn(*b) || b->outEdges().size() != 1 || !b->outEdges().front()->isUnconditional())
            return false;
        b = b->outEdges().front()->dst;
    }
    return false;
}

} // namespace

bool alwaysWrites(const SDFG &g, Name scalar) { return alwaysWrites(static_cast<const Region &>(g), scalar); }

} // namespace sdfgc::analysis
