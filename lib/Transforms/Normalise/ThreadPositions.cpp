#include "Transforms/Normalise/ThreadPositions.h"

#include "sdfgc/Analysis/Scopes.h"

#include <algorithm>
#include <vector>

namespace sdfgc::transforms {

using namespace ir;

bool isTaken(const SDFG &g, Name name) {
    if (g.freshName(name.view()) != name)
        return true;
    for (const State *s : allStates(g))
        for (const auto &n : s->nodes()) {
            const auto *m = dyn_cast<MapEntry>(n.get());
            const auto *t = dyn_cast<Tasklet>(n.get());
            if (n->inConnector(name) || n->outConnector(name) ||
                (m && std::find(m->params.begin(), m->params.end(), name) != m->params.end()) ||
                (t && t->code.text().find(name.view()) != std::string::npos))
                return true;
        }
    return false;
}

namespace {

/// The index of an iteration along one parameter, from 0.
sym::Expr stepOf(const MapEntry &m, std::size_t d) {
    const sym::Range &r = m.ranges[d];
    return sym::floorDiv(sym::Expr::symbol(m.params[d]) - r.begin, r.step);
}

/// The index of an iteration along x, y and z. `shared`: parameters beyond the third share z.
analysis::BlockSizes iterationOf(const MapEntry &m, bool shared) {
    analysis::BlockSizes at{0, 0, 0};
    const std::size_t rank = m.params.size();
    for (std::size_t d = 0; d < rank; ++d) {
        const std::size_t axis = rank - 1 - d;
        if (axis < 2)
            at[axis] = stepOf(m, d);
        else if (shared)
            at[2] = at[2] * m.ranges[d].steps() + stepOf(m, d);
        else if (axis == 2)
            at[2] = stepOf(m, d);
    }
    return at;
}

/// The number of iterations along each axis.
analysis::BlockSizes iterationsOf(const MapEntry &m) {
    analysis::BlockSizes size{1, 1, 1};
    for (std::size_t d = 0; d < m.params.size(); ++d)
        size[std::min<std::size_t>(m.params.size() - 1 - d, 2)] *= m.ranges[d].steps();
    return size;
}

sym::Expr linear(const analysis::BlockSizes &at, const analysis::BlockSizes &size) {
    return at[0] + size[0] * (at[1] + size[1] * at[2]);
}

/// A symbol of the nested SDFG with the value of an outer expression.
sym::Expr handIn(NestedSDFGNode &nested, sym::Expr value, std::string_view name) {
    if (value.freeSymbols().empty())
        return value;
    SDFG &g = *nested.sdfg;
    Name inner(name);
    for (int k = 0; nested.mapped(inner) ? *nested.mapped(inner) != value : isTaken(g, inner); ++k)
        inner = Name(std::string(name) + "_" + std::to_string(k));
    if (!nested.mapped(inner)) {
        auto &mapping = nested.symbolMapping;
        const auto after =
            std::find_if(mapping.begin(), mapping.end(), [&](const auto &m) { return m.first.view() > inner.view(); });
        mapping.insert(after, {inner, value});
        g.symbols.set(inner, ScalarKind::Int64);
    }
    return sym::Expr::symbol(inner);
}

/// An expression of the SDFG `from` in terms of symbols at `to`, which may be in SDFGs nested in it.
sym::Expr carried(sym::Expr value, const SDFG &from, const Node &to, std::string_view name) {
    std::vector<NestedSDFGNode *> between; // innermost first
    for (const SDFG *g = to.state()->sdfg(); g != &from; g = g->parentNode->state()->sdfg())
        between.push_back(g->parentNode);
    for (auto it = between.rbegin(); it != between.rend(); ++it)
        value = handIn(**it, value, name);
    return value;
}

} // namespace

Surroundings::Surroundings(const Node &n) {
    for (const Node *at = &n; at && !kernel;) {
        for (Node *around : ScopeTree(*at->state()).enclosing(at)) {
            auto *m = dyn_cast<MapEntry>(around);
            if (!m || kernel)
                continue;
            if (isThreadBlock(m->schedule) && !threads)
                threads = m;
            if (isKernelSchedule(m->schedule))
                kernel = m;
        }
        if (!kernel)
            at = at->state()->sdfg()->parentNode;
    }
    for (const Node *at = kernel; at && !isInner; at = at->state()->sdfg()->parentNode)
        for (const Node *around : ScopeTree(*at->state()).enclosing(at))
            isInner |= isGpuSchedule(*scheduleOf(around));
}

ThreadPosition threadPosition(const Node &n) {
    ThreadPosition p;
    const Surroundings around(n);
    p.kernel = around.kernel;
    if (!p.kernel)
        return p;
    if (around.isInner || (around.threads && around.threads->schedule == Schedule::GPU_ThreadBlock_Dynamic)) {
        p.obstacle = around.isInner ? "map `" + around.kernel->label + "` over the device is inside of another kernel"
                                    : "threads execute the iterations of map `" + around.threads->label + "` in any order";
        return p;
    }
    const MapEntry &kernel = *p.kernel;
    const SDFG &outer = *kernel.state()->sdfg();
    const analysis::KernelContent content(kernel, ScopeTree(*kernel.state()));
    const analysis::BlockSizes size = p.size = analysis::blockSizes(kernel, content, analysis::kUsualThreads);
    const bool persistent = kernel.schedule == Schedule::GPU_Persistent;
    p.threads = carried(analysis::product(size), outer, n, "gpu_threads");
    p.isOpen = !content.byBlocks() && !kernel.gpuBlockSize && content.asked.empty();
    if (around.threads) {
        analysis::BlockSizes here; // in terms of symbols at the thread-block map
        for (std::size_t axis = 0; axis < 3; ++axis)
            here[axis] = carried(size[axis], outer, *around.threads, "gpu_threads");
        p.thread = carried(linear(iterationOf(*around.threads, false), here), *around.threads->state()->sdfg(), n, "gpu_thread");
    } else {
        p.besideThreads = content.byBlocks() || persistent;
    }
    if (persistent) {
        p.obstacle = "the blocks of the persistent kernel `" + kernel.label + "` have no separate iterations";
        return p;
    }
    const analysis::BlockSizes iteration = iterationOf(kernel, true), iterations = iterationsOf(kernel);
    if (content.byBlocks()) {
        p.block = carried(linear(iteration, iterations), outer, n, "gpu_block");
        return p;
    }
    analysis::BlockSizes thread, block, blocks;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        thread[axis] = sym::mod(iteration[axis], size[axis]);
        block[axis] = sym::floorDiv(iteration[axis], size[axis]);
        blocks[axis] = sym::ceilDiv(iterations[axis], size[axis]);
    }
    p.thread = carried(linear(thread, size), outer, n, "gpu_thread");
    p.block = carried(linear(block, blocks), outer, n, "gpu_block");
    return p;
}

} // namespace sdfgc::transforms
