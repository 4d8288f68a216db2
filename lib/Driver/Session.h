// One run of a subcommand: diagnostics, general options, progress, and the steps that several subcommands share.
#pragma once

#include "Driver/CommandLine.h"
#include "sdfgc/Driver/Driver.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Support/Log.h"
#include "sdfgc/Support/Time.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace sdfgc::driver {

/// What a file holds: a graph, or a schedule tree.
struct Input {
    std::unique_ptr<ir::SDFG> graph;
    std::unique_ptr<tree::Module> tree;
    explicit operator bool() const { return graph || tree; }
    Name name() const { return tree ? tree->name : graph->name; }
    /// For passes. A graph stays here; a tree goes.
    pass::Program program() { return tree ? pass::Program(std::move(tree)) : pass::Program(*graph, nullptr); }
};

enum class DiagnosticForm : uint8_t { Text, Json, Sarif };
enum class ColorUse : uint8_t { Auto, Always, Never };

/// What every subcommand takes.
struct GeneralOptions {
    DiagnosticForm diagnostics = DiagnosticForm::Text;
    ColorUse color = ColorUse::Auto;
    std::string timeTrace;
    std::vector<std::string> warnings; // of -W, as given
    int verbose = 0;                   // 2: in every detail
    bool quiet = false;
    void addTo(CommandLine &line);
};

class Session {
public:
    explicit Session(Environment &e) : environment(e) {}

    Environment &environment;
    GeneralOptions general;
    diag::Engine diags;
    std::vector<pass::Remark> missed; // of --explain-missed, for the log of --diagnostics sarif
    int interruptedBy = 0;            // signal that stopped a compiler run

    /// What is done, on standard error: with -v, and in detail with -vv; results on a terminal always, unless -q. Nothing beside
    /// diagnostics for machines. Call it when the options are known.
    Log &log();
    /// The trace for --time-trace, or null.
    TimeTrace *trace();

    /// Reads a graph or, from a file that ends with `.sdfgtree`, a tree (`-`: standard input, of which the first word says what it
    /// is), and verifies what every one from a file must fulfil. Nothing after errors.
    Input read(const std::string &path);
    /// The same for what takes graphs alone: a tree is an error.
    std::unique_ptr<ir::SDFG> readGraph(const std::string &path);
    /// Writes a file in one step, or to standard output for `-`; reports a failure.
    bool writeOutput(const std::string &path, const std::string &content);
    /// Writes pages in Markdown, each {name, text}, into a folder.
    void writePages(const std::string &folder, const std::vector<std::pair<std::string, std::string>> &pages);
    /// Runs `work`; what it throws is reported. Exceptions are no part of any interface here: one that arrives is a bug in sdfgc or
    /// a lack of memory.
    void guard(const std::function<void()> &work);
    /// Are there errors, or warnings that -W makes errors?
    bool failed() const;
    /// Reads what -W says; wrong names are reported.
    void readWarningOptions();

    /// Writes the trace, prints the diagnostics, and says what the process returns (128 + signal after an interrupt, as shells do).
    int finish();

private:
    enum class Control { Ignore, Warn, Error };
    void readWarningOption(const std::string &text);
    diag::Severity severityOf(const diag::Diagnostic &d) const;
    bool ignored(const diag::Diagnostic &d) const;
    void printDiagnostics();
    void printSarif(const std::vector<diag::Diagnostic> &all);
    void printForPeople(std::vector<diag::Diagnostic> all);
    std::map<diag::Id, Control> controls_; // of warnings and remarks
    bool warningsAreErrors_ = false;
    std::optional<TimeTrace> trace_;
    std::optional<Log> log_;
};

/// The exit status that the errors ask for: a bug wins over a failed compiler, that over the command line, that over the input.
int exitStatus(const diag::Engine &d);

} // namespace sdfgc::driver

namespace sdfgc {
template <> struct Words<driver::DiagnosticForm> { static constexpr std::string_view list[] = {"text", "json", "sarif"}; };
template <> struct Words<driver::ColorUse> { static constexpr std::string_view list[] = {"auto", "always", "never"}; };
} // namespace sdfgc
