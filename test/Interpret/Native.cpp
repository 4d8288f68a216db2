// Foreign code and the memory passed to it.
#include "../../lib/Interpret/Native/Guarded.h"

#include <catch2/catch.hpp>

#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include <unistd.h>

using namespace sdfgc::interpret;

namespace {

std::vector<std::byte> bytes(std::size_t n) {
    std::vector<std::byte> out(n);
    for (std::size_t k = 0; k < n; ++k)
        out[k] = static_cast<std::byte>(k);
    return out;
}

void writes(void *const *values) { *static_cast<volatile char *>(values[0]) = 1; }
void divides(void *const *) { std::raise(SIGFPE); }
void throws(void *const *) { throw std::runtime_error("no"); }
void aborts(void *const *) { std::abort(); }

int timesLeft = 0; // models state that a library leaks each time a signal ends it
void leaves(void *const *values) {
    ++timesLeft;
    writes(values);
}
void hangs(void *const *) {
    for (;;)
        pause();
}

} // namespace

TEST_CASE("a guarded copy has the bytes, and nothing may be accessed behind it", "[interpret]") {
    GuardedCopy copy;
    for (const std::size_t n : {std::size_t(1), std::size_t(24), std::size_t(4096), std::size_t(5000)}) {
        const std::vector<std::byte> from = bytes(n);
        REQUIRE(copy.take(from.data(), static_cast<int64_t>(n)));
        CHECK(std::equal(from.begin(), from.end(), copy.begin()));
        CHECK(copy.isIntact());
        void *behind = copy.begin() + n;
        CHECK(copy.guards(behind));
        CHECK_FALSE(copy.guards(&copy));
        const auto stop = callGuarded(writes, &behind);
        REQUIRE(stop);
        CHECK(stop->signal == SIGSEGV);
        CHECK(stop->address == behind);
    }
}

TEST_CASE("writes in front of a guarded copy are found afterwards", "[interpret]") {
    GuardedCopy copy;
    const std::vector<std::byte> from = bytes(16);
    REQUIRE(copy.take(from.data(), 16));
    void *before = copy.begin() - 1;
    CHECK_FALSE(callGuarded(writes, &before));
    CHECK_FALSE(copy.isIntact());
    REQUIRE(copy.take(from.data(), 16));
    CHECK(copy.isIntact());
}

TEST_CASE("no memory is taken for no bytes, but there is an address", "[interpret]") {
    GuardedCopy copy;
    REQUIRE(copy.take(nullptr, 0));
    void *at = copy.begin();
    CHECK(callGuarded(writes, &at));
}

TEST_CASE("what ends foreign code does not end its caller", "[interpret]") {
    struct sigaction before {
    }, now{};
    sigaction(SIGFPE, nullptr, &before);
    CHECK(callGuarded(divides, nullptr)->signal == SIGFPE);
    CHECK(callGuarded(aborts, nullptr)->signal == SIGABRT);
    CHECK(callGuarded(throws, nullptr)->signal == 0);
    sigaction(SIGFPE, nullptr, &now);
    CHECK(now.sa_sigaction == before.sa_sigaction);
}

TEST_CASE("what foreign code leaves behind ends with the process in which it is called", "[interpret]") {
    GuardedCopy copy;
    const std::vector<std::byte> from = bytes(16);
    REQUIRE(copy.take(from.data(), 16));
    void *behind = copy.begin() + 16;
    CHECK(callGuarded(leaves, &behind));
    CHECK(hasStopped());
    REQUIRE(timesLeft == 1);
    for (int k = 0; k < 100; ++k) {
        const auto stop = callApart(leaves, &behind);
        REQUIRE(stop);
        CHECK(stop->signal == SIGSEGV);
        CHECK(stop->address == behind);
    }
    CHECK(timesLeft == 1);
}

TEST_CASE("foreign code in a child process writes to guarded copies", "[interpret]") {
    GuardedCopy copy;
    const std::vector<std::byte> from = bytes(16);
    REQUIRE(copy.take(from.data(), 16));
    void *last = copy.begin() + 15;
    CHECK_FALSE(callApart(writes, &last));
    CHECK(copy.begin()[15] == std::byte(1));
    CHECK(callApart(throws, nullptr)->signal == 0);
    CHECK(callApart(aborts, nullptr)->signal == SIGABRT);
    CHECK(callApart(hangs, nullptr, 1)->signal == SIGALRM);
}
