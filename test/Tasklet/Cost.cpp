#include "sdfgc/Tasklet/Cost.h"

#include <catch2/catch.hpp>

using namespace sdfgc;

namespace {

int64_t cost(const char *code) { return py::operations(py::parseBlockOrRaw(code)).value_or(-1); }

} // namespace

TEST_CASE("operations of code") {
    CHECK(cost("y = x") == 0);
    CHECK(cost("y = -x * 2 + z") == 3);
    CHECK(cost("y += x / 4") == 9);
    CHECK(cost("y = x ** 2") == 1);
    CHECK(cost("y = x ** 2.5") == 32);
    CHECK(cost("y = math.exp(x) if x < 1 else abs(x)") == 35);
    CHECK(cost("y = dace.float32(x)") == 1);
    CHECK(cost("if x > 0:\n    y = x + 1\nelse:\n    y = x - 1") == 3);
}

TEST_CASE("operations in functions") {
    const auto inFunctions = [](const char *code) { return py::countOperations(py::parseBlockOrRaw(code))->inFunctions; };
    CHECK(inFunctions("y = x / 3 / z / (x + 1) / (z + 1) / (x + z)") == 0); // 43 operations
    CHECK(inFunctions("y = math.exp(x) + x ** 2.5 / x") == 64);
}

TEST_CASE("code of unknown cost") {
    CHECK(cost("while x > 0:\n    x = x - 1") == -1);
    CHECK(cost("y = f(x)") == -1);
    CHECK(cost("printf(x)") == -1);
    CHECK(cost("for (int i = 0; i < n; ++i) y += x;") == -1);
}
