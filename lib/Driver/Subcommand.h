// A subcommand: its options, bound to fields, and what it does.
#pragma once

#include "Driver/CommandLine.h"
#include "Driver/Session.h"

#include <memory>
#include <string_view>
#include <utility>

namespace sdfgc::driver {

class Subcommand {
public:
    virtual ~Subcommand() = default;
    /// Declares the options and arguments beside the general ones.
    virtual void addOptions(CommandLine &line) = 0;
    /// Does the work. Faults are reported to session.diags; the exit status follows from them.
    virtual void run(Session &session) = 0;
};

struct SubcommandInfo {
    std::string name, arguments, summary;
    std::unique_ptr<Subcommand> (*create)();
    /// `sdfgc check PROG.sdfg [options]`.
    std::string usage() const { return "sdfgc " + name + (arguments.empty() ? "" : " " + arguments) + " [options]"; }
};

#define SDFGC_SUBCOMMAND(Create, Name, Arguments, Summary) std::unique_ptr<Subcommand> Create();
#include "Driver/Subcommands.def"
#undef SDFGC_SUBCOMMAND

/// What the statuses of the process mean, for people.
const std::vector<std::pair<int, std::string_view>> &exitStatuses();

/// The table, in its order.
const std::vector<SubcommandInfo> &subcommands();

} // namespace sdfgc::driver
