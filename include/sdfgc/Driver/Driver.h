// The command line: `sdfgc SUBCOMMAND ...` (contract C1; docs/user/cli.md for people).
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace sdfgc::driver {

/// What the process returns.
enum ExitStatus : int {
    Done = 0,
    InputFault = 1,     // the graph, a pipeline file or the file system
    UsageFault = 2,     // the command line
    CompilerFault = 3,  // a C++ compiler failed
    InternalFault = 70, // a bug in sdfgc; a reproducer was written
};

/// The outside of a run, so that tests can stand in for it.
struct Environment {
    std::ostream &out; // results
    std::ostream &err; // diagnostics and progress
    bool errIsTerminal = false;
};

/// Runs one command line (without the program's name) and returns the exit status. Never throws.
int run(const std::vector<std::string> &arguments, Environment &environment);

/// From here on a crash of the process (a signal such as SIGSEGV, an exception that is not caught) prints one line, writes a
/// reproducer folder and ends with status 70. `arguments` is the command line that the reproducer shows.
void installCrashHandlers(const std::vector<std::string> &arguments);

} // namespace sdfgc::driver
