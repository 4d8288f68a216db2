// The second tier: isl decides the cases that elimination leaves open.
#include "Analysis/Dependences/Exact.h"

#include <catch2/catch.hpp>

using namespace sdfgc::analysis::dependences;

namespace {

/// lower <= a * x + b * y <= upper
void between(Rows &rows, int64_t lower, int64_t a, int64_t b, int64_t upper) {
    rows.add(Form(-lower).add(1, a).add(2, b));
    rows.add(Form(upper).add(1, -a).add(2, -b));
}

/// The result on which both tiers agree.
Feasibility decided(const Rows &rows) {
    const Feasibility first = solveInequalities(rows);
    return first == Feasibility::Unknown ? solveExactly(rows) : first;
}

} // namespace

TEST_CASE("dependences: a system with rational solutions only") {
    Rows rows(3); // Pugh's example: its shadow contains integers, the set itself contains none
    between(rows, 27, 11, 13, 45);
    between(rows, -10, 7, -9, 4);
    CHECK(solveInequalities(rows) == Feasibility::Unknown);
    CHECK(decided(rows) == Feasibility::No);
}

TEST_CASE("dependences: a system with one solution") {
    Rows rows(3);
    between(rows, 27, 11, 13, 50);
    between(rows, -10, 7, -9, 4);
    CHECK(decided(rows) == Feasibility::Yes); // (2, 2)
}

TEST_CASE("dependences: coefficients that the second tier does not take") {
    Rows rows(3);
    between(rows, int64_t{1} << 40, 11, 13, (int64_t{1} << 40) + 1);
    CHECK(solveExactly(rows) == Feasibility::Unknown);
}
