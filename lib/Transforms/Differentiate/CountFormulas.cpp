// Computes upper bounds of trip counts: a map takes the maximum over all iterations of the surrounding loops.
//
//     for i = 0; i < N; i += 1 {                          most = 0
//         for j = 0; j < K[i]; j += 1 { ... }      ->     map i = 0:N { most (max)= K[i] }
//     }
#include "Transforms/Differentiate/Counting.h"

#include "Transforms/Edits/Outline.h"
#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Flow/Loops.h"

#include <algorithm>
#include <limits>

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Item;
using nest::Use;
using nest::UseKind;

namespace {

/// The loops around a loop, outermost first, if each of them runs all of its iterations and each iteration reaches the loop.
std::optional<std::vector<analysis::CountedLoop>> loopsThatReach(LoopRegion &l) {
    for (const Region *r = &l; !isa<SDFG>(r); r = r->parent())
        if (r->conditional())
            return std::nullopt;
    auto out = analysis::countedLoopsAround(l);
    if (!out)
        return std::nullopt;
    out->pop_back();
    const bool all = std::none_of(out->begin(), out->end(), [](const analysis::CountedLoop &c) { return !c.exact; });
    return all ? out : std::nullopt;
}

/// The values of a loop's variable, in any order.
std::optional<sym::Range> upwards(const analysis::LoopHeader &h) {
    const auto step = h.step.asInt();
    return step && *step >= -1 ? std::optional(h.range()) : std::nullopt;
}

/// Does each iteration of the surrounding loops pass the edge that sets an element before it reaches the loop?
bool isSetBefore(const NamedElement &e, const LoopRegion &l) {
    const Region *r = e.at->parent();
    const Block *in = &l;
    while (in && in->parent() != r)
        in = in->parent();
    for (const Block *b = e.at; in && b;) {
        if (b == in)
            return true;
        const std::vector<InterstateEdge *> &next = b->outEdges();
        b = next.empty() ? nullptr : next.front()->dst;
    }
    return false;
}

/// Returns code that computes a trip count. If the count exceeds 64 bits, as sums of elements may, the code detects
/// this with floating-point numbers and gives the largest integer, for which no memory exists.
std::string countOf(sym::Expr trips, const std::map<Name, Name> &elements, Name out) {
    std::string code;
    std::map<Name, sym::Expr> real;
    for (const auto &[symbol, element] : elements) {
        const Name wide(element.str() + "_real");
        code += wide.str() + " = float64(" + element.str() + ")\n";
        real.emplace(element, sym::Expr::symbol(wide));
    }
    const std::string largest = std::to_string(std::numeric_limits<int64_t>::max());
    return code + "__count = " + sym::substitute(trips, real).str() + "\n" + out.str() + " = " + trips.str() +
           " if abs(__count) < 9.2e18 else " + largest + " if __count > 0 else 0";
}

} // namespace

std::optional<std::vector<Item>> Counting::computed(const analysis::CountedLoop &l, Name into) {
    const auto around = l.hasEnd() ? loopsThatReach(*l.region) : std::nullopt;
    if (!around)
        return std::nullopt;
    const std::set<Name> written = writtenIn(*analysis::outermost(*l.region)); // the map stands in front of that
    sym::Expr trips = l.trips();
    std::vector<sym::Expr> used{trips}; // expressions that the map computes
    std::map<Name, Name> connectors;    // of symbols that are elements
    for (const auto &[symbol, element] : elements_)
        if (trips.dependsOn(symbol)) {
            if (written.count(element.container) || !isSetBefore(element, *l.region))
                return std::nullopt;
            connectors.emplace(symbol, maker_.connector("__element" + std::to_string(connectors.size())));
            used.insert(used.end(), element.index.begin(), element.index.end());
        }
    std::vector<Name> params;
    std::vector<sym::Range> ranges;
    std::map<Name, sym::Expr> meaning;
    for (std::size_t k = around->size(); k-- > 0;) {
        const Name variable = (*around)[k].variable;
        if (std::none_of(used.begin(), used.end(), [variable](sym::Expr e) { return e.dependsOn(variable); }))
            continue;
        const auto range = upwards((*around)[k]);
        if (!range || std::any_of(elements_.begin(), elements_.end(), [&range](const auto &e) {
                return range->begin.dependsOn(e.first) || range->end.dependsOn(e.first);
            }))
            return std::nullopt;
        used.insert(used.end(), {range->begin, range->end});
        params.insert(params.begin(), maker_.connector("__" + variable.str()));
        ranges.insert(ranges.begin(), *range);
        meaning.emplace(variable, sym::Expr::symbol(params.front()));
    }
    for (const sym::Expr e : used)
        for (const Name n : e.freeSymbols())
            if (!meaning.count(n) && !connectors.count(n) && (program_.assigned().count(n) || maker_.sdfg().desc(n)))
                return std::nullopt;
    return largestOf(trips, into, params, ranges, meaning, connectors);
}

/// The map, with parameters instead of the loops' variables.
std::vector<Item> Counting::largestOf(sym::Expr trips, Name into, const std::vector<Name> &params, std::vector<sym::Range> ranges,
                                      std::map<Name, sym::Expr> meaning, const std::map<Name, Name> &connectors) {
    for (sym::Range &r : ranges)
        r = {sym::substitute(r.begin, meaning), sym::substitute(r.end, meaning), r.step, 1};
    std::vector<Use> uses;
    for (const auto &[symbol, connector] : connectors) {
        sym::Subset at;
        for (const sym::Expr index : elements_.at(symbol).index) {
            const sym::Expr e = sym::substitute(index, meaning);
            at.dims.push_back({e, e, 1, 1});
        }
        uses.push_back(maker_.read(elements_.at(symbol).container, std::move(at), connector));
    }
    for (const auto &[symbol, connector] : connectors) {
        const sym::Expr element = sym::Expr::symbol(connector);
        const Type type = maker_.sdfg().desc(elements_.at(symbol).container)->dtype;
        // A value that cannot be a size becomes the largest one, for which no memory exists, rather than a negative number.
        const bool exceeds = type == Type(ScalarKind::UInt64);
        meaning.emplace(symbol, exceeds ? sym::min({element, sym::Expr(std::numeric_limits<int64_t>::max())}) : element);
    }
    const Name out = maker_.connector("__out");
    const sym::Subset whole = maker_.sdfg().desc(into)->fullSubset();
    Use largest = maker_.use(UseKind::Update, into, whole, out);
    largest.memlet.wcr = "lambda a, b: max(a, b)";
    uses.push_back(std::move(largest));
    const bool inScope = !maker_.sdfg().isRoot();
    const sym::Expr value = sym::substitute(trips, meaning);
    Item item = maker_.tasklet("count", trips.isSymbol() ? out.str() + " = " + value.str() : countOf(value, connectors, out),
                               std::move(uses));
    std::vector<Item> items;
    items.push_back(maker_.fill(into, whole, "0", inScope));
    if (!params.empty()) {
        std::vector<Item> body;
        body.push_back(std::move(item));
        item = maker_.map("count", params, std::move(ranges), std::move(body), inScope);
    }
    items.push_back(std::move(item));
    return items;
}

} // namespace sdfgc::transforms::gradient
