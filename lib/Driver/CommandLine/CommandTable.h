// All subcommands with their options: the source of completions and the manual page.
#pragma once

#include "Driver/Subcommand.h"

#include <string>
#include <vector>

namespace sdfgc::driver {

struct CommandRows {
    const SubcommandInfo *info;
    std::vector<OptionRow> rows; // its own options first, then the general ones
};
std::vector<CommandRows> commandTable();

/// A command line to start from.
struct Example {
    std::string_view subcommand, arguments, purpose;
    /// `sdfgc check prog.sdfg`.
    std::string commandLine() const;
};
/// The examples of all subcommands (Examples.def), in the order of the file.
const std::vector<Example> &examples();

/// `-o`, `--output` of `-o,--output`; empty for an argument.
std::vector<std::string> optionNames(const OptionRow &row);

/// The kind of value that follows an option, as far as a shell can help.
enum class Completion { None, Words, Files, Folders, Graphs, Pipelines, Passes };
Completion completionOf(const OptionRow &row);
/// The words of a choice, the names of passes or of installed pipelines.
std::vector<std::string> completionWords(const OptionRow &row);
/// The same for the argument of a subcommand.
Completion argumentCompletion(const CommandRows &command);
std::vector<std::string> argumentWords(const CommandRows &command);

/// The completion script of a shell (bash, zsh, fish).
std::string bashCompletion();
std::string zshCompletion();
std::string fishCompletion();
/// The manual page, in roff.
std::string manualPage();

} // namespace sdfgc::driver
