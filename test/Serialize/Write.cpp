// Writing, reading again, comparing.
#include "Serialize/TestGraphs.h"

#include "sdfgc/Support/Gzip.h"

#include <filesystem>

#include <unistd.h>

using namespace sdfgc;
using namespace sdfgc::serialize;

TEST_CASE("every graph comes back equal, and the second text is the first") {
    for (const std::string &name : allGraphs()) {
        INFO(name);
        Reading r = readGraph(name);
        REQUIRE(r.graph);
        for (int indent : {-1, 2}) {
            const std::string text = writeText(*r.graph, {indent, false});
            Reading again = read(text);
            INFO(again.messages());
            REQUIRE(again.graph);
            CHECK(difference(*r.graph, *again.graph).value_or("") == "");
            CHECK(writeText(*again.graph, {indent, false}) == text);
        }
    }
}

TEST_CASE("clones are equal to what they were made from") {
    for (const std::string &name : allGraphs()) {
        Reading r = readGraph(name);
        REQUIRE(r.graph);
        CHECK(difference(*r.graph, *ir::clone(*r.graph)).value_or("") == "");
    }
}

TEST_CASE("the text has the keys that DaCe 2.x asks for") {
    Reading r = readGraph("vadd.sdfg");
    json::Value root = parsed(writeText(*r.graph));
    CHECK(at(root, "type").text() == "SDFG");
    CHECK(at(root, "dace_version").text() == "2.0.0a6");
    CHECK(at(root, "attributes.name").text() == "vadd");
    CHECK(at(root, "attributes.symbols.N").text() == "int64");
    CHECK(at(root, "start_block").asInt() == 0);
    CHECK(at(root, "attributes._arrays.A.attributes.strides[0]").text() == "1");
    CHECK(at(root, "attributes._arrays.A.attributes.shape[0]").text() == "symbol($N, dtype=dace.int64)");
    CHECK(at(root, "nodes[0].label").text() == "main");
    json::Value &state = at(root, "nodes[0]");
    CHECK(at(state, "nodes[2].scope_exit").text() == "4");
    CHECK(at(state, "nodes[2].scope_entry").isNull());
    CHECK(at(state, "nodes[3].scope_entry").text() == "2");
    CHECK(at(state, "nodes[4].scope_entry").text() == "2");
    CHECK(at(state, "scope_dict").dump() == R"({"-1":[0,1,2,5],"2":[3,4]})");
    CHECK(at(state, "edges[0].type").text() == "MultiConnectorEdge");
    CHECK(at(state, "edges[0].src").text() == "0");
    CHECK(at(state, "edges[0].src_connector").isNull());
    CHECK(at(state, "edges[2].attributes.data.attributes.volume").text() == "1");
    // Defaults are omitted.
    CHECK_FALSE(at(state, "nodes[0].attributes").get("setzero"));
    CHECK_FALSE(at(state, "nodes[2].attributes").get("schedule"));
    CHECK_FALSE(at(state, "edges[0].attributes.data.attributes").get("wcr"));
}

TEST_CASE("files of debug info are listed once, in the order in which they come") {
    Reading r = readGraph("dataflow.sdfg");
    json::Value root = parsed(writeText(*r.graph));
    CHECK(at(root, "source_files").dump() == R"(["lib/helper.py","prog.py"])");
    CHECK(at(root, "attributes.debuginfo.file_index").text() == "1");
    CHECK(at(root, "attributes._arrays.F.attributes.debuginfo").dump() ==
          R"({"type":"DebugInfo","start_line":3,"start_column":2,"end_column":9,"file_index":0})");
}

TEST_CASE("struct types have the size that DaCe asks for") {
    Reading r = readGraph("dataflow.sdfg");
    json::Value root = parsed(writeText(*r.graph));
    CHECK(at(root, "attributes._arrays.csr.attributes.dtype.dtype.bytes").asInt() == 16);
    CHECK(at(root, "attributes._arrays.csr.attributes.dtype.dtype.length").dump() == R"([["indptr","nnz + 1"]])");
}

TEST_CASE("what only sdfgc knows survives: level, modes of conflict resolution") {
    Reading r = readGraph("dataflow.sdfg");
    r.graph->level = ir::Level::Scheduled;
    cast<ir::State>(r.graph->blocks()[0].get())->edges()[5]->memlet.wcrMode = ir::WcrMode::Atomic;
    const std::string text = writeText(*r.graph);
    CHECK(text.find("\"_meta_sdfgc_level\":\"scheduled\"") != std::string::npos);
    Reading again = read(text);
    REQUIRE(again.graph);
    CHECK(again.graph->level == ir::Level::Scheduled);
    CHECK(difference(*r.graph, *again.graph).value_or("") == "");
}

TEST_CASE("symbols that cancel out in the size of a transient are kept: DaCe counts them as used") {
    std::string file = graphText("vadd.sdfg");
    const std::string size = "\"total_size\":\"symbol($N, dtype=dace.int64)\"";
    const std::size_t at = file.find(size);
    REQUIRE(at != std::string::npos);
    const std::string written = "\"total_size\":\"$J*$K + $N*(1 + $I) - $K*$J - $I*$N\"";
    file.replace(at, size.size(), written + ",\"transient\":true"); // of A
    file.replace(file.find(size), size.size(), written);            // of B, an argument
    const Reading r = read(file);
    REQUIRE(r.graph);
    CHECK(r.graph->arrays.find("A")->totalSize == sym::Expr::symbol("N"));
    CHECK(r.graph->arrays.find("A")->cancelled == std::vector<Name>{"J", "K", "I"});
    CHECK(r.graph->arrays.find("B")->cancelled.empty());
    const Reading again = read(writeText(*r.graph));
    REQUIRE(again.graph);
    CHECK(again.graph->arrays.find("A")->cancelled == std::vector<Name>{"J", "K", "I"});
    CHECK(difference(*r.graph, *again.graph).value_or("") == "");
}

TEST_CASE("files: whole, compressed, and a failure is reported") {
    const std::string path =
        (std::filesystem::temp_directory_path() / ("sdfgc-write-" + std::to_string(getpid()) + ".sdfgz")).string();
    Reading r = readGraph("vadd.sdfg");
    diag::Engine d;
    WriteOptions o;
    o.compress = true;
    REQUIRE(writeFile(*r.graph, path, d, o));
    CHECK(gzip::isCompressed(*file::read(path)));
    auto again = readFile(path, d);
    REQUIRE(again);
    CHECK_FALSE(difference(*r.graph, *again));
    std::filesystem::remove(path);
    CHECK_FALSE(writeFile(*r.graph, "/nonexistent/folder/x.sdfg", d));
    CHECK(d.all().at(0).id == diag::Id::FileUnwritable);
}

TEST_CASE("difference: names the first place") {
    struct Case {
        const char *graph, *path, *value, *expected;
    };
    const Case cases[] = {
        {"vadd.sdfg", "attributes.name", "\"other\"", "name: \"vadd\" against \"other\""},
        {"vadd.sdfg", "attributes._arrays.B.attributes.dtype", "\"float32\"", "_arrays.B.dtype: \"float64\" against \"float32\""},
        {"vadd.sdfg", "attributes._arrays.B.type", "\"ArrayView\"", "_arrays.B.type: \"Array\" against \"ArrayView\""},
        {"vadd.sdfg", "nodes[0].nodes[3].attributes.code.string_data", "\"c = 0\"", "nodes[0].nodes[3].code: "},
        {"vadd.sdfg", "nodes[0].edges[2].attributes.data.attributes.volume", "\"2\"",
         "nodes[0].edges[2].volume: \"1\" against \"2\""},
        {"vadd.sdfg", "nodes[0].edges[5].dst_connector", "\"x\"", "nodes[0].nodes[5].in_connectors: {} against "},
        {"control.sdfg", "edges[5].attributes.data.attributes.condition.string_data", "\"1\"", "edges[5].condition: "},
        {"control.sdfg", "nodes[1].nodes[0].branches[0][0].string_data", "\"x\"", "nodes[1].nodes[0].branches[0].condition: "},
        {"control.sdfg", "nodes[7].type", "\"NamedRegion\"", "nodes[7].kind of block: "},
        {"dataflow.sdfg", "attributes.constants_prop.pi[1]", "3", "constants_prop.pi.value: 3.25 against 3"},
        {"dataflow.sdfg", "nodes[1].nodes[1].attributes.alpha", "3", "nodes[1].nodes[1].alpha: 2.5 against 3"},
        {"dataflow.sdfg", "attributes.vendor_note", "0", "vendor_note: "},
        {"dataflow.sdfg", "attributes._arrays.csr.attributes.members[1][1].attributes.dtype", "\"bool\"",
         "_arrays.csr.members.nnz.dtype: "},
    };
    for (const Case &c : cases) {
        INFO(c.path);
        Reading a = readGraph(c.graph), b = read(changed(c.graph, c.path, c.value));
        INFO(b.messages());
        REQUIRE((a.graph && b.graph));
        const std::string found = difference(*a.graph, *b.graph).value_or("none");
        CHECK(found.substr(0, std::string(c.expected).size()) == c.expected);
    }
}
