#include "sdfgc/Diag/Diag.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

using namespace sdfgc;
using namespace sdfgc::diag;

namespace {

/// A user's program that exists as long as the test.
struct SourceFile {
    std::string path = (std::filesystem::temp_directory_path() / ("sdfgc-diag-" + std::to_string(getpid()) + ".py")).string();
    explicit SourceFile(const std::string &text) { std::ofstream(path) << text; }
    ~SourceFile() { std::filesystem::remove(path); }
};

std::string text(const Engine &engine, TextOptions options = {}) {
    std::ostringstream os;
    printText(os, engine.sorted(), options);
    return os.str();
}

} // namespace

TEST_CASE("text: one line, element, path, hint") {
    Engine engine;
    Location p;
    p.file = "prog.sdfg";
    p.line = 12;
    p.column = 5;
    p.path = "nodes[3].edges[0]";
    p.element = "f: state main, tasklet mul";
    engine.report(Id::InternalError, p, "lost");
    CHECK(text(engine) == "prog.sdfg:12:5: error: internal error: lost [SD9001]\n"
                          "  in f: state main, tasklet mul\n"
                          "  at nodes[3].edges[0]\n"
                          "  hint: this is a bug in sdfgc; please report it with the graph\n");
    CHECK(text(engine, {false, false}).find("hint") == std::string::npos);
}

TEST_CASE("text: the user's line with a caret and an underline") {
    SourceFile file("def f(A):\n\tB = A @ \xc3\xa4 + 1\n");
    Engine engine;
    Location p;
    p.file = "prog.sdfg";
    p.source = {file.path, 2, 5, 2, 11}; // `A @ ä`, the last one two bytes wide
    engine.report(Id::BuildFileError, p, "shapes differ");
    CHECK(text(engine) == "prog.sdfg: error: shapes differ [SD7008]\n"
                          "  from " +
                              file.path +
                              ":2:6\n"
                              "    2 | \tB = A @ \xc3\xa4 + 1\n"
                              "      | \t    ^~~~~\n");
}

TEST_CASE("text: without columns the caret stands under the first word; a line that is not there is left out") {
    SourceFile file("    x = 1\n");
    Engine engine;
    Location p;
    p.source = {file.path, 1, 0, 1, 0};
    engine.report(Id::BuildFileError, p, "m");
    CHECK(text(engine).find("    1 |     x = 1\n      |     ^\n") != std::string::npos);
    engine.clear();
    p.source.line = 7;
    engine.report(Id::BuildFileError, p, "m");
    CHECK(text(engine) == "sdfgc: error: m [SD7008]\n  from " + file.path + ":7\n");
    engine.clear();
    p.source = {"/dev/zero", 1, 0, 0, 0}; // never read
    engine.report(Id::BuildFileError, p, "m");
    CHECK(text(engine) == "sdfgc: error: m [SD7008]\n  from /dev/zero:1\n");
}

TEST_CASE("text: columns outside the line do no harm") {
    SourceFile file("x\n");
    Engine engine;
    Location p;
    p.source = {file.path, 1, 1000, 1, -5};
    engine.report(Id::BuildFileError, p, "m");
    CHECK(text(engine).find("^") == std::string::npos);
}

TEST_CASE("text: a place in a pipeline file shows that line") {
    SourceFile file("passes:\n  - simplfy\n");
    Engine engine;
    Location p;
    p.file = file.path;
    p.line = 2;
    p.column = 5;
    engine.report(Id::ToolchainKey, p, "simplfy", "did you mean `simplify`?");
    CHECK(text(engine).find("    2 |   - simplfy\n      |     ^\n  hint: did you mean `simplify`?\n") != std::string::npos);
}

TEST_CASE("text: notes, colour, and control characters that cannot reach the terminal") {
    Engine engine;
    Location p;
    p.element = "map \x1b[2J";
    Diagnostic &d = engine.report(Id::BuildFileError, p, "bad\nname");
    Location where;
    where.file = "other.sdfg";
    d.notes.push_back({where, "first defined here"});
    d.notes.push_back({{}, "and nowhere else"});
    CHECK(text(engine) == "sdfgc: error: bad\n    name [SD7008]\n"
                          "  in map \\x1b[2J\n"
                          "other.sdfg: note: first defined here\n"
                          "  note: and nowhere else\n");
    CHECK(text(engine, {true, true}).find("\x1b[1;31merror:\x1b[0m") != std::string::npos);
}

TEST_CASE("json: one object a line") {
    Engine engine;
    Location p;
    p.file = "a \"b\".sdfg";
    p.line = 3;
    p.path = "nodes[1]";
    p.source = {"t.py", 5, 0, 6, 7};
    engine.report(Id::InternalError, p, "x\ny").notes.push_back({{}, "n"});
    engine.report(Id::BuildFileError, {}, "second");
    std::ostringstream os;
    printJson(os, engine.all());
    std::istringstream lines(os.str());
    std::string first, second, third;
    REQUIRE(std::getline(lines, first));
    REQUIRE(std::getline(lines, second));
    CHECK_FALSE(std::getline(lines, third));
    const auto v = json::parse(first);
    REQUIRE(v);
    CHECK(v->get("code")->text() == "SD9001");
    CHECK(v->get("severity")->text() == "error");
    CHECK(v->get("message")->text() == "internal error: x\ny");
    CHECK(v->get("file")->text() == "a \"b\".sdfg");
    CHECK(v->get("line")->asInt() == 3);
    CHECK_FALSE(v->get("column"));
    CHECK(v->get("source")->get("column")->asInt() == 1);
    CHECK(v->get("source")->get("endColumn")->asInt() == 8);
    CHECK(v->get("notes")->items().at(0).get("message")->text() == "n");
    CHECK(json::parse(second)->get("message")->text() == "second");
}

TEST_CASE("sarif: rules are listed once, results point at them and at places") {
    Engine engine;
    Location p;
    p.file = "my graph.sdfg";
    p.line = 4;
    p.column = 2;
    p.element = "f: state s";
    p.source = {"/src/t.py", 5, 3, 5, 9};
    engine.report(Id::InternalError, p, "a");
    engine.report(Id::BuildFileError, {}, "b");
    engine.report(Id::InternalError, p, "c");
    std::ostringstream os;
    printSarif(os, engine.all());
    const auto log = json::parse(os.str());
    REQUIRE(log);
    CHECK(log->get("version")->text() == "2.1.0");
    const json::Value &run = log->get("runs")->items().at(0);
    const json::Value &rules = *run.get("tool")->get("driver")->get("rules");
    REQUIRE(rules.items().size() == 2);
    CHECK(rules.items()[1].get("id")->text() == "SD7008");
    const auto &results = run.get("results")->items();
    REQUIRE(results.size() == 3);
    CHECK(results[0].get("ruleIndex")->asInt() == 0);
    CHECK(results[1].get("ruleIndex")->asInt() == 1);
    CHECK(results[2].get("ruleIndex")->asInt() == 0);
    CHECK_FALSE(results[1].get("locations"));
    const json::Value &place = results[0].get("locations")->items().at(0);
    CHECK(place.get("physicalLocation")->get("artifactLocation")->get("uri")->text() == "my%20graph.sdfg");
    CHECK(place.get("physicalLocation")->get("region")->get("startColumn")->asInt() == 2);
    CHECK(place.get("logicalLocations")->items().at(0).get("fullyQualifiedName")->text() == "f: state s");
    const json::Value &source = *results[0].get("relatedLocations")->items().at(0).get("physicalLocation");
    CHECK(source.get("artifactLocation")->get("uri")->text() == "file:///src/t.py");
    CHECK(source.get("region")->get("endColumn")->asInt() == 10);
}
