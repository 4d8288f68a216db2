// Nests of loops, as a programmer writes them: loops around loops, over sizes and over the variables of those around, with tasklets of one
// element in between. Some carry values from one iteration to the next, in arrays or in scalars, and some do not.
#include "Maker.h"

#include <algorithm>

namespace sdfgc::random {

/// Where a loop begins, or ends: at a number, a size, or the variable of a loop around it.
Index GraphMaker::boundOf(bool isEnd) {
    if (loopVariables_.size() > nestedIn_ && random_.oneIn(3))
        return loopVariables_.back() + static_cast<int64_t>(random_.below(2));
    if (!isEnd || sizes_.empty())
        return Index::constant(isEnd ? random_.between(4, 6) : static_cast<int64_t>(random_.below(2)));
    return random_.oneIn(3) ? random_.pick(sizes_) - 1 : random_.pick(sizes_);
}

void GraphMaker::nest(Lines &out, int levels) {
    const std::string name = label("n");
    loopNames_.push_back(name);
    const Index begin = boundOf(false), end = boundOf(true);
    const int64_t step = random_.oneIn(6) ? 2 : 1;
    Values low{}, high{};
    for (std::size_t k = 0; k < kSizes; ++k) {
        low[k] = begin.low[k];
        high[k] = end.high[k] - 1;
    }
    out.push_back(label("loop") + ": for " + name + " = " + begin.text + "; " + name + " < " + end.text + "; " + name + " = " +
                  name + " + " + std::to_string(step) + " {");
    loopVariables_.push_back(Index::symbol(name, low, high));
    Lines inside;
    apart([&] {
        for (std::size_t parts = 1 + random_.below(3); parts > 0; --parts)
            if (levels > 1 && random_.oneIn(2))
                nest(inside, levels - 1);
            else
                elements(inside);
    });
    loopVariables_.pop_back();
    addInside(out, inside);
    out.emplace_back("}");
}

/// A state of one or two tasklets, each of which writes one element of what has values already, or a scalar.
void GraphMaker::elements(Lines &out) {
    touched_.clear();
    stateLines_.clear();
    onDevice_ = false;
    for (std::size_t k = 1 + random_.below(2); k > 0; --k) {
        taken_.clear();
        Container *c = pick([](const Container &other) {
            return other.isWritable && !other.isHidden && !other.isDevice && (other.isWritten || other.isScalar());
        });
        if (!c || random_.oneIn(4))
            c = &transient(random_.oneIn(3) ? "int64" : "float64", {});
        single(*c);
        c->isWritten = true;
    }
    out.push_back("state " + label("s") + " {");
    addInside(out, stateLines_);
    out.emplace_back("}");
}

} // namespace sdfgc::random
