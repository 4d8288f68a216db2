#include "Transforms/Edits/FlowEdits.h"

#include "Transforms/Edits/Nodes.h"

#include "sdfgc/IR/StateGraph.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;

void FlowEdits::readLabels() {
    if (labels_.empty())
        for (const Block *b : allBlocks(std::as_const(g_)))
            labels_.insert(b->label);
}

std::string FlowEdits::freshLabel(const std::string &prefix) {
    readLabels();
    std::string label = prefix;
    for (int &number = numbers_[prefix]; !labels_.insert(label).second; ++number)
        label = prefix + "_" + std::to_string(number);
    return label;
}

/// Relabels blocks of a region that moves into another one where labels clash, except with the block that is removed.
void FlowEdits::giveOwnLabels(Region &content, const Region &into, const Block &goes) {
    std::unordered_set<std::string_view> taken;
    for (const auto &other : into.blocks())
        if (other.get() != &goes)
            taken.insert(other->label);
    for (const auto &inner : content.blocks())
        if (taken.count(inner->label))
            inner->label = freshLabel(inner->label);
}

void FlowEdits::putInPlaceOf(Block &b, Region &content) {
    Region &r = *b.parent();
    if (content.blocks().empty())
        content.add<State>()->label = freshLabel(b.label.empty() ? "empty" : b.label);
    giveOwnLabels(content, r, b);
    const std::vector<Block *> order = analysis::sequenceOf(content);
    const Block *const start = r.start();
    r.adopt(content.release());
    takePlace(r, start, b, b, *order.front(), *order.back());
    r.removeBlock(&b);
}

bool FlowEdits::isReadOutside(const LoopRegion &l) {
    if (!reads_)
        reads_.emplace(g_);
    return reads_->isReadOutside(l);
}

} // namespace sdfgc::transforms
