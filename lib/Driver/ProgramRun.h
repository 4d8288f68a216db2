// Calling a program from the command line: its arguments, the call, what it reports. Shared by run and bisect.
#pragma once

#include "Driver/Compilation.h"
#include "sdfgc/Run/Call.h"

namespace sdfgc::driver {

/// Where the arguments of a call come from.
class ProgramArguments {
public:
    void addTo(CommandLine &line);
    /// Which arrays of the graph are only written. Call it before passes.
    void lookAt(const Input &program);
    /// Does the command line say anything about arguments?
    bool given() const { return !given_.empty() || !folder_.empty() || !otherwise_.empty(); }
    /// Nothing after errors.
    std::optional<run::Arguments> prepare(Session &session, const tree::Module &interface) const {
        return prepare(session, interface, 0, 1);
    }
    /// The same for one of several ranks: `{rank}` and `{ranks}` in values and the folder stand for the numbers, and every rank has
    /// random numbers of its own.
    std::optional<run::Arguments> prepare(Session &session, const tree::Module &interface, int rank, int ranks) const;

private:
    std::vector<std::string> given_;
    std::string folder_, otherwise_;
    int seed_ = 0;
    std::set<Name> written_;
};

/// NAME=VALUE; reports what is not of this form.
std::optional<run::Given> splitGiven(Session &session, const std::string &option, const std::string &text);

/// Reports why a call failed (`made` is null where nothing was compiled); for a crash with the element of the graph, when debug
/// information tells it. `notes` go with the report. True when there are results, which may be so although something is reported.
bool reportCall(Session &session, const Compiled *made, const run::CallResult &result, const std::vector<std::string> &notes = {});

/// The folder in which programs are kept that are built only to be run: one for each graph file and `key` (options that matter).
std::string runFolder(const std::string &input, const std::string &key);

} // namespace sdfgc::driver
