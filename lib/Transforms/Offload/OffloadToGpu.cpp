// offload-to-gpu: moves a program that was written for the CPU to the GPU.
//
//   before:  A -> map[i] CPU_Multicore -> B            after:  state copy_in:   A -> gpu_A, B -> gpu_B
//                                                              gpu_A -> map[i] GPU_Device -> gpu_B
//                                                              state copy_out:  gpu_B -> B
//
// Graphs that have a GPU schedule or storage already are left as they are: somebody has decided.
//
//   1. Every array of the dataflow outside of maps gets memory on the device: transients move, the caller's arrays get a device twin that
//      is filled at the beginning and, if the program writes it, copied back at the end.
//   2. What touches device memory becomes a kernel, what kernels write moves too (DevicePlacement.h). Scalars that only the host writes stay
//      and are passed by value.
//   3. Control flow runs on the host. A container that conditions and assignments read has a host twin under the old name; a copy is put in
//      front of every place that reads it, if the device writes it at all.
//   4. Ranges of kernels that come from device memory are copied to a host scalar first.
//   5. Inside of kernels, parallel maps of the CPU become loops of a thread, heap memory becomes private memory.
//
// Not moved at all, with a remark that says why: programs with streams, structures, references, callbacks, tasklets in C++, persistent maps,
// early returns, and irreducible control flow.
#include "Transforms/Offload/DevicePlacement.h"

#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>
#include <map>
#include <set>

namespace sdfgc::transforms {
namespace {

using namespace ir;

bool usesGpu(SDFG &root) {
    for (SDFG *g : allSDFGs(root)) {
        for (const auto &[n, d] : g->arrays)
            if (isGpuStorage(d.storage))
                return true;
        for (State *s : allStates(*g))
            for (const auto &n : s->nodes())
                if (const auto *m = dyn_cast<MapEntry>(n.get()); m && isGpuSchedule(m->schedule))
                    return true;
    }
    return false;
}

/// Why a program cannot be moved; empty if it can.
std::string obstacle(SDFG &root) {
    for (SDFG *g : allSDFGs(root)) {
        for (const auto &[n, d] : g->arrays) {
            if (d.isStream())
                return "stream `" + n.str() + "`";
            if (d.isStructure() || d.isContainerArray() || d.isReference() || !(d.isScalar() || d.isArray()))
                return "container `" + n.str() + "` is not a plain array";
            if (d.storage == Storage::CPU_ThreadLocal)
                return "thread-local container `" + n.str() + "`";
        }
        for (const auto &[n, t] : g->symbols)
            if (t.isCallback())
                return "callback `" + n.str() + "`";
        for (Block *b : allBlocks(*g))
            if (b->kind() == BlockKind::Return || b->kind() == BlockKind::Unstructured || b->kind() == BlockKind::FunctionCall)
                return "block `" + b->label + "` ends the program early or is not structured";
        for (State *s : allStates(*g))
            for (const auto &n : s->nodes()) {
                if (const auto *t = dyn_cast<Tasklet>(n.get()); t && (t->code.language != Language::Python || t->sideEffects.value_or(false)))
                    return "tasklet `" + t->label + "` is code for the host";
                if (isa<ConsumeEntry>(n.get()))
                    return "consume scope `" + n->label + "`";
                if (const auto *m = dyn_cast<MapEntry>(n.get()); m && m->schedule != Schedule::Sequential && m->schedule != Schedule::CPU_Multicore &&
                                                                m->schedule != Schedule::Default && m->schedule != Schedule::Unrolled)
                    return "map `" + m->label + "` has the schedule " + std::string(name(m->schedule));
                if (const auto *a = dyn_cast<AccessNode>(n.get()); a && a->dataInstrument != DataInstrumentation::No_Instrumentation)
                    return "container `" + a->data.str() + "` is recorded or restored";
                if (const auto *nested = dyn_cast<NestedSDFGNode>(n.get()))
                    for (const auto &[symbol, value] : nested->symbolMapping)
                        for (Name free : value.freeSymbols())
                            if (g->arrays.contains(free) && !g->symbols.find(free))
                                return "nested SDFG `" + nested->label + "` maps a symbol to data";
            }
    }
    return "";
}

class Offload {
public:
    explicit Offload(SDFG &root) : root_(root) {}
    void run();

private:
    using Twins = std::map<Name, Name>; // host name -> device name

    void level(SDFG &g);                       // SDFGs that the host runs, outermost first
    std::vector<NestedSDFGNode *> hostNested(SDFG &g);
    std::set<Name> readByControlFlow(SDFG &g);
    Name twin(SDFG &g, Name host);
    void renameDataflow(SDFG &g, Name from, Name to);
    void copyInAndOut(const Twins &twins);
    void hostCopies(SDFG &g, const Twins &twins);
    void copyBefore(Region &r, Block &b, const std::vector<Name> &hosts, SDFG &g, const Twins &twins);
    void copyAfter(Region &r, Block &b, const std::vector<Name> &hosts, SDFG &g, const Twins &twins);
    void copyState(State &s, SDFG &g, const std::vector<Name> &hosts, const Twins &twins);
    bool writtenInDataflow(SDFG &g, Name data);
    void rangesFromDevice(SDFG &g);
    void insideKernels(SDFG &g);

    SDFG &root_;
    std::vector<std::pair<SDFG *, Twins>> levels_;
};

bool outsideOfMaps(const analysis::ScopeTree &scopes, const Node &n) { return scopes.enclosing(&n).empty(); }

/// Nested SDFGs outside of maps: the host runs their control flow.
std::vector<NestedSDFGNode *> Offload::hostNested(SDFG &g) {
    std::vector<NestedSDFGNode *> out;
    for (State *s : allStates(g)) {
        analysis::ScopeTree scopes(*s);
        for (Node *n : scopes.children(nullptr))
            if (auto *nested = dyn_cast<NestedSDFGNode>(n); nested && nested->sdfg)
                out.push_back(nested);
    }
    return out;
}

std::vector<Name> namesIn(const Code &code, const SDFG &g) {
    std::vector<Name> out;
    if (!code.empty())
        for (Name n : analysis::namesInCode(code, g))
            if (g.arrays.contains(n))
                out.push_back(n);
    return out;
}

std::vector<Name> namesIn(const InterstateEdge &e, const SDFG &g) {
    std::vector<Name> out = namesIn(e.condition, g);
    for (const auto &[symbol, text] : e.assignments)
        for (Name n : namesIn(Code{text, Language::Python}, g))
            out.push_back(n);
    return out;
}

std::vector<Name> namesIn(const LoopRegion &l, const SDFG &g) {
    std::vector<Name> out;
    for (const auto *code : {&l.init, &l.condition, &l.update})
        if (*code)
            for (Name n : namesIn(**code, g))
                out.push_back(n);
    return out;
}

std::vector<Name> namesIn(const ConditionalBlock &c, const SDFG &g) {
    std::vector<Name> out;
    for (const auto &branch : c.branches())
        if (branch.condition)
            for (Name n : namesIn(*branch.condition, g))
                out.push_back(n);
    return out;
}

std::set<Name> Offload::readByControlFlow(SDFG &g) {
    std::set<Name> out;
    auto add = [&](const std::vector<Name> &names) { out.insert(names.begin(), names.end()); };
    for (Region *r : allRegions(g)) {
        for (const auto &e : r->edges())
            add(namesIn(*e, g));
        if (const auto *l = dyn_cast<LoopRegion>(r))
            add(namesIn(*l, g));
    }
    for (Block *b : allBlocks(g))
        if (const auto *c = dyn_cast<ConditionalBlock>(b))
            add(namesIn(*c, g));
    return out;
}

bool Offload::writtenInDataflow(SDFG &g, Name data) {
    for (State *s : allStates(g))
        for (const auto &n : s->nodes())
            if (const auto *a = dyn_cast<AccessNode>(n.get()); a && a->data == data && !a->inEdges().empty())
                return true;
    // A view of it may be written.
    for (const auto &[name, d] : g.arrays)
        if (d.isView())
            return true;
    return false;
}

void Offload::renameDataflow(SDFG &g, Name from, Name to) {
    for (State *s : allStates(g)) {
        for (const auto &n : s->nodes())
            if (auto *a = dyn_cast<AccessNode>(n.get()); a && a->data == from)
                a->data = to;
        for (const auto &e : s->edges())
            if (e->memlet.data == from)
                e->memlet.data = to;
    }
    if (!g.parentNode)
        return;
    for (auto *connectors : {&g.parentNode->inConnectors, &g.parentNode->outConnectors})
        for (Connector &c : *connectors)
            if (c.name == from)
                c.name = to;
    for (Edge *e : g.parentNode->inEdges())
        if (e->dstConn == from)
            e->dstConn = to;
    for (Edge *e : g.parentNode->outEdges())
        if (e->srcConn == from)
            e->srcConn = to;
}

/// Splits a container: the dataflow gets a device twin, control flow (and the caller) keep the host's.
Name Offload::twin(SDFG &g, Name host) {
    Name device("gpu_" + host.str());
    if (g.arrays.contains(device) || g.symbols.find(device))
        device = g.freshName("gpu_" + host.str());
    DataDesc d = *g.arrays.find(host);
    d.storage = Storage::GPU_Global;
    d.transient = g.isRoot() ? true : d.transient;
    if (g.isRoot() && !g.arrays.find(host)->transient)
        d.lifetime = Lifetime::Scope;
    g.arrays.set(device, d);
    if (!g.isRoot()) {
        DataDesc *mine = g.arrays.find(host);
        mine->transient = true;
        mine->lifetime = Lifetime::Scope;
    }
    g.arrays.find(host)->storage = g.arrays.find(host)->isScalar() ? Storage::Register : Storage::CPU_Heap;
    renameDataflow(g, host, device);
    return device;
}

void Offload::level(SDFG &g) {
    std::set<Name> outside; // containers of the dataflow outside of maps
    for (State *s : allStates(g)) {
        analysis::ScopeTree scopes(*s);
        for (const auto &n : s->nodes())
            if (const auto *a = dyn_cast<AccessNode>(n.get()); a && outsideOfMaps(scopes, *a))
                outside.insert(a->data);
    }
    std::set<Name> control = readByControlFlow(g);
    Twins twins;
    for (Name n : std::vector<Name>(outside.begin(), outside.end())) {
        DataDesc *d = g.arrays.find(n);
        if (!d || g.constant(n) || d->isView())
            continue;
        const bool callers = g.isRoot() && !d->transient;
        if (d->isScalar() && (callers || (control.count(n) && !writtenInDataflow(g, n))))
            continue; // by value
        if (callers || (control.count(n) && (d->isArray() || d->transient || writtenInDataflow(g, n))))
            twins[n] = twin(g, n);
        else if (d->isArray() && d->transient)
            d->storage = Storage::GPU_Global;
    }
    for (NestedSDFGNode *nested : hostNested(g))
        level(*nested->sdfg);
    levels_.emplace_back(&g, std::move(twins));
}

// ---------------------------------------------------------------------------------------------------- copies

void Offload::copyState(State &s, SDFG &g, const std::vector<Name> &hosts, const Twins &twins) {
    for (Name host : hosts) {
        Name device = twins.at(host);
        auto *from = s.add<AccessNode>(device), *to = s.add<AccessNode>(host);
        Memlet m = Memlet::simple(device, g.arrays.find(device)->fullSubset());
        m.otherSubset = g.arrays.find(host)->fullSubset();
        s.connect(from, {}, to, {}, m);
    }
}

std::vector<Name> distinct(std::vector<Name> names, const std::map<Name, Name> &twins) {
    std::vector<Name> out;
    for (Name n : names)
        if (twins.count(n) && std::find(out.begin(), out.end(), n) == out.end())
            out.push_back(n);
    std::sort(out.begin(), out.end());
    return out;
}

void Offload::copyBefore(Region &r, Block &b, const std::vector<Name> &hosts, SDFG &g, const Twins &twins) {
    if (hosts.empty())
        return;
    auto *s = static_cast<State *>(r.adopt(std::make_unique<State>()));
    s->label = "copy_for_" + b.label;
    copyState(*s, g, hosts, twins);
    const bool first = r.start() == &b;
    for (InterstateEdge *e : r.inEdges(&b))
        e->dst = s;
    r.connect(s, &b);
    if (first)
        r.setStart(s);
}

/// Between a block and the edges that leave it.
void Offload::copyAfter(Region &r, Block &b, const std::vector<Name> &hosts, SDFG &g, const Twins &twins) {
    if (hosts.empty())
        return;
    auto *s = static_cast<State *>(r.adopt(std::make_unique<State>()));
    s->label = "copy_after_" + b.label;
    copyState(*s, g, hosts, twins);
    for (InterstateEdge *e : r.outEdges(&b))
        e->src = s;
    r.connect(&b, s);
}

/// Puts the copies that control flow needs where it reads.
void Offload::hostCopies(SDFG &g, const Twins &all) {
    Twins twins; // those whose host side can be out of date
    for (const auto &[host, device] : all)
        if (writtenInDataflow(g, device) || !g.isRoot())
            twins[host] = device;
    if (twins.empty())
        return;
    for (Region *r : allRegions(g)) {
        std::vector<Block *> blocks;
        for (const auto &b : r->blocks())
            blocks.push_back(b.get());
        for (Block *b : blocks) {
            std::vector<Name> after;
            for (InterstateEdge *e : r->outEdges(b))
                for (Name n : namesIn(*e, g))
                    after.push_back(n);
            copyAfter(*r, *b, distinct(after, twins), g, twins);
            std::vector<Name> before;
            if (const auto *c = dyn_cast<ConditionalBlock>(b))
                before = namesIn(*c, g);
            if (const auto *l = dyn_cast<LoopRegion>(b))
                before = namesIn(*l, g);
            copyBefore(*r, *b, distinct(before, twins), g, twins);
        }
        auto *l = dyn_cast<LoopRegion>(r);
        std::vector<Name> loop = l ? distinct(namesIn(*l, g), twins) : std::vector<Name>();
        if (loop.empty())
            continue;
        // The condition is tested again after each iteration.
        std::vector<Block *> last;
        for (const auto &b : r->blocks())
            if (r->outEdges(b.get()).empty() && b->kind() != BlockKind::Break)
                last.push_back(b.get());
        for (Block *b : last) {
            if (b->kind() == BlockKind::Continue)
                copyBefore(*r, *b, loop, g, twins);
            else
                copyAfter(*r, *b, loop, g, twins);
        }
    }
}

/// The caller's arrays: to the device first, back at the end what the program writes.
void Offload::copyInAndOut(const Twins &twins) {
    std::vector<std::pair<Name, Name>> in, out;
    for (const auto &[host, device] : twins) {
        if (root_.arrays.find(host)->transient)
            continue;
        in.emplace_back(host, device);
        if (writtenInDataflow(root_, device))
            out.emplace_back(host, device);
    }
    auto fill = [&](State &s, Name from, Name to) {
        auto *a = s.add<AccessNode>(from), *b = s.add<AccessNode>(to);
        Memlet m = Memlet::simple(from, root_.arrays.find(from)->fullSubset());
        m.otherSubset = root_.arrays.find(to)->fullSubset();
        s.connect(a, {}, b, {}, m);
    };
    std::vector<Block *> last;
    for (const auto &b : root_.blocks())
        if (root_.outEdges(b.get()).empty())
            last.push_back(b.get());
    if (!in.empty()) {
        Block *start = root_.start();
        auto *s = static_cast<State *>(root_.adopt(std::make_unique<State>()));
        s->label = "copy_in";
        for (const auto &[host, device] : in)
            fill(*s, host, device);
        if (start)
            root_.connect(s, start);
        root_.setStart(s);
    }
    if (!out.empty()) {
        auto *s = static_cast<State *>(root_.adopt(std::make_unique<State>()));
        s->label = "copy_out";
        for (const auto &[host, device] : out)
            fill(*s, device, host);
        for (Block *b : last)
            root_.connect(b, s);
    }
}

// ---------------------------------------------------------------------------------------------------- kernels

/// Ranges that a kernel's map reads from device memory.
void Offload::rangesFromDevice(SDFG &g) {
    for (State *s : allStates(g)) {
        std::vector<Edge *> ranges;
        analysis::ScopeTree scopes(*s);
        for (Node *n : scopes.children(nullptr)) {
            const auto *m = dyn_cast<MapEntry>(n);
            if (!m || m->schedule != Schedule::GPU_Device)
                continue;
            for (Edge *e : n->inEdges()) {
                const auto *a = dyn_cast<AccessNode>(e->src);
                const DataDesc *d = a ? g.desc(a->data) : nullptr;
                if (e->dstConn && e->dstConn.str().rfind("IN_", 0) != 0 && d && d->storage == Storage::GPU_Global)
                    ranges.push_back(e);
            }
        }
        for (Edge *e : ranges) {
            Name host = g.freshName("host_" + e->dstConn.str());
            DataDesc d = DataDesc::scalar(g.desc(e->memlet.data)->dtype, true);
            d.storage = Storage::Register;
            g.arrays.set(host, d);
            auto *a = s->add<AccessNode>(host);
            Memlet copy = e->memlet, read = Memlet::simple(host, d.fullSubset());
            copy.otherSubset = d.fullSubset();
            s->connect(e->src, e->srcConn, a, {}, copy);
            s->connect(a, {}, e->dst, e->dstConn, read);
            s->removeEdge(e);
        }
    }
    for (NestedSDFGNode *nested : hostNested(g))
        rangesFromDevice(*nested->sdfg);
}

/// In code that kernels run, nothing is parallel and nothing is on the host's heap.
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
    level(root_);
    placeOnDevice(root_);
    for (auto &[g, twins] : levels_)
        hostCopies(*g, twins);
    copyInAndOut(levels_.back().second); // the root is last
    rangesFromDevice(root_);
    insideKernels(root_);
    root_.renumber();
}

class OffloadToGpu : public pass::Pass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        if (usesGpu(root))
            return false;
        if (std::string why = obstacle(root); !why.empty()) {
            context.missed(root.name.str(), "the program stays on the host: " + why);
            return false;
        }
        Offload(root).run();
        return true;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createOffloadToGpu() { return std::make_unique<OffloadToGpu>(); }

} // namespace sdfgc::transforms
