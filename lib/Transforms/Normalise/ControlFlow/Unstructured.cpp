// Moves control flow that loops and conditionals cannot express into a separate region, with its jumps as edges.
#include "Transforms/Normalise/ControlFlow/Structure.h"

#include <algorithm>

namespace sdfgc::transforms::flow {
namespace {

using namespace ir;

/// A part of the graph with one entry; all jumps out of it go to `exit`, or (in an SDFG) finish the region.
struct Part {
    int entry, exit;
    std::vector<int> nodes; // in reverse postorder
    std::vector<bool> contains;
};

/// The nodes reachable from `entry` without passing `exit`, if they form such a part with all required nodes.
std::optional<Part> partBetween(const Graph &g, const Order &order, int entry, int exit, const std::vector<int> &required) {
    Part p{entry, exit, {}, std::vector<bool>(g.nodes.size(), false)};
    std::vector<int> open{entry};
    p.contains[entry] = true;
    while (!open.empty()) {
        int n = open.back();
        open.pop_back();
        p.nodes.push_back(n);
        for (const Jump &j : g.nodes[n].jumps) {
            if (j.target == exit)
                continue;
            if (j.target == exitNode) {
                if (g.kind != BlockKind::SDFG)
                    return std::nullopt;
            } else if (!p.contains[j.target]) {
                p.contains[j.target] = true;
                open.push_back(j.target);
            }
        }
    }
    if (p.nodes.size() < 2 || !std::all_of(required.begin(), required.end(), [&](int n) { return p.contains[n]; }))
        return std::nullopt;
    if (p.contains[g.entry] && entry != g.entry)
        return std::nullopt;
    for (int n : p.nodes)
        for (int source : order.predecessors(n))
            if (n != entry && !p.contains[source])
                return std::nullopt;
    std::sort(p.nodes.begin(), p.nodes.end(), [&](int a, int b) { return order.position(a) < order.position(b); });
    return p;
}

Part smallestPart(const Graph &g, const Order &order, const std::vector<int> &required, int from) {
    for (int entry = from; entry != exitNode; entry = order.idom(entry)) {
        for (std::size_t i = static_cast<std::size_t>(order.position(entry)) + 1; i < order.nodes().size(); ++i)
            if (auto p = partBetween(g, order, entry, order.nodes()[i], required))
                return *p;
        if (auto p = partBetween(g, order, entry, exitNode, required))
            return *p;
    }
    // The entire graph: entered at its entry, left by finishing the region.
    Part all{g.entry, exitNode, order.nodes(), std::vector<bool>(g.nodes.size(), false)};
    for (int n : all.nodes)
        all.contains[n] = true;
    return all;
}

/// Writes the jumps of a part as edges of its region.
class PartWriter {
public:
    PartWriter(Graph &g, const Part &p, Region &into, Raising &r) : graph_(g), part_(p), into_(into), raising_(r) {
        blocks_.assign(g.nodes.size(), nullptr);
    }

    void write() {
        for (int n : part_.nodes)
            blocks_[n] = into_.adopt(std::move(graph_.nodes[n].block));
        into_.setStart(blocks_[part_.entry]);
        for (int n : part_.nodes) {
            for (Jump &j : graph_.nodes[n].jumps)
                if (Block *target = targetOf(j)) {
                    Code condition = j.conditional ? std::move(j.condition) : Code{"1", Language::Python};
                    into_.connect(blocks_[n], target, std::move(condition), std::move(j.assignments))->debugInfo = j.debugInfo;
                }
            graph_.nodes[n].jumps.clear();
        }
    }

private:
    /// Null: no edge is needed, because a block without a true edge finishes the region.
    Block *targetOf(const Jump &j) {
        if (j.target != exitNode && part_.contains[j.target])
            return blocks_[j.target];
        if (j.target == part_.exit) {
            if (part_.exit == exitNode && !j.conditional && j.assignments.empty())
                return nullptr;
            if (!end_)
                end_ = into_.adopt(emptyState(raising_.labels, "end"));
            return end_;
        }
        if (!return_) {
            return_ = into_.adopt(std::make_unique<ReturnBlock>());
            return_->label = raising_.labels.fresh("return");
        }
        return return_;
    }

    Graph &graph_;
    const Part &part_;
    Region &into_;
    Raising &raising_;
    std::vector<Block *> blocks_;
    Block *end_ = nullptr, *return_ = nullptr;
};

} // namespace

void wrapUnstructured(Graph &g, const Order &order, const std::vector<int> &required, int from, Raising &r) {
    Part part = smallestPart(g, order, required, from);
    auto region = std::make_unique<Region>(BlockKind::Unstructured);
    region->label = r.labels.fresh("unstructured");
    r.context.missed(r.element,
                     "control flow around " + g.nodes[part.entry].block->label + " stays as " + std::to_string(part.nodes.size()) +
                         " blocks with jumps in region " + region->label,
                     {diag::Why::ControlFlow, "it is neither a loop nor a branch"});
    int height = 0;
    for (int n : part.nodes)
        height = std::max(height, g.nodes[n].height);
    PartWriter(g, part, *region, r).write();

    int merged = g.add(std::move(region), {Jump::to(part.exit)}, height + 1);
    for (std::size_t n = 0; n + 1 < g.nodes.size(); ++n)
        for (Jump &j : g.nodes[n].jumps)
            if (j.target == part.entry)
                j.target = merged;
    if (g.entry == part.entry)
        g.entry = merged;
}

} // namespace sdfgc::transforms::flow
