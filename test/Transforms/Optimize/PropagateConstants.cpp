// propagate-constants: which containers are constants where control flow reads them.
#include "Transforms/PassRun.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// The condition of a branch after a store, once the pass has run.
std::string condition(const std::string &read, const std::string &store, const std::string &more = "",
                      const std::string &before = "") {
    Graph program(R"(
        sdfg f(A, n) (typed) {
          symbol N: int64
          argument A: float64[N] (CPU_Heap)
          argument n: int32 (CPU_Heap)
          transient c: int32 (Register)
          transient b: bool (Register)
          transient one: int64[1] (Register)
          transient two: int32[2] (Register)
          transient small: int8 (Register)
          transient x: float64 (Register)
          $more
          $before
          state s {
            $store
          }
          branch: if $read {
            state t {}
          }
        }
      )",
                  {{"$read", read}, {"$store", store}, {"$more", more}, {"$before", before}});
    PassRun(transforms::createPropagateConstants())(program.g);
    return program.block<ConditionalBlock>("branch")->branches().front().condition->text();
}

const std::string storeC = "t: o = 3  with o: int32 -> c";

} // namespace

TEST_CASE("propagate-constants: values") {
    CHECK(condition("c > n", storeC) == "3 > n");
    CHECK(condition("c[0] > n", storeC) == "3 > n");
    CHECK(condition("c > n", "t: o = -3  with o: int32 -> c") == "-3 > n");
    CHECK(condition("one[0] > n", "t: o = 3  with o: int64 -> one[0]") == "dace.int64(3) > n");
    CHECK(condition("b and n > 2", "t: o = True  with o: bool -> b") == "n > 2");
    CHECK(condition("b or n > 2", "t: o = 5  with o: int32 -> b") == "True");
    CHECK(condition("not b and n > 2", "t: o = 5  with o: int32 -> b") == "False");
    CHECK(condition("b and n", "t: o = True  with o: bool -> b") == "True and n");
    CHECK(condition("small > n", "t: o = 300  with o: int32 -> small") == "small > n"); // wraps around
    CHECK(condition("c > n", "t: o = 3 + 4  with o: int32 -> c") == "c > n");
    CHECK(condition("x > n", "t: o = 3.0  with o: float64 -> x") == "x > n");
    CHECK(condition("two[0] > n", "t: o = 3  with o: int32 -> two[0]") == "two[0] > n");
    CHECK(condition("c is None", storeC) == "c is None");
}

TEST_CASE("propagate-constants: writes") {
    CHECK(condition("c > n", storeC, "", "state first {\nu: o = 3  with o: int32 -> c\n}") == "3 > n");
    CHECK(condition("c > n", storeC, "", "state first {\nu: o = 4  with o: int32 -> c\n}") == "c > n");
    CHECK(condition("c > n", storeC, "", "state first {\nu: o = a  with a: int32 <- n; o: int32 -> c\n}") == "c > n");
    CHECK(condition("n > 3", "", "", "if N > 3 {\nstate first {\nu: o = 7  with o: int32 -> n\n}\n}") == "n > 3"); // may not happen
    CHECK(condition("c > n", "t: o = 3  with o: int32 -> c (dynamic)") == "c > n");
    CHECK(condition("c > n", "t: o = 3  with o: int32 -> c (wcr = \"lambda x, y: x + y\")") == "c > n");
    CHECK(condition("one[0] > n", "t: o = 3  with o: int64 -> v[0]\n@v v[0] -> one[0] (is_data_src = true)", "view v: int64[1]") ==
          "one[0] > n");
    CHECK(condition("c > n", storeC +
                                 "\nnested n with q -> c {\nsdfg inner {\nargument q: int32\nstate s {\nw: o = 4  with o: int32 -> "
                                 "q\n}\n}\n}") == "c > n");
    CHECK(condition("n > 2", "t: o = 3  with o: int32 -> n") == "3 > 2"); // an argument
}
