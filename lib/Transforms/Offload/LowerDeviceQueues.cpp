// lower-device-queues: streams that kernels push to become arrays with a counter.
//
//   before:  map[i] GPU_Device { t: if a > 0: s = a } -> S (stream) -> B
//   after:   map[1] GPU_Device { S_count = 0 }
//            map[i] GPU_Device { t: if a > 0:                      -> B, S_count
//                                       s_count = 1                (an update: the name then stands for the old value)
//                                       s[s_count] = a }
//
// A kernel has no queues: threads that append claim a position by an atomic update that gives the old value, and write there. The elements are
// where they are wanted at once, in the array that the stream is emptied into (DaCe: `ArrayStreamView` and `GPUStream` in runtime/include/dace;
// reference on GPU code generation, section 5.9). Their order is that of the updates, which no run has to repeat. Barriers, copies and order
// follow from the graph: the counter is a container like any other.
//
// A transient stream with one element of storage is lowered when in each state that uses it
//   1. it has one access node, which tasklets in Python push to from kernels, and which is emptied into one array;
//   2. that array has one dimension, and no other access node in the state: its old content is not needed while it fills.
// Others are left, with a remark; the lowering refuses what a kernel cannot use.
#include "Transforms/Nodes.h"

#include "sdfgc/Analysis/Copies.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Tasklet/Ast.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>
#include <set>

namespace sdfgc::transforms {
namespace {

using namespace ir;

/// What happens to a stream in one state.
struct Use {
    AccessNode *node = nullptr;
    std::vector<Edge *> pushes; // of tasklets
    Edge *drain = nullptr;
    AccessNode *into = nullptr;
};

bool runsOnDevice(const Node &n) { return analysis::executorOf(n) != analysis::Executor::Host; }

/// `q = v` becomes `count = 1` and `q[count] = v`: a dynamic update that is read back gives what was there before.
std::vector<py::StmtRef> appended(const std::vector<py::StmtRef> &block, Name queue, Name count) {
    std::vector<py::StmtRef> out;
    for (const py::StmtRef &s : block) {
        auto copy = std::make_shared<py::Stmt>(*s);
        copy->body = appended(s->body, queue, count);
        copy->orelse = appended(s->orelse, queue, count);
        for (py::ExprRef &target : copy->targets)
            if (target->kind == py::ExprKind::Name && target->name == queue) {
                out.push_back(py::assign(py::name(count), py::intLit(1)));
                target = *py::parseExpr(queue.str() + "[" + count.str() + "]").value;
            }
        out.push_back(std::move(copy));
    }
    return out;
}

class Queue {
public:
    Queue(SDFG &g, Name stream) : g_(g), stream_(stream) {
        for (State *s : allStates(g_))
            for (AccessNode *a : nodesOf<AccessNode>(*s))
                if (a->data == stream_)
                    add(*a);
    }

    bool isOnDevice() const {
        return std::any_of(uses_.begin(), uses_.end(), [](const Use &u) {
            return std::any_of(u.pushes.begin(), u.pushes.end(), [](const Edge *e) { return runsOnDevice(*e->src); });
        });
    }

    /// Why the stream cannot be lowered; empty if it can.
    std::string obstacle() const {
        const DataDesc &d = *g_.arrays.find(stream_);
        if (!d.transient || d.numElements() != sym::Expr(1))
            return "it is an argument, or an array of streams";
        for (const Use &u : uses_) {
            const State &s = *u.node->state();
            auto count = [&](Name data) {
                const auto nodes = nodesOf<AccessNode>(const_cast<State &>(s));
                return std::count_if(nodes.begin(), nodes.end(), [&](const AccessNode *a) { return a->data == data; });
            };
            if (count(stream_) > 1)
                return "it has several access nodes in one state";
            if (!u.into || count(u.into->data) > 1)
                return "it is not emptied into one array that nothing else uses in that state";
            for (const Edge *e : u.pushes)
                if (std::string why = obstacle(*e); !why.empty())
                    return why;
        }
        return "";
    }

    void lower() {
        const DataDesc d = *g_.arrays.find(stream_);
        DataDesc count = DataDesc::array(ScalarKind::Int64, {1}, true);
        count.storage = Storage::GPU_Global;
        count.lifetime = d.lifetime;
        count.debugInfo = d.debugInfo;
        counter_ = g_.freshName(stream_.str() + "_count");
        g_.arrays.set(counter_, count);
        for (const Use &u : uses_)
            lower(u);
        g_.arrays.erase(stream_);
    }

    std::string target() const { return uses_.front().into->data.str(); }

private:
    void add(AccessNode &a) {
        Use u;
        u.node = &a;
        for (Edge *e : a.inEdges())
            for (Edge *leaf : analysis::memletLeaves(e))
                u.pushes.push_back(leaf);
        const DataDesc *d = nullptr;
        if (a.outEdges().size() == 1) {
            u.drain = a.outEdges().front();
            u.into = dyn_cast<AccessNode>(u.drain->dst);
            d = u.into ? g_.desc(u.into->data) : nullptr;
        }
        if (!d || !d->isArray() || d->rank() != 1 || u.into->inEdges().size() != 1)
            u.into = nullptr;
        uses_.push_back(std::move(u));
    }

    static std::string obstacle(const Edge &push) {
        const auto *t = dyn_cast<Tasklet>(push.src);
        if (!t || t->code.language != Language::Python || !py::parseBlock(t->code.text).value)
            return "something else than a tasklet in Python pushes to it";
        if (!runsOnDevice(*t) || !push.dst->isExit())
            return "the host pushes to it, too";
        return "";
    }

    Memlet counting() const {
        Memlet m = Memlet::simple(counter_, sym::Subset{{sym::Range{0, 0, 1, 1}}});
        m.wcr = "lambda a, b: a + b";
        m.dynamic = true;
        return m;
    }

    /// From where the stream is emptied to, to the end of the array.
    Memlet elements(const Use &u) const {
        const auto subset = analysis::destinationSubset(u.drain);
        const sym::Expr begin = subset && subset->rank() == 1 ? subset->dims[0].begin : sym::Expr(0);
        Memlet m = Memlet::simple(u.into->data, sym::Subset{{sym::Range{begin, g_.desc(u.into->data)->shape[0] - 1, 1, 1}}});
        m.dynamic = true;
        return m;
    }

    void lower(const Use &u) {
        State &s = *u.node->state();
        AccessNode *zero = startAtZero(s), *total = s.add<AccessNode>(counter_);
        const Memlet whole = elements(u);
        s.removeEdge(u.drain);
        std::set<Edge *> done;
        for (Edge *push : u.pushes) {
            const std::vector<Edge *> path = analysis::memletPath(push);
            const Name count = append(static_cast<Tasklet &>(*push->src), push->srcConn, g_.desc(whole.data)->dtype);
            Node *from = push->src;
            Name conn = count;
            for (Edge *e : path) {
                conn = e == path.back() ? arrive(s, *from, conn, *total) : passThrough(s, *from, conn, *e);
                from = e->dst;
                if (!done.insert(e).second)
                    continue;
                e->memlet = whole;
                if (e == path.back()) {
                    s.connect(e->src, e->srcConn, u.into, {}, whole);
                    s.removeEdge(e);
                }
            }
            tie(s, zero, outermostEntry(*push->src));
        }
        s.removeNode(u.node);
    }

    static Node *outermostEntry(const Node &n) { return analysis::ScopeTree(*n.state()).enclosing(&n).back(); }

    /// A kernel of one thread sets the counter to zero (recognise-copies makes a fill of it).
    AccessNode *startAtZero(State &s) const {
        auto *entry = s.add<MapEntry>();
        auto *exit = s.add<MapExit>();
        entry->exit = exit;
        exit->entry = entry;
        entry->label = exit->label = counter_.str();
        entry->params = {"_k"};
        entry->ranges = {{0, 0, 1, 1}};
        entry->schedule = Schedule::GPU_Device;
        auto *t = s.add<Tasklet>();
        t->label = counter_.str();
        t->code.text = "c = 0";
        auto *zero = s.add<AccessNode>(counter_);
        const sym::Expr k = sym::Expr::symbol("_k");
        s.connect(entry, {}, t, {}, Memlet::empty());
        s.connect(t, "c", exit, "IN_c", Memlet::simple(counter_, sym::Subset{{sym::Range{k, k, 1, 1}}}));
        s.connect(exit, "OUT_c", zero, {}, Memlet::simple(counter_, sym::Subset{{sym::Range{0, 0, 1, 1}}}));
        t->outConnector("c")->type = ScalarKind::Int64;
        return zero;
    }

    /// Rewrites the code; returns the connector that counts.
    static Name append(Tasklet &t, Name queue, Type element) {
        const std::vector<py::StmtRef> code = *py::parseBlock(t.code.text).value;
        const py::BlockNames names = py::blockNames(code);
        std::string count = queue.str() + "_count";
        while (names.read.count(Name(count)) || names.written.count(Name(count)) || t.inConnector(Name(count)) || t.outConnector(Name(count)))
            count += "_";
        t.code.text = py::print(appended(code, queue, Name(count)));
        t.outConnector(queue)->type = Type::pointer(element);
        t.outConnectors.push_back({Name(count), ScalarKind::Int64});
        return Name(count);
    }

    /// Leads the counter out of a scope beside the queue: as the edge of the queue that goes into the exit, and once where edges of it
    /// have come together. Returns the connector behind.
    Name passThrough(State &s, Node &from, Name conn, const Edge &queue) const {
        const std::string stem = queue.dstConn.str().substr(3); // behind IN_
        const std::string through = counter_.str() + (stem == stream_.str() ? "" : "_" + stem);
        const Name in("IN_" + through), out("OUT_" + through);
        if (!from.isExit() || !queue.dst->inEdge(in))
            s.connect(&from, conn, queue.dst, in, counting());
        return out;
    }

    Name arrive(State &s, Node &from, Name conn, AccessNode &total) const {
        if (!from.outEdge(conn))
            s.connect(&from, conn, &total, {}, counting());
        return {};
    }

    SDFG &g_;
    Name stream_, counter_;
    std::vector<Use> uses_;
};

class LowerDeviceQueues : public pass::Pass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        bool changed = false;
        for (SDFG *g : allSDFGs(root))
            for (Name stream : streamsOf(*g)) {
                Queue queue(*g, stream);
                if (!queue.isOnDevice())
                    continue;
                const std::string element = elementName(*g) + ": stream " + stream.str();
                if (const std::string why = queue.obstacle(); !why.empty()) {
                    context.missed(element, "stays a stream, which kernels cannot use: " + why);
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
