#include "Pass/TestPasses.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {
std::optional<pass::Pipeline> parse(std::string_view text, diag::Engine &d) { return pass::parsePipeline(text, registry(), d); }
std::string errorsOf(std::string_view text) {
    diag::Engine d;
    auto p = parse(text, d);
    return p ? "no error" : test::text(d);
}
} // namespace

TEST_CASE("a list of passes with options") {
    diag::Engine d;
    auto p = parse(" raise , add-symbol{ symbol=N, times=3 ,quick} ,type{}", d);
    REQUIRE(p);
    REQUIRE(p->steps.size() == 3);
    CHECK(p->steps[0].pass == "raise");
    CHECK(p->steps[1].options == pass::OptionValues{{"symbol", std::string("N")}, {"times", int64_t(3)}, {"quick", true}});
    CHECK(p->steps[1].column == 10);
    CHECK(p->steps[2].options.empty());
    CHECK(parse("", d)->steps.empty());
    CHECK(parse("  ", d)->steps.empty());
    CHECK(d.all().empty());
}

TEST_CASE("the text form reads back as the same steps") {
    for (std::string value : {"N", "", "a b", "it's", "x,y}{=", "'", "\xc3\xa9"}) {
        pass::Pipeline p;
        p.steps.push_back({"add-symbol", {{"symbol", value}, {"times", int64_t(2)}, {"quick", false}}, "", 0, 0});
        p.steps.push_back({"type", {}, "", 0, 0});
        diag::Engine d;
        auto again = parse(pass::print(p), d);
        INFO(pass::print(p) << "\n" << test::text(d));
        REQUIRE(again);
        REQUIRE(again->steps.size() == 2);
        CHECK(again->steps[0].options == p.steps[0].options);
        CHECK(pass::print(*again) == pass::print(p));
    }
}

TEST_CASE("errors name the column and what would be right") {
    CHECK(errorsOf("raise,tpye") == "UnknownPass:1:7 unknown pass `tpye` | did you mean `type`?\n");
    CHECK(errorsOf("optimise-everything").find("`sdfgc passes` lists the passes") != std::string::npos);
    CHECK(errorsOf("add-symbol{smybol=N}") ==
          "UnknownPassOption:1:12 pass `add-symbol` has no option `smybol` | did you mean `symbol`?\n");
    CHECK(errorsOf("add-symbol{zzzzzzzzzz=N}").find("its options are `symbol`, `times`, `quick`") != std::string::npos);
    CHECK(errorsOf("raise{a=1}").find("the pass has no options") != std::string::npos);
    CHECK(errorsOf("add-symbol{times=many}") ==
          "PassOptionType:1:12 option `times` of pass `add-symbol` should be an integer, but it is `many`\n");
    CHECK(errorsOf("add-symbol{times=99999999999999999999}").find("PassOptionType") == 0);
    CHECK(errorsOf("add-symbol{times=-1}") ==
          "PassOptionType:1:12 option `times` of pass `add-symbol` should be 0 or more, but it is `-1`\n");
    CHECK(errorsOf("add-symbol{quick=1}").find("should be `true` or `false`, but it is `1`") != std::string::npos);
    CHECK(errorsOf("add-symbol{times=1,times=2}") == "PassOptionTwice:1:20 option `times` is given twice\n");
}

TEST_CASE("broken syntax") {
    CHECK(errorsOf("raise,,type").find("PipelineText:1:7 expected the name of a pass, but found `,`") == 0);
    CHECK(errorsOf("raise type").find("PipelineText:1:7 expected `,` or the end, but found `t`") == 0);
    CHECK(errorsOf("raise,").find("PipelineText:1:7 expected the name of a pass, but found the end") == 0);
    CHECK(errorsOf("add-symbol{times=1").find("expected `,` or `}`, but found the end") != std::string::npos);
    CHECK(errorsOf("add-symbol{=1}").find("expected the name of an option, but found `=`") != std::string::npos);
    CHECK(errorsOf("add-symbol{times=}").find("expected a value, but found `}`") != std::string::npos);
    CHECK(errorsOf("add-symbol{symbol='N}").find("expected a closing quote, but found the end") != std::string::npos);
}

TEST_CASE("an option of a pass that the pipeline runs") {
    diag::Engine d;
    auto p = parse("raise,add-symbol{symbol=N},add-symbol{symbol=M,times=2}", d);
    REQUIRE(p);
    REQUIRE(pass::setOption(*p, "add-symbol.times=7", registry(), d));
    CHECK(pass::print(*p) == "raise,add-symbol{symbol=N,times=7},add-symbol{symbol=M,times=7}");
    REQUIRE(pass::setOption(*p, "add-symbol.symbol=a.b=c", registry(), d));
    CHECK(p->steps[1].options.at("symbol") == pass::OptionValue(std::string("a.b=c")));

    auto fails = [&](const char *text) {
        diag::Engine errors;
        CHECK_FALSE(pass::setOption(*p, text, registry(), errors));
        return test::text(errors);
    };
    CHECK(fails("add-symbol=7").find("`add-symbol=7` should be `PASS.OPTION=VALUE`") != std::string::npos);
    CHECK(fails("add-symbol.times").find("should be `PASS.OPTION=VALUE`") != std::string::npos);
    CHECK(fails("tpye.x=7").find("did you mean `type`?") != std::string::npos);
    CHECK(fails("add-symbol.x=7").find("pass `add-symbol` has no option `x`") != std::string::npos);
    CHECK(fails("add-symbol.times=many").find("should be an integer, but it is `many`") != std::string::npos);
    CHECK(fails("add-symbol.times=many").find("PassOptionType") == 0);
    p = parse("raise", d);
    CHECK(fails("add-symbol.times=7").find("`add-symbol` is not a pass of the pipeline --passes") != std::string::npos);
}

TEST_CASE("an option that is a choice takes its words alone") {
    pass::Registry r;
    r.add({"choose",
           "",
           ir::Level::Loaded,
           {pass::choiceOption("model", pass::FpModel::Strict, ""),
            pass::choiceOption("graphs", std::optional<pass::GpuGraphMode>(), "")},
           create<Nothing>});
    const auto read = [&r](const std::string &text) {
        diag::Engine d;
        const auto p = pass::parsePipeline(text, r, d);
        return p ? pass::print(*p) : test::text(d);
    };
    CHECK(read("choose{model=fast,graphs=require}") == "choose{graphs=require,model=fast}");
    CHECK(read("choose{model=strict}") == "choose{model=strict}");
    CHECK(read("choose{graphs=''}") == "choose{graphs=''}"); // none
    CHECK(read("choose{model=stirct}") ==
          "PassOptionType:1:8 option `model` of pass `choose` should be `strict`, `contract` or `fast`, "
          "but it is `stirct`\n");
    CHECK(read("choose{model=''}").starts_with("PassOptionType:1:8"));
    CHECK(read("choose{graphs=formed}")
              .starts_with("PassOptionType:1:8 option `graphs` of pass `choose` should be `off`, `auto` or "
                           "`require`"));
}

namespace {

struct Reader : pass::GraphPass {
    bool run(ir::SDFG &, pass::Context &) override { return false; }
    pass::FpModel model() const { return option<pass::FpModel>("model"); }
    std::optional<pass::GpuGraphMode> graphs() const { return option<std::optional<pass::GpuGraphMode>>("graphs"); }
};

} // namespace

TEST_CASE("a pass reads a choice as its enumerator") {
    Reader pass;
    pass.options = {{"model", std::string("contract")}, {"graphs", std::string("off")}};
    CHECK(pass.model() == pass::FpModel::Contract);
    CHECK(pass.graphs() == pass::GpuGraphMode::Off);
    pass.options["graphs"] = std::string();
    CHECK_FALSE(pass.graphs());
}
