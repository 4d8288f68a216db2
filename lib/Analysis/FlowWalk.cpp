#include "sdfgc/Analysis/FlowWalk.h"

namespace sdfgc::analysis {

using namespace ir;

std::vector<Block *> blocksInOrder(Region &r) {
    std::vector<Block *> out;
    std::vector<bool> seen(r.blocks().size(), false);
    std::map<const Block *, std::vector<Block *>> next;
    for (const auto &e : r.edges())
        next[e->src].push_back(e->dst);
    std::map<const Block *, std::size_t> number;
    for (std::size_t i = 0; i < r.blocks().size(); ++i)
        number[r.blocks()[i].get()] = i;
    std::vector<std::pair<Block *, std::size_t>> stack;
    auto visit = [&](Block *b) {
        if (seen[number[b]])
            return;
        seen[number[b]] = true;
        stack.emplace_back(b, 0);
    };
    if (Block *start = r.start())
        visit(start);
    while (!stack.empty()) {
        auto &[b, k] = stack.back();
        const auto &successors = next[b];
        if (k < successors.size()) {
            visit(successors[k++]);
        } else {
            out.push_back(b);
            stack.pop_back();
        }
    }
    std::reverse(out.begin(), out.end());
    return out;
}

RegionFlow::RegionFlow(Region &r) : order_(blocksInOrder(r)) {
    std::unordered_map<const Block *, std::size_t> place;
    for (const Block *b : order_) {
        place.emplace(b, place.size());
        from_.try_emplace(b);
    }
    for (const auto &e : r.edges())
        if (const auto at = from_.find(e->src); at != from_.end()) {
            at->second.push_back(e.get());
            comesBack_ |= place.at(e->dst) <= place.at(e->src);
        }
}

const std::vector<const InterstateEdge *> &RegionFlow::from(const Block &b) const {
    static const std::vector<const InterstateEdge *> none;
    const auto at = from_.find(&b);
    return at == from_.end() ? none : at->second;
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
