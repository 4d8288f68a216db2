// Options shared by several subcommands, from the tables sdfgc/Pass/CompileOptions.def and Driver/CommandLine/Options.def: structs
// with a field for each row, bound to command lines, and printed for command lines that repeat the work.
#pragma once

#include "Driver/CommandLine/CommandLine.h"
#include "sdfgc/Build/Toolchain.h"
#include "sdfgc/Pass/CompileOptions.h"
#include "sdfgc/Validate/Validator.h"

#include <optional>
#include <string>
#include <vector>

namespace sdfgc::driver {

class Session;

/// The target of the compilation.
struct TargetOptions : pass::CompileOptions {
    /// Declares the options of such subcommands.
    void addTo(CommandLine &line, pass::Subcommands which = pass::Subcommands::Building,
               const std::string &title = "What to compile for");
    pass::CompileOptions compileOptions(const std::string &path) const;
};

/// An option for a target, with no default.
void addTargetOption(CommandLine &line, const std::string &names, std::optional<pass::Target> &field, const std::string &help);

/// Which compiler builds the result.
struct ToolchainChoice {
#define SDFGC_TOOLCHAIN_OPTION(Type, Field, Default, Names, Placeholder, Repeat, Help) Type Field = Default;
#include "Driver/CommandLine/Options.def"
    void addTo(CommandLine &line);
    /// The options as words of a command line, usable in any folder.
    std::vector<std::string> arguments() const;
    /// Describes the toolchain and records its libraries in `compile`. If it is not `needed` and the command line names none, a
    /// missing compiler is not an error.
    std::optional<build::Toolchain> find(Session &session, pass::CompileOptions &compile, bool needed) const;
};

/// How a library is built.
struct LibraryOptions {
#define SDFGC_LIBRARY_OPTION(Type, Field, Default, Names, Placeholder, Repeat, Help) Type Field = Default;
#include "Driver/CommandLine/Options.def"
    void addTo(CommandLine &line);
    std::vector<std::string> arguments() const;
};

/// How --validate judges passes.
struct ValidationOptions {
#define SDFGC_VALIDATION_OPTION(Type, Field, Default, Names, Placeholder, Repeat, Help) Type Field = Default;
#include "Driver/CommandLine/Options.def"
    /// `toolchain`, which must outlive the options, compiles C++ tasklets.
    void addTo(CommandLine &line, const ToolchainChoice &toolchain);
    std::vector<std::string> arguments() const;
    /// The options of --validate for a program with this name, from this file.
    validate::ValidateOptions validateOptions(Name program, const std::string &path) const;

private:
    const ToolchainChoice *toolchain_ = nullptr;
};

/// Which passes run, and what is printed about them.
struct PipelineOptions {
#define SDFGC_PIPELINE_OPTION(Type, Field, Default, Names, Placeholder, Repeat, Help) Type Field = Default;
#include "Driver/CommandLine/Options.def"
    ValidationOptions validation;
    void addTo(CommandLine &line);
    std::vector<std::string> arguments() const;
    /// Only the options that arguments() prints: the same passes, without any output.
    PipelineOptions repeated() const;
    /// Do the options select passes?
    bool choosePasses() const { return passes || !pipeline.empty() || !distribute.empty() || !startAfter.empty(); }
};

} // namespace sdfgc::driver
