#include "sdfgc/Diag/Explain.h"

#include <catch2/catch.hpp>

#include <cctype>
#include <set>

using namespace sdfgc::diag;

namespace {
Location at(std::string file, int line, std::string path = "") {
    Location p;
    p.file = std::move(file);
    p.line = line;
    p.path = std::move(path);
    return p;
}
} // namespace

TEST_CASE("every kind has a code of its own and a message in the house style") {
    std::set<std::string_view> codes;
    for (const Info &kind : allKinds()) {
        CAPTURE(kind.name);
        CHECK(codes.insert(kind.code).second);
        CHECK(kind.code.size() == 6);
        CHECK(kind.code.substr(0, 2) == "SD");
        REQUIRE_FALSE(kind.message.empty());
        const bool isAcronym = kind.message.substr(0, 4) == "SDFG"; // the only word that keeps its capitals at the start
        CHECK((isAcronym || std::islower(static_cast<unsigned char>(kind.message[0])) || kind.message[0] == '{' ||
               kind.message[0] == '`'));
        CHECK(kind.message.back() != '.');
    }
    CHECK(info(Id::InternalError).code == "SD9001");
    CHECK(info(Id::InternalError).name == "InternalError");
}

TEST_CASE("long texts of hostile graphs are cut, between characters") {
    Engine engine;
    const std::string name = std::string(999, 'x') + "\xc3\xa9" + std::string(1000000, 'y');
    Location place = at("f.sdfg", 1, name);
    place.element = name;
    const Diagnostic &d = engine.report(Id::LibraryNotFound, place, name, "cblas.h", "p");
    const std::string cut = std::string(999, 'x') + "... (1001001 bytes)";
    CHECK(d.message == "the program needs " + cut + ", but cblas.h was not found");
    CHECK(d.place.element == cut);
    CHECK(d.place.path == cut);
    CHECK(engine.report(Id::CompilerOutput, {}, name).message.size() > name.size());
}

TEST_CASE("arguments replace their numbers in message and hint") {
    Engine engine;
    const Diagnostic &d = engine.report(Id::LibraryNotFound, {}, "OpenBLAS", "cblas.h", "libopenblas-dev");
    CHECK(d.message == "the program needs OpenBLAS, but cblas.h was not found");
    CHECK(d.hint == "install libopenblas-dev, or give its location with --toolchain FILE");
    CHECK(d.severity == Severity::Error);
    CHECK(engine.hasErrors());
}

TEST_CASE("braces in an argument stay, numbers and names are arguments as they are") {
    Engine engine;
    CHECK(engine.report(Id::CompilerUnusable, {}, "{1}", sdfgc::Name("{")).message ==
          "`{1}` is not a C++ compiler that sdfgc can use: {");
    CHECK(engine.report(Id::JsonTooDeep, {}, std::size_t{7}).message == "values are nested more than 7 levels deep");
}

TEST_CASE("the row of a kind says how many arguments it takes, and each of them is in its message or hint") {
    static_assert(argumentCount(Id::LibraryNotFound) == 3);
    static_assert(argumentCount(Id::OutOfMemory) == 0);
    for (const Info &kind : allKinds()) {
        CAPTURE(kind.name);
        const std::string texts = std::string(kind.message) + std::string(kind.hint);
        for (std::size_t i = 0; i < argumentCount(*findKind(kind.code)); ++i)
            CHECK(texts.find("{" + std::to_string(i)) != std::string::npos);
    }
}

TEST_CASE("a pattern shows dots for values, and single braces") {
    CHECK(pattern("`{0}` has {1:d} of {{x}}") == "`...` has ... of {x}");
    CHECK(pattern("") == "");
}

TEST_CASE("order is by file, position, path by number, element, code; duplicates merge") {
    Engine engine;
    engine.report(Id::InternalError, at("b.sdfg", 1), "1");
    engine.report(Id::InternalError, at("a.sdfg", 0, "nodes[10]"), "2");
    engine.report(Id::InternalError, at("a.sdfg", 0, "nodes[9].edges[1]"), "3");
    engine.report(Id::InternalError, at("a.sdfg", 0, "nodes[9]"), "4");
    engine.report(Id::BuildFileError, at("a.sdfg", 0, "nodes[9]"), "5");
    engine.report(Id::InternalError, at("a.sdfg", 3), "6");
    engine.report(Id::InternalError, at("a.sdfg", 0, "nodes[9]"), "4");
    std::string order;
    for (const Diagnostic &d : engine.sorted())
        order += d.message.substr(d.message.size() - 1);
    CHECK(order == "543261");
    CHECK(engine.errorCount() == 7);
}

TEST_CASE("numbers beyond 64 bits and leading zeros do not confuse the order") {
    Engine engine;
    engine.report(Id::InternalError, at("f", 0, "n[100000000000000000000000001]"), "big");
    engine.report(Id::InternalError, at("f", 0, "n[00000000000000000000000000000000002]"), "small");
    CHECK(engine.sorted()[0].message == "internal error: small");
}

TEST_CASE("beyond the limit errors are counted and not stored") {
    Engine engine;
    engine.limit = 2;
    for (int i = 0; i < 5; ++i)
        engine.report(Id::InternalError, {}, i).notes.push_back({{}, "a note"});
    CHECK(engine.all().size() == 2);
    CHECK(engine.errorCount() == 5);
    CHECK(engine.summary() == "5 errors (3 not shown)");
    engine.clear();
    CHECK_FALSE(engine.hasErrors());
    CHECK(engine.summary().empty());
}

TEST_CASE("the nearest known word") {
    const std::vector<std::string> known = {"simplify", "map-fusion", "expand", "cuda", "cpu"};
    CHECK(nearest("simplfy", known) == "simplify");      // one missing
    CHECK(nearest("smiplify", known) == "simplify");     // two swapped
    CHECK(nearest("Map-Fusion", known) == "map-fusion"); // case is ignored
    CHECK(nearest("cpuu", known) == "cpu");
    CHECK(nearest("rat", {"cat", "bat"}) == "bat"); // equally close: the order of the texts decides
    CHECK(nearest("vectorize", known).empty());
    CHECK(nearest("", known).empty());
    CHECK(nearest(std::string(100000, 'x'), known).empty());
}
