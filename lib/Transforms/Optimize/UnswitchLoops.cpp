#include "Transforms/Optimize/UnswitchLoops.h"

#include "Transforms/Edits/Nodes.h"

#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Symbols/Mentions.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Nest/Build.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;
using diag::Reason;
using diag::Why;

namespace {

constexpr std::size_t littleBeside = 40; // nodes next to a conditional that may be duplicated for each of its branches
constexpr std::size_t fewBranches = 4;
constexpr int manyLoops = 64; // limit on duplicated loops in an SDFG

/// Why a loop cannot be there twice in one SDFG, under names that differ.
Reason whatIsSingle(const LoopRegion &l) {
    if (Reason why = whatIsUnique(l))
        return why;
    for (const State *s : allStates(l))
        for (const AccessNode *a : nodesOf<AccessNode>(*s)) {
            const DataDesc *d = s->sdfg()->desc(a->data);
            if (d && (d->isStructure() || d->isContainerArray())) // the names of its members contain its own name
                return {Why::Container, "`" + a->data.str() + "` has members"};
        }
    return {};
}

} // namespace

Reason whatIsUnique(const LoopRegion &l) {
    for (const State *s : allStates(l)) {
        if (s->instrument != Instrumentation::No_Instrumentation || s->symbolInstrument != DataInstrumentation::No_Instrumentation)
            return {Why::Effects, "`" + s->label + "` is measured"};
        for (const auto &n : s->nodes()) {
            const auto *t = dyn_cast<Tasklet>(n.get());
            const auto *nested = dyn_cast<NestedSDFGNode>(n.get());
            if (n->instrument != Instrumentation::No_Instrumentation || (nested && !nested->uniqueName.empty()) ||
                (t && (!t->codeGlobal.empty() || !t->codeInit.empty() || !t->codeExit.empty() || !t->stateFields.empty())))
                return {Why::Effects, "`" + n->label + "` has its own name or state"};
        }
    }
    return {};
}

const ConditionalBlock *LoopUnswitching::testOf(const LoopRegion &l) {
    const ConditionalBlock *out = nullptr;
    for (const auto &b : l.blocks()) {
        const auto *c = dyn_cast<ConditionalBlock>(b.get());
        if ((c && out) || (!c && !isa<State>(b.get())))
            return nullptr;
        if (c)
            out = c;
    }
    return out;
}

Reason LoopUnswitching::obstacle(const LoopRegion &l, const ConditionalBlock &c, const std::set<Name> &assigned) const {
    if (c.branches().empty() || !c.branches().front().condition)
        return {Why::ControlFlow, "it has no condition"};
    if (analysis::hasJump(l) || analysis::sequenceOf(const_cast<LoopRegion &>(l)).empty())
        return {Why::ControlFlow, "a jump leaves its body"};
    for (const auto &branch : c.branches()) {
        if (!branch.region->blocks().empty() && analysis::sequenceOf(*branch.region).empty())
            return {Why::ControlFlow, "a branch is not a sequence"};
        if (branch.condition && !isInvariant(*branch.condition, l, assigned))
            return {Why::Dependence, "iterations may change `" + branch.condition->text() + "`"};
    }
    std::size_t beside = 0;
    for (const auto &b : l.blocks())
        if (const auto *s = dyn_cast<State>(b.get()))
            beside += s->nodes().size();
    if (unswitched_ >= manyLoops || beside > littleBeside || c.branches().size() > fewBranches)
        return {Why::Budget, "too much code would be duplicated"};
    return whatIsSingle(l);
}

/// Does a condition have the same value before a loop and in all of its iterations, and can it be tested even if the loop never
/// runs?
bool LoopUnswitching::isInvariant(const Code &c, const LoopRegion &l, const std::set<Name> &assigned) const {
    if (!c.isPython() || c.text().find_first_of("/%[.") != std::string::npos || analysis::callsFunctions(c.text()))
        return false;
    const std::set<Name> names = analysis::namesInCode(c, g_);
    return std::all_of(names.begin(), names.end(), [&](Name n) {
        if (n == l.variable || assigned.count(n) || changedByCode_.count(n))
            return false;
        const DataDesc *d = g_.desc(n);
        return d ? d->isScalar() && analysis::isPlain(d) && analysis::isOnHost(d) && !isWrittenIn(l, n) : g_.symbols.contains(n);
    });
}

bool LoopUnswitching::isWrittenIn(const LoopRegion &l, Name scalar) const {
    const analysis::Memory memory = memories_.of(g_, scalar);
    bool written = false;
    for (const State *s : allStates(l))
        for (const AccessNode *a : nodesOf<AccessNode>(*s))
            written |= !a->inEdges().empty() && !memories_.apart(memories_.of(*a), memory);
    return written;
}

void LoopUnswitching::unswitch(LoopRegion &l, const ConditionalBlock &c) {
    Region &r = *l.parent();
    std::size_t position = 0;
    while (l.blocks()[position].get() != &c)
        ++position;
    ++unswitched_;
    const Block *const start = r.start();
    auto *outer = r.add<ConditionalBlock>();
    const auto &inner = c.branches();
    outer->label = edits_.freshLabel(l.label + "_test");
    outer->debugInfo = c.debugInfo;
    const std::set<Name> shared = analysis::sharedContainers(g_);
    std::set<Name> owned;
    bool complete = false;
    for (std::size_t k = 0; k <= inner.size(); ++k) {
        const bool isElse = k == inner.size();
        if (isElse && (complete || isIdleWithout(l, c)))
            break;
        const std::optional<Code> condition = isElse ? std::nullopt : inner[k].condition;
        complete |= !condition;
        Region *branch = outer->addBranch(condition, std::make_unique<Region>());
        branch->label = edits_.freshLabel(l.label + "_branch");
        auto *copy = cast<LoopRegion>(branch->adopt(ir::clone(static_cast<const Block &>(l))));
        auto *test = cast<ConditionalBlock>(copy->blocks()[position].get());
        const std::unique_ptr<Region> content = isElse ? std::make_unique<Region>() : std::move(test->branches()[k].region);
        edits_.putInPlaceOf(*test, *content);
        if (k > 0)
            rename(*copy);
        separate(*copy, shared, owned);
    }
    takePlace(r, start, l, l, *outer, *outer);
    r.removeBlock(&l);
}

/// Renames containers private to iterations of scopes in each copy: a container used in several scopes would be shared
/// by all iterations. `owned`: by previous copies.
void LoopUnswitching::separate(LoopRegion &l, const std::set<Name> &shared, std::set<Name> &owned) {
    const std::vector<State *> states = allStates(l);
    std::map<Name, Name> names;
    for (const State *s : states)
        for (const AccessNode *a : nodesOf<AccessNode>(*s))
            if (g_.arrays.contains(a->data) && !shared.count(a->data))
                names.try_emplace(a->data);
    if (connectors_.empty() && !names.empty())
        connectors_ = nest::connectorsOf(g_);
    for (auto &[name, other] : names)
        other = owned.insert(name).second ? name : nest::addContainer(g_, name.str(), DataDesc(*g_.desc(name)), connectors_);
    const auto rename = [&names](Name &n) {
        if (const auto found = names.find(n); found != names.end())
            n = found->second;
    };
    for (State *s : states) {
        for (AccessNode *a : nodesOf<AccessNode>(*s))
            rename(a->data);
        for (const auto &e : s->edges())
            rename(e->memlet.data);
    }
}

/// Does the loop do nothing if no branch is taken?
bool LoopUnswitching::isIdleWithout(const LoopRegion &l, const ConditionalBlock &c) {
    for (const auto &b : l.blocks())
        if (const auto *s = dyn_cast<State>(b.get()); b.get() != &c && s && !s->nodes().empty())
            return false;
    return analysis::headerOf(l).hasEnd() && !edits_.isReadOutside(l) &&
           std::all_of(l.edges().begin(), l.edges().end(), [](const auto &e) { return e->assignments.empty(); });
}

/// Gives its blocks unique labels.
void LoopUnswitching::rename(LoopRegion &l) {
    l.label = edits_.freshLabel(l.label);
    for (Block *b : allBlocks(l))
        if (!b->label.empty())
            b->label = edits_.freshLabel(b->label);
}

} // namespace sdfgc::transforms
