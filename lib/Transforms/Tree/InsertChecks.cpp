// insert-checks: add run-time checks of memory accesses (`--checks`).
//
//     for (i = 0:M)                                     #pragma omp parallel for
//         B[i] = A[idx[i]] / d              becomes     for (i = 0:M) failure.run([&] {
//                                                           B[i + element("B", where, i, N)] =
//                                                               A[idx[i] + element("A", where, idx[i], K)] / divisor(where, d);
//                                                       });
//                                                       failure.rethrow();
//
// The lowering records what each memory reference is in the graph: its container, index and shape (tree::Element).
// Passes do not read this record; they carry it along and rename it as they do offsets. This pass runs last, so it
// checks the accesses that remain: removed accesses are not checked, and moved accesses are checked at their new
// position, with the names that the graph had when it was lowered.
//
// A check is a call in an expression. It returns 0, or its argument, and throws on failure. An access is checked
// exactly when it is executed, wherever it is: in branches of a conditional expression, or in the condition of a loop.
//
//   1. Elements: the index of each dimension is within the shape; an unknown size (`?`) is no limit. If the container is part of
//      larger memory (an argument of a nested SDFG, a view), the element is within that memory. Pointers are not null.
//   2. Regions (copies, connectors of C++ code and of libraries): the first and last index are within the shape.
//   3. Sizes of transients: none is negative, and their product fits into 64 bits.
//   4. Divisors of integers, in / // and %: not 0.
//   5. Reads of uninitialised memory: transients of type float64, float32 and int64 are filled with a pattern where
//      they are declared, and reads must not see it. Copies may propagate the pattern.
//
// A check is omitted if loop ranges prove it: the index is affine in the variables of the surrounding loops, and is
// within the shape for their first and last values. The proof uses only values that no statement of the function
// changes.
//
// Exceptions must not leave threads. A parallel loop is wrapped in a block with a deferred error: the body runs inside
// it, and the block rethrows the first failure after the loop. In a region, statements that threads do not share run
// under the deferred error one by one, and so do bodies of shared loops. All threads therefore reach the same loops and
// barriers even after a failure. Loops with checks are not vectorised.
//
// AccessChecks.cpp inserts the checks of expressions; this file handles statements, loops and thread teams.
//
// Not handled:
//   - conditions and initial values of thread-private variables that decide how the threads of a region reach shared
//     loops;
//   - functions with shared loops whose region is in the caller;
//   - sizes and bounds of loops themselves, and elements that are read only by such expressions;
//   - streams, and the insides of C++ code and of libraries;
//   - memory that passes reuse for a second container;
//   - kernels: the driver rejects `--checks` for GPUs.
#include "AccessChecks.h"

#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/CertainUse.h"
#include "sdfgc/Tree/Fields.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace tree;

/// Does the block contain loops distributed over threads of a region outside of it?
bool sharesOutside(const Block &b) {
    return std::any_of(b.body.begin(), b.body.end(), [](const NodePtr &n) {
        const auto *loop = dyn_cast<For>(n.get());
        if (n->kind == TreeKind::ParallelRegion)
            return false;
        bool found = loop && loop->omp && loop->omp->inParallelRegion;
        forEachBlock(std::as_const(*n), [&found](const Block &inner) { found = found || sharesOutside(inner); });
        return found;
    });
}

class FunctionChecks {
public:
    /// `throws`, `shares`: functions that may throw, and those with shared loops whose region is in the caller. For the others see
    /// AccessChecks.
    FunctionChecks(Function &f, Name program, const analysis::Origins *origins, const std::set<FunctionId> &throws,
                   const std::set<FunctionId> &shares, std::set<Name> required)
        : f_(f), throws_(throws), shares_(shares), checks_(f, program, origins, std::move(required)) {
        for (const Variable &v : f.vars)
            if (v.name == failure_)
                failure_ = Name(failure_.str() + "_");
    }

    /// Returns whether the function may now throw because of checks.
    bool run() {
        block(f_.body);
        return checks_.inserted() != 0;
    }

private:
    // ---- statements
    void block(Block &b) {
        std::vector<NodePtr> out;
        for (NodePtr &n : b.body) {
            AccessChecks::CheckLocation outer = checks_.enter(*n);
            add(std::move(n), out);
            checks_.leave(std::move(outer));
        }
        b.body = std::move(out);
    }

    /// Adds the statement with its checks, and additional statements.
    void add(NodePtr n, std::vector<NodePtr> &out) {
        if (n->kind == TreeKind::ParallelRegion || n->kind == TreeKind::Sections)
            return team(std::move(n), out);
        if (auto *loop = dyn_cast<For>(n.get()); loop && loop->omp && !loop->omp->inParallelRegion)
            return team(std::move(n), out);
        checks_.statement(*n);
        if (n->kind == TreeKind::Code && static_cast<Code &>(*n).stmts.empty() && n->comment.empty())
            return;
        inside(*n);
        const NodePtr &added = out.emplace_back(std::move(n));
        if (const auto *d = dyn_cast<Declare>(added.get()))
            checks_.fillNew(d->var, out);
        else if (const auto *a = dyn_cast<Allocate>(added.get()); a && a->reserve)
            checks_.fillNew(a->var, out);
    }

    /// Handles the inner statements.
    void inside(Node &n) {
        if (const auto *c = dyn_cast<Call>(&n); c && throws_.count(c->function))
            checks_.countCall();
        if (auto *t = dyn_cast<RawTasklet>(&n))
            for (NodePtr &after : t->after)
                checks_.statement(*after);
        auto *loop = dyn_cast<For>(&n);
        if (loop)
            checks_.loops().enter(f_.vars[loop->var].name, *loop);
        const int before = checks_.inserted();
        forEachBlock(n, [this](Block &b) { block(b); });
        if (!loop)
            return;
        checks_.loops().leave();
        if (checks_.inserted() != before) { // statements that may throw cannot be vectorised
            loop->simd = false;
            loop->accumulators.clear();
        }
    }

    // ---- teams of threads
    std::unique_ptr<Block> caught(std::vector<NodePtr> statements) const {
        auto b = std::make_unique<Block>();
        b->catches = failure_;
        b->body = std::move(statements);
        return b;
    }
    void catchAll(Block &b) const {
        std::vector<NodePtr> statements = std::move(b.body);
        b.body.clear();
        b.body.push_back(caught(std::move(statements)));
    }

    /// A statement that starts threads.
    void team(NodePtr n, std::vector<NodePtr> &out) {
        const int before = checks_.inserted();
        if (auto *loop = dyn_cast<For>(n.get()))
            shared(*loop);
        else if (auto *region = dyn_cast<ParallelRegion>(n.get()))
            threads(region->body);
        else
            forEachBlock(*n, [this](Block &section) {
                const int outside = checks_.inserted();
                block(section);
                if (checks_.inserted() != outside)
                    catchAll(section);
            });
        if (checks_.inserted() == before) {
            out.push_back(std::move(n));
            return;
        }
        auto guarded = std::make_unique<Block>();
        guarded->braces = true;
        guarded->raises = failure_;
        guarded->body.push_back(std::move(n));
        out.push_back(std::move(guarded));
    }

    /// A loop whose iterations are distributed over threads: collapsed loops count as one.
    void shared(For &loop) {
        const int before = checks_.inserted();
        For *innermost = &loop;
        std::vector<For *> nest{&loop};
        for (int k = 1; k < loop.omp->collapse; ++k)
            if (auto *next = innermost->body.body.size() == 1 ? dyn_cast<For>(innermost->body.body[0].get()) : nullptr)
                nest.push_back(innermost = next);
        for (const For *f : nest)
            checks_.loops().enter(f_.vars[f->var].name, *f);
        block(innermost->body);
        for (std::size_t k = 0; k < nest.size(); ++k)
            checks_.loops().leave();
        if (checks_.inserted() == before)
            return;
        catchAll(innermost->body);
        loop.omp->simd = false;
    }

    /// Must all threads of the region get here, because they share a loop or synchronise in it?
    bool isMeeting(const Node &n) const {
        const auto *loop = dyn_cast<For>(&n);
        const auto *call = dyn_cast<Call>(&n);
        bool found = (loop && loop->omp && loop->omp->inParallelRegion) || n.kind == TreeKind::Barrier ||
                     (call && shares_.count(call->function));
        forEachBlock(n, [&](const Block &b) {
            found = found || std::any_of(b.body.begin(), b.body.end(), [this](const NodePtr &s) { return isMeeting(*s); });
        });
        return found;
    }
    static bool jumps(const Node &n) {
        bool found = n.kind == TreeKind::Break || n.kind == TreeKind::Continue || n.kind == TreeKind::Goto ||
                     n.kind == TreeKind::Label || n.kind == TreeKind::Return;
        forEachBlock(n, [&found](const Block &b) {
            found = found || std::any_of(b.body.begin(), b.body.end(), [](const NodePtr &s) { return jumps(*s); });
        });
        return found;
    }

    /// Handles the code that each thread of a region runs.
    void threads(Block &b) {
        for (NodePtr &n : b.body) {
            AccessChecks::CheckLocation outer = checks_.enter(*n);
            thread(n);
            checks_.leave(std::move(outer));
        }
    }
    void thread(NodePtr &n) {
        if (auto *loop = dyn_cast<For>(n.get()); loop && loop->omp && loop->omp->inParallelRegion)
            return shared(*loop);
        const bool isOpen = n->kind == TreeKind::Block && !static_cast<Block &>(*n).braces; // its variables are visible after it
        if (n->kind == TreeKind::Declare || isMeeting(*n) || jumps(*n) || isOpen) {
            auto *loop = dyn_cast<For>(n.get());
            if (loop)
                checks_.loops().enter(f_.vars[loop->var].name, *loop);
            forEachBlock(*n, [this](Block &inner) { threads(inner); });
            if (loop)
                checks_.loops().leave();
            return;
        }
        const int before = checks_.inserted();
        std::vector<NodePtr> statements;
        add(std::move(n), statements);
        if (checks_.inserted() != before)
            n = caught(std::move(statements));
        else if (!statements.empty())
            n = std::move(statements.front());
        else
            n = std::make_unique<Block>();
    }

    Function &f_;
    const std::set<FunctionId> &throws_, &shares_;
    AccessChecks checks_;
    Name failure_ = "failure";
};

/// The arguments of the program that a call checks before it does anything (CodeGen/ArgumentChecks.cpp).
std::set<Name> required(const Module &m, const Function &program) {
    std::set<Name> out = certainlyUsed(m, program);
    for (const Param &p : m.params)
        if (p.desc && p.desc->optional.value_or(false))
            out.erase(p.cName);
    return out;
}

class InsertChecks : public pass::Pass {
    bool run(pass::Program &program, pass::Context &context) override {
        Module &m = *program.tree;
        const Function &top = *m.functions.back();
        std::set<FunctionId> throws, shares;
        for (FunctionId id : m.functions.ids()) { // callees come first
            Function &f = *m.functions[id];
            if (f.kernel || f.device || f.graph)
                continue;
            if (sharesOutside(f.body))
                shares.insert(id);
            else if (FunctionChecks(f, program.graph ? program.graph->name : f.name, context.origins(), throws, shares,
                                    &f == &top ? required(m, f) : std::set<Name>())
                         .run())
                throws.insert(id);
        }
        return !throws.empty();
    }
};

} // namespace

std::unique_ptr<pass::Pass> createInsertChecks() { return std::make_unique<InsertChecks>(); }

} // namespace sdfgc::transforms
