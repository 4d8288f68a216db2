#include "Pass/TestPasses.h"
#include "sdfgc/Support/File.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// Pipelines in a separate folder.
struct Files {
    file::TemporaryFolder folder = std::move(*file::TemporaryFolder::create("sdfgc-pipeline-test"));
    pass::CompileOptions options;
    diag::Engine diags;

    std::string path(const std::string &name) const { return file::join(folder.path(), name); }
    void add(const std::string &name, const std::string &content) { REQUIRE(file::writeAtomic(path(name), content)); }
    std::optional<pass::Pipeline> read(const std::string &content) {
        add("main.yaml", content);
        diags.clear();
        return pass::readPipeline(path("main.yaml"), registry(), options, diags);
    }
    std::string stepsOf(const std::string &content) {
        auto p = read(content);
        return p ? pass::print(*p) : text(diags);
    }
};

} // namespace

TEST_CASE("the forms of a step") {
    Files f;
    CHECK(f.stepsOf("description: all forms\n"
                    "passes:\n"
                    "  - raise\n"
                    "  - add-symbol: {symbol: N, times: 2}\n"
                    "  - type:\n"
                    "  - pass: add-symbol\n"
                    "    options: {quick: true}\n") == "raise,add-symbol{symbol=N,times=2},type,add-symbol{quick=true}");
    CHECK(f.stepsOf("passes: []\n") == "");
    CHECK(f.stepsOf("passes:\n") == "");
}

TEST_CASE("steps remember where they stand") {
    Files f;
    auto p = f.read("passes:\n  - raise\n  - pass: type\n");
    REQUIRE(p);
    CHECK(p->steps[0].file == f.path("main.yaml"));
    CHECK(p->steps[0].line == 2);
    CHECK(p->steps[0].column == 5);
    CHECK(p->steps[1].line == 3);
    CHECK(p->files == std::vector<std::string>{f.path("main.yaml")});
}

TEST_CASE("conditions choose steps by the options of the compilation") {
    Files f;
    f.options.optimize = pass::OptLevel::O0;
    const std::string yaml = "passes:\n"
                             "  - {pass: add-symbol, options: {symbol: gpu}, when: {target: [cuda, hip]}}\n"
                             "  - {pass: add-symbol, options: {symbol: cpu}, when: {target: cpu}}\n"
                             "  - {pass: add-symbol, options: {symbol: dace}, when: {compat: dace}}\n"
                             "  - {pass: add-symbol, options: {symbol: notdace}, when: {not: {compat: dace}}}\n"
                             "  - {pass: add-symbol, options: {symbol: both}, when: {target: cpu, optimize: [1, 2]}}\n"
                             "  - {pass: add-symbol, options: {symbol: blas}, when: {blas: true, fp-model: fast}}\n";
    CHECK(f.stepsOf(yaml) == "add-symbol{symbol=cpu},add-symbol{symbol=notdace}");
    f.options.target = pass::Target("hip");
    f.options.compat = pass::Compat::Dace;
    CHECK(f.stepsOf(yaml) == "add-symbol{symbol=gpu},add-symbol{symbol=dace}");
    f.options = {};
    f.options.optimize = pass::OptLevel::O2;
    f.options.libraries = {"openblas"};
    f.options.fpModel = pass::FpModel::Fast;
    CHECK(f.stepsOf(yaml) == "add-symbol{symbol=cpu},add-symbol{symbol=notdace},add-symbol{symbol=both},add-symbol{symbol=blas}");
}

TEST_CASE("a condition may ask for the order of reductions") {
    Files f;
    const std::string yaml = "passes:\n"
                             "  - {pass: raise, when: {reductions: any}}\n"
                             "  - {pass: type, when: {reductions: ordered}}\n";
    CHECK(f.stepsOf(yaml) == "raise");
    f.options.reductions = pass::ReductionOrder::Ordered;
    CHECK(f.stepsOf(yaml) == "type");
}

TEST_CASE("includes are relative to the file and may be conditional") {
    Files f;
    REQUIRE(file::makeFolder(f.path("sub")));
    f.add("sub/a.yaml", "passes:\n  - raise\n  - include: b.yaml\n");
    f.add("sub/b.yaml", "passes: [type]\n");
    CHECK(f.stepsOf("passes:\n  - include: sub/a.yaml\n  - add-symbol\n  - include: sub/b.yaml\n") == "raise,type,add-symbol,type");
    CHECK(f.read("passes:\n  - include: sub/a.yaml\n")->files ==
          std::vector<std::string>{f.path("main.yaml"), f.path("sub/a.yaml"), f.path("sub/b.yaml")});
    CHECK(f.stepsOf("passes:\n  - {include: sub/a.yaml, when: {target: cuda}}\n  - type\n") == "type");
}

TEST_CASE("errors of a pipeline have line and column") {
    Files f;
    CHECK(f.stepsOf("passes:\n  - raise\n  - tpye\n") == "UnknownPass:3:5 unknown pass `tpye` | did you mean `type`?\n");
    CHECK(f.stepsOf("passes:\n  - add-symbol: {tims: 2}\n") ==
          "UnknownPassOption:2:18 pass `add-symbol` has no option `tims` | did you mean `times`?\n");
    CHECK(f.stepsOf("passes:\n  - add-symbol: {times: x}\n").find("PassOptionType:2:18") == 0);
    CHECK(f.stepsOf("pases: []\n").find("PipelineKey:1:1 unknown key `pases` in a pipeline | did you mean `passes`?") == 0);
    CHECK(f.stepsOf("passes:\n  - {pass: raise, wehn: {target: cpu}}\n").find("PipelineKey:2:19") == 0);
    CHECK(f.stepsOf("passes:\n  - {pass: raise, when: {tarhet: cpu}}\n").find("unknown key `tarhet` in a condition") !=
          std::string::npos);
    CHECK(f.stepsOf("passes: [raise\n").find("PipelineSyntax:") == 0);
    CHECK(f.stepsOf("passes: raise\n").find("PipelineShape:1:9 `passes` should be a list of passes") == 0);
    CHECK(f.stepsOf("- raise\n").find("PipelineShape:1:1 a pipeline should be a map") == 0);
    CHECK(f.stepsOf("").find("PipelineShape:") == 0);
    CHECK(f.stepsOf("passes:\n  - [raise]\n").find("PipelineShape:2:5 a step should be") == 0);
    CHECK(f.stepsOf("passes:\n  - {raise: , type: }\n").find("PipelineShape:2:5 a step with several keys") == 0);
    CHECK(f.stepsOf("passes:\n  - add-symbol: 4\n").find("PipelineShape:2:17 the options of pass `add-symbol` should be a map") ==
          0);
    CHECK(f.stepsOf("passes:\n  - add-symbol: {times: [1]}\n").find("PipelineShape:2:25") == 0);
    CHECK(f.stepsOf("passes:\n  - {pass: [raise]}\n").find("PipelineShape:2:12 `pass` should be") == 0);
    CHECK(f.stepsOf("passes:\n  - {pass: raise, when: cpu}\n").find("PipelineShape:2:25 `when` should be") == 0);
    CHECK(f.stepsOf("passes:\n  - {pass: raise, when: {target: {a: b}}}\n").find("condition `target` should be") !=
          std::string::npos);
    CHECK(f.stepsOf("passes:\n  - {pass: raise, when: {target: [[a]]}}\n").find("condition `target` should be") !=
          std::string::npos);
    CHECK(f.stepsOf("passes:\n  - {pass: raise, when: {not: {not: {target: cpu}}}}\n").find("without another `not`") !=
          std::string::npos);
    CHECK(f.stepsOf("passes: []\npasses: []\n").find("PassOptionTwice:2:1 key `passes` is given twice") == 0);
    CHECK(f.stepsOf("passes:\n  - include: [a]\n").find("PipelineShape:2:14 `include` should be the name of a file") == 0);
    CHECK(f.stepsOf("passes:\n  - include: nowhere.yaml\n").find("PipelineUnreadable:2:14") == 0);
}

TEST_CASE("all errors of a file are reported, also in parts that are not used") {
    Files f;
    CHECK(f.stepsOf("passes:\n  - a-pass\n  - {pass: b-pass, when: {target: cuda}}\n") ==
          "UnknownPass:2:5 unknown pass `a-pass` | `sdfgc passes` lists the passes\n"
          "UnknownPass:3:12 unknown pass `b-pass` | `sdfgc passes` lists the passes\n");
}

TEST_CASE("hostile files end with an error") {
    Files f;
    CHECK(f.stepsOf("passes:\n  - include: main.yaml\n").find("PipelineIncludeCycle:2:14") == 0);
    std::string twice, last = "passes:\n";
    for (int i = 0; i < 12; ++i)
        f.add("d" + std::to_string(i) + ".yaml",
              "passes:\n  - include: d" + std::to_string(i + 1) + ".yaml\n  - include: d" + std::to_string(i + 1) + ".yaml\n");
    f.add("d12.yaml", "passes: [raise]\n");
    CHECK(f.stepsOf("passes:\n  - include: d0.yaml\n").find("the pipeline has more than 1000 files") != std::string::npos);
    for (int i = 0; i < 10001; ++i)
        last += "  - raise\n";
    CHECK(f.stepsOf(last).find("PipelineTooLarge:10002:5 the pipeline has more than 10000 steps") == 0);
    CHECK(f.stepsOf(std::string(100000, '[')).find("Pipeline") == 0);
}

TEST_CASE("a pipeline that is not there") {
    Files f;
    CHECK_FALSE(pass::readPipeline(f.path("none.yaml"), registry(), f.options, f.diags));
    CHECK(text(f.diags).find("none.yaml") != std::string::npos);
}
