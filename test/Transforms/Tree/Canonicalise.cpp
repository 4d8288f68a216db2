// Statements and names removed so that generated code is readable.
#include "Transforms/Tree/RunPass.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// `if condition: A[0] = then else: A[0] = other`; empty text: an empty branch.
void branch(Body &b, py::ExprRef condition, const char *then, const char *other) {
    const VarId A{0};
    auto *i = b.add<If>();
    for (const char *value : {then, other}) {
        i->branches.push_back({value == then ? condition : nullptr, std::make_unique<Block>()});
        b.open.push_back(i->branches.back().body.get());
        b.add<Comment>("state s");
        if (*value)
            b.assign(b.at(A), python(value));
        b.close();
    }
}

} // namespace

TEST_CASE("canonicalise: branches that are never taken or do nothing are dropped") {
    struct Case {
        py::ExprRef condition;
        const char *then, *other, *result;
    };
    const Case cases[] = {
        {py::boolLit(false), "1.0", "2.0", "    comment \"state s\"\n    A[0] = 2.0\n"},
        {py::boolLit(true), "1.0", "2.0", "    comment \"state s\"\n    A[0] = 1.0\n"},
        {py::boolLit(false), "1.0", "", ""},
        {python("k < 1"), "1.0", "", "    if k < 1 {\n      comment \"state s\"\n      A[0] = 1.0\n    }\n"},
        {python("k < 1"), "", "2.0", "    if not k < 1 {\n      comment \"state s\"\n      A[0] = 2.0\n    }\n"},
        {python("k == 1"), "", "2.0", "    if k != 1 {\n      comment \"state s\"\n      A[0] = 2.0\n    }\n"},
        {python("not (k == 1)"), "1.0", "", "    if k != 1 {\n      comment \"state s\"\n      A[0] = 1.0\n    }\n"},
        {python("k < 1"), "", "", ""},
    };
    for (const Case &c : cases) {
        Body b;
        b.param("A");
        b.size("k");
        branch(b, c.condition, c.then, c.other);
        runPass(b.m, "canonicalise");
        CHECK(b.text() == c.result);
    }
}

TEST_CASE("canonicalise: a value that is copied once more before its only use is used at once") {
    Body b;
    const VarId A = b.param("A"), B = b.param("B"), x = b.var("x");
    b.f->vars[x].isConst = true;
    b.add<Declare>(x)->init = b.at(B, 8);
    b.assign(b.at(A), python("x * 2.0"));
    SECTION("one use") {
        runPass(b.m, "canonicalise");
        CHECK(b.text() == "    A[0] = B[8] * 2.0\n");
    }
    SECTION("a second use") {
        b.assign(b.at(A, 1), python("x"));
        runPass(b.m, "canonicalise");
        CHECK(b.text().rfind("    declare x", 0) == 0);
    }
}

TEST_CASE("canonicalise: a copy stays where memory may change before its use, and where its type differs") {
    Body between;
    const VarId A = between.param("A"), B = between.param("B"), x = between.var("x");
    between.f->vars[x].isConst = true;
    between.add<Declare>(x)->init = between.at(B);
    between.assign(between.at(B), python("0.0"));
    between.assign(between.at(A), python("x"));
    runPass(between.m, "canonicalise");
    CHECK(between.text().rfind("    declare x", 0) == 0);

    Body narrow;
    const VarId C = narrow.param("C"), y = narrow.var("y", VarKind::Value, ScalarKind::Float32);
    narrow.f->vars[y].isConst = true;
    narrow.add<Declare>(y)->init = narrow.at(C);
    narrow.assign(narrow.at(C, 1), python("y"));
    runPass(narrow.m, "canonicalise");
    CHECK(narrow.text().rfind("    declare y", 0) == 0);
}

TEST_CASE("canonicalise: an `if` alone in an `else` is an `else if`") {
    Body b;
    b.param("A");
    b.size("k");
    auto *outer = b.add<If>();
    for (const char *text : {"k < 1", ""}) {
        outer->branches.push_back({*text ? python(text) : nullptr, std::make_unique<Block>()});
        b.open.push_back(outer->branches.back().body.get());
        if (*text)
            b.assign(b.at(VarId(0)), python("1.0"));
        else
            branch(b, python("k < 2"), "2.0", "3.0");
        b.close();
    }
    runPass(b.m, "canonicalise");
    CHECK(b.f->body.body.size() == 1);
    CHECK(static_cast<If &>(*b.f->body.body[0]).branches.size() == 3);
}

TEST_CASE("canonicalise: a value is computed where it is handed on, and a copy goes into the condition that asks for it") {
    Body b;
    const VarId A = b.param("A"), B = b.param("B"), x = b.var("x"), y = b.var("y");
    for (VarId v : {x, y})
        b.f->vars[v].isConst = true;
    b.add<Declare>(x)->init = py::binary(py::Op::Add, b.at(B), b.at(B, 1), ScalarKind::Float64);
    b.assign(b.at(A), py::name("x", ScalarKind::Float64));
    b.add<Declare>(y)->init = b.at(A, 2);
    branch(b, py::binary(py::Op::Mul, py::name("y", ScalarKind::Float64), py::floatLit("2.0"), ScalarKind::Float64), "1.0", "");
    runPass(b.m, "canonicalise");
    CHECK(b.text() == "    A[0] = B[0] + B[1]\n    if A[2] * 2.0 {\n      comment \"state s\"\n      A[0] = 1.0\n    }\n");
}

TEST_CASE("canonicalise: a value that is used in a computation keeps its name, and calls keep their order") {
    Body b;
    const VarId A = b.param("A"), B = b.param("B"), x = b.var("x"), y = b.var("y");
    for (VarId v : {x, y})
        b.f->vars[v].isConst = true;
    SECTION("in a computation") {
        b.add<Declare>(x)->init = py::binary(py::Op::Add, b.at(B), b.at(B, 1), ScalarKind::Float64);
        b.assign(b.at(A), python("x * 2.0"));
        runPass(b.m, "canonicalise");
        CHECK(b.text().rfind("    declare x", 0) == 0);
    }
    SECTION("after what reads memory") {
        b.add<Declare>(x)->init = python("f(1)");
        b.add<Declare>(y)->init = b.at(B);
        b.assign(b.at(A), py::name("x", ScalarKind::Float64));
        b.assign(b.at(A, 1), python("y * y"));
        runPass(b.m, "canonicalise");
        CHECK(b.text().rfind("    declare x", 0) == 0);
    }
}

TEST_CASE("canonicalise: literals have the type of what they are assigned to") {
    Body b;
    const VarId k = b.param("k", VarKind::Pointer, ScalarKind::Int32), h = b.param("h", VarKind::Pointer, ScalarKind::Float32);
    b.assign(b.at(k), python("0.0"));
    b.assign(b.at(k, 1), python("-2.0"));
    b.assign(b.at(k, 2), python("2.5"));
    b.assign(b.at(h), python("0.5"));
    runPass(b.m, "canonicalise");
    CHECK(static_cast<Code &>(*b.f->body.body[3]).stmts[0]->value->type == Type(ScalarKind::Float32));
    CHECK(b.text() == "    k[0] = 0\n    k[1] = -2\n    k[2] = 2.5\n    h[0] = 0.5\n");
}

TEST_CASE("propagate copies: constants that are copies of constants, in indices and inside of what follows") {
    Body b;
    const VarId A = b.param("A"), k = b.integer("k"), copy = b.integer("copy"), again = b.integer("again");
    b.size("N");
    for (VarId v : {k, copy, again})
        b.f->vars[v].isConst = true;
    b.add<Declare>(k)->init = python("N * 2");
    b.add<Declare>(copy)->init = py::name("k", ScalarKind::Int64);
    b.add<Declare>(again)->init = py::name("copy", ScalarKind::Int64);
    b.loop("i");
    b.assign(b.at(A, symbol("again")), python("copy + 1"));
    b.close();
    SECTION("all uses") {
        runPass(b.m, "propagate-copies");
        CHECK(b.text() == "    declare k: const int64 = N * 2\n    for i: int64 from 0 to N - 1 {\n      A[k] = k + 1\n    }\n");
    }
    SECTION("text that was taken as written keeps its names") {
        b.add<RawTasklet>()->text = "use(copy);";
        runPass(b.m, "propagate-copies");
        CHECK(b.text().find("declare copy: const int64 = k\n") != std::string::npos);
        CHECK(b.text().find("again") == std::string::npos);
    }
}

TEST_CASE("propagate copies: in the clauses of parallel loops") {
    Body b;
    const VarId k = b.integer("k"), copy = b.integer("copy");
    for (VarId v : {k, copy})
        b.f->vars[v].isConst = true;
    b.add<Declare>(k)->init = python("N * 2");
    b.add<Declare>(copy)->init = py::name("k", ScalarKind::Int64);
    b.loop("i", true)->omp->onlyIf = sym::compare(sym::SymbolicKind::Ge, symbol("copy"), 100);
    b.close();
    EffectTable table(*b.f);
    CHECK(table.of(*b.f->body.body[2]).has("copy"));
    runPass(b.m, "propagate-copies");
    CHECK(b.text() == "    declare k: const int64 = N * 2\n    for i: int64 from 0 to N - 1 parallel when k >= 100 {\n    }\n");
}

TEST_CASE("propagate copies: a copy of what changes is none") {
    Body b;
    const VarId A = b.param("A"), k = b.integer("k"), copy = b.integer("copy");
    b.f->vars[copy].isConst = true;
    b.add<Declare>(k)->init = python("1");
    b.add<Declare>(copy)->init = py::name("k", ScalarKind::Int64);
    b.assign(py::name("k"), python("2"));
    b.assign(b.at(A), python("copy"));
    runPass(b.m, "propagate-copies");
    CHECK(b.text().find("A[0] = copy") != std::string::npos);
}

TEST_CASE("canonicalise: a copy that takes the value of another one mentions what that value mentions") {
    Body b;
    const VarId A = b.param("A"), B = b.param("B"), x = b.var("x"), y = b.var("y"), z = b.var("z");
    for (VarId v : {x, y, z})
        b.f->vars[v].isConst = true;
    b.add<Declare>(x)->init = b.at(B, 8);
    b.add<Declare>(y)->init = b.at(x);
    b.add<Declare>(z)->init = b.at(y);
    const Type real(ScalarKind::Float64);
    b.assign(b.at(A), py::binary(py::Op::Add, py::binary(py::Op::Mul, b.at(z), b.at(z), real), b.at(x), real));
    runPass(b.m, "canonicalise");
    CHECK(b.text() == "    declare x: const float64 = B[8]\n    declare z: const float64 = x[0]\n    A[0] = z[0] * z[0] + x[0]\n");
}

TEST_CASE("canonicalise: braces at the end of a scope go, those in the middle and with labels stay; comments are joined") {
    Body b;
    const VarId A = b.param("A");
    b.size("N");
    for (int k = 0; k < 2; ++k) {
        b.add<Comment>("state s");
        For *loop = b.loop("i");
        loop->comment = "map m";
        auto *scope = b.add<Block>();
        scope->braces = true;
        b.open.push_back(scope);
        b.assign(b.at(A), python("1.0"));
        b.close();
        b.close();
    }
    runPass(b.m, "canonicalise");
    CHECK(b.text() == "    # state s, map m\n    for i: int64 from 0 to N - 1 {\n      A[0] = 1.0\n    }\n"
                      "    # state s, map m\n    for i: int64 from 0 to N - 1 {\n      A[0] = 1.0\n    }\n");
    CHECK(b.f->body.body[0]->comment == "state s, map m");

    Body labelled;
    auto *scope = labelled.add<Block>();
    scope->braces = true;
    scope->body.push_back(std::make_unique<Label>(Name("l")));
    runPass(labelled.m, "canonicalise");
    CHECK(labelled.text() == "    block braces {\n      label l\n    }\n");
}

TEST_CASE("const parameters: what is only read through") {
    Body b;
    const VarId A = b.param("A"), B = b.param("B"), C = b.param("C"), r = b.param("r", VarKind::Reference);
    b.assign(b.at(A), b.at(B));
    b.assign(b.at(A, 1), b.at(r));
    auto *set = b.add<SetPointer>(A, refOf(*b.at(C)));
    b.f->refs[set->source].address = true;
    runPass(b.m, "constify-parameters");
    auto isConst = [&](VarId v) { return b.f->vars[v].isConst; };
    CHECK_FALSE(isConst(A));
    CHECK(isConst(B));
    CHECK_FALSE(isConst(C)); // other code may write through the other pointer
    CHECK(isConst(r));
}
