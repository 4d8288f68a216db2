// Unused indices and parameters of kernels.
#include "Transforms/Tree/RunPass.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// A loop over the blocks, from 0 to M - 1.
For *blockIndex(Body &b, VarId index, bool exact) {
    auto *loop = b.add<For>();
    loop->var = index;
    loop->end = symbol("M") - 1;
    loop->spread = Spread{Spread::Grid, 0, true, exact};
    return loop;
}

/// A kernel `f(A, M)`, and a function that launches it.
struct Kernel : Body {
    VarId A, M;
    Launch *launch;

    Kernel() {
        f->kernel.emplace();
        A = param("A");
        M = size("M");
        auto host = std::make_unique<Function>();
        host->name = "host";
        launch = host->body.add<Launch>();
        launch->function = FunctionId(0);
        for (const char *text : {"a", "m"})
            launch->arguments.push_back({.ref = {}, .value = 0, .expr = python(text)});
        m.functions.add(std::move(host));
    }
};

} // namespace

TEST_CASE("tidy kernels: indices that nothing mentions are not declared, and their bounds are not handed over") {
    for (bool mentioned : {false, true})
        for (bool exact : {false, true}) {
            Kernel k;
            For *loop = blockIndex(k, k.integer("i"), exact);
            k.open.push_back(&loop->body);
            k.assign(k.at(k.A, mentioned ? symbol("i") : 0), python("1"));
            k.close();
            const bool idle = !mentioned && exact; // the others guard their body
            CHECK(runPass(k.m, "tidy-kernels") == idle);
            REQUIRE(k.f->body.body.size() == 1);
            CHECK((k.f->body.body[0]->kind == TreeKind::For) == !idle);
            CHECK(k.f->params.size() == (idle ? 1u : 2u));
            REQUIRE(k.launch->arguments.size() == (idle ? 1u : 2u));
            CHECK(py::print(*k.launch->arguments[0].expr) == "a");
        }
}

TEST_CASE("tidy kernels: indices inside of indices that nothing mentions; parameters that something else mentions stay") {
    Kernel k;
    k.open.push_back(&blockIndex(k, k.integer("i"), true)->body);
    k.open.push_back(&blockIndex(k, k.integer("j"), true)->body);
    k.assign(k.at(k.A), python("1"));
    k.assign(k.at(k.A, symbol("M")), python("2"));
    CHECK(runPass(k.m, "tidy-kernels"));
    CHECK(k.f->body.body.size() == 2);
    CHECK(k.launch->arguments.size() == 2);
}

TEST_CASE("tidy kernels: functions of the host are left alone") {
    Body b;
    const VarId A = b.param("A");
    b.size("M");
    b.open.push_back(&blockIndex(b, b.integer("i"), true)->body);
    b.assign(b.at(A), python("1"));
    CHECK_FALSE(runPass(b.m, "tidy-kernels"));
}
