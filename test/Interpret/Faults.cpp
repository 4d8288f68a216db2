// Faults that the interpreter detects and a compiler does not.
#include "Interpret/Interpreted.h"

#include <chrono>
#include <cmath>

using namespace sdfgc;
using namespace sdfgc::test;

TEST_CASE("a right graph has no faults", "[interpret]") {
    std::vector<double> a{1, 2, 3}, c(3);
    Interpreted p(R"(sdfg f {
      symbol N: int64
      argument A: float64[N]
      argument C: float64[N]
      state s {
        map m[i = 0:N] with IN_A <- A[0:N]; OUT_C -> C[0:N] {
          t: c = a * 2  with a <- A[i]; c -> C[i]
        }
      }
    })");
    CHECK(p.bind("A", a).bind("C", c).set("N", 3).run().empty());
    CHECK(c == std::vector<double>{2, 4, 6});
}

TEST_CASE("sizes may be constants", "[interpret]") {
    std::vector<double> a{1, 2, 3};
    Interpreted p(R"(sdfg f {
      symbol N: int64
      constant N: int64 = 3
      argument A: float64[N]
      state s {
        map m[i = 0:N] with IN_A <- A[0:N]; OUT_A -> A[0:N] {
          t: c = a + 1  with a <- A[i]; c -> A[i]
        }
      }
    })");
    CHECK(p.bind("A", a).run().empty());
    CHECK(a == std::vector<double>{2, 3, 4});
}

TEST_CASE("copies whose sides have different numbers of elements", "[interpret]") {
    const auto copied = [](int64_t n) {
        std::vector<double> a(static_cast<std::size_t>(4 * n)), b(static_cast<std::size_t>(n / 2 - 1));
        Interpreted p(R"(sdfg f {
          symbol N: int64
          argument A: float64[4, N]
          argument B: float64[N/2 - 1]
          state s {
            A[2, 1:N - 1:2] -> B
          }
        })");
        const Kinds kinds = p.bind("A", a).bind("B", b).set("N", n).run();
        return std::pair(kinds, p.reports.empty() ? std::string() : p.reports[0].what);
    };
    CHECK(copied(16).first.empty());
    CHECK(copied(17).first == Kinds{FaultKind::Outside});
    CHECK(copied(17).second == "the copy reads 8 elements and writes 7");
}

TEST_CASE("reads of what nothing has written", "[interpret]") {
    std::vector<double> c(1);
    Interpreted p(R"(sdfg f {
      transient T: float64[4]
      argument C: float64[1]
      state s {
        t: c = a  with a <- T[2]; c -> C[0]
      }
    })");
    CHECK(p.bind("C", c).run() == Kinds{FaultKind::NotWritten});
    CHECK(p.reports[0].what.find("element 2 of `T`") != std::string::npos);
    CHECK(p.reports[0].element == "f: state s, tasklet t");
}

TEST_CASE("uses of an output that has no value yet", "[interpret]") {
    const auto kinds = [](const std::string &code) {
        std::vector<double> a{1, -2}, c(2);
        Interpreted p("sdfg f {\n  argument A: float64[2]\n  argument C: float64[2]\n  state s {\n"
                      "    map m[i = 0:2] with IN_A <- A[0:2]; OUT_C -> C[0:2] {\n"
                      "      t with a <- A[i]; c -> C[i] {\n" +
                      code + "      }\n    }\n  }\n}\n");
        return p.bind("A", a).bind("C", c).run();
    };
    CHECK(kinds("        c += a\n") == Kinds{FaultKind::NotWritten});
    CHECK(kinds("        if a > 0:\n          c = a\n") == Kinds{FaultKind::NotWritten});
    CHECK(kinds("        if a > 0:\n          c = a\n        else:\n          c = 0\n        c += a\n").empty());
    CHECK(kinds("        c = 0\n        for k in range(3):\n          c += a\n").empty());
    CHECK(kinds("        for k in range(3):\n          c = a\n").empty());
}

TEST_CASE("what a time limit leaves out is no fault", "[interpret]") {
    std::vector<double> c(1);
    Interpreted p(R"(sdfg f {
      symbol N: int64
      transient T: float64[N]
      argument C: float64[1]
      state s {
        map m[i = 0:N, j = 0:N] with OUT_T -> T[0:N] {
          t: c = 1  with c -> T[i]
        }
        last: c = a  with a <- T[N - 1]; c -> C[0]
      }
    })",
                  {.seconds = 0.01});
    CHECK(p.bind("C", c).set("N", 100000).run().empty());
    CHECK(p.timedOut());
}

TEST_CASE("a transient of one state is new each time", "[interpret]") {
    std::vector<double> c(1);
    Interpreted p(R"(sdfg f {
      transient T: float64[1]
      argument C: float64[1]
      l: for k = 0; (k < 2); k = (k + 1) {
        state s {
          first: t = 1  with t -> T[0]
          next: c = a  with a <- @T T[0]; c -> C[0]
        }
      }
    })");
    CHECK(p.bind("C", c).run().empty());
}

TEST_CASE("accesses outside of a shape, and of memory", "[interpret]") {
    std::vector<double> a(6), c(1);
    Interpreted p(R"(sdfg f {
      symbol j: int64
      argument A: float64[2, 3]
      argument C: float64[1]
      state s {
        t: c = a  with a <- A[0, j]; c -> C[0]
      }
    })");
    p.bind("A", a).bind("C", c);
    a[4] = 7;
    CHECK(p.set("j", 4).run() == Kinds{FaultKind::OutsideShape}); // the next row
    CHECK(c[0] == 7);
    CHECK(p.set("j", 6).run() == Kinds{FaultKind::OutsideShape, FaultKind::Outside});
    CHECK(c[0] == 0);
    CHECK(p.set("j", -1).run() == Kinds{FaultKind::OutsideShape, FaultKind::Outside});
}

namespace {

std::string mapWith(const std::string &output, const std::string &schedule = "") {
    return R"(sdfg f {
      symbol N: int64
      argument A: float64[N]
      argument C: float64[N]
      state s {
        map m[i = 0:N])" +
           schedule + R"( with IN_A <- A[0:N]; OUT_C -> C[0:N] {
          t: c = a  with a <- A[i]; c -> )" +
           output + R"(
        }
      }
    })";
}

} // namespace

TEST_CASE("iterations of a map that write one element", "[interpret]") {
    std::vector<double> a{1, 2, 3}, c(3);
    CHECK(Interpreted(mapWith("C[0]")).bind("A", a).bind("C", c).set("N", 3).run() == Kinds{FaultKind::Race});
    // Without parallelism, with conflict resolution, or with a single value, it is not a conflict.
    CHECK(Interpreted(mapWith("C[0]", " (Sequential)")).bind("A", a).bind("C", c).set("N", 3).run().empty());
    c.assign(3, 0);
    CHECK(Interpreted(mapWith("C[0] (+)")).bind("A", a).bind("C", c).set("N", 3).run().empty());
    CHECK(c[0] == 6);
    a.assign(3, 5);
    c.assign(3, 5);
    CHECK(Interpreted(mapWith("C[0]")).bind("A", a).bind("C", c).set("N", 3).run().empty());
}

TEST_CASE("iterations of a map that read what others write", "[interpret]") {
    std::vector<double> a{1, 2, 3, 4};
    Interpreted p(R"(sdfg f {
      argument A: float64[4]
      state s {
        map m[i = 0:3] with IN_A <- A[0:4]; OUT_A -> A[0:3] {
          t: c = a  with a <- A[i + 1]; c -> A[i]
        }
      }
    })");
    CHECK(p.bind("A", a).run() == Kinds{FaultKind::Race});
    CHECK(p.reports[0].other.element == "f: state s, tasklet t");
    CHECK(p.reports[0].other.subset == "A[i + 1]"); // read by the previous iteration
}

TEST_CASE("nodes of a state without a path between them", "[interpret]") {
    std::vector<double> a(1), c(1);
    Interpreted p(R"(sdfg f {
      argument A: float64[1]
      argument C: float64[1]
      state s {
        write: a = 1  with a -> A[0]
        read: c = a  with a <- new A[0]; c -> C[0]
      }
    })");
    CHECK(p.bind("A", a).bind("C", c).run() == Kinds{FaultKind::Race});
    CHECK(p.reports[0].other.element == "f: state s, tasklet write");
    Interpreted ordered(R"(sdfg f {
      argument A: float64[1]
      argument C: float64[1]
      state s {
        write: a = 1  with a -> A[0]
        read: c = a  with a <- @A A[0]; c -> C[0]
      }
    })");
    CHECK(ordered.bind("A", a).bind("C", c).run().empty());
}

TEST_CASE("division by zero, steps of zero, negative sizes", "[interpret]") {
    std::vector<int32_t> a{7}, c{1};
    Interpreted divides(R"(sdfg f {
      symbol n: int64
      argument A: int32[1]
      argument C: int32[1]
      state s {
        t: c = a // n  with a <- A[0]; c -> C[0]
      }
    })");
    divides.bind("A", a).bind("C", c);
    CHECK(divides.set("n", 0).run() == Kinds{FaultKind::DivisionByZero});
    CHECK(divides.set("n", -2).run().empty());
    CHECK(c[0] == -4);
    Interpreted steps(R"(sdfg f {
      symbol n: int64
      argument C: int32[1]
      state s {
        map m[i = 0:1:n] with OUT_C -> C[0:1] {
          t: c = 1  with c -> C[i]
        }
      }
    })");
    CHECK(steps.bind("C", c).set("n", 0).run() == Kinds{FaultKind::ZeroStep});
    Interpreted sizes(R"(sdfg f {
      symbol n: int64
      transient T: int32[n - 2]
      argument C: int32[1]
      state s {
        t: x = 1  with x -> T[0]
      }
      state r {
        u: c = x  with x <- T[0]; c -> C[0]
      }
    })");
    const Kinds found = sizes.bind("C", c).set("n", 1).run();
    REQUIRE(!found.empty());
    CHECK(found[0] == FaultKind::NegativeSize);
}

TEST_CASE("a program that does not end is stopped", "[interpret]") {
    diag::Engine diags;
    auto graph = serialize::readText("sdfg f {\n  w: while (1 > 0) {\n    state s {}\n  }\n}", "test.sdfgt", diags);
    REQUIRE(graph);
    interpret::Options options;
    options.seconds = 0.05;
    auto p = interpret::PreparedProgram::prepare(std::move(graph), options, diags);
    REQUIRE(p);
    p->run();
    CHECK(p->timedOut());
}

TEST_CASE("what cannot be interpreted is refused by its element", "[interpret]") {
    Interpreted p(R"(sdfg f {
      argument C: float64[1]
      state s {
        t (CPP) with c -> C[0] {
          c = sin(1);
        }
      }
    })");
    REQUIRE(p.refusals.size() == 1);
    CHECK(p.refusals[0].find("C++ code") != std::string::npos);
}

TEST_CASE("a container that no memory is large enough for", "[interpret]") {
    std::vector<double> c{5};
    Interpreted p(R"(sdfg f {
      symbol N: int64
      transient T: float64[N]
      argument C: float64[1]
      state s {
        t: o = 1  with o -> T[0]
        u: c = a  with a <- @T T[0]; c -> C[0]
      }
    })");
    const Kinds found = p.bind("C", c).set("N", int64_t(1) << 50).run();
    REQUIRE(!found.empty());
    CHECK(found[0] == FaultKind::TooLarge);
    CHECK(p.reports[0].what == "`T` has a size of 1125899906842624, for which there is no memory");
}

TEST_CASE("copies of what nothing has written are no fault before something computes with them", "[interpret]") {
    std::vector<double> c(1);
    const auto run = [&](const char *read, const char *to) {
        Interpreted p(std::string(R"(sdfg f {
          transient T: float64[4]
          transient U: float64[4]
          argument C: float64[1]
          state s {
            t: o = 1  with o -> T[2]
            T[0:4] -> U[0:4]
            u: c = a  with a <- @U U[)") +
                      read + "]; c -> " + to + "\n          }\n        }");
        return p.bind("C", c).run();
    };
    CHECK(run("2", "C[0]").empty());
    CHECK(run("1", "C[0]") == Kinds{FaultKind::NotWritten});
}

TEST_CASE("what nothing has written is not handed to the caller", "[interpret]") {
    std::vector<double> c(4);
    Interpreted p(R"(sdfg f {
      transient T: float64[4]
      argument C: float64[4]
      state s {
        t: o = 1  with o -> T[2]
        T[0:4] -> C[0:4]
      }
    })");
    CHECK(p.bind("C", c).run() == Kinds{FaultKind::NotWritten});
}

TEST_CASE("an array of the caller without elements has no memory", "[interpret]") {
    std::vector<double> c{5, 6};
    Interpreted p(R"(sdfg f {
      symbol N: int64
      argument C: float64[N]
      state s {
        t: o = 1  with o -> C[0]
      }
    })");
    CHECK(p.bind("C", c).set("N", 0).run() == Kinds{FaultKind::OutsideShape, FaultKind::Outside});
    CHECK(c[0] == 5);
}

TEST_CASE("a subset that no memory is large enough for", "[interpret]") {
    std::vector<double> a{5, 6}, c{1, 2};
    Interpreted p(R"(sdfg f {
      symbol N: int64
      argument A: float64[2]
      argument C: float64[2]
      state s {
        A[0:N] -> C[0:N]
      }
    })");
    CHECK(p.bind("A", a).bind("C", c).set("N", int64_t(1) << 60).run() == Kinds{FaultKind::Outside});
    CHECK(c[0] == 1);
}

TEST_CASE("a nested SDFG may be handed a part that is less than nothing", "[interpret]") {
    std::vector<double> a{5};
    Interpreted p(R"(sdfg f {
      symbol N: int64
      argument A: float64[N]
      state s {
        nested inner[N = N] with B <- A[2:N]; B -> A[2:N] {
          sdfg inner {
            symbol N: int64
            argument B: float64[N - 2]
            state s {
              map m[i = 0:N - 2] with IN_B <- B[0:N - 2]; OUT_B -> B[0:N - 2] {
                t: c = a  with a <- B[i]; c -> B[i]
              }
            }
          }
        }
      }
    })");
    CHECK(p.bind("A", a).set("N", 1).run().empty());
}

TEST_CASE("a library node finds nothing where there is no memory, or a subset is too large", "[interpret]") {
    std::vector<double> a{5, 6}, c{1};
    const std::string text = R"(sdfg f {
      symbol N: int64
      argument A: float64[2, 2]
      argument C: float64[1]
      state s {
        library standard.Reduce reduce (wcr = "lambda a, b: a + b", axes = [0, 1], identity = 0) with <- A[0:2, 0:N]; -> C[0]
      }
    })";
    Interpreted none(text);
    CHECK(none.bind("C", c).set("N", 2).run() == Kinds{FaultKind::NoMemory});
    Interpreted large(text);
    CHECK(large.bind("A", a).bind("C", c).set("N", int64_t(1) << 60).run() == Kinds{FaultKind::Outside});
}

TEST_CASE("a reference that was never set has no memory, however it is used", "[interpret]") {
    const auto first = [](const std::string &use) {
        Interpreted f(R"(sdfg f {
      argument A: float64[2]
      argument C: float64[2]
      argument n: int64
      reference R: float64[2]
      state first {}
      goto set if n > 0
      goto use if not (n > 0)
      state set {
        A[0:2] -> new R:set
      }
      )" + use + "\n}\n");
        std::vector<double> a{1, 2}, c{3, 4};
        std::vector<int64_t> n{0};
        f.bind("A", a).bind("C", c).bind("n", n);
        const std::vector<FaultKind> found = f.run();
        CHECK(c == std::vector<double>{3, 4});
        REQUIRE(!found.empty());
        return found.front();
    };
    using enum FaultKind;
    CHECK(first(R"(state use {
        R[0:2] -> C[0:2]
      })") == NoMemory);
    CHECK(first(R"(state use {
        t: r = 1  with r -> R[1]
      })") == NoMemory);
    CHECK(first(R"(state use {}
      goto more if R[1] > 5
      state more {
        t: r = 1  with r -> C[1]
      })") == NoMemory);
    CHECK(first(R"(state use {
        nested call with q <- R[0:2], w -> C[0:2] {
          sdfg g {
            argument q: float64[2]
            argument w: float64[2]
            state s {
              q[0:2] -> w[0:2]
            }
          }
        }
      })") == NoMemory);
}

TEST_CASE("when the time is up, loops inside of loops end as well", "[interpret]") {
    diag::Engine diags;
    auto graph = serialize::readText(R"(sdfg f {
      argument A: float64[1]
      state s {
        map m[i = 0:1000000000, j = 0:1000000000, k = 0:1000000000] (Sequential) with OUT_A -> A[0] {
          t: o = 1  with o -> A[i + j + k]
        }
      }
    })",
                                     "test.sdfgt", diags);
    REQUIRE(graph);
    const auto program = interpret::PreparedProgram::prepare(std::move(graph), {.seconds = 0.05}, diags);
    REQUIRE(program);
    double a = 0;
    program->bind(Name("A"), &a);
    const auto begin = std::chrono::steady_clock::now();
    program->run();
    CHECK(program->timedOut());
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
}

TEST_CASE("real numbers that no integer of the type is", "[interpret]") {
    std::vector<double> a{2.9, -2.9, 2147483647.5, -2147483648.5}, c(4);
    const std::string text = R"(sdfg f {
      argument A: float64[4]
      argument C: float64[4]
      state s {
        map m[i = 0:4] with <- A[0:4]; -> C[0:4] {
          t: c = dace.int32(a)  with a <- A[i]; c -> C[i]
        }
      }
    })";
    Interpreted p(text);
    CHECK(p.bind("A", a).bind("C", c).run().empty());
    CHECK(c == std::vector<double>{2, -2, 2147483647, -2147483648});
    for (const double bad : {2147483648.0, -2147483649.0, std::nan(""), -HUGE_VAL}) {
        a[1] = bad;
        Interpreted q(text);
        CHECK(q.bind("A", a).bind("C", c).run() == Kinds{FaultKind::Conversion});
        CHECK(q.reports[0].element == "f: state s, tasklet t");
    }
}

TEST_CASE("a fraction below 0 is 0 as an unsigned integer, -1 is none", "[interpret]") {
    std::vector<double> a{-0.75}, c(1);
    const std::string text = R"(sdfg f {
      argument A: float64[1]
      argument C: float64[1]
      transient T: uint8[1]
      state s {
        t: c = a  with a <- A[0]; c -> T[0]
        u: d = b  with b <- T[0]; d -> C[0]
      }
    })";
    Interpreted p(text);
    CHECK(p.bind("A", a).bind("C", c).run().empty());
    CHECK(c[0] == 0);
    a[0] = -1;
    Interpreted q(text);
    CHECK(q.bind("A", a).bind("C", c).run() == Kinds{FaultKind::Conversion});
    CHECK(q.reports[0].what.find("-1 is converted to uint8") != std::string::npos);
}

TEST_CASE("shifts by more bits than there are", "[interpret]") {
    std::vector<double> a{31}, c(1);
    const std::string text = R"(sdfg f {
      argument A: float64[1]
      argument C: float64[1]
      state s {
        t: c = 1 << int(a)  with a <- A[0]; c -> C[0]
      }
    })";
    Interpreted p(text);
    CHECK(p.bind("A", a).bind("C", c).run().empty());
    for (const double bad : {32.0, -1.0}) {
        a[0] = bad;
        Interpreted q(text);
        CHECK(q.bind("A", a).bind("C", c).run() == Kinds{FaultKind::Shift});
    }
}

TEST_CASE("an argument may be outside of the shape if the nested SDFG does not access it", "[interpret]") {
    const auto kinds = [](int64_t first) {
        std::vector<double> a(6, 1), b(3);
        Interpreted p(R"(sdfg f {
          symbol first: int64
          argument A: float64[2, 3]
          argument B: float64[3]
          state s {
            map m[i = first:3] with <- A[0:2, 0:3]; -> B[0:3] {
              nested n[k = i] with a <- A[i, 0], r <- A[i, 0:3]; b -> B[i] {
                sdfg n {
                  symbol k: int64
                  argument a: float64[1]
                  argument r: float64[3]
                  argument b: float64[1]
                  if k < 2 {
                    state s {
                      t: o = x + y  with x <- a[0], y <- r[2]; o -> b[0]
                    }
                  } else if k > 2 {
                    state u {
                      t: o = x  with x <- r[0]; o -> b[0]
                    }
                  }
                }
              }
            }
          }
        })");
        const Kinds found = p.bind("A", a).bind("B", b).set("first", first).run();
        return std::pair(found, p.reports.empty() ? std::string() : p.reports[0].what);
    };
    CHECK(kinds(0).first.empty());
    CHECK(kinds(-1).first == Kinds(3, FaultKind::OutsideShape));
    CHECK(kinds(-1).second == "`a` is A[-1, 0], which is outside of its shape [2, 3] (a[0])");
}
