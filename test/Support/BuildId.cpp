#include "sdfgc/Support/BuildId.h"

#include <catch2/catch.hpp>

TEST_CASE("the running code has an identity, the same each time") {
    CHECK(sdfgc::buildId().size() == 32);
    CHECK(sdfgc::buildId() == sdfgc::buildId());
}
