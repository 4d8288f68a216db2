#include "Symbolic/Helpers.h"

#include "sdfgc/Symbolic/Factor.h"

#include <random>

using namespace sdfgc::sym;

namespace {

std::string factored(const std::string &text) {
    std::string out;
    for (Expr f : factors(P(text)))
        out += (out.empty() ? "" : " | ") + f.str();
    return out;
}

} // namespace

TEST_CASE("products of sizes are found again", "[factor]") {
    CHECK(factored("(N - 2)**3") == "N - 2 | N - 2 | N - 2");
    CHECK(factored("C*(H - K + 1)*(W - K + 1)*N") == "C | N | H - K + 1 | W - K + 1");
    CHECK(factored("(2*N - 1)*(3*N + 5)*(M - N)") == "M - N | 2*N - 1 | 3*N + 5");
    CHECK(factored("(N//2 - 2)*(M//2 - 2)") == "M // 2 - 2 | N // 2 - 2");
    CHECK(factored("6*(N - 1)*(M - 1)") == "6 | M - 1 | N - 1");
    CHECK(factored("(N - 1)*(1 - M)") == "M - 1 | 1 - N");
    CHECK(factored("N**2*(M - 1)*(K + 2)") == "N | N | K + 2 | M - 1");
}

TEST_CASE("sums that are no products stay", "[factor]") {
    for (const char *text : {"N", "7", "N - 2", "N*M", "N*M - 2*N - 2*M + 5", "N**2 + N + 1", "N**2 - 1", "N/2 + M*K + 1",
                             "N*M + N + K + 1", "N**20 - 2*N**19 + N**18"}) {
        CAPTURE(text);
        CHECK(factors(P(text)) == std::vector<Expr>{P(text)});
    }
}

TEST_CASE("the product of the factors is the expression, whatever it is", "[factor]") {
    std::mt19937 random(7);
    const auto below = [&](unsigned n) { return static_cast<int>(random() % n); };
    const Expr variables[] = {Expr::symbol("A"), Expr::symbol("B"), Expr::symbol("C"), Expr::symbol("D")};
    int split = 0;
    for (int round = 0; round < 400; ++round) {
        Expr e = 1;
        const int count = 1 + below(3);
        for (int i = 0; i < count; ++i) {
            Expr sum = below(7) - 3;
            for (int k = 0, terms = 1 + below(3); k < terms; ++k)
                sum += Expr(below(5) - 2) * variables[below(4)];
            e *= sum;
        }
        const std::vector<Expr> parts = factors(e);
        INFO(e);
        const std::map<sdfgc::Name, int64_t> values = {{"A", 3}, {"B", -5}, {"C", 11}, {"D", below(100)}};
        int64_t product = 1;
        for (Expr f : parts)
            product *= evaluate(f, values).value();
        CHECK(product == evaluate(e, values));
        split += parts.size() > 1;
    }
    CHECK(split > 100);
}

TEST_CASE("what is too large stays as it is, quickly", "[factor]") {
    Expr e = 1;
    for (const char *name : {"A", "B", "C", "D", "E"})
        e *= Expr::symbol(name) + 1;
    CHECK(factors(e).size() == 5);
    Expr sum = 0;
    for (int i = 0; i < 60; ++i)
        sum += Expr::symbol("x" + std::to_string(i)) * Expr::symbol("y");
    CHECK(factors(sum) == std::vector<Expr>{sum});
}
