#include "sdfgc/IR/Scopes.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::ir;

namespace {

/// outer map { inner map { tasklet } }, with access nodes before and after.
struct NestedMaps {
    State s;
    AccessNode *in = s.add<AccessNode>("A");
    MapEntry *outer = s.add<MapEntry>();
    MapExit *outerExit = s.add<MapExit>();
    MapEntry *inner = s.add<MapEntry>();
    Tasklet *t = s.add<Tasklet>();
    MapExit *innerExit = s.add<MapExit>();
    AccessNode *out = s.add<AccessNode>("B");
    NestedMaps() {
        const std::vector<Node *> chain = {in, outer, inner, t, innerExit, outerExit, out};
        for (std::size_t i = 1; i < chain.size(); ++i)
            edge(chain[i - 1], chain[i]);
    }
    void edge(Node *a, Node *b) { s.connect(a, Name(), b, Name(), Memlet::empty()); }
};

std::string problems(const ScopeMap &m) {
    std::string text;
    for (const ScopeProblem &p : m.problems)
        text += std::to_string(p.node->id()) + ": " + p.what + "\n";
    return text;
}

} // namespace

TEST_CASE("scopes: nested maps are paired, whatever the order of the list") {
    NestedMaps g;
    ScopeMap m = pairScopes(g.s);
    CHECK(problems(m).empty());
    CHECK(g.outer->exit == g.outerExit);
    CHECK(g.outerExit->entry == g.outer);
    CHECK(g.inner->exit == g.innerExit);
    CHECK(m.entry[g.in->id()] == nullptr);
    CHECK(m.entry[g.outer->id()] == nullptr);
    CHECK(m.entry[g.inner->id()] == g.outer);
    CHECK(m.entry[g.t->id()] == g.inner);
    CHECK(m.entry[g.innerExit->id()] == g.inner);
    CHECK(m.entry[g.outerExit->id()] == g.outer);
    CHECK(m.entry[g.out->id()] == nullptr);
    CHECK(m.exit[g.inner->id()] == g.innerExit);
}

TEST_CASE("scopes: the deepest predecessor decides") {
    NestedMaps g;
    auto *constant = g.s.add<Tasklet>(); // no in-edge: at the top level, but feeds the inside
    g.edge(constant, g.t);
    ScopeMap m = pairScopes(g.s);
    CHECK(problems(m).empty());
    CHECK(m.entry[g.t->id()] == g.inner);
}

TEST_CASE("scopes: consume scopes are paired with their own kind of exit") {
    State s;
    auto *entry = s.add<ConsumeEntry>();
    auto *exit = s.add<ConsumeExit>();
    s.connect(entry, Name(), exit, Name(), Memlet::empty());
    CHECK(pairScopes(s).problems.empty());
    CHECK(entry->exit == exit);
    auto *map = s.add<MapEntry>();
    auto *wrong = s.add<ConsumeExit>();
    s.connect(map, Name(), wrong, Name(), Memlet::empty());
    CHECK(problems(pairScopes(s)) == "2: no exit closes this scope\n"
                                     "3: this exit and the entry of the scope that it is in are of different kinds\n");
    CHECK(wrong->entry == nullptr);
}

TEST_CASE("scopes: edges from outside do not end at an exit") {
    NestedMaps g;
    auto *outside = g.s.add<Tasklet>();
    g.edge(outside, g.innerExit);
    CHECK(problems(pairScopes(g.s)).find("an edge from outside of the scope ends at its exit\n") != std::string::npos);
}

TEST_CASE("scopes: what is malformed is reported, and stale pairs are dropped") {
    NestedMaps g;
    REQUIRE(pairScopes(g.s).problems.empty());
    auto *second = g.s.add<MapExit>();
    g.edge(g.t, second);
    auto *stray = g.s.add<MapExit>();
    CHECK(problems(pairScopes(g.s)) == "7: a second exit closes this scope\n8: this exit is in no scope\n");
    CHECK(stray->entry == nullptr);
    CHECK(second->entry == nullptr);

    NestedMaps open;
    open.s.removeNode(open.innerExit);
    pairScopes(open.s);
    CHECK(open.inner->exit == nullptr);

    NestedMaps cycle;
    REQUIRE(pairScopes(cycle.s).problems.empty());
    cycle.edge(cycle.innerExit, cycle.inner);
    const std::string found = problems(pairScopes(cycle.s));
    CHECK(found.find("this node depends on itself") != std::string::npos);
    CHECK(cycle.inner->exit == nullptr);
}

TEST_CASE("scopes: two scopes side by side may not meet inside") {
    State s;
    auto *a = s.add<MapEntry>(), *b = s.add<MapEntry>();
    auto *t = s.add<Tasklet>();
    auto *x = s.add<MapExit>();
    for (Node *entry : {static_cast<Node *>(a), static_cast<Node *>(b)})
        s.connect(entry, Name(), t, Name(), Memlet::empty());
    s.connect(t, Name(), x, Name(), Memlet::empty());
    CHECK(problems(pairScopes(s)).find("2: edges from two separate scopes meet here") != std::string::npos);
}

TEST_CASE("scopes: a long chain of nested scopes takes linear time and no stack") {
    State s;
    std::vector<MapEntry *> entries;
    Node *last = s.add<Tasklet>();
    for (int i = 0; i < 50000; ++i) {
        auto *e = s.add<MapEntry>();
        s.connect(last, Name(), e, Name(), Memlet::empty());
        entries.push_back(e);
        last = e;
    }
    for (int i = 0; i < 50000; ++i) {
        auto *x = s.add<MapExit>();
        s.connect(last, Name(), x, Name(), Memlet::empty());
        last = x;
    }
    CHECK(pairScopes(s).problems.empty());
    CHECK(entries.back()->exit->id() == entries.back()->id() + 1);
}
