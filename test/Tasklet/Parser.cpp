// Lexer, parser and Python printer.
#include "sdfgc/Tasklet/Ast.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::py;

namespace {

ExprRef expr(const std::string &text) {
    auto p = parseExpr(text);
    INFO(text << ": " << p.error.message);
    REQUIRE(p.value);
    return *p.value;
}

std::vector<StmtRef> block(const std::string &text) {
    auto p = parseBlock(text);
    INFO(text << ": " << p.error.message);
    REQUIRE(p.value);
    return *p.value;
}

// The canonical text; also checks that it parses to an equal tree.
std::string round(const std::string &text) {
    const ExprRef e = expr(text);
    const std::string printed = print(*e);
    CHECK(equal(*e, *expr(printed)));
    return printed;
}

std::string roundBlock(const std::string &text) {
    const auto b = block(text);
    const std::string printed = print(b);
    INFO(printed);
    CHECK(equal(b, block(printed)));
    return printed;
}

std::string exprError(const std::string &text) {
    auto p = parseExpr(text);
    INFO(text);
    REQUIRE(!p.value);
    CHECK(p.error.at.line > 0);
    return p.error.message;
}

std::string blockError(const std::string &text) {
    auto p = parseBlock(text);
    INFO(text);
    REQUIRE(!p.value);
    return p.error.message;
}

} // namespace

TEST_CASE("number literals are canonical", "[tasklet][lexer]") {
    CHECK(round("1_000_000") == "1000000");
    CHECK(round("0xFF") == "255");
    CHECK(round("0x_ff") == "255");
    CHECK(round("0o17") == "15");
    CHECK(round("0b1_01") == "5");
    CHECK(round("00") == "0");
    CHECK(round("0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF") == "340282366920938463463374607431768211455");
    CHECK(round("0x" + std::string(20, '0') + "1") == "1");
    CHECK(round("1.") == "1.0");
    CHECK(round(".5") == "0.5");
    CHECK(round("1e5") == "100000.0");
    CHECK(round("1E-5") == "1e-05");
    CHECK(round("1e16") == "1e+16");
    CHECK(round("123456789012345.0") == "123456789012345.0");
    CHECK(round("0.1000000000000000055") == "0.1");
    CHECK(round("1_0.2_5e0_1") == "102.5");
    CHECK(round("1e400") == "1e309");
    CHECK(round("0.0") == "0.0");
    CHECK(round("2j") == "2.0j");
    CHECK(round("010j") == "10.0j");
}

TEST_CASE("malformed numbers are errors", "[tasklet][lexer]") {
    for (const char *text : {"1_", "1__0", "0x", "0xg", "0b2", "12ab", "1.5x", "1e5_", "0x_"})
        CHECK(exprError(text) == "malformed number");
    CHECK(exprError("012") == "leading zeros in a decimal integer");
    CHECK(exprError(std::string(5000, '1')) == "integer literal has more than 4300 digits");
}

TEST_CASE("strings", "[tasklet][lexer]") {
    CHECK(expr("'a\\n\\x41\\'\\\\'")->text == "a\nA'\\");
    CHECK(expr("r'\\n'")->text == "\\n");
    CHECK(expr("u\"x\" 'y'")->text == "xy");
    CHECK(expr("'''a\nb\"'c'''")->text == "a\nb\"'c");
    CHECK(expr("'\\u00e9\\N'")->text == "\xC3\xA9\\N");
    CHECK(expr("'\\101'")->text == "A");
    CHECK(round("\"it's\"") == "'it\\'s'");
    CHECK(round("'\\x01\\t'") == "'\\x01\\t'");
    CHECK(exprError("f'{x}'") == "f-strings are not supported");
    CHECK(exprError("rb'x'") == "bytes literals are not supported");
    CHECK(exprError("'abc") == "unfinished string literal");
    CHECK(exprError("'\\xg0'") == "malformed escape in a string literal");
}

TEST_CASE("operators have Python's precedence and associativity", "[tasklet][parser]") {
    CHECK(round("a + b * c - d") == "a + b * c - d");
    CHECK(round("(a + b) * c") == "(a + b) * c");
    CHECK(round("a - (b - c)") == "a - (b - c)");
    CHECK(round("(a - b) - c") == "a - b - c");
    CHECK(round("a ** b ** c") == "a ** b ** c");
    CHECK(round("(a ** b) ** c") == "(a ** b) ** c");
    CHECK(round("-a ** 2") == "-a ** 2");
    CHECK(round("(-a) ** -b") == "(-a) ** -b");
    CHECK(round("a << b + c & d ^ e | f") == "a << b + c & d ^ e | f");
    CHECK(round("not a == b and c or d") == "not a == b and c or d");
    CHECK(round("(not a) == b") == "(not a) == b");
    CHECK(round("(a or b) and c") == "(a or b) and c");
    CHECK(round("a < b <= c != d is not e not in f") == "a < b <= c != d is not e not in f");
    CHECK(round("(a < b) < c") == "(a < b) < c");
    CHECK(round("x if c else y if d else z") == "x if c else y if d else z");
    CHECK(round("(x if c else y) if d else z") == "(x if c else y) if d else z");
    CHECK(round("lambda a, b: a if a > b else b") == "lambda a, b: a if a > b else b");
    CHECK(round("(lambda: 1)()") == "(lambda: 1)()");
    CHECK(round("a // b % c @ d / e") == "a // b % c @ d / e");
    CHECK(round("- - ~+a") == "--~+a");
    CHECK(round("(- 1)") == "-1");
    CHECK(expr("a < b < c")->ops == std::vector<Op>{Op::Lt, Op::Lt});
    CHECK(expr("a and b and c")->args.size() == 3);
}

TEST_CASE("postfix expressions and tuples", "[tasklet][parser]") {
    CHECK(round("a.b.c(x, y)[i, j].d") == "a.b.c(x, y)[i, j].d");
    CHECK(round("a[(i, j)]") == "a[i, j]");
    CHECK(round("a[i:j, ::2, :, 1:]") == "a[i:j, ::2, :, 1:]");
    CHECK(round("a[(i, j),]") == "a[(i, j),]");
    CHECK(round("S(a=1, b=x + 1)") == "S(a=1, b=x + 1)");
    CHECK(round("f(1, k=2,)") == "f(1, k=2)");
    CHECK(round("a, b") == "(a, b)");
    CHECK(round("(a,)") == "(a,)");
    CHECK(round("()") == "()");
    CHECK(round("(1).real") == "(1).real");
    CHECK(round("decltype(__out)(y)") == "decltype(__out)(y)");
    CHECK(round("None") == "None");
    CHECK(round("(True, False)") == "(True, False)");
    CHECK(round("a \\\n + b # comment\n") == "a + b");
}

TEST_CASE("unsupported expressions are named", "[tasklet][parser]") {
    CHECK(exprError("[1, 2]") == "list displays and list comprehensions are not supported");
    CHECK(exprError("{1: 2}") == "dictionaries, sets and their comprehensions are not supported");
    CHECK(exprError("sum(x for x in y)") == "generator expressions are not supported");
    CHECK(exprError("f(*a)") == "starred arguments are not supported");
    CHECK(exprError("(x := 1)") == "assignment expressions (`:=`) are not supported");
    CHECK(exprError("await f()") == "`await` is not supported");
    CHECK(exprError("(yield x)") == "`yield` is not supported");
    CHECK(exprError("lambda x=1: x") == "default values of lambda parameters are not supported");
    CHECK(exprError("lambda *x: x") == "lambda parameters other than plain names are not supported");
    CHECK(exprError("...") == "`...` is not supported");
}

TEST_CASE("syntax errors say what was expected and where", "[tasklet][parser]") {
    CHECK(exprError("a +") == "expected an expression, found the end");
    CHECK(exprError("(a") == "expected `)`, found the end");
    CHECK(exprError("a b") == "expected an operator or the end, found `b`");
    CHECK(exprError("i < N && j < M") == "expected an expression, found `&`");
    CHECK(exprError("x ? 1 : 0") == "unexpected character `?`");
    CHECK(exprError("f(a=1, 2)") == "positional argument after a keyword argument");
    CHECK(exprError("a[]") == "expected an expression, found `]`");
    CHECK(exprError("") == "expected an expression, found the end");
    const auto p = parseBlock("x = 1\nif x:\n    y = (1 +\n  )\n");
    REQUIRE(!p.value);
    CHECK(p.error.at.line == 4);
    CHECK(p.error.at.column == 3);
}

TEST_CASE("statements", "[tasklet][parser]") {
    CHECK(roundBlock("x = y = e") == "x = y = e");
    CHECK(roundBlock("x, y = f(a)") == "(x, y) = f(a)");
    CHECK(roundBlock("x: dace.float64\ny: T = 1") == "x: dace.float64\ny: T = 1");
    CHECK(roundBlock("a += 1; b //= 2; c **= 3; d <<= 1; e @= f;") == "a += 1\nb //= 2\nc **= 3\nd <<= 1\ne @= f");
    CHECK(roundBlock("a[i, j].f = 3") == "a[i, j].f = 3");
    CHECK(roundBlock("if c: x = 1; y = 2\nelse: pass") == "if c:\n    x = 1\n    y = 2\nelse:\n    pass");
    CHECK(roundBlock("if a:\n  x = 1\nelif b:\n  x = 2\nelse:\n  x = 3") ==
          "if a:\n    x = 1\nelif b:\n    x = 2\nelse:\n    x = 3");
    CHECK(roundBlock("while x < 3:\n\tx += 1\n\tif x: break\n\tcontinue") ==
          "while x < 3:\n    x += 1\n    if x:\n        break\n    continue");
    CHECK(roundBlock("for i in range(1, n, 2):\n  # comment\n\n  s += i\n") == "for i in range(1, n, 2):\n    s += i");
    CHECK(roundBlock("return\nreturn a\nassert a, 'm'\nf(x)") == "return\nreturn a\nassert a, 'm'\nf(x)");
    CHECK(roundBlock("  x = 1\n  y = 2\n") == "x = 1\ny = 2");
    CHECK(roundBlock("x = (1 +\n 2)\n\n\n") == "x = 1 + 2");
    CHECK(roundBlock("\r\nx = 1\r\nif x:\r\n  y = 2\r\n") == "x = 1\nif x:\n    y = 2");
    CHECK(block("").empty());
    CHECK(block("# nothing\n\n").empty());
    CHECK(block("if a:\n  if b:\n    x = 1\n    # deep\n# out\n  y = 2\nz = 3").size() == 2);
    CHECK(print(block("if a:\n    x = 1"), 1) == "    if a:\n        x = 1");
}

TEST_CASE("unsupported statements are named", "[tasklet][parser]") {
    CHECK(blockError("def f(x):\n  return x") == "nested functions (`def`) are not supported");
    CHECK(blockError("import math") == "`import` statements are not supported");
    CHECK(blockError("x = 1\ndel x") == "`del` statements are not supported");
    CHECK(blockError("with a: pass") == "`with` statements are not supported");
    CHECK(blockError("try:\n  x = 1\nexcept: pass") == "`try` statements are not supported");
    CHECK(blockError("global x") == "`global` statements are not supported");
    CHECK(blockError("class A: pass") == "`class` definitions are not supported");
    CHECK(blockError("raise E(x)") == "`raise` statements are not supported");
    CHECK(blockError("@f\ndef g(): pass") == "decorators are not supported");
    CHECK(blockError("while x:\n  pass\nelse:\n  pass") == "`else` of a `while` loop is not supported");
    CHECK(blockError("for i, j in x:\n  pass") == "the variable of a `for` loop must be one name");
    CHECK(blockError("if a: if b: x = 1") == "`if` cannot be on the same line as another statement");
    CHECK(blockError("1 = x") == "cannot assign to this expression");
    CHECK(blockError("f(x) += 1") == "cannot update this expression");
    CHECK(blockError("x = 1\n  y = 2") == "unexpected indentation");
    CHECK(blockError("if x:\n    y = 1\n  z = 2") == "indentation does not match any outer level");
    CHECK(blockError("if x:\ny = 1") == "expected an indented block, found `y`");
    CHECK(blockError("x = (1") == "`(` is never closed");
    CHECK(blockError("x = 1 y = 2") == "expected an operator or the end of the statement, found `y`");
}

TEST_CASE("hostile depth ends in an error, long chains parse", "[tasklet][parser]") {
    const auto repeat = [](const std::string &s, int n) {
        std::string out;
        for (int k = 0; k < n; ++k)
            out += s;
        return out;
    };
    CHECK(parseExpr(repeat("(", 190) + "x" + repeat(")", 190)).value);
    CHECK(exprError(repeat("(", 100000) + "x") == "expression is nested more than 200 levels deep");
    CHECK(exprError("x" + repeat(" ** x", 100000)) == "expression is nested more than 200 levels deep");
    CHECK(exprError(repeat("lambda: ", 100000) + "x") == "expression is nested more than 200 levels deep");
    CHECK(exprError(repeat("x if y else ", 100000) + "z") == "expression is nested more than 200 levels deep");
    CHECK(exprError(repeat("-", 100000) + "x") == "expression has a chain of more than 1000 operations");
    CHECK(exprError(repeat("not ", 100000) + "x") == "expression has a chain of more than 1000 operations");
    CHECK(exprError("x" + repeat(" + x", 100000)) == "expression has a chain of more than 1000 operations");
    CHECK(exprError("x" + repeat(".f", 100000)) == "expression has a chain of more than 1000 operations");
    CHECK(round("x" + repeat(" + x", 900)) == "x" + repeat(" + x", 900));
    CHECK(parseExpr("x" + repeat(" and x", 100000)).value); // n-ary, flat
    std::string nested, indent;
    for (int k = 0; k < 200; ++k, indent += " ")
        nested += indent + "if x:\n";
    CHECK(blockError(nested + indent + "y = 1") == "blocks are nested more than 100 levels deep");
    CHECK(blockError("if x: y = 1\n" + repeat("elif x: y = 1\n", 5000)) == "`elif` chain has more than 1000 links");
    CHECK(roundBlock("if x:\n    y = 1\n" + repeat("elif x:\n    y = 1\n", 900)).size() > 900);
}

TEST_CASE("text that is no Python is kept as C++ on request", "[tasklet][parser]") {
    CHECK(parseExprOrRaw("i < N && j < M")->kind == ExprKind::Raw);
    CHECK(print(*parseExprOrRaw("x ? 1 : 0")) == "x ? 1 : 0");
    CHECK(parseExprOrRaw("i + 1")->kind == ExprKind::Binary);
    const auto b = parseBlockOrRaw("for (int i = 0; i < 3; ++i) { b += a[i]; }");
    REQUIRE(b.size() == 1);
    CHECK(b[0]->kind == StmtKind::Raw);
    CHECK(b[0]->text == "for (int i = 0; i < 3; ++i) { b += a[i]; }");
    CHECK(parseBlockOrRaw("b = a").front()->kind == StmtKind::Assign);
}
