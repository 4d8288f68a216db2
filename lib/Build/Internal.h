// Parts of the toolchain description shared by its files.
#pragma once

#include "sdfgc/Build/Toolchain.h"
#include "sdfgc/Support/Process.h"

#include <optional>
#include <string>
#include <vector>

namespace sdfgc::build {

/// Describes the compiler behind `command` (whose first word is a name or a path), using the cache in `cacheFolder` if that has the
/// answers for this very file. If the compiler does not exist or is neither GCC nor Clang, reports this and returns nothing.
std::optional<Compiler> describeCompiler(const std::vector<std::string> &command, const std::string &cacheFolder,
                                         diag::Engine &diags);

/// Runs a compiler with arguments that make it answer a question.
process::Outcome askCompiler(const Compiler &compiler, const std::vector<std::string> &arguments);

/// Returns a program of binutils that belongs to the compiler (`objcopy`); empty if there is none.
std::string binutil(const Compiler &compiler, const std::string &name);

/// Subfolders of a cache that are Stores: of objects that programs share, and of finished builds.
constexpr const char *kObjectStore = "objects", *kBuildStore = "builds";

/// The folder for compilers' answers; empty if nothing is to be cached, or if there is no home.
std::string compilerCacheFolder(const std::string &asked);
/// The age at which temporary files in the cache are considered abandoned, since the cache has no lock to check.
constexpr double kForgottenSeconds = 3600;

struct ToolchainFile {
    std::string compiler;
    std::vector<std::string> compileFlags, linkFlags, runner;
    std::map<std::string, Library> libraries;
};
/// If the file is invalid, reports errors with line and column and returns nothing.
std::optional<ToolchainFile> readToolchainFile(const std::string &path, diag::Engine &diags);

/// Writes compile_commands.json and .sdfgc/commands.sh. Reports an error and returns false on failure, and if somebody else wrote the
/// list that is there.
bool writeCommands(const std::string &folder, const std::string &list, const std::string &script, diag::Engine &diags);

/// Removes files that killed runs left under temporary names in a build folder. Requires the folder's lock.
void removeTemporariesOfKilledRuns(const std::string &folder);
/// Removes a build folder that contains nothing but its lock, which this process holds; with `keepFolder`, only sdfgc's own state
/// in it. False if another process is writing to it.
bool removeLocked(const std::string &folder, bool keepFolder);

/// Searches the files of a library (Toolchain::library without the toolchain file).
Library findLibrary(const std::string &name, const Compiler &compiler);

/// The nonempty parts between colons.
std::vector<std::string> pathList(std::string_view text);

} // namespace sdfgc::build
