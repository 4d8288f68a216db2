// Rules of subsets: the names in them are defined, and they are within the container.
//
// A single iteration that certainly runs and leaves the container is an error (sdfgc/Analysis/Memory/Bounds.h). Edges into a map
// may cover more than the uses inside, and so may those of a nested SDFG, which may also branch: these are rejected only for
// violations in every iteration.
#include "Analysis/Symbols/ScopeNames.h"
#include "Analysis/Verify/Verifier.h"

#include "sdfgc/Analysis/Memory/Bounds.h"

namespace sdfgc::analysis {

using namespace ir;
using diag::Id;

namespace {

/// The maps around a node, outermost first.
std::vector<LoopLevel> loopsAround(const ScopeTree &scopes, const Node *scope) {
    std::vector<LoopLevel> out;
    for (; scope; scope = scopes.scopeOf(scope))
        if (auto *m = dyn_cast<MapEntry>(scope))
            for (std::size_t d = std::min(m->params.size(), m->ranges.size()); d-- > 0;)
                out.push_back({m->params[d], m->ranges[d]});
    std::reverse(out.begin(), out.end());
    return out;
}

/// Sizes near the 64-bit limits are rare, and computing sizes takes time.
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
    const std::vector<LoopLevel> loops =
        isRough || e.memlet.dynamic ? std::vector<LoopLevel>() : loopsAround(sf.scopes, scopeOfEdge(sf.scopes, e));
    for (std::size_t i = 0; i < s.rank(); ++i) {
        sym::Range indices = s.dims[i];
        if (i < d.offset.size()) {
            indices.begin = indices.begin + d.offset[i];
            indices.end = indices.end + d.offset[i];
        }
        if (const auto why = whyOutside(indices, d.shape[i], loops, less))
            outOfBounds(e, s, data, i, *why);
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
