// SD2156, SD2157: threads are only used where they are allowed.
//
// On the host, a loop either starts a team (`parallel`) or distributes its iterations over the team of the surrounding region
// (`within`). A nested team is only started with an explicit size. In a kernel, loops are distributed over blocks and threads
// instead, and a barrier must be reached by all threads that it synchronises: it must not be in a loop or branch that some of them
// skip.
#include "Rules.h"

namespace sdfgc::tree::rules {
namespace {

class Parallel {
public:
    explicit Parallel(Report &r) : r_(r), device_(r.f.kernel || r.f.device) {}

    void run() { body(r_.f.body); }

private:
    struct Around {
        bool team = false;    // several threads run the statements
        bool sharing = false; // they share the iterations of a surrounding loop
        int apart = 0;        // 0: all threads of the grid get here; 1: those of a block; 2: some
    } around_;

    void fault(const Node &n, const char *what) { r_.fault(diag::Id::TreeParallel, n, what); }

    void body(const Block &b) {
        for (const NodePtr &n : b.body)
            node(*n);
    }
    void node(const Node &n) {
        const Around outer = around_;
        if (const auto *loop = dyn_cast<For>(&n))
            enter(*loop);
        else if (n.kind == TreeKind::ParallelRegion || n.kind == TreeKind::Sections)
            startTeam(n, n.kind == TreeKind::Sections || static_cast<const ParallelRegion &>(n).numThreads.isZero());
        else if (n.kind == TreeKind::Barrier)
            barrier(static_cast<const Barrier &>(n));
        else if (const auto *d = dyn_cast<Declare>(&n); d && differs(n))
            apart_.insert(r_.var(d->var).name);
        if ((n.kind == TreeKind::If || n.kind == TreeKind::Loop) && differs(n))
            around_.apart = 2;
        forEachBlock(n, [this](const Block &b) { body(b); });
        around_ = outer;
    }
    void startTeam(const Node &n, bool sizeIsOpen) {
        if (device_)
            fault(n, "starts a team of threads in a kernel");
        else if (around_.team && sizeIsOpen)
            fault(n, "starts a team of threads inside a team without a number of threads");
        around_.team = true;
        around_.sharing = n.kind == TreeKind::Sections;
    }
    void enter(const For &loop) {
        if (loop.omp && loop.spread)
            fault(loop, "is distributed over threads of the host and of a kernel");
        if (loop.simd && (loop.omp || loop.spread))
            fault(loop, "has its own vectors and is distributed over threads");
        if (loop.spread)
            spread(loop);
        else if (device_ && differs(loop))
            around_.apart = 2;
        if (!loop.omp)
            return;
        if (!loop.omp->inParallelRegion) {
            startTeam(loop, loop.omp->numThreads.isZero());
        } else if (!around_.team) {
            fault(loop, "distributes its iterations over a team, but no surrounding region starts one");
        } else if (around_.sharing) {
            fault(loop, "distributes its iterations over a team that already shares those of a surrounding loop");
        }
        around_.sharing = true;
    }
    void spread(const For &loop) {
        if (!device_)
            fault(loop, "is distributed over blocks and threads, but is not in a kernel");
        const bool byBlocks = loop.spread->level == Spread::Grid;
        if (!byBlocks)
            apart_.insert(r_.var(loop.var).name);
        if (!loop.spread->exact)
            around_.apart = std::max(around_.apart, byBlocks ? 1 : 2);
    }
    void barrier(const Barrier &b) {
        if (!r_.f.kernel && !r_.f.device)
            r_.fault(diag::Id::TreeBarrier, b, "is not in a kernel");
        else if (around_.apart > (b.ofGrid ? 0 : 1))
            r_.fault(diag::Id::TreeBarrier, b,
                     std::string("is not reached by all threads of the ") + (b.ofGrid ? "grid" : "block"));
    }
    /// Does the value that the statement itself computes differ between threads of a block?
    bool differs(const Node &n) {
        bool found = false;
        forEachName(r_.f, n, [&](Name name, NameIn) { found = found || apart_.count(name); });
        return found;
    }

    Report &r_;
    const bool device_;
    std::set<Name> apart_; // values that differ between the threads of a block
};

} // namespace

void parallel(Report &r) { Parallel(r).run(); }

} // namespace sdfgc::tree::rules
