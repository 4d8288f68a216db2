// The scheduled level: phases of kernels that depend on each other have a barrier between them (sdfgc/Analysis/Barriers.h), copies
// that touch device memory say how they are made (sdfgc/Analysis/Copies.h), and there is one team of threads at a time
// (sdfgc/Analysis/Teams.h).
#include "Analysis/Verify/Verifier.h"

#include "sdfgc/Analysis/Barriers.h"
#include "sdfgc/Analysis/Copies.h"
#include "sdfgc/Analysis/Teams.h"

namespace sdfgc::analysis {

using namespace ir;

void Verifier::barriers(const SDFG &constRoot) {
    SDFG &root = const_cast<SDFG &>(constRoot); // the walk changes nothing unless it is told to
    StreamSteps steps(root);
    PhaseOrder(root, steps, [&](const PhaseConflict &c) {
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
    }).run();
}

void Verifier::copyMethods(const SDFG &constRoot) {
    SDFG &root = const_cast<SDFG &>(constRoot);
    for (SDFG *g : allSDFGs(root))
        for (State *s : allStates(*g))
            for (const GraphCopy &c : deviceCopies(*s)) {
                const CopyMethod is = c.edge->memlet.copy, should = chooseCopy(c.ends(), c.shape());
                if (is == should)
                    continue;
                if (is == CopyMethod::Undecided)
                    report(diag::Id::UndecidedCopy, *c.edge, c.from->data, c.to->data);
                else
                    report(diag::Id::UnsuitableCopy, *c.edge, c.from->data, c.to->data, name(is), name(should));
            }
}

namespace {

class TeamCheck : public TeamWalk {
public:
    std::vector<const Node *> maps;
    std::vector<const SDFG *> sections;

private:
    void enter(SDFG &g, Team around) override {
        if (around != Team::None && g.openmpSections)
            sections.push_back(&g);
    }
    void visit(Node &n, const ScopeTree &, Team around) override {
        const auto *m = dyn_cast<MapEntry>(&n);
        if (m && m->schedule == Schedule::CPU_Multicore && around == Team::Member)
            maps.push_back(m);
    }
};

} // namespace

void Verifier::teams(const SDFG &root) {
    TeamCheck check;
    check.run(const_cast<SDFG &>(root)); // changes nothing
    for (const SDFG *g : check.sections)
        report(diag::Id::TeamInTeam, *g, {"the nested SDFG, which asks for OpenMP sections,"});
    for (const Node *m : check.maps)
        report(diag::Id::TeamInTeam, *m, {"the map"});
}

} // namespace sdfgc::analysis
