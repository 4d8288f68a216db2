#include "Driver/Execution/Agreement.h"
#include "Driver/Crash.h"
#include "Driver/Execution/ProgramRun.h"
#include "Driver/Reports/ProgressLine.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Process.h"

#include <ostream>
#include <utility>

namespace sdfgc::driver {

using diag::Id;

Agreement::Agreement(Session &session, const ir::SDFG &graph, const Compilation &compilation, const std::string &path)
    : session_(session), compilation_(compilation), path_(path),
      options_(compilation.pipeline.validation.validateOptions(graph.name, path)), graph_(ir::clone(graph)),
      reductions_(validate::reductionsOf(graph)) {
    // With --fp-model fast, the compiler is free in its handling of NaN and infinities.
    options_.inputs.finite = reductions_.compares || compilation.target.fpModel == pass::FpModel::Fast;
    diag::Engine refusals; // discarded here: the passes, which are not validated either, report them
    subject_ = interpreted(refusals);
}

std::unique_ptr<validate::Subject> Agreement::interpreted(diag::Engine &diags) const {
    return validate::interpreted(*graph_,
                                 {.compatDace = compilation_.target.hasDaceMeaning(),
                                  .file = options_.file,
                                  .seconds = options_.seconds,
                                  .largest = options_.inputs.largest,
                                  .native = options_.native},
                                 diags);
}

void Agreement::compare(const Compiled &made, const validate::Input &input, const Memory &memory) {
    if (!subject_)
        return;
    crash::setActivity("interpreting the graph");
    validate::Execution expected = validate::execute(*subject_, input.arguments);
    if (expected.timedOut || !expected.faults.empty()) {
        const std::string why = expected.timedOut ? "the interpreter takes longer than --validate-timeout allows"
                                                  : expected.faults.front().element + ": " + expected.faults.front().what;
        session_.diags.report(Id::NoUsableInput, {options_.file}, "with " + input.name + ", " + why);
        return;
    }
    judge(made, {input, std::move(expected)}, memory, true);
}

void Agreement::tryProgram(const Compiled &made, double seconds) {
    if (!subject_)
        return;
    seconds_ = seconds;
    crash::setActivity("comparing the program with the interpreter");
    std::string why;
    ProgressLine progress(session_);
    options_.progress = progress.toValidation();
    inputs_ = validate::usableInputs(validate::InputMaker(*graph_, options_.inputs), *subject_, options_, &why);
    options_.progress = nullptr;
    if (inputs_.empty())
        session_.diags.report(Id::NoUsableInput, {options_.file}, why);
    std::size_t agreed = 0;
    for (const validate::Judged &one : inputs_) {
        progress.show("calling the program with " + one.input.name);
        const std::optional<run::CallResult> result = call(made, one);
        if (!result)
            return;
        const bool isDone = result->status == run::CallResult::Status::Done;
        if (!reportCall(session_, &made, *result, isDone ? std::vector<std::string>() : kept(one.input)))
            return;
        const Outcome outcome = judge(made, one, result->memory, false);
        if (outcome == Outcome::Differs)
            return;
        agreed += outcome == Outcome::Agrees;
        progress.done("the program " +
                      std::string(outcome == Outcome::Agrees ? "agrees" : "differs in a result that the graph leaves unspecified") +
                      " with " + one.input.name);
    }
    progress.clear();
    if (!inputs_.empty())
        session_.environment.out << "the program agrees with the interpreter on " << agreed
                                 << (agreed < inputs_.size() ? " of " + std::to_string(inputs_.size()) : "") << " inputs\n";
}

/// If the program takes other arguments, reports this and returns nothing.
std::optional<run::CallResult> Agreement::call(const Compiled &made, const validate::Judged &judged) {
    const std::optional<run::Arguments> arguments = run::inOrderOf(*made.module, judged.input.arguments);
    if (!arguments) {
        session_.diags.report(Id::ProgramDiffers, {options_.file}, "it has different arguments", "");
        return std::nullopt;
    }
    session_.environment.out.flush(); // the program prints next
    return run::call(file::absolute(made.library), made.module->name.str(), *arguments, made.callOptions({.seconds = seconds_}));
}

namespace {

std::optional<validate::Difference> difference(const validate::Judged &judged, const std::vector<std::string> &memory) {
    validate::Execution compiled;
    compiled.memory = memory;
    return validate::compare(judged.input.arguments, judged.execution, compiled, pass::FloatClass::F1);
}

} // namespace

Agreement::Outcome Agreement::judge(const Compiled &made, const validate::Judged &judged, const Memory &memory, bool isGiven) {
    const auto found = difference(judged, memory);
    if (!found)
        return Outcome::Agrees;
    const std::string reason = doubt(made, judged, *found);
    if (reason.empty()) {
        report(judged, *found, isGiven);
        return Outcome::Differs;
    }
    if (std::exchange(isSaid_, true))
        return Outcome::Open;
    diag::Diagnostic &warning =
        session_.diags.report(Id::NotValidated, {options_.file}, "of this program", found->text() + ", but " + reason);
    warning.notes.push_back({{}, "with " + judged.input.name});
    warning.hint = "`--reductions ordered` fixes the order of sums, and calls the scalar functions in all iterations; a sequential "
                   "map fixes the order of pushes";
    return Outcome::Open;
}

void Agreement::report(const validate::Judged &judged, const validate::Difference &found, bool isGiven) {
    std::vector<std::string> command{"sdfgc", "bisect", path_, "--expect", "interpreter"};
    if (!isGiven)
        command.insert(command.end(), {"--input", inputFolder()});
    const std::vector<std::string> options = compilation_.arguments();
    command.insert(command.end(), options.begin(), options.end());
    diag::Diagnostic &error =
        session_.diags.report(Id::ProgramDiffers, {options_.file}, found.text(),
                              "`" + process::quoted(command) + "`" + (isGiven ? ", with the arguments," : "") + " finds the pass");
    const std::vector<std::string> notes = isGiven ? std::vector<std::string>{"with " + judged.input.name} : kept(judged.input);
    for (const std::string &note : notes)
        error.notes.push_back({{}, note});
}

std::string Agreement::inputFolder() const { return file::join(options_.folder, "input"); }

/// Saves a generated input, and returns notes with its name and folder.
std::vector<std::string> Agreement::kept(const validate::Input &input) const {
    const std::string folder = inputFolder();
    Result<void> written = file::removeTree(folder);
    if (written)
        written = file::makeFolder(folder);
    if (written)
        written = validate::writeInput(input, folder);
    return {"with " + input.name, written ? "the input is in " + folder + ": give it to run and bisect with --input"
                                          : "the input was not written: " + written.error()};
}

/// The reason why a difference may not mean wrong code; empty if there is none.
std::string Agreement::doubt(const Compiled &made, const validate::Judged &judged, const validate::Difference &found) {
    crash::setActivity("looking at a difference once more");
    if (const Name stream = validate::streamInAnyOrder(*graph_))
        return "iterations of a parallel map push to `" + stream.str() + "`: the order of its elements is unspecified";
    const std::string other = validate::changesFromRunToRun(judged, [this] {
        diag::Engine refusals;
        return interpreted(refusals);
    });
    if (!other.empty())
        return "in the interpreter, too, results change from run to run: " + other;
    // Functions may also decide comparisons and integers, and their results are not exact for any input.
    const bool functions = made.sources.vectorMath != pass::VectorMath::None;
    const bool sums = found.isReal && !judged.input.exact && reductions_.rounds &&
                      compilation_.target.reductions != pass::ReductionOrder::Ordered;
    if (!functions && !sums)
        return {};
    for (const validate::Judged &exact : inputs_)
        if (!functions && exact.input.exact && differs(made, exact))
            return {};
    if (differsInOrder(judged))
        return {};
    const std::string what = functions && sums ? "the order of a sum or the last bits of functions, which are"
                             : functions       ? "the last bits of functions, which are"
                                               : "the order of a sum, which is";
    return "with `--reductions ordered`, results agree: they depend on " + what + " unspecified";
}

bool Agreement::differs(const Compiled &made, const validate::Judged &judged) {
    const std::optional<run::CallResult> result = call(made, judged);
    return !result || result->status != run::CallResult::Status::Done || difference(judged, result->memory);
}

/// Does a program that computes all sums in the order of the graph, with scalar functions, also differ, or can it not be built?
bool Agreement::differsInOrder(const validate::Judged &judged) {
    if (compilation_.target.fpModel == pass::FpModel::Fast) // the compiler does not keep any order
        return false;
    const Result<file::TemporaryFolder> folder = file::TemporaryFolder::create("sdfgc-ordered");
    if (!folder)
        return true;
    Session quiet(session_.environment); // its diagnostics are not printed
    quiet.general = session_.general;
    quiet.general.quiet = true;
    Compilation ordered = compilation_;
    ordered.target.reductions = pass::ReductionOrder::Ordered;
    ordered.target.vectorMath = pass::VectorMath::None;
    ordered.pipeline.validation.validate = false;
    const std::optional<Compiled> made =
        ordered.run(quiet, {ir::clone(*graph_), nullptr}, path_, file::join(folder->path(), "build"), true);
    return !made || differs(*made, judged);
}

} // namespace sdfgc::driver
