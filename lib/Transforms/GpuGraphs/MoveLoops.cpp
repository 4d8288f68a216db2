// Moves the loops of a nest to the device (LoopNest.h).
#include "Transforms/GpuGraphs/ControlKernel.h"
#include "Transforms/GpuGraphs/LoopNest.h"

#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;

namespace {

/// A container of one element in device memory.
Name addCell(SDFG &g, const std::string &name, Type type) {
    DataDesc d = DataDesc::array(type, {1}, true);
    d.storage = Storage::GPU_Global;
    const Name cell = g.freshName(name);
    g.arrays.set(cell, d);
    return cell;
}

/// A host scalar that holds a temporary copy.
Name addHostCopy(SDFG &g, const std::string &name, Type type) {
    DataDesc d = DataDesc::scalar(type, true);
    d.storage = Storage::Register;
    const Name copy = g.freshName(name);
    g.arrays.set(copy, d);
    return copy;
}

/// Does a symbol have a value when control reaches a loop from outside?
bool hasValueBefore(Name symbol, const LoopRegion &loop, const SDFG &g) {
    const std::vector<const Region *> inside = allRegions(loop);
    for (const Region *r : allRegions(g)) {
        if (std::find(inside.begin(), inside.end(), r) != inside.end())
            continue;
        if (const auto *l = dyn_cast<LoopRegion>(r); l && l->variable == symbol)
            return true;
        for (const auto &e : r->edges())
            for (const auto &[assigned, text] : e->assignments)
                if (assigned == symbol)
                    return true;
    }
    const bool isMapped = g.parentNode && std::any_of(g.parentNode->symbolMapping.begin(), g.parentNode->symbolMapping.end(),
                                                      [symbol](const auto &mapped) { return mapped.first == symbol; });
    return isMapped || analysis::freeSymbols(g).count(symbol) != 0;
}

/// Can control return to a loop from its end while a symbol keeps its value? Assignments inside of blocks on the way do not count.
class WayBack {
public:
    WayBack(const LoopRegion &loop, Name symbol) : loop_(loop), symbol_(symbol) {
        for (const Region *r = loop.parent(); r; r = r->parent())
            around_.insert(r);
        leave(loop);
    }
    bool exists() const { return exists_; }

private:
    /// Goes on after a block.
    void leave(const Block &b) {
        if (!left_.insert(&b).second)
            return;
        for (const InterstateEdge *e : b.outEdges())
            if (std::none_of(e->assignments.begin(), e->assignments.end(), [&](const auto &a) { return a.first == symbol_; }))
                enter(*e->dst);
        if (!b.outEdges().empty() || !b.parent())
            return;
        const Region &r = *b.parent(); // ends here
        if (const auto *l = dyn_cast<LoopRegion>(&r); l && l->variable != symbol_ && l->start())
            enter(*l->start());
        if (const ConditionalBlock *c = r.conditional())
            leave(*c);
        else if (r.parent())
            leave(r);
    }
    void enter(const Block &b) {
        exists_ |= &b == &loop_;
        if (const auto *c = dyn_cast<ConditionalBlock>(&b)) {
            for (const auto &branch : c->branches())
                if (around_.count(branch.region.get()) && branch.region->start())
                    enter(*branch.region->start());
        } else if (const auto *r = dyn_cast<Region>(&b); r && around_.count(r) && r->start()) {
            if (const auto *l = dyn_cast<LoopRegion>(r); !l || l->variable != symbol_)
                enter(*r->start());
        }
        leave(b);
    }

    const LoopRegion &loop_;
    const Name symbol_;
    std::set<const Region *> around_; // regions with the loop inside
    std::set<const Block *> left_;
    bool exists_ = false;
};

} // namespace

void DeviceLoopNest::move() {
    std::vector<Name> neededSymbols, neededCopies;
    for (const Name s : symbols_)
        if (isNeededOutside(s) || isNeededAgain(s))
            neededSymbols.push_back(s);
    for (const auto &[host, device] : twins_)
        if (!g_.desc(host)->transient ? !comesAtEnd(host) : isNeededOutside(host))
            neededCopies.push_back(host);
    std::vector<Name> given;
    for (const Name s : symbols_)
        if (hasValueBefore(s, outermost_, g_))
            given.push_back(s);
    dropCopies();
    for (const Name s : symbols_)
        cells_[s] = addCell(g_, "gpu_" + s.str(), *g_.symbols.find(s));
    for (const auto &[m, symbol] : readers_)
        handOver(*m, symbol);
    for (Assignments &a : assignments_)
        if (!isLast(a))
            assign(a);
    for (Branches &b : branches_)
        choose(b);
    for (Loop &l : loops_) {
        flags_[l.region] = addCell(g_, "go", Type(ScalarKind::Bool));
        arm(l, l.region == &outermost_ ? given : std::vector<Name>());
        step(l);
        look(l);
    }
    giveBack(neededSymbols, neededCopies);
    for (State *s : emptied_)
        leaveOut(*s);
    for (const Name s : symbols_) // a symbol that is no longer assigned would become an argument
        if (std::find(given.begin(), given.end(), s) == given.end() &&
            std::find(neededSymbols.begin(), neededSymbols.end(), s) == neededSymbols.end()) {
            g_.symbols.erase(s);
            g_.symbolHints.erase(s);
        }
}

/// Does the loop begin with the value that a symbol had at its end?
bool DeviceLoopNest::isNeededAgain(Name symbol) const {
    const bool isInitialised = std::any_of(
        loops_.begin(), loops_.end(), [&](const Loop &l) { return l.region == &outermost_ && l.init && l.init->symbol == symbol; });
    return !isInitialised && WayBack(outermost_, symbol).exists();
}

/// Removes copies that control flow no longer needs, and their states if these have successors.
void DeviceLoopNest::dropCopies() {
    std::vector<State *> states = allStates(outermost_);
    for (const InterstateEdge *e : outermost_.inEdges())
        if (auto *s = dyn_cast<State>(e->src); s && s->outEdges().size() == 1)
            states.push_back(s);
    for (State *s : states)
        if (isCopyState(*s)) {
            std::vector<Node *> all;
            for (const auto &n : s->nodes())
                all.push_back(n.get());
            s->removeNodes(all);
            emptied_.push_back(s);
        }
}

/// Redirects the predecessors of an empty state to its successors.
void DeviceLoopNest::leaveOut(State &s) {
    Region &r = *s.parent();
    Block *next = analysis::onlyNext(s);
    if (!next)
        return;
    r.moveInEdges(&s, next);
    if (r.start() == &s)
        r.setStart(next);
    r.removeBlock(&s);
}

/// Does nothing but the end of a loop's body follow an edge? If so, the loop's step performs the edge's assignments.
bool DeviceLoopNest::isLast(const Assignments &a) const {
    if (a.region->kind() != BlockKind::Loop)
        return false;
    for (const Block *at = a.edge->dst;;) {
        const auto *s = dyn_cast<State>(at);
        const std::vector<InterstateEdge *> &out = at->outEdges();
        if (!s || !s->nodes().empty() || (out.size() == 1 && (!out[0]->isUnconditional() || !out[0]->assignments.empty())))
            return false;
        if (out.empty())
            return true;
        at = out[0]->dst;
    }
}

/// Makes a kernel read a symbol itself: as a dynamic range of the map, with its value in device memory.
void DeviceLoopNest::handOver(MapEntry &m, Name symbol) {
    State &s = *m.state();
    const Name cell = cells_.at(symbol);
    m.addIn(symbol, g_.desc(cell)->dtype);
    s.connect(s.add<AccessNode>(cell), {}, &m, symbol, Memlet::simple(cell, g_.desc(cell)->fullSubset()));
    for (const auto *edges : {&m.inEdges(), &m.exit->outEdges()})
        for (Edge *e : *edges) { // the symbol is unknown outside of the map
            const bool mentions = e->memlet.subset && e->memlet.subset->freeSymbols().count(symbol) != 0;
            if (const DataDesc *d = mentions ? g_.desc(e->memlet.data) : nullptr)
                e->memlet.subset = d->fullSubset();
        }
}

void DeviceLoopNest::assignAll(const Assignments &a, ControlKernel &kernel) {
    std::vector<std::string> values; // no assignment on an edge reads what another one assigns
    for (const Evaluation &x : a.all)
        values.push_back(kernel.value(x.value));
    for (std::size_t i = 0; i < values.size(); ++i)
        kernel.assign(a.all[i].symbol, values[i]);
}

/// A kernel performs the assignments of an edge before the edge's target.
void DeviceLoopNest::assign(Assignments &a) {
    ControlKernel kernel(g_, cells_);
    assignAll(a, kernel);
    auto *s = a.region->add<State>();
    s->label = g_.freshLabel("assign_" + a.all.front().symbol.str());
    kernel.build(*s, s->label, a.edge->debugInfo);
    a.region->connect(s, a.edge->dst);
    a.region->setDestination(a.edge, s);
    a.edge->assignments.clear();
}

/// Before a conditional block: determines which of its branches runs. Each branch gets a flag, and becomes a block with one branch.
void DeviceLoopNest::choose(Branches &b) {
    ConditionalBlock &first = *b.block;
    Region &r = *first.parent();
    ControlKernel kernel(g_, cells_);
    std::vector<Name> flags;
    std::string noneBefore;
    for (const std::optional<Evaluation> &condition : b.conditions) {
        flags.push_back(addCell(g_, "taken", Type(ScalarKind::Bool)));
        const std::string holds = condition ? kernel.named("holds", kernel.value(condition->value)) : "";
        kernel.store(flags.back(), noneBefore + (noneBefore.empty() || holds.empty() ? "" : " and ") +
                                       (noneBefore.empty() && holds.empty() ? "True" : holds));
        noneBefore += (noneBefore.empty() ? "not " : " and not ") + holds;
    }
    State *s = r.addStateBefore(&first, g_.freshLabel("choose_" + first.label));
    kernel.build(*s, s->label, first.debugInfo);
    std::vector<std::unique_ptr<Region>> others;
    for (std::size_t i = 1; i < flags.size(); ++i)
        others.push_back(std::move(first.branches()[i].region));
    first.branches().resize(1);
    Block *last = &first;
    for (std::size_t i = 1; i < flags.size(); ++i) {
        State *between = r.addStateAfter(last, g_.freshLabel("after_" + last->label));
        auto *next = r.add<ConditionalBlock>();
        next->label = g_.freshLabel(first.label);
        next->debugInfo = first.debugInfo;
        r.moveOutEdges(between, next);
        r.connect(between, next);
        next->addBranch(std::nullopt, std::move(others[i - 1]));
        lookAt(*next, flags[i]);
        leaveOut(*between);
        last = next;
    }
    lookAt(first, flags[0]);
}

void DeviceLoopNest::lookAt(ConditionalBlock &c, Name flag) {
    const Name copy = addHostCopy(g_, "host_" + flag.str(), Type(ScalarKind::Bool));
    c.parent()->addStateBefore(&c, g_.freshLabel("look_" + c.label))->copyAll(flag, copy);
    c.branches()[0].condition = Code{copy.str(), Language::Python};
}

/// Before a loop: its initial value, and whether it runs at all. `given`: symbols that have values before the outermost loop.
void DeviceLoopNest::arm(Loop &l, const std::vector<Name> &given) {
    ControlKernel kernel(g_, cells_);
    for (const Name s : given)
        if (!l.init || l.init->symbol != s)
            kernel.assign(s, s.str());
    if (l.init)
        kernel.assign(l.init->symbol, kernel.value(l.init->value));
    kernel.store(flags_.at(l.region), l.region->inverted ? "True" : kernel.value(l.condition->value));
    State *s = l.region->parent()->addStateBefore(l.region, g_.freshLabel("arm_" + l.region->label));
    kernel.build(*s, s->label, l.region->debugInfo);
}

/// At the end of the body: the loop's step, and whether there is another iteration.
void DeviceLoopNest::step(Loop &l) {
    ControlKernel kernel(g_, cells_);
    const Name flag = flags_.at(l.region);
    for (Assignments &a : assignments_)
        if (a.region == l.region && isLast(a)) {
            assignAll(a, kernel);
            a.edge->assignments.clear();
        }
    if (l.region->inverted && !l.region->updateBeforeCondition) {
        const std::string go = kernel.named("again", kernel.value(l.condition->value));
        if (l.update)
            kernel.assignIf(go, l.update->symbol, kernel.value(l.update->value));
        kernel.store(flag, go);
    } else {
        if (l.update)
            kernel.assign(l.update->symbol, kernel.value(l.update->value));
        kernel.store(flag, kernel.value(l.condition->value));
    }
    std::vector<Block *> ends;
    for (const auto &b : l.region->blocks())
        if (b->outEdges().empty())
            ends.push_back(b.get());
    auto *s = l.region->add<State>();
    s->label = g_.freshLabel("step_" + l.region->label);
    for (Block *b : ends)
        l.region->connect(b, s);
    kernel.build(*s, s->label, l.region->debugInfo);
}

/// The loop's condition becomes the flag, as last read by the host.
void DeviceLoopNest::look(Loop &l) {
    LoopRegion &r = *l.region;
    const Name flag = flags_.at(&r), copy = addHostCopy(g_, "host_" + flag.str(), Type(ScalarKind::Bool));
    if (!r.inverted)
        r.parent()->addStateBefore(&r, g_.freshLabel("look_" + r.label))->copyAll(flag, copy);
    Block *last = r.blocks().back().get(); // the loop's step
    r.addStateAfter(last, g_.freshLabel("look_" + r.label))->copyAll(flag, copy);
    r.init = r.update = std::nullopt;
    r.variable = Name();
    r.updateBeforeCondition = true;
    r.condition = Code{copy.str(), Language::Python};
}

/// Copies back the values that the host reads after the loops and their device code.
void DeviceLoopNest::giveBack(const std::vector<Name> &symbols, const std::vector<Name> &copies) {
    if (symbols.empty() && copies.empty())
        return;
    Region &around = *outermost_.parent();
    Block *last = followers_.empty() ? static_cast<Block *>(&outermost_) : followers_.back();
    State *after = around.addStateAfter(last, g_.freshLabel("after_" + outermost_.label));
    for (const Name host : copies)
        after->copyAll(twins_.at(host), host);
    if (symbols.empty())
        return;
    State *known = around.addStateAfter(after, g_.freshLabel("known_" + outermost_.label));
    for (const Name s : symbols) {
        const Name copy = addHostCopy(g_, "host_" + s.str(), *g_.symbols.find(s));
        after->copyAll(cells_.at(s), copy);
        known->inEdges().front()->assignments.emplace_back(s, copy.str());
    }
}

} // namespace sdfgc::transforms
