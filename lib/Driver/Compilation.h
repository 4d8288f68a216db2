// From a graph to a build folder and its library: the steps that build, emit, run and bisect share, each one call into the library
// whose job it is.
#pragma once

#include "Driver/PipelineOptions.h"
#include "Driver/ProgramName.h"
#include "sdfgc/Build/Build.h"
#include "sdfgc/CodeGen/CodeGen.h"

namespace sdfgc::driver {

/// What was made.
struct Compiled {
    std::unique_ptr<ir::SDFG> graph; // as it was lowered; null when a tree was read
    std::unique_ptr<tree::Module> module;
    codegen::Sources sources;
    std::string folder, library;    // the library is empty where none was asked for
    std::vector<std::string> files; // that the result was made from
};

class Compilation {
public:
    ProgramName name;
    TargetOptions target;
    ToolchainChoice toolchain;
    PipelineOptions pipeline;
    LibraryOptions library;
    std::string graphFolder; // where GPU graphs are drawn; empty: nowhere
    bool caller = false;     // with a program that calls the library
    bool lineTables = false; // so that addresses of a crash can be turned into lines

    /// The options of `build`; without a library those of `emit`.
    void addTo(CommandLine &line, bool withLibrary);
    /// Words of a command line that make the same program once more.
    std::vector<std::string> arguments() const;

    /// Runs the passes over a program that was read from `path`, down to the schedule tree, and writes the build folder (empty:
    /// ./<name>.build); makes the library when asked to. A tree is printed as it is, unless the options choose passes. Nothing after
    /// errors, and when --stop-after ended the passes early.
    std::optional<Compiled> run(Session &session, Input program, const std::string &path, std::string folder, bool withLibrary);

private:
    /// Writes the folder, and, with a toolchain, makes the library. False after errors.
    bool writeFolder(Session &s, Compiled &made, const pass::CompileOptions &compile, const std::string &path,
                     const build::Toolchain *toolchainForLibrary) const;
    bool makeLibrary(Session &s, const build::Folder &folder, Compiled &made, const build::Toolchain &found) const;
};

} // namespace sdfgc::driver
