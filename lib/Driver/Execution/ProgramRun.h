// Calling a program from the command line: its arguments, the call, its report. Shared by run and bisect.
#pragma once

#include "Driver/Compilation/Compilation.h"
#include "sdfgc/Run/Call.h"

namespace sdfgc::driver {

/// The sources of a call's arguments.
class ProgramArguments {
public:
    void addTo(CommandLine &line);
    /// Finds arrays of the graph that are only written. Must be called before passes.
    void lookAt(const Input &program);
    /// Does the command line specify arguments?
    bool given() const { return !given_.empty() || !folder_.empty() || !otherwise_.empty(); }
    /// Nothing after errors.
    std::optional<run::Arguments> prepare(Session &session, const tree::Module &interface) const {
        return prepare(session, interface, 0, 1);
    }
    /// The same for one of several ranks: `{rank}` and `{ranks}` in values and the folder are replaced with the numbers, and every
    /// rank has different random numbers.
    std::optional<run::Arguments> prepare(Session &session, const tree::Module &interface, int rank, int ranks) const;

private:
    std::vector<std::string> given_;
    std::string folder_, otherwise_;
    int seed_ = 0;
    std::set<Name> written_;
};

/// NAME=VALUE; reports any other form.
std::optional<run::Given> splitGiven(Session &session, const std::string &option, const std::string &text);

/// Reports why a call failed (`made` is null if nothing was compiled); for a crash, with the element of the graph if debug
/// information reveals it. `notes` are attached to the report. Returns true if there are results, which may be the case even if
/// something is reported.
bool reportCall(Session &session, const Compiled *made, const run::CallResult &result, const std::vector<std::string> &notes = {});

/// The folder of programs that are built only to be run: one per graph file and `key` (the relevant options).
std::string runFolder(const std::string &input, const std::string &key);

} // namespace sdfgc::driver
