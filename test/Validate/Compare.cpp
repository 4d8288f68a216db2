#include "Validate/Programs.h"

#include <cmath>
#include <complex>
#include <cstring>

using namespace sdfgc;
using namespace sdfgc::test;
using pass::FloatClass;
using validate::Execution;

namespace {

/// An argument `A` of 2 x 3 elements, in rows of 4.
template <class T> run::Arguments matrix(Type type) {
    run::Argument a;
    a.name = Name("A");
    a.type = type;
    a.dtype = *run::dtypeOf(type);
    a.isArray = true;
    a.shape = {2, 3};
    a.strides = {4, 1};
    a.elements = 8;
    a.data.assign(8 * sizeof(T), '\0');
    run::Arguments out;
    out.all.push_back(a);
    return out;
}

template <class T> Execution with(const std::vector<T> &values) {
    std::string bytes(values.size() * sizeof(T), '\0');
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return {.memory = {bytes}, .faults = {}};
}

std::string difference(const run::Arguments &input, const Execution &a, const Execution &b, FloatClass allowed) {
    const auto found = validate::compare(input, a, b, allowed);
    return found ? found->text() : "";
}

} // namespace

TEST_CASE("the first difference has its index and both values") {
    const run::Arguments input = matrix<double>(ScalarKind::Float64);
    const auto before = with<double>({1, 2, 3, 0, 4, 5, 6, 0});
    CHECK(difference(input, before, before, FloatClass::F0).empty());
    CHECK(difference(input, before, with<double>({1, 2, 3, 0, 4, 7, 8, 0}), FloatClass::F0) == "A[1, 1] is 7, and was 5");
    const auto padding = validate::compare(input, before, with<double>({1, 2, 3, 9, 4, 5, 6, 0}), FloatClass::F0);
    REQUIRE(padding);
    CHECK(padding->offset == 3);
    CHECK(padding->text() == "A is 9, and was 0");
}

TEST_CASE("a NaN equals every NaN; zeros have a sign, unless sums may be reordered") {
    const run::Arguments input = matrix<double>(ScalarKind::Float64);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto before = with<double>({nan, 0.0, 3, 0, 4, 5, 6, 0}), other = with<double>({-nan, -0.0, 3, 0, 4, 5, 6, 0});
    CHECK(difference(input, before, other, FloatClass::F0) == "A[0, 1] is -0, and was 0");
    CHECK(difference(input, before, other, FloatClass::F1).empty());
    CHECK(difference(input, before, with<double>({1, 0, 3, 0, 4, 5, 6, 0}), FloatClass::F1) == "A[0, 0] is 1, and was nan");
}

TEST_CASE("one bit is a difference, and rounding is none where sums may be reordered") {
    const run::Arguments input = matrix<float>(ScalarKind::Float32);
    const float one = 1, next = std::nextafter(one, 2.0f);
    const auto before = with<float>({one, 0, 0, 0, 0, 0, 100, 0}), after = with<float>({next, 0, 0, 0, 0, 0, 100, 0});
    CHECK_FALSE(difference(input, before, after, FloatClass::F0).empty());
    CHECK(difference(input, before, after, FloatClass::F1).empty());
    CHECK_FALSE(difference(input, before, with<float>({2, 0, 0, 0, 0, 0, 100, 0}), FloatClass::F1).empty());
}

TEST_CASE("integers have no tolerance") {
    const run::Arguments input = matrix<int64_t>(ScalarKind::Int64);
    CHECK(difference(input, with<int64_t>({0, 0, 0, 0, 0, 0, INT64_MAX, 0}), with<int64_t>({0, 0, 0, 0, 0, 0, INT64_MAX - 1, 0}),
                     FloatClass::F1) == "A[1, 2] is 9223372036854775806, and was 9223372036854775807");
}

TEST_CASE("parts of complex numbers are compared one by one") {
    run::Arguments input = matrix<std::complex<float>>(ScalarKind::Complex64);
    const auto before = with<std::complex<float>>({{1, 2}, 0, 0, 0, 0, 0, 0, 0});
    CHECK(difference(input, before, with<std::complex<float>>({{1, 3}, 0, 0, 0, 0, 0, 0, 0}), FloatClass::F1) ==
          "A[0, 0] is (1+3j), and was (1+2j)");
}

TEST_CASE("a fault that only the second execution has is a difference") {
    const run::Arguments input = matrix<double>(ScalarKind::Float64);
    auto before = with<double>(std::vector<double>(8)), after = before;
    after.faults.push_back({interpret::FaultKind::Race, "f: state s, tasklet t", "element 0 of `A` is written twice", {}});
    CHECK(difference(input, before, after, FloatClass::F0) == "f: state s, tasklet t: element 0 of `A` is written twice");
    before.faults = after.faults;
    CHECK(difference(input, before, after, FloatClass::F0).empty());
}

TEST_CASE("a run that was stopped says nothing about values") {
    const run::Arguments input = matrix<double>(ScalarKind::Float64);
    const auto before = with<double>(std::vector<double>(8));
    auto after = with<double>(std::vector<double>(8, 1.0));
    CHECK_FALSE(difference(input, before, after, FloatClass::F0).empty());
    after.timedOut = true;
    CHECK(difference(input, before, after, FloatClass::F0).empty());
}

TEST_CASE("near is relative to what was computed with, and knows overflow") {
    using validate::near;
    const double inf = std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::max();
    CHECK(near(ScalarKind::Float64, 1, 1 + 1e-13, 1));
    CHECK_FALSE(near(ScalarKind::Float64, 1, 1 + 1e-10, 1));
    CHECK(near(ScalarKind::Float64, 0, 1e-10, 1000));
    CHECK(near(ScalarKind::Float64, inf, most, 0));
    CHECK_FALSE(near(ScalarKind::Float64, inf, most / 2, 0));
    CHECK_FALSE(near(ScalarKind::Float64, inf, -most, 0));
    CHECK_FALSE(near(ScalarKind::Float64, inf, -inf, 0));
    CHECK_FALSE(near(ScalarKind::Float64, inf, -inf, 1e100));
    CHECK(near(ScalarKind::Float64, inf, -inf, most));
    CHECK(near(ScalarKind::Float64, 1, std::numeric_limits<double>::quiet_NaN(), 1e200));
    CHECK_FALSE(near(ScalarKind::Float64, 1e300, -1e300, 1e200));
    CHECK(near(ScalarKind::Float16, 1, 1.2, 0));
    CHECK_FALSE(near(ScalarKind::Float16, 1, 2, 0));
}
