#include "Driver/Interpretation.h"
#include "Driver/Crash.h"
#include "sdfgc/Analysis/Access.h"
#include "sdfgc/Analysis/Symbols.h"
#include "sdfgc/Run/Values.h"
#include "sdfgc/Support/Time.h"

#include <cstring>

namespace sdfgc::driver {
namespace {

using diag::Id;

std::vector<tree::Param> parameters(const std::vector<analysis::Argument> &list, const std::map<Name, analysis::Access> &access) {
    std::vector<tree::Param> out;
    for (const analysis::Argument &a : list) {
        tree::Param p;
        p.name = p.cName = a.name;
        p.type = a.type;
        if (a.desc)
            p.desc = std::make_shared<ir::DataDesc>(*a.desc);
        if (const auto found = access.find(a.name); found != access.end()) {
            p.read = found->second.read;
            p.written = found->second.written;
        }
        out.push_back(std::move(p));
    }
    return out;
}

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

/// The value of a scalar that is no container.
void setSymbol(interpret::Program &p, const run::Argument &a) {
    if (a.type.isFloat()) {
        p.set(a.name, run::valueOf(a.type, a.data));
        return;
    }
    const std::string text = run::textOf(a.type, a.data);
    p.set(a.name, a.type.isBool() ? int64_t(text == "True") : static_cast<int64_t>(std::strtoll(text.c_str(), nullptr, 10)));
}

} // namespace

tree::Module interfaceOf(const ir::SDFG &graph) {
    tree::Module m;
    m.name = graph.name;
    const analysis::ArgumentList list = analysis::argumentList(graph);
    const std::map<Name, analysis::Access> access = analysis::containerAccess(graph);
    m.params = parameters(list.program, access);
    m.init = parameters(list.init, access);
    return m;
}

std::optional<run::CallResult> interpret(Session &s, std::unique_ptr<ir::SDFG> graph, const run::Arguments &arguments,
                                         const interpret::Options &options) {
    crash::setActivity("interpreting the graph");
    std::set<Name> containers;
    for (const auto &[name, d] : graph->arrays)
        containers.insert(name);
    const auto program = interpret::Program::prepare(std::move(graph), options, s.diags);
    if (!program)
        return std::nullopt;
    run::CallResult result;
    for (const run::Argument &a : arguments.all)
        result.memory.push_back(a.data);
    for (const auto &[symbol, value] : arguments.symbols)
        program->set(symbol, value);
    for (std::size_t k = 0; k < arguments.all.size(); ++k) {
        const run::Argument &a = arguments.all[k];
        if (containers.count(a.name))
            program->bind(a.name, a.isNull ? nullptr : result.memory[k].data());
        else
            setSymbol(*program, a);
    }
    Timer timer;
    const std::vector<interpret::Report> found = program->run();
    result.seconds.push_back(timer.seconds());
    for (const interpret::Report &r : found)
        report(s, options.file, r);
    if (program->timedOut())
        result.status = run::CallResult::Status::TimedOut;
    return result;
}

} // namespace sdfgc::driver
