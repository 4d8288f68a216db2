// Calls of `sizes` through the C++ class, which takes sizes from the arrays.
#include "sizes.hpp"

#include <cstdio>
#include <vector>

namespace {

std::vector<double> A{1, 2, 3, 4, 5, 6}, c{10, 0, 0}, q{100, 200, 300, 400, 500, 600}, r{1000, 0, 0, 0, 0, 0, 0, 0, 0}, s(3);

void call(sizesProgram &program) {
    try {
        program(A, c, q, r, s, 3);
        std::printf("0  %g %g %g\n", s[0], s[1], s[2]);
    } catch (const sdfgc_program::Error &error) {
        std::printf("%d %s\n", error.code(), error.what());
    }
}

} // namespace

int main() {
    sizesProgram program(3);
    call(program);
    program.setSize_m(3);
    call(program);
    A.resize(12); // two rows are enough for q, so they are all that is copied
    call(program);
    try {
        program.setSize_n(std::int64_t(1) << 40);
    } catch (const sdfgc_program::Error &error) {
        std::printf("%d %s\n", error.code(), error.what());
    }
}
