#include "Transforms/Lower/ControlFlow/FlowGraph.h"

#include "Transforms/Lower/ControlFlow/Conditions.h"

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

// ---- from a region

namespace {

bool leavesByItself(const Block &b) { return isa<BreakBlock>(&b) || isa<ContinueBlock>(&b) || isa<ReturnBlock>(&b); }

/// Puts the jumps of one block into the order in which they are tested and completes them (format reference 5.5).
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

Order::Order(const Graph &g) : position_(g.nodes.size(), -1), idom_(g.nodes.size(), exitNode), preds_(g.nodes.size()) {
    computeOrder(g);
    for (int n : rpo_)
        for (const Jump &j : g.nodes[n].jumps)
            if (j.target != exitNode)
                preds_[j.target].push_back(n);
    computeDominators();
    numberTree();
}

/// Depth first; the first jump of a node is visited last, so that its target comes first in reverse postorder.
void Order::computeOrder(const Graph &g) {
    if (g.entry == exitNode)
        return;
    std::vector<bool> seen(g.nodes.size(), false);
    std::vector<std::pair<int, std::size_t>> stack{{g.entry, g.nodes[g.entry].jumps.size()}};
    seen[g.entry] = true;
    while (!stack.empty()) {
        auto &[n, left] = stack.back();
        if (left == 0) {
            rpo_.push_back(n);
            stack.pop_back();
            continue;
        }
        int t = g.nodes[n].jumps[--left].target;
        if (t != exitNode && !seen[t]) {
            seen[t] = true;
            stack.emplace_back(t, g.nodes[t].jumps.size());
        }
    }
    std::reverse(rpo_.begin(), rpo_.end());
    for (std::size_t i = 0; i < rpo_.size(); ++i)
        position_[rpo_[i]] = static_cast<int>(i);
}

/// Iterative data flow over the reverse postorder (Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm).
void Order::computeDominators() {
    auto common = [&](int a, int b) {
        while (a != b) {
            while (position_[a] > position_[b])
                a = idom_[a];
            while (position_[b] > position_[a])
                b = idom_[b];
        }
        return a;
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = 1; i < rpo_.size(); ++i) {
            int n = rpo_[i], dom = exitNode;
            for (int p : preds_[n])
                if (p == rpo_[0] || idom_[p] != exitNode)
                    dom = dom == exitNode ? p : common(dom, p);
            if (dom != idom_[n]) {
                idom_[n] = dom;
                changed = true;
            }
        }
    }
}

/// Entry and leave numbers of a walk over the dominator tree: `a` dominates `b` when its interval contains that of `b`.
void Order::numberTree() {
    std::size_t count = position_.size();
    enter_.assign(count, -1);
    leave_.assign(count, -2);
    std::vector<std::vector<int>> children(count);
    for (std::size_t i = 1; i < rpo_.size(); ++i)
        children[idom_[rpo_[i]]].push_back(rpo_[i]);
    int clock = 0;
    std::vector<std::pair<int, std::size_t>> stack;
    if (!rpo_.empty())
        stack.emplace_back(rpo_[0], 0);
    while (!stack.empty()) {
        auto &[n, next] = stack.back();
        if (next == 0)
            enter_[n] = clock++;
        if (next == children[n].size()) {
            leave_[n] = clock++;
            stack.pop_back();
        } else {
            int child = children[n][next++];
            stack.emplace_back(child, 0);
        }
    }
}

} // namespace sdfgc::transforms::flow
