#include "Driver/Interpretation.h"
#include "Driver/Crash.h"
#include "sdfgc/Validate/Execution.h"

namespace sdfgc::driver {
namespace {

using diag::Id;

diag::Kind<std::string> diagnosticOf(interpret::FaultKind kind) {
    using interpret::FaultKind;
    switch (kind) {
    case FaultKind::NotWritten:
        return Id::NeverWritten;
    case FaultKind::Outside:
    case FaultKind::NoMemory:
        return Id::OutsideMemory;
    case FaultKind::OutsideShape:
        return Id::OutsideShape;
    case FaultKind::Race:
        return Id::UnorderedAccess;
    case FaultKind::DivisionByZero:
        return Id::DividedByZero;
    case FaultKind::NegativeSize:
    case FaultKind::ZeroStep:
        return Id::ImpossibleSize;
    case FaultKind::EmptyStream:
        return Id::EmptyStream;
    }
    __builtin_unreachable();
}

void report(Session &s, const std::string &file, const interpret::Report &r) {
    diag::Location place;
    place.file = file;
    place.element = r.element;
    place.source = {r.source.file, r.source.startLine, r.source.startColumn, r.source.endLine, r.source.endColumn};
    s.diags.report(diagnosticOf(r.kind), place, r.what);
}

} // namespace

std::optional<run::CallResult> interpret(Session &s, const ir::SDFG &graph, const run::Arguments &arguments,
                                         const interpret::Options &options) {
    crash::setActivity("interpreting the graph");
    const std::unique_ptr<validate::Subject> program = validate::interpreted(graph, options, s.diags);
    if (!program)
        return std::nullopt;
    validate::Execution done = program->run(arguments);
    for (const interpret::Report &r : done.faults)
        report(s, options.file, r);
    run::CallResult result;
    result.memory = std::move(done.memory);
    result.seconds.push_back(done.seconds);
    if (done.timedOut)
        result.status = run::CallResult::Status::TimedOut;
    return result;
}

} // namespace sdfgc::driver
