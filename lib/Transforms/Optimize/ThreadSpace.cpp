#include "Transforms/Optimize/ThreadSpace.h"

#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/Conflicts.h"
#include "sdfgc/Nest/MakeMaps.h"

#include <algorithm>
#include <limits>

namespace sdfgc::transforms {

using namespace ir;
using diag::Reason;
using diag::Why;
using nest::Map;
using nest::PlacedUse;
using sym::Expr;

namespace {

constexpr int64_t unknownExtent = 512;

/// The only variable of these on which an index depends, if it is that variable with a fixed distance: {variable, distance}.
/// Without a variable, the index itself. Nothing for other indices.
std::optional<std::pair<std::optional<std::size_t>, Expr>> distanceFrom(const std::vector<Name> &variables,
                                                                        const sym::Range &index) {
    if (!index.isPoint())
        return std::nullopt;
    std::optional<std::size_t> only;
    for (std::size_t d = 0; d < variables.size(); ++d)
        if (index.begin.dependsOn(variables[d])) {
            if (only)
                return std::nullopt;
            only = d;
        }
    const Expr rest = only ? index.begin - Expr::symbol(variables[*only]) : index.begin;
    if (only && rest.dependsOn(variables[*only]))
        return std::nullopt;
    return std::pair(only, rest);
}

bool haveSameLayout(const DataDesc *a, const DataDesc *b) {
    return a == b || (a && b && a->shape == b->shape && a->strides == b->strides && a->offset == b->offset);
}

/// Are elements of two arrays neighbours in memory along the same dimensions?
bool haveSameNeighbours(const DataDesc *a, const DataDesc *b) {
    return a && b && a->strides.size() == b->strides.size() &&
           std::equal(a->strides.begin(), a->strides.end(), b->strides.begin(),
                      [](Expr x, Expr y) { return x.isOne() == y.isOne(); });
}

bool hasLoopEverywhere(const Placement &p) {
    return std::all_of(p.begin(), p.end(), [](const ThreadDimension &d) { return d.loop.has_value(); });
}

/// The placement under which `v`, of a map with these loops, is the element `u` of the same thread.
std::optional<Placement> placementOf(const sym::Subset &v, const DataDesc &d, const std::vector<Name> &loops, const sym::Subset &u,
                                     const std::vector<Name> &threads) {
    if (u.rank() != v.rank() || v.rank() != d.rank())
        return std::nullopt;
    Placement out(threads.size());
    std::set<std::size_t> placed, dimensions;
    for (std::size_t k = 0; k < u.rank(); ++k) {
        const auto thread = distanceFrom(threads, u.dims[k]);
        const auto loop = distanceFrom(loops, v.dims[k]);
        if (!thread || !loop)
            return std::nullopt;
        if (!thread->first)
            continue;
        if (!dimensions.insert(*thread->first).second || (loop->first && !placed.insert(*loop->first).second))
            return std::nullopt;
        const sym::Range all = d.fullSubset().dims[k];
        out[*thread->first] = {loop->first, loop->second - thread->second, {all.begin - thread->second, all.end - thread->second}};
    }
    if (dimensions.size() != threads.size() || placed.size() != loops.size())
        return std::nullopt;
    return out;
}

/// Is `a` known to be at least `b`, which is an end of the threads of a part?
bool isKnownAtLeast(Expr a, Expr b, const sym::Assumptions &facts) { return sym::isNonNegative(a - b, facts) == sym::Truth::True; }

Expr product(const std::vector<sym::Range> &ranges) {
    Expr out = 1;
    for (const sym::Range &r : ranges)
        out *= r.steps();
    return out;
}

} // namespace

int64_t estimate(Expr e) {
    std::map<Name, int64_t> sizes;
    for (const Name n : e.freeSymbols())
        sizes.emplace(n, unknownExtent);
    return sym::evaluate(e, sizes).value_or(std::numeric_limits<int64_t>::max());
}

ThreadSpace::ThreadSpace(std::size_t item, const Map &base, const nest::Conflicts &items, const SDFG &g)
    : items_(items), g_(g), threads_(base.params) {
    Placement own(base.params.size());
    for (std::size_t d = 0; d < own.size(); ++d)
        own[d].loop = d;
    taken_.insert(threads_.begin(), threads_.end());
    parts_.push_back(partOf(item, base, own));
}

Part ThreadSpace::partOf(std::size_t item, const Map &m, const Placement &placement) const {
    Part out{item, nest::copyOf(m), {}, {}};
    out.map.params.clear();
    out.map.ranges.clear();
    for (std::size_t d = 0; d < placement.size(); ++d) {
        const ThreadDimension &at = placement[d];
        out.map.params.push_back(at.loop ? m.params[*at.loop] : Name("__at_" + threads_[d].str()));
        out.map.ranges.push_back(at.loop ? m.ranges[*at.loop] : sym::Range{at.at, at.at});
        out.distance.push_back(at.loop ? at.at : Expr(0));
        sym::Range r = out.map.ranges.back();
        r.begin += out.distance.back();
        r.end += out.distance.back();
        out.threads.push_back(r);
        out.exists.push_back(at.loop ? std::nullopt : std::optional(at.exists));
    }
    return out;
}

/// The uses of a part, in terms of the threads that execute it.
std::vector<PlacedUse> ThreadSpace::usesOf(const Part &p) const {
    Map onto;
    onto.params = threads_;
    onto.ranges = p.threads;
    std::map<Name, Expr> meaning;
    for (std::size_t d = 0; d < threads_.size(); ++d)
        meaning.emplace(p.map.params[d], Expr::symbol(threads_[d]) - p.distance[d]);
    return nest::aligned(p.map, onto, meaning, threads_.size());
}

std::vector<Placement> ThreadSpace::placements(const Map &m) const {
    std::vector<Placement> out;
    const std::vector<PlacedUse> own = nest::aligned(m, m, {}, m.params.size());
    const std::set<Name> locals = nest::localsOf(m);
    enum Round { SameWritten, LikeWritten, SameRead, Neighbours };
    for (const Round round : {SameWritten, LikeWritten, SameRead, Neighbours})
        for (const Part &p : parts_)
            for (const PlacedUse &u : usesOf(p))
                for (const PlacedUse &v : own) {
                    const DataDesc *a = g_.desc(u.use->data), *b = g_.desc(v.use->data);
                    const bool written = u.use->writes() && v.use->writes(), isSame = round == SameWritten || round == SameRead;
                    if (!u.instance.subset || !v.instance.subset || locals.count(v.use->data) || written == (round == SameRead) ||
                        (isSame && u.use->data != v.use->data) ||
                        !(round == Neighbours ? haveSameNeighbours : haveSameLayout)(a, b))
                        continue;
                    const auto found = placementOf(*v.instance.subset, *b, m.params, *u.instance.subset, threads_);
                    if (found && (round != Neighbours || hasLoopEverywhere(*found)) &&
                        std::find(out.begin(), out.end(), *found) == out.end())
                        out.push_back(*found);
                }
    if (m.params.empty())
        out.push_back(ofFirstThread());
    return out;
}

/// The placement at the first thread, which exists even if the other maps have no iterations.
Placement ThreadSpace::ofFirstThread() const {
    Placement out;
    for (const sym::Range &r : parts_.front().threads)
        out.push_back({std::nullopt, r.begin, {r.begin, r.begin}});
    return out;
}

/// Why the threads would depend on each other; empty if they would not.
Reason ThreadSpace::conflict(const Part &earlier, const Part &later) const {
    for (const PlacedUse &u : usesOf(earlier))
        for (const PlacedUse &v : usesOf(later)) {
            if (!items_.meet(*u.use, *v.use))
                continue;
            if (const auto c = items_.conflict(u, v, threads_.size()); c && !analysis::isWithinIteration(*c))
                return nest::conflictReason("threads would depend on each other", v, u, *c);
        }
    return {};
}

Reason ThreadSpace::add(std::size_t item, const Map &m, const Placement &placement) {
    Part part = partOf(item, m, placement);
    std::map<Name, Expr> meaning; // any that is new to the body
    for (std::size_t d = 0; d < threads_.size(); ++d)
        meaning.emplace(part.map.params[d], Expr::symbol(threads_[d]));
    if (!nest::canLayOver(part.map, meaning, threads_))
        return {Why::Names, "the names of their parameters conflict"};
    for (const Part &other : parts_)
        if (Reason why = other.item < item || (other.item == item) ? conflict(other, part) : conflict(part, other))
            return why;
    parts_.push_back(std::move(part));
    return {};
}

void ThreadSpace::shrinkTo(std::size_t parts) { parts_.resize(parts); }

/// The smallest box of threads. A part that is executed at one coordinate uses an element that exists: this coordinate is among
/// those of the array, or else nothing is executed. The sizes of other arrays may be zero, although Conflicts::facts() has them as
/// positive: then there is no conflict, but a tasklet has to run.
std::vector<sym::Range> ThreadSpace::hull() const {
    const sym::Assumptions &facts = items_.factsEverywhere();
    std::vector<sym::Range> out;
    for (std::size_t d = 0; d < threads_.size(); ++d) {
        std::vector<Expr> begins, ends;
        for (const Part &p : parts_) {
            begins.push_back(p.threads[d].begin);
            ends.push_back(p.threads[d].end);
        }
        for (const Part &p : parts_)
            if (p.exists[d]) {
                begins.push_back(p.exists[d]->begin);
                ends.push_back(p.exists[d]->end);
            }
        const auto isFirst = [&](Expr begin) {
            return std::all_of(parts_.begin(), parts_.end(), [&](const Part &p) {
                return isKnownAtLeast(p.threads[d].begin, begin, facts) ||
                       (p.exists[d] && isKnownAtLeast(p.exists[d]->begin, begin, facts));
            });
        };
        const auto isLast = [&](Expr end) {
            return std::all_of(parts_.begin(), parts_.end(), [&](const Part &p) {
                return isKnownAtLeast(end, p.threads[d].end, facts) ||
                       (p.exists[d] && isKnownAtLeast(end, p.exists[d]->end, facts));
            });
        };
        const auto first = std::find_if(begins.begin(), begins.end(), isFirst),
                   last = std::find_if(ends.begin(), ends.end(), isLast);
        out.push_back({first != begins.end() ? *first : sym::min(begins), last != ends.end() ? *last : sym::max(ends)});
    }
    return out;
}

bool ThreadSpace::isFilled() const {
    int64_t most = 0;
    for (const Part &p : parts_)
        most = std::max(most, estimate(product(p.threads)));
    const int64_t all = estimate(product(hull()));
    return all <= most || all - most <= most / 4;
}

Map ThreadSpace::unite() {
    std::vector<sym::Range> around = hull();
    for (std::size_t d = 0; d < around.size(); ++d) // count from 0
        if (const auto begin = around[d].begin.asInt(); begin && *begin < 0) {
            around[d].begin = 0;
            around[d].end -= *begin;
            for (Part &p : parts_) {
                if (p.exists[d])
                    p.map.ranges[d] = {p.map.ranges[d].begin - *begin, p.map.ranges[d].end - *begin};
                else
                    p.distance[d] -= *begin;
                p.threads[d].begin -= *begin;
                p.threads[d].end -= *begin;
            }
        }
    Map out = nest::mapLike(*parts_.front().map.entry, parts_.front().map.entry->label, threads_, around);
    std::stable_sort(parts_.begin(), parts_.end());
    for (const Part &p : parts_)
        addBody(p, around, out);
    return out;
}

/// Adds what a part does, under the condition that a thread executes it: a loop with at most one iteration.
void ThreadSpace::addBody(const Part &p, const std::vector<sym::Range> &hull, Map &to) {
    Map part = nest::copyOf(p.map);
    std::vector<Name> params;
    std::vector<sym::Range> ranges;
    std::map<Name, Expr> meaning;
    for (std::size_t d = 0; d < threads_.size(); ++d) {
        const Expr thread = Expr::symbol(threads_[d]) - p.distance[d];
        const bool isOne = p.exists[d].has_value();
        const bool isLeast = !isOne && p.threads[d].begin == hull[d].begin, isMost = !isOne && p.threads[d].end == hull[d].end;
        if ((isLeast && isMost) || p.threads[d] == hull[d]) {
            meaning.emplace(part.params[d], thread);
            continue;
        }
        Name fresh;
        for (std::size_t n = 0; !fresh || taken_.count(fresh); ++n)
            fresh = g_.freshName(threads_[d].str() + "_" + std::to_string(n));
        taken_.insert(fresh);
        meaning.emplace(part.params[d], Expr::symbol(fresh));
        params.push_back(fresh);
        ranges.push_back({isLeast ? thread : sym::max({thread, part.ranges[d].begin}),
                          isMost ? thread : sym::min({thread, part.ranges[d].end})});
    }
    const std::size_t depth = part.params.size();
    std::set<Name> locals = std::move(part.locals);
    part.locals.clear();
    std::vector<nest::Item> body = nest::takeBody(part, meaning, depth);
    if (params.empty()) {
        std::move(body.begin(), body.end(), std::back_inserter(to.body));
        to.locals.insert(locals.begin(), locals.end());
        return;
    }
    auto guard = std::make_unique<Map>(nest::loopLike(*p.map.entry, p.map.entry->label, std::move(params), std::move(ranges)));
    nest::setOrdered(*guard); // threads of a block must not share it
    guard->body = std::move(body);
    guard->locals = std::move(locals);
    to.body.push_back({std::move(guard), nullptr});
}

} // namespace sdfgc::transforms
