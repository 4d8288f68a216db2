// sdfgc emit and sdfgc build: from a graph to a build folder, and on to the library.
//
// The steps stand in the order of run(): read, passes, lower, emit, package, build. Each is one call into the library whose job it
// is.
#include "Driver/Crash.h"
#include "Driver/PipelineOptions.h"
#include "Driver/Subcommand.h"
#include "Driver/Words.h"
#include "sdfgc/Build/Build.h"
#include "sdfgc/Package/Package.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Resources.h"
#include "sdfgc/Targets/Targets.h"
#include "sdfgc/Tree/Lower.h"

#include <algorithm>
#include <ostream>

namespace sdfgc::driver {
namespace {

class Compile : public Subcommand {
public:
    explicit Compile(bool withLibrary) : withLibrary_(withLibrary) {}

private:
    void addOptions(CommandLine &line) override {
        line.argument("PROG.sdfg", input_, "the graph; `-` reads standard input");
        line.group("Output");
        line.text("-o,--output", folder_, "DIR", "the build folder (./<name>.build)");
        line.text("--depfile", depfile_, "FILE", "write a rule for make that says what the output depends on");
        target_.addTo(line);
        toolchain_.addTo(line);
        if (withLibrary_) {
            line.text("--cflags", cflags_, "FLAGS", "further flags for the compiler, behind sdfgc's own");
            line.number("-j,--jobs", jobs_, "N", "compile N sources at a time (as many as there are processors)");
        }
        pipeline_.addTo(line);
    }

    void run(Session &s) override {
        std::unique_ptr<ir::SDFG> graph = s.readGraph(input_);
        if (!graph)
            return;
        folder_ = folder_.empty() ? "./" + graph->name.str() + ".build" : folder_;
        std::vector<std::string> files = inputFiles(input_, *graph);
        pass::CompileOptions compile = target_.compileOptions(input_);
        std::optional<build::Toolchain> toolchain = toolchain_.find(s, compile, withLibrary_);
        if (s.failed())
            return;
        const bool printTree = std::erase(pipeline_.printAfter, "lower") != 0 || pipeline_.printAfterAll;
        pass::Context context(s.diags, compile);
        if (!runPasses(s, *graph, pipeline_, context, &files) || !pipeline_.stopAfter.empty())
            return;
        if (graph->level < ir::Level::Expanded) { // --passes, or a pipeline file of the user
            s.diags.report(diag::Id::LevelTooLow, {},
                           {std::string(ir::name(graph->level)), std::string(ir::name(ir::Level::Expanded))});
            return;
        }
        std::unique_ptr<tree::Module> module = lower(s, *graph, context, printTree);
        if (!module)
            return;
        const codegen::Sources sources = emit(s, *module, compile);
        std::optional<build::Folder> folder = build::Folder::open(folder_, module->name.str(), s.diags);
        if (!folder || !writeFolder(s, *module, sources, *graph, compile))
            return;
        if (withLibrary_ && !makeLibrary(s, *folder, sources, *toolchain, files))
            return;
        if (!depfile_.empty())
            s.writeOutput(depfile_, dependencyRule(output(module->name), files));
    }

    /// What a Makefile knows as the result.
    std::string output(Name program) const {
        return file::join(folder_, withLibrary_ ? "lib/lib" + program.str() + ".so" : "manifest.json");
    }

    static std::unique_ptr<tree::Module> lower(Session &s, ir::SDFG &graph, pass::Context &context, bool print) {
        s.progress("lowering");
        crash::setActivity("lowering the graph");
        TimeTrace::Scope scope(s.trace(), "lower");
        std::unique_ptr<tree::Module> module = tree::lower(graph, context);
        if (module && print)
            s.environment.out << "// ---- after lower ----\n" << tree::print(*module);
        return s.failed() ? nullptr : std::move(module);
    }

    codegen::Sources emit(Session &s, const tree::Module &module, const pass::CompileOptions &compile) const {
        s.progress("printing sources");
        crash::setActivity("printing sources");
        TimeTrace::Scope scope(s.trace(), "emit");
        return targets::find(target_.target)->emit(module, compile, {});
    }

    bool writeFolder(Session &s, const tree::Module &module, const codegen::Sources &sources, const ir::SDFG &graph,
                     const pass::CompileOptions &compile) const {
        s.progress("writing " + folder_);
        crash::setActivity("writing the build folder");
        TimeTrace::Scope scope(s.trace(), "package");
        package::Request request;
        request.folder = folder_;
        request.module = &module;
        request.sources = &sources;
        request.graph = &graph;
        request.compile = &compile;
        return package::write(request, s.diags);
    }

    bool makeLibrary(Session &s, const build::Folder &folder, const codegen::Sources &sources, const build::Toolchain &toolchain,
                     const std::vector<std::string> &files) const {
        crash::setActivity("compiling");
        build::Request request;
        for (const codegen::SourceFile &f : sources.files)
            if (f.translationUnit)
                request.sources.push_back(f.path);
        const bool gpu = std::any_of(request.sources.begin(), request.sources.end(), [](const std::string &f) { return !f.ends_with(".cpp"); });
        if (gpu && target_.emulate)
            request.runtimeSources.push_back("runtime-headers/sdfgc/rt/gpu_emulate.cpp");
        request.includeFolders = {"include", "runtime-headers"};
        request.libraries = sources.libraries;
        request.madeFrom = files;
        request.madeFrom.push_back(executablePath());
        request.options.fpModel = package::fpModel(target_.fpModel);
        request.options.openmp = sources.openmp;
        request.options.emulate = target_.emulate;
        request.options.gpuArch = target_.gpuArch;
        request.options.cflags = splitWords(cflags_);
        request.options.jobs = static_cast<unsigned>(jobs_);
        request.options.jobserver = jobs_ == 0;
        request.options.verbose = s.general.verbose;
        request.options.quiet = s.general.quiet || s.general.diagnostics != "text";
        request.options.trace = s.trace();
        std::string compilerOutput; // diagnostics for machines are alone on standard error
        if (s.general.diagnostics != "text")
            request.options.print = [&compilerOutput](std::string_view text) { compilerOutput += text; };
        build::BuildResult result = build::build(folder, request, toolchain, s.diags);
        if (!compilerOutput.empty())
            s.diags.report(diag::Id::CompilerOutput, {}, {compilerOutput});
        s.interruptedBy = result.signal;
        if (result.status == build::Status::Done)
            s.progress(result.commandsRun == 0 ? result.library + " is up to date" : "made " + result.library);
        return result.status == build::Status::Done;
    }

    const bool withLibrary_;
    std::string input_, folder_, depfile_, cflags_;
    int jobs_ = 0;
    TargetOptions target_;
    ToolchainChoice toolchain_;
    PipelineOptions pipeline_;
};

} // namespace

std::unique_ptr<Subcommand> createBuild() { return std::make_unique<Compile>(true); }
std::unique_ptr<Subcommand> createEmit() { return std::make_unique<Compile>(false); }

} // namespace sdfgc::driver
