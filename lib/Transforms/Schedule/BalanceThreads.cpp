// balance-threads: threads take the iterations of a parallel map in turn where these have more and more work, or less and less.
//
//   before:  map rows[i = 0:N] CPU_Multicore {                after:  the same, `schedule(static, 1)`
//                map row[j = i:N] { ... } }
//
// OpenMP gives each thread one piece of the iterations, all of the same length. Of a triangle the first of two threads then has three
// quarters, and the second one waits for it. Taken in turn, by steps of one iteration, all have the same but for one iteration; which thread
// has which does not depend on how fast it is, as it would with `dynamic`, which also takes a lock for each iteration.
//
// A map is a triangle if one iteration of its first loop (analysis::workOfIteration) has at least twice as much work at one end as at the
// other, where all symbols are 1024. So the end of a range inside counts that moves with the parameter, if the parameter goes as far as
// that range; the shorter last tile of a loop over tiles does not, nor does a margin of some elements.
//
// Left alone:
//   - maps for which the graph says how threads share them, or that no pass may change (`optimize`), and those of several loops that a team
//     shares (`collapse`);
//   - maps that resolve conflicts: each thread adds up what its iterations compute, so sums would be others;
//   - those whose first iteration is not the same each time. In a factorisation one row after another drops out, and every row would
//     be in another thread's cache each time;
//   - all maps of programs with CPU_ThreadLocal memory, where a thread goes on with what it left there.
//
// Runs after guard-parallel-maps, which says which maps have teams.
#include "Transforms/MapNests.h"

#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols.h"
#include "sdfgc/Analysis/Work.h"
#include "sdfgc/Nest/Nest.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>
#include <set>

namespace sdfgc::transforms {
namespace {

using namespace ir;

constexpr int64_t size = 1024; // of everything, where iterations are compared

/// The value of what one iteration computes where the parameter is `at`; nothing if it is no number.
std::optional<int64_t> valueAt(sym::Expr work, Name parameter, sym::Expr at) {
    sym::Expr value = sym::substitute(work, {{parameter, at}});
    std::map<Name, sym::Expr> sizes;
    for (const Name symbol : value.freeSymbols())
        sizes[symbol] = size;
    value = sym::substitute(value, sizes);
    const auto [numerator, denominator] = sym::asFraction(value);
    const std::optional<int64_t> a = numerator.asInt(), b = denominator.asInt();
    return a && b ? std::optional(*a / *b) : std::nullopt;
}

bool resolvesConflicts(const MapEntry &m) {
    const auto &out = m.exit->inEdges();
    return std::any_of(out.begin(), out.end(), [](const Edge *e) { return !e->memlet.wcr.empty(); });
}

class BalanceThreads : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        if (threadLocalMemory(root))
            return false;
        bool changed = false;
        for (SDFG *g : allSDFGs(root)) {
            changing_.clear();
            for (const auto &[symbol, type] : analysis::definedSymbols(*g))
                changing_.insert(symbol);
            for (State *s : allStates(*g)) {
                const analysis::ScopeTree scopes(*s);
                for (MapEntry *m : nodesOf<MapEntry>(*s))
                    if (m->schedule == Schedule::CPU_Multicore && !saysHowShared(*m) && !nest::isKept(*m) && isTriangle(*m, scopes))
                        changed |= balance(*m, context);
            }
        }
        return changed;
    }

private:
    static bool isTriangle(const MapEntry &m, const analysis::ScopeTree &scopes) {
        const Name parameter = m.params.front();
        const std::optional<sym::Expr> work = analysis::workOfIteration(m, scopes);
        if (!work || !work->dependsOn(parameter))
            return false;
        const auto first = valueAt(*work, parameter, m.ranges.front().begin),
                   last = valueAt(*work, parameter, m.ranges.front().end);
        return first && last && std::max(*first, *last) >= 2 * std::max<int64_t>(1, std::min(*first, *last));
    }

    bool balance(MapEntry &m, pass::Context &context) const {
        const std::string what = "threads have pieces of the same length";
        if (resolvesConflicts(m)) {
            context.missed(m, what, {diag::Why::Update, "what iterations add up would be added in another order"});
            return false;
        }
        const sym::Expr begin = m.ranges.front().begin;
        if (!m.state()->sdfg()->isRoot() && !begin.asInt()) {
            context.missed(m, what, {diag::Why::Symbol, "`" + begin.str() + "`, where it begins, may change from call to call"});
            return false;
        }
        for (const Name symbol : begin.freeSymbols())
            if (changing_.count(symbol)) {
                context.missed(
                    m, what,
                    {diag::Why::Symbol, "`" + symbol.str() + "` changes where it begins: a thread would have others each time"});
                return false;
            }
        if (!context.mayChange(m, "threads take its iterations in turn, which have more and more work, or less and less"))
            return false;
        m.ompSchedule = OmpSchedule::Static;
        m.ompChunkSize = 1;
        return true;
    }

    std::set<Name> changing_; // symbols that the SDFG gives values
};

} // namespace

std::unique_ptr<pass::Pass> createBalanceThreads() { return std::make_unique<BalanceThreads>(); }

} // namespace sdfgc::transforms
