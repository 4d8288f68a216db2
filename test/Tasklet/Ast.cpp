// Construction, equality, names and rewriting of trees.
#include "sdfgc/Tasklet/Ast.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::py;

namespace {

ExprRef expr(const std::string &text) { return parseExpr(text).value.value(); }
std::vector<StmtRef> block(const std::string &text) { return parseBlock(text).value.value(); }

std::string text(const std::set<Name> &names) {
    std::string out;
    for (Name n : names)
        out += (out.empty() ? "" : " ") + n.str();
    return out;
}

std::string freeOf(const std::string &code) { return text(freeNames(*expr(code))); }

} // namespace

TEST_CASE("construction helpers", "[tasklet][ast]") {
    CHECK(print(*intLit(-3)) == "-3");
    CHECK(print(*intLit(INT64_MIN)) == "-9223372036854775808");
    CHECK(print(*binary(Op::Mul, binary(Op::Add, name("a"), intLit(1)), floatLit("2.0"))) == "(a + 1) * 2.0");
    CHECK(print(*call("f", {name("x"), boolLit(true)})) == "f(x, True)");
    CHECK(print(*castTo(ScalarKind::Float64, name("x"))) == "dace.float64(x)");
    CHECK(print(*memRef(3, ScalarKind::Float64)) == "mem3");
    CHECK(print({assign(name("x"), unary(Op::Not, name("y")))}) == "x = not y");
    CHECK(equal(*intLit(-3), *expr("-3")));
}

TEST_CASE("equality ignores positions and inferred types, but not structure", "[tasklet][ast]") {
    CHECK(equal(*expr("a+b"), *expr("( a  +  b )")));
    CHECK(equal(*name("a", ScalarKind::Int32), *name("a")));
    CHECK_FALSE(equal(*expr("a + b"), *expr("b + a")));
    CHECK_FALSE(equal(*expr("f(a=1)"), *expr("f(b=1)")));
    CHECK_FALSE(equal(*expr("a[1:]"), *expr("a[:1]")));
    CHECK_FALSE(equal(*castTo(ScalarKind::Int32, name("a")), *castTo(ScalarKind::Int64, name("a"))));
    CHECK_FALSE(equal(block("x += 1"), block("x -= 1")));
    CHECK_FALSE(equal(block("if a: x = 1"), block("if a: x = 1\nelse: x = 2")));
}

TEST_CASE("free names", "[tasklet][ast]") {
    CHECK(freeOf("a + math.sqrt(b) * dace.float64(c)") == "a b c");
    CHECK(freeOf("s.field[i] + math.pi") == "i s");
    CHECK(freeOf("lambda x: x + y") == "y");
    CHECK(freeOf("decltype(__out)(z)") == "z");
    CHECK(freeOf("S(a=p, b=q)") == "p q");
    CHECK(freeOf("max(x, inf)") == "x");
    CHECK(freeOf("obj.method(x)") == "obj x");
    CHECK(freeOf("a[i:j]") == "a i j");
}

TEST_CASE("names of a block follow the order of execution", "[tasklet][ast]") {
    auto n = blockNames(block("t = a + 1\nout = t * b"));
    CHECK(text(n.read) == "a b");
    CHECK(text(n.written) == "out t");
    n = blockNames(block("t = t + 1"));
    CHECK(text(n.read) == "t");
    n = blockNames(block("if c:\n  x = 1\nelse:\n  x = 2\ny = x"));
    CHECK(text(n.read) == "c");
    CHECK(text(n.always) == "x y");
    n = blockNames(block("if c:\n  x = 1\ny = x"));
    CHECK(text(n.read) == "c x");
    CHECK(text(n.always) == "y");
    n = blockNames(block("for i in range(n):\n  s = i\nr = s"));
    CHECK(text(n.read) == "n s");
    CHECK(text(n.always) == "r");
    n = blockNames(block("x += 1\nb[i] = 2\nq.f = 3"));
    CHECK(text(n.read) == "i x");
    CHECK(text(n.written) == "b q x");
    n = blockNames(block("py_divmod(a, b, q, r)\nprintf('x')\ny = math.sin(q)"));
    CHECK(text(n.read) == "a b");
    CHECK(text(n.written) == "q r y");
    CHECK(text(n.called) == "math.sin printf py_divmod");
    n = blockNames(block("x: dace.float64\nif c: x = 1\ny = x"));
    CHECK(text(n.read) == "c x");
    n = blockNames(block("a, b = f(c)\nd = a"));
    CHECK(text(n.read) == "c");
    CHECK(text(n.written) == "a b d");
}

TEST_CASE("rewriting is bottom-up and shares what does not change", "[tasklet][ast]") {
    const ExprRef e = expr("f(a + 1, k=a) + b");
    const ExprRef r =
        rewrite(e, [](const ExprRef &n) { return n->kind == ExprKind::Name && n->name == Name("a") ? name("z") : n; });
    CHECK(print(*r) == "f(z + 1, k=z) + b");
    CHECK(r->args[1] == e->args[1]);
    CHECK(rewrite(e, [](const ExprRef &n) { return n; }) == e);
    std::vector<std::string> order;
    rewrite(expr("a + b"), [&](const ExprRef &n) {
        order.push_back(print(*n));
        return n;
    });
    CHECK(order == std::vector<std::string>{"a", "b", "a + b"});
    const auto b = rewrite(block("if a:\n  a = a[1:]\nelse:\n  a += 1"),
                           [](const ExprRef &n) { return n->kind == ExprKind::Name ? name("q") : n; });
    CHECK(print(b) == "if q:\n    q = q[1:]\nelse:\n    q += 1");
}

TEST_CASE("what stands for an expression is not looked at again") {
    const auto f = [](const ExprRef &n) {
        if (n->kind == ExprKind::Name && n->name == Name("a"))
            return name("b");
        if (n->kind == ExprKind::Name && n->name == Name("b"))
            return name("a");
        return n->kind == ExprKind::Subscript ? name("whole") : ExprRef();
    };
    CHECK(print(*replace(expr("a + b * c"), f)) == "b + a * c");
    CHECK(print(*replace(expr("f(a[b]) - b"), f)) == "f(whole) - a");
    CHECK(print(replace(block("if a:\n  b = a[0]\nelse:\n  c += b"), f)) == "if b:\n    a = whole\nelse:\n    c += a");
}

TEST_CASE("substitution is simultaneous and respects scopes", "[tasklet][ast]") {
    const std::map<Name, ExprRef> swap = {{"a", name("b")}, {"b", expr("a + 1")}, {"f", name("g")}, {"math", name("m")}};
    CHECK(print(*substitute(expr("a * b"), swap)) == "b * (a + 1)");
    CHECK(print(*substitute(expr("f(f) + math.pi"), swap)) == "f(g) + math.pi");
    CHECK(print(*substitute(expr("lambda a: a + b"), swap)) == "lambda a: a + (a + 1)");
    CHECK(print(substitute(block("a = b\nwhile a: b = 1"), {{"a", name("x")}})) == "x = b\nwhile x:\n    b = 1");
}
