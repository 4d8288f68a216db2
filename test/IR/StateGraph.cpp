#include "../Graphs.h"

#include "sdfgc/IR/StateGraph.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

std::string labels(const std::vector<Node *> &nodes) {
    std::string out;
    for (const Node *n : nodes)
        out += (out.empty() ? "" : " ") + n->label;
    return out;
}

} // namespace

TEST_CASE("execution order goes deep first, from the sources in list order") {
    Graph g;
    auto *a = g.tasklet("", "a"), *b = g.tasklet("", "b"), *c = g.tasklet("", "c"), *d = g.tasklet("", "d"),
         *e = g.tasklet("", "e");
    g.order(a, c);
    g.order(a, d);
    g.order(b, d);
    g.order(c, e);
    // d waits for b; e precedes b because it is deeper below a.
    CHECK(labels(ScopeTree(*g.s).order()) == "a c e b d");
}

TEST_CASE("a node is emitted by the parent that is looked at last, in edge order") {
    Graph g;
    auto *x = g.tasklet("", "x"), *y = g.tasklet("", "y"), *z = g.tasklet("", "z"), *j = g.tasklet("", "j");
    g.order(x, y);
    g.order(x, z);
    g.order(y, j);
    g.order(z, j);
    CHECK(labels(ScopeTree(*g.s).order()) == "x y z j");
}

TEST_CASE("what leads nowhere in a scope comes before its exit") {
    Graph g;
    auto [entry, exit] = g.map("i", "0:N", "m");
    auto *through = g.tasklet("", "through"), *aside = g.tasklet("", "aside"), *after = g.tasklet("", "after");
    g.order(entry, through);
    g.order(entry, aside);
    g.order(through, exit);
    g.order(exit, after);
    const ScopeTree t(*g.s);
    CHECK(t.valid());
    CHECK(t.order() == std::vector<Node *>{entry, through, aside, exit, after});
}

TEST_CASE("cycles come last and are found") {
    Graph g;
    auto *a = g.tasklet("", "a"), *b = g.tasklet("", "b"), *c = g.tasklet("", "c");
    g.order(b, c);
    g.order(c, b);
    g.order(a, b);
    ScopeTree t(*g.s);
    CHECK_FALSE(t.acyclic());
    CHECK_FALSE(t.valid());
    CHECK(labels(t.order()) == "a b c");
}

TEST_CASE("scopes nest") {
    Graph g;
    g.array("A", "N");
    auto *a = g.access("A");
    auto [outer, outerExit] = g.map("i", "0:N", "outer");
    auto [inner, innerExit] = g.map("j", "0:N", "inner");
    auto *t = g.tasklet("", "t"), *u = g.tasklet("", "u");
    g.edge(a, "", outer, "IN_A", "A[0:N]");
    g.edge(outer, "OUT_A", inner, "IN_A", "A[i]");
    g.edge(inner, "OUT_A", t, "x", "A[i]");
    g.order(t, innerExit);
    g.order(outer, u);
    g.order(u, outerExit);
    g.order(innerExit, outerExit);
    ScopeTree s(*g.s);
    CHECK(s.valid());
    CHECK(s.scopeOf(a) == nullptr);
    CHECK(s.scopeOf(outer) == nullptr);
    CHECK(s.scopeOf(inner) == outer);
    CHECK(s.scopeOf(t) == inner);
    CHECK(s.scopeOf(innerExit) == inner);
    CHECK(s.scopeOf(outerExit) == outer);
    CHECK(labels(s.children(nullptr)) == "A outer");
    CHECK(labels(s.children(outer)) == "inner u");
    CHECK(labels(s.children(inner)) == "t");
    CHECK(labels(s.enclosing(t)) == "inner outer");
    CHECK(s.encloses(nullptr, a));
    CHECK(s.encloses(outer, t));
    CHECK(s.encloses(outer, inner));
    CHECK(s.encloses(outer, innerExit));
    CHECK(s.encloses(outer, outerExit));
    CHECK_FALSE(s.encloses(inner, u));
    CHECK_FALSE(s.encloses(inner, inner));
    CHECK_FALSE(s.encloses(outer, a));
    Graph other;
    CHECK(s.scopeOf(other.tasklet("")) == nullptr);
}

TEST_CASE("a node below two scope levels is in the deeper one") {
    Graph g;
    g.transient("T", "1");
    auto *outside = g.access("T");
    auto [entry, exit] = g.map("i", "0:4");
    auto *t = g.tasklet("", "t");
    g.edge(outside, "", t, "x", "T[0]"); // directly into the scope
    g.order(entry, t);
    g.order(t, exit);
    ScopeTree s(*g.s);
    CHECK(s.scopeOf(t) == entry);
    CHECK(s.valid());
}

TEST_CASE("malformed scopes are not valid") {
    SECTION("no exit") {
        Graph g;
        auto [entry, exit] = g.map("i", "0:4");
        g.s->removeNode(exit);
        entry->exit = nullptr;
        g.order(entry, g.tasklet(""));
        CHECK_FALSE(ScopeTree(*g.s).valid());
    }
    SECTION("two exits") {
        Graph g;
        auto [entry, exit] = g.map("i", "0:4");
        g.order(entry, exit);
        g.order(entry, g.s->add<MapExit>());
        CHECK_FALSE(ScopeTree(*g.s).valid());
    }
    SECTION("wrong kind of exit") {
        Graph g;
        auto [entry, exit] = g.map("i", "0:4");
        g.s->removeNode(exit);
        g.order(entry, g.s->add<ConsumeExit>());
        CHECK_FALSE(ScopeTree(*g.s).valid());
    }
    SECTION("side by side") {
        Graph g;
        auto [a, aExit] = g.map("i", "0:4", "a");
        auto [b, bExit] = g.map("i", "0:4", "b");
        auto *t = g.tasklet("");
        g.order(a, t);
        g.order(b, t);
        g.order(t, aExit);
        g.order(b, bExit);
        CHECK_FALSE(ScopeTree(*g.s).valid());
    }
}

TEST_CASE("scopes of a deep and wide state take linear time") {
    Graph g;
    constexpr int count = 100000;
    std::vector<Node *> entries, exits;
    for (int i = 0; i < count; ++i) {
        auto [entry, exit] = g.map("i", "0:4", "m");
        entries.push_back(entry);
        exits.push_back(exit);
        if (i > 0) {
            g.order(entries[static_cast<std::size_t>(i) - 1], entry);
            g.order(exit, exits[static_cast<std::size_t>(i) - 1]);
        }
    }
    g.order(entries.back(), exits.back());
    ScopeTree s(*g.s);
    CHECK(s.valid());
    CHECK(s.encloses(entries.front(), entries.back()));
}

TEST_CASE("connectors of scope nodes come in pairs") {
    CHECK(pairedConnector("IN_A") == Name("OUT_A"));
    CHECK(pairedConnector("OUT_A_0") == Name("IN_A_0"));
    CHECK(pairedConnector("n").empty());
    CHECK(pairedConnector("").empty());
}

TEST_CASE("connectors of entries that are no IN_x are for ranges") {
    CHECK(isDynamicRange("n"));
    CHECK_FALSE(isDynamicRange("IN_A"));
    CHECK_FALSE(isDynamicRange(""));
    MapEntry m;
    m.addIn("IN_A");
    CHECK_FALSE(hasDynamicRange(m));
    m.addIn("n");
    CHECK(hasDynamicRange(m));
}

TEST_CASE("memlet paths, leaves and ends") {
    Graph g;
    g.array("A", "N");
    g.array("B", "N");
    auto *a = g.access("A"), *b = g.access("B");
    auto [entry, exit] = g.map("i", "0:N");
    auto *t = g.tasklet("", "t"), *u = g.tasklet("", "u");
    Edge *in = g.edge(a, "", entry, "IN_A", "A[0:N]");
    Edge *toT = g.edge(entry, "OUT_A", t, "x", "A[i]");
    Edge *toU = g.edge(entry, "OUT_A", u, "x", "A[i]");
    Edge *fromT = g.edge(t, "y", exit, "IN_B", "B[i]");
    Edge *fromU = g.edge(u, "y", exit, "IN_B", "B[i]");
    Edge *out = g.edge(exit, "OUT_B", b, "", "B[0:N]");
    Edge *range = g.edge(a, "", entry, "n", "A[0]");
    Edge *orderEdge = g.order(entry, t);

    CHECK(memletPath(in) == std::vector<Edge *>{in, toT});
    CHECK(memletPath(toU) == std::vector<Edge *>{in, toU});
    CHECK(memletPath(fromU) == std::vector<Edge *>{fromU, out});
    CHECK(memletPath(out) == std::vector<Edge *>{fromT, out});
    CHECK(memletPath(range) == std::vector<Edge *>{range});
    CHECK(pathSource(toU) == a);
    CHECK(pathDestination(fromT) == b);
    CHECK(pathDestination(range) == entry);
    CHECK(memletLeaves(in) == std::vector<Edge *>{toT, toU});
    CHECK(memletLeaves(toU) == std::vector<Edge *>{toT, toU});
    CHECK(memletLeaves(out) == std::vector<Edge *>{fromT, fromU});
    CHECK(memletLeaves(fromT) == std::vector<Edge *>{fromT, fromU});
    CHECK(memletLeaves(range) == std::vector<Edge *>{range});

    ScopeTree scopes(*g.s);
    PathEnds ends(*g.s, scopes);
    for (const auto &e : g.s->edges()) {
        INFO(elementName(*e));
        CHECK(ends.source(e.get()) == pathSource(e.get()));
        CHECK(ends.destination(e.get()) == pathDestination(e.get()));
    }
    CHECK(ends.source(orderEdge) == entry);
}

TEST_CASE("which end a subset belongs to") {
    Graph g;
    g.array("A", "N");
    g.array("B", "N");
    auto *a = g.access("A"), *b = g.access("B"), *a2 = g.access("A");
    auto *t = g.tasklet("");
    Edge *forward = g.s->connect(a, "", b, "", copy("A[0:4]", "2:6"));
    Edge *backward = g.s->connect(a, "", b, "", copy("B[2:6]", "0:4"));
    Edge *whole = g.s->connect(a, "", b, "", memlet("A"));
    Edge *self = g.s->connect(a, "", a2, "", copy("A[0:4]", "4:8"));
    Edge *read = g.edge(b, "", t, "x", "B[1]");

    CHECK(dataIsSource(forward));
    CHECK(sourceSubset(forward)->str() == "0:4");
    CHECK(destinationSubset(forward)->str() == "2:6");
    CHECK_FALSE(dataIsSource(backward));
    CHECK(sourceSubset(backward)->str() == "0:4");
    CHECK(destinationSubset(backward)->str() == "2:6");
    CHECK(sourceSubset(whole) == subset("0:N"));
    CHECK_FALSE(destinationSubset(whole).has_value());
    CHECK(sourceSubset(read) == subset("1"));
    CHECK_FALSE(destinationSubset(read).has_value());
    CHECK(sourceSubset(self)->str() == "0:4");
    self->memlet.isDataSrc = false;
    CHECK(sourceSubset(self)->str() == "4:8");
    CHECK(destinationSubset(self)->str() == "0:4");
}

namespace {

struct ViewGraph : Graph {
    AccessNode *v;
    ViewGraph() {
        array("A", "N");
        array("B", "N");
        view("V", "N");
        v = access("V");
    }
    std::string why;
    Edge *found() { return viewEdge(v, &why); }
};

} // namespace

TEST_CASE("behind all views is a node of the memory itself") {
    ViewGraph g;
    g.view("W", "N");
    AccessNode *a = g.access("A"), *w = g.access("W");
    CHECK(nodeBehindViews(a) == a);
    g.edge(w, "", g.v, "", "W[0:N]");
    CHECK(nodeBehindViews(g.v) == nullptr); // W is a view of V, and V of W
    g.edge(a, "", w, "", "A[0:N]");
    CHECK(nodeBehindViews(g.v) == a);
}

TEST_CASE("viewing edge: the table of the format reference") {
    ViewGraph g;
    SECTION("no edge") {
        CHECK(g.found() == nullptr);
        CHECK(g.why == "it has no edge");
    }
    SECTION("only an in-edge, from data") {
        Edge *in = g.edge(g.access("A"), "", g.v, "", "A[0:N]");
        CHECK(g.found() == in);
        CHECK(viewedNode(g.v) == in->src);
    }
    SECTION("only an in-edge, from code") {
        g.edge(g.tasklet(""), "o", g.v, "", "V[0:N]");
        CHECK(g.found() == nullptr);
    }
    SECTION("one in-edge and several out-edges") {
        Edge *in = g.edge(g.access("A"), "", g.v, "", "A[0:N]");
        g.edge(g.v, "", g.access("B"), "", "V[0:N]");
        g.edge(g.v, "", g.access("B"), "", "V[0:N]");
        CHECK(g.found() == in);
    }
    SECTION("one out-edge, none or several in-edges") {
        Edge *out = g.edge(g.v, "", g.access("B"), "", "B[0:N]");
        CHECK(g.found() == out);
        g.edge(g.tasklet(""), "o", g.v, "", "V[0]");
        g.edge(g.tasklet(""), "o", g.v, "", "V[1]");
        CHECK(g.found() == out);
    }
    SECTION("ordering edges do not count") {
        Edge *out = g.edge(g.v, "", g.access("B"), "", "B[0:N]");
        g.order(g.access("A"), g.v);
        g.order(g.v, g.access("A"));
        CHECK(g.found() == out);
        out->srcConn = "views";
        g.edge(g.access("A"), "", g.v, "", "A[0:N]");
        CHECK(g.found() == out);
    }
    SECTION("as many on both sides") {
        for (int i = 0; i < 2; ++i) {
            g.edge(g.access("A"), "", g.v, "", "A[0:N]");
            g.edge(g.v, "", g.access("B"), "", "B[0:N]");
        }
        CHECK(g.found() == nullptr);
        CHECK_FALSE(g.why.empty());
    }
    SECTION("one and one: the side that is data") {
        Edge *in = g.edge(g.access("A"), "", g.v, "", "A[0:N]");
        g.edge(g.v, "", g.tasklet(""), "x", "V[0]");
        CHECK(g.found() == in);
    }
    SECTION("one and one, both data: connector views") {
        g.edge(g.access("A"), "", g.v, "", "A[0:N]");
        Edge *out = g.edge(g.v, "views", g.access("B"), "", "B[0:N]");
        CHECK(g.found() == out);
    }
    SECTION("one and one, both data: the memlet of the view itself is a copy") {
        Edge *in = g.edge(g.access("A"), "", g.v, "", "A[0:N]");
        Edge *out = g.edge(g.v, "", g.access("B"), "", "V[0:N]");
        CHECK(g.found() == in);
        std::swap(in->memlet, out->memlet);
        in->memlet.data = "V";
        out->memlet.data = "B";
        CHECK(g.found() == out);
        out->memlet.data = "V";
        CHECK(g.found() == nullptr);
    }
    SECTION("one and one, both data: out of the scope") {
        auto [entry, exit] = g.map("i", "0:N");
        g.edge(g.access("A"), "", entry, "IN_A", "A[0:N]");
        Edge *in = g.edge(entry, "OUT_A", g.v, "", "A[i]");
        auto *t = g.access("B");
        g.edge(g.v, "", t, "", "B[i]");
        g.order(t, exit);
        CHECK(g.found() == in);
        CHECK(g.why.empty());
    }
    SECTION("ambiguous: the in-edge") {
        Edge *in = g.edge(g.access("A"), "", g.v, "", "A[0:N]");
        g.edge(g.v, "", g.access("B"), "", "B[0:N]");
        CHECK(g.found() == in);
        CHECK_FALSE(g.why.empty());
    }
}

TEST_CASE("a state computes its scopes once, and anew after every kind of change") {
    SDFG g(Name("g"));
    State *s = g.add<State>();
    auto *a = s->add<AccessNode>("A"), *b = s->add<AccessNode>("B");
    Edge *e = s->connect(a, {}, b, {}, {});
    const auto same = [s] { return &ScopeTree(*s).order(); };
    const ScopeTree before(*s);
    CHECK(same() == &before.order());
    auto differs = [&, known = std::vector<ScopeTree>{before}](auto change) mutable {
        change(); // older trees are kept, so that their memory is not reused
        known.emplace_back(*s);
        return &known[known.size() - 2].order() != &known.back().order();
    };
    CHECK(differs([&] { s->add<AccessNode>("C"); }));
    CHECK(differs([&] { s->setDestination(e, s->nodes()[2].get(), {}); }));
    CHECK(differs([&] { s->setSource(e, b, {}); }));
    CHECK(differs([&] { s->removeEdge(e); }));
    CHECK(differs([&] { s->connect(a, {}, b, {}, {}); }));
    CHECK(differs([&] { s->removeNode(s->nodes()[2].get()); }));
    CHECK_FALSE(differs([&] { s->renumber(); }));
    CHECK(before.order().size() == 2);
}
