// guard-parallel-maps: run a map on one thread if it would finish before a team of threads wakes up.
//
//   before:  map[i = 0:N, j = 0:M] CPU_Multicore     after:  the same, if N * M >= 10000 (`omp parallel for if(N * M >= 10000)`)
//            map[i = 0:8] CPU_Multicore                      map[i = 0:8] Sequential
//            map[i = 0:1024, j = 0:1024] CPU_Multicore       the same
//
// Waking a team and waiting for it takes a few microseconds, as long as tens of thousands of additions. Programs with
// small maps in a time loop are several times slower on many threads than on one. So the pass estimates the work of
// each parallel map (analysis::workOf) and compares it with a threshold, the option `work`, in operations:
//
//   1. A map with a constant amount of work below the threshold becomes Sequential.
//   2. A map whose work depends on symbols gets a condition, MapEntry::ompIf. The constant factor of the work is
//      divided out of both sides. The bound is rounded down to one digit, since it is an estimate and should look like
//      one.
//   3. A map with more work, or with unknown work, stays as it is.
//   4. In a loop that calls a library with its own threads (BLAS, LAPACK, FFTW), the threshold is higher (option
//      `beside-libraries`). Both teams spin for a while when idle, and take the cores from each other at each switch.
//
// Not handled: maps whose number of threads, or whose condition, is already specified; maps shared by a team that is already awake
// (CPU_Persistent); programs with CPU_ThreadLocal memory, where a thread continues with what the previous map left
// there, so every map must give the same iterations to the same threads.
//
// Runs after nest-parallelism, which decides which maps have teams, and before resolve-wcr, since updates in sequential
// maps need not be atomic.
#include "Transforms/Edits/MapNests.h"

#include "sdfgc/Analysis/Costs/Work.h"
#include "sdfgc/Analysis/LibraryCalls.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;

/// 13107 -> 10000
int64_t toOneDigit(int64_t v) {
    int64_t unit = 1;
    while (v / unit >= 10)
        unit *= 10;
    return v / unit * unit;
}

/// N for N - 2, since the bound has only one digit.
sym::Expr withoutOffset(sym::Expr e) {
    if (e.kind() != sym::SymbolicKind::Add || e.operands().size() != 2)
        return e;
    const sym::Expr a = e.operands()[0], b = e.operands()[1];
    return a.isInteger() ? b : b.isInteger() ? a : e;
}

/// N for N + 15 before a division by 16.
sym::Expr withoutRoundingUp(sym::Expr e, int64_t divisor) {
    if (e.kind() == sym::SymbolicKind::Add)
        for (sym::Expr term : e.operands())
            if (const auto more = term.asInt(); more && *more > 0 && *more < divisor)
                return e - term;
    return e;
}

/// N / 16 for N // 16 and for (N + 15) // 16. Rounding down loses less than one iteration. Rounding up adds a partial
/// tile, and tiles of thousands would make any map seem worth a team. version-loops compares only products.
sym::Expr withoutRounding(sym::Expr e) {
    return sym::rewrite(e, [](sym::Expr each) {
        const auto divisor = each.kind() == sym::SymbolicKind::FloorDiv ? each.operands()[1].asInt() : std::nullopt;
        return divisor ? withoutRoundingUp(each.operands()[0], *divisor) / *divisor : each;
    });
}

/// `work >= threshold`, simplified: true or false if known. A single iteration with that much work is worth a team.
sym::Expr isWorthATeam(sym::Expr exact, int64_t threshold) {
    const sym::Expr work = withoutRounding(exact);
    const auto [numerator, denominator] = sym::asFraction(work);
    if (work.asInt() || !denominator.asInt())
        return sym::compare(sym::SymbolicKind::Ge, work, threshold);
    const int64_t factor = sym::integerContent(numerator), bound = toOneDigit(threshold / factor);
    return bound <= 1 ? sym::Expr::boolean(true)
                      : sym::compare(sym::SymbolicKind::Ge, withoutOffset(numerator / factor), bound * denominator);
}

class GuardParallelMaps : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        if (const Name memory = threadLocalMemory(root)) {
            context.missed(root, "all maps keep their teams",
                           {diag::Why::Container, "each thread has its own part of `" + memory.str() + "`"});
            return false;
        }
        besideLibraries_.find(root);
        bool changed = false;
        for (SDFG *g : allSDFGs(root))
            for (State *s : allStates(*g))
                changed |= guardMaps(*s, context);
        return changed;
    }

private:
    bool guardMaps(State &s, pass::Context &context) {
        bool changed = false;
        const analysis::ScopeTree scopes(s);
        const bool inside = teams_.count(s.sdfg()) > 0;
        const int64_t threshold = option<int64_t>("work") * (besideLibraries_.enclose(s) ? option<int64_t>("beside-libraries") : 1);
        auto inTeam = [&](const Node &n) {
            const std::vector<Node *> around = scopes.enclosing(&n);
            return inside || std::any_of(around.begin(), around.end(), [](const Node *scope) {
                       const auto *m = dyn_cast<MapEntry>(scope);
                       return m && m->schedule == Schedule::CPU_Persistent;
                   });
        };
        for (const auto &n : s.nodes()) {
            if (const auto *nested = dyn_cast<NestedSDFGNode>(n.get()); nested && inTeam(*n))
                teams_.insert(nested->sdfg.get());
            if (auto *m = dyn_cast<MapEntry>(n.get()); m && m->schedule == Schedule::CPU_Multicore && m->ompNumThreads.isZero() &&
                                                       m->ompIf == sym::Expr::boolean(true) && !inTeam(*n))
                changed |= guard(*m, scopes, threshold, context);
        }
        return changed;
    }

    bool guard(MapEntry &m, const analysis::ScopeTree &scopes, int64_t threshold, pass::Context &context) const {
        const std::optional<sym::Expr> work = analysis::workOf(m, scopes);
        if (!work) {
            context.missed(m, "always runs on a team of threads", {diag::Why::UnknownWork, "its work is not known before it runs"});
            return false;
        }
        const sym::Expr worth = isWorthATeam(*work, threshold);
        if (worth == m.ompIf)
            return false;
        if (worth == sym::Expr::boolean(false)) {
            m.schedule = Schedule::Sequential;
            context.done(m, "runs on one thread: it takes about " + work->str() + " operations");
        } else {
            m.ompIf = worth;
            context.done(m, "runs on a team of threads if " + worth.str());
        }
        return true;
    }

    std::unordered_set<const SDFG *> teams_; // code that every thread of a team runs
    analysis::LoopsAroundLibraries besideLibraries_;
};

} // namespace

std::unique_ptr<pass::Pass> createGuardParallelMaps() { return std::make_unique<GuardParallelMaps>(); }

} // namespace sdfgc::transforms
