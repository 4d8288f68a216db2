// Effects and origins of statements.
#include "Tree/Fixture.h"

#include "sdfgc/Tree/Walk.h"

using namespace sdfgc;
using namespace sdfgc::test;

TEST_CASE("effects: a statement that is forgotten is read again") {
    Body b;
    const VarId A = b.param("A"), B = b.param("B");
    b.assign(b.at(A), b.at(B));
    Node &n = *b.f->body.body[0];
    EffectTable table(*b.f);
    CHECK(table.of(n).reads("B"));
    static_cast<Code &>(n).stmts = {py::assign(b.at(A), python("1.0"))};
    CHECK(table.of(n).reads("B"));
    table.forget(n);
    CHECK_FALSE(table.of(n).reads("B"));
    CHECK(table.of(n).changes("A"));
}

TEST_CASE("origins: that of a statement, else that of the nearest one around it") {
    Body b;
    const VarId A = b.param("A");
    b.loop("i")->origin = {0, 1, 2};
    For *inner = b.loop("j");
    b.assign(b.at(A), python("1.0"));
    Node &last = *inner->body.body[0];
    b.close();
    b.close();
    b.assign(b.at(A), python("2.0"));
    CHECK(originOf(*b.f, *inner) == std::vector<int>{0, 1, 2});
    CHECK(originOf(*b.f, last) == std::vector<int>{0, 1, 2});
    last.origin = {0, 1, 3};
    CHECK(originOf(*b.f, last) == std::vector<int>{0, 1, 3});
    CHECK(originOf(*b.f, *b.f->body.body[1]).empty());
}
