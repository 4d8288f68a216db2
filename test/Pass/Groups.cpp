#include "Pass/TestPasses.h"
#include "sdfgc/Pass/Instrumentation.h"
#include "sdfgc/Support/File.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// Adds symbols s0, s1, ... one per run, up to its option `most`.
class Grow : public pass::GraphPass {
public:
    bool run(ir::SDFG &root, pass::Context &) override {
        const auto count = static_cast<int64_t>(root.symbols.size());
        if (count >= option<int64_t>("most"))
            return false;
        root.symbols[Name("s" + std::to_string(count))] = ScalarKind::Int64;
        return true;
    }
};

struct Log : pass::Instrumentation {
    std::string text;
    void before(const pass::Program &, const pass::Event &e, pass::Context &) override {
        text += e.pass.name + ":" + std::to_string(e.position) + ":" + std::to_string(e.round) + " ";
    }
};

struct Run {
    ir::SDFG graph{Name("prog")};
    pass::Registry passes = registry();
    pass::CompileOptions compile;
    pass::RunOptions options;
    diag::Engine diags;
    Log log;
    Run() {
        passes.add({"grow", "", ir::Level::Loaded, {{"most", "", int64_t(3)}}, create<Grow>});
        graph.add<ir::State>()->label = "main";
        graph.renumber();
        options.instruments.push_back(&log);
    }
    bool operator()(const std::string &text) {
        const auto p = pass::parsePipeline(text, passes, diags);
        if (!p)
            return false;
        pass::Context context(diags, compile);
        pass::Program program{graph, nullptr};
        return pass::run(program, *p, passes, context, options);
    }
    std::optional<pass::Pipeline> yaml(const std::string &text) {
        auto folder = std::move(*file::TemporaryFolder::create("sdfgc-pass-test"));
        const std::string path = file::join(folder.path(), "p.yaml");
        REQUIRE(file::writeAtomic(path, text));
        return pass::readPipeline(path, passes, compile, diags);
    }
    std::string firstError() const {
        return diags.all().empty() ? ""
                                   : diags.all()[0].message + " " + std::to_string(diags.all()[0].place.line) + ":" +
                                         std::to_string(diags.all()[0].place.column);
    }
};

} // namespace

TEST_CASE("a fixed-point group is repeated until a round changes nothing") {
    Run r;
    REQUIRE(r("raise,fixed-point(grow{most=2},type),expand"));
    CHECK(r.log.text == "raise:1:1 grow:2:1 type:3:1 grow:2:2 type:3:2 grow:2:3 type:3:3 expand:4:1 ");
    CHECK(r.graph.symbols.size() == 2);
    CHECK(r.diags.all().empty());
}

TEST_CASE("a group that does not settle ends at its limit with a warning at its place") {
    Run r;
    REQUIRE(r("fixed-point{limit=4}(grow{most=100})"));
    CHECK(r.graph.symbols.size() == 4);
    REQUIRE(r.diags.all().size() == 1);
    CHECK(r.diags.all()[0].id == diag::Id::FixedPointLimit);
    CHECK(r.firstError() == "the passes `grow` still change the graph after 4 rounds 1:1");
}

TEST_CASE("a run that stops or starts inside of a group") {
    Run stopped;
    stopped.options.stopAfter = "grow";
    REQUIRE(stopped("fixed-point(grow,raise),type"));
    CHECK(stopped.log.text == "grow:1:1 ");
    Run resumed;
    resumed.options.startAfter = "grow";
    REQUIRE(resumed("fixed-point(grow{most=1},raise)"));
    CHECK(resumed.log.text == "raise:2:1 ");
}

TEST_CASE("steps under a condition on the graph are decided when they are reached") {
    Run r;
    REQUIRE(r("add-symbol{symbol=a}[library-nodes],add-symbol{symbol=b}[!library-nodes],add-symbol{symbol=c}[maps|!loops]") ==
            false);
    CHECK(r.firstError().starts_with("unknown key `` in the properties of a graph"));
    Run ok;
    REQUIRE(ok("add-symbol{symbol=a}[library-nodes],add-symbol{symbol=b}[!library-nodes],add-symbol{symbol=c}[!maps|loops]"));
    CHECK_FALSE(ok.graph.symbols.contains(Name("a")));
    CHECK(ok.graph.symbols.contains(Name("b")));
    CHECK(ok.graph.symbols.contains(Name("c")));
}

TEST_CASE("properties of graphs") {
    Run r;
    for (const auto &[name, meaning] : pass::graphProperties()) {
        INFO(name);
        CHECK_FALSE(pass::hasProperty(r.graph, name));
        CHECK_FALSE(meaning.empty());
    }
    r.graph.add<ir::LoopRegion>();
    r.graph.addTransient("s", ir::DataDesc::array(ScalarKind::Int32, {1}, true));
    r.graph.desc(Name("s"))->storage = ir::Storage::GPU_Global;
    CHECK(pass::hasProperty(r.graph, "loops"));
    CHECK(pass::hasProperty(r.graph, "gpu"));
    CHECK_FALSE(pass::hasProperty(r.graph, "streams"));
    CHECK_FALSE(pass::hasProperty(r.graph, "no-such"));
}

TEST_CASE("levels are checked through both rounds of a group, and conditional steps are not relied on") {
    auto problem = [](const std::string &text) {
        Run r;
        r(text);
        return r.firstError();
    };
    CHECK(problem("raise,fixed-point(type,untype)").empty()); // untype falls, type raises again
    CHECK(problem("raise,type,fixed-point(expand,untype)") ==
          "pass `expand` needs a program that is typed, but at this point it is structured 1:24");
    CHECK(problem("raise[loops],type").starts_with("pass `type` needs a program that is structured"));
}

TEST_CASE("groups and conditions in YAML mean what their text form means") {
    Run r;
    auto p = r.yaml("passes:\n"
                    "  - fixed-point: [grow, {pass: raise, when: {has: [loops, maps]}}]\n"
                    "    limit: 7\n"
                    "    when: {not: {has: gpu}}\n"
                    "  - {pass: type, when: {has: views, target: cuda}}\n"
                    "  - {pass: grow, when: {not: {has: views, target: cuda}}}\n"
                    "  - {pass: grow, when: {not: {has: views, target: cpu}}}\n");
    INFO(text(r.diags));
    REQUIRE(p);
    const std::string printed = pass::print(*p);
    CHECK(printed == "fixed-point{limit=7}(grow[!gpu],raise[!gpu][loops|maps]),grow,grow[!views]");
    const auto again = pass::parsePipeline(printed, r.passes, r.diags);
    REQUIRE(again);
    CHECK(pass::print(*again) == printed);
}

TEST_CASE("wrong groups and conditions are errors with places") {
    auto yaml = [](const std::string &text) {
        Run r;
        CHECK_FALSE(r.yaml(text));
        return r.firstError();
    };
    CHECK(yaml("passes:\n  - fixed-point: [grow, {fixed-point: [raise]}]\n") == "a fixed-point group is inside another one 2:25");
    CHECK(yaml("passes:\n  - fixed-point: grow\n") == "`fixed-point` should be a list of passes 2:18");
    CHECK(yaml("passes:\n  - fixed-point: [grow]\n    limit: 0\n") == "`limit` should be an integer from 1 to 10000 3:12");
    CHECK(yaml("passes:\n  - {pass: grow, when: {has: lops}}\n") == "unknown key `lops` in the properties of a graph 2:30");
    auto words = [](const std::string &text) {
        Run r;
        CHECK_FALSE(r(text));
        return r.firstError();
    };
    CHECK(words("fixed-point(grow,fixed-point(raise))") == "a fixed-point group is inside another one 1:18");
    CHECK(words("fixed-point(grow") == "expected `,` or `)`, but found the end 1:17");
    CHECK(words("fixed-point grow") == "expected `(`, but found `g` 1:13");
    CHECK(words("fixed-point{limit=x}(grow)").starts_with("`limit` should be an integer"));
    CHECK(words("grow[maps") == "expected `|` or `]`, but found the end 1:10");
}

TEST_CASE("a dump folder holds dumps only, and those of an earlier run go") {
    auto folder = std::move(*file::TemporaryFolder::create("sdfgc-pass-test"));
    const std::string dump = file::join(folder.path(), "dump");
    auto run = [&](Run &r, const std::string &pipeline) {
        r.options.dumpDir = dump;
        r.options.save = [](const pass::Program &, const std::string &path) { return bool(file::writeAtomic(path, "")); };
        return r(pipeline);
    };
    auto names = [&] {
        std::string out;
        const Result<std::vector<std::string>> listed = file::list(dump);
        REQUIRE(listed);
        for (const std::string &name : *listed)
            out += name.starts_with(".") ? "" : name + " "; // the lock of the folder stays
        return out;
    };
    Run first;
    REQUIRE(run(first, "raise,fixed-point(grow{most=1})"));
    CHECK(names() == "00-input.sdfg 01-raise.sdfg 02-grow.2.sdfg 02-grow.sdfg ");
    Run resumed;
    resumed.options.startAfter = "01-raise";
    REQUIRE(run(resumed, "raise,type"));
    CHECK(names() == "00-input.sdfg 01-raise.sdfg 02-type.sdfg ");
    REQUIRE(file::writeAtomic(file::join(dump, "letter.txt"), "precious"));
    Run refused;
    CHECK_FALSE(run(refused, "raise"));
    CHECK(refused.firstError().find("holds `letter.txt`, which is no dumped program") != std::string::npos);
    CHECK(names() == "00-input.sdfg 01-raise.sdfg 02-type.sdfg letter.txt ");
}
