#include "sdfgc/Analysis/Teams.h"

#include "sdfgc/Support/UnionFind.h"

#include <algorithm>
#include <map>

namespace sdfgc::analysis {

using namespace ir;

Team teamInside(const Node &entry, Team around) {
    if (isa<ConsumeEntry>(&entry))
        return Team::Member;
    const auto *m = dyn_cast<MapEntry>(&entry);
    if (!m)
        return around;
    if (m->schedule == Schedule::CPU_Persistent)
        return Team::Whole;
    return m->schedule == Schedule::CPU_Multicore || isGpuSchedule(m->schedule) ? Team::Member : around;
}

namespace {

/// Component number for each node id.
std::vector<std::size_t> components(const State &s) {
    UnionFind parts(s.nodes().size());
    for (const auto &e : s.edges())
        parts.join(e->src->id(), e->dst->id());
    std::map<Name, std::pair<std::vector<std::size_t>, bool>> uses; // access nodes of a container, and whether one writes
    for (const auto &n : s.nodes())
        if (const auto *a = dyn_cast<AccessNode>(n.get())) {
            auto &[nodes, written] = uses[a->data];
            nodes.push_back(a->id());
            written |= !a->inEdges().empty();
        }
    for (const auto &[data, use] : uses)
        for (std::size_t n : use.first)
            if (use.second)
                parts.join(use.first.front(), n);
    std::vector<std::size_t> part(s.nodes().size());
    for (std::size_t i = 0; i < part.size(); ++i)
        part[i] = parts.find(i);
    return part;
}

} // namespace

std::vector<std::vector<Node *>> independentParts(const State &s, const ScopeTree &scopes) {
    const std::vector<std::size_t> component = components(s);
    std::vector<std::vector<Node *>> parts;
    std::map<std::size_t, std::size_t> place; // component to position in parts
    for (Node *n : scopes.children(nullptr)) {
        auto [it, isNew] = place.try_emplace(component[n->id()], parts.size());
        if (isNew)
            parts.emplace_back();
        parts[it->second].push_back(n);
    }
    return parts;
}

bool runsAsSections(const State &s, const ScopeTree &scopes) {
    return s.sdfg()->openmpSections && independentParts(s, scopes).size() > 1;
}

void TeamWalk::sdfg(SDFG &g, Team around) {
    enter(g, around);
    for (State *s : allStates(g))
        state(*s, around);
}

void TeamWalk::state(State &s, Team around) {
    const ScopeTree scopes(s);
    if (runsAsSections(s, scopes))
        around = Team::Member;
    std::vector<Team> inside(s.nodes().size(), around); // by node id of an entry
    for (Node *n : scopes.order()) {
        if (n->isExit())
            continue;
        const Node *scope = scopes.scopeOf(n);
        const Team here = scope ? inside[scope->id()] : around;
        visit(*n, scopes, here);
        if (n->isEntry())
            inside[n->id()] = teamInside(*n, here);
        else if (auto *nested = dyn_cast<NestedSDFGNode>(n); nested && nested->sdfg)
            sdfg(*nested->sdfg, here);
    }
    leave(s);
}

} // namespace sdfgc::analysis
