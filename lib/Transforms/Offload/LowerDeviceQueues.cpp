// lower-device-queues: replace streams that kernels push to with arrays and a counter.
//
//   before:  map[i] GPU_Device { t: if a > 0: s = a } -> S (stream) -> B
//   after:   map[1] GPU_Device { S_count = 0 }
//            map[i] GPU_Device { t: if a > 0:                      -> B, S_count
//                                       s_count = 1                (an update: the name then stands for the old value)
//                                       s[s_count] = a }
//
// A kernel has no queues. A thread that appends claims a position with an atomic update that returns the old value, and
// writes there (DaCe: `ArrayStreamView` and `GPUStream` in runtime/include/dace; reference on GPU code generation,
// section 5.9). The order of the elements is the order of these updates, which may differ from run to run. The counter
// is a container like any other, so barriers, copies and ordering follow from the graph. Nested SDFGs that receive the
// stream get the array and the counter instead (QueuePushes.h).
//
// Legal when the stream is a transient with storage for one element, and is used only by pushes from kernels and by
// copies to a one-dimensional array in device memory. There are two forms:
//   - In place, as above: each state that uses the stream has a single access node of it, which is emptied into an
//     array that nothing else in the state uses. Elements are written directly to their destination.
//   - Through a buffer as large as the largest of the arrays: used if pushes and copies are in different states, or if
//     the state also reads the array. The counter is zero at the start of the SDFG; each copy is a kernel that takes
//     the counted elements and resets the counter:
//
//       map[k] GPU_Device { if k < S_count: B[k] = S_elements[k] };  map[1] GPU_Device { S_count = 0 }
//
// Not handled: other streams stay, with a remark, and the lowering rejects those that a kernel cannot use.
#include "Transforms/Edits/Nodes.h"
#include "Transforms/Offload/QueuePushes.h"

#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/IR/ScopeConnectors.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using diag::Reason;
using diag::Why;

const sym::Subset first{{sym::Range{0, 0, 1, 1}}};

/// The uses of a stream at one access node.
struct Use {
    AccessNode *node = nullptr;
    bool isPushed = false;
    Edge *drain = nullptr; // the copy to an array, and that array
    AccessNode *into = nullptr;
};

class Queue {
public:
    Queue(SDFG &g, Name stream) : g_(g), stream_(stream), pushes_(g, stream) {
        for (AccessNode *a : pushes_.nodes())
            uses_.push_back(useOf(*a));
    }

    bool isOnDevice() const {
        return std::any_of(uses_.begin(), uses_.end(), [&](const Use &u) { return pushes_.areOnDevice(*u.node); });
    }

    /// Why the stream cannot be lowered; empty if it can.
    Reason obstacle() const {
        const DataDesc &d = *g_.arrays.find(stream_);
        if (!d.transient || d.numElements() != sym::Expr(1))
            return {Why::Container, "it is an argument, or an array of streams"};
        bool drained = false;
        for (const Use &u : uses_) {
            if (Reason why = pushes_.obstacle(*u.node))
                return why;
            if (!u.node->outEdges().empty() && !u.into)
                return {Why::Container, "it has uses other than being emptied into a one-dimensional array in device memory"};
            drained = drained || u.into;
        }
        return drained ? Reason() : Reason{Why::Container, "it is never emptied"};
    }

    void lower() {
        const DataDesc d = *g_.arrays.find(stream_);
        counter_ = transient("_count", ScalarKind::Int64, 1, d);
        if (isInPlace())
            for (const Use &u : uses_)
                inPlace(u);
        else
            throughBuffer(d);
        for (const Use &u : uses_)
            u.node->state()->removeNode(u.node);
        g_.arrays.erase(stream_);
    }

    std::string target() const {
        return std::find_if(uses_.begin(), uses_.end(), [](const Use &u) { return u.into; })->into->data.str();
    }

private:
    Use useOf(AccessNode &a) const {
        Use u;
        u.node = &a;
        u.isPushed = !pushes_.at(a).empty();
        if (a.outEdges().size() != 1)
            return u;
        u.drain = a.outEdges().front();
        u.into = dyn_cast<AccessNode>(u.drain->dst);
        const DataDesc *d = u.into ? g_.desc(u.into->data) : nullptr;
        if (!d || !d->isArray() || d->rank() != 1 || !isGpuStorage(d->storage))
            u.into = nullptr;
        return u;
    }

    /// The position in the array where the copy begins, and the number of elements from there on.
    sym::Expr begin(const Use &u) const {
        const auto subset = analysis::destinationSubset(u.drain);
        return subset && subset->rank() == 1 ? subset->dims[0].begin : g_.desc(u.into->data)->fullSubset().dims[0].begin;
    }
    sym::Expr room(const Use &u) const { return last(u) + 1 - begin(u); }
    sym::Expr last(const Use &u) const { return g_.desc(u.into->data)->fullSubset().dims[0].end; }

    bool isInPlace() const {
        return std::all_of(uses_.begin(), uses_.end(), [](const Use &u) {
            auto nodes = nodesOf<AccessNode>(*u.node->state());
            auto count = [&](Name data) {
                return std::count_if(nodes.begin(), nodes.end(), [&](const AccessNode *a) { return a->data == data; });
            };
            return u.isPushed && u.into && u.into->inEdges().size() == 1 && count(u.node->data) == 1 && count(u.into->data) == 1;
        });
    }

    Name transient(const char *suffix, Type t, sym::Expr size, const DataDesc &stream) {
        DataDesc d = DataDesc::array(t, {std::move(size)}, true);
        d.storage = Storage::GPU_Global;
        d.lifetime = stream.lifetime;
        d.debugInfo = stream.debugInfo;
        const Name name = g_.freshName(stream_.str() + suffix);
        g_.arrays.set(name, std::move(d));
        return name;
    }

    void inPlace(const Use &u) {
        State &s = *u.node->state();
        AccessNode *zero = startAtZero(s).second, *total = s.add<AccessNode>(counter_);
        const QueueArray to{u.into->data, counter_, begin(u), last(u)};
        AccessNode *into = u.into;
        s.removeEdge(u.drain);
        pushes_.lower(*u.node, to, *into, *total, zero);
    }

    void throughBuffer(const DataDesc &stream) {
        std::vector<sym::Expr> rooms;
        for (const Use &u : uses_)
            if (u.into)
                rooms.push_back(room(u));
        const sym::Expr size = sym::max(std::move(rooms));
        const Name buffer = transient("_elements", stream.dtype, size, stream);
        startAtZero(*g_.addStateBefore(g_.start(), counter_.str()));
        for (const Use &u : uses_) {
            State &s = *u.node->state();
            AccessNode *elements = s.add<AccessNode>(buffer), *total = s.add<AccessNode>(counter_);
            for (const Edge *e : u.node->inEdges())
                if (e->memlet.isEmpty())
                    tie(s, e->src, elements);
            if (u.isPushed)
                pushes_.lower(*u.node, {buffer, counter_, 0, size - 1}, *elements, *total, nullptr);
            if (u.into)
                empty(u, *elements, *total);
        }
    }

    /// One kernel copies the counted elements, and another one resets the counter.
    void empty(const Use &u, AccessNode &elements, AccessNode &total) {
        State &s = *u.node->state();
        const sym::Expr size = room(u);
        MapEntry *entry = kernel(s, stream_.str() + "_empty", size);
        MapExit *exit = entry->exit;
        const sym::Expr k = sym::Expr::symbol(entry->params[0]);
        const Name count = g_.freshName("c"), value = g_.freshName("v"), out = g_.freshName("o");
        Tasklet *t = s.addTasklet("take", {"if " + k.str() + " < " + count.str() + ":\n    " + out.str() + " = " + value.str()});
        const sym::Subset here{{sym::Range{k, k, 1, 1}}}, there{{sym::Range{begin(u) + k, begin(u) + k, 1, 1}}};
        s.connect(&elements, {}, entry, scopeInput("v"),
                  Memlet::simple(elements.data, sym::Subset{{sym::Range{0, size - 1, 1, 1}}}));
        s.connect(entry, scopeOutput("v"), t, value, Memlet::simple(elements.data, here));
        s.connect(&total, {}, entry, scopeInput("c"), Memlet::simple(counter_, first));
        s.connect(entry, scopeOutput("c"), t, count, Memlet::simple(counter_, first));
        Memlet one = Memlet::simple(u.into->data, there),
               all = Memlet::simple(u.into->data, sym::Subset{{sym::Range{begin(u), begin(u) + size - 1, 1, 1}}});
        one.dynamic = all.dynamic = true;
        s.connect(t, out, exit, scopeInput("o"), one);
        s.connect(exit, scopeOutput("o"), u.into, {}, all);
        t->inConnector(value)->type = t->outConnector(out)->type = g_.desc(elements.data)->dtype;
        t->inConnector(count)->type = ScalarKind::Int64;
        s.removeEdge(u.drain);
        tie(s, u.into, startAtZero(s).first);
    }

    MapEntry *kernel(State &s, std::string label, sym::Expr size) const {
        return s.addMap(std::move(label), {g_.freshName("_k")}, {{0, std::move(size) - 1, 1, 1}}, Schedule::GPU_Device);
    }

    /// A kernel of one thread that sets the counter to zero (recognise-copies turns it into a fill). Returns its entry, and the
    /// counter after it.
    std::pair<MapEntry *, AccessNode *> startAtZero(State &s) const {
        MapEntry *entry = kernel(s, counter_.str(), 1);
        MapExit *exit = entry->exit;
        const Name count = g_.freshName("c");
        Tasklet *t = s.addTasklet(counter_.str(), {count.str() + " = 0"});
        auto *zero = s.add<AccessNode>(counter_);
        const sym::Expr k = sym::Expr::symbol(entry->params[0]);
        s.connect(entry, {}, t, {}, Memlet::empty());
        s.connect(t, count, exit, scopeInput("c"), Memlet::simple(counter_, sym::Subset{{sym::Range{k, k, 1, 1}}}));
        s.connect(exit, scopeOutput("c"), zero, {}, Memlet::simple(counter_, first));
        t->outConnector(count)->type = ScalarKind::Int64;
        return {entry, zero};
    }

    SDFG &g_;
    Name stream_, counter_;
    QueuePushes pushes_;
    std::vector<Use> uses_;
};

class LowerDeviceQueues : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        bool changed = false;
        for (SDFG *g : allSDFGs(root))
            for (Name stream : streamsOf(*g)) {
                if (!g->isRoot() && !g->desc(stream)->transient)
                    continue; // streams of the outer SDFG are lowered there
                Queue queue(*g, stream);
                if (!queue.isOnDevice())
                    continue;
                const pass::Element element(elementName(*g) + ": stream " + stream.str(), pass::Element(*g, stream).source);
                if (const Reason why = queue.obstacle()) {
                    context.missed(element, "remains a stream, which kernels cannot use", why);
                    continue;
                }
                context.done(element, "kernels append to `" + queue.target() + "` and count");
                queue.lower();
                changed = true;
            }
        if (changed)
            root.renumber();
        return changed;
    }

private:
    static std::vector<Name> streamsOf(const SDFG &g) {
        std::vector<Name> out;
        for (const auto &[name, d] : g.arrays)
            if (d.isStream())
                out.push_back(name);
        return out;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createLowerDeviceQueues() { return std::make_unique<LowerDeviceQueues>(); }

} // namespace sdfgc::transforms
