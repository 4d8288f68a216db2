// Removals in control flow.
#include "Reduce/Removals.h"

#include <algorithm>

namespace sdfgc::reduce {
namespace {

using namespace ir;

/// Removes `b` and connects its predecessors to its successors.
void removeBlock(Region &r, Block *b) {
    const std::vector<InterstateEdge *> in = b->inEdges(), out = b->outEdges();
    InterstateEdge *next = nullptr;
    for (InterstateEdge *e : out)
        if (!next && e->dst != b)
            next = e;
    if (next) {
        for (InterstateEdge *e : in) {
            if (e->src == b)
                continue;
            auto assignments = e->assignments;
            assignments.insert(assignments.end(), next->assignments.begin(), next->assignments.end());
            r.connect(e->src, next->dst, e->condition, std::move(assignments));
        }
    }
    if (r.storedStart() == b)
        r.setStart(next ? next->dst : nullptr);
    r.removeBlock(b);
}

/// Replaces block `b` of region `r`, which owns it, with the content of a region.
void replaceByContent(Region &r, Block *b, Region &content) {
    Block *first = content.start();
    Region::Content moved = content.release();
    std::vector<Block *> last; // where the content ends
    for (const auto &block : moved.blocks)
        if (std::none_of(moved.edges.begin(), moved.edges.end(), [&](const auto &e) { return e->src == block.get(); }))
            last.push_back(block.get());
    for (auto &block : moved.blocks) {
        // Labels of a region are unique: a block of the content whose label is taken gets the label of `b` as a prefix.
        const bool taken =
            std::any_of(r.blocks().begin(), r.blocks().end(), [&](const auto &o) { return o->label == block->label; });
        if (taken)
            block->label = b->label + "_" + block->label;
    }
    r.adopt(std::move(moved));
    if (first) {
        for (const InterstateEdge *e : std::vector(b->inEdges())) // an edge may also lead from `b` to itself
            r.connect(e->src, first, e->condition, e->assignments);
        for (const InterstateEdge *e : std::vector(b->outEdges()))
            for (Block *end : last)
                r.connect(end, e->dst, e->condition, e->assignments);
        if (r.storedStart() == b)
            r.setStart(first);
    }
    r.removeBlock(b);
}

/// All targets in the entire graph that `select` accepts, outer ones first.
template <class Select> auto collect(SDFG &root, Select select) {
    std::vector<Block *> targets;
    for (SDFG *g : allSDFGs(root))
        for (Block *b : allBlocks(*g))
            if (b->parent() && select(*b))
                targets.push_back(b);
    return targets;
}

std::vector<InterstateEdge *> allEdges(SDFG &root) {
    std::vector<InterstateEdge *> edges;
    for (SDFG *g : allSDFGs(root))
        for (InterstateEdge *e : allInterstateEdges(*g))
            edges.push_back(e);
    return edges;
}

} // namespace

std::size_t removeBlocks(SDFG &root, std::size_t from, std::size_t to) {
    const std::vector<Block *> targets =
        collect(root, [](const Block &b) { return b.kind() != BlockKind::SDFG && !b.conditional(); });
    for (std::size_t i = to; i-- > from;) // inner ones first, since outer ones contain them
        removeBlock(*targets[i]->parent(), targets[i]);
    return targets.size();
}

std::size_t unwrapRegions(SDFG &root, std::size_t from, std::size_t to) {
    const std::vector<Block *> targets = collect(root, [](const Block &b) {
        const bool isRegion = isa<Region>(&b) && b.kind() != BlockKind::SDFG && !b.conditional();
        return isRegion || isa<ConditionalBlock>(&b);
    });
    for (std::size_t i = to; i-- > from;) {
        Region &parent = *targets[i]->parent();
        if (auto *conditional = dyn_cast<ConditionalBlock>(targets[i])) {
            if (conditional->branches().empty())
                removeBlock(parent, conditional);
            else
                replaceByContent(parent, conditional, *conditional->branches()[0].region);
        } else {
            replaceByContent(parent, targets[i], *static_cast<Region *>(targets[i]));
        }
    }
    return targets.size();
}

std::size_t removeBranches(SDFG &root, std::size_t from, std::size_t to) {
    std::size_t count = 0;
    for (Block *b : collect(root, [](const Block &x) { return isa<ConditionalBlock>(&x); })) {
        std::vector<ConditionalBlock::Branch> &branches = static_cast<ConditionalBlock *>(b)->branches();
        if (branches.size() < 2) // unwrapRegions handles a single branch
            continue;
        std::erase_if(branches, [&](const ConditionalBlock::Branch &) { return isSelected(count++, from, to); });
    }
    return count;
}

std::size_t removeAssignments(SDFG &root, std::size_t from, std::size_t to) {
    std::size_t count = 0;
    for (InterstateEdge *e : allEdges(root))
        std::erase_if(e->assignments, [&](const auto &) { return isSelected(count++, from, to); });
    return count;
}

std::size_t removeConditions(SDFG &root, std::size_t from, std::size_t to) {
    std::size_t count = 0;
    for (InterstateEdge *e : allEdges(root))
        if (!e->isUnconditional() && isSelected(count++, from, to))
            e->condition = {"1", Language::Python};
    return count;
}

} // namespace sdfgc::reduce
