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
// Left alone: loops outside of sequential loops, long ones (option `statements`), those that reduce whole arrays, and conditions other than
// comparisons of integer polynomials.
#include "StatementCount.h"
#include "Versions.h"

#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace tree;

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
                if (inLoop)
                    version(n);
                continue;
            }
            const bool inside = inLoop || n->kind == Kind::Loop || (loop && !loop->spread);
            if (n->kind != Kind::ParallelRegion && n->kind != Kind::Sections && n->kind != Kind::Consume)
                forEachBlock(*n, [&](Block &inner) { block(inner, inside); });
        }
    }

    void version(NodePtr &n) {
        auto &loop = static_cast<For &>(*n);
        const Omp &omp = *loop.omp;
        const std::optional<py::ExprRef> condition = conditionOf(omp.onlyIf);
        const bool sections =
            std::any_of(omp.reductions.begin(), omp.reductions.end(), [](const auto &r) { return !(r.count == sym::Expr(0)); });
        if (!condition || omp.inParallelRegion || sections || statements(loop.body) > limit_)
            return;
        NodePtr sequential = twin(loop, f_);
        if (omp.simd)
            static_cast<For &>(*sequential).accumulators = omp.reductions;
        static_cast<For &>(*sequential).omp.reset();
        loop.omp->onlyIf = sym::Expr::boolean(true);
        n = choice(*condition, std::move(n), std::move(sequential));
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
