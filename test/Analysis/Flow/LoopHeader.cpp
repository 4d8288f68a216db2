// Headers of loops that count to a bound.
#include "Graphs.h"

#include "sdfgc/Analysis/Flow/LoopHeader.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;
using analysis::CountedLoop;
using analysis::LoopHeader;

namespace {

const std::string symbols = "symbol N, M, i, j, s: int64\n symbol x: float64\n argument K: int32[4]\n";

/// The values of the variable in the order in which the loop runs, and its value after the loop; `none` if the header
/// gives no end.
std::string header(const std::string &head) {
    const auto g = readGraph("sdfg f {\n " + symbols + " for " + head + " {\n state s {}\n }\n}\n");
    const LoopHeader h = analysis::headerOf(*cast<ir::LoopRegion>(g->start()));
    return h.hasEnd() ? sym::Subset({h.walk()}).str() + ", then " + h.after().str() : "none";
}

/// The same of a loop that is counted, with its trip count.
std::string counted(const std::string &head, const std::string &body = "state s {}") {
    const auto g = readGraph("sdfg f {\n " + symbols + head + " {\n " + body + "\n }\n}\n");
    const auto l = analysis::countedLoop(*cast<ir::LoopRegion>(g->start()));
    if (!l)
        return "none";
    const std::string step = l->first.str() + " by " + l->step.str() + (l->down ? " down" : " up");
    return !l->hasEnd() ? step + ", open"
                        : step + ", last " + l->last().str() + ", " + l->trips().str() + (l->exact ? "" : " or fewer");
}

/// The values of `for i = first; i relation bound; i = i + step`.
std::vector<int64_t> valuesOf(int64_t first, const std::string &relation, int64_t bound, int64_t step) {
    std::vector<int64_t> out;
    const auto passes = [&](int64_t i) {
        return relation == "<" ? i < bound : relation == "<=" ? i <= bound : relation == ">" ? i > bound : i >= bound;
    };
    for (int64_t i = first; passes(i); i += step)
        out.push_back(i);
    return out;
}

} // namespace

TEST_CASE("Loops that count up and down") {
    CHECK(header("i = 0; i < N; i = i + 1") == "0:N, then max(N, 0)");
    CHECK(header("i = 1; i <= N; i = i + 2") == "1:N + 1:2, then 2*max((N + 1) // 2, 0) + 1");
    CHECK(header("i = N - 1; i >= 0; i = i - 1") == "N - 1:-1:-1, then min(N, 0) - 1");
    CHECK(header("i = 0; i < 10; i = i + 3") == "0:10:3, then 12");
    CHECK(header("i = 10; i > 0; i = i - 4") == "10:1:-4, then -2");
    CHECK(header("i = 5; i < 5; i = i + 1") == "5:5, then 5");
    CHECK(header("i = 7; i < 5; i = i + 1") == "7:5, then 7");
}

TEST_CASE("Updates and conditions of other forms that mean the same") {
    CHECK(header("i = 0; N > i; i = 1 + i") == "0:N, then max(N, 0)");
    CHECK(header("i = 0; i + 1 <= N; i = i - 2 + 3") == "0:N, then max(N, 0)");
    CHECK(header("i = 0; not (i >= N); i = i + 1") == "0:N, then max(N, 0)");
    CHECK(header("i = 0; 2*i < N; i = i + 1") == "0:(N + 1) // 2, then max((N + 1) // 2, 0)");
    CHECK(header("i = N; -i < 0; i = i - 1") == "N:0:-1, then min(N, 0)");
}

TEST_CASE("Comparisons that test a variable") {
    const auto end = [](const char *left, py::Op op, const char *right) {
        const auto test = analysis::testOf(op, expr(left), expr(right), Name("i"));
        return !test ? "none" : (test->bounds(true) ? "down to " : test->bounds(false) ? "up to " : "not ") + test->end().str();
    };
    CHECK(end("i", py::Op::Lt, "N") == "up to N - 1");
    CHECK(end("N", py::Op::Ge, "i + 2") == "up to N - 2");
    CHECK(end("N", py::Op::Lt, "i") == "down to N + 1");
    CHECK(end("i", py::Op::Ge, "3*j") == "down to 3*j");
    CHECK(end("7", py::Op::Gt, "2*i") == "up to 3");
    CHECK(end("i", py::Op::Ne, "N") == "not N");
    CHECK(end("2*i", py::Op::Ne, "N") == "none"); // it may step over N
    CHECK(end("i", py::Op::Eq, "N") == "none");
    CHECK(end("i*i", py::Op::Lt, "N") == "none");
    CHECK(end("i", py::Op::Lt, "i + 1") == "none");
    CHECK(end("j", py::Op::Lt, "N") == "none");
}

TEST_CASE("Headers without an end that the text alone gives") {
    for (const char *head :
         {"i = 0; i != N; i = i + 1", "i = 0; i < N and i < 4; i = i + 1", "i = 0; i < N or i < 4; i = i + 1",
          "i = 0; i < N; i = 2 * i", "i = 0; i < N; i = i + s", "i = 0; i < N; i = i + 0", "i = 0; i < N; i = i - 1",
          "i = 0; i > N; i = i + 1", "i = i; i < N; i = i + 1", "i = 0; i < N; i = i + 1.5", "i = 0; j < N; i = i + 1",
          "i = 0; i < K[i]; i = i + 1", "i = 0; i < N / 2; i = i + 1", "i = 0; i < N**-1; i = i + 1"}) {
        INFO(head);
        CHECK(header(head) == "none");
    }
}

TEST_CASE("Bounds that need not be integers are not used: the loop would have one more iteration than to the integer below") {
    for (const char *bound : {"sqrt(N)", "0.5 * N", "log2(N) + 0.5", "2.5", "min(N, 2.5)", "f(N)", "(N if N > 2 else 2.5)"}) {
        INFO(bound);
        CHECK(header("i = 0; i < " + std::string(bound) + "; i = i + 1") == "none");
        CHECK(header("i = N; i > " + std::string(bound) + "; i = i - 1") == "none");
        CHECK(header("i = " + std::string(bound) + "; i < N; i = i + 1") == "none");
    }
    for (const char *bound :
         {"floor(sqrt(N))", "ceil(0.5 * N)", "int(sqrt(N))", "(N >> 1)", "N // 2", "N % 3", "2**N", "(N if N > 2 else 2)"}) {
        INFO(bound);
        CHECK(header("i = 0; i < " + std::string(bound) + "; i = i + 1") != "none");
    }
}

TEST_CASE("Values are those of loops that run") {
    const std::string relation = GENERATE("<", "<=", ">", ">=");
    const bool down = relation[0] == '>';
    for (int64_t by = 1; by <= 4; ++by) {
        const int64_t step = down ? -by : by;
        LoopRegion l;
        l.variable = Name("i");
        l.init = Code{"i = a"};
        l.condition = Code{"i " + relation + " b"};
        l.update = Code{"i = i + " + std::to_string(step)};
        const LoopHeader h = analysis::headerOf(l);
        REQUIRE(h.hasEnd());
        REQUIRE(h.down == down);
        REQUIRE(h.names() == std::set<Name>{"a", "b", "i"});
        for (int64_t first = -4; first <= 4; ++first)
            for (int64_t bound = -9; bound <= 9; ++bound) {
                const auto value = [&](sym::Expr e) { return sym::evaluate(e, {{Name("a"), first}, {Name("b"), bound}}); };
                const std::vector<int64_t> values = valuesOf(first, relation, bound, step);
                const auto n = static_cast<int64_t>(values.size());
                INFO(first << " " << relation << " " << bound << " by " << step);
                REQUIRE(value(sym::max({h.trips(), 0})) == n);
                REQUIRE(value(h.after()) == first + n * step);
                REQUIRE((value(h.range().begin) > value(h.range().end)) == values.empty());
                if (values.empty())
                    continue;
                REQUIRE(value(h.last()) == values.back());
                REQUIRE(value(h.range().begin) == (down ? values.back() : first));
                for (int64_t k = 0; k < n; ++k) {
                    REQUIRE(value(h.valueIn(k)) == values[k]);
                    REQUIRE(value(sym::substitute(h.number(), {{Name("i"), values[k]}})) == k);
                }
            }
    }
}

TEST_CASE("Integers are known by the types of symbols and containers") {
    const auto g = readGraph("sdfg f {\n " + symbols + " argument A: float64[4]\n state s {}\n}\n");
    for (const char *integer : {"N", "K[N]", "floor(sqrt(N))", "N // 2", "unknown"}) {
        INFO(integer);
        CHECK(analysis::isInteger(expr(integer), g.get()));
    }
    for (const char *other : {"x", "A[0]", "N + x", "floor(x)", "0.5", "sqrt(N)"}) {
        INFO(other);
        CHECK(!analysis::isInteger(expr(other), g.get()));
    }
    CHECK(analysis::isInteger(expr("x"))); // without a graph
    const auto isOfIntegers = [&g](const std::string &end) {
        LoopHeader h;
        h.variable = Name("i");
        h.end = expr(end);
        return h.isOfIntegers(*g);
    };
    CHECK(isOfIntegers("N"));
    CHECK(!isOfIntegers("x"));
    CHECK(!isOfIntegers("K[0]")); // the loop may write it
}

TEST_CASE("Loops that can be reversed") {
    CHECK(counted("for i = 0; i < N; i = i + 1") == "0 by 1 up, last N - 1, N");
    CHECK(counted("for i = N; i > M; i = i - 1") == "N by -1 down, last M + 1, N - M");
    CHECK(counted("for i = 1; i <= N; i = i + 2") == "1 by 2 up, last 2*((N + 1) // 2) - 1, (N + 1) // 2");
    CHECK(counted("for i = 0; i != 6; i = i + 2") == "0 by 2 up, last 4, 3");
    CHECK(counted("for i = 0; i < N and K[0] > i + N*i; i = i + 1") == "0 by 1 up, last max(N, 0) - 1, max(N, 0) or fewer");
    CHECK(counted("for i = 0; K[0] > 0; i = i - 1") == "0 by -1 down, open");
    CHECK(counted("for i = 0; i < K[0]; i = i + 1") == "0 by 1 up, open"); // the loop may write K
    CHECK(counted("for i = 0; i < N; i = i + s") == "none");
    CHECK(counted("for i = K[0]; i < N; i = i + 1") == "none");
    CHECK(counted("for i = 0; i < x; i = i + 1") == "0 by 1 up, open");
    CHECK(counted("while K[0] > 0") == "none");
}

TEST_CASE("Loops that change what their header depends on are not counted") {
    const auto assigns = [](const std::string &name) { return "state a {}\n" + name + " = " + name + " - 1\nstate b {}"; };
    const std::string loop = "for i = M; i < N; i = i + 1";
    CHECK(counted(loop, assigns("s")) == "M by 1 up, last N - 1, N - M");
    CHECK(counted(loop, assigns("N")) == "M by 1 up, open");
    CHECK(counted(loop, assigns("M")) == "none");
    CHECK(counted(loop, assigns("i")) == "none");
    CHECK(counted(loop, "for i = 0; i < 3; i = i + 1 {\nstate s {}\n}") == "none");
}

TEST_CASE("Loops around a region are those whose ends are integers that they do not change") {
    const auto around = [](const std::string &outer, const std::string &change) {
        const auto g = readGraph("sdfg f {\n " + symbols + " for " + outer + " {\n for j = 4; j > i; j = j - 2 {\n state s {}\n " +
                                 change + "\n state t {}\n }\n }\n}\n");
        std::string out;
        auto *inner = cast<ir::LoopRegion>(cast<ir::LoopRegion>(g->start())->start());
        for (const analysis::LoopLevel &l : analysis::loopsAround(*inner))
            out += l.variable.str() + " " + sym::Subset({l.range}).str() + "; ";
        const auto all = analysis::countedLoopsAround(*inner);
        return out + (all ? std::to_string(all->size()) : "none");
    };
    const std::string inner = "j 2 - 2*((1 - i) // 2):5:2; ";
    CHECK(around("i = 0; i < N; i = i + 1", "") == "i 0:N; " + inner + "2");
    CHECK(around("i = 0; i < x; i = i + 1", "") == inner + "2"); // the outer loop is open
    CHECK(around("i = 0; i < N; i = i + 1", "N = N + 1") == inner + "2");
    CHECK(around("i = 0; i < N; i = i + s", "") == inner + "none");
}
