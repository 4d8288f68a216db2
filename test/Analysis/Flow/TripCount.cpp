// Trip counts, compared with simulated loops.
#include "Graphs.h"

#include "sdfgc/Analysis/Flow/LoopHeader.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;
using analysis::LoopHeader;
using analysis::Uncounted;

namespace {

enum class Form { For, UpdateFirst, ConditionFirst };

void header(LoopRegion &l, const std::string &first, const std::string &condition, const std::string &next, Form form = Form::For) {
    l.variable = Name("i");
    l.init = Code{"i = " + first};
    l.condition = Code{condition};
    l.update = Code{"i = " + next};
    l.inverted = form != Form::For;
    l.updateBeforeCondition = form != Form::ConditionFirst;
}

bool holds(const std::string &relation, int64_t a, int64_t b) {
    return relation == "<" ? a < b : relation == "<=" ? a <= b : relation == ">" ? a > b : relation == ">=" ? a >= b : a != b;
}

/// The number of iterations of a loop; empty if it does not end.
template <class Test> std::optional<int64_t> simulated(Form form, int64_t first, int64_t step, Test goesOn) {
    int64_t i = first, n = 0;
    for (; n < 100; ++n) {
        if (form == Form::For && !goesOn(i))
            return n;
        if (form == Form::ConditionFirst && n > 0 && !goesOn(i - step))
            return n;
        if (form == Form::UpdateFirst && n > 0 && !goesOn(i))
            return n;
        i += step;
    }
    return std::nullopt;
}

/// The only loop of a graph, with the assumptions about the symbols there.
LoopHeader countIn(Graph &x, std::string_view label = "l") {
    return analysis::tripCountOf(*x.block<LoopRegion>(label), analysis::factsOf(x.g));
}

/// A loop with a body that is given as text, in a graph with some symbols and containers.
LoopHeader countOf(const std::string &loop, const std::string &body = "state s {}") {
    Graph x(R"(
      sdfg f(A, K, R) {
        symbol N, M, s: int64
        symbol x: float64
        argument A: float64[N]
        argument K: int32[N]
        argument R: int64
        view V: int32[N]
        state begin {}
        l: )" +
            loop + " {\n" + body + "\n}\n}\n");
    return countIn(x);
}

void requireNot(const LoopHeader &t, Uncounted why) {
    INFO(analysis::text(t.why));
    CHECK(t.why == why);
}

} // namespace

TEST_CASE("trip counts of all forms are those of loops that run") {
    const Form form = GENERATE(Form::For, Form::UpdateFirst, Form::ConditionFirst);
    const std::string relation = GENERATE("<", "<=", ">", ">=", "!=");
    for (const int64_t step : {-3, -2, -1, 1, 2, 3})
        for (int64_t first = -3; first <= 3; ++first)
            for (int64_t bound = -8; bound <= 8; ++bound) {
                LoopRegion l;
                header(l, std::to_string(first), "i " + relation + " " + std::to_string(bound), "i + " + std::to_string(step),
                       form);
                const LoopHeader t = analysis::tripCountOf(l);
                const auto n = simulated(form, first, step, [&](int64_t i) { return holds(relation, i, bound); });
                INFO(first << " " << relation << " " << bound << " by " << step << ": " << analysis::text(t.why));
                REQUIRE(t.counted() == n.has_value());
                if (!n)
                    continue;
                REQUIRE(t.exact);
                REQUIRE(t.count == sym::Expr(*n));
                REQUIRE(t.first == sym::Expr(first));
                REQUIRE(t.step == sym::Expr(step));
            }
}

TEST_CASE("trip counts with symbols are those of loops that run") {
    const Form form = GENERATE(Form::For, Form::UpdateFirst, Form::ConditionFirst);
    const std::string relation = GENERATE("<", "<=", ">", ">=");
    const bool up = relation[0] == '<';
    sym::Assumptions facts;
    facts[Name("s")].positive = true;
    LoopRegion l;
    header(l, "a", "i " + relation + " b", up ? "i + s" : "i - s", form);
    const LoopHeader t = analysis::tripCountOf(l, facts);
    REQUIRE(t.counted());
    for (int64_t step = 1; step <= 4; ++step)
        for (int64_t first = -4; first <= 4; ++first)
            for (int64_t bound = -8; bound <= 8; ++bound) {
                const auto n = simulated(form, first, up ? step : -step, [&](int64_t i) { return holds(relation, i, bound); });
                INFO(first << " " << relation << " " << bound << " by " << step << ": " << t.count.str());
                REQUIRE(sym::evaluate(t.count, {{Name("a"), first}, {Name("b"), bound}, {Name("s"), step}}) == n);
            }
}

TEST_CASE("a multiple of the variable may be compared, from either side") {
    const std::string relation = GENERATE("<", "<=", ">", ">=");
    for (const int64_t factor : {-3, -1, 1, 2, 5})
        for (const int64_t step : {-2, -1, 1, 2})
            for (int64_t bound = -9; bound <= 9; ++bound) {
                LoopRegion l;
                header(l, "0", std::to_string(bound) + " " + relation + " " + std::to_string(factor) + "*i + 1",
                       "i + " + std::to_string(step));
                const LoopHeader t = analysis::tripCountOf(l);
                const auto n = simulated(Form::For, 0, step, [&](int64_t i) { return holds(relation, bound, factor * i + 1); });
                INFO(bound << " " << relation << " " << factor << "*i + 1 by " << step);
                REQUIRE(t.counted() == n.has_value());
                if (n)
                    REQUIRE(t.count == sym::Expr(*n));
            }
}

TEST_CASE("the formulas of trip counts") {
    const auto formula = [](const std::string &loop) { return countOf(loop).count.str(); };
    CHECK(formula("for i = 0; i < N; i = i + 1") == "N");
    CHECK(formula("for i = 1; i <= N; i = i + 1") == "N");
    CHECK(formula("for i = N - 1; i >= 0; i = i - 1") == "N");
    CHECK(formula("for i = 2; i <= M; i = i + 3") == "max((M + 1) // 3, 0)");
    CHECK(formula("for i = 1; i < N; i = i + 1") == "max(N, 1) - 1"); // empty ranges are never read, but they may occur
    CHECK(formula("for i = 0; i < K[M]; i = i + 2") == "max(int_ceil(K[M], 2), 0)");
    CHECK(formula("for i = 0; i != N; i = i + 1") == "N");
    CHECK(formula("for i = 0; i < K[0]; i = i + 1") == "max(K[0], 0)");
    CHECK(formula("for i = 0; i < R; i = i + 1") == "max(R, 0)");
    CHECK(formula("for i = M; i != M + 6*N; i = i + 3") == "2*N");
}

TEST_CASE("conjunctions bound loops") {
    LoopHeader t = countOf("for i = 0; i < N and A[i] > 0; i = i + 1");
    CHECK(t.count.str() == "N");
    CHECK(!t.exact);
    t = countOf("for i = 0; i < N and i <= M; i = i + 1");
    CHECK(t.count == sym::min({expr("N"), sym::max({expr("0"), expr("M + 1")})}));
    CHECK(t.exact);                                  // both are counted
    t = countOf("for i = 0; 0 <= i < N; i = i + 1"); // the first part is always true
    CHECK(t.count.str() == "N");
    CHECK(!t.exact);
    t = countOf("for i = 0; not (i >= N) and not (i > M) and not (i == 3); i = i + 1");
    CHECK(t.count == sym::min({expr("N"), sym::max({expr("0"), expr("M + 1")}), expr("3")}));
    CHECK(t.exact);
    requireNot(countOf("for i = 0; not (i != 3); i = i + 1"), Uncounted::NoTest);
    requireNot(countOf("for i = 0; not (0 <= i < N); i = i + 1"), Uncounted::NoTest);
    requireNot(countOf("for i = 0; i < N or A[i] > 0; i = i + 1"), Uncounted::NoTest);
    requireNot(countOf("for i = 0; A[i] > 0; i = i + 1"), Uncounted::NoTest);
}

TEST_CASE("jumps out of loops leave bounds") {
    const auto isExact = [](const std::string &body) {
        const LoopHeader t = countOf("for i = 0; i < N; i = i + 1", body);
        REQUIRE(t.counted());
        CHECK(t.count.str() == "N");
        return t.exact;
    };
    CHECK(isExact("state s {}"));
    CHECK(isExact("if A[i] > 0  {\ncontinue\n}"));
    CHECK(!isExact("if A[i] > 0  {\nbreak\n}"));
    CHECK(!isExact("for j = 0; j < M; j = j + 1 {\nreturn\n}"));
    CHECK(isExact("for j = 0; j < M; j = j + 1 {\nif A[i] > 0  {\nbreak\n}\n}"));
}

TEST_CASE("what a loop changes is no part of its count") {
    const auto assigns = [](const std::string &name) { return "state a {}\n" + name + " = " + name + " - 1\nstate b {}"; };
    requireNot(countOf("for i = 0; i < M; i = i + 1", assigns("M")), Uncounted::BoundChanges);
    requireNot(countOf("for i = 0; i < M; i = i + 1", assigns("i")), Uncounted::VariableChanges);
    requireNot(countOf("for i = 0; i < M; i = i + N", assigns("N")), Uncounted::StepChanges);
    requireNot(countOf("for i = 0; i < M; i = i + 1", "for i = 0; i < 3; i = i + 1 {\nstate s {}\n}"), Uncounted::VariableChanges);
    requireNot(countOf("for i = 0; i < K[0]; i = i + 1", "state s {\nt: o = 1  with o -> K[0]\n}"), Uncounted::BoundChanges);
    requireNot(countOf("for i = 0; i < K[0]; i = i + 1", "state s {\nK -> V\n t: o = 1  with o -> V[0]\n}"),
               Uncounted::BoundChanges);
    requireNot(countOf("for i = 0; i < R; i = i + 1", "state s {\nt: o = 1  with o -> R\n}"), Uncounted::BoundChanges);
    CHECK(countOf("for i = 0; i < K[0]; i = i + 1", "state s {\nt: o = 1.0  with o -> A[0]\n}").exact);
    CHECK(countOf("for i = 0; i < N and i < M; i = i + 1", assigns("M")).count.str() == "N"); // the other test bounds it

    const LoopHeader t = countOf("for i = M; i < N; i = i + 1", assigns("M"));
    CHECK(t.count.str() == "max(N - M, 0)");
    REQUIRE(t.changing.size() == 1);
    CHECK(t.changing[0] == Name("M"));
}

TEST_CASE("loops without a count say why") {
    requireNot(countOf("while A[0] > 0"), Uncounted::NoVariable);
    requireNot(countOf("for i = i; i < N; i = i + 1"), Uncounted::First);
    requireNot(countOf("for i = N / 2; i < N; i = i + 1"), Uncounted::First); // differs from the division of expressions
    requireNot(countOf("for i = 0; i < N / 2; i = i + 1"), Uncounted::NoTest);
    requireNot(countOf("for i = 1; i < N; i = i * 2"), Uncounted::Step);
    requireNot(countOf("for i = 0; i < N; i = i + 0"), Uncounted::StepZero);
    requireNot(countOf("for i = 0; i < N; i = i + s"), Uncounted::StepSign);
    requireNot(countOf("for i = 0; i > M; i = i + 1"), Uncounted::Direction);
    requireNot(countOf("for i = 0; i != M; i = i + 1"), Uncounted::MissesEnd); // M may be negative
    requireNot(countOf("for i = 0; i != N; i = i + 2"), Uncounted::MissesEnd);
    requireNot(countOf("for i = 0; i < K[i]; i = i + 1"), Uncounted::NoTest);
    requireNot(countOf("for i = 0; i < x; i = i + 1"), Uncounted::NoIntegers);
    requireNot(countOf("for i = 0; i < A[0]; i = i + 1"), Uncounted::NoIntegers);
    requireNot(countOf("for i = 0.5; i < N; i = i + 1"), Uncounted::NoIntegers);
    requireNot(countOf("for i = 0; i < floor(x); i = i + 1"), Uncounted::NoIntegers);
    CHECK(analysis::text(Uncounted::StepSign) == "the sign of its step is not known");
}

TEST_CASE("trip counts and ends fit together") {
    LoopHeader t = countOf("for i = 1; i < N; i = i + 2"); // the end is that of the header, though the count is not negative
    CHECK(t.end.str() == "N - 1");
    CHECK(t.level().range == sym::Range{expr("1"), expr("N - 1"), expr("2"), 1});
    t = countOf("for i = M; i != M + 6*N; i = i + 3"); // the end is the last value
    CHECK(t.end.str() == "M + 6*N - 3");
    CHECK(t.last() == t.end);
    t = countOf("for i = N; i >= 3; i = i - s"); // a symbolic step needs its sign
    CHECK(t.why == Uncounted::StepSign);
    CHECK(!t.hasEnd());
    t = countOf("for i = 0; i < ceil(sqrt(N)); i = i + 1"); // an integer, as for headerOf
    CHECK(t.count.str() == "max(ceil(sqrt(N)), 0)");
}

TEST_CASE("while loops that count in their body") {
    const std::string step = "state a {}\ns = s + 2\nstate b {}";
    LoopHeader t = countOf("while s < M", step);
    REQUIRE(t.counted());
    CHECK(t.variable == Name("s"));
    CHECK(t.first.str() == "s");
    CHECK(t.step.str() == "2");
    CHECK(t.changing == std::vector<Name>{"s"});
    CHECK(t.exact);
    CHECK(sym::evaluate(t.count, {{Name("M"), 5}, {Name("s"), 0}}) == 3);
    CHECK(sym::evaluate(t.count, {{Name("M"), 5}, {Name("s"), 9}}) == 0);

    t = countOf("while A[0] > x and s < M", step); // a bound
    CHECK(t.counted());
    CHECK(!t.exact);
    t = countOf("while s < N and M > 0", "state a {}\ns = s + 1\nM = M - 3\nstate b {}"); // the one that is reached first
    CHECK(sym::evaluate(t.count, {{Name("N"), 9}, {Name("M"), 6}, {Name("s"), 0}}) == 2);
    CHECK(sym::evaluate(t.count, {{Name("N"), 1}, {Name("M"), 6}, {Name("s"), 0}}) == 1);

    requireNot(countOf("while s < M", "state a {}\ns = s * 2\nstate b {}"), Uncounted::NoVariable);
    requireNot(countOf("while s < M", "state a {}\ns = s + 1\nstate b {}\ns = s + 1\nstate c {}"), Uncounted::NoVariable);
    requireNot(countOf("while s < M", "state a {}\ngoto c if N > 1\nthen\nstate b {}\ns = s + 1\nstate c {}"),
               Uncounted::NoVariable);
    requireNot(countOf("while s < M", "state a {}\nif N > 1  {\nstate i {}\ns = s + 1\nstate j {}\n}"), Uncounted::NoVariable);
    requireNot(countOf("while s < M", "state a {}\ns = s + 1\nstate b {}\ngoto a if N > 1\nthen\nstate c {}"),
               Uncounted::NoVariable);
    requireNot(countOf("while s < M", "if N > 1  {\ncontinue\n}\ns = s + 1\nstate b {}"), Uncounted::NoVariable);
    requireNot(countOf("while s < M", "state a {}\ns = s + 1\nM = M + 1\nstate b {}"), Uncounted::NoVariable);
}
