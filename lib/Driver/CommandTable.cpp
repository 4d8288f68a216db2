#include "Driver/CommandTable.h"

#include "Driver/PipelineOptions.h"
#include "sdfgc/Targets/Targets.h"

#include <algorithm>

namespace sdfgc::driver {
namespace {

const OptionRow *firstArgument(const CommandRows &command) {
    for (const OptionRow &row : command.rows)
        if (row.group == "Arguments")
            return &row;
    return nullptr;
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
    if (row.placeholder.starts_with("PASS"))
        return Completion::Passes;
    if (row.names == "--pipeline")
        return Completion::Pipelines;
    if (row.placeholder == "FILE" || row.placeholder == "COMPILER")
        return Completion::Files;
    return row.placeholder == "DIR" ? Completion::Folders : Completion::None;
}

std::vector<std::string> completionWords(const OptionRow &row) {
    std::vector<std::string> out = row.values;
    if (completionOf(row) == Completion::Passes)
        for (const pass::PassInfo &p : passRegistry().all())
            out.push_back(p.name);
    if (completionOf(row) == Completion::Pipelines)
        for (const targets::TargetInfo &t : targets::all())
            out.push_back(t.name);
    return out;
}

Completion argumentCompletion(const CommandRows &command) {
    const OptionRow *row = firstArgument(command);
    if (!row)
        return Completion::None;
    if (!row->values.empty())
        return Completion::Words;
    return row->names.find(".sdfg") != std::string::npos ? Completion::Graphs : Completion::None;
}

std::vector<std::string> argumentWords(const CommandRows &command) {
    const OptionRow *row = firstArgument(command);
    return row ? row->values : std::vector<std::string>();
}

} // namespace sdfgc::driver
