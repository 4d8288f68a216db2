#include "Nest/DistinctIndices.h"

#include "Nest/Values.h"

#include "sdfgc/Analysis/Memory/Access.h"

#include <algorithm>

namespace sdfgc::nest {

using namespace ir;

namespace {

bool hasValues(sym::Expr e) {
    return std::any_of(e.freeSymbols().begin(), e.freeSymbols().end(), [](Name n) { return isValue(n); });
}

/// An index `factor * x + rest`, with the element x of an index array.
struct Index {
    Name array;
    sym::Expr at, factor, rest;
};

/// May a container be an index array?
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

} // namespace

std::optional<IndexPair> indexPair(const LoopBody &body, const SDFG &g, const BodyUse &a, const BodyUse &b, std::size_t d) {
    const DataDesc *data = g.arrays.find(a.data);
    if (!data || !data->isArray() || !analysis::isPlain(data))
        return std::nullopt;
    const std::optional<Index> i = indexOf(body, g, a, d), j = indexOf(body, g, b, d);
    if (!i || !j || i->array != j->array || !(i->factor == j->factor) || !(i->rest == j->rest))
        return std::nullopt;
    return IndexPair{i->at, j->at, {i->array, i->factor.isOne() ? i->rest : sym::Expr(0)}};
}

void addDistinct(const DistinctIndex &condition, std::vector<DistinctIndex> &to) {
    if (std::none_of(to.begin(), to.end(), [&](const DistinctIndex &other) { return other.index == condition.index; }))
        to.push_back(condition);
}

} // namespace sdfgc::nest
