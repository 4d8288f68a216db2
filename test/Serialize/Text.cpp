// The text of a file: JSON dialect, places, limits.
#include "Serialize/TestGraphs.h"

#include "Serialize/Document.h"

#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Gzip.h"

#include <filesystem>
#include <fstream>

#include <unistd.h>

using namespace sdfgc;
using namespace sdfgc::serialize;
using diag::Id;

namespace {

/// Parses and returns `line:column path: message` of the first diagnostic, or nothing.
std::string parseError(std::string text, int depth = 100) {
    diag::Engine d;
    Limits limits;
    limits.depth = depth;
    Document doc(std::move(text), "t");
    const bool good = doc.parse(d, limits);
    CHECK(good == d.all().empty());
    if (d.all().empty())
        return "";
    const diag::Diagnostic &first = d.all()[0];
    return std::to_string(first.place.line) + ":" + std::to_string(first.place.column) + " " + first.place.path + ": " +
           first.message;
}

/// `line:column path` of the value with this text.
std::string placeOf(const std::string &json, std::string_view text) {
    diag::Engine d;
    Document doc(json, "t");
    REQUIRE(doc.parse(d, {}));
    for (uint32_t i = 0; i < doc.nodeCount(); ++i)
        if (Json v(doc, i); v.text() == text) {
            diag::Location p = doc.place(v);
            return std::to_string(p.line) + ":" + std::to_string(p.column) + " " + p.path;
        }
    return "not found";
}

std::string numberText(const std::string &token) {
    diag::Engine d;
    Document doc("[" + token + "]", "t");
    if (!doc.parse(d, {}))
        return "error";
    return std::string((*doc.root().items().begin()).text());
}

} // namespace

TEST_CASE("document: values, order, sizes") {
    diag::Engine d;
    Document doc(R"({"a": [1, "two", null, true, false], "b": {"c": {}}})", "t");
    REQUIRE(doc.parse(d, {}));
    Json a = doc.root().find("a");
    REQUIRE(a.isArray());
    CHECK(a.size() == 5);
    std::string kinds;
    for (Json v : a.items())
        kinds += std::string(describe(v.kind())) + ";";
    CHECK(kinds == "a number;a string;null;true;false;");
    CHECK(doc.root().find("b").find("c").size() == 0);
    CHECK_FALSE(doc.root().find("c"));
    CHECK_FALSE(a.find("a"));
}

TEST_CASE("document: numbers keep their text") {
    for (const char *token : {"0", "-3", "1e-05", "123456789012345678901234567890", "NaN", "Infinity", "-Infinity", "2.50"})
        CHECK(numberText(token) == token);
    CHECK(numberText("01") == "error");
    CHECK(numberText("+1") == "error");
}

TEST_CASE("document: lines and columns are those of the file, whatever escapes the strings hold") {
    const std::string text =
        "{\n  \"code\": \"a\\nb\\n\\u0041\",\n  \"next\": {\"x\\n\": \"here\"}, \"last\": [\"one\",\n\"two\"]\n}";
    CHECK(placeOf(text, "a\nb\nA") == "2:11 code");
    CHECK(placeOf(text, "here") == "3:19 next.x\n");
    CHECK(placeOf(text, "one") == "3:37 last[0]");
    CHECK(placeOf(text, "two") == "4:1 last[1]");
}

TEST_CASE("document: errors say where and in which value") {
    CHECK(parseError("{\"a\": [1, 2, }") == "1:14 a[1]: not JSON: invalid value");
    CHECK(parseError("{\"a\": \"x\\n\\n") == "1:13 a: not JSON: missing a closing quotation mark in string; the file ends here");
    CHECK(parseError("{\n\"a\": 1\n\"b\": 2}").substr(0, 3) == "3:1");
    CHECK(parseError("{} x").substr(0, 4) == "1:4 ");
    CHECK(parseError("{\"a\": {\"b\": 1, \"c\": 2,\n \"b\": 3}}") == "2:2 a.b: the key `b` appears twice in one object");
    CHECK(parseError("") != "");
    CHECK(parseError(std::string("{}\0 ", 4)).substr(0, 4) == "1:3 ");
    CHECK(parseError("{\"s\": \"\\ud800\"}").find("surrogate") != std::string::npos);
    CHECK(parseError("\xEF\xBB\xBF{}").empty());
}

TEST_CASE("document: duplicate keys in large objects") {
    std::string text = "{";
    for (int i = 0; i < 100; ++i)
        text += "\"k" + std::to_string(i) + "\": 0, ";
    CHECK(parseError(text + "\"z\": 1}").empty());
    CHECK(parseError(text + "\"k50\": 1}").find("`k50` appears twice") != std::string::npos);
}

TEST_CASE("document: only UTF-8") {
    CHECK(parseError("{\"a\": \"\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80\"}").empty());
    for (const char *bad : {"\xFF", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xC3", "\xE2\x82"})
        CHECK(parseError("{\n\"abcdefgh\": \"" + std::string(bad) + "\"}").substr(0, 5) == "2:14 ");
}

TEST_CASE("document: nesting is limited") {
    CHECK(parseError("[[[]]]", 3).empty());
    CHECK(parseError("[[[[]]]]", 3) == "1:4 [0][0]: values are nested more than 3 levels deep");
    CHECK(parseError(std::string(1000000, '['), 2000).find("nested more than 2000") != std::string::npos);
    std::string objects;
    for (int i = 0; i < 100000; ++i)
        objects += "{\"a\":";
    CHECK(parseError(objects, 50).find("nested more than 50") != std::string::npos);
    CHECK(parseError("{\"a\": {\"b\": {}}}", 2) == "1:13 a.b: values are nested more than 2 levels deep");
    CHECK(parseError("{\"a\": {\"b\": }}").substr(0, 9) == "1:13 a.b:");
}

TEST_CASE("files: plain, compressed, missing, not a graph") {
    CHECK(readGraph("vadd.sdfgz").graph);
    Reading missing = readGraph("none.sdfg");
    CHECK_FALSE(missing.graph);
    CHECK(missing.has(Id::FileUnreadable));
    CHECK(read("\x80\x04\x95").messages().find("Python pickles") != std::string::npos);
    CHECK(read("").messages().find("it is empty") != std::string::npos);
    CHECK(read("  [1]").messages().find("starts with `[`") != std::string::npos);
    CHECK(read("{}").messages() == "SD1011 : the file lacks `type`\n");
}

TEST_CASE("files: hints say how to get a graph") {
    auto hint = [](const std::string &name, const std::string &text) {
        diag::Engine d;
        CHECK_FALSE(readText(text, name, d));
        REQUIRE(d.all().size() == 1);
        return d.all()[0].hint;
    };
    const std::string whole = hint("notes.txt", "hello");
    CHECK(whole.find("\n  prog.to_sdfg().save('prog.sdfg')\n") != std::string::npos);
    CHECK(hint("program.py", "import numpy\n") == whole);
    CHECK(hint("a/heat.py",
               "import dace\n@dace.program(auto_optimize=True)\n# twice\n@other\ndef heat(u):\n  pass\n@dc.program\r\ndef "
               "wave (u):\n  pass\ndef plain():\n  pass\n@program.other\ndef none():\n  pass\n") ==
          "sdfgc compiles the graph of a program. Add to heat.py, outside of functions:\n  heat.to_sdfg().save('heat.sdfg')\n"
          "  wave.to_sdfg().save('wave.sdfg')\nRun it with python3, then `sdfgc build heat.sdfg`.");
    CHECK(hint("heat.py", "@dace.program\ndef heat(u):\n  pass\nheat.to_sdfg().save('x.sdfg')\n")
              .starts_with("sdfgc compiles the graph that heat.py saves"));
    CHECK(hint("-", "").find("pickles") != std::string::npos);
    CHECK(hint("old.sdfg", "\x80\x04\x95").find("pickles") != std::string::npos);
}

TEST_CASE("files: hints for paths that cannot be read") {
    Result<file::TemporaryFolder> folder = file::TemporaryFolder::create();
    REQUIRE(folder);
    auto hint = [&](const std::string &name) {
        diag::Engine d;
        CHECK_FALSE(readFile(file::join(folder->path(), name), d));
        REQUIRE(d.all().size() == 1);
        CHECK(d.all()[0].id == Id::FileUnreadable);
        return d.all()[0].hint;
    };
    CHECK(hint("none").empty());
    REQUIRE(file::writeAtomic(file::join(folder->path(), "prog.sdfgz"), "x"));
    CHECK(hint("prog") == "did you mean `" + folder->path() + "/prog.sdfgz`?");
    REQUIRE(file::makeFolder(file::join(folder->path(), "prog.build")));
    CHECK(hint("prog.build").find("`sdfgc explain SD1002` shows how") != std::string::npos);
    REQUIRE(file::writeAtomic(file::join(folder->path(), "prog.build/program.sdfg"), "x"));
    CHECK(hint("prog.build") == "this is a build folder; its graph is `" + folder->path() + "/prog.build/program.sdfg`");
}

TEST_CASE("files: compressed data is checked and limited") {
    std::string packed = *gzip::deflate(graphText("vadd.sdfg"));
    CHECK(read(packed).graph);
    CHECK(read(packed.substr(0, packed.size() / 2)).has(Id::FileUnreadable));
    std::string broken = packed;
    broken[broken.size() / 2] = static_cast<char>(~broken[broken.size() / 2]);
    CHECK_FALSE(read(broken).graph);
    Limits small;
    small.inflatedBytes = 1000;
    CHECK(read(packed, small).messages().find("more than 1000 bytes") != std::string::npos);
    diag::Engine d;
    small = Limits();
    small.fileBytes = 100;
    CHECK_FALSE(readFile(graphPath("vadd.sdfg"), d, small));
    CHECK(d.hasErrors());
}

TEST_CASE("external graphs: loops of files, missing and broken ones") {
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / ("sdfgc-serialize-" + std::to_string(getpid()));
    fs::create_directory(folder);
    auto put = [&](const std::string &name, const std::string &content) { std::ofstream(folder / name) << content; };
    auto load = [&](const std::string &name) {
        diag::Engine d;
        auto g = readFile((folder / name).string(), d);
        return readingOf(std::move(g), d);
    };
    const std::string path = "nodes[0].nodes[2].attributes.ext_sdfg_path";
    put("self.sdfg", changed("external.sdfg", path, "\"self.sdfg\""));
    put("a.sdfg", changed("external.sdfg", path, "\"b.sdfg\""));
    put("b.sdfg", changed("external.sdfg", path, "\"./a.sdfg\""));
    put("lost.sdfg", changed("external.sdfg", path, "\"nowhere.sdfg\""));
    put("bad.sdfg", changed("external.sdfg", path, "\"text.sdfg\""));
    put("text.sdfg", "{");
    put("good.sdfg", changed("external.sdfg", path, "\"sub.sdfgz\""));
    put("sub.sdfgz", *gzip::deflate(graphText("vadd.sdfg")));
    for (int i = 0; i < 40; ++i)
        put("c" + std::to_string(i) + ".sdfg", changed("external.sdfg", path, "\"c" + std::to_string(i + 1) + ".sdfg\""));
    CHECK(load("c0.sdfg").has(Id::TooManyNestedGraphs));
    put("two.sdfg", changed("external.sdfg", path, "\"one.sdfg\""));
    put("one.sdfg", graphText("vadd.sdfg"));
    CHECK(load("two.sdfg").graph);
    diag::Engine tight;
    Limits small;
    small.inflatedBytes = 1000; // for all external files together
    CHECK(readingOf(readFile((folder / "two.sdfg").string(), tight, small), tight).has(Id::ExternalTooLarge));
    CHECK(load("self.sdfg").has(Id::ExternalCycle));
    CHECK(load("a.sdfg").has(Id::ExternalCycle));
    CHECK(load("lost.sdfg").has(Id::FileUnreadable));
    CHECK(load("bad.sdfg").has(Id::JsonSyntax));
    CHECK(load("bad.sdfg").has(Id::ExternalBroken));
    Reading good = load("good.sdfg");
    REQUIRE(good.graph);
    CHECK(good.messages().empty());
    fs::remove_all(folder);
}

TEST_CASE("external graphs: files that name the next one twice are refused before all is read") {
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / ("sdfgc-twice-" + std::to_string(getpid()));
    fs::create_directory(folder);
    const int last = 30; // 2^30 graphs in total
    for (int i = 0; i <= last; ++i) {
        const std::string next = " (ext_sdfg_path = \"" + std::to_string(i + 1) + ".sdfgt\")\n";
        std::ofstream(folder / (std::to_string(i) + ".sdfgt"))
            << "sdfg f {\n  state s {\n    " << (i < last ? "nested a" + next + "    nested b" + next : "") << "  }\n}\n";
    }
    diag::Engine d;
    Limits small;
    small.inflatedBytes = 20000;
    const Reading r = readingOf(readFile((folder / "0.sdfgt").string(), d, small), d);
    CHECK(r.has(Id::ExternalTooLarge));
    CHECK_FALSE(r.graph);
    fs::remove_all(folder);
}
