// split-searches: search parts of a range in parallel.
//
//     for i = 1; i < N; i = i + 1 {            parts = max(1, min(threads, N * work // ..))
//         if A[i] > most {                     map[p = 0:parts] {
//             most = A[i]                          most_p = -inf
//             at = i                               for i = (part p of 1:N) {
//         }                                            if A[i] > most_p { most_p = A[i]; at_p = i }
//     }                                            }
//                                        ->        most_parts[p] = most_p; at_parts[p] = at_p
//                                              }
//                                              for p = 0; p < parts; p = p + 1 {
//                                                  if most_parts[p] > most { most = most_parts[p]; at = at_parts[p] }
//                                              }
//
// A reduction with conflict resolution finds an extremum (BodyReductions.h), but not where it is: among equal values, `>` keeps
// the first position and `>=` the last one. Parts are contiguous and combined in order, with the same test, so ties, NaNs and
// zeros of both signs give bitwise identical results. A reduction over pairs would need types and functions that graphs do not
// have, and a rule for ties; parts need only loops and arrays.
//
//     for i = 0; i < N; i = i + 1 {            from = 0; upto = min(N, 600000); parts = 1; found = false
//         if A[i] == x {                       while from < N and not found {
//             at = i                               map[p = 0:parts] {
//             break                    ->              for i = (part p of from:upto) {
//         }                                                if A[i] == x { at_p = i; found_p = true; break }
//     }                                                }
//                                                      at_parts[p] = at_p; found_parts[p] = found_p
//                                                  }
//                                                  for p { if found_parts[p] { at = at_parts[p]; found = true; break } }
//                                                  from = upto; parts = threads; upto = from + parts * from / 2
//                                              }
//
// The first hit ends the search. The first block runs on one thread and takes several times as long as the start of a team, so that
// early hits take no longer than before. In later blocks, a part has half as many iterations as the search has behind it: with two
// threads, a hit at the beginning of a block takes about as long as in the loop as it was, and all others less.
//
// Legal when:
//   - the loop counts by a constant to a bound that its body does not change, and calls no library;
//   - nothing but searches (Searches.h) carries values from one iteration to another one;
//   - code that runs more often than before has no effect but on results, and cannot fault: branches with results, as a part knows
//     no earlier results, and the body of a loop after the first hit. It stores results and containers private to the iteration
//     only, reads elements only that are provably in bounds (or that the test has read), does not divide integers, and its loops
//     end whatever they read.
//
// The last hit of a loop that runs to its end, `if A[i] > 0 { at = i }`, is found in parts as well: the last part with a hit wins.
//
// A part that finds nothing has the identity of the maximum, which no comparison with `>` stores. Tests with `>=` and searches for
// the first or last hit note in each part whether there was a hit.
//
// Profitable for loops outside of maps: they alone have no other threads. Outer loops come first: in a nest of loops, the outermost
// loop that qualifies is split.
//
// Not handled: other reductions in the loop; loops without branches of their own; programs for a GPU, whose threads are not those
// of a team.
#include "Transforms/Edits/ChangeLoops.h"
#include "Transforms/Edits/Completion.h"
#include "Transforms/Optimize/SearchParts.h"

#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Memory/Bounds.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Nest/LiveAfter.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using diag::Reason;
using diag::Why;
using nest::BodyUse;
using nest::UseKind;

constexpr int64_t fewTrips = 64;

/// Can integer operations in the text fault? In control flow, `a / b` is C's quotient.
bool dividesIntegers(const std::string &text, bool isTasklet) {
    return text.find('%') != std::string::npos || text.find(isTasklet ? "//" : "/") != std::string::npos;
}

/// May code fault, or not end, if it runs on values on which it did not run before?
class Speculation {
public:
    explicit Speculation(const Region &all) {
        for (const Region *r : allRegions(all))
            for (const auto &e : r->edges())
                for (const auto &[name, value] : e->assignments)
                    assigned_.insert(name);
    }

    bool isSafe(const Region &r) const {
        for (const auto &e : r.edges()) {
            if (dividesIntegers(e->condition.text(), false))
                return false;
            for (const auto &[name, value] : e->assignments)
                if (dividesIntegers(value, false))
                    return false;
        }
        return std::all_of(r.blocks().begin(), r.blocks().end(), [this](const auto &b) { return isSafe(*b); });
    }

private:
    bool isSafe(const Block &b) const {
        if (const auto *s = dyn_cast<State>(&b))
            return std::all_of(s->nodes().begin(), s->nodes().end(), [this](const auto &n) { return isSafe(*n); });
        if (const auto *c = dyn_cast<ConditionalBlock>(&b))
            return std::all_of(c->branches().begin(), c->branches().end(), [this](const auto &branch) {
                return (!branch.condition || !dividesIntegers(branch.condition->text(), false)) && isSafe(*branch.region);
            });
        if (const auto *l = dyn_cast<LoopRegion>(&b); l && !isSafe(*l, analysis::headerOf(*l)))
            return false;
        const auto *r = dyn_cast<Region>(&b);
        return !r || isSafe(*r);
    }

    /// Is the end of an inner loop known, whatever the loop reads?
    bool isSafe(const LoopRegion &l, const analysis::LoopHeader &header) const {
        const std::set<Name> names = header.names();
        return header.hasEnd() && header.isOfIntegers(*l.sdfg()) && isUnassigned(names);
    }

    bool isSafe(const Node &n) const {
        if (isa<AccessNode>(&n) || n.isExit())
            return true;
        if (const auto *t = dyn_cast<Tasklet>(&n))
            return t->code.isPython() && !dividesIntegers(t->code.text(), true);
        if (const auto *nested = dyn_cast<NestedSDFGNode>(&n); nested && nested->sdfg) {
            Speculation inner(*nested->sdfg);
            for (const auto &[name, value] : nested->symbolMapping)
                if (!isUnassigned({value.freeSymbols().begin(), value.freeSymbols().end()}))
                    inner.assigned_.insert(name);
            return inner.isSafe(static_cast<const Region &>(*nested->sdfg));
        }
        if (const auto *m = dyn_cast<MapEntry>(&n))
            return isUnassigned(analysis::freeSymbols(n)) &&
                   std::none_of(m->inEdges().begin(), m->inEdges().end(),
                                [](const Edge *e) { return ir::isDynamicRange(e->dstConn); });
        return false;
    }

    bool isUnassigned(const std::set<Name> &names) const {
        return std::none_of(names.begin(), names.end(), [this](Name n) { return assigned_.count(n) != 0; });
    }

    std::set<Name> assigned_; // by edges
};

/// One loop that may be split.
class Candidate {
public:
    Candidate(LoopRegion &l, const LoopsOf &known) : loop_(l), g_(known.g), known_(known), searches_(Searches(l, known.g).find()) {
        std::erase_if(searches_, [this](const Search &s) { // for values of one iteration
            return s.kind == Search::Kind::Last && std::all_of(s.results.begin(), s.results.end(), [this](const SearchResult &r) {
                       const DataDesc *d = g_.desc(r.name);
                       return d && d->transient && known_.loops.isOnlyInside(r.name, loop_);
                   });
        });
    }

    /// Does the loop search for anything?
    bool searches() const { return !searches_.empty() && (!searches_.front().results.empty() || (isFirst() && isReadOutside())); }
    /// Does it only store values that later ones overwrite? That is true of most loops that carry nothing over.
    bool onlyStores() const {
        return std::all_of(searches_.begin(), searches_.end(), [](const Search &s) { return s.kind == Search::Kind::Last; });
    }

    /// Why the loop stays as it is; empty if it can be split.
    Reason obstacle(nest::BodySymbols &symbols) {
        if (!loop_.optimize)
            return {Why::Kept, "the graph requires it"};
        header_ = analysis::headerOf(loop_);
        if (!header_.hasEnd() || !header_.isOfIntegers(g_))
            return {Why::LoopForm, "it does not count to a known end"};
        if (const auto trips = header_.trips().asInt(); trips && *trips < fewTrips)
            return {Why::Small, "it has too few iterations for a team of threads"};
        std::set<Name> results;
        for (const Search &s : searches_)
            for (const SearchResult &r : s.results)
                if (r.isSymbol)
                    results.insert(r.name);
        if (isFirst() && isReadOutside())
            results.insert(loop_.variable);
        if (Reason why = nest::readBody(loop_, header_, known_.memories, known_.loops.shared(), symbols, body_, results, isFirst()))
            return why;
        if (!body_.calls.empty())
            return {Why::Library, "its body calls libraries in `" + body_.calls.front() + "`"};
        nest::LiveAfter live(g_, known_.memories);
        if (Reason why = nest::dependenceOf(
                body_, g_, known_.items, known_.memories, [&](Name n) { return outside(n, live); }, locals_,
                [this](Name n) { return isOnlyResult(n); }))
            return why;
        dropPrivate();
        if (!searches())
            return {Why::Shape, "nothing outside of an iteration reads what it finds"};
        return isFirst() ? obstacleBehindHits() : obstacleInBranches();
    }

    SplitLoop split() { return {loop_, header_, std::move(searches_), std::move(locals_), isReadOutside()}; }

    bool isFirst() const { return searches_.front().kind == Search::Kind::First; }

private:
    bool isReadOutside() const { return known_.loops.isReadOutside(loop_); }

    nest::Outside outside(Name container, nest::LiveAfter &live) const {
        const DataDesc *d = g_.desc(container);
        if (!d || ownerOf(container) != container || !nest::isScratch(*d))
            return nest::Outside::Needed;
        if (known_.loops.isOnlyInside(container, loop_))
            return nest::Outside::Dead;
        return live.isLive(loop_, container) ? nest::Outside::Needed : nest::Outside::Dead;
    }

    /// Is the container the result of a search, which alone accesses it?
    bool isOnlyResult(Name container) const {
        for (const Search &s : searches_)
            for (const SearchResult &r : s.results) {
                if (r.isSymbol || r.name != container)
                    continue;
                const analysis::Memory memory = known_.memories.of(g_, container);
                std::size_t reads = 0, writes = 0;
                for (const BodyUse &u : body_.uses) {
                    if (u.place.memory != memory)
                        continue;
                    if (u.data != container || u.kind == UseKind::Update)
                        return false;
                    (u.kind == UseKind::Read ? reads : writes) += 1;
                }
                return writes == r.writes.size() && reads == (&r == &s.results.front() ? s.tests.size() : 0);
            }
        return false;
    }

    /// Results that nothing reads after an iteration are none.
    void dropPrivate() {
        std::erase_if(searches_, [this](Search &s) {
            if (s.kind == Search::Kind::Extremum && locals_.count(s.key().name))
                return true;
            std::erase_if(s.results, [this](const SearchResult &r) { return locals_.count(r.name) != 0; });
            return s.kind == Search::Kind::Last && s.results.empty();
        });
    }

    // ---- code that runs more often than before

    Reason obstacleBehindHits() const {
        for (const State *s : allStates(std::as_const(loop_)))
            for (const MapEntry *m : nodesOf<MapEntry>(*s))
                if (m->schedule == Schedule::CPU_Multicore)
                    return {Why::Unprofitable, "its maps already run on teams of threads"};
        if (!Speculation(loop_).isSafe(loop_))
            return {Why::Effects, "iterations after the first hit might fault, or not end"};
        for (const BodyUse &u : body_.uses) {
            if (u.kind != UseKind::Read && !isStored(u.data))
                return {Why::Effects, "iterations after the first hit would write `" + u.data.str() + "`"};
            if (u.kind == UseKind::Read && !isInside(u))
                return {Why::OutOfBounds, "iterations after the first hit may read `" + u.data.str() + "` out of bounds"};
        }
        return {};
    }

    Reason obstacleInBranches() const {
        const Speculation speculation(loop_);
        for (const Search &s : searches_) {
            if (s.kind == Search::Kind::Last) // runs as often as before
                continue;
            for (const BodyTests::Test &t : s.tests)
                if (testsMore(t, s.key().name))
                    return {Why::Effects, "the test of `" + s.key().name.str() + "` comes before others, which may depend on it"};
            for (const Region *arm : s.arms)
                if (Reason why = obstacleIn(*arm, speculation))
                    return why;
        }
        return {};
    }

    /// Are there elements or divisions behind the comparison, in the same condition?
    static bool testsMore(const BodyTests::Test &t, Name key) {
        const py::ExprRef condition = t.block->branches()[0].condition->expressionOrRaw();
        bool isBehind = false;
        for (const py::ExprRef &operand : condition->kind == py::ExprKind::BoolOp ? condition->args : std::vector<py::ExprRef>()) {
            const std::string text = py::print(*operand);
            if (isBehind && (text.find('[') != std::string::npos || dividesIntegers(text, false)))
                return true;
            isBehind |= py::freeNames(*operand).count(key) != 0;
        }
        return false;
    }

    Reason obstacleIn(const Region &arm, const Speculation &speculation) const {
        const std::string branch = "the branch " + nest::blockText(*arm.conditional());
        for (const State *s : allStates(arm))
            for (const auto &n : s->nodes())
                if (!isa<Tasklet>(n.get()) && !isa<AccessNode>(n.get()))
                    return {Why::Shape, branch + " contains more than assignments"};
        if (!speculation.isSafe(arm))
            return {Why::Effects, branch + " might fault"};
        const auto isIn = [&arm](const BodyUse &u) {
            const Block *b = u.site.node ? u.site.node->state() : u.site.after;
            return b && b->parent() == &arm;
        };
        for (const BodyUse &u : body_.uses) {
            if (!isIn(u))
                continue;
            if (u.kind != UseKind::Read && !isStored(u.data))
                return {Why::Effects, branch + " writes `" + u.data.str() + "`, and would run more often"};
            const bool isRead = std::any_of(body_.uses.begin(), body_.uses.end(), [&](const BodyUse &other) {
                return other.kind == UseKind::Read && other.site.block == arm.conditional() && other.data == u.data &&
                       other.instance.subset && u.instance.subset && *other.instance.subset == *u.instance.subset;
            });
            if (u.kind == UseKind::Read && !isRead && !isInside(u))
                return {Why::OutOfBounds, branch + " may read `" + u.data.str() + "` out of bounds"};
        }
        return {};
    }

    /// Is it a result, or private to an iteration?
    bool isStored(Name container) const {
        return locals_.count(container) || std::any_of(searches_.begin(), searches_.end(), [container](const Search &s) {
                   return std::any_of(s.results.begin(), s.results.end(),
                                      [container](const SearchResult &r) { return r.name == container; });
               });
    }

    /// Are all elements certainly in the container, in every iteration?
    bool isInside(const BodyUse &u) const {
        const DataDesc *d = g_.desc(u.data);
        if (!analysis::isPlain(d))
            return false;
        if (d->numElements().isOne() || locals_.count(u.data))
            return true;
        if (!u.instance.subset || u.instance.subset->rank() != d->rank())
            return false;
        const sym::Subset all = d->fullSubset();
        std::vector<analysis::LoopLevel> loops = u.instance.loops;
        loops.front().range = header_.down ? sym::Range{header_.end, header_.first, 1} : sym::Range{header_.first, header_.end, 1};
        for (std::size_t k = 0; k < d->rank(); ++k) {
            const sym::Range &r = u.instance.subset->dims[k];
            const auto least = analysis::leastOf(r.begin, loops), most = analysis::leastOf(-r.end, loops);
            if (!least || !most || sym::isLessEqual(all.dims[k].begin, *least, known_.items.facts()) != sym::Truth::True ||
                sym::isLessEqual(-*most, all.dims[k].end, known_.items.facts()) != sym::Truth::True)
                return false;
        }
        return true;
    }

    LoopRegion &loop_;
    SDFG &g_;
    const LoopsOf &known_;
    std::vector<Search> searches_;
    analysis::LoopHeader header_;
    nest::LoopBody body_;
    std::set<Name> locals_;
};

class SplitSearches : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        if (context.options.gpu()) // parts are for the threads of a team
            return false;
        const bool changed = changeLoops(
            root,
            [&](LoopRegion &l, const LoopsOf &known) {
                Candidate candidate(l, known);
                if (!candidate.searches())
                    return false;
                const pass::Element where(l);
                if (const Reason why = candidate.obstacle(known.after.symbols())) {
                    if (!candidate.onlyStores()) // loops-to-maps gives the reason why others stay
                        context.missed(where, "searches on one thread", why);
                    return false;
                }
                if (!context.mayChange(where, candidate.isFirst() ? "searches blocks in parallel, up to the first hit"
                                                                  : "searches parts in parallel"))
                    return false;
                if (const Reason why = splitSearch(candidate.split(), known, option<int64_t>("work")))
                    context.missed(where, "searches its parts on one thread", why);
                known.after.forget();
                return true;
            },
            LoopOrder::OuterFirst);
        if (changed)
            inferTypes(root, context); // of arguments of nested SDFGs
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createSplitSearches() { return std::make_unique<SplitSearches>(); }

} // namespace sdfgc::transforms
