#include "sdfgc/Nest/Conflicts.h"

#include "sdfgc/Analysis/Memory/Bounds.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Nest/CallElements.h"

#include <algorithm>
#include <utility>

namespace sdfgc::nest {

using namespace ir;

Conflicts::Conflicts(const SDFG &g, const analysis::Memories &memories)
    : g_(g), memories_(memories), facts_(analysis::factsOf(g)), factsEverywhere_(analysis::factsEverywhere(g)) {}

ItemFacts Conflicts::factsOf(const Item &item) const {
    ItemFacts out;
    const Step *last = nullptr;
    for (const PlacedUse &u : usesOf(item)) {
        out.steps += u.step != std::exchange(last, u.step);
        analysis::Access &does = out.memories[u.use->memory];
        does.written |= u.use->writes();
        does.read |= u.use->kind != UseKind::Write;
        const DataDesc *d = memories_.desc(u.use->memory);
        out.queues |= d && d->isStream();
    }
    out.effects = hasEffects(item);
    return out;
}

namespace {

/// Visits the memories that both use, with the uses on either side; iterates over the side with fewer: a fused map may use many.
template <class Function> bool anyCommon(const ItemFacts &a, const ItemFacts &b, const Function &holds) {
    const bool swapped = b.memories.size() < a.memories.size();
    const auto &few = swapped ? b.memories : a.memories, &many = swapped ? a.memories : b.memories;
    return std::any_of(few.begin(), few.end(), [&](const auto &m) {
        const auto other = many.find(m.first);
        return other != many.end() && (swapped ? holds(m.first, other->second, m.second) : holds(m.first, m.second, other->second));
    });
}

} // namespace

bool Conflicts::handsOn(const ItemFacts &a, const ItemFacts &b) const {
    return anyCommon(a, b, [this](analysis::Memory m, const analysis::Access &first, const analysis::Access &second) {
        const DataDesc *d = first.written && second.read ? memories_.desc(m) : nullptr;
        return d && d->transient;
    });
}

bool Conflicts::shares(const ItemFacts &a, const ItemFacts &b) const {
    return anyCommon(a, b, [](analysis::Memory, const analysis::Access &, const analysis::Access &) { return true; });
}

std::size_t Conflicts::streamsOf(const ItemFacts &a, const ItemFacts &b) const {
    const auto isStream = [this](const analysis::Memory &m, bool reads, bool writes) {
        const DataDesc *d = memories_.desc(m);
        return !d || !(d->totalSize.isOne() || (d->transient && reads && writes));
    };
    std::size_t count = 0;
    for (const auto &[m, does] : a.memories) {
        const auto other = b.memories.find(m);
        const analysis::Access too = other == b.memories.end() ? analysis::Access{} : other->second;
        count += isStream(m, does.read || too.read, does.written || too.written);
    }
    for (const auto &[m, does] : b.memories)
        count += !a.memories.count(m) && isStream(m, does.read, does.written);
    return count;
}

sym::Expr Conflicts::sharedBytes(const ItemFacts &a, const ItemFacts &b) const {
    sym::Expr bytes = 0;
    for (const auto &[m, does] : a.memories)
        if (const DataDesc *d = memories_.desc(m); d && b.memories.count(m))
            bytes += d->totalSize * d->dtype.bytes().value_or(1);
    return bytes;
}

bool Conflicts::meet(const Use &a, const Use &b) const {
    return (a.writes() || b.writes()) && !memories_.apart(a.place(), b.place());
}

bool Conflicts::mayMeet(const ItemFacts &a, const ItemFacts &b) const {
    for (const auto &[m, does] : a.memories) {
        if (const auto same = b.memories.find(m); same != b.memories.end() && (does.written || same->second.written))
            return true;
        if (memories_.mayAlias(m))
            for (const auto &[n, other] : b.memories)
                if (memories_.mayAlias(n) && (does.written || other.written))
                    return true;
    }
    return false;
}

bool Conflicts::ordered(const Item &a, const ItemFacts &factsOfA, const Item &b, const ItemFacts &factsOfB) const {
    if (factsOfA.effects && factsOfB.effects)
        return true;
    if (!mayMeet(factsOfA, factsOfB))
        return false;
    for (const PlacedUse &u : usesOf(a))
        for (const PlacedUse &v : usesOf(b))
            if (meet(*u.use, *v.use) && conflict(u, v, 0))
                return true;
    return false;
}

namespace {

/// The container, or the member of a structure, in whose coordinates the elements of a use are known.
Name coordinatesOf(const PlacedUse &u) { return u.shown ? u.use->shown->member : u.use->data; }

} // namespace

std::optional<analysis::Conflict> Conflicts::conflict(const PlacedUse &a, const PlacedUse &b, std::size_t common) const {
    // Otherwise one memory has two names: views, arguments that may alias.
    const bool comparable = coordinatesOf(a) == coordinatesOf(b);
    if (comparable && !a.shown && !b.shown) {
        if (!a.use->call && !b.use->call)
            return analysis::conflictOf(a.instance, b.instance, common, facts_);
        return unionOf(accessesOf(a), accessesOf(b), common);
    }
    return analysis::conflictOf({comparable ? elementsOf(a) : std::nullopt, a.instance.loops},
                                {comparable ? elementsOf(b) : std::nullopt, b.instance.loops}, common, facts_);
}

/// The conflicts of all pairs.
std::optional<analysis::Conflict> Conflicts::unionOf(const std::vector<analysis::AccessInstance> &a,
                                                     const std::vector<analysis::AccessInstance> &b, std::size_t common) const {
    std::optional<analysis::Conflict> out;
    for (const analysis::AccessInstance &x : a)
        for (const analysis::AccessInstance &y : b)
            if (auto c = analysis::conflictOf(x, y, common, facts_)) {
                if (out)
                    out->add(*c);
                else
                    out = std::move(c);
            }
    return out;
}

diag::Reason Conflicts::dependence(const std::vector<PlacedUse> &uses, std::size_t common, const std::string &what) const {
    for (std::size_t a = 0; a < uses.size(); ++a)
        for (std::size_t b = a; b < uses.size(); ++b) {
            if (!meet(*uses[a].use, *uses[b].use))
                continue;
            const auto c = conflict(uses[a], uses[b], common);
            if (c && !analysis::isWithinIteration(*c))
                return conflictReason(what, uses[a], uses[b], *c);
        }
    return {};
}

/// Nothing if an index leaves its dimension: then it is another element's.
std::optional<sym::Subset> Conflicts::elementsOf(const PlacedUse &u) const {
    if (!u.shown)
        return u.instance.subset;
    return leaves(u.use->shown->member, *u.shown, u.instance.loops) ? std::nullopt : u.shown;
}

bool Conflicts::leaves(Name data, const sym::Subset &subset, const std::vector<analysis::LoopLevel> &loops) const {
    const DataDesc &d = *g_.desc(data);
    const analysis::IsLess less = [this](sym::Expr a, sym::Expr b) { return sym::isLess(a, b, facts_) == sym::Truth::True; };
    for (std::size_t k = 0; k < d.rank(); ++k) {
        sym::Range indices = subset.dims[k];
        indices.begin = indices.begin + (k < d.offset.size() ? d.offset[k] : 0);
        indices.end = indices.end + (k < d.offset.size() ? d.offset[k] : 0);
        if (analysis::whyOutside(indices, d.shape[k], loops, less))
            return true;
    }
    return false;
}

bool Conflicts::leavesContainers(const Map &m) const {
    const std::vector<PlacedUse> uses = aligned(m, m, {}, m.params.size());
    return std::any_of(uses.begin(), uses.end(), [this](const PlacedUse &u) {
        const DataDesc *d = u.instance.subset ? g_.desc(u.use->data) : nullptr;
        return d && (d->isArray() || d->isScalar()) && leaves(u.use->data, *u.instance.subset, u.instance.loops);
    });
}

diag::Reason conflictReason(const std::string &what, const PlacedUse &named, const PlacedUse &other, const analysis::Conflict &c) {
    const std::string text = what + " by `" + named.use->data.str() + "`";
    if (coordinatesOf(named) != coordinatesOf(other))
        return {diag::Why::MayAlias, text + ", which may be the memory of `" + other.use->data.str() + "`"};
    if (!c.why.empty())
        return {diag::Why::NotAffine, text + " (" + c.why + ")"};
    return {diag::Why::Dependence, text};
}

std::set<Name> namesOf(const Item &i) {
    std::set<Name> out;
    if (i.map) {
        out.insert(i.map->params.begin(), i.map->params.end());
        for (const sym::Range &r : i.map->ranges)
            out.merge(sym::Subset{{r}}.freeSymbols());
        for (const Item &inner : i.map->body)
            out.merge(namesOf(inner));
        return out;
    }
    for (const Node *n : i.step->nodes)
        if (n->state())
            out.merge(analysis::freeSymbols(*n));
    for (const auto &[name, value] : i.step->renamed)
        out.erase(name);
    for (const auto &[name, value] : i.step->renamed)
        out.insert(value.freeSymbols().begin(), value.freeSymbols().end());
    for (const Use &u : i.step->uses)
        if (u.subset)
            out.merge(u.subset->freeSymbols());
    return out;
}

bool canLayOver(const Map &m, const std::map<Name, sym::Expr> &meaning, std::span<const Name> onto) {
    if (meaning.empty())
        return true;
    const auto inner = m.params.begin() + static_cast<std::ptrdiff_t>(onto.size());
    for (auto p = inner; p != m.params.end(); ++p)
        for (const auto &[name, value] : meaning)
            if (value.dependsOn(*p))
                return false;
    std::set<Name> named;
    for (const Item &i : m.body)
        named.merge(namesOf(i));
    const bool hides = std::any_of(onto.begin(), onto.end(),
                                   [&](Name n) { return named.count(n) != 0 && std::find(m.params.begin(), inner, n) == inner; });
    return !hides && std::all_of(m.body.begin(), m.body.end(), [&](const Item &i) { return canRename(i, meaning); });
}

std::vector<PlacedUse> aligned(const Map &m, const Map &onto, const std::map<Name, sym::Expr> &meaning, std::size_t depth) {
    std::vector<analysis::LoopLevel> loops;
    for (std::size_t d = 0; d < m.params.size(); ++d)
        loops.push_back(d < depth ? analysis::LoopLevel{onto.params[d], onto.ranges[d]}
                                  : analysis::LoopLevel{m.params[d], m.ranges[d].substituted(meaning)});
    std::vector<PlacedUse> out;
    for (const Item &i : m.body)
        for (const PlacedUse &u : usesOf(i)) {
            PlacedUse a{u.use, u.step, u.instance.substituted(meaning)};
            a.instance.loops.insert(a.instance.loops.begin(), loops.begin(), loops.end());
            if (u.shown)
                a.shown = u.shown->substituted(meaning);
            a.meaning = meaning;
            out.push_back(std::move(a));
        }
    return out;
}

std::set<analysis::Memory> handedInRuns(const std::vector<Run> &runs, SDFG &g, const analysis::Memories &memories) {
    struct Usage {
        std::set<const Run *> runs;
        std::size_t writes = 0;
    };
    std::map<analysis::Memory, Usage> usage;
    for (const Run &run : runs)
        for (const Item &i : run.items)
            for (const PlacedUse &u : usesOf(i)) {
                usage[u.use->memory].runs.insert(&run);
                usage[u.use->memory].writes += u.use->writes();
            }
    const std::set<Name> byFlow = analysis::containersReadByControlFlow(g);
    std::set<analysis::Memory> out;
    for (const auto &[m, u] : usage) {
        const DataDesc *d = memories.desc(m);
        const Name name = memories.owner(m).second;
        if (u.writes == 1 && u.runs.size() == 1 && d && d->transient && d->lifetime == Lifetime::Scope && g.desc(name) == d &&
            !byFlow.count(name))
            out.insert(m);
    }
    return out;
}

} // namespace sdfgc::nest
