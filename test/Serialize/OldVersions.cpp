// Constructs of old versions (format reference 1.11).
#include "Serialize/TestGraphs.h"

using namespace sdfgc;
using namespace sdfgc::serialize;
using diag::Id;

namespace {

template <class T> const T &nodeAt(const ir::SDFG &g, std::size_t state, std::size_t i) {
    const auto *s = cast<ir::State>(g.blocks().at(state).get());
    REQUIRE(isa<T>(s->nodes().at(i).get()));
    return *cast<T>(s->nodes()[i].get());
}
const ir::Edge &edgeAt(const ir::SDFG &g, std::size_t state, std::size_t i) {
    return *cast<ir::State>(g.blocks().at(state).get())->edges().at(i);
}

} // namespace

TEST_CASE("version 0.9") {
    Reading r = readGraph("v0_9.sdfg");
    INFO(r.messages());
    REQUIRE(r.graph);
    ir::SDFG &g = *r.graph;
    CHECK(g.argNames == std::vector<Name>{"A", "out"});
    CHECK(g.globalCode.at(0).code == ir::Code{"// old", ir::Language::CPP});
    CHECK(g.globalCode[0].target == Name("frame"));
    CHECK(g.arrays.find("tmp")->lifetime == ir::Lifetime::SDFG);
    CHECK(g.arrays.find("A")->lifetime == ir::Lifetime::Scope);
    CHECK(g.storedStart() == g.blocks()[0].get());

    const auto &m = nodeAt<ir::MapEntry>(g, 0, 1);
    CHECK(m.exit);
    CHECK(m.ranges.at(0).end == sym::approx(*sym::parse("N - 1").expr, sym::Expr::symbol("N")));
    CHECK(m.inConnector("IN_1"));
    CHECK(nodeAt<ir::Tasklet>(g, 0, 3).code.empty());
    CHECK(nodeAt<ir::LibraryNode>(g, 0, 6).className() == "Reduce");
    CHECK(nodeAt<ir::LibraryNode>(g, 0, 6).properties.find("wcr")->text() == "(lambda a, b: (a + b))");
    CHECK(nodeAt<ir::LibraryNode>(g, 0, 6).properties.find("identity")->text() == "0");

    CHECK(edgeAt(g, 0, 1).memlet.subset->isOneElement());
    CHECK(edgeAt(g, 0, 0).memlet.volume == sym::Expr::symbol("N"));
    CHECK(edgeAt(g, 0, 2).memlet.isEmpty());
    CHECK(edgeAt(g, 0, 5).memlet.dynamic);
    CHECK(edgeAt(g, 0, 7).memlet.wcrNonatomic);
    CHECK(r.messages() == "SD1033 nodes[0].edges[7].attributes.data.attributes.wcr_identity: `wcr_identity` 0 is not applied\n");

    // Symbols were neither declared nor mapped; the nested graph was a string.
    CHECK(*g.symbols.find("N") == Type(ScalarKind::Int32));
    CHECK_FALSE(g.symbols.contains("i"));
    const auto &nested = nodeAt<ir::NestedSDFGNode>(g, 1, 0);
    REQUIRE(nested.sdfg);
    CHECK(*nested.mapped("N") == sym::Expr::symbol("N"));
    CHECK(*nested.mapped("scale") == sym::Expr::symbol("scale"));
    CHECK(nested.symbolMapping.size() == 2);
    CHECK(nested.sdfg->symbols.contains("scale"));
}

TEST_CASE("version 0.9: what cannot be read is refused") {
    CHECK(read(changed("v0_9.sdfg", "nodes[0].edges[1].attributes.data.attributes.veclen", "4")).has(Id::UnsupportedFeature));
    Reading inner = read(changed("v0_9.sdfg", "nodes[1].nodes[0].attributes.sdfg", "\"{\\\"type\\\": 3}\""));
    CHECK_FALSE(inner.graph);
    CHECK(inner.messages().find("nodes[1].nodes[0].attributes.sdfg.type: ") != std::string::npos);
}

TEST_CASE("version 0.16: break and continue states, old names of containers") {
    Reading r = readGraph("v0_16.sdfg");
    INFO(r.messages());
    REQUIRE(r.graph);
    CHECK(r.messages().empty());
    CHECK(r.graph->arrays.find("V")->isView());
    CHECK(r.graph->arrays.find("R")->isReference());
    CHECK(r.graph->arrays.find("P")->isContainerArray());
    CHECK(r.graph->arrays.find("V")->className.empty());
    const auto &loop = *cast<ir::LoopRegion>(r.graph->blocks()[0].get());
    REQUIRE(loop.blocks().size() == 5);
    CHECK(isa<ir::BreakBlock>(loop.blocks()[3].get()));
    CHECK(isa<ir::ContinueBlock>(loop.blocks()[4].get()));
    CHECK(loop.blocks()[1]->outEdges().at(0)->dst == loop.blocks()[3].get());
    CHECK(loop.blocks()[2]->outEdges().at(0)->dst == loop.blocks()[4].get());
    CHECK(read(changed("v0_16.sdfg", "nodes[0].attributes.break_states", "[7]")).has(Id::BadReference));
}

TEST_CASE("version 1.x: MPI containers, schedules, file names in debug info") {
    Reading r = readGraph("v1_0.sdfg");
    INFO(r.messages());
    REQUIRE(r.graph);
    CHECK(r.messages().empty());
    const ir::SDFG &g = *r.graph;
    CHECK(g.usesExplicitControlFlow);
    CHECK(g.arrays.find("grid")->kind == ir::DataKind::ProcessGrid);
    CHECK(g.arrays.find("grid")->lifetime == ir::Lifetime::Persistent);
    CHECK(g.arrays.find("sub")->dtype == Type(ScalarKind::Float32));
    CHECK(g.arrays.find("sub")->extra.find("pgrid")->text() == "grid");
    CHECK(g.arrays.find("move")->kind == ir::DataKind::RedistrArray);
    CHECK(nodeAt<ir::AccessNode>(g, 0, 0).debugInfo.file == Name("model.py"));
    CHECK(nodeAt<ir::MapEntry>(g, 0, 1).schedule == ir::Schedule::GPU_Device);
    CHECK(nodeAt<ir::MapEntry>(g, 0, 2).schedule == ir::Schedule::Sequential);
    CHECK(nodeAt<ir::MapEntry>(g, 0, 2).unroll);
    CHECK(nodeAt<ir::MapEntry>(g, 0, 1).exit == &nodeAt<ir::MapExit>(g, 0, 3));
    CHECK(nodeAt<ir::MapEntry>(g, 0, 2).exit == &nodeAt<ir::MapExit>(g, 0, 5));
    // Connectors named only by edges are added.
    CHECK(nodeAt<ir::MapEntry>(g, 0, 2).inConnector("IN_A"));
    CHECK(cast<ir::ConditionalBlock>(g.blocks()[1].get())->branches().size() == 1);
}

TEST_CASE("pipelines of FPGA programs are refused") {
    CHECK(read(changed("vadd.sdfg", "nodes[0].nodes[2].type", "\"PipelineEntry\"")).has(Id::UnsupportedFeature));
}
