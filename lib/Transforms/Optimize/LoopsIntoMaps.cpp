// loops-into-maps: interchange a loop with the maps inside it, if the loop walks along rows.
//
//     for j = 1; j < M; j = j + 1 {                       map[i = 0:N] {
//         map[i = 0:N] {                                      for j = 1; j < M; j = j + 1 {
//             y[i, j] = x[i, j] + c * y[i, j - 1]     ->          y[i, j] = x[i, j] + c * y[i, j - 1]
//         }                                                   }
//     }                                                   }
//
// The loop carries values from one iteration to the next, but only along a row: no row uses an element that another row
// writes. So the rows may run one after the other, or in parallel. In the first form, each iteration of the loop walks
// down a column, an entire row apart at each step, and a thread team synchronises once per iteration. In the second
// form it synchronises once.
//
// Legal when:
//   - the loop counts by a constant;
//   - its body is a run of maps (sdfgc/Nest/Nest.h), whose first loops all have the same range, independent of the loop
//     variable;
//   - any two conflicting accesses in different iterations of the loop are in the same iteration of these maps.
//
// Profitable when more accesses stay in place or move by one element along the loop than along the innermost of these
// maps. Always for a GPU: one kernel is launched instead of one in each iteration, with the same threads.
//
// Every element is computed from the same values, in the same order, so results are bitwise identical. The loop becomes
// a nested SDFG in the map.
//
// For a GPU, scalars that the body computes for its maps may be there as well, if they have the same values in every iteration
// (FixedSteps.h). They are computed before the map.
//
// Ranges may also move with the loop there, such as the rows of a triangle. Each thread then executes the iterations of the loop in
// which its element belongs to the range:
//
//     for j = 0; j < M; j = j + 1 {                       map[i = 0:M] {
//         map[i = 0:j + 1] {                                  for j = 0; j < M; j = j + 1 {
//             y[i] = y[i] + x[i, j]                   ->          if i <= j { y[i] = y[i] + x[i, j] }
//         }                                                   }
//     }                                                   }
//
// Not handled: loops in scopes; SDFGs with kernels.
#include "Transforms/Edits/Completion.h"
#include "Transforms/Optimize/BatchedProduct.h"
#include "Transforms/Optimize/FixedSteps.h"

#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Symbols/PassSymbols.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/LabelName.h"
#include "sdfgc/IR/ScopeConnectors.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/CallElements.h"
#include "sdfgc/Nest/Conflicts.h"
#include "sdfgc/Nest/MakeMaps.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using diag::Reason;
using diag::Why;
using nest::Item;
using nest::Map;
using nest::Use;

/// The number of first loops of a map with the same ranges as in another one.
std::size_t sharedLoops(const Map &a, const Map &b) {
    std::size_t d = 0;
    while (d < a.params.size() && d < b.params.size() && a.ranges[d] == b.ranges[d] && a.ranges[d].tile.isOne())
        ++d;
    return d;
}

/// Facts about an SDFG of the program, valid until a loop moves to a nested SDFG.
struct KnownOfSdfg {
    KnownOfSdfg(SDFG &g, SDFG &root) : memories(root), items(g, memories), users(g), reads(g) {}
    analysis::Memories memories;
    nest::Conflicts items;
    nest::ContainerUsers users;
    analysis::VariableReads reads;
};

/// One loop under conversion.
class Interchange {
public:
    /// `onDevice`: the maps become kernels, so that one is launched instead of one in each iteration.
    Interchange(LoopRegion &l, SDFG &g, KnownOfSdfg &known, bool onDevice) : loop_(l), g_(g), known_(known), onDevice_(onDevice) {}

    /// Why the loop stays in place; empty if it can move into a map.
    Reason obstacle() {
        if (!loop_.optimize)
            return {Why::Kept, "the graph requires it"};
        const analysis::LoopHeader header = analysis::headerOf(loop_);
        if (!header.hasEnd() || !header.isOfIntegers(g_))
            return {Why::LoopForm, "it does not count to a known end"};
        range_ = header.range();
        body_ = nest::readRegion(loop_, known_.memories, known_.users.shared());
        if (!body_)
            return {Why::ControlFlow, "its body is not just a chain of states"};
        if (onDevice_)
            before_ = takeFixedSteps(body_->items, loop_, known_.users, known_.items);
        if (Reason why = shape(body_->items))
            return why;
        if (Reason why = dependence(body_->items))
            return why;
        if (!onDevice_ && !walksAlongRows(body_->items))
            return {Why::Unprofitable, "its maps already traverse rows"};
        if (known_.reads.isReadOutside(loop_))
            return {Why::LiveOut, "its variable is read outside"};
        return {};
    }

    /// Moves the loop into a map; there must be no obstacle.
    void interchange() {
        writeBefore();
        std::vector<Item> inside;
        const MapEntry like = *body_->items.front().map->entry; // the nodes are removed
        for (Item &i : body_->items) {
            std::unique_ptr<Map> guard = moving_.empty() ? nullptr : guardOf(*i.map);
            std::vector<Item> body = nest::takeBody(*i.map, meaningOf(*i.map), depth_);
            std::vector<Item> &to = guard ? guard->body : inside;
            std::move(body.begin(), body.end(), std::back_inserter(to));
            if (guard)
                inside.push_back({std::move(guard), nullptr});
        }
        body_->items = std::move(inside);
        nest::write(*body_);
        wrap(like);
    }

private:
    // ---- legality and profitability

    /// The loops that all maps of the body share.
    Reason shape(const std::vector<Item> &items) {
        const auto isMap = [](const Item &i) {
            return i.map && nest::canSplit(*i.map) && !i.map->entry->ordered && !nest::hasEffects(i);
        };
        if (items.empty() || !std::all_of(items.begin(), items.end(), isMap))
            return {Why::Shape, "its body contains more than host maps"};
        depth_ = items.front().map->params.size();
        for (const Item &i : items)
            depth_ = std::min(depth_, sharedLoops(*items.front().map, *i.map));
        const Map &first = *items.front().map;
        for (std::size_t d = 0; d < depth_; ++d) {
            const std::optional<sym::Range> box = boxOf(first.ranges[d]);
            if (!box) {
                depth_ = d;
                break;
            }
            if (!(*box == first.ranges[d]))
                moving_.emplace(d, first.ranges[d]);
            outer_.push_back({first.params[d], *box});
        }
        if (depth_ == 0 || first.entry->schedule != Schedule::CPU_Multicore)
            return {Why::Shape, "its maps share no loop"};
        return {};
    }

    /// The values of a map's loop in all iterations of this one; nothing if they are not known. On the host, the range must not move.
    std::optional<sym::Range> boxOf(const sym::Range &r) const {
        if (!r.begin.dependsOn(loop_.variable) && !r.end.dependsOn(loop_.variable))
            return r;
        const auto first = slopeOf(r.begin, loop_.variable), last = slopeOf(r.end, loop_.variable);
        if (!onDevice_ || !first || !last || !r.step.isOne() || !r.tile.isOne())
            return std::nullopt;
        const auto at = [&](sym::Expr e, bool greatest) {
            return sym::substitute(e, {{loop_.variable, greatest ? range_.end : range_.begin}});
        };
        return sym::Range{at(r.begin, *first < 0), at(r.end, *last > 0)};
    }

    /// The condition that the iteration of a map is among those of an iteration of this loop: a loop with at most one iteration.
    std::vector<analysis::LoopLevel> conditions() const {
        std::vector<analysis::LoopLevel> out;
        for (const auto &[d, range] : moving_) {
            const sym::Expr at = sym::Expr::symbol(outer_[d].variable);
            const sym::Range box = outer_[d].range;
            out.push_back({g_.freshName(outer_[d].variable.str() + "_in"),
                           {range.begin == box.begin ? at : sym::max({at, range.begin}),
                            range.end == box.end ? at : sym::min({at, range.end})}});
        }
        return out;
    }

    std::unique_ptr<Map> guardOf(Map &m) const {
        std::vector<Name> params;
        std::vector<sym::Range> ranges;
        for (const analysis::LoopLevel &l : conditions()) {
            params.push_back(l.variable);
            ranges.push_back(l.range);
        }
        auto out = std::make_unique<Map>(nest::loopLike(*m.entry, m.entry->label, std::move(params), std::move(ranges)));
        nest::setOrdered(*out);
        out->locals = std::move(m.locals);
        m.locals.clear();
        return out;
    }

    std::map<Name, sym::Expr> meaningOf(const Map &m) const {
        std::map<Name, sym::Expr> out;
        for (std::size_t d = 0; d < depth_; ++d)
            if (m.params[d] != outer_[d].variable)
                out.emplace(m.params[d], sym::Expr::symbol(outer_[d].variable));
        return out;
    }

    /// All uses, first in the shared loops, then in this one, then in inner ones. Private containers of maps are left out.
    Reason dependence(const std::vector<Item> &items) {
        Map shared;
        for (const analysis::LoopLevel &l : outer_) {
            shared.params.push_back(l.variable);
            shared.ranges.push_back(l.range);
        }
        const std::vector<analysis::LoopLevel> moving = conditions();
        for (const Item &i : items) {
            const std::map<Name, sym::Expr> meaning = meaningOf(*i.map);
            if (!nest::canLayOver(*i.map, meaning, shared.params))
                return {Why::Names, "the names of parameters conflict"};
            locals_.merge(nest::localsOf(i));
            for (nest::PlacedUse &u : nest::aligned(*i.map, shared, meaning, depth_)) {
                const auto at = u.instance.loops.insert(u.instance.loops.begin() + static_cast<std::ptrdiff_t>(depth_),
                                                        {loop_.variable, range_});
                u.instance.loops.insert(at + 1, moving.begin(), moving.end());
                uses_.push_back(std::move(u));
            }
        }
        std::erase_if(uses_, [this](const nest::PlacedUse &u) { return locals_.count(u.use->data) != 0; });
        for (const nest::PlacedUse &u : uses_) {
            if (!analysis::isPlain(g_.desc(u.use->data)))
                return {Why::Container, "`" + u.use->data.str() + "` is not a plain array"};
        }
        return known_.items.dependence(uses_, depth_, "iterations of its maps depend on each other");
    }

    bool walksAlongRows(const std::vector<Item> &items) const {
        int along = 0, across = 0;
        for (const nest::PlacedUse &u : uses_) {
            along += isNear(u, loop_.variable);
            across += isNear(u, outer_.back().variable);
        }
        const bool innermost =
            std::any_of(items.begin(), items.end(), [this](const Item &i) { return i.map->params.size() == depth_; });
        return innermost && along > across;
    }

    /// Is the element of the next iteration the same one, or its neighbour in memory?
    bool isNear(const nest::PlacedUse &u, Name variable) const {
        const DataDesc *d = g_.desc(u.use->data);
        const auto isNearElement = [&](const analysis::AccessInstance &a) {
            return d && a.subset && a.subset->isOneElement() &&
                   (!a.subset->freeSymbols().count(variable) || nest::isNextTo(*a.subset, *d, variable));
        };
        const std::vector<analysis::AccessInstance> accesses = nest::accessesOf(u);
        return std::all_of(accesses.begin(), accesses.end(), isNearElement);
    }

    // ---- the interchange

    void writeBefore() {
        if (before_.empty())
            return;
        nest::Run run;
        run.region = loop_.parent();
        run.memories = &known_.memories;
        run.states = {loop_.parent()->addStateBefore(&loop_, g_.freshLabel(loop_.label + "_values"))};
        run.states.front()->debugInfo = loop_.debugInfo;
        run.items = std::move(before_);
        nest::write(run);
    }

    /// Puts the loop in a nested SDFG, in a map over the shared loops, in a state.
    void wrap(const MapEntry &like) {
        Region &r = *loop_.parent();
        State &s = analysis::stateInPlaceOf(loop_);
        s.label = g_.freshLabel(loop_.label.empty() ? "rows" : loop_.label);
        const Name variable = loop_.variable;
        const Type *type = g_.symbols.find(variable);
        auto inner = std::make_unique<SDFG>(Name(identifierOf(loop_.label, "loop_")));
        inner->label = inner->name.str();
        inner->usesExplicitControlFlow = true;
        inner->level = g_.level;
        inner->symbolHints = g_.symbolHints;
        inner->symbols.set(variable, type ? *type : Type(ScalarKind::Int64));
        inner->adopt(r.detach(&loop_));
        auto *entry = s.add<MapEntry>(like);
        auto *exit = s.add<MapExit>();
        connectScope(*entry, *exit);
        auto *node = s.add<NestedSDFGNode>();
        node->label = inner->name.str();
        node->debugInfo = loop_.debugInfo;
        passContainers(s, *entry, *exit, *node, *inner);
        inner->parentNode = node;
        node->sdfg = std::move(inner);
        passSymbols(*node);
        analysis::forgetVariable(g_, variable);
    }

    void connectScope(MapEntry &entry, MapExit &exit) const {
        entry.exit = &exit;
        exit.entry = &entry;
        exit.label = entry.label;
        entry.inConnectors.clear();
        entry.outConnectors.clear();
        entry.params.clear();
        entry.ranges.clear();
        for (const analysis::LoopLevel &l : ordered()) {
            entry.params.push_back(l.variable);
            entry.ranges.push_back(l.range);
        }
    }

    /// For a device, the loop along which most accesses move to the next element comes last: neighbouring threads execute it.
    std::vector<analysis::LoopLevel> ordered() const {
        std::vector<analysis::LoopLevel> out = outer_;
        const auto dependsOnOthers = [&](const analysis::LoopLevel &l) {
            return std::any_of(outer_.begin(), outer_.end(), [&](const auto &o) {
                return l.range.begin.dependsOn(o.variable) || l.range.end.dependsOn(o.variable);
            });
        };
        if (!onDevice_ || std::any_of(out.begin(), out.end(), dependsOnOthers))
            return out;
        const auto best = std::max_element(out.rbegin(), out.rend(), [this](const auto &a, const auto &b) {
            return neighbours(a.variable) < neighbours(b.variable);
        });
        std::rotate(best.base() - 1, best.base(), out.end());
        return out;
    }

    std::ptrdiff_t neighbours(Name variable) const {
        return std::count_if(uses_.begin(), uses_.end(), [&](const nest::PlacedUse &u) {
            const DataDesc *d = g_.desc(u.use->data);
            const std::vector<analysis::AccessInstance> accesses = nest::accessesOf(u);
            return d && std::any_of(accesses.begin(), accesses.end(), [&](const analysis::AccessInstance &a) {
                       return a.subset && a.subset->isOneElement() && nest::isNextTo(*a.subset, *d, variable);
                   });
        });
    }

    /// Containers used only by iterations move inside; all others are passed entirely as arguments.
    void passContainers(State &s, MapEntry &entry, MapExit &exit, NestedSDFGNode &node, SDFG &inner) {
        std::map<Name, std::pair<bool, bool>> used; // read, written
        for (const State *each : allStates(std::as_const(inner)))
            for (const AccessNode *a : nodesOf<AccessNode>(*each)) {
                auto &[read, written] = used[a->data];
                read |= !a->outEdges().empty();
                written |= !a->inEdges().empty();
            }
        for (const auto &[name, how] : used) {
            DataDesc d = *g_.desc(name);
            if (locals_.count(name)) {
                inner.arrays.set(name, std::move(d));
                g_.arrays.erase(name);
                continue;
            }
            const Memlet whole = Memlet::simple(name, d.fullSubset());
            if (how.first) {
                s.connect(s.add<AccessNode>(name), {}, &entry, scopeInput(name), whole);
                s.connect(&entry, scopeOutput(name), &node, name, whole);
            }
            if (how.second) {
                s.connect(&node, name, &exit, scopeInput(name), whole);
                s.connect(&exit, scopeOutput(name), s.add<AccessNode>(name), {}, whole);
            }
            d.transient = false;
            d.lifetime = Lifetime::Scope;
            inner.arrays.set(name, std::move(d));
        }
        if (node.inEdges().empty())
            s.connect(&entry, {}, &node, {}, Memlet::empty());
        if (node.outEdges().empty())
            s.connect(&node, {}, &exit, {}, Memlet::empty());
        s.renumber();
    }

    void passSymbols(NestedSDFGNode &node) const {
        const auto isLoop = [this](Name n) {
            return std::any_of(outer_.begin(), outer_.end(), [n](const auto &l) { return l.variable == n; });
        };
        analysis::passRequiredSymbols(node,
                                      [&](Name n) { return isLoop(n) ? Type(ScalarKind::Int64) : analysis::symbolType(g_, n); });
    }

    LoopRegion &loop_;
    SDFG &g_;
    KnownOfSdfg &known_;
    const bool onDevice_;
    sym::Range range_;
    std::optional<nest::Run> body_;
    std::vector<Item> before_; // the loop: steps that do not depend on it
    std::size_t depth_ = 0;
    std::vector<analysis::LoopLevel> outer_;   // the shared loops
    std::map<std::size_t, sym::Range> moving_; // of these, ranges that depend on the loop
    std::vector<nest::PlacedUse> uses_;
    std::set<Name> locals_;
};

class LoopsIntoMaps : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        if (context.options.gpu() && !option<bool>("device"))
            return false;
        bool changed = false;
        std::vector<SDFG *> all = allSDFGs(root);
        for (auto g = all.rbegin(); g != all.rend(); ++g) // those in a moved loop change
            if (!analysis::isInScope(**g) && !mentionsGpu(**g))
                changed |= convert(**g, root, context);
        if (changed) {
            root.renumber();
            inferTypes(root, context);
        }
        return changed;
    }

    static bool convert(SDFG &g, SDFG &root, pass::Context &context) {
        bool changed = false;
        std::optional<KnownOfSdfg> known;
        for (LoopRegion *l : loopsOf(g)) {
            if (!known)
                known.emplace(g, root);
            const pass::Element where(*l);
            Interchange interchange(*l, g, *known, context.options.gpu());
            if (const Reason why = interchange.obstacle()) {
                context.missed(where, "remains around its maps", why);
                continue;
            }
            if (!context.mayChange(where, context.options.gpu() ? "is moved into its maps, which are launched once then"
                                                                : "is moved into its maps, which then traverse rows"))
                continue;
            interchange.interchange();
            root.renumber();
            known.reset();
            changed = true;
        }
        return changed;
    }

    /// Inner loops first.
    static std::vector<LoopRegion *> loopsOf(SDFG &g) {
        std::vector<LoopRegion *> out;
        for (Region *r : allRegions(g))
            if (auto *l = dyn_cast<LoopRegion>(r);
                l && (!l->optimize || !nest::isKept(*l))) // a kept loop gets a remark, but not those in it
                out.insert(out.begin(), l);
        return out;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createLoopsIntoMaps() { return std::make_unique<LoopsIntoMaps>(); }

} // namespace sdfgc::transforms
