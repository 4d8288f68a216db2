#include "sdfgc/Types/Layout.h"

#include <catch2/catch.hpp>

using namespace sdfgc;

TEST_CASE("layout: structures are laid out as in C") {
    const Type s = Type::structure(
        Name("s"), {{Name("i"), ScalarKind::Int32}, {Name("d"), ScalarKind::Float64}, {Name("b"), ScalarKind::Int8}});
    CHECK(sizeOf(s) == 24);
    CHECK(offsetOf(s, Name("d")) == 8);
    CHECK(offsetOf(s, Name("b")) == 16);
    CHECK(!offsetOf(s, Name("x")));
    CHECK(sizeOf(Type::vector(ScalarKind::Float32, 4)) == 16);
}

TEST_CASE("layout: a structure has the alignment of its widest field") {
    const Type inner = Type::structure(Name("inner"), {{Name("c"), ScalarKind::Complex128}, {Name("b"), ScalarKind::Int8}});
    CHECK(sizeOf(inner) == 24);
    const Type outer = Type::structure(Name("outer"), {{Name("b"), ScalarKind::Int8}, {Name("inner"), inner}});
    CHECK(offsetOf(outer, Name("inner")) == 8);
    CHECK(sizeOf(outer) == 32);
}
