// Conversions of values to a required type.
#include "Tasklet/Fixture.h"

#include "sdfgc/Tasklet/Conversions.h"

using namespace sdfgc;
using namespace sdfgc::py;

namespace {

ExprRef value(Type t) { return name("v", t); }

/// Is the value converted before the operator?
bool converts(Reduction r, Type element, Type from) {
    const ExprRef v = value(from), operand = operandOf(r, element, v);
    return operand != v;
}

const ScalarKind numbers[] = {ScalarKind::Bool,      ScalarKind::Int8,      ScalarKind::Int16,   ScalarKind::Int32,
                              ScalarKind::Int64,     ScalarKind::UInt8,     ScalarKind::UInt16,  ScalarKind::UInt32,
                              ScalarKind::UInt64,    ScalarKind::Float16,   ScalarKind::Float32, ScalarKind::Float64,
                              ScalarKind::Complex64, ScalarKind::Complex128};

} // namespace

TEST_CASE("a value of the element's type is combined as it is") {
    for (const ScalarKind k : numbers)
        for (const Reduction r : {Reduction::Sum, Reduction::Div, Reduction::Max, Reduction::LogicalOr, Reduction::Custom})
            CHECK_FALSE(converts(r, k, k));
}

TEST_CASE("a value that C++ would not convert first is converted") {
    for (const ScalarKind element : {ScalarKind::Int8, ScalarKind::Int32, ScalarKind::UInt64, ScalarKind::Float16}) {
        CHECK(converts(Reduction::Sum, element, ScalarKind::Float64));
        CHECK(operandOf(Reduction::Sum, element, value(ScalarKind::Float64))->type == Type(element));
    }
    CHECK(converts(Reduction::Sum, ScalarKind::Float32, ScalarKind::Float64));
    CHECK(converts(Reduction::Div, ScalarKind::Int32, ScalarKind::Int64));
    CHECK(converts(Reduction::LogicalAnd, ScalarKind::Int32, ScalarKind::Int64)); // 1 << 32 is true, and 0 as an int32
    CHECK(converts(Reduction::Sum, ScalarKind::Bool, ScalarKind::Int32));         // True + -1 is false
    CHECK(converts(Reduction::Div, ScalarKind::Int8, ScalarKind::Int32));         // promoted: -128 / 256
    CHECK(converts(Reduction::Custom, ScalarKind::Float64, ScalarKind::Int32));   // a function for any types
    CHECK(converts(Reduction::Sum, ScalarKind::Complex128, ScalarKind::Float64)); // an imaginary part of -0.0
    CHECK(converts(Reduction::Min, ScalarKind::Float64, ScalarKind::Complex128));
}

TEST_CASE("C++ converts a value to a wider element by itself") {
    for (const Reduction r : {Reduction::Sum, Reduction::Product, Reduction::Div, Reduction::LogicalOr}) {
        CHECK_FALSE(converts(r, ScalarKind::Float64, ScalarKind::Float32));
        CHECK_FALSE(converts(r, ScalarKind::Float32, ScalarKind::Int64)); // rounded as by a cast
        CHECK_FALSE(converts(r, ScalarKind::Int64, ScalarKind::Int32));
    }
    CHECK_FALSE(converts(Reduction::Min, ScalarKind::Int32, ScalarKind::Float64)); // a function for the element's type
}

TEST_CASE("sums, products and bits of integers have the same low bits whatever the width") {
    for (const Reduction r :
         {Reduction::Sum, Reduction::Sub, Reduction::Product, Reduction::BitAnd, Reduction::BitOr, Reduction::BitXor})
        for (const ScalarKind element : {ScalarKind::Int8, ScalarKind::UInt16, ScalarKind::Int32, ScalarKind::UInt64})
            for (const ScalarKind from : {ScalarKind::Bool, ScalarKind::Int8, ScalarKind::UInt32, ScalarKind::Int64})
                CHECK_FALSE(converts(r, element, from));
}

TEST_CASE("a literal takes the element's type") {
    const ExprRef half = operandOf(Reduction::Sum, ScalarKind::Float32, inType(ScalarKind::Float64, floatLit("0.5")));
    CHECK(half->kind == ExprKind::Float);
    CHECK(half->type == Type(ScalarKind::Float32));
}

TEST_CASE("a complex number becomes a real one by its real part") {
    const ExprRef part = inType(ScalarKind::Float64, value(ScalarKind::Complex128));
    REQUIRE(part->kind == ExprKind::Call);
    CHECK(part->args[0]->name == Name("real"));
    CHECK(asStored(ScalarKind::Complex64, value(ScalarKind::Complex128))->kind == ExprKind::Cast);
    CHECK(asStored(ScalarKind::Int32, value(ScalarKind::Float64))->kind == ExprKind::Name);
}
