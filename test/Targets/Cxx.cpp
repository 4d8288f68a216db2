// From small graphs to C++ text: the decisions of lowering and the output of the CPU target.
#include "../Graphs.h"
#include "SourceTree.h"

#include "sdfgc/Targets/Targets.h"

#include "sdfgc/Lower/Lower.h"
#include "sdfgc/Pass/Pipeline.h"
#include "sdfgc/Transforms/Passes.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// A graph over N with given containers and states, its lowering and its text.
struct Program : Graph {
    diag::Engine diags;
    pass::CompileOptions options;

    explicit Program(const std::string &text)
        : Graph("sdfg f (scheduled) {\n"
                "  symbol N: int64\n" +
                text + "}\n") {
        options.optimize = pass::OptLevel::O0; // the text is tested, without improvements by passes over the tree
    }
    void placeAndCopy(pass::Context &context) {
        g.renumber();
        pass::Program program{g, nullptr};
        transforms::createSelectCopies()->run(program, context);
        transforms::createAllocateContainers()->run(program, context);
        const std::unique_ptr<pass::Pass> place = transforms::createPlaceInMemory();
        place->options = {{"heap-limit", int64_t(4096)}, {"register-limit", int64_t(65536)}, {"kernel-limit", int64_t(4096)}};
        place->run(program, context);
    }
    /// Null, with errors, if the graph cannot be lowered.
    pass::Program lowered(pass::Context &context) {
        pass::Registry registry;
        transforms::registerPasses(registry);
        const auto pipeline = pass::readPipeline(SDFGC_SOURCE_DIR "/pipelines/lower.yaml", registry, options, diags);
        REQUIRE(pipeline);
        pass::Program program{g, nullptr};
        pass::run(program, *pipeline, registry, context, {});
        return program;
    }
    std::string text() {
        pass::Context context(diags, options);
        placeAndCopy(context);
        const pass::Program program = lowered(context);
        for (const auto &d : diags.all())
            UNSCOPED_INFO(d.message);
        REQUIRE(program.tree);
        return targets::find(options.target)->emit(*program.tree, options).files.at(0).text;
    }
};

bool has(const std::string &text, const std::string &part) {
    UNSCOPED_INFO(text);
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("a parallel map of one statement is a pragma, a loop and an assignment on elements") {
    Program p(R"(
        argument A: float64[N] (CPU_Heap)
        argument B: float64[N] (CPU_Heap)
        state main {
          map m[i = 0:N] (CPU_Multicore) with <- A[0:N]; -> B[0:N] {
            t: y = x * 2.0  with x: float64 <- A[i]; y: float64 -> B[i]
          }
        }
    )");
    std::string text = p.text();
    CHECK(has(text, "    // state main, map m\n    #pragma omp parallel for\n    for (int64_t i = 0; i < N; ++i)\n        B[i] = "
                    "A[i] * 2.0;\n"));
    CHECK(has(text, "void __program_f(State *__state, const double *A, double *B, int64_t N)"));
}

TEST_CASE("a reduction is a clause on an accumulator that joins the target once") {
    Program p(R"(
        argument A: float64[N] (CPU_Heap)
        argument S: float64[N] (CPU_Heap)
        state main {
          map m[i = 0:N] (CPU_Multicore) with <- A[0:N]; -> S[0] (+, Reduction) {
            t: y = x  with x: float64 <- A[i]; y: float64 -> S[0] (+, Reduction)
          }
        }
    )");
    std::string text = p.text();
    CHECK(has(text, "reduction(+ : S_acc)"));
    CHECK(has(text, "        S_acc += A[i];"));
    CHECK(has(text, "S[0] += S_acc;"));
}

TEST_CASE("a reduction to a variable of the function needs no accumulator") {
    Program p(R"(
        argument A: float64[N] (CPU_Heap)
        argument B: float64[N] (CPU_Heap)
        transient sum: float64
        state main {
          map m[i = 0:N] (CPU_Multicore) with <- A[0:N]; -> sum[0] (+, Reduction) {
            t: y = x  with x: float64 <- A[i]; y: float64 -> sum[0] (+, Reduction)
          }
          sum -> B[0]
        }
    )");
    std::string text = p.text();
    CHECK(has(text, "reduction(+ : sum)"));
    CHECK(has(text, "        sum += A[i];"));
    CHECK_FALSE(has(text, "_acc"));
}

TEST_CASE("conflicting writes are atomic or plain, as the graph says") {
    for (const std::string how : {"+, Atomic", "+, Plain", "+"}) {
        Program p(replaced(R"(
            argument A: float64[N] (CPU_Heap)
            argument S: float64[N] (CPU_Heap)
            state main {
              map m[i = 0:N] (CPU_Multicore) with <- A[0:N]; -> S[0:N] {
                t: y = x  with x: float64 <- A[i]; y: float64 -> S[i % 2] ($how)
              }
            }
        )",
                           {{"$how", how}}));
        CHECK(has(p.text(), "#pragma omp atomic") == (how != "+, Plain")); // undecided: the safe choice
    }
}

TEST_CASE("an input that the code overwrites before its last use is read first") {
    Program p(R"(
        argument A: float64[N] (CPU_Heap)
        state main {
          t with x: float64 <- A[0]; y: float64 -> A[0], z: float64 -> @A#2 A[1] {
            y = x + 1.0
            z = x * y
          }
        }
    )");
    std::string text = p.text();
    CHECK(has(text, "const double x = A[0];"));
    CHECK(has(text, "A[1] = "));
}

TEST_CASE("C++ tasklets see connectors, whatever the containers are called") {
    Program p(R"(
        argument x: float64[N] (CPU_Heap)
        argument y: float64[N] (CPU_Heap)
        state main {
          t (CPP): y = x + 1;  with x: float64 <- x[3]; y: float64 -> y[4]
        }
    )");
    std::string text = p.text();
    CHECK(has(text, "double x = x_1[3];")); // through another name: `x` is the connector inside
    CHECK(has(text, "y_1[4] = y;"));
    CHECK(has(text, "        y = x + 1;\n"));
}

TEST_CASE("C++ tasklets get no variables for connectors that their text does not mention, unless a macro might") {
    Program p(R"(
        argument A: float64[N] (CPU_Heap)
        state main {
          t (CPP) with x: float64 <- A[3]; y: float64 -> A[4] {
            y = f(1,
                    2);
          }
        }
    )");
    SECTION("no macros") {
        std::string text = p.text();
        CHECK_FALSE(has(text, "double x"));
        CHECK_FALSE(has(text, "maybe_unused"));
        CHECK(has(text, "        y = f(1,\n            2);\n"));
    }
    SECTION("macros") {
        p.g.globalCode.push_back({"frame", Code{"#define f(a, b) x", Language::CPP}});
        CHECK(has(p.text(), "[[maybe_unused]] double x = A[3];"));
    }
}

TEST_CASE("library calls take containers in the place of connectors") {
    Program p(R"(
        argument A: float64[N] (CPU_Heap)
        argument B: float64[N] (CPU_Heap)
        state main {
          t: _r = cblas_ddot(N + 2, _a, 1, _a + 3, 1)  with _a: pointer(float64) <- A[2:N]; _r: float64 -> B[N - 1]
        }
    )");
    p.node<Tasklet>("t")->code = {p.node<Tasklet>("t")->code.text(), Language::Library};
    CHECK(has(p.text(), "    B[N - 1] = cblas_ddot(N + 2, &A[2], 1, &A[5], 1);\n"));
}

TEST_CASE("vectors of an array that is only read are const") {
    Program p(R"(
        argument A: float64[N] (CPU_Heap)
        argument B: float64[N] (CPU_Heap)
        state main {
          t: y = x  with x: vector(float64, 4) <- A[4]; y: vector(float64, 4) -> B[4]
        }
    )");
    std::string text = p.text();
    CHECK(has(text, "reinterpret_cast<const sdfgc::rt::vec<double, 4> *>(&A[4])"));
    CHECK(has(text, "reinterpret_cast<sdfgc::rt::vec<double, 4> *>(&B[4])"));
}

TEST_CASE("statements read as a person writes them: assigning operators, literals of the right type, no needless braces") {
    const char *codes[] = {"y = x * 2.0", "y = x - 1.0", "y = 3.0"};
    const char *texts[] = {"    A[4] *= 2.0;\n", "    A[4] -= 1.0;\n", "    A[4] = 3.0;\n"};
    const std::size_t i = GENERATE(0, 1, 2);
    Program p(replaced(R"(
        argument A: float64[N] (CPU_Heap)
        argument k: int32[N] (CPU_Heap)
        state main {
          t: $code  with x: float64 <- A[4]; y: float64 -> A[4]
        }
    )",
                       {{"$code", codes[i]}}));
    CHECK(has(p.text(), texts[i]));
}

TEST_CASE("state that lives as long as the handle is used by the names of the graph") {
    Program p(R"(
        argument A: float64[N] (CPU_Heap)
        transient kept: float64[N] (CPU_Heap, Persistent)
        transient first: float64 (Register, Persistent)
        transient memory: float64 (Register, Persistent)
        state before {
          t: y = 1.0  with y: float64 -> first[0]
        }
        state next {
          t: y = x + z  with x: float64 <- first[0], z: float64 <- memory[0]; y: float64 -> kept[2]
          t: y = 2.0  with y: float64 -> memory[0]
        }
    )");
    std::string text = p.text();
    CHECK(has(text, "    double *__restrict kept = __state->__0_kept.data();\n"));
    CHECK(has(text, "    kept[2] = first + __state->__0_memory;\n")); // the value of the last call
    CHECK(has(text, "    const double first = 1.0;\n"));
    CHECK_FALSE(has(text, "__0_first"));
}

TEST_CASE("the frame holds no more than the program needs") {
    Program p("state main {}\n");
    std::string text = p.text();
    CHECK(has(text, "__dace_init_f() {\n    return new (std::nothrow) State();\n}\n"));
    CHECK(has(text, "__dace_exit_f(State *__state) {\n    delete __state;\n    return 0;\n}\n"));
}

TEST_CASE("contiguous copies are one run, strided ones a loop") {
    auto text = [](const std::string &copy) {
        return Program(replaced(R"(
            argument A: float64[N] (CPU_Heap)
            argument B: float64[N] (CPU_Heap)
            state main {
              $copy
            }
        )",
                                {{"$copy", copy}}))
            .text();
    };
    CHECK(has(text("A[0:N] -> B"), "std::memcpy(B, A, N * sizeof(double));"));
    CHECK(has(text("A[0:9:2] -> B[0:5]"), "B[i0] = A[2 * i0];")); // every second element
}

TEST_CASE("a copy for which no method was selected is not lowered") {
    auto refused = [](const std::string &method, const std::string &expected) {
        Program p(replaced(R"(
            argument A: float64[N] (CPU_Heap)
            argument B: float64[N] (CPU_Heap)
            state main {
              A[0:N] -> B$method
            }
        )",
                           {{"$method", method}}));
        pass::Context context(p.diags, p.options);
        CHECK_FALSE(p.lowered(context).tree);
        REQUIRE(p.diags.all().size() == 1);
        CHECK(p.diags.all()[0].message == expected);
    };
    refused("", "no pass has chosen a method for the copy from `A[0:N]` to `B[0:N]`");
    refused(" (Pitched)", "the copy from `A[0:N]` to `B[0:N]` cannot be Pitched: it is Elements");
}

TEST_CASE("transients: a value, an array on the stack, a buffer, a buffer that gets its size later") {
    Program p(R"(
        symbol k: int64
        argument A: float64[N] (CPU_Heap)
        transient one: float64[1] (CPU_Heap)
        transient small: float64[16] (CPU_Heap)
        transient large: float64[8*N] (CPU_Heap)
        transient late: float64[k] (CPU_Heap)
        state first {
          t: y = 1.0  with y: float64 -> one[0]
          t: y = 1.0  with y: float64 -> small[0]
          t: y = 1.0  with y: float64 -> large[0]
        }
        k = N + 1
        state second {
          t: y = 1.0  with y: float64 -> one[0]
          t: y = 1.0  with y: float64 -> small[0]
          t: y = 1.0  with y: float64 -> large[0]
          t: y = 1.0  with y: float64 -> late[0]
        }
        state third {
          t: y = 1.0  with y: float64 -> late[0]
        }
    )");
    std::string text = p.text();
    CHECK(has(text, "double one = 1.0;"));
    CHECK(has(text, "double small[16];"));
    CHECK(has(text, "sdfgc::rt::Buffer<double> large(sdfgc::rt::elements(8, N));"));
    CHECK(has(text, "sdfgc::rt::Buffer<double> late;"));
    CHECK(text.find("k = N + 1;") < text.find("late.allocate(k);"));
    CHECK(text.find("late.allocate(k);") < text.find("late[0] = 1.0;"));
}

TEST_CASE("a nested SDFG in place: inner names are outer memory, inner symbols outer expressions") {
    auto program = [](const std::string &end) {
        return replaced(R"(
            argument A: float64[N] (CPU_Heap)
            state main {
              nested inner[j = N - 3] with v -> A[5:7] {
                sdfg inner {
                  symbol j: int64
                  argument v: float64[2]
                  state s {
                    t: y = 1.0  with y: float64 -> v[j]
                  }
                  $end
                }
              }
            }
        )",
                        {{"$end", end}});
    };
    SECTION("as statements") { CHECK(has(Program(program("")).text(), "    A[N + 2] = 1.0;")); }
    SECTION("with an early return: a function") {
        const std::string text = Program(program("return")).text();
        CHECK(has(text, "static void inner(int64_t j, double *v) {"));
        CHECK(has(text, "inner(N - 3, &A[5]);"));
    }
}

TEST_CASE("loops: forms, break, continue that must not skip the update") {
    auto text = [](const std::string &form, const std::string &jump) {
        return Program(replaced(R"(
            l $form: for i = 0; i < N; i = i + 1 {
              if i == 3 {
                $jump
              }
            }
        )",
                                {{"$form", form}, {"$jump", jump}}))
            .text();
    };
    SECTION("for with break") {
        CHECK(has(text("", "break"), "for (int64_t i = 0; i < N; ++i) {\n        if (i == 3)\n            break;\n    }"));
    }
    SECTION("do-while with continue") {
        const std::string doWhile = text("(inverted)", "continue");
        CHECK(has(doWhile, "goto next_0;"));
        CHECK(has(doWhile, "next_0:;\n        ++i;\n    } while (i < N);"));
    }
}

TEST_CASE("unstructured control flow becomes labels and jumps") {
    Program p(R"(
        argument A: float64[N] (CPU_Heap)
        unstructured u {
          state a {}
          goto b if N > 1
          goto a
          state b {}
          goto a if N > 2
        }
    )");
    std::string text = p.text();
    CHECK(has(text, "if (N > 1)\n            goto block_0_1;"));
    CHECK(has(text, "goto block_0_0;"));
    CHECK(has(text, "end_0:;"));
}

TEST_CASE("a container without memory is refused by name") {
    Program p(R"(
        argument A: float64[N] (CPU_Heap)
        view V: float64[4]
        state main {
          t: y = x  with x: float64 <- V[0]; y: float64 -> A[0]
        }
    )");
    pass::Context context(p.diags, p.options);
    CHECK_FALSE(tree::lower(p.g, context));
    REQUIRE(p.diags.hasErrors());
    CHECK(p.diags.all().front().id == diag::Id::NoPlace);
    CHECK(p.diags.all().front().place.element.find("tasklet t") != std::string::npos);
}

TEST_CASE("a copy between subsets of different sizes is refused") {
    Program p(R"(
        argument A: float64[9] (CPU_Heap)
        argument B: float64[9] (CPU_Heap)
        state main {
          A[0:9] -> B[0]
        }
    )");
    pass::Context context(p.diags, p.options);
    CHECK_FALSE(tree::lower(p.g, context));
    REQUIRE(p.diags.all().size() == 1);
    CHECK(p.diags.all()[0].id == diag::Id::CopyVolume);
}
