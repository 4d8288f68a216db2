#include "sdfgc/IR/Code.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using ir::Code;
using ir::Language;

TEST_CASE("Python code has statements, and an expression if it is one", "[ir][code]") {
    const Code sum("a + b");
    REQUIRE(sum.block());
    REQUIRE(sum.expression());
    CHECK(py::print(*sum.expression()) == "a + b");

    const Code statements("x = a\ny = x + 1");
    REQUIRE(statements.block());
    CHECK(statements.block()->size() == 2);
    CHECK_FALSE(statements.expression());
    CHECK_FALSE(statements.asExpression().error.message.empty());
}

TEST_CASE("Calls of libraries are parsed, other languages are not", "[ir][code]") {
    CHECK(Code("_out = blas.dot(_x, _y)", Language::Library).block());
    for (const Language l : {Language::CPP, Language::MLIR, Language::SystemVerilog}) {
        const Code code("a = b", l);
        CHECK_FALSE(code.block());
        CHECK_FALSE(code.expression());
        CHECK_FALSE(code.asBlock().error.message.empty());
    }
}

TEST_CASE("Code without trees is one raw node of its text", "[ir][code]") {
    const Code cpp("a = b;", Language::CPP), wrong("a = = b");
    for (const Code &code : {cpp, wrong}) {
        const Code::Block block = code.blockOrRaw();
        REQUIRE(block.size() == 1);
        CHECK(block[0]->kind == py::StmtKind::Raw);
        CHECK(block[0]->text == code.text());
        CHECK(code.expressionOrRaw()->text == code.text());
    }
}

TEST_CASE("Trees are made once, and copies of code share them", "[ir][code]") {
    const Code code("x = a * 2");
    const Code::Block *block = code.block();
    CHECK(code.block() == block);
    const Code copy = code;
    CHECK(copy.block() == block);

    Code changed = code;
    changed = "x = a * 3";
    CHECK(changed.block() != block);
    CHECK(py::print(*code.block()) == "x = a * 2");
    CHECK(py::print(*changed.block()) == "x = a * 3");
}

TEST_CASE("Code that is made from trees has their text", "[ir][code]") {
    const py::ExprRef e = py::binary(py::Op::Add, py::name(Name("i")), py::intLit(1));
    CHECK(Code(*e) == Code("i + 1"));
    CHECK(Code({py::assign(py::name(Name("i")), e)}) == Code("i = i + 1"));
    CHECK_FALSE(Code("i + 1") == Code("i + 1", Language::CPP));
}
