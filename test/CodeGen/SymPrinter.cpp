#include "sdfgc/CodeGen/SymPrinter.h"

#include <catch2/catch.hpp>

using namespace sdfgc;

namespace {

sym::Expr parsed(const char *text) {
    const sym::ParseResult e = sym::parse(text);
    REQUIRE(e.expr);
    return *e.expr;
}

std::string printed(const char *text) { return codegen::SymPrinter().print(parsed(text)); }

/// Printed as a number of elements in memory, without the namespace.
std::string count(const char *text) {
    std::string out = codegen::SymPrinter().printCount(parsed(text));
    for (std::size_t at; (at = out.find("sdfgc::rt::")) != std::string::npos;)
        out.erase(at, std::string("sdfgc::rt::").size());
    return out;
}

} // namespace

TEST_CASE("sums: common factors are taken out, positive terms first, the constant last") {
    CHECK(printed("j + N*i + N") == "N * (i + 1) + j");
    CHECK(printed("-2 + i - N*j") == "i - N * j - 2");
    CHECK(printed("31 - t") == "31 - t");
    CHECK(printed("-N") == "-N");
}

TEST_CASE("sums: what is rounded stays in parentheses after a factor") {
    CHECK(printed("N*__cdiv(i, 2) + __cdiv(i, 2)") == "(N + 1) * (i / 2)");
    CHECK(printed("N*__cmod(i, 2) + __cmod(i, 2)") == "(N + 1) * (i % 2)");
    CHECK(printed("N*M*__cdiv(i, 2) + M*__cdiv(i, 2)") == "M * (N + 1) * (i / 2)");
    CHECK(printed("N*j + j*M") == "(M + N) * j");
    CHECK(printed("N*j*j + j*j") == "(N + 1) * j * j");
}

TEST_CASE("sums: a sum that is a product is printed as one") {
    CHECK(printed("N*M - 2*N - 2*M + 4") == "(M - 2) * (N - 2)");
    CHECK(printed("N*M + N + M + 1") == "(M + 1) * (N + 1)");
    CHECK(printed("a*c + b*c + a*d + b*d") == "(a + b) * (c + d)");
    CHECK(printed("(N - 2)*(M - 2)*(K - 2)") == "(K - 2) * (M - 2) * (N - 2)");
    CHECK(printed("(N - 2)**3 >= 1000") == "(N - 2) * (N - 2) * (N - 2) >= 1000");
    CHECK(printed("C*N*(H - K + 1)*(W - K + 1)") == "C * N * (H - K + 1) * (W - K + 1)");
    CHECK(printed("(a + b)*(c + d)/2") == "(a + b) * (c + d) / 2");
    SECTION("not when something is left over") {
        CHECK(printed("N*M - 2*N - 2*M + 5") == "M * (N - 2) - 2 * N + 5");
        CHECK(printed("i*(N - 2)*(M - 2) + j*(M - 2) + k") == "(M - 2) * (N - 2) * i + (M - 2) * j + k");
        CHECK(printed("i*(6*W - 24) + 6*j + k") == "6 * (W - 4) * i + 6 * j + k");
        CHECK(printed("(H//2)*(W//2) - 2*(H//2) - 2*(W//2) + 4") ==
              "(sdfgc::rt::floordiv(H, 2) - 2) * (sdfgc::rt::floordiv(W, 2) - 2)");
        CHECK(printed("N**2 - 3*N + 1") == "N * N - 3 * N + 1");
        CHECK(printed("N*M + N + K + 1") == "(M + 1) * N + K + 1");
    }
}

TEST_CASE("powers among factors") {
    CHECK(printed("H*K**2*W") == "H * K * K * W");
    CHECK(printed("N // K**2") == "sdfgc::rt::floordiv(N, K * K)");
    CHECK(printed("N*K**4") == "sdfgc::rt::ipow(K, 4) * N");
}

TEST_CASE("rounding of what is whole") {
    CHECK(printed("int_ceil(R**K, 1)") == "sdfgc::rt::ipow(R, K)");
    CHECK(printed("int_ceil(N, 32)") == "sdfgc::rt::floordiv(N + 31, 32)");
    CHECK(printed("ceiling(sqrt(N))") == "static_cast<int64_t>(std::ceil(std::sqrt(N)))");
    CHECK(printed("floor(sqrt(N/2))") == "static_cast<int64_t>(std::floor(std::sqrt(static_cast<double>(N) / 2)))");
    CHECK(printed("2**s") == "sdfgc::rt::ipow(int64_t(2), s)");
    CHECK(printed("8*2**(-s)") == "sdfgc::rt::ipow(int64_t(2), 3 - s)"); // an integer for s = 3
    CHECK(printed("N*24*2**s + 1") == "3 * N * sdfgc::rt::ipow(int64_t(2), s + 3) + 1");
}

TEST_CASE("numbers of elements: what may wrap around is computed by functions of sizes.h") {
    CHECK(count("N") == "N");
    CHECK(count("40") == "40");
    CHECK(count("2*N") == "elements(2, N)");
    CHECK(count("N**2") == "elements(N, N)");
    CHECK(count("K**4") == "power(K, 4)");
    CHECK(count("2**K") == "power(2, K)");
    CHECK(count("N + 1") == "total(N, 1)");
    CHECK(count("M + N") == "total(M, N)");
    CHECK(count("N - M") == "total(N, -M)");
    SECTION("a symbol without a constant only wraps around to what is too large") {
        CHECK(count("N - 2") == "N - 2");
        CHECK(count("(N - 2)*(M - 3)") == "elements(M - 3, N - 2)");
    }
    SECTION("what all terms have in common is taken out") {
        CHECK(count("N*M + 2*M") == "elements(M, total(N, 2))");
        CHECK(count("K*M*N + 2*M*N") == "elements(M, N, total(K, 2))");
        CHECK(count("(N + 1)*(M + 2)") == "elements(total(M, 2), total(N, 1))");
        CHECK(count("K*N + 2*K + N") == "total(elements(K, N), elements(2, K), N)");
    }
    SECTION("a quotient is rounded as a whole, and what is rounded has sizes inside") {
        CHECK(count("N*(N + 1)/2") == "total(elements(N, N), N) / 2");
        CHECK(count("int_ceil(N*M, 32)") == "floordiv(total(elements(M, N), 31), 32)");
        CHECK(count("max(N*M, 4)") == "max(elements(M, N), 4)");
    }
    SECTION("other expressions stay as they are") { CHECK(printed("N*M + 2*M") == "M * (N + 2)"); }
}
