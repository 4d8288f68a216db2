// offload-to-gpu: move a program written for the CPU to the GPU.
//
//   before:  A -> map[i] CPU_Multicore -> B            after:  state copy_in:   A -> gpu_A, B -> gpu_B
//                                                              gpu_A -> map[i] GPU_Device -> gpu_B
//                                                              state copy_out:  gpu_B -> B
//
// Graphs that already have a GPU schedule or storage stay as they are, because they have decided already. Only host
// scalars that kernels write are moved.
//
//   1. Every array of the dataflow outside maps gets device memory. Transients move. An argument gets a device twin. It
//      is filled at the start, unless the program overwrites all of it before reading any, and copied back at the end
//      if the program writes it.
//   2. Code that accesses device memory becomes a kernel, and memory that kernels write moves too (DevicePlacement.h).
//      Scalars that only the host writes stay there and are passed by value.
//   3. Control flow runs on the host and keeps reading the caller's arrays. A copy from the twin precedes every place
//      that reads an array which the device writes. (mirror-host-reads does this for transients.)
//   4. A sequential map whose iterations use each other's results (DependentIterations.h) runs in one thread of a
//      kernel, with a remark.
//   5. A size that only copies need is not a parameter, because the interface is the same for every target. Callers set it
//      on the handle (HandleSizes.h).
//   6. Inside kernels, parallel CPU maps become loops of a thread, and heap memory becomes private memory.
//
// Not handled, with a remark that names the reason:
//   - programs with streams, structures, references, callbacks, C++ tasklets, persistent maps, or memory that the
//     caller provides;
//   - nested SDFGs in maps whose memory keeps values from one iteration to the next;
//   - early returns and irreducible control flow;
//   - ordered maps (loops) outside of maps; inside they are loops of a thread;
//   - arrays whose size is undefined or computed by the program (HandleSizes.h);
//   - without `--place device`, arrays whose size callers would have to set on the handle, since callers of
//     DaCe's interface do not know of it;
//   - programs that would launch many kernels of few elements (FewElements.h), which run faster on the host. `--place
//     device` and the option `few-elements` move them.
//
// `--place require` makes each of these an error, and `--place host` moves nothing.
#include "Transforms/Edits/DevicePlacement.h"
#include "Transforms/Edits/HostReads.h"
#include "Transforms/Offload/FewElements.h"
#include "Transforms/Offload/HandleSizes.h"
#include "Transforms/Offload/Overwritten.h"

#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/LibraryNodes/LibraryNodes.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace sdfgc::transforms {
namespace {

using namespace ir;

/// A container of a nested SDFG in a map that keeps values between executions; private memory would lose them.
Name keptInMaps(SDFG &g, bool inMap) {
    const auto keeps = [](const DataDesc &d) {
        return d.transient && (d.lifetime == Lifetime::Persistent || d.lifetime == Lifetime::Global);
    };
    if (inMap && std::any_of(g.arrays.begin(), g.arrays.end(), [&](const auto &entry) { return keeps(entry.second); })) {
        const std::set<Name> overwritten = overwrittenContainers(g);
        for (const auto &[n, d] : g.arrays)
            if (keeps(d) && !overwritten.count(n))
                return n;
    }
    for (State *s : allStates(g)) {
        const analysis::ScopeTree scopes(*s);
        for (const auto &n : s->nodes())
            if (auto *nested = dyn_cast<NestedSDFGNode>(n.get()); nested && nested->sdfg)
                if (const Name kept = keptInMaps(*nested->sdfg, inMap || scopes.scopeOf(n.get())))
                    return kept;
    }
    return {};
}

/// Is a map inside of another one, which may be a kernel?
bool isInMap(const MapEntry &m) {
    const State &s = *m.state();
    return analysis::ScopeTree(s).scopeOf(&m) || analysis::isInScope(*s.sdfg());
}

/// Why a program cannot be moved; empty if it can.
std::string obstacle(SDFG &root) {
    for (SDFG *g : allSDFGs(root)) {
        for (const auto &[n, d] : g->arrays) {
            if (d.isStream())
                return "stream `" + n.str() + "`";
            if (d.dtype == Type::opaque("MPI_Request")) // transfers continue after the call, but staging buffers do not last
                return "messages are pending until a node waits for `" + n.str() + "`";
            if (d.isStructure() || d.isContainerArray() || d.isReference() || !(d.isScalar() || d.isArray()))
                return "container `" + n.str() + "` is not a plain array";
            if (d.lifetime == Lifetime::External)
                return "container `" + n.str() + "` is host memory that the caller provides";
            if (d.storage == Storage::CPU_ThreadLocal)
                return "thread-local container `" + n.str() + "`";
        }
        for (const auto &[n, t] : g->symbols)
            if (t.isCallback())
                return "callback `" + n.str() + "`";
        for (Block *b : allBlocks(*g))
            if (b->kind() == BlockKind::Return || b->kind() == BlockKind::Unstructured || b->kind() == BlockKind::FunctionCall)
                return "block `" + b->label + "` ends the program early or is unstructured";
        for (State *s : allStates(*g))
            for (const auto &n : s->nodes()) {
                if (const auto *t = dyn_cast<Tasklet>(n.get());
                    t && (t->code.language != Language::Python || t->sideEffects.value_or(false)))
                    return "tasklet `" + t->label + "` is code for the host";
                if (const auto *t = dyn_cast<Tasklet>(n.get()))
                    for (Name symbol : analysis::changedSymbols(*t))
                        return "tasklet `" + t->label + "` changes the symbol `" + symbol.str() + "`";
                if (isa<ConsumeEntry>(n.get()))
                    return "consume scope `" + n->label + "`";
                if (const auto *m = dyn_cast<MapEntry>(n.get());
                    m && m->schedule != Schedule::Sequential && m->schedule != Schedule::CPU_Multicore &&
                    m->schedule != Schedule::Default && m->schedule != Schedule::Unrolled)
                    return "map `" + m->label + "` has the schedule " + std::string(name(m->schedule));
                if (const auto *m = dyn_cast<MapEntry>(n.get()); m && m->ordered && !isInMap(*m))
                    return "map `" + m->label + "` is a loop whose iterations depend on each other";
                if (const auto *a = dyn_cast<AccessNode>(n.get());
                    a && a->dataInstrument != DataInstrumentation::No_Instrumentation)
                    return "container `" + a->data.str() + "` is recorded or restored";
                if (const auto *nested = dyn_cast<NestedSDFGNode>(n.get()))
                    for (const auto &[symbol, value] : nested->symbolMapping)
                        for (Name free : value.freeSymbols())
                            if (g->arrays.contains(free) && !g->symbols.find(free))
                                return "nested SDFG `" + nested->label + "` maps a symbol to data";
            }
    }
    if (const Name kept = keptInMaps(root, false))
        return "container `" + kept.str() + "` in a map keeps its values from one iteration to the next";
    return uncopiable(root);
}

class Offload {
public:
    Offload(SDFG &root, pass::Context &context) : root_(root), context_(context) {}
    void run();

private:
    void moveArrays(SDFG &g);
    void copyInAndOut();
    void insideKernels(SDFG &g);

    SDFG &root_;
    pass::Context &context_;
    Twins callers_;              // arrays of the caller, and their twins
    std::set<Name> overwritten_; // containers whose contents before the call have no effect
};

bool writtenByMaps(const SDFG &g, Name data) {
    for (const State *s : allStates(g))
        for (const auto &e : s->edges())
            if (const auto *a = dyn_cast<AccessNode>(e->dst);
                a && a->data == data && (e->src->isExit() || !analysis::ScopeTree(*s).enclosing(a).empty()))
                return true;
    return false;
}

/// Is it written by a tasklet that also uses an array? Such a tasklet becomes a kernel.
bool writtenBesideArrays(const SDFG &g, Name data) {
    for (const State *s : allStates(g))
        for (const auto &e : s->edges())
            if (const auto *a = dyn_cast<AccessNode>(e->dst); a && a->data == data && isa<Tasklet>(e->src) && usesArray(*e->src))
                return true;
    return false;
}

/// Arrays that more than one iteration of an outer map uses; scalars stay where they are unless a kernel writes them
/// (DevicePlacement.h).
void Offload::moveArrays(SDFG &g) {
    for (Name n : analysis::sharedContainers(g)) {
        DataDesc *d = g.arrays.find(n);
        if (!d || g.constant(n) || d->isView())
            continue;
        const bool callers = g.isRoot() && !d->transient;
        if (!d->isArray() && !(callers && d->isScalar() && (writtenByMaps(g, n) || writtenBesideArrays(g, n))))
            continue;
        if (callers)
            callers_[n] = splitForDevice(g, n);
        else if (d->transient)
            d->storage = Storage::GPU_Global;
    }
    for (NestedSDFGNode *nested : hostNested(g))
        moveArrays(*nested->sdfg);
}

/// Copies the caller's arrays to the device first, and those that the program writes back at the end.
void Offload::copyInAndOut() {
    std::vector<std::pair<Name, Name>> in, out;
    for (const auto &[host, device] : callers_) {
        if (!overwritten_.count(host))
            in.emplace_back(host, device);
        if (writtenInDataflow(root_, device) && !root_.arrays.find(host)->isScalar()) // scalars are passed by value
            out.emplace_back(host, device);
    }
    auto copyAll = [](State &s, Name from, Name to) {
        auto *begin = s.add<AccessNode>(from), *end = s.add<AccessNode>(to);
        s.copyAll(begin, end);
    };
    std::vector<Block *> last;
    for (const auto &b : root_.blocks())
        if (b->outEdges().empty())
            last.push_back(b.get());
    if (!in.empty()) {
        Block *start = root_.start();
        State *s = root_.add<State>();
        s->label = "copy_in";
        for (const auto &[host, device] : in)
            copyAll(*s, host, device);
        if (start)
            root_.connect(s, start);
        root_.setStart(s);
    }
    if (!out.empty()) {
        State *s = root_.add<State>();
        s->label = "copy_out";
        for (const auto &[host, device] : out)
            copyAll(*s, device, host);
        for (Block *b : last)
            root_.connect(b, s);
    }
}

/// In code that kernels run, nothing is parallel or on the host's heap.
void privatise(SDFG &g);

void privatiseScope(State &s, const analysis::ScopeTree &scopes, const Node *entry) {
    SDFG &g = *s.sdfg();
    for (Node *n : scopes.children(entry)) {
        if (auto *m = dyn_cast<MapEntry>(n)) {
            if (m->schedule != Schedule::Unrolled)
                m->schedule = Schedule::Sequential;
            privatiseScope(s, scopes, m);
        } else if (auto *a = dyn_cast<AccessNode>(n)) {
            DataDesc *d = g.arrays.find(a->data);
            if (d && d->transient && !isGpuStorage(d->storage)) {
                d->storage = Storage::Register;
                d->lifetime = Lifetime::Scope;
            }
        } else if (auto *nested = dyn_cast<NestedSDFGNode>(n); nested && nested->sdfg) {
            privatise(*nested->sdfg);
        } else if (auto *l = dyn_cast<LibraryNode>(n)) {
            l->schedule = Schedule::Sequential;
        }
    }
}

void privatise(SDFG &g) {
    for (auto [n, d] : g.arrays)
        if (DataDesc *mine = g.arrays.find(n); mine->transient && !isGpuStorage(mine->storage)) {
            mine->storage = Storage::Register;
            mine->lifetime = Lifetime::Scope;
        }
    for (State *s : allStates(g)) {
        analysis::ScopeTree scopes(*s);
        privatiseScope(*s, scopes, nullptr);
    }
}

void Offload::insideKernels(SDFG &g) {
    for (State *s : allStates(g)) {
        analysis::ScopeTree scopes(*s);
        for (Node *n : scopes.children(nullptr)) {
            if (auto *m = dyn_cast<MapEntry>(n); m && m->schedule == Schedule::GPU_Device)
                privatiseScope(*s, scopes, m);
            if (auto *l = dyn_cast<LibraryNode>(n))
                l->schedule = Schedule::GPU_Device;
        }
    }
    for (NestedSDFGNode *nested : hostNested(g))
        insideKernels(*nested->sdfg);
}

void Offload::run() {
    overwritten_ = overwrittenContainers(root_);
    moveArrays(root_);
    placeOnDevice(root_, context_);
    Twins written; // those whose host copy may be out of date
    for (const auto &[host, device] : callers_)
        if (writtenInDataflow(root_, device))
            written[host] = device;
    refreshBeforeReads(root_, written);
    copyInAndOut();
    insideKernels(root_);
    root_.renumber();
}

/// Why a program would be slower on the device; empty if it would not.
std::string whyFewElements(SDFG &root) {
    const DeviceWork work = estimateDeviceWork(root);
    if (!work.isNotWorthwhile())
        return "";
    const auto rounded = [](double x) { return std::to_string(static_cast<int64_t>(std::llround(x))); };
    const std::string elements = rounded(work.elements / work.launches);
    return "it would launch " + rounded(work.launches) + " kernels of " + elements + (elements == "1" ? " element" : " elements") +
           " each, on average, if its loops count to 1000, which takes " + durationText(work.onDevice()) + " on the device and " +
           durationText(work.onHost()) + " on the host";
}

class OffloadToGpu : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        if (mentionsGpu(root))
            return placeWrittenScalars(root, context);
        const pass::Placement place = context.options.place;
        if (place == pass::Placement::Host)
            return stays(root, context, "`--place host` leaves it there");
        if (const std::string why = obstacle(root); !why.empty())
            return stays(root, context, why);
        if (place != pass::Placement::Device && !option<bool>("few-elements"))
            if (const std::string why = whyFewElements(root); !why.empty())
                return stays(root, context, why, "`--place device` moves it nevertheless");
        const std::set<Name> parameters = parametersOnHost(root, context);
        // Callers of DaCe's interface would not set it.
        if (place != pass::Placement::Device && !option<bool>("few-elements"))
            if (const std::string why = neededForCopies(root, parameters); !why.empty())
                return stays(root, context, why, "`--place device` moves it, and lets callers set this size on the handle");
        Offload(root, context).run();
        keepParameters(root, parameters, context);
        if (place == pass::Placement::Require && !mentionsGpu(root))
            stays(root, context, "it has nothing for a device to do");
        return true;
    }

private:
    /// Reports why the program stays on the host, unless the user wants it there.
    static bool stays(const SDFG &root, pass::Context &context, const std::string &why, const std::string &hint = "") {
        context.missed(root, "the program stays on the host", {diag::Why::Host, why});
        if (context.options.place == pass::Placement::Host)
            return false;
        const bool isError = context.options.place == pass::Placement::Require;
        diag::Location where;
        where.element = elementName(root);
        diag::Diagnostic &report = isError ? context.diags.report(diag::Id::ProgramNotOnDevice, where, root.name.str(), why)
                                           : context.diags.report(diag::Id::ProgramOnHost, where, root.name.str(), why);
        if (!hint.empty())
            report.hint = hint + (isError ? "" : "; `--place require` makes this an error");
        return false;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createOffloadToGpu() { return std::make_unique<OffloadToGpu>(); }

} // namespace sdfgc::transforms
