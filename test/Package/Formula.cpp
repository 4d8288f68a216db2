#include "Package/Formula.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using package::Language;

namespace {

std::string text(const std::string &source, Language l) {
    sym::ParseResult parsed = sym::parse(source);
    REQUIRE(parsed.expr);
    return package::formula(*parsed.expr, l, [](Name n) { return n.str() == "unknown" ? std::string() : n.str(); })
        .value_or("none");
}

} // namespace

TEST_CASE("formulas read the same in every language that can say them") {
    struct Row {
        std::string source, python, cpp, fortran;
    };
    for (const Row &r : std::vector<Row>{
             {"N", "N", "N", "N"},
             {"N*M + 1", "(M*N) + 1", "(M*N) + 1", "(M*N) + 1"},
             {"N - 1", "N - 1", "N - 1", "N - 1"},
             {"N - 2*M", "N - (2*M)", "N - (2*M)", "N - (2*M)"},
             {"N // 2", "(N // 2)", "floorDiv(N, 2)", "none"},
             {"N % 4", "(N % 4)", "mod(N, 4)", "none"},
             {"int_ceil(N, M)", "ceil_div(N, M)", "ceilDiv(N, M)", "none"},
             {"min(N, M, 4)", "min(M, N, 4)", "min(min(M, N), 4)", "none"},
             {"N**2", "(N*N)", "(N*N)", "(N*N)"},
             {"unknown + 1", "none", "none", "none"},
             {"sin(N)", "none", "none", "none"},
             {"N < 3", "none", "none", "none"},
         }) {
        INFO(r.source);
        CHECK(text(r.source, Language::Python) == r.python);
        CHECK(text(r.source, Language::Cpp) == r.cpp);
        CHECK(text(r.source, Language::Fortran) == r.fortran);
    }
}

TEST_CASE("a formula that nobody could read has no text") {
    sym::Expr deep = sym::Expr::symbol(Name("N"));
    for (int i = 0; i < 300; ++i)
        deep = sym::floorDiv(deep + 1, sym::Expr::symbol(Name("M")));
    CHECK_FALSE(package::formula(deep, Language::Python, [](Name n) { return n.str(); }));
}

TEST_CASE("the functions that a formula calls") {
    using package::formulaFunctions;
    CHECK(formulaFunctions("N + 1").empty());
    CHECK(formulaFunctions("floorDiv(N, min(M, abs(K)))") == std::vector<std::string>{"abs", "floorDiv", "min"});
    CHECK(formulaFunctions("in.min*min_ + xmax(3)").empty());
}
