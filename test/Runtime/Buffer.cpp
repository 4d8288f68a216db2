#include "sdfgc/rt/buffer.h"

#include <catch2/catch.hpp>
#include <complex>
#include <limits>
#include <utility>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SDFGC_TEST_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SDFGC_TEST_SANITIZED
#endif
#endif

using sdfgc::rt::Buffer;

namespace {
uintptr_t address(const void *p) { return reinterpret_cast<uintptr_t>(p); }
struct Plain {
    double a;
    char b;
};
struct alignas(256) Wide {
    char bytes[256];
};
} // namespace

TEST_CASE("a buffer is aligned to 64 bytes, or as asked, or as its type needs") {
    CHECK(address(Buffer<char>(3).data()) % 64 == 0);
    CHECK(address(Buffer<double>(3, 0, 4096).data()) % 4096 == 0);
    CHECK(address(Buffer<Wide>(2).data()) % 256 == 0);
    CHECK(address(Buffer<double>(3, 0, -1).data()) % 64 == 0);
    CHECK(address(Buffer<double>(3, 0, 1).data()) % alignof(double) == 0);
}

TEST_CASE("the start offset moves the data, not the memory that zero clears") {
    Buffer<int> b(8, 3);
    CHECK(address(b.data()) % 64 == 3 * sizeof(int));
    for (int i = -3; i < 5; ++i)
        b[i] = 7;
    b.zero();
    for (int i = -3; i < 5; ++i)
        CHECK(b[i] == 0);
}

TEST_CASE("sizes of zero and below hold nothing") {
    for (int64_t count : {int64_t(0), int64_t(-5)}) {
        Buffer<double> b(count);
        CHECK(b.data() == nullptr);
        CHECK(b.size() == 0);
        b.zero();
    }
}

TEST_CASE("allocate keeps the contents of an unchanged size and only of that") {
    Buffer<int> b;
    CHECK(b.data() == nullptr);
    b.allocate(4);
    b[2] = 42;
    int *before = b.data();
    b.allocate(4);
    CHECK(b.data() == before);
    CHECK(b[2] == 42);
    b.allocate(4, 1);
    CHECK(b.data() == before + 1);
    b.allocate(1000);
    CHECK(b.size() == 1000);
    CHECK(address(b.data()) % 64 == 0);
    b.allocate(4, 0, 128);
    CHECK(address(b.data()) % 128 == 0);
    b.release();
    CHECK(b.size() == 0);
}

TEST_CASE("moving hands the memory over") {
    Buffer<double> a(4);
    a[1] = 2.5;
    double *memory = a;
    Buffer<double> b(std::move(a));
    CHECK(a.data() == nullptr);
    CHECK(b.data() == memory);
    Buffer<double> c(2);
    c = std::move(b);
    CHECK(c[1] == 2.5);
    CHECK(b.data() == nullptr);
}

TEST_CASE("what cannot be had throws std::bad_alloc") {
    CHECK_THROWS_AS(Buffer<double>(std::numeric_limits<int64_t>::max()), std::bad_alloc);
#ifndef SDFGC_TEST_SANITIZED // which ends the program instead
    CHECK_THROWS_AS(Buffer<char>(std::numeric_limits<int64_t>::max() - 4096), std::bad_alloc);
#endif
}

TEST_CASE("complex numbers and structs are plain data; a buffer converts to a pointer") {
    Buffer<std::complex<double>> z(2);
    z.zero();
    CHECK(z[1] == 0.0);
    Buffer<Plain> s(3);
    s[int8_t(2)].a = 1.0;
    Plain *p = s;
    CHECK(p[2].a == 1.0);
    CHECK((s + 2)->a == 1.0);
}
