// assign-streams, order-streams and the walk that they use, on small and on random programs. An oracle independent of the walk
// checks the result of the passes: it runs the program step by step with vector clocks.
#include "Transforms/PassRun.h"
#include "Transforms/Streams/OrderChecks.h"

#include "sdfgc/Analysis/Streams/Streams.h"
#include "sdfgc/Analysis/Verify.h"

#include <random>

using namespace sdfgc;
using namespace sdfgc::test;
using analysis::AsyncOp;
using analysis::StreamStep;

namespace {

/// A program with device arrays d0.. and host arrays h0.. of the caller; operations are added to the current state in order.
struct Program : Graph {
    std::map<State *, std::map<std::string, AccessNode *>> last; // the node with the current value of a container

    Program() : Graph(std::make_unique<SDFG>("f")) {
        for (std::string n : {"0", "1", "2", "3"}) {
            transient("d" + n, "16").storage = Storage::GPU_Global;
            array("h" + n, "16").storage = Storage::CPU_Heap;
        }
        symbol("n");
    }
    AccessNode *read(const std::string &data) {
        AccessNode *&n = last[s][data];
        if (!n)
            n = access(data);
        return n;
    }
    AccessNode *write(const std::string &data) { return last[s][data] = access(data); }
    static std::string all(const std::string &data) { return data + "[0:16]"; }

    MapEntry *kernel(const std::vector<std::string> &in, const std::string &out) {
        MapEntry *m = map(Schedule::GPU_Device, "i", "0:16");
        std::string sum = "0.0";
        Tasklet *t = tasklet("");
        int k = 0;
        for (const std::string &data : in) {
            const std::string number = std::to_string(k++);
            edge(read(data), "", m, "IN_" + number, all(data));
            edge(m, "OUT_" + number, t, "x" + number, data + "[i]");
            sum += " + x" + number;
        }
        if (in.empty())
            order(m, t);
        t->code = "y = " + sum;
        edge(t, "y", m->exit, "IN_y", out + "[i]");
        edge(m->exit, "OUT_y", write(out), "", all(out));
        return m;
    }
    void copy(const std::string &from, const std::string &to) { copyInto({from}, to); }
    /// Copies that end at one node.
    void copyInto(const std::vector<std::string> &sources, const std::string &to, std::optional<int> stream = {}) {
        std::vector<AccessNode *> nodes;
        for (const std::string &from : sources)
            nodes.push_back(read(from));
        AccessNode *target = write(to);
        for (AccessNode *from : nodes) {
            Memlet m = test::copy(all(from->data.str()), "0:16");
            m.stream = stream;
            s->connect(from, "", target, "", m);
        }
    }
    /// A nested SDFG, still empty, whose x is the container.
    NestedSDFGNode *nestedWriter(const std::string &to) {
        NestedSDFGNode *n = nested();
        Graph(*n->sdfg).array("x", "16").storage = Storage::GPU_Global;
        edge(n, "x", write(to), "", all(to));
        return n;
    }
    void host(const std::string &in, const std::string &out) {
        Tasklet *t = tasklet("y = x");
        edge(read(in), "", t, "x", in + "[0]");
        edge(t, "y", write(out), "", out + "[0]");
    }

    void schedule(int streams) {
        PassRun assign(transforms::createAssignStreams()), order(transforms::createOrderStreams());
        assign.pass->options["streams"] = int64_t(streams);
        assign(g);
        order(g);
        CHECK(order.diags.errorCount() == 0);
    }
    std::vector<LibraryNode *> asyncNodes() {
        std::vector<LibraryNode *> out;
        for (State *s : allStates(g))
            for (const auto &n : s->nodes())
                if (auto *l = dyn_cast<LibraryNode>(n.get()); l && analysis::asyncOp(*l))
                    out.push_back(l);
        return out;
    }
    int count(AsyncOp::Kind kind) {
        int n = 0;
        for (LibraryNode *l : asyncNodes())
            n += analysis::asyncOp(*l)->kind == kind;
        return n;
    }
    /// The number of unordered conflicts that the walk finds, optionally without a node.
    int conflicts(const Node *without = nullptr) { return conflictsOf<analysis::StreamOrder>(g, without); }
};

/// Adds to a nested SDFG a state with a kernel on a stream that writes x.
State *fillInside(Region &in, int stream) {
    Graph x(*in.sdfg());
    State *added = x.state("fill", &in);
    MapEntry *m = x.map(Schedule::GPU_Device, "i", "0:16");
    m->stream = stream;
    Tasklet *t = x.tasklet("y = 1");
    x.order(m, t);
    x.edge(t, "y", m->exit, "IN_y", "x[i]");
    x.edge(m->exit, "OUT_y", x.access("x"), "", "x[0:16]");
    return added;
}

LoopRegion *loop(Region &in, const std::string &variable) {
    auto *l = in.add<LoopRegion>();
    l->label = "loop_" + variable;
    l->variable = Name(variable);
    l->init = Code{variable + " = 0"};
    l->condition = Code{variable + " < n"};
    l->update = Code{variable + " = " + variable + " + 1"};
    return l;
}

/// Runs a program: loops `iterations` times, conditionals at random. Every operation has a stamp; clocks record which operations
/// are known to be complete.
class Oracle {
public:
    Oracle(SDFG &g, int iterations, unsigned seed) : steps_(g), iterations_(iterations), coin_(seed) {
        region(g);
        for (const auto &[use, stamp] : done_)
            violations += !knows(host_, stamp); // the end of the program
    }
    int violations = 0;

private:
    using Clock = std::map<int, int>; // stream -> complete operations
    struct Stamp {
        int stream, number;
    };

    static bool knows(const Clock &c, Stamp s) {
        auto it = c.find(s.stream);
        return it != c.end() && it->second >= s.number;
    }
    static void learn(Clock &c, const Clock &other) {
        for (const auto &[stream, number] : other)
            c[stream] = std::max(c[stream], number);
    }
    void region(Region &r) {
        for (Block *b = r.start(); b;) {
            block(*b);
            const auto &next = b->outEdges();
            b = next.empty() ? nullptr : next.front()->dst;
        }
    }
    void block(Block &b) {
        if (auto *s = dyn_cast<State>(&b)) {
            for (const StreamStep &step : steps_.of(*s))
                take(step);
        } else if (auto *l = dyn_cast<LoopRegion>(&b)) {
            for (int i = 0; i < iterations_; ++i)
                region(*l);
        } else if (auto *c = dyn_cast<ConditionalBlock>(&b)) {
            if (coin_() % 2)
                region(*c->branches().front().region);
        }
    }
    void take(const StreamStep &step) {
        if (step.kind == StreamStep::Async)
            return order(step.async);
        for (const auto &[use, stamp] : done_) {
            auto hits = [&, earlier = use](analysis::MemoryUse u) {
                return u.memory == earlier.memory && (u.write || earlier.write);
            };
            if (std::any_of(step.host.begin(), step.host.end(), hits))
                violations += !knows(host_, stamp);
            if (std::any_of(step.uses.begin(), step.uses.end(), hits)) {
                Clock start = streams_[step.stream];
                learn(start, host_);
                violations += !knows(start, stamp) && stamp.stream != step.stream;
            }
        }
        if (step.kind != StreamStep::Operation)
            return;
        Clock &mine = streams_[step.stream];
        learn(mine, host_);
        const Stamp stamp{step.stream, ++mine[step.stream]};
        for (analysis::MemoryUse u : step.uses)
            done_.emplace_back(u, stamp);
    }
    void order(const AsyncOp &op) {
        switch (op.kind) {
        case AsyncOp::Barrier: // of threads, not of streams
        case AsyncOp::GridBarrier:
        case AsyncOp::Allocate:
        case AsyncOp::Free:
        case AsyncOp::Reserve:
            return; // operations
        case AsyncOp::Synchronise:
            return learn(host_, streams_[op.stream]);
        case AsyncOp::Record:
            events_[op.event] = streams_[op.stream];
            return;
        case AsyncOp::Wait:
            return learn(op.stream < 0 ? host_ : streams_[op.stream], events_[op.event]);
        }
    }

    analysis::StreamSteps steps_;
    int iterations_;
    std::mt19937 coin_;
    Clock host_;
    std::map<int, Clock> streams_, events_;
    std::vector<std::pair<analysis::MemoryUse, Stamp>> done_;
};

/// A sequence of states, some in loops and conditionals, with up to four operations each.
void fill(Program &p, unsigned seed) {
    std::mt19937 random(seed);
    auto pick = [&](unsigned n) { return static_cast<int>(random() % n); };
    auto name = [&](const char *kind) { return kind + std::to_string(pick(4)); };
    Block *before = nullptr;
    for (int k = 0; k < 4; ++k) {
        Region *in = &p.g;
        Block *b = nullptr;
        const int shape = pick(4);
        const std::string number = std::to_string(k);
        if (shape == 0) {
            b = in = loop(p.g, "k" + number);
        } else if (shape == 1) {
            auto *c = p.g.add<ConditionalBlock>();
            c->label = "b" + number;
            in = c->addBranch(Code{"n > 3"}, std::make_unique<Region>());
            b = c;
        }
        State *s = p.state("s" + number, in);
        if (!b)
            b = s;
        for (int o = 1 + pick(4); o-- > 0;)
            switch (pick(4)) {
            case 0:
                p.copy(name("h"), name("d"));
                break;
            case 1:
                p.copy(name("d"), name("h"));
                break;
            case 2:
                p.host(name("h"), name("h"));
                break;
            default:
                p.kernel({name("d"), name("d") == "d0" ? "d1" : "d2"}, "d3");
                break;
            }
        if (before)
            p.g.connect(before, b);
        before = b;
    }
    p.g.renumber();
}

} // namespace

TEST_CASE("one stream: only the host waits, in front of the first use and at the end") {
    Program p;
    p.state("main");
    p.copy("h0", "d0");
    p.kernel({"d0"}, "d1");
    p.copy("d1", "h1");
    p.host("h1", "h2");
    p.g.renumber();
    p.schedule(1);
    CHECK(p.count(AsyncOp::Record) == 0);
    CHECK(p.count(AsyncOp::Wait) == 0);
    CHECK(p.count(AsyncOp::Synchronise) == 1); // before the tasklet; nothing is queued after it
    CHECK(p.conflicts() == 0);
    CHECK(Oracle(p.g, 1, 0).violations == 0);
}

TEST_CASE("a program that ends with a return: the host waits in front of it, and no state is added after it") {
    Program p;
    State *s = p.state("main");
    p.kernel({}, "d0");
    p.copy("d0", "h0");
    p.g.connect(s, p.g.add<ReturnBlock>());
    p.schedule(1);
    CHECK(p.count(AsyncOp::Synchronise) == 1);
    CHECK(p.conflicts() == 0);
    for (const auto &b : p.g.blocks())
        CHECK((b.get() == s || !b->inEdges().empty()));
}

TEST_CASE("independent chains get streams of their own, a meeting an event") {
    Program p;
    State *s = p.state("main");
    p.kernel({}, "d0");
    p.kernel({}, "d1");
    MapEntry *both = p.kernel({"d0", "d1"}, "d2");
    p.g.renumber();
    p.schedule(4);
    std::set<int> streams;
    for (const auto &n : s->nodes())
        if (auto *m = dyn_cast<MapEntry>(n.get()))
            streams.insert(*m->stream);
    CHECK(streams == std::set<int>{0, 1});
    CHECK(p.count(AsyncOp::Record) == 1);
    CHECK(p.count(AsyncOp::Wait) == 1);
    CHECK(*both->stream == 1);                 // continues where its last predecessor ran
    CHECK(p.count(AsyncOp::Synchronise) == 1); // everything for which stream 1 waited is then complete as well
}

TEST_CASE("copies that one kernel needs share its stream") {
    Program p;
    p.state("main");
    p.copy("h0", "d0");
    p.copy("h1", "d1");
    p.kernel({"d0", "d1"}, "d2");
    p.g.renumber();
    p.schedule(4);
    CHECK(p.count(AsyncOp::Record) == 0);
}

TEST_CASE("write after read over the back edge of a loop") {
    Program p;
    p.state("body", loop(p.g, "k"));
    MapEntry *first = p.kernel({}, "d0");
    MapEntry *second = p.kernel({"d0"}, "d1");
    first->stream = 0;
    second->stream = 1;
    p.g.renumber();
    p.schedule(2);
    CHECK(p.count(AsyncOp::Wait) == 2); // stream 1 for the value, stream 0 for the reader in the previous iteration
    CHECK(p.conflicts() == 0);
    CHECK(Oracle(p.g, 3, 0).violations == 0);
}

TEST_CASE("waits of the host do not grow with the number of kernels") {
    for (int kernels : {1, 12}) {
        Program p;
        p.state("main");
        p.copy("h0", "d0");
        for (int k = 0; k < kernels; ++k)
            p.kernel({"d0", "d1"}, "d1");
        p.copy("d1", "h1");
        p.host("h1", "h2");
        p.g.renumber();
        p.schedule(1);
        CHECK(p.count(AsyncOp::Synchronise) == 1);
    }
}

TEST_CASE("two writes to one array on two streams get an order, which the verifier misses when it is gone") {
    Program p;
    p.state("main");
    p.kernel({}, "d0")->stream = 0;
    p.kernel({}, "d0")->stream = 1; // there is no path between them
    p.g.renumber();
    p.schedule(2);
    REQUIRE(p.count(AsyncOp::Wait) == 1);
    CHECK(p.conflicts() == 0);
    for (LibraryNode *n : p.asyncNodes())
        CHECK(p.conflicts(n) > 0);
}

TEST_CASE("the verifier names both elements of a pair without order") {
    Program p;
    State *s = p.state("main");
    p.kernel({}, "d0");
    p.copy("d0", "h0");
    p.g.renumber();
    p.schedule(1);
    LibraryNode *wait = p.asyncNodes().front();
    s->removeNode(wait);
    p.g.renumber();
    analysis::StreamSteps steps(p.g);
    std::vector<std::string> names;
    analysis::StreamOrder(p.g, steps).run([&](const analysis::StreamConflict &c) {
        CHECK(c.endOfProgram);
        names.push_back(steps.name(c.earlier.use.memory));
        return false;
    });
    CHECK(std::find(names.begin(), names.end(), "h0") != names.end());
}

TEST_CASE("random programs are ordered, and every single event and wait is needed") {
    int deleted = 0;
    for (unsigned seed = 1; seed <= 40; ++seed)
        for (int streams : {1, 2, 4}) {
            INFO("seed " << seed << ", " << streams << " streams");
            Program p;
            fill(p, seed);
            p.schedule(streams);
            REQUIRE(p.conflicts() == 0);
            for (unsigned coin = 0; coin < 3; ++coin)
                CHECK(Oracle(p.g, 3, coin).violations == 0);
            for (LibraryNode *n : p.asyncNodes()) {
                INFO(elementName(*n));
                CHECK(p.conflicts(n) > 0);
                ++deleted;
            }
        }
    CHECK(deleted > 200);
}

TEST_CASE("copies into one node: what they need is waited for in front of all of them") {
    Program p;
    State *s = p.state("main");
    p.copy("h0", "d0");
    p.copy("h1", "d1");
    p.copyInto({"d0", "d1"}, "d2");
    p.copy("d2", "h2");
    p.g.renumber();
    p.schedule(4);
    CHECK(p.conflicts() == 0);
    // The order is topological: every node precedes the targets of its edges.
    std::map<const Node *, std::size_t> position;
    const analysis::ScopeTree scopes(*s);
    for (Node *n : scopes.children(nullptr))
        position.emplace(n, position.size());
    for (const auto &e : s->edges())
        CHECK(position.at(e->src) < position.at(e->dst));
    CHECK(Oracle(p.g, 1, 0).violations == 0);
}

TEST_CASE("copies into one node: what a nested SDFG did is recorded in front of all of them") {
    Program p;
    p.state("main");
    p.kernel({}, "d0")->stream = 0;
    NestedSDFGNode *n = p.nestedWriter("d1");
    fillInside(*n->sdfg, 1);
    p.copyInto({"d0", "d1"}, "d2", 0);
    p.copy("d2", "h2");
    p.g.renumber();
    p.schedule(2);
    CHECK(p.conflicts() == 0);
    CHECK(p.count(AsyncOp::Record) == 1);
}

TEST_CASE("an event is recorded after all that may have written, not after the one that is in sight") {
    Program p; // d0 is written by a kernel, and once more in a branch; then a kernel of another stream reads it
    p.state("main");
    p.kernel({}, "d0")->stream = 0;
    NestedSDFGNode *n = p.nestedWriter("d0");
    auto *branches = n->sdfg->add<ConditionalBlock>();
    fillInside(*branches->addBranch(Code{"n > 3", Language::Python}, std::make_unique<Region>()), 0);
    p.kernel({"d0"}, "d1")->stream = 1;
    p.g.renumber();
    PassRun order(transforms::createOrderStreams());
    order(p.g);
    CHECK(p.conflicts() == 0);
    CHECK(p.count(AsyncOp::Record) == 1);
    CHECK(p.count(AsyncOp::Wait) == 1);
}

TEST_CASE("what events say is known behind nested SDFGs and branches that leave a loop") {
    // Between the record and the wait there is a nested SDFG with a loop that a branch may leave.
    Program p;
    State *s = p.state("main");
    p.kernel({}, "d0")->stream = 0;
    NestedSDFGNode *n = p.nestedWriter("d3");
    auto *l = n->sdfg->add<LoopRegion>();
    l->condition = {"i < 5", Language::Python};
    auto *branches = l->add<ConditionalBlock>();
    branches->addBranch(Code{"i == 3", Language::Python}, std::make_unique<Region>())->adopt(std::make_unique<BreakBlock>());
    l->connect(branches, fillInside(*l, 2));
    MapEntry *last = p.kernel({"d0"}, "d1");
    last->stream = 1;
    auto *record = analysis::addAsyncOp(*s, {AsyncOp::Record, 0, 0}), *wait = analysis::addAsyncOp(*s, {AsyncOp::Wait, 1, 0});
    p.order(p.read("d0"), record);
    p.order(record, n);
    p.order(p.read("d3"), wait);
    p.order(wait, last);
    p.g.renumber();
    analysis::StreamSteps steps(p.g);
    int early = 0;
    analysis::StreamOrder(p.g, steps).run([&](const analysis::StreamConflict &c) {
        early += !c.byHost; // the end of the program does not wait in this test
        return false;
    });
    CHECK(early == 0);
}

namespace {

/// Operations in order, each after all previous ones.
struct Chain {
    Program &p;
    Node *last = nullptr;
    void then(Node *first, Node *exit) {
        if (last)
            p.order(last, first);
        last = exit;
    }
    void kernel(const std::vector<std::string> &in, const std::string &out, int stream) {
        MapEntry *m = p.kernel(in, out);
        m->stream = stream;
        then(m, p.read(out));
    }
    void async(AsyncOp::Kind kind, int stream, int event) {
        LibraryNode *n = analysis::addAsyncOp(*p.s, {kind, stream, event});
        then(n, n);
    }
};

/// Conflicts between device operations: the end of the program does not wait in these tests.
int earlyOperations(Program &p) {
    p.g.renumber();
    analysis::StreamSteps steps(p.g);
    int early = 0;
    analysis::StreamOrder(p.g, steps).run([&](const analysis::StreamConflict &c) {
        early += !c.byHost;
        return false;
    });
    return early;
}

} // namespace

TEST_CASE("what an event says is known in other states than the one that records it") {
    for (const bool waits : {true, false}) {
        Program p;
        State *first = p.state("first");
        Chain a{p};
        a.kernel({}, "d0", 0);
        a.async(AsyncOp::Record, 0, 0);
        LoopRegion *l = loop(p.g, "k");
        p.g.connect(first, l);
        p.state("second", l);
        Chain b{p};
        if (waits)
            b.async(AsyncOp::Wait, 1, 0);
        b.kernel({"d0"}, "d1", 1);
        CHECK((earlyOperations(p) == 0) == waits);
    }
}

TEST_CASE("what an event says is known to the next iteration, which waits before it records") {
    for (const bool records : {true, false}) {
        Program p;
        State *first = p.state("first");
        Chain{p}.async(AsyncOp::Record, 0, 0);
        LoopRegion *l = loop(p.g, "k");
        p.g.connect(first, l);
        p.state("body", l);
        Chain body{p};
        body.async(AsyncOp::Wait, 1, 0);
        body.kernel({"d0"}, "d1", 1);
        body.async(AsyncOp::Record, 1, 1);
        body.async(AsyncOp::Wait, 0, 1);
        body.kernel({}, "d0", 0);
        if (records)
            body.async(AsyncOp::Record, 0, 0);
        CHECK((earlyOperations(p) == 0) == records);
    }
}

TEST_CASE("without device operations nothing changes") {
    Program p;
    p.state("main");
    p.host("h0", "h1");
    p.g.renumber();
    PassRun order(transforms::createOrderStreams());
    CHECK_FALSE(order(p.g));
    CHECK(p.asyncNodes().empty());
}
