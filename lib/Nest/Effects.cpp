#include "Nest/Effects.h"

#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Tasklet/Ast.h"

#include <algorithm>
#include <array>

namespace sdfgc::nest {

using namespace ir;

namespace {

/// Libraries whose nodes are described completely by their memlets.
constexpr std::array pureLibraries{"blas", "fft", "lapack", "linalg", "sparse", "standard", "tensor", "ttranspose"};

bool callsBack(const Tasklet &t) {
    const SDFG &g = *t.state()->sdfg();
    const std::set<Name> called = py::blockNames(t.code.blockOrRaw()).called;
    return std::any_of(called.begin(), called.end(), [&](Name n) { return g.symbols.contains(n) || g.desc(n); });
}

bool hasEffects(const Tasklet &t) {
    if (!t.code.isPython() || !t.codeGlobal.empty() || !t.codeInit.empty() || !t.codeExit.empty() || !t.stateFields.empty() ||
        t.sideEffects.value_or(false))
        return true;
    return callsBack(t) || !analysis::changedSymbols(t).empty();
}

/// Does any memory in it persist from one execution to the next? Reordered executions would find other values there, and concurrent
/// ones would share it.
bool keepsMemory(const SDFG &g) {
    for (const auto &[name, d] : g.arrays)
        if (d.transient && d.lifetime != Lifetime::Scope && d.lifetime != Lifetime::State && d.lifetime != Lifetime::SDFG)
            return true;
    return false;
}

bool hasEffects(const SDFG &g) {
    if (keepsMemory(g))
        return true;
    for (const State *s : allStates(g))
        for (const auto &n : s->nodes())
            if (n->isCode() && nest::hasEffects(*n))
                return true;
    return false;
}

} // namespace

bool hasEffects(const Node &n) {
    if (const auto *t = dyn_cast<Tasklet>(&n))
        return hasEffects(*t);
    if (const auto *nested = dyn_cast<NestedSDFGNode>(&n))
        return !nested->sdfg || hasEffects(*nested->sdfg);
    if (const auto *library = dyn_cast<LibraryNode>(&n))
        return std::find(pureLibraries.begin(), pureLibraries.end(), library->libraryName()) == pureLibraries.end();
    return n.kind() == NodeKind::ConsumeEntry;
}

bool assignsAlways(const Tasklet &t, Name output) {
    if (!t.code.isPython())
        return false;
    const py::BlockNames names = py::blockNames(t.code.blockOrRaw());
    return names.always.count(output) && !names.read.count(output);
}

} // namespace sdfgc::nest
