// How the attributes of files are represented in the IR.
#include "Serialize/TestGraphs.h"

using namespace sdfgc;
using namespace sdfgc::serialize;
using diag::Id;

namespace {

const ir::State &stateAt(const ir::SDFG &g, std::size_t i) { return *cast<ir::State>(g.blocks().at(i).get()); }

template <class T> const T &nodeAt(const ir::State &s, std::size_t i) {
    REQUIRE(isa<T>(s.nodes().at(i).get()));
    return *cast<T>(s.nodes()[i].get());
}

std::unique_ptr<ir::SDFG> load(const std::string &name) {
    Reading r = readGraph(name);
    INFO(r.messages());
    REQUIRE(r.graph);
    return std::move(r.graph);
}

sym::Expr expr(const char *text) { return *sym::parse(text).expr; }

} // namespace

TEST_CASE("vadd: the small file of the format's reference") {
    auto g = load("vadd.sdfg");
    CHECK(g->name == Name("vadd"));
    CHECK(g->daceVersion == "2.0.0a6");
    CHECK(*g->symbols.find("N") == Type(ScalarKind::Int64));
    REQUIRE(g->arrays.size() == 3);
    CHECK(g->arrays.begin()->first == Name("A"));
    CHECK(g->arrays.find("B")->shape == std::vector<sym::Expr>{sym::Expr::symbol("N")});
    const ir::State &s = stateAt(*g, 0);
    CHECK(s.label == "main");
    CHECK(g->start() == &s);
    const auto &entry = nodeAt<ir::MapEntry>(s, 2);
    CHECK(entry.params == std::vector<Name>{"i"});
    CHECK(entry.ranges.at(0).end == expr("N - 1"));
    CHECK(entry.exit == &nodeAt<ir::MapExit>(s, 4));
    CHECK(entry.exit->entry == &entry);
    CHECK(entry.exit->label == "m");
    const ir::Edge &e = *s.edges().at(2);
    CHECK(e.src == &entry);
    CHECK(e.dst->label == "add");
    CHECK(e.srcConn == Name("OUT_A"));
    CHECK(e.memlet.data == Name("A"));
    CHECK(e.memlet.subset->dims.at(0).isPoint());
    CHECK(e.memlet.volume.isOne());
}

TEST_CASE("containers: attributes, and what is filled in") {
    auto g = load("dataflow.sdfg");
    const ir::DataDesc &b = *g->arrays.find("B");
    CHECK(b.strides == std::vector<sym::Expr>{sym::Expr::symbol("M"), 1});
    CHECK(b.offset == std::vector<sym::Expr>{0, 0});
    CHECK(b.totalSize == expr("N * M"));
    const ir::DataDesc &f = *g->arrays.find("F");
    CHECK(f.strides == std::vector<sym::Expr>{1, 4});
    CHECK(f.offset == std::vector<sym::Expr>{-1, -1});
    CHECK(f.totalSize == sym::Expr(24));
    CHECK(f.startOffset == sym::Expr(4));
    CHECK((f.mayAlias && f.pool && f.allowConflicts && f.transient));
    CHECK(f.alignment == 128);
    CHECK(f.optional == std::optional(false));
    CHECK(f.storage == ir::Storage::CPU_Heap);
    CHECK(f.lifetime == ir::Lifetime::Persistent);
    CHECK(f.debugInfo == ir::DebugInfo{"lib/helper.py", 3, 3, 2, 9});
    CHECK(g->arrays.find("v")->dtype == Type::vector(ScalarKind::Float32, 4));
    CHECK(g->arrays.find("req")->dtype == Type::opaque("MPI_Request"));
    CHECK(g->arrays.find("req")->extra.find("location"));
    CHECK(g->arrays.find("a")->isScalar());
    CHECK(g->arrays.find("s")->bufferSize == expr("2 * K"));
    CHECK(g->arrays.find("ss")->offset.size() == 1);
    CHECK(g->arrays.find("view")->isView());
    CHECK(g->arrays.find("ref")->isReference());
    CHECK(g->desc("csr.indptr")->shape.at(0) == expr("N + 1"));
    CHECK(g->arrays.find("csr")->dtype.element().fieldLengths().at(0).second == "nnz + 1");
    CHECK(g->arrays.find("csrs")->elementDesc->isStructure());
    const ir::DataDesc &tensor = *g->arrays.find("t");
    CHECK((tensor.isStructure() && tensor.className == Name("Tensor") && tensor.extra.find("indices")));
    const ir::DataDesc *count = tensor.member("value_count"); // a symbolic value in the file, a number in the struct
    REQUIRE(count);
    CHECK((count->isScalar() && count->dtype == Type(ScalarKind::Int32) && count->totalSize == expr("nnz")));
    CHECK(g->arrays.find("w")->className == Name("ParameterArray"));
    CHECK(g->arrays.find("grid")->dtype == Type::opaque("MPI_Comm"));
}

TEST_CASE("graphs: declarations, constants, code, facts about symbols") {
    Reading r = readGraph("dataflow.sdfg");
    REQUIRE(r.graph);
    ir::SDFG &g = *r.graph;
    CHECK(g.argNames == std::vector<Name>{"A", "B"});
    CHECK(g.constants.find("pi")->value.text() == "3.25");
    CHECK(g.constants.find("inf")->value.text() == "Infinity");
    CHECK(g.constants.find("tab")->value.get("data")->items().size() == 2);
    REQUIRE(g.globalCode.size() == 2); // an empty text for `cuda` is ignored
    CHECK(g.globalCode[1].target == Name("null"));
    CHECK(g.initCode.at(0).code == ir::Code{"done = 0;", ir::Language::CPP});
    CHECK((g.openmpSections && g.instrument == ir::Instrumentation::Timer));
    CHECK(g.symbols.find("cb")->isCallback());
    CHECK(r.messages() == "SD1030 attributes.vendor_note: SDFG has the unknown attribute `vendor_note`\n");
    CHECK(g.extra.find("vendor_note")->dump() == R"({"kept":[1,null,"x"]})");
    // N is declared int64 and positive everywhere; i and j are map parameters, so only their types are kept.
    REQUIRE(g.symbolHints.count("N"));
    CHECK(g.symbolHints["N"].positive);
    CHECK_FALSE(g.symbolHints["N"].type);
    CHECK(g.symbolHints["i"].type == Type(ScalarKind::Int64));
    CHECK_FALSE(g.symbolHints.count("M"));
}

TEST_CASE("facts about a map's parameter do not become facts about every symbol of that name") {
    Reading r = read(changed("vadd.sdfg", "nodes[0].edges[2].attributes.data.attributes.subset.ranges[0].start",
                             "\"symbol($i, dtype=dace.int64, positive=True)\""));
    REQUIRE(r.graph);
    CHECK_FALSE(r.graph->symbolHints["i"].positive);
    CHECK(r.graph->symbolHints["i"].type == Type(ScalarKind::Int64));
}

TEST_CASE("facts about a symbol that contradict each other: the first value stays, and what holds somewhere holds") {
    const auto hints = [](const std::string &first, const std::string &second) {
        Reading r =
            read(R"({"type": "SDFG", "attributes": {"name": "f", "_arrays": {
            "A": {"type": "Array", "attributes": {"dtype": "int32", "shape": [")" +
                 first + R"("]}}, "B": {"type": "Array", "attributes": {"dtype": "int32", "shape": [")" + second + R"("]}}}},
            "nodes": [], "edges": []})");
        REQUIRE(r.graph);
        return r.graph->symbolHints["N"];
    };
    using Keywords = std::vector<std::pair<std::string, std::string>>;
    CHECK(hints("symbol($N, finite=True)", "symbol($N, finite=False)").other == Keywords{{"finite", "True"}});
    CHECK(hints("symbol($N, dtype=mine)", "symbol($N, dtype=yours)").other == Keywords{{"dtype", "mine"}});
    for (const sym::SymbolFacts &f : {hints("symbol($N, positive=True)", "symbol($N, positive=False)"),
                                      hints("symbol($N, positive=False)", "symbol($N, positive=True)")}) {
        CHECK(f.positive);
        CHECK(f.other.empty());
    }
}

TEST_CASE("nodes: every attribute") {
    auto g = load("dataflow.sdfg");
    const ir::State &maps = stateAt(*g, 0);
    CHECK(maps.instrument == ir::Instrumentation::Timer);
    CHECK(maps.nodes()[0]->debugInfo == ir::DebugInfo{"prog.py", 12, 14, 4, 0});
    const auto &m = nodeAt<ir::MapEntry>(maps, 1);
    CHECK((m.schedule == ir::Schedule::CPU_Multicore && m.collapse == 2 && m.ompSchedule == ir::OmpSchedule::Dynamic));
    CHECK((m.ompNumThreads == sym::Expr(4) && m.ompChunkSize == 8));
    CHECK(m.ranges.at(1).step == sym::Expr(2));
    CHECK(m.inConnector("K")->type == Type(ScalarKind::Int32));
    const auto &nested = nodeAt<ir::NestedSDFGNode>(maps, 2);
    CHECK((nested.noInline && nested.uniqueName == "inner_1"));
    CHECK(*nested.mapped("L") == sym::Expr::symbol("M"));
    CHECK(nested.sdfg->parentNode == &nested);
    CHECK(nested.sdfg->parentSDFG() == g.get());
    CHECK(nested.sdfg->callbackMapping.at(0).second == "user.callback");
    CHECK(nested.sdfg->symbols.find("cb")->argumentJson().at(1).find("float64") != std::string::npos);
    const auto &t = nodeAt<ir::Tasklet>(maps, 3);
    CHECK(t.code.language() == ir::Language::CPP);
    CHECK(t.code.text() == "out = in1 * 2;\n// \"done\"\t\xC3\xA9");
    CHECK((t.codeGlobal.text() == "#include <cmath>" && t.codeInit.text() == "init();" && t.codeExit.text() == "done();"));
    CHECK((t.stateFields.size() == 1 && t.ignoredSymbols.size() == 1 && t.environments.size() == 1));
    CHECK(t.sideEffects == std::optional(true));
    CHECK(t.extra.find("location")->get("gpu_thread")->text() == "0");
    const auto &b = nodeAt<ir::AccessNode>(maps, 5);
    CHECK((b.setZero && b.dataInstrument == ir::DataInstrumentation::Save && b.dataInstrumentCondition.text() == "i == 1"));
    const ir::Memlet &out = maps.edges()[4]->memlet;
    CHECK((out.dynamic && out.allowOob && out.volume.isUndefined()));
    CHECK((maps.edges()[5]->memlet.wcr == "lambda x, y: x + y" && maps.edges()[5]->memlet.wcrNonatomic));

    const ir::State &calls = stateAt(*g, 1);
    CHECK((calls.nosync && calls.symbolInstrument == ir::DataInstrumentation::Save));
    const auto &mm = nodeAt<ir::LibraryNode>(calls, 1);
    CHECK((mm.className() == "MatMul" && mm.libraryName() == "blas" && mm.implementation == "OpenBLAS"));
    CHECK((mm.properties.size() == 2 && mm.properties.find("alpha")->text() == "2.5"));
    CHECK(calls.edges()[3]->memlet.otherSubset->rank() == 2);
    CHECK(calls.edges()[7]->memlet.isEmpty());
    CHECK(calls.edges()[8]->memlet.isDataSrc == std::optional(false));

    const auto &c = nodeAt<ir::ConsumeEntry>(stateAt(*g, 2), 1);
    CHECK((c.peIndex == Name("p") && c.numPes == sym::Expr::symbol("P") && c.chunkSize == 4 && c.condition->text() == "done > 0"));
    CHECK(c.exit == stateAt(*g, 2).nodes()[3].get());
    const auto &k = nodeAt<ir::MapEntry>(stateAt(*g, 3), 1);
    CHECK(k.gpuBlockSize == std::vector<sym::Expr>{64, 2, 1});
    CHECK((k.gpuLaunchBounds == "128" && k.gpuMinWarpsPerEu == 1 && k.gpuMaxNReg == 64 && k.gpuForceSyncthreads));
    CHECK((k.unroll && k.unrollFactor == 4));
}

TEST_CASE("control flow: every block") {
    auto g = load("control.sdfg");
    CHECK(g->usesExplicitControlFlow);
    const auto &loop = *cast<ir::LoopRegion>(g->blocks()[1].get());
    CHECK((loop.init->text() == "i = 0" && loop.condition->text() == "i < N" && loop.update->text() == "i = i + 1"));
    CHECK((loop.variable == Name("i") && !loop.inverted && loop.updateBeforeCondition));
    const auto &cond = *cast<ir::ConditionalBlock>(loop.blocks()[0].get());
    REQUIRE(cond.branches().size() == 3);
    CHECK(cond.branches()[0].condition->text() == "(i > 3)");
    CHECK_FALSE(cond.branches()[2].condition);
    CHECK(isa<ir::BreakBlock>(cond.branches()[0].region->blocks()[0].get()));
    CHECK(isa<ir::ContinueBlock>(cond.branches()[1].region->blocks()[0].get()));
    CHECK(cond.branches()[0].region->conditional() == &cond);
    CHECK(cond.branches()[0].region->parent() == &loop);
    CHECK(loop.edges()[0]->assignments.at(0).second == "k + A[i]");
    const auto &again = *cast<ir::LoopRegion>(g->blocks()[2].get());
    CHECK((again.inverted && !again.updateBeforeCondition && again.unroll && again.unrollFactor == 2 && !again.init));
    CHECK(g->blocks()[3]->kind() == ir::BlockKind::Named);
    CHECK(g->blocks()[3]->debugInfo.startLine == 9);
    CHECK(g->blocks()[4]->kind() == ir::BlockKind::FunctionCall);
    CHECK(g->blocks()[4]->extra.find("arguments"));
    const auto &jumps = *cast<ir::Region>(g->blocks()[5].get());
    CHECK(jumps.kind() == ir::BlockKind::Unstructured);
    CHECK(jumps.edges()[2]->condition.text() == "k < 0");
    CHECK(jumps.start() == jumps.blocks()[0].get());
    CHECK(isa<ir::ReturnBlock>(g->blocks()[6].get()));
    CHECK(g->edges()[6]->condition.text() == "not flag");
    CHECK(g->edges()[1]->isUnconditional());
    CHECK(g->cfgId == 0);
    CHECK(loop.cfgId == 1);
}

TEST_CASE("a symbolic text means an element where its name is a container, a call elsewhere") {
    // The volume `idx(0)` in two graphs, one of which has the container.
    json::Value root = parsed(changed("dataflow.sdfg", "nodes[0].edges[0].attributes.data.attributes.volume", "\"idx(0)\""));
    at(root, "nodes[0].nodes[2].attributes.sdfg.nodes[0].edges[0].attributes.data.attributes.volume") = parsed("\"idx(0)\"");
    json::Value idx = parsed(R"({"type": "Array", "attributes": {"dtype": "int32", "shape": ["4"]}})");
    at(root, "attributes._arrays").set("idx", idx);
    Reading r = read(root.dump());
    INFO(r.messages());
    REQUIRE(r.graph);
    CHECK(stateAt(*r.graph, 0).edges()[0]->memlet.volume.kind() == sym::SymbolicKind::Subscript);
    const auto &nested = nodeAt<ir::NestedSDFGNode>(stateAt(*r.graph, 0), 2);
    CHECK(stateAt(*nested.sdfg, 0).edges()[0]->memlet.volume.kind() == sym::SymbolicKind::Call);
}

TEST_CASE("subsets: strings, unions, single indices") {
    const std::string path = "nodes[0].edges[2].attributes.data.attributes.subset";
    auto subset = [&](const std::string &json) {
        Reading r = read(changed("vadd.sdfg", path, json));
        INFO(r.messages());
        REQUIRE(r.graph);
        return std::pair(stateAt(*r.graph, 0).edges()[2]->memlet.subset->str(), r.has(Id::SubsetUnionBoxed));
    };
    CHECK(subset("\"0:N, i, 2:M:2\"").first == "0:N, i, 2:M:2");
    CHECK(subset("\"min(i, 3):N\"").first == "min(i, 3):N");
    CHECK(subset(R"({"type": "Indices", "indices": ["i", 3]})").first == "i, 3");
    auto [box, warned] = subset(R"(["0:4", {"type": "Range", "ranges": [{"start": "2", "end": "9"}]}])");
    CHECK(box == "0:10");
    CHECK(warned);
    CHECK(subset(R"({"type": "SubsetUnion", "subset_list": ["1:3"]})") == std::pair(std::string("1:3"), false));
    CHECK(read(changed("vadd.sdfg", path, "\"0:1:1:1:1\"")).has(Id::BadExpression));
    CHECK(read(changed("vadd.sdfg", path, "[\"0:4\", \"0:4, 1\"]")).has(Id::BadExpression));
}

TEST_CASE("external graphs are loaded relative to the file") {
    auto g = load("external.sdfg");
    const auto &n = nodeAt<ir::NestedSDFGNode>(stateAt(*g, 0), 2);
    REQUIRE(n.sdfg);
    CHECK(n.sdfg->name == Name("vadd"));
    CHECK(n.externalPath == "vadd.sdfg");
    CHECK(n.sdfg->parentSDFG() == g.get());
}
