#include "sdfgc/IR/Identifier.h"
#include "sdfgc/IR/LabelName.h"

#include <catch2/catch.hpp>

using sdfgc::ir::identifierOf;
using sdfgc::ir::isIdentifier;

TEST_CASE("identifiers are Python's, without its constants") {
    for (const char *text : {"a", "_", "A_1", "__x", "true"})
        CHECK(isIdentifier(text));
    for (const char *text : {"", "1a", "a-b", "a b", "True", "False", "None", "a.b", "ä"})
        CHECK_FALSE(isIdentifier(text));
}

TEST_CASE("identifiers joined by dots") {
    for (const char *text : {"a", "a.b", "a.b_1.c"})
        CHECK(isIdentifier(text, true));
    for (const char *text : {"", ".", "a.", ".a", "a..b", "a.1"})
        CHECK_FALSE(isIdentifier(text, true));
}

TEST_CASE("labels as identifiers") {
    CHECK(identifierOf("loop_1", "x_") == "loop_1");
    CHECK(identifierOf("Named Region 13", "x_") == "Named_Region_13");
    CHECK(identifierOf("13: a.b", "x_") == "x_13__a_b");
    CHECK(identifierOf("True", "x_") == "x_True");
    CHECK(identifierOf("", "empty") == "empty");
    CHECK(identifierOf("\xc3\xa4\n", "x_") == "___");
}
