// From the schedule tree to sources: the same for every target; a target supplies the printer.
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
/// One line range of a source file and the graph element it comes from: {cfg, state, node...}.
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
    bool openmp = false;

    /// Are they linked with a library?
    bool needs(std::string_view library) const { return std::find(libraries.begin(), libraries.end(), library) != libraries.end(); }
};

/// What a program with MPI nodes is built with where ranks are threads, relative to runtime-headers/.
constexpr const char *mpiEmulation = "sdfgc/rt/mpi_emulate.cpp";

/// Columns of the sources; only text that was taken as written is wider.
constexpr std::size_t lineWidth = 132;

} // namespace sdfgc::codegen
