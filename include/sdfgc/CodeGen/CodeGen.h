// Turns the schedule tree into sources, in the same way for every target; a target supplies the printer.
#pragma once

#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Tree/Tree.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::codegen {

struct SourceFile {
    std::string path; // relative to the build folder: `src/cpu/f.cpp`, `include/f.h`
    std::string text;
    bool translationUnit = false;
};
/// A line range of a source file and the graph element that it comes from: {cfg, state, node...}.
struct MapEntry {
    std::string file;
    int from = 0, to = 0; // 1-based, inclusive
    std::vector<int> origin;
};
struct Sources {
    std::vector<SourceFile> files;
    std::vector<MapEntry> sourceMap;
    std::vector<std::string> libraries;      // link names: openblas, lapacke, fftw3
    std::vector<std::string> runtimeHeaders; // relative to runtime-headers/: sdfgc/rt/buffer.h (transitively complete)
    std::string dispatcher;                  // the source that callers enter (CodeGen/Levels.h), one of the files
    bool openmp = false;
    /// The vector functions that the sources declare (runtime-headers/sdfgc/rt/vectormath.h); None if they call no such function.
    pass::VectorMath vectorMath = pass::VectorMath::None;

    /// Are the sources linked with a library?
    bool needs(std::string_view library) const { return std::find(libraries.begin(), libraries.end(), library) != libraries.end(); }
};

/// The additional source that programs with MPI nodes need when ranks are threads, relative to runtime-headers/.
constexpr const char *mpiEmulation = "sdfgc/rt/mpi_emulate.cpp";

/// The source of the OpenCL runtime, which programs for the target opencl need, relative to runtime-headers/. Such programs are linked
/// with the library OpenCL and compiled with openClDefinition.
constexpr const char *openClRuntime = "sdfgc/rt/gpu_opencl.cpp";
constexpr const char *openClDefinition = "SDFGC_GPU_OPENCL";

/// The maximum line width of sources; only verbatim text exceeds it.
constexpr std::size_t lineWidth = 132;

} // namespace sdfgc::codegen
