// Container arrays: arrays of pointers to the caller's arrays or structures.
#include "Interpret/Interpreted.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

using Rows = std::vector<std::vector<double>>;

std::vector<double *> pointersTo(Rows &rows) {
    std::vector<double *> out;
    for (std::vector<double> &row : rows)
        out.push_back(row.data());
    return out;
}

/// An argument `A` of M rows of N elements, and the rest of the graph.
std::string overRows(const std::string &rest) {
    return R"(sdfg f {
      symbol M, N: int64
      argument A: ContainerArray pointer(float64)[M] (stype = {type: Array, attributes: {strides: [1], total_size: N, offset: [0], dtype: float64, shape: [N]}})
      argument B: float64[M]
)" + rest + "}";
}

const char *const lastOfEach = R"(
      view row: float64[N]
      state s {
        map m[i = 0:M] with <- A[0:M]; -> B[0:M] {
          A[i] -> new row:views
          t: y = 2 * x  with x <- @row row[N - 1]; y -> B[i]
        }
      })";

} // namespace

TEST_CASE("a view of an element of a container array is the array that it points to", "[interpret]") {
    Rows rows{{1, 2}, {3, 4}, {5, 6}};
    std::vector<double *> a = pointersTo(rows);
    std::vector<double> b(3);
    Interpreted p(overRows(lastOfEach));
    CHECK(p.set("M", 3).set("N", 2).bind("A", a).bind("B", b).run().empty());
    CHECK(b == std::vector<double>{4, 8, 12});
}

TEST_CASE("a row that is missing, and one that is shorter than the index", "[interpret]") {
    Rows rows{{1, 2}, {3, 4}};
    std::vector<double *> a{rows[0].data(), nullptr};
    std::vector<double> b(2);
    Interpreted p(overRows(R"(
      view row: float64[N]
      state s {
        map m[i = 0:M] with <- A[0:M]; -> B[0:M] {
          A[i] -> new row:views
          t: y = x  with x <- @row row[N - 2 * i]; y -> B[i]
        }
      })"));
    p.set("M", 2).set("N", 2).bind("A", a).bind("B", b);
    CHECK(p.run() == Kinds{FaultKind::OutsideShape, FaultKind::Outside, FaultKind::NoMemory});
    CHECK(p.reports[1].what == "row[2] is outside of the memory of `row`, which has 2 elements (row[N - 2*i])");
}

TEST_CASE("iterations that write one row through two elements", "[interpret]") {
    Rows rows{{1, 2}};
    std::vector<double *> a{rows[0].data(), rows[0].data()};
    std::vector<double> b(2);
    Interpreted p(overRows(R"(
      view row: float64[N]
      state s {
        map m[i = 0:M] with -> A[0:M] {
          t: y = i  with y -> new row[0]
          @row:views A[i] -> A
        }
      })"));
    CHECK(p.set("M", 2).set("N", 2).bind("A", a).bind("B", b).run() == Kinds{FaultKind::Race});
}

TEST_CASE("an element of a container array for a nested SDFG, and all of it", "[interpret]") {
    Rows rows{{1, 2}, {3, 4}};
    std::vector<double *> a = pointersTo(rows);
    std::vector<double> b(2);
    const char *const nested = R"(
      state s {
        map m[i = 0:M] with <- A[0:M]; -> B[0:M] {
          nested one[N = N] with row <- A[i]; o -> B[i] {
            sdfg one {
              symbol N: int64
              argument row: float64[N]
              argument o: float64[1]
              state t {
                t: y = x  with x <- row[N - 1]; y -> o[0]
              }
            }
          }
        }
      })";
    Interpreted each(overRows(nested));
    CHECK(each.set("M", 2).set("N", 2).bind("A", a).bind("B", b).run().empty());
    CHECK(b == std::vector<double>{2, 4});
    const char *const all = R"(
      state s {
        nested all[M = M, N = N] with rows <- A[0:M]; o -> B[0:M] {
          sdfg all {
            symbol M, N: int64
            argument rows: ContainerArray pointer(float64)[M] (stype = {type: Array, attributes: {strides: [1], total_size: N, offset: [0], dtype: float64, shape: [N]}})
            argument o: float64[M]
            reference row: float64[N]
            state t {
              rows[1] -> new row:set
            }
            state u {
              t: y = x  with x <- row[0]; y -> o[0]
            }
          }
        }
      })";
    Interpreted whole(overRows(all));
    CHECK(whole.set("M", 2).set("N", 2).bind("A", a).bind("B", b).run().empty());
    CHECK(b == std::vector<double>{3, 4});
}

TEST_CASE("sizes that are not known: memory of the caller is as large as what is accessed", "[interpret]") {
    Rows rows{{1, 2}, {3, 4}, {5, 6}};
    std::vector<double *> a = pointersTo(rows);
    std::vector<double> b(3);
    interpret::Options options;
    options.sizesUnknown = true;
    Interpreted p(overRows(R"(
      view row: float64[N]
      state s {
        map m[i = 0:3] with <- A[0:3]; -> B[0:3] {
          A[i] -> new row:views
          t: y = x  with x <- @row row[1]; y -> B[i]
        }
      })"),
                  options);
    CHECK(p.bind("A", a).bind("B", b).run().empty());
    CHECK(b == std::vector<double>{2, 4, 6});
}

TEST_CASE("sizes that are not known, but are not 0 without their symbols either", "[interpret]") {
    const char *const text = R"(sdfg f(A, B) {
      symbol N, M: int64
      argument A: float64[N + 1]
      argument B: float64[M]
      state s {
        t: b = a  with a <- A[3]; b -> B[1]
      }
    })";
    std::vector<double> a{1, 2, 3, 4}, b(2);
    interpret::Options options;
    options.sizesUnknown = true;
    CHECK(Interpreted(text, options).bind("A", a).bind("B", b).run().empty());
    CHECK(b == std::vector<double>{0, 4});
    CHECK(Interpreted(text, options).set("N", 2).bind("A", a).bind("B", b).run() ==
          Kinds{FaultKind::OutsideShape, FaultKind::Outside});
}

TEST_CASE("an extent that nobody knows, of memory of the caller", "[interpret]") {
    std::vector<double> a{1, 2, 3, 4}, b(1);
    Interpreted p(R"(sdfg f(A, B) {
      argument A: float64[?, 2]
      argument B: float64[1]
      state s {
        t: o = a  with a <- A[1, 1]; o -> B[0]
      }
    })");
    CHECK(p.bind("A", a).bind("B", b).run().empty());
    CHECK(b == std::vector<double>{4});
}

namespace {

/// The structure to which elements of `S` point, and the text of the argument.
struct Pair {
    double *v;
    double w;
};

std::string overPairs(const std::string &rest) {
    const std::string type = "pointer({type: struct, name: Pair, data: [[v, {type: pointer, dtype: float64}], [w, float64]], "
                             "length: [[v, N]], bytes: 16})",
                      members =
                          "members = [[v, {type: Array, attributes: {strides: [1], total_size: N, offset: [0], dtype: float64, "
                          "shape: [N]}}], [w, {type: Scalar, attributes: {dtype: float64, shape: [1]}}]], name = Pair";
    return "sdfg f {\n symbol M, N: int64\n argument S: ContainerArray " + type +
           "[M]\n argument B: float64[M]\n view s: Structure " + type + " (" + members + ")\n view r: Structure " + type + " (" +
           members + ")\n" + rest + "}";
}

} // namespace

TEST_CASE("a view of an element of an array of structures", "[interpret]") {
    Rows rows{{1, 2}, {3, 4}};
    std::vector<Pair> pairs{{rows[0].data(), 10}, {rows[1].data(), 20}};
    std::vector<Pair *> s{&pairs[1], &pairs[0]};
    std::vector<double> b(2);
    Interpreted p(overPairs(R"(
      state read {
        map m[i = 0:M] with <- S[0:M]; -> B[0:M] {
          S[i] -> new s:views
          t: y = x + z  with x <- @s s.v[1], z <- @s s.w[0]; y -> B[i]
        }
      }
      state write {
        t: y = 7  with y -> new r r.v[0]
        @r:views S[1] -> S
      })"));
    CHECK(p.refusals == std::vector<std::string>());
    CHECK(p.set("M", 2).set("N", 2).bind("S", s).bind("B", b).run().empty());
    CHECK(b == std::vector<double>{24, 12});
    CHECK(rows[0][0] == 7);
}

TEST_CASE("what container arrays are not interpreted for", "[interpret]") {
    const Interpreted two(overPairs(R"(
      state s {
        S[0] -> new s:views
        a: y = x  with x <- @s s.w[0]; y -> B[0]
        S[1] -> new s:views
        b: y = x  with x <- @s#2 s.w[0]; y -> B[1]
      })"));
    CHECK(
        two.refusals ==
        std::vector<std::string>(
            2,
            "the interpreter does not support a view of several structures in one state, or of something other than a structure"));
    const Interpreted other(overRows(R"(
      view row: int64[N]
      state s {
        A[0] -> new row:views
        a: y = x  with x <- @row row[0]; y -> B[0]
      })"));
    CHECK(other.refusals ==
          std::vector<std::string>{"the interpreter does not support `row` of int64 for `A[0]`, whose elements point to float64"});
    const Interpreted value(overRows(R"(
      state s {
        a: y = x[0]  with x <- A[0]; y -> B[0]
      })"));
    CHECK(value.refusals ==
          std::vector<std::string>{"the interpreter does not support the connector `x` of type pointer(float64)"});
    const Interpreted copied(overRows(R"(
      argument C: ContainerArray pointer(float64)[M] (stype = {type: Array, attributes: {strides: [1], total_size: N, offset: [0], dtype: float64, shape: [N]}})
      state s {
        A[0:M] -> C[0:M]
      })"));
    CHECK(copied.refusals ==
          std::vector<std::string>{"the interpreter does not support a copy of elements of type pointer(float64)"});
}
