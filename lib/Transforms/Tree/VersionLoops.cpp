// Duplicates a parallel loop with an `if` clause inside a sequential loop: one version for a team, one without.
//
//     for (t ...)                                              for (t ...)
//         #pragma omp parallel for if(N * N >= 3000)               if (N * N >= 3000) {
//         for (i ...)                                becomes           #pragma omp parallel for
//             ...                                                      for (i ...) ...
//                                                                  } else {
//                                                                      for (i ...) ...
//                                                                  }
//
// A parallel region whose condition is false runs on one thread but is still entered: its body is a separate function,
// called through the runtime, which takes about a third of a microsecond. Before a loop over time that is negligible;
// in a loop over rows with a few elements each, it dominates.
//
// Atomic updates justify a second version anywhere, also for teams of one thread: a plain update takes a tenth of the
// time of an atomic one and can be vectorised.
//
//     #pragma omp parallel for if(N >= 3000)                   if (omp_get_max_threads() > 1 && N >= 3000) {
//     for (i ...)                                                  #pragma omp parallel for
//         #pragma omp atomic                     becomes           for (i ...)
//         A[p[i]] += x[i];                                             #pragma omp atomic
//                                                                      A[p[i]] += x[i];
//                                                              } else {
//                                                                  for (i ...)
//                                                                      A[p[i]] += x[i];
//                                                              }
//
// If a surrounding condition already states that the team has several threads (privatise-histograms), atomic updates
// need no second version.
//
// Not handled: other loops outside sequential loops, long loops (option `statements`), loops that reduce entire arrays,
// and conditions other than comparisons of integer polynomials.
#include "StatementCount.h"
#include "Versions.h"

#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/Walk.h"

#include <algorithm>
#include <functional>

namespace sdfgc::transforms {
namespace {

using namespace tree;

bool hasAtomicUpdates(Node &n) {
    bool found = false;
    forEachUpdate(n, [&found](const Update &u) { found = found || u.atomic; });
    return found;
}

/// Can one thread run it without OpenMP? Not if entire arrays are reduced.
bool isForOneThread(Node &n) {
    bool can = true;
    forEachShared(n, [&can](const For &loop) {
        for (const Omp::Reduction &r : loop.omp->reductions)
            can = can && r.count.isZero();
    });
    forEachBlock(n, [&can](const Block &b) { can = can && !contains(b, TreeKind::Barrier); });
    return can;
}

/// Does a condition, like those of worthATeam, hold only if a team has several threads?
bool asksForATeam(const py::Expr &condition) {
    if (condition.kind == py::ExprKind::BoolOp && condition.op == py::Op::And)
        return std::any_of(condition.args.begin(), condition.args.end(), [](const py::ExprRef &e) { return asksForATeam(*e); });
    return condition.kind == py::ExprKind::Compare && condition.ops == std::vector{py::Op::Gt} &&
           condition.args[0]->kind == py::ExprKind::Call && condition.args[0]->args[0]->name == number::teamSize;
}

/// `else { if ... }` becomes `else if ...`.
void joinElse(If &i) {
    Block &last = *i.branches.back().body;
    if (i.branches.back().condition || last.body.size() != 1 || last.body[0]->kind != TreeKind::If ||
        !last.body[0]->comment.empty())
        return;
    const NodePtr inner = std::move(last.body[0]);
    i.branches.pop_back();
    for (If::Branch &b : static_cast<If &>(*inner).branches)
        i.branches.push_back(std::move(b));
}

class Versioning {
public:
    Versioning(Function &f, std::size_t limit) : f_(f), limit_(limit) {}

    /// Returns whether a loop was duplicated.
    bool run() {
        block(f_.body, false, false);
        return changed_;
    }

private:
    /// `hasTeam`: several threads run this code.
    void block(Block &b, bool inLoop, bool hasTeam) {
        for (NodePtr &n : b.body) {
            auto *loop = n->kind == TreeKind::For ? static_cast<For *>(n.get()) : nullptr;
            if (loop && loop->omp) {
                version(n, inLoop, hasTeam);
                continue;
            }
            const bool inside = inLoop || n->kind == TreeKind::Loop || (loop && !loop->spread);
            if (n->kind == TreeKind::ParallelRegion)
                versionRegion(n);
            else if (n->kind == TreeKind::If)
                branches(static_cast<If &>(*n), inside, hasTeam);
            else if (n->kind != TreeKind::Sections && n->kind != TreeKind::Consume)
                forEachBlock(*n, [&](Block &inner) { block(inner, inside, hasTeam); });
        }
    }

    void branches(If &i, bool inLoop, bool hasTeam) {
        for (If::Branch &b : i.branches)
            block(*b.body, inLoop, hasTeam || (b.condition && asksForATeam(*b.condition)));
        joinElse(i);
    }

    void version(NodePtr &n, bool inLoop, bool hasTeam) {
        auto &loop = static_cast<For &>(*n);
        const bool atomic = !hasTeam && hasAtomicUpdates(loop);
        if ((!inLoop && !atomic) || loop.omp->inParallelRegion || !isForOneThread(loop) || statements(loop.body) > limit_)
            return;
        const std::optional<py::ExprRef> condition = worthATeam(loop.omp->onlyIf, atomic);
        if (!condition)
            return;
        NodePtr sequential = twin(loop, f_);
        loop.omp->onlyIf = sym::Expr::boolean(true);
        choose(*condition, n, std::move(sequential));
    }

    /// Versions a region, which has thread-private memory around its loop.
    void versionRegion(NodePtr &n) {
        auto &region = static_cast<ParallelRegion &>(*n);
        if (region.threadVar || region.teamSizeVar || !hasAtomicUpdates(region) || !isForOneThread(region) ||
            statements(region.body) > limit_)
            return;
        const std::optional<py::ExprRef> condition = worthATeam(region.onlyIf, true);
        if (!condition)
            return;
        NodePtr copy = twin(region, f_);
        auto sequential = std::make_unique<Block>(std::move(static_cast<ParallelRegion &>(*copy).body));
        std::swap(sequential->comment, copy->comment);
        sequential->origin = copy->origin;
        sequential->braces = false; // a branch has braces
        region.onlyIf = sym::Expr::boolean(true);
        choose(*condition, n, std::move(sequential));
    }

    void choose(const py::ExprRef &condition, NodePtr &team, NodePtr sequential) {
        makeSequential(*sequential);
        team = choice(condition, std::move(team), std::move(sequential));
        changed_ = true;
    }

    Function &f_;
    const std::size_t limit_;
    bool changed_ = false;
};

class VersionLoops : public pass::FunctionPass {
    bool run(Function &f, const Module &, pass::Context &) override {
        return Versioning(f, static_cast<std::size_t>(std::max<int64_t>(option<int64_t>("statements"), 0))).run();
    }
};

} // namespace

std::unique_ptr<pass::Pass> createVersionLoops() { return std::make_unique<VersionLoops>(); }

} // namespace sdfgc::transforms
