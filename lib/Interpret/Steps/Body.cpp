// The nodes of a state or scope, as steps in an order that its edges allow, and the ordering that edges impose on them.
//
// Copies are separate steps: between access nodes of one scope right after the source, unless the destination also waits for
// something else; into a scope, before the inner node. Views are bound when visited; a view that is written first is bound at the
// beginning of the scope.
#include "../Plan.h"

#include <unordered_map>

namespace sdfgc::interpret {

namespace {

/// Does the edge define the memory that a view aliases?
bool isViewEdge(const ir::Edge &e) {
    for (const ir::Node *n : {e.src, e.dst})
        if (const auto *a = dyn_cast<ir::AccessNode>(n)) {
            const ir::DataDesc *d = n->state()->sdfg()->desc(a->data);
            if (d && d->isView() && ir::viewEdge(a) == &e)
                return true;
        }
    return false;
}

bool setsReference(const ir::Edge &e) {
    const auto *a = dyn_cast<ir::AccessNode>(e.dst);
    const ir::DataDesc *d = a ? a->state()->sdfg()->desc(a->data) : nullptr;
    return d && d->isReference() && e.dstConn.view() == "set";
}

class BodyMaker {
public:
    BodyMaker(Planner &p, Graph &g, Scope &scope, const ir::State &s, const ir::Node *entry)
        : p_(p), g_(g), scope_(scope), scopes_(s), children_(scopes_.children(entry)) {}

    void make(Body &out) {
        for (ir::Node *n : children_)
            level_.insert(ir::exitOf(n)), level_.insert(n);
        writtenViews();
        for (ir::Node *n : children_)
            visit(*n);
        finish(out);
    }

private:
    struct Item {
        std::unique_ptr<NodeStep> step; // none: an access node
        std::vector<std::size_t> before;
    };

    std::size_t add(std::unique_ptr<NodeStep> step, std::vector<std::size_t> before = {}) {
        items_.push_back({std::move(step), std::move(before)});
        return items_.size() - 1;
    }

    /// Views that are written, which alias a container of a later node or of one outside.
    void writtenViews() {
        for (ir::Node *n : children_)
            if (const auto *a = dyn_cast<ir::AccessNode>(n))
                bindWritten(*a);
    }
    void bindWritten(const ir::AccessNode &a) {
        const ir::DataDesc *d = g_.sdfg.desc(a.data);
        const ir::Edge *e = d && d->isView() ? ir::viewEdge(&a) : nullptr;
        if (!e || e->src != &a || !bound_.insert(&a).second)
            return;
        const auto *viewed = dyn_cast<ir::AccessNode>(ir::pathDestination(e));
        if (viewed && level_.count(viewed))
            bindWritten(*viewed);
        if (auto step = p_.view(scope_, a, *e))
            add(std::move(step));
    }

    void visit(ir::Node &n) {
        std::vector<std::size_t> before = predecessors(n);
        if (auto *a = dyn_cast<ir::AccessNode>(&n)) {
            access(*a, std::move(before));
            return;
        }
        itemOf_[&n] = add(stepOf(n), std::move(before));
        itemOf_[ir::exitOf(&n)] = itemOf_[&n];
    }

    std::unique_ptr<NodeStep> stepOf(ir::Node &n) {
        if (const auto *t = dyn_cast<ir::Tasklet>(&n))
            return p_.tasklet(scope_, *t);
        if (const auto *m = dyn_cast<ir::MapEntry>(&n))
            return p_.map(scope_, *m);
        if (const auto *c = dyn_cast<ir::ConsumeEntry>(&n))
            return p_.consume(scope_, *c);
        if (const auto *s = dyn_cast<ir::NestedSDFGNode>(&n))
            return p_.nested(scope_, *s);
        if (const auto *l = dyn_cast<ir::LibraryNode>(&n))
            return p_.library(scope_, *l);
        return nullptr;
    }

    /// Items with edges to a node. This includes copies from nodes of this scope.
    std::vector<std::size_t> predecessors(const ir::Node &n) const {
        std::vector<std::size_t> out;
        for (const ir::Edge *e : n.inEdges()) {
            if (const auto copy = copies_.find(e); copy != copies_.end())
                out.push_back(copy->second);
            else if (const auto source = itemOf_.find(e->src); source != itemOf_.end())
                out.push_back(source->second);
        }
        return out;
    }

    void access(ir::AccessNode &a, std::vector<std::size_t> before) {
        const ir::DataDesc *d = g_.sdfg.desc(a.data);
        const ir::Edge *viewing = d && d->isView() ? ir::viewEdge(&a) : nullptr;
        if (viewing && viewing->dst == &a)
            before = {add(p_.view(scope_, a, *viewing), before)};
        std::vector<std::size_t> arrived;
        for (const ir::Edge *e : a.inEdges()) {
            if (setsReference(*e) && isa<ir::AccessNode>(ir::pathSource(e)))
                arrived.push_back(add(p_.setReference(scope_, *e), before));
            else if (isCopy(*e) && (!level_.count(e->src) || waits(a))) // into the scope, or only after others are complete
                arrived.push_back(add(p_.copy(scope_, *e), before));
        }
        before.insert(before.end(), arrived.begin(), arrived.end());
        itemOf_[&a] = add(nullptr, std::move(before));
        for (const ir::Edge *e : a.outEdges())
            if (isCopy(*e) && !(isa<ir::AccessNode>(e->dst) && waits(*e->dst)))
                copies_[e] = add(p_.copy(scope_, *e), {itemOf_[&a]});
    }

    /// Does an access node depend on more than one predecessor?
    static bool waits(const ir::Node &n) { return n.inEdges().size() > 1; }

    /// Does an edge at an access node copy to or from its container, at this point?
    bool isCopy(const ir::Edge &e) const {
        if (e.memlet.isEmpty() || isViewEdge(e) || setsReference(e))
            return false;
        if (isa<ir::AccessNode>(e.src) && (isa<ir::AccessNode>(e.dst) || e.dst->isExit()))
            return isa<ir::AccessNode>(ir::pathDestination(&e)) && !setsReference(*ir::memletPath(&e).back()) &&
                   !isViewEdge(*ir::memletPath(&e).back());
        return isa<ir::AccessNode>(e.dst) && e.src->isEntry() && isa<ir::AccessNode>(ir::pathSource(&e));
    }

    /// Keeps the items that have an effect; the others still impose an order.
    void finish(Body &out) {
        std::vector<std::vector<std::size_t>> all;
        for (const Item &i : items_)
            all.push_back(i.before);
        const Precedence order(all);
        std::vector<std::size_t> kept;
        std::vector<std::vector<std::size_t>> before;
        for (std::size_t k = 0; k < items_.size(); ++k) {
            if (!items_[k].step)
                continue;
            before.emplace_back();
            for (std::size_t j = 0; j < kept.size(); ++j)
                if (order.isBefore(kept[j], k))
                    before.back().push_back(j);
            kept.push_back(k);
            out.steps.push_back(std::move(items_[k].step));
        }
        out.order(before);
    }

    Planner &p_;
    Graph &g_;
    Scope &scope_;
    const analysis::ScopeTree scopes_;
    const std::vector<ir::Node *> &children_;
    std::set<const ir::Node *> level_;
    std::set<const ir::AccessNode *> bound_;
    std::vector<Item> items_;
    std::unordered_map<const ir::Node *, std::size_t> itemOf_;
    std::unordered_map<const ir::Edge *, std::size_t> copies_;
};

} // namespace

void Planner::body(Body &out, Graph &g, Scope &scope, const ir::State &s, const ir::Node *entry) {
    out.fresh = g.livingIn(s, entry);
    for (Container *c : out.fresh)
        layOut(*c, scope, ir::elementName(s));
    BodyMaker(*this, g, scope, s, entry).make(out);
}

} // namespace sdfgc::interpret
