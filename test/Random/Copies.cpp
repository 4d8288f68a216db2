// Copies and aliases: views, references.
#include "Maker.h"

#include <algorithm>

namespace sdfgc::random {

/// A range of `count` elements of a dimension with the given step; empty if it does not fit for all sizes.
std::optional<std::string> GraphMaker::slice(const Index &extent, int64_t count, int64_t step) {
    const int64_t span = (count - 1) * step;
    std::vector<Index> begins{Index::constant(0), extent - 1 - span};
    for (const Index &i : knownIndices())
        begins.push_back(i);
    const Index &begin = random_.pick(begins);
    if (!begin.isAtLeast(0) || !(begin + span).isBelow(extent))
        return std::nullopt;
    if (count == 1)
        return begin.text;
    return begin.text + ":" + (begin + span + 1).text + (step == 1 ? "" : ":" + std::to_string(step));
}

namespace {

/// Can elements of one container be stored in another without overflowing its type? `mixed`: regardless of their types.
bool canHold(const Container &to, const Container &from, bool mixed) {
    if (mixed && to.accumulates == from.accumulates)
        return to.type != "uint8" && mayBecome(from.type, to.type, from.accumulates);
    if (mixed && to.accumulates) // accumulated values are integers
        return kindOf(to.type) == ValueKind::Integer && mayBecome(from.type, to.type, false);
    if (to.type == from.type)
        return to.accumulates || !from.accumulates;
    static const std::set<std::string> numbers{"float64", "float32", "int64", "int32"};
    return numbers.contains(to.type) && numbers.contains(from.type) && to.accumulates == from.accumulates;
}

} // namespace

void GraphMaker::copy(Container &to) {
    taken_.insert(&to);
    Container *from = pick([&](const Container &c) {
        return c.isWritten && !c.isHidden && &c != &to && canHold(to, c, shared_.mixed) &&
               (c.isDevice == to.isDevice || c.type == to.type);
    });
    if (!from) {
        mapOver(to, true);
        return;
    }
    const std::size_t moved = random_.below(std::min(from->shape.size(), to.shape.size()) + 1);
    std::vector<std::string> reads, writes;
    bool isPossible = true;
    auto add = [&](std::vector<std::string> &list, const Index &extent, int64_t count) {
        const std::optional<std::string> part = slice(extent, count, random_.oneIn(3) ? 2 : 1);
        isPossible = isPossible && part;
        list.push_back(part.value_or(""));
    };
    // The last dimensions are copied; the others contribute one index each.
    for (std::size_t k = 0; k + moved < from->shape.size(); ++k)
        add(reads, from->shape[k], 1);
    for (std::size_t k = 0; k + moved < to.shape.size(); ++k)
        add(writes, to.shape[k], 1);
    for (std::size_t k = moved; k > 0; --k) {
        const Index &source = from->shape[from->shape.size() - k], &destination = to.shape[to.shape.size() - k];
        if (source.text == destination.text && !random_.oneIn(3)) {
            reads.push_back("0:" + source.text);
            writes.push_back("0:" + source.text);
            continue;
        }
        const int64_t count = random_.between(1, 3);
        add(reads, source, count);
        add(writes, destination, count);
    }
    if (!isPossible) {
        mapOver(to, false);
        return;
    }
    const bool adds = to.accumulates && from->isDevice == to.isDevice && kindOf(to.type) != ValueKind::Bool && random_.oneIn(3);
    Operation op;
    op.reads.push_back({"", from, from->isScalar() ? "0" : joined(reads), adds ? "+" : ""});
    op.reads.back().otherSubset = to.isScalar() ? "0" : joined(writes);
    op.copiesTo = &to;
    placeCopy(op);
}

/// Copies a part of a container to another part of it; all elements are read before any is written.
void GraphMaker::copyOverlapping(Container &c) {
    taken_.insert(&c);
    std::vector<std::string> reads, writes;
    for (const Index &extent : c.shape) {
        const int64_t by = extent.isAtLeast(3) ? random_.between(-1, 1) : 0;
        const std::string low = "0:" + (extent - 1).text, high = "1:" + extent.text, all = "0:" + extent.text;
        reads.push_back(by == 0 ? all : by > 0 ? low : high);
        writes.push_back(by == 0 ? all : by > 0 ? high : low);
    }
    if (reads == writes) {
        single(c);
        return;
    }
    Operation op;
    op.reads.push_back({"", &c, joined(reads), ""});
    op.reads.back().otherSubset = joined(writes);
    op.copiesTo = &c;
    placeCopy(op);
}

/// A map that reads a container through a view of another shape, or through a reference.
void GraphMaker::alias(Container &to, bool isView) {
    Container *from = pick([&](const Container &c) {
        return canRead(c) && !c.isScalar() && &c != &to && c.attributes.find("strides") == std::string::npos;
    });
    if (!from) {
        mapOver(to, true);
        return;
    }
    Container &seen = containers_.emplace_back();
    seen.name = label(isView ? "V" : "F");
    seen.type = from->type;
    seen.keyword = isView ? "view" : "reference";
    seen.attributes = from->isDevice ? "GPU_Global" : "";
    seen.isDevice = from->isDevice;
    seen.accumulates = from->accumulates;
    Index all = Index::constant(1);
    std::vector<std::string> factors;
    all.low.fill(1);
    all.high.fill(1);
    for (const Index &extent : from->shape) {
        factors.push_back(extent.factor());
        for (std::size_t k = 0; k < kSizes; ++k) {
            all.low[k] *= extent.low[k];
            all.high[k] *= extent.high[k];
        }
    }
    all.text = joined(factors, " * ");
    all.isAtom = factors.size() == 1;
    seen.shape = !isView            ? from->shape
                 : random_.oneIn(2) ? std::vector<Index>{all}
                                    : std::vector<Index>(from->shape.rbegin(), from->shape.rend());
    Touched &t = touched_[from];
    const std::string source = t.nodes == 0 ? "" : t.last + " ";
    if (t.nodes == 0) {
        t.nodes = 1;
        t.last = "@" + from->name;
    }
    stateLines_.push_back(source + memlet(*from, whole(*from)) + " -> new " + seen.name + (isView ? ":views" : ":set"));
    touched_[&seen].nodes = 1;
    touched_[&seen].last = "@" + seen.name;
    seen.isWritten = true;
    taken_.insert(&to);
    const MapPlan plan = planMap(to, random_.oneIn(2));
    place(mapOperation(plan, 0, {&to, plan.subscripts(), ""}, knownIndices()));
    seen.isWritten = false;
    seen.isHidden = true;
    for (const std::string &reader : touched_[&seen].readers)
        touched_[from].readers.push_back(reader);
}

} // namespace sdfgc::random
