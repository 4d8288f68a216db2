#include "Driver/Execution/Interpretation.h"
#include "Driver/Crash.h"

namespace sdfgc::driver {
namespace {

using diag::Id;

diag::MessageKind<std::string> diagnosticOf(interpret::FaultKind kind) {
    using interpret::FaultKind;
    switch (kind) {
    case FaultKind::NotWritten:
        return Id::NeverWritten;
    case FaultKind::Outside:
    case FaultKind::NoMemory:
    case FaultKind::TooLarge:
        return Id::OutsideMemory;
    case FaultKind::OutsideShape:
        return Id::OutsideShape;
    case FaultKind::Race:
        return Id::UnorderedAccess;
    case FaultKind::DivisionByZero:
        return Id::DividedByZero;
    case FaultKind::Conversion:
        return Id::DoesNotFit;
    case FaultKind::Shift:
        return Id::ShiftTooFar;
    case FaultKind::NegativeSize:
    case FaultKind::ZeroStep:
        return Id::ImpossibleSize;
    case FaultKind::Native:
        return Id::NativeFault;
    case FaultKind::EmptyStream:
        return Id::EmptyStream;
    case FaultKind::OtherMemory:
        return Id::OtherMemory;
    }
    __builtin_unreachable();
}

diag::Location placeOf(const std::string &file, const std::string &element, const ir::DebugInfo &source) {
    diag::Location place;
    place.file = file;
    place.element = element;
    place.source = {source.file, source.startLine, source.startColumn, source.endLine, source.endColumn};
    return place;
}

void report(Session &s, const std::string &file, const interpret::Report &r) {
    diag::Diagnostic &d = s.diags.report(diagnosticOf(r.kind), placeOf(file, r.element, r.source), r.what);
    if (r.other.element.empty())
        return;
    const std::string subset = r.other.subset.empty() ? "" : " (" + r.other.subset + ")";
    d.notes.push_back(
        {placeOf(file, r.other.element, r.other.source),
         (r.other.element == r.element ? "the other access, of another iteration, is here" : "the other access is here") + subset});
}

} // namespace

run::CallResult interpret(Session &s, validate::Subject &program, const run::Arguments &arguments, const std::string &file) {
    crash::setActivity("interpreting the program");
    validate::Execution done = program.run(arguments);
    for (const interpret::Report &r : done.faults)
        report(s, file, r);
    run::CallResult result;
    result.memory = std::move(done.memory);
    result.seconds.push_back(done.seconds);
    result.held = done.held;
    if (done.timedOut)
        result.status = run::CallResult::Status::TimedOut;
    return result;
}

} // namespace sdfgc::driver
