// One run of a subcommand: diagnostics, general options, progress, and steps shared by several subcommands.
#pragma once

#include "Driver/CommandLine/CommandLine.h"
#include "sdfgc/Driver/Driver.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Support/Log.h"
#include "sdfgc/Support/Time.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace sdfgc::driver {

/// The contents of a file: a graph or a schedule tree.
struct Input {
    std::unique_ptr<ir::SDFG> graph;
    std::unique_ptr<tree::Module> tree;
    explicit operator bool() const { return graph || tree; }
    Name name() const { return tree ? tree->name : graph->name; }
    /// The program for passes. A graph is still owned here; a tree is moved out.
    pass::Program program() { return tree ? pass::Program(std::move(tree)) : pass::Program(*graph, nullptr); }
};

enum class DiagnosticForm : uint8_t { Text, Json, Sarif };
enum class ColorUse : uint8_t { Auto, Always, Never };

/// Options of every subcommand.
struct GeneralOptions {
    DiagnosticForm diagnostics = DiagnosticForm::Text;
    ColorUse color = ColorUse::Auto;
    std::string timeTrace;
    std::vector<std::string> warnings; // of -W, as given
    int verbose = 0;                   // 2: in full detail
    bool quiet = false;
    void addTo(CommandLine &line);
};

class Session {
public:
    explicit Session(Environment &e) : environment(e) {}

    Environment &environment;
    GeneralOptions general;
    diag::Engine diags;
    std::vector<pass::Remark> missed;         // of --explain-missed, for the log of --diagnostics sarif
    std::optional<std::string> standardInput; // once it has been read
    int interruptedBy = 0;                    // signal that stopped a compiler run

    /// Progress messages on standard error: with -v, and in detail with -vv; results on a terminal always, unless -q is given.
    /// Nothing besides diagnostics if these are machine-readable. Must be called once the options are known.
    Log &log();
    /// The trace for --time-trace, or null.
    TimeTrace *trace();

    /// Reads a graph or, from a file that ends with `.sdfgtree`, a tree (`-`: standard input, whose first word determines which),
    /// and verifies the rules for files. Nothing after errors.
    Input read(const std::string &path);
    /// The same if only graphs are supported: a tree is an error.
    std::unique_ptr<ir::SDFG> readGraph(const std::string &path);
    /// Writes a file atomically, or to standard output for `-`; reports a failure.
    bool writeOutput(const std::string &path, const std::string &content);
    /// Writes pages in Markdown, each {name, text}, into a folder.
    void writePages(const std::string &folder, const std::vector<std::pair<std::string, std::string>> &pages);
    /// Runs `work` and reports exceptions. Exceptions are not part of any interface here: one that gets this far is a bug in sdfgc
    /// or out of memory.
    void guard(const std::function<void()> &work);
    /// Are there errors, or warnings that -W turns into errors?
    bool failed() const;
    /// Applies the -W options; reports unknown names.
    void readWarningOptions();

    /// Writes the trace, prints the diagnostics, and returns the exit status (128 + signal after an interrupt, as in shells).
    int finish();

private:
    enum class Control { Ignore, Warn, Error };
    void readWarningOption(const std::string &text);
    diag::Severity severityOf(const diag::Diagnostic &d) const;
    bool ignored(const diag::Diagnostic &d) const;
    void printDiagnostics();
    void printSarif(const std::vector<diag::Diagnostic> &all);
    void printForPeople(std::vector<diag::Diagnostic> all);
    std::map<diag::Id, Control> controls_; // for warnings and remarks
    bool warningsAreErrors_ = false;
    std::optional<TimeTrace> trace_;
    std::optional<Log> log_;
};

/// The exit status for the errors: in descending order of priority, those for a bug, a failed compiler, the command line, and the
/// input.
int exitStatus(const diag::Engine &d);

} // namespace sdfgc::driver

namespace sdfgc {
template <> struct Words<driver::DiagnosticForm> { static constexpr std::string_view list[] = {"text", "json", "sarif"}; };
template <> struct Words<driver::ColorUse> { static constexpr std::string_view list[] = {"auto", "always", "never"}; };
} // namespace sdfgc
