#include "Transforms/PassRun.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

Type in(const Node *n, const char *c) { return n->inConnector(c)->type; }
Type out(const Node *n, const char *c) { return n->outConnector(c)->type; }
const Type f64 = ScalarKind::Float64;

} // namespace

TEST_CASE("scope edges without connectors get matching ones") {
    Graph g;
    g.array("A", "N");
    g.array("B", "N");
    MapEntry *m = g.map("i", "0:N").first;
    Tasklet *t = g.tasklet("y = x");
    Edge *outer = g.edge(g.access("A"), "", m, "", "A[0:N]");
    Edge *inner = g.edge(m, "", t, "x", "A[i]");
    Edge *up = g.edge(t, "y", m->exit, "", "B[i]");
    Edge *down = g.edge(m->exit, "", g.access("B"), "", "B[0:N]");
    Edge *order = g.order(m, m->exit);

    PassRun fill(transforms::createFillScopeConnectors());
    CHECK(fill(g.g));
    CHECK(outer->dstConn == Name("IN_1"));
    CHECK(inner->srcConn == Name("OUT_1"));
    CHECK(up->dstConn == Name("IN_1"));
    CHECK(down->srcConn == Name("OUT_1"));
    CHECK(order->srcConn.empty());
    CHECK(m->inConnector("IN_1") != nullptr);
    CHECK(m->exit->outConnector("OUT_1") != nullptr);
    CHECK(analysis::memletPath(inner).size() == 2);
    CHECK_FALSE(fill(g.g));
}

TEST_CASE("existing scope connectors are completed, not doubled") {
    Graph g;
    g.array("A", "N");
    g.array("C", "N");
    MapEntry *m = g.map("i", "0:N").first;
    Tasklet *t = g.tasklet("pass");
    g.edge(g.access("C"), "", m, "IN_1", "C[0:N]");
    g.edge(m, "OUT_1", t, "c", "C[i]");
    Edge *outer = g.edge(g.access("A"), "", m, "", "A[0:N]");
    g.edge(m, "OUT_A", t, "x", "A[i]");
    Edge *lost = g.edge(m, "", t, "z", "Z[i]");
    g.order(t, m->exit);

    PassRun fill(transforms::createFillScopeConnectors());
    fill(g.g);
    CHECK(outer->dstConn == Name("IN_A"));
    CHECK(lost->srcConn.empty());
    CHECK(fill.reported(diag::Id::ScopeConnectorUnmatched));
}

TEST_CASE("data that leaves a scope which nothing brings in is refused") {
    Graph g;
    g.array("A", "N");
    MapEntry *m = g.map("i", "0:N").first;
    Tasklet *t = g.tasklet("pass");
    g.order(m, t);
    g.order(t, m->exit);
    g.edge(m->exit, "", g.access("A"), "", "A[0:N]");
    PassRun fill(transforms::createFillScopeConnectors());
    fill(g.g);
    CHECK(fill.reported(diag::Id::ScopeConnectorUnmatched));
}

TEST_CASE("a connector whose memlet names no container has no type") {
    Graph g;
    g.array("A", "N");
    g.edge(g.access("A"), "", g.tasklet("y = x"), "x", "lost[0]");
    PassRun infer(transforms::createInferTypes());
    infer(g.g);
    CHECK(infer.reported(diag::Id::ConnectorDataUnknown));
}

TEST_CASE("connectors take the type of one element or a pointer") {
    Graph g(R"(
        sdfg f(A, B, k) {
          symbol N: int64
          argument A: float64[N]
          argument B: float64[N]
          argument k: int32
          state main {
            map m[i = 0:n + 1] with n <- k, <- A[0:N]; -> B[0:N] {
              t with x <- A[i], all <- A[0:N]; y -> B[i], maybe -> B[i] (dynamic), sum -> B[i] (dynamic, +) {
                y = x
              }
            }
          }
        }
    )");
    auto *m = g.node<MapEntry>("m");
    auto *t = g.node<Tasklet>("t");
    t->addIn("given", ScalarKind::Int8);

    PassRun infer(transforms::createInferTypes());
    CHECK(infer(g.g));
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
    CHECK_FALSE(infer(g.g));
}

TEST_CASE("a value between two tasklets is typed by the first one's code") {
    Graph g(R"(
        sdfg f(A, r) {
          argument A: float32[4]
          argument r: float64
          state main {
            t1: h = x * 2  with x <- A[2]
            t2: q = h2 + dace.float64(1)  with h2 <- @t1:h
            t3: y = z  with z <- @t2:q; y -> r
          }
        }
    )");
    auto *t1 = g.node<Tasklet>("t1"), *t2 = g.node<Tasklet>("t2"), *t3 = g.node<Tasklet>("t3");
    PassRun infer(transforms::createInferTypes());
    infer(g.g);
    CHECK_FALSE(infer.diags.hasErrors());
    CHECK(out(t1, "h") == Type(ScalarKind::Float32));
    CHECK(in(t2, "h2") == Type(ScalarKind::Float32));
    CHECK(out(t2, "q") == f64);
    CHECK(in(t3, "z") == f64);
}

TEST_CASE("a connector that nothing types is an error that names it") {
    Graph g(R"(
        sdfg f {
          state main {
            t: h = unknown_function()
            u: pass  with z <- @t:h
          }
        }
    )");
    PassRun infer(transforms::createInferTypes());
    infer(g.g);
    REQUIRE(infer.reported(diag::Id::ConnectorTypeUnknown));
    CHECK(infer.diags.all()[0].message.find("'h'") != std::string::npos);
    CHECK(infer.diags.all()[0].place.element.find("tasklet t") != std::string::npos);
}

TEST_CASE("nested SDFGs: connectors by the inner container, symbols by the mapping") {
    Graph g(R"(
        sdfg f(A) {
          symbol N: int32
          argument A: float64[N]
          state main {
            nested n[M = N, half = 0.5, twice = 2*N] with x <- A[0:N], v <- A[3]; x -> A[0:N] {
              sdfg inner {
                symbol twice: int16
                argument x: float64[M]
                argument v: float64
                state main {}
                i = M + 1
                h = half * 2
                state last {}
              }
            }
          }
        }
    )");
    auto *n = g.node<NestedSDFGNode>("n");

    PassRun infer(transforms::createInferTypes());
    infer(g.g);
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
    Graph g(R"(
        sdfg f(A) {
          argument A: vector(float32, 4)[8]
          state main {
            t: pass  with x <- A[0], p <- A[0:8]
          }
        }
    )");
    const Type v = Type::vector(ScalarKind::Float32, 4);
    auto *t = g.node<Tasklet>("t");
    PassRun infer(transforms::createInferTypes());
    infer(g.g);
    CHECK(in(t, "x") == v);
    CHECK(in(t, "p") == Type::pointer(v));
}
