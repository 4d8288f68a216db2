#include "Symbolic/Helpers.h"

#include "sdfgc/Symbolic/Magnitude.h"

#include <limits>
#include <random>

using namespace sdfgc::sym;
using sdfgc::Name;

namespace {

/// Symbols whose names begin with `w` are wide, those that begin with `x` have no range.
std::optional<SymbolRange> rangeOf(Name n) {
    if (n.view().starts_with("x"))
        return std::nullopt;
    return n.view().starts_with("w") ? SymbolRange{{}, true} : SymbolRange{Magnitude::symbol(n)};
}

std::string greatest(const std::vector<std::string> &texts) {
    Magnitudes all(rangeOf);
    for (const std::string &text : texts)
        if (!all.add(P(text)))
            return "none";
    return all.greatest().expr().str();
}

} // namespace

TEST_CASE("magnitudes bound all terms", "[magnitude]") {
    CHECK(greatest({"N - 1"}) == "N + 1");
    CHECK(greatest({"N*i - 2*j"}) == "N*i + 2*j");
    CHECK(greatest({"min(N, 3*M)"}) == "3*M + N");
    CHECK(greatest({"N // 2 + 7"}) == "N + 8");      // of N, N/2 + 8 and 2
    CHECK(greatest({"i % (N + 1)"}) == "N + i + 1"); // both operands are parts
    CHECK(greatest({"N/2"}) == "N + 2");
    CHECK(greatest({"N**3"}) == "N**3");
}

TEST_CASE("a bound covers everything added, without what another one covers", "[magnitude]") {
    CHECK(greatest({"N*i + j", "N", "j + 1"}) == "N*i + j"); // a product is at least 1
    CHECK(greatest({"N*i + j", "j + 2"}) == "N*i + j + 2");
    CHECK(greatest({"N", "N*M", "M"}) == "M*N");
    CHECK(greatest({"2*N", "N*M"}) == "M*N + 2*N");
    CHECK(greatest({"N + M", "N*M"}) == "M*N + M + N"); // one product does not cover two
    CHECK(greatest({"5", "7*N"}) == "7*N");
}

TEST_CASE("what is computed from wide symbols is wide, the rest is bounded", "[magnitude]") {
    Magnitudes all(rangeOf);
    const std::optional<SymbolRange> range = all.add(P("N*M*w + 3*K"));
    REQUIRE(range);
    CHECK(range->wide);
    CHECK(all.greatest().expr().str() == "M*N + 3*K");
}

TEST_CASE("functions, real numbers and unknown symbols have no bound", "[magnitude]") {
    CHECK(greatest({"x"}) == "none");
    CHECK(greatest({"N + x"}) == "none");
    CHECK(greatest({"f(N)"}) == "none");
    CHECK(greatest({"N**M"}) == "none");
    CHECK(greatest({"0.5*N"}) == "none");
    CHECK(greatest({"N & 7"}) == "none");
}

TEST_CASE("quotients by constants are small", "[magnitude]") {
    Magnitudes all(rangeOf);
    const std::optional<SymbolRange> blocks = all.add(P("(N + 4095) // 4096"));
    REQUIRE(blocks);
    CHECK(blocks->magnitude.expr() == P("N/4096 + 4095/4096 + 1"));
    CHECK((Magnitude::constant(4096) * blocks->magnitude).expr().str() == "N + 8191");
    CHECK(Magnitude::symbol("N").over(3).expr() == P("21846*N/65536")); // rounded up
}

TEST_CASE("coefficients do not wrap around", "[magnitude]") {
    const Magnitude most = Magnitude::constant(std::numeric_limits<int64_t>::max());
    CHECK((most * most).greatestCoefficient() > 1e36);
    CHECK((most * most).expr().asInt() == int64_t(1) << 62);
    CHECK(Magnitude::constant(std::numeric_limits<int64_t>::min()).greatestCoefficient() > 9e18);
}

TEST_CASE("bounds hold for values", "[magnitude]") {
    std::mt19937 random(7);
    const std::vector<std::string> texts = {"N*i + j - 3",          "(N - M)*(i + 2) - j", "min(N - i, M*j) + max(j, -i)",
                                            "(N*i - j) // (M + 1)", "i % (N*M + 1) - j",   "N*(i*(M + 3) - 2*j) + M"};
    const std::vector<std::string> names = {"N", "M", "i", "j"};
    for (int round = 0; round < 200; ++round)
        for (const std::string &text : texts) {
            std::map<Name, Expr> values, magnitudes;
            for (const std::string &n : names) {
                const int64_t v = int64_t(random() % 41) - 20;
                values[n] = v;
                magnitudes[n] = std::max<int64_t>(1, std::abs(v));
            }
            Magnitudes all(rangeOf);
            REQUIRE(all.add(P(text)));
            const std::optional<int64_t> value = substitute(P(text), values).asInt();
            const Expr bound = substitute(all.greatest().expr(), magnitudes);
            if (!value) // a division by zero
                continue;
            INFO(text << " is " << *value << ", at most " << bound.str());
            CHECK(std::abs(*value) * bound.denominator() <= bound.numerator());
        }
}
