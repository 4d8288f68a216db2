#include "sdfgc/Driver/Driver.h"
#include "Driver/Subcommand.h"
#include "sdfgc/Support/Version.h"

#include <ostream>

namespace sdfgc::driver {
namespace {

constexpr std::string_view exitStatusHelp =
    "Exit status: 0 done, 1 the input is at fault, 2 the command line is at fault, 3 a compiler\n"
    "failed, 70 a bug in sdfgc.\n";

std::string overview() {
    std::string out = "usage: sdfgc SUBCOMMAND [arguments] [options]\n\n"
                      "Compiles SDFG files (.sdfg, .sdfgz) to libraries.\n\nSubcommands:\n";
    for (const SubcommandInfo &s : subcommands())
        out += "  " + s.name + std::string(10 - s.name.size(), ' ') + s.summary + "\n";
    return out + "\n`sdfgc SUBCOMMAND --help` describes a subcommand, `sdfgc --version` prints the version.\n" +
           std::string(exitStatusHelp);
}

const SubcommandInfo *findSubcommand(const std::string &name) {
    for (const SubcommandInfo &s : subcommands())
        if (s.name == name)
            return &s;
    return nullptr;
}

void reportNoSubcommand(const std::vector<std::string> &arguments, diag::Engine &d) {
    if (arguments.empty()) {
        d.report(diag::Id::SubcommandMissing, {});
        return;
    }
    const std::string &word = arguments[0];
    std::vector<std::string> names;
    for (const SubcommandInfo &s : subcommands())
        names.push_back(s.name);
    std::string near = diag::nearest(word, names);
    std::string hint = near.empty() ? "`sdfgc --help` lists the subcommands" : "did you mean `sdfgc " + near + "`?";
    if (word.starts_with("-"))
        d.report(diag::Id::OptionUnknown, {}, {word, "options come after the subcommand"});
    else
        d.report(diag::Id::SubcommandUnknown, {}, {word, hint});
}

/// How errors of the command line itself are to be printed, before it has been parsed.
void presetDiagnostics(const std::vector<std::string> &arguments, GeneralOptions &o) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        std::string value;
        if (arguments[i].starts_with("--diagnostics="))
            value = arguments[i].substr(arguments[i].find('=') + 1);
        else if (arguments[i] == "--diagnostics" && i + 1 < arguments.size())
            value = arguments[i + 1];
        if (value == "json" || value == "sarif")
            o.diagnostics = value;
    }
}

void runSubcommand(const SubcommandInfo &info, const std::vector<std::string> &arguments, Session &session) {
    CommandLine line(info.usage(), "sdfgc " + info.name + " " + info.summary + ".");
    std::unique_ptr<Subcommand> subcommand = info.create();
    subcommand->addOptions(line);
    session.general.addTo(line);
    switch (line.parse({arguments.begin() + 1, arguments.end()}, session.diags)) {
    case CommandLine::Result::Help:
        session.environment.out << line.help() << '\n' << exitStatusHelp;
        break;
    case CommandLine::Result::Ok:
        if (session.general.quiet && session.general.verbose)
            session.diags.report(diag::Id::OptionConflict, {}, {"--quiet", "--verbose"});
        session.readWarningOptions();
        if (!session.failed())
            subcommand->run(session);
        break;
    case CommandLine::Result::Error:
        break;
    }
}

} // namespace

const std::vector<SubcommandInfo> &subcommands() {
    static const std::vector<SubcommandInfo> table{
#define SDFGC_SUBCOMMAND(Create, Name, Arguments, Summary) {Name, Arguments, Summary, Create},
#include "Driver/Subcommands.def"
#undef SDFGC_SUBCOMMAND
    };
    return table;
}

int run(const std::vector<std::string> &arguments, Environment &environment) {
    const std::string first = arguments.empty() ? "" : arguments[0];
    if (first == "--version") {
        environment.out << "sdfgc " << version() << '\n';
        return environment.out.flush() ? Done : InputFault;
    }
    if (first == "--help" || first == "-h" || first == "help") {
        environment.out << overview();
        return environment.out.flush() ? Done : InputFault;
    }
    Session session(environment);
    presetDiagnostics(arguments, session.general);
    session.guard([&] {
        if (const SubcommandInfo *info = findSubcommand(first))
            runSubcommand(*info, arguments, session);
        else
            reportNoSubcommand(arguments, session.diags);
    });
    return session.finish();
}

} // namespace sdfgc::driver
