// promote-bounds: replace containers in loop headers, in ranges of maps, and invariant ones in control flow inside loops, with symbols.
//
//     argument first, idx: int32                  first_value = first
//     for b = 0; b < N; b = b + 1 {               for b = 0; b < N; b = b + 1 {
//         for i = first; i < idx[b]; ++i {            idx_value = idx[b]
//             k = i - first                 ->        for i = first_value; i < idx_value; ++i {
//             state { A[k] = B[i] }                       k = i - first_value
//         }                                               state { A[k] = B[i] }
//     }                                               }
//                                                 }
//
// Passes know the values of a loop's variable only if its header consists of integer symbols (analysis::LoopHeader), and
// propagate-symbols knows a symbol's value only if it is computed from symbols. Fortran front ends pass `first` by reference,
// so it is a container. A symbol is assigned on an edge to the container's value, at one of four places:
//
//   a. at the start of the SDFG, if nothing in the SDFG writes the container and the caller passes it;
//   b. after the states that follow the only write of the container, if that write always happens before the use;
//   c. in front of the outermost loop that does not write the container and for which rule 3 holds;
//   d. after the state of a tasklet that sets a scalar in each iteration, if it copies or compares integers (StoredValues.h). The
//      symbol then has that value itself: `test = idx[b] == n`, for a tasklet `o = a == n` that stores to `flag`. Not for a GPU.
//
// Places a and b lead to one symbol for all uses of the value. (DaCe's ScalarToSymbolPromotion replaces the container everywhere,
// so it requires that no dataflow needs it. Here the container stays. demote-symbols goes the other way, but only for symbols
// that nothing but tasklets read.)
//
// Legal when:
//   1. the value is an integer or a bool in host memory: a scalar, an element of an array, or a member of a structure. Its
//      indices are integer symbols;
//   2. nothing between the place and the use writes the container, under this or another name, or assigns a symbol in an index;
//   3. the value is only read where it was read before. A header evaluates its initial value and the first operand of its
//      condition whenever the loop is reached. Any other read moves only if it is harmless: a scalar, or the element of a
//      transient of one element, which has certainly been written.
//
// What changes:
//   - Headers of loops that count with a variable.
//   - Ranges of maps outside other scopes, which read values through connectors (`map[i = n:m] with n <- first`) or name scalars, if
//     their state does not write the container (DynamicRanges.h). Other passes treat a map with such a connector as one step. Not
//     for a GPU.
//   - Conditions inside loops, and values of symbols that more than tasklets need, if the place is outside the loop. The same
//     outside loops if the value has a symbol already; for a GPU, where symbols do not become scalars (demote-symbols), this
//     applies to the values of all symbols.
//
// Not handled: references, views and streams; graphs with GPU schedules, whose control flow may read memory of the device.
#include "Transforms/Optimize/ContainerWrites.h"
#include "Transforms/Optimize/ControlReads.h"
#include "Transforms/Optimize/DynamicRanges.h"
#include "Transforms/Optimize/StoredValues.h"

#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Symbols/Mentions.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Tasklet/Ast.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>
#include <tuple>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using diag::Why;

/// Does a loop count with a variable? Others cannot become maps.
bool counts(const LoopRegion &l) {
    return !l.variable.empty() && l.init && l.condition && l.update && l.init->isPython() && l.condition->isPython() &&
           l.update->isPython();
}

class Promotion {
public:
    Promotion(SDFG &g, analysis::Memories &memories, pass::Context &context)
        : g_(g), memories_(memories), context_(context), reads_(g), writes_(g, memories),
          changedByCode_(analysis::changedSymbols(g)), structure_(g, analysis::Mentions::Of::Structure) {}

    bool run() {
        const std::vector<Region *> regions = allRegions(g_);
        findNeeded();
        for (Region *r : regions)
            if (auto *l = dyn_cast<LoopRegion>(r); l && counts(*l) && !nest::isKept(*l))
                header(*l);
        for (Region *r : regions)
            if (!nest::isKept(*r) && !context_.options.gpu())
                for (const auto &b : r->blocks())
                    if (auto *s = dyn_cast<State>(b.get()))
                        ranges(*s);
        for (const bool known : {false, true}) // outside loops, only what inside led to symbols
            for (Region *r : regions)
                if (!nest::isKept(*r))
                    controlFlow(*r, known);
        assign();
        return changed_;
    }

private:
    enum class At : uint8_t { Start, After, Before };
    /// Where a symbol is assigned: at the start of the SDFG, after a state, or before a loop.
    struct Place {
        At at;
        Block *block = nullptr;
        auto operator<=>(const Place &) const = default;
    };
    struct Promoted {
        Place place;
        ControlRead read;
        Name symbol; // empty: the limit on changes is reached
    };

    // ---- which symbols must be symbols

    /// Symbols that something other than tasklets and values needs, and those in their values.
    void findNeeded() {
        std::map<Name, std::set<Name>> inValues; // symbol -> names in its values
        for (const InterstateEdge *e : allInterstateEdges(std::as_const(g_)))
            for (const auto &[symbol, text] : e->assignments)
                inValues[symbol].merge(analysis::namesInCode({text, Language::Python}, g_));
        std::vector<Name> waiting;
        for (const auto &[symbol, names] : inValues)
            if (structure_.all() || structure_.contain(symbol))
                waiting.push_back(symbol);
        while (!waiting.empty()) {
            const Name n = waiting.back();
            waiting.pop_back();
            if (const auto found = inValues.find(n); found != inValues.end() && needed_.insert(n).second)
                waiting.insert(waiting.end(), found->second.begin(), found->second.end());
        }
    }

    // ---- places

    bool changesIn(const LoopRegion &l, const ControlRead &r) {
        if (writes_.writtenIn(l, r.container))
            return true;
        const auto [assigned, isNew] = assigned_.try_emplace(&l);
        if (isNew)
            assigned->second = analysis::assignedIn(l);
        if (std::any_of(r.indices.begin(), r.indices.end(),
                        [&](Name n) { return assigned->second.count(n) || changedByCode_.count(n); }))
            return true;
        return !g_.desc(r.container)->isScalar() && !analysis::callbackIn(l).empty();
    }

    /// Can the value be read anywhere, also if the program would not read it? The caller may omit arrays that a call does not use.
    bool isHarmless(const ControlRead &r) const {
        const analysis::Memory m = memories_.of(g_, r.container);
        const DataDesc *owner = memories_.desc(m);
        return r.isHarmless && owner && (owner->isScalar() || (owner->transient && memories_.owner(m).first == &g_));
    }

    /// Has the value certainly been written at a block?
    bool isWrittenAt(const ControlRead &r, const Block &at) const {
        const auto writes = writes_.of(r.container);
        return std::any_of(writes.begin(), writes.end(),
                           [&](const ContainerWrite *w) { return w->certain && writes_.dominates(*w->state, at); });
    }

    /// The place for a value whatever loop reads it.
    std::optional<Place> placeForAll(const ControlRead &r, const Block &from) const {
        if (!isHarmless(r))
            return std::nullopt;
        const auto writes = writes_.of(r.container);
        if (writes.empty() && !g_.desc(r.container)->transient && g_.start())
            return Place{At::Start};
        if (writes.size() == 1 && writes.front()->certain && writes_.dominates(*writes.front()->state, from))
            return Place{At::After, lastOfRun(*writes.front()->state)};
        return std::nullopt;
    }

    /// The last of the states that follow one as a chain without assignments, so that the new assignments do not interrupt it.
    static Block *lastOfRun(State &first) {
        Block *at = &first;
        for (std::size_t k = 0; at->outEdges().size() == 1 && k < at->parent()->blocks().size(); ++k) {
            const InterstateEdge &e = *at->outEdges().front();
            if (!e.isUnconditional() || !e.assignments.empty() || !isa<State>(e.dst) || e.dst->inEdges().size() != 1)
                break;
            at = e.dst;
        }
        return at;
    }

    /// The place in front of a loop for a harmless value: the outermost loop that does not change it.
    Place outermost(LoopRegion &l, const ControlRead &r) {
        Place place{At::Before, &l};
        for (LoopRegion *outer = analysis::loopAround(l.parent()); outer && !changesIn(*outer, r) && isWrittenAt(r, *outer);
             outer = analysis::loopAround(outer->parent()))
            place.block = outer;
        return place;
    }

    /// The place for a value in the header of a loop.
    std::optional<Place> placeForHeader(LoopRegion &l, const ControlRead &r, bool certain) {
        if (const auto place = placeForAll(r, l))
            return place;
        if (changesIn(l, r)) {
            context_.missed(l, "its header reads `" + r.text + "`", {Why::Dependence, "the loop may change the value"});
            return std::nullopt;
        }
        if (isHarmless(r) && (certain || isWrittenAt(r, l)))
            return outermost(l, r);
        return certain ? std::optional(Place{At::Before, &l}) : std::nullopt;
    }

    /// The place for a value that control flow in a region reads after a block: outside the innermost loop.
    std::optional<Place> placeInLoop(Region &around, const Block &from, const ControlRead &r) {
        LoopRegion *l = analysis::loopAround(&around);
        if (!l || !isHarmless(r) || changesIn(*l, r))
            return std::nullopt;
        if (const auto place = placeForAll(r, from))
            return place;
        return isWrittenAt(r, *l) ? std::optional(outermost(*l, r)) : std::nullopt;
    }

    // ---- uses

    /// The symbol for a value; it is made unless only existing ones are wanted.
    Name symbolFor(const Place &place, const ControlRead &r, const pass::Element &element, bool onlyKnown) {
        const std::tuple key(place, r.text);
        if (const auto known = known_.find(key); known != known_.end())
            return promoted_[known->second].symbol;
        if (onlyKnown)
            return {};
        known_.emplace(key, promoted_.size());
        promoted_.push_back({place, r, {}});
        const Name symbol = freshSymbol(r.container);
        if (!context_.mayChange(element, "`" + r.text + "` is the symbol `" + symbol.str() + "`"))
            return {};
        g_.symbols[symbol] = r.type;
        return promoted_.back().symbol = symbol;
    }

    Name freshSymbol(Name container) {
        if (!taken_) {
            taken_ = nest::connectorsOf(g_);
            for (const State *s : allStates(std::as_const(g_)))
                for (const MapEntry *m : nodesOf<MapEntry>(*s))
                    taken_->insert(m->params.begin(), m->params.end());
        }
        const std::string &path = container.str();
        std::string base = path.substr(path.rfind('.') + 1) + "_value";
        while (taken_->count(g_.freshName(base)))
            base += "_";
        return g_.freshName(base);
    }

    void header(LoopRegion &l) {
        const auto symbolOf = [&](const ControlRead &r, bool certain) { return valueOf(inHeader(l, r, certain)); };
        changed_ |= reads_.replaceInStatement(*l.init, true, symbolOf);
        // The condition of an inverted loop is first evaluated after the body, which may leave the loop.
        changed_ |= reads_.replace(*l.condition, !l.inverted, symbolOf);
        changed_ |= reads_.replaceInStatement(*l.update, false, symbolOf);
    }

    static py::ExprRef valueOf(Name symbol) { return symbol.empty() ? nullptr : py::name(symbol); }

    Name inHeader(LoopRegion &l, const ControlRead &r, bool certain) {
        const auto place = placeForHeader(l, r, certain);
        return place ? symbolFor(*place, r, l, false) : Name();
    }

    /// Ranges of maps, unless the state writes the container. They are read whenever the state runs.
    void ranges(State &s) {
        for (const RangeRead &read : rangeReads(s)) {
            if (nest::isKept(*read.map))
                continue;
            Name symbol;
            std::string text = read.text;
            reads_.replace(text, true, [&](const ControlRead &r, bool) -> py::ExprRef {
                const auto writes = writes_.of(r.container);
                if (r.text != read.text ||
                    std::any_of(writes.begin(), writes.end(), [&s](const auto *w) { return w->state == &s; }))
                    return nullptr;
                const auto place = placeForAll(r, s);
                symbol = symbolFor(place ? *place : Place{At::Before, &s}, r, *read.map, false);
                return valueOf(symbol);
            });
            if (!symbol.empty()) {
                replaceRead(read, symbol);
                changed_ = true;
            }
        }
    }

    /// Conditions and values of symbols in a region.
    void controlFlow(Region &r, bool onlyKnown) {
        if (!onlyKnown && !analysis::loopAround(&r))
            return;
        for (const auto &e : r.edges()) {
            const auto symbolOf = [&](const ControlRead &read, bool) {
                return valueOf(inRegion(r, *e->src, read, {*e, r}, onlyKnown));
            };
            if (!e->isUnconditional())
                changed_ |= reads_.replace(e->condition, true, symbolOf);
            for (auto &[symbol, text] : e->assignments)
                if (needed_.count(symbol) || (onlyKnown && context_.options.gpu()))
                    changed_ |= reads_.replace(text, true, symbolOf);
        }
        for (const auto &b : r.blocks())
            if (auto *c = dyn_cast<ConditionalBlock>(b.get())) {
                const auto symbolOf = [&](const ControlRead &read, bool) { return valueOf(inRegion(r, *c, read, *c, onlyKnown)); };
                for (auto &branch : c->branches())
                    if (branch.condition)
                        changed_ |= reads_.replace(*branch.condition, true, symbolOf);
            }
    }

    Name inRegion(Region &r, const Block &from, const ControlRead &read, const pass::Element &element, bool onlyKnown) {
        if (const auto place = onlyKnown ? placeForAll(read, from) : placeInLoop(r, from, read))
            return symbolFor(*place, read, element, onlyKnown);
        return onlyKnown || context_.options.gpu() ? Name() : ofTasklet(from, read, element);
    }

    /// The symbol for a scalar that a tasklet sets in each iteration: what the tasklet stores, after its state.
    Name ofTasklet(const Block &from, const ControlRead &read, const pass::Element &element) {
        const auto writes = writes_.of(read.container);
        if (writes.size() != 1 || !writes.front()->certain || !isHarmless(read) || !writes_.dominates(*writes.front()->state, from))
            return {};
        State &s = *writes.front()->state;
        const auto text = storedValue(*writes.front()->node, [&](Name input) {
            const auto of = writes_.of(input);
            return std::none_of(of.begin(), of.end(), [&s](const ContainerWrite *w) { return w->state == &s; });
        });
        if (!text)
            return {};
        ControlRead stored = read;
        stored.text = *text;
        return symbolFor({At::After, &s}, stored, element, false);
    }

    // ---- assignments

    void assign() {
        std::vector<InterstateEdge *> atStart;
        std::map<Block *, std::vector<InterstateEdge *>> after;
        for (const At at : {At::Start, At::After, At::Before}) // later values may mention earlier symbols
            for (const Promoted &p : promoted_) {
                if (p.place.at != at || p.symbol.empty())
                    continue;
                std::vector<InterstateEdge *> edges;
                if (at == At::Start) {
                    if (atStart.empty())
                        atStart = g_.addStateBefore(g_.start(), g_.freshLabel("values"))->outEdges();
                    edges = atStart;
                } else if (at == At::After) {
                    auto &known = after[p.place.block];
                    if (known.empty())
                        known = edgesAfter(*p.place.block);
                    edges = known;
                } else {
                    edges = edgesBefore(*p.place.block, p.read);
                }
                for (InterstateEdge *e : edges)
                    e->assignments.emplace_back(p.symbol, p.read.text);
            }
    }

    /// The edges that leave a block, if they do not use its symbols themselves.
    std::vector<InterstateEdge *> edgesAfter(Block &b) {
        std::set<Name> symbols;
        for (const Promoted &p : promoted_)
            if (p.place == Place{At::After, &b} && !p.symbol.empty())
                symbols.insert(p.symbol);
        const bool useThem = std::any_of(b.outEdges().begin(), b.outEdges().end(), [&](const InterstateEdge *e) {
            return mentions(e->condition.text(), symbols) ||
                   std::any_of(e->assignments.begin(), e->assignments.end(),
                               [&](const auto &a) { return mentions(a.second, symbols); });
        });
        return useThem ? b.parent()->addStateAfter(&b, g_.freshLabel("values"))->inEdges() : b.outEdges();
    }

    bool mentions(const std::string &text, const std::set<Name> &symbols) const {
        const std::set<Name> names = analysis::namesInCode({text, Language::Python}, g_);
        return std::any_of(names.begin(), names.end(), [&](Name n) { return symbols.count(n) != 0; });
    }

    /// The edges to a loop, if they do not assign a symbol that the value mentions. One leads to the loop at the start of a region.
    std::vector<InterstateEdge *> edgesBefore(Block &b, const ControlRead &r) {
        const auto assigns = [&r](const InterstateEdge *e) {
            return std::any_of(e->assignments.begin(), e->assignments.end(),
                               [&r](const auto &a) { return r.indices.count(a.first) != 0; });
        };
        if (b.inEdges().empty() || b.parent()->start() == &b || std::any_of(b.inEdges().begin(), b.inEdges().end(), assigns))
            b.parent()->addStateBefore(&b, g_.freshLabel("bounds"));
        return b.inEdges();
    }

    SDFG &g_;
    analysis::Memories &memories_;
    pass::Context &context_;
    const ControlReads reads_;
    const ContainerWrites writes_;
    const std::set<Name> changedByCode_;
    const analysis::Mentions structure_;
    std::set<Name> needed_; // symbols that more than tasklets need
    std::map<const LoopRegion *, std::set<Name>> assigned_;
    std::optional<std::set<Name>> taken_; // names that mean something else somewhere
    std::vector<Promoted> promoted_;
    std::map<std::tuple<Place, std::string>, std::size_t> known_; // positions in promoted_
    bool changed_ = false;
};

bool hasRangeReads(SDFG &g) {
    const std::vector<State *> states = allStates(g);
    return std::any_of(states.begin(), states.end(), [](State *s) { return !rangeReads(*s).empty(); });
}

class PromoteBounds : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        if (mentionsGpu(root) || (context.options.gpu() && !option<bool>("device")))
            return false;
        analysis::Memories memories(root);
        bool changed = false;
        for (SDFG *g : allSDFGs(root)) {
            const std::vector<Region *> regions = allRegions(*g);
            const bool hasLoops = std::any_of(regions.begin(), regions.end(), [](const Region *r) { return isa<LoopRegion>(r); });
            if ((hasLoops && !analysis::containersReadByControlFlow(*g).empty()) || (!context.options.gpu() && hasRangeReads(*g)))
                changed |= Promotion(*g, memories, context).run();
        }
        if (changed)
            root.renumber();
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createPromoteBounds() { return std::make_unique<PromoteBounds>(); }

} // namespace sdfgc::transforms
