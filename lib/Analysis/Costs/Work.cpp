#include "sdfgc/Analysis/Costs/Work.h"

#include "sdfgc/Analysis/Flow/LoopHeader.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Tasklet/Cost.h"

#include <algorithm>

namespace sdfgc::analysis {
namespace {

using namespace ir;
using Work = std::optional<sym::Expr>;

constexpr int deepest = 16;            // nesting depth of SDFGs and maps; there is no estimate for deeper ones
constexpr int64_t elementsAtOnce = 4;  // of a vector
constexpr int64_t longestVectors = 64; // iterations of a loop that is unrolled
constexpr int64_t unknownTrips = 64;   // iterations of a loop in a body with control flow, if nothing is known about them

/// Arithmetic on symbols: no containers, no calls.
bool isArithmetic(sym::Expr e, const SDFG &g) {
    switch (e.kind()) {
    case sym::SymbolicKind::Integer:
    case sym::SymbolicKind::Rational:
        return true;
    case sym::SymbolicKind::Symbol:
        return !g.arrays.contains(e.name());
    case sym::SymbolicKind::Add:
    case sym::SymbolicKind::Mul:
    case sym::SymbolicKind::Pow:
    case sym::SymbolicKind::FloorDiv:
    case sym::SymbolicKind::CeilDiv:
    case sym::SymbolicKind::Floor:
    case sym::SymbolicKind::Ceil:
    case sym::SymbolicKind::Min:
    case sym::SymbolicKind::Max:
        return std::all_of(e.operands().begin(), e.operands().end(), [&](sym::Expr x) { return isArithmetic(x, g); });
    default:
        return false;
    }
}

bool dependsOn(sym::Expr e, const std::map<Name, sym::Expr> &parameters) {
    return std::any_of(parameters.begin(), parameters.end(), [&](const auto &p) { return e.dependsOn(p.first); });
}

class Estimate {
public:
    Work map(const MapEntry &m, const ScopeTree &scopes, int depth);
    Work oneIteration(const MapEntry &m, const ScopeTree &scopes);
    Work outermost(const LoopRegion &l) {
        guesses_ = true;
        return loop(l, 0);
    }

private:
    Work iterations(const MapEntry &m, std::size_t first);
    Work node(const Node &n, const ScopeTree &scopes, int depth);
    Work content(const std::vector<Node *> &nodes, const ScopeTree &scopes, int depth);
    Work tasklet(const Tasklet &t) const;
    Work copies(const AccessNode &a) const;
    Work nested(const NestedSDFGNode &n, int depth);
    Work region(const Region &r, int depth);
    Work branches(const ConditionalBlock &c, int depth);
    Work loop(const LoopRegion &l, int depth);
    Work extent(const sym::Range &r, const SDFG &g) const;

    bool isKnown(sym::Expr e, const SDFG &g) const;

    /// Values in the current SDFG, over symbols of the outermost SDFG: parameters of surrounding maps are at the middle of their
    /// ranges, and symbols of nested SDFGs have the values passed to them.
    std::map<Name, sym::Expr> values_;
    Name free_;            // the parameter that work may depend on
    bool inside_ = false;  // a nested SDFG: symbols without a value are its own
    bool guesses_ = false; // it has control flow or sets symbols: unknown numbers of iterations count as `unknownTrips`
};

bool Estimate::isKnown(sym::Expr e, const SDFG &g) const {
    const std::vector<Name> &symbols = e.freeSymbols();
    return isArithmetic(e, g) &&
           (!inside_ || std::all_of(symbols.begin(), symbols.end(), [&](Name s) { return values_.count(s) > 0; }));
}

/// The number of strips, times their length, is the length of all of them.
sym::Expr unrounded(sym::Expr e) {
    return sym::rewrite(e,
                        [](sym::Expr x) { return x.kind() == sym::SymbolicKind::CeilDiv ? x.operands()[0] / x.operands()[1] : x; });
}

/// Without rounding: (end - begin + step) / step.
Work Estimate::extent(const sym::Range &r, const SDFG &g) const {
    if (!isKnown(r.begin, g) || !isKnown(r.end, g) || !isKnown(r.step, g))
        return std::nullopt;
    const auto isFixed = [&](sym::Expr e) { return !dependsOn(e, values_) && (free_.empty() || !e.dependsOn(free_)); };
    const sym::Expr steps = unrounded((r.end - r.begin + r.step) / r.step);
    if (isFixed(steps))
        return steps;
    // The last tile may be shorter than the others: i to min(i + 32, N) - 1.
    for (std::size_t k : {0u, 1u}) {
        const sym::Expr tile = sym::rewrite(steps, [&](sym::Expr e) {
            return e.kind() == sym::SymbolicKind::Min && e.operands().size() == 2 ? e.operands()[k] : e;
        });
        if (isFixed(tile))
            return tile;
    }
    return sym::substitute(steps, values_);
}

/// Compilers vectorise short inner loops of constant length that contain only tasklets.
bool runsInVectors(sym::Expr steps, const std::vector<Node *> &body) {
    const auto n = steps.asInt();
    return n && *n >= elementsAtOnce && *n <= longestVectors &&
           std::all_of(body.begin(), body.end(), [](const Node *b) { return !isa<MapEntry>(b) && !isa<NestedSDFGNode>(b); });
}

Work Estimate::map(const MapEntry &m, const ScopeTree &scopes, int depth) {
    if (depth > deepest || hasDynamicRange(m)) // depends on data
        return std::nullopt;
    const std::map<Name, sym::Expr> outer = values_;
    Work total = iterations(m, 0);
    if (total && depth > 0 && runsInVectors(*total, scopes.children(&m)))
        total = (*total->asInt() + elementsAtOnce - 1) / elementsAtOnce;
    const Work body = total ? content(scopes.children(&m), scopes, depth) : std::nullopt;
    values_ = outer;
    return body ? Work(*total * *body) : std::nullopt;
}

Work Estimate::oneIteration(const MapEntry &m, const ScopeTree &scopes) {
    free_ = m.params.front();
    const Work times = iterations(m, 1), body = times ? content(scopes.children(&m), scopes, 0) : std::nullopt;
    return body ? Work(*times * *body) : std::nullopt;
}

/// The iterations of a map's loops from `first` on; also assigns values to their parameters.
Work Estimate::iterations(const MapEntry &m, std::size_t first) {
    sym::Expr total = 1;
    for (std::size_t d = first; d < m.params.size(); ++d) {
        const Work steps = extent(m.ranges[d], *m.state()->sdfg());
        if (!steps && !guesses_)
            return std::nullopt;
        total *= steps.value_or(unknownTrips);
        if (!steps) {
            values_.erase(m.params[d]);
            continue;
        }
        values_[m.params[d]] = sym::substitute((m.ranges[d].begin + m.ranges[d].end) / 2, values_);
    }
    return total;
}

/// Symbolic work outweighs constant work.
Work Estimate::content(const std::vector<Node *> &nodes, const ScopeTree &scopes, int depth) {
    sym::Expr constant = 0, symbolic = 0;
    for (const Node *n : nodes) {
        const Work w = node(*n, scopes, depth);
        if (!w)
            return std::nullopt;
        (w->asInt() ? constant : symbolic) += *w;
    }
    return symbolic.isZero() ? constant : symbolic;
}

Work Estimate::node(const Node &n, const ScopeTree &scopes, int depth) {
    switch (n.kind()) {
    case NodeKind::Access:
        return copies(static_cast<const AccessNode &>(n));
    case NodeKind::Tasklet:
        return tasklet(static_cast<const Tasklet &>(n));
    case NodeKind::MapEntry:
        return map(static_cast<const MapEntry &>(n), scopes, depth + 1);
    case NodeKind::NestedSDFG:
        return nested(static_cast<const NestedSDFGNode &>(n), depth + 1);
    case NodeKind::MapExit:
        return Work(0);
    default:
        return std::nullopt;
    }
}

/// Each connector is a load or a store.
Work Estimate::tasklet(const Tasklet &t) const {
    if (!t.code.isPython())
        return std::nullopt;
    const std::optional<int64_t> operations = py::operations(t.code.blockOrRaw());
    if (!operations)
        return std::nullopt;
    return Work(std::max<int64_t>(1, *operations + static_cast<int64_t>(t.inEdges().size() + t.outEdges().size())));
}

/// Does an edge between access nodes move elements? An edge that defines a view or sets a reference only states their position, and
/// the program may not even receive the symbols of its size.
bool moves(const Edge &e, const SDFG &g) {
    const auto defines = [&](const Node *end) {
        const auto *a = cast<AccessNode>(end);
        const DataDesc *d = g.desc(a->data);
        return d && d->isView() && viewEdge(a) == &e;
    };
    return !e.memlet.isEmpty() && !setsReference(&e) && !defines(e.src) && !defines(e.dst);
}

/// A load and a store for each element that is copied from here to another access node.
Work Estimate::copies(const AccessNode &a) const {
    sym::Expr total = 0;
    for (const Edge *e : a.outEdges()) {
        if (!isa<AccessNode>(e->dst) || !moves(*e, *a.state()->sdfg()))
            continue;
        const auto subset = sourceSubset(e);
        if (!subset || e->memlet.dynamic)
            return std::nullopt;
        sym::Expr volume = 2;
        for (const sym::Range &r : subset->dims) {
            const Work steps = extent(r, *a.state()->sdfg());
            if (!steps)
                return std::nullopt;
            volume *= *steps * r.tile;
        }
        total += volume;
    }
    return Work(total);
}

/// Symbols that the nested SDFG changes have no value.
Work Estimate::nested(const NestedSDFGNode &n, int depth) {
    if (!n.sdfg || depth > deepest)
        return std::nullopt;
    Estimate in;
    in.inside_ = true;
    in.guesses_ = std::any_of(n.sdfg->blocks().begin(), n.sdfg->blocks().end(), [](const auto &b) { return !isa<State>(b.get()); });
    for (const auto &[inner, value] : n.symbolMapping)
        if (isKnown(value, *n.state()->sdfg()))
            in.values_[inner] = sym::substitute(value, values_);
    for (const auto &[name, type] : definedSymbols(*n.sdfg)) {
        in.values_.erase(name);
        in.guesses_ = true;
    }
    return in.region(*n.sdfg, depth);
}

/// What control flow computes from elements of containers: a load of each, and an operation.
int64_t operationsIn(const Code &c, const SDFG &g) {
    const auto loads = static_cast<int64_t>(containersRead(c, g).size());
    return loads == 0 ? 0 : loads + 1;
}

/// The blocks in sequence.
Work Estimate::region(const Region &r, int depth) {
    sym::Expr total = 0;
    for (const auto &e : r.edges())
        for (const auto &[name, value] : e->assignments)
            total += operationsIn({value, Language::Python}, *r.sdfg());
    const auto add = [&total](const Work &w) {
        total += w.value_or(0);
        return w.has_value();
    };
    for (const auto &b : r.blocks()) {
        bool known = true;
        if (const auto *s = dyn_cast<State>(b.get())) {
            const ScopeTree scopes(*s);
            known = add(content(scopes.children(nullptr), scopes, depth));
        } else if (const auto *c = dyn_cast<ConditionalBlock>(b.get())) {
            known = add(branches(*c, depth));
        } else if (const auto *l = dyn_cast<LoopRegion>(b.get())) {
            known = add(loop(*l, depth + 1));
        } else if (const auto *inner = dyn_cast<Region>(b.get())) {
            known = add(region(*inner, depth));
        }
        if (!known)
            return std::nullopt;
    }
    return total;
}

/// Each arm, or none of them, is as likely as another.
Work Estimate::branches(const ConditionalBlock &c, int depth) {
    sym::Expr total = 0;
    int64_t tests = 0;
    bool otherwise = false;
    for (const auto &branch : c.branches()) {
        const Work arm = region(*branch.region, depth);
        if (!arm)
            return std::nullopt;
        total += *arm;
        otherwise |= !branch.condition;
        tests += branch.condition ? operationsIn(*branch.condition, *c.sdfg()) : 0;
    }
    const auto ways = static_cast<int64_t>(c.branches().size()) + (otherwise ? 0 : 1);
    const auto constant = total.asInt();
    return constant ? Work(tests + (*constant + ways - 1) / ways) : Work(tests + total * sym::Expr::rational(1, ways));
}

Work Estimate::loop(const LoopRegion &l, int depth) {
    if (depth > deepest)
        return std::nullopt;
    const LoopHeader header = headerOf(l);
    const SDFG &g = *l.sdfg();
    const bool counts = header.hasEnd() && isKnown(header.range().begin, g) && isKnown(header.range().end, g);
    const sym::Expr trips = counts ? sym::substitute(header.trips(), values_) : sym::Expr(unknownTrips);
    if (counts)
        values_[l.variable] = sym::substitute((header.range().begin + header.range().end) / 2, values_);
    const Work body = region(l, depth);
    values_.erase(l.variable);
    return body ? Work(trips * *body) : std::nullopt;
}

} // namespace

std::optional<sym::Expr> workOf(const MapEntry &m, const ScopeTree &scopes) { return Estimate().map(m, scopes, 0); }

std::optional<sym::Expr> workOf(const LoopRegion &l) { return Estimate().outermost(l); }

std::optional<sym::Expr> workOfIteration(const MapEntry &m, const ScopeTree &scopes) {
    return hasDynamicRange(m) ? std::nullopt : Estimate().oneIteration(m, scopes);
}

} // namespace sdfgc::analysis
