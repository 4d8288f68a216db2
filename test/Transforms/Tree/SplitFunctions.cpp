// Splitting of large functions: which statements stay, which variables are passed, and how.
#include "Transforms/Tree/RunPass.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

constexpr int many = 3000; // more statements than a function may have

void fill(Body &b, VarId array, int count) {
    for (int i = 0; i < count; ++i)
        b.assign(b.at(array, i), python("1.0"));
}

std::size_t statementsOf(Block &b) {
    std::size_t count = 0;
    for (NodePtr &n : b.body) {
        ++count;
        forEachBlock(*n, [&](Block &inner) { count += statementsOf(inner); });
    }
    return count;
}

const Variable &paramOf(const Function &f, const char *name) {
    for (VarId p : f.params)
        if (f.vars[p].name == Name(name))
            return f.vars[p];
    FAIL("no parameter " << name);
    return f.vars[VarId(0)];
}

} // namespace

TEST_CASE("split functions: small ones stay whole") {
    Body b;
    fill(b, b.param("A"), 100);
    runPass(b.m, "split-functions");
    CHECK(b.m.functions.size() == 1);
}

TEST_CASE("split functions: parts come first, hold everything once, in order") {
    Body b;
    fill(b, b.param("A"), many);
    runPass(b.m, "split-functions");
    REQUIRE(b.m.functions.size() == 4);
    CHECK(b.m.functions.back()->name == Name("f"));
    CHECK(b.text(FunctionId(3)) == "    call f_1(at &A[0])\n    call f_2(at &A[0])\n    call f_3(at &A[0])\n");
    std::size_t total = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(statementsOf(b.m.functions[FunctionId(i)]->body) <= 1000);
        total += statementsOf(b.m.functions[FunctionId(i)]->body);
    }
    CHECK(total == many);
    CHECK(b.text(FunctionId(0)).rfind("    A[0] = 1.0\n", 0) == 0);
    CHECK(paramOf(*b.m.functions[FunctionId(0)], "A").kind == VarKind::Pointer);
}

TEST_CASE(
    "split functions: what later parts need is declared in front; what is changed is passed by reference, what is read by value") {
    Body b;
    const VarId A = b.param("A");
    b.size("N");
    b.declared(b.var("x"));
    const VarId t = b.declared(b.var("t", VarKind::Buffer, ScalarKind::Float64, symbol("N")));
    b.assign(py::name("x"), python("N * 2.0"));
    fill(b, t, 1500);
    for (int i = 0; i < 1500; ++i)
        b.assign(b.at(A, i), python("x"));
    b.assign(b.at(A), b.at(t));
    runPass(b.m, "split-functions");
    const std::string caller = b.text(FunctionId(b.m.functions.size() - 1));
    INFO(caller);
    CHECK(caller.rfind("    declare x: float64\n    declare t: heap float64 count N\n    call f_1(", 0) == 0);
    CHECK(paramOf(*b.m.functions[FunctionId(0)], "x").kind == VarKind::Reference);
    CHECK(paramOf(*b.m.functions[FunctionId(0)], "N").kind == VarKind::Value);
    CHECK(paramOf(*b.m.functions[FunctionId(0)], "t").kind == VarKind::Pointer);
    CHECK(paramOf(*b.m.functions[FunctionId(2)], "x").kind == VarKind::Value);
    CHECK_FALSE(paramOf(*b.m.functions[FunctionId(0)], "t").isConst);
}

TEST_CASE("split functions: loops are cut inside, parallel ones are not") {
    for (bool parallel : {false, true}) {
        Body b;
        const VarId A = b.param("A");
        b.size("N");
        b.loop("i", parallel);
        for (int k = 0; k < many; ++k)
            b.assign(b.at(A, symbol("i") + k), python("i * 1.0"));
        b.close();
        runPass(b.m, "split-functions");
        if (parallel) {
            CHECK(b.m.functions.size() == 2); // as a whole
            continue;
        }
        REQUIRE(b.m.functions.size() == 4);
        CHECK(b.text(FunctionId(3)) == "    for i: int64 from 0 to N - 1 {\n      call f_1(at &A[0], value i)\n      call f_2(at "
                                       "&A[0], value i)\n      call f_3(at &A[0], value i)\n    }\n");
        CHECK(paramOf(*b.m.functions[FunctionId(0)], "i").type == Type(ScalarKind::Int64));
    }
}

TEST_CASE("split functions: statements that leave the function, and variables that are bound anew, stay") {
    Body b;
    const VarId A = b.param("A"), p = b.declared(b.var("p", VarKind::Pointer));
    fill(b, A, 1500);
    b.add<Return>();
    fill(b, A, 500);
    b.add<SetPointer>(p, refOf(*b.at(A)));
    fill(b, A, 1500);
    b.assign(b.at(p), python("2.0"));
    runPass(b.m, "split-functions");
    const std::string caller = b.text(FunctionId(b.m.functions.size() - 1));
    INFO(caller.substr(0, 400));
    CHECK(caller.find("return\n") != std::string::npos);
    CHECK(caller.find("set p to ") != std::string::npos);
    CHECK(caller.find("declare p") < caller.find("set p to "));
}

TEST_CASE("split functions: a part that uses the state says so, and so do its callers") {
    Body b;
    const VarId field = b.var("__0_t", VarKind::StateField);
    fill(b, field, many);
    runPass(b.m, "split-functions");
    REQUIRE(b.m.functions.size() > 1);
    for (const auto &f : b.m.functions)
        CHECK(f->needsState);
}
