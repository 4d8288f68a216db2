#include "sdfgc/Pass/Arguments.h"

namespace sdfgc::pass {

std::optional<int> CompileOptions::warpLanes() const {
    if (emulate || vendor() != platform::Device::Hip)
        return 32;
    const auto isRdna = [](const std::string &arch) { return arch.starts_with("gfx1"); }; // gfx10, gfx11, gfx12
    const auto rdna = std::count_if(gpuArch.begin(), gpuArch.end(), isRdna);
    if (rdna > 0 && rdna < std::ssize(gpuArch))
        return std::nullopt;
    return rdna > 0 ? 32 : 64;
}

std::vector<std::string> argumentsOf(const CompileOptions &options) {
    CompileOptions usual; // what a command line without options means
    usual.optimize = 2;
    // A field that is added has to be named here, or this does not compile.
    const auto &[target, emulate, emulateMpi, gpuStreams, gpuGraph, gpuArch, compatDace, optimize, fpModel, orderedReductions,
                 checks, libraries, file] = options;
    std::vector<std::string> words{"--target", target};
    const auto add = [&words](bool differs, std::initializer_list<std::string> with) {
        if (differs)
            words.insert(words.end(), with);
    };
    add(emulate, {"--emulate"});
    add(emulateMpi, {"--emulate-mpi"});
    add(gpuStreams != usual.gpuStreams, {"--gpu-streams", std::to_string(gpuStreams)});
    add(!gpuGraph.empty(), {"--gpu-graph", gpuGraph});
    if (!gpuArch.empty()) {
        std::string list;
        for (const std::string &arch : gpuArch)
            list += (list.empty() ? "" : ",") + arch;
        add(true, {"--gpu-arch", list});
    }
    add(compatDace, {"--compat", "dace"});
    add(optimize != usual.optimize, {"-O", std::to_string(optimize)});
    add(fpModel != usual.fpModel, {"--fp-model", fpModel});
    add(orderedReductions, {"--reductions", "ordered"});
    add(checks, {"--checks"});
    return words;
}

} // namespace sdfgc::pass
