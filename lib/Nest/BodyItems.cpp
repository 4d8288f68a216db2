// The body of a loop as items, with calls in place of branches and other control flow.
//
//     for i {                                   item    A[i] = A[i - 1] + B[i]
//         state { A[i] = A[i - 1] + B[i] }
//         flag = mask[i]                        call    read mask[i], C[i]; write C[i]
//         if flag { C[i] = 2 * C[i] }
//     }
//
// A call takes a stretch of blocks and edges: everything between the first and the last mention of a symbol that an edge
// in it assigns.
#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Nest/LoopItems.h"

#include <algorithm>

namespace sdfgc::nest {

using namespace ir;

namespace {

/// Symbols that a block reads or assigns, at any depth, in conditions, too.
std::set<Name> mentionedIn(const Block &b, const SDFG &g) {
    std::set<Name> out = analysis::readIn(b);
    out.merge(analysis::assignedIn(b));
    const auto addConditions = [&](const Block &inner) {
        if (const auto *c = dyn_cast<ConditionalBlock>(&inner))
            for (const auto &branch : c->branches())
                if (branch.condition)
                    out.merge(analysis::namesInCode(*branch.condition, g));
    };
    addConditions(b);
    if (const auto *r = dyn_cast<Region>(&b))
        for (const Block *inner : allBlocks(*r))
            addConditions(*inner);
    if (const auto *c = dyn_cast<ConditionalBlock>(&b))
        for (const auto &branch : c->branches())
            for (const Block *inner : allBlocks(std::as_const(*branch.region)))
                addConditions(*inner);
    return out;
}

/// May a jump leave the block, other than by ending a loop in it?
bool hasOwnJump(const Block &b) {
    if (const auto *c = dyn_cast<ConditionalBlock>(&b))
        return std::any_of(c->branches().begin(), c->branches().end(),
                           [](const auto &branch) { return analysis::hasJump(*branch.region); });
    const auto *r = dyn_cast<Region>(&b);
    return isJump(b.kind()) || (r && !isa<LoopRegion>(r) && analysis::hasJump(*r));
}

/// The stretches of a sequence that must be calls, in order.
class Stretches {
public:
    Stretches(const std::vector<Block *> &blocks, const std::vector<bool> &isItem, const std::set<Name> &assigned) {
        const SDFG &g = *blocks.front()->sdfg();
        for (std::size_t k = 0; k < blocks.size(); ++k) {
            if (!isItem[k])
                found_.push_back({2 * k, 2 * k});
            mention(mentionedIn(*blocks[k], g), assigned, 2 * k);
            for (const InterstateEdge *e : blocks[k]->outEdges())
                for (const auto &[name, text] : e->assignments) {
                    found_.push_back({2 * k + 1, 2 * k + 1});
                    std::set<Name> names = analysis::namesInCode({text, Language::Python}, g);
                    names.insert(name);
                    mention(names, assigned, 2 * k + 1);
                }
        }
        for (const auto &[name, part] : mentions_)
            if (part.first != part.last)
                found_.push_back(part);
        join();
    }

    const std::vector<Stretch> &all() const { return found_; }

private:
    void mention(const std::set<Name> &names, const std::set<Name> &assigned, std::size_t position) {
        for (const Name n : names)
            if (assigned.count(n))
                mentions_.try_emplace(n, Stretch{position, position}).first->second.last = position;
    }

    /// Joins stretches that overlap.
    void join() {
        std::sort(found_.begin(), found_.end(), [](const Stretch &a, const Stretch &b) { return a.first < b.first; });
        std::vector<Stretch> joined;
        for (const Stretch &s : found_)
            if (!joined.empty() && s.first <= joined.back().last)
                joined.back().last = std::max(joined.back().last, s.last);
            else
                joined.push_back(s);
        found_ = std::move(joined);
    }

    std::map<Name, Stretch> mentions_; // of symbols that the body assigns
    std::vector<Stretch> found_;
};

} // namespace

std::optional<BodyItems> LoopItems::contentWithCalls(LoopRegion &l, const LoopBody &body, const Conflicts &items) {
    const std::vector<Block *> blocks = analysis::sequenceOf(l);
    if (blocks.empty() || std::any_of(blocks.begin(), blocks.end(), [](const Block *b) { return hasOwnJump(*b); }))
        return std::nullopt;
    variables_.clear();
    locals_.clear();
    around_ = {l.variable};
    std::vector<std::optional<std::vector<Item>>> contents;
    std::vector<bool> isItem;
    for (Block *b : blocks) {
        contents.push_back(read(*b));
        isItem.push_back(contents.back().has_value());
    }
    around_.clear();
    const Stretches stretches(blocks, isItem, body.assigned);
    BodyItems out;
    std::size_t at = 0; // the next position
    const auto takeUpTo = [&](std::size_t end) {
        for (; at < end; ++at)
            if (at % 2 == 0)
                std::move(contents[at / 2]->begin(), contents[at / 2]->end(), std::back_inserter(out.items));
    };
    for (const Stretch &s : stretches.all()) {
        if (s.first == 0 && s.last + 2 >= 2 * blocks.size())
            return std::nullopt;
        takeUpTo(s.first);
        out.items.push_back(
            {nullptr, std::make_unique<Step>(callOf(
                          l, blocks, s, body, items, memories_, [&](Name n) { return isOnlyInside(n, l); }, out.moved))});
        out.hasCalls = true;
        at = s.last + 1;
    }
    takeUpTo(2 * blocks.size());
    return out;
}

} // namespace sdfgc::nest
