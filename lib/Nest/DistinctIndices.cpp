#include "Nest/DistinctIndices.h"

#include "Nest/Values.h"

#include "sdfgc/Analysis/Memory/Access.h"

#include <algorithm>

namespace sdfgc::nest {

using namespace ir;

namespace {

constexpr std::size_t mostLimits = 8; // candidates for a limit

bool hasValues(sym::Expr e) {
    return std::any_of(e.freeSymbols().begin(), e.freeSymbols().end(), [](Name n) { return isValue(n); });
}

/// An index `factor * x + rest`, with the element x of an index array.
struct Index {
    Name array;
    sym::Expr at, factor, rest;
};

/// May the elements of a container be checked in front of the loop?
bool isIndexArray(Name data, const SDFG &g) {
    const DataDesc *d = g.arrays.find(data);
    return d && d->isArray() && d->rank() == 1 && d->dtype.isInteger() && analysis::isPlain(d) && analysis::isOnHost(d);
}

std::optional<Index> indexOf(const LoopBody &body, const SDFG &g, const BodyUse &u, std::size_t d) {
    const sym::Range &r = u.instance.subset->dims[d];
    if (!r.isPoint())
        return std::nullopt;
    for (const Name n : r.begin.freeSymbols()) {
        const auto element = body.elements.find(n);
        if (element == body.elements.end() || !body.varying.count(n) || !isIndexArray(element->second.data, g))
            continue;
        const auto linear = sym::affineIn(r.begin, n);
        if (linear && linear->first.isInteger() && !linear->first.isZero() && !hasValues(linear->second))
            return Index{element->second.data, element->second.at.front(), linear->first, linear->second};
    }
    return std::nullopt;
}

/// Replaces minima, if an upper limit is sought, by one of their operands, which is not less: all choices for one minimum that
/// depends on the variable. Maxima count with a negative factor, and the other way round for a lower limit.
std::vector<sym::Expr> choicesFor(sym::Expr e, Name variable, bool upper) {
    std::optional<sym::Expr> inner;
    sym::rewrite(e, [&](sym::Expr x) {
        if ((x.kind() == sym::SymbolicKind::Min || x.kind() == sym::SymbolicKind::Max) && x.dependsOn(variable))
            inner = x;
        return x;
    });
    if (!inner)
        return {e};
    const Name stand = "'";
    const sym::Expr replaced = sym::rewrite(e, [&](sym::Expr x) { return x == *inner ? sym::Expr::symbol(stand) : x; });
    const auto linear = sym::affineIn(replaced, stand);
    if (!linear || !linear->first.isInteger() || linear->first.isZero())
        return {};
    const bool isMinimum = inner->kind() == sym::SymbolicKind::Min, grows = linear->first.numerator() > 0;
    if ((isMinimum == grows) != upper)
        return {};
    std::vector<sym::Expr> out;
    for (const sym::Expr x : inner->operands())
        out.push_back(linear->first * x + linear->second);
    return out;
}

/// The greatest, or least, value of an expression in all iterations of a loop; nothing if it is not known.
std::optional<sym::Expr> extremeIn(sym::Expr e, const analysis::LoopLevel &l, bool upper) {
    if (!e.dependsOn(l.variable))
        return e;
    const auto linear = sym::affineIn(e, l.variable);
    if (!linear || !linear->first.isInteger() || !l.range.step.isInteger() || !l.range.tile.isOne())
        return std::nullopt;
    const bool rises = l.range.step.numerator() > 0, grows = linear->first.numerator() > 0;
    const sym::Expr least = rises ? l.range.begin : l.range.end, greatest = rises ? l.range.end : l.range.begin;
    return linear->first * (grows == upper ? greatest : least) + linear->second;
}

/// A limit of a position in all iterations of the loops around it, in terms of symbols in front of them.
std::optional<sym::Expr> limitOf(sym::Expr at, const std::vector<analysis::LoopLevel> &loops, bool upper) {
    std::vector<sym::Expr> limits{at};
    for (auto l = loops.rbegin(); l != loops.rend(); ++l) {
        std::vector<sym::Expr> next;
        for (const sym::Expr e : limits)
            for (const sym::Expr choice : choicesFor(e, l->variable, upper))
                if (const auto limit = extremeIn(choice, *l, upper); limit && next.size() < mostLimits)
                    next.push_back(*limit);
        limits = std::move(next);
    }
    std::erase_if(limits, [](sym::Expr e) { return hasValues(e) || e.isUndefined() || e.overflowed(); });
    if (limits.empty())
        return std::nullopt;
    return upper ? sym::min(std::move(limits)) : sym::max(std::move(limits));
}

} // namespace

std::optional<IndexPair> indexPair(const LoopBody &body, const SDFG &g, const BodyUse &a, const BodyUse &b, std::size_t d) {
    const DataDesc *data = g.arrays.find(a.data);
    if (!data || !data->isArray() || !analysis::isPlain(data))
        return std::nullopt;
    const std::optional<Index> i = indexOf(body, g, a, d), j = indexOf(body, g, b, d);
    if (!i || !j || i->array != j->array || !(i->factor == j->factor) || !(i->rest == j->rest))
        return std::nullopt;
    DistinctIndex condition{i->array, a.data, d, i->factor, i->rest, {}, {}};
    for (const auto &[index, use] : {std::pair(&*i, &a), std::pair(&*j, &b)}) {
        const auto first = limitOf(index->at, use->instance.loops, false), last = limitOf(index->at, use->instance.loops, true);
        if (!first || !last)
            return std::nullopt;
        condition.first = index == &*i ? *first : sym::min({condition.first, *first});
        condition.last = index == &*i ? *last : sym::max({condition.last, *last});
    }
    return IndexPair{i->at, j->at, condition};
}

void addDistinct(const DistinctIndex &condition, std::vector<DistinctIndex> &to) {
    const auto known = std::find_if(to.begin(), to.end(), [&](const DistinctIndex &other) {
        return other.index == condition.index && other.data == condition.data && other.dim == condition.dim &&
               other.factor == condition.factor && other.rest == condition.rest;
    });
    if (known == to.end()) {
        to.push_back(condition);
        return;
    }
    known->first = sym::min({known->first, condition.first});
    known->last = sym::max({known->last, condition.last});
}

} // namespace sdfgc::nest
