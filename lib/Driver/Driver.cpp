// Reads the command line, runs the subcommand and returns the exit status. Where to find what:
//
//     Commands/     a file for each subcommand (Build.cpp: also emit; PassesAndTargets.cpp: passes and targets)
//     CommandLine/  declares and parses options; options shared by several subcommands; help; the table behind completions and the
//                   manual
//     Compilation/  from a graph to its library: the pipeline, the build folder, the program's name; compiler errors and bugs
//     Execution/    calls programs, compiled or interpreted, on one rank or several; compares results and gradients
//     Reports/      output of subcommands about programs, graphs, messages, remarks and progress
//
// A subcommand implements Subcommand.h and works in a Session. Crash.h prepares the report of a crash.
#include "sdfgc/Driver/Driver.h"
#include "Driver/CommandLine/CommandTable.h"
#include "Driver/VersionText.h"

#include <algorithm>
#include <ostream>

namespace sdfgc::driver {
namespace {

/// `Exit status: 0 done, ...`, in lines.
std::string exitStatusHelp() {
    std::string out = "Exit status:", line;
    for (const auto &[status, meaning] : exitStatuses()) {
        const std::string next = " " + std::to_string(status) + " " + std::string(meaning) + (status == InternalFault ? "." : ",");
        if (out.size() - (out.rfind('\n') + 1) + next.size() > 95)
            out += "\n";
        out += out.back() == '\n' ? next.substr(1) : next;
    }
    return out + "\n";
}

/// `Examples:`, each below its purpose.
std::string exampleHelp(const std::string &subcommand) {
    std::string out = "Examples:\n";
    for (const Example &example : examples())
        if (example.subcommand == subcommand)
            out += "  # " + std::string(example.purpose) + "\n  " + example.commandLine() + "\n";
    return out;
}

std::string overview() {
    std::string out = "usage: sdfgc SUBCOMMAND [arguments] [options]\n\n"
                      "Compiles SDFG files (.sdfg, .sdfgz, .sdfgt) to libraries.\n\nSubcommands:\n";
    std::size_t width = 0;
    for (const SubcommandInfo &s : subcommands())
        width = std::max(width, s.name.size() + 2);
    for (const SubcommandInfo &s : subcommands())
        out += "  " + s.name + std::string(width - s.name.size(), ' ') + s.summary + "\n";
    return out + "\n`sdfgc SUBCOMMAND --help` describes a subcommand, `sdfgc --version` (-V) prints the version.\n" +
           exitStatusHelp();
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
        d.report(diag::Id::OptionUnknown, {}, word, "options come after the subcommand");
    else
        d.report(diag::Id::SubcommandUnknown, {}, word, hint);
}

/// The format for errors in the command line itself, determined before it is parsed.
void presetDiagnostics(const std::vector<std::string> &arguments, GeneralOptions &o) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        std::string value;
        if (arguments[i].starts_with("--diagnostics="))
            value = arguments[i].substr(arguments[i].find('=') + 1);
        else if (arguments[i] == "--diagnostics" && i + 1 < arguments.size())
            value = arguments[i + 1];
        if (const std::optional<DiagnosticForm> form = parseWord<DiagnosticForm>(value); form && form != DiagnosticForm::Text)
            o.diagnostics = *form;
    }
}

void runSubcommand(const SubcommandInfo &info, const std::vector<std::string> &arguments, Session &session) {
    CommandLine line(info.usage(), "sdfgc " + info.name + " " + info.summary + ".");
    std::unique_ptr<Subcommand> subcommand = info.create();
    subcommand->addOptions(line);
    session.general.addTo(line);
    switch (line.parse({arguments.begin() + 1, arguments.end()}, session.diags)) {
    case CommandLine::Result::Help:
        session.environment.out << line.help() << '\n' << exampleHelp(info.name) << '\n' << exitStatusHelp();
        break;
    case CommandLine::Result::Ok:
        if (session.general.quiet && session.general.verbose)
            session.diags.report(diag::Id::OptionConflict, {}, "--quiet", "--verbose");
        session.readWarningOptions();
        if (!session.failed())
            subcommand->run(session);
        break;
    case CommandLine::Result::Error:
        break;
    }
}

} // namespace

const std::vector<std::pair<int, std::string_view>> &exitStatuses() {
    static const std::vector<std::pair<int, std::string_view>> table{{Done, "done"},
                                                                     {InputFault, "the input is invalid"},
                                                                     {UsageFault, "the command line is invalid"},
                                                                     {CompilerFault, "a compiler failed"},
                                                                     {InternalFault, "a bug in sdfgc"}};
    return table;
}

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
    if (first == "--version" || first == "-V") {
        environment.out << "sdfgc " << versionText() << '\n';
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
