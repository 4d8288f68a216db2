#include "Transforms/Lower/DisjointIterations.h"

#include <algorithm>
#include <map>
#include <optional>

namespace sdfgc::transforms {
namespace {

using sym::Expr;
using sym::Truth;

class Disjointness {
public:
    Disjointness(const std::vector<IterationParameter> &parameters, const std::set<Name> &varying, const sym::Assumptions &facts)
        : varying_(varying), facts_(facts) {
        for (const IterationParameter &p : parameters)
            if (!(p.range.begin == p.range.end))
                open_.push_back(&p);
    }

    bool prove(const sym::Subset &s) {
        while (std::any_of(open_.begin(), open_.end(), [](const auto *p) { return p->parallel; })) {
            auto settled = std::find_if(open_.begin(), open_.end(), [&](const IterationParameter *p) {
                return std::any_of(s.dims.begin(), s.dims.end(), [&](const sym::Range &dim) { return settles(dim, *p); });
            });
            if (settled == open_.end())
                return false;
            open_.erase(settled);
        }
        return true;
    }

private:
    /// The same value whenever the settled parameters are the same?
    bool isFixed(Expr e) const {
        return std::none_of(open_.begin(), open_.end(), [&](const IterationParameter *p) { return e.dependsOn(p->name); }) &&
               std::none_of(varying_.begin(), varying_.end(), [&](Name n) { return e.dependsOn(n); });
    }

    /// |e| where the sign is known.
    std::optional<Expr> magnitude(Expr e) const {
        if (sym::isNonNegative(e, facts_) == Truth::True)
            return e;
        if (sym::isNonNegative(-e, facts_) == Truth::True)
            return -e;
        return std::nullopt;
    }

    /// How much `rest`, which does not depend on `p`, varies over the other open parameters; nothing when that is not known.
    std::optional<Expr> extent(Expr rest, const IterationParameter &p) const {
        Expr total = 0;
        for (const IterationParameter *q : open_) {
            if (q == &p || !rest.dependsOn(q->name))
                continue;
            auto split = sym::affineIn(rest, q->name);
            if (!split || !isFixed(split->first) || !isFixed(q->range.begin) || !isFixed(q->range.end))
                return std::nullopt;
            auto size = magnitude(split->first);
            if (!size)
                return std::nullopt;
            total += *size * (q->range.end - q->range.begin);
            rest = split->second;
        }
        return isFixed(rest) ? std::optional(total) : std::nullopt;
    }

    bool settles(const sym::Range &dim, const IterationParameter &p) const {
        Expr width = dim.end - dim.begin + dim.tile - 1;
        auto split = sym::affineIn(dim.begin, p.name);
        if (!split || split->first.isZero() || !isFixed(split->first) || !isFixed(width))
            return false;
        auto factor = magnitude(split->first);
        auto others = extent(split->second, p);
        if (!factor || !others)
            return false;
        // Steps are positive; one of unknown size is at least one.
        Expr step = p.range.step.isInteger() ? p.range.step : Expr(1);
        return sym::isLess(width + *others, *factor * step, facts_) == Truth::True;
    }

    std::vector<const IterationParameter *> open_; // not settled yet
    const std::set<Name> &varying_;
    const sym::Assumptions &facts_;
};

} // namespace

bool areIterationsDisjoint(const sym::Subset &s, const std::vector<IterationParameter> &parameters, const std::set<Name> &varying,
                           const sym::Assumptions &facts) {
    return Disjointness(parameters, varying, facts).prove(s);
}

bool areIterationsApart(const sym::Subset &a, const sym::Subset &b, const std::vector<IterationParameter> &parameters,
                        const std::set<Name> &varying, const sym::Assumptions &facts) {
    for (const sym::Subset *s : {&a, &b})
        for (Name n : s->freeSymbols())
            if (varying.count(n))
                return false;
    const Name distance("__distance");
    sym::Assumptions known = facts;
    known[distance].positive = true;
    for (const IterationParameter &p : parameters) {
        if (!p.parallel || p.range.begin == p.range.end)
            continue;
        for (Expr step : {Expr::symbol(distance), -Expr::symbol(distance)}) {
            std::map<Name, Expr> other;
            for (const IterationParameter &q : parameters)
                other[q.name] = q.name == p.name ? Expr::symbol(p.name) + step : Expr::symbol(Name("__other_" + q.name.str()));
            if (sym::intersects(a, b.substituted(other), known) != Truth::False)
                return false;
        }
    }
    return true;
}

} // namespace sdfgc::transforms
