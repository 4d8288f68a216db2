// Targets for a certain processor.
#include "sdfgc/Platform/Machines.h"

#include <catch2/catch.hpp>

using namespace sdfgc;

TEST_CASE("targets for a certain processor have a machine, others have none") {
    const platform::Machine *sve = platform::machine("sve");
    REQUIRE(sve);
    CHECK(sve->architecture == "aarch64");
    CHECK(sve->compiler == "aarch64-linux-gnu-g++");
    CHECK(sve->march == "armv8.2-a+sve");
    CHECK_FALSE(platform::machine("cpu"));
    CHECK_FALSE(platform::machine("cuda"));
}
