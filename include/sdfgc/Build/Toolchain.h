// What this machine can compile with: a C++ compiler, the folders it searches, the libraries that are installed.
//
// Nothing is compiled to find out. The compiler is asked three questions (--version, its include folders, its library folders)
// once; the answers are kept in the user's cache folder until the compiler's file changes. Libraries are looked up as files in
// those folders.
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
    std::vector<std::string> command; // full path first; further words where CXX has some (`ccache g++`)
    CompilerKind kind = CompilerKind::Gcc;
    std::string version;                                     // first line of --version
    std::string identity;                                    // all that distinguishes its output: version text and size of the file
    std::vector<std::string> includeFolders, libraryFolders; // searched by default, in order
};

/// How to use a library, and whether it is there.
struct Library {
    std::string name;
    std::vector<std::string> compileFlags, linkFlags;
    std::string missing;                      // what was looked for and not found; empty: usable
    std::optional<platform::Package> package; // what to install, for messages
    bool found() const { return missing.empty(); }
};

class Toolchain {
public:
    Compiler compiler;
    std::vector<std::string> compileFlags, linkFlags; // from the toolchain file, for every command
    std::map<std::string, Library> described;         // libraries that the toolchain file describes
    std::string nvcc, hipcc;                          // full paths; empty: not found
    std::string cacheFolder;                          // for what need not be done again; empty: nothing is kept
    std::uint64_t cacheBytes = 0;                     // that the cache may take (Cache.h); 0: no limit
    std::string source;                               // why this compiler: "--cc", "CXX", "PATH", or the toolchain file

    /// A library by its link name (`openblas`, `lapacke`, `fftw3`, or any other: then only `lib<name>` is looked for). Headers are
    /// searched in CPATH, CPLUS_INCLUDE_PATH and the compiler's folders, libraries in LIBRARY_PATH and the compiler's folders.
    Library library(const std::string &name) const;
};

struct ToolchainOptions {
    std::string compiler;    // --cc: a name or path, with arguments if need be; empty: CXX, then g++, then clang++
    std::string file;        // --toolchain FILE; --cc wins over its `compiler`
    std::string cacheFolder; // empty: $XDG_CACHE_HOME/sdfgc, else ~/.cache/sdfgc; "-" keeps nothing
};

/// Chooses and describes. Nothing when there is no usable compiler or the file is wrong; the engine has the reason.
///
/// Toolchain file (YAML), every key optional:
///     compiler: /opt/gcc-13/bin/g++
///     flags: [-march=znver3]                # after the defaults, before --cflags
///     link-flags: [-Wl,-rpath,/opt/lib]
///     libraries:
///       openblas: {flags: [-I/opt/blas/include], link: [-L/opt/blas/lib, -lopenblas]}
std::optional<Toolchain> findToolchain(const ToolchainOptions &options, diag::Engine &diags);

/// The compiler of a dialect: on PATH, else in the toolkit's folder that a variable or custom names; empty when it is nowhere.
std::string gpuCompiler(const platform::Dialect &dialect);

/// Describes the processor that -march=native stands for here, one property a line; empty where the system does not tell. Part of the key of
/// everything compiled for it.
std::string hostInstructionSet();

} // namespace sdfgc::build
