// Control flow: the contents of regions. Symbols changed by assignments stay within their bounds on every path, so that subscripts
// with them are always inside of containers.
#include "Maker.h"

#include <algorithm>

namespace sdfgc::random {

void GraphMaker::apart(const std::function<void()> &make) {
    std::vector<bool> before;
    for (const Container &c : containers_)
        before.push_back(c.isWritten);
    make();
    for (std::size_t k = 0; k < containers_.size(); ++k)
        containers_[k].isWritten = k < before.size() && before[k];
}

void GraphMaker::emptyState(Lines &out) { out.push_back("state " + label("s") + " {}"); }

void GraphMaker::region(Lines &out, int blocks, int depth, bool inLoop) {
    for (int k = 0; k < blocks; ++k)
        block(out, depth, inLoop);
}

void GraphMaker::block(Lines &out, int depth, bool inLoop) {
    if (shared_.bodies && shared_.more.oneIn(2)) {
        iterations(out);
        return;
    }
    const std::size_t choice = depth + shared_.depth >= 2 ? random_.below(6) : random_.below(16);
    switch (choice) {
    case 6:
    case 7:
        loop(out, depth);
        break;
    case 8:
        whileLoop(out, depth);
        break;
    case 9:
    case 10:
        branch(out, depth, inLoop);
        break;
    case 11:
        jump(out);
        break;
    case 12:
        repeat(out);
        break;
    case 13:
    case 14:
        nestedIn_ = loopVariables_.size();
        nest(out, static_cast<int>(1 + random_.below(3)));
        break;
    case 15:
        turns(out);
        break;
    default:
        state(out, static_cast<int>(1 + random_.below(shared_.depth > 0 ? 2 : 4)));
    }
    if (random_.oneIn(3))
        assignments(out);
}

/// An integer that control flow can compute from symbols and from elements in host memory.
std::string GraphMaker::value() {
    std::vector<std::string> terms;
    for (const Index &i : knownIndices())
        terms.push_back(i.text);
    for (const Container &c : containers_)
        if (kindOf(c.type) == ValueKind::Integer && c.isWritten && !c.isDevice && !c.isHidden && !random_.oneIn(3)) {
            std::vector<std::string> subscripts;
            for (const Index &extent : c.shape)
                subscripts.push_back(subscriptFor(extent, knownIndices()));
            terms.push_back(c.isScalar() ? c.name : memlet(c, joined(subscripts)));
        }
    std::string out = terms.empty() ? "1" : random_.pick(terms);
    for (std::size_t k = random_.below(3); k > 0 && !terms.empty(); --k)
        switch (random_.below(4)) {
        case 0:
            out = "(" + out + " - " + random_.pick(terms) + ")";
            break;
        case 1:
            out = "(" + out + " / 2)";
            break;
        case 2:
            out = "max(" + out + ", " + random_.pick(terms) + ")";
            break;
        default:
            out = "(" + out + " + " + random_.pick(terms) + ")";
        }
    return out;
}

std::string GraphMaker::condition() {
    static const char *const signs[] = {"<", "<=", ">", ">=", "==", "!="};
    std::string out = value() + " " + random_.pick(signs) + " " + std::to_string(random_.between(0, 4));
    if (random_.oneIn(4))
        out = value() + " % 2 == " + std::to_string(random_.below(2));
    if (random_.oneIn(5))
        out = "(" + out + ") " + (random_.oneIn(2) ? "and" : "or") + " " + value() + " > 1";
    return random_.oneIn(8) ? "not (" + out + ")" : out;
}

/// The assignments of one edge do not read symbols that other assignments of the edge change.
void GraphMaker::assignments(Lines &out) {
    Lines made;
    for (const auto &[index, bound] : counters_) {
        if (!random_.oneIn(2))
            continue;
        const std::string expression = value();
        const bool depends = std::any_of(counters_.begin(), counters_.end(), [&](const auto &other) {
            return other.first.text != index.text && expression.find(other.first.text) != std::string::npos;
        });
        if (depends && !made.empty())
            break;
        made.push_back(index.text + " = " + expression + " % " + std::to_string(bound));
        if (depends)
            break;
    }
    if (!made.empty()) {
        out.insert(out.end(), made.begin(), made.end());
        state(out, 1);
    }
}

void GraphMaker::loop(Lines &out, int depth) {
    const std::string name = label("i");
    loopNames_.push_back(name);
    const int64_t count = random_.between(0, 3), step = random_.between(1, 2);
    Values low{}, high{};
    std::string head;
    if (random_.oneIn(3)) { // downwards, to a size or a number
        high.fill(count);
        head = name + " = " + std::to_string(count) + "; " + name + " >= 0; " + name + " = " + name + " - " + std::to_string(step);
    } else if (random_.oneIn(3) && !sizes_.empty()) {
        const Index &end = random_.pick(sizes_);
        for (std::size_t k = 0; k < kSizes; ++k)
            high[k] = end.high[k] - 1;
        head = name + " = 0; " + name + " < " + end.text + "; " + name + " = " + name + " + " + std::to_string(step);
    } else {
        high.fill(count - 1);
        head = name + " = 0; " + name + " < " + std::to_string(count) + "; " + name + " = " + name + " + " + std::to_string(step);
    }
    out.push_back(label("loop") + ": for " + head + " {");
    loopVariables_.push_back(Index::symbol(name, low, high));
    Lines inside;
    apart([&] { region(inside, 1, depth + 1, true); });
    loopVariables_.pop_back();
    addInside(out, inside);
    out.emplace_back("}");
}

void GraphMaker::whileLoop(Lines &out, int depth) {
    const std::string name = label("w");
    loopNames_.push_back(name);
    emptyState(out);
    out.push_back(name + " = 0");
    const int64_t count = random_.between(1, 3);
    const std::string inverted = label("loop") + (random_.oneIn(4) ? " (inverted): " : ": ");
    out.push_back(inverted + "while " + name + " < " + std::to_string(count) +
                  (random_.oneIn(3) ? " and (" + condition() + ")" : "") + " {");
    Values low{}, high{};
    high.fill(count - 1);
    loopVariables_.push_back(Index::symbol(name, low, high));
    Lines inside;
    apart([&] {
        region(inside, 1, depth + 1, false);
        state(inside, 1);
    });
    inside.push_back(name + " = " + name + " + 1");
    loopVariables_.pop_back();
    emptyState(inside);
    addInside(out, inside);
    out.emplace_back("}");
}

void GraphMaker::branch(Lines &out, int depth, bool inLoop) {
    std::size_t branches = 1 + random_.below(2);
    std::string word = label("choice") + ": if ";
    for (; branches > 0; --branches, word = "} else if ") {
        out.push_back(word + condition() + "  {");
        Lines inside;
        apart([&] { region(inside, 1, depth + 1, inLoop); });
        if (inLoop && random_.oneIn(4))
            inside.push_back(random_.oneIn(2) ? "break " + label("leave") : "continue " + label("again"));
        addInside(out, inside);
    }
    if (random_.oneIn(2)) {
        out.emplace_back("} else {");
        Lines inside;
        apart([&] { region(inside, 1, depth + 1, inLoop); });
        addInside(out, inside);
    }
    out.emplace_back("}");
}

/// Two paths that join again, as edges with conditions.
void GraphMaker::jump(Lines &out) {
    const std::string left = label("left"), right = label("right"), meet = label("meet"), test = condition();
    emptyState(out);
    out.push_back("goto " + left + " if " + test);
    out.push_back("goto " + right + " if not (" + test + ")");
    for (const std::string &way : {left, right}) {
        Lines lines;
        apart([&] { state(lines, 2); });
        lines.front() = "state " + way + " {";
        out.insert(out.end(), lines.begin(), lines.end());
        out.push_back("goto " + meet);
    }
    out.push_back("state " + meet + " {}");
}

/// A loop made of back edges, with its exit at the end or in the middle.
void GraphMaker::repeat(Lines &out) {
    const std::string name = label("r"), again = label("again"), after = label("after"), test = condition();
    loopNames_.push_back(name);
    emptyState(out);
    out.push_back(name + " = 0");
    Values low{}, high{};
    const int64_t count = random_.between(1, 3);
    high.fill(count);
    loopVariables_.push_back(Index::symbol(name, low, high));
    Lines inside;
    apart([&] { state(inside, 2); });
    inside.front() = "state " + again + " {";
    out.insert(out.end(), inside.begin(), inside.end());
    const bool leaves = random_.oneIn(2);
    const std::string next = label("next"), going = leaves ? name + " < " + std::to_string(count) + " and (" + test + ")"
                                                           : name + " < " + std::to_string(count);
    out.push_back("goto " + next + " if " + going);
    out.push_back("goto " + after + " if not (" + going + ")");
    Lines second;
    apart([&] { state(second, 1); });
    second.front() = "state " + next + " {";
    out.insert(out.end(), second.begin(), second.end());
    out.push_back("goto " + again);
    out.push_back(name + " = " + name + " + 1");
    loopVariables_.pop_back();
    out.push_back("state " + after + " {}");
}

} // namespace sdfgc::random
