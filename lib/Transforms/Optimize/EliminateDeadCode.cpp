// eliminate-dead-code: remove computations of dead values.
//
//     b[0:N] = 0                                       map[i = 0:N] { b[i] = A[i] + 7 }
//     map[i = 0:N] { b[i] = A[i] + 7; t[i] = A[i] }  ->  map[i = 0:N] { C[i] = 2 * b[i] }
//     map[i = 0:N] { C[i] = 2 * b[i] }
//
// Legal when (a step is a tasklet, a copy, a library node, a nested SDFG, or an entire map):
//   1. the step has no effects beyond its memlets (nest::hasEffects): no C++ code, callbacks, state or messages;
//   2. no element that it writes may be read before it is certainly overwritten (sdfgc/Nest/Liveness.h). At the end of
//      an SDFG, everything that outlives it counts as read: arguments, and containers whose lifetime is longer than
//      their scope, which the next call of the program sees again. Streams, views, references, and the containers that
//      these may refer to always count as read.
//
// The pass walks backwards, so steps that only fed removed steps are removed too; loops need a second walk. It then
// removes assignments to symbols that are never read, transients that are no longer mentioned, and symbols of nested SDFGs
// that these do not mention: what such a symbol was computed from may be gone. Symbols that callers
// pass remain arguments (SDFG::passedSymbols), because a program's interface must not depend on the optimisation level.
//
// Not handled: states that the nest form cannot read, elements that the graph asks to keep, and the insides of kernels.
#include "Transforms/Edits/NestRemarks.h"

#include "sdfgc/Analysis/Symbols/Mentions.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/Liveness.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>
#include <set>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using nest::Item;
using nest::PlacedUse;

/// Does the graph ask to keep something inside a node?
bool keepsInside(const Node &n) {
    if (const auto *m = dyn_cast<MapEntry>(&n))
        return !m->optimize;
    const auto *nested = dyn_cast<NestedSDFGNode>(&n);
    if (!nested || !nested->sdfg)
        return false;
    const std::vector<const Region *> regions = allRegions(std::as_const(*nested->sdfg));
    const std::vector<const State *> states = allStates(std::as_const(*nested->sdfg));
    return std::any_of(regions.begin(), regions.end(),
                       [](const Region *r) {
                           const auto *l = dyn_cast<LoopRegion>(r);
                           return l && !l->optimize;
                       }) ||
           std::any_of(states.begin(), states.end(), [](const State *s) {
               return std::any_of(s->nodes().begin(), s->nodes().end(), [](const auto &inner) { return keepsInside(*inner); });
           });
}

bool keepsInside(const Item &item) {
    if (item.step)
        return std::any_of(item.step->nodes.begin(), item.step->nodes.end(), [](const Node *n) { return keepsInside(*n); });
    return std::any_of(item.map->body.begin(), item.map->body.end(), [](const Item &i) { return keepsInside(i); });
}

/// Removes dead steps.
class DeadSteps : public nest::LivenessWalk {
public:
    DeadSteps(SDFG &g, analysis::Memories &memories, std::vector<nest::Run> &runs, pass::Context &context)
        : LivenessWalk(g, memories, runs), g_(g), context_(context) {}

private:
    bool takesOut(const Item &item) override {
        std::vector<PlacedUse> writes = nest::usesOf(item);
        std::erase_if(writes, [](const PlacedUse &u) { return !u.use->writes(); });
        if (writes.empty() || std::any_of(writes.begin(), writes.end(), [this](const PlacedUse &u) { return isLive(u); }) ||
            keepsInside(item))
            return false;
        const pass::Element where = elementOfItem(item, g_);
        const std::string unread = "its results are never read from `" + writes.front().use->data.str() + "`";
        if (nest::hasEffects(item)) {
            if (stays_.insert(where.name).second) // the walk may visit it again
                context_.missed(where, "remains, although " + unread,
                                {diag::Why::Effects, "it has effects that its memlets do not describe"});
            return false;
        }
        return context_.mayChange(where, "is removed: " + unread);
    }

    SDFG &g_;
    pass::Context &context_;
    std::set<std::string> stays_; // elements with a remark that they stay
};

/// Removes assignments of an SDFG to symbols that are never read.
bool removeAssignments(SDFG &g, const analysis::Mentions &mentions, pass::Context &context) {
    bool changed = false;
    std::set<Name> removed;
    for (Region *r : allRegions(g))
        for (const auto &e : r->edges())
            std::erase_if(e->assignments, [&](const auto &a) {
                if (mentions.all() || mentions.contain(a.first) || analysis::callsFunctions(a.second) ||
                    (g.parentNode && g.parentNode->mapped(a.first)) ||
                    !context.mayChange({*e, *r}, "assigns nothing to `" + a.first.str() + "`, which is never read"))
                    return false;
                removed.insert(a.first);
                return changed = true;
            });
    for (const InterstateEdge *e : allInterstateEdges(g)) // those that stay because they call functions
        for (const auto &[symbol, value] : e->assignments)
            removed.erase(symbol);
    for (const Name n : removed)
        g.symbols.erase(n);
    return changed;
}

/// Removes transients of an SDFG that are never mentioned.
bool removeContainers(SDFG &g, const analysis::Mentions &mentions, pass::Context &context) {
    std::vector<Name> unused;
    for (const auto &[name, d] : g.arrays)
        if (d.transient && d.lifetime == Lifetime::Scope && !d.isStructure() && !mentions.contain(name) &&
            context.mayChange({g, name}, "is removed: it is never used"))
            unused.push_back(name);
    for (const Name n : unused)
        g.arrays.erase(n);
    return !unused.empty();
}

/// Removes symbols of nested SDFGs that these do not mention, inner ones first.
void removeMappings(SDFG &root) {
    std::vector<SDFG *> all = allSDFGs(root);
    for (auto g = all.rbegin(); g != all.rend(); ++g) {
        if (!(*g)->parentNode)
            continue;
        const analysis::Mentions mentions(**g);
        std::erase_if((*g)->parentNode->symbolMapping, [&](const auto &m) {
            if (mentions.all() || mentions.contain(m.first))
                return false;
            (*g)->symbols.erase(m.first);
            (*g)->symbolHints.erase(m.first);
            return true;
        });
    }
}

class EliminateDeadCode : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        analysis::KeptInterface interface(root);
        bool changed = rewriteRuns(root, context, [&](SDFG &g, analysis::Memories &memories, std::vector<nest::Run> &runs) {
            DeadSteps(g, memories, runs, context).walk();
        });
        for (SDFG *g : allSDFGs(root)) {
            changed |= removeAssignments(*g, analysis::Mentions(*g), context);
            changed |= removeContainers(*g, analysis::Mentions(*g), context);
        }
        if (changed)
            removeMappings(root);
        interface.keep();
        if (changed)
            root.renumber();
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createEliminateDeadCode() { return std::make_unique<EliminateDeadCode>(); }

} // namespace sdfgc::transforms
