// Removes declarations of SDFGs. The verifier and the test decide whether something is still needed.
#include "Reduce/Removals.h"

#include <set>

namespace sdfgc::reduce {
namespace {

using namespace ir;

/// Keeps the entries of a map for which `dead` is false.
template <class Map, class Dead> void keep(Map &map, Dead dead) {
    Map rest;
    for (auto &[key, value] : map)
        if (!dead(key))
            rest[key] = std::move(value);
    map = std::move(rest);
}

std::set<Name> usedContainers(SDFG &g) {
    std::set<Name> used;
    for (State *s : allStates(g)) {
        for (const auto &n : s->nodes())
            if (const auto *a = dyn_cast<AccessNode>(n.get()))
                used.insert(Name(a->data.view().substr(0, a->data.view().find('.'))));
        for (const auto &e : s->edges())
            used.insert(e->memlet.data);
    }
    if (g.parentNode)
        for (const auto *list : {&g.parentNode->inConnectors, &g.parentNode->outConnectors})
            for (const Connector &c : *list)
                used.insert(c.name);
    return used;
}

} // namespace

std::size_t removeContainers(SDFG &root, std::size_t from, std::size_t to) {
    std::size_t count = 0;
    for (SDFG *g : allSDFGs(root)) {
        const std::set<Name> used = usedContainers(*g);
        keep(g->arrays, [&](Name n) { return !used.count(n) && isSelected(count++, from, to); });
        std::erase_if(g->argNames, [&](Name n) { return !g->arrays.contains(n) && !g->symbols.contains(n); });
    }
    return count;
}

std::size_t removeSymbols(SDFG &root, std::size_t from, std::size_t to) {
    std::size_t count = 0;
    for (SDFG *g : allSDFGs(root)) {
        std::set<Name> dead;
        keep(g->symbols, [&](Name n) { return isSelected(count++, from, to) && dead.insert(n).second; });
        keep(g->constants, [&](Name) { return isSelected(count++, from, to); });
        if (g->parentNode)
            std::erase_if(g->parentNode->symbolMapping, [&](const auto &m) { return dead.count(m.first) != 0; });
    }
    return count;
}

std::size_t removeCode(SDFG &root, std::size_t from, std::size_t to) {
    std::size_t count = 0;
    for (SDFG *g : allSDFGs(root))
        for (std::vector<TargetCode> *list : {&g->globalCode, &g->initCode, &g->exitCode})
            std::erase_if(*list, [&](const TargetCode &c) { return !c.code.empty() && isSelected(count++, from, to); });
    return count;
}

std::size_t removeDebugInfo(SDFG &root, std::size_t from, std::size_t to) {
    std::size_t count = 0;
    auto drop = [&](DebugInfo &d) {
        if (d.known() && isSelected(count++, from, to))
            d = {};
    };
    for (SDFG *g : allSDFGs(root)) {
        drop(g->debugInfo);
        for (auto &[name, desc] : g->arrays)
            drop(desc.debugInfo);
        for (InterstateEdge *e : allInterstateEdges(*g))
            drop(e->debugInfo);
        for (Block *b : allBlocks(*g)) {
            drop(b->debugInfo);
            if (auto *s = dyn_cast<State>(b)) {
                for (const auto &n : s->nodes())
                    drop(n->debugInfo);
                for (const auto &e : s->edges())
                    drop(e->memlet.debugInfo);
            }
        }
    }
    return count;
}

} // namespace sdfgc::reduce
