// Which container keeps the iterations of a map in order.
#include "GraphBuilder.h"

#include "Transforms/Lower/DependentIterations.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// map[i = 0:N] { map[j = 0:M] { t reads `from`, writes `to` } }, with one access node for each side.
struct TwoMaps {
    SDFG g{"f"};
    State *s;
    MapEntry *outer, *inner;
    Tasklet *t;

    TwoMaps() {
        array(g, "A", {expr("N"), expr("M")});
        array(g, "s", {1});
        for (const char *symbol : {"N", "M", "K"})
            g.symbols.set(symbol, ScalarKind::Int64);
        s = state(g);
        outer = map(s, {{"i", range("0", "N - 1")}}, Schedule::Sequential);
        inner = map(s, {{"j", range("0", "M - 1")}}, Schedule::Sequential);
        t = tasklet(s, "y = x");
        s->connect(outer, "", inner, "", Memlet::empty());
        s->connect(inner, "", t, "", Memlet::empty());
        s->connect(t, "", inner->exit, "", Memlet::empty());
        s->connect(inner->exit, "", outer->exit, "", Memlet::empty());
    }
    void reads(const Memlet &m) {
        s->connect(s->add<AccessNode>(m.data), "", outer, "IN_x", memlet(m.data.str(), g.desc(m.data)->fullSubset().dims));
        s->connect(outer, "OUT_x", inner, "IN_x", memlet(m.data.str(), g.desc(m.data)->fullSubset().dims));
        s->connect(inner, "OUT_x", t, "x", m);
    }
    void writes(const Memlet &m) {
        s->connect(t, "y", inner->exit, "IN_y", m);
        s->connect(inner->exit, "OUT_y", outer->exit, "IN_y", memlet(m.data.str(), g.desc(m.data)->fullSubset().dims));
        s->connect(outer->exit, "OUT_y", s->add<AccessNode>(m.data), "", memlet(m.data.str(), g.desc(m.data)->fullSubset().dims));
    }
    std::string shared(const MapEntry *of = nullptr) {
        return transforms::sharedByIterations(of ? *of : *outer, analysis::ScopeTree(*s)).str();
    }
};

} // namespace

TEST_CASE("dependent iterations: rows and columns of their own") {
    TwoMaps m;
    m.reads(memlet("A", {at("i"), at("j")}));
    m.writes(memlet("A", {at("i"), at("j")}));
    CHECK(m.shared() == "");
    CHECK(m.shared(m.inner) == "");
}

TEST_CASE("dependent iterations: the inner map's element before is of the same outer iteration") {
    TwoMaps m;
    m.reads(memlet("A", {at("i"), at("j - 1")}));
    m.writes(memlet("A", {at("i"), at("j")}));
    CHECK(m.shared() == "");
    CHECK(m.shared(m.inner) == "A");
}

TEST_CASE("dependent iterations: a row that another iteration writes") {
    TwoMaps m;
    m.reads(memlet("A", {at("i - 1"), at("j")}));
    m.writes(memlet("A", {at("i"), at("j")}));
    CHECK(m.shared() == "A");
}

TEST_CASE("dependent iterations: an element of all iterations") {
    TwoMaps m;
    SECTION("assigned: the last one stays") {
        m.writes(memlet("s", {at("0")}));
        CHECK(m.shared() == "s");
    }
    SECTION("updated, in any order") {
        m.writes(update("s", {at("0")}));
        CHECK(m.shared() == "");
    }
    SECTION("updated by a function of its own") {
        m.writes(update("s", {at("0")}, "lambda a, b: a * 2 + b"));
        CHECK(m.shared() == "s");
    }
    SECTION("updated and read") {
        m.reads(memlet("s", {at("0")}));
        m.writes(update("s", {at("0")}));
        CHECK(m.shared() == "s");
    }
}

TEST_CASE("dependent iterations: the element of a dynamic range may be any") {
    TwoMaps m;
    m.inner->inConnectors.push_back({"K"});
    m.writes(memlet("A", {at("i + K"), at("j")}));
    CHECK(m.shared() == "A");
}

TEST_CASE("dependent iterations: what each iteration has for itself does not count") {
    TwoMaps m;
    array(m.g, "own", {1}, true);
    auto *own = m.s->add<AccessNode>("own");
    m.s->connect(m.t, "y", own, "", memlet("own", {at("0")}));
    m.s->connect(own, "", m.inner->exit, "IN_y", memlet("A", {at("i"), at("j")}));
    m.s->connect(m.inner->exit, "OUT_y", m.outer->exit, "IN_y", memlet("A", m.g.desc("A")->fullSubset().dims));
    m.s->connect(m.outer->exit, "OUT_y", m.s->add<AccessNode>("A"), "", memlet("A", m.g.desc("A")->fullSubset().dims));
    CHECK(m.shared() == "");
}
