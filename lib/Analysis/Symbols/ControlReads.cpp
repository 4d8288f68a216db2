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

void forEachControlRead(const Region &inside, const std::function<void(Name, const Region &)> &f) {
    const SDFG &g = *inside.sdfg();
    const auto each = [&f](const std::vector<Name> &names, const Region &r) {
        for (const Name n : names)
            f(n, r);
    };
    for (const Region *r : allRegions(inside)) {
        for (const auto &e : r->edges())
            each(containersRead(*e, g), *r);
        for (const auto &b : r->blocks())
            if (const auto *c = dyn_cast<ConditionalBlock>(b.get()))
                each(containersRead(*c, g), *r);
        if (const auto *l = dyn_cast<LoopRegion>(r); l && r != &inside)
            each(containersRead(*l, g), *l->parent());
    }
}

std::set<Name> containersReadByControlFlow(const SDFG &g) {
    std::set<Name> out;
    forEachControlRead(g, [&out](Name container, const Region &) { out.insert(container); });
    return out;
}

} // namespace sdfgc::analysis
