// Chooses which containers and which iterations are distributed.
//
// Repeated until all items are placed:
//   1. an item that writes elements of a distributed container runs where those elements are;
//   2. if there is no such item, the first item that reads or adds to a distributed container runs where that costs
//      least: at the position of one of its accesses, or on every rank.
//
// Transients without a layout that an item reads or writes get a layout that matches the item. At the end every use is
// checked again. A transient that cannot be where all its uses need it is replicated on every rank, and the procedure
// restarts; an argument in that situation is rejected.
#include "Transforms/Distribute/Plan.h"

#include "sdfgc/Analysis/Dependences/WcrReductions.h"
#include "sdfgc/Tasklet/Types.h"

#include <algorithm>

namespace sdfgc::transforms::distribution {

using namespace ir;

namespace {

std::string quoted(Name n) { return "`" + n.str() + "`"; }

const Layout *layoutOf(const Plan &plan, Name data) {
    const auto at = plan.layouts.find(data);
    return at == plan.layouts.end() ? nullptr : &at->second;
}

sym::Expr positionOf(const Position &p) { return p.variable ? sym::Expr::symbol(p.variable) + p.shift : p.shift; }

/// May iterations be distributed along a variable?
bool canDeal(const Item &item, Name n) {
    const Variable *v = item.variable(n);
    if (!v || !v->range.step.isOne() || !v->range.tile.isOne() ||
        std::count_if(item.variables.begin(), item.variables.end(), [&](const Variable &o) { return o.name == n; }) != 1)
        return false;
    for (const MapEntry *m = dyn_cast<MapEntry>(item.node); v->map && m != v->map;) { // only the inner map may be in it
        const std::vector<Node *> &inside = ScopeTree(*item.state).children(m);
        m = inside.size() == 1 ? dyn_cast<MapEntry>(inside.front()) : nullptr;
        if (!m)
            return false;
    }
    return true;
}

/// The least and the greatest value of an index over all variables but one, where these have constant bounds.
bool spread(const Item &item, Name but, sym::Expr &least, sym::Expr &most) {
    for (std::size_t k = item.variables.size(); k-- > 0;) {
        const Variable &v = item.variables[k];
        if (v.name == but || (!least.dependsOn(v.name) && !most.dependsOn(v.name)))
            continue;
        const auto a = sym::affineIn(least, v.name), b = sym::affineIn(most, v.name);
        if (!a || !b || !a->first.asInt() || !b->first.asInt())
            return false;
        least = a->second + a->first * (*a->first.asInt() > 0 ? v.range.begin : v.range.end);
        most = b->second + b->first * (*b->first.asInt() > 0 ? v.range.end : v.range.begin);
    }
    return true;
}

/// How far the elements of a use are from an iteration's own position: from .. to.
std::optional<std::pair<int64_t, int64_t>> distance(const Item &item, const Use &use, const Layout &l, const Position &at) {
    if (l.line != at.line)
        return std::nullopt;
    sym::Expr least = use.subset.dims[l.dim].begin, most = use.subset.dims[l.dim].end;
    if (!spread(item, at.variable, least, most))
        return std::nullopt;
    const sym::Expr here = positionOf(at) - l.offset;
    const auto from = (least - here).asInt(), to = (most - here).asInt();
    if (!from || !to)
        return std::nullopt;
    return std::pair(std::min(*from, *to), std::max(*from, *to));
}

/// The layout that a container needs for a use to have distance 0.
std::optional<Layout> layoutFor(const Plan &plan, const Use &use, const Position &at) {
    const DataDesc &d = *plan.graph.desc(use.data);
    const sym::Expr &whole = plan.lines[at.line].whole;
    for (std::size_t k = 0; at.variable && k < use.subset.rank(); ++k) {
        const sym::Range &r = use.subset.dims[k];
        const auto affine = r.isPoint() ? sym::affineIn(r.begin, at.variable) : std::nullopt;
        if (!affine || !affine->first.isOne() || !affine->second.asInt() || d.shape[k].isOne())
            continue;
        Layout out{k, at.line, at.shift - affine->second};
        if (sym::isNonNegative(out.offset) == sym::Truth::True &&
            sym::isLessEqual(out.offset + d.shape[k], whole) == sym::Truth::True && (!use.whole || k == 0))
            return out;
    }
    return std::nullopt;
}

/// Does the local part of a container have other strides than the whole?
bool changesStrides(const Plan &plan, const Use &use, const Layout &l) {
    return l.dim != 0 || !plan.graph.desc(use.data)->isPackedC();
}

/// Can the terms of a write be summed over the ranks that run the iterations?
bool canReduce(const Plan &plan, const Item &item, const Use &use, const Position &at, std::string &why) {
    if (use.wcr.empty())
        return false;
    if (!use.combined.empty() && !use.combined.contains(at.variable))
        return false;
    const auto function = py::parseWcr(use.wcr);
    const Type t = plan.graph.desc(use.data)->dtype;
    if (!function.value || !py::reductionIdentity(function.value->kind, t) ||
        !analysis::identityKeepsValues(function.value->kind, t)) {
        why = "iterations on several ranks would combine what they write to " + quoted(use.data) + " by `" + use.wcr + "`";
        return false;
    }
    if (plan.ordered && py::orderCounts(function.value->kind, t)) {
        why = "sums over ranks have another order than --reductions ordered asks for";
        return false;
    }
    using R = py::Reduction;
    const bool isIdempotent = function.value->kind == R::Min || function.value->kind == R::Max ||
                              function.value->kind == R::LogicalAnd || function.value->kind == R::LogicalOr;
    const bool isNeutral = use.start.empty() || isIdempotent ||
                           (function.value->kind == R::Sum && std::atof(use.start.c_str()) == 0) ||
                           (function.value->kind == R::Product && std::atof(use.start.c_str()) == 1);
    if (!isNeutral)
        why = "the node `" + item.node->label + "` starts from " + use.start;
    return isNeutral;
}

Meaning wrong(std::string why) {
    Meaning m;
    m.kind = Meaning::Wrong;
    m.why = std::move(why);
    return m;
}

std::string describe(const Item &item) {
    const char *kind = isa<MapEntry>(item.node)      ? "the map `"
                       : isa<LibraryNode>(item.node) ? "the library node `"
                                                     : "the tasklet `";
    return kind + item.node->label + "`";
}

Meaning meaningOfWrite(const Plan &plan, const Item &item, const Use &use, const std::optional<Position> &at) {
    const Layout *l = layoutOf(plan, use.data);
    if (!at)
        return l ? wrong("all ranks run " + describe(item) + ", which writes " + quoted(use.data)) : Meaning();
    const auto d = l ? distance(item, use, *l, *at) : std::nullopt;
    if (d && d->first == 0 && d->second == 0 && !(use.whole && changesStrides(plan, use, *l)))
        return {};
    std::string why;
    if (canReduce(plan, item, use, *at, why)) {
        Meaning m;
        m.kind = Meaning::Reduced;
        return m;
    }
    if (!why.empty())
        return wrong(why);
    if (!l)
        return wrong(describe(item) + " is dealt out, and writes " + quoted(use.data) + ", which every rank has all of");
    return wrong(describe(item) + " writes " + quoted(use.data) + "[" + use.subset.str() +
                 "], and these elements are not where the rank's iterations are");
}

Meaning meaningOfRead(const Plan &plan, const Item &item, const Use &use, const std::optional<Position> &at) {
    Meaning m;
    const Layout *l = layoutOf(plan, use.data);
    if (!l)
        return m;
    const auto d = at ? distance(item, use, *l, *at) : std::nullopt;
    m.kind = Meaning::Whole;
    if (!d || (use.whole && changesStrides(plan, use, *l)))
        return m;
    m.before = std::max<int64_t>(-d->first, 0);
    m.after = std::max<int64_t>(d->second, 0);
    m.kind = m.before || m.after ? Meaning::Near : Meaning::Local;
    return m;
}

Meaning meaningAt(const Plan &plan, const Item &item, const Use &use, const std::optional<Position> &at) {
    return use.writes ? meaningOfWrite(plan, item, use, at) : meaningOfRead(plan, item, use, at);
}

class Choice {
public:
    explicit Choice(Plan &plan) : plan_(plan), declared_(plan.layouts) {}

    std::optional<Refusal> run() {
        for (const auto &[name, why] : plan_.everywhere)
            if (plan_.declared.contains(name))
                return Refusal{name.str(), why, "leave it undeclared: then every rank has all of it"};
        for (;;) {
            restart();
            std::optional<Refusal> refusal;
            const std::set<Name> moved = attempt(refusal);
            if (refusal)
                return refusal;
            if (moved.empty())
                return std::nullopt;
            for (const Name n : moved)
                plan_.everywhere.emplace(n, "not all that use it can be where its elements are");
        }
    }

private:
    void restart() {
        plan_.layouts = declared_;
        open_.clear();
        for (const auto &[name, d] : plan_.graph.arrays)
            if (d.transient && d.isArray() && !plan_.everywhere.contains(name) && !declared_.contains(name))
                open_.insert(name);
        for (Item &item : plan_.items) {
            item.decided = false;
            item.at.reset();
        }
    }

    /// Decides all items. Returns containers that must be replicated on every rank, which requires another attempt.
    std::set<Name> attempt(std::optional<Refusal> &refusal) {
        for (bool again = true; again;) {
            again = false;
            for (const bool onlyWrites : {true, false}) {
                for (Item &item : plan_.items) {
                    if (item.decided || !concerns(item, onlyWrites))
                        continue;
                    if (std::set<Name> moved = decide(item, onlyWrites, refusal); refusal || !moved.empty())
                        return moved;
                    again = true;
                    break;
                }
                if (again)
                    break;
            }
        }
        return verify(refusal);
    }

    /// Does the item write elements of a distributed container, or use one at all?
    bool concerns(const Item &item, bool onlyWrites) const {
        return std::any_of(item.uses.begin(), item.uses.end(),
                           [&](const Use &u) { return layoutOf(plan_, u.data) && (!onlyWrites || (u.writes && u.wcr.empty())); });
    }

    std::set<Name> decide(Item &item, bool isForced, std::optional<Refusal> &refusal) {
        std::optional<Position> best;
        int64_t least = -1;
        const std::vector<Position> all = candidates(item, isForced);
        std::string why = all.empty() && isForced ? noPosition(item) : "";
        for (const Position &p : all)
            if (const int64_t c = cost(item, p, why); c >= 0 && (least < 0 || c < least)) {
                least = c;
                best = p;
            }
        std::string whyNot;
        const int64_t everywhere = cost(item, std::nullopt, whyNot);
        if (least < 0 && everywhere < 0)
            return conflict(item, why.empty() ? whyNot : why, refusal);
        item.decided = true;
        if (least >= 0 && (everywhere < 0 || least <= everywhere))
            item.at = best;
        settle(item);
        return {};
    }

    /// The reason why there are none for its writes.
    std::string noPosition(const Item &item) const {
        for (const Use &u : item.uses)
            if (layoutOf(plan_, u.data) && u.writes && u.wcr.empty())
                return describe(item) + " writes `" + u.data.str() + "[" + u.subset.str() +
                       "]`, and no parameter of it moves along dimension " + std::to_string(layoutOf(plan_, u.data)->dim) +
                       " element by element";
        return "";
    }

    /// Positions at which some access of the item has distance 0.
    std::vector<Position> candidates(const Item &item, bool isForced) const {
        std::vector<Position> out;
        for (const Use &u : item.uses) {
            const Layout *l = layoutOf(plan_, u.data);
            if (!l || (isForced && !(u.writes && u.wcr.empty())))
                continue;
            const sym::Range &r = u.subset.dims[l->dim];
            bool found = false;
            for (const Variable &v : item.variables)
                if (const auto a = sym::affineIn(r.begin, v.name);
                    a && a->first.isOne() && r.isPoint() && canDeal(item, v.name) && isFree(item, a->second)) {
                    add(out, {l->line, v.name, a->second + l->offset});
                    found = true;
                }
            if (!found && r.isPoint() && isFree(item, r.begin) && !isa<LibraryNode>(item.node))
                add(out, {l->line, {}, r.begin + l->offset});
        }
        return out;
    }
    static bool isFree(const Item &item, const sym::Expr &e) {
        return std::none_of(item.variables.begin(), item.variables.end(), [&](const Variable &v) { return e.dependsOn(v.name); });
    }
    static void add(std::vector<Position> &all, const Position &p) {
        if (std::find(all.begin(), all.end(), p) == all.end())
            all.push_back(p);
    }

    /// A rough estimate of the communication for the item, and of the redundant work if it runs on every rank; negative
    /// if it cannot run there.
    int64_t cost(const Item &item, const std::optional<Position> &at, std::string &why) const {
        int64_t sum = 0;
        if (!at)
            for (sum = 4; const Variable &v : item.variables)
                sum *= v.range.size().isOne() ? 1 : 10;
        for (const Use &u : item.uses) {
            int64_t size = 2; // 2, 20, 200, ... for one element, one dimension, two dimensions
            for (const sym::Expr &extent : plan_.graph.desc(u.data)->shape)
                size *= extent.isOne() ? 1 : 10;
            if (open_.contains(u.data) && !layoutOf(plan_, u.data)) {
                std::string reason;
                if (at && layoutFor(plan_, u, *at))
                    continue;
                if (!u.writes || (at && canReduce(plan_, item, u, *at, reason))) {
                    sum += u.writes ? size : size / 2;
                } else if (at) {
                    why = describe(item) + " is dealt out, and writes " + quoted(u.data) + " in another order";
                    return -1;
                } else {
                    sum += size / 2;
                }
                continue;
            }
            const Meaning m = meaningAt(plan_, item, u, at);
            if (m.kind == Meaning::Wrong) {
                why = m.why;
                return -1;
            }
            sum += m.kind == Meaning::Whole || m.kind == Meaning::Reduced ? size : m.kind == Meaning::Near ? 1 : 0;
        }
        return sum;
    }

    /// Layouts for open transients that a decided item uses; those that it writes on every rank get none.
    void settle(const Item &item) {
        for (const bool writes : {true, false})
            for (const Use &u : item.uses) {
                if (u.writes != writes || !open_.contains(u.data))
                    continue;
                if (const auto l = item.at ? layoutFor(plan_, u, *item.at) : std::nullopt) {
                    plan_.layouts.emplace(u.data, *l);
                    open_.erase(u.data);
                } else if (writes) {
                    open_.erase(u.data);
                }
            }
    }

    /// Requires the transients that the item writes on every rank, or rejects an argument.
    std::set<Name> conflict(const Item &item, const std::string &why, std::optional<Refusal> &refusal) {
        std::set<Name> moved;
        Name argument;
        for (const Use &u : item.uses)
            if (u.writes && layoutOf(plan_, u.data)) {
                if (!plan_.declared.contains(u.data))
                    moved.insert(u.data);
                else if (argument.empty())
                    argument = u.data;
            }
        if (moved.empty())
            refusal = Refusal{(argument ? argument : item.uses.front().data).str(), why,
                              "leave it undeclared, or deal it out along another dimension", item.node};
        return moved;
    }

    std::set<Name> verify(std::optional<Refusal> &refusal) {
        for (const Item &item : plan_.items) {
            std::set<Name> near, written;
            for (const Use &u : item.uses) {
                const Meaning m = meaningAt(plan_, item, u, item.at);
                if (m.kind == Meaning::Wrong)
                    return conflict(item, m.why, refusal);
                if (item.at && ((m.kind == Meaning::Near && item.at->variable) || m.kind == Meaning::Whole))
                    near.insert(u.data);
                if (u.writes)
                    written.insert(u.data);
            }
            for (const Name n : near)
                if (written.contains(n)) {
                    refusal = Refusal{n.str(), "iterations of " + describe(item) + " read elements of it that others write",
                                      "write the results to another array", item.node};
                    return {};
                }
        }
        return {};
    }

    Plan &plan_;
    const std::map<Name, Layout> declared_;
    std::set<Name> open_; // transients without a layout
};

} // namespace

Meaning meaningOf(const Plan &plan, const Item &item, const Use &use) { return meaningAt(plan, item, use, item.at); }

std::optional<Refusal> choose(Plan &plan) {
    if (auto refusal = Choice(plan).run())
        return refusal;
    for (const Item &item : plan.items)
        for (const Use &u : item.uses)
            if (const Meaning m = meaningOf(plan, item, u); m.kind == Meaning::Near) {
                Layout &l = plan.layouts.at(u.data);
                l.before = std::max(l.before, m.before);
                l.after = std::max(l.after, m.after);
            }
    return std::nullopt;
}

} // namespace sdfgc::transforms::distribution
