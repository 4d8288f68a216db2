#include "sdfgc/Analysis/Flow/FlowWalk.h"

namespace sdfgc::analysis {

using namespace ir;

std::vector<Block *> blocksInOrder(Region &r) {
    std::vector<Block *> out;
    std::vector<bool> seen(r.blocks().size(), false);
    std::vector<std::pair<Block *, std::size_t>> stack; // and how many of its edges have been followed
    const auto visit = [&](Block *b) {
        if (!seen[b->id()]) {
            seen[b->id()] = true;
            stack.emplace_back(b, 0);
        }
    };
    if (Block *start = r.start())
        visit(start);
    while (!stack.empty()) {
        auto &[b, k] = stack.back();
        if (k < b->outEdges().size()) {
            visit(b->outEdges()[k++]->dst);
        } else {
            out.push_back(b);
            stack.pop_back();
        }
    }
    std::reverse(out.begin(), out.end());
    return out;
}

Block *onlyNext(const Block &b) {
    const InterstateEdge *e = b.outEdges().size() == 1 ? b.outEdges().front() : nullptr;
    return e && e->isUnconditional() && e->assignments.empty() ? e->dst : nullptr;
}

bool comesBack(const std::vector<Block *> &order) {
    std::vector<bool> passed(order.empty() ? 0 : order.front()->parent()->blocks().size(), false);
    return std::any_of(order.begin(), order.end(), [&passed](const Block *b) {
        passed[b->id()] = true;
        return std::any_of(b->outEdges().begin(), b->outEdges().end(),
                           [&](const InterstateEdge *e) { return passed[e->dst->id()]; });
    });
}

namespace {

void collectStates(Region &r, std::vector<State *> &out) {
    for (Block *b : blocksInOrder(r)) {
        if (auto *s = dyn_cast<State>(b))
            out.push_back(s);
        else if (auto *c = dyn_cast<ConditionalBlock>(b))
            for (const auto &branch : c->branches())
                collectStates(*branch.region, out);
        else if (auto *inner = dyn_cast<Region>(b))
            collectStates(*inner, out);
    }
}

} // namespace

std::vector<State *> statesInOrder(SDFG &g) {
    std::vector<State *> out;
    collectStates(g, out);
    return out;
}

} // namespace sdfgc::analysis
