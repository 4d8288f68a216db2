// MLIR as Python.
#include "sdfgc/Tasklet/Mlir.h"

#include <catch2/catch.hpp>

using namespace sdfgc;

namespace {

std::string pythonOf(const std::string &text, const std::vector<Name> &outputs = {Name("c")}) {
    const Result<mlir::Translation> t = mlir::translate(text, outputs);
    return t ? t->python : "refused: " + t.error();
}

/// The expression of an operation on two values of a type.
std::string binary(const std::string &operation, const std::string &type, const std::string &result = "") {
    const std::string of = result.empty() ? type : result;
    const std::string text = pythonOf("func.func @mlir_entry(%a: " + type + ", %b: " + type + ") -> " + of +
                                      " { %0 = " + operation + " %a, %b : " + type + " return %0 : " + of + " }");
    return text.starts_with("_0 = ") ? text.substr(5, text.find('\n') - 5) : text;
}

std::string unary(const std::string &operation, const std::string &from, const std::string &to) {
    const std::string types = from == to ? from : from + " to " + to;
    const std::string text = pythonOf("func.func @mlir_entry(%a: " + from + ") -> " + to + " { %0 = " + operation +
                                      " %a : " + types + " return %0 : " + to + " }");
    return text.starts_with("_0 = ") ? text.substr(5, text.find('\n') - 5) : text;
}

} // namespace

TEST_CASE("mlir: integers have MLIR's meaning") {
    CHECK(binary("arith.addi", "i32") == "a + b");
    CHECK(binary("std.addi", "i64") == "a + b");
    CHECK(binary("addi", "i8") == "dace.int8(a + b)");
    CHECK(binary("arith.divsi", "i32") == "(a - cpp_mod(a, b)) // b");
    CHECK(binary("arith.remsi", "i64") == "cpp_mod(a, b)");
    CHECK(binary("arith.divui", "i32") == "dace.int32(dace.uint32(a) // dace.uint32(b))");
    CHECK(binary("arith.shrui", "i64") == "dace.int64(dace.uint64(a) >> dace.uint64(b))");
    CHECK(binary("arith.andi", "i32") == "a & b");
    CHECK(binary("arith.andi", "i1") == "a and b");
    CHECK(binary("arith.cmpi ult,", "i32", "i1") == "dace.uint32(a) < dace.uint32(b)");
    CHECK(binary("cmpi \"sge\",", "i32", "i1") == "a >= b");
}

TEST_CASE("mlir: comparisons of real numbers know NaN") {
    CHECK(binary("arith.cmpf oeq,", "f64", "i1") == "a == b");
    CHECK(binary("arith.cmpf ugt,", "f64", "i1") == "not (a <= b)");
    CHECK(binary("arith.cmpf uno,", "f32", "i1") == "(a != a or b != b)");
    CHECK(binary("arith.maximumf", "f64") == "(a if a != a else max(a, b))");
}

TEST_CASE("mlir: conversions") {
    CHECK(unary("arith.sitofp", "i32", "f64") == "dace.float64(a)");
    CHECK(unary("arith.uitofp", "i32", "f64") == "dace.float64(dace.uint32(a))");
    CHECK(unary("arith.extui", "i8", "i32") == "dace.int32(dace.uint8(a))");
    CHECK(unary("arith.extui", "i1", "i32") == "dace.int32(1 if a else 0)");
    CHECK(unary("arith.extsi", "i1", "i32") == "dace.int32(-1 if a else 0)");
    CHECK(unary("arith.trunci", "i64", "i16") == "dace.int16(a)");
    CHECK(unary("math.sqrt", "f32", "f32") == "sqrt(a)");
    CHECK(unary("math.floor", "f64", "f64") == "dace.float64(floor(a))");
}

TEST_CASE("mlir: vectors are added and multiplied, and otherwise refused") {
    CHECK(binary("arith.addi", "vector<4xi32>") == "a + b");
    CHECK(binary("arith.divsi", "vector<4xi32>") == "refused: the operation `divsi` is not translated for vectors");
    const auto t =
        mlir::translate("func @mlir_entry(%a: vector<4xi32>) -> vector<4xi32> { return %a : vector<4xi32> }", {Name("c")});
    REQUIRE(t);
    CHECK(t->inputs.at(0).type == Type::vector(Type(ScalarKind::Int32), 4));
    CHECK(t->results.at(0) == Type::vector(Type(ScalarKind::Int32), 4));
}

TEST_CASE("mlir: several results are the outputs in their order") {
    CHECK(pythonOf("func.func @mlir_entry(%a: i32, %b: f64) -> (f64, i32) { return %b, %a : f64, i32 }", {Name("x"), Name("y")}) ==
          "x = b\ny = a");
}

TEST_CASE("mlir: text that is none, or ends too early, is refused") {
    for (const char *text : {"", "module {", "func.func @mlir_entry(", "func.func @mlir_entry(%a: i32) -> i32 {", "\"func\"() ({",
                             "func.func @mlir_entry(%a: i32) -> i32 { %0 = }", "func.func @mlir_entry(%a: vector<4>) {}",
                             "func.func @mlir_entry(%a: i32) -> i32 { %0:99999999999999999999 = scf.if %a { } }", "\"",
                             "func.func @mlir_entry(%a: i1) -> i32 { %r = scf.if %a -> (i32) { } return %r : i32 }"}) {
        INFO(text);
        CHECK(pythonOf(text).starts_with("refused: "));
    }
}
