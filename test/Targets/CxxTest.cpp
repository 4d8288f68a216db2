// From small graphs to C++ text: what lowering decides and the CPU target prints.
#include "sdfgc/Targets/Targets.h"

#include "sdfgc/Lower/Lower.h"
#include "sdfgc/Pass/Pipeline.h"
#include "sdfgc/Transforms/Passes.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::ir;

namespace {

sym::Expr symbol(const char *n) { return sym::Expr::symbol(n); }

/// A graph of one state, its lowering and its text.
struct Program {
    SDFG g{"f"};
    State *s = nullptr;
    diag::Engine diags;
    pass::CompileOptions options;

    Program() {
        g.symbols.set("N", ScalarKind::Int64);
        g.level = Level::Scheduled;
    }
    State *state(const char *label = "main") {
        s = g.add<State>();
        s->label = label;
        return s;
    }
    void array(const char *n, bool transient = false, Type t = ScalarKind::Float64) {
        DataDesc d = DataDesc::array(t, {symbol("N")}, transient);
        d.storage = Storage::CPU_Heap;
        g.arrays.set(n, d);
    }
    Tasklet *tasklet(const char *code, Language l = Language::Python) {
        auto *t = s->add<Tasklet>();
        t->label = "t";
        t->code = {code, l};
        return t;
    }
    static Memlet at(const char *data, sym::Expr i) { return Memlet::simple(data, sym::Subset::point(std::vector<sym::Expr>{i})); }
    Memlet whole(const char *data) { return Memlet::simple(data, g.desc(Name(data))->fullSubset()); }
    void in(Node *from, const char *data, Tasklet *t, const char *conn, sym::Expr i, Type type = ScalarKind::Float64) {
        s->connect(from, isa<AccessNode>(from) ? Name() : Name("OUT_" + std::string(data)), t, conn, at(data, i));
        t->inConnector(conn)->type = type;
    }
    void out(Tasklet *t, const char *conn, Node *to, const char *data, sym::Expr i, const char *wcr = "",
             WcrMode mode = WcrMode::Unset) {
        Memlet m = at(data, i);
        m.wcr = wcr;
        m.wcrMode = mode;
        s->connect(t, conn, to, isa<AccessNode>(to) ? Name() : Name("IN_" + std::string(data)), m);
        t->outConnector(conn)->type = ScalarKind::Float64;
    }
    /// Map over i = 0:N around one tasklet that reads A[i]; writes go to the exit.
    std::pair<MapEntry *, MapExit *> map(Schedule schedule = Schedule::CPU_Multicore) {
        auto *entry = s->add<MapEntry>();
        auto *exit = s->add<MapExit>();
        entry->exit = exit;
        exit->entry = entry;
        entry->label = "m";
        entry->params = {"i"};
        entry->ranges = {{0, symbol("N") - 1, 1, 1}};
        entry->schedule = schedule;
        return {entry, exit};
    }
    void allocate(pass::Context &context) {
        g.renumber();
        pass::Program program{g, nullptr};
        transforms::createAllocateContainers()->run(program, context);
        const std::unique_ptr<pass::Pass> place = transforms::createPlaceInMemory();
        place->options = {{"heap-limit", int64_t(4096)}, {"register-limit", int64_t(65536)}, {"kernel-limit", int64_t(4096)}};
        place->run(program, context);
    }
    std::string text() {
        pass::Context context(diags, options);
        allocate(context);
        pass::Registry registry;
        transforms::registerPasses(registry);
        const auto pipeline = pass::readPipeline(SDFGC_SOURCE_DIR "/pipelines/lower.yaml", registry, options, diags);
        REQUIRE(pipeline);
        pass::Program program{g, nullptr};
        pass::run(program, *pipeline, registry, context, {});
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
    Program p;
    p.array("A");
    p.array("B");
    p.state();
    auto [entry, exit] = p.map();
    auto *a = p.s->add<AccessNode>("A");
    auto *b = p.s->add<AccessNode>("B");
    auto *t = p.tasklet("y = x * 2.0");
    p.s->connect(a, {}, entry, "IN_A", p.whole("A"));
    p.in(entry, "A", t, "x", symbol("i"));
    p.out(t, "y", exit, "B", symbol("i"));
    p.s->connect(exit, "OUT_B", b, {}, p.whole("B"));
    std::string text = p.text();
    CHECK(has(text, "    // state main, map m\n    #pragma omp parallel for\n    for (int64_t i = 0; i < N; ++i)\n        B[i] = "
                    "A[i] * 2.0;\n"));
    CHECK(has(text, "void __program_f(State *__state, double *A, double *B, int64_t N)"));
}

TEST_CASE("a reduction is a clause on an accumulator that joins the target once") {
    Program p;
    p.array("A");
    p.array("S");
    p.state();
    auto [entry, exit] = p.map();
    auto *t = p.tasklet("y = x");
    p.s->connect(p.s->add<AccessNode>("A"), {}, entry, "IN_A", p.whole("A"));
    p.in(entry, "A", t, "x", symbol("i"));
    p.out(t, "y", exit, "S", 0, "lambda a, b: a + b", WcrMode::Reduction);
    Memlet m = Program::at("S", 0);
    m.wcr = "lambda a, b: a + b";
    m.wcrMode = WcrMode::Reduction;
    p.s->connect(exit, "OUT_S", p.s->add<AccessNode>("S"), {}, m);
    std::string text = p.text();
    CHECK(has(text, "reduction(+ : S_acc)"));
    CHECK(has(text, "        S_acc += A[i];"));
    CHECK(has(text, "S[0] += S_acc;"));
}

TEST_CASE("a reduction to a variable of the function needs no accumulator") {
    Program p;
    p.array("A");
    p.array("B");
    p.g.arrays.set("sum", DataDesc::scalar(ScalarKind::Float64, true));
    p.state();
    auto [entry, exit] = p.map();
    auto *t = p.tasklet("y = x");
    p.s->connect(p.s->add<AccessNode>("A"), {}, entry, "IN_A", p.whole("A"));
    p.in(entry, "A", t, "x", symbol("i"));
    p.out(t, "y", exit, "sum", 0, "lambda a, b: a + b", WcrMode::Reduction);
    Memlet m = Program::at("sum", 0);
    m.wcr = "lambda a, b: a + b";
    m.wcrMode = WcrMode::Reduction;
    auto *sum = p.s->add<AccessNode>("sum");
    p.s->connect(exit, "OUT_sum", sum, {}, m);
    p.s->connect(sum, {}, p.s->add<AccessNode>("B"), {}, Program::at("B", 0));
    std::string text = p.text();
    CHECK(has(text, "reduction(+ : sum)"));
    CHECK(has(text, "        sum += A[i];"));
    CHECK_FALSE(has(text, "_acc"));
}

TEST_CASE("conflicting writes are atomic or plain, as the graph says") {
    for (WcrMode mode : {WcrMode::Atomic, WcrMode::Plain, WcrMode::Unset}) {
        Program p;
        p.array("A");
        p.array("S");
        p.state();
        auto [entry, exit] = p.map();
        auto *t = p.tasklet("y = x");
        p.s->connect(p.s->add<AccessNode>("A"), {}, entry, "IN_A", p.whole("A"));
        p.in(entry, "A", t, "x", symbol("i"));
        p.out(t, "y", exit, "S", sym::mod(symbol("i"), 2), "lambda a, b: a + b", mode);
        p.s->connect(exit, "OUT_S", p.s->add<AccessNode>("S"), {}, p.whole("S"));
        CHECK(has(p.text(), "#pragma omp atomic") == (mode != WcrMode::Plain)); // nothing decided: safe
    }
}

TEST_CASE("an input that the code overwrites before its last use is read first") {
    Program p;
    p.array("A");
    p.state();
    auto *t = p.tasklet("y = x + 1.0\nz = x * y");
    p.in(p.s->add<AccessNode>("A"), "A", t, "x", 0);
    auto *b = p.s->add<AccessNode>("A");
    p.out(t, "y", b, "A", 0);
    p.out(t, "z", b, "A", 1);
    std::string text = p.text();
    CHECK(has(text, "const double x = A[0];"));
    CHECK(has(text, "A[1] = "));
}

TEST_CASE("C++ tasklets see connectors, whatever the containers are called") {
    Program p;
    p.array("x");
    p.array("y");
    p.state();
    auto *t = p.tasklet("y = x + 1;", Language::CPP);
    p.in(p.s->add<AccessNode>("x"), "x", t, "x", 3);
    p.out(t, "y", p.s->add<AccessNode>("y"), "y", 4);
    std::string text = p.text();
    CHECK(has(text, "double x = x_1[3];")); // through another name: `x` is the connector inside
    CHECK(has(text, "y_1[4] = y;"));
    CHECK(has(text, "        y = x + 1;\n"));
}

TEST_CASE("C++ tasklets get no variables for connectors that their text does not mention, unless a macro might") {
    Program p;
    p.array("A");
    p.state();
    auto *t = p.tasklet("y = f(1,\n        2);", Language::CPP);
    p.in(p.s->add<AccessNode>("A"), "A", t, "x", 3);
    p.out(t, "y", p.s->add<AccessNode>("A"), "A", 4);
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
    Program p;
    p.array("A");
    p.array("B");
    p.state();
    auto *t = p.tasklet("_r = cblas_ddot(N + 2, _a, 1, _a + 3, 1)", Language::Library);
    auto *a = p.s->add<AccessNode>("A");
    sym::Subset tail = p.g.desc("A")->fullSubset();
    tail.dims[0].begin = 2;
    p.s->connect(a, {}, t, "_a", Memlet::simple("A", tail));
    t->inConnector("_a")->type = Type::pointer(ScalarKind::Float64);
    p.out(t, "_r", p.s->add<AccessNode>("B"), "B", symbol("N") - 1);
    CHECK(has(p.text(), "    B[N - 1] = cblas_ddot(N + 2, &A[2], 1, &A[5], 1);\n"));
}

TEST_CASE("vectors of an array that is only read are const") {
    Program p;
    p.array("A");
    p.array("B");
    p.state();
    const Type four = Type::vector(ScalarKind::Float64, 4);
    auto *t = p.tasklet("y = x");
    p.in(p.s->add<AccessNode>("A"), "A", t, "x", 4, four);
    p.out(t, "y", p.s->add<AccessNode>("B"), "B", 4);
    t->outConnector("y")->type = four;
    std::string text = p.text();
    CHECK(has(text, "reinterpret_cast<const sdfgc::rt::vec<double, 4> *>(&A[4])"));
    CHECK(has(text, "reinterpret_cast<sdfgc::rt::vec<double, 4> *>(&B[4])"));
}

TEST_CASE("statements read as a person writes them: assigning operators, literals of the right type, no needless braces") {
    Program p;
    p.array("A");
    p.array("k", false, ScalarKind::Int32);
    p.state();
    const char *codes[] = {"y = x * 2.0", "y = x - 1.0", "y = 3.0"};
    const char *texts[] = {"    A[4] *= 2.0;\n", "    A[4] -= 1.0;\n", "    A[4] = 3.0;\n"};
    const std::size_t i = GENERATE(0, 1, 2);
    auto *t = p.tasklet(codes[i]);
    p.in(p.s->add<AccessNode>("A"), "A", t, "x", 4);
    p.out(t, "y", p.s->add<AccessNode>("A"), "A", 4);
    CHECK(has(p.text(), texts[i]));
}

TEST_CASE("state that lives as long as the handle is used by the names of the graph") {
    Program p;
    p.array("A");
    p.array("kept", true);
    p.g.arrays.find("kept")->lifetime = Lifetime::Persistent;
    DataDesc scalar = DataDesc::scalar(ScalarKind::Float64, true);
    scalar.lifetime = Lifetime::Persistent;
    scalar.storage = Storage::Register;
    p.g.arrays.set("first", scalar);
    p.g.arrays.set("memory", scalar);
    State *before = p.state("before");
    auto *a = p.tasklet("y = 1.0");
    p.out(a, "y", p.s->add<AccessNode>("first"), "first", 0);
    State *after = p.state("after");
    p.g.connect(before, after);
    auto *b = p.tasklet("y = x + z");
    p.in(p.s->add<AccessNode>("first"), "first", b, "x", 0);
    p.in(p.s->add<AccessNode>("memory"), "memory", b, "z", 0);
    p.out(b, "y", p.s->add<AccessNode>("kept"), "kept", 2);
    auto *c = p.tasklet("y = 2.0");
    p.out(c, "y", p.s->add<AccessNode>("memory"), "memory", 0);
    std::string text = p.text();
    CHECK(has(text, "    double *__restrict kept = __state->__0_kept.data();\n"));
    CHECK(has(text, "    kept[2] = first + __state->__0_memory;\n")); // what the last call left
    CHECK(has(text, "    const double first = 1.0;\n"));
    CHECK_FALSE(has(text, "__0_first"));
}

TEST_CASE("the frame holds no more than the program needs") {
    Program p;
    p.state();
    std::string text = p.text();
    CHECK(has(text, "__dace_init_f() {\n    return new (std::nothrow) State();\n}\n"));
    CHECK(has(text, "__dace_exit_f(State *__state) {\n    delete __state;\n    return 0;\n}\n"));
}

TEST_CASE("contiguous copies are one run, strided ones a loop") {
    Program p;
    p.array("A");
    p.array("B");
    p.state();
    auto *a = p.s->add<AccessNode>("A");
    auto *b = p.s->add<AccessNode>("B");
    Memlet m = p.whole("A");
    SECTION("whole") {
        p.s->connect(a, {}, b, {}, m);
        CHECK(has(p.text(), "std::memcpy(B, A, N * sizeof(double));"));
    }
    SECTION("every second element") {
        m.subset = sym::Subset{{{0, 8, 2, 1}}};
        m.otherSubset = sym::Subset{{{0, 4, 1, 1}}};
        p.s->connect(a, {}, b, {}, m);
        CHECK(has(p.text(), "B[i0] = A[2 * i0];"));
    }
}

TEST_CASE("transients: a value, an array on the stack, a buffer, a buffer that gets its size later") {
    Program p;
    p.array("A");
    auto use = [&](const char *name, sym::Expr size) {
        DataDesc d = DataDesc::array(ScalarKind::Float64, {size}, true);
        d.storage = Storage::CPU_Heap;
        p.g.arrays.set(name, d);
    };
    use("one", 1);
    use("small", 16);
    use("large", symbol("N") * 8);
    use("late", symbol("k"));
    auto *first = p.state("first");
    auto write = [&](const char *name) {
        auto *t = p.tasklet("y = 1.0");
        p.out(t, "y", p.s->add<AccessNode>(name), name, 0);
    };
    for (const char *n : {"one", "small", "large"})
        write(n);
    auto *second = p.state("second");
    for (const char *n : {"one", "small", "large", "late"})
        write(n);
    auto *third = p.state("third");
    write("late");
    p.g.symbols.set("k", ScalarKind::Int64);
    p.g.connect(first, second, {"1", Language::Python}, {{"k", "N + 1"}});
    p.g.connect(second, third);
    std::string text = p.text();
    CHECK(has(text, "double one = 1.0;"));
    CHECK(has(text, "double small[16];"));
    CHECK(has(text, "sdfgc::rt::Buffer<double> large(8 * N);"));
    CHECK(has(text, "sdfgc::rt::Buffer<double> late;"));
    CHECK(text.find("k = N + 1;") < text.find("late.allocate(k);"));
    CHECK(text.find("late.allocate(k);") < text.find("late[0] = 1.0;"));
}

TEST_CASE("a nested SDFG in place: inner names are outer memory, inner symbols outer expressions") {
    Program p;
    p.array("A");
    p.state();
    auto nested = std::make_unique<SDFG>("inner");
    nested->symbols.set("j", ScalarKind::Int64);
    nested->arrays.set("v", DataDesc::array(ScalarKind::Float64, {2}));
    auto *is = nested->add<State>();
    auto *t = is->add<Tasklet>();
    t->label = "t";
    t->code = {"y = 1.0", Language::Python};
    is->connect(t, "y", is->add<AccessNode>("v"), {}, Program::at("v", symbol("j")));
    t->outConnector("y")->type = ScalarKind::Float64;
    auto node = std::make_unique<NestedSDFGNode>();
    node->label = "inner";
    node->symbolMapping = {{"j", symbol("N") - 3}};
    node->sdfg = std::move(nested);
    auto *n = static_cast<NestedSDFGNode *>(p.s->adopt(std::move(node)));
    p.s->connect(n, "v", p.s->add<AccessNode>("A"), {}, Memlet::simple("A", sym::Subset{{{5, 6, 1, 1}}}));
    SECTION("as statements") { CHECK(has(p.text(), "    A[N + 2] = 1.0;")); }
    SECTION("with an early return: a function") {
        is->label = "s";
        n->sdfg->connect(is, n->sdfg->add<ReturnBlock>());
        std::string text = p.text();
        CHECK(has(text, "static void inner(int64_t j, double *v) {"));
        CHECK(has(text, "inner(N - 3, &A[5]);"));
    }
}

TEST_CASE("loops: forms, break, continue that must not skip the update") {
    Program p;
    auto *l = p.g.add<LoopRegion>();
    l->label = "l";
    l->variable = "i";
    l->init = Code{"i = 0", Language::Python};
    l->condition = Code{"i < N", Language::Python};
    l->update = Code{"i = i + 1", Language::Python};
    auto *c = l->add<ConditionalBlock>();
    auto branch = std::make_unique<Region>();
    SECTION("for with break") {
        branch->add<BreakBlock>();
        c->addBranch(Code{"i == 3", Language::Python}, std::move(branch));
        CHECK(has(p.text(), "for (int64_t i = 0; i < N; ++i) {\n        if (i == 3)\n            break;\n    }"));
    }
    SECTION("do-while with continue") {
        l->inverted = true;
        branch->add<ContinueBlock>();
        c->addBranch(Code{"i == 3", Language::Python}, std::move(branch));
        std::string text = p.text();
        CHECK(has(text, "goto next_0;"));
        CHECK(has(text, "next_0:;\n        ++i;\n    } while (i < N);"));
    }
}

TEST_CASE("unstructured control flow becomes labels and jumps") {
    Program p;
    p.array("A");
    auto *r = p.g.add<Region>(BlockKind::Unstructured);
    auto *a = r->add<State>();
    auto *b = r->add<State>();
    r->setStart(a);
    r->connect(a, b, {"N > 1", Language::Python});
    r->connect(a, a);
    r->connect(b, a, {"N > 2", Language::Python});
    std::string text = p.text();
    CHECK(has(text, "if (N > 1)\n            goto block_0_1;"));
    CHECK(has(text, "goto block_0_0;"));
    CHECK(has(text, "end_0:;"));
}

TEST_CASE("a container without memory is refused by name") {
    Program p;
    p.array("A");
    p.state();
    auto *t = p.tasklet("y = x");
    DataDesc view = DataDesc::array(ScalarKind::Float64, {4}, true);
    view.alias = AliasKind::View;
    p.g.arrays.set("V", view);
    p.in(p.s->add<AccessNode>("V"), "V", t, "x", 0);
    p.out(t, "y", p.s->add<AccessNode>("A"), "A", 0);
    p.g.renumber();
    pass::Context context(p.diags, p.options);
    CHECK_FALSE(tree::lower(p.g, context));
    REQUIRE(p.diags.hasErrors());
    CHECK(p.diags.all().front().id == diag::Id::NoPlace);
    CHECK(p.diags.all().front().place.element.find("tasklet t") != std::string::npos);
}

TEST_CASE("a copy between subsets of different sizes is refused") {
    Program p;
    p.state();
    p.array("A");
    p.array("B");
    p.g.desc("A")->shape = p.g.desc("B")->shape = {9};
    Memlet m = p.whole("A");
    m.otherSubset = sym::Subset::point(std::vector<sym::Expr>{0});
    p.s->connect(p.s->add<AccessNode>("A"), "", p.s->add<AccessNode>("B"), "", m);
    p.g.renumber();
    pass::Context context(p.diags, p.options);
    CHECK_FALSE(tree::lower(p.g, context));
    REQUIRE(p.diags.all().size() == 1);
    CHECK(p.diags.all()[0].id == diag::Id::CopyVolume);
}
