// Stored and recomputed values: gradients are bitwise identical, and the memory is as predicted.
#include "Gradient.h"

#include "sdfgc/Analysis/Costs/Footprint.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

struct Case {
    std::string text, wrt;
    std::string automatic, stored, recomputed; // tapes; for the last one an error, if it begins with SD
};

std::string program(const std::string &declarations, const std::string &body) {
    return "sdfg f(A, B, out) {\n symbol N, i, j: int64\n argument A: float64[N]\n argument B: float64[N]\n argument out: "
           "float64[1]\n" +
           declarations + body + "}\n";
}

/// A transient that two pairs of maps use, one after the other.
const std::string twice = program("transient t: float64[N]\n", R"(
    state first {
      map m[k = 0:N] with <- A[0:N]; -> t[0:N] {
        make: o = sin(a)  with a <- A[k]; o -> t[k]
      }
      map n[k = 0:N] with <- t[0:N]; -> out[0] (+) {
        use: o = b * b  with b <- t[k]; o -> out[0] (+)
      }
    }
    state second {
      map m[k = 0:N] with <- B[0:N]; -> t[0:N] {
        make: o = exp(a)  with a <- B[k]; o -> t[k]
      }
      map n[k = 0:N] with <- t[0:N]; -> out[0] (+) {
        use: o = b * b * b  with b <- t[k]; o -> out[0] (+)
      }
    }
)");

/// An array private to each iteration of a loop.
const std::string inLoop = program("transient t: float64[N]\n", R"(
    for i = 0; i < 3; i = i + 1 {
      state step {
        map m[k = 0:N] with <- A[0:N], <- B[i]; -> t[0:N] {
          make: o = sin(a * b)  with a <- A[k], b <- B[i]; o -> t[k]
        }
        map n[k = 0:N] with <- t[0:N]; -> out[0] (+) {
          use: o = b * b  with b <- t[k]; o -> out[0] (+)
        }
      }
    }
)");

/// Variables of the iterations of maps.
const std::string inMap = program("transient s: float64 (Register)\ntransient t: float64 (Register)\n", R"(
    state main {
      map m[k = 1:N:2, l = 0:k] with <- A[0:N], <- B[0:N]; -> out[0] (+) {
        make: o = sin(a * b)  with a <- A[k], b <- B[l]; o -> s[0]
        more: o = exp(x) * x  with x <- s[0]; o -> t[0]
        use: o = x * x  with x <- t[0]; o -> out[0] (+)
      }
    }
)");

/// A variable that a map in a loop overwrites in each of its iterations.
const std::string inBoth = program("transient s: float64 (Register)\n", R"(
    for i = 0; i < 3; i = i + 1 {
      state main {
        map m[k = 0:N] with <- A[0:N], <- B[i]; -> A[0:N] {
          make: o = sin(a * b)  with a <- A[k], b <- B[i]; o -> s[0]
          use: o = x * x  with x <- s[0]; o -> A[k]
        }
      }
    }
    state end {
      sum: o = a  with a <- A[0]; o -> out[0]
    }
)");

/// Values that iterations pass on.
const std::string carried = program("transient s: float64\n", R"(
    state begin {
      t: o = a  with a <- A[0]; o -> s[0]
    }
    for i = 0; i < N; i = i + 1 {
      state step {
        t: o = sin(b * c)  with b <- s[0], c <- B[i]; o -> s[0]
      }
    }
    state end {
      t: o = a * a  with a <- s[0]; o -> out[0]
    }
)");

Differentiated made(const Case &c, const std::string &strategy) {
    Differentiated d(c.text, "out", c.wrt, strategy.empty() ? "" : "strategy='" + strategy + "'");
    d.set("N", 5);
    return d;
}

const std::vector<Case> cases = {
    {twice, "A B", "tape_t[N]", "tape_t[N]", ""},
    {inLoop, "A B", "", "tape_t[3, N]", ""},
    {inMap, "A B", "", "tape_t[N // 2, max(2*(N // 2), 1) - 1, 1], tape_s[N // 2, max(2*(N // 2), 1) - 1, 1]", ""},
    {inBoth, "A B", "tape_A[3, N]", "tape_s[3, N, 1], tape_A[3, N]", "SD4721"},
    {carried, "A B", "tape_s[N, 1]", "tape_s[N, 1]", "SD4721"},
};

} // namespace

TEST_CASE("Gradients do not depend on what is stored") {
    for (const Case &c : cases) {
        INFO(c.text);
        Differentiated d = made(c, ""), stored = made(c, "store"), again = made(c, "recompute");
        d.check();
        CHECK(d.tapes() == c.automatic);
        INFO(stored.errors());
        REQUIRE(stored.gradient());
        CHECK(stored.tapes() == c.stored);
        const Arrays in = d.input(), weights{{"out", {0.75}}}, expected = d.run(in, weights);
        CHECK(stored.run(in, weights) == expected);
        if (c.recomputed.empty()) {
            INFO(again.errors());
            REQUIRE(again.gradient());
            CHECK(again.tapes() == "");
            CHECK(again.run(in, weights) == expected);
        } else {
            CHECK(again.errors().substr(0, 6) == c.recomputed);
        }
    }
}

TEST_CASE("A strategy for some containers") {
    const Case both{inMap, "A B", "", "", ""};
    CHECK(made(both, "store=s").tapes() == "tape_s[N // 2, max(2*(N // 2), 1) - 1, 1]");
    CHECK(made(both, "store,recompute=s").tapes() == "tape_t[N // 2, max(2*(N // 2), 1) - 1, 1]");
    CHECK(made(both, "recompute+store=s+t+auto").tapes() ==
          "tape_t[N // 2, max(2*(N // 2), 1) - 1, 1], tape_s[N // 2, max(2*(N // 2), 1) - 1, 1]");
    CHECK(made({twice, "A B", "", "", ""}, "recompute=t").tapes() == "");
    CHECK(made({inBoth, "A B", "", "", ""}, "recompute,store=A").tapes() == "tape_A[3, N]");
    CHECK(made(both, "recompute=s+lost").errors() ==
          "SD4010 option `strategy` of pass `differentiate` should be a list of containers, which `lost` is not, but it is "
          "`recompute=s+lost`");
    CHECK(made(both, "s").errors() ==
          "SD4010 option `strategy` of pass `differentiate` should be `auto`, `store` or `recompute`, or names "
          "after `store=` or `recompute=`, but it is `s`");
}

TEST_CASE("The program needs as much memory as its formula says") {
    for (const Case &c : cases)
        for (const char *strategy : {"auto", "store", "recompute"}) {
            Differentiated d = made(c, strategy);
            if (!d.gradient())
                continue;
            INFO(d.text());
            d.run(d.input(), {{"out", {1}}});
            CHECK(sym::evaluate(analysis::bytesOfTransients(*d.gradient()), {{Name("N"), 5}}) == d.memory());
        }
}

TEST_CASE("Of a container whose size changes with a loop the largest one counts") {
    const std::string body = R"(
      state step {
        map m[k = 0:SIZE] with <- A[0:SIZE]; -> t[0:SIZE] {
          make: o = sin(a)  with a <- A[k]; o -> t[k]
        }
        map n[k = 0:SIZE] with <- t[0:SIZE]; -> out[0] (+) {
          use: o = b * b  with b <- t[k]; o -> out[0] (+)
        }
      }
    }
)";
    const auto sized = [&body](const std::string &size, const std::string &loop) {
        std::string text = body;
        for (std::size_t at = text.find("SIZE"); at != std::string::npos; at = text.find("SIZE"))
            text.replace(at, 4, size);
        return program("transient t: float64[" + size + "]\n", "for " + loop + " {" + text);
    };
    const auto check = [](const std::string &text) {
        Differentiated d(text, "out", "A", "strategy=store");
        d.set("N", 5);
        INFO(d.text());
        REQUIRE(d.gradient());
        d.run(d.input(), {{"out", {1}}});
        const sym::Expr all = analysis::bytesOfTransients(*d.gradient());
        INFO(all.str());
        CHECK(sym::evaluate(all, {{Name("N"), 5}}) == d.memory());
    };
    check(sized("N - i", "i = 0; i < N; i = i + 1"));
    check(sized("i + 1", "i = 0; i < N; i = i + 1"));
    check(sized("N - i", "i = N - 1; i >= 0; i = i - 1"));
    check(sized("2*i + 1", "i = 0; i < N - 2; i = i + 2"));
}

TEST_CASE("What a nested SDFG stores counts as in the iteration around it that needs most") {
    const std::string text = R"(sdfg f(A, out) {
      symbol N, i: int64
      argument A: float64[N]
      argument out: float64[N]
      for i = 0; i < N; i = i + 1 {
        state main {
          map m[p = 0:N] with <- A[0:N], <- out[0:N]; -> out[0:N] {
            nested n[i = i] with a: pointer(float64) <- A[p], b: pointer(float64) <- out[p]; b: pointer(float64) -> out[p] {
              sdfg g(a, b) {
                symbol i, j: int64
                argument a: float64[1]
                argument b: float64[1]
                for j = 0; j < i; j = j + 1 {
                  state s {
                    t: o = sin(x) * y + x  with x <- b[0], y <- a[0]; o -> b[0]
                  }
                  if b[0] > 3 {
                    break
                  }
                }
              }
            }
          }
        }
      }
    })";
    const auto limited = [&text](const std::string &memory) {
        return Differentiated(text, "out", "A", "memory='" + memory + "',sizes='N=5',seed=argument").errors();
    };
    CHECK(limited("1000") == "");
    CHECK(limited("100").substr(0, 35) == "SD4717 the gradient stores 8*N**2 +");
}

TEST_CASE("Less may be allowed than is stored") {
    const auto limited = [](const std::string &memory, const std::string &sizes) {
        return Differentiated(carried, "out", "A B", "memory='" + memory + "',sizes='" + sizes + "'").errors();
    };
    CHECK(limited("40", "N=5") == "");
    CHECK(limited("39", "N=5") == "SD4717 the gradient stores 8*N = 40 bytes, and `memory` allows 39: `tape_s` 8*N");
    CHECK(limited("1K", "N=128") == "");
    CHECK(limited("1K", "N=129") == "SD4717 the gradient stores 8*N = 1032 bytes, and `memory` allows 1024: `tape_s` 8*N");
    CHECK(limited("1T", "") == "SD4717 the gradient stores 8*N bytes, and `memory` allows 1099511627776: `tape_s` 8*N");
    for (const std::string wrong : {"-1", "1.5", "K", "2KB", "9999999999999999999", "8388608T"})
        CHECK(limited(wrong, "N=5") ==
              "SD4010 option `memory` of pass `differentiate` should be a number of bytes, optionally followed by K, M, "
              "G or T, but it is `" +
                  wrong + "`");
    for (const std::string wrong : {"N", "=3", "N=a", "N=1.5"})
        CHECK(limited("1K", wrong) ==
              "SD4010 option `sizes` of pass `differentiate` should be values of symbols, as in `N=100+T=10`, but it is `" + wrong +
                  "`");
}
