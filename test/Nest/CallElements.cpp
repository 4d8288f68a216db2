// What calls of nested SDFGs access of arguments that their memlets pass as a whole.
#include "../Graphs.h"

#include "sdfgc/Nest/Nest.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// Returns the accesses of a call, in a map over `i`, whose nested SDFG has these blocks: `read A[i] (l)`, where `l` are its
/// loops; `*` stands for the subset of the memlet.
std::string elements(const std::string &blocks) {
    Graph program(lines("sdfg f(A, B, idx) (typed) { symbol N, M: int64 | argument A: float64[N, M] (CPU_Heap) | "
                        "argument B: float64[N] (CPU_Heap) | argument idx: int64[N] (CPU_Heap) | state s { "
                        "map m[i = 0:N] (CPU_Multicore) with <- A[0:N, 0:M], <- B[0:N], <- idx[0:N]; -> A[0:N, 0:M] { "
                        "nested c[N = N, M = M, p = i] with A: pointer(float64) <- A[0:N, 0:M], B: pointer(float64) <- B[0:N], "
                        "idx: pointer(int64) <- idx[0:N]; A: pointer(float64) -> A[0:N, 0:M] { sdfg c (typed) { "
                        "symbol N, M, p, k, j: int64 | argument A: float64[N, M] (CPU_Heap) | "
                        "argument B: float64[N] (CPU_Heap) | argument idx: int64[N] (CPU_Heap) | " +
                        blocks + " } } } } }"));
    analysis::Memories memories(program.g);
    const State *s = allStates(std::as_const(program.g)).front();
    const std::vector<nest::Item> items = nest::readState(*s, memories, {});
    std::string out;
    for (const nest::PlacedUse &u : nest::usesOf(items.front())) {
        if (u.use->data == Name("idx"))
            continue;
        std::string found;
        for (const analysis::AccessInstance &a : u.elements) {
            found += (found.empty() ? "" : " ") + a.subset->str();
            for (const analysis::LoopLevel &l : a.loops)
                found += " (" + sym::Subset{{l.range}}.str() + ")";
        }
        out += (out.empty() ? "" : ", ") + std::string(u.use->writes() ? "write " : "read ") + u.use->data.str() + "[" +
               (found.empty() ? "*" : found) + "]";
    }
    return out;
}

std::string tasklet(const std::string &read, const std::string &write) {
    return "state s" + std::to_string(read.size() + 10 * write.size()) + " { t: y = x  with x: float64 <- " + read +
           "; y: float64 -> " + write + " }";
}

} // namespace

TEST_CASE("The elements that a call accesses are those of its blocks") {
    CHECK(elements(tasklet("B[p]", "A[p, 0]")) == "read A[*], read B[i], write A[i, 0]");
    CHECK(elements("if B[p] > 0.5 { " + tasklet("A[p, 1]", "A[p, 0]") + " }") == "read A[i, 1], read B[i], write A[i, 0]");
    CHECK(elements("l: for j = 1; j < M; j = j + 1 { " + tasklet("A[p, j - 1]", "A[p, j]") + " }") ==
          "read A[i, j#1 - 1 (1:M)], read B[*], write A[i, j#1 (1:M)]");
}

TEST_CASE("Indices that only the nested SDFG knows may be any") {
    CHECK(elements("state a {} | k = idx[p] | " + tasklet("B[k]", "A[p, k]")) == "read A[*], read B[0:N], write A[i, 0:M]");
    CHECK(elements("state a {} | k = idx[p] | l: for j = 0; j < k; j = j + 1 { " + tasklet("B[p]", "A[p, j]") + " }") ==
          "read A[*], read B[i], write A[i, 0:M]");
}
