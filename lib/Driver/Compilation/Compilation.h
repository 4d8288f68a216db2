// From a graph to a build folder and its library: the steps shared by build, emit, run and bisect, each a single call to the
// responsible library.
#pragma once

#include "Driver/Compilation/PipelineOptions.h"
#include "Driver/Compilation/ProgramName.h"
#include "sdfgc/Build/Build.h"
#include "sdfgc/CodeGen/CodeGen.h"
#include "sdfgc/Run/Call.h"

namespace sdfgc::driver {

class BuildCache;

/// The results.
struct Compiled {
    std::unique_ptr<ir::SDFG> graph; // after lowering; null if a tree was read
    std::unique_ptr<tree::Module> module;
    codegen::Sources sources;
    std::string folder, library;     // the library is empty if it was not requested
    std::string caller;              // the program that calls the library; empty: none
    std::vector<std::string> runner; // for a library of another machine: the command that runs the caller here
    std::vector<std::string> files;  // inputs of the result

    /// The options of a call, with what calls this library if it is for another machine.
    run::CallOptions callOptions(run::CallOptions options) const;
};

class Compilation {
public:
    ProgramName name;
    TargetOptions target;
    ToolchainChoice toolchain;
    PipelineOptions pipeline;
    LibraryOptions library;
    std::string graphFolder;     // the folder for drawings of GPU graphs; empty: none
    bool daceFiles = false;      // with what DaCe's tools read
    bool caller = false;         // with a program that calls the library
    bool async = false;          // with a call that does not wait
    bool staticLibrary = false;  // with a static library
    bool isCalled = false;       // the program is to run on this machine, through its caller if it is for another one
    BuildCache *cache = nullptr; // receives the finished build
    bool lineTables = false;     // so that addresses of a crash can be mapped to lines

    /// The options of `build`, or those of `emit` without a library.
    void addTo(CommandLine &line, bool withLibrary);
    /// Words of a command line that produces the same program again.
    std::vector<std::string> arguments() const;

    /// Runs the passes on a program that was read from `path`, down to the schedule tree, and writes the build folder (empty:
    /// ./<name>.build); builds the library if requested. A tree is printed as it is, unless the options select passes. Nothing
    /// after errors, and if --stop-after ended the passes early.
    std::optional<Compiled> run(Session &session, Input program, const std::string &path, std::string folder, bool withLibrary);

private:
    /// Writes the folder and, with a toolchain, builds the library. False after errors.
    bool writeFolder(Session &s, Compiled &made, const pass::CompileOptions &compile, const std::string &path,
                     const build::Toolchain *toolchainForLibrary) const;
    /// For a program of another machine: sets the command that runs it. False if there is none.
    bool findRunner(Session &s, const build::Toolchain &toolchain, Compiled &made);
    /// What is built of the sources.
    build::Request buildRequest(const Compiled &made) const;
    /// Nothing after errors.
    std::optional<build::BuildResult> makeLibrary(Session &s, const build::Folder &folder, Compiled &made,
                                                  const build::Toolchain &found) const;
};

} // namespace sdfgc::driver
