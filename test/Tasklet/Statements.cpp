// Lowering and C++ text of statements, and the places where locals are declared.
#include "Tasklet/Fixture.h"

using namespace sdfgc;
using namespace sdfgc::py;
using namespace sdfgc::py::test;

TEST_CASE("assignments", "[tasklet][cpp]") {
    CHECK(cppBlock("out = x + 1") == "out = x + 1;\n");
    CHECK(cppBlock("a = x\nout = a") == "double a = x;\nout = a;\n");
    CHECK(cppBlock("p[i] = x") == "p[i] = x;\n");
    CHECK(cppBlock("r.first = x") == "r.first = x;\n");
    CHECK(cppBlock("out = out2 = x") == "out = out2 = x;\n");
    CHECK(cppBlock("a = d = x\nout = a + d") == "double a;\ndouble d;\na = d = x;\nout = a + d;\n");
    CHECK(cppBlock("iout = out = x") == "{\n    const auto value = x;\n    iout = value;\n    out = value;\n}\n");
    CHECK(cppBlock("zout = z") == "zout = std::complex<float>(z);\n");
    CHECK(cppBlock("out = z") == "out = std::real(z);\n");
    CHECK(cppBlock("iout = x") == "iout = x;\n");
    CHECK(cppBlock("a = own(x)\nout = a") == "auto a = own(x);\nout = a;\n");
    CHECK(cppBlock("sout = S(second=1, first=2)") == "sout = S{.first = 2.0f, .second = 1};\n");
}

TEST_CASE("tuples", "[tasklet][cpp]") {
    CHECK(cppBlock("a, d = own(x)\nout = a + d") == "auto [a, d] = own(x);\nout = a + d;\n");
    CHECK(cppBlock("out, out2 = own(x)") == "std::tie(out, out2) = own(x);\n");
    CHECK(cppBlock("out, out2 = x, y") == "out = x;\nout2 = y;\n");
    CHECK(cppBlock("x, y = y, x") == "std::tie(x, y) = std::make_tuple(y, x);\n");
    CHECK(cppBlock("a, out = own(x)") == "std::decay_t<decltype(std::get<0>(own(x)))> a;\nstd::tie(a, out) = own(x);\n");
}

TEST_CASE("augmented assignments", "[tasklet][lower]") {
    CHECK(cppBlock("x += 1\nx -= i\nx *= y\nx /= 2") == "x += 1;\nx -= i;\nx *= y;\nx /= 2;\n");
    CHECK(cppBlock("i /= j") == "i = double(i) / j;\n");
    CHECK(cppBlock("i /= 2") == "i /= 2.0;\n");
    CHECK(cppBlock("i /= j", Semantics::Dace) == "i /= j;\n");
    CHECK(cppBlock("i //= 2") == "i = sdfgc::rt::floordiv(i, 2);\n");
    CHECK(cppBlock("u //= 2\nu %= 3") == "u /= 2;\nu %= 3;\n");
    CHECK(cppBlock("x **= 2") == "x *= x;\n");
    CHECK(cppBlock("x **= y") == "x = std::pow(x, y);\n");
    CHECK(cppBlock("i <<= 2\ni |= j") == "i <<= 2;\ni |= j;\n");
    CHECK(cppBlock("p[i] += 1") == "p[i] += 1;\n");
    CHECK(cppBlock("zout += z") == "zout = std::complex<float>(std::complex<double>(zout) + z);\n");
    CHECK(cppBlock("z += 1") == "z += 1.0;\n");
}

TEST_CASE("branches and loops", "[tasklet][cpp]") {
    CHECK(cppBlock("if b:\n  out = 1\nelif i < 2:\n  out = 2\nelse:\n  out = 3") ==
          "if (b) {\n    out = 1;\n} else if (i < 2) {\n    out = 2;\n} else {\n    out = 3;\n}\n");
    CHECK(cppBlock("while x < 3:\n  x += 1\n  if b: break\n  continue") ==
          "while (x < 3) {\n    x += 1;\n    if (b) {\n        break;\n    }\n    continue;\n}\n");
    CHECK(cppBlock("if z: pass") == "if (z != 0.0) {\n}\n");
    CHECK(cppBlock("assert i < 3, 'small'\nassert b\nreturn") == "assert(i < 3 && \"small\");\nassert(b);\nreturn;\n");
    CHECK(cppBlock("'text'\nprintf('a')\nreturn x") == "printf(\"a\");\nreturn x;\n");
}

TEST_CASE("range loops", "[tasklet][cpp]") {
    CHECK(cppBlock("for m in range(3):\n  out += m") == "for (int64_t m = 0; m < 3; ++m) {\n    out += m;\n}\n");
    CHECK(cppBlock("for m in range(1, i + 1, 2):\n  out += m") == "for (int64_t m = 1; m < i + 1; m += 2) {\n    out += m;\n}\n");
    CHECK(cppBlock("for m in range(i, -1, -1):\n  out += m") == "for (int64_t m = i; m > -1; --m) {\n    out += m;\n}\n");
    CHECK(cppBlock("for m in range(i, 0, -3):\n  out += m") == "for (int64_t m = i; m > 0; m -= 3) {\n    out += m;\n}\n");
    CHECK(cppBlock("for m in range(0, i, j):\n  out += m") ==
          "for (int64_t m = 0, m_step = j; m_step > 0 ? m < i : m > i; m += m_step) {\n    out += m;\n}\n");
    // what the body may change is computed once
    CHECK(cppBlock("for m in range(i):\n  i += 1") == "for (int64_t m = 0, m_end = i; m < m_end; ++m) {\n    i += 1;\n}\n");
    CHECK(cppBlock("for m in range(own(i)):\n  out += m") ==
          "for (int64_t m = 0, m_end = own(i); m < m_end; ++m) {\n    out += m;\n}\n");
    // a variable that the body changes, or that lives longer than the loop, follows a counter
    CHECK(cppBlock("for m in range(3):\n  m += 1\n  out += m") ==
          "int64_t m;\nfor (int64_t m_next = 0; m_next < 3; ++m_next) {\n    m = m_next;\n    m += 1;\n    out += m;\n}\n");
    CHECK(cppBlock("for m in range(3):\n  out += m\nout2 = m") ==
          "int64_t m;\nfor (int64_t m_next = 0; m_next < 3; ++m_next) {\n    m = m_next;\n    out += m;\n}\nout2 = m;\n");
    CHECK(cppBlock("for iout in range(3):\n  pass") ==
          "for (int64_t iout_next = 0; iout_next < 3; ++iout_next) {\n    iout = iout_next;\n}\n");
    // two loops, two variables
    CHECK(cppBlock("for m in range(2):\n  out += m\nfor m in range(3):\n  out += m") ==
          "for (int64_t m = 0; m < 2; ++m) {\n    out += m;\n}\nfor (int64_t m = 0; m < 3; ++m) {\n    out += m;\n}\n");
    CHECK(cppBlock("for o in range(2):\n  for m in range(o):\n    out += m") ==
          "for (int64_t o = 0; o < 2; ++o) {\n    for (int64_t m = 0; m < o; ++m) {\n        out += m;\n    }\n}\n");
}

TEST_CASE("locals are declared where they dominate their uses", "[tasklet][cpp]") {
    // in the innermost block
    CHECK(cppBlock("if b:\n  a = x\n  out = a") == "if (b) {\n    double a = x;\n    out = a;\n}\n");
    CHECK(cppBlock("for m in range(3):\n  a = m * x\n  out += a") ==
          "for (int64_t m = 0; m < 3; ++m) {\n    double a = m * x;\n    out += a;\n}\n");
    // each branch its own
    CHECK(cppBlock("if b:\n  a = x\n  out = a\nelse:\n  a = y\n  out = a") ==
          "if (b) {\n    double a = x;\n    out = a;\n} else {\n    double a = y;\n    out = a;\n}\n");
    // assigned in branches, used after: in front, with the joined type
    CHECK(cppBlock("if b:\n  a = 1\nelse:\n  a = x\nout = a") ==
          "double a;\nif (b) {\n    a = 1;\n} else {\n    a = x;\n}\nout = a;\n");
    // assigned on all paths of the loop body first: inside
    CHECK(cppBlock("for m in range(3):\n  if b:\n    a = 1\n  else:\n    a = 2\n  out += a") ==
          "for (int64_t m = 0; m < 3; ++m) {\n    int32_t a;\n    if (b) {\n        a = 1;\n    } else {\n        a = 2;\n    }\n  "
          "  out += a;\n}\n");
    // carried from one turn to the next: outside
    CHECK(cppBlock("for m in range(3):\n  if m > 0:\n    out += a\n  a = m") ==
          "int64_t a;\nfor (int64_t m = 0; m < 3; ++m) {\n    if (m > 0) {\n        out += a;\n    }\n    a = m;\n}\n");
    CHECK(cppBlock("a = 0\nwhile a < 3:\n  a += 1") == "int32_t a = 0;\nwhile (a < 3) {\n    a += 1;\n}\n");
    // annotated
    CHECK(cppBlock("a: dace.float32\nif b: a = 1\nout = a") == "float a;\nif (b) {\n    a = 1;\n}\nout = a;\n");
    CHECK(cppBlock("a: dace.float32 = i\nout = a") == "float a = float(i);\nout = a;\n");
    CHECK(cppBlock("a: dace.float32 = 0.1\nout = a") == "float a = 0.1f;\nout = a;\n");
    // unknown type, not dominated
    CHECK(cppBlock("if b:\n  a = own(x)\nelse:\n  a = own(y)\nout = a") ==
          "std::decay_t<decltype(own(x))> a;\nif (b) {\n    a = own(x);\n} else {\n    a = own(y);\n}\nout = a;\n");
    // results by reference
    CHECK(cppBlock("py_divmod(i, j, a, d)\nout = a + d") ==
          "int32_t a;\nint32_t d;\nsdfgc::rt::py_divmod(i, j, a, d);\nout = a + d;\n");
    // a declaration before an `elif` breaks the chain
    CHECK(cppBlock("if b:\n  out = 1\nelif c:\n  a = 1\nelse:\n  if b:\n    a = 2\n  else:\n    a = 3\n  out = a") ==
          "if (b) {\n    out = 1;\n} else if (c) {\n    int32_t a = 1;\n} else {\n    int32_t a;\n    if (b) {\n        a = 2;\n   "
          " } else {\n"
          "        a = 3;\n    }\n    out = a;\n}\n");
}

TEST_CASE("raw statements keep their lines", "[tasklet][cpp]") {
    const auto block = parseBlockOrRaw("for (int i = 0; i < 3; ++i) {\n    b += i;\n}");
    CHECK(CppPrinter().stmts(block, {}, 1) == "    for (int i = 0; i < 3; ++i) {\n        b += i;\n    }\n");
}

TEST_CASE("the deepest trees pass through every step", "[tasklet][lower]") {
    std::string sum = "out = i", branches = "if b: out = 1\n";
    for (int k = 0; k < 990; ++k) {
        sum += " // i";
        branches += "elif b: a = 1\n";
    }
    CHECK(cppBlock(sum).size() > 20000);
    CHECK(cppBlock(branches).size() > 20000);
}
