// join-products: which products read their matrix in a single pass.
#include "Transforms/PassRun.h"

using namespace sdfgc;
using namespace sdfgc::test;
using diag::Why;

namespace {

/// Two products with vectors, one state each.
struct Products : Graph {
    struct Text {
        std::string a = "A[0:N, 0:M]", b = "p[0:M]", c = "q[0:N]", second = "_a <- r[0:N], _b <- A[0:N, 0:M]; _c -> s[0:M]",
                    between = "", shape = "[N, M]", type = "float64", more = "";
    };
    explicit Products(const Text &t)
        : Graph(R"(
            sdfg f(A, B, p, q, r, s) (typed) {
              symbol N, M: int64
              argument A: $type$shape (CPU_Heap)
              argument B: $type$shape (CPU_Heap)
              argument p: $type[M] (CPU_Heap)
              argument q: $type[N] (CPU_Heap)
              argument r: $type[N] (CPU_Heap)
              argument s: $type[M] (CPU_Heap)
              $more
              state first {
                library blas.MatMul rows with _a <- $matrix, _b <- $vector; _c -> $result
              }
              $between
              state second {
                library blas.MatMul columns with $second
              }
            }
          )",
                {{"$type", t.type},
                 {"$shape", t.shape},
                 {"$matrix", t.a},
                 {"$vector", t.b},
                 {"$result", t.c},
                 {"$second", t.second},
                 {"$more", t.more},
                 {"$between", t.between}}) {}
    std::size_t products() const {
        std::size_t n = 0;
        for (const State *each : allStates(std::as_const(g)))
            n += nodesOf<LibraryNode>(*each).size();
        return n;
    }
    bool join(bool ordered = false) {
        PassRun pass("join-products");
        pass.options.reductions = ordered ? pass::ReductionOrder::Ordered : pass::ReductionOrder::Any;
        const bool changed = pass(g);
        CHECK(products() == (changed ? 0 : 2));
        why = pass.why();
        return changed;
    }
    Why why = Why::None;
};

bool joins(const Products::Text &t) { return Products(t).join(); }

Why whyNot(const Products::Text &t) {
    Products program(t);
    CHECK_FALSE(program.join());
    return program.why;
}

} // namespace

TEST_CASE("join-products: along rows and along columns of one matrix") {
    CHECK(joins({}));
    CHECK(joins({.second = "_a <- q[0:N], _b <- A[0:N, 0:M]; _c -> s[0:M]"})); // s = (A @ p) @ A
    CHECK(joins({.a = "r[0:N]", .b = "A[0:N, 0:M]", .c = "s[0:M]", .second = "_a <- A[0:N, 0:M], _b <- p[0:M]; _c -> q[0:N]"}));
    CHECK(joins({.type = "float32"}));
    CHECK(joins({.second = "_a <- r[0:N], _b <- A[0:N, 0:M]; _c -> p[0:M]"}) == false); // the first one reads p
}

TEST_CASE("join-products: other matrices, both along rows, other elements") {
    CHECK_FALSE(joins({.second = "_a <- r[0:N], _b <- B[0:N, 0:M]; _c -> s[0:M]"}));
    CHECK_FALSE(joins({.second = "_a <- A[0:N, 0:M], _b <- s[0:M]; _c -> r[0:N]"}));
    CHECK_FALSE(joins({.second = "_a <- r[0:N - 1], _b <- A[0:N - 1, 0:M]; _c -> s[0:M]"}));
    CHECK_FALSE(joins({.type = "complex128"}));
    CHECK_FALSE(joins({.type = "int64"}));
    CHECK(whyNot({.a = "A[0:50, 0:50]",
                  .b = "p[0:50]",
                  .c = "q[0:50]",
                  .second = "_a <- r[0:50], _b <- A[0:50, 0:50]; _c -> s[0:50]"}) == Why::Small);
}

TEST_CASE("join-products: the second needs all of the first") {
    // s = r @ A, then q = A @ s
    CHECK(whyNot({.a = "r[0:N]", .b = "A[0:N, 0:M]", .c = "s[0:M]", .second = "_a <- A[0:N, 0:M], _b <- s[0:M]; _c -> q[0:N]"}) ==
          Why::Dependence);
    // the first product's result in another order
    CHECK(
        whyNot({.a = "A[0:M, 0:M]", .b = "p[0:M]", .c = "q[0:M]", .second = "_a <- q[1:M + 1], _b <- A[0:M, 0:M]; _c -> s[0:M]"}) ==
        Why::Dependence);
}

TEST_CASE("join-products: what stands between") {
    CHECK(joins({.between = "state between {\nc: y = 0.0  with y: float64 -> B[0, 0]\n}"}));
    CHECK(joins({.between = "state between {\nc: y = 0.0  with y: float64 -> r[0]\n}"})); // the first one moves down
    CHECK(whyNot({.between = "state between {\nc: y = 0.0  with y: float64 -> A[0, 0]\n}"}) == Why::Order);
    CHECK_FALSE(joins({.between = "N = 7"}));
    Products aliased({});
    for (const char *name : {"q", "r"})
        aliased.g.arrays.find(Name(name))->mayAlias = true;
    CHECK_FALSE(aliased.join());
}

TEST_CASE("join-products: the order of sums") {
    CHECK_FALSE(Products({}).join(true));
    Products columns({});
    columns.g.arrays.find(Name("A"))->strides = {sym::Expr(1), sym::Expr::symbol(Name("N"))};
    CHECK_FALSE(columns.join());
    CHECK(columns.why == Why::Layout);
}
