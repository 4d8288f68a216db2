// The calls of checked.c through the C++ class.
#include "checked.hpp"

#include <cstdio>

namespace {

double A[12], B[3], maybe[4], s[1];

/// Before C++20, an array may be just a pointer.
template <class T> sdfgc_program::Array<T> array(T *memory, [[maybe_unused]] std::size_t size) {
#if __cplusplus >= 202002L
    return {memory, memory ? size : 0};
#else
    return memory;
#endif
}

void call(checkedProgram &program, double *a, double *b, double *sum, std::int32_t m, std::int64_t n) {
    try {
        program(array(a, 12), array<const double>(b, 3), {}, array<const double>(maybe, 4), array(sum, 1), m, n, 0);
        std::printf("0 \n");
    } catch (const sdfgc_program::Error &error) {
        std::printf("%d %s\n", error.code(), error.what());
    }
}

} // namespace

int main() {
    checkedProgram program(3, 4, 0);
    call(program, A, B, s, 3, 4);
    call(program, A, B, s, 3, -4);
    call(program, A, B, s, -3, 4);
    call(program, A, B, s, 3, 0);
    call(program, nullptr, B, s, 3, 4); // the class itself detects that the span is too short
    call(program, A, nullptr, s, 3, 4);
    call(program, A, B, nullptr, 3, 4);
    call(program, nullptr, B, s, 0, 4);
    call(program, A, nullptr, s, 3, 1);
    call(program, A, B, s, 3, 4);
}
