#include "sdfgc/Run/Values.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <set>

using namespace sdfgc;
using namespace sdfgc::run;

namespace {

/// `text` converted to a value of the type and back, or `-` if it is not one.
std::string through(Type t, const std::string &text) {
    const std::optional<Number> n = parseNumber(text);
    REQUIRE(n);
    std::string bytes;
    return store(t, *n, bytes) ? textOf(t, bytes) : "-";
}

} // namespace

TEST_CASE("numbers as text") {
    CHECK(through(ScalarKind::Int32, "-12") == "-12");
    CHECK(through(ScalarKind::Int64, "9223372036854775807") == "9223372036854775807");
    CHECK(through(ScalarKind::Int8, "128") == "-");
    CHECK(through(ScalarKind::UInt8, "255") == "255");
    CHECK(through(ScalarKind::UInt8, "-1") == "-");
    CHECK(through(ScalarKind::UInt64, "-1") == "-");
    CHECK(through(ScalarKind::Int32, "2.5") == "-");
    CHECK(through(ScalarKind::Int32, "1e3") == "1000");
    CHECK(through(ScalarKind::Bool, "true") == "True");
    CHECK(through(ScalarKind::Bool, "2") == "-");
    CHECK(through(ScalarKind::Float64, "0.1") == "0.1");
    CHECK(through(ScalarKind::Float32, "0.1") == "0.1");
    CHECK(through(ScalarKind::Float64, "nan") == "nan");
    CHECK(through(ScalarKind::Float64, "-inf") == "-inf");
    CHECK(through(ScalarKind::Complex128, "1+2j") == "(1+2j)");
    CHECK(through(ScalarKind::Complex64, "-1e-3-2.5e+1j") == "(-0.001-25j)");
    CHECK(through(ScalarKind::Complex64, "3j") == "(0+3j)");
    CHECK(through(ScalarKind::Float64, "3j") == "-");
    for (const char *bad : {"", "x", "1x", "0x10", "--1", "1+j+2", "j", "1 "})
        CHECK_FALSE(parseNumber(bad));
}

TEST_CASE("narrow floating-point formats round to nearest, ties to even") {
    const Type half = ScalarKind::Float16, brain = ScalarKind::BFloat16, e4 = ScalarKind::Float8E4M3FN, e5 = ScalarKind::Float8E5M2;
    auto bits = [](Type t, double v) {
        std::string out;
        REQUIRE(store(t, {false, 0, v}, out));
        unsigned n = 0;
        for (std::size_t i = out.size(); i-- > 0;)
            n = n << 8 | static_cast<unsigned char>(out[i]);
        return n;
    };
    CHECK(bits(half, 1) == 0x3c00);
    CHECK(bits(half, -2) == 0xc000);
    CHECK(bits(half, 65504) == 0x7bff);
    CHECK(bits(half, 65520) == 0x7c00); // rounds up to infinity
    CHECK(bits(half, 65519) == 0x7bff);
    CHECK(bits(half, 0x1p-24) == 1); // smallest subnormal
    CHECK(bits(half, 0x1p-25) == 0); // a tie
    CHECK(bits(half, 2049) == 0x6800);
    CHECK(bits(half, 2051) == 0x6802);
    CHECK(bits(brain, 1) == 0x3f80);
    CHECK(bits(e4, 448) == 0x7e);
    CHECK(bits(e4, 1e9) == 0x7f);
    CHECK(bits(e4, 1) == 0x38);
    CHECK(bits(e5, 1) == 0x3c);
    CHECK(bits(e5, INFINITY) == 0x7c);
    for (Type t : {half, brain, e4, e5}) // every pattern represents its own value
        for (unsigned n = 0; n < (t.bytes() == 2 ? 65536u : 256u); ++n) {
            const std::string stored(reinterpret_cast<const char *>(&n), static_cast<std::size_t>(*t.bytes()));
            const double v = valueOf(t, stored);
            if (!std::isnan(v) && bits(t, v) != n)
                FAIL(t.str() << " " << n << " " << v);
        }
}

TEST_CASE("random numbers are the same everywhere and differ by seed") {
    Random a(0), b(0), c(1);
    CHECK(a.next() == 0x99ec5f36cb75f2b4u); // reference implementation, prng.di.unimi.it
    std::set<uint64_t> seen;
    for (int i = 0; i < 1000; ++i) {
        const double u = c.unit();
        CHECK((u >= 0 && u < 1));
        seen.insert(b.next());
    }
    CHECK(seen.size() == 1000);
}
