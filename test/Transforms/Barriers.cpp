// place-barriers and the walk that it uses: which phases of a kernel wait for each other, and that no barrier is placed in vain.
#include "BarrierChecks.h"

using namespace sdfgc;
using namespace sdfgc::test;
using analysis::AsyncOp;

namespace {

/// A kernel over blocks `b`; s and u are shared by the threads of a block, A and B are global.
struct Kernel {
    SDFG g{"f"};
    State *s;
    MapEntry *kernel, *scope; // phases are added to `scope`
    std::map<std::string, AccessNode *> last;

    explicit Kernel(std::vector<std::pair<std::string, sym::Range>> blocks = {{"b", range("0", "7")}}) {
        for (const char *name : {"A", "B"}) {
            array(g, name, {8, 32}, true);
            g.desc(Name(name))->storage = Storage::GPU_Global;
        }
        for (const char *name : {"s", "u"}) {
            array(g, name, {32}, true);
            g.desc(Name(name))->storage = Storage::GPU_Shared;
        }
        for (const char *symbol : {"N", "M"})
            g.symbols.set(symbol, ScalarKind::Int64);
        s = state(g);
        kernel = scope = map(s, std::move(blocks), Schedule::GPU_Device);
    }
    static bool isGlobal(const std::string &data) { return data == "A" || data == "B"; }
    Memlet element(const std::string &data, const std::string &thread) {
        return isGlobal(data) ? memlet(data, {at("b"), at(thread)}) : memlet(data, {at(thread)});
    }
    Memlet all(const std::string &data) {
        return isGlobal(data) ? memlet(data, {at("b"), range("0", "31")}) : memlet(data, {range("0", "31")});
    }

    /// to[t] = from[31 - t] by the threads of the block.
    MapEntry *phase(const std::string &from, const std::string &to) {
        MapEntry *m = map(s, {{"t", range("0", "31")}}, Schedule::GPU_ThreadBlock);
        Tasklet *t = tasklet(s, "y = x");
        Node *source = last.count(from) ? static_cast<Node *>(last[from]) : scope;
        const std::string in = "IN_" + std::to_string(s->nodes().size()), out = "OUT_" + in.substr(3);
        if (source == scope && isGlobal(from)) {
            s->connect(s->add<AccessNode>(Name(from)), "", kernel, Name(in), memlet(from, {range("0", "7"), range("0", "31")}));
            if (scope != kernel) {
                s->connect(kernel, Name(out), scope, Name(in), all(from));
            }
            s->connect(scope, Name(out), m, Name(in), all(from));
        } else if (source == scope) {
            auto *a = s->add<AccessNode>(Name(from));
            s->connect(scope, "", a, "", Memlet::empty());
            s->connect(a, "", m, Name(in), all(from));
        } else {
            s->connect(source, "", m, Name(in), all(from));
        }
        s->connect(m, Name(out), t, "x", element(from, "31 - t"));
        s->connect(t, "y", m->exit, Name(in), element(to, "t"));
        if (isGlobal(to)) {
            s->connect(m->exit, Name(out), scope->exit, Name(in), all(to));
            if (scope != kernel)
                s->connect(scope->exit, Name(out), kernel->exit, Name(in), all(to));
            s->connect(kernel->exit, Name(out), s->add<AccessNode>(Name(to)), "", memlet(to, {range("0", "7"), range("0", "31")}));
        } else {
            last[to] = s->add<AccessNode>(Name(to));
            s->connect(m->exit, Name(out), last[to], "", all(to));
        }
        return m;
    }
    /// What comes next is in a loop of the block.
    void loop() {
        MapEntry *m = map(s, {{"k", range("0", "9")}}, Schedule::Sequential);
        s->connect(kernel, "", m, "", Memlet::empty());
        scope = m;
    }

    int conflicts() { return test::conflicts(g); }
    int placed() { return static_cast<int>(placedBarriers(g).size()); }
};

} // namespace

TEST_CASE("barriers: a phase that reads what the one before wrote waits") {
    Kernel k;
    k.phase("A", "s");
    k.phase("s", "B");
    CHECK(k.placed() == 1);
}

TEST_CASE("barriers: phases that share nothing do not wait") {
    Kernel k;
    k.phase("A", "s");
    k.phase("A", "u");
    CHECK(k.placed() == 0);
    Kernel single;
    single.phase("A", "B");
    CHECK(single.placed() == 0);
}

TEST_CASE("barriers: one serves all phases before it") {
    Kernel k;
    k.phase("A", "s");
    k.phase("A", "u");
    k.phase("s", "B");
    k.phase("u", "B"); // writes B after another phase that does: these are not the same elements, but the same container
    CHECK(k.placed() == 2);
}

TEST_CASE("barriers: what is overwritten has been read, also in the iteration before") {
    Kernel k;
    k.loop();
    k.phase("A", "s");
    k.phase("s", "B");
    CHECK(k.placed() == 2);
}

TEST_CASE("barriers: a block that gets several iterations of the grid") {
    CHECK_FALSE(analysis::blocksRepeat(*Kernel().kernel));
    Kernel along({{"b", range("0", "N - 1")}});
    CHECK_FALSE(analysis::blocksRepeat(*along.kernel)); // x has no limit
    Kernel k({{"a", range("0", "M - 1")}, {"b", range("0", "7")}});
    CHECK(analysis::blocksRepeat(*k.kernel));
    k.phase("A", "s");
    k.phase("s", "B");
    CHECK(k.placed() == 2);
}

TEST_CASE("barriers: those that are there count") {
    Kernel k;
    k.phase("A", "s");
    MapEntry *second = k.phase("s", "B");
    auto *b = analysis::addAsyncOp(*k.s, {AsyncOp::Barrier, 0, -1});
    k.s->connect(k.last["s"], "", b, "", Memlet::empty());
    k.s->connect(b, "", second, "", Memlet::empty());
    CHECK(k.conflicts() == 0);
    CHECK(k.placed() == 1);
}

TEST_CASE("barriers: loops and branches of nested SDFGs") {
    Kernel k;
    k.phase("A", "s");
    NestedSDFGNode *n = nested(k.s, "inner");
    k.s->connect(k.last["s"], "", n, "s", k.all("s"));
    SDFG &inner = *n->sdfg;
    array(inner, "s", {32});
    array(inner, "u", {32}, true);
    inner.desc(Name("s"))->storage = inner.desc(Name("u"))->storage = Storage::GPU_Shared;
    auto *loop = inner.add<LoopRegion>();
    loop->condition = {"i < 5", Language::Python};
    auto phaseIn = [&](State *s, const char *from, const char *to) {
        MapEntry *m = map(s, {{"t", range("0", "31")}}, Schedule::GPU_ThreadBlock);
        Tasklet *t = tasklet(s, "y = x");
        s->connect(s->add<AccessNode>(Name(from)), "", m, "IN_x", memlet(from, {range("0", "31")}));
        s->connect(m, "OUT_x", t, "x", memlet(from, {at("31 - t")}));
        s->connect(t, "y", m->exit, "IN_y", memlet(to, {at("t")}));
        s->connect(m->exit, "OUT_y", s->add<AccessNode>(Name(to)), "", memlet(to, {range("0", "31")}));
    };
    auto *first = loop->add<State>(), *second = loop->add<State>();
    loop->connect(first, second);
    phaseIn(first, "s", "u");
    phaseIn(second, "u", "s");
    auto *after = k.s->add<AccessNode>(Name("s"));
    k.s->connect(n, "s", after, "", k.all("s"));
    k.s->connect(after, "", k.kernel->exit, "", Memlet::empty());
    // s is written in front of the loop and at its end; u is read at the end and written at the beginning of the next iteration.
    CHECK(k.placed() == 2);
}
