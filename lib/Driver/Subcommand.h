// A subcommand: its options, bound to fields, and its implementation.
#pragma once

#include "Driver/CommandLine/CommandLine.h"
#include "Driver/Session.h"

#include <memory>
#include <string_view>
#include <utility>

namespace sdfgc::driver {

class Subcommand {
public:
    virtual ~Subcommand() = default;
    /// Declares the options and arguments besides the general ones.
    virtual void addOptions(CommandLine &line) = 0;
    /// Runs the subcommand. Errors are reported to session.diags, which determines the exit status.
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

/// The exit statuses and their meaning.
const std::vector<std::pair<int, std::string_view>> &exitStatuses();

/// The table, in its order.
const std::vector<SubcommandInfo> &subcommands();

} // namespace sdfgc::driver
