#include "Transforms/Differentiate/PrimalProgram.h"

#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Tasklet/Ast.h"

#include <algorithm>

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Item;
using nest::Use;

// ---- the walk over the program

namespace {

/// Records the elements of copies from and to views whose memlets name the other side.
void nameCopied(std::vector<nest::Item> &items, const SDFG &g) {
    for (nest::Item &i : items) {
        if (i.map)
            nameCopied(i.map->body, g);
        else if (i.step->isCopy())
            for (Use &u : i.step->uses)
                if (const DataDesc *d = g.desc(u.data); !u.subset && d && d->isView() && u.memlet.data != u.data &&
                                                        u.memlet.otherSubset && u.memlet.otherSubset->rank() == d->rank())
                    u.subset = u.memlet.otherSubset;
    }
}

} // namespace

PrimalProgram::PrimalProgram(SDFG &g, analysis::Memories &memories)
    : g_(g), memories_(memories), runs_(nest::readRuns(g, memories)), facts_(analysis::factsOf(g)), symbolTypes_(g),
      readByFlow_(analysis::containersReadByControlFlow(g)) {
    for (nest::Run &r : runs_) {
        runAt_.emplace(r.states.front(), &r);
        nameCopied(r.items, g);
    }
    const std::vector<InterstateEdge *> atStart = g.start() ? g.start()->outEdges() : std::vector<InterstateEdge *>();
    const std::set<Name> once = analysis::assignedOnce(g);
    for (const InterstateEdge *e : allInterstateEdges(g))
        for (const auto &[symbol, value] : e->assignments) {
            const bool first = std::find(atStart.begin(), atStart.end(), e) != atStart.end() && g.start()->inEdges().empty();
            if (!first || !once.count(symbol)) // otherwise its value is the same throughout
                assigned_.insert(symbol);
            if (!once.count(symbol))
                changing_.insert(symbol);
        }
    const analysis::VariableReads reads(g);
    for (const Region *r : allRegions(std::as_const(g)))
        if (const auto *l = dyn_cast<LoopRegion>(r); l && reads.isReadOutside(*l)) {
            assigned_.insert(l->variable);
            changing_.insert(l->variable);
        }
    findHidden();
    findRealSymbols();
    walk(g);
}

void PrimalProgram::findHidden() {
    std::set<const State *> readable;
    for (const nest::Run &r : runs_)
        readable.insert(r.states.begin(), r.states.end());
    for (const State *s : allStates(std::as_const(g_))) {
        if (readable.count(s))
            continue;
        HiddenState h{s, {}, {}};
        for (const auto &n : s->nodes())
            if (const auto *a = dyn_cast<AccessNode>(n.get())) {
                const DataDesc *d = g_.desc(a->data);
                if (d && (d->dtype.isInteger() || d->dtype.isBool()))
                    continue;
                if (!a->inEdges().empty() || a->setZero)
                    h.to.insert(memories_.of(*a));
                if (!a->outEdges().empty())
                    h.from.insert(memories_.of(*a));
            }
        hidden_.push_back(std::move(h));
    }
}

void PrimalProgram::findRealSymbols() {
    for (const InterstateEdge *e : allInterstateEdges(g_))
        for (const auto &[symbol, value] : e->assignments)
            if (const Type t = symbolTypes_.of(symbol); t.isFloat() || t.isComplex())
                realSymbols_.emplace(symbol, -2 - static_cast<analysis::Memory>(realSymbols_.size()));
}

std::vector<Name> PrimalProgram::realSymbolsIn(const nest::Step &s) const {
    std::vector<Name> out;
    if (realSymbols_.empty())
        return out;
    for (const Node *n : s.nodes)
        for (const Name symbol : analysis::freeSymbols(*n))
            if (realSymbols_.count(symbol))
                out.push_back(symbol);
    return out;
}

std::set<analysis::Memory> PrimalProgram::readBy(const std::string &value) const {
    std::set<analysis::Memory> out;
    for (const Name n : analysis::namesInCode({value, Language::Python}, g_)) {
        if (const auto symbol = realSymbols_.find(n); symbol != realSymbols_.end())
            out.insert(symbol->second);
        else if (const DataDesc *d = g_.desc(n); d && !d->dtype.isInteger() && !d->dtype.isBool())
            out.insert(memories_.of(g_, n));
    }
    return out;
}

bool PrimalProgram::isWrittenInHidden(analysis::Memory m) const {
    return std::any_of(hidden_.begin(), hidden_.end(), [m](const HiddenState &h) { return h.to.count(m) != 0; });
}

std::set<analysis::Memory> PrimalProgram::memoriesOf(const std::vector<Name> &names) const {
    std::set<analysis::Memory> out;
    for (const Name n : names)
        out.insert(memories_.of(g_, n));
    return out;
}

nest::Run *PrimalProgram::runAt(const Block *b) {
    const auto it = runAt_.find(b);
    return it == runAt_.end() ? nullptr : it->second;
}

void PrimalProgram::walk(Region &r) {
    std::vector<Block *> order = chains_[&r] = analysis::sequenceOf(r);
    if (order.empty()) // not a sequence: it cannot be reversed, and its effects count in any order
        for (const auto &b : r.blocks())
            order.push_back(b.get());
    for (Block *b : order)
        block(*b);
}

void PrimalProgram::block(Block &b) {
    ++here_.at;
    places_.emplace(&b, here_);
    if (const nest::Run *run = runAt(&b))
        for (const Item &item : run->items)
            add(item, item, *run);
    if (auto *c = dyn_cast<ConditionalBlock>(&b))
        for (const auto &branch : c->branches())
            walk(*branch.region);
    auto *r = dyn_cast<Region>(&b);
    if (!r)
        return;
    auto *l = dyn_cast<LoopRegion>(r);
    if (l) {
        const std::optional<analysis::CountedLoop> counted = analysis::countedLoop(*l);
        here_.instance.loops.push_back(counted ? counted->level()
                                               : analysis::LoopLevel{l->variable, {0, sym::Expr::undefined(), 1, 1}});
        here_.scopes.push_back(l);
        ++here_.loops;
    }
    const std::size_t begin = sites_.size();
    walk(*r);
    if (l) {
        here_.instance.loops.pop_back();
        here_.scopes.pop_back();
        --here_.loops;
        extents_[l] = {begin, sites_.size()};
    }
}

void PrimalProgram::add(const Item &item, const Item &top, const nest::Run &run) {
    const std::size_t begin = sites_.size();
    if (item.map) {
        addMap(*item.map, top, run);
    } else {
        ++here_.at;
        here_.step = item.step.get();
        for (const Use &u : item.step->uses)
            addUse(u, top, run);
    }
    extents_[&item] = {begin, sites_.size()};
}

void PrimalProgram::addMap(const nest::Map &m, const Item &top, const nest::Run &run) {
    analysis::addLoops(here_.instance.loops, m);
    here_.scopes.insert(here_.scopes.end(), m.params.size(), &m);
    const std::size_t begin = sites_.size();
    for (const Item &inner : m.body)
        add(inner, top, run);
    here_.instance.loops.resize(here_.instance.loops.size() - m.params.size());
    here_.scopes.resize(here_.scopes.size() - m.params.size());
    extents_[&m] = {begin, sites_.size()};
}

void PrimalProgram::addUse(const Use &u, const Item &top, const nest::Run &run) {
    Site s = here_;
    s.use = &u;
    s.run = &run;
    s.item = &top;
    const DataDesc *d = g_.desc(u.data);
    const Use seen = d && d->isView() ? nest::throughView(u, g_) : u;
    if (const DataDesc *behind = g_.desc(seen.data); behind && !behind->isView())
        s.instance.subset = seen.subset;
    byUse_.emplace(&u, sites_.size());
    if (u.writes()) {
        writes_[u.memory].push_back(sites_.size());
        Writers &writers = writers_[u.memory];
        ++writers.count;
        writers.inLoop |= here_.loops != 0;
    }
    sites_.push_back(std::move(s));
}

// ---- overwritten values

std::span<const Site> PrimalProgram::sitesIn(const LoopRegion &l) const {
    const Extent e = extents_.at(&l);
    return std::span<const Site>(sites_).subspan(e.begin, e.end - e.begin);
}

std::span<const std::size_t> PrimalProgram::writesIn(const void *part, analysis::Memory m) const {
    const auto all = writes_.find(m);
    if (all == writes_.end())
        return {};
    const Extent e = extents_.at(part);
    return {std::lower_bound(all->second.begin(), all->second.end(), e.begin),
            std::lower_bound(all->second.begin(), all->second.end(), e.end)};
}

std::span<const std::size_t> PrimalProgram::writesInScopes(const Site &site, std::size_t scopes, analysis::Memory m) const {
    if (scopes > site.scopes.size())
        return {};
    if (scopes > 0)
        return writesIn(site.scopes[scopes - 1], m);
    const auto all = writes_.find(m);
    return all == writes_.end() ? std::span<const std::size_t>() : all->second;
}

namespace {

std::size_t commonScopes(const Site &a, const Site &b) {
    std::size_t common = 0;
    while (common < std::min(a.scopes.size(), b.scopes.size()) && a.scopes[common] == b.scopes[common])
        ++common;
    return common;
}

/// The number of scopes around a site that stay in one iteration during an iteration of a map or, without a map, of the loops.
std::size_t fixedScopes(const Site &site, const nest::Map *map) {
    const auto last = map ? std::find(site.scopes.rbegin(), site.scopes.rend(), map) : site.scopes.rend();
    return last == site.scopes.rend() ? site.loops : static_cast<std::size_t>(site.scopes.rend() - last);
}

/// Can the second access of a conflict come after the first? `fixed`: number of common loops in which both are in the
/// same iteration; `loops`: the index from which on they are maps, whose iterations are unordered; `after`: whether
/// it comes later within the same iteration of all loops.
bool happensLater(const analysis::Conflict &c, std::size_t fixed, std::size_t loops, bool after) {
    return std::any_of(c.vectors.begin(), c.vectors.end(), [&](const std::vector<analysis::Directions> &v) {
        for (std::size_t k = 0; k < v.size(); ++k) {
            if (k >= fixed && (v[k].greater || (k >= loops && v[k].less)))
                return true;
            if (!v[k].equal)
                return false;
        }
        return after;
    });
}

} // namespace

std::optional<analysis::Conflict> PrimalProgram::conflict(const Site &read, const Site &write, std::size_t common) const {
    analysis::AccessInstance a = read.instance, b = write.instance;
    for (analysis::AccessInstance *i : {&a, &b})
        if (i->subset) { // an assigned symbol may have another value at the other access or in the other iteration
            const auto differs = [&](Name n) {
                const auto &loops = i->loops;
                return (common ? assigned_ : changing_).count(n) &&
                       std::none_of(loops.begin(), loops.end(), [n](const analysis::LoopLevel &l) { return l.variable == n; });
            };
            const std::set<Name> names = i->subset->freeSymbols();
            if (std::any_of(names.begin(), names.end(), differs))
                i->subset.reset();
        }
    return analysis::conflictOf(a, b, common, facts_);
}

bool PrimalProgram::follows(const Site &write, const Site &read, std::size_t fixed) const {
    const std::size_t common = commonScopes(write, read);
    if (common < fixed)
        return false;
    const bool after = write.at > read.at || (write.at == read.at && write.use != read.use);
    if (!after && common == fixed) // whatever the elements
        return false;
    const auto c = conflict(read, write, common);
    return c && happensLater(*c, fixed, read.loops, after);
}

/// The reverse: can the write come before the read, within one iteration of the first loops?
bool PrimalProgram::precedes(const Site &write, const Site &read, std::size_t fixed) const {
    const std::size_t common = commonScopes(write, read);
    if (common <= fixed)
        return false;
    const auto c = conflict(read, write, common);
    return c && std::any_of(c->vectors.begin(), c->vectors.end(), [&](const std::vector<analysis::Directions> &v) {
               for (std::size_t k = 0; k < v.size(); ++k) {
                   if (k >= fixed && (v[k].less || (k >= read.loops && v[k].greater)))
                       return true;
                   if (!v[k].equal)
                       return false;
               }
               return write.at < read.at;
           });
}

std::size_t PrimalProgram::loopsBefore(const Use &read) const {
    const Site &site = siteOf(read);
    for (std::size_t k = 0; k < site.loops; ++k) {
        const auto writes = writesInScopes(site, k + 1, read.memory);
        if (std::none_of(writes.begin(), writes.end(), [&](std::size_t w) { return precedes(sites_[w], site, k); }))
            return k;
    }
    return site.loops;
}

/// May a write in the same iteration of the first `fixed` scopes come later? Checks later sites of the program first,
/// starting with the nearest; earlier ones come later only in another iteration of a scope around both.
bool PrimalProgram::isOverwritten(const Site &read, analysis::Memory m, std::size_t fixed) const {
    const auto in = [&](std::span<const std::size_t> writes) {
        return std::any_of(writes.begin(), writes.end(), [&](std::size_t w) { return follows(sites_[w], read, fixed); });
    };
    const std::span<const std::size_t> all = writesInScopes(read, fixed, m), again = writesInScopes(read, fixed + 1, m);
    const auto isBefore = [&](std::size_t w) { return sites_[w].at < read.at; };
    const auto split = [&](std::span<const std::size_t> of) {
        return static_cast<std::size_t>(std::partition_point(of.begin(), of.end(), isBefore) - of.begin());
    };
    return in(all.subspan(split(all))) || in(again.first(split(again)));
}

bool PrimalProgram::isOverwritten(const Use &read) const {
    return isWrittenInHidden(read.memory) || isOverwritten(siteOf(read), read.memory, 0);
}

bool PrimalProgram::isOverwrittenInIteration(const Use &read, const nest::Map *of) const {
    const Site &site = siteOf(read);
    return isOverwritten(site, read.memory, fixedScopes(site, of));
}

bool PrimalProgram::isOverwritten(Name container, const Block &at) const {
    const analysis::Memory memory = memories_.of(g_, container);
    return isWrittenInHidden(memory) || isOverwritten(places_.at(&at), memory, 0);
}

namespace {

/// Does each value of a parameter select a different element, as far as quotients and remainders show? `A[i // 2]` does not, `A[i
/// // N, i % N]` does.
bool loseValues(const sym::Subset &s) {
    const std::string text = s.str();
    const bool quotient = text.find("//") != std::string::npos || text.find("floor") != std::string::npos;
    const bool remainder = text.find('%') != std::string::npos || text.find("Mod") != std::string::npos;
    return quotient != remainder;
}

/// Can different iterations of maps, from level `fixed` up to level `end`, conflict?
bool isCarried(const analysis::Conflict &c, std::size_t fixed, std::size_t end = SIZE_MAX) {
    return std::any_of(c.vectors.begin(), c.vectors.end(), [fixed, end](const std::vector<analysis::Directions> &v) {
        for (std::size_t k = 0; k < std::min(v.size(), end); ++k) {
            if (k >= fixed && (v[k].less || v[k].greater))
                return true;
            if (!v[k].equal)
                return false;
        }
        return false;
    });
}

bool hasNestedRanges(const std::vector<analysis::LoopLevel> &loops, std::size_t from) {
    for (std::size_t k = from; k < loops.size(); ++k)
        for (std::size_t j = from; j < k; ++j)
            if (loops[k].range.begin.dependsOn(loops[j].variable) || loops[k].range.end.dependsOn(loops[j].variable))
                return true;
    return false;
}

} // namespace

bool PrimalProgram::isRewrittenIn(const Item &item, const Use &u) const {
    const Site &site = siteOf(u);
    const auto writes = writesIn(&item, u.memory);
    return std::any_of(writes.begin(), writes.end(), [&](std::size_t w) {
        const Site &s = sites_[w];
        if (u.writes() ? s.at <= site.at : s.at >= site.at)
            return false;
        const auto c = analysis::conflictOf(site.instance, s.instance, site.loops, facts_);
        return c && std::any_of(c->vectors.begin(), c->vectors.end(), [](const auto &v) {
                   return std::all_of(v.begin(), v.end(), [](const analysis::Directions &d) { return d.equal; });
               });
    });
}

bool PrimalProgram::meetsOthers(const nest::Map &m, const Use &u) const {
    // The surrounding loops and maps are in one iteration, so their variables are symbols.
    const auto inside = [&m](Site s) {
        const auto first = std::find(s.scopes.begin(), s.scopes.end(), &m) - s.scopes.begin();
        s.scopes.erase(s.scopes.begin(), s.scopes.begin() + first);
        s.instance.loops.erase(s.instance.loops.begin(), s.instance.loops.begin() + first);
        return s;
    };
    const Site site = inside(siteOf(u));
    const auto writes = writesIn(site.item, u.memory);
    return std::any_of(writes.begin(), writes.end(), [&](std::size_t w) {
        const Site other = inside(sites_[w]);
        const std::size_t common = commonScopes(other, site);
        const auto c = common >= m.params.size() ? conflict(site, other, common) : std::nullopt;
        return c && isCarried(*c, 0, m.params.size());
    });
}

bool PrimalProgram::isRepeated(const Use &write, const nest::Map *owner) const {
    const Site &site = siteOf(write);
    if (site.scopes.size() == site.loops || !site.instance.subset)
        return false;
    const std::size_t fixed = fixedScopes(site, owner);
    for (const std::size_t w : writesIn(site.item, write.memory)) {
        const Site &other = sites_[w];
        if (!other.use->certain || other.use->kind != nest::UseKind::Write || other.use->memlet.dynamic || !other.instance.subset)
            continue;
        const std::size_t common = commonScopes(site, other);
        const auto c = common > fixed ? analysis::conflictOf(site.instance, other.instance, common, facts_) : std::nullopt;
        if (!c || !isCarried(*c, fixed))
            continue;
        const bool itself = other.use == site.use;
        if (c->exact || (itself && (hasNestedRanges(site.instance.loops, fixed) || loseValues(*site.instance.subset))))
            return true;
    }
    return false;
}

bool PrimalProgram::isShared(const Use &write, const nest::Map *owner) const {
    const Site &site = siteOf(write);
    if (site.scopes.size() == site.loops)
        return false;
    if (!site.instance.subset)
        return true;
    const auto c = analysis::conflictOf(site.instance, site.instance, site.scopes.size(), facts_);
    return c && isCarried(*c, fixedScopes(site, owner));
}

bool PrimalProgram::isUsedOtherwise(const Use &update, const nest::Map *map) const {
    const Extent e = extents_.at(map);
    const auto at = [this](std::size_t k) { return sites_.begin() + static_cast<std::ptrdiff_t>(k); };
    return std::any_of(at(e.begin), at(e.end), [&](const Site &s) {
        return s.use->memory == update.memory && (s.use->kind != nest::UseKind::Update || s.use->memlet.wcr != update.memlet.wcr);
    });
}

PrimalProgram::Writers PrimalProgram::writersOf(analysis::Memory m) const {
    const auto known = writers_.find(m);
    return known == writers_.end() ? Writers() : known->second;
}

} // namespace sdfgc::transforms::gradient
