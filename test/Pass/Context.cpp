#include "sdfgc/Pass/Pass.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using pass::Context;

namespace {

struct Run {
    diag::Engine diags;
    pass::CompileOptions options;
    Context context{diags, options};
};

} // namespace

TEST_CASE("a remark on what was not done has its reason") {
    Run r;
    r.context.currentPass = "p";
    r.context.done("m", "joins");
    r.context.missed("m", "stays", {diag::Why::Small, "it has one iteration"}, sym::Expr(8));
    REQUIRE(r.context.remarks.size() == 2);
    CHECK_FALSE(r.context.remarks[0].missed());
    const pass::Remark &missed = r.context.remarks[1];
    CHECK(missed.missed());
    CHECK(missed.pass == "p");
    CHECK(missed.text == "stays: it has one iteration");
    CHECK(missed.why == diag::Why::Small);
    CHECK(missed.loss == sym::Expr(8));
}

TEST_CASE("changes are counted, and refused beyond the limit") {
    Run free;
    CHECK(free.context.mayChange("m", "joins"));
    CHECK(free.context.changes == 1);

    Run r;
    r.context.changeLimit = 2;
    CHECK(r.context.mayChange("a", "joins"));
    r.context.done("x", "of something else");
    CHECK(r.context.mayChange("b", "joins"));
    CHECK_FALSE(r.context.mayChange("c", "joins"));
    CHECK_FALSE(r.context.mayChange("d", "joins"));
    CHECK(r.context.changes == 2);
    REQUIRE(r.context.lastChange);
    CHECK(r.context.remarks[*r.context.lastChange].element == "b");
    REQUIRE(r.context.remarks.size() == 4); // one for the first that was refused
    CHECK(r.context.remarks[3].element == "c");
    CHECK(r.context.remarks[3].why == diag::Why::PassLimit);
}

TEST_CASE("a limit of none refuses the first change") {
    Run r;
    r.context.changeLimit = 0;
    CHECK_FALSE(r.context.mayChange("a", "joins"));
    CHECK_FALSE(r.context.lastChange);
}
