#include "sdfgc/Pass/Arguments.h"

namespace sdfgc::pass {

std::vector<std::string> argumentsOf(const CompileOptions &options) {
    CompileOptions usual; // what a command line without options means
    usual.optimize = 2;
    // A field that is added has to be named here, or this does not compile.
    const auto &[target, emulate, emulateMpi, gpuStreams, gpuGraph, compatDace, optimize, fpModel, orderedReductions, checks,
                 libraries, file] = options;
    std::vector<std::string> words{"--target", target};
    const auto add = [&words](bool differs, std::initializer_list<std::string> with) {
        if (differs)
            words.insert(words.end(), with);
    };
    add(emulate, {"--emulate"});
    add(emulateMpi, {"--emulate-mpi"});
    add(gpuStreams != usual.gpuStreams, {"--gpu-streams", std::to_string(gpuStreams)});
    add(!gpuGraph.empty(), {"--gpu-graph", gpuGraph});
    add(compatDace, {"--compat", "dace"});
    add(optimize != usual.optimize, {"-O", std::to_string(optimize)});
    add(fpModel != usual.fpModel, {"--fp-model", fpModel});
    add(orderedReductions, {"--reductions", "ordered"});
    add(checks, {"--checks"});
    return words;
}

} // namespace sdfgc::pass
