// What is done to kernels before they become functions.
#include "Fixture.h"

#include "sdfgc/Tree/TidyKernel.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

Update *atomicUpdate(Body &b, VarId target) {
    auto *u = b.add<Update>();
    u->target = refOf(*b.at(target));
    u->value = python("1");
    u->atomic = true;
    return u;
}

For *blockIndex(Body &b, VarId index, bool exact) {
    auto *loop = b.add<For>();
    loop->var = index;
    loop->end = 7;
    loop->spread = Spread{Spread::Grid, 0, true, exact};
    return loop;
}

} // namespace

TEST_CASE("memory of one thread is updated without atomics") { // nvcc: "Cannot do atomic on local memory"
    Body b;
    Update *value = atomicUpdate(b, b.var("acc"));
    Update *array = atomicUpdate(b, b.var("list", VarKind::Stack, ScalarKind::Float64, 4));
    Update *shared = atomicUpdate(b, b.var("tile", VarKind::Shared, ScalarKind::Float64, 4));
    Update *global = atomicUpdate(b, b.param("A"));
    tidyKernel(*b.f, b.f->body);
    CHECK_FALSE(value->atomic);
    CHECK_FALSE(array->atomic);
    CHECK(shared->atomic);
    CHECK(global->atomic);
}

TEST_CASE("indices that nothing mentions are not declared") {
    for (bool mentioned : {false, true})
        for (bool exact : {false, true}) {
            Body b;
            VarId A = b.param("A"), i = b.integer("i");
            For *loop = blockIndex(b, i, exact);
            b.open.push_back(&loop->body);
            b.assign(b.at(A, mentioned ? symbol("i") : 0), python("1"));
            b.open.pop_back();
            tidyKernel(*b.f, b.f->body);
            REQUIRE(b.f->body.body.size() == 1);
            CHECK((b.f->body.body[0]->kind == Kind::For) == (mentioned || !exact)); // the others guard their body
        }
}

TEST_CASE("indices inside of indices that nothing mentions") {
    Body b;
    VarId A = b.param("A");
    For *outer = blockIndex(b, b.integer("i"), true);
    b.open.push_back(&outer->body);
    For *inner = blockIndex(b, b.integer("j"), true);
    b.open.push_back(&inner->body);
    Update *u = atomicUpdate(b, b.var("acc"));
    b.assign(b.at(A), python("1"));
    tidyKernel(*b.f, b.f->body);
    REQUIRE(b.f->body.body.size() == 2);
    CHECK(b.f->body.body[0].get() == u);
    CHECK_FALSE(u->atomic);
}
