#include "sdfgc/Support/UnionFind.h"
#include "sdfgc/Support/Text.h"

#include <catch2/catch.hpp>

#include <vector>

using namespace sdfgc;

TEST_CASE("joined sets have one number that stands for them: that of the first") {
    UnionFind sets(4);
    CHECK(sets.add() == 4);
    sets.join(3, 1);
    sets.join(4, 0);
    CHECK(sets.find(1) == 3);
    CHECK(sets.find(0) == 4);
    CHECK(sets.find(2) == 2);
    sets.join(1, 0);
    CHECK(sets.find(4) == 3);
    CHECK(sets.find(0) == 3);
    sets.join(0, 3);
    CHECK(sets.find(3) == 3);
}

TEST_CASE("words: joined, quoted, trimmed, padded") {
    const std::vector<std::string> words{"a", "", "b"};
    CHECK(text::joined(words) == "a, , b");
    CHECK(text::joined(std::vector<std::string>{}).empty());
    CHECK(text::quotedList(words) == "`a`, ``, `b`");
    CHECK(text::quotedList(std::vector<std::string>{}).empty());
    CHECK(text::trimmed(" \ta b\t") == "a b");
    CHECK(text::trimmed("  ").empty());
    CHECK(text::padded("ab", 4) == "ab  ");
    CHECK(text::padded("abcde", 4) == "abcde");
}
