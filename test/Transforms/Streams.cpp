// assign-streams, order-streams and the walk that they use, on small programs and on random ones. What the passes leave is checked by
// an oracle that shares nothing with the walk: it runs the program step by step with vector clocks.
#include "GraphBuilder.h"
#include "OrderChecks.h"

#include "sdfgc/Analysis/Streams.h"
#include "sdfgc/Analysis/Verify.h"

#include <random>

using namespace sdfgc;
using namespace sdfgc::test;
using analysis::AsyncOp;
using analysis::StreamStep;

namespace {

/// A program over device arrays d0.., host arrays h0.. of the caller; operations are added to states in order.
struct Program {
    SDFG g{"f"};
    std::map<State *, std::map<std::string, AccessNode *>> last; // node of a container's present value

    Program() {
        for (std::string n : {"0", "1", "2", "3"}) {
            array(g, "d" + n, {16}, true);
            g.desc(Name("d" + n))->storage = Storage::GPU_Global;
            array(g, "h" + n, {16});
            g.desc(Name("h" + n))->storage = Storage::CPU_Heap;
        }
        g.symbols.set("n", ScalarKind::Int64);
    }
    AccessNode *read(State *s, const std::string &data) {
        AccessNode *&n = last[s][data];
        if (!n)
            n = s->add<AccessNode>(Name(data));
        return n;
    }
    AccessNode *write(State *s, const std::string &data) { return last[s][data] = s->add<AccessNode>(Name(data)); }
    Memlet all(const std::string &data) { return memlet(data, {range("0", "15")}); }

    MapEntry *kernel(State *s, const std::vector<std::string> &in, const std::string &out) {
        MapEntry *m = map(s, {{"i", range("0", "15")}}, Schedule::GPU_Device);
        std::string sum = "0.0";
        Tasklet *t = tasklet(s, "");
        int k = 0;
        for (const std::string &data : in) {
            const std::string number = std::to_string(k++);
            s->connect(read(s, data), "", m, Name("IN_" + number), all(data));
            s->connect(m, Name("OUT_" + number), t, Name("x" + number), memlet(data, {at("i")}));
            sum += " + x" + number;
        }
        if (in.empty())
            s->connect(m, "", t, "", Memlet::empty());
        t->code.text = "y = " + sum;
        s->connect(t, "y", m->exit, "IN_y", memlet(out, {at("i")}));
        s->connect(m->exit, "OUT_y", write(s, out), "", all(out));
        return m;
    }
    void copy(State *s, const std::string &from, const std::string &to) {
        AccessNode *source = read(s, from);
        Memlet m = all(from);
        m.otherSubset = m.subset;
        s->connect(source, "", write(s, to), "", m);
    }
    /// Copies that end at one node.
    void copyInto(State *s, const std::vector<std::string> &sources, const std::string &to, std::optional<int> stream = {}) {
        auto *target = s->add<AccessNode>(Name(to));
        for (const std::string &from : sources) {
            Memlet m = all(from);
            m.otherSubset = m.subset;
            m.stream = stream;
            s->connect(read(s, from), "", target, "", m);
        }
        last[s][to] = target;
    }
    /// A nested SDFG, still empty, whose x is the container.
    NestedSDFGNode *nestedWriter(State *s, const std::string &to) {
        NestedSDFGNode *n = nested(s, "inner");
        array(*n->sdfg, "x", {16});
        n->sdfg->desc(Name("x"))->storage = Storage::GPU_Global;
        s->connect(n, "x", write(s, to), "", all(to));
        return n;
    }
    void host(State *s, const std::string &in, const std::string &out) {
        Tasklet *t = tasklet(s, "y = x");
        s->connect(read(s, in), "", t, "x", memlet(in, {at("0")}));
        s->connect(t, "y", write(s, out), "", memlet(out, {at("0")}));
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
    /// Pairs without an order that the walk finds, without one node if given.
    int conflicts(const Node *without = nullptr) { return conflictsOf<analysis::StreamOrder>(g, without); }
};

/// In a nested SDFG: a kernel on a stream that writes x.
void fillInside(State *s, int stream) {
    MapEntry *m = map(s, {{"i", range("0", "15")}}, Schedule::GPU_Device);
    m->stream = stream;
    Tasklet *t = tasklet(s, "y = 1");
    s->connect(m, "", t, "", Memlet::empty());
    s->connect(t, "y", m->exit, "IN_y", memlet("x", {at("i")}));
    s->connect(m->exit, "OUT_y", s->add<AccessNode>(Name("x")), "", memlet("x", {range("0", "15")}));
}

/// Runs a program: loops `iterations` times, conditionals by a coin. Every operation has a stamp; clocks say what is known to be
/// over.
class Oracle {
public:
    Oracle(SDFG &g, int iterations, unsigned seed) : steps_(g), iterations_(iterations), coin_(seed) {
        region(g);
        for (const auto &[use, stamp] : done_)
            violations += !knows(host_, stamp); // the end of the program
    }
    int violations = 0;

private:
    using Clock = std::map<int, int>; // stream -> operations that are over
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
            auto next = r.outEdges(b);
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

/// States in a row, some in loops and conditionals, with up to four operations each.
void fill(Program &p, unsigned seed) {
    std::mt19937 random(seed);
    auto pick = [&](unsigned n) { return static_cast<int>(random() % n); };
    auto name = [&](const char *kind) { return kind + std::to_string(pick(4)); };
    Block *before = nullptr;
    for (int k = 0; k < 4; ++k) {
        Region *r = &p.g;
        Block *b = nullptr;
        const int shape = pick(4);
        const std::string label = "b" + std::to_string(k);
        if (shape == 0) {
            auto *l = p.g.add<LoopRegion>();
            l->variable = Name("k" + std::to_string(k));
            l->init = Code{"k" + std::to_string(k) + " = 0"};
            l->condition = Code{"k" + std::to_string(k) + " < n"};
            l->update = Code{"k" + std::to_string(k) + " = k" + std::to_string(k) + " + 1"};
            b = r = l;
        } else if (shape == 1) {
            auto *c = p.g.add<ConditionalBlock>();
            r = c->addBranch(Code{"n > 3"}, std::make_unique<Region>());
            b = c;
        }
        State *s = r->add<State>();
        s->label = label + "_state";
        (b ? b : s)->label = b ? label : s->label;
        if (!b)
            b = s;
        for (int o = 1 + pick(4); o-- > 0;)
            switch (pick(4)) {
            case 0:
                p.copy(s, name("h"), name("d"));
                break;
            case 1:
                p.copy(s, name("d"), name("h"));
                break;
            case 2:
                p.host(s, name("h"), name("h"));
                break;
            default:
                p.kernel(s, {name("d"), name("d") == "d0" ? "d1" : "d2"}, "d3");
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
    State *s = state(p.g);
    p.copy(s, "h0", "d0");
    p.kernel(s, {"d0"}, "d1");
    p.copy(s, "d1", "h1");
    p.host(s, "h1", "h2");
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
    State *s = state(p.g);
    p.kernel(s, {}, "d0");
    p.copy(s, "d0", "h0");
    p.g.connect(s, p.g.add<ReturnBlock>());
    p.schedule(1);
    CHECK(p.count(AsyncOp::Synchronise) == 1);
    CHECK(p.conflicts() == 0);
    for (const auto &b : p.g.blocks())
        CHECK((b.get() == s || !p.g.inEdges(b.get()).empty()));
}

TEST_CASE("independent chains get streams of their own, a meeting an event") {
    Program p;
    State *s = state(p.g);
    p.kernel(s, {}, "d0");
    p.kernel(s, {}, "d1");
    MapEntry *both = p.kernel(s, {"d0", "d1"}, "d2");
    p.g.renumber();
    p.schedule(4);
    std::set<int> streams;
    for (const auto &n : s->nodes())
        if (auto *m = dyn_cast<MapEntry>(n.get()))
            streams.insert(*m->stream);
    CHECK(streams == std::set<int>{0, 1});
    CHECK(p.count(AsyncOp::Record) == 1);
    CHECK(p.count(AsyncOp::Wait) == 1);
    CHECK(*both->stream == 1);                 // goes on where its last predecessor ran
    CHECK(p.count(AsyncOp::Synchronise) == 1); // what stream 1 waited for is over with it
}

TEST_CASE("copies that one kernel needs share its stream") {
    Program p;
    State *s = state(p.g);
    p.copy(s, "h0", "d0");
    p.copy(s, "h1", "d1");
    p.kernel(s, {"d0", "d1"}, "d2");
    p.g.renumber();
    p.schedule(4);
    CHECK(p.count(AsyncOp::Record) == 0);
}

TEST_CASE("write after read over the back edge of a loop") {
    Program p;
    auto *l = p.g.add<LoopRegion>();
    l->label = "loop";
    l->variable = "k";
    l->init = Code{"k = 0"};
    l->condition = Code{"k < n"};
    l->update = Code{"k = k + 1"};
    State *s = l->add<State>();
    s->label = "body";
    MapEntry *first = p.kernel(s, {}, "d0");
    MapEntry *second = p.kernel(s, {"d0"}, "d1");
    first->stream = 0;
    second->stream = 1;
    p.g.renumber();
    p.schedule(2);
    CHECK(p.count(AsyncOp::Wait) == 2); // stream 1 for the value, stream 0 for the reader of the iteration before
    CHECK(p.conflicts() == 0);
    CHECK(Oracle(p.g, 3, 0).violations == 0);
}

TEST_CASE("waits of the host do not grow with the number of kernels") {
    for (int kernels : {1, 12}) {
        Program p;
        State *s = state(p.g);
        p.copy(s, "h0", "d0");
        for (int k = 0; k < kernels; ++k)
            p.kernel(s, {"d0", "d1"}, "d1");
        p.copy(s, "d1", "h1");
        p.host(s, "h1", "h2");
        p.g.renumber();
        p.schedule(1);
        CHECK(p.count(AsyncOp::Synchronise) == 1);
    }
}

TEST_CASE("two writes to one array on two streams get an order, which the verifier misses when it is gone") {
    Program p;
    State *s = state(p.g);
    p.kernel(s, {}, "d0")->stream = 0;
    p.kernel(s, {}, "d0")->stream = 1; // no path leads from one to the other
    p.g.renumber();
    p.schedule(2);
    REQUIRE(p.count(AsyncOp::Wait) == 1);
    CHECK(p.conflicts() == 0);
    for (LibraryNode *n : p.asyncNodes())
        CHECK(p.conflicts(n) > 0);
}

TEST_CASE("the verifier names both elements of a pair without order") {
    Program p;
    State *s = state(p.g);
    p.kernel(s, {}, "d0");
    p.copy(s, "d0", "h0");
    p.g.renumber();
    p.schedule(1);
    LibraryNode *wait = p.asyncNodes().front();
    s->removeNode(wait);
    p.g.renumber();
    analysis::StreamSteps steps(p.g);
    std::vector<std::string> names;
    analysis::StreamOrder(p.g, steps, [&](const analysis::StreamConflict &c) {
        CHECK(c.endOfProgram);
        names.push_back(steps.name(c.earlier.use.memory));
        return false;
    }).run();
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
    State *s = state(p.g);
    p.copy(s, "h0", "d0");
    p.copy(s, "h1", "d1");
    p.copyInto(s, {"d0", "d1"}, "d2");
    p.copy(s, "d2", "h2");
    p.g.renumber();
    p.schedule(4);
    CHECK(p.conflicts() == 0);
    // The order is one: every node is reached before what its edges lead to.
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
    State *s = state(p.g);
    p.kernel(s, {}, "d0")->stream = 0;
    NestedSDFGNode *n = p.nestedWriter(s, "d1");
    fillInside(state(*n->sdfg), 1);
    p.copyInto(s, {"d0", "d1"}, "d2", 0);
    p.copy(s, "d2", "h2");
    p.g.renumber();
    p.schedule(2);
    CHECK(p.conflicts() == 0);
    CHECK(p.count(AsyncOp::Record) == 1);
}

TEST_CASE("what events say is known behind nested SDFGs and branches that leave a loop") {
    // Between the record and the wait there is a nested SDFG with a loop that may be left in a branch.
    Program p;
    State *s = state(p.g);
    p.kernel(s, {}, "d0")->stream = 0;
    NestedSDFGNode *n = p.nestedWriter(s, "d3");
    auto *loop = n->sdfg->add<LoopRegion>();
    loop->condition = {"i < 5", Language::Python};
    auto *branches = loop->add<ConditionalBlock>();
    branches->addBranch(Code{"i == 3", Language::Python}, std::make_unique<Region>())->adopt(std::make_unique<BreakBlock>());
    auto *work = loop->add<State>();
    loop->connect(branches, work);
    fillInside(work, 2);
    MapEntry *last = p.kernel(s, {"d0"}, "d1");
    last->stream = 1;
    auto *record = analysis::addAsyncOp(*s, {AsyncOp::Record, 0, 0}), *wait = analysis::addAsyncOp(*s, {AsyncOp::Wait, 1, 0});
    s->connect(p.last[s]["d0"], "", record, "", Memlet::empty());
    s->connect(record, "", n, "", Memlet::empty());
    s->connect(p.last[s]["d3"], "", wait, "", Memlet::empty());
    s->connect(wait, "", last, "", Memlet::empty());
    p.g.renumber();
    analysis::StreamSteps steps(p.g);
    int early = 0;
    analysis::StreamOrder(p.g, steps, [&](const analysis::StreamConflict &c) {
        early += !c.byHost; // the end of the program does not wait in this test
        return false;
    }).run();
    CHECK(early == 0);
}

TEST_CASE("without device operations nothing changes") {
    Program p;
    State *s = state(p.g);
    p.host(s, "h0", "h1");
    p.g.renumber();
    PassRun order(transforms::createOrderStreams());
    CHECK_FALSE(order(p.g));
    CHECK(p.asyncNodes().empty());
}
