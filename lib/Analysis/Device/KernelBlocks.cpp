#include "sdfgc/Analysis/Device/KernelBlocks.h"

#include "sdfgc/Analysis/Device/BlockSizes.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <algorithm>
#include <bit>

namespace sdfgc::analysis {

using namespace ir;

namespace {

constexpr int64_t warp = 32;     // threads in a row
constexpr int64_t highestZ = 64; // threads of a block along z
constexpr int64_t dynamicBlock = 128;

sym::Expr in(sym::Expr e, const std::map<Name, sym::Expr> &outer) { return outer.empty() ? e : sym::substitute(e, outer); }

/// Sets rows of a warp, or shorter ones if there are fewer iterations along x, and as many rows as fit into a block;
/// longer rows if there are fewer iterations along y; the remaining threads go along z.
void rows(BlockSizes &block, const std::vector<sym::Range> &ranges, int64_t threads) {
    const auto needed = [&](std::size_t axis) { // threads: a power of two
        const std::optional<int64_t> steps = ranges[ranges.size() - 1 - axis].steps().asInt();
        return steps && *steps < threads ? int64_t(std::bit_ceil(uint64_t(std::max<int64_t>(1, *steps)))) : threads;
    };
    const int64_t along = std::min({threads, warp, needed(0)}), high = std::min(std::max<int64_t>(1, threads / along), needed(1));
    block[0] = std::min(std::max<int64_t>(1, threads / high), std::max(along, needed(0)));
    block[1] = high;
    if (ranges.size() > 2)
        block[2] = std::min({std::max<int64_t>(1, threads / (*block[0].asInt() * high)), needed(2), highestZ});
}

} // namespace

BlockSizes askedSizes(const std::vector<sym::Expr> &asked) {
    BlockSizes size{1, 1, 1};
    for (std::size_t d = 0; d < asked.size(); ++d)
        size[std::min<std::size_t>(d, 2)] *= asked[d];
    return size;
}

KernelContent::KernelContent(const MapEntry &kernel, const ScopeTree &scopes) {
    define(kernel);
    inScope(*kernel.state(), scopes, &kernel, {});
}

void KernelContent::inScope(const State &s, const ScopeTree &scopes, const Node *entry, const Values &outer) {
    for (Node *n : scopes.children(entry)) {
        if (auto *m = dyn_cast<MapEntry>(n)) {
            define(*m);
            if (isThreadBlock(m->schedule))
                add(*m, outer);
            else
                inMap(*m, s, scopes, outer);
        } else if (auto *nested = dyn_cast<NestedSDFGNode>(n); nested && nested->sdfg) {
            inNested(*nested, outer);
        }
    }
}

void KernelContent::add(const MapEntry &m, const Values &outer) {
    if (m.schedule == Schedule::GPU_ThreadBlock_Dynamic) {
        dynamic = true;
        return;
    }
    BlockSizes size{1, 1, 1};
    for (std::size_t d = 0; d < std::min<std::size_t>(3, m.ranges.size()); ++d)
        size[d] = boundOfSize(in(m.ranges[m.ranges.size() - 1 - d].steps(), outer));
    blocks.push_back(size);
}

void KernelContent::inMap(const MapEntry &m, const State &s, const ScopeTree &scopes, const Values &outer) {
    if (m.schedule == Schedule::GPU_Device && m.gpuBlockSize) {
        BlockSizes size = askedSizes(*m.gpuBlockSize);
        for (sym::Expr &e : size)
            e = in(e, outer);
        asked.emplace_back(&m, size);
    }
    inScope(s, scopes, &m, outer);
}

void KernelContent::inNested(const NestedSDFGNode &n, const Values &outer) {
    Values inner;
    for (const auto &[symbol, value] : n.symbolMapping)
        inner[symbol] = in(value, outer);
    for (const auto &[symbol, type] : definedSymbols(*n.sdfg))
        defined.insert(symbol);
    for (State *s : allStates(*n.sdfg)) {
        const ScopeTree scopes(*s);
        inScope(*s, scopes, nullptr, inner);
    }
}

BlockSizes blockSizes(const MapEntry &kernel, const KernelContent &content, int64_t threads) {
    BlockSizes block{1, 1, 1};
    if (!content.blocks.empty()) {
        for (const BlockSizes &size : content.blocks)
            for (std::size_t axis = 0; axis < 3; ++axis)
                block[axis] = sym::max({block[axis], size[axis]});
    } else if (kernel.gpuBlockSize) {
        block = askedSizes(*kernel.gpuBlockSize);
    } else if (kernel.schedule == Schedule::GPU_Persistent && !content.asked.empty()) {
        block = content.asked.front().second;
    } else if (content.dynamic) {
        block[0] = dynamicBlock;
    } else if (kernel.params.size() > 1) {
        rows(block, kernel.ranges, threads);
    } else {
        block[0] = threads;
    }
    return block;
}

} // namespace sdfgc::analysis
