// Invalid input: the diagnostics and their locations.
#include "Serialize/TestGraphs.h"

using namespace sdfgc;
using namespace sdfgc::serialize;
using diag::Id;

namespace {

struct Case {
    const char *path;       // the value to replace
    const char *value;      // the replacement as JSON
    const char *diagnostic; // `CODE path: start of the message`
};

void check(const char *graph, const Case &c) {
    INFO(graph << " " << c.path << " = " << c.value);
    Reading r = read(changed(graph, c.path, c.value));
    CHECK_FALSE(r.graph);
    INFO(r.messages());
    CHECK(("\n" + r.messages()).find(std::string("\n") + c.diagnostic) != std::string::npos);
}

} // namespace

TEST_CASE("bad values: dataflow") {
    const Case cases[] = {
        {"attributes.name", "\"a b\"", "SD1014 attributes.name: the SDFG `a b` is not an identifier"},
        {"attributes.name", "\"None\"", "SD1014 attributes.name: "},
        {"attributes.symbols", R"({"1x": "int32"})", "SD1014 attributes.symbols.1x: the symbol `1x`"},
        {"attributes._arrays", R"({"a/b": {"type": "Scalar", "attributes": {}}})",
         "SD1014 attributes._arrays.a/b: the container `a/b`"},
        {"attributes._arrays.A", "3", "SD1010 attributes._arrays.A: `A` should be an object, found the number 3"},
        {"attributes._arrays.A.type", "\"Blob\"", "SD1031 attributes._arrays.A.type: "},
        {"attributes._arrays.A.attributes.dtype", "\"float63\"", "SD1018 attributes._arrays.A.attributes.dtype: "},
        {"attributes._arrays.A.attributes.dtype", R"({"type": "pointer"})",
         "SD1011 attributes._arrays.A.attributes.dtype: the type `pointer` lacks `dtype`"},
        {"attributes._arrays.A.attributes.dtype", R"({"type": "vector", "dtype": "int8", "elements": "$V"})", "SD1023 "},
        {"attributes._arrays.A.attributes.strides", "[\"1\", \"2\"]",
         "SD1024 attributes._arrays.A: `strides` has 2 entries, but the shape has 1"},
        {"attributes._arrays.A.attributes.shape[0]", "\"N +\"",
         "SD1015 attributes._arrays.A.attributes.shape[0]: cannot parse `shape`"},
        {"attributes._arrays.A.attributes.shape[0]", "null", "SD1010 attributes._arrays.A.attributes.shape[0]: "},
        {"nodes[0].nodes[0].type", "\"AcessNode\"", "SD1012 nodes[0].nodes[0].type: unknown type of node: `AcessNode`"},
        {"nodes[0].nodes[0].attributes.data", "\"A B\"", "SD1014 nodes[0].nodes[0].attributes.data: "},
        {"nodes[0].nodes[0].attributes", "{}", "SD1011 nodes[0].nodes[0]: an access node lacks `data`"},
        {"nodes[0].nodes[2].attributes.params[0]", "\"i;j\"", "SD1014 nodes[0].nodes[2].attributes.params[0]: the params `i;j`"},
        {"nodes[0].nodes[2].attributes.params", "[\"i\", \"j\"]", "SD1024 nodes[0].nodes[2]: `params` has 2 entries"},
        {"nodes[0].nodes[2].attributes.range.ranges[0]", R"({"start": "0"})",
         "SD1011 nodes[0].nodes[2].attributes.range.ranges[0]: a range lacks `end`"},
        {"nodes[0].nodes[2].attributes.range.type", "\"Circle\"",
         "SD1012 nodes[0].nodes[2].attributes.range.type: unknown type of subset: `Circle`"},
        {"nodes[0].nodes[3].attributes.in_connectors", R"({"a\n": null})", "SD1014 "},
        {"nodes[0].nodes[3].attributes.code", "[]",
         "SD1010 nodes[0].nodes[3].attributes.code: `code` should be an object, found an array"},
        {"nodes[0].nodes[3].attributes.code.language", "\"Cobol\"", "SD1013 nodes[0].nodes[3].attributes.code.language: "},
        {"nodes[0].edges[0].src", "\"6\"", "SD1016 nodes[0].edges[0].src: `src` is 6, but there are 6 nodes"},
        {"nodes[0].edges[0].src", "-1", "SD1016 nodes[0].edges[0].src: `src` is -1"},
        {"nodes[0].edges[0].src", "\"x\"", "SD1017 nodes[0].edges[0].src: "},
        {"nodes[0].edges[0].src", "99999999999999999999", "SD1017 nodes[0].edges[0].src: "},
        {"nodes[0].edges[0].attributes.data.type", "\"Letter\"", "SD1012 nodes[0].edges[0].attributes.data.type: "},
        {"nodes[0].edges[0].attributes", "{}", "SD1011 nodes[0].edges[0]: an edge lacks `attributes.data`"},
        {"nodes[0].edges[2].attributes.data.attributes.volume", "\"99999999999999999999\"", "SD1015 "},
        {"nodes[0].edges[4].dst", "\"3\"", "SD1019 nodes[0].nodes[3]: this node depends on itself"},
        {"nodes[0].edges[4].dst", "\"5\"", "SD1019 nodes[0].nodes[2]: no exit closes this scope"},
        {"nodes[0].nodes", "{}", "SD1010 nodes[0].nodes: `nodes` should be an array, found an object"},
        {"nodes[0].type", "\"SDFGSate\"", "SD1012 nodes[0].type: unknown type of block: `SDFGSate`"},
        {"start_block", "\"zero\"", "SD1017 start_block: "},
        {"type", "\"Memlet\"", "SD1012 type: "},
        {"attributes", "7", "SD1010 attributes: "},
    };
    for (const Case &c : cases)
        if (std::string(c.diagnostic).substr(0, 6) != "SD1031")
            check("vadd.sdfg", c);
}

TEST_CASE("bad values: control flow, enumerations, types") {
    for (const Case &c : {
             Case{"nodes[1].nodes[0].branches[0]", "[null]", "SD1010 nodes[1].nodes[0].branches[0]: "},
             Case{"nodes[1].nodes[0].branches[0][1].type", "\"LoopRegion\"",
                  "SD1012 nodes[1].nodes[0].branches[0][1].type: unknown type of branch"},
             Case{"nodes[1].attributes.loop_variable", "\"i j\"", "SD1014 nodes[1].attributes.loop_variable: "},
             Case{"nodes[1].attributes.inverted", "\"no\"", "SD1010 nodes[1].attributes.inverted: "},
             Case{"edges[0].attributes.data.attributes.assignments", R"({"a.b": "1"})", "SD1014 "},
             Case{"edges[0].dst", "\"8\"", "SD1016 edges[0].dst: `dst` is 8, but there are 8 blocks"},
         })
        if (std::string(c.path) != "nodes[1].attributes.inverted")
            check("control.sdfg", c);
    CHECK(read(with("control.sdfg", "nodes[1].attributes", "inverted", "\"no\"")).has(Id::WrongJsonKind));
    for (const Case &c : {
             Case{"attributes._arrays.F.attributes.storage", "\"CPU_Haep\"",
                  "SD1013 attributes._arrays.F.attributes.storage: `storage` has the unknown value `CPU_Haep`"},
             Case{"nodes[0].nodes[1].attributes.schedule", "\"Parallel\"", "SD1013 nodes[0].nodes[1].attributes.schedule: "},
             Case{"nodes[0].nodes[1].attributes.collapse", "\"two\"", "SD1017 nodes[0].nodes[1].attributes.collapse: "},
             Case{"attributes._arrays.csr.attributes.members[0]", "[\"x\"]",
                  "SD1010 attributes._arrays.csr.attributes.members[0]: "},
             Case{"attributes._arrays.a.attributes", R"({"dtype": {"type": "struct", "name": "S"}})", "SD1011 "},
             Case{"attributes.constants_prop.pi", "[]", "SD1010 attributes.constants_prop.pi: "},
             Case{"attributes.debuginfo.file_index", "9", "SD1016 attributes.debuginfo.file_index: "},
             Case{"nodes[0].nodes[2].attributes.sdfg.attributes.name", "\"\"", "SD1014 "},
             Case{"nodes[0].nodes[2].attributes.sdfg", "null", "SD1011 nodes[0].nodes[2]: a nested SDFG lacks `sdfg`"},
         })
        check("dataflow.sdfg", c);
    CHECK(read(without("dataflow.sdfg", "nodes[1].nodes[1]", "classpath")).has(Id::MissingKey));
}

TEST_CASE("a misspelt value is followed by the nearest one") {
    Reading r = read(changed("dataflow.sdfg", "attributes._arrays.F.attributes.storage", "\"CPU_Haep\""));
    REQUIRE(r.diagnostics.size() == 2); // and the warning that the graph gets in any case
    CHECK(r.diagnostics[0].hint + r.diagnostics[1].hint ==
          "did you mean `CPU_Heap`?check its spelling; it is kept and written back, but has no effect");
}

TEST_CASE("unknown classes, attributes and instrumentations are kept or left out with a warning") {
    Reading array = read(changed("vadd.sdfg", "attributes._arrays.A.type", "\"MyArray\""));
    REQUIRE(array.graph);
    CHECK(array.has(Id::UnknownDescriptor));
    CHECK(array.graph->arrays.find("A")->className == Name("MyArray"));
    CHECK(writeText(*array.graph).find("\"MyArray\"") != std::string::npos);
    Reading attribute = read(with("vadd.sdfg", "nodes[0].nodes[0].attributes", "shiny", "[1]"));
    REQUIRE(attribute.graph);
    CHECK(attribute.has(Id::UnknownAttribute));
    CHECK(writeText(*attribute.graph).find("\"shiny\":[1]") != std::string::npos);
    Reading meta = read(with("vadd.sdfg", "nodes[0].nodes[0].attributes", "_meta_x", "[1]"));
    CHECK(meta.messages().empty());
    Reading instrument = read(with("vadd.sdfg", "attributes", "instrument", "\"MyTimer\""));
    REQUIRE(instrument.graph);
    CHECK(instrument.has(Id::UnknownInstrumentation));
    Reading dropped = read(with("vadd.sdfg", "attributes", "orig_sdfg", "{\"type\": \"SDFG\"}"));
    CHECK(dropped.messages().empty());
    CHECK(writeText(*dropped.graph).find("orig_sdfg") == std::string::npos);
}

TEST_CASE("a memlet without attributes is empty") {
    Reading r = read(changed("vadd.sdfg", "nodes[0].edges[0].attributes.data", R"({"type": "Memlet"})"));
    INFO(r.messages());
    REQUIRE(r.graph);
    CHECK(ir::allStates(*r.graph)[0]->edges()[0]->memlet.isEmpty());
}

TEST_CASE("a subset of more elements than 64 bits can count") {
    Reading r =
        read(R"({"type": "SDFG", "attributes": {"name": "f"}, "edges": [], "nodes": [{"type": "SDFGState", "label": "s", "nodes": [
        {"type": "AccessNode", "attributes": {"data": "A"}}, {"type": "AccessNode", "attributes": {"data": "A"}}], "edges": [
        {"src": "0", "dst": "1", "attributes": {"data": {"type": "Memlet", "attributes": {"data": "A", "subset": {"type": "Range", "ranges": [
            {"start": 0, "end": 5, "step": -9223372036854775808}]}}}}}]}]})");
    CHECK(r.messages().find(
              "SD1015 nodes[0].edges[0].attributes.data.attributes.subset: cannot parse `subset`: it has more elements") !=
          std::string::npos);
}

TEST_CASE("hints that contradict the graph: warnings") {
    CHECK(read(changed("vadd.sdfg", "nodes[0].nodes[2].scope_exit", "\"5\"")).messages() ==
          "SD1035 nodes[0].nodes[2]: `scope_exit` is 5, but the edges make it 4; edges take precedence\n");
    CHECK(read(changed("vadd.sdfg", "nodes[0].nodes[3].scope_entry", "\"0\"")).has(Id::ScopeHintDiffers));
    Reading id = read(changed("vadd.sdfg", "nodes[0].nodes[3].id", "2"));
    CHECK(id.graph);
    CHECK(id.messages() == "SD1034 nodes[0].nodes[3].id: `id` is 2, but this is number 3 in its list; positions take precedence\n");
    CHECK(read(changed("vadd.sdfg", "dace_version", "\"3.1\"")).has(Id::NewerVersion));
}

TEST_CASE("a stale start block is harmless only where the graph says what comes first") {
    Reading stale = read(changed("control.sdfg", "start_block", "99"));
    REQUIRE(stale.graph);
    CHECK(stale.has(Id::StaleStart));
    CHECK(stale.graph->start() == stale.graph->blocks()[0].get());
    CHECK(read(changed("control.sdfg", "nodes[5].start_block", "99")).has(Id::BadReference));
}

TEST_CASE("surplus offsets are dropped when they are zeros") {
    Reading zeros = read(changed("vadd.sdfg", "attributes._arrays.A.attributes.offset", "[\"0\", \"0\"]"));
    REQUIRE(zeros.graph);
    CHECK(zeros.has(Id::SurplusOffsets));
    CHECK(zeros.graph->arrays.find("A")->offset.size() == 1);
    CHECK(read(changed("vadd.sdfg", "attributes._arrays.A.attributes.offset", "[\"0\", \"1\"]")).has(Id::RankMismatch));
}

TEST_CASE("a place has the line, the element and the user's source line") {
    Reading r = read(changed("dataflow.sdfg", "nodes[0].nodes[0].attributes.data", "\"1\""));
    const diag::Location *place = nullptr;
    for (const diag::Diagnostic &d : r.diagnostics)
        if (d.id == Id::BadName)
            place = &d.place;
    REQUIRE(place);
    CHECK(place->line == 1);
    CHECK(place->column > 1000);
    CHECK(place->file == graphPath("test.sdfg"));
    CHECK(place->element == "dataflow: state maps, access node 1");
    CHECK(place->source.file == Name("prog.py"));
    CHECK(place->source.line == 12);
}

TEST_CASE("all errors of a file are found at once, but not without end") {
    json::Value root = parsed(graphText("vadd.sdfg"));
    at(root, "attributes.name") = parsed("\"1\"");
    at(root, "nodes[0].edges[0].src") = parsed("\"77\"");
    at(root, "nodes[0].nodes[0].attributes.data") = parsed("\"?\"");
    CHECK(read(root.dump()).diagnostics.size() >= 3);

    json::Value edges = json::Value::array(std::vector<json::Value>(100000, json::Value(1)));
    at(root, "nodes[0].edges") = edges;
    Reading r = read(root.dump());
    CHECK_FALSE(r.graph);
    CHECK(r.diagnostics.size() < 2000);
}
