#include "sdfgc/Support/Diff.h"

#include <catch2/catch.hpp>

using sdfgc::unifiedDiff;

TEST_CASE("equal texts have no difference") {
    CHECK(unifiedDiff("a\nb\n", "a\nb\n", "x", "y").empty());
    CHECK(unifiedDiff("", "", "x", "y").empty());
}

TEST_CASE("one changed line with its surroundings") {
    CHECK(unifiedDiff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", "old", "new") ==
          "--- old\n+++ new\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
    CHECK(unifiedDiff("a\nb\nc\n", "a\nc\n", "old", "new", 0) == "--- old\n+++ new\n@@ -2 +1,0 @@\n-b\n");
    CHECK(unifiedDiff("", "a\nb\n", "old", "new") == "--- old\n+++ new\n@@ -0,0 +1,2 @@\n+a\n+b\n");
    CHECK(unifiedDiff("a\n", "", "old", "new") == "--- old\n+++ new\n@@ -1 +0,0 @@\n-a\n");
}

TEST_CASE("distant changes are separate hunks, near ones share one") {
    std::string before, far, near;
    for (int i = 0; i < 30; ++i) {
        std::string line = std::to_string(i) + "\n";
        before += line;
        far += i == 3 || i == 20 ? "x\n" : line;
        near += i == 3 || i == 10 ? "x\n" : line;
    }
    auto hunks = [](const std::string &diff) {
        std::size_t count = 0;
        for (std::size_t at = diff.find("\n@@ "); at != std::string::npos; at = diff.find("\n@@ ", at + 1))
            ++count;
        return count;
    };
    std::string apart = unifiedDiff(before, far, "a", "b"), together = unifiedDiff(before, near, "a", "b");
    CHECK(hunks(apart) == 2);
    CHECK(apart.find("@@ -1,7 +1,7 @@\n 0\n") != std::string::npos);
    CHECK(apart.find("@@ -18,7 +18,7 @@\n 17\n") != std::string::npos);
    CHECK(hunks(together) == 1);
    CHECK(together.find("@@ -1,14 +1,14 @@") != std::string::npos);
}

TEST_CASE("the edit script is a shortest one") {
    // The example of Myers' paper: five edits.
    std::string diff = unifiedDiff("a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n", "x", "y");
    int edits = -2; // the two header lines
    for (std::size_t at = 0; at != std::string::npos; at = diff.find('\n', at + 1)) {
        char c = diff[at == 0 ? 0 : at + 1];
        edits += c == '-' || c == '+';
    }
    CHECK(edits == 5);
}

TEST_CASE("texts without anything in common stay cheap") {
    std::string before, after;
    for (int i = 0; i < 20000; ++i) {
        before += "a" + std::to_string(i) + "\n";
        after += "b" + std::to_string(i) + "\n";
    }
    std::string diff = unifiedDiff(before, after, "x", "y");
    CHECK(diff.find("@@ -1,20000 +1,20000 @@\n-a0\n") != std::string::npos);
}
