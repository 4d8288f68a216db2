// The rules of the dependence engine, one by one. DependencesRandom.cpp shows that they are correct for all kinds of pairs.
#include "sdfgc/Analysis/Dependences/Dependences.h"
#include "Symbolic/Helpers.h"

#include <iostream>

using namespace sdfgc;
using namespace sdfgc::analysis;
using sym::S;

namespace {

/// Loops outermost first, as `i 0:N; j 0:i`.
std::vector<LoopLevel> loops(const std::string &text) {
    std::vector<LoopLevel> result;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t space = text.find(' ', at), comma = std::min(text.find("; ", at), text.size());
        result.push_back({Name(text.substr(at, space - at)), S(text.substr(space + 1, comma - space - 1)).dims[0]});
        at = comma + 2;
    }
    return result;
}

sym::Assumptions sizes() {
    sym::Assumptions facts;
    for (const char *n : {"N", "M"})
        facts[n].positive = true;
    return facts;
}

AccessInstance access(const std::string &subset, const std::string &around) { return {S(subset), loops(around)}; }

/// `(<, *) by -1, ?; exact`: direction vectors, known distances, and whether the conflict is exact.
std::string text(const std::optional<Conflict> &c) {
    if (!c)
        return "apart";
    std::string result;
    for (const auto &v : c->vectors) {
        result += result.empty() ? "(" : " (";
        for (std::size_t i = 0; i < v.size(); ++i) {
            const Directions &d = v[i];
            const std::string all = std::string(d.less ? "<" : "") + (d.equal ? "=" : "") + (d.greater ? ">" : "");
            result += (i ? ", " : "") + (all == "<=>" ? "*" : all);
        }
        result += ")";
    }
    std::string distances;
    bool known = false;
    for (const auto &d : c->distances) {
        distances += (distances.empty() ? "" : ", ") + (d ? d->str() : "?");
        known = known || d;
    }
    return result + (known ? " by " + distances : "") + (c->exact ? "; exact" : "");
}

/// The conflict of two accesses in the same loops.
std::string within(const std::string &around, const std::string &a, const std::string &b, const sym::Assumptions &facts = sizes()) {
    const std::vector<LoopLevel> common = loops(around);
    return text(conflictOf({S(a), common}, {S(b), common}, common.size(), facts));
}

/// The conflict of two accesses that have no loop in common.
std::string between(const AccessInstance &a, const AccessInstance &b) { return text(conflictOf(a, b, 0, sizes())); }

} // namespace

TEST_CASE("dependences: without a loop variable") {
    CHECK(within("i 0:N", "0", "1") == "apart");
    CHECK(within("i 0:N", "0", "0") == "(*); exact");
    CHECK(within("i 0:N", "M", "M + 1") == "apart");
    CHECK(within("i 0:N", "0", "M") == "apart"); // a size is positive
    CHECK(within("i 0:N", "0", "M - 1") == "(*); exact");
    CHECK(within("i 0:N", "i, 0", "i, N") == "apart");
    CHECK(within("i 0:N", "x", "y") == "(*); exact"); // where x = y
    CHECK(within("", "3", "3") == "(); exact");
}

TEST_CASE("dependences: equal coefficients of one variable") {
    CHECK(within("i 0:N", "i", "i") == "(=) by 0; exact");
    CHECK(within("i 0:N", "i", "i - 1") == "(>) by 1; exact");
    CHECK(within("i 0:N", "i", "i + 2") == "(<) by -2; exact");
    CHECK(within("i 0:N", "-2*i", "-2*i + 4") == "(>) by 2; exact");
    CHECK(within("i 0:N", "2*i", "2*i + 1") == "apart");
    CHECK(within("i 0:N:2", "i", "i - 1") == "apart");
    CHECK(within("i 0:N:2", "i", "i - 4") == "(>) by 2; exact");
    CHECK(within("i N - 1:-1:-1", "i", "i - 1") == "(<) by -1; exact");
    CHECK(within("i 0:4", "i", "i + 4") == "apart");
    CHECK(within("i 0:4", "i", "i + 3") == "(<) by -3; exact");
}

TEST_CASE("dependences: a symbolic distance against the trip count") {
    CHECK(within("i 0:N", "i", "i + N") == "apart");
    CHECK(within("i 0:N", "i", "i + N + M") == "apart");
    CHECK(within("i 0:N", "i", "i - M") == "(>) by M; exact");
    CHECK(within("i 0:2*N", "i", "i - N") == "(>) by N; exact");
    CHECK(within("i 0:N", "i", "i + d") == "(*) by -d; exact"); // d may have any sign
    CHECK(within("i 0:N:2", "i", "i - 2*M") == "(>) by M; exact");
    CHECK(within("i 0:N:M", "i", "i + M") == "(<) by -1");
    CHECK(within("i 0:N:M", "i", "i + M - 1") == "(<=)");
    CHECK(within("i 0:N:d", "i", "i") == "(=) by 0");
    CHECK(within("i 0:N:d", "i", "i + 1") == "(<>)"); // the direction of the loop is unknown
}

TEST_CASE("dependences: one variable against a constant, and against itself backwards") {
    CHECK(within("i 0:N", "i", "0") == "(=>); exact"); // a at 0 only; b at every i
    CHECK(within("i 0:N", "N - 1", "i") == "(=>); exact");
    CHECK(within("i 0:N", "0", "i") == "(<=); exact");
    CHECK(within("i 1:N", "i", "0") == "apart");
    CHECK(within("i 0:N", "2*i", "3") == "apart");
    CHECK(within("i 0:4", "i", "3 - i") == "(<>); exact");
    CHECK(within("i 0:3", "i", "2 - i") == "(*); exact");
    CHECK(within("i 0:N", "i", "N - 1 - i") == "(*); exact");
    CHECK(within("i 0:N", "i", "-i") == "(=) by 0; exact");
}

TEST_CASE("dependences: ranges") {
    CHECK(within("i 0:N", "i, 0:M", "i, 0:M") == "(=) by 0; exact");
    CHECK(within("i 0:N", "2*i:2*i + 2", "2*i:2*i + 2") == "(=) by 0; exact");
    CHECK(within("i 0:N", "i:i + 2", "i:i + 2") == "(*); exact"); // longer than the step
    CHECK(within("i 0:N", "i:i + 2", "i + 2:i + 4") == "(<); exact");
    CHECK(within("i 0:N:2", "i:i + 2", "i:i + 2") == "(=) by 0; exact");
    CHECK(within("i 0:N", "0:M", "M:2*M") == "apart");
    CHECK(within("i 0:N", "0:M:2", "1:M:2") == "apart");
    CHECK(within("i 0:N", "0:8:4:2", "2:8:4:2") == "apart"); // tiles of two
    CHECK(within("i 0:N", "0:8:4:2", "1:8:4:2") == "(*); exact");
    CHECK(within("i 0:N", "3:-1:-1", "4:8") == "apart");
    CHECK(within("i 0:N", "2:2", "0:M") == "apart"); // no element is accessed
    // Row against column of a triangle.
    CHECK(within("i 0:N", "i, i:N", "i + 1:N, i") == "apart");
    CHECK(within("i 0:N", "i, i:N", "i:N, i") == "(=) by 0; exact");
}

TEST_CASE("dependences: separable dimensions") {
    CHECK(within("i 0:N; j 0:M", "i, j", "i - 1, j + 1") == "(>, <) by 1, -1; exact");
    CHECK(within("i 0:N; j 0:M", "i", "i") == "(=, *) by 0, ?; exact");
    CHECK(within("i 0:N; j 0:M", "j", "j - 1") == "(*, >) by ?, 1; exact");
    CHECK(within("i 0:N", "i, i", "i - 1, i - 2") == "apart");
    CHECK(within("i 0:N", "i, 0", "i - 1, 1") == "apart");
    // A[t + 1, i] = A[t, i - 1]: this dependence makes an interchange illegal.
    CHECK(within("t 0:N; i 1:M", "t + 1, i", "t, i - 1") == "(>, >) by 1, 1; exact");
    CHECK(within("t 0:N; i 1:M", "t + 1, i", "t, i + 1") == "(>, <) by 1, -1; exact");
}

TEST_CASE("dependences: coupled subscripts and Banerjee's bounds") {
    CHECK(within("i 0:N; j 0:M", "i, i + j", "i, i + j") == "(=, =) by 0, 0; exact");
    CHECK(within("i 0:N; j 0:M", "i + j, i - j", "i + j, i - j") == "(=, =) by 0, 0; exact");
    CHECK(within("i 0:N; j 0:M", "i + j", "i + j") == "(<, >) (=, =) (>, <); exact");
    CHECK(within("i 0:N; j 0:M", "i - j", "i - j") == "(<, <) (=, =) (>, >); exact");
    CHECK(within("i 0:5; j 0:5", "i + 2*j", "i + 2*j + 20") == "apart");
    CHECK(within("i 0:5; j 0:5", "4*i + 2*j", "6*i - 4*j + 3") == "apart"); // greatest common divisor
    CHECK(within("i 0:3; j 0:3", "3*i + j", "3*i + j") == "(=, =) by 0, 0; exact");
    CHECK(within("i 0:N; j 0:4", "3*i + j", "3*i + j") == "(<, >) (=, =) (>, <); exact");
}

TEST_CASE("dependences: triangular bounds") {
    CHECK(within("i 0:N; j 0:i", "i", "j") == "(>, >); exact");
    CHECK(within("i 0:N; j 0:i", "i, j", "j, i") == "apart"); // below the diagonal and above it
    CHECK(within("i 0:N; j 0:i + 1", "i, j", "j, i") == "(=, =) by 0, 0; exact");
    CHECK(within("i 0:N; j i:N", "i, j", "j, j") == "(<=, =) by ?, 0; exact");
    // Tiles; the last one is partial.
    CHECK(within("i 0:N:32; j i:i + 32", "j", "j") == "(=, =) by 0, 0; exact");
    CHECK(within("i 0:N:32; j i:Min(i + 32, N)", "j", "j") == "(=, =) by 0, 0");
    CHECK(within("i 0:N; j 32*i:32*i + 33", "j", "j") == "(*, =) by ?, 0; exact");
}

TEST_CASE("dependences: loops that run once or never") {
    CHECK(within("i 0:0", "0", "0") == "apart");
    CHECK(within("i N:N - 1", "0", "0") == "apart");
    CHECK(within("i 0:4:-1", "0", "0") == "apart");
    CHECK(within("i 0:1", "0", "0") == "(=) by 0; exact");
    CHECK(within("i N:N + 1", "0", "0") == "(=) by 0; exact");
    CHECK(within("i 0:4:7", "i:i + 9", "i:i + 9") == "(=) by 0; exact");
    CHECK(within("i 0:N; j 3:4", "i", "i - 1") == "(>, =) by 1, 0; exact");
    CHECK(between(access("0", "i 5:5"), access("0", "")) == "apart");
}

TEST_CASE("dependences: flattened arrays") {
    CHECK(within("i 0:M; j 0:N", "N*i + j", "N*i + j") == "(=, =) by 0, 0; exact");
    CHECK(within("i 1:M; j 0:N", "N*i + j", "N*i - N + j") == "(>, =) by 1, 0; exact");
    CHECK(within("i 0:M; j 0:N - 1", "N*i + j", "N*i + j + 1") == "(=, <) by 0, -1; exact");
    CHECK(within("i 0:M; j 0:N + 1", "N*i + j", "N*i + j") == "(*, *)"); // rows overlap
    CHECK(within("i 0:M; j 0:N; k 0:5", "5*N*i + 5*j + k", "5*N*i + 5*j + k") == "(=, =, =) by 0, 0, 0; exact");
    CHECK(within("i 0:9; j 0:N; k 0:M", "N*M*i + M*j + k", "N*M*i + M*j + k") == "(=, =, =) by 0, 0, 0; exact");
    CHECK(within("i 0:M; j 0:N", "(N + 2)*i + j", "(N + 2)*i + j + 1") == "(=, <) by 0, -1; exact");
    CHECK(within("i 0:M", "N*i:N*i + N", "N*i:N*i + N") == "(=) by 0; exact");
    CHECK(within("i 0:M", "n*i", "n*i") == "(*)");                                  // n may be zero
    CHECK(within("i 0:M; j 0:n", "n*i + j", "n*i + j") == "(=, =) by 0, 0; exact"); // it is not zero where the inner loop runs
}

TEST_CASE("dependences: divisions, remainders and minima") {
    CHECK(within("i 0:N", "i // 2", "i // 2 + N") == "apart");
    CHECK(within("i 0:N:2", "i // 2", "i // 2") == "(=) by 0; exact");
    CHECK(within("i 0:8", "i % 4", "4") == "apart");
    CHECK(within("i 0:N; j 0:4", "4*i + j % 4", "4*i + j % 4") == "(=, =) by 0, 0; exact");
    CHECK(within("i 0:N", "Min(i, 3)", "4") == "apart");
    CHECK(within("i 0:N", "3*i/2", "3*i/2") == "(=) by 0"); // 0, 1, 3, 4, 6, ...
    CHECK(within("i 0:N", "i/2", "i/2") == "(*)");
}

TEST_CASE("dependences: loops of their own") {
    CHECK(between(access("i", "i 0:N"), access("j", "j N:2*N")) == "apart");
    CHECK(between(access("i", "i 0:N"), access("j", "j 0:N")) == "(); exact");
    const std::vector<LoopLevel> outer = loops("i 0:N");
    auto inside = [&](const std::string &subset, const std::string &own) {
        AccessInstance a{S(subset), outer};
        for (const LoopLevel &l : loops(own))
            a.loops.push_back(l);
        return a;
    };
    CHECK(text(conflictOf(inside("i, j", "j 0:M"), inside("i, j", "j 0:M"), 1, sizes())) == "(=) by 0; exact");
    CHECK(text(conflictOf(inside("i + j", "j 0:4"), inside("i + k", "k 0:4"), 1, sizes())) == "(*); exact");
    CHECK(text(conflictOf(inside("4*i + j", "j 0:4"), inside("4*i + k", "k 0:4"), 1, sizes())) == "(=) by 0; exact");
    // An inner variable hides an outer one with the same name.
    CHECK(text(conflictOf(inside("i", "i 0:4"), inside("i", "i 4:8"), 1, sizes())) == "apart");
    CHECK(text(conflictOf(inside("i", "i 0:4"), inside("i", "i 3:8"), 1, sizes())) == "(*); exact");
}

TEST_CASE("dependences: what is not known is in conflict") {
    const std::vector<LoopLevel> common = loops("i 0:N; j 3:4");
    const auto indirect = conflictOf({std::nullopt, common}, {S("i"), common}, 2, sizes());
    CHECK(text(indirect) == "(*, =) by ?, 0");
    CHECK(indirect->why == "the elements of an access are unknown");
    CHECK(text(conflictOf({S("i, j"), common}, {S("i"), common}, 2, sizes())) == "(*, =) by ?, 0");

    sym::Subset gather;
    const sym::Expr element = sym::subscript("idx", {sym::Expr::symbol("i")});
    gather.dims.push_back({element, element});
    const auto c = conflictOf({gather, common}, {gather, common}, 2, sizes());
    CHECK(text(c) == "(*, =) by ?, 0");
    CHECK(c->why == "idx[i] is not affine");

    CHECK(within("i 0:N", "?", "?") == "(*)");
    CHECK(within("i 0:N", "i*i", "i*i") == "(*)");
    CHECK(within("i 0:N", "f(i)", "f(i)") == "(*)");
    CHECK(within("i 0:N:0", "i", "i + 1") == "(<>)");
    const std::string large = "9223372036854775807";
    CHECK(within("i 0:N", large + "*i", "-2*i - " + large) != "apart");
    CHECK(within("i 0:N", large + "*i + 1", large + "*i - " + large) == "(*)");
    CHECK(within("i 0:N; j 0:M", large + "*i + 2*j", "2*j - " + large + "*i") == "(*, *)");
    CHECK(within("i 0:N:-9223372036854775808", "i", "i") == "(=) by 0");
}

TEST_CASE("dependences: a symbol that has another value in the other iteration") {
    auto conflict = [](const char *a, const char *aroundA, const char *b, const char *aroundB) {
        return text(conflictOf(access(a, aroundA), access(b, aroundB), loops(aroundA).size(), sizes()));
    };
    CHECK(conflict("i + x", "i 0:N", "i + y", "i 0:N") == "(*) by x - y; exact");
    CHECK(conflict("i, x", "i 0:N", "i, y", "i 0:N") == "(=) by 0; exact");
    CHECK(conflict("i, j", "i 0:N; j 0:x", "i, j", "i 0:N; j 0:y") == "(=, =) by 0, 0; exact");
    CHECK(conflict("8*i + j", "i 0:N; j 0:x", "8*i + j", "i 0:N; j 0:y") == "(<, >) (=, =) (>, <); exact");
    CHECK(conflict("i", "i x:N:2", "i + 1", "i y:N:2") == "(<); exact");
    CHECK(conflict("i", "i 0:N:x", "i", "i 0:N:y") == "(=) by 0");
}

TEST_CASE("dependences: carried by a loop, and within an iteration") {
    const std::vector<LoopLevel> common = loops("i 0:N; j 0:M");
    auto conflict = [&](const char *a, const char *b) { return *conflictOf({S(a), common}, {S(b), common}, 2, sizes()); };
    CHECK(isWithinIteration(conflict("i, j", "i, j")));
    CHECK_FALSE(isCarriedBy(conflict("i, j", "i, j"), 0));
    CHECK_FALSE(isWithinIteration(conflict("i, j", "i, j - 1")));
    CHECK_FALSE(isCarriedBy(conflict("i, j", "i, j - 1"), 0));
    CHECK(isCarriedBy(conflict("i, j", "i, j - 1"), 1));
    CHECK(isCarriedBy(conflict("i, j", "i - 1, j - 1"), 0));
    CHECK_FALSE(isCarriedBy(conflict("i, j", "i - 1, j - 1"), 1));
    // Iterations of one i are independent, although both directions of j occur.
    CHECK(isCarriedBy(conflict("i + j", "i + j"), 0));
    CHECK_FALSE(isCarriedBy(conflict("i + j", "i + j"), 1));
}

TEST_CASE("dependences: every iteration of a deep nest costs no more than its due") {
    std::string around, subset;
    for (const char *v : {"a", "b", "c", "d", "e", "f", "g", "h", "i"}) {
        around += (around.empty() ? "" : "; ") + std::string(v) + " 0:N";
        subset += (subset.empty() ? "" : " + ") + std::string(v);
    }
    const auto c = conflictOf(access(subset, around), access(subset, around), 9, sizes());
    REQUIRE(c);
    for (std::size_t level = 0; level < 9; ++level)
        CHECK(c->levels[level] == Directions::any());
}

TEST_CASE("dependences: covered") {
    auto covered = [](const AccessInstance &read, const AccessInstance &write, std::size_t common = 0) {
        return isCovered(read, write, common, sizes());
    };
    CHECK(covered(access("i", "i 0:N"), access("i", "i 0:N"), 1));
    CHECK_FALSE(covered(access("i - 1", "i 0:N"), access("i", "i 0:N"), 1));
    CHECK(covered(access("i - 1", "i 1:N"), access("j", "j 0:N")));
    CHECK_FALSE(covered(access("i - 1", "i 0:N"), access("j", "j 0:N")));
    CHECK(covered(access("i, k", "i 0:N; k 0:M"), access("i, l", "i 0:N; l 0:M"), 1));
    CHECK(covered(access("i, 0:M", "i 0:N"), access("i, l", "i 0:N; l 0:M"), 1));
    CHECK(covered(access("i, l", "i 0:N; l 0:M"), access("i, 0:M", "i 0:N"), 1));
    CHECK_FALSE(covered(access("i, 0:M + 1", "i 0:N"), access("i, l", "i 0:N; l 0:M"), 1));
    CHECK(covered(access("j, i", "i 0:N; j i:N"), access("k, l", "k 0:N; l 0:k + 1"))); // the lower triangle by rows
    CHECK_FALSE(covered(access("j, i", "i 0:N; j i:N"), access("k, l", "k 0:N; l 0:k")));
    CHECK(covered(access("4*i", "i 0:N"), access("2*i", "i 0:2*N")));
    CHECK_FALSE(covered(access("2*i", "i 0:N"), access("4*i", "i 0:2*N")));
    CHECK(covered(access("3", ""), access("0:8:3", "")));
    CHECK_FALSE(covered(access("4", ""), access("0:8:3", "")));
    CHECK(covered(access("0", ""), access("0", "k 0:N")));       // written N times
    CHECK_FALSE(covered(access("0", ""), access("0", "k 1:N"))); // or never, for N = 1
    CHECK(covered(access("N*i + j", "i 0:M; j 0:N"), access("N*i + j", "i 0:M; j 0:N"), 2));
    CHECK_FALSE(isCovered({std::nullopt, {}}, {S("0"), {}}, 0, {}));
}

TEST_CASE("dependences: covered together") {
    auto covered = [](const AccessInstance &read, const std::vector<SharedAccess> &writes) {
        return isCoveredTogether(read, writes, nullptr, sizes());
    };
    const AccessInstance first = access("0", ""), rest = access("k", "k 1:N"), last = access("N - 1", "");
    CHECK(covered(access("j", "j 0:N"), {{first, 0}, {rest, 0}}));
    CHECK(covered(access("j", "j 0:N"), {{rest, 0}, {first, 0}}));
    CHECK(covered(access("0:N", ""), {{rest, 0}, {first, 0}}));
    CHECK_FALSE(covered(access("j", "j 0:N"), {{rest, 0}}));
    CHECK_FALSE(covered(access("j", "j 0:N"), {{rest, 0}, {last, 0}}));
    CHECK_FALSE(covered(access("j", "j 0:N + 1"), {{first, 0}, {rest, 0}}));
    CHECK(covered(access("j", "j 0:N"), {{first, 0}, {access("k", "k 1:N - 1"), 0}, {last, 0}}));
    CHECK_FALSE(covered(access("j", "j 0:N"), {{first, 0}, {access("k", "k 1:N - 2"), 0}, {last, 0}}));
    // Earlier iterations of a common loop: l = 1:j.
    CHECK(covered(access("j - 1", "j 1:N"), {{first, 0}, {access("l", "j 1:N; l 1:j"), 1}}));
    CHECK_FALSE(covered(access("j - 2", "j 2:N"), {{first, 0}, {access("l", "j 2:N; l 2:j"), 1}}));
    CHECK_FALSE(covered(access("j", "j 0:N"), {{access("2*k", "k 0:N"), 0}, {access("2*k + 3", "k 0:N"), 0}}));
    CHECK(covered(access("i, j", "i 0:N; j 0:M"), {{access("i, 0", "i 0:N"), 1}, {access("i, k", "i 0:N; k 1:M"), 1}}));
    CHECK_FALSE(covered(access("i, j", "i 0:N; j 0:M"), {{access("0, j", "j 0:M"), 0}, {access("i, k", "i 0:N; k 1:M"), 1}}));
    CHECK_FALSE(covered({std::nullopt, {}}, {{first, 0}}));
    CHECK_FALSE(covered(first, {}));
}

TEST_CASE("dependences: elements that no access writes need no cover") {
    const std::vector<AccessInstance> writes = {access("k", "k 0:4")};
    CHECK(isCoveredTogether(access("x", ""), {{writes[0], 0}}, &writes, sizes()));
    const std::vector<AccessInstance> more = {access("k", "k 0:4"), access("4", "")}, any = {{std::nullopt, {}}};
    CHECK_FALSE(isCoveredTogether(access("x", ""), {{writes[0], 0}}, &more, sizes()));
    CHECK_FALSE(isCoveredTogether(access("x", ""), {{writes[0], 0}}, &any, sizes()));
    CHECK(isCoveredTogether(access("3", ""), {{writes[0], 0}}, &any, sizes()));
}
