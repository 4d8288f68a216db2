// The commands that build the library of a request, with names relative to the build folder.
#pragma once

#include "sdfgc/Build/Build.h"

#include <string>
#include <vector>

namespace sdfgc::build {

/// One command. `argv()` inserts outputs, so that the key and the logs have final names while the run writes to temporary ones.
struct PlannedStep {
    std::string title;                // "compile src/cpu/f.cpp"
    std::string source;               // the translation unit; empty for the link step
    bool isRuntime = false;           // the source belongs to sdfgc itself
    std::string output;               // relative to the folder
    std::vector<std::string> before;  // words before `-o OUTPUT`
    std::vector<std::string> after;   // words after it
    std::vector<std::string> objects; // inputs of a link step
    bool isCaller = false;            // builds a program that is linked with the library
    std::string key;                  // identifies the command, the compiler and the machine

    /// The complete command, which writes to `outputName` and, for a compile step, writes its dependencies to `depfile`.
    std::vector<std::string> argv(const std::string &outputName, const std::string &depfile) const;
    std::vector<std::string> argv() const { return argv(output, output + ".d"); }
};

struct Plan {
    std::vector<PlannedStep> steps; // the last one builds the library; its caller follows, if there is one
    std::string library;            // relative to the folder
    std::vector<std::string> flags, linkFlags;
};

Plan makePlan(const std::string &name, const Request &request, const Toolchain &toolchain, const std::vector<Library> &libraries);

/// compile_commands.json, the format read by clangd and clang-tidy.
std::string compileCommands(const Plan &plan, const std::string &absoluteFolder);
/// A shell script that runs all commands.
std::string commandScript(const Plan &plan);

} // namespace sdfgc::build
