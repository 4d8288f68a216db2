#include "sdfgc/Analysis/Symbols/Symbols.h"

namespace sdfgc::analysis {

using namespace ir;

std::vector<Name> containersRead(const Code &code, const SDFG &g) {
    std::vector<Name> out;
    if (!code.empty())
        for (Name n : namesInCode(code, g))
            if (g.arrays.contains(n))
                out.push_back(n);
    return out;
}

std::vector<Name> containersRead(const InterstateEdge &e, const SDFG &g) {
    std::vector<Name> out = containersRead(e.condition, g);
    for (const auto &[symbol, text] : e.assignments)
        for (Name n : containersRead(Code{text, Language::Python}, g))
            out.push_back(n);
    return out;
}

std::vector<Name> containersRead(const LoopRegion &l, const SDFG &g) {
    std::vector<Name> out;
    for (const auto *code : {&l.init, &l.condition, &l.update})
        if (*code)
            for (Name n : containersRead(**code, g))
                out.push_back(n);
    return out;
}

std::vector<Name> containersRead(const ConditionalBlock &c, const SDFG &g) {
    std::vector<Name> out;
    for (const auto &branch : c.branches())
        if (branch.condition)
            for (Name n : containersRead(*branch.condition, g))
                out.push_back(n);
    return out;
}

std::set<Name> containersReadByControlFlow(const SDFG &g) {
    std::set<Name> out;
    auto add = [&](const std::vector<Name> &names) { out.insert(names.begin(), names.end()); };
    for (const Region *r : allRegions(g)) {
        for (const auto &e : r->edges())
            add(containersRead(*e, g));
        if (const auto *l = dyn_cast<LoopRegion>(r))
            add(containersRead(*l, g));
    }
    for (const Block *b : allBlocks(g))
        if (const auto *c = dyn_cast<ConditionalBlock>(b))
            add(containersRead(*c, g));
    return out;
}

} // namespace sdfgc::analysis
