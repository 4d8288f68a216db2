#include "sdfgc/Analysis/Dependences/DisjointIterations.h"

#include <map>
#include <optional>

namespace sdfgc::analysis {
namespace {

/// The access in one iteration, with these names for the symbols.
AccessInstance accessOf(const sym::Subset &s, const std::vector<IterationParameter> &parameters,
                        const std::map<Name, sym::Expr> &names) {
    AccessInstance access{s.substituted(names), {}};
    for (const IterationParameter &p : parameters) {
        const sym::Range &r = p.range;
        // A step of unknown size is taken as one, which overestimates the iterations.
        const sym::Expr step = r.step.isInteger() ? r.step : sym::Expr(1);
        access.loops.push_back({p.variable, {sym::substitute(r.begin, names), sym::substitute(r.end, names), step, r.tile}});
    }
    return access;
}

} // namespace

bool areIterationsApart(const sym::Subset &a, const sym::Subset &b, const std::vector<IterationParameter> &parameters,
                        const std::set<Name> &varying, const sym::Assumptions &facts) {
    std::map<Name, sym::Expr> others;
    for (Name n : varying)
        others[n] = sym::Expr::symbol(Name("__other_" + n.str()));
    const std::optional<Conflict> c =
        conflictOf(accessOf(a, parameters, {}), accessOf(b, parameters, others), parameters.size(), facts);
    for (std::size_t i = 0; c && i < parameters.size(); ++i)
        if (parameters[i].parallel && (c->levels[i].less || c->levels[i].greater))
            return false;
    return true;
}

} // namespace sdfgc::analysis
