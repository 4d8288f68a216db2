// sdfgc man: the manual page, generated from the command line's tables.
#include "Driver/CommandLine/CommandTable.h"
#include "sdfgc/Support/TextWriter.h"
#include "sdfgc/Support/Version.h"

namespace sdfgc::driver {
namespace {

/// Escapes text so that roff prints it literally; `-` becomes the typeable one.
std::string roff(std::string_view text) {
    std::string out;
    for (char c : text)
        out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    return !out.empty() && (out[0] == '.' || out[0] == '\'') ? "\\&" + out : out;
}

std::string bold(const std::string &text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(const std::string &text) { return "\\fI" + roff(text) + "\\fR"; }

void options(TextWriter &w, const std::vector<OptionRow> &rows, bool general) {
    for (const OptionRow &row : rows) {
        if ((row.group == "General options") != general || row.group == "Arguments")
            continue;
        std::string head;
        for (const std::string &n : optionNames(row))
            head += (head.empty() ? "" : ", ") + bold(n);
        w.line(".TP");
        w.line(head + (row.placeholder.empty() ? "" : " " + italic(row.placeholder)));
        w.line(roff(row.help));
    }
}

} // namespace

std::string manualPage() {
    const std::vector<CommandRows> commands = commandTable();
    TextWriter w;
    w.line(".\\\" Written by `sdfgc man`.");
    w.line(".TH SDFGC 1 \"\" \"sdfgc " + roff(version()) + "\" \"User Commands\"");
    w.line(".SH NAME");
    w.line("sdfgc \\- ahead\\-of\\-time compiler for stateful dataflow multigraphs (SDFGs)");
    w.line(".SH SYNOPSIS");
    for (const CommandRows &c : commands) {
        w.line(".B sdfgc " + roff(c.info->name));
        w.line((c.info->arguments.empty() ? "" : italic(c.info->arguments) + " ") + "[options]");
        w.line(".br");
    }
    w.line(".SH DESCRIPTION");
    w.line("Compiles SDFG files (.sdfg, .sdfgz, .sdfgt), the graphs of DaCe, to readable sources and shared libraries. A graph "
           "named \\- "
           "is read from");
    w.line("standard input. Results go to standard output, everything else to standard error.");
    w.line(".SH SUBCOMMANDS");
    for (const CommandRows &c : commands) {
        w.line(".SS sdfgc " + roff(c.info->name) + (c.info->arguments.empty() ? "" : " " + roff(c.info->arguments)));
        w.line(roff(c.info->summary) + ".");
        options(w, c.rows, false);
    }
    w.line(".SH GENERAL OPTIONS");
    w.line("Every subcommand takes these.");
    options(w, commands.front().rows, true);
    w.line(".SH EXIT STATUS");
    for (const auto &[status, meaning] : exitStatuses()) {
        w.line(".TP");
        w.line(std::to_string(status));
        w.line(roff(meaning) + ".");
    }
    w.line(".SH ENVIRONMENT");
#define SDFGC_VARIABLE(Name, Meaning)                                                                                              \
    w.line(".TP");                                                                                                                 \
    w.line(bold(Name));                                                                                                            \
    w.line(roff(Meaning) + ".");
#include "Driver/CommandLine/EnvironmentVariables.def"
#undef SDFGC_VARIABLE
    w.line(".SH EXAMPLES");
    for (const Example &example : examples()) {
        w.line(".TP");
        w.line(bold(example.commandLine()));
        w.line(roff(example.purpose) + ".");
    }
    return w.take();
}

namespace {

class Manual : public Subcommand {
    void addOptions(CommandLine &line) override {
        line.group("Output");
        line.text("-o,--output", output_, "FILE", "file for the page (default: standard output)");
    }
    void run(Session &s) override { s.writeOutput(output_, manualPage()); }
    std::string output_ = "-";
};

} // namespace

std::unique_ptr<Subcommand> createManual() { return std::make_unique<Manual>(); }

} // namespace sdfgc::driver
