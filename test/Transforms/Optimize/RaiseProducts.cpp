// raise-products: which loops with products become products of all iterations.
#include "Transforms/PassRun.h"

using namespace sdfgc;
using namespace sdfgc::test;
using diag::Why;

namespace {

/// A loop with one product.
struct Loop : Graph {
    struct Text {
        std::string a = "A[i, 0:M, 0:K]", b = "B[0:K, 0:K]", c = "C[i, 0:M, 0:K]", node = "MatMul",
                    range = "i = 0; i < N; i = i + 1", more = "";
    };
    explicit Loop(const Text &t)
        : Graph(R"(
            sdfg f(A, B, C, D, E) (typed) {
              symbol N, M, K, i: int64
              argument A: float64[N, M, K] (CPU_Heap)
              argument B: float64[K, K] (CPU_Heap)
              argument C: float64[N, M, K] (CPU_Heap)
              argument D: float64[M, N] (CPU_Heap)
              argument E: float64[N, N] (CPU_Heap)
              $more
              loop: for $range {
                state s {
                  library blas.$node product (CPU_Multicore) with _a: pointer(float64) <- $a, _b: pointer(float64) <- $b;
                      _c: pointer(float64) -> $c
                }
              }
            }
          )",
                {{"$range", t.range}, {"$node", t.node}, {"$a", t.a}, {"$b", t.b}, {"$c", t.c}, {"$more", t.more}}) {}
    /// The notation of the product that replaces the loop; empty if the loop stays.
    std::string raise(bool onDevice = true) {
        PassRun pass("raise-products");
        pass.options.target = pass::Target(onDevice ? "cuda" : "cpu");
        const bool changed = pass(g);
        why = pass.why();
        std::string out;
        for (const State *s : allStates(std::as_const(g)))
            for (const LibraryNode *n : nodesOf<LibraryNode>(*s))
                if (const json::Value *text = n->properties.find("einsum_str"))
                    out = text->text();
        CHECK(changed == !out.empty());
        return out;
    }
    Why why = Why::None;
};

std::string raised(const Loop::Text &t) { return Loop(t).raise(); }

Why whyNot(const Loop::Text &t) {
    Loop program(t);
    CHECK(program.raise().empty());
    return program.why;
}

} // namespace

TEST_CASE("raise-products: the loop is a row, a batch or a column") {
    CHECK(raised({}) == "eca,ad->ecd");
    CHECK(raised({.b = "A[i, 0:K, 0:K]"}) == "eca,ead->ecd");
    CHECK(raised({.a = "B[0:K, 0:K]", .b = "A[i, 0, 0:K]", .c = "C[i, 0, 0:K]"}) == "ba,ca->cb");
    CHECK(raised({.range = "i = N - 1; i >= 0; i = i - 1"}) == "eca,ad->ecd");
}

TEST_CASE("raise-products: triangles, at either end") {
    CHECK(raised({.a = "D[0:M, i]", .b = "D[0:M, i:N]", .c = "E[i, i:N]"}) == "ac,ab->cb");
    CHECK(raised({.a = "D[0:M, i]", .b = "D[0:M, 0:i + 1]", .c = "E[i, 0:i + 1]"}) == "ac,ab->cb");
    CHECK(whyNot({.a = "D[0:M, i]", .b = "D[0:M, i:i + 2]", .c = "E[i, 0:2]", .range = "i = 0; i < N - 1; i = i + 1"}) ==
          Why::Layout);
    CHECK(whyNot({.a = "D[0:M, i]", .b = "D[0:M, 0:2*i + 1]", .c = "E[i, 0:2*i + 1]"}) == Why::Layout);
    CHECK(whyNot({.a = "E[i, i:N]", .b = "E[i:N, 0:M]", .c = "D[0:M, i]"}) != Why::None);
}

TEST_CASE("raise-products: the same iterations in other orders are refused if they meet") {
    CHECK(whyNot({.c = "C[0, 0:M, 0:K]"}) == Why::Dependence);
    CHECK(whyNot({.a = "C[i - 1, 0:M, 0:K]", .range = "i = 1; i < N; i = i + 1"}) == Why::Dependence);
}

TEST_CASE("raise-products: numbers of iterations") {
    CHECK(whyNot({.range = "i = 2; i < 2; i = i + 1"}) == Why::Small);
    CHECK(whyNot({.range = "i = 2; i < 3; i = i + 1"}) == Why::Small);
    CHECK(raised({.range = "i = 2; i < 4; i = i + 1"}) == "eca,ad->ecd");
    CHECK(whyNot({.range = "i = 0; i < N - 2; i = i + 1"}) == Why::UnknownSize);
    CHECK(whyNot({.range = "i = 0; i < N; i = i + 2"}) == Why::LoopForm);
}

TEST_CASE("raise-products: on the CPU, only products of a matrix and a vector become products of matrices") {
    Loop batch({}), triangle({.a = "D[0:M, i]", .b = "D[0:M, i:N]", .c = "E[i, i:N]"}),
        dots({.a = "A[i, 0, 0:K]", .b = "B[0, 0:K]", .c = "C[i, 0, 0]"});
    CHECK(batch.raise(false).empty());
    CHECK(batch.why == Why::Unprofitable);
    CHECK(triangle.raise(false) == "ac,ab->cb");
    CHECK(dots.raise(false).empty());
    CHECK(dots.why == Why::Unprofitable);
}
