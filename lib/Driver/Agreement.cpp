#include "Driver/Agreement.h"
#include "Driver/Crash.h"
#include "Driver/ProgramRun.h"
#include "sdfgc/Support/File.h"

#include <ostream>

namespace sdfgc::driver {

using diag::Id;

Agreement::Agreement(Session &session, const ir::SDFG &graph, const validate::ValidateOptions &options, bool compatDace)
    : session_(session), options_(options), graph_(ir::clone(graph)) {
    options_.inputs.finite = validate::reductionsOf(graph).compares;
    diag::Engine refusals; // the passes, which are not validated either, report them
    subject_ = validate::interpreted(*graph_,
                                     {.compatDace = compatDace,
                                      .file = options.file,
                                      .seconds = options.seconds,
                                      .largest = options.inputs.largest,
                                      .native = options.native},
                                     refusals);
}

void Agreement::compare(const validate::Input &input, const std::vector<std::string> &memory) {
    if (!subject_)
        return;
    crash::setActivity("interpreting the graph");
    const validate::Execution expected = validate::execute(*subject_, input.arguments);
    if (expected.faults.empty())
        agrees(input, expected, memory);
    else
        session_.diags.report(Id::NoUsableInput, {options_.file}, "with " + input.name + ", " + expected.faults.front().what);
}

void Agreement::tryProgram(const Compiled &made, double seconds) {
    if (!subject_)
        return;
    crash::setActivity("comparing the program with the interpreter");
    std::string why;
    const std::vector<validate::Judged> inputs =
        validate::usableInputs(validate::InputMaker(*graph_, options_.inputs), *subject_, options_, &why);
    if (inputs.empty())
        session_.diags.report(Id::NoUsableInput, {options_.file}, why);
    for (const validate::Judged &one : inputs)
        if (!call(made, one, seconds))
            return;
    if (!inputs.empty())
        session_.environment.out << "the program agrees with the interpreter on " << inputs.size() << " inputs\n";
}

bool Agreement::call(const Compiled &made, const validate::Judged &judged, double seconds) {
    const std::optional<run::Arguments> arguments = run::inOrderOf(*made.module, judged.input.arguments);
    if (!arguments) {
        session_.diags.report(Id::ProgramDiffers, {options_.file}, "it takes other arguments", "");
        return false;
    }
    session_.environment.out.flush(); // the program prints after it
    const run::CallResult result =
        run::call(file::absolute(made.library), made.module->name.str(), *arguments, {.seconds = seconds});
    return reportCall(session_, &made, result) && agrees(judged.input, judged.execution, result.memory);
}

bool Agreement::agrees(const validate::Input &input, const validate::Execution &expected, const std::vector<std::string> &memory) {
    validate::Execution compiled;
    compiled.memory = memory;
    const auto found = validate::compare(input.arguments, expected, compiled, pass::FloatClass::F1);
    if (found)
        session_.diags
            .report(Id::ProgramDiffers, {options_.file}, found->text(), "`sdfgc bisect --expect interpreter` finds the pass")
            .notes.push_back({{}, "with " + input.name});
    return !found;
}

} // namespace sdfgc::driver
