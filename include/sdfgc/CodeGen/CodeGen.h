// From the schedule tree to sources: the same for every target; a target supplies the printer.
#pragma once

#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Tree/Tree.h"

#include <string>
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
};

/// Columns of the sources; only text that was taken as written is wider.
constexpr std::size_t lineWidth = 132;

} // namespace sdfgc::codegen
