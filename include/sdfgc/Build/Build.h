// Builds the shared library from the sources in a build folder: plans the commands, runs those whose inputs changed,
// and records the result.
//
// Every object has a key: the command line, the compiler's identity, the machine's instruction set, and the files that
// it included last time, those in the folder by content, others by size and time stamp. If all keys match the record of
// the last build, and the library is the recorded one, nothing runs. Outputs are written under temporary names and
// renamed, the record last, so a killed run leaves nothing that a later one trusts. A single source is compiled and
// linked by one command, which saves a fifth of the time for a small program.
//
// Commands run in the folder with relative paths, so the same sources give the same bytes wherever the folder is.
#pragma once

#include "sdfgc/Build/Folder.h"
#include "sdfgc/Build/Toolchain.h"
#include "sdfgc/Package/Flags.h"
#include "sdfgc/Support/Log.h"
#include "sdfgc/Support/Time.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::build {

/// A compiler message.
struct CompilerMessage {
    std::string file; // as the compiler names it: our sources are relative to the build folder
    int line = 0, column = 0;
    bool isError = false; // otherwise a warning or note
    std::string text;
};

struct Options {
    pass::FpModel fpModel = pass::FpModel::Strict;
    pass::VectorMath vectorMath = pass::VectorMath::None; // that the sources declare (codegen::Sources)
    std::vector<std::string> cpu{"native"};               // --cpu (Package/Processors.h)
    bool openmp = true;
    bool emulateMpi = false;                     // MPI is emulated: ranks are threads of one process
    bool emulate = false;                        // the host compiler builds GPU sources against the emulation
    std::vector<std::string> gpuArch;            // `sm_90`, `gfx90a`; empty: the GPU compiler's default
    std::vector<std::string> cflags;             // the user's flags, last in every compile command
    std::vector<std::string> sourceFlags;        // precede `cflags` for the program's own sources; shared objects do without them
    unsigned jobs = 0;                           // 0: the number of processors
    bool jobserver = true;                       // obey GNU make's jobserver
    Log *log = nullptr;                          // receives every command; with it, compiler output is shown even after success
    bool quiet = false;                          // no progress line; otherwise there is one if standard error is a terminal
    std::function<void(std::string_view)> print; // if set, receives the output to standard error
    TimeTrace *trace = nullptr;
    /// Called with the diagnostic of every failed command, to add information about the locations.
    std::function<void(diag::Diagnostic &, const std::vector<CompilerMessage> &)> explain;
};

struct Request {
    std::vector<std::string> sources;        // translation units, relative to the folder
    std::string dispatcher;                  // the source that callers enter (CodeGen/Levels.h); empty: there is none
    bool startupCode = false;                // the sources may have constructors that run when the library is loaded
    std::vector<std::string> runtimeSources; // additional ones of sdfgc itself: their objects are shared through the user's cache
    bool caller = false;                     // also build the program that calls the library: package::callerSource
    bool daceStub = false;                   // also build package::daceStubLibrary
    bool staticLibrary = false;              // also build package::staticLibrary
    std::vector<std::string> includeFolders; // relative to the folder, or absolute
    std::vector<std::string> libraries;      // link names
    /// The inputs of the sources (the graph, sdfgc). If the library is up to date but older than one of these, it gets
    /// the current time: make compares times, and would otherwise call sdfgc again and again for a touched graph.
    std::vector<std::string> madeFrom;
    Options options;
};

enum class Status {
    Done,
    MissingLibrary, // nothing was run
    BadProcessor,   // nothing was run: the compiler does not compile for a processor of --cpu
    CompilerFailed, // exit status 3
    FileError,      // the folder cannot be written, a source cannot be read
    Interrupted,    // by the signal in BuildResult::signal
};

struct BuildResult {
    Status status = Status::Done;
    std::string library;                       // path of lib/lib<name>.so, if Done
    std::string caller;                        // path of the program that calls the library, if there is one
    std::size_t commandsRun = 0;               // 0: everything was up to date
    std::vector<std::string> flags, linkFlags; // as given to the compiler, for the manifest
    std::vector<std::string> libraries;        // that the library is linked with, by link name
    int signal = 0;
};

/// Returns the flags with which a C compiler links a static library of the request, after the library itself: the libraries
/// that the program calls, and the runtime libraries of C++ and OpenMP. Missing libraries are named as if they were installed.
std::vector<std::string> flagsOfStaticCallers(const Request &request, const Toolchain &toolchain);

/// Returns the messages in the output of GCC, Clang, nvcc or hipcc, in order: lines `FILE:LINE:COLUMN: error: TEXT`
/// and, from nvcc, `FILE(LINE): error: TEXT`. Ignores other lines.
std::vector<CompilerMessage> compilerMessages(std::string_view output);

/// Updates `lib/lib<name>.so` and its caller, and writes `compile_commands.json` (for editors) and `.sdfgc/commands.sh`
/// (all commands, for reference). Compiler errors go to standard error; the engine gets one diagnostic per failed
/// command.
BuildResult build(const Folder &folder, const Request &request, const Toolchain &toolchain, diag::Engine &diags);

} // namespace sdfgc::build
