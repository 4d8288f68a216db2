#include "Transforms/Distribute/Storage.h"

#include "Transforms/Distribute/Make.h"

#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <algorithm>

namespace sdfgc::transforms::distribution {

using namespace ir;

Storage::Storage(Plan &plan) : plan_(plan), g_(plan.graph) {
    for (const auto &[name, type] : analysis::definedSymbols(g_))
        defined_.insert(name);
    for (const auto &[name, l] : plan.layouts)
        if (l.hasHalo() && !g_.desc(name)->transient)
            parts_.emplace(name, g_.freshName(name.str() + "_part"));
}

bool Storage::isKnownAtStart(const sym::Expr &e, const std::set<Name> &variables) const {
    return std::none_of(e.freeSymbols().begin(), e.freeSymbols().end(),
                        [&](Name n) { return defined_.contains(n) || variables.contains(n); });
}

Storage::Section Storage::section(std::size_t line, const sym::Expr &first, const sym::Expr &last,
                                  const std::set<Name> &variables) {
    const Line &l = plan_.lines[line];
    const sym::Expr begin = symbol(l.begin), end = endOf(l);
    const bool isFromStart = first.isZero();
    if (isFromStart && last == l.whole - 1)
        return {begin, end};
    for (const Known &k : sections_)
        if (k.line == line && k.first == first && k.last == last)
            return k.section;
    const sym::Expr from = isFromStart ? begin : sym::min({sym::max({first, begin}), end});
    if (!isKnownAtStart(first, variables) || !isKnownAtStart(last, variables))
        return {from, sym::max({from, sym::min({last + 1, end})})};
    Known k{line, first, last, {}, {}, {}, {}, {}};
    k.begin = isFromStart ? l.begin : g_.freshName(l.stem + "_from");
    if (!isFromStart)
        g_.symbols.set(k.begin, ScalarKind::Int64);
    k.end = g_.freshName(l.stem + "_to");
    g_.symbols.set(k.end, ScalarKind::Int64);
    k.section = {symbol(k.begin), symbol(k.end)};
    k.beginValue = from;
    k.endValue = sym::max({from, sym::min({last + 1, end})});
    sections_.push_back(k);
    return k.section;
}

sym::Expr Storage::shiftOf(const Layout &l) const { return l.offset - symbol(plan_.lines[l.line].begin) + sym::Expr(l.before); }

std::vector<sym::Expr> Storage::shapeOf(Name data) const {
    const Layout &l = plan_.layouts.at(data);
    std::vector<sym::Expr> shape = g_.desc(data)->shape;
    shape[l.dim] = symbol(plan_.lines[l.line].local) + sym::Expr(l.before + l.after);
    return shape;
}

Name Storage::gathered(Name data) {
    const auto at = gathered_.find(data);
    if (at != gathered_.end())
        return at->second;
    DataDesc d = *g_.desc(data);
    d.transient = true;
    d.storage = ir::Storage::Default;
    d.lifetime = Lifetime::Scope;
    const Name all = g_.addTransient(data.str() + "_all", std::move(d));
    gathered_.emplace(data, all);
    return all;
}

sym::Subset Storage::ownPart(Name data) const {
    const Layout &l = plan_.layouts.at(data);
    sym::Subset s = sym::Subset::full(shapeOf(data));
    s.dims[l.dim] = {sym::Expr(l.before), symbol(plan_.lines[l.line].local) + sym::Expr(l.before) - 1, 1, 1};
    return s;
}

void Storage::gather(State &s, AccessNode *from, AccessNode *to) {
    const Name data = from->data;
    const Layout &l = plan_.layouts.at(data);
    LibraryNode *n = mpiNode(s, "AllgatherParts", from, ownPart(data), to, g_.desc(to->data)->fullSubset());
    n->properties.set("dimension", static_cast<int64_t>(l.dim));
    n->properties.set("whole", plan_.lines[l.line].whole.str());
    n->properties.set("offset", l.offset.str());
}

void Storage::fetchHalo(State &s, AccessNode *from, AccessNode *to) {
    const Name data = from->data;
    const Layout &l = plan_.layouts.at(data);
    const sym::Subset all = sym::Subset::full(shapeOf(data));
    LibraryNode *n = mpiNode(s, "Halo", from, all, to, all);
    n->properties.set("dimension", static_cast<int64_t>(l.dim));
    n->properties.set("whole", plan_.lines[l.line].whole.str());
    n->properties.set("before", std::to_string(l.before));
    n->properties.set("after", std::to_string(l.after));
}

void Storage::resize(Name data, DataDesc &d) const {
    const bool isRowMajor = d.isPackedC() || d.transient;
    const std::size_t rank = d.rank();
    d.shape = shapeOf(data);
    sym::Expr stride = 1;
    for (std::size_t k = 0; k < rank; ++k) {
        const std::size_t dim = isRowMajor ? rank - 1 - k : k;
        d.strides[dim] = stride;
        stride *= d.shape[dim];
    }
    d.totalSize = stride;
    d.cancelled.clear();
}

/// Arguments that are read with a halo get a part with room for it.
void Storage::moveToParts() {
    for (const auto &[data, part] : parts_) {
        DataDesc d = *g_.desc(data);
        d.transient = true;
        d.storage = ir::Storage::Default;
        d.lifetime = Lifetime::Scope;
        resize(data, d);
        g_.arrays.set(part, std::move(d));
    }
    for (State *s : allStates(g_)) {
        for (AccessNode *a : nodesOf<AccessNode>(*s))
            if (const auto at = parts_.find(a->data); at != parts_.end())
                a->data = at->second;
        for (const auto &e : s->edges())
            if (const auto at = parts_.find(e->memlet.data); at != parts_.end())
                e->memlet.data = at->second;
    }
}

void Storage::askForPart(State &s, const Line &l, InterstateEdge &edge) {
    const Name container = g_.freshName("_" + l.begin.str());
    g_.arrays.set(container, DataDesc::scalar(ScalarKind::Int64, true));
    auto *t = s.add<Tasklet>();
    t->label = l.begin.str();
    t->code = {"_out = mpi.begin_of_part('\"parts of " + l.whole.str() + " elements\"', " + l.whole.str() + ", " + l.local.str() +
                   ")",
               Language::Library};
    t->environments = {Name("MPI")};
    s.connect(t, "_out", s.add<AccessNode>(container), {}, Memlet::simple(container, g_.arrays.find(container)->fullSubset()));
    t->outConnector("_out")->type = ScalarKind::Int64;
    edge.assignments.emplace_back(l.begin, container.str());
    g_.symbols.set(l.begin, ScalarKind::Int64);
    g_.symbols.set(l.local, ScalarKind::Int64);
}

void Storage::addStart() {
    State *start = g_.addStateBefore(g_.start(), g_.freshLabel("start"));
    State *parts = g_.addStateBefore(start, g_.freshLabel("parts"));
    for (const Line &l : plan_.lines)
        askForPart(*parts, l, *parts->outEdges().front());
    InterstateEdge &after = *start->outEdges().front();
    for (const Known &k : sections_) {
        if (k.begin != plan_.lines[k.line].begin)
            after.assignments.emplace_back(k.begin, k.beginValue.str());
        after.assignments.emplace_back(k.end, k.endValue.str());
    }
    std::map<Name, AccessNode *> last; // of the containers in the new state
    const auto nodeOf = [&](Name n) {
        AccessNode *&a = last[n];
        return a ? a : a = start->add<AccessNode>(n);
    };
    for (const auto &[data, part] : parts_) {
        Memlet copy = Memlet::simple(data, sym::Subset::full(g_.desc(data)->shape));
        copy.otherSubset = ownPart(data);
        start->connect(nodeOf(data), {}, nodeOf(part), {}, std::move(copy));
    }
    for (const auto &[data, isAll] : atStart_) {
        const auto part = parts_.find(data);
        const Name here = part == parts_.end() ? data : part->second;
        AccessNode *from = nodeOf(here), *to = start->add<AccessNode>(isAll ? gathered_.at(data) : here);
        plan_.layouts.emplace(here, plan_.layouts.at(data));
        if (isAll)
            gather(*start, from, to);
        else
            fetchHalo(*start, from, to);
    }
    start->renumber();
    parts->renumber();
}

void Storage::addEnd() {
    std::set<Name> written;
    for (const Item &item : plan_.items)
        for (const Use &u : item.uses)
            if (u.writes && parts_.contains(u.data))
                written.insert(u.data);
    if (written.empty())
        return;
    std::vector<Block *> ends;
    for (const auto &b : g_.blocks())
        if (b->outEdges().empty() && !isJump(b->kind()))
            ends.push_back(b.get());
    State *s = g_.add<State>();
    s->label = g_.freshLabel("end");
    for (Block *b : ends)
        g_.connect(b, s);
    for (const Name data : written) {
        const Name part = parts_.at(data);
        Memlet copy = Memlet::simple(part, ownPart(data));
        copy.otherSubset = sym::Subset::full(g_.desc(data)->shape);
        s->connect(s->add<AccessNode>(part), {}, s->add<AccessNode>(data), {}, std::move(copy));
    }
    s->renumber();
}

void Storage::finish() {
    moveToParts();
    for (auto &[data, l] : plan_.layouts) {
        DataDesc &d = *g_.desc(data);
        Layout bare = l;
        if (parts_.contains(data)) // the caller's array has no halo
            bare.before = bare.after = 0;
        std::swap(l, bare);
        resize(data, d);
        std::swap(l, bare);
    }
    addStart();
    addEnd();
}

} // namespace sdfgc::transforms::distribution
