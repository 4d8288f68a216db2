// Views and references: containers that alias the memory of others.
#include "../Plan.h"

namespace sdfgc::interpret {

namespace {

/// Makes a container an alias for the memory starting at an element of another one.
class AliasStep final : public NodeStep {
public:
    Container *alias = nullptr, *byName = nullptr; // byName: the container seen by control flow; null if it is the alias itself
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

/// A step that makes a container an alias for a subset of another one, or for all of it if there is no subset because the memlet
/// only names the alias.
std::unique_ptr<AliasStep> aliasOf(Planner &p, Scope &scope, Container *alias, Container &viewed,
                                   const std::optional<sym::Subset> &subset, const ir::AccessNode &n, const ir::Edge &e) {
    auto step = std::make_unique<AliasStep>();
    step->alias = alias;
    Builder b = p.builder(scope, p.symbolicDivision(), nullptr);
    step->start = p.access(b, viewed, subset, p.site(n, &e.memlet));
    step->code = p.finish(b, ir::elementName(n));
    return step;
}

/// Makes each member of a structure an alias for the member of that name in another one.
class StructureAliasStep final : public NodeStep {
public:
    std::vector<std::pair<Container *, const Container *>> members; // of the alias, of the other one

    void run(Machine &m) override {
        m.order.task();
        for (const auto &[alias, viewed] : members) {
            alias->measure(m);
            alias->standFor(*viewed);
        }
    }
};

std::optional<sym::Subset> viewedSubset(const ir::AccessNode &view, const ir::Edge &e) {
    return e.dst == &view ? ir::sourceSubset(&e) : ir::destinationSubset(&e);
}

/// Do all nodes of a view in the state view the same part of the same container? Members are found by name, whichever node is used.
bool looksAtOne(const ir::AccessNode &view, const ir::Edge &e) {
    const ir::AccessNode *shown = ir::viewedNode(&view);
    for (const ir::AccessNode *n : ir::nodesOf<ir::AccessNode>(*view.state()))
        if (n->data == view.data) {
            const ir::AccessNode *other = ir::viewedNode(n);
            const ir::Edge *edge = ir::viewEdge(n);
            if (!shown || !other || !edge || !(other->data == shown->data) || !(viewedSubset(*n, *edge) == viewedSubset(view, e)))
                return false;
        }
    return true;
}

void aliasMembers(Planner &p, Scope &scope, const std::string &alias, const std::string &viewed, const ir::DataDesc &d,
                  const ir::AccessNode &n, const ir::Edge &e, StructureAliasStep &out) {
    for (const auto &[member, desc] : d.members) {
        const std::string inner = alias + "." + member.str(), outer = viewed + "." + member.str();
        Container *to = scope.graph.container(Name(inner)), *from = scope.graph.container(Name(outer));
        if (!to || !from) {
            p.refuse(ir::elementName(n), "the view `" + alias + "` of a structure without its member `" + member.str() + "`");
            return;
        }
        if (desc->isStructure())
            aliasMembers(p, scope, inner, outer, *desc, n, e, out);
        else
            out.members.emplace_back(to, from);
    }
}

} // namespace

std::unique_ptr<NodeStep> Planner::view(Scope &scope, const ir::AccessNode &n, const ir::Edge &e) {
    const bool reads = e.dst == &n;
    Container *viewed = reads ? containerAtSource(scope, e) : containerAtDestination(scope, e);
    Container *alias = scope.graph.containerAt(n);
    if (!viewed || viewed == alias) {
        refuse(ir::elementName(n), "a view of something other than a container");
        return nullptr;
    }
    const std::optional<sym::Subset> subset = viewedSubset(n, e);
    const bool element = isElementOf(*alias, *viewed);
    if (alias->desc->isStructure()) {
        if (!(viewed->desc->isStructure() || element) || !looksAtOne(n, e))
            refuse(ir::elementName(n), "a view of several structures in one state, or of something other than a structure");
        for (Container *c : scope.graph.family(n.data))
            layOut(*c, scope, ir::elementName(n));
        if (element)
            return this->element(scope, scope.graph, *alias, *viewed, subset, n, e.memlet);
        auto members = std::make_unique<StructureAliasStep>();
        aliasMembers(*this, scope, alias->name.str(), viewed->name.str(), *alias->desc, n, e, *members);
        return members;
    }
    layOut(*alias, scope, ir::elementName(n));
    if (element)
        return this->element(scope, scope.graph, *alias, *viewed, subset, n, e.memlet);
    auto step = aliasOf(*this, scope, alias, *viewed, subset, n, e);
    step->byName = scope.graph.container(n.data);
    return step;
}

std::unique_ptr<NodeStep> Planner::setReference(Scope &scope, const ir::Edge &e) {
    const auto &n = static_cast<const ir::AccessNode &>(*e.dst);
    Container *viewed = containerAtSource(scope, e);
    if (!viewed) {
        refuse(ir::elementName(n), "a reference to something other than a container");
        return nullptr;
    }
    Container *reference = scope.graph.container(n.data);
    if (isElementOf(*reference, *viewed))
        return element(scope, scope.graph, *reference, *viewed, ir::sourceSubset(&e), n, e.memlet);
    return aliasOf(*this, scope, reference, *viewed, ir::sourceSubset(&e), n, e);
}

} // namespace sdfgc::interpret
