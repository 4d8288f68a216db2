#include "Transforms/Optimize/StepGraph.h"

#include "sdfgc/Tasklet/Cost.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;
using nest::Item;

StepGraph::StepGraph(const std::vector<Item> &body, analysis::LoopLevel loop, const LoopRegion &region,
                     const nest::Conflicts &items, const nest::LoopItems &loops, std::optional<int64_t> stored)
    : body_(body), items_(items), stored_(stored), after_(body.size()), carried_(body.size()) {
    for (const Item &i : body) {
        for (nest::PlacedUse &u : uses_.emplace_back(nest::usesOf(i)))
            u.instance.loops.insert(u.instance.loops.begin(), loop);
        inner_.merge(nest::localsOf(i));
    }
    findVariables(region, loops);
    for (std::size_t a = 0; a < body.size(); ++a)
        for (std::size_t b = a; b < body.size(); ++b)
            connect(a, b);
    close();
}

int64_t operationsOf(const nest::Step &s) {
    int64_t out = 0;
    for (const Node *n : s.nodes)
        if (const auto *t = dyn_cast<Tasklet>(n))
            out += py::operations(t->code.blockOrRaw()).value_or(0);
    return out;
}

Steps StepGraph::neededBy(Steps group) const {
    Steps out = 0;
    for (std::size_t k = body_.size(); k-- > 0;)
        if (has(copied_, k) && reads(group | out, uses_[k].back().use->data))
            out |= only(k);
    return out;
}

bool StepGraph::reads(Steps s, Name variable) const {
    return any(s, [&](std::size_t k) {
        return std::any_of(uses_[k].begin(), uses_[k].end(),
                           [&](const nest::PlacedUse &u) { return u.use->data == variable && !u.use->writes(); });
    });
}

void StepGraph::findVariables(const LoopRegion &region, const nest::LoopItems &loops) {
    std::set<Name> seen;
    for (std::size_t k = 0; k < body_.size(); ++k)
        for (const nest::PlacedUse &u : uses_[k])
            if (seen.insert(u.use->data).second && !inner_.count(u.use->data) && u.instance.loops.size() == 1 &&
                loops.canBeLocal(*u.use, region))
                variables_.insert(u.use->data);
    for (std::size_t k = 0; k < body_.size(); ++k)
        if (isCopied(k))
            copied_ |= only(k);
    for (const Name n : variables_)
        if (stored_ && maybeStored(n, *region.sdfg()))
            storedVariables_.insert(n);
}

/// Do steps only read and overwrite it?
bool StepGraph::maybeStored(Name variable, const SDFG &g) const {
    return g.desc(variable)->totalSize.isOne() && std::all_of(uses_.begin(), uses_.end(), [&](const auto &ofStep) {
               return std::all_of(ofStep.begin(), ofStep.end(), [&](const nest::PlacedUse &u) {
                   return u.use->data != variable || (u.use->kind != nest::UseKind::Update && u.instance.loops.size() == 1);
               });
           });
}

/// Does the step only assign a variable, with a value that is the same wherever it runs in the iteration?
bool StepGraph::isCopied(std::size_t k) const {
    const Item &i = body_[k];
    const bool simple =
        i.step && !i.step->effects && (i.step->isCopy() || (i.step->nodes.size() == 1 && isa<Tasklet>(i.step->nodes.front())));
    const auto writes = std::count_if(uses_[k].begin(), uses_[k].end(), [](const nest::PlacedUse &u) { return u.use->writes(); });
    if (!simple || writes != 1 || !uses_[k].back().use->writes() || !variables_.count(uses_[k].back().use->data))
        return false;
    if (stored_ && operationsOf(*i.step) >= *stored_)
        return false;
    const Name variable = uses_[k].back().use->data;
    for (std::size_t other = 0; other < body_.size(); ++other)
        for (const nest::PlacedUse &w : uses_[other]) {
            if (!w.use->writes() || (other < k && has(copied_, other)))
                continue;
            if (other != k && w.use->data == variable) // it has several values
                return false;
            if (std::any_of(uses_[k].begin(), uses_[k].end(),
                            [&](const nest::PlacedUse &r) { return &r != &w && items_.meet(*w.use, *r.use); }))
                return false;
        }
    return true;
}

void StepGraph::connect(std::size_t a, std::size_t b) {
    for (const nest::PlacedUse &u : uses_[a])
        for (const nest::PlacedUse &v : uses_[b]) {
            if (!items_.meet(*u.use, *v.use) || inner_.count(u.use->data))
                continue;
            if (storedVariables_.count(u.use->data)) { // each iteration has its own element
                if (!has(copied_, a) && (u.use->writes() || v.use->writes()))
                    after_[a] |= only(b);
                continue;
            }
            if (variables_.count(u.use->data)) {
                if (!has(copied_, a)) {
                    after_[a] |= only(b);
                    after_[b] |= only(a);
                }
                continue;
            }
            const auto c = items_.conflict(u, v, 1);
            if (!c)
                continue;
            const analysis::Directions &d = c->levels.front();
            if (d.equal || d.greater)
                after_[a] |= only(b);
            if (d.less)
                after_[b] |= only(a);
            if (d.greater)
                carried_[a] |= only(b);
            if (d.less)
                carried_[b] |= only(a);
        }
}

void StepGraph::close() {
    reached_ = after_;
    for (std::size_t by = 0; by < body_.size(); ++by)
        for (Steps &s : reached_)
            if (has(s, by))
                s |= reached_[by];
}

std::vector<Group> groupsOf(const StepGraph &graph, std::size_t count) {
    std::vector<Group> left;
    Steps seen = graph.copied();
    for (std::size_t a = 0; a < count; ++a) {
        if (has(seen, a))
            continue;
        Group g;
        for (std::size_t b = a; b < count; ++b)
            if (!has(seen, b) && graph.onCycle(a, b))
                g.steps |= only(b);
        seen |= g.steps;
        g.ordered = graph.carries(g.steps, g.steps);
        left.push_back(g);
    }
    std::vector<Group> out;
    while (!left.empty()) {
        const auto isFree = [&](const Group &g) {
            return std::none_of(left.begin(), left.end(),
                                [&](const Group &o) { return o.steps != g.steps && graph.follows(g.steps, o.steps); });
        };
        const auto joins = [&](const Group &g) {
            return !out.empty() && isFree(g) && g.ordered == out.back().ordered &&
                   (g.ordered || !(graph.carries(out.back().steps, g.steps) || graph.carries(g.steps, out.back().steps)));
        };
        auto next = std::find_if(left.begin(), left.end(), joins);
        if (next != left.end()) {
            out.back().steps |= next->steps;
        } else {
            next = std::find_if(left.begin(), left.end(), isFree);
            out.push_back(*next);
        }
        left.erase(next);
    }
    return out;
}

} // namespace sdfgc::transforms
