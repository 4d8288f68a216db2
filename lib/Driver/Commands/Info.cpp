// sdfgc info: lists the arguments, contents and requirements of a program.
//
// The arguments are those of the compiled program. They are read from the graph as it is: the passes of a pipeline neither add nor
// remove arguments.
#include "Driver/Compilation/PipelineOptions.h"
#include "Driver/Execution/ProgramRun.h"
#include "Driver/Reports/GraphInfo.h"
#include "Driver/Reports/Messages.h"
#include "Driver/Reports/ProgramInfo.h"
#include "Driver/Reports/Table.h"
#include "Driver/Subcommand.h"
#include "sdfgc/Package/DeviceWork.h"
#include "sdfgc/Run/Values.h"
#include "sdfgc/Support/Text.h"
#include "sdfgc/Targets/Targets.h"

#include <algorithm>
#include <ostream>

namespace sdfgc::driver {
namespace {

std::string orNone(const std::vector<std::string> &words) { return words.empty() ? "none" : text::joined(words); }

std::string shapeText(const ir::DataDesc &d) {
    std::string out;
    for (sym::Expr e : d.shape)
        out += (out.empty() ? "" : ", ") + e.str();
    return d.isScalar() ? "" : "[" + out + "]";
}

/// Word for the kind of an argument.
std::string kindOf(const analysis::Argument &a) {
    if (a.isSymbol())
        return "symbol";
    switch (a.desc->kind) {
    case ir::DataKind::Scalar:
        return "scalar";
    case ir::DataKind::Array:
        return "array";
    case ir::DataKind::Stream:
        return "stream";
    case ir::DataKind::Structure:
        return "structure";
    default:
        return "container";
    }
}

/// `float64[N, M]`; for a structure, its name.
std::string typeOf(const analysis::Argument &a) {
    if (a.desc && a.desc->isStructure() && a.desc->structName)
        return a.desc->structName.str();
    return a.type.str() + (a.desc ? shapeText(*a.desc) : "");
}

/// The total memory of all transients in the list, if every size has a formula.
std::string totalBytes(const std::vector<ContainerInfo> &transients) {
    sym::Expr sum(0);
    for (const ContainerInfo &t : transients) {
        const std::optional<int64_t> size = t.desc->dtype.bytes();
        if (!size)
            return "";
        sum = sum + t.elements * sym::Expr(*size);
    }
    return sum.str();
}

std::string accessOf(const ProgramInfo &info, const analysis::Argument &a) {
    auto it = info.access.find(a.name);
    return a.isSymbol() || it == info.access.end() ? "in" : it->second.str();
}

std::string asText(const ProgramInfo &info) {
    Table arguments, init, transients, elements, schedules;
    for (const analysis::Argument &a : info.arguments.program)
        arguments.row({a.name.str(), kindOf(a), typeOf(a), accessOf(info, a)});
    for (const analysis::Argument &a : info.arguments.init)
        init.row({a.name.str(), a.type.str()});
    for (const ContainerInfo &t : info.transients)
        transients.row({(t.owner->isRoot() ? "" : t.owner->name.str() + ".") + t.name.str(),
                        t.desc->dtype.str() + shapeText(*t.desc), t.bytes() + " bytes", std::string(ir::name(t.desc->storage)),
                        std::string(ir::name(t.desc->lifetime))});
    for (const auto &[name, count] : info.elements)
        elements.row({name, std::to_string(count)});
    for (const auto &[name, count] : info.schedules)
        schedules.row({name, std::to_string(count)});
    std::string out =
        "program " + info.name + (info.daceVersion.empty() ? "" : " (written by DaCe " + info.daceVersion + ")") + "\n";
    out += "\narguments, in the order of the call:\n" + arguments.str();
    out += "\nsymbols that the initialiser takes:\n" + init.str();
    const std::string total = info.transients.size() > 1 ? totalBytes(info.transients) : "";
    out += "\ntransients" + (total.empty() ? "" : ", " + total + " bytes together") + ":\n" + transients.str();
    out += "\nelements:\n" + elements.str();
    out += "\nschedules:\n" + schedules.str();
    const std::string devices = info.devices.empty() ? "" : " (it has parts for: " + orNone(info.devices) + ")";
    out += "\ntargets that can compile it: " + orNone(info.targets) + devices + "\nlibrary nodes: " + orNone(info.libraryNodes) +
           "\nenvironments: " + orNone(info.environments) + "\n";
    for (Name n : info.arguments.undefined)
        out += "undefined symbol: " + n.str() + "\n";
    return out;
}

std::string markedText(const std::vector<MarkedRegion> &regions) {
    Table table;
    for (const MarkedRegion &r : regions)
        table.row({r.element, r.mark, r.operations < 0 ? "" : std::to_string(r.operations) + " operations"});
    return regions.empty() ? "" : "\nGPU graphs asked for or formed:\n" + table.str();
}

std::string launchedText(const std::vector<LaunchedGraph> &graphs) {
    Table table;
    for (const LaunchedGraph &g : graphs)
        table.row({"  " + g.name, std::to_string(g.nodes) + " nodes",
                   g.memory.empty()
                       ? "keeps no memory between calls"
                       : "keeps " + (g.bytes.empty() ? "" : g.bytes + " bytes between calls: ") + text::joined(g.memory)});
    return graphs.empty() ? "" : "  GPU graphs:\n" + table.str();
}

json::Value texts(const std::vector<sym::Expr> &list) {
    json::Value v = json::Value::array();
    for (sym::Expr e : list)
        v.push(e.str());
    return v;
}

json::Value counts(const std::vector<std::pair<std::string, int>> &list) {
    json::Value v = json::Value::object();
    for (const auto &[name, count] : list)
        v.set(name, count);
    return v;
}

json::Value argumentJson(const ProgramInfo &info, const analysis::Argument &a) {
    json::Value v = json::Value::object();
    v.set("name", a.name.str());
    v.set("kind", kindOf(a));
    v.set("type", a.type.str());
    v.set("access", accessOf(info, a));
    if (a.desc && !a.desc->isScalar()) {
        v.set("shape", texts(a.desc->shape));
        v.set("strides", texts(a.desc->strides));
        v.set("elements", a.desc->totalSize.str());
    }
    return v;
}

json::Value transientJson(const ContainerInfo &t) {
    json::Value v = json::Value::object();
    v.set("name", t.name.str());
    v.set("sdfg", t.owner->name.str());
    v.set("type", t.desc->dtype.str());
    v.set("shape", texts(t.desc->shape));
    v.set("bytes", t.bytes());
    v.set("storage", ir::name(t.desc->storage));
    v.set("lifetime", ir::name(t.desc->lifetime));
    return v;
}

json::Value asJson(const ProgramInfo &info) {
    json::Value v = json::Value::object(), arguments = json::Value::array(), init = json::Value::array(),
                transients = json::Value::array(), undefined = json::Value::array();
    for (const analysis::Argument &a : info.arguments.program)
        arguments.push(argumentJson(info, a));
    for (const analysis::Argument &a : info.arguments.init) {
        json::Value symbol = json::Value::object();
        symbol.set("name", a.name.str());
        symbol.set("type", a.type.str());
        init.push(std::move(symbol));
    }
    for (const ContainerInfo &t : info.transients)
        transients.push(transientJson(t));
    for (Name n : info.arguments.undefined)
        undefined.push(n.str());
    v.set("name", info.name);
    v.set("daceVersion", info.daceVersion);
    v.set("arguments", std::move(arguments));
    v.set("init", std::move(init));
    v.set("transients", std::move(transients));
    v.set("elements", counts(info.elements));
    v.set("schedules", counts(info.schedules));
    v.set("targets", json::strings(info.targets));
    v.set("devices", json::strings(info.devices));
    v.set("libraryNodes", json::strings(info.libraryNodes));
    v.set("environments", json::strings(info.environments));
    v.set("undefinedSymbols", std::move(undefined));
    return v;
}

class Info : public Subcommand {
    void addOptions(CommandLine &line) override {
        line.argument("PROG.sdfg", input_, "graph to describe; `-` reads standard input");
        line.group("Output");
        line.flag("--json", json_, "print JSON");
        addTargetOption(line, "--for", target_, "also list what the program's sources for a target need, which runs the passes");
        line.number("--ranks", ranks_, "N",
                    "also list the messages of an MPI program on N ranks, as formulas, and as numbers if the symbols are given");
        line.texts("--arg", given_, "NAME=VALUE", "with --ranks: set the value of a symbol");
        options_.addTo(line, pass::Subcommands::Informing, "With --for");
        line.check([this](diag::Engine &d) {
            if (!given_.empty() && ranks_ == 0)
                d.report(diag::Id::OptionMisused, {}, "--arg is for --ranks", "`--ranks 4` counts the messages of four ranks");
            if (options_.gpuGraph && !target_)
                d.report(diag::Id::OptionMisused, {}, "--gpu-graph is for --for", "`--for cuda` runs the passes that form graphs");
        });
    }

    void run(Session &s) override {
        std::unique_ptr<ir::SDFG> graph = s.readGraph(input_);
        if (!graph)
            return;
        const ProgramInfo info = collectInfo(*graph);
        const std::vector<MarkedRegion> marked = markedRegions(*graph);
        std::string text = json_ ? "" : asText(info) + markedText(marked);
        json::Value v = json_ ? asJson(info) : json::Value();
        v.set("gpuGraphs", graphsJson(marked));
        if (ranks_ > 0) {
            const std::optional<MessageCosts> costs = messages(s, *graph);
            if (!costs)
                return;
            text += costs->text();
            v.set("messages", costs->json());
        }
        if (target_) { // last, because passes change the graph that `info` points to
            pass::CompileOptions compile = options_.compileOptions(input_);
            compile.target = *target_;
            const std::unique_ptr<tree::Module> module = moduleFor(s, *graph, compile);
            if (!module)
                return;
            const std::vector<LaunchedGraph> graphs = launchedGraphs(*module);
            const codegen::Sources sources = targets::find(*target_)->emit(*module, compile);
            text += needsText(sources) + launchedText(graphs);
            v.set("needs", needsJson(sources, graphs));
            if (module->streams > 0) {
                const package::DeviceWork work = package::deviceWorkOf(*module);
                text += package::asText(work);
                v.set("deviceWork", package::toJson(work));
            }
        }
        s.environment.out << (json_ ? v.dump(2) + "\n" : text);
    }

    /// The passes after which grids are numbered and the ranges of MPI maps use the rank.
    std::optional<MessageCosts> messages(Session &s, const ir::SDFG &graph) const {
        std::map<Name, int64_t> values;
        for (const std::string &text : given_)
            if (const std::optional<run::Given> one = splitGiven(s, "--arg", text)) {
                const std::optional<run::Number> number = run::parseNumber(one->value);
                if (number && number->isInteger)
                    values[Name(one->name)] = number->integer;
                else
                    s.diags.report(diag::Id::OptionValueUnknown, {}, text, "--arg", "symbols of sizes are integers");
            }
        const std::unique_ptr<ir::SDFG> copy = ir::clone(graph);
        const pass::CompileOptions compile = TargetOptions().compileOptions(input_);
        pass::Context context(s.diags, compile);
        pass::Program program(*copy, nullptr);
        PipelineOptions passes;
        passes.passes =
            "raise-control-flow,fill-scope-connectors,lower-mpi-maps,scalarise-sve,translate-mlir,default-schedules,infer-types,"
            "resolve-process-grids";
        if (s.failed() || !runPasses(s, program, passes, context, nullptr, true))
            return std::nullopt;
        MessageCosts costs(*copy, ranks_, std::move(values));
        costs.addCalls(graph);
        return costs;
    }

    static std::unique_ptr<tree::Module> moduleFor(Session &s, ir::SDFG &graph, pass::CompileOptions &compile) {
        ToolchainChoice().find(s, compile, false);
        pass::Context context(s.diags, compile);
        return lowered(s, {graph, nullptr}, {}, context);
    }

    std::string needsText(const codegen::Sources &sources) const {
        std::size_t units = 0, bytes = 0;
        for (const codegen::SourceFile &f : sources.files) {
            units += f.translationUnit;
            bytes += f.text.size();
        }
        return "\nfor target " + target_->name() + ":\n  libraries: " + orNone(sources.libraries) +
               "\n  OpenMP: " + (sources.openmp ? "yes" : "no") + "\n  sources: " + std::to_string(units) + ", " +
               std::to_string(bytes) + " bytes with headers\n";
    }

    json::Value needsJson(const codegen::Sources &sources, const std::vector<LaunchedGraph> &graphs) const {
        json::Value v = json::Value::object(), files = json::Value::array();
        for (const codegen::SourceFile &f : sources.files)
            files.push(f.path);
        v.set("target", target_->name());
        v.set("libraries", json::strings(sources.libraries));
        v.set("openmp", sources.openmp);
        v.set("files", std::move(files));
        v.set("gpuGraphs", graphsJson(graphs));
        return v;
    }

    std::string input_;
    std::optional<pass::Target> target_;
    TargetOptions options_;
    std::vector<std::string> given_;
    int ranks_ = 0;
    bool json_ = false;
};

} // namespace

std::unique_ptr<Subcommand> createInfo() { return std::make_unique<Info>(); }

} // namespace sdfgc::driver
