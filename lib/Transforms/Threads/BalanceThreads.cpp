// balance-threads: assign iterations to threads in turn if their work grows or shrinks along the loop.
//
//   before:  map rows[i = 0:N] CPU_Multicore {                after:  the same, `schedule(static, 1)`
//                map row[j = i:N] { ... } }
//
// OpenMP gives each thread one contiguous chunk of iterations, all of the same length. In a triangle the first of two threads then
// has three quarters of the work, and the other one waits. Assigning iterations in turn, one at a time, balances the load up to one
// iteration. Unlike `dynamic`, the assignment does not depend on how fast the threads are and needs no lock per iteration.
//
// Legal when:
//   - the map resolves no conflicts. Each thread combines the results of its iterations, so another assignment would
//     change the sums;
//   - the program has no CPU_ThreadLocal memory, where a thread continues with what it left there;
//   - the graph does not specify how threads share the map, allows passes to change it (`optimize`), and the team does
//     not share several of its loops (`collapse`).
//
// Profitable when:
//   - the map is a triangle: with all symbols set to 1024, an iteration at one end of the first loop
//     (analysis::workOfIteration) does at least twice the work of one at the other end. An inner range that moves with
//     the parameter counts if the parameter covers as much as that range; a shorter last tile of a tiled loop or a
//     margin of a few elements does not count;
//   - the first iteration is always the same. In a factorisation, rows drop out one after another, and each row would
//     move to another thread's cache every time.
//
// Runs after guard-parallel-maps, which decides which maps have teams.
#include "Transforms/Edits/MapNests.h"

#include "sdfgc/Analysis/Costs/Work.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Nest/Nest.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>
#include <set>

namespace sdfgc::transforms {
namespace {

using namespace ir;

constexpr int64_t size = 1024; // value of all symbols when iterations are compared

/// The work of one iteration with the parameter at `at`; nothing if it is not a number.
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
        const std::string what = "threads get pieces of equal length";
        if (resolvesConflicts(m)) {
            context.missed(m, what, {diag::Why::Update, "the sums of its iterations would be computed in a different order"});
            return false;
        }
        const sym::Expr begin = m.ranges.front().begin;
        if (!m.state()->sdfg()->isRoot() && !begin.asInt()) {
            context.missed(m, what, {diag::Why::Symbol, "`" + begin.str() + "`, its start, may change from call to call"});
            return false;
        }
        for (const Name symbol : begin.freeSymbols())
            if (changing_.count(symbol)) {
                context.missed(m, what,
                               {diag::Why::Symbol,
                                "`" + symbol.str() + "` changes its start: each thread would get different iterations each time"});
                return false;
            }
        if (!context.mayChange(m, "threads take turns at its iterations, whose work increases or decreases"))
            return false;
        m.ompSchedule = OmpSchedule::Static;
        m.ompChunkSize = 1;
        return true;
    }

    std::set<Name> changing_; // symbols that the SDFG assigns
};

} // namespace

std::unique_ptr<pass::Pass> createBalanceThreads() { return std::make_unique<BalanceThreads>(); }

} // namespace sdfgc::transforms
