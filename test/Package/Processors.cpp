// The names that --cpu accepts, and what they stand for.
#include "sdfgc/Package/Processors.h"

#include <catch2/catch.hpp>

using namespace sdfgc::package;
using Words = std::vector<std::string>;

TEST_CASE("processors: `portable` stands for the levels of an architecture, other names for themselves") {
    CHECK(levelsOf({"portable"}, "x86_64") == Words{"x86-64-v2", "x86-64-v3", "x86-64-v4"});
    CHECK(levelsOf({"portable"}, "aarch64") == Words{"armv8-a", "armv8.2-a+sve"});
    CHECK(levelsOf({"portable"}, "ppc64le").empty());
    CHECK(levelsOf({"native"}, "x86_64") == Words{"native"});
    CHECK(levelsOf({"x86-64-v2", "znver4"}, "x86_64") == Words{"x86-64-v2", "znver4"});
}

TEST_CASE("processors: architectures are the first part of a compiler's name for its target") {
    CHECK(architectureOf("x86_64-pc-linux-gnu") == "x86_64");
    CHECK(architectureOf("arm64-linux") == "aarch64");
    CHECK(architectureOf("amd64") == "x86_64");
    CHECK(architectureOf("").empty());
    CHECK(baseline("x86_64") == "x86-64");
    CHECK(baseline("aarch64") == "armv8-a");
    CHECK(baseline("riscv64").empty());
}

TEST_CASE("processors: lists that cannot be built are refused") {
    CHECK(faultOf({"native"}).empty());
    CHECK(faultOf({"portable"}).empty());
    CHECK(faultOf({"x86-64-v2", "native"}).empty());
    CHECK(faultOf({"armv8.2-a+sve"}).empty());
    CHECK(faultOf({}) == "it names no processor");
    CHECK(faultOf({""}) == "`` is not a name of a processor");
    CHECK(faultOf({"portable", "native"}) == "`portable` stands for several levels and cannot be part of a list");
    CHECK(faultOf({"znver4", "znver4"}) == "`znver4` is given twice");
    CHECK(faultOf({"a-b", "a.b"}) == "`a.b` is given twice"); // one name in code
    CHECK(faultOf({"x86-64 -DX"}) == "`x86-64 -DX` is not a name of a processor");
    CHECK(faultOf({"-v2"}) == "`-v2` is not a name of a processor");
    CHECK(faultOf(Words{"a", "b", "c", "d", "e", "f", "g", "h", "i"}) == "a library holds at most 8 levels");
}

TEST_CASE("processors: the dispatcher gets no flag that chooses instructions") {
    CHECK(levelName("x86-64-v3") == "x86_64_v3");
    CHECK(levelName("armv8.2-a+sve") == "armv8_2_a_sve");
    for (const char *flag : {"-march=znver4", "-mavx2", "-mtune=native", "-mcpu=a64fx", "-msve-vector-bits=512", "-mfma"})
        CHECK((!reachesDispatcher(flag) && choosesInstructions(flag)));
    for (const char *flag : {"-m64", "-mabi=ilp32", "-mcmodel=large", "-g", "-fsanitize=address", "--sysroot=/opt"})
        CHECK((reachesDispatcher(flag) && !choosesInstructions(flag)));
}
