// The compilers of this machine: a C++ compiler, the folders that it searches, and the installed libraries.
//
// Nothing is compiled to find out. The compiler is queried three times (--version, its include folders, its library
// folders); the answers are cached in the user's cache folder until the compiler's file changes. Libraries are looked
// up as files in these folders.
#pragma once

#include "sdfgc/Diag/Diag.h"
#include "sdfgc/Platform/Packages.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sdfgc::platform {
struct Dialect;
struct Machine;
} // namespace sdfgc::platform

namespace sdfgc::build {

enum class CompilerKind { Gcc, Clang };

struct Compiler {
    std::vector<std::string> command; // full path first, followed by further words of CXX (`ccache g++`)
    CompilerKind kind = CompilerKind::Gcc;
    std::string version;                                     // first line of --version
    std::string machine;                                     // that it compiles for: `x86_64-linux-gnu`; empty: unknown
    std::string identity;                                    // everything that determines its output: version text and file size
    std::vector<std::string> includeFolders, libraryFolders; // searched by default, in order
};

/// The flags of a library, and whether it is installed.
struct Library {
    std::string name;
    std::vector<std::string> compileFlags, linkFlags;
    std::string missing;                      // the file that was not found; empty: usable
    std::optional<platform::Package> package; // the package to install, for messages
    bool found() const { return missing.empty(); }
};

class Toolchain {
public:
    Compiler compiler;
    std::vector<std::string> compileFlags, linkFlags; // from the toolchain file, for every command
    std::map<std::string, Library> described;         // libraries that the toolchain file describes
    std::string nvcc, hipcc;                          // full paths; empty: not found
    std::string cacheFolder;                          // empty: nothing is cached
    std::uint64_t cacheBytes = 0;                     // maximum size of the cache (Cache.h); 0: no limit
    std::vector<std::string> runner;                  // from the toolchain file: the command that runs programs of the compiler
    std::string source;                               // where the choice comes from: "--cc", "CXX", "PATH", or the toolchain file

    /// Returns a library by its link name (`openblas`, `lapacke`, `fftw3`, or any other, for which only `lib<name>` is
    /// looked up). Searches headers in CPATH, CPLUS_INCLUDE_PATH and the compiler's folders, and libraries in
    /// LIBRARY_PATH and the compiler's folders.
    Library library(const std::string &name) const;
    /// Is the compiler for another machine, whose programs cannot run here by themselves?
    bool isForeign() const;
    /// Returns the command that runs its programs, to be followed by a program and its arguments: `runner`, or for a foreign compiler
    /// QEMU's emulation of a user's programs with the compiler's C library. Empty if programs run by themselves, or if there is no
    /// emulator.
    std::vector<std::string> runnerCommand() const;
};

struct ToolchainOptions {
    std::string compiler;    // --cc: a name or path, optionally with arguments; empty: CXX, then g++, then clang++
    std::string file;        // --toolchain FILE; --cc overrides its `compiler`
    std::string cacheFolder; // empty: $XDG_CACHE_HOME/sdfgc or ~/.cache/sdfgc; "-" caches nothing
    const platform::Machine *machine = nullptr; // of the target: the compiler must be for it. Null: any
};

/// Chooses and describes the toolchain. Returns nothing if there is no usable compiler or the file is invalid; the
/// engine has the reason.
///
/// Toolchain file (YAML), every key optional:
///     compiler: /opt/gcc-13/bin/g++
///     flags: [-march=znver3]                # after the defaults, before --cflags
///     link-flags: [-Wl,-rpath,/opt/lib]
///     runner: [qemu-aarch64, -L, /opt/arm]  # runs the compiler's programs on this machine
///     libraries:
///       openblas: {flags: [-I/opt/blas/include], link: [-L/opt/blas/lib, -lopenblas]}
std::optional<Toolchain> findToolchain(const ToolchainOptions &options, diag::Engine &diags);

/// Returns the compiler of a dialect: from PATH, or from the toolkit's folder given by a variable or by convention;
/// empty if not found.
std::string gpuCompiler(const platform::Dialect &dialect);

/// Returns the architecture of this machine: `x86_64`.
std::string hostArchitecture();

/// Describes the processor that -march=native means on this machine, one property per line; empty if the system does
/// not tell. Part of the key of everything compiled for it.
std::string hostInstructionSet();

} // namespace sdfgc::build
