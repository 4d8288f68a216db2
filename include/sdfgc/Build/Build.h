// From sources in a build folder to the shared library: plans the commands, runs those whose inputs changed, remembers.
//
// Every object has a key: the command line, the compiler's identity, the machine's instruction set, and the files that it included
// last time: those of the folder by content, others by size and time stamp. Where all keys match the record of the last build and
// the library is the one recorded, nothing runs. Outputs are written under temporary names and renamed, the record last: a killed
// run leaves nothing that a later one trusts. One source is compiled and linked by a single command, which saves a fifth of the
// time of a small program.
//
// Commands run in the folder, with paths relative to it: the same sources give the same bytes wherever the folder is.
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

/// One message of a compiler.
struct CompilerMessage {
    std::string file; // as the compiler names it: relative to the build folder for our sources
    int line = 0, column = 0;
    bool isError = false; // else a warning or note
    std::string text;
};

struct Options {
    pass::FpModel fpModel = pass::FpModel::Strict;
    bool openmp = true;
    bool emulateMpi = false;                     // MPI is the emulation, ranks are threads of one process
    bool emulate = false;                        // GPU sources are built by the host compiler against the emulation
    std::vector<std::string> gpuArch;            // `sm_90`, `gfx90a`; empty: the GPU compiler's default
    std::vector<std::string> cflags;             // the user's, last in every compile command
    std::vector<std::string> sourceFlags;        // before these, for the program's own sources: objects that are shared go without
    unsigned jobs = 0;                           // 0: as many as processors
    bool jobserver = true;                       // obey GNU make's jobserver
    Log *log = nullptr;                          // gets every command; with it compilers are heard also when they succeed
    bool quiet = false;                          // no progress line; without it there is one when standard error is a terminal
    std::function<void(std::string_view)> print; // takes what goes to standard error, when given
    TimeTrace *trace = nullptr;
    /// Called for the diagnostic of every command that failed, to add what is known about the places.
    std::function<void(diag::Diagnostic &, const std::vector<CompilerMessage> &)> explain;
};

struct Request {
    std::vector<std::string> sources;        // translation units, relative to the folder
    std::vector<std::string> runtimeSources; // further ones that are sdfgc's own: their objects are shared through the user's cache
    bool caller = false;                     // with the program that calls the library: package::callerSource
    std::vector<std::string> includeFolders; // relative to the folder, or absolute
    std::vector<std::string> libraries;      // link names
    /// What the sources were made from (the graph, sdfgc). A library that is up to date but older than one of these gets the
    /// present time: make compares times, and would call sdfgc again and again for a graph that was touched.
    std::vector<std::string> madeFrom;
    Options options;
};

enum class Status {
    Done,
    MissingLibrary, // nothing was run
    CompilerFailed, // exit status 3
    FileError,      // the folder cannot be written, a source cannot be read
    Interrupted,    // by the signal in BuildResult::signal
};

struct BuildResult {
    Status status = Status::Done;
    std::string library;                       // path of lib/lib<name>.so, when Done
    std::string caller;                        // path of the program that calls the library, where there is one
    std::size_t commandsRun = 0;               // 0: everything was up to date
    std::vector<std::string> flags, linkFlags; // as given to the compiler, for the manifest
    int signal = 0;
};

/// The messages in the output of GCC, Clang, nvcc or hipcc, in its order: lines `FILE:LINE:COLUMN: error: TEXT` and, from nvcc,
/// `FILE(LINE): error: TEXT`. Other lines are left out.
std::vector<CompilerMessage> compilerMessages(std::string_view output);

/// Brings `lib/lib<name>.so` and its caller up to date and writes `compile_commands.json` (for editors) and `.sdfgc/commands.sh` (all commands,
/// for people). What compilers print about an error goes to standard error; the engine gets one diagnostic per failed command.
BuildResult build(const Folder &folder, const Request &request, const Toolchain &toolchain, diag::Engine &diags);

} // namespace sdfgc::build
