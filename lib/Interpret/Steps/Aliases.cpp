// Views and references: containers that stand for the memory of others.
#include "../Plan.h"

#include "../Values.h"

namespace sdfgc::interpret {

namespace {

/// Lets a container stand for the memory from an element of another on.
class AliasStep final : public Step {
public:
    Container *alias = nullptr, *byName = nullptr; // byName: what control flow sees; null if it is the alias itself
    Container *viewed = nullptr;
    const Access *start = nullptr;
    Code code; // indices of the start

    void run(Machine &m) override {
        m.order.task();
        code.run(m);
        alias->measure(m);
        if (viewed->desc->isStream()) {
            alias->queues = viewed->queues;
            alias->firstQueue = viewed->queueAt(*start);
        } else {
            const Pointer p = m.addressOf(*start);
            alias->buffer = viewed->buffer;
            alias->start = p.offset;
            if (alias->buffer)
                alias->buffer->refine(alias->unit);
        }
        if (!byName)
            return;
        byName->buffer = alias->buffer;
        byName->start = alias->start;
        byName->shape = alias->shape;
        byName->strides = alias->strides;
        byName->offset = alias->offset;
    }
};

/// The container at one end of an edge; of a structure the member that a connector or the memlet names.
Container *containerAtEnd(Graph &g, const ir::AccessNode &n, Name connector, const ir::Memlet &m) {
    Container *c = g.containerAt(n);
    if (!c || !c->desc->isStructure())
        return c;
    if (m.data && m.data != n.data && ir::ownerOf(m.data) == ir::ownerOf(n.data))
        if (Container *member = g.container(m.data))
            return member;
    if (connector && connector.view() != "views")
        if (Container *member = g.container(Name(n.data.str() + "." + connector.str())))
            return member;
    return c;
}

} // namespace

std::unique_ptr<Step> Planner::view(Scope &scope, const ir::AccessNode &n, const ir::Edge &e) {
    Graph &g = scope.graph;
    const bool reads = e.dst == &n;
    const auto path = ir::memletPath(&e);
    const ir::Edge &far = reads ? *path.front() : *path.back();
    const auto *other = dyn_cast<ir::AccessNode>(reads ? far.src : far.dst);
    Container *viewed = other ? containerAtEnd(g, *other, reads ? far.srcConn : far.dstConn, e.memlet) : nullptr;
    if (!viewed) {
        refuse(ir::elementName(n), "a view of something that is no container");
        return nullptr;
    }
    auto step = std::make_unique<AliasStep>();
    step->alias = g.containerAt(n);
    step->byName = g.container(n.data);
    step->viewed = viewed;
    layOut(*step->alias, scope, ir::elementName(n));
    Builder b = builder(scope, symbolicDivision(), nullptr);
    // The subset of the viewed container; a memlet that only names the view says nothing about it: the whole.
    std::optional<sym::Subset> subset = reads ? ir::sourceSubset(&e) : ir::destinationSubset(&e);
    step->start = access(b, *viewed, subset ? &*subset : nullptr, site(n, &e.memlet));
    step->code = finish(b, ir::elementName(n));
    if (step->alias->desc->isStructure())
        refuse(ir::elementName(n), "a view of a structure");
    return step;
}

std::unique_ptr<Step> Planner::setReference(Scope &scope, const ir::Edge &e) {
    Graph &g = scope.graph;
    const auto *n = static_cast<const ir::AccessNode *>(e.dst);
    const auto path = ir::memletPath(&e);
    const auto *source = dyn_cast<ir::AccessNode>(path.front()->src);
    Container *viewed = source ? containerAtEnd(g, *source, path.front()->srcConn, e.memlet) : nullptr;
    if (!viewed) {
        refuse(ir::elementName(*n), "a reference to something that is no container");
        return nullptr;
    }
    auto step = std::make_unique<AliasStep>();
    step->alias = g.container(n->data);
    step->viewed = viewed;
    Builder b = builder(scope, symbolicDivision(), nullptr);
    const auto subset = ir::sourceSubset(&e);
    step->start = access(b, *viewed, subset ? &*subset : nullptr, site(*n, &e.memlet));
    step->code = finish(b, ir::elementName(*n));
    return step;
}

} // namespace sdfgc::interpret
