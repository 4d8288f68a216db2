#include "Analysis/Verify/Verified.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;

TEST_CASE("states are acyclic") {
    Graph g;
    auto *a = g.tasklet("", "a"), *b = g.tasklet("", "b");
    g.order(a, b);
    g.order(b, a);
    CHECK(reported(g) == "CyclicState");
}

TEST_CASE("only code stands alone") {
    Graph g;
    g.tasklet("", "t");
    CHECK(reported(g) == "");
    g.array("A", "4");
    g.access("A");
    CHECK(reported(g) == "IsolatedNode");
}

TEST_CASE("scopes are closed") {
    Graph g;
    auto [entry, exit] = g.map("i", "0:4");
    g.order(entry, g.tasklet("", "t"));
    g.s->removeNode(exit);
    entry->exit = nullptr;
    CHECK(message(g) ==
          "no exit closes this scope | give every entry one exit of its kind, and lead all paths from the entry to it");
}

TEST_CASE("pairing is kept") {
    Graph g;
    auto [entry, exit] = g.map("i", "0:4");
    g.order(entry, exit);
    entry->exit = nullptr;
    CHECK(reported(g) == "StalePairing");
}

TEST_CASE("connectors of scope nodes come in pairs") {
    Graph g;
    g.array("A", "4");
    auto [entry, exit] = g.map("i", "0:4");
    g.edge(g.access("A"), "", entry, "IN_A", "A[0:4]");
    g.order(entry, exit);
    CHECK(message(g) == "connector `IN_A` has no counterpart `OUT_A` | give the scope node both IN_x and OUT_x: data that enters "
                        "at one leaves at the other");
}

TEST_CASE("access nodes and memlets name containers") {
    Graph g;
    g.array("Alpha", "4");
    g.edge(g.access("Alpa"), "", g.tasklet("", "t"), "x", "Alpha[0]");
    diag::Engine d;
    analysis::verify(g.g, Level::Loaded, d);
    REQUIRE_FALSE(d.all().empty());
    CHECK(d.all()[0].message == "container `Alpa` does not exist (did you mean `Alpha`?)");
    Graph h;
    h.array("A", "4");
    h.edge(h.access("A"), "", h.tasklet("", "t"), "x", "B[0]");
    CHECK(reported(h) == "UnknownContainer");
}

TEST_CASE("views look at something") {
    Graph g;
    g.array("A", "4");
    g.view("V", "4");
    auto *v = g.access("V");
    g.edge(g.tasklet("", "t"), "o", v, "", "V[0]");
    g.edge(v, "", g.tasklet("", "u"), "x", "V[0]");
    CHECK(reported(g) == "InvalidView");
    Graph h;
    h.array("A", "4");
    h.array("B", "4");
    h.view("V", "4");
    v = h.access("V");
    h.edge(h.access("A"), "", v, "", "A[0:4]");
    h.edge(v, "", h.access("B"), "", "B[0:4]");
    CHECK(reported(h) == "AmbiguousView");
}

TEST_CASE("views do not look at each other") {
    Graph g;
    g.view("V", "4");
    g.view("W", "4");
    g.edge(g.access("V"), "views", g.access("W"), "", "V[0:4]");
    diag::Engine d;
    CHECK_FALSE(analysis::verify(g.g, Level::Loaded, d));
    REQUIRE(d.all().size() == 2); // one each
    CHECK(d.all()[0].message == "cannot tell which container view `W` refers to: it is a view of views of itself");
    CHECK(d.all()[1].message == "cannot tell which container view `V` refers to: it is a view of views of itself");
    g.g.arrays.find(Name("W"))->alias = AliasKind::None;
    CHECK(reported(g) == "");
}

TEST_CASE("expressions read scalars, and no addresses of containers") {
    Graph g;
    g.array("A", "4");
    g.array("B", "4");
    g.scalar("s", ScalarKind::Int64);
    Tasklet *t = g.elementwise("A", "B", "b = a", "4");
    Edge *read = t->inEdges()[0];
    read->memlet.subset = subset("s");
    CHECK(reported(g) == "");
    read->memlet.subset = subset("B");
    CHECK(message(g) ==
          "symbol `B` is used but not defined here: it is a container but not a scalar | declare it in `symbols`, map it on "
          "the nested SDFG, or assign it on an earlier edge");
    auto *m = nodesOf<MapEntry>(*g.s)[0];
    m->params[0] = "B"; // something else with that name
    t->outEdges()[0]->memlet.subset = subset("B");
    CHECK(reported(g) == "");
    m->params[0] = "i";
    read->memlet.subset = t->outEdges()[0]->memlet.subset = subset("i");
    m->ranges[0].end = expr("A");
    CHECK(reported(g) == "SymbolNotDefined");
    m->ranges[0].end = 3;
    g.g.arrays.find(Name("A"))->totalSize = expr("s * 4");
    CHECK(reported(g) == "");
    g.g.arrays.find(Name("A"))->totalSize = expr("B");
    CHECK(reported(g) == "SymbolNotDefined");
}

TEST_CASE("references are set first") {
    Graph g;
    g.array("A", "4");
    g.transient("R", "4").alias = AliasKind::Reference;
    auto *r = g.access("R");
    g.edge(r, "", g.tasklet("", "t"), "x", "R[0]");
    CHECK(reported(g) == "ReferenceNotSet");
    g.edge(g.access("A"), "", r, "set", "A[0:4]");
    CHECK(reported(g) == "");
}

TEST_CASE("reading a transient that nothing has written is worth a warning") {
    Graph g;
    g.transient("T", "4");
    auto *r = g.access("T");
    g.edge(r, "", g.tasklet("", "t"), "x", "T[0]");
    CHECK(message(g) == "transient `T` is read before anything writes it | write it first, or set `setzero`");
    CHECK(reported(g, Level::Structured) == "");
    r->setZero = true;
    CHECK(reported(g) == "");
    r->setZero = false;
    g.g.arrays.find(Name("T"))->lifetime = Lifetime::Persistent;
    CHECK(reported(g) == "");
}

TEST_CASE("a transient written in an earlier state is initialised") {
    Graph g;
    g.transient("T", "4");
    State *first = g.s;
    g.edge(g.tasklet("", "t"), "o", g.access("T"), "", "T[0]");
    g.g.connect(first, g.state("second"));
    g.edge(g.access("T"), "", g.tasklet("", "t"), "x", "T[0]");
    CHECK(reported(g) == "");
}

TEST_CASE("arguments of nested SDFGs are connectors, and inputs are not written") {
    Graph g;
    g.array("A", "4");
    auto *n = g.nested();
    n->sdfg->arrays.set("x", DataDesc::array(ScalarKind::Float64, {4}));
    g.edge(g.access("A"), "", n, "x", "A[0:4]");
    State *outer = g.s;
    g.s = n->sdfg->add<State>();
    g.s->label = "inside";
    g.edge(g.access("x"), "", g.tasklet("", "t"), "a", "x[0]");
    CHECK(reported(g) == "");
    g.edge(g.tasklet("", "u"), "o", g.access("x"), "", "x[1]");
    CHECK(message(g) ==
          "`x` is written, but it is only an input of the nested SDFG node | add an output connector `x` to the node");
    outer->removeEdge(outer->edges()[0].get());
    n->removeIn("x");
    CHECK(reported(g).find("ArgumentNotPassed") != std::string::npos);
}

TEST_CASE("consume scopes have a stream") {
    Graph g;
    auto *entry = g.s->add<ConsumeEntry>();
    auto *exit = g.s->add<ConsumeExit>();
    entry->exit = exit;
    exit->entry = entry;
    g.order(entry, exit);
    CHECK(reported(g) == "ConsumeWithoutStream");
}

TEST_CASE("consume scopes define the number of the worker, and of elements where there are chunks") {
    for (const char *used : {"p", "__dace_c_numelems"}) {
        Graph g;
        auto *entry = g.s->add<ConsumeEntry>();
        auto *exit = g.s->add<ConsumeExit>();
        entry->exit = exit;
        exit->entry = entry;
        entry->label = exit->label = "c";
        entry->peIndex = "p";
        Tasklet *t = g.tasklet(std::string("x = ") + used);
        g.order(entry, t);
        g.order(t, exit);
        entry->chunkSize = 2;
        CHECK(reported(g).find("SymbolNotDefined") == std::string::npos);
        entry->chunkSize = 1;
        CHECK((reported(g).find("SymbolNotDefined") != std::string::npos) == (std::string(used) != "p"));
    }
}

TEST_CASE("connector names") {
    Graph g;
    g.array("A", "4");
    g.symbol("N");
    auto *a = g.access("A");
    auto *t = g.tasklet("", "t");
    SECTION("in and out differ") {
        g.edge(a, "", t, "x", "A[0]");
        g.edge(t, "x", g.access("A"), "", "A[0]");
        CHECK(message(g) == "connector `x` is both input and output | rename one of the two");
    }
    SECTION("no container, symbol or constant") {
        g.edge(a, "", t, "A", "A[0]");
        CHECK(message(g) == "connector `A` has the name of a container | rename the connector");
        g.edge(a, "", g.tasklet("", "u"), "N", "A[0]");
        CHECK(reported(g) == "ConnectorShadows");
    }
    SECTION("symbols that type inference declared are no matter") {
        g.edge(a, "", t, "N", "A[0]");
        CHECK(reported(g) == "ConnectorShadows");
        CHECK(reported(g, Level::Typed).find("ConnectorShadows") == std::string::npos);
    }
    SECTION("identifiers") {
        g.edge(a, "", t, "x y", "A[0]");
        CHECK(reported(g) == "NotAnIdentifier");
    }
    SECTION("every connector has an edge") {
        t->addIn("x");
        g.edge(a, "", t, "y", "A[0]");
        CHECK(message(g) == "no edge at in-connector `x` | remove the connector or connect it");
    }
    SECTION("one edge") {
        g.edge(a, "", t, "x", "A[0]");
        g.edge(a, "", t, "x", "A[1]");
        CHECK(message(g) == "2 edges at in-connector `x`, which takes one | give every edge its own connector");
    }
    SECTION("every edge has a connector") {
        g.edge(a, "", t, "x", "A[0]");
        t->removeIn("x");
        CHECK(reported(g) == "MissingConnector");
    }
}

TEST_CASE("a connector of several elements is no element") {
    const std::string refused = "StoreToSeveral", read = "SeveralAsValue";
    const auto said = [](const std::string &code, const std::string &from, const std::string &to) {
        Graph g(R"(sdfg f {
            argument A: float64[20]
            argument C: float64[20]
            state main {
                t with c$from; o$to {
                    $code
                }
            }
        })",
                {{"$from", from}, {"$to", to}, {"$code", code}});
        return reported(g);
    };
    for (const char *to : {" -> A[2:20]", " -> A[2:20] (+)", " -> A[2:20] (dynamic)", " -> A[2:20] (dynamic, +)",
                           ": pointer(float64) -> A[2:20] (+)"}) {
        for (const char *code : {"o = c", "o += c", "x = o = c", "o: dace.float64 = c", "o, x = c, 2", "if c > 0: o = c"})
            CHECK(said(code, " <- C[3]", to) == refused);
        CHECK(said("o = c", " <- C[0:18]", to) == (std::string(to).ends_with("(dynamic, +)") ? refused : "AddressAssigned"));
        CHECK(said("o = c\n                    o[0] = 1", " <- C[0:18]", to) == refused);
        CHECK(said("o[0] = c", " <- C[0:18]", to) == read);
        CHECK(said("o[0] = c", " <- C[3]", to) == "");
    }
    for (const char *code : {"o = c", "o = c + 1", "o = -c", "o = c if c[0] > 2 else 1", "o += c"})
        CHECK(said(code, " <- C[0:18]", " -> A[2]") == read);
    CHECK(said("c = 3\n                    o = 1", " <- C[0:18]", " -> A[2]") == refused);
    // One element, a single value of a type, and the permitted uses of an address.
    for (const char *code : {"o = c[0]", "x = c\n                    o = x[2]", "o = memcmp(c, c, 8)", "o = 1 if c is None else 2"})
        CHECK(said(code, " <- C[0:18]", " -> A[2]") == "");
    CHECK(said("o = c", " <- C[3]", ": float64 -> A[2:20] (+)") == "");
    CHECK(said("o = c", ": float64 <- C[0:3]", " -> A[2]") == "");
}

TEST_CASE("inputs of library nodes may be left open") {
    Graph g;
    auto *n = g.library("dace.libraries.standard.nodes.fill.node.FillLibraryNode", "fill");
    n->addIn("_fill_val");
    CHECK(reported(g) == "");
    n->addOut("_fill_out");
    CHECK(message(g) == "no edge at out-connector `_fill_out` | remove the connector or connect it");
}

TEST_CASE("the code of a library node uses its connectors and symbols that are defined") {
    Graph g;
    g.array("A", "4");
    g.array("B", "4");
    auto *n = g.library("dace.libraries.stencil.stencil.Stencil", "stencil");
    n->properties.set("code", json::Value::object({{"string_data", json::Value("w = c * 2\nb[0] = w * a[1]")},
                                                   {"language", json::Value("Python")}}));
    g.edge(g.access("A"), "", n, "a", "A[0:4]");
    g.edge(n, "b", g.access("B"), "", "B[0:4]");
    CHECK(message(g).starts_with("symbol `c` is used but not defined here"));
    g.symbol("c");
    CHECK(reported(g) == "");
}

TEST_CASE("entries fan out, exits join, code does not") {
    Graph g;
    g.array("A", "4");
    auto [entry, exit] = g.map("i", "0:4");
    auto *t = g.tasklet("", "t"), *u = g.tasklet("", "u");
    g.edge(g.access("A"), "", entry, "IN_A", "A[0:4]");
    g.edge(entry, "OUT_A", t, "x", "A[i]");
    g.edge(entry, "OUT_A", u, "x", "A[i]");
    g.edge(t, "y", exit, "IN_A", "A[i]");
    g.edge(u, "y", exit, "IN_A", "A[i]");
    g.edge(exit, "OUT_A", g.access("A"), "", "A[0:4]");
    CHECK(reported(g) == "");
    g.edge(t, "y", exit, "IN_A", "A[i]");
    CHECK(reported(g) == "SharedConnector");
}

namespace {

struct NestedGraph : Graph {
    NestedSDFGNode *n;
    NestedGraph() {
        array("A", "4");
        array("B", "4");
        n = nested();
        n->sdfg->add<State>()->label = "inside";
    }
    void inner(const char *name, bool transient = false) {
        n->sdfg->arrays.set(Name(name), DataDesc::array(ScalarKind::Float64, {4}, transient));
    }
};

} // namespace

TEST_CASE("nested SDFGs: connectors are the containers that are not transient") {
    NestedGraph g;
    g.edge(g.access("A"), "", g.n, "x", "A[0:4]");
    SECTION("none") { CHECK(reported(g) == "ConnectorWithoutContainer"); }
    SECTION("a symbol") {
        g.n->sdfg->symbols.set("x", ScalarKind::Int64);
        CHECK(reported(g) == "ConnectorIsSymbol");
    }
    SECTION("a transient") {
        g.inner("x", true);
        CHECK(reported(g) == "TransientConnector");
    }
    SECTION("without connector") {
        g.inner("x");
        g.inner("y");
        CHECK(reported(g) == "ArgumentWithoutConnector");
    }
    SECTION("no SDFG") {
        g.n->sdfg = nullptr;
        CHECK(reported(g) == "MissingNestedSDFG");
    }
}

TEST_CASE("nested SDFGs: in/out arguments are one container outside") {
    NestedGraph g;
    g.inner("x");
    g.edge(g.access("A"), "", g.n, "x", "A[0:4]");
    Edge *out = g.edge(g.n, "x", g.access("A"), "", "A[0:4]");
    AccessNode *before = g.access("B"), *behind = g.access("A"); // an ordering edge is not an argument
    g.edge(g.access("A"), "", before, "", "A[0:4]");
    g.order(before, g.n);
    g.order(g.n, behind);
    g.edge(behind, "", g.access("B"), "", "A[0:4]");
    CHECK(reported(g) == "");
    static_cast<AccessNode *>(out->dst)->data = "B";
    out->memlet.data = "B";
    CHECK(message(g) == "connector `x` reads `A` but writes `B` | connect both sides to the same container");
}

TEST_CASE("nested SDFGs: symbols are mapped") {
    NestedGraph g;
    g.n->sdfg->symbols.set("P", ScalarKind::Int64);
    CHECK(message(g) == "symbol `P` of the nested SDFG is not mapped | add it to the symbol mapping of the nested SDFG node");
    g.n->symbolMapping = {{"P", expr("3")}};
    CHECK(reported(g) == "");
    g.n->symbolMapping.emplace_back("Q", expr("3"));
    CHECK(reported(g) == "UnusedMapping");
    diag::Engine d;
    CHECK(analysis::verify(g.g, Level::Loaded, d)); // a remark
}

TEST_CASE("nested SDFGs: data come from and go to access nodes") {
    NestedGraph g;
    g.inner("x");
    Edge *e = g.edge(g.tasklet("", "t"), "o", g.n, "x", "A[0]");
    CHECK(reported(g) == "NestedSDFGEdge");
    e->memlet = Memlet::empty();
    CHECK(reported(g) == "EmptyMemletAtConnector");
}

TEST_CASE("steps of subsets are not zero") {
    Graph g;
    g.array("A", "4");
    g.array("B", "4");
    Edge *e = g.edge(g.access("A"), "", g.access("B"), "", "A[0:4:2]");
    CHECK(reported(g) == "");
    e->memlet.subset->dims[0].step = 0;
    CHECK(message(g) == "subset `0:4:0` has step 0 in dimension 0 | use step 1, or the distance between the elements");
}

TEST_CASE("nested SDFGs are verified too") {
    NestedGraph g;
    g.n->sdfg->arrays.set("1", DataDesc::array(ScalarKind::Float64, {4}, true));
    CHECK(reported(g) == "NotAnIdentifier");
}

TEST_CASE("maps: parameters and ranges") {
    Graph g;
    auto [entry, exit] = g.map("i", "0:4");
    g.order(entry, exit);
    entry->params.emplace_back("j");
    CHECK(message(g) == "the map has 2 parameters but 1 ranges | give one range per parameter, and at least one");
    entry->params = {"i"};
    entry->ranges[0].step = -1;
    CHECK(message(g) == "parameter `i` has step -1 | reverse the range; steps of maps are positive");
    entry->schedule = Schedule::Sequential;
    entry->ordered = true; // a loop that counted down
    entry->ranges[0] = range("3:0:-1");
    CHECK(message(g) == "0 diagnostics");
    entry->ranges[0].step = 0;
    CHECK(reported(g) == "MapStep");
    entry->ordered = false;
    entry->ranges[0] = range("4:4");
    CHECK(reported(g) == "EmptyMapRange");
    entry->ranges[0] = range("0:4");
    entry->params[0] = "i j";
    CHECK(reported(g) == "NotAnIdentifier");
}

TEST_CASE("typed: connectors, schedules, storages") {
    Graph g;
    g.symbol("N");
    g.array("A", "N").storage = Storage::CPU_Heap;
    g.array("B", "N").storage = Storage::CPU_Heap;
    Tasklet *t = g.elementwise("A", "B");
    CHECK(reported(g, Level::Structured) == "");
    CHECK(reported(g, Level::Typed) == "UndecidedSchedule UntypedConnector");
    t->inConnectors[0].type = t->outConnectors[0].type = ScalarKind::Float64;
    CHECK(message(g, Level::Typed) == "the schedule is still Default | ");
    static_cast<MapEntry *>(g.s->nodes()[2].get())->schedule = Schedule::Sequential;
    CHECK(reported(g, Level::Typed) == "");
    g.g.arrays.find(Name("A"))->storage = Storage::Default;
    CHECK(reported(g, Level::Typed) == "UndecidedStorage");
}

TEST_CASE("expanded: copies and fills are the only library nodes") {
    Graph g;
    auto *n = g.library("dace.libraries.standard.nodes.copy.CopyLibraryNode", "copy");
    n->schedule = Schedule::Sequential;
    CHECK(reported(g, Level::Expanded) == "");
    n->classPath = "dace.libraries.blas.nodes.dot.Dot";
    CHECK(reported(g, Level::Typed) == "");
    CHECK(reported(g, Level::Expanded) == "UnexpandedNode");
}

TEST_CASE("rules that an unchanged graph satisfied are not checked again, those of higher levels are") {
    Graph g;
    auto *n = g.library("dace.libraries.blas.nodes.dot.Dot", "dot");
    n->schedule = Schedule::Default;
    diag::Engine all, risen;
    g.array("A", "4").storage = Storage::CPU_Heap;
    g.s->add<AccessNode>(Name("A")); // isolated: an error at every level
    CHECK(!analysis::verify(g.g, Level::Expanded, all));
    CHECK(!analysis::verify(g.g, Level::Expanded, risen, "", Level::Typed));
    CHECK(all.all().size() > risen.all().size());
    CHECK(diag::info(risen.all().back().id).name == "UnexpandedNode");
}
