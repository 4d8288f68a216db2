// Rules of edges and memlets.
#include "Analysis/Verify/Verifier.h"

#include "sdfgc/Tasklet/Types.h"

namespace sdfgc::analysis {

using namespace ir;
using diag::Id;

namespace {

const AccessNode *asAccess(const Node *n) { return dyn_cast<AccessNode>(n); }

/// The container that an end of a path accesses, or null.
const DataDesc *descOf(const Node *end, const SDFG &g) {
    const AccessNode *access = asAccess(end);
    return access ? g.desc(access->data) : nullptr;
}

std::string endText(const Node *n) {
    const AccessNode *access = asAccess(n);
    return access ? access->data.str() : n->label;
}

} // namespace

void Verifier::edge(const Edge &e, const StateFrame &sf) {
    const Node *source = sf.ends.source(&e), *destination = sf.ends.destination(&e);
    crossedScopes(e, sf, source, destination);
    if (e.memlet.isEmpty())
        return emptyMemlet(e, source, destination);
    if (source->kind() == NodeKind::NestedSDFG && !asAccess(destination))
        report(Id::NestedSDFGEdge, e, "destination");
    if (destination->kind() == NodeKind::NestedSDFG && !asAccess(source))
        report(Id::NestedSDFGEdge, e, "source");
    if (e.memlet.data)
        memletData(e, sf, source, destination);
}

void Verifier::emptyMemlet(const Edge &e, const Node *source, const Node *destination) {
    const bool adjacent = e.src == source && e.dst == destination;
    if (adjacent && source->kind() == NodeKind::Tasklet && destination->kind() == NodeKind::Tasklet)
        return;
    if (destination->isCode() && e.dst == destination && e.dstConn)
        report(Id::EmptyMemletAtConnector, e, e.dstConn.str());
    else if (source->isCode() && e.src == source && e.srcConn)
        report(Id::EmptyMemletAtConnector, e, e.srcConn.str());
    else if ((e.dst->isEntry() || e.dst->isExit()) && e.dstConn) // the path of data would have a gap
        report(Id::EmptyMemletAtConnector, e, e.dstConn.str());
    else if ((e.src->isEntry() || e.src->isExit()) && e.srcConn)
        report(Id::EmptyMemletAtConnector, e, e.srcConn.str());
}

void Verifier::crossedScopes(const Edge &e, const StateFrame &sf, const Node *source, const Node *destination) {
    const Node *outer = sf.scopes.scopeOf(source), *inner = sf.scopes.scopeOf(destination);
    auto contains = [&](const Node *scope, const Node *other) {
        return scope == other || (other && sf.scopes.encloses(scope, other));
    };
    if (contains(outer, inner) || source == inner)
        return;
    if (!contains(inner, outer))
        report(Id::DisjointScopes, e);
    else if (!asAccess(destination) && !e.memlet.isEmpty())
        report(Id::EndsOutsideScope, e, elementName(*destination));
}

void Verifier::memletData(const Edge &e, const StateFrame &sf, const Node *source, const Node *destination) {
    const SDFG &g = sf.f.g;
    const Memlet &m = e.memlet;
    const DataDesc *d = g.desc(m.data);
    if (!d) {
        report(Id::UnknownContainer, e, m.data.str(), suggestion(m.data, containerNames(g)));
        return;
    }
    const AccessNode *from = asAccess(source), *to = asAccess(destination);
    auto structured = [&](const Node *end) {
        const DataDesc *x = descOf(end, g);
        return x && (x->isStructure() || x->isContainerArray());
    };
    auto names = [&](const AccessNode *end, Name conn) { return end && (end->data == m.data || conn == m.data); };
    if ((from || to) && !structured(source) && !structured(destination) && !names(from, e.srcConn) && !names(to, e.dstConn))
        report(Id::MemletOfOtherData, e, m.data.str(), endText(source), endText(destination));
    if (!m.wcr.empty())
        resolution(e, g);
    storageAccess(e, sf);
    subsets(e, sf, source, destination);
}

/// A conflict resolution is a function of the old and the new value. It reads nothing else, so a pass that moves it to another
/// graph need not inspect it.
void Verifier::resolution(const Edge &e, const SDFG &g) {
    const auto wcr = py::parseWcr(e.memlet.wcr);
    if (!wcr.value) {
        report(Id::BadCode, e, wcr.error.message);
        return;
    }
    for (const Name name : py::freeNames(*wcr.value->lambda))
        if (!g.constant(name))
            report(Id::BadCode, e,
                   "the conflict resolution reads `" + name.str() + "`, which is neither a parameter of it nor a constant");
}

void Verifier::subsets(const Edge &e, const StateFrame &sf, const Node *source, const Node *destination) {
    const SDFG &g = sf.f.g;
    const Memlet &m = e.memlet;
    const DataDesc *d = g.desc(m.data);
    undefinedSubsets(e);
    zeroSteps(e);
    if (asAccess(e.src) && asAccess(e.dst))
        negativeSizes(e, g);
    // The end that is not `data` has the other subset.
    const AccessNode *to = asAccess(destination);
    const bool dataIsDestination = to && to->data == m.data;
    const Node *other = dataIsDestination ? source : destination;
    const DataDesc *od = m.otherSubset ? descOf(other, g) : nullptr;
    bool ranksFit = true;
    auto rank = [&](const sym::Subset &s, Name data, const DataDesc &of) {
        if (s.rank() == of.rank())
            return true;
        report(Id::MemletRank, e, s.str(), s.rank(), data.str(), of.rank());
        return ranksFit = false;
    };
    if (m.subset && rank(*m.subset, m.data, *d) && !m.allowOob && (asAccess(source) || to))
        bounds(e, *m.subset, m.data, *d, sf);
    if (od && rank(*m.otherSubset, asAccess(other)->data, *od) && !m.allowOob)
        bounds(e, *m.otherSubset, asAccess(other)->data, *od, sf);
    if (ranksFit && m.subset && m.otherSubset && !m.allowOob)
        copySizes(e, sf, source, destination);
}

void Verifier::copySizes(const Edge &e, const StateFrame &sf, const Node *source, const Node *destination) {
    const SDFG &g = sf.f.g;
    const DataDesc *from = descOf(source, g), *to = descOf(destination, g);
    if (!from || !to || from->isStream() || to->isStream() || e.dstConn == Name("set"))
        return;
    const bool isSource = dataIsSource(e.memlet, source, destination);
    const sym::Subset &read = isSource ? *e.memlet.subset : *e.memlet.otherSubset;
    const sym::Subset &written = isSource ? *e.memlet.otherSubset : *e.memlet.subset;
    sym::Expr reads = read.numElements() * sym::Expr(from->dtype.lanes()),
              writes = written.numElements() * sym::Expr(to->dtype.lanes());
    if (reads == writes || sym::isEqual(reads, writes, g.symbolHints) != sym::Truth::False)
        return;
    for (const auto &[end, d] : {std::pair(source, from), std::pair(destination, to)}) // a view may reinterpret
        if (d->isView() && viewEdge(asAccess(end)) == &e)
            return;
    report(Id::CopySizes, e, reads.str(), writes.str());
}

/// Tasklets and dynamic ranges on the host cannot read single elements of device memory.
void Verifier::storageAccess(const Edge &e, const StateFrame &sf) {
    const DataDesc *d = sf.f.g.desc(e.memlet.data);
    if (!isGpuStorage(d->storage) || sf.f.onDevice || sf.f.undecided)
        return;
    if (e.src->kind() != NodeKind::Tasklet && e.dst->kind() != NodeKind::Tasklet && e.dst->kind() != NodeKind::MapEntry)
        return;
    if (e.dst->isEntry() && pairedConnector(e.dstConn))
        return; // only passed through; the reader inside is checked
    const Connector *src = e.srcConn ? e.src->outConnector(e.srcConn) : nullptr;
    const Connector *dst = e.dstConn ? e.dst->inConnector(e.dstConn) : nullptr;
    if ((src && src->type.isPointer()) || (dst && dst->type.isPointer()) || e.memlet.dynamic ||
        (e.memlet.subset && !e.memlet.subset->isOneElement()))
        return;
    const Node *at = e.dst->isExit() ? e.src : e.dst;
    for (const Node *entry = at->isEntry() ? at : sf.scopes.scopeOf(at); entry; entry = sf.scopes.scopeOf(entry)) {
        auto *m = dyn_cast<MapEntry>(entry);
        Schedule s = m ? m->schedule : static_cast<const ConsumeEntry *>(entry)->schedule;
        if (isGpuSchedule(s) || s == Schedule::Default)
            return;
    }
    report(Id::DeviceDataOnHost, e, e.memlet.data.str(), ir::name(d->storage));
}

} // namespace sdfgc::analysis
