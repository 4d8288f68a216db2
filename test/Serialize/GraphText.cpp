// The text form: a printed graph is read back as the same graph, and texts in canonical form are unchanged.
#include "Serialize/TestGraphs.h"
#include "SourceTree.h"

#include "../Graphs.h"
#include "sdfgc/Serialize/Text.h"

#include <filesystem>

using namespace sdfgc;
using namespace sdfgc::serialize;

namespace {

/// Text without the indentation of the test's raw string and its first newline.
std::string golden(std::string_view text) {
    text.remove_prefix(1);
    const std::size_t indent = text.find_first_not_of(' ');
    std::string out;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        out += std::string(line.substr(std::min(indent, line.size()))) + "\n";
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    while (out.size() > 1 && out[out.size() - 2] == '\n')
        out.pop_back();
    return out;
}

/// The text printed for a graph that was read from text.
std::string again(const std::string &text) {
    Reading r = read(text);
    INFO(text << r.messages());
    REQUIRE(r.graph);
    return print(*r.graph);
}

/// Reading the text of the graph gives the same graph, by every comparison of graphs.
void checkSame(const ir::SDFG &g) {
    const std::string text = print(g);
    Reading r = read(text);
    INFO(text << r.messages());
    REQUIRE(r.graph);
    const auto unequal = difference(g, *r.graph);
    CHECK(unequal.value_or("") == "");
    CHECK(writeText(g, {1}) == writeText(*r.graph, {1}));
    CHECK(print(*r.graph) == text);
}

void checkStays(std::string_view text) {
    const std::string canonical = golden(text);
    CHECK(again(canonical) == canonical);
    checkSame(*read(canonical).graph);
}

} // namespace

TEST_CASE("graphs survive their text") {
    for (const auto &entry : std::filesystem::recursive_directory_iterator(SDFGC_SOURCE_DIR "/test/graphs")) {
        if (!entry.is_regular_file())
            continue;
        diag::Engine d;
        auto g = readFile(entry.path(), d);
        INFO(entry.path());
        REQUIRE(g);
        checkSame(*g);
    }
}

TEST_CASE("every level that a graph can have is read back") {
    for (const char *level : {"structured", "typed", "expanded", "allocated", "scheduled"})
        checkStays("\nsdfg f (" + std::string(level) + ") {\n  state s {}\n}\n");
}

TEST_CASE("a vector addition") {
    test::Graph g;
    g.symbol("N");
    for (const char *n : {"B", "A", "C"})
        g.array(n, "N");
    g.elementwise("A", "C", "b = (a + 1)");
    CHECK(print(g.g) == golden(R"(
        sdfg f (using_explicit_control_flow = false) {
          symbol N: int64
          argument B: float64[N]
          argument A: float64[N]
          argument C: float64[N]
          state main {
            map m[i = 0:N] with <- A[0:N]; -> C[0:N] {
              t: b = (a + 1)  with a <- A[i]; b -> C[i]
            }
            order nodes 2-3 0-1 4
            order edges 0 3 1-2
          }
        }
    )"));
    checkSame(g.g);
    // Without the orders, the text lists the same elements, and their order is that of the graph read from it.
    const std::string toRead = print(g.g, {.orders = false});
    CHECK(toRead.find("order") == std::string::npos);
    CHECK(again(toRead) == toRead);
}

TEST_CASE("containers say what is not as by default") {
    checkStays(R"(
        sdfg f(A, s) (typed, instrument = Timer) {
          symbol N, M: int64
          symbol k: int32
          assume N: int64 (nonnegative, positive)
          constant c: int64[2] = {type: ndarray, data: [1, 2]}
          constant pi: float64 = 3.25
          argument A: float64[N, M] (may_alias)
          argument s: int32
          argument shaped: Scalar int32[N]
          argument own: "my class" float64[]
          transient p: float64[N] (CPU_Heap, Persistent)
          transient q: float64[N, M] (strides = [1, N], total_size = "2*M*N", offset = [-1, 0], alignment = 64)
          view v: float64[M*N]
          reference r: vector(float32, 4)[N]
          transient S: Stream int32[4] (buffer_size = 16)
          argument t: pointer(float64)[1]
          argument file: opaque("FILE *")
          argument e: float64[]
          global frame {
            #include <cmath>

              static int x;
          }
          init frame: ""
          exit cuda (Python) {
            pass
          }
          state main {}
        }
    )");
}

TEST_CASE("control flow reads as a program") {
    checkStays(R"(
        sdfg f {
          symbol N: int64
          state main {}
          k = (N // 2)
          for_i: for i = 0; (i < N); i = (i + 1) {
            state body {}
            if_1: if (i > 3)  "then" {
              break out
            } else if i == k {
              continue next
            } else  named other (at "a.py":3) {
              state deep {}
            }
          }
          w: while k > 0 {
            state step {}
            j = "two  blanks"
            state stepped {}
          }
          d (inverted, unroll): for j = 0; j < 4; j = j + 1 {
            region inner {
              return done
              state unreached {}
            }
          }
          l (init_statement = {string_data: "a; b", language: CPP}): for ; ; {
          }
          conditional nothing
        }
    )");
}

TEST_CASE("conditionals with an empty label, and conditions that look like the end of a head") {
    checkStays(R"(
        sdfg f {
          "": if N > 0 {
            state a {}
          } else if N < 0 {
            state b {}
          } else {
            state c {}
          }
          b: else {
            state d {}
          }
          c: if "x == {}" {
          } else if "{} == x" {
          } else if "two  blanks {" {
          } else if x == {1: 2} {
          }
          w (loop_condition = {string_data: "x == {}", language: Python}): for ; ; {
          }
          l (init_statement = {string_data: "x = {}", language: Python}, loop_variable = x): for ; ; {
          }
          d: for x = 0; x < {1: 2}[1]; x = x + 1 {
          }
        }
    )");
}

TEST_CASE("loops whose head would be read as another loop have their code in parentheses") {
    checkStays(R"(
        sdfg f {
          counterless (init_statement = {string_data: "i =", language: Python}, loop_condition = {string_data: "0", language: Python}): for ; ; {
          }
          open (init_statement = {string_data: "x = (", language: Python}, loop_condition = {string_data: x, language: Python}, loop_variable = x): for ; ; {
          }
          other (loop_variable = y): for x = 0; x < 4; x = x + 1 {
          }
          counted (loop_variable = y): while y > 0 {
          }
        }
    )");
}

TEST_CASE("a blank before the ranges of a map") {
    CHECK(again("sdfg f {\n  state s {\n    map m [i = 0:4] {\n    }\n  }\n}\n") ==
          again("sdfg f {\n  state s {\n    map m[i = 0:4] {\n    }\n  }\n}\n"));
}

TEST_CASE("blocks without a label are named after what they are, each in its region") {
    CHECK(again(golden(R"(
        sdfg f {
          for i = 0; i < 2; i = i + 1 {
            if i > 0 {
              break
            }
            while False {
              continue
            }
          }
          loop_2: for i = 0; i < 3; i = i + 1 {
          }
          for i = 0; i < 4; i = i + 1 {
          }
          if N > 0 {
            return
          }
          goto loop_3
          if N > 1 {
          }
        }
    )")) == golden(R"(
        sdfg f {
          loop: for i = 0; i < 2; i = i + 1 {
            branch: if i > 0 {
              break break
            }
            loop: while False {
              continue continue
            }
          }
          loop_2: for i = 0; i < 3; i = i + 1 {
          }
          loop_3: for i = 0; i < 4; i = i + 1 {
          }
          branch: if N > 0 {
            return return
          }
          goto loop_3
          branch_2: if N > 1 {
          }
        }
    )"));
}

TEST_CASE("comments and empty blocks after the head of a block") {
    const std::string plain = again("sdfg f {\n  for i = 0; i < 3; i = i + 1 {\n    state s {\n    }\n  }\n  while i < 3 {\n  }\n"
                                    "  if i < 3 {\n  } else if i > 4 {\n  } else {\n  }\n}\n");
    CHECK(again("sdfg f {  # a\n  for i = 0; i < 3; i = i + 1 {  # b {\n    state s {} // c\n  } # d\n"
                "  while i < 3 { // e\n  }\n  if i < 3 {  # f\n  } else if i > 4 { # {}\n  } else { # g\n  }\n}\n") == plain);
    CHECK(again("sdfg f {\n  for i = 0; i < 3; i = i + 1 {\n    state s {} }\n  while i < 3 {}\n"
                "  if i < 3 {} else if i > 4 { } else {}\n}\n") == plain);
}

TEST_CASE("a line of code that is indented less than the first one loses blanks only") {
    Reading r = read("sdfg f {\n  state s {\n    t {\n        a = 1\n     \u00e9 = 2\n    }\n  }\n}\n");
    INFO(r.messages());
    REQUIRE(r.graph);
    const auto *s = cast<ir::State>(r.graph->blocks().at(0).get());
    CHECK(cast<ir::Tasklet>(s->nodes().at(0).get())->code.text() == "  a = 1\n\u00e9 = 2");
}

TEST_CASE("code that reads as connectors does not stand in a line as it is") {
    const std::string text = again("sdfg f {\n  state s {\n    t: \"a = b with c <- d\"\n  }\n}\n");
    CHECK(text.find("a = b with c <- d\n") != std::string::npos); // in a block
    CHECK(again(text) == text);
    CHECK(again("sdfg f {\n  state s {\n    t: with_ = a<-b\n  }\n}\n").find("t: with_ = a<-b\n") != std::string::npos);
}

TEST_CASE("control flow without structure says where it goes") {
    checkStays(R"(
        sdfg f {
          unstructured u {
            state start {}
            goto guard
            i = 0
            state body {}
            i = i + 1
            k = 2*i
            state guard {}
            goto body (at "p.py":4:2-10) if i < N
            goto "the end" if not (i < N)
            state "the end" {}
            stop
            state "the end" (nosync) {}
            goto "the end"#2 ("key" = [1, {a: null}])
            order blocks 3 0-2 4
            order edges 1-4 0
          }
          return end
          then
          state last {}
          region knot {
            start none
            state a {}
            state b {}
            goto a
          }
        }
    )");
}

TEST_CASE("copies, conflict resolution, views, references") {
    checkStays(R"(
        sdfg f {
          argument A: float64[N]
          argument B: float64[N]
          argument s: float64
          view V: float64[N]
          reference R: float64[N]
          transient S: Structure float64
          state main {
            A[0:4] -> B[2:6]
            B[0:N] -> new V:views
            sum: o = x  with x <- V[1]; o -> s[0] (+, Atomic), -> new A -
            access @A#2 (setzero)
            B -> new R:set
            R[0:2] -> A[6:8] (max, Reduction, volume = 0)
            A[0:4] -> B[0:4] (destination)
            last: o = 1  with o -> B[0] (dynamic, wcr = "lambda a, b: b + a")
            A -> @B#3 B[0:4] (source, Pitched, stream = 2)
            new S S.x[0:3] -> @B#3 B
            order nodes 0-4 11 5-6 8 10 7 9
            order edges 0-3 10 4-5 7 9 6 8
          }
        }
    )");
}

TEST_CASE("scopes: connectors, types, dynamic ranges, order") {
    checkStays(R"(
        sdfg f {
          argument A: float64[N]
          argument n: int64
          transient t: float64[1]
          transient s: Stream int32[1]
          state main {
            map m[i = 0:N:2, j = 0:n_1:4:2] (CPU_Multicore, collapse = 2, gpu_block_size = [32, "N - 1", 1], omp_if = "N >= 20") with n_1 <- n[0],
                IN_A: float64 <- A[0:N],
                IN_2 <- A[0:5] -> [0:5];
                -> A[0:N],
                -> t[0] {
              A[i] -> new t[0]
              a with x: float64 <- A[i, 0:?], y <- @m:OUT_2 A[2]; z: int32 -> t[0] {
                z = x

                z = y + z
              }
              t[0] -> A[N - i - 1] (destination)
            } (at "x.py":5-7)
            nested inner[n = N + 1, m = 2] (no_inline) with a <- A[0:N]; b -> A[0:N] (volume = 3) {
              sdfg inner_1(a, b) {
                symbol n, m: int64
                argument a: float64[n]
                argument b: float64[n]
                state s {
                  "map": b = a // 2  with a <- a[0]; b -> b[0]
                  "" (CPP, at "y.cpp":12:3-9): "a\u0001b"
                  "two words" (side_effects = true)
                  after_all with after @"", after @"two words" {
                    if x:
                    	y = "é"

                  }
                }
              }
            }
            consume c[p = P] (chunksize = 4) with IN_stream <- s[0] {
              first (CPP): int v = 3;
              second: out = 1  with a <- @first:out, after @first
              library standard.Reduce sum (name = other, axes = [0], wcr = "lambda a, b: a + b", pure = true) with after @second;
                  -> none
              third (CPP): int w = 4;
            }
            order nodes 0-7 15-16 8-14
            order edges 0-5 7-9 6 17-18 10-16
          }
        }
    )");
}

TEST_CASE("what is wrong is said with its place") {
    struct Case {
        const char *line;
        diag::Id id;
        int column;
        const char *message;
    };
    using diag::Id;
    const Case cases[] = {
        {"symbol N int64", Id::GraphTextSyntax, 12, "expected `:`, found `int64`"},
        {"symbol k: int46", Id::BadType, 13, "this is not a type: `int46`"},
        {"symbol k: opaque(\"a; b\")", Id::BadType, 20, "this is not a type: `a; b`"},
        {"argument B: float64[N +]", Id::BadExpression, 26, "the expression ends too early"},
        {"argument A: float64[N]", Id::GraphTextTwice, 12, "the container `A` already exists"},
        {"symbol N: int64", Id::GraphTextTwice, 10, "the symbol `N` already exists"},
        {"symbol M, M: int64", Id::GraphTextTwice, 13, "the symbol `M` already exists"},
        {"state s { nested n[M = N, M = 2] {", Id::GraphTextTwice, 29, "the value of symbol `M` already exists"},
        {"assume N (\"a b\" = True)", Id::GraphTextSyntax, 10, "expected a name and a value for each assumption, found `a b`"},
        {"assume N (\"real\" = \"T, U\")", Id::GraphTextSyntax, 10,
         "expected a name and a value for each assumption, found `real`"},
        {"assume N (positive)\n  assume N (nonzero)", Id::GraphTextTwice, 10, "the assumption about `N` already exists"},
        {"argument B: float64[N] (colapse = 2)", Id::GraphTextAttribute, 27, "a container has no attribute `colapse`"},
        {"constant c: int32", Id::GraphTextSyntax, 20, "expected `=`, found the end of the line"},
        {"state s { A -> }", Id::GraphTextSyntax, 18, "expected a container, or `@` and the label of a node, found `}`"},
        {"state s { t: b = a", Id::GraphTextSyntax, 1, "expected `}`, found the end of the text"},
        {"state s { t: b = a with a <- A[0]", Id::GraphTextSyntax, 22, "expected two blanks before `with`, found one"},
        {"state s { map m[i 0:N] {", Id::GraphTextSyntax, 19, "expected `parameter = range`, found `i`"},
        {"state s { map m[ = 0:N] {", Id::GraphTextSyntax, 20, "expected `parameter = range`, found `=`"},
        {"state s { nested n[M == 2] {", Id::GraphTextSyntax, 22, "expected `symbol = expression`, found `M`"},
        {"state s { A[0:5:-9223372036854775808] -> A[0]", Id::BadExpression, 48, "it has more elements than 64 bits can count"},
        {"argument B: float64[N)", Id::GraphTextSyntax, 22, "expected a closing bracket for this one, found a different one"},
        {"argument B: float64[(N]", Id::GraphTextSyntax, 22, "expected a closing bracket for this one, found a different one"},
        {"argument \"1\": float64", Id::BadName, 12, "the container `1` is not an identifier"},
        {"symbol \"1\": int64", Id::BadName, 10, "the symbol `1` is not an identifier"},
        {"argument 1: float64", Id::GraphTextSyntax, 12, "expected the name of a container, found `1`"},
        {"argument B: float64[N] (CPU_Heap, alignment = 4, colapse = 2)", Id::GraphTextAttribute, 52, "no attribute `colapse`"},
        {"argument B: float64[N] (\"storage\" = Register)", Id::GraphTextAttribute, 27,
         "a container has no attribute `\"storage\"`"},
        {"argument B: float64[N] (alignment = four)", Id::BadNumber, 27, "`alignment` should be a 64-bit integer"},
        {"state s { map m[i = 0:N:1:1:1] {", Id::BadExpression, 23, "a range is begin:end:step:tile"},
        {"state s { access Z", Id::GraphTextName, 20, "there is no container `Z` here"},
        {"state s { t with a <- @x:c", Id::GraphTextName, 25, "there is no node `@x` here"},
        {"state s { t with a A[0]", Id::GraphTextSyntax, 22, "expected `<-` or `->`, found `A`"},
        {"state s { \"open: c", Id::GraphTextSyntax, 13, "expected a text in quotes that ends in this line"},
        {"state s { order nodes 0 0", Id::GraphTextOrder, 24, "`order nodes` should name each of 0 positions once"},
        {"state s { nested n {", Id::GraphTextSyntax, 1, "expected `sdfg`, found `}`"},
        {"goto nowhere", Id::GraphTextSyntax, 3, "expected a block, found `goto`"},
        {"stat s {}", Id::GraphTextSyntax, 3, "expected a block or a declaration, found `stat`"},
        {"for i = 0; i < N {", Id::GraphTextSyntax, 7, "expected `for INIT; CONDITION; UPDATE {`, found 2 parts"},
    };
    for (const Case &c : cases) {
        std::string line = c.line;
        const std::size_t brace = line.find("{ ");
        if (brace != std::string::npos) // the rest on a separate line, at the same column
            line = line.substr(0, brace + 1) + "\n" + std::string(brace + 4, ' ') + line.substr(brace + 2);
        const std::string text = "sdfg f {\n  symbol N: int64\n  argument A: float64[N]\n  " + line + "\n}\n";
        Reading r = read(text);
        INFO(text << r.messages());
        CHECK_FALSE(r.graph);
        bool found = false;
        for (const diag::Diagnostic &d : r.diagnostics)
            found |= d.id == c.id && d.message.find(c.message) != std::string::npos && d.place.line >= 4 &&
                     (d.place.column == c.column || c.column == 1);
        CHECK(found);
    }
}

TEST_CASE("places name the elements around, and nothing else") {
    Reading r =
        read("sdfg f {\n  argument a: {type: nope}\n  state s {\n    nested n (ext_sdfg_path = \"nowhere.sdfgt\")\n  }\n}\n");
    INFO(r.messages());
    REQUIRE(r.diagnostics.size() == 2);
    CHECK(r.diagnostics[0].place.element == "f");
    CHECK(r.diagnostics[0].place.path.empty());
    CHECK(r.diagnostics[0].place.line == 2);
    CHECK(r.diagnostics[1].id == diag::Id::FileUnreadable);
    CHECK(r.diagnostics[1].place.element == "f: state s, nested SDFG n");
    CHECK(r.diagnostics[1].place.path.empty());
    CHECK(r.diagnostics[1].place.line == 4);
}

TEST_CASE("several errors are found in one go, and none twice") {
    Reading r =
        read("sdfg f {\n  symbol N int64\n  state s {\n    access Z\n    map m[i 0:N] {\n      wrong\n    }\n    access Y\n  }\n"
             "  goto nowhere\n}\n");
    INFO(r.messages());
    REQUIRE(r.diagnostics.size() == 5);
    const int lines[] = {2, 4, 5, 8, 10};
    for (std::size_t i = 0; i < 5; ++i)
        CHECK(r.diagnostics[i].place.line == lines[i]);
}

TEST_CASE("hostile texts are refused, not crashed over") {
    const auto deep = [](const std::string &one, std::size_t n) {
        std::string s = "sdfg f {\n";
        for (std::size_t i = 0; i < n; ++i)
            s += one + "\n";
        return s;
    };
    for (const std::string &text :
         {deep("while x {", 100000), deep("state s {", 5000), deep("c: if x {", 100000), deep("argument a: pointer(", 3),
          "sdfg f {\n  argument a: " + std::string(200000, 'v') + "\n}\n",
          "sdfg f {\n  argument a: float64[" + std::string(200000, '(') + "\n}\n",
          "sdfg f {\n  state s {\n    l (a = " + std::string(200000, '[') + "\n  }\n}\n", std::string("sdfg f {\n\0\0}", 13),
          "sdfg f {\n  state s {}\n" + deep("c = a", 300000).substr(9), // each is reported once, not once per other one
          std::string("sdfg"), std::string("sdfg f (at 99999999999999999999) {}"),
          std::string("sdfg f {\n  state s {\n    order nodes 0-999999999999\n  }\n}")})
        CHECK_FALSE(read(text).graph);
    CHECK(read("sdfg f {\n  state s {\n    t: \xff\n  }\n}\n").has(diag::Id::InvalidUtf8));
}

TEST_CASE("the example of the page is a graph") {
    Result<std::string> page = file::read(SDFGC_SOURCE_DIR "/docs/user/graph-text.md");
    REQUIRE(page);
    const std::size_t from = page->find("```\n") + 4;
    Reading r = read(page->substr(from, page->find("```", from) - from));
    INFO(r.messages());
    REQUIRE(r.graph);
    checkSame(*r.graph);
}
