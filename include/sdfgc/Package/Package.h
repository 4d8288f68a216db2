// The build folder (contract C2): sources, runtime headers, CMake project, manifest, lowered graph; written atomically.
#pragma once

#include "sdfgc/CodeGen/CodeGen.h"
#include "sdfgc/Diag/Diag.h"

namespace sdfgc::package {

struct Request {
    std::string folder;
    const tree::Module *module = nullptr;
    const codegen::Sources *sources = nullptr;
    /// Written as program.sdfg; null: the module came from a file, and is written as program.sdfgtree.
    const ir::SDFG *graph = nullptr;
    const pass::CompileOptions *compile = nullptr;
    bool caller = false;              // with a main function that calls the program: callerSource
    std::vector<std::string> gpuArch; // `sm_90`, `gfx90a`: the default of the CMake project; empty: the compiler's
};
/// Where a program's caller is, relative to the build folder, and the executable that is made of it.
std::string callerSource(const std::string &program);
std::string callerProgram(const std::string &program);

/// Writes or updates the folder. Files whose text is unchanged are not touched; stale files that an earlier run of sdfgc wrote are
/// removed. Reports and returns false on failure (nothing half written: each file by rename, manifest.json last).
bool write(const Request &r, diag::Engine &d);

/// The manifest: name, version of sdfgc, ABI (functions, arguments with kind, type, shape, strides as formulas), files, flags,
/// libraries.
json::Value manifest(const Request &r);

} // namespace sdfgc::package
