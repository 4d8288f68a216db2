// The sizes of tapes: thirteen programs and their formulas.
#include "Graphs.h"

#include "sdfgc/Analysis/Flow/LoopHeader.h"
#include "sdfgc/Analysis/Sizes/SizeExpr.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;
using analysis::LoopHeader;
using analysis::SizeExpr;
using analysis::Uncounted;

namespace {

/// A program of loops `a`, `b`, `c`, with the assumptions about its symbols.
struct Program : Graph {
    explicit Program(const std::string &loops)
        : Graph(R"(
          sdfg f(K, ptr, len, mask, A, x) {
            symbol N, M, R, T, maxit, tol: int64
            argument K: int32[N]
            argument ptr: int32[R + 1]
            argument len: int32[R]
            argument mask: bool[N]
            argument A: float64[N]
            argument x: float64[T, maxit, M]
            state begin {}
            )" + loops +
                "\n}\n") {
        facts = analysis::factsOf(g);
    }
    LoopHeader trips(std::string_view label) { return analysis::tripCountOf(*block<LoopRegion>(label), facts); }
    SizeExpr count(std::string_view label) {
        const LoopHeader t = trips(label);
        INFO(analysis::text(t.why));
        REQUIRE(t.counted());
        return t.count;
    }
    /// The number of iteration `k` of a loop, in terms of the loop variable.
    SizeExpr numbered(std::string_view label, const SizeExpr &e, Name k) {
        const LoopHeader t = trips(label);
        return analysis::substitute(
            e, {{block<LoopRegion>(label)->variable, SizeExpr(t.first) + SizeExpr(sym::Expr::symbol(k)) * t.step}});
    }
    sym::Assumptions facts;
};

const Name k("k");

} // namespace

TEST_CASE("sizes of tapes: one loop, and loops in loops") {
    Program p1("a: for t = 0; t < T; t = t + 1 {\nstate s {}\n}");
    CHECK(p1.count("a").str() == "T");

    Program p2("a: for i = 0; i < N; i = i + 1 {\nb: for j = 0; j < i; j = j + 1 {\nstate s {}\n}\n}");
    const SizeExpr inner = p2.numbered("a", p2.count("b"), k);
    const SizeExpr packed = analysis::sumOver(k, 0, p2.count("a"), inner, p2.facts);
    CHECK(packed.str() == "N**2/2 - N/2");
    CHECK(analysis::maxOver(k, 0, p2.count("a"), inner, p2.facts).str() == "max(N, 1) - 1");
    CHECK(analysis::sumOver(k, 0, expr("i"), p2.numbered("a", p2.count("b"), k), p2.facts).str() ==
          "i**2/2 - i/2 if i > 0 else 0"); // the start of a row

    Program p3("a: for i = 2; i <= M; i = i + 3 {\nb: for j = i; j < N; j = j + 2 {\nstate s {}\n}\n}");
    const SizeExpr second = p3.numbered("a", p3.count("b"), k);
    CHECK(second.str() == "max((N - k + 1) // 2 - k, 1) - 1");
    const SizeExpr most = analysis::maxOver(k, 0, p3.count("a"), second, p3.facts);
    CHECK(most.str() == "max((N + 1) // 2, 1) - 1 if (M + 1) // 3 > 0 else 0");
    CHECK(analysis::sumOver(k, 0, p3.count("a"), second, p3.facts).hasBinder()); // not a polynomial
}

TEST_CASE("sizes of tapes: rows of different lengths") {
    Program p4("a: for i = 0; i < R; i = i + 1 {\nb: for p = ptr[i]; p < ptr[i + 1]; p = p + 1 {\nstate s {}\n}\n}");
    const SizeExpr row = p4.numbered("a", p4.count("b"), k);
    CHECK(row.str() == "max(ptr[k + 1] - ptr[k], 0)");
    const SizeExpr sum = analysis::sumOver(k, 0, p4.count("a"), row, p4.facts);
    CHECK(sum.str() == "SumOver(i, 0, R, max(ptr[i + 1] - ptr[i], 0))");

    Program p5("a: for i = 0; i < R; i = i + 1 {\nb: for p = 0; p < len[i]; p = p + 1 {\nstate s {}\n}\n}");
    const SizeExpr length = p5.numbered("a", p5.count("b"), k);
    CHECK(analysis::sumOver(k, 0, p5.count("a"), length, p5.facts).str() == "SumOver(i, 0, R, max(len[i], 0))");
    CHECK((p5.count("a") * analysis::maxOver(k, 0, p5.count("a"), length, p5.facts)).str() == "R*MaxOver(i, 0, R, max(len[i], 0))");

    Program p6("a: for i = 0; i < N; i = i + 1 {\nb: for j = 0; j < K[i]; j = j + 1 {\nc: for l = 0; l < j; l = l + 1 {\nstate s "
               "{}\n}\n}\n}");
    const SizeExpr two = analysis::sumOver(k, 0, p6.count("b"), p6.numbered("b", p6.count("c"), k), p6.facts);
    CHECK(two.str() == "max(K[i], 0)**2/2 - max(K[i], 0)/2");
    CHECK(analysis::sumOver(k, 0, p6.count("a"), p6.numbered("a", two, k), p6.facts).str() ==
          "SumOver(i, 0, N, max(K[i], 0)**2/2 - max(K[i], 0)/2)");
}

TEST_CASE("sizes of tapes: loops that end when something is reached") {
    Program p7("a: for it = 0; A[0] > tol and it < maxit; it = it + 1 {\nstate s {}\n}");
    CHECK((p7.count("a") * SizeExpr(expr("N"))).str() == "N*maxit");
    CHECK(!p7.trips("a").exact); // so the count is recorded

    Program p8("a: while A[0] > tol {\nstate s {}\n}");
    CHECK(p8.trips("a").why == Uncounted::NoVariable);

    Program p9("a: for i = 0; i < N; i = i + 1 {\nif A[i] > tol  {\nbreak\n}\nstate s {}\n}");
    CHECK(p9.count("a").str() == "N");
    CHECK(!p9.trips("a").exact);

    Program p10("a: for i = 0; i < N; i = i + 1 {\nstate h {\nt: o = 2 * c  with c <- K[0]; o -> K[0]\n}\n"
                "b: for j = 0; j < K[0]; j = j + 1 {\nstate s {}\n}\n}");
    CHECK(p10.count("b").str() == "max(K[0], 0)"); // at the entry of this loop, since it is not the same for all i
    CHECK(p10.count("a").str() == "N");
}

TEST_CASE("sizes of tapes: parts of containers, threads, conditions") {
    // 11: the interior of an in-place stencil
    Program p11("a: for t = 0; t < T; t = t + 1 {\nstate s {}\n}");
    CHECK((p11.count("a") * SizeExpr(expr("N - 2"))).str() == "N*T - 2*T");

    // 12: a search in a kernel, bounded by a conjunct
    Program p12("a: for i = 0; A[i] > tol and i < M; i = i + 1 {\nstate s {}\n}");
    CHECK((SizeExpr(expr("N")) * p12.count("a")).str() == "M*N");

    // 13: only iterations that pass a condition
    Program p13("a: for i = 0; i < N; i = i + 1 {\nb: for p = 0; p < M; p = p + 1 {\nstate s {}\n}\n}");
    const SizeExpr passing = sym::select(expr("mask[k]"), p13.count("b").tree(), 0);
    const SizeExpr all = analysis::sumOver(k, 0, p13.count("a"), passing, p13.facts);
    CHECK(all.str() == "SumOver(i, 0, N, M if mask[i] else 0)");
}
