#include "Analysis/Verify/Verified.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;

TEST_CASE("a clean graph, and places of what is wrong") {
    Graph g;
    g.symbol("N");
    g.array("A", "N");
    g.array("B", "N");
    Tasklet *t = g.elementwise("A", "B");
    CHECK(reported(g) == "");
    t->debugInfo.file = "prog.py";
    t->debugInfo.startLine = 3;
    t->label = "a b";
    diag::Engine d;
    CHECK_FALSE(analysis::verify(g.g, Level::Loaded, d, "prog.sdfg"));
    REQUIRE(d.all().size() == 1);
    const diag::Diagnostic &x = d.all()[0];
    CHECK(x.message == "tasklet name `a b` is not an identifier");
    CHECK(x.place.file == "prog.sdfg");
    CHECK(x.place.path == "nodes[0].nodes[4]");
    CHECK(x.place.element == "f: state main, tasklet a b");
    CHECK(x.place.source.file == Name("prog.py"));
    CHECK(x.place.source.line == 3);
}

TEST_CASE("JSON paths of elements") {
    Graph g;
    auto *c = g.g.add<ConditionalBlock>();
    c->addBranch(Code{"a"}, std::make_unique<Region>());
    Region *r = c->addBranch(std::nullopt, std::make_unique<Region>());
    State *inside = g.state("inside", r);
    auto *n = g.nested();
    auto *deep = n->sdfg->add<State>();
    auto *t = deep->add<Tasklet>();
    auto *u = deep->add<Tasklet>();
    Edge *e = deep->connect(t, "", u, "", Memlet::empty());
    auto *edge = g.g.connect(g.g.blocks()[0].get(), c);
    using analysis::placeOf;
    CHECK(placeOf(static_cast<const Block &>(g.g)).path == "");
    CHECK(placeOf(*inside).path == "nodes[1].branches[1][1].nodes[0]");
    CHECK(placeOf(*n).path == "nodes[1].branches[1][1].nodes[0].nodes[0]");
    CHECK(placeOf(*u).path == "nodes[1].branches[1][1].nodes[0].nodes[0].attributes.sdfg.nodes[0].nodes[1]");
    CHECK(placeOf(*e).path == "nodes[1].branches[1][1].nodes[0].nodes[0].attributes.sdfg.nodes[0].edges[0]");
    CHECK(placeOf(*edge, g.g).path == "edges[0]");
    g.array("A", "4");
    CHECK(placeOf(g.g, *g.g.arrays.find(Name("A")), "A").path == "attributes._arrays.A");
}

TEST_CASE("names") {
    Graph g;
    g.g.name = "a-b";
    CHECK(reported(g) == "NotAnIdentifier");
    g.g.name = "f";
    g.array("1A", "4");
    CHECK(message(g) == "container name `1A` is not an identifier | use letters, digits and `_`, not starting with a digit");
    Graph h;
    h.symbol("None");
    CHECK(reported(h) == "NotAnIdentifier");
    Graph k;
    k.symbol("with");
    CHECK(reported(k) == "NotAnIdentifier");
    Graph s; // labels are not names
    s.s->label = "my state";
    CHECK(reported(s) == "");
    Graph l("sdfg f {\n  symbol i: int64\n  \"my loop\": for i = 0; i < 3; i = i + 1 {\n    state t {}\n  }\n}\n");
    CHECK(reported(l) == "");
}

TEST_CASE("a name is a container or a symbol") {
    Graph g;
    g.symbol("N");
    g.array("N", "4");
    CHECK(reported(g) == "NameClash");
}

TEST_CASE("labels of blocks differ") {
    Graph g;
    State *first = g.s;
    g.g.connect(first, g.state("main"));
    CHECK(message(g) == "2 blocks of one region have the label `main` | give every block of a region its own label");
}

TEST_CASE("an SDFG has a block") {
    Graph g(std::make_unique<SDFG>("f"));
    CHECK(reported(g) == "EmptySDFG");
}

TEST_CASE("the start is known") {
    Graph g;
    State *a = g.s, *b = g.state("b"), *c = g.state("c");
    g.g.connect(a, c);
    g.g.connect(b, c);
    CHECK(reported(g) == "AmbiguousStart");
    g.g.setStart(b);
    CHECK(reported(g) == "");
}

TEST_CASE("return values of programs are arrays") {
    Graph g;
    g.scalar("__return");
    CHECK(reported(g) == "ScalarReturn");
}

TEST_CASE("sizes of transients are known") {
    Graph g;
    g.array("A", "?");
    CHECK(reported(g) == "");
    g.g.arrays.find(Name("A"))->transient = true;
    CHECK(reported(g) == "UndefinedSize");
    Graph h;
    h.transient("A", "4").strides[0] = expr("?");
    CHECK(message(h) == "stride 0 of transient `A` is undefined (`?`) | give the size: the allocation needs it");
}

TEST_CASE("elements are counted in 64 bits") {
    Graph g;
    DataDesc &d = g.array("A", "24, N");
    CHECK(reported(g) == "");
    d.shape[1] = expr("9223372036854775807");
    CHECK(message(g) == "the number of elements of `A` does not fit into 64 bits | correct the shape");
}

TEST_CASE("persistent memory is no register") {
    Graph g;
    DataDesc &d = g.transient("A", "4");
    d.lifetime = Lifetime::Persistent;
    d.storage = Storage::Register;
    CHECK(reported(g) == "LifetimeInRegister");
}

TEST_CASE("constants agree with what they stand for") {
    Graph g;
    g.symbol("N", ScalarKind::Int32);
    g.g.constants.set("N", {DataDesc::scalar(ScalarKind::Int64), json::Value(3)});
    CHECK(reported(g) == "ConstantTypeMismatch");
    CHECK(reported(g, Level::Structured) == ""); // each warning is given once
}

TEST_CASE("strides and offsets fit the shape") {
    Graph g;
    g.array("A", "4, 5").strides.pop_back();
    CHECK(message(g) == "`A` has 2 dimensions but 1 strides | give one entry per dimension");
}

TEST_CASE("edges stay in their region") {
    Graph g;
    auto *r = g.g.add<Region>();
    r->label = "r";
    State *outside = g.s;
    State *inside = g.state("inside", r);
    g.g.connect(outside, inside);
    CHECK(reported(g) == "ForeignBlockEdge");
}

TEST_CASE("symbols along inter-state edges") {
    Graph g;
    State *a = g.s, *b = g.state("b");
    g.g.connect(a, b, {"k > 0"});
    CHECK(message(g) ==
          "symbol `k` is used but not defined here | declare it in `symbols`, map it on the nested SDFG, or assign it "
          "on an earlier edge");
    g.g.connect(b, g.state("c"), {"1"}, {{"k", "1"}}); // too late
    CHECK(reported(g) == "SymbolNotDefined");
    g.symbol("k");
    CHECK(reported(g) == "");
}

TEST_CASE("symbols assigned before their use, or known from a size") {
    Graph g;
    State *a = g.s, *b = g.state("b"), *c = g.state("c");
    g.array("A", "N");
    g.g.connect(a, b, {"1"}, {{"k", "N + 1"}});
    g.g.connect(b, c, {"k < N"});
    g.tasklet("x = k");
    CHECK(reported(g) == "");
    g.tasklet("x = q");
    CHECK(reported(g) == "SymbolNotDefined");
}

TEST_CASE("what one way out of a block assigns, the others do not see") {
    for (const bool first : {true, false}) { // whatever the order of edges
        Graph g;
        g.symbol("c");
        State *a = g.s, *b = g.state("b"), *other = g.state("other"), *end = g.state("end");
        g.g.setStart(a);
        auto assign = [&] { g.g.connect(a, b, {"c > 0"}, {{"k", "1"}}); };
        if (first)
            assign();
        g.g.connect(a, other, {"c <= 0"});
        if (!first)
            assign();
        g.g.connect(b, end, {"k > 0"});
        InterstateEdge *read = g.g.connect(other, end);
        CHECK(reported(g) == "");
        read->condition = "k > 0";
        CHECK(reported(g) == "SymbolNotDefined");
        g.g.connect(b, a); // this time, k is known
        if (first)
            CHECK(reported(g) == "");
    }
}

TEST_CASE("what one branch assigns, the others do not see") {
    Graph g;
    g.symbol("c");
    State *outside = g.s;
    auto *conditional = g.g.add<ConditionalBlock>();
    conditional->label = "c";
    Region *then = conditional->addBranch(Code{"c > 0"}, std::make_unique<Region>());
    State *before = g.state("before", then), *after = g.state("after", then);
    then->connect(before, after, {"1"}, {{"k", "1"}});
    Region *otherwise = conditional->addBranch(std::nullopt, std::make_unique<Region>());
    State *left = g.state("left", otherwise), *right = g.state("right", otherwise);
    InterstateEdge *read = otherwise->connect(left, right);
    g.g.connect(outside, conditional);
    g.g.connect(conditional, g.state("end"), {"k > 0"});
    CHECK(reported(g) == "");
    read->condition = "k > 0";
    CHECK(reported(g) == "SymbolNotDefined");
}

TEST_CASE("symbols of maps are defined inside") {
    Graph g;
    g.array("A", "20");
    g.array("B", "20");
    Tasklet *t = g.elementwise("A", "B", "b = a + i", "20");
    CHECK(reported(g) == "");
    t->code = "b = a + j";
    CHECK(reported(g) == "SymbolNotDefined");
}

TEST_CASE("symbols of loops and conditions") {
    Graph g;
    auto *l = g.g.add<LoopRegion>();
    l->label = "l";
    l->variable = "i";
    l->init = Code{"i = 0"};
    l->condition = Code{"i < 4"};
    l->update = Code{"i = i + 1"};
    g.g.connect(g.s, l);
    g.state("body", l);
    g.tasklet("x = i");
    CHECK(reported(g) == "");
    l->condition = Code("i < n");
    CHECK(reported(g) == "SymbolNotDefined");
    l->condition = Code("i < 4");
    auto *c = g.g.add<ConditionalBlock>();
    c->label = "c";
    c->addBranch(Code{"m"}, std::make_unique<Region>());
    g.g.connect(l, c);
    CHECK(reported(g) == "SymbolNotDefined");
}

TEST_CASE("assignments of one edge do not depend on each other") {
    Graph g;
    g.symbol("i");
    g.symbol("j");
    State *first = g.s;
    g.g.connect(first, g.state("b"), {"1"}, {{"i", "i + 1"}, {"j", "i"}});
    CHECK(message(g) == "`j = i` reads `i`, which the same edge assigns | use two edges, one for each assignment");
}

TEST_CASE("edges assign symbols, not containers") {
    Graph g;
    g.scalar("s");
    State *first = g.s;
    g.g.connect(first, g.state("b"), {"1"}, {{"s", "1"}});
    CHECK(reported(g) == "AssignmentToContainer");
}

TEST_CASE("edges on the host do not read device memory") {
    Graph g;
    g.array("A", "4").storage = Storage::GPU_Global;
    State *first = g.s;
    g.g.connect(first, g.state("b"), {"A[0] > 0"});
    CHECK(message(g) ==
          "`A` is stored in GPU_Global but the host accesses it | copy it to host memory first, or access it in a GPU map");
}

TEST_CASE("isolated states") {
    Graph g;
    g.g.setStart(g.s);
    g.state("b");
    CHECK(reported(g) == "IsolatedBlock");
}

TEST_CASE("else is the last of several branches") {
    Graph g(std::make_unique<SDFG>("f"));
    auto *c = g.g.add<ConditionalBlock>();
    CHECK(reported(g) == "EmptyConditional");
    c->addBranch(std::nullopt, std::make_unique<Region>());
    CHECK(reported(g) == "MisplacedElse");
    c->addBranch(Code{"1"}, std::make_unique<Region>());
    CHECK(message(g) == "branch 1 of 2 has no condition | put the branch without a condition last");
}

TEST_CASE("jumps are in loops") {
    Graph g(std::make_unique<SDFG>("f"));
    g.g.add<BreakBlock>();
    CHECK(message(g) == "break outside a loop | remove it, or move it into a loop region");
    Graph h(std::make_unique<SDFG>("f"));
    auto *l = h.g.add<LoopRegion>();
    l->condition = Code{"1"};
    l->add<ContinueBlock>();
    CHECK(reported(h) == "");
}

TEST_CASE("structured: one out-edge, no cycle, conditions") {
    Graph g;
    g.symbol("i");
    State *guard = g.s, *body = g.state("body"), *end = g.state("end");
    g.g.connect(guard, body, {"i < 4"});
    g.g.connect(body, guard);
    g.g.setStart(guard);
    g.g.removeBlock(end);
    CHECK(reported(g) == "");
    CHECK(reported(g, Level::Structured) == "ControlFlowCycle");
    g.g.removeEdge(g.g.edges()[1].get());
    g.g.connect(guard, g.state("other"));
    CHECK(message(g, Level::Structured) ==
          "2 out-edges in structured control flow | raise the branch to a conditional block, or keep it in an unstructured region");
    Graph h(std::make_unique<SDFG>("f"));
    auto *l = h.g.add<LoopRegion>();
    h.state("body", l);
    CHECK(reported(h) == "LoopWithoutCondition");
}

TEST_CASE("unstructured regions keep their edges") {
    Graph g(std::make_unique<SDFG>("f"));
    auto *u = g.g.add<Region>(BlockKind::Unstructured);
    State *a = g.state("a", u), *b = g.state("b", u);
    u->connect(a, b);
    u->connect(b, a);
    u->setStart(a);
    CHECK(reported(g, Level::Structured) == "");
}

TEST_CASE("errors beyond the limit are counted") {
    Graph g;
    for (int i = 0; i < 20; ++i)
        g.tasklet("", "a b");
    diag::Engine d;
    d.limit = 5;
    CHECK_FALSE(analysis::verify(g.g, Level::Loaded, d));
    CHECK(d.all().size() == 5);
    CHECK(d.errorCount() == 20);
}
