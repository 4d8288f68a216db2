#include "sdfgc/Serialize/Serialize.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Gzip.h"

#include <catch2/catch.hpp>

using namespace sdfgc;

namespace {

serialize::ContentDigest digestOf(const std::string &text, const std::string &path = "f.sdfg") {
    const auto digest = serialize::contentDigest(text, path);
    REQUIRE(digest);
    return *digest;
}

const std::string kGraph =
    R"({"type":"SDFG","attributes":{"name":"f","_arrays":{"A":{"type":"Array","attributes":{"shape":["N"]}}}},)"
    R"("nodes":[{"type":"SDFGState","label":"s","attributes":{},"nodes":[]}]})";

/// The graph with some text replaced.
std::string with(const std::string &from, const std::string &to, std::string text = kGraph) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

} // namespace

TEST_CASE("content digest: what the reader drops does not count") {
    const auto usual = digestOf(kGraph);
    for (const std::string &same :
         {with("{\"type\":\"SDFG\"", "\n{ \"type\" : \"SDFG\""),
          with("\"label\":\"s\"", "\"label\":\"s\",\"collapsed\":true,\"scope_dict\":{}"),
          with("\"attributes\":{},", "\"attributes\":{\"guid\":\"1-2\",\"is_collapsed\":true},"),
          with("\"name\":\"f\"",
               "\"hash\":\"x\",\"orig_sdfg\":{\"a\":[]},\"transformation_hist\":[1],\"build_folder\":\"/x\",\"name\":\"f\"")}) {
        CHECK(digestOf(same).program == usual.program);
        CHECK(digestOf(same).withLines == usual.withLines);
    }
    CHECK(digestOf(*gzip::deflate(kGraph)).program == usual.program);
    const auto lines = digestOf(with("\"attributes\":{},", "\"attributes\":{\"debuginfo\":{\"start_line\":3}},"));
    const auto others = digestOf(with("\"attributes\":{},", "\"attributes\":{\"debuginfo\":{\"start_line\":4}},"));
    CHECK(lines.program == others.program);
    CHECK(lines.withLines != others.withLines);
    CHECK(digestOf(with("\"type\":\"SDFG\"", "\"type\":\"SDFG\",\"source_files\":[\"a.py\"]")).program == usual.program);
}

TEST_CASE("content digest: everything else counts, also names that are those of dropped attributes") {
    const auto usual = digestOf(kGraph).program;
    for (const std::string &other :
         {with("\"f\"", "\"g\""), with("[\"N\"]", "[\"N\",\"N\"]"), with("[\"N\"]", "[[\"N\"]]"), with("\"N\"", "1"),
          with("\"s\"", "\"t\""), with("\"attributes\":{},", "\"attributes\":{\"unknown\":1},"),
          with("\"attributes\":{},", "\"attributes\":{\"a\":{\"guid\":1}},")})
        CHECK(digestOf(other).program != usual);
    for (const std::string name :
         {"guid", "hash", "collapsed", "build_folder", "debuginfo", "source_files", "attributes", "type"}) {
        const std::string named = with("\"A\"", "\"" + name + "\"");
        CHECK(digestOf(named).program != usual);
        CHECK(digestOf(with("[\"N\"]", "[\"M\"]", named)).program != digestOf(named).program);
    }
}

TEST_CASE("content digest: external parts count, and what cannot be read has none") {
    const auto made = file::TemporaryFolder::create("sdfgc-digest");
    REQUIRE(made);
    const auto path = [&](const std::string &name) { return file::join(made->path(), name); };
    const std::string outer =
        with("\"nodes\":[]", "\"nodes\":[{\"type\":\"NestedSDFG\",\"attributes\":{\"ext_sdfg_path\":\"in.sdfg\"}}]");
    CHECK_FALSE(serialize::contentDigest(outer, path("out.sdfg")));
    REQUIRE(file::writeAtomic(path("in.sdfg"), kGraph));
    const auto first = digestOf(outer, path("out.sdfg"));
    CHECK(first.otherFiles == std::vector{path("in.sdfg")});
    REQUIRE(file::writeAtomic(path("in.sdfg"), with("\"f\"", "\"g\"")));
    CHECK(digestOf(outer, path("out.sdfg")).program != first.program);
    REQUIRE(file::writeAtomic(path("in.sdfg"), outer)); // refers to itself
    CHECK_FALSE(serialize::contentDigest(outer, path("out.sdfg")));
    CHECK_FALSE(serialize::contentDigest("{", "f.sdfg"));
    CHECK_FALSE(serialize::contentDigest("\x1f\x8b broken", "f.sdfg"));
    CHECK_FALSE(serialize::contentDigest("sdfg f { nested (ext_sdfg_path = \"in.sdfg\") }", "f.sdfgt"));
    CHECK(digestOf("sdfg f {}", "f.sdfgt").program != digestOf("sdfg g {}", "f.sdfgt").program);
}
