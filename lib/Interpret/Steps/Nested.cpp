// Nested SDFGs: symbols by value, containers as aliases of the surrounding memory.
#include "../Plan.h"
#include "../Values.h"

#include "sdfgc/Analysis/Symbols/ArgumentTypes.h"

#include <cstring>

namespace sdfgc::interpret {

namespace {

/// A scalar argument whose type differs from the outer element: a value that is converted on entry and on exit.
struct ConvertedArgument {
    Container *inner;
    const Access *element;
    Operand outside, inside;
    Code in, out;
    bool isRead = false, isWritten = false;

    /// If the outer element is unwritten, so is the inner one.
    void enter(Machine &m) {
        inner->buffer = std::make_shared<Buffer>(inner->name, 1, std::max<int64_t>(inner->unit, 1));
        inner->start = 0;
        Buffer *b = nullptr;
        int64_t offset = 0;
        const std::byte *at = isRead ? m.locate(*element, element->container->unit, b, offset) : nullptr;
        if (!at || (b->isOwn() && !b->hasValue(offset, element->container->unit)))
            return;
        m.noteRead(*b, offset, element->container->unit, element->site);
        std::memcpy(outside.at, at, static_cast<std::size_t>(element->container->unit));
        in.run(m);
        std::memcpy(inner->buffer->memory, inside.at, static_cast<std::size_t>(inner->unit));
        inner->buffer->cells[0].written = {m.order.now};
    }
    void leave(Machine &m) {
        if (!isWritten || !inner->buffer->hasValue(0, inner->unit))
            return;
        std::memcpy(inside.at, inner->buffer->memory, static_cast<std::size_t>(inner->unit));
        out.run(m);
        Buffer *b = nullptr;
        int64_t offset = 0;
        if (std::byte *at = m.locate(*element, element->container->unit, b, offset)) {
            m.noteWrite(*b, offset, element->container->unit, outside.at, element->site);
            std::memcpy(at, outside.at, static_cast<std::size_t>(element->container->unit));
        }
    }
};

class NestedStep final : public NodeStep {
public:
    NestedStep(Planner &p, Scope &scope, const ir::NestedSDFGNode &n) : graph_(p, *n.sdfg, &scope.graph) {
        Builder b = p.builder(scope, p.symbolicDivision(), p.site(n));
        std::vector<std::pair<Operand, Operand>> values;
        for (const auto &[symbol, value] : n.symbolMapping) {
            const auto inner = graph_.symbols.find(symbol);
            if (inner == graph_.symbols.end() || inner->second.type.isCallback())
                continue;
            const Operand kept = b.reserve(inner->second.type);
            b.copy(kept, b.convert(b.symbolic(sym::exact(value)), kept.type));
            values.emplace_back(inner->second, kept);
        }
        for (const auto &[to, from] : values)
            b.copy(to, from);
        for (const ir::Edge *e : n.inEdges())
            bind(p, b, scope, n, *e, e->dstConn, true);
        for (const ir::Edge *e : n.outEdges())
            bind(p, b, scope, n, *e, e->srcConn, false);
        for (ConvertedArgument &a : converted_) {
            a.isRead = n.inEdge(a.inner->name) != nullptr;
            a.isWritten = n.outEdge(a.inner->name) != nullptr;
        }
        before_ = p.finish(b, ir::elementName(n));
    }

    void run(Machine &m) override {
        m.order.task();
        before_.run(m);
        for (const Binding &x : bindings_)
            x.bind(m);
        for (const auto &[inner, outer] : members_)
            inner->standFor(*outer);
        for (const std::unique_ptr<NodeStep> &element : elements_)
            element->run(m);
        for (const auto &[inner, address] : addresses_)
            inner->standAt(as<Pointer>(address.at));
        for (const auto &[inner, value] : scalars_) {
            inner->buffer = std::make_shared<Buffer>(inner->name, 1, std::max<int64_t>(inner->unit, 1));
            std::copy_n(value.at, inner->unit, inner->buffer->memory);
            inner->buffer->cells[0].written = {m.order.now};
            inner->start = 0;
        }
        for (ConvertedArgument &a : converted_)
            a.enter(m);
        graph_.enter(m);
        graph_.run(m);
        for (ConvertedArgument &a : converted_)
            a.leave(m);
    }

private:
    struct Binding {
        Container *inner;
        const Access *start;            // in the surrounding graph
        std::vector<std::size_t> fixed; // dimensions in which all elements of the argument have the same index

        /// An argument may be outside of the shape if nothing accesses it: the callee may test the index first.
        void bind(Machine &m) const {
            inner->standFor(*start, m);
            inner->astray = start->container->astray;
            if (inner->astray.empty() && !fixed.empty())
                inner->astray = m.outsideOfShape(*start, fixed);
            if (!inner->astray.empty())
                inner->buffer = nullptr;
        }
    };

    static std::vector<std::size_t> fixedDimensions(const Container &inner, const Access &start,
                                                    const std::optional<sym::Subset> &subset) {
        std::vector<std::size_t> out;
        if (!subset || subset->rank() != start.index.size() || start.container->desc->isStream())
            return out;
        const std::size_t others = subset->nonUnitDims().size();
        const bool isElement = inner.desc->isScalar() || (inner.desc->isArray() && inner.desc->totalSize.isOne());
        if (others == 0 ? !isElement : inner.desc->rank() != others) // the callee may see the elements in another shape
            return out;
        for (std::size_t d = 0; d < subset->rank(); ++d)
            if (sym::Subset{{subset->dims[d]}}.isOneElement())
                out.push_back(d);
        return out;
    }

    void bind(Planner &p, Builder &b, Scope &scope, const ir::NestedSDFGNode &n, const ir::Edge &e, Name connector, bool in) {
        Container *inner = e.memlet.isEmpty() && !connector ? nullptr : graph_.container(connector);
        if (!inner || !done_.insert(connector).second)
            return;
        Container *outer = in ? Planner::containerAtSource(scope, e) : Planner::containerAtDestination(scope, e);
        if (!outer) { // a value of another node
            const auto path = ir::memletPath(&e);
            const auto value = p.values.find({path.front()->src, path.front()->srcConn});
            if (in && value != p.values.end() && value->second.type.isPointer())
                addresses_.emplace_back(inner, value->second);
            else if (in && value != p.values.end())
                scalars_.emplace_back(inner, b.convert(value->second, inner->type));
            else
                p.refuse(ir::elementName(n), "the connector `" + connector.str() + "`, which is not connected to a container");
            return;
        }
        const auto subset = in ? Planner::subsetAtSource(e) : Planner::subsetAtDestination(e);
        if (isElementOf(*inner, *outer)) {
            if (std::unique_ptr<NodeStep> step = p.element(scope, graph_, *inner, *outer, subset, n, e.memlet))
                elements_.push_back(std::move(step));
            return;
        }
        Access *first = p.access(b, *outer, subset, p.site(n, &e.memlet));
        first->allowOutside = e.memlet.allowOob;
        if (analysis::isConverted(e, n)) {
            convert(p, scope, n, *inner, first);
            return;
        }
        bindings_.push_back({inner, first, fixedDimensions(*inner, *first, subset)});
        for (const auto &[member, desc] : inner->desc->members)
            bindMember(p, scope, n, connector.str() + "." + member.str(), outer->name.str() + "." + member.str());
    }

    void convert(Planner &p, Scope &scope, const ir::NestedSDFGNode &n, Container &inner, const Access *element) {
        ConvertedArgument &a = converted_.emplace_back();
        a.inner = &inner;
        a.element = element;
        Builder in = p.builder(scope, p.pythonDivision(), element->site), out = p.builder(scope, p.pythonDivision(), element->site);
        a.outside = in.reserve(element->container->type);
        a.inside = in.reserve(inner.type);
        in.copy(a.inside, in.convert(a.outside, a.inside.type));
        out.copy(a.outside, out.convert(a.inside, a.outside.type));
        a.in = p.finish(in, ir::elementName(n));
        a.out = p.finish(out, ir::elementName(n));
    }

    void bindMember(Planner &p, Scope &scope, const ir::NestedSDFGNode &n, const std::string &innerName,
                    const std::string &outerName) {
        Container *inner = graph_.container(Name(innerName)), *outer = scope.graph.container(Name(outerName));
        if (!inner || !outer)
            return;
        members_.emplace_back(inner, outer);
        for (const auto &[member, desc] : inner->desc->members)
            bindMember(p, scope, n, innerName + "." + member.str(), outerName + "." + member.str());
    }

    Graph graph_;
    Code before_;
    std::vector<Binding> bindings_;
    std::vector<std::pair<Container *, const Container *>> members_;   // of structures: inside, outside
    std::vector<std::unique_ptr<NodeStep>> elements_;                  // bindings to the targets of elements of container arrays
    std::vector<std::pair<Container *, Operand>> scalars_, addresses_; // values of other nodes; elements that a scope consumes
    std::deque<ConvertedArgument> converted_;
    std::set<Name> done_;
};

} // namespace

std::unique_ptr<NodeStep> Planner::nested(Scope &scope, const ir::NestedSDFGNode &n) {
    if (!n.sdfg) {
        refuse(ir::elementName(n), "a nested SDFG in another file");
        return nullptr;
    }
    return std::make_unique<NestedStep>(*this, scope, n);
}

} // namespace sdfgc::interpret
