// recognise-copies: which kernels are copies and fills, and which must stay kernels.
#include "Transforms/PassRun.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

const std::string all = "i = 0:N, j = 0:M";

/// to = from in a kernel over `ranges`, both written like `A[i, j]`; without `from`, the value is in the code. A and B are N x M in
/// device memory, T is M x N, F is N x M with another type.
struct Kernel : Graph {
    MapEntry *m = node<MapEntry>("m");
    Tasklet *t = node<Tasklet>("t");
    AccessNode *target = cast<AccessNode>(m->exit->outEdges().front()->dst);

    static std::string whole(const std::string &end) { return end[0] == 'T' ? "T[0:M, 0:N]" : end.substr(0, 1) + "[0:N, 0:M]"; }

    Kernel(const std::string &ranges, const std::string &from, const std::string &to, const std::string &code = "y = x")
        : Graph(R"(
            sdfg f {
              symbol N, M, K: int64
              transient A: float64[N, M] (GPU_Global)
              transient B: float64[N, M] (GPU_Global)
              transient T: float64[M, N] (GPU_Global)
              transient F: float32[N, M] (GPU_Global)
              state main {
                map m[$ranges] (GPU_Device) with $over {
                  t: $code  with $element
                }
              }
            }
          )",
                {{"$ranges", ranges},
                 {"$over", (from.empty() ? "" : "<- " + whole(from) + "; ") + "-> " + whole(to)},
                 {"$element", (from.empty() ? "" : "x <- " + from + "; ") + "y -> " + to},
                 {"$code", code}}) {}
    bool recognised() {
        PassRun pass(transforms::createRecogniseCopies());
        return pass(g);
    }
    /// The edge into the target.
    const Memlet &result() const { return target->inEdges().front()->memlet; }
};

} // namespace

TEST_CASE("recognise-copies: a whole array, element by element") {
    Kernel k(all, "A[i, j]", "B[i, j]");
    REQUIRE(k.recognised());
    CHECK(k.s->nodes().size() == 2);
    CHECK(k.result().data == Name("A"));
    CHECK(k.result().subset->str() == "0:N, 0:M");
    CHECK(k.result().otherSubset->str() == "0:N, 0:M");
    CHECK_FALSE(k.recognised());
}

TEST_CASE("recognise-copies: what was before the map is before the copy") {
    Kernel k(all, "A[i, j]", "B[i, j]");
    auto *before = k.access("B"), *after = k.access("T");
    k.order(before, k.m);
    k.order(k.m->exit, after);
    REQUIRE(k.recognised());
    CHECK(before->outEdges().front()->dst == k.target);
    CHECK(after->inEdges().front()->src == k.target);
}

TEST_CASE("recognise-copies: rows of a part, with offsets and fixed indices") {
    Kernel part("j = 0:M", "A[3, j]", "B[K, j]");
    REQUIRE(part.recognised());
    CHECK(part.result().subset->str() == "3, 0:M");
    CHECK(part.result().otherSubset->str() == "K, 0:M");
    Kernel shifted("i = 0:N, j = 0:16", "A[i, j + 2]", "B[i, j]");
    REQUIRE(shifted.recognised());
    CHECK(shifted.result().subset->str() == "0:N, 2:18");
}

TEST_CASE("recognise-copies: zeros are filled in, other values are not") {
    for (const char *code : {"y = 0", "y = 0.0"}) {
        Kernel k(all, "", "B[i, j]", code);
        REQUIRE(k.recognised());
        const auto *fill = dyn_cast<LibraryNode>(k.target->inEdges().front()->src);
        REQUIRE(fill);
        CHECK(fill->className() == "FillLibraryNode");
        CHECK(k.result().subset->str() == "0:N, 0:M");
    }
    for (const char *code : {"y = 1", "y = -0.0", "y = i", "y = 0 + j"})
        CHECK_FALSE(Kernel(all, "", "B[i, j]", code).recognised());
}

TEST_CASE("recognise-copies: what computes, converts, transposes or repeats stays a kernel") {
    CHECK_FALSE(Kernel(all, "A[i, j]", "B[i, j]", "y = x + 1").recognised());
    CHECK_FALSE(Kernel(all, "A[i, j]", "F[i, j]").recognised());
    CHECK_FALSE(Kernel(all, "A[i, j]", "T[j, i]").recognised());
    CHECK_FALSE(Kernel(all, "A[0, j]", "B[i, j]").recognised());         // a row, again and again
    CHECK_FALSE(Kernel(all, "A[i, j]", "B[i, M - 1 - j]").recognised()); // backwards
    CHECK_FALSE(Kernel(all, "A[i, j]", "A[i, (j + 1) % M]").recognised());
    CHECK_FALSE(Kernel("i = 0:N", "A[i, 3]", "B[i, 3]").recognised());              // a column
    CHECK_FALSE(Kernel("i = 0:N, j = 0:i + 1", "A[i, j]", "B[i, j]").recognised()); // a triangle
}

TEST_CASE("recognise-copies: a box of which two sides may be empty stays a kernel") {
    CHECK_FALSE(Kernel("i = 3:K + 1, j = 5:K + 1", "A[i, j]", "B[i, j]").recognised());
    CHECK(Kernel("i = 3:K + 1, j = 0:M", "A[i, j]", "B[i, j]").recognised());
}

TEST_CASE("recognise-copies: resolved, shared and timed maps are left alone") {
    const auto kernel = [] { return Kernel(all, "A[i, j]", "B[i, j]"); };
    Kernel resolved = kernel(), sized = kernel(), timed = kernel(), host = kernel(), two = kernel();
    resolved.t->outEdges().front()->memlet.wcr = "lambda a, b: a + b";
    CHECK_FALSE(resolved.recognised());
    sized.m->gpuBlockSize = {32, 1, 1};
    CHECK_FALSE(sized.recognised());
    timed.m->instrument = Instrumentation::Timer;
    CHECK_FALSE(timed.recognised());
    host.m->schedule = Schedule::Sequential;
    CHECK_FALSE(host.recognised());
    Tasklet *other = two.tasklet("z = 0");
    two.order(two.m, other);
    two.edge(other, "z", two.m->exit, "IN_z", "T[j, i]");
    CHECK_FALSE(two.recognised());
}
