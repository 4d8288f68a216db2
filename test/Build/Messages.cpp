#include "sdfgc/Build/Build.h"

#include <catch2/catch.hpp>

using namespace sdfgc;

namespace {

std::string text(std::string_view output) {
    std::string out;
    for (const build::CompilerMessage &m : build::compilerMessages(output))
        out += m.file + "|" + std::to_string(m.line) + "|" + std::to_string(m.column) + "|" + (m.isError ? "error" : "other") +
               "|" + m.text + "\n";
    return out;
}

} // namespace

TEST_CASE("messages of compilers") {
    CHECK(text("src/cpu/f.cpp: In function 'void program()':\n"
               "src/cpu/f.cpp:31:11: error: missing loop condition\n"
               "   31 |     for (;; ) {\n"
               "src/cpu/f.cpp:7:2: warning: unused: x\n"
               "/a:b/c.h:1:2: fatal error: no-such.h: No such file or directory\n") ==
          "src/cpu/f.cpp|31|11|error|missing loop condition\n"
          "src/cpu/f.cpp|7|2|other|unused: x\n"
          "/a:b/c.h|1|2|error|no-such.h: No such file or directory\n");
    CHECK(text("src/cuda/f.cu(12): error: identifier \"x\" is undefined\n") ==
          "src/cuda/f.cu|12|0|error|identifier \"x\" is undefined\n");
    CHECK(text("a(1).cpp:3: error: bad") == "a(1).cpp|3|0|error|bad\n");
}

TEST_CASE("what is no message is left out") {
    CHECK(text("") == "");
    CHECK(text("error: linker command failed\ncollect2: error: ld returned 1 exit status\n::1:1: x\n") == "");
    CHECK(text(std::string(100000, ':') + "\n" + std::string(100000, '(')) == "");
}
