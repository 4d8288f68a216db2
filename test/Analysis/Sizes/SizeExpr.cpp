// Sizes: their formulas, closed forms and text.
#include "Graphs.h"

#include "Analysis/Sizes/SizeBinders.h"

#include "sdfgc/Analysis/Flow/LoopHeader.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;
using analysis::SizeExpr;

namespace {

/// Binders are calls in the text.
SizeExpr read(std::string_view text) { return analysis::size::bindAll(expr(text)); }

sym::Assumptions sizes(std::initializer_list<const char *> names) {
    sym::Assumptions f;
    for (const char *n : names)
        f[Name(n)].positive = true;
    return f;
}

int64_t valueOf(const SizeExpr &e, const std::map<std::string, int64_t> &symbols = {},
                const std::map<std::string, std::vector<int64_t>> &arrays = {}) {
    analysis::SizeValues v;
    for (const auto &[name, value] : symbols)
        v.symbols[Name(name)] = value;
    v.read = [&arrays](Name n, std::span<const int64_t> at) -> std::optional<int64_t> {
        const auto a = arrays.find(n.str());
        if (a == arrays.end() || at.size() != 1 || at[0] < 0 || at[0] >= static_cast<int64_t>(a->second.size()))
            return std::nullopt;
        return a->second[static_cast<std::size_t>(at[0])];
    };
    const auto r = analysis::evaluate(e, v);
    INFO(e.str() << ": " << (r ? "" : r.error()));
    REQUIRE(r);
    return *r;
}

const sym::Assumptions facts = sizes({"N", "M", "R", "T", "maxit"});
const Name i("i"), j("j"), l("l");

} // namespace

TEST_CASE("sizes: sums of polynomials are closed") {
    const auto sum = [](const char *end, const char *body) { return analysis::sumOver(i, 0, expr(end), expr(body), facts).str(); };
    CHECK(sum("N", "1") == "N");
    CHECK(sum("N", "i") == "N**2/2 - N/2");
    CHECK(sum("N", "max(i, 0)") == "N**2/2 - N/2");
    CHECK(sum("K[j]", "i") == "K[j]**2/2 - K[j]/2 if K[j] > 0 else 0");
    CHECK(sum("N", "K[i]") == "SumOver(i, 0, N, K[i])");
    CHECK(sum("N", "i // 2") == "SumOver(i, 0, N, i // 2)");
    CHECK(sum("N", "max(0, M - i)") == "SumOver(i, 0, N, max(M - i, 0))");
    for (int64_t begin = -4; begin <= 4; ++begin)
        for (int64_t end = -5; end <= 8; ++end)
            for (int power = 0; power < 8; ++power) {
                const SizeExpr closed = analysis::sumOver(i, expr("a"), expr("b"), sym::pow(expr("i"), power));
                int64_t expected = 0;
                for (int64_t k = begin; k < end; ++k) {
                    int64_t p = 1;
                    for (int q = 0; q < power; ++q)
                        p *= k;
                    expected += p;
                }
                REQUIRE(closed.hasBinder() == false);
                REQUIRE(valueOf(closed, {{"a", begin}, {"b", end}}) == expected);
            }
}

TEST_CASE("sizes: maxima are closed at ends of the range") {
    const auto most = [](const char *begin, const char *end, const char *body) {
        return analysis::maxOver(i, expr(begin), expr(end), expr(body), facts).str();
    };
    CHECK(most("0", "N", "i") == "max(N, 1) - 1");
    CHECK(most("0", "N", "M - i") == "M if N > 0 else 0");
    CHECK(most("0", "N + 1", "M - i") == "M");
    CHECK(most("1", "M", "3*i - N") == "3*M - N - 3 if M > 1 else 0");
    CHECK(most("0", "N", "max(0, M - 3*i)//2") == "max(M, 0) // 2 if N > 0 else 0");
    CHECK(most("0", "N", "i*(i + 1)") == "N**2 - N if N > 0 else 0");
    CHECK(most("0", "N", "i*(M - i)") == "MaxOver(i, 0, N, M*i - i**2)");
    CHECK(most("0", "N", "K[i]") == "MaxOver(i, 0, N, K[i])");
    CHECK(most("0", "5", "K[j]") == "K[j]");
}

TEST_CASE("sizes: nothing moves into binders or out of them") {
    const SizeExpr a = analysis::maxOver(i, 0, expr("N"), expr("K[i]")), b = analysis::maxOver(j, 0, expr("N"), expr("L[j]"));
    CHECK((a - b).str() == "MaxOver(i, 0, N, K[i]) - MaxOver(i, 0, N, L[i])");
    CHECK(valueOf(a - b, {{"N", 2}}, {{"K", {1, 5}}, {"L", {4, 0}}}) == 1);
    CHECK(a - analysis::maxOver(l, 0, expr("N"), expr("K[l]")) == SizeExpr(0)); // the same except for the name of the variable
    CHECK(analysis::floorDiv(a, 2).str() == "MaxOver(i, 0, N, K[i]) // 2");
    CHECK(SizeExpr(sym::select(sym::compare(sym::SymbolicKind::Gt, a.tree(), 3), a.tree(), b.tree())).str() ==
          "MaxOver(i, 0, N, K[i]) if MaxOver(i, 0, N, K[i]) > 3 else MaxOver(i, 0, N, L[i])");
    CHECK(analysis::sumOver(i, 0, expr("N"), expr("K[i] - L[i]")).str() == "SumOver(i, 0, N, K[i] - L[i])");
}

TEST_CASE("sizes: bound variables are nobody else's") {
    const SizeExpr inner = analysis::sumOver(i, 0, expr("n"), expr("K[i]"));
    const SizeExpr outer = analysis::sumOver(i, 0, expr("i"), SizeExpr(expr("i")) * inner + expr("L[i]"));
    CHECK(outer.str() == "SumOver(j, 0, i, j*SumOver(k, 0, n, K[k]) + L[j])"); // the i in the end is a different one
    const std::map<std::string, std::vector<int64_t>> arrays{{"K", {1, 2, 3}}, {"L", {5, 6, 7}}};
    CHECK(valueOf(outer, {{"n", 3}, {"i", 3}}, arrays) == 0 * 6 + 1 * 6 + 2 * 6 + 5 + 6 + 7);
    // A value whose own binders are nested as deeply as those into which it is substituted.
    const SizeExpr nested = analysis::substitute(outer, {{Name("n"), analysis::maxOver(l, 0, 2, expr("K[l] + i"))}});
    CHECK(nested.str() == "SumOver(j, 0, i, j*SumOver(k, 0, MaxOver(k, 0, 2, i + K[k]), K[k]) + L[j])");
    CHECK(valueOf(nested, {{"i", 1}}, arrays) == 0 * 6 + 5);
    CHECK(analysis::substitute(nested, {{i, 2}}).names() == std::vector<Name>{"K", "L"});
    const SizeExpr deep = analysis::sumOver(j, 0, 3, analysis::sumOver(i, 0, expr("K[j]"), expr("L[i]*j")));
    CHECK(deep.str() == "SumOver(i, 0, 3, SumOver(j, 0, K[i], i*L[j]))");
    CHECK(valueOf(deep, {}, arrays) == 0 * 5 + 1 * (5 + 6) + 2 * (5 + 6 + 7));
}

TEST_CASE("sizes: text is read back") {
    for (const char *text :
         {"SumOver(i, 0, N, max(len[i], 0))", "MaxOver(i, 0, N, SumOver(j, 0, K[i], L[j, i]))*N + 1", "N**2/2 - N/2",
          "MaxOver(i, 0, N, K[i]) if N > 3 else 0", "(N + SumOver(i, 1, 4, K[i])) // 2", "0", "K[K[0]]"}) {
        const SizeExpr e = read(text);
        INFO(text << " " << e.str());
        CHECK(read(e.str()) == e);
    }
    CHECK(read("SumOver(n, 0, n, SumOver(n, 0, 2, K[n]))").str() == "SumOver(i, 0, n, SumOver(j, 0, 2, K[j]))");
}

TEST_CASE("sizes: parts that no size has") {
    const auto part = [](const char *text) {
        const auto p = analysis::unsupportedPart(SizeExpr(expr(text)));
        return p ? p->str() : "";
    };
    CHECK(part("N + K[n]") == "");
    CHECK(part("K[f(N)]") == "f(N)");
    CHECK(part("N * 1.5") == "1.5");
    CHECK(part("2*(a.b + 1)") == "a.b");
    CHECK(part("SumOver(i, 0, N)") == "SumOver(i, 0, N)");
    CHECK(part("N**(-1)") == "1/N");
    CHECK(part("N*9223372036854775807*4") != "");
}

TEST_CASE("sizes: values, and why there is none") {
    CHECK(valueOf(read("SumOver(i, 0, 2, SumOver(j, 0, 3, K[i*3 + j]))"), {}, {{"K", {1, 2, 3, 4, 5, 6}}}) == 21);
    CHECK(valueOf(read("MaxOver(i, 3, N, K[i])"), {{"N", 3}}) == 0);
    CHECK(valueOf(read("MaxOver(i, 0, 2, -K[i])"), {}, {{"K", {4, 3}}}) == -3); // 0 is for empty ranges only
    CHECK(valueOf(read("SumOver(i, 0, N, SumOver(j, i, N, SumOver(k, j, N, SumOver(l, k, N, 1))))"), {{"N", 5}}) == 70);
    CHECK(valueOf(analysis::sumOver(i, 0, expr("N"), expr("i*M")), {{"N", 1 << 25}, {"M", 3}}) == 3 * ((1LL << 49) - (1LL << 24)));
    CHECK(valueOf(read("N**2/2 - N/2"), {{"N", 4294967296}}) == 9223372034707292160); // only N*N needs more than 64 bits
    CHECK(valueOf(read("K[0] if N > 0 else 7"), {{"N", 0}}) == 7);                    // the element is not read

    const auto why = [](const char *text, int64_t n, int64_t steps = 1000) {
        analysis::SizeValues v;
        v.symbols[Name("N")] = n;
        v.steps = steps;
        v.read = [](Name name, std::span<const int64_t> at) -> std::optional<int64_t> {
            return name == Name("K") && at.size() == 1 && at[0] >= 0 && at[0] < 4 ? std::optional<int64_t>(INT64_MAX / 2)
                                                                                  : std::nullopt;
        };
        const auto r = analysis::evaluate(read(text), v);
        return r ? std::to_string(*r) : r.error();
    };
    CHECK(why("SumOver(i, 0, N, K[i])", 2) == "9223372036854775806");
    CHECK(why("SumOver(i, 0, N, K[i])", 3) == "a number exceeds 64 bits");
    CHECK(why("SumOver(i, 0, N, K[i])", 5) == "there is no element `K[4]`");
    CHECK(why("K[N, 1]", 5) == "there is no element `K[5, 1]`");
    CHECK(why("N*N*N", 1LL << 40) == "a number exceeds 64 bits");
    CHECK(why("N**200", 2) == "a number exceeds 64 bits");
    CHECK(why("N**200", -1) == "1");
    CHECK(why("N + M", 1) == "`M` has no value");
    CHECK(why("5 // N", 0) == "a divisor is 0");
    CHECK(why("SumOver(i, 0, K[i % 4], 1)", 0) == "`i` has no value"); // the variable is bound only in the body
    CHECK(why("SumOver(i, 0, N, i // 2)", 1000) == "249500");
    CHECK(why("SumOver(i, 0, N, i // 2)", 1001) == "the sums and maxima have too many terms");
    CHECK(why("N/2", 3) == "a size is not an integer");
}

TEST_CASE("sizes: what an empty range does not look at stays so") {
    CHECK(analysis::sumOver(i, 0, expr("N"), expr("K[j]"), facts).str() == "N*K[j] if N > 0 else 0");
    CHECK(analysis::sumOver(i, 0, expr("N"), expr("i*K[j]"), facts).str() == "N**2*K[j]/2 - N*K[j]/2 if N > 0 else 0");
    CHECK(analysis::maxOver(i, 0, expr("N"), expr("max(K[j], 0)*i"), facts).str() ==
          "N*max(K[j], 0) - max(K[j], 0) if N > 0 else 0");
    CHECK(analysis::sumOver(i, 0, expr("K[j]"), expr("max(K[j], 0)"), facts).str() == "max(K[j], 0)**2"); // its end is still read
}
