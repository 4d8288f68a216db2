// Effects of statements.
#include "Fixture.h"

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
