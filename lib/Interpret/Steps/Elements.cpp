// Elements of container arrays, which are pointers: containers that alias the memory they point to.
#include "../Plan.h"

#include "../Values.h"

namespace sdfgc::interpret {

namespace {

class ElementStep final : public NodeStep {
public:
    Graph *graph = nullptr;          // of the alias
    std::vector<Container *> family; // the alias and its members
    const Access *element = nullptr; // of the container array
    Code code;                       // its indices

    void run(Machine &m) override {
        m.order.task();
        code.run(m);
        for (Container *c : family)
            c->measure(m);
        graph->give(m, *family.front(), pointer(m), Graph::Memory::Pointed);
    }

private:
    std::byte *pointer(Machine &m) const {
        Buffer *b = nullptr;
        int64_t offset = 0;
        const std::byte *at = m.locate(*element, element->container->unit, b, offset);
        if (!at)
            return nullptr;
        const bool known = b->hasValue(offset, element->container->unit);
        m.noteRead(*b, offset, element->container->unit, element->site);
        return known ? as<std::byte *>(at) : nullptr;
    }
};

} // namespace

bool isElementOf(const Container &alias, const Container &pointers) {
    return pointers.desc->isContainerArray() && (alias.desc->isStructure() || !(alias.desc->dtype == pointers.desc->dtype));
}

std::unique_ptr<NodeStep> Planner::element(Scope &scope, Graph &g, Container &alias, Container &pointers,
                                           const std::optional<sym::Subset> &subset, const ir::Node &n, const ir::Memlet &memlet) {
    const Type pointed = pointers.type.isPointer() ? pointers.type.element() : pointers.type;
    if (!(alias.type == pointed) || (subset && !subset->nonUnitDims().empty())) {
        refuse(ir::elementName(n),
               "`" + alias.name.str() + "` of " + alias.type.str() + " for " +
                   (subset ? "`" + pointers.name.str() + "[" + subset->str() + "]`" : "all of `" + pointers.name.str() + "`") +
                   ", whose elements point to " + pointed.str());
        return nullptr;
    }
    auto step = std::make_unique<ElementStep>();
    step->graph = &g;
    step->family = {&alias};
    for (std::size_t k = 0; k < step->family.size(); ++k)
        for (const auto &[member, desc] : step->family[k]->desc->members)
            if (Container *c = g.container(Name(step->family[k]->name.str() + "." + member.str())))
                step->family.push_back(c);
    Builder b = builder(scope, symbolicDivision(), nullptr);
    step->element = access(b, pointers, subset, site(n, &memlet));
    step->code = finish(b, ir::elementName(n));
    return step;
}

} // namespace sdfgc::interpret
