// Views and references: containers that stand for the memory of others.
#include "../Plan.h"

namespace sdfgc::interpret {

namespace {

/// Lets a container stand for the memory from an element of another on.
class AliasStep final : public Step {
public:
    Container *alias = nullptr, *byName = nullptr; // byName: what control flow sees; null if it is the alias itself
    const Access *start = nullptr;
    Code code; // indices of the start

    void run(Machine &m) override {
        m.order.task();
        code.run(m);
        alias->measure(m);
        alias->standFor(*start, m);
        if (!byName)
            return;
        byName->buffer = alias->buffer;
        byName->start = alias->start;
        byName->shape = alias->shape;
        byName->strides = alias->strides;
        byName->offset = alias->offset;
    }
};

/// A step for a container that stands for the subset of another; without a subset, as where a memlet only names the alias, for all.
std::unique_ptr<AliasStep> aliasOf(Planner &p, Scope &scope, Container *alias, Container &viewed,
                                   const std::optional<sym::Subset> &subset, const ir::AccessNode &n, const ir::Edge &e) {
    auto step = std::make_unique<AliasStep>();
    step->alias = alias;
    Builder b = p.builder(scope, p.symbolicDivision(), nullptr);
    step->start = p.access(b, viewed, subset, p.site(n, &e.memlet));
    step->code = p.finish(b, ir::elementName(n));
    return step;
}

} // namespace

std::unique_ptr<Step> Planner::view(Scope &scope, const ir::AccessNode &n, const ir::Edge &e) {
    const bool reads = e.dst == &n;
    Container *viewed = reads ? containerAtSource(scope, e) : containerAtDestination(scope, e);
    Container *alias = scope.graph.containerAt(n);
    if (!viewed || viewed == alias || alias->desc->isStructure()) {
        refuse(ir::elementName(n),
               alias->desc->isStructure() ? "a view of a structure" : "a view of something that is no container");
        return nullptr;
    }
    auto step = aliasOf(*this, scope, alias, *viewed, reads ? ir::sourceSubset(&e) : ir::destinationSubset(&e), n, e);
    step->byName = scope.graph.container(n.data);
    layOut(*alias, scope, ir::elementName(n));
    return step;
}

std::unique_ptr<Step> Planner::setReference(Scope &scope, const ir::Edge &e) {
    const auto &n = static_cast<const ir::AccessNode &>(*e.dst);
    Container *viewed = containerAtSource(scope, e);
    if (!viewed) {
        refuse(ir::elementName(n), "a reference to something that is no container");
        return nullptr;
    }
    return aliasOf(*this, scope, scope.graph.container(n.data), *viewed, ir::sourceSubset(&e), n, e);
}

} // namespace sdfgc::interpret
