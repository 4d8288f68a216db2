// The command line: `sdfgc SUBCOMMAND ...` (contract C1; docs/user/cli.md is the guide for users).
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace sdfgc::driver {

/// The exit status of the process.
enum ExitStatus : int {
    Done = 0,
    InputFault = 1,     // the graph, a pipeline file or the file system
    UsageFault = 2,     // the command line
    CompilerFault = 3,  // a C++ compiler failed
    InternalFault = 70, // a bug in sdfgc; a reproducer was written
};

/// The environment of a run, which tests can replace.
struct Environment {
    std::ostream &out; // results
    std::ostream &err; // diagnostics and progress
    bool errIsTerminal = false;
    double patience = 1; // seconds that passes may run before a terminal shows which one it is
};

/// Runs a command line (without the program's name) and returns the exit status. Never throws.
int run(const std::vector<std::string> &arguments, Environment &environment);

/// From this call on, a crash of the process (a signal such as SIGSEGV, or an uncaught exception) prints one line,
/// writes a reproducer folder and exits with status 70. `arguments` is the command line in the reproducer.
void installCrashHandlers(const std::vector<std::string> &arguments);

} // namespace sdfgc::driver
