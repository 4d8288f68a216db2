#include "sdfgc/Support/JsonText.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace sdfgc;

namespace {

struct Failure {
    std::string error;
    std::size_t offset = 0;
};

Failure failure(std::string_view text, int maxDepth = 1000) {
    Failure f;
    REQUIRE_FALSE(json::parse(text, &f.error, &f.offset, maxDepth));
    REQUIRE_FALSE(f.error.empty());
    return f;
}

std::string roundTrip(std::string_view text) {
    auto v = json::parse(text);
    REQUIRE(v);
    return v->dump();
}

} // namespace

TEST_CASE("member order and number tokens survive", "[json]") {
    std::string text = R"({"z":1,"a":[1.50,-0,1e+05,123456789012345678901234567890],"m":{"q":null,"b":true},"e":{},"f":[]})";
    CHECK(roundTrip(text) == text);
}

TEST_CASE("python's tokens are read", "[json]") {
    auto v = json::parse(" [ NaN , Infinity,\n-Infinity ]\t");
    REQUIRE(v);
    CHECK(v->dump() == "[NaN,Infinity,-Infinity]");
    CHECK(std::isnan(*v->items()[0].asDouble()));
    CHECK(*v->items()[1].asDouble() == std::numeric_limits<double>::infinity());
    CHECK(*v->items()[2].asDouble() == -std::numeric_limits<double>::infinity());
}

TEST_CASE("numbers", "[json]") {
    CHECK(json::Value(0.1).text() == "0.1");
    CHECK(json::Value(3.0).text() == "3.0");
    CHECK(json::Value(1e300).text() == "1e+300");
    CHECK(json::Value(std::numeric_limits<double>::quiet_NaN()).text() == "NaN");
    CHECK(json::Value(-std::numeric_limits<double>::infinity()).text() == "-Infinity");
    CHECK(json::Value::number("9223372036854775807").asInt() == std::numeric_limits<int64_t>::max());
    CHECK(json::Value::number("-9223372036854775808").asInt() == std::numeric_limits<int64_t>::min());
    CHECK_FALSE(json::Value::number("9223372036854775808").asInt());
    CHECK(json::Value::number("1e3").asInt() == 1000);
    CHECK(json::Value::number("4.0").asInt() == 4);
    CHECK_FALSE(json::Value::number("4.5").asInt());
    CHECK(json::Value("12").asInt() == 12);
    CHECK_FALSE(json::Value("12 ").asInt());
    CHECK_FALSE(json::Value("").asInt());
    CHECK_FALSE(json::Value(true).asInt());
    CHECK(json::Value("2.5").asDouble() == 2.5);
    CHECK(std::isinf(*json::Value::number("1e999").asDouble()));
    CHECK_FALSE(json::Value("N").asDouble());
}

TEST_CASE("strings are escaped to ASCII and back", "[json]") {
    std::string odd = "a\"\\\n\t\b\f\r\x01\x7f\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80";
    std::string text = json::Value(odd).dump();
    CHECK(text == R"("a\"\\\n\t\b\f\r\u0001\u007f\u00e4\u20ac\ud83d\ude00")");
    CHECK(json::parse(text)->text() == odd);
    CHECK(json::parse("\"\xc3\xa4\"")->text() == "\xc3\xa4");
    CHECK(json::parse(R"("\/")")->text() == "/");
    // Half of a surrogate pair is not a character, even directly before another escape.
    CHECK(failure(R"("\ud800")").offset == 1);
    CHECK(failure(R"("\ud800\u0041")").offset == 1);
    // Text that is not UTF-8 (set by a program, never read) is still written as valid JSON.
    CHECK(json::Value("a\xff").dump() == R"("a\ufffd")");
}

TEST_CASE("indented output", "[json]") {
    json::Value v;
    v.set("a", 1);
    v.set("b", json::Value::array({json::Value("x"), json::Value::object()}));
    CHECK(v.dump(2) == "{\n  \"a\": 1,\n  \"b\": [\n    \"x\",\n    {}\n  ]\n}");
}

TEST_CASE("get, set and push", "[json]") {
    json::Value v;
    v.set("k", 1);
    v.set("l", 2);
    v.set("k", "three");
    CHECK(v.dump() == R"({"k":"three","l":2})");
    CHECK(v.get("l")->asInt() == 2);
    CHECK(v.get("absent") == nullptr);
    CHECK(json::Value(3).get("k") == nullptr);
    json::Value list;
    list.push(true);
    CHECK(list.dump() == "[true]");
    CHECK(list.items()[0].asBool());
    CHECK(json::Value("true").asBool(false) == false);
    CHECK(json::Value().asBool(true));
}

TEST_CASE("a repeated key is refused, in small objects and in large ones", "[json]") {
    CHECK(failure(R"({"a":1,"b":2,"a":3})").error == "the key `a` appears twice in one object");
    CHECK(failure(R"({"a":1,"b":2,"a":3})").offset == 13);
    std::string large = "{";
    for (int i = 0; i < 100; ++i)
        large += "\"k" + std::to_string(i) + "\": 0, ";
    CHECK(json::parse(large + "\"k\": 0}"));
    CHECK(failure(large + "\"k7\": 0}").error == "the key `k7` appears twice in one object");
}

TEST_CASE("a parsed text has its values in order, with their lines and columns", "[json]") {
    json::Text text("{\"a\": [1, \"x\\ny\"],\n \"b\": {}}");
    REQUIRE(!text.parse(10));
    const json::Ref list = text.root().find("a");
    REQUIRE(list.size() == 2);
    const json::Ref b = text.root().find("b");
    REQUIRE(b.isObject());
    CHECK(!text.root().find("c"));
    CHECK(list.value().dump() == R"([1,"x\ny"])");
    const json::Position at = text.position(text.node(b.index()).start);
    CHECK(at.line == 2); // the line end in the string is an escape
    CHECK(at.column == 7);
}

TEST_CASE("after an error the values up to there are whole", "[json]") {
    json::Text text("{\"a\": [1, {\"b\": }");
    const auto error = text.parse(10);
    REQUIRE(error);
    CHECK(error->reason == json::ParseError::Reason::Syntax);
    CHECK(text.root().value().dump() == R"({"a":[1,{"b":null}]})");
}

TEST_CASE("equality is by structure, order and token", "[json]") {
    CHECK(*json::parse(R"({"a":[1, 2]})") == *json::parse(R"({ "a" : [1,2] })"));
    CHECK_FALSE(*json::parse("1") == *json::parse("\"1\""));
    CHECK_FALSE(*json::parse("[]") == *json::parse("{}"));
}

TEST_CASE("syntax errors say where", "[json]") {
    CHECK(failure("").offset == 0);
    CHECK(failure("[1,]").offset == 3);
    CHECK(failure("[1 2]").offset == 3);
    CHECK(failure("{\"a\" 1}").offset == 5);
    CHECK(failure("{a:1}").offset == 1);
    CHECK(failure("1 2").offset == 2);
    CHECK(failure("01").offset == 1);
    CHECK(failure("1.").offset == 2);
    CHECK(failure("1e").offset == 2);
    CHECK(failure("\"abc").offset == 4);
    CHECK(failure("\"a\nb\"").offset == 2);
    CHECK(failure("\"\\x\"").offset == 1);
    CHECK(failure("\"\\u12g4\"").offset == 1);
    CHECK(failure("\"\xff\"").offset == 1);
    CHECK(failure("\"\xc0\x80\"").offset == 1); // overlong
    CHECK(failure("\"\xe2\x82\"").offset == 1); // cut off
    CHECK(failure("tru").offset == 3);
    CHECK(failure("-").offset == 1);
}

TEST_CASE("depth is limited", "[json]") {
    std::string deep(1000, '[');
    std::string closed = deep + std::string(1000, ']');
    CHECK(json::parse(closed));
    CHECK(failure("[" + closed + "]").error == "nested too deeply");
    CHECK(failure(std::string(1000000, '[')).error == "nested too deeply");
    CHECK(failure("[[1]]", 1).offset == 1);
    CHECK(json::parse("[[],[],[],{}]", nullptr, nullptr, 2));
}
