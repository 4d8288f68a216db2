// Numbers and their texts.
#include "sdfgc/Support/FloatText.h"

#include <catch2/catch.hpp>

using namespace sdfgc;

TEST_CASE("numbers have a text that is recognisable as a float", "[float-text]") {
    CHECK(floatText(1) == "1.0");
    CHECK(floatText(0.1) == "0.1");
    CHECK(floatText(1e20) == "1e+20");
}

TEST_CASE("a text is a number only as a whole", "[float-text]") {
    CHECK(numberIn("0") == 0.0);
    CHECK(numberIn("-1.5e3") == -1500.0);
    CHECK(!numberIn(""));
    CHECK(!numberIn("1.0 + x"));
    CHECK(!numberIn("float64(0)"));
}
