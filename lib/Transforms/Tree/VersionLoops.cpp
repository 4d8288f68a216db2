// Loops that a team shares only where that pays, inside of sequential loops, are written twice.
//
//     for (t ...)                                              for (t ...)
//         #pragma omp parallel for if(N * N >= 3000)               if (N * N >= 3000) {
//         for (i ...)                                becomes           #pragma omp parallel for
//             ...                                                      for (i ...) ...
//                                                                  } else {
//                                                                      for (i ...) ...
//                                                                  }
//
// A parallel region whose condition does not hold runs on one thread, but it is entered all the same: its body is a function of its own,
// called through the runtime, which takes about a third of a microsecond. In front of a loop over time that is nothing; in a loop
// over rows, around a few elements, it is most of the time.
//
// Atomic updates are worth a second version anywhere, and for teams of one thread, too: a plain update takes a tenth of the time of an atomic
// one, and lets compilers make vectors.
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
// Left alone: other loops outside of sequential loops, long ones (option `statements`), those that reduce whole arrays, and conditions other
// than comparisons of integer polynomials.
#include "StatementCount.h"
#include "Versions.h"

#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/Walk.h"

#include <algorithm>
#include <functional>

namespace sdfgc::transforms {
namespace {

using namespace tree;

/// Calls f with all updates in a statement.
void forEachUpdate(Node &n, const std::function<void(Update &)> &f) {
    if (n.kind == Kind::Update)
        f(static_cast<Update &>(n));
    if (n.kind == Kind::RawTasklet)
        for (NodePtr &after : static_cast<RawTasklet &>(n).after)
            forEachUpdate(*after, f);
    forEachBlock(n, [&f](Block &b) {
        for (NodePtr &inner : b.body)
            forEachUpdate(*inner, f);
    });
}

bool hasAtomicUpdates(Node &n) {
    bool found = false;
    forEachUpdate(n, [&found](const Update &u) { found = found || u.atomic; });
    return found;
}

/// Calls f with all loops in a statement that a team shares.
void forEachShared(Node &n, const std::function<void(For &)> &f) {
    if (n.kind == Kind::For && static_cast<For &>(n).omp)
        f(static_cast<For &>(n));
    forEachBlock(n, [&f](Block &b) {
        for (NodePtr &inner : b.body)
            forEachShared(*inner, f);
    });
}

/// Can one thread run it without OpenMP? Not where whole arrays are reduced.
bool isForOneThread(Node &n) {
    bool can = true;
    forEachShared(n, [&can](const For &loop) {
        for (const Omp::Reduction &r : loop.omp->reductions)
            can = can && r.count.isZero();
    });
    forEachBlock(n, [&can](const Block &b) { can = can && !contains(b, Kind::Barrier); });
    return can;
}

/// Leaves nothing of a team.
void makeSequential(Node &n) {
    forEachShared(n, [](For &loop) {
        if (loop.omp->simd)
            loop.accumulators = loop.omp->reductions;
        loop.omp.reset();
    });
    forEachUpdate(n, [](Update &u) { u.atomic = false; });
}

/// Does a team pay? For atomic updates, one thread is none.
std::optional<py::ExprRef> worthATeam(sym::Expr onlyIf, bool atomic) {
    std::optional<py::ExprRef> condition = conditionOf(onlyIf);
    if (!atomic || (!condition && onlyIf != sym::Expr::boolean(true)))
        return condition;
    const Type integer(ScalarKind::Int64);
    py::ExprRef team = py::compare(py::Op::Gt, py::call(number::teamSize, {}, integer), py::intLit(1));
    return condition ? py::boolOp(py::Op::And, {std::move(team), *condition}) : team;
}

/// `else { if ... }` becomes `else if ...`.
void joinElse(If &i) {
    Block &last = *i.branches.back().body;
    if (i.branches.back().condition || last.body.size() != 1 || last.body[0]->kind != Kind::If || !last.body[0]->comment.empty())
        return;
    const NodePtr inner = std::move(last.body[0]);
    i.branches.pop_back();
    for (If::Branch &b : static_cast<If &>(*inner).branches)
        i.branches.push_back(std::move(b));
}

class Versioning {
public:
    Versioning(Function &f, std::size_t limit) : f_(f), limit_(limit) {}

    /// Returns whether a loop was written twice.
    bool run() {
        block(f_.body, false);
        return changed_;
    }

private:
    void block(Block &b, bool inLoop) {
        for (NodePtr &n : b.body) {
            auto *loop = n->kind == Kind::For ? static_cast<For *>(n.get()) : nullptr;
            if (loop && loop->omp) {
                version(n, inLoop);
                continue;
            }
            const bool inside = inLoop || n->kind == Kind::Loop || (loop && !loop->spread);
            if (n->kind == Kind::ParallelRegion)
                versionRegion(n);
            else if (n->kind != Kind::Sections && n->kind != Kind::Consume)
                forEachBlock(*n, [&](Block &inner) { block(inner, inside); });
            if (n->kind == Kind::If)
                joinElse(static_cast<If &>(*n));
        }
    }

    void version(NodePtr &n, bool inLoop) {
        auto &loop = static_cast<For &>(*n);
        const bool atomic = hasAtomicUpdates(loop);
        if ((!inLoop && !atomic) || loop.omp->inParallelRegion || !isForOneThread(loop) || statements(loop.body) > limit_)
            return;
        const std::optional<py::ExprRef> condition = worthATeam(loop.omp->onlyIf, atomic);
        if (!condition)
            return;
        NodePtr sequential = twin(loop, f_);
        loop.omp->onlyIf = sym::Expr::boolean(true);
        choose(*condition, n, std::move(sequential));
    }

    /// A region has memory for each thread around its loop.
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
        sequential->braces = false; // a branch has its own
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
