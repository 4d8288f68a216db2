// check-indices: run the iterations of a loop that scatters in parallel if no index occurs twice.
//
//     for b = 0; b < B; b = b + 1 {                      distinct = do the elements 0 to 4*B - 1 of idx differ?
//         map[k = 0:4] { t[k] = f(b, k) }                if distinct == 1 {
//         for k = 0; k < 4; k = k + 1 {                      map[b = 0:B] (CPU_Multicore) { the body, with its own t }
//             A[idx[4*b + k]] += t[k]             ->     } else {
//         }                                                  the loop as it was
//     }                                                  }
//
// Iterations of such a loop write elements of `A` that depend on data. They are independent if each index occurs only once, as in a
// permutation. The program finds that out before the loop. It first finds the elements of the index array that the loop reads
// (IndexReads.h), then marks the indices, and stops at the first one that it meets a second time (IndexCheck.h). One thread runs
// the loop without the check.
//
// Legal when:
//   - loops-to-maps could turn the loop into a map if the elements of index arrays were different numbers: if `A[f*idx[e] + c]`
//     and `A[f*idx[g] + c]` conflict only where e and g are equal, iterations are independent. f is a constant, and c does not
//     change in the loop (DistinctIndices.h);
//   - the loop writes neither the index array nor memory that may be the same;
//   - edges of its control flow read the index array, and what decides about these reads is not written in the loop. The check
//     covers all elements from the first to the last one that the loop reads;
//   - nothing reads the loop variable after the loop, and the loop may be in the program twice.
//
// Profitable when the loop computes several times as much as the check. The program also compares an estimate of the work with what
// a team of threads needs to start.
//
// Each element has the same values, in the same order, so results are bitwise identical.
//
// The outermost loop of a nest that qualifies is taken. Inner loops that scatter stay as they are, in the map.
//
// Not handled: index arrays with several dimensions; pairs of indices; updates with conflict resolution, which loops-to-maps
// turns into maps; hoisting the check out of an outer loop; loops in scopes; programs for a GPU.
#include "Transforms/Edits/ChangeLoops.h"
#include "Transforms/Edits/Completion.h"
#include "Transforms/Edits/Nodes.h"
#include "Transforms/Optimize/IndexCheck.h"
#include "Transforms/Optimize/LoopScratch.h"
#include "Transforms/Optimize/UnswitchLoops.h"

#include "sdfgc/Analysis/Costs/Work.h"
#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Nest/CallBlocks.h"
#include "sdfgc/Nest/MakeMaps.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using diag::Reason;
using diag::Why;

constexpr int64_t fewIterationsToShare = 4;
constexpr int64_t workOfIndex = 40;   // of the loop, in operations as those of analysis::workOf, for each index that is looked at
constexpr int64_t sizeOfSymbols = 32; // to count both
constexpr int64_t unknownIterations = 64;
constexpr int64_t workOfTeam = 100000; // with less, a team of threads has hardly started

/// One loop that may scatter.
class Scatter {
public:
    Scatter(LoopRegion &l, const LoopsOf &known) : loop_(l), known_(known), scratch_(l, known.loops, known.after.containers()) {}

    /// Would the loop be a map if elements of index arrays differ?
    bool isParallelIfDistinct() {
        header_ = analysis::headerOf(loop_);
        if (!loop_.optimize || !header_.hasEnd() || !header_.isOfIntegers(known_.g))
            return false;
        const auto trips = header_.range().size().asInt();
        if ((trips && *trips < fewIterationsToShare) ||
            nest::readBody(loop_, header_, known_.memories, known_.loops.shared(), known_.after.symbols(), body_) ||
            !body_.calls.empty() || !scatters())
            return false;
        const Reason why = nest::dependenceOf(
            body_, known_.g, known_.items, known_.memories, [this](Name n) { return scratch_.outside(n); }, locals_, {}, {},
            &distinct_);
        if (why || distinct_.empty())
            return false;
        std::vector<Name> arrays;
        for (const nest::DistinctIndex &c : distinct_)
            arrays.push_back(c.index);
        reads_.emplace(loop_, std::move(arrays), body_, known_.memories);
        return true;
    }

    /// Why the loop stays all the same; empty if it can be checked.
    Reason obstacle() {
        if (known_.loops.isReadOutside(loop_))
            return {Why::LiveOut, "`" + loop_.variable.str() + "` is read after it"};
        if (Reason why = whatIsUnique(loop_))
            return why;
        if (reads_->obstacle())
            return reads_->obstacle();
        const std::optional<sym::Expr> work = analysis::workOf(loop_);
        if (!work)
            return {Why::UnknownWork, "how much it computes is not known"};
        const auto computes = sized(*work);
        if (!computes || *computes < workOfIndex * indices())
            return {Why::Unprofitable, "looking at the indices takes as long"};
        const auto [above, below] = sym::asFraction(inFront(*work));
        const sym::Expr isMuch = sym::compare(sym::SymbolicKind::Ge, above, workOfTeam * below);
        if (isMuch == sym::Expr::boolean(false))
            return {Why::Small, "it computes too little for a team of threads"};
        condition_ = isMuch == sym::Expr::boolean(true) ? "" : " and " + isMuch.str();
        return {};
    }

    /// `` `idx` ``, for remarks.
    std::string arrays() const {
        std::string out;
        for (const nest::DistinctIndex &c : distinct_)
            out += (out.empty() ? "`" : " and `") + c.index.str() + "`";
        return out;
    }

    /// Replaces the loop with the check, and both versions.
    void replace() {
        SDFG &g = known_.g;
        Region &r = *loop_.parent();
        const Block *const start = r.start();
        const IndexCheck check = addIndexCheck(r, distinct_, *reads_, condition_, loop_);
        auto *choice = r.add<ConditionalBlock>();
        choice->label = g.freshLabel(loop_.label + "_choice");
        choice->debugInfo = loop_.debugInfo;
        r.connect(check.last, choice);
        Region *team = choice->addBranch(Code{check.passed.str() + " == 1", Language::Python}, std::make_unique<Region>());
        team->label = g.freshLabel(loop_.label + "_team");
        Region *one = choice->addBranch(std::nullopt, std::make_unique<Region>());
        one->label = g.freshLabel(loop_.label + "_one");
        auto *shared = cast<LoopRegion>(team->adopt(ir::clone(static_cast<const Block &>(loop_))));
        shared->label = g.freshLabel(loop_.label + "_apart");
        one->adopt(ir::clone(static_cast<const Block &>(loop_)));
        const std::shared_ptr<MapEntry> entry = nest::entryFor(loop_);
        const std::set<Name> inside = known_.loops.release(loop_);
        takePlace(r, start, loop_, loop_, *check.first, *choice);
        r.removeBlock(&loop_);
        known_.memories = analysis::Memories(*rootOf(g)); // nested SDFGs in the loop are gone
        becomeMap(*shared, entry, inside);
        for (const Name n :
             locals_) // the compiler knows more about memory of one run, even if pointers to other memory go to threads
            if (inside.count(n))
                g.desc(n)->lifetime = Lifetime::Scope;
        known_.loops.changed();
        known_.memories = analysis::Memories(*rootOf(g));
    }

    /// Symbols that the map has for itself.
    const std::set<Name> &privateSymbols() const { return body_.assigned; }

private:
    /// Does an index of something that the loop writes depend on data?
    bool scatters() const {
        return std::any_of(body_.uses.begin(), body_.uses.end(), [this](const nest::BodyUse &u) {
            if (u.kind == nest::UseKind::Read || !u.instance.subset)
                return false;
            const std::set<Name> named = u.instance.subset->freeSymbols();
            return std::any_of(named.begin(), named.end(), [this](Name n) { return body_.elements.count(n) != 0; });
        });
    }

    /// The value for symbols of some size, in the first iteration of the loops around.
    std::optional<int64_t> sized(sym::Expr e) const {
        std::map<Name, int64_t> values;
        for (const LoopRegion *l = analysis::loopAround(loop_.parent()); l; l = analysis::loopAround(l->parent()))
            values.emplace(l->variable, 1);
        for (const Name n : e.freeSymbols())
            values.emplace(n, sizeOfSymbols);
        return sym::evaluate(e, values);
    }

    /// An amount of work in terms of symbols in front of the loop.
    sym::Expr inFront(sym::Expr work) const {
        std::map<Name, sym::Expr> unknown;
        for (const Name n : analysis::assignedInside(loop_))
            unknown.emplace(n, unknownIterations);
        return sym::substitute(work, unknown);
    }

    /// How many indices the loop reads, for symbols of that size.
    int64_t indices() const {
        int64_t all = 0;
        for (const InterstateEdge *e : reads_->edges()) {
            int64_t times = 1;
            for (const LoopRegion *l = analysis::loopAround(e->src->parent());; l = analysis::loopAround(l->parent())) {
                const analysis::LoopHeader header = analysis::headerOf(*l);
                const auto trips = header.hasEnd() ? sized(header.trips()) : std::nullopt;
                times *= trips ? std::max<int64_t>(1, *trips) : unknownIterations;
                if (l == &loop_)
                    break;
            }
            all += times;
        }
        return all;
    }

    static SDFG *rootOf(SDFG &g) {
        SDFG *at = &g;
        while (at->parentNode)
            at = at->parentNode->state()->sdfg();
        return at;
    }

    void becomeMap(LoopRegion &l, const std::shared_ptr<MapEntry> &entry, const std::set<Name> &inside) {
        entry->schedule = Schedule::CPU_Multicore;
        entry->ordered = false;
        auto m = std::make_unique<nest::Map>();
        m->params = {l.variable};
        m->ranges = {header_.range()};
        m->entry = entry.get();
        m->made = entry;
        nest::Step body = nest::moveBody(l, body_, locals_, known_.memories, inside, true);
        m->body.push_back({nullptr, std::make_unique<nest::Step>(std::move(body))});
        known_.loops.replaceEmpty(l, {std::move(m), nullptr}, header_);
    }

    LoopRegion &loop_;
    const LoopsOf &known_;
    const LoopScratch scratch_;
    analysis::LoopHeader header_;
    nest::LoopBody body_;
    std::set<Name> locals_; // containers private to iterations of the map
    std::vector<nest::DistinctIndex> distinct_;
    std::optional<IndexReads> reads_;
    std::string condition_; // for the check: there is enough work
};

class CheckIndices : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        if (context.options.gpu()) // one thread of the host would check
            return false;
        const bool changed = changeLoops(
            root,
            [&](LoopRegion &l, const LoopsOf &known) {
                const pass::Element where(l);
                Scatter scatter(l, known);
                if (!scatter.isParallelIfDistinct())
                    return false;
                if (const Reason why = scatter.obstacle()) {
                    context.missed(
                        where, "remains a loop, though iterations are independent if no index occurs twice in " + scatter.arrays(),
                        why);
                    return false;
                }
                if (!context.mayChange(where, "becomes a map if no index occurs twice in " + scatter.arrays()))
                    return false;
                scatter.replace();
                nest::forgetSymbols(known.g, scatter.privateSymbols());
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

std::unique_ptr<pass::Pass> createCheckIndices() { return std::make_unique<CheckIndices>(); }

} // namespace sdfgc::transforms
