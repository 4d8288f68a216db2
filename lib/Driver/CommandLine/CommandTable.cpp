#include "Driver/CommandLine/CommandTable.h"

#include "Driver/Compilation/PipelineOptions.h"
#include "sdfgc/Diag/Reason.h"
#include "sdfgc/LibraryNodes/LibraryNodes.h"
#include "sdfgc/Targets/Targets.h"

#include <algorithm>
#include <set>

namespace sdfgc::driver {
namespace {

const OptionRow *firstArgument(const CommandRows &command) {
    for (const OptionRow &row : command.rows)
        if (row.group == "Arguments")
            return &row;
    return nullptr;
}

std::vector<std::string> passNames() {
    std::vector<std::string> out;
    for (const pass::PassInfo &p : passRegistry().all())
        out.push_back(p.name);
    return out;
}

/// Names as accepted by `sdfgc nodes`: `Gemm`, or `blas.Gemm` with the library.
std::vector<std::string> nodeNames() {
    std::set<std::string> out;
    for (const libnodes::Definition &d : libnodes::all())
        if (d.className == "*") // any node of the library
            out.emplace(d.library);
        else
            out.insert({std::string(d.className), std::string(d.library) + "." + std::string(d.className)});
    return {out.begin(), out.end()};
}

/// Codes as accepted by `sdfgc explain`.
std::vector<std::string> codes() {
    std::vector<std::string> out;
    for (const diag::Info &kind : diag::allKinds())
        out.emplace_back(kind.code);
    for (const diag::Info &kind : diag::allKinds())
        out.emplace_back(kind.name);
    for (const diag::Why why : diag::allReasons())
        out.emplace_back(diag::info(why).code);
    return out;
}

} // namespace

std::vector<CommandRows> commandTable() {
    std::vector<CommandRows> out;
    for (const SubcommandInfo &info : subcommands()) {
        CommandLine line(info.usage(), "");
        std::unique_ptr<Subcommand> subcommand = info.create();
        subcommand->addOptions(line);
        GeneralOptions general;
        general.addTo(line);
        out.push_back({&info, line.rows()});
        // `--help` was declared first.
        std::stable_partition(out.back().rows.begin(), out.back().rows.end(),
                              [](const OptionRow &r) { return r.group != "General options"; });
    }
    return out;
}

std::string Example::commandLine() const {
    return "sdfgc " + std::string(subcommand) + (arguments.empty() ? "" : " " + std::string(arguments));
}

const std::vector<Example> &examples() {
    static const std::vector<Example> table{
#define SDFGC_EXAMPLE(Subcommand, Arguments, Purpose) {Subcommand, Arguments, Purpose},
#include "Driver/CommandLine/Examples.def"
#undef SDFGC_EXAMPLE
    };
    return table;
}

std::vector<std::string> optionNames(const OptionRow &row) {
    std::vector<std::string> out;
    if (row.names.empty() || row.names[0] != '-')
        return out;
    for (std::size_t at = 0; at <= row.names.size();) {
        std::size_t end = std::min(row.names.find(',', at), row.names.size());
        out.push_back(row.names.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

Completion completionOf(const OptionRow &row) {
    if (!row.values.empty())
        return Completion::Words;
    if (row.placeholder.starts_with("PASS") || row.names == "--passes")
        return Completion::Passes;
    if (row.names == "--pipeline")
        return Completion::Pipelines;
    if (row.placeholder == "FILE" || row.placeholder == "COMPILER")
        return Completion::Files;
    return row.placeholder == "DIR" ? Completion::Folders : Completion::None;
}

std::vector<std::string> completionWords(const OptionRow &row) {
    if (completionOf(row) == Completion::Passes)
        return passNames();
    std::vector<std::string> out = row.values;
    if (completionOf(row) == Completion::Pipelines)
        for (const targets::TargetInfo &t : targets::all())
            out.push_back(t.name);
    return out;
}

Completion argumentCompletion(const CommandRows &command) {
    const OptionRow *row = firstArgument(command);
    if (!row)
        return Completion::None;
    if (row->names == "DIR")
        return Completion::Folders;
    if (row->names == "FILE")
        return Completion::Files;
    if (!argumentWords(command).empty())
        return Completion::Words;
    return row->names.find(".sdfg") != std::string::npos ? Completion::Graphs : Completion::None;
}

std::vector<std::string> argumentWords(const CommandRows &command) {
    const OptionRow *row = firstArgument(command);
    if (!row)
        return {};
    return row->names == "PASS" ? passNames() : row->names == "NODE" ? nodeNames() : row->names == "CODE" ? codes() : row->values;
}

} // namespace sdfgc::driver
