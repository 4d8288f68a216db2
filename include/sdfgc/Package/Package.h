// The build folder (contract C2): sources, runtime headers, CMake project, manifest, lowered graph; written atomically.
#pragma once

#include "sdfgc/CodeGen/CodeGen.h"
#include "sdfgc/Diag/Diag.h"

#include <map>
#include <optional>
#include <set>

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

/// Texts of files by their paths in the folder.
using Files = std::map<std::string, std::string>;
/// All files of the folder but the manifest. Reports, and returns nothing, where a file of sdfgc's own is missing, or a caller is
/// asked for that cannot be written.
std::optional<Files> collect(const Request &r, diag::Engine &d);
/// Writes or updates the folder. Files whose text is unchanged are not touched; stale files that an earlier run of sdfgc wrote are
/// removed. Reports and returns false on failure (nothing half written: each file by rename, manifest.json last), and where a file
/// would be overwritten that no run of sdfgc has written.
bool write(const Request &r, const Files &files, diag::Engine &d);
/// The files that earlier runs wrote to the folder, as its manifest lists them; nothing where there is none that can be read.
std::optional<std::set<std::string>> writtenFiles(const std::string &folder);
/// Reports that `folder` holds files of the user, which would be overwritten.
void reportForeign(const std::string &folder, const std::vector<std::string> &files, diag::Engine &d);

/// The manifest: name, version of sdfgc, ABI (functions, arguments with kind, type, shape, strides as formulas), files, flags,
/// libraries.
json::Value manifest(const Request &r);

} // namespace sdfgc::package
