#include "Driver/Session.h"
#include "Driver/Crash.h"
#include "Driver/Reports/Remarks.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Diag/Explain.h"
#include "sdfgc/Serialize/Serialize.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Process.h"
#include "sdfgc/Tree/Text.h"
#include "sdfgc/Tree/Verify.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <ostream>

namespace sdfgc::driver {
namespace {

using diag::Id;

enum class Fault { None, Input, Usage, Compiler, Internal };

Fault faultOf(const diag::Diagnostic &d) {
    if (d.severity != diag::Severity::Error)
        return Fault::None;
    switch (d.id) {
    case Id::InternalError:
    case Id::PassBrokeGraph:
    case Id::ResultsChanged:
        return Fault::Internal;
    case Id::CompilerNotFound:
    case Id::CompilerUnusable:
    case Id::CompileFailed:
    case Id::LinkFailed:
        return Fault::Compiler;
    case Id::SubcommandMissing:
    case Id::SubcommandUnknown:
    case Id::OptionUnknown:
    case Id::OptionValueUnknown:
    case Id::OptionMisused:
    case Id::OptionConflict:
    case Id::ArgumentMissing:
    case Id::ArgumentUnexpected:
    case Id::PassNotInPipeline:
    case Id::PassOrder:
    case Id::LevelTooLow:
        return Fault::Usage;
    default:
        return d.place.file == "--passes" || d.place.file == "--pass-option" ? Fault::Usage : Fault::Input;
    }
}

/// Is there a bug in sdfgc to report that has no reproducer yet? Bugs found by --validate have one.
bool leavesNothing(const diag::Engine &diags) {
    return std::any_of(diags.all().begin(), diags.all().end(),
                       [](const diag::Diagnostic &d) { return faultOf(d) == Fault::Internal && d.id != Id::ResultsChanged; });
}

/// Users read only the first few of many similar diagnostics about different elements. Removes the others from the list, and
/// returns a line per kind with their number.
std::vector<std::string> leaveOutRepeats(std::vector<diag::Diagnostic> &all) {
    std::map<Id, std::size_t> seen;
    auto most = [](const diag::Diagnostic &d) { return d.severity == diag::Severity::Error ? 20u : 3u; };
    std::erase_if(all, [&](const diag::Diagnostic &d) { return ++seen[d.id] > most(d); });
    std::vector<std::string> lines;
    for (const auto &[id, count] : seen) {
        const auto shown = static_cast<std::size_t>(
            std::count_if(all.begin(), all.end(), [wanted = id](const diag::Diagnostic &d) { return d.id == wanted; }));
        if (shown < count)
            lines.push_back(std::to_string(count - shown) + " more like the last [" + std::string(diag::info(id).code) +
                            "]; --verbose shows all");
    }
    return lines;
}

} // namespace

int exitStatus(const diag::Engine &d) {
    Fault worst = d.hasErrors() ? Fault::Input : Fault::None;
    for (const diag::Diagnostic &x : d.all())
        worst = std::max(worst, faultOf(x));
    switch (worst) {
    case Fault::None:
        return Done;
    case Fault::Input:
        return InputFault;
    case Fault::Usage:
        return UsageFault;
    case Fault::Compiler:
        return CompilerFault;
    case Fault::Internal:
        break;
    }
    return InternalFault;
}

void GeneralOptions::addTo(CommandLine &line) {
    line.group("General options");
    line.choice("--diagnostics", diagnostics, "format of errors, warnings and remarks on standard error");
    line.choice("--color", color, "when to use colours; `auto`: on a terminal, unless NO_COLOR is set");
    line.texts(
        "-W", warnings, "NAME",
        "-Werror turns warnings into errors; -Werror=CODE and -Wno-error=CODE do so, or not, for one kind; -Wno-CODE hides it");
    line.count("-v,--verbose", verbose, "report each step; -vv adds details and times");
    line.flag("-q,--quiet", quiet, "suppress warnings, remarks and progress");
    line.text("--time-trace", timeTrace, "FILE", "write a profile in Chrome's trace format");
}

void Session::readWarningOptions() {
    for (const std::string &text : general.warnings)
        readWarningOption(text);
}

/// `error`, `error=CODE`, `no-error`, `no-error=CODE`, `CODE`, `no-CODE`; later ones win.
void Session::readWarningOption(const std::string &text) {
    std::string_view rest = text;
    const bool negated = rest.starts_with("no-");
    rest.remove_prefix(negated ? 3 : 0);
    if (rest == "error") {
        warningsAreErrors_ = !negated;
        return;
    }
    const bool error = rest.starts_with("error=");
    rest.remove_prefix(error ? 6 : 0);
    const std::optional<Id> id = diag::findKind(rest);
    if (!id) {
        std::vector<std::string> names{"error", "no-error"};
        for (const diag::Info &kind : diag::allKinds()) {
            names.emplace_back(kind.name);
            names.emplace_back(kind.code);
        }
        const std::string near = diag::nearest(rest, names);
        diags.report(Id::OptionValueUnknown, {}, text, "-W",
                     near.empty() ? "`sdfgc explain` lists the diagnostics" : "did you mean `" + near + "`?");
        return;
    }
    const diag::Severity severity = diag::info(*id).severity;
    if (severity == diag::Severity::Error || severity == diag::Severity::Note) {
        diags.report(Id::OptionValueUnknown, {}, text, "-W", "only warnings and remarks can be controlled");
        return;
    }
    controls_[*id] = error ? (negated ? Control::Warn : Control::Error) : negated ? Control::Ignore : Control::Warn;
}

bool Session::ignored(const diag::Diagnostic &d) const {
    const auto control = controls_.find(d.id);
    return control != controls_.end() && control->second == Control::Ignore;
}

diag::Severity Session::severityOf(const diag::Diagnostic &d) const {
    const auto control = controls_.find(d.id);
    if (control != controls_.end() && control->second != Control::Ignore)
        return control->second == Control::Error ? diag::Severity::Error : diag::Severity::Warning;
    return warningsAreErrors_ && d.severity == diag::Severity::Warning ? diag::Severity::Error : d.severity;
}

bool Session::failed() const {
    return diags.hasErrors() || std::any_of(diags.all().begin(), diags.all().end(), [&](const diag::Diagnostic &d) {
               return !ignored(d) && severityOf(d) == diag::Severity::Error;
           });
}

Log &Session::log() {
    if (!log_) {
        Log::Level level = environment.errIsTerminal ? Log::Level::Result : Log::Level::Off;
        if (general.quiet || general.diagnostics != DiagnosticForm::Text)
            level = Log::Level::Off;
        else if (general.verbose > 0)
            level = general.verbose > 1 ? Log::Level::Debug : Log::Level::Info;
        log_.emplace(environment.err, level);
    }
    return *log_;
}

TimeTrace *Session::trace() {
    if (!general.timeTrace.empty() && !trace_)
        trace_.emplace();
    return trace_ ? &*trace_ : nullptr;
}

namespace {

/// Parses a file as it is. `given`: standard input, if it has been read.
Input parseInput(const std::string &path, std::optional<std::string> &given, diag::Engine &diags) {
    if (path != "-" && !path.ends_with(tree::fileSuffix))
        return {serialize::readFile(path, diags), nullptr};
    const bool standardInput = path == "-";
    Result<std::string> text = standardInput && given ? *given : file::read(standardInput ? "/dev/stdin" : path);
    if (!text) {
        if (standardInput)
            diags.report(Id::InputFailed, {}, text.error());
        else
            diags.report(Id::FileUnreadable, {path}, text.error());
        return {};
    }
    if (standardInput)
        given = *text;
    const std::string name = standardInput ? "<stdin>" : path;
    if (standardInput && !tree::isTreeText(*text))
        return {serialize::readText(std::move(*text), name, diags), nullptr};
    return {nullptr, tree::parse(*text, name, diags)};
}

} // namespace

Input Session::read(const std::string &path) {
    log().info("reading {}", path);
    crash::setActivity("reading the program");
    crash::setInput(path);
    Input in;
    {
        TimeTrace::Scope scope(trace(), "read", path);
        in = parseInput(path, standardInput, diags);
    }
    if (!in || failed())
        return {};
    log().info("verifying");
    crash::setActivity("verifying the program");
    TimeTrace::Scope scope(trace(), "verify", in.tree ? "lowered" : "loaded");
    if (in.tree)
        tree::verify(*in.tree, diags);
    else
        analysis::verify(*in.graph, in.graph->level, diags, path);
    return failed() ? Input() : std::move(in);
}

std::unique_ptr<ir::SDFG> Session::readGraph(const std::string &path) {
    Input in = read(path);
    if (in.tree)
        diags.report(Id::TreeNotTaken, {path});
    return std::move(in.graph);
}

bool Session::writeOutput(const std::string &path, const std::string &content) {
    if (path == "-") {
        environment.out << content;
        return true;
    }
    Result<void> written = file::writeAtomic(path, content);
    if (!written)
        diags.report(Id::OutputFailed, {}, written.error());
    return bool(written);
}

void Session::writePages(const std::string &folder, const std::vector<std::pair<std::string, std::string>> &pages) {
    if (Result<void> made = file::makeFolder(folder); !made) {
        diags.report(diag::Id::OutputFailed, {}, made.error());
        return;
    }
    for (const auto &[name, text] : pages)
        writeOutput(file::join(folder, name + ".md"), text);
}

void Session::guard(const std::function<void()> &work) {
    try {
        work();
    } catch (const std::bad_alloc &) {
        diags.report(Id::OutOfMemory, {});
    } catch (const std::exception &e) {
        diags.report(Id::InternalError, {}, std::string(e.what()) + " while " + crash::activity());
    }
}

int Session::finish() {
    if (trace_)
        writeOutput(general.timeTrace, trace_->chromeJson());
    if (!environment.out.flush())
        diags.report(Id::OutputFailed, {}, "cannot write to standard output");
    int status = exitStatus(diags);
    if (status == Done && failed())
        status = InputFault;
    if (leavesNothing(diags))
        diags.report(Id::Reproducer, {}, crash::writeReproducer());
    printDiagnostics();
    const int signal = interruptedBy != 0 ? interruptedBy : process::Set::interrupted();
    return signal != 0 ? 128 + signal : status;
}

void Session::printDiagnostics() {
    std::vector<diag::Diagnostic> all = diags.sorted();
    std::erase_if(all, [&](const diag::Diagnostic &d) { return ignored(d); });
    for (diag::Diagnostic &d : all)
        d.severity = severityOf(d);
    if (general.quiet)
        std::erase_if(all, [](const diag::Diagnostic &d) {
            return d.severity == diag::Severity::Warning || d.severity == diag::Severity::Remark;
        });
    if (general.diagnostics == DiagnosticForm::Json)
        diag::printJson(environment.err, all);
    else if (general.diagnostics == DiagnosticForm::Sarif)
        printSarif(all);
    else
        printForPeople(std::move(all));
    environment.err.flush();
}

void Session::printSarif(const std::vector<diag::Diagnostic> &all) {
    diag::SarifLog log;
    log.add(all);
    addResults(missed, log);
    environment.err << std::move(log).text();
}

void Session::printForPeople(std::vector<diag::Diagnostic> all) {
    const std::size_t count = all.size();
    const std::vector<std::string> leftOut = general.verbose ? std::vector<std::string>() : leaveOutRepeats(all);
    const char *noColor = std::getenv("NO_COLOR");
    const bool automatic = environment.errIsTerminal && !(noColor && *noColor);
    diag::printText(environment.err, all,
                    {general.color == ColorUse::Always || (general.color == ColorUse::Auto && automatic), true});
    for (const std::string &line : leftOut)
        environment.err << "sdfgc: " << line << '\n';
    if (std::string summary = diags.summary(); !summary.empty() && count > 1)
        environment.err << "sdfgc: " << summary << '\n';
}

} // namespace sdfgc::driver
