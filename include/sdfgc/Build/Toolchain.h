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
}

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
    std::string source;                               // where the choice comes from: "--cc", "CXX", "PATH", or the toolchain file

    /// Returns a library by its link name (`openblas`, `lapacke`, `fftw3`, or any other, for which only `lib<name>` is
    /// looked up). Searches headers in CPATH, CPLUS_INCLUDE_PATH and the compiler's folders, and libraries in
    /// LIBRARY_PATH and the compiler's folders.
    Library library(const std::string &name) const;
};

struct ToolchainOptions {
    std::string compiler;    // --cc: a name or path, optionally with arguments; empty: CXX, then g++, then clang++
    std::string file;        // --toolchain FILE; --cc overrides its `compiler`
    std::string cacheFolder; // empty: $XDG_CACHE_HOME/sdfgc or ~/.cache/sdfgc; "-" caches nothing
};

/// Chooses and describes the toolchain. Returns nothing if there is no usable compiler or the file is invalid; the
/// engine has the reason.
///
/// Toolchain file (YAML), every key optional:
///     compiler: /opt/gcc-13/bin/g++
///     flags: [-march=znver3]                # after the defaults, before --cflags
///     link-flags: [-Wl,-rpath,/opt/lib]
///     libraries:
///       openblas: {flags: [-I/opt/blas/include], link: [-L/opt/blas/lib, -lopenblas]}
std::optional<Toolchain> findToolchain(const ToolchainOptions &options, diag::Engine &diags);

/// Returns the compiler of a dialect: from PATH, or from the toolkit's folder given by a variable or by convention;
/// empty if not found.
std::string gpuCompiler(const platform::Dialect &dialect);

/// Describes the processor that -march=native means on this machine, one property per line; empty if the system does
/// not tell. Part of the key of everything compiled for it.
std::string hostInstructionSet();

} // namespace sdfgc::build
