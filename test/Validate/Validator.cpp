#include "Validate/Programs.h"

#include "sdfgc/Support/File.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// Applies a function to the graph.
template <void (*change)(ir::SDFG &)> class Changing : public pass::GraphPass {
    bool run(ir::SDFG &root, pass::Context &) override {
        change(root);
        root.renumber();
        return true;
    }
};
template <void (*change)(ir::SDFG &)> std::unique_ptr<pass::Pass> make() { return std::make_unique<Changing<change>>(); }

ir::Tasklet &tasklet(ir::SDFG &g) { return *ir::nodesOf<ir::Tasklet>(*ir::allStates(g).front()).front(); }

void nothing(ir::SDFG &) {}
void addsOne(ir::SDFG &g) { tasklet(g).code = "c = a + 1"; }
void otherOrder(ir::SDFG &g) { tasklet(g).code = "c = (a + 0.1) - 0.1"; }
void wrongAtNan(ir::SDFG &g) { tasklet(g).code = "c = a if a == a else 0"; }
void nextElement(ir::SDFG &g) {
    for (const auto &e : ir::allStates(g).front()->edges())
        if (e->dst == &tasklet(g))
            e->memlet.subset = sym::Subset::point(std::vector{*sym::parse("i + 1").expr});
}
void backwards(ir::SDFG &g) {
    for (const auto &e : ir::allStates(g).front()->edges())
        if (e->dst == &tasklet(g))
            e->memlet.subset = sym::Subset::point(std::vector{*sym::parse("7 - i").expr});
}
void endless(ir::SDFG &g) {
    auto *loop = g.add<ir::LoopRegion>();
    loop->label = "forever";
    loop->condition = ir::Code{"1 > 0", ir::Language::Python};
    loop->add<ir::State>()->label = "again";
    g.connect(ir::allStates(g).front(), loop);
}
void newArgument(ir::SDFG &g) {
    g.arrays[Name("T")] = ir::DataDesc::array(ScalarKind::Float64, {1});
    ir::State &s = *ir::allStates(g).front();
    ir::Memlet memlet;
    memlet.data = Name("T");
    memlet.subset = sym::Subset::point(std::vector<sym::Expr>{0});
    auto *t = s.add<ir::Tasklet>();
    t->label = "other";
    t->code = {"o = 1.0", ir::Language::Python};
    auto *access = s.add<ir::AccessNode>(Name("T"));
    s.connect(t, Name("o"), access, Name(), memlet);
}

const char *const copying = R"(
sdfg f {
  symbol N: int64
  argument A: float64[N]
  argument C: float64[N]
  state main {
    map m[i = 0:N] with IN_A <- A[0:N]; OUT_C -> C[0:N] {
      t: c = a  with a <- A[i]; c -> C[i]
    }
  }
}
)";

struct Outcome {
    std::vector<diag::Diagnostic> diagnostics;
    std::size_t inputs = 0;
    std::string folder;
    std::vector<std::string> files;
    std::string command;
};

Outcome judged(const std::string &text, pass::PassInfo info) {
    const auto folder = std::move(*file::TemporaryFolder::create("sdfgc-validate-test"));
    diag::Engine diags;
    pass::Registry registry;
    info.name = "tested";
    info.needs = ir::Level::Loaded;
    registry.add(info);
    const auto pipeline = pass::parsePipeline("tested", registry, diags);
    REQUIRE(pipeline);
    const auto graph = graphOf(text);
    pass::Program program(*graph, nullptr);
    pass::CompileOptions options;
    pass::Context context(diags, options);
    Outcome out;
    out.folder = file::join(folder.path(), "left");
    validate::Validator validator(*pipeline, registry, {.seconds = 0.2, .folder = out.folder, .file = "test.sdfgt"});
    pass::RunOptions run;
    run.verify = false;
    run.instruments.push_back(&validator);
    pass::run(program, *pipeline, registry, context, run);
    out.diagnostics = diags.all();
    out.inputs = validator.inputs();
    if (const auto files = file::list(out.folder)) {
        out.files = *files;
        out.command = *file::read(file::join(out.folder, "command"));
    }
    return out;
}
Outcome judged(std::unique_ptr<pass::Pass> (*create)(), pass::FloatClass allowed = pass::FloatClass::F0) {
    return judged(copying, {.create = create, .floatClass = allowed});
}

std::string message(const Outcome &o) { return o.diagnostics.empty() ? "" : o.diagnostics.front().message; }

} // namespace

TEST_CASE("a pass that keeps results is not complained about") {
    const Outcome o = judged(make<nothing>);
    CHECK(o.diagnostics.empty());
    CHECK(o.inputs == 9);
    CHECK(o.files.empty());
}

TEST_CASE("a pass that changes results is named, with element, index, values, and what is left of it") {
    const Outcome o = judged(make<addsOne>);
    REQUIRE(o.diagnostics.size() == 1);
    const diag::Diagnostic &d = o.diagnostics.front();
    CHECK(d.id == diag::Id::ResultsChanged);
    CHECK(d.message.starts_with("the pass tested changes the results of the program: C[0] is "));
    CHECK(d.place.element == "f: state main, tasklet t");
    CHECK(d.place.file == "test.sdfgt");
    REQUIRE(d.notes.size() == 2);
    CHECK(d.notes[0].second == "with N=5 plain values");
    CHECK(d.notes[1].second == "both programs and the input are in " + o.folder);
    CHECK(o.files == std::vector<std::string>{"after.sdfgt", "before.sdfgt", "command", "input"});
    CHECK(o.command.find("--target cpu --passes tested") != std::string::npos);
}

TEST_CASE("a difference at a special value only is found") {
    CHECK(message(judged(make<wrongAtNan>)).find(" is 0, and was nan") != std::string::npos);
}

TEST_CASE("a pass may round otherwise where it says so") {
    CHECK(message(judged(make<otherOrder>)).find("changes the results of the program") != std::string::npos);
    CHECK(judged(make<otherOrder>, pass::FloatClass::F1).diagnostics.empty());
    CHECK_FALSE(judged(make<addsOne>, pass::FloatClass::F1).diagnostics.empty());
}

TEST_CASE("a pass that repairs may change results, and is what the next one is compared with") {
    CHECK(judged(copying, {.create = make<addsOne>, .repairs = true}).diagnostics.empty());
    const Outcome faulty = judged(copying, {.create = make<nextElement>, .repairs = true});
    CHECK(faulty.diagnostics.empty());
    CHECK(faulty.inputs == 2); // those without elements
}

TEST_CASE("what a maximum makes of NaN depends on the order") {
    const char *const text = R"sdfg(
sdfg f {
  argument A: float64[8]
  argument C: float64[1]
  state main {
    map m[i = 0:8] (Sequential) with IN_A <- A[0:8]; OUT_C -> C[0] (wcr = "lambda a, b: max(a, b)") {
      t: c = a  with a <- A[i]; c -> C[0] (wcr = "lambda a, b: max(a, b)")
    }
  }
}
)sdfg";
    CHECK(message(judged(text, {.create = make<backwards>})).find("changes the results of the program") != std::string::npos);
    CHECK(judged(text, {.create = make<backwards>, .floatClass = pass::FloatClass::F1}).diagnostics.empty());
}

TEST_CASE("what a product makes of zeros depends on whether it has overflowed before it meets one") {
    const char *const text = R"sdfg(
sdfg f {
  argument A: float64[8]
  argument C: float64[1]
  state main {
    map m[i = 0:8] (Sequential) with IN_A <- A[0:8]; OUT_C -> C[0] (wcr = "lambda a, b: a * b") {
      t: c = a * 1e150  with a <- A[i]; c -> C[0] (wcr = "lambda a, b: a * b")
    }
  }
}
)sdfg";
    CHECK(message(judged(text, {.create = make<backwards>})).find("changes the results of the program") != std::string::npos);
    CHECK(judged(text, {.create = make<backwards>, .floatClass = pass::FloatClass::F1}).diagnostics.empty());
    CHECK_FALSE(judged(text, {.create = make<addsOne>, .floatClass = pass::FloatClass::F1}).diagnostics.empty());
}

TEST_CASE("the order of a sum is open where iterations of a parallel map share it, and nowhere else") {
    const auto text = [](const char *schedule) {
        return std::string("sdfg f {\n  argument A: float64[8]\n  argument C: float64[1]\n  state main {\n    map m[i = 0:8] ") +
               schedule +
               " with IN_A <- A[0:8]; OUT_C -> C[0] (+) {\n      t: c = a * 0.1  with a <- A[i]; c -> C[0] (+)\n    }\n  }\n}\n";
    };
    CHECK(message(judged(text("(Sequential)"), {.create = make<backwards>})).find("changes the results of the program") !=
          std::string::npos);
    CHECK(judged(text("(CPU_Multicore)"), {.create = make<backwards>}).diagnostics.empty());
    CHECK_FALSE(judged(text("(CPU_Multicore)"), {.create = make<addsOne>}).diagnostics.empty());
}

TEST_CASE("elements that parallel iterations push have no order") {
    const Outcome o = judged(R"(
sdfg f {
  argument A: float64[8]
  argument C: float64[8]
  transient S: Stream float64
  state main {
    map m[i = 0:8] with IN_A <- A[0:8]; OUT_S -> S[0] {
      t: c = a  with a <- A[i]; c -> S[0]
    }
    S -> C[0:8]
  }
}
)",
                             {.create = make<backwards>});
    REQUIRE(o.diagnostics.size() == 1);
    CHECK(o.diagnostics[0].id == diag::Id::NotValidated);
    CHECK(o.diagnostics[0].message.find("iterations of a parallel map push to `S`") != std::string::npos);
    CHECK(o.files.empty());
}

TEST_CASE("new faults, new arguments and programs that do not end are differences") {
    CHECK(message(judged(make<nextElement>)).find("A[5] is outside of") != std::string::npos);
    CHECK(message(judged(make<endless>)).ends_with("it no longer terminates"));
    CHECK(message(judged(make<newArgument>)).ends_with("it takes an argument `T` that it did not take before"));
}

TEST_CASE("what cannot be judged is said once") {
    const Outcome cpp =
        judged("sdfg f {\n  argument C: float64[1]\n  state s {\n    t (CPP) with c -> C[0] {\n      c = sin(1);\n    }\n  }\n}\n",
               {.create = make<nothing>});
    REQUIRE(cpp.diagnostics.size() == 1);
    CHECK(cpp.diagnostics[0].id == diag::Id::NotValidated);
    const Outcome faulty = judged("sdfg f {\n  argument C: float64[2]\n  state s {\n    t: c = 1.0  with c -> C[2]\n  }\n}\n",
                                  {.create = make<nothing>});
    REQUIRE(faulty.diagnostics.size() == 1);
    CHECK(faulty.diagnostics[0].id == diag::Id::NoUsableInput);
    CHECK(faulty.diagnostics[0].message.find("C[2] is outside of") != std::string::npos);
}

TEST_CASE("a read of what nothing has written counts where it shows") {
    const auto faults = [](const char *code) {
        diag::Engine diags;
        const auto graph = graphOf(std::string(R"(
sdfg f {
  transient T: int32[4]
  argument C: int32[1]
  state s {
    t: c = )") + code + R"(  with a <- T[1]; c -> C[0]
  }
}
)");
        const auto arguments = run::prepare(run::interfaceOf(*graph), {.otherwise = "zeros"}, diags);
        REQUIRE(arguments);
        const auto subject = validate::interpreted(*graph, {}, diags);
        REQUIRE(subject);
        CHECK(subject->run(*arguments).faults.size() == 1);
        return validate::execute(*subject, *arguments).faults.size();
    };
    CHECK(faults("a * 0") == 0);
    CHECK(faults("a * 2") == 1);
}

TEST_CASE("an execution does not know of those before it") {
    const auto graph = graphOf(R"(
sdfg f {
  symbol N: int64
  symbol k: int64
  argument A: int64[N]
  argument C: int64[4]
  transient kept: int64[1] (Persistent)
  transient S: Stream int64[1]
  transient grown: int64[k + 1]
  reference R: int64[1]
  constant five: int64 = 5
  state first {
    add: o = a + five  with a <- kept[0]; o -> kept[0]
    kept[0] -> C[0]
  }
  k = 1
  goto sets if N > 2
  goto last if not (N > 2)
  state sets {
    A[0] -> new R:set
    push: s = 7  with -> none, s -> S[0]
    fill: g = 3  with g -> grown[1]
  }
  k = 2
  state last {
    one: c = s  with s <- S[0]; c -> C[1]
    two: c = r  with r <- R[0]; c -> C[2]
    three: c = g + k  with g <- grown[1]; c -> C[3]
  }
}
)");
    diag::Engine diags;
    const auto subject = validate::interpreted(*graph, {}, diags);
    REQUIRE(subject);
    std::set<std::size_t> counts;
    for (const char *size : {"3", "1", "1", "3", "1"})
        for (const uint8_t unwritten : {0, 1}) {
            const auto arguments = run::prepare(run::interfaceOf(*graph), {.given = {{"N", size}}, .otherwise = "zeros"}, diags);
            REQUIRE(arguments);
            const auto first = validate::interpreted(*graph, {}, diags);
            const validate::Execution alone = first->run(*arguments, unwritten), after = subject->run(*arguments, unwritten);
            CHECK(after.memory == alone.memory);
            CHECK(std::equal(after.faults.begin(), after.faults.end(), alone.faults.begin(), alone.faults.end(),
                             [](const auto &a, const auto &b) { return a.kind == b.kind && a.what == b.what; }));
            counts.insert(alone.faults.size());
        }
    CHECK(counts.size() == 2); // more faults if the reference is not set
}
