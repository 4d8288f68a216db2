// The commands that build the library of a request, with names relative to the build folder.
#pragma once

#include "sdfgc/Build/Build.h"

#include <optional>
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
    bool outputIsLast = false;        // the output is the last word, without `-o`
    bool isCaller = false;            // builds a program that is linked with the library
    std::string key;                  // identifies the command, the compiler and the machine

    /// The complete command, which writes to `outputName` and, for a compile step, writes its dependencies to `depfile`.
    std::vector<std::string> argv(const std::string &outputName, const std::string &depfile) const;
    std::vector<std::string> argv() const { return argv(output, output + ".d"); }
};

/// The names of all libraries that a request links, in order.
std::vector<std::string> linkedLibraries(const Request &request, const Toolchain &toolchain);

struct Plan {
    std::vector<PlannedStep> steps; // in order; the library's is followed by those of its caller and of DaCe's stub
    std::string library;            // relative to the folder
    std::vector<std::string> flags, linkFlags;
};

/// One of the instruction sets that the sources are compiled for.
struct LevelFlags {
    std::string march; // as for -march
    std::string name;  // in code; empty: there is no dispatcher, and functions have their own names
};

/// Returns the levels of a request (--cpu). Reports names that the compiler does not know, and combinations that cannot be built, and
/// returns nothing.
std::optional<std::vector<LevelFlags>> levelsOf(const Request &request, const Toolchain &toolchain, diag::Engine &diags);

/// Are the objects of each level joined to one? The symbols of several levels are made private: functions of headers have the same
/// names at all levels, and the linker would keep one copy of each, possibly for another processor. Constructors of global variables
/// must not run before the processor has been checked.
bool areApart(const std::vector<LevelFlags> &levels, const Request &request);

/// The steps after compilation that make one object of a level's `objects`.
std::vector<PlannedStep> joinSteps(const LevelFlags &level, bool several, const std::vector<std::string> &objects,
                                   const Toolchain &toolchain);

/// The steps that make the static library of `objects`, those of the shared library.
std::vector<PlannedStep> staticSteps(const std::string &name, const std::vector<LevelFlags> &levels,
                                     const std::vector<std::string> &objects, const Toolchain &toolchain);

/// The step that compiles the dispatcher, for all processors.
PlannedStep dispatcherStep(const Request &request, const Toolchain &toolchain);

/// `.sdfgc/obj/src_cpu_f.cpp.o`: the path with `/` and `_` encoded differently, so that no two sources share a name.
std::string objectName(const std::string &source, const std::string &level = "");

Plan makePlan(const std::string &name, const Request &request, const Toolchain &toolchain, const std::vector<Library> &libraries,
              const std::vector<LevelFlags> &levels);

/// compile_commands.json, the format read by clangd and clang-tidy.
std::string compileCommands(const Plan &plan, const std::string &absoluteFolder);
/// A shell script that runs all commands.
std::string commandScript(const Plan &plan);

} // namespace sdfgc::build
