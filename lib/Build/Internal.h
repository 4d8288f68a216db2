// Parts of the toolchain description that its files share.
#pragma once

#include "sdfgc/Build/Toolchain.h"

#include <optional>
#include <string>
#include <vector>

namespace sdfgc::build {

/// Describes the compiler behind `command` (first word: a name or a path), from the cache in `cacheFolder` when that holds the
/// answers for this very file. Nothing, and a diagnostic, when it is not there or is neither GCC nor Clang.
std::optional<Compiler> describeCompiler(const std::vector<std::string> &command, const std::string &cacheFolder,
                                         diag::Engine &diags);

/// Where the answers of compilers are kept; empty when nothing shall be, or there is no home.
std::string compilerCacheFolder(const std::string &asked);
/// The age of temporary files in the cache that no living run is writing: it has no lock that would tell.
constexpr double kForgottenSeconds = 3600;

struct ToolchainFile {
    std::string compiler;
    std::vector<std::string> compileFlags, linkFlags;
    std::map<std::string, Library> libraries;
};
/// Nothing, and diagnostics with line and column, when the file is not as it should be.
std::optional<ToolchainFile> readToolchainFile(const std::string &path, diag::Engine &diags);

/// Removes what killed runs left under temporary names in a build folder. Call it while holding the folder's lock.
void removeTemporariesOfKilledRuns(const std::string &folder);
/// Removes a build folder that holds nothing but its lock, which this process has; with `keepFolder`, what sdfgc keeps in it
/// alone. False if another process writes to it meanwhile.
bool removeLocked(const std::string &folder, bool keepFolder);

/// Looks for a library as files (Toolchain::library without the toolchain file).
Library findLibrary(const std::string &name, const Compiler &compiler);

/// The parts between colons that are not empty.
std::vector<std::string> pathList(std::string_view text);

} // namespace sdfgc::build
