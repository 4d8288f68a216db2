#include "sdfgc/Pass/Arguments.h"

#include <catch2/catch.hpp>

using namespace sdfgc;

namespace {

std::string changed(const std::function<void(pass::CompileOptions &)> &change) {
    pass::CompileOptions options;
    options.optimize = 2;
    change(options);
    std::string out;
    for (const std::string &word : pass::argumentsOf(options))
        out += (out.empty() ? "" : " ") + word;
    return out;
}

} // namespace

TEST_CASE("each compile option that has another value than by default is an argument") {
    // A field that is added has to be named here, or this does not compile: give it a line below.
    const auto &[target, emulate, emulateMpi, gpuStreams, gpuGraph, gpuArch, compatDace, optimize, fpModel, orderedReductions,
                 checks, libraries, file] = pass::CompileOptions();
    CHECK(optimize == 0);
    CHECK(changed([](auto &) {}) == "--target cpu");
    CHECK(changed([](auto &o) { o.target = "hip"; }) == "--target hip");
    CHECK(changed([](auto &o) { o.emulate = true; }) == "--target cpu --emulate");
    CHECK(changed([](auto &o) { o.emulateMpi = true; }) == "--target cpu --emulate-mpi");
    CHECK(changed([](auto &o) { o.gpuStreams = 1; }) == "--target cpu --gpu-streams 1");
    CHECK(changed([](auto &o) { o.gpuGraph = "require"; }) == "--target cpu --gpu-graph require");
    CHECK(changed([](auto &o) { o.gpuArch = {"gfx90a", "gfx942"}; }) == "--target cpu --gpu-arch gfx90a,gfx942");
    CHECK(changed([](auto &o) { o.compatDace = true; }) == "--target cpu --compat dace");
    CHECK(changed([](auto &o) { o.optimize = 0; }) == "--target cpu -O 0");
    CHECK(changed([](auto &o) { o.fpModel = "fast"; }) == "--target cpu --fp-model fast");
    CHECK(changed([](auto &o) { o.orderedReductions = true; }) == "--target cpu --reductions ordered");
    CHECK(changed([](auto &o) { o.checks = true; }) == "--target cpu --checks");
    // What the machine and the input give is no option.
    CHECK(changed([](auto &o) { o.libraries = {"blas"}; }) == "--target cpu");
    CHECK(changed([](auto &o) { o.file = "prog.sdfg"; }) == "--target cpu");
}

TEST_CASE("warps have the lanes of the GPUs that are named") {
    const auto lanes = [](const char *target, std::vector<std::string> archs, bool emulate = false) {
        pass::CompileOptions options;
        options.target = target;
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
