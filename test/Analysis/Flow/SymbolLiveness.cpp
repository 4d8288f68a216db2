// Which symbols may be read after a block before they are assigned again.
#include "Graphs.h"

#include "sdfgc/Analysis/Flow/SymbolLiveness.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// The symbols that are live after the block `at`, as text.
std::string liveAfter(const std::string &blocks) {
    Graph p(lines("sdfg f(A) { symbol N, i, j, k, m: int64 | argument A: int64[N] | " + blocks + " }"));
    analysis::SymbolLiveness liveness(p.g);
    std::string out;
    for (Block *b : allBlocks(p.g))
        if (b->label == "at")
            for (const Name n : liveness.after(*b))
                out += (out.empty() ? "" : " ") + n.str();
    return out;
}

const std::string writeK = "state use { t: y = k  with y -> A[0] }";

} // namespace

TEST_CASE("symbol liveness: a read keeps a symbol alive, an assignment before it does not") {
    CHECK(liveAfter("state at {} | k = 1 | " + writeK) == "");
    CHECK(liveAfter("state before {} | k = 1 | state at {} | then " + writeK) == "k");
    CHECK(liveAfter("state before {} | k = 1 | state at {} | k = k + 1 | " + writeK) == "k");
    CHECK(liveAfter("state before {} | k = 1 | state at {} | then state last {}") == "");
}

TEST_CASE("symbol liveness: each arm must assign a symbol, and one must be taken") {
    const std::string begin = "state before {} | k = 1 | state at {} | then ";
    const std::string assigns = "{ state a {} | k = 2 | state b {} | }";
    CHECK(liveAfter(begin + "if N > 3 " + assigns + " else " + assigns + " then " + writeK) == "");
    CHECK(liveAfter(begin + "if N > 3 " + assigns + " then " + writeK) == "k");
    CHECK(liveAfter(begin + "if k > 3 " + assigns + " else " + assigns + " then " + writeK) == "k");
}

TEST_CASE("symbol liveness: what a loop assigns is read in its next iteration") {
    const std::string loop = "loop: for i = 0; i < N; i = i + 1 ";
    CHECK(liveAfter("state before {} | k = 1 | " + loop + "{ " + writeK + " then state at {} | k = 2 | state end {} | }") == "i");
    CHECK(liveAfter("state before {} | k = 1 | " + loop + "{ " + writeK + " then state at {} | then state end {} | }") == "i k");
    CHECK(liveAfter("state before {} | k = 1 | state at {} | then " + loop + "{ state s {} | k = 2 | state end {} | } then " +
                    writeK) == "k");
    CHECK(liveAfter("state before {} | i = 1 | state at {} | then " + loop + "{ state s {} | }") ==
          ""); // the loop sets its variable
}

TEST_CASE("symbol liveness: a jump may skip an assignment") {
    const std::string loop = "loop: for i = 0; i < N; i = i + 1 ";
    CHECK(liveAfter("state before {} | k = 1 | " + loop +
                    "{ state at {} | then if N > i { break } then state s {} | k = 2 | state end {} | } then " + writeK) == "i k");
}
