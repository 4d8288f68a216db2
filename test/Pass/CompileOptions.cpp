// The table of compile options, and the code generated from it.
#include "sdfgc/Pass/CompileOptions.h"

#include "OptionSamples.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::pass;

namespace {

/// The words of a command line, after the change to the defaults.
std::string changed(const std::function<void(CompileOptions &)> &change) {
    CompileOptions options;
    change(options);
    std::string out;
    for (const std::string &word : argumentsOf(options))
        out += (out.empty() ? "" : " ") + word;
    return out;
}

} // namespace

TEST_CASE("words of a command line: the target, and each option that differs from its default") {
    CHECK(changed([](auto &) {}) == "--target cpu");
    CHECK(changed([](auto &o) { o.target = Target("hip"); }) == "--target hip");
    CHECK(changed([](auto &o) { o.emulate = true; }) == "--target cpu --emulate");
    CHECK(changed([](auto &o) { o.gpuStreams = 1; }) == "--target cpu --gpu-streams 1");
    CHECK(changed([](auto &o) { o.gpuGraph = GpuGraphMode::Require; }) == "--target cpu --gpu-graph require");
    CHECK(changed([](auto &o) { o.gpuArch = {"gfx90a", "gfx942"}; }) == "--target cpu --gpu-arch gfx90a,gfx942");
    CHECK(changed([](auto &o) { o.optimize = OptLevel::O0; }) == "--target cpu -O 0");
    CHECK(changed([](auto &o) { o.toolchain = {"--cc", "clang++"}; }) == "--target cpu --cc clang++");
    // These are derived from the input and the machine.
    CHECK(changed([](auto &o) { o.libraries = {"blas"}; }) == "--target cpu");
    CHECK(changed([](auto &o) { o.file = "prog.sdfg"; }) == "--target cpu");
}

TEST_CASE("every row: a value that is not the default is among the words, the default is not") {
    static const CompileOptions usual;
    const std::vector<std::string> none = argumentsOf(usual);
    int rows = 0;
#define SDFGC_OPTION(Type, Field, Default, Names, Placeholder, Subcommands, Uses, Help)                                            \
    for (const Type &value : test::samples<Type>()) {                                                                              \
        INFO(Names << " " << optionText(value));                                                                                   \
        CompileOptions options;                                                                                                    \
        options.Field = value;                                                                                                     \
        const std::vector<std::string> words = argumentsOf(options);                                                               \
        CHECK((words == none) == (value == usual.Field));                                                                          \
    }                                                                                                                              \
    ++rows;                                                                                                                        \
    CHECK(std::string_view(Help).size() > 0);
#include "sdfgc/Pass/CompileOptions.def"
    CHECK(rows > 0);
}

TEST_CASE("every word of an enumeration is read as the enumerator that prints it") {
    CHECK(parseWord<FpModel>("contract") == FpModel::Contract);
    CHECK(word(ReductionOrder::Ordered) == "ordered");
    CHECK(word(GpuGraphMode::Require) == "require");
    CHECK(parseWord<OptLevel>("3") == OptLevel::O3);
    CHECK(word(Compat::Dace) == "dace");
    CHECK_FALSE(parseWord<FpModel>("stirct"));
    CHECK_FALSE(parseWord<GpuGraphMode>(""));
}

TEST_CASE("conditions of pipelines and the manifest get the values that the table gives them") {
    CompileOptions options;
    options.target = Target("hip");
    options.checks = true;
    const auto asked = askedOptions(options);
    CHECK(asked.at("target") == "hip");
    CHECK(asked.at("checks") == "true");
    CHECK(asked.at("optimize") == "2");
    CHECK_FALSE(asked.contains("gpu-streams"));
    using Entries = std::vector<std::pair<std::string, std::string>>;
    CHECK(recordedOptions(options) == Entries{{"cpu", "native"}, {"fp_model", "strict"}});
    options.fpModel = FpModel::Contract;
    options.reductions = ReductionOrder::Ordered;
    CHECK(recordedOptions(options) == Entries{{"cpu", "native"}, {"fp_model", "contract"}, {"reductions", "ordered"}});
}

TEST_CASE("warps have the lanes of the GPUs that are named") {
    const auto lanes = [](const char *target, std::vector<std::string> archs, bool emulate = false) {
        CompileOptions options;
        options.target = Target(target);
        options.emulate = emulate;
        options.gpuArch = std::move(archs);
        return options.warpLanes();
    };
    CHECK(lanes("cuda", {}) == 32);
    CHECK(lanes("cuda", {"sm_90"}) == 32);
    CHECK(lanes("hip", {}) == 64);
    CHECK(lanes("hip", {"gfx90a", "gfx803"}) == 64);
    CHECK(lanes("hip", {"gfx1030", "gfx1100", "gfx1201", "gfx11-generic"}) == 32);
    CHECK_FALSE(lanes("hip", {"gfx90a", "gfx1100"}));
    CHECK(lanes("hip", {"gfx90a"}, true) == 32);
}
