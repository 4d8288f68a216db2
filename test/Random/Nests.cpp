// Nests of loops, as a programmer writes them: loops over sizes and over the variables of outer loops, with single-element tasklets
// in between. Some carry values from one iteration to the next, in arrays or scalars, and some do not. The variable of a loop may
// be a symbol that edges assign and others read before and after the loop.
#include "Maker.h"

#include <algorithm>

namespace sdfgc::random {

/// The beginning or end of a loop: a number, a size, or the variable of an enclosing loop.
Index GraphMaker::boundOf(bool isEnd) {
    if (loopVariables_.size() > nestedIn_ && random_.oneIn(3))
        return loopVariables_.back() + static_cast<int64_t>(random_.below(2));
    if (!isEnd || sizes_.empty())
        return Index::constant(isEnd ? random_.between(4, 6) : static_cast<int64_t>(random_.below(2)));
    return random_.oneIn(3) ? random_.pick(sizes_) - 1 : random_.pick(sizes_);
}

void GraphMaker::nest(Lines &out, int levels) {
    std::string name = label("n");
    std::optional<std::pair<Index, int64_t>> counter;
    if (!counters_.empty() && random_.oneIn(3)) {
        const auto at = counters_.begin() + static_cast<std::ptrdiff_t>(random_.below(counters_.size()));
        counter = *at;
        name = counter->first.text;
        counters_.erase(at); // it has other bounds in the loop
    } else {
        loopNames_.push_back(name);
    }
    const Index begin = boundOf(false), end = boundOf(true);
    const int64_t step = random_.oneIn(6) ? 2 : 1;
    Values low{}, high{};
    for (std::size_t k = 0; k < kSizes; ++k) {
        low[k] = begin.low[k];
        high[k] = end.high[k] - 1;
    }
    if (random_.oneIn(4)) // from the last value to the first
        out.push_back(label("loop") + ": for " + name + " = " + (end - 1).text + "; " + name + " >= " + begin.text + "; " + name +
                      " = " + name + " - " + std::to_string(step) + " {");
    else
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
    if (counter) {
        const std::string bound = std::to_string(counter->second);
        out.push_back(name + " = " + (random_.oneIn(2) ? name + " % " + bound : std::to_string(counter->second / 2)));
        emptyState(out);
        counters_.push_back(*counter);
    }
}

/// A state of one or two tasklets, each of which writes a scalar or one element of an initialised array.
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

/// Copies an entire array to another one of the same shape.
void GraphMaker::wholeCopy(Container &from, Container &to) {
    Operation op;
    op.reads.push_back({"", &from, whole(from), ""});
    op.reads.back().otherSubset = whole(to);
    op.copiesTo = &to;
    taken_.clear();
    taken_.insert(&to);
    placeCopy(op);
    to.isWritten = true;
}

/// A loop that copies an array to another one, back, or both ways, and computes one of them from the other in between.
void GraphMaker::turns(Lines &out) {
    onDevice_ = false;
    Container *array = pick([](const Container &c) {
        return c.isWritten && c.isWritable && !c.isHidden && !c.isDevice && !c.isScalar() && c.keyword == "transient" &&
               c.attributes.find("strides") == std::string::npos;
    });
    if (!array) {
        elements(out);
        return;
    }
    Container &buffer = containers_.emplace_back();
    buffer.name = label("t");
    buffer.type = array->type;
    buffer.shape = array->shape;
    const std::string name = label("n");
    loopNames_.push_back(name);
    const int64_t count = random_.between(1, 7);
    const bool atEnd = random_.oneIn(2), atBegin = !atEnd || random_.oneIn(2);
    out.push_back(label("loop") + ": for " + name + " = 0; " + name + " < " +
                  (sizes_.empty() ? std::to_string(count) : random_.pick(sizes_).text) + "; " + name + " = " + name + " + 1 {");
    Lines inside;
    apart([&] {
        touched_.clear();
        stateLines_.clear();
        if (atBegin)
            wholeCopy(*array, buffer);
        Container &made = atEnd ? buffer : *array;
        buffer.isWritten = atBegin || !atEnd;
        for (std::size_t k = 1 + random_.below(2); k > 0; --k) {
            taken_.clear();
            taken_.insert(&made);
            mapOver(made, !made.isWritten || random_.oneIn(2));
            made.isWritten = true;
        }
        if (atEnd)
            wholeCopy(buffer, *array);
        inside.push_back("state " + label("s") + " {");
        addInside(inside, stateLines_);
        inside.emplace_back("}");
    });
    buffer.isHidden = true;
    addInside(out, inside);
    out.emplace_back("}");
}

} // namespace sdfgc::random
