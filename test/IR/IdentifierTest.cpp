#include "sdfgc/IR/Identifier.h"

#include <catch2/catch.hpp>

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
