#include "sdfgc/Analysis/Memory/Bounds.h"

#include "sdfgc/Analysis/Sizes/SizeExpr.h"

#include <algorithm>
#include <map>

namespace sdfgc::analysis {

namespace {

/// The last value of a parameter; nothing if unknown.
std::optional<sym::Expr> lastOf(const sym::Range &r) {
    if (r.step.isOne() || r.step.isConstant(-1))
        return r.end;
    const auto begin = r.begin.asInt(), end = r.end.asInt(), step = r.step.asInt();
    if (!begin || !end || !step || *step == 0 || (*step > 0 ? *end < *begin : *begin < *end))
        return std::nullopt;
    return r.begin + (r.steps() - 1) * r.step;
}

/// One iteration of loops: the one in which an expression is least or greatest.
class Corner {
public:
    explicit Corner(const std::vector<LoopLevel> &loops) : loops_(loops.rbegin(), loops.rend()) {}

    /// The value of `e` in that iteration; nothing if it cannot be determined.
    std::optional<sym::Expr> value(sym::Expr e, bool greatest) {
        values_.clear();
        for (const auto &[parameter, range] : loops_) { // inner ranges may depend on outer parameters
            if (!e.dependsOn(parameter))
                continue;
            const auto affine = sym::affineIn(e, parameter);
            const auto factor = affine ? affine->first.asInt() : std::nullopt, step = range.step.asInt();
            if (!factor || !step)
                return std::nullopt;
            const bool grows = (*factor > 0) == (*step > 0);
            const std::optional<sym::Expr> at = grows == greatest ? lastOf(range) : std::optional(range.begin);
            if (!at)
                return std::nullopt;
            e = sym::substitute(e, {{parameter, *at}});
            for (auto &[name, value] : values_)
                value = sym::substitute(value, {{parameter, *at}});
            values_[parameter] = *at;
        }
        return e;
    }

    /// Does that iteration exist? Call it after `value`.
    bool happens(const IsLess &less) const {
        return std::none_of(loops_.begin(), loops_.end(), [&](const LoopLevel &l) {
            const sym::Expr begin = sym::substitute(l.range.begin, values_), end = sym::substitute(l.range.end, values_);
            return l.range.step.asInt().value_or(1) > 0 ? less(end, begin) : less(begin, end);
        });
    }

private:
    std::vector<LoopLevel> loops_; // innermost first
    std::map<Name, sym::Expr> values_;
};

} // namespace

std::optional<std::string> whyOutside(const sym::Range &indices, sym::Expr extent, const std::vector<LoopLevel> &loops,
                                      const IsLess &less) {
    Corner corner(loops);
    const auto begin = corner.value(indices.begin, false);
    if (begin && less(*begin, 0) && corner.happens(less))
        return "its first index is " + begin->str();
    const auto end = corner.value(indices.end, true);
    if (end && (*end == extent || less(extent - 1, *end)) && corner.happens(less))
        return "its last index is " + end->str() + ", the size is " + extent.str();
    return std::nullopt;
}

std::optional<sym::Expr> leastOf(sym::Expr e, const std::vector<LoopLevel> &loops) { return Corner(loops).value(e, false); }

// ---- sizes

namespace {

/// The greatest value of a size over the iterations of a loop; the size may itself contain a maximum over them.
SizeExpr greatest(const SizeExpr &size, const LoopLevel &loop, const sym::Assumptions &facts) {
    const sym::Range &r = loop.range;
    const Name v = loop.variable;
    if (r.step.isOne())
        return maxOver(v, r.begin, r.end + 1, size, facts);
    if (r.step.isConstant(-1))
        return maxOver(v, r.end, r.begin + 1, size, facts);
    const sym::Expr value = r.begin + r.step * sym::Expr::symbol(v);
    return maxOver(v, 0, sym::floorDiv(r.end - r.begin, r.step) + 1, substitute(size, {{v, value}}), facts);
}

/// For sizes that are not polynomials of degree one: a closed form, if there is one.
std::optional<sym::Expr> largestInClosedForm(sym::Expr e, const std::vector<LoopLevel> &loops, const sym::Assumptions &facts) {
    if (unsupportedPart(SizeExpr(e)))
        return std::nullopt;
    SizeExpr size = max(0, SizeExpr(e));
    for (auto l = loops.rbegin(); l != loops.rend(); ++l)
        if (const std::vector<Name> names = size.names(); std::find(names.begin(), names.end(), l->variable) != names.end())
            size = greatest(size, *l, facts);
    std::optional<sym::Expr> most = size.plain();
    while (most && most->kind() == sym::SymbolicKind::Select &&
           most->operands()[2].isZero()) // without iterations, any size will do
        most = most->operands()[1];
    return most;
}

} // namespace

std::optional<sym::Expr> largestOf(sym::Expr e, const std::vector<LoopLevel> &loops, const sym::Assumptions &facts) {
    if (std::any_of(loops.begin(), loops.end(),
                    [e](const auto &l) { return l.range.end.isUndefined() && e.dependsOn(l.variable); }))
        return std::nullopt;
    const std::optional<sym::Expr> least = leastOf(-e, loops);
    const std::optional<sym::Expr> most = least ? -*least : largestInClosedForm(e, loops, facts);
    return !most || sym::isNonNegative(*most, facts) == sym::Truth::True ? most : sym::max({sym::Expr(0), *most});
}

} // namespace sdfgc::analysis
