#include "Driver/Compilation/Compilation.h"
#include "Driver/CommandLine/Words.h"
#include "Driver/Compilation/BuildCache.h"
#include "Driver/Compilation/SourceMap.h"
#include "Driver/Crash.h"
#include "sdfgc/CodeGen/Interface.h"
#include "sdfgc/Package/Package.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Resources.h"
#include "sdfgc/Targets/Targets.h"
#include "sdfgc/Tree/Dot.h"

#include <algorithm>
#include <ostream>

namespace sdfgc::driver {
namespace {

codegen::Sources emit(Session &s, const tree::Module &module, const pass::CompileOptions &compile, bool async) {
    s.log().info("printing sources");
    crash::setActivity("printing sources");
    TimeTrace::Scope scope(s.trace(), "emit");
    return async ? targets::emitAsync(module, compile) : targets::find(compile.target)->emit(module, compile);
}

void drawGraphs(Session &s, const tree::Module &module, const std::string &folder) {
    Result<void> done = file::makeFolder(folder);
    for (const tree::GraphBody &graph : tree::graphsOf(module))
        if (done)
            done = file::writeAtomic(file::join(folder, module.name.str() + "." + graph.name.str() + ".dot"),
                                     tree::printDot(module, graph));
    if (!done)
        s.diags.report(diag::Id::GraphsNotDrawn, {}, done.error());
}

package::Request packageRequest(const Compiled &made, const pass::CompileOptions &compile, const Compilation &options) {
    package::Request request;
    request.folder = made.folder;
    request.module = made.module.get();
    request.sources = &made.sources;
    request.graph = made.graph.get();
    request.compile = &compile;
    request.gpuArch = options.target.gpuArch;
    request.caller = options.caller;
    request.daceFiles = options.daceFiles;
    request.staticLibrary = options.staticLibrary;
    request.async = options.async;
    return request;
}

/// The intended contents of the folder, which build::Folder compares with its current contents.
build::FolderOptions folderOptions(const package::Files &files, const Compiled &made, const std::string &path, bool withLibrary) {
    build::FolderOptions out;
    for (const auto &[name, text] : files)
        out.files.push_back(name);
    if (withLibrary)
        out.files.insert(out.files.end(), {"compile_commands.json", "lib/lib" + made.module->name.str() + ".so"});
    out.origin = path == "-" ? path : file::absolute(path);
    out.signature = codegen::cParameters(made.module->params) + "; " + codegen::cParameters(made.module->init);
    return out;
}

} // namespace

run::CallOptions Compiled::callOptions(run::CallOptions options) const {
    options.runner = runner;
    options.caller = file::absolute(caller);
    return options;
}

void Compilation::addTo(CommandLine &line, bool withLibrary) {
    name.addTo(line);
    target.addTo(line);
    toolchain.addTo(line);
    if (withLibrary)
        library.addTo(line);
    pipeline.addTo(line);
}

std::vector<std::string> Compilation::arguments() const {
    std::vector<std::string> words = pass::argumentsOf(target);
    for (const std::vector<std::string> &more : {toolchain.arguments(), library.arguments(), pipeline.arguments()})
        words.insert(words.end(), more.begin(), more.end());
    return words;
}

std::optional<Compiled> Compilation::run(Session &s, Input program, const std::string &path, std::string folder, bool withLibrary) {
    Compiled made;
    if (!name.apply(s, program))
        return std::nullopt;
    made.files = inputFiles(path, program);
    pass::CompileOptions compile = target.compileOptions(path);
    std::optional<build::Toolchain> found = toolchain.find(s, compile, withLibrary);
    if (s.failed() || (isCalled && found && !findRunner(s, *found, made)))
        return std::nullopt;
    if (!accepts(s, program, compile))
        return std::nullopt;
    pass::Context context(s.diags, compile);
    made.module = lowered(s, program.program(), pipeline, context, &made.files);
    made.graph = std::move(program.graph);
    if (!made.module || !pipeline.stopAfter.empty())
        return std::nullopt;
    name.applyAfterPasses(made.graph.get(), made.module.get());
    made.folder = folder.empty() ? "./" + made.module->name.str() + ".build" : std::move(folder);
    if (compile.gpu() && compile.vendor() == platform::Device::Hip && !compile.emulate && target.gpuArch.empty())
        s.diags.report(diag::Id::GpuArchOpen, {});
    if (!graphFolder.empty())
        drawGraphs(s, *made.module, graphFolder);
    if (!targets::accepts(*made.module, compile, s.diags) || (async && !targets::acceptsAsync(*made.module, compile, s.diags)))
        return std::nullopt;
    made.sources = emit(s, *made.module, compile, async);
    if (!writeFolder(s, made, compile, path, withLibrary ? &*found : nullptr))
        return std::nullopt;
    if (!withLibrary)
        s.log().result("wrote {}", made.folder);
    return made;
}

bool Compilation::findRunner(Session &s, const build::Toolchain &toolchain, Compiled &made) {
    made.runner = toolchain.runnerCommand();
    if (made.runner.empty() && toolchain.isForeign()) {
        s.diags.report(diag::Id::NoRunner, {}, toolchain.compiler.machine, build::hostArchitecture());
        return false;
    }
    caller = caller || !made.runner.empty();
    return true;
}

bool Compilation::writeFolder(Session &s, Compiled &made, const pass::CompileOptions &compile, const std::string &path,
                              const build::Toolchain *toolchainForLibrary) const {
    s.log().info("writing {}", made.folder);
    crash::setActivity("writing the build folder");
    std::optional<build::Folder> opened;
    std::optional<package::Files> files;
    build::FolderOptions options;
    {
        TimeTrace::Scope scope(s.trace(), "package");
        package::Request request = packageRequest(made, compile, *this);
        if (staticLibrary)
            request.staticLinkFlags =
                build::flagsOfStaticCallers(buildRequest(made), toolchainForLibrary ? *toolchainForLibrary : build::Toolchain());
        files = package::collect(request, s.diags);
        if (!files)
            return false;
        options = folderOptions(*files, made, path, toolchainForLibrary != nullptr);
        options.announceWait = !s.general.quiet;
        opened = build::Folder::open(made.folder, made.module->name.str(), s.diags, options);
        if (!opened || !package::write(request, *files, s.diags))
            return false;
        if (const Result<void> noted = opened->noteOrigin(options); !noted) {
            s.diags.report(diag::Id::OutputFailed, {}, noted.error());
            return false;
        }
    }
    if (!toolchainForLibrary)
        return true;
    const std::optional<build::BuildResult> result = makeLibrary(s, *opened, made, *toolchainForLibrary);
    if (result && daceFiles && package::daceCanCall(*made.module, target.emulate) &&
        !package::placeDaceLibraries(made.folder, made.module->name.str(), s.diags))
        return false;
    if (result && cache)
        cache->store(s, *opened, *files, made, result->libraries, options);
    return result.has_value();
}

build::Request Compilation::buildRequest(const Compiled &made) const {
    build::Request request;
    for (const codegen::SourceFile &f : made.sources.files)
        if (f.translationUnit)
            request.sources.push_back(f.path);
    const bool gpu =
        std::any_of(request.sources.begin(), request.sources.end(), [](const std::string &f) { return !f.ends_with(".cpp"); });
    if (gpu && target.emulate)
        request.runtimeSources.push_back("runtime-headers/sdfgc/rt/gpu_emulate.cpp");
    if (made.sources.needs("OpenCL"))
        request.runtimeSources.push_back(std::string("runtime-headers/") + codegen::openClRuntime);
    if (target.emulateMpi && made.sources.needs("mpi"))
        request.runtimeSources.push_back(std::string("runtime-headers/") + codegen::mpiEmulation);
    request.dispatcher = made.sources.dispatcher;
    request.startupCode = !made.module->globalCode.empty();
    request.caller = caller;
    request.staticLibrary = staticLibrary;
    request.daceStub = daceFiles && package::daceCanCall(*made.module, target.emulate);
    request.includeFolders = {"include", "runtime-headers"};
    request.libraries = made.sources.libraries;
    request.madeFrom = made.files;
    request.madeFrom.push_back(executablePath());
    request.options.fpModel = target.fpModel;
    request.options.vectorMath = made.sources.vectorMath;
    request.options.cpu = target.cpu.names;
    request.options.openmp = made.sources.openmp;
    request.options.emulate = target.emulate;
    request.options.emulateMpi = target.emulateMpi;
    request.options.gpuArch = target.gpuArch;
    request.options.cflags = splitWords(library.cflags);
    if (lineTables)
        request.options.sourceFlags = {"-g1"};
    request.options.jobs = static_cast<unsigned>(library.jobs.value_or(0));
    request.options.jobserver = !library.jobs;
    return request;
}

std::optional<build::BuildResult> Compilation::makeLibrary(Session &s, const build::Folder &folder, Compiled &made,
                                                           const build::Toolchain &found) const {
    crash::setActivity("compiling");
    build::Request request = buildRequest(made);
    if (daceFiles && !request.daceStub)
        s.log().result("DaCe's loader cannot call `{}`, since a size of its arguments is not a parameter; sdfgc.dace can",
                       made.module->name.str());
    request.options.log = &s.log();
    request.options.quiet = s.general.quiet || s.general.diagnostics != DiagnosticForm::Text;
    request.options.trace = s.trace();
    std::string compilerOutput; // machine-readable diagnostics must be the only output on standard error
    if (s.general.diagnostics != DiagnosticForm::Text)
        request.options.print = [&compilerOutput](std::string_view text) { compilerOutput += text; };
    request.options.explain = [&made](diag::Diagnostic &d, const std::vector<build::CompilerMessage> &messages) {
        explainCompilerErrors(made, messages, d);
    };
    build::BuildResult result = build::build(folder, request, found, s.diags);
    if (!compilerOutput.empty())
        s.diags.report(diag::Id::CompilerOutput, {}, compilerOutput);
    s.interruptedBy = result.signal;
    if (result.status == build::Status::Done && result.commandsRun == 0)
        s.log().result("{} is up to date", result.library);
    else if (result.status == build::Status::Done)
        s.log().result("made {}", result.caller.empty() ? result.library : result.library + " and " + result.caller);
    made.library = result.library;
    made.caller = result.caller;
    return result.status == build::Status::Done ? std::optional(std::move(result)) : std::nullopt;
}

} // namespace sdfgc::driver
