#include "GraphBuilder.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

Type in(const Node *n, const char *c) { return n->inConnector(c)->type; }
Type out(const Node *n, const char *c) { return n->outConnector(c)->type; }
const Type f64 = ScalarKind::Float64;

} // namespace

TEST_CASE("scope edges without connectors get matching ones") {
    SDFG g("f");
    array(g, "A", {expr("N")});
    array(g, "B", {expr("N")});
    State *s = state(g);
    auto *a = s->add<AccessNode>("A"), *b = s->add<AccessNode>("B");
    MapEntry *m = map(s, {{"i", range("0", "N - 1")}});
    Tasklet *t = tasklet(s, "y = x");
    Edge *outer = s->connect(a, "", m, "", memlet("A", {range("0", "N - 1")}));
    Edge *inner = s->connect(m, "", t, "x", memlet("A", {at("i")}));
    Edge *up = s->connect(t, "y", m->exit, "", memlet("B", {at("i")}));
    Edge *down = s->connect(m->exit, "", b, "", memlet("B", {range("0", "N - 1")}));
    Edge *order = s->connect(m, "", m->exit, "", Memlet::empty());

    PassRun fill(transforms::createFillScopeConnectors());
    CHECK(fill(g));
    CHECK(outer->dstConn == Name("IN_1"));
    CHECK(inner->srcConn == Name("OUT_1"));
    CHECK(up->dstConn == Name("IN_1"));
    CHECK(down->srcConn == Name("OUT_1"));
    CHECK(order->srcConn.empty());
    CHECK(m->inConnector("IN_1") != nullptr);
    CHECK(m->exit->outConnector("OUT_1") != nullptr);
    CHECK(analysis::memletPath(inner).size() == 2);
    CHECK_FALSE(fill(g));
}

TEST_CASE("existing scope connectors are completed, not doubled") {
    SDFG g("f");
    array(g, "A", {expr("N")});
    array(g, "C", {expr("N")});
    State *s = state(g);
    auto *a = s->add<AccessNode>("A"), *c = s->add<AccessNode>("C");
    MapEntry *m = map(s, {{"i", range("0", "N - 1")}});
    Tasklet *t = tasklet(s, "pass");
    s->connect(c, "", m, "IN_1", memlet("C", {range("0", "N - 1")}));
    s->connect(m, "OUT_1", t, "c", memlet("C", {at("i")}));
    Edge *outer = s->connect(a, "", m, "", memlet("A", {range("0", "N - 1")}));
    s->connect(m, "OUT_A", t, "x", memlet("A", {at("i")}));
    Edge *lost = s->connect(m, "", t, "z", memlet("Z", {at("i")}));
    s->connect(t, "", m->exit, "", Memlet::empty());

    PassRun fill(transforms::createFillScopeConnectors());
    fill(g);
    CHECK(outer->dstConn == Name("IN_A"));
    CHECK(lost->srcConn.empty());
    CHECK(fill.reported(diag::Id::ScopeConnectorUnmatched));
}

TEST_CASE("data that leaves a scope which nothing brings in is refused") {
    SDFG g("f");
    array(g, "A", {expr("N")});
    State *s = state(g);
    MapEntry *m = map(s, {{"i", range("0", "N - 1")}});
    Tasklet *t = tasklet(s, "pass");
    s->connect(m, "", t, "", Memlet::empty());
    s->connect(t, "", m->exit, "", Memlet::empty());
    s->connect(m->exit, "", s->add<AccessNode>("A"), "", memlet("A", {range("0", "N - 1")}));
    PassRun fill(transforms::createFillScopeConnectors());
    fill(g);
    CHECK(fill.reported(diag::Id::ScopeConnectorUnmatched));
}

TEST_CASE("a connector whose memlet names no container has no type") {
    SDFG g("f");
    array(g, "A", {expr("N")});
    State *s = state(g);
    Tasklet *t = tasklet(s, "y = x");
    s->connect(s->add<AccessNode>("A"), "", t, "x", memlet("lost", {at("0")}));
    PassRun infer(transforms::createInferTypes());
    infer(g);
    CHECK(infer.reported(diag::Id::ConnectorDataUnknown));
}

TEST_CASE("connectors take the type of one element or a pointer") {
    SDFG g("f");
    array(g, "A", {expr("N")});
    array(g, "B", {expr("N")});
    scalar(g, "k", false, ScalarKind::Int32);
    State *s = state(g);
    auto *a = s->add<AccessNode>("A"), *b = s->add<AccessNode>("B"), *k = s->add<AccessNode>("k");
    MapEntry *m = map(s, {{"i", range("0", "n")}});
    Tasklet *t = tasklet(s, "y = x");
    s->connect(k, "", m, "n", memlet("k", {at("0")}));
    s->connect(a, "", m, "IN_A", memlet("A", {range("0", "N - 1")}));
    s->connect(m, "OUT_A", t, "x", memlet("A", {at("i")}));
    s->connect(m, "OUT_A", t, "all", memlet("A", {range("0", "N - 1")}));
    s->connect(t, "y", m->exit, "IN_B", memlet("B", {at("i")}));
    Memlet dynamic = memlet("B", {at("i")});
    dynamic.dynamic = true;
    s->connect(t, "maybe", m->exit, "IN_B", dynamic);
    Memlet summed = dynamic;
    summed.wcr = "lambda a, b: a + b";
    s->connect(t, "sum", m->exit, "IN_B", summed);
    s->connect(m->exit, "OUT_B", b, "", memlet("B", {range("0", "N - 1")}));
    t->addIn("given", ScalarKind::Int8);

    PassRun infer(transforms::createInferTypes());
    CHECK(infer(g));
    CHECK_FALSE(infer.diags.hasErrors());
    CHECK(in(t, "x") == f64);
    CHECK(in(t, "all") == Type::pointer(f64));
    CHECK(out(t, "y") == f64);
    CHECK(out(t, "maybe") == Type::pointer(f64));
    CHECK(out(t, "sum") == f64);
    CHECK(in(t, "given") == Type(ScalarKind::Int8));
    CHECK(in(m, "n") == Type(ScalarKind::Int32));
    CHECK(in(m, "IN_A") == Type::pointer(f64));
    CHECK(out(m, "OUT_A") == Type::pointer(f64));
    CHECK(in(m->exit, "IN_B") == Type::pointer(f64));
    CHECK(out(m->exit, "OUT_B") == Type::pointer(f64));
    CHECK_FALSE(infer(g));
}

TEST_CASE("a value between two tasklets is typed by the first one's code") {
    SDFG g("f");
    array(g, "A", {4}, false, ScalarKind::Float32);
    scalar(g, "r", false, ScalarKind::Float64);
    State *s = state(g);
    auto *a = s->add<AccessNode>("A"), *r = s->add<AccessNode>("r");
    Tasklet *t1 = tasklet(s, "h = x * 2"), *t2 = tasklet(s, "q = h2 + dace.float64(1)"), *t3 = tasklet(s, "y = z");
    s->connect(a, "", t1, "x", memlet("A", {at("2")}));
    s->connect(t1, "h", t2, "h2", Memlet::empty());
    s->connect(t2, "q", t3, "z", Memlet::empty());
    s->connect(t3, "y", r, "", memlet("r", {at("0")}));
    PassRun infer(transforms::createInferTypes());
    infer(g);
    CHECK_FALSE(infer.diags.hasErrors());
    CHECK(out(t1, "h") == Type(ScalarKind::Float32));
    CHECK(in(t2, "h2") == Type(ScalarKind::Float32));
    CHECK(out(t2, "q") == f64);
    CHECK(in(t3, "z") == f64);
}

TEST_CASE("a connector that nothing types is an error that names it") {
    SDFG g("f");
    State *s = state(g);
    Tasklet *t1 = tasklet(s, "h = unknown_function()"), *t2 = tasklet(s, "pass");
    s->connect(t1, "h", t2, "z", Memlet::empty());
    PassRun infer(transforms::createInferTypes());
    infer(g);
    REQUIRE(infer.reported(diag::Id::ConnectorTypeUnknown));
    CHECK(infer.diags.all()[0].message.find("'h'") != std::string::npos);
    CHECK(infer.diags.all()[0].place.element.find("tasklet t") != std::string::npos);
}

TEST_CASE("nested SDFGs: connectors by the inner container, symbols by the mapping") {
    SDFG g("f");
    array(g, "A", {expr("N")});
    g.symbols.set("N", ScalarKind::Int32);
    State *s = state(g);
    auto *a = s->add<AccessNode>("A"), *b = s->add<AccessNode>("A");
    NestedSDFGNode *n = nested(s, "inner");
    array(*n->sdfg, "x", {expr("M")});
    scalar(*n->sdfg, "v");
    n->symbolMapping = {{"M", expr("N")}, {"half", expr("0.5")}, {"twice", expr("2 * N")}};
    n->sdfg->symbols.set("twice", ScalarKind::Int16);
    State *inside = state(*n->sdfg);
    n->sdfg->connect(inside, state(*n->sdfg, "last"), {"1"}, {{"i", "M + 1"}, {"h", "half * 2"}});
    s->connect(a, "", n, "x", memlet("A", {range("0", "N - 1")}));
    s->connect(a, "", n, "v", memlet("A", {at("3")}));
    s->connect(n, "x", b, "", memlet("A", {range("0", "N - 1")}));

    PassRun infer(transforms::createInferTypes());
    infer(g);
    CHECK_FALSE(infer.diags.hasErrors());
    CHECK(in(n, "x") == Type::pointer(f64));
    CHECK(in(n, "v") == f64);
    CHECK(out(n, "x") == Type::pointer(f64));
    CHECK(*n->sdfg->symbols.find("M") == Type(ScalarKind::Int32));
    CHECK(*n->sdfg->symbols.find("half") == f64);
    CHECK(*n->sdfg->symbols.find("twice") == Type(ScalarKind::Int16)); // declared
    CHECK(n->sdfg->symbols.find("i")->isInteger());
    CHECK(*n->sdfg->symbols.find("h") == f64);
    std::vector<std::string> names;
    for (const auto &[name, type] : n->sdfg->symbols)
        names.push_back(name.str());
    CHECK(std::is_sorted(names.begin(), names.end()));
}

TEST_CASE("vector containers give vector connectors") {
    SDFG g("f");
    Type v = Type::vector(ScalarKind::Float32, 4);
    array(g, "A", {8}, false, v);
    State *s = state(g);
    auto *a = s->add<AccessNode>("A");
    Tasklet *t = tasklet(s, "pass");
    s->connect(a, "", t, "x", memlet("A", {at("0")}));
    s->connect(a, "", t, "p", memlet("A", {range("0", "7")}));
    PassRun infer(transforms::createInferTypes());
    infer(g);
    CHECK(in(t, "x") == v);
    CHECK(in(t, "p") == Type::pointer(v));
}
