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
    /// Written as program.sdfg. Null: the module came from a file, and is written as program.sdfgtree.
    const ir::SDFG *graph = nullptr;
    const pass::CompileOptions *compile = nullptr;
    bool caller = false;        // also write a main function that calls the program: callerSource
    bool daceFiles = false;     // also write what DaCe's loader and its extension for VS Code read (lib/Package/DaceFiles.cpp)
    bool async = false;         // the sources have a call that does not wait
    bool staticLibrary = false; // also describe a static library
    std::vector<std::string> staticLinkFlags; // that callers link after it
    std::vector<std::string> gpuArch;         // `sm_90`, `gfx90a`: the default of the CMake project; empty: the compiler's
};
/// The path of a program's caller, relative to the build folder, and the executable built from it.
std::string callerSource(const std::string &program);
std::string callerProgram(const std::string &program);

/// The static library of a program, relative to the build folder.
std::string staticLibrary(const std::string &program);

/// Can DaCe's loader call the program? It counts arguments from the graph, and expects a symbol that only occurs in the
/// shape of an argument, for which the program has no parameter.
bool daceCanCall(const tree::Module &m, bool emulated);
/// The source of the library that DaCe loads before the program's library, and that library.
std::string daceStubSource();
std::string daceStubLibrary(const std::string &program);
/// Links both libraries into `build`, where DaCe looks for them. Reports an error and returns false on failure, and if
/// files of the user are in their places.
bool placeDaceLibraries(const std::string &folder, const std::string &program, diag::Engine &d);

/// Contents of files by path in the folder.
using Files = std::map<std::string, std::string>;
/// Returns all files of the folder except the manifest. Reports an error and returns nothing if one of sdfgc's own
/// files is missing, or if the requested caller cannot be written.
std::optional<Files> collect(const Request &r, diag::Engine &d);
/// Writes or updates the folder. Unchanged files are not touched, and stale files from an earlier run of sdfgc are
/// removed. Reports an error and returns false on failure, and if it would overwrite a file that sdfgc did not write.
/// Nothing is left half written: each file is renamed into place, manifest.json last.
bool write(const Request &r, const Files &files, diag::Engine &d);
/// The same for files and a manifest that another run has made; `files` of the manifest is set.
bool writeFolder(const std::string &folder, const Files &files, json::Value manifest, diag::Engine &d);
/// Returns the files that earlier runs wrote to the folder, as listed in its manifest; nothing if there is no readable
/// manifest.
std::optional<std::set<std::string>> writtenFiles(const std::string &folder);
/// Reports that `folder` contains files of the user that would be overwritten.
void reportForeign(const std::string &folder, const std::vector<std::string> &files, diag::Engine &d);

/// Returns the target that the sources are for: `cpu` for a program of which a GPU target leaves all on the host.
std::string builtTarget(const Request &r);
/// Returns the manifest: name, version of sdfgc, ABI (functions, arguments with kind, type, and shape and strides as
/// formulas), files, flags, libraries.
json::Value manifest(const Request &r);

} // namespace sdfgc::package
