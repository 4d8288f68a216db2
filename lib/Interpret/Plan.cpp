#include "Plan.h"

#include "sdfgc/Diag/Kinds.h"

namespace sdfgc::interpret {

void Body::run(Machine &m) {
    for (Container *c : fresh)
        c->allocate(m);
    if (precedence_.isChain()) {
        for (const auto &s : steps)
            s->run(m);
        return;
    }
    m.order.enterGraph(precedence_, starts_);
    for (std::size_t k = 0; k < steps.size(); ++k) {
        m.order.step(k);
        steps[k]->run(m);
    }
    m.order.leave();
}

void Planner::refuse(const std::string &element, const std::string &why) {
    diag::Location where;
    where.file = machine.options.file;
    where.element = element;
    diags.report(diag::Id::NotInterpreted, where, why);
}

Code Planner::finish(Builder &b, const std::string &element) {
    Code code = b.take();
    if (!b.refusal().empty())
        refuse(element, b.refusal());
    return code;
}

const Site *Planner::site(const ir::Node &n, const ir::Memlet *m) {
    std::string subset;
    if (m && m->data)
        subset = m->data.str() + (m->subset ? "[" + m->subset->str() + "]" : "");
    return machine.site(ir::elementName(n), subset, n.debugInfo);
}

Access *Planner::access(Builder &b, Container &c, const std::optional<sym::Subset> &subset, const Site *site) {
    Access *x = machine.access(c, site);
    if (subset && subset->rank() == x->index.size() && !c.desc->isScalar())
        for (std::size_t d = 0; d < subset->rank(); ++d)
            x->index[d] = b.integer(subset->dims[d].begin);
    return x;
}

namespace {

/// For a structure, the member that an edge refers to, as named by its memlet or connector.
Container *memberOf(Graph &g, Container &c, const ir::Memlet &m, Name connector) {
    if (m.data && m.data != c.name && ir::ownerOf(m.data) == ir::ownerOf(c.name))
        if (Container *member = g.container(m.data))
            return member;
    if (connector && connector.view() != "views")
        if (Container *member = g.container(Name(c.name.str() + "." + connector.str())))
            return member;
    return &c;
}

Container *containerAtEnd(Scope &scope, const ir::Edge &e, const ir::Node *end, Name connector) {
    if (const auto *access = dyn_cast<ir::AccessNode>(end)) {
        Container *c = scope.graph.containerAt(*access);
        return c && c->desc->isStructure() ? memberOf(scope.graph, *c, e.memlet, connector) : c;
    }
    return (end->isEntry() || end->isExit()) && e.memlet.data ? scope.graph.container(e.memlet.data) : nullptr;
}

} // namespace

Container *Planner::containerAtSource(Scope &scope, const ir::Edge &e) {
    const ir::Edge &first = *ir::memletPath(&e).front();
    return containerAtEnd(scope, e, first.src, first.srcConn);
}

Container *Planner::containerAtDestination(Scope &scope, const ir::Edge &e) {
    const ir::Edge &last = *ir::memletPath(&e).back();
    return containerAtEnd(scope, e, last.dst, last.dstConn);
}

std::optional<sym::Subset> Planner::subsetAtSource(const ir::Edge &e) {
    return isa<ir::AccessNode>(ir::pathSource(&e)) ? ir::sourceSubset(&e) : e.memlet.subset;
}

std::optional<sym::Subset> Planner::subsetAtDestination(const ir::Edge &e) {
    return isa<ir::AccessNode>(ir::pathDestination(&e)) ? ir::destinationSubset(&e) : e.memlet.subset;
}

void Planner::layOut(Container &c, Scope &scope, const std::string &element) {
    Builder b = builder(scope, symbolicDivision(), nullptr);
    const ir::DataDesc &d = *c.desc;
    static const int64_t one = 1, zero = 0;
    c.layout = {};
    // An extent of `?` belongs to memory of the caller, and its value is not needed.
    const auto extent = [&](const sym::Expr &e) { return e.isUndefined() && !d.transient ? &zero : b.integer(e); };
    for (std::size_t k = 0; k < d.rank(); ++k) {
        c.layout.shape.push_back(extent(d.shape[k]));
        c.layout.strides.push_back(k < d.strides.size() ? b.integer(d.strides[k]) : &one);
        c.layout.offset.push_back(k < d.offset.size() ? b.integer(d.offset[k]) : &zero);
    }
    const bool single = d.isScalar() || d.isStructure();
    c.layout.total = single ? &one : d.isStream() ? b.integer(d.numElements()) : extent(d.totalSize);
    c.layout.start = d.transient && !single ? b.integer(d.startOffset) : nullptr;
    c.layout.code = finish(b, element);
    c.layout.isFixed = d.freeSymbols().empty(); // a single symbol needs no code, but changes
}

} // namespace sdfgc::interpret
