// Rules of subsets: what they name is defined, and lies within the container.
//
// Inside maps a subset names other elements in each iteration. One iteration that is sure to come and leaves the container is enough for an
// error: the verifier looks at the one where the bound is least (or greatest), which for a bound that is affine in the parameters has
// each parameter at its first or its last value. Edges that lead further into a map name at least what is used there, and those of a
// nested SDFG, which may branch, too: of them only what holds for every iteration is judged.
#include "Analysis/ScopeNames.h"
#include "Analysis/Verify/Verifier.h"

namespace sdfgc::analysis {

using namespace ir;
using diag::Id;

namespace {

/// The last value of a parameter; nothing where it is not known.
std::optional<sym::Expr> lastOf(const sym::Range &r) {
    if (r.step.isOne())
        return r.end;
    const auto begin = r.begin.asInt(), end = r.end.asInt(), step = r.step.asInt();
    if (!begin || !end || !step || *step <= 0 || *end < *begin)
        return std::nullopt;
    return r.begin + (r.steps() - 1) * r.step;
}

/// One iteration of the maps around an edge: the one where an expression is least or greatest.
class Corner {
public:
    Corner(const ScopeTree &scopes, const Node *scope) {
        for (; scope; scope = scopes.scopeOf(scope))
            if (auto *m = dyn_cast<MapEntry>(scope))
                for (std::size_t d = std::min(m->params.size(), m->ranges.size()); d-- > 0;)
                    dims_.emplace_back(m->params[d], m->ranges[d]);
    }

    /// The value of `e` there; nothing where it cannot be told which iteration that is.
    std::optional<sym::Expr> value(sym::Expr e, bool greatest) {
        values_.clear();
        for (const auto &[parameter, range] : dims_) { // inner ranges may depend on outer parameters
            if (!e.dependsOn(parameter))
                continue;
            const auto affine = sym::affineIn(e, parameter);
            const auto factor = affine ? affine->first.asInt() : std::nullopt;
            if (!factor)
                return std::nullopt;
            const std::optional<sym::Expr> at = (*factor > 0) == greatest ? lastOf(range) : std::optional(range.begin);
            if (!at)
                return std::nullopt;
            e = sym::substitute(e, {{parameter, *at}});
            for (auto &[name, value] : values_)
                value = sym::substitute(value, {{parameter, *at}});
            values_[parameter] = *at;
        }
        return e;
    }

    /// Is there such an iteration? Is asked after `value`.
    template <class Less> bool happens(const Less &provablyLess) const {
        return std::none_of(dims_.begin(), dims_.end(), [&](const auto &dim) {
            return provablyLess(sym::substitute(dim.second.end, values_), sym::substitute(dim.second.begin, values_));
        });
    }

private:
    std::vector<std::pair<Name, sym::Range>> dims_; // from the innermost on
    std::map<Name, sym::Expr> values_;
};

/// Sizes near the ends of 64 bits are rare, and sizes take time.
bool isHuge(sym::Expr e) {
    const auto value = e.asInt();
    return value && (*value > INT64_MAX / 2 || *value < INT64_MIN / 2);
}

} // namespace

bool isUndefined(const sym::Range &r) {
    return r.begin.isUndefined() || r.end.isUndefined() || r.step.isUndefined() || r.tile.isUndefined() ||
           ((isHuge(r.begin) || isHuge(r.end)) && r.size().isUndefined());
}

void Verifier::bounds(const Edge &e, const sym::Subset &s, Name data, const DataDesc &d, const StateFrame &sf) {
    if (e.memlet.dynamic && !warns())
        return;
    const SDFG &g = sf.f.g;
    auto less = [&](sym::Expr a, sym::Expr b) { return provablyLess(a, b, g); };
    if (std::any_of(s.dims.begin(), s.dims.end(), [&](const sym::Range &r) { return less(r.end, r.begin); }))
        return; // no element: a loop without iterations
    const bool isRough = isOuterEdge(e) || e.src->kind() == NodeKind::NestedSDFG || e.dst->kind() == NodeKind::NestedSDFG;
    Corner corner(sf.scopes, isRough || e.memlet.dynamic ? nullptr : scopeOfEdge(sf.scopes, e));
    for (std::size_t i = 0; i < s.rank(); ++i) {
        const sym::Expr offset = i < d.offset.size() ? d.offset[i] : 0;
        const auto begin = corner.value(s.dims[i].begin + offset, false);
        if (begin && less(*begin, 0) && corner.happens(less)) {
            outOfBounds(e, s, data, i, begin->str() + " < 0");
            continue;
        }
        const auto end = corner.value(s.dims[i].end + offset, true);
        if (end && (*end == d.shape[i] || less(d.shape[i] - 1, *end)) && corner.happens(less))
            outOfBounds(e, s, data, i, end->str() + " >= " + d.shape[i].str());
    }
}

void Verifier::outOfBounds(const Edge &e, const sym::Subset &s, Name data, std::size_t dim, const std::string &why) {
    if (e.memlet.dynamic)
        report(Id::PossiblyOutOfBounds, e, s.str(), data, dim, why);
    else
        report(Id::OutOfBounds, e, s.str(), data, dim, why);
}

void Verifier::undefinedSubsets(const Edge &e) {
    for (const auto *s : {&e.memlet.subset, &e.memlet.otherSubset})
        for (std::size_t i = 0; *s && i < (*s)->rank(); ++i)
            if (isUndefined((*s)->dims[i]))
                report(Id::UndefinedSubset, e, (*s)->str(), i);
}

void Verifier::zeroSteps(const Edge &e) {
    for (const auto *s : {&e.memlet.subset, &e.memlet.otherSubset})
        for (std::size_t i = 0; *s && i < (*s)->rank(); ++i)
            if ((*s)->dims[i].step.isZero())
                report(Id::ZeroStep, e, (*s)->str(), i);
}

void Verifier::negativeSizes(const Edge &e, const SDFG &g) {
    for (const auto *s : {&e.memlet.subset, &e.memlet.otherSubset})
        for (std::size_t i = 0; *s && i < (*s)->rank(); ++i)
            if (sym::Expr size = (*s)->dims[i].size(); provablyLess(size, 0, g))
                report(Id::NegativeSize, e, (*s)->str(), size.str(), i);
}

} // namespace sdfgc::analysis
