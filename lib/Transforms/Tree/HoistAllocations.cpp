// Hoists allocations of heap arrays out of loops, to the front of the outermost loop.
//
//     for (t ...) {                                  Buffer<double> tmp(N);
//         Buffer<double> tmp(N);          becomes    for (t ...) {
//         ...                                            ...
//
//
// A buffer is declared before the loop without memory if its size changes with the loop, if it is needed only under a
// condition, or if it must be zero. At its original position `reserve` then provides at least the memory that it needs.
// In a parallel loop, buffers are hoisted to the top of the parallel region, and each thread has its own.
//
// Legal because a fresh transient has undefined contents, so it may keep old ones. Memory lives until the end of the
// loop instead of the end of the iteration.
#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/Effects.h"

#include <set>

namespace sdfgc::transforms {
namespace {

using namespace tree;

/// The loop that buffers are hoisted out of.
struct HoistTarget {
    const Effects &loop;
    std::vector<NodePtr> declarations;
    std::set<Name> names; // of the declarations
};

class Hoister {
public:
    explicit Hoister(Function &f) : f_(f), table_(f) {}
    /// Returns whether a buffer was hoisted.
    bool run() {
        block(f_.body, nullptr, false);
        return changed_;
    }

private:
    void block(Block &b, HoistTarget *target, bool conditional);
    void loop(Block &b, std::size_t at);
    void hoist(NodePtr &declaration, HoistTarget &target, bool conditional);
    NodePtr inParallelRegion(NodePtr loop, std::vector<NodePtr> declarations);
    Name freshName(Name wanted);

    Function &f_;
    EffectTable table_;
    bool changed_ = false;
};

bool isBuffer(const Node &n, const Function &f) {
    if (n.kind != TreeKind::Declare)
        return false;
    const Variable &v = f.vars[static_cast<const Declare &>(n).var];
    return (v.kind == VarKind::Buffer || v.kind == VarKind::DeviceBuffer || v.kind == VarKind::PinnedBuffer) && v.countKnown;
}

void Hoister::block(Block &b, HoistTarget *target, bool conditional) {
    for (std::size_t i = 0; i < b.body.size(); ++i) {
        Node &n = *b.body[i];
        if (target && isBuffer(n, f_)) {
            hoist(b.body[i], *target, conditional);
            continue;
        }
        bool parallelLoop = n.kind == TreeKind::For && static_cast<For &>(n).omp;
        bool isLoop = n.kind == TreeKind::For || n.kind == TreeKind::Loop;
        if (isLoop && (!target || parallelLoop)) {
            loop(b, i);
            continue;
        }
        bool ownThreads = n.kind == TreeKind::ParallelRegion || n.kind == TreeKind::Sections || n.kind == TreeKind::Consume;
        forEachBlock(n, [&](Block &inner) { block(inner, ownThreads ? nullptr : target, conditional || n.kind == TreeKind::If); });
    }
    std::erase_if(b.body, [](const NodePtr &n) { return !n; });
}

/// Hoists out of the loop at a position of a block.
void Hoister::loop(Block &b, std::size_t at) {
    Node &n = *b.body[at];
    HoistTarget target{table_.of(n), {}, {}};
    forEachBlock(n, [&](Block &inner) { block(inner, &target, false); });
    if (target.declarations.empty())
        return;
    auto *parallel = n.kind == TreeKind::For ? static_cast<For *>(&n) : nullptr;
    if (parallel && parallel->omp && !parallel->omp->inParallelRegion) {
        b.body[at] = inParallelRegion(std::move(b.body[at]), std::move(target.declarations));
        return;
    }
    // Their memory is released after the loop.
    auto scope = std::make_unique<Block>();
    scope->braces = at + 1 < b.body.size();
    insert(*scope, 0, std::move(target.declarations));
    scope->body.push_back(std::move(b.body[at]));
    b.body[at] = std::move(scope);
}

NodePtr Hoister::inParallelRegion(NodePtr loop, std::vector<NodePtr> declarations) {
    auto region = std::make_unique<ParallelRegion>();
    Omp &omp = *static_cast<For &>(*loop).omp;
    region->numThreads = omp.numThreads;
    region->onlyIf = omp.onlyIf;
    std::swap(region->comment, loop->comment);
    omp.inParallelRegion = true;
    insert(region->body, 0, std::move(declarations));
    region->body.body.push_back(std::move(loop));
    return region;
}

void Hoister::hoist(NodePtr &declaration, HoistTarget &target, bool conditional) {
    changed_ = true;
    Variable &v = f_.vars[static_cast<Declare &>(*declaration).var];
    bool fixed = true;
    for (sym::Expr e : {v.count, v.startOffset})
        for (Name n : e.freeSymbols())
            fixed = fixed && !target.loop.changes(n) && !target.loop.declared.count(n);
    NodePtr inPlace;
    if (!fixed || conditional || v.zeroed) {
        auto reserve = std::make_unique<Allocate>(static_cast<Declare &>(*declaration).var, v.count);
        reserve->reserve = true;
        reserve->zero = v.zeroed;
        inPlace = std::move(reserve);
        v.countKnown = false;
    }
    if (!target.names.insert(v.name).second) {
        v.name = freshName(v.name);
        target.names.insert(v.name);
    }
    target.declarations.push_back(std::move(declaration));
    declaration = std::move(inPlace);
}

Name Hoister::freshName(Name wanted) {
    std::set<Name> taken;
    for (const Variable &v : f_.vars)
        taken.insert(v.name);
    const Effects &all = table_.of(f_.body);
    for (int k = 0;; ++k) {
        Name n(wanted.str() + "_" + std::to_string(k));
        if (!taken.count(n) && !all.has(n))
            return n;
    }
}

class HoistAllocations : public pass::FunctionPass {
    bool run(Function &f, const Module &, pass::Context &) override { return Hoister(f).run(); }
};

} // namespace

std::unique_ptr<pass::Pass> createHoistAllocations() { return std::make_unique<HoistAllocations>(); }

} // namespace sdfgc::transforms
