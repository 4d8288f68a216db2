#include "../Graphs.h"

#include "sdfgc/IR/Print.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// Text without the indentation of the test's raw string and its first newline.
std::string golden(std::string_view text) {
    text.remove_prefix(1);
    std::size_t indent = text.find_first_not_of(' ');
    std::string out;
    while (!text.empty()) {
        std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        out += std::string(line.substr(std::min(indent, line.size()))) + "\n";
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    while (out.size() > 1 && out[out.size() - 2] == '\n')
        out.pop_back();
    return out;
}

std::string printed(Graph &g) { return print(g.g()); }

} // namespace

TEST_CASE("a vector addition") {
    Graph g;
    g.symbol("N");
    for (const char *n : {"B", "A", "C"})
        g.array(n, "N");
    auto *a = g.access("A"), *b = g.access("B"), *c = g.access("C");
    auto [entry, exit] = g.map("i", "0:N", "_Add_");
    entry->schedule = Schedule::CPU_Multicore;
    auto *t = g.tasklet("c = (a + b)", "add");
    g.edge(a, "", entry, "IN_A", "A[0:N]");
    g.edge(b, "", entry, "IN_B", "B[0:N]");
    g.edge(entry, "OUT_A", t, "a", "A[i]");
    g.edge(entry, "OUT_B", t, "b", "B[i]");
    g.edge(t, "c", exit, "IN_C", "C[i]");
    g.edge(exit, "OUT_C", c, "", "C[0:N]");
    CHECK(printed(g) == golden(R"(
        sdfg f(A: float64[N], B: float64[N], C: float64[N]) {
          symbol N: int64

          state main {
            map _Add_[i = 0:N] (CPU_Multicore) {
              add: c = a + b   with a <- A[i], b <- B[i]; c -> C[i]
            }
          }
        }
    )"));
}

TEST_CASE("descriptors say what is not the default") {
    Graph g;
    g.array("A", "N, M").mayAlias = true;
    g.scalar("s", ScalarKind::Int32);
    DataDesc &p = g.transient("p", "N");
    p.storage = Storage::CPU_Heap;
    p.lifetime = Lifetime::Persistent;
    DataDesc &q = g.transient("q", "N, M");
    q.strides = {expr("1"), expr("N")};
    q.offset = {expr("-1"), expr("0")};
    q.totalSize = expr("2*N*M");
    q.alignment = 64;
    g.view("v", "N*M");
    g.transient("r", "N").alias = AliasKind::Reference;
    DataDesc stream = DataDesc::array(ScalarKind::Int32, {expr("4")}, true);
    stream.kind = DataKind::Stream;
    stream.bufferSize = 16;
    g.g().arrays.set("S", stream);
    DataDesc csr;
    csr.kind = DataKind::Structure;
    csr.structName = "CSR";
    csr.members.emplace_back("data", std::make_unique<DataDesc>(DataDesc::array(ScalarKind::Float32, {expr("nnz")})));
    csr.members.emplace_back("rows", std::make_unique<DataDesc>(DataDesc::scalar(ScalarKind::Int32)));
    g.g().arrays.set("M", csr);
    g.g().constants.set("c", {DataDesc::array(ScalarKind::Int64, {2}), *json::parse(R"({"type": "ndarray", "data": [1, 2]})")});
    CHECK(printed(g) == golden(R"(
        sdfg f(A: float64[N, M] may alias, M: CSR, s: int32) {
          struct CSR {data: float32[nnz], rows: int32}
          constant c: int64[2] = [1,2]
          transient p: float64[N] (CPU_Heap, Persistent)
          transient q: float64[N, M] strides [1, N] offset [-1, 0] size 2*M*N align 64
          view v: float64[M*N]
          reference r: float64[N]
          transient S: stream of int32[4] buffer 16

          state main {}
        }
    )"));
}

TEST_CASE("control flow reads as a program") {
    Graph g;
    g.symbol("N");
    State *first = g.s;
    auto *l = g.g().add<LoopRegion>();
    l->label = "for_i";
    l->variable = "i";
    l->init = Code{"i = 0"};
    l->condition = Code{"(i < N)"};
    l->update = Code{"i = (i + 1)"};
    State *body = g.state("body", l);
    auto *c = l->add<ConditionalBlock>();
    c->label = "if_1";
    auto *then = c->addBranch(Code{"(i > 3)"}, std::make_unique<Region>());
    then->add<BreakBlock>();
    auto *other = c->addBranch(Code{"i == k"}, std::make_unique<Region>());
    other->add<ContinueBlock>();
    auto *last = c->addBranch(std::nullopt, std::make_unique<Region>());
    g.state("deep", last);
    l->connect(body, c);
    auto *w = g.g().add<LoopRegion>();
    w->condition = Code{"(k > 0)"};
    g.state("step", w);
    auto *d = g.g().add<LoopRegion>();
    d->inverted = true;
    d->init = Code{"j = 0"};
    d->condition = Code{"j < 4"};
    d->update = Code{"j = j + 1"};
    d->unroll = true;
    g.state("again", d);
    auto *r = g.g().add<ReturnBlock>();
    g.g().connect(first, l, {"1"}, {{"k", "(N // 2)"}});
    g.g().connect(l, w);
    g.g().connect(w, d);
    g.g().connect(d, r);
    CHECK(printed(g) == golden(R"(
        sdfg f() {
          symbol N: int64

          state main {}
          k = N // 2
          for_i: for i = 0; i < N; i = i + 1 {
            state body {}
            if i > 3 {
              break
            } else if i == k {
              continue
            } else {
              state deep {}
            }
          }
          while k > 0 {
            state step {}
          }
          do j = 0 (unroll) {
            state again {}
          } then j = j + 1 while j < 4
          return
        }
    )"));
}

TEST_CASE("control flow without structure says where it goes") {
    Graph g;
    State *body = g.s, *guard = g.state("guard"), *end = g.state("end"), *start = g.state("start");
    body->label = "body";
    g.g().connect(start, guard, {"1"}, {{"i", "0"}});
    g.g().connect(guard, body, {"i < N"});
    g.g().connect(guard, end, {"not (i < N)"});
    g.g().connect(body, guard, {"1"}, {{"i", "i + 1"}, {"k", "2*i"}});
    CHECK(printed(g) == golden(R"(
        sdfg f() {
          state start {}
          goto guard with i = 0
          state body {}
          goto guard with i = i + 1, k = 2 * i
          state guard {}
          goto body if i < N
          goto end if not i < N
          state end {}
        }
    )"));
}

TEST_CASE("copies, conflict resolution, views, references") {
    Graph g;
    for (const char *n : {"A", "B"})
        g.array(n, "N");
    g.scalar("s");
    g.view("V", "N");
    g.transient("R", "N").alias = AliasKind::Reference;
    auto *a = g.access("A"), *b = g.access("B"), *v = g.access("V"), *r = g.access("R"), *s = g.access("s");
    g.s->connect(a, "", b, "", copy("A[0:4]", "2:6"));
    g.edge(b, "", v, "views", "B[0:N]");
    auto *sum = g.tasklet("o = x", "sum");
    g.edge(v, "", sum, "x", "V[1]");
    Edge *w = g.edge(sum, "o", s, "", "s[0]");
    w->memlet.wcr = "lambda a, b: b + a";
    g.edge(b, "", r, "set", "B[4:N]");
    Edge *c = g.s->connect(r, "", g.access("A"), "", copy("R[0:2]", "6:8"));
    c->memlet.wcr = "(lambda x, y: max(x, y))";
    c->memlet.wcrMode = WcrMode::Atomic;
    CHECK(printed(g) == golden(R"(
        sdfg f(A: float64[N], B: float64[N], s: float64) {
          view V: float64[N]
          reference R: float64[N]

          state main {
            A[0:4] -> B[2:6]
            view V = B[0:N]
            sum: o = x   with x <- V[1]; s (+)= o
            set R = B[4:N]
            A[6:8] (max, atomic)= R[0:2]
          }
        }
    )"));
}

TEST_CASE("copies through scopes stand inside") {
    Graph g;
    g.array("A", "N");
    g.transient("t", "1");
    auto *a = g.access("A"), *in = g.access("t"), *out = g.access("A");
    auto [entry, exit] = g.map("i", "0:N");
    g.edge(a, "", entry, "IN_A", "A[0:N]");
    g.s->connect(entry, "OUT_A", in, "", copy("A[i]", "0"));
    g.s->connect(in, "", exit, "IN_A", copy("A[N - i - 1]", "0"));
    g.edge(exit, "OUT_A", out, "", "A[0:N]");
    std::string text = printed(g);
    CHECK(text.find("    map m[i = 0:N] {\n"
                    "      A[i] -> t[0]\n"
                    "      t[0] -> A[N - i - 1]\n"
                    "    }\n") != std::string::npos);
}

TEST_CASE("code: several lines, other languages, values between tasklets, order, nothing") {
    Graph g;
    g.array("A", "N");
    auto *a = g.access("A");
    auto *t = g.tasklet("tmp = x * 2\nif tmp > 3:\n    y = tmp", "long");
    auto *u = g.tasklet("z = y + 1;", "u", Language::CPP);
    auto *e = g.tasklet("", "empty");
    Edge *read = g.edge(a, "", t, "x", "A[k]");
    read->memlet.dynamic = true;
    g.s->connect(t, "y", u, "y", Memlet::empty());
    Edge *write = g.edge(u, "z", g.access("A"), "", "A[0]");
    write->memlet.dynamic = true;
    g.order(u, e);
    CHECK(printed(g) == golden(R"(
        sdfg f(A: float64[N]) {
          state main {
            long with x <- A[k] dynamic {
              tmp = x * 2
              if tmp > 3:
                  y = tmp
            }
            u (CPP): z = y + 1;   with y <- long.y; z -> A[0] dynamic
            empty: nothing   after u
          }
        }
    )"));
}

TEST_CASE("scopes with dynamic ranges, attributes, library nodes, nested SDFGs") {
    Graph g;
    g.array("A", "N");
    auto *a = g.access("A");
    auto [entry, exit] = g.map("i, j", "0:n, i:N:2", "tiles");
    entry->schedule = Schedule::GPU_Device;
    entry->gpuBlockSize = std::vector<sym::Expr>{32, 4, 1};
    g.edge(a, "", entry, "n", "A[0]");
    g.edge(a, "", entry, "IN_A", "A[0:N]");
    auto *n = g.nested("body");
    n->sdfg->arrays.set("x", DataDesc::array(ScalarKind::Float64, {expr("P")}));
    n->sdfg->add<State>()->label = "inside";
    n->symbolMapping = {{"P", expr("N")}};
    g.edge(entry, "OUT_A", n, "x", "A[i:N]");
    g.order(n, exit);
    auto *lib = g.library("dace.libraries.standard.nodes.reduce.Reduce", "sum");
    lib->implementation = "pure";
    lib->properties.set("axes", *json::parse("[0]"));
    g.edge(a, "", lib, "_in", "A[0:N]");
    CHECK(printed(g) == golden(R"(
        sdfg f(A: float64[N]) {
          state main {
            map tiles[i = 0:n, j = i:N:2] (GPU_Device, block [32, 4, 1]) with n <- A[0] {
              nested body(x: float64[P]) with x <- A[i:N]; P = N {
                state inside {}
              }
            }
            library Reduce sum (pure) {axes = [0]}   with _in <- A[0:N]
          }
        }
    )"));
}

TEST_CASE("long argument lists have a line for each, symbols of a type share one") {
    Graph g;
    g.symbol("rows");
    g.symbol("n", ScalarKind::Int32);
    g.symbol("columns");
    for (const char *n : {"first_argument", "second_argument", "third_argument"})
        g.array(n, "rows, columns");
    g.scalar("scale");
    CHECK(printed(g) == golden(R"(
        sdfg f(
            first_argument: float64[rows, columns],
            second_argument: float64[rows, columns],
            third_argument: float64[rows, columns],
            scale: float64
        ) {
          symbol rows, columns: int64
          symbol n: int32

          state main {}
        }
    )"));
}

TEST_CASE("library nodes without connectors") {
    Graph g;
    g.array("A", "N");
    g.scalar("s");
    auto *lib = g.library("dace.libraries.standard.nodes.reduce.Reduce", "sum");
    g.edge(g.access("A"), "", lib, "", "A[0:N]");
    g.edge(lib, "", g.access("s"), "", "s[0]");
    CHECK(printed(g).find("library Reduce sum   with A[0:N]; result -> s\n") != std::string::npos);
}

TEST_CASE("source lines on request") {
    Graph g;
    auto *t = g.tasklet("o = 1", "one");
    t->debugInfo.file = "t.py";
    t->debugInfo.startLine = 7;
    CHECK(print(g.g()).find("t.py") == std::string::npos);
    CHECK(print(g.g(), {true}).find("one: o = 1   // t.py:7\n") != std::string::npos);
}

TEST_CASE("malformed states print") {
    Graph g;
    auto *a = g.tasklet("", "a"), *b = g.tasklet("", "b");
    g.order(a, b);
    g.order(b, a);
    g.s->add<MapExit>();
    g.map("i", "0:4");
    g.access("nowhere");
    CHECK(printed(g).find("map m[i = 0:4] {\n    }\n") != std::string::npos);
}
