// Which commands make the library of a request, in terms of names relative to the build folder.
#pragma once

#include "sdfgc/Build/Build.h"

#include <string>
#include <vector>

namespace sdfgc::build {

/// One command. Outputs are placed by `argv()`, so that the key and the logs show final names while the run writes temporary ones.
struct PlannedStep {
    std::string title;                // "compile src/cpu/f.cpp"
    std::string source;               // the translation unit; empty for the link step
    bool isRuntime = false;           // the source is one of sdfgc's own
    std::string output;               // relative to the folder
    std::vector<std::string> before;  // words before `-o OUTPUT`
    std::vector<std::string> after;   // words after it
    std::vector<std::string> objects; // what a link step reads
    bool isCaller = false;            // makes a program that is linked with the library
    std::string key;                  // of the command, the compiler and the machine

    /// The whole command, writing to `outputName` and, for a compile step, its dependences to `depfile`.
    std::vector<std::string> argv(const std::string &outputName, const std::string &depfile) const;
    std::vector<std::string> argv() const { return argv(output, output + ".d"); }
};

struct Plan {
    std::vector<PlannedStep> steps; // the last one makes the library; after it comes its caller, if there is one
    std::string library;            // relative to the folder
    std::vector<std::string> flags, linkFlags;
};

Plan makePlan(const std::string &name, const Request &request, const Toolchain &toolchain, const std::vector<Library> &libraries);

/// compile_commands.json, the format that clangd and clang-tidy read.
std::string compileCommands(const Plan &plan, const std::string &absoluteFolder);
/// A shell script that runs every command.
std::string commandScript(const Plan &plan);

} // namespace sdfgc::build
