// Declarations, buffers and accumulators of a lowered function: which of them each pass changes, and which it does not.
#include "Transforms/Tree/RunPass.h"
#include "sdfgc/Tree/Flow.h"

using namespace sdfgc;
using namespace sdfgc::test;

TEST_CASE("mentions: names, changes and declarations of a statement and of what is inside") {
    Body b;
    const VarId A = b.param("A"), x = b.integer("x");
    b.size("N");
    b.loop("i");
    b.assign(py::name("x"), b.at(A, symbol("i")));
    b.close();
    EffectTable table(*b.f);
    const Effects &all = table.of(*b.f->body.body[0]);
    for (const char *n : {"A", "x", "i", "N"})
        CHECK(all.has(n));
    CHECK(all.changes("x"));
    CHECK(all.changes("i"));
    CHECK_FALSE(all.changes("A"));
    CHECK_FALSE(all.changes("N"));
    CHECK(all.declared.count("i") == 1);
    const Effects own = table.own(*b.f->body.body[0]);
    CHECK(own.has("N"));
    CHECK_FALSE(own.has("A"));
    CHECK(table.root(x) == Name("x"));
}

TEST_CASE("mentions: text that was taken as written mentions and changes every word in it; a member leads to its structure") {
    Body b;
    const VarId s = b.param("s", VarKind::StructPtr), member = b.var("field", VarKind::Member);
    b.f->vars[member].parent = s;
    b.add<RawTasklet>()->text = "y = foo(z);";
    b.assign(b.at(member), python("1.0"));
    EffectTable table(*b.f);
    CHECK(table.of(*b.f->body.body[0]).changes("y"));
    CHECK(table.of(*b.f->body.body[0]).changes("z"));
    CHECK(table.of(*b.f->body.body[1]).changes("s"));
}

TEST_CASE("sink declarations: into the loop that assigns first, with the first value, and const") {
    Body b;
    const VarId A = b.param("A");
    b.size("N");
    b.declared(b.var("r"));
    b.declared(b.var("unused"));
    b.loop("i");
    b.assign(py::name("r"), python("i * 2.0"));
    b.assign(b.at(A, symbol("i")), python("r"));
    b.close();
    runPass(b.m, "flatten-scopes");
    runPass(b.m, "sink-declarations");
    CHECK(b.text() == "    for i: int64 from 0 to N - 1 {\n"
                      "      declare r: const float64 = i * 2.0\n"
                      "      A[i] = r\n"
                      "    }\n");
    CHECK(b.f->vars[VarId(1 + 1)].isConst);
}

TEST_CASE("sink declarations: the first update of a variable without a value is its value") {
    for (auto kind : {py::Reduction::Sum, py::Reduction::Max, py::Reduction::Sub}) {
        Body b;
        const VarId A = b.param("A"), r = b.declared(b.var("r"));
        b.update(b.at(r), b.at(A), kind);
        b.assign(b.at(A, 1), b.at(r));
        runPass(b.m, "flatten-scopes");
        runPass(b.m, "sink-declarations");
        const bool isValue = b.text().find("declare r: const float64 = A[0]\n") != std::string::npos;
        CHECK(isValue == (kind != py::Reduction::Sub));
    }
    Body twice;
    const VarId A = twice.param("A"), r = twice.declared(twice.var("r"));
    twice.update(twice.at(r), twice.at(A));
    twice.update(twice.at(r), twice.at(A, 1));
    twice.assign(twice.at(A, 2), twice.at(r));
    runPass(twice.m, "flatten-scopes");
    runPass(twice.m, "sink-declarations");
    INFO(twice.text());
    CHECK(twice.text().find("declare r: float64 = A[0]\n") != std::string::npos);
    CHECK_FALSE(twice.f->vars[r].isConst);
}

TEST_CASE("sink declarations: a value that an iteration hands to the next stays in front of the loop") {
    Body b;
    const VarId A = b.param("A");
    b.size("N");
    b.declared(b.var("r"));
    b.loop("i");
    b.assign(b.at(A, symbol("i")), python("r"));
    b.assign(py::name("r"), python("i * 2.0"));
    b.close();
    runPass(b.m, "flatten-scopes");
    runPass(b.m, "sink-declarations");
    CHECK(b.text().rfind("    declare r: float64\n    for i", 0) == 0);
}

TEST_CASE("sink declarations: through loops and branches, when no path reads what an earlier iteration left") {
    Body b;
    const VarId A = b.param("A");
    b.size("N");
    b.declared(b.var("r"));
    b.loop("i");
    b.loop("j");
    auto *branch = b.add<If>();
    branch->branches.push_back({python("j > 3"), std::make_unique<Block>()});
    b.open.push_back(branch->branches.back().body.get());
    b.assign(py::name("r"), python("i * 2.0"));
    b.assign(b.at(A, symbol("i")), python("r"));
    b.close();
    SECTION("only there") {
        b.close();
        b.close();
        runPass(b.m, "flatten-scopes");
        runPass(b.m, "sink-declarations");
        CHECK(b.text().find("declare r: const float64 = i * 2.0") != std::string::npos);
        CHECK(b.f->vars[VarId(2)].isConst);
    }
    SECTION("also after the branch, which may not have been taken") {
        b.assign(b.at(A), python("r"));
        b.close();
        b.close();
        runPass(b.m, "flatten-scopes");
        runPass(b.m, "sink-declarations");
        CHECK(b.text().rfind("    declare r: float64\n    for i", 0) == 0);
    }
}

TEST_CASE("sink declarations: braces go when nothing beside them mentions what is declared between them") {
    Body b;
    const VarId A = b.param("A");
    const VarId x = b.integer("x"), again = b.integer("x"), y = b.integer("y"),
                t = b.var("t", VarKind::Buffer, ScalarKind::Float64, 8);
    for (VarId v : {x, again, y, t}) {
        auto *scope = b.add<Block>();
        scope->braces = true;
        b.open.push_back(scope);
        if (v == again)
            b.open.push_back(b.add<Block>()); // a group inside another
        b.add<Declare>(v);
        b.assign(b.at(v), python("1"));
        b.assign(b.at(A), b.at(v));
        if (v == again)
            b.close();
        b.close();
    }
    runPass(b.m, "flatten-scopes");
    runPass(b.m, "sink-declarations");
    CHECK(b.text() == "    block braces {\n      declare x: const int64 = 1\n      A[0] = x[0]\n    }\n"
                      "    block braces {\n      declare x: const int64 = 1\n      A[0] = x[0]\n    }\n"
                      "    declare y: const int64 = 1\n    A[0] = y[0]\n"
                      "    block braces {\n      declare t: heap float64 count 8\n      t[0] = 1\n      A[0] = t[0]\n    }\n");
}

TEST_CASE("sink declarations: groups without braces are part of the scope around them before its braces are looked at") {
    Body b;
    const VarId A = b.param("A");
    for (VarId v : {b.integer("x"), b.integer("x")}) {
        b.open.push_back(b.add<Block>());
        auto *scope = b.add<Block>();
        scope->braces = true;
        b.open.push_back(scope);
        b.add<Declare>(v);
        b.assign(b.at(v), python("1"));
        b.assign(b.at(A), b.at(v));
        b.close();
        b.close();
    }
    runPass(b.m, "flatten-scopes");
    runPass(b.m, "sink-declarations");
    const std::string scope = "    block braces {\n      declare x: const int64 = 1\n      A[0] = x[0]\n    }\n";
    CHECK(b.text() == scope + scope);
}

TEST_CASE("sink declarations: braces stay around loops of a kernel, which declare their variable where they stand") {
    Body b;
    const VarId A = b.param("A");
    b.size("N");
    for (int k = 0; k < 2; ++k) {
        auto *scope = b.add<Block>();
        scope->braces = true;
        b.open.push_back(scope);
        b.loop("t")->spread.emplace().exact = true;
        b.assign(b.at(A, symbol("t")), python("1.0"));
        b.close();
        b.close();
    }
    runPass(b.m, "flatten-scopes");
    runPass(b.m, "sink-declarations");
    CHECK(b.f->body.body.size() == 2);
    CHECK(b.f->body.body[0]->kind == TreeKind::Block);
}

TEST_CASE("value flow: what a block does with a variable's value") {
    Body b;
    const VarId A = b.param("A");
    b.size("N");
    b.var("x");
    const auto flow = [&] {
        EffectTable table(*b.f);
        return valueFlow(*b.f, table, b.f->body, "x");
    };
    CHECK(flow() == Flow::Maybe);
    SECTION("assigned in all branches") {
        auto *i = b.add<If>();
        for (const char *condition : {"N > 1", ""}) {
            i->branches.push_back({*condition ? python(condition) : nullptr, std::make_unique<Block>()});
            b.open.push_back(i->branches.back().body.get());
            b.assign(py::name("x"), python("1.0"));
            b.close();
        }
        CHECK(flow() == Flow::Assigned);
        i->branches.pop_back();
        CHECK(flow() == Flow::Maybe);
        b.assign(b.at(A), python("x"));
        CHECK(flow() == Flow::Read);
    }
    SECTION("in a loop, which may not run") {
        b.loop("i");
        b.assign(py::name("x"), python("1.0"));
        b.close();
        CHECK(flow() == Flow::Maybe);
    }
    SECTION("an assignment that reads it") {
        b.assign(py::name("x"), python("x + 1.0"));
        CHECK(flow() == Flow::Read);
    }
    SECTION("beside a label") {
        b.assign(py::name("x"), python("1.0"));
        b.add<Label>(Name("again"));
        CHECK(flow() == Flow::Read);
    }
}

TEST_CASE("sink declarations: an array does not pass a statement that changes its size; labels keep declarations where they are") {
    Body b;
    b.size("N");
    const VarId t = b.declared(b.var("t", VarKind::Buffer, ScalarKind::Float64, symbol("N")));
    b.assign(py::name("N"), python("7"));
    b.assign(b.at(t), python("1.0"));
    runPass(b.m, "flatten-scopes");
    runPass(b.m, "sink-declarations");
    CHECK(b.text() == "    declare t: heap float64 count N\n    N = 7\n    t[0] = 1.0\n");

    Body labelled;
    labelled.declared(labelled.integer("k"));
    labelled.add<Label>(Name("again"));
    labelled.assign(py::name("k"), python("1"));
    labelled.add<Goto>(Name("again"));
    runPass(labelled.m, "flatten-scopes");
    runPass(labelled.m, "sink-declarations");
    CHECK(labelled.text() == "    declare k: int64\n    label again\n    k = 1\n    goto again\n");
}

TEST_CASE("hoist buffers: in front of a sequential loop, to the top of a parallel region") {
    for (bool parallel : {false, true}) {
        Body b;
        const VarId A = b.param("A");
        b.size("N");
        For *loop = b.loop("i", parallel);
        if (parallel)
            loop->omp->onlyIf = sym::compare(sym::SymbolicKind::Ge, symbol("N"), 100);
        const VarId t = b.declared(b.var("t", VarKind::Buffer, ScalarKind::Float64, symbol("N")));
        b.assign(b.at(t), python("1.0"));
        b.assign(b.at(A, symbol("i")), b.at(t));
        b.close();
        runPass(b.m, "hoist-allocations");
        const std::string text = b.text();
        INFO(text);
        CHECK(text.find("region when N >= 100 {") == (parallel ? 4 : std::string::npos));
        CHECK(text.find("declare t: heap float64 count N") < text.find("for i"));
    }
}

TEST_CASE("hoist buffers: a size that changes with the loop is reserved where it was declared") {
    Body b;
    const VarId A = b.param("A");
    b.size("N");
    b.loop("i");
    const VarId t = b.declared(b.var("t", VarKind::Buffer, ScalarKind::Float64, symbol("i")));
    b.assign(b.at(A, symbol("i")), b.at(t));
    b.close();
    runPass(b.m, "hoist-allocations");
    const std::string text = b.text();
    INFO(text);
    CHECK(text.find("declare t") < text.find("for i"));
    CHECK(text.find("allocate t count i") > text.find("for i"));
}

TEST_CASE("privatise updates: what a parallel loop reduces is decided before") {
    Body b;
    const VarId A = b.param("A"), sum = b.param("sum", VarKind::Reference);
    b.size("N");
    b.loop("i", true);
    b.update(b.at(sum), b.at(A, symbol("i")));
    b.close();
    const std::string before = b.text();
    runPass(b.m, "privatise-updates");
    CHECK(b.text() == before);
}

TEST_CASE("privatise updates: an element that is also read, or moves with the loop, stays atomic") {
    Body moving;
    const VarId A = moving.param("A"), B = moving.param("B");
    moving.size("N");
    moving.loop("i", true);
    moving.update(moving.at(B, sym::call("int_floor", {symbol("i"), 2})), moving.at(A, symbol("i")));
    moving.close();
    runPass(moving.m, "privatise-updates");
    CHECK(moving.text().find("atomic") != std::string::npos);

    Body read;
    const VarId C = read.param("C"), sum = read.param("sum", VarKind::Reference);
    read.size("N");
    read.loop("i", true);
    read.update(read.at(sum), read.at(C, symbol("i")));
    read.assign(read.at(C, symbol("i")), read.at(sum));
    read.close();
    runPass(read.m, "privatise-updates");
    CHECK(read.text().find("atomic") != std::string::npos);
}
