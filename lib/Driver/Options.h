// Options that several subcommands share, from the tables sdfgc/Pass/CompileOptions.def and Driver/Options.def: structs with a field
// for each row, bound to command lines, and printed for command lines that repeat the work.
#pragma once

#include "Driver/CommandLine.h"
#include "sdfgc/Build/Toolchain.h"
#include "sdfgc/Pass/CompileOptions.h"
#include "sdfgc/Validate/Validator.h"

#include <optional>
#include <string>
#include <vector>

namespace sdfgc::driver {

class Session;

/// What the program is compiled for.
struct TargetOptions : pass::CompileOptions {
    /// Declares the options that such subcommands take.
    void addTo(CommandLine &line, pass::Subcommands which = pass::Subcommands::Building,
               const std::string &title = "What to compile for");
    pass::CompileOptions compileOptions(const std::string &path) const;
};

/// An option that names a target, where the default is none.
void addTargetOption(CommandLine &line, const std::string &names, std::optional<pass::Target> &field, const std::string &help);

/// Which compiler the result is for.
struct ToolchainChoice {
#define SDFGC_TOOLCHAIN_OPTION(Type, Field, Default, Names, Placeholder, Repeat, Help) Type Field = Default;
#include "Driver/Options.def"
    void addTo(CommandLine &line);
    /// The options as words of a command line, which may be used in any folder.
    std::vector<std::string> arguments() const;
    /// Describes the toolchain and enters in `compile` which libraries it has. Where it is not `needed` and the command line names
    /// none, a machine without compiler is no fault.
    std::optional<build::Toolchain> find(Session &session, pass::CompileOptions &compile, bool needed) const;
};

/// How a library is made.
struct LibraryOptions {
#define SDFGC_LIBRARY_OPTION(Type, Field, Default, Names, Placeholder, Repeat, Help) Type Field = Default;
#include "Driver/Options.def"
    void addTo(CommandLine &line);
    std::vector<std::string> arguments() const;
};

/// How --validate judges passes.
struct ValidationOptions {
#define SDFGC_VALIDATION_OPTION(Type, Field, Default, Names, Placeholder, Repeat, Help) Type Field = Default;
#include "Driver/Options.def"
    /// `toolchain`, which must outlive the options, compiles tasklets in C++.
    void addTo(CommandLine &line, const ToolchainChoice &toolchain);
    std::vector<std::string> arguments() const;
    /// What --validate does with a program of this name, from this file.
    validate::ValidateOptions validateOptions(Name program, const std::string &path) const;

private:
    const ToolchainChoice *toolchain_ = nullptr;
};

/// Which passes run and what is shown of it.
struct PipelineOptions {
#define SDFGC_PIPELINE_OPTION(Type, Field, Default, Names, Placeholder, Repeat, Help) Type Field = Default;
#include "Driver/Options.def"
    ValidationOptions validation;
    void addTo(CommandLine &line);
    std::vector<std::string> arguments() const;
    /// The options that arguments() prints, and no others: the same passes, of which nothing is shown.
    PipelineOptions repeated() const;
    /// Do they say which passes run?
    bool choosePasses() const { return passes || !pipeline.empty() || !distribute.empty() || !startAfter.empty(); }
};

} // namespace sdfgc::driver
