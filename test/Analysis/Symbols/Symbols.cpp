#include "Graphs.h"

#include "sdfgc/Analysis/Symbols/Mentions.h"
#include "sdfgc/Analysis/Symbols/PassSymbols.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;
using analysis::argumentList;
using analysis::definedSymbols;

namespace {

std::string names(const std::set<Name> &set) {
    std::string out;
    for (Name n : set)
        out += (out.empty() ? "" : " ") + n.str();
    return out;
}

std::string names(const std::vector<analysis::Argument> &list) {
    std::string out;
    for (const auto &a : list)
        out += (out.empty() ? "" : " ") + a.name.str();
    return out;
}

std::string freeOf(const SDFG &g) { return names(analysis::freeSymbols(g)); }
std::string freeOf(Graph &g) { return freeOf(g.g); }

LoopRegion *loop(Graph &g, const std::string &init, const std::string &condition, const std::string &update) {
    auto *l = g.g.add<LoopRegion>();
    l->label = "loop";
    l->variable = "i";
    if (!init.empty())
        l->init = Code{init};
    l->condition = Code{condition};
    if (!update.empty())
        l->update = Code{update};
    return l;
}

std::string types(const SDFG &g, py::Semantics meaning = py::Semantics::Symbolic) {
    std::string out;
    for (const auto &[name, type] : definedSymbols(g, meaning))
        out += (out.empty() ? "" : " ") + name.str() + ":" + type.str();
    return out;
}

} // namespace

TEST_CASE("leading dimensions of an argument are not used, its strides are; of memory, all symbols of the size") {
    Graph g;
    g.array("A", "N, M");
    CHECK(freeOf(g) == "M");
    g.g.arrays.find(Name("A"))->transient = true;
    CHECK(freeOf(g) == "M N");
    g.g.arrays.find(Name("A"))->cancelled = {"K"};
    CHECK(freeOf(g) == "K M N");
    g.view("A", "N, M");
    CHECK(freeOf(g) == "M");
}

TEST_CASE("offsets, sizes of streams, members of transient structures") {
    Graph g;
    g.array("A", "4").offset[0] = expr("k");
    DataDesc stream;
    stream.kind = DataKind::Stream;
    stream.shape = {expr("P")};
    stream.bufferSize = expr("B");
    g.g.arrays.set("S", stream);
    CHECK(freeOf(g) == "k");
    g.g.arrays.find(Name("S"))->transient = true;
    CHECK(freeOf(g) == "B P k");
    DataDesc s;
    s.kind = DataKind::Structure;
    s.transient = true;
    s.members.emplace_back("x", std::make_unique<DataDesc>(DataDesc::array(ScalarKind::Float64, {expr("Q")}, true)));
    g.g.arrays.set("R", s);
    CHECK(freeOf(g) == "B P Q k");
}

TEST_CASE("declared symbols count only when they are used") {
    Graph g;
    g.symbol("N");
    CHECK(freeOf(g) == "");
    CHECK(names(analysis::requiredSymbols(g.g)) == "N");
}

TEST_CASE("declared symbols that the SDFG assigns before any use are its own, behind a region, too") {
    Graph g;
    g.symbol("s");
    auto *loop = g.g.add<LoopRegion>();
    loop->add<State>();
    g.g.connect(g.s, loop);
    g.g.connect(loop, g.state("after"))->assignments = {{"s", "1"}};
    CHECK(names(analysis::requiredSymbols(g.g)) == "");
    loop->condition = Code{"s > 0", Language::Python};
    CHECK(names(analysis::requiredSymbols(g.g)) == "s");
}

TEST_CASE("maps: ranges count, parameters and outer memlets do not") {
    Graph g;
    g.array("A", "20");
    g.array("B", "20");
    g.elementwise("A", "B");
    CHECK(freeOf(g) == "N");
}

TEST_CASE("ranges may use earlier parameters") {
    Graph g;
    auto [entry, exit] = g.map("i, j", "0:N, i:M");
    auto *t = g.tasklet("x = j");
    g.order(entry, t);
    g.order(t, exit);
    CHECK(freeOf(g) == "M N");
    CHECK(names(analysis::freeSymbols(*static_cast<Node *>(entry))) == "M N");
}

TEST_CASE("sizes of blocks count, dynamic range connectors in them do not") {
    Graph g;
    g.array("A", "20");
    auto [entry, exit] = g.map("i", "0:N");
    entry->gpuBlockSize = {sym::Expr::symbol("k") * 2, sym::Expr::symbol("n"), 1};
    g.edge(g.access("A"), "", entry, "n", "A[0]");
    auto *t = g.tasklet("x = i");
    g.order(entry, t);
    g.order(t, exit);
    CHECK(freeOf(g) == "N k");
    CHECK(names(analysis::freeSymbols(*static_cast<Node *>(entry))) == "N k");
}

TEST_CASE("a parameter is bound in its scope only") {
    Graph g;
    g.array("A", "20");
    auto [entry, exit] = g.map("i", "0:4");
    auto *t = g.tasklet("b = i");
    g.order(entry, t);
    g.order(t, exit);
    g.edge(g.access("A"), "", g.tasklet("c = x"), "x", "A[i]");
    CHECK(freeOf(g) == "i");
}

TEST_CASE("dynamic range connectors are bound inside") {
    Graph g;
    g.array("A", "20");
    auto [entry, exit] = g.map("i", "0:n");
    g.edge(g.access("A"), "", entry, "n", "A[k]");
    auto *t = g.tasklet("b = n + i");
    g.order(entry, t);
    g.order(t, exit);
    CHECK(freeOf(g) == "k");
    ScopeTree scopes(*g.s);
    CHECK(analysis::symbolType(*t, scopes, "n") == Type(ScalarKind::Float64));
    CHECK(analysis::symbolType(*t, scopes, "i") == Type(ScalarKind::Int64));
    CHECK_FALSE(analysis::symbolType(*entry, scopes, "i"));
}

TEST_CASE("leaf memlets next to code count with their range starts, copies completely") {
    Graph g;
    g.array("A", "20");
    g.array("B", "20");
    Edge *read = g.edge(g.access("A"), "", g.tasklet("b = x[0]"), "x", "A[k:N]");
    Edge *copied = g.s->connect(g.access("A"), "", g.access("B"), "", copy("A[p:q]", "r:s"));
    CHECK(names(analysis::freeSymbols(*read)) == "k");
    CHECK(names(analysis::freeSymbols(*copied)) == "p q r s");
    CHECK(freeOf(g) == "k p q r s");
    Edge *toLibrary = g.edge(g.access("A"), "", g.library("dace.libraries.blas.nodes.dot.Dot", "dot"), "_x", "A[k:N]");
    CHECK(names(analysis::freeSymbols(*toLibrary)) == "N k");
}

TEST_CASE("an edge that defines a view counts with its range starts, a copy completely, whatever its connectors") {
    Graph g;
    g.array("A", "20");
    g.array("B", "20");
    g.array("V", "20").alias = AliasKind::View;
    AccessNode *view = g.access("V"), *copied = g.access("B");
    view->addIn("views");
    copied->addIn("views");
    CHECK(names(analysis::freeSymbols(*g.s->connect(g.access("A"), "", view, "views", copy("A[k:N]", "0:p")))) == "k");
    CHECK(names(analysis::freeSymbols(*g.s->connect(g.access("A"), "", copied, "views", copy("A[k:N]", "0:p")))) == "N k p");
}

TEST_CASE("library nodes: symbolic properties carry a dollar sign") {
    Graph g;
    auto *n = g.library("dace.libraries.blas.nodes.gemm.Gemm", "gemm");
    n->properties.set("alpha", json::Value("$a + 1"));
    n->properties.set("uplo", json::Value("lower"));
    CHECK(freeOf(g) == "a");
}

TEST_CASE("tasklets: names that are neither connectors nor locals, and callbacks") {
    Graph g;
    g.symbol("cb", Type::callback({}, {}));
    auto *t = g.tasklet("tmp = x + N\ny = cb(tmp) + dace.float64(M) + math.pi + inf");
    t->addIn("x");
    t->addOut("y");
    CHECK(freeOf(g) == "M N cb");
    t->code = "if threadIdx.x == M:\n    y = x"; // attributes are of connectors and of built-in variables
    CHECK(freeOf(g) == "M");
}

TEST_CASE("tasklets in C++: words that are declared as symbols") {
    Graph g;
    for (const char *n : {"N", "M", "e", "skip", "x"})
        g.symbol(n);
    auto *t = g.tasklet("y = N * 1e-5 + 2e3 + foo(M_); // M", "t", Language::CPP);
    t->addIn("x");
    t->ignoredSymbols = {"skip"};
    CHECK(freeOf(g) == "M N"); // DaCe counts words in comments, and so does the ABI
    t->code = "y = e + 1e-5 + x + skip;";
    CHECK(freeOf(g) == "e");
}

TEST_CASE("nested SDFGs: mapped symbols that are used inside") {
    Graph g;
    auto *n = g.nested();
    n->symbolMapping = {{"P", expr("N + 1")}, {"Q", expr("M")}};
    n->sdfg->symbols.set("P", ScalarKind::Int64);
    n->sdfg->symbols.set("Q", ScalarKind::Int64);
    n->sdfg->arrays.set("t", DataDesc::array(ScalarKind::Float64, {expr("P")}, true));
    CHECK(freeOf(g) == "N");
    CHECK(names(analysis::requiredSymbols(*n->sdfg)) == "P Q");
    CHECK(names(analysis::requiredSymbols(g.g)) == "M N");
}

TEST_CASE("inter-state edges: a symbol assigned before its use is not free") {
    Graph g;
    State *a = g.s, *b = g.state("b"), *c = g.state("c");
    g.array("A", "20");
    g.g.connect(a, b, {"1"}, {{"k", "N + 1"}});
    g.g.connect(b, c, {"k < M"}, {{"k", "k + 1"}});
    CHECK(freeOf(g) == "M N");
}

TEST_CASE("inter-state edges: used before assigned stays free") {
    Graph g;
    State *a = g.s, *b = g.state("b");
    g.g.connect(a, b, {"1"}, {{"k", "k + 1"}});
    CHECK(freeOf(g) == "k");
    g.s = a;
    g.tasklet("x = p");
    g.g.edges()[0]->assignments.emplace_back("p", "1");
    CHECK(freeOf(g) == "k p");
}

TEST_CASE("inter-state edges: reading a container needs its strides") {
    Graph g;
    State *a = g.s, *b = g.state("b");
    g.transient("A", "20, 20").strides = {expr("S"), 1};
    g.g.arrays.find(Name("A"))->alias = AliasKind::View;
    g.g.connect(a, b, {"A[0, j] > 0"});
    CHECK(freeOf(g) == "S j");
}

TEST_CASE("loop variables are not free, unless the loop does not start them") {
    Graph g;
    auto *l = loop(g, "i = k", "i < N and go", "i = i + step");
    State *body = g.state("body", l);
    (void)body;
    g.tasklet("x = i");
    g.g.connect(g.g.blocks()[0].get(), l);
    CHECK(freeOf(g) == "N go k step");
    l->init.reset();
    CHECK(freeOf(g) == "N go i step");
}

TEST_CASE("conditions of branches") {
    Graph g;
    auto *c = g.g.add<ConditionalBlock>();
    c->label = "if";
    c->addBranch(Code{"p > 0"}, std::make_unique<Region>());
    c->addBranch(std::nullopt, std::make_unique<Region>());
    g.g.connect(g.s, c);
    CHECK(freeOf(g) == "p");
}

TEST_CASE("state machine loops: unreachable blocks do not count") {
    Graph g;
    State *start = g.s, *guard = g.state("guard"), *body = g.state("body"), *end = g.state("end");
    g.g.connect(start, guard, {"1"}, {{"i", "0"}});
    g.g.connect(guard, body, {"i < N"});
    g.g.connect(guard, end, {"not (i < N)"});
    g.g.connect(body, guard, {"1"}, {{"i", "i + 1"}});
    g.g.setStart(start);
    CHECK(freeOf(g) == "N");
}

TEST_CASE("init and exit code count by word") {
    Graph g;
    g.symbol("N");
    g.g.initCode.push_back({"frame", {"int x = N;", Language::CPP}});
    CHECK(freeOf(g) == "N");
}

TEST_CASE("argument list: containers, then scalars and symbols, by code point") {
    Graph g;
    for (const char *n : {"b", "A", "_x"})
        g.array(n, "4");
    g.transient("t", "4");
    g.scalar("s");
    g.scalar("Z", ScalarKind::Int32);
    g.scalar("__dace_s");
    g.symbol("N");
    g.symbol("__dace_N");
    g.tasklet("x = N + U + __dace_N");
    auto list = argumentList(g.g);
    CHECK(names(list.program) == "A _x b N Z s");
    CHECK(names(list.init) == "N");
    CHECK(list.undefined == std::vector<Name>{"U"});
    CHECK(list.program[3].isSymbol());
    CHECK(list.program[3].type == Type(ScalarKind::Int64));
    CHECK(list.program[4].type == Type(ScalarKind::Int32));
    g.g.constants.set("A", {DataDesc::array(ScalarKind::Float64, {4}), json::Value(0)});
    CHECK(names(argumentList(g.g).program) == "_x b N Z s");
    g.g.handleSizes = {"N", "unused"};
    list = argumentList(g.g);
    CHECK(names(list.program) == "_x b Z s");
    CHECK(names(list.init).empty());
    CHECK(names(list.sizes) == "N");
    CHECK(list.sizes[0].type == Type(ScalarKind::Int64));
}

TEST_CASE("callers go on passing symbols that nothing needs any more, but not sizes on the handle") {
    for (const bool onHandle : {false, true}) {
        Graph g;
        g.symbol("N");
        g.transient("t", "N");
        if (onHandle)
            g.g.handleSizes = {"N"};
        analysis::KeptInterface kept(g.g);
        g.g.arrays.erase("t");
        kept.keep();
        CHECK(g.g.passedSymbols.empty() == onHandle);
        CHECK(argumentList(g.g).sizes.empty());
    }
}

TEST_CASE("types of assigned symbols are joined") {
    Graph g;
    State *a = g.s, *b = g.state("b"), *c = g.state("c");
    g.symbol("N");
    g.symbol("d", ScalarKind::Int16);
    g.array("A", "4", ScalarKind::Float32);
    g.g.connect(a, b, {"1"}, {{"j", "k + 1"}, {"x", "A[0]"}, {"d", "N"}});
    g.g.connect(b, c, {"1"}, {{"k", "0"}, {"u", "unknown_call(1)"}});
    CHECK(types(g.g) == "j:int32 x:float32 d:int16 k:int32 u:void");
    g.g.connect(a, c, {"1"}, {{"k", "N"}}); // widens k and therefore j
    CHECK(types(g.g) == "j:int64 x:float32 d:int16 k:int64 u:void");
    CHECK(analysis::symbolType(g.g, "j") == Type(ScalarKind::Int64));
    CHECK(analysis::symbolType(g.g, "N") == Type(ScalarKind::Int64));
    CHECK_FALSE(analysis::symbolType(g.g, "nowhere"));
}

TEST_CASE("the quotient of integers makes an integer symbol") {
    Graph g;
    g.symbol("N");
    g.symbol("x", ScalarKind::Float64);
    g.g.connect(g.s, g.state("b"), {"1"}, {{"k", "(N - 1) / 4 + 1"}, {"r", "N / 2.5"}, {"f", "x // 2"}, {"h", "k / 2"}});
    CHECK(types(g.g) == "k:int64 r:float64 f:float64 h:int64");
    CHECK(types(g.g, py::Semantics::Dace) == "k:int64 r:float64 f:int32 h:int64");
}

TEST_CASE("a loop variable is as wide as what it is compared with") {
    Graph g;
    g.symbol("N");
    auto *l = loop(g, "i = 0", "i < N and i != 7", "i = i + 1");
    CHECK(types(g.g) == "i:int64");
    l->condition = Code("10 > i");
    CHECK(types(g.g) == "i:int32");
    l->update = Code("i = i + N");
    CHECK(types(g.g) == "i:int64");
}

TEST_CASE("a fraction to compare with makes no fractions of a loop variable") {
    // In the form in which DaCe's passes write the number of iterations.
    Graph g;
    auto *l = loop(g, "i = 0", "i < (32 - 2) / 2", "i = i + 1");
    CHECK(types(g.g) == "i:int32");
    l->init = Code("i = 0.5");
    CHECK(types(g.g) == "i:float64");
}

TEST_CASE("types without a join do not loop for ever") {
    Graph g;
    State *a = g.s, *b = g.state("b");
    g.symbol("s", Type::structure("S", {{"x", ScalarKind::Int32}}));
    g.g.connect(a, b, {"1"}, {{"p", "s"}});
    g.g.connect(a, b, {"1"}, {{"p", "1"}});
    CHECK(definedSymbols(g.g).size() == 1);
}

TEST_CASE("words of C++ code that count as symbols, as DaCe counts them") {
    auto words = [](std::string_view text) {
        std::string out;
        for (Name n : analysis::identifiers(text))
            out += n.str() + " ";
        return out;
    };
    CHECK(words("a = b->c(a, 1e5, 2e-3, x1);") == "a b c x1 ");
    CHECK(words("10L e 1e") == "L e ");
    CHECK(words("0x1F /* N */ \"s\"") == "x1F N s ");
    CHECK(words("") == "");
}

TEST_CASE("symbols of nested SDFGs get values in the order of their names, and each only one") {
    Graph f(std::make_unique<SDFG>("f"));
    f.symbol("N");
    f.state("s");
    NestedSDFGNode *n = f.nested();
    Graph(*n->sdfg).array("A", "M*N");
    const auto mapping = [n] {
        std::string out;
        for (const auto &[inside, value] : n->symbolMapping)
            out += inside.str() + " = " + value.str() + ": " + n->sdfg->symbols.find(inside)->str() + "; ";
        return out;
    };
    analysis::passSymbol(*n, Name("P"), sym::Expr::symbol("N") + 1, ScalarKind::Int32);
    CHECK(mapping() == "P = N + 1: int32; ");
    analysis::passRequiredSymbols(*n, [](Name s) { return s == Name("N") ? Type(ScalarKind::UInt8) : Type(); });
    CHECK(mapping() == "M = M: int64; N = N: uint8; P = N + 1: int32; ");
    analysis::passSymbol(*n, Name("M"), 3, ScalarKind::Int16);
    analysis::passRequiredSymbols(*n, [](Name) { return Type(ScalarKind::Int32); });
    CHECK(mapping() == "M = 3: int16; N = N: uint8; P = N + 1: int32; ");
}
