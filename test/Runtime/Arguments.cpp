#include "sdfgc/rt/arguments.h"

#include <catch2/catch.hpp>

#include <limits>
#include <string>

namespace rt = sdfgc::rt;

namespace {

/// The message with which a check ends the call; empty if it passes.
template <class Check> std::string refusal(Check check) {
    rt::ErrorState state;
    const int code = rt::guard(state, check);
    CHECK(code == (state.failed() ? rt::InvalidArgument : rt::NoError));
    return state.message;
}

} // namespace

TEST_CASE("a size below zero is the error of the call") {
    CHECK(refusal([] { rt::requireSize("A", "N - 1", -1); }) == "argument `A`: its size `N - 1` is -1");
    CHECK(refusal([] { rt::requireSize("A", "N", std::numeric_limits<int64_t>::min()); }) ==
          "argument `A`: its size `N` is -9223372036854775808");
    CHECK(refusal([] { rt::requireSize("A", "N", 0); }).empty());
    CHECK(refusal([] { rt::requireSize("A", "N", std::numeric_limits<int64_t>::max()); }).empty());
}

TEST_CASE("an array with elements has memory") {
    const double x = 0;
    CHECK(refusal([] { rt::requireMemory("A", nullptr, 1); }) == "argument `A` is null");
    CHECK(refusal([] { rt::requireMemory("A", nullptr, 0); }).empty());
    CHECK(refusal([&] { rt::requireMemory("A", &x, 1); }).empty());
}

TEST_CASE("a message that is too long is cut") {
    const std::string name(2000, 'x');
    CHECK(refusal([&] { rt::requireMemory(name.c_str(), nullptr, 1); }).size() == rt::ErrorState::messageSize - 1);
}
