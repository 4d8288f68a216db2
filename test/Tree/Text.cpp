// The text of schedule trees: printed trees are read back unchanged, whatever they contain, and errors have locations.
#include "Tree/Parsed.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// Checks that a text is printed unchanged.
void checkText(const std::string &text) {
    const auto m = parsed(text);
    CHECK(tree::print(*m) == text);
    const auto again = parsed(tree::print(*m));
    std::string difference;
    INFO(difference);
    CHECK(tree::same(*m, *again, &difference));
}

std::string body(const std::string &lines) {
    return "module m {\n"
           "  function f(\n"
           "      A: restrict pointer float64,\n"
           "      B: const pointer float64,\n"
           "      N: int64,\n"
           "      s: queueref float64) {\n" +
           lines +
           "  }\n"
           "}\n";
}

struct Fault {
    int line, column;
    std::string message;
};
Fault fault(const std::string &text) {
    diag::Engine diagnostics;
    CHECK_FALSE(tree::parse(text, "x.sdfgtree", diagnostics));
    REQUIRE(diagnostics.all().size() == 1);
    const diag::Diagnostic &d = diagnostics.all()[0];
    CHECK(d.id == diag::Id::TreeSyntax);
    CHECK(d.place.file == "x.sdfgtree");
    return {d.place.line, d.place.column, d.message.substr(d.message.find(": ") + 2)};
}
void checkFault(const std::string &text, int line, int column, const std::string &message) {
    const Fault f = fault(text);
    CHECK(f.message == message);
    CHECK(f.line == line);
    CHECK(f.column == column);
}

} // namespace

TEST_CASE("tree text: variables, allocations, memory") {
    checkText(body("    declare x: const int64 = N + 1\n"
                   "    declare t: zeroed stack float32 count 4 align 64 note \"transient t\"\n"
                   "    declare h: late heap float64 start 2\n"
                   "    allocate h count N**2 + N zero\n"
                   "    declare p: const pointer float64 at &B[x]\n"
                   "    declare q: reference float64 at A[N - 1]\n"
                   "    t[3] = 1.0\n"
                   "    h[N by N, 1 at A[0], 2] = p[0]\n"
                   "    set p to &A[0] as float64\n"));
}

TEST_CASE("tree text: types of expressions are written where they are not what the parts imply") {
    checkText(body("    A[0] = B[1] + 2.0 * N\n"
                   "    A[1] = (1 : float32) if N > 2 and not N == 3 else -(sqrt(B[0]) : float32)\n"
                   "    A[2] = <float32>(B[2]) ** 2 % 3\n"
                   "    A[3] = N div 2 mod 3 // (4 - 1)\n"
                   "    A[4] = max(B[0], B[1], axis=1)\n"
                   "    A[5] = f.[1, 2].x + ($inf - $nan) * 2.5j\n"
                   "    A[6] = `a + \\`b` + (&A[0] as int8)\n"
                   "    A[7] = s[0].pop\n"));
}

TEST_CASE("tree text: code, updates, tasklets as written") {
    checkText(body("    code locals (a: float64, b: void) {\n"
                   "      a = B[0]\n"
                   "      augment a += 2.0\n"
                   "      if a > 1.0 {\n"
                   "        A[0] = a\n"
                   "      } else {\n"
                   "        do foo(a)\n"
                   "      }\n"
                   "      while True {\n"
                   "        break\n"
                   "      }\n"
                   "    }\n"
                   "    update A[N] with B[0] * 2.0 by sum atomic\n"
                   "    update A[0] with B[0] by custom function lambda old, new: old atomic\n"
                   "    # [0.2.5] tasklet t\n"
                   "    tasklet bind a const of float64 at B[0] bind n symbol of int64 holds N - 1 text {\n"
                   "      |double x = a;\n"
                   "      |\n"
                   "      |  b = \"x\"; // }\n"
                   "    } after {\n"
                   "      A[0] = 1.0\n"
                   "    }\n"));
}

TEST_CASE("tree text: control flow and threads") {
    checkText(body("    for i: int64 from 0 to N - 1 by 2 down checked unroll times 4 {\n"
                   "      if i > 2 {\n"
                   "        break\n"
                   "      } else if i == 1 {\n"
                   "        continue\n"
                   "      } else { braces # [0.1] else\n"
                   "        goto out\n"
                   "      }\n"
                   "    }\n"
                   "    label out\n"
                   "    loop form dowhile declare k: int64 init k = 0 while k < N next k = k + 1 label again {\n"
                   "      comment \"a remark\"\n"
                   "    }\n"
                   "    region thread t: int64 team n: int64 threads 4 when N >= 100 {\n"
                   "      for i: int64 from 0 to N parallel schedule dynamic chunk 8 within vectorised reduce sum A count N {\n"
                   "        A[i] = 0.0\n"
                   "      }\n"
                   "    }\n"
                   "    for i: int64 from 0 to N parallel collapse 2 when N > 4 reduce max N reduce min A {\n"
                   "    }\n"
                   "    for i: int64 from 0 to N accumulate sum N vectorised {\n"
                   "    }\n"
                   "    sections section {\n"
                   "      return\n"
                   "    } section {\n"
                   "      A[0] = 0.0\n"
                   "    }\n"
                   "    consume s[0] workers 4 until N > 1 worker w: int64 element e: const reference float64 {\n"
                   "      push to s[0] value e[0]\n"
                   "    }\n"
                   "    measure \"Map m\" by gpu_events element \"map `m`\" cfg 0 state 1 node 2 bytes 8*N streams [0, 1] {\n"
                   "      probe restore \"A\" key \"0_1_2\" at &A[0] of float64 shape [N, 2] strides [2, 1] count 2*N when N > 1\n"
                   "    }\n"));
}

TEST_CASE("tree text: modules, kernels, the device") {
    checkText("module gpu from \"a \\\"b\\\".sdfg\" environments (OpenBLAS, FFTW) streams 2 events 1 instrumented compatible {\n"
              "  type T { x: float64 }\n"
              "  struct S { n: int32, data: struct T* \"n\", v: vector(float32, 4), p: opaque \"MPI_Comm\" }\n"
              "  argument A container queue of float64 shape [N, M] strides [M, 1] total M*N storage gpu_global\n"
              "  argument class called class_ of callback(float64, int32 -> float64)\n"
              "  initial N of int64\n"
              "  constant c of float64 array values (\"1.0\", \"2.0\")\n"
              "  field __0_t lifetime external storage cpu_pinned of float64 count N note \"t\"\n"
              "  global {\n"
              "    |#include <x.h>\n"
              "  }\n"
              "  function k(\n"
              "      A: pointer float64,\n"
              "      N: int64) kernel threads 256 barriers {\n"
              "    for i: const int64 from 0 to N - 1 spread once exact {\n"
              "      barrier\n"
              "      A[i] = 1.0\n"
              "    }\n"
              "  }\n"
              "  function gpu(\n"
              "      A: pointer float64,\n"
              "      N: int64) note \"the program\" state depth 1 {\n"
              "    uses __0_t: field float64\n"
              "    uses s: structpointer struct S\n"
              "    uses s.n: member int32\n"
              "    launch k(at &A[0], size N) grid [N // 256 + 1, 1, 1] block [256, 1, 1] on 1 element \"map m\"\n"
              "    transfer to_device from &__0_t[0] to &A[0] of float64 width N on 1\n"
              "    setdevice A[0] count N of float64 with 0.0 on 1\n"
              "    record 0 on 1\n"
              "    wait 0\n"
              "    synchronise -1\n"
              "    A[0] = s.n[0]\n"
              "  }\n"
              "}\n");
}

TEST_CASE("tree text: names that mean more than one variable get numbers") {
    checkText(body("    uses x'1: float64\n"
                   "    if N > 1 {\n"
                   "      declare x: float64 = 1.0\n"
                   "      x'1[0] = 2.0\n"
                   "      x[0] = 3.0\n"
                   "    }\n"));
}

TEST_CASE("tree text: members of structures that the function declares") {
    const std::string twice = "module m {\n"
                              "  struct S { n: int32, m: int32 }\n"
                              "  function f(A: pointer float64, N: int64) {\n"
                              "    uses s.n: member int32\n"
                              "    uses s.m: member int32\n"
                              "    uses s.n: member int32\n"
                              "    if N > 1 {\n"
                              "      declare s: struct S\n"
                              "      A[0] = s.n[0] + s.m[0]\n"
                              "    }\n"
                              "    declare s: struct S\n"
                              "    A[1] = s.n[0]\n"
                              "  }\n"
                              "}\n";
    const auto m = parsed(twice);
    CHECK(tree::same(*m, *parsed(tree::print(*m))));
    const tree::Function &f = *m->functions[tree::FunctionId(0)];
    std::set<tree::VarId> structures;
    for (const tree::Variable &v : f.vars)
        if (v.kind == tree::VarKind::Member)
            structures.insert(v.parent);
    CHECK(structures.size() == 2);
    checkFault(body("    uses t.n: member int32\n"), 7, 10, "no variable `t` exists in the function");
}

TEST_CASE("tree text: a variable may be called `_`") {
    checkText(body("    loop declare _: int64 init _ = 0 while _ < 10 next _ = _ + 1 {\n"
                   "      A[_] = 1.0\n"
                   "    }\n"));
}

TEST_CASE("tree text: remarks, and lines inside of brackets") {
    const auto m = parsed("; a test\nmodule m { ; it\n  function f(A: pointer float64,\n             N: int64) {\n    A[N +\n      "
                          "1] = 1.0\n  }\n}\n");
    CHECK(tree::print(*m).find("A[N + 1] = 1.0\n") != std::string::npos);
}

TEST_CASE("tree text: errors name their place") {
    checkFault("", 1, 1, "expected `module`, but found the end of the text");
    checkFault("module m {\n  functoin f() {\n", 2, 3, "a module has no `functoin`");
    checkFault("module \"../m\" {\n", 1, 8, "`../m` is not an identifier");
    checkFault("module \"m.n\" {\n", 1, 8, "`m.n` is not an identifier");
    checkFault(body("    declare \"x y\": float64\n"), 7, 13, "`x y` is not an identifier");
    checkFault(body("    declare x: opaque \"a; b\"\n"), 7, 23, "`a; b` is not a C++ type");
    checkFault(body("    copy &B[0] to &A[0] of float64\n"), 7, 25, "expected `count`, but found `of`");
    checkFault(body("    declare x: flaot64\n"), 7, 16, "there is no type `flaot64`");
    checkFault(body("    x[0] = 1.0\n"), 7, 5, "no variable `x` exists here");
    checkFault(body("    A[N +] = 1.0\n"), 7, 10, "expected a size");
    checkFault(body("    A[0] = 1.0 2.0\n"), 7, 16, "expected the end of the statement, but found `2.0`");
    checkFault(body("    call g()\n"), 7, 10, "there is no function `g` above");
    checkFault(body("    copi A to B\n"), 7, 5, "there is no statement `copi`");
    checkFault(body("    measure \"a\n"), 7, 13, "a text that is not closed on its line");
    checkFault(body("    A[0] = (1.0\n"), 8, 3, "expected `)`, but found `}`");
    checkFault(body("    loop form sideways {\n    }\n"), 7, 15, "`sideways` is not one of the words that `form` takes");
    checkFault("module m {\n  function f(n: int64) {\n    declare t: stack float64 count n.", 3, 38, "expected a name");
    checkFault(body("    declare t: stack float64 count N.(\n"), 7, 38, "expected a name");
    checkFault(body("    # [0.x] text\n    A[0] = 1.0\n"), 7, 5, "the numbers of an element have the form `[0.2.5]`");
    checkFault(body("    if N > 1 { # [0\n    }\n"), 7, 16, "`]` is missing after the numbers of an element");
}

TEST_CASE("tree text: what is nested too deeply is refused") {
    auto repeated = [](const std::string &text) {
        std::string all;
        for (int i = 0; i < 2000; ++i)
            all += text;
        return all;
    };
    checkFault(body("    A[0] = " + repeated("(") + "\n"), 7, 412, "the text is nested too deeply");
    checkFault(body("    code {\n" + repeated("if N > 1 {\n")), 406, 8, "the text is nested too deeply");
    checkFault(body("    declare x: " + repeated("vector(")), 7, 2816, "the text is nested too deeply");
    checkFault(body("    declare x: callback " + repeated("callback(")), 7, 3625, "the text is nested too deeply");
}

TEST_CASE("tree text: a container may be called `slice`") {
    checkText(body("    declare slice: stack float64 count 4\n"
                   "    slice[0] = B[0]\n"
                   "    A[0] = f.[.[0, ?, 2], 1] + slice[0]\n"));
}

TEST_CASE("clone copies everything") {
    const std::string text = body("    for i: int64 from 0 to N parallel reduce sum N {\n"
                                  "      if i > 1 {\n"
                                  "        tasklet bind a of float64 at B[0] text {\n"
                                  "          |x;\n"
                                  "        } after {\n"
                                  "          A[0] = 1.0\n"
                                  "        }\n"
                                  "      }\n"
                                  "    }\n");
    const auto m = parsed(text);
    auto &statements = m->functions[tree::FunctionId(0)]->body.body;
    statements[0] = tree::clone(*statements[0]);
    CHECK(tree::print(*m) == text);
}
