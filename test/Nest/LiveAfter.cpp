// Are values of a container read after a block?
#include "../Graphs.h"

#include "sdfgc/Nest/LiveAfter.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// Is `t` (one element) or `s` (an array) live after the block `at` of an SDFG with this content?
struct After : Graph {
    explicit After(const std::string &content)
        : Graph(lines("sdfg f(A, C) (typed) { symbol N, i, j, k: int64 | argument A: float64[N] (CPU_Heap) | "
                      "argument C: int64[N] (CPU_Heap) | transient t: float64 (Register) | transient s: float64[N] (CPU_Heap) | " +
                      content + " }")) {
        for (Block *b : allBlocks(g))
            if (b->label == "at")
                at = b;
    }
    bool isLive(const char *container) { return live.isLive(*at, Name(container)); }

    Block *at = nullptr;
    analysis::Memories memories{g};
    nest::LiveAfter live{g, memories};
};

const std::string at = "at: for j = 0; j < N; j = j + 1 { state first { c: y = 1.0  with y: float64 -> t } }";
const std::string set = "state set { c: y = 1.0  with y: float64 -> t }",
                  use = "state use { c: y = x  with x: float64 <- t; y: float64 -> A[0] }";

} // namespace

TEST_CASE("live after: a read counts unless a write to the same elements is certain before it") {
    CHECK_FALSE(After(at).isLive("t"));
    CHECK(After(at + " then " + use).isLive("t"));
    CHECK_FALSE(After(at + " then " + set + " then " + use).isLive("t"));
    CHECK(After(at + " then if N > 3 { " + set + " } then " + use).isLive("t"));
    CHECK_FALSE(After(at + " then if N > 3 { " + set + " } else { " + set + " } then " + use).isLive("t"));
    CHECK_FALSE(After(at + " then if N > 3 { " + set + " then " + use + " }").isLive("t"));
    CHECK(After(at + " then if t > 3 { state z {} }").isLive("t"));
}

TEST_CASE("live after: elements of arrays") {
    const std::string fill = "loop: for i = 0; i < N; i = i + 1 { state f { c: y = 1.0  with y: float64 -> s[i] } }";
    const std::string last = "state use { c: y = x  with x: float64 <- s[N - 1]; y: float64 -> A[0] }";
    CHECK(After(at + " then " + last).isLive("s"));
    CHECK_FALSE(After(at + " then " + fill + " then " + last).isLive("s"));
    CHECK(After(at + " then state w { c: y = 1.0  with y: float64 -> s[0] } then " + last).isLive("s"));
    // The element that the symbol meant is written, another one is read.
    CHECK(After(at + " then state w { c: y = 1.0  with y: float64 -> s[k] } | k = C[0] | "
                     "state use { c: y = x  with x: float64 <- s[k]; y: float64 -> A[0] }")
              .isLive("s"));
    CHECK_FALSE(After(at + " then state w { c: y = 1.0  with y: float64 -> s[k] } then "
                           "state use { c: y = x  with x: float64 <- s[k]; y: float64 -> A[0] }")
                    .isLive("s"));
}

TEST_CASE("live after: the next iteration of a loop around the block") {
    const auto loop = [](const std::string &body) { return "loop: for i = 0; i < N; i = i + 1 { " + body + " }"; };
    CHECK(After(loop(use + " then " + at)).isLive("t"));
    CHECK_FALSE(After(loop(set + " then " + use + " then " + at)).isLive("t"));
    CHECK_FALSE(After(loop(at + " then " + set + " then " + use)).isLive("t"));
    CHECK(After(loop("if C[i] > 3 { " + at + " } then state e {} then " + use)).isLive("t"));
    CHECK(After(loop("if C[i] > 3 { continue } then " + set + " then " + at) + " then " + use).isLive("t"));
}

TEST_CASE("live after: memories may get new identities") {
    const std::string refer = "state refer { C[0:N] -> new R:set }"; // whose memory is that of C
    After a("reference R: int64[N] | " + refer + " then " + at + " then " + set + " then " + use);
    CHECK_FALSE(a.isLive("t"));
    const int64_t before = a.memories.version();
    a.memories.replaced({}, {});
    CHECK(a.memories.version() != before);
    for (const char *other : {"s", "R", "C"}) // in another order
        a.memories.of(a.g, Name(other));
    CHECK_FALSE(a.isLive("t"));
}

TEST_CASE("live after: a replaced loop is forgotten") {
    After a(at + " then loop: for i = 0; i < N; i = i + 1 { " + set + " then " + use + " } then state z {}");
    CHECK_FALSE(a.isLive("t"));
    LoopRegion *loop = nullptr;
    for (Region *r : allRegions(a.g))
        if (r->label == "loop")
            loop = cast<LoopRegion>(r);
    a.live.forget(*loop);
    CHECK(a.isLive("t")); // its states are in no run now, and may read what they mention
}
