#include "Transforms/Optimize/Skewing.h"

#include "Transforms/Edits/Nodes.h"

#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;
using diag::Reason;
using diag::Why;
using sym::Expr;

namespace {

bool isOneByOne(const sym::Range &r) { return r.step.isOne() && r.tile.isOne(); }

bool isTeam(const Node &n) {
    const auto *m = dyn_cast<MapEntry>(&n);
    return m && !m->ordered && m->schedule != Schedule::Sequential && m->schedule != Schedule::Unrolled;
}

/// Does a block contain maps for several threads, at any depth?
bool hasTeams(const Block &b) {
    if (const auto *s = dyn_cast<State>(&b))
        return std::any_of(s->nodes().begin(), s->nodes().end(), [](const auto &n) {
            const auto *nested = dyn_cast<NestedSDFGNode>(n.get());
            return isTeam(*n) || (nested && nested->sdfg && hasTeams(*nested->sdfg));
        });
    if (const auto *c = dyn_cast<ConditionalBlock>(&b))
        return std::any_of(c->branches().begin(), c->branches().end(), [](const auto &arm) { return hasTeams(*arm.region); });
    const auto *r = dyn_cast<Region>(&b);
    return r && std::any_of(r->blocks().begin(), r->blocks().end(), [](const auto &inner) { return hasTeams(*inner); });
}

/// The maps of a state, if it contains nothing but maps for several threads; empty otherwise.
std::vector<MapEntry *> teamsOf(State &s) {
    const analysis::ScopeTree scopes(s);
    std::vector<MapEntry *> maps;
    for (Node *n : scopes.children(nullptr)) {
        if (isTeam(*n))
            maps.push_back(cast<MapEntry>(n));
        else if (auto *a = dyn_cast<AccessNode>(n)) {
            if (std::any_of(a->outEdges().begin(), a->outEdges().end(), [](const Edge *e) { return isa<AccessNode>(e->dst); }))
                return {};
        } else if (!n->isExit()) {
            return {};
        }
    }
    return maps;
}

/// Sets the values that a loop takes: from `least` to `most`.
void count(LoopRegion &l, Expr least, Expr most) {
    const std::string i = l.variable.str();
    l.init = Code{i + " = " + least.str(), Language::Python};
    l.condition = Code{i + " < " + (most + 1).str(), Language::Python};
    l.update = Code{i + " = " + i + " + 1", Language::Python};
    l.inverted = false;
    l.updateBeforeCondition = true;
    l.unroll = false;
}

/// The extremum, without operands that others exceed for sure.
Expr extremum(const std::vector<Expr> &all, bool most) {
    std::vector<Expr> left;
    for (const Expr e : all) {
        const auto isWithin = [&](Expr other) {
            const Expr room = most ? other - e : e - other;
            return room.isInteger() && room.numerator() >= 0;
        };
        if (std::any_of(left.begin(), left.end(), isWithin))
            continue;
        std::erase_if(left, [&](Expr other) {
            const Expr room = most ? e - other : other - e;
            return room.isInteger() && room.numerator() >= 0;
        });
        left.push_back(e);
    }
    return most ? sym::max(std::move(left)) : sym::min(std::move(left));
}

} // namespace

// ------------------------------------------------------------------------------------------------------------ the form

Reason Skewing::obstacle() {
    for (LoopRegion *l : around_) {
        const analysis::LoopHeader header = analysis::headerOf(*l);
        if (Reason why = addLoop(*l))
            return why;
        ranges_.push_back(header.range());
        down_.push_back(header.down);
    }
    for (const sym::Range &r : ranges_)
        for (const LoopRegion *l : around_)
            if (r.begin.dependsOn(l->variable) || r.end.dependsOn(l->variable))
                return {Why::Shape, "its range depends on `" + l->variable.str() + "`"};
    if (Reason why = readParts())
        return why;
    placeParts();
    return hasLimits() ? Reason() : Reason{Why::NotAffine, "the ranges of its loops are not affine"};
}

/// Why a loop cannot be a part, or one around the parts.
Reason Skewing::addLoop(LoopRegion &l) {
    const analysis::LoopHeader header = analysis::headerOf(l);
    if (!l.optimize || !header.hasEnd() || !header.isOfIntegers(g_) || !header.step.isConstant(header.down ? -1 : 1))
        return {Why::LoopForm, "`" + l.label + "` does not count by one to a known end"};
    const std::set<Name> assigned = analysis::assignedInside(l);
    for (const Name n : header.names())
        if (n != l.variable && (assigned.count(n) || g_.desc(n)))
            return {Why::LoopForm, "the range of `" + l.label + "` may change"};
    if (analysis::hasJump(l))
        return {Why::ControlFlow, "`" + l.label + "` may end early"};
    return {};
}

Reason Skewing::readParts() {
    const std::vector<Block *> blocks = analysis::sequenceOf(*around_.back());
    bool hasLoop = false;
    for (const LoopRegion *l : around_)
        for (const auto &e : l->edges())
            if (!e->assignments.empty() || !e->isUnconditional())
                return {Why::ControlFlow, "its body is not a sequence of states and loops"};
    for (Block *b : blocks) {
        if (auto *l = dyn_cast<LoopRegion>(b)) {
            if (hasTeams(*l))
                return {Why::Shape, "its inner loops contain maps"};
            if (Reason why = addLoop(*l))
                return why;
            const analysis::LoopHeader header = analysis::headerOf(*l);
            if (hasLoop && header.down != down_.back())
                return {Why::Shape, "its inner loops have different directions"};
            if (!std::exchange(hasLoop, true))
                down_.push_back(header.down);
            parts_.push_back({{l}, l->variable, header.range(), 0, true});
            continue;
        }
        auto *s = dyn_cast<State>(b);
        bool isMap = false;
        if (Reason why = s ? addState(*s, isMap) : Reason())
            return why;
        if (isMap)
            continue;
        if (hasTeams(*b) || isJump(b->kind()))
            return {Why::Shape, "its body contains maps under conditions"};
        if (parts_.empty() || !parts_.back().variable.empty())
            parts_.emplace_back();
        parts_.back().blocks.push_back(b);
    }
    return hasLoop ? Reason() : Reason{Why::Shape, "its body contains no loop"};
}

/// A state that contains only maps over the same range is a part.
Reason Skewing::addState(State &s, bool &isMap) {
    const std::vector<MapEntry *> maps = teamsOf(s);
    isMap = !maps.empty();
    for (const MapEntry *m : maps) {
        if (m->params.size() != 1 || !isOneByOne(m->ranges.front()) || hasDynamicRange(*m) || !(m->ranges == maps.front()->ranges))
            return {Why::Shape, "the ranges of its maps differ, or have several parameters"};
        const analysis::ScopeTree scopes(s);
        for (const Node *n : scopes.order())
            if (scopes.encloses(m, n) && isTeam(*n))
                return {Why::Shape, "its maps contain maps"};
    }
    if (isMap)
        parts_.push_back({{&s}, maps.front()->params.front(), maps.front()->ranges.front(), 0, false});
    return {};
}

/// Maps with as many iterations as the loop run together with it, and blocks that run once run next to the part that they follow.
void Skewing::placeParts() {
    const auto loop = std::find_if(parts_.begin(), parts_.end(), [](const Part &p) { return p.isLoop; });
    for (Part &p : parts_)
        if (!p.isLoop && !p.variable.empty() && p.range.end - p.range.begin == loop->range.end - loop->range.begin)
            p.shift = loop->range.begin - p.range.begin;
    for (std::size_t k = 0; k < parts_.size(); ++k)
        if (parts_[k].variable.empty())
            place(parts_[k], k);
}

void Skewing::place(Part &p, std::size_t at) const {
    const Part &other = at > 0 ? parts_[at - 1] : parts_[at + 1];
    const bool above = (at > 0) != down_.back();
    const Expr value = above ? other.range.end + 1 : other.range.begin - 1;
    p.range = {value + other.shift, value + other.shift};
}

bool Skewing::hasLimits() const {
    for (const Part &p : parts_)
        for (Expr e : {p.range.begin + p.shift, p.range.end + p.shift})
            for (const LoopRegion *l : around_) {
                if (!e.dependsOn(l->variable))
                    continue;
                const auto affine = sym::affineIn(e, l->variable);
                if (!affine || !affine->first.isInteger())
                    return false;
            }
    return true;
}

// ------------------------------------------------------------------------------------------------------------- arrays

namespace {

/// Writes the first element of a container instead of another one, wherever dataflow in a region uses it.
void useFirst(Region &r, Name container, const sym::Subset &first) {
    for (Block *b : allBlocks(r))
        if (auto *s = dyn_cast<State>(b))
            for (const auto &e : s->edges())
                if (e->memlet.data == container)
                    e->memlet.subset = first;
}

} // namespace

void Skewing::contract(const nest::LoopItems &loops, analysis::Memories &memories) {
    const Name cell("__cell");
    const std::set<Name> control = analysis::containersReadByControlFlow(g_);
    std::map<Name, std::optional<sym::Subset>> elements; // that each cell uses; nothing if there are several
    for (const Part &p : parts_)
        for (Block *outer : p.blocks) {
            std::vector<Block *> blocks{outer};
            if (auto *r = dyn_cast<Region>(outer))
                blocks = allBlocks(*r);
            for (Block *b : blocks) {
                const auto *s = dyn_cast<State>(b);
                if (s && !nest::isReadable(*s))
                    return;
                for (const nest::Item &i : s ? nest::readState(*s, memories, loops.shared()) : std::vector<nest::Item>())
                    for (const nest::PlacedUse &u : nest::usesOf(i)) {
                        std::optional<sym::Subset> used;
                        const bool isPlain = u.step->nodes.size() == 1 && isa<Tasklet>(u.step->nodes.front());
                        if (isPlain && !p.variable.empty() && u.instance.subset && u.instance.subset->isOneElement()) {
                            const Name own = p.isLoop ? p.variable : u.instance.loops.front().variable;
                            used = u.instance.subset->substituted({{own, Expr::symbol(cell) - p.shift}});
                        }
                        const std::set<Name> named = used ? used->freeSymbols() : std::set<Name>();
                        if (std::any_of(u.instance.loops.begin(), u.instance.loops.end(),
                                        [&](const auto &l) { return named.count(l.variable) != 0; }))
                            used.reset();
                        const auto [known, isNew] = elements.emplace(u.use->data, used);
                        if (!isNew && !(known->second == used))
                            known->second.reset();
                    }
            }
        }
    for (const auto &[container, element] : elements) {
        DataDesc *d = g_.arrays.find(container);
        if (!element || !d || !d->isArray() || d->totalSize.isOne() || !nest::isScratch(*d) || control.count(container) ||
            !loops.isOnlyInside(container, *around_.front()))
            continue;
        d->shape.assign(d->rank(), 1);
        d->strides.assign(d->rank(), 1);
        d->offset.assign(d->rank(), 0);
        d->totalSize = 1;
        d->cancelled.clear();
        useFirst(*around_.front(), container, d->fullSubset());
    }
}

// --------------------------------------------------------------------------------------------------------- hyperplanes

/// The least or greatest value of an expression over the loops around the parts, except one of them.
std::optional<Expr> Skewing::limit(Expr e, bool most, std::optional<std::size_t> except) const {
    for (std::size_t k = around_.size(); k-- > 0;) {
        if (k == except)
            continue;
        const auto affine = sym::affineIn(e, around_[k]->variable);
        if (!affine || !affine->first.isInteger())
            return std::nullopt;
        const bool atEnd = (affine->first.numerator() > 0) == most;
        e = affine->second + affine->first * (atEnd ? ranges_[k].end : ranges_[k].begin);
    }
    return e;
}

/// The first hyperplane and the last one.
std::pair<Expr, Expr> Skewing::planes(const std::vector<int64_t> &factors) const {
    Expr outer = 0;
    for (std::size_t k = 0; k < around_.size(); ++k)
        outer += signOf(k) * factors[k] * Expr::symbol(around_[k]->variable);
    std::vector<Expr> least, most;
    for (const Part &p : parts_) {
        Expr first = p.range.begin + p.shift, last = p.range.end + p.shift;
        if (down_.back())
            std::tie(first, last) = std::pair(-last, -first);
        least.push_back(*limit(outer + first, false));
        most.push_back(*limit(outer + last, true));
    }
    return {extremum(least, false), extremum(most, true)};
}

/// The iterations of all parts, if they follow each other without gaps for sure.
std::optional<sym::Range> Skewing::hull() const {
    sym::Range all{parts_.front().range.begin + parts_.front().shift, parts_.front().range.end + parts_.front().shift};
    for (const Part &p : parts_) {
        const Expr begin = p.range.begin + p.shift, end = p.range.end + p.shift;
        const auto most = limit(begin - 1 - end, true); // a part that is shorter than nothing would move the next one
        const bool isThere = most && most->isInteger() && most->numerator() <= 0;
        if (begin == all.begin && end == all.end)
            continue;
        if (begin == all.end + 1 && isThere && hullIsThere(all))
            all.end = end;
        else if (end == all.begin - 1 && isThere && hullIsThere(all))
            all.begin = begin;
        else
            return std::nullopt;
    }
    return all;
}

bool Skewing::hullIsThere(const sym::Range &r) const {
    const auto most = limit(r.begin - 1 - r.end, true);
    return most && most->isInteger() && most->numerator() <= 0;
}

/// Limits a loop around the parts to iterations in which `cell` may be one of theirs, for some iteration of the other loops.
sym::Range Skewing::limitedTo(Expr cell, std::size_t level) const {
    const sym::Range &r = ranges_[level];
    const auto all = hull();
    if (!all)
        return r;
    std::vector<Expr> least{r.begin}, most{r.end};
    const Name i = around_[level]->variable;
    for (const Expr excess : {all->begin - cell, cell - all->end}) { // not positive in a cell of the parts
        const auto smallest = limit(excess, false, level);
        const auto sum = smallest ? sym::affineIn(*smallest, i) : std::nullopt;
        if (!sum || !sum->first.isInteger())
            continue;
        if (sum->first.numerator() > 0)
            most.push_back(sym::floorDiv(-sum->second, sum->first));
        else if (sum->first.numerator() < 0)
            least.push_back(sym::ceilDiv(sum->second, -sum->first));
    }
    return {extremum(least, true), extremum(most, false)};
}

/// Lets a part only run the iteration of a cell.
void Skewing::confine(Part &p, Expr cell) {
    const Expr own = cell - p.shift, least = sym::max({p.range.begin, own}), most = sym::min({p.range.end, own});
    if (p.isLoop)
        return count(*cast<LoopRegion>(p.blocks.front()), least, most);
    if (!p.variable.empty()) {
        for (MapEntry *m : teamsOf(*cast<State>(p.blocks.front()))) {
            m->ranges.front() = {least, most};
            m->schedule = Schedule::Sequential;
        }
        return;
    }
    Region &r = *p.blocks.front()->parent();
    const Block *const start = r.start();
    auto *l = r.add<LoopRegion>();
    l->label = g_.freshLabel(p.blocks.front()->label + "_cell");
    l->debugInfo = p.blocks.front()->debugInfo;
    l->variable = g_.freshName("cell");
    g_.symbols.set(l->variable, Type(ScalarKind::Int64));
    count(*l, least, most);
    std::vector<std::unique_ptr<InterstateEdge>> between;
    for (std::size_t k = 1; k < p.blocks.size(); ++k)
        between.push_back(r.detachEdge(p.blocks[k]->inEdges().front()));
    takePlace(r, start, *p.blocks.front(), *p.blocks.back(), *l, *l);
    for (Block *b : p.blocks)
        l->adopt(r.detach(b));
    for (auto &e : between)
        l->adopt(std::move(e));
    l->setStart(p.blocks.front());
}

LoopRegion &Skewing::apply(const std::vector<int64_t> &factors) {
    const auto [first, last] = planes(factors);
    const Name plane = g_.freshName("plane");
    g_.symbols.set(plane, Type(ScalarKind::Int64));
    Expr cell = Expr::symbol(plane);
    for (std::size_t k = 0; k < around_.size(); ++k)
        cell -= signOf(k) * factors[k] * Expr::symbol(around_[k]->variable);
    if (down_.back())
        cell = -cell;
    std::vector<sym::Range> limited;
    for (std::size_t k = 0; k < around_.size(); ++k)
        limited.push_back(limitedTo(cell, k));
    for (Part &p : parts_)
        confine(p, cell);
    for (std::size_t k = 0; k < around_.size(); ++k)
        count(*around_[k], limited[k].begin, limited[k].end);
    LoopRegion &top = *around_.front();
    Region &r = *top.parent();
    const Block *const start = r.start();
    auto *l = r.add<LoopRegion>();
    l->label = g_.freshLabel(top.label + "_planes");
    l->debugInfo = top.debugInfo;
    l->variable = plane;
    count(*l, first, last);
    takePlace(r, start, top, top, *l, *l);
    l->adopt(r.detach(&top));
    l->setStart(&top);
    return *l;
}

} // namespace sdfgc::transforms
