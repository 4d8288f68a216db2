// accumulate-in-strips: which rows are accumulated in registers.
#include "Transforms/PassRun.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// A row of `out` is updated once for each k, by nested maps.
struct Rows : Graph {
    struct Text {
        std::string around = "i = 0:N", element = "out[i, c]", schedule = "CPU_Multicore", row = "k = 0:K, c = 0:C",
                    type = "float64";
    };
    explicit Rows(const Text &t)
        : Graph(R"(
            sdfg f(B, out) (typed) {
              symbol N, K, C: int64
              argument B: $type[K, C] (CPU_Heap)
              argument out: $type[N, C] (CPU_Heap)
              state s {
                map around[$around] ($schedule) with <- B[0:K, 0:C]; -> out[0:N, 0:C] (wcr = "lambda a, b: a + b") {
                  map row[$row] (Sequential) with <- B[0:K, 0:C]; -> out[0:N, 0:C] (wcr = "lambda a, b: a + b") {
                    add: o = b  with b: $type <- B[k, c]; o: $type -> $element (wcr = "lambda a, b: a + b")
                  }
                }
              }
            }
          )",
                {{"$around", t.around}, {"$element", t.element}, {"$schedule", t.schedule}, {"$row", t.row}, {"$type", t.type}}) {}
    bool changes() { return PassRun(transforms::createAccumulateInStrips())(g); }
};

bool accumulates(const Rows::Text &t) { return Rows(t).changes(); }

} // namespace

TEST_CASE("accumulate-in-strips: rows that loops inside of each other update") {
    CHECK(accumulates({}));
    CHECK(accumulates({.element = "out[N - 1 - i, c]"}));
    CHECK(accumulates({.around = "i = 0:N:4", .element = "out[i + 1, c]"}));
    CHECK_FALSE(accumulates({.element = "out[k, c]"}));    // the row moves
    CHECK_FALSE(accumulates({.row = "c = 0:C, k = 0:K"})); // traverses the row
    CHECK_FALSE(accumulates({.row = "k = 0:K, c = 0:C:2"}));
}

TEST_CASE("accumulate-in-strips: threads must not share a row") {
    CHECK_FALSE(accumulates({.element = "out[0, c]"}));
    CHECK_FALSE(accumulates({.element = "out[i // 2, c]"}));
    CHECK_FALSE(accumulates({.around = "j = 0:N, i = 0:N"}));
    CHECK(accumulates({.element = "out[0, c]", .schedule = "Sequential"}));
    CHECK(accumulates({.around = "i = 0:N, j = 0:N"})); // one thread does all j
}

TEST_CASE("accumulate-in-strips: narrow types have strips of two lengths") {
    Rows wide({}), narrow({.type = "float32"});
    REQUIRE(wide.changes());
    REQUIRE(narrow.changes());
    CHECK(wide.desc("out_strip").shape[0].asInt() == 8);
    CHECK(wide.g.desc(Name("out_strip_0")) == nullptr);
    CHECK(narrow.desc("out_strip").shape[0].asInt() == 16);
    CHECK(narrow.desc("out_strip_0").shape[0].asInt() == 8);
}
