#include "sdfgc/Support/OrderedMap.h"

#include <catch2/catch.hpp>

#include <string>

using sdfgc::OrderedMap;

TEST_CASE("an ordered map: in the order of insertion, found by key") {
    OrderedMap<std::string, int> m;
    m.set("b", 1);
    m["a"] = 2;
    m.set("b", 3);
    std::string order;
    for (const auto &[key, value] : m)
        order += key + std::to_string(value) + " ";
    CHECK(order == "b3 a2 ");
    CHECK(m.size() == 2);
    CHECK(m.contains("a"));
    CHECK(m.find("c") == nullptr);
    CHECK(m["c"] == 0);
    CHECK(m.erase("b"));
    CHECK_FALSE(m.erase("b"));
    REQUIRE(m.find("c"));
    CHECK(*m.find("a") == 2);
    CHECK(*m.find("c") == 0);
}

TEST_CASE("an ordered map: values stay where they are while others are added") {
    OrderedMap<int, std::string> m;
    const std::string &first = m.set(0, "first");
    for (int k = 1; k < 1000; ++k)
        m.set(k, "another");
    CHECK(&first == m.find(0));
    CHECK(first == "first");
}
