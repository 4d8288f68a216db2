#include "Transforms/Normalise/ControlFlow/FlowGraph.h"

#include "Transforms/Normalise/ControlFlow/Conditions.h"

#include <algorithm>
#include <unordered_map>

namespace sdfgc::transforms::flow {

using namespace ir;

int Graph::add(std::unique_ptr<Block> block, std::vector<Jump> jumps, int height) {
    nodes.push_back({std::move(block), std::move(jumps), height});
    return static_cast<int>(nodes.size()) - 1;
}

Labels::Labels(SDFG &g) {
    for (const Block *b : allBlocks(g))
        used_.insert(b->label);
}

std::string Labels::fresh(const std::string &prefix) {
    if (used_.insert(prefix).second)
        return prefix;
    for (int i = 0;; ++i)
        if (std::string candidate = prefix + "_" + std::to_string(i); used_.insert(candidate).second)
            return candidate;
}

std::unique_ptr<Block> emptyState(Labels &labels, const std::string &prefix) {
    auto s = std::make_unique<State>();
    s->label = labels.fresh(prefix);
    return s;
}

bool isEmptyState(const Block &b) {
    const auto *s = dyn_cast<State>(&b);
    return s && s->nodes().empty() && s->instrument == Instrumentation::No_Instrumentation &&
           s->symbolInstrument == DataInstrumentation::No_Instrumentation;
}

bool hasFreeBreak(const Block &b) {
    std::vector<const Block *> open{&b};
    while (!open.empty()) {
        const Block *x = open.back();
        open.pop_back();
        if (isa<BreakBlock>(x) || isa<ContinueBlock>(x))
            return true;
        if (const auto *r = dyn_cast<Region>(x); r && !isa<LoopRegion>(x))
            for (const auto &inner : r->blocks())
                open.push_back(inner.get());
        if (const auto *c = dyn_cast<ConditionalBlock>(x))
            for (const auto &branch : c->branches())
                open.push_back(branch.region.get());
    }
    return false;
}

// ---- conversion from a region

namespace {

bool leavesByItself(const Block &b) { return isa<BreakBlock>(&b) || isa<ContinueBlock>(&b) || isa<ReturnBlock>(&b); }

/// Sorts the jumps of one block into the order in which they are tested, and completes them (format reference 5.5).
void complete(std::vector<Jump> &jumps, const std::function<bool(Name)> &canBeNaN) {
    std::stable_partition(jumps.begin(), jumps.end(), [](const Jump &j) { return j.conditional; });
    for (std::size_t i = 0; i < jumps.size(); ++i)
        if (!jumps[i].conditional || isAlwaysTrue(jumps[i].condition)) {
            jumps[i].conditional = false;
            jumps.resize(i + 1);
            return;
        }
    std::size_t n = jumps.size();
    if (n >= 2 && areComplementary(jumps[n - 2].condition, jumps[n - 1].condition, canBeNaN)) {
        jumps[n - 1].conditional = false;
        return;
    }
    jumps.push_back(Jump::to(exitNode));
    jumps.back().implicit = true;
}

} // namespace

Graph takeFrom(Region &r, const std::function<bool(Name)> &canBeNaN) {
    Graph g;
    g.kind = r.kind();
    Block *start = r.start();
    Region::Content content = r.release();
    std::unordered_map<const Block *, int> indexOf;
    for (auto &b : content.blocks) {
        indexOf[b.get()] = static_cast<int>(g.nodes.size());
        g.add(std::move(b), {});
    }
    g.entry = indexOf.at(start);
    for (auto &e : content.edges) {
        bool conditional = !e->isUnconditional();
        g.nodes[indexOf.at(e->src)].jumps.push_back(
            {indexOf.at(e->dst), conditional, std::move(e->condition), std::move(e->assignments), false, e->debugInfo});
    }
    for (Node &n : g.nodes) {
        if (leavesByItself(*n.block))
            n.jumps.clear();
        else
            complete(n.jumps, canBeNaN);
    }
    return g;
}

// ---- order

namespace {

std::vector<std::vector<int>> targets(const Graph &g) {
    std::vector<std::vector<int>> next(g.nodes.size());
    for (std::size_t n = 0; n < g.nodes.size(); ++n)
        for (const Jump &j : g.nodes[n].jumps)
            if (j.target != exitNode)
                next[n].push_back(j.target);
    return next;
}

} // namespace

static_assert(exitNode == analysis::Dominators::none); // the entry has no dominator

Order::Order(const Graph &g) : Dominators(targets(g), g.entry) {}

} // namespace sdfgc::transforms::flow
