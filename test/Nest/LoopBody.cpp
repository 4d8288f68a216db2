// Bodies of loops with any control flow: what an iteration accesses, and whether iterations depend on each other.
#include "../Graphs.h"

#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Nest/LoopBody.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// A reason without the accesses that it names.
std::string withoutAccesses(const std::string &text) { return text.substr(0, text.find(": ")); }

/// A loop `loop` over i with a body, in an SDFG with some containers and symbols.
struct Loop : Graph {
    explicit Loop(const std::string &body)
        : Graph(
              lines("sdfg f(A, B, C, idx) (typed) { symbol N, i, j, k: int64 | argument A: float64[N, N] (CPU_Heap) | "
                    "argument B: float64[N] (CPU_Heap) | argument C: int64[N] (CPU_Heap) | argument idx: int64[N] (CPU_Heap) | "
                    "transient t: float64 (Register) | transient s: float64[N] (CPU_Heap) | loop: for i = 0; i < N; i = i + 1 { " +
                    body + " } }")) {
        for (Region *r : allRegions(g))
            if (r->label == "loop")
                header = analysis::headerOf(*(loop = cast<LoopRegion>(r)));
        why = nest::readBody(*loop, header, memories, analysis::sharedContainers(g), symbols, content);
    }

    /// Returns the first reason why the loop cannot become a map; empty if it can.
    std::string obstacle() {
        std::set<Name> found;
        if (!why)
            why = nest::dependenceOf(
                content, g, items, memories,
                [this](Name n) { return n == Name("t") || n == Name("s") ? outside : nest::Outside::Needed; }, found);
        for (const Name n : found)
            locals += n.str();
        return why.text;
    }

    /// The same without the accesses.
    std::string brief() { return withoutAccesses(obstacle()); }

    std::string uses() const {
        std::string out;
        for (const nest::BodyUse &u : content.uses) {
            const char *kind = u.kind == nest::UseKind::Read ? "read " : u.kind == nest::UseKind::Write ? "write " : "update ";
            out += (out.empty() ? "" : ", ") + std::string(kind) + u.data.str() + "[" +
                   (u.instance.subset ? u.instance.subset->str() : "?") + "]" + std::string(u.guards.size(), '?');
        }
        return out;
    }

    LoopRegion *loop = nullptr;
    analysis::LoopHeader header;
    analysis::Memories memories{g};
    nest::BodySymbols symbols{g};
    nest::Conflicts items{g, memories};
    nest::LoopBody content;
    diag::Reason why;
    std::string locals;
    nest::Outside outside = nest::Outside::Dead;
};

const std::string gather = "state s {} | k = idx[i] | state u { c: y = x  with x: float64 <- B[k]; y: float64 -> A[i, 0] }";

} // namespace

TEST_CASE("loop body: accesses have the values of symbols, and the arms around them") {
    CHECK(Loop("state s {} | k = i + 2 | state u { c: y = x  with x: float64 <- B[k]; y: float64 -> A[i, k] }").uses() ==
          "read B[i#1 + 2], write A[i#1, i#1 + 2]");
    CHECK(Loop(gather).uses() == "read idx[i#1], read B[idx#2], write A[i#1, 0]");
    CHECK(Loop("if C[i] > 3 { state u { c: y = 1.0  with y: float64 -> B[i] } }").uses() == "read C[i#1], write B[i#1]?");
    CHECK(Loop("inner: for j = 0; j < C[i]; j = j + 1 { state u { c: y = 1.0  with y: float64 -> A[i, j] } }").uses() ==
          "read C[i#1], write A[i#1, j#3]");
}

TEST_CASE("loop body: gathers and own elements are independent, scattered stores are not") {
    CHECK(Loop(gather).obstacle() == "");
    CHECK(Loop("state s {} | k = idx[i] | state u { c: y = x  with x: float64 <- A[i, 0]; y: float64 -> B[k] }").obstacle() ==
          "iterations depend on each other by `B`: `c` writes `B[idx]`");
    CHECK(Loop("if C[i] > 3 { state u { c: y = 1.0  with y: float64 -> B[i] } }").obstacle() == "");
    CHECK(Loop("check: if B[i - 1] > 3 { state u { c: y = 1.0  with y: float64 -> B[i] } }").obstacle() ==
          "iterations depend on each other by `B`: the condition of `check` reads `B[i - 1]`, `c` writes `B[i]`");
}

TEST_CASE("loop body: a symbol must be assigned on every path before it is read") {
    const std::string use = "state u { c: y = x  with x: float64 <- B[k]; y: float64 -> A[i, 0] }";
    const std::string arm = "{ state a {} | k = i | state b {} | }", other = "{ state c {} | k = 0 | state d {} | }";
    CHECK(Loop("if C[i] > 3 " + arm + " else " + other + " then " + use).obstacle() == "");
    CHECK(Loop("if C[i] > 3 " + arm + " then " + use).obstacle() == "`k` may have the value of an earlier iteration: `c` reads it");
    CHECK(Loop(use + " | k = idx[i] | state e {}").obstacle() == "`k` may have the value of an earlier iteration: `c` reads it");
    CHECK(Loop("state s {} | k = 3 | " + use).obstacle() == "");
}

TEST_CASE("loop body: a private container is written before it is read, on every path") {
    const std::string set = "{ state a { c: y = 1.0  with y: float64 -> t } }";
    const std::string use = "state u { c: y = x  with x: float64 <- t; y: float64 -> A[i, 0] }";
    Loop both("if C[i] > 3 " + set + " else " + set + " then " + use);
    CHECK(both.obstacle() == "");
    CHECK(both.locals == "t");
    CHECK(Loop("if C[i] > 3 " + set + " then " + use).obstacle() ==
          "iterations depend on each other by `t`: `c` writes `t` and reads `t`");
    CHECK(Loop("if C[i] > 3 { state a { c: y = 1.0  with y: float64 -> t } then " + use + " }").obstacle() == "");
    CHECK(Loop(use + " then if C[i] > 3 " + set).obstacle() ==
          "iterations depend on each other by `t`: `c` writes `t` and reads `t`");
}

TEST_CASE("loop body: a symbol that carries a value over is named, and the caller may take care of it") {
    Loop counts("if C[i] > 3 { state a {} | k = k + B[i] | state b {} }");
    CHECK(counts.brief() == "`k` may have the value of an earlier iteration");
    CHECK(counts.content.carried == Name("k"));
    nest::LoopBody again;
    CHECK(!nest::readBody(*counts.loop, counts.header, counts.memories, analysis::sharedContainers(counts.g), counts.symbols, again,
                          {Name("k")}));
    CHECK(again.carried.empty());
    CHECK(again.uses.size() == 2); // what the assignment reads is still an access
    Loop other("if C[i] > 3 { state a {} | k = k + B[j] | j = i | state b {} }");
    nest::LoopBody blocked;
    CHECK(nest::readBody(*other.loop, other.header, other.memories, analysis::sharedContainers(other.g), other.symbols, blocked,
                         {Name("k")})
              .text == "`j` may have the value of an earlier iteration: an assignment after `a` reads it");
    CHECK(blocked.carried == Name("j"));
}

TEST_CASE("loop body: the caller decides about containers that iterations share, except under two names") {
    const std::string sum = "if C[i] > 3 { state a { c: y = 1.0  with y: float64 -> t (+) } }";
    Loop adds(sum);
    CHECK(adds.content.uses.back().wcr == "(lambda x, y: (x + y))");
    std::vector<Name> asked;
    const auto reduce = [&asked](Name n) {
        asked.push_back(n);
        return n == Name("t");
    };
    std::set<Name> found;
    const auto none = [](Name) { return nest::Outside::Needed; };
    CHECK(!nest::dependenceOf(adds.content, adds.g, adds.items, adds.memories, none, found, reduce));
    CHECK(asked == std::vector<Name>{Name("t")}); // once
    CHECK(found.empty());
    CHECK(withoutAccesses(nest::dependenceOf(adds.content, adds.g, adds.items, adds.memories, none, found).text) ==
          "iterations depend on each other by `t`");
    Loop both(sum + " then state b { c: y = 1.0  with y: float64 -> B[0] }");
    asked.clear();
    CHECK(withoutAccesses(nest::dependenceOf(both.content, both.g, both.items, both.memories, none, found, reduce).text) ==
          "iterations depend on each other by `B`");
    CHECK(asked == std::vector<Name>{Name("t"), Name("B")});
}

namespace {

const std::string first = "state first { c: y = 1.0  with y: float64 -> s[0] } then ";
const std::string rest = "rest: for j = 1; j < N; j = j + 1 { state r { c: y = 1.0  with y: float64 -> s[j] } } then ";
const std::string all = "all: for j = 0; j < N; j = j + 1 { state u { c: y = x  with x: float64 <- s[j]; y: float64 -> A[i, j] } }";

/// An inner loop from 1 on, with a step that reads s[j - distance] and one that writes s[j].
std::string levels(int distance, const std::string &step) {
    return "levels: for j = 1; j < N; j = j + 1 { state u { c: y = x  with x: float64 <- s[j - " + std::to_string(distance) +
           "]; y: float64 -> A[i, j] } then " + step + " }";
}
const std::string store = "state w { c: y = 1.0  with y: float64 -> s[j] }";

} // namespace

TEST_CASE("loop body: several writes cover a read") {
    Loop parts(first + rest + all);
    CHECK(parts.obstacle() == "");
    CHECK(parts.locals == "s");
    CHECK(Loop(first + all).brief() == "iterations depend on each other by `s`");
    CHECK(Loop(rest + all).brief() == "iterations depend on each other by `s`");
    CHECK(Loop("if C[i] > 3 { " + first + "state z {} } then " + rest + all).brief() == "iterations depend on each other by `s`");
}

TEST_CASE("loop body: earlier iterations of an inner loop cover a read") {
    CHECK(Loop(first + levels(1, store)).obstacle() == "");
    CHECK(Loop(levels(1, store)).brief() == "iterations depend on each other by `s`");
    CHECK(Loop(first + levels(2, store)).brief() == "iterations depend on each other by `s`");
    CHECK(Loop(first + levels(0, store)).brief() == "iterations depend on each other by `s`");
    CHECK(Loop(first + levels(1, "if C[j] > 3 { " + store + " }")).brief() == "iterations depend on each other by `s`");
    CHECK(Loop(first + levels(1, "if C[j] > 3 { " + store + " } else { " + store + " }")).obstacle() == "");
    CHECK(Loop(first + levels(1, "if C[j] > 3 { continue } then " + store)).brief() == "iterations depend on each other by `s`");
    CHECK(Loop(first + levels(1, store + " then if C[j] > 3 { continue }")).obstacle() == "");
    CHECK(Loop(first + levels(1, store + " then if C[j] > 3 { break }")).brief() == "iterations depend on each other by `s`");
}

TEST_CASE("loop body: an element that nothing writes has no value, unless it has one before the loop") {
    const std::string body = "state s {} | k = idx[i] | state w { c: y = 1.0  with y: float64 -> s[0] } then "
                             "state u { c: y = x  with x: float64 <- s[k]; y: float64 -> A[i, 0] }";
    Loop fresh(body), old(body);
    fresh.outside = nest::Outside::Nothing;
    CHECK(fresh.obstacle() == "");
    CHECK(old.brief() == "iterations depend on each other by `s`");
    Loop late(body + " then state l { c: y = 2.0  with y: float64 -> s[1] }");
    late.outside = nest::Outside::Nothing;
    CHECK(late.brief() == "iterations depend on each other by `s`");
}

TEST_CASE("loop body: what a map keeps private stays so in calls, and other containers of the same name do not") {
    const auto call = [](const std::string &passed, const std::string &filled) {
        return "state a { map m[j = 0:N] (Sequential) with <- B[0:N], <- A[0:N, 0:N]; -> A[0:N, 0:N] { "
               "c: y = x  with x: float64 <- B[j]; y: float64 -> " +
               filled + "[0] | nested n[i = i] with t: float64 <- " + passed +
               "; y: float64 -> A[i, j] { sdfg n (typed) { symbol i: int64 | argument t: float64 (CPU_Heap) | argument y: float64 "
               "(CPU_Heap) | "
               "state s { c: y1 = x  with x: float64 <- t; y1: float64 -> y } } } } }";
    };
    CHECK(Loop(call("t[0]", "t")).uses() == "read B[j#2], write A[i#1, j#2]");
    CHECK(Loop(call("A[0, j]", "t")).uses() == "read B[j#2], read A[0, j#2], write A[i#1, j#2]");
}

TEST_CASE("loop body: jumps out of the loop, and values read after it, are obstacles") {
    CHECK(Loop("check: if C[i] > 3 { break }").obstacle() == "a break may end it early, in a branch of `check`");
    CHECK(Loop("if C[i] > 3 { continue } then state u { c: y = 1.0  with y: float64 -> B[i] }").obstacle() == "");
    Graph later(
        lines("sdfg f(B) (typed) { symbol N, i, k: int64 | argument B: float64[N] (CPU_Heap) | loop: for i = 0; i < N; i = i + 1 { "
              "state s {} | k = i | state e {} | } then state u { c: y = k  with y: float64 -> B[0] } }"));
    auto *l = cast<LoopRegion>(later.g.start());
    analysis::Memories memories(later.g);
    nest::BodySymbols symbols(later.g);
    nest::LoopBody content;
    CHECK(nest::readBody(*l, analysis::headerOf(*l), memories, analysis::sharedContainers(later.g), symbols, content).text ==
          "`k` is read after it, in state `u`");
}
