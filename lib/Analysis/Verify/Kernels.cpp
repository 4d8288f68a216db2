// The scheduled level: dependent phases of kernels have a barrier between them (sdfgc/Analysis/Streams/Barriers.h), copies specify
// their method (sdfgc/Analysis/Memory/Copies.h), there is only one team of threads at a time (sdfgc/Analysis/Teams.h), and kernels
// specify their block sizes.
#include "Analysis/Verify/Verifier.h"

#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Streams/Barriers.h"
#include "sdfgc/Analysis/Teams.h"

#include <algorithm>

namespace sdfgc::analysis {

using namespace ir;

void Verifier::barriers(const SDFG &constRoot) {
    SDFG &root = unchanged(constRoot);
    StreamSteps steps(root);
    PhaseOrder(root, steps).run([&](const PhaseConflict &c) {
        const diag::Message message(diag::Id::ThreadsUnordered, c.laterName(), c.use.write ? "write" : "read",
                                    steps.name(c.use.memory), c.earlierName(), c.executor == Executor::Grid ? "grid" : "block");
        const StreamStep *later = c.step < c.steps->size() ? &(*c.steps)[c.step] : nullptr;
        if (!later)
            report(message, placeOf(*c.state));
        else if (later->edge)
            report(message, placeOf(*later->edge));
        else
            report(message, placeOf(*later->node));
        return false;
    });
}

void Verifier::copyMethods(const SDFG &constRoot) {
    SDFG &root = unchanged(constRoot);
    Memories memories(root);
    for (SDFG *g : allSDFGs(root))
        for (State *s : allStates(*g))
            for (const GraphCopy &c : copiesOf(*s, memories)) {
                const CopyMethod is = c.edge->memlet.copy, should = chooseCopy(c.ends(), c.shape());
                if (is == should)
                    continue;
                if (is == CopyMethod::Undecided)
                    report(diag::Id::UndecidedCopy, *c.edge, c.fromData, c.toData);
                else
                    report(diag::Id::UnsuitableCopy, *c.edge, c.fromData, c.toData, name(is), name(should));
            }
}

namespace {

class ScheduleCheck : public TeamWalk {
public:
    std::vector<const Node *> maps;
    std::vector<const SDFG *> sections;
    std::vector<const Node *> shapeless;

private:
    void enter(SDFG &g, Team around) override {
        if (around != Team::None && g.openmpSections)
            sections.push_back(&g);
    }
    void visit(Node &n, const ScopeTree &scopes, Team around) override {
        const auto *m = dyn_cast<MapEntry>(&n);
        if (m && m->schedule == Schedule::CPU_Multicore && around == Team::Member)
            maps.push_back(m);
        const bool kernel = m && isKernelSchedule(m->schedule);
        if (kernel && !inKernel(*m, scopes) &&
            (!m->gpuBlockSize || m->gpuBlockSize->size() != 3 ||
             (m->gpuGridLimit.size() != 3 && !(m->schedule == Schedule::GPU_Persistent && m->gpuGridLimit.empty()))))
            shapeless.push_back(m);
    }
    static bool inKernel(const MapEntry &m, const ScopeTree &scopes) {
        const std::vector<Node *> around = scopes.enclosing(&m);
        const auto isKernel = [](const Node *n) { return isGpuSchedule(*scheduleOf(n)); };
        const NestedSDFGNode *holder = m.state()->sdfg()->parentNode;
        return std::any_of(around.begin(), around.end(), isKernel) || (holder && executorOf(*holder) != Executor::Host);
    }
};

} // namespace

void Verifier::schedules(const SDFG &root) {
    ScheduleCheck check;
    check.run(unchanged(root));
    for (const SDFG *g : check.sections)
        report(diag::Id::TeamInTeam, *g, "the nested SDFG, which requests OpenMP sections,");
    for (const Node *m : check.maps)
        report(diag::Id::TeamInTeam, *m, "the map");
    for (const Node *m : check.shapeless)
        report(diag::Id::ShapelessKernel, *m);
}

} // namespace sdfgc::analysis
