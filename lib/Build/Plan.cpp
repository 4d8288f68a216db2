#include "Build/Plan.h"

#include "sdfgc/Package/Package.h"
#include "sdfgc/Package/Processors.h"
#include "sdfgc/Platform/Dialects.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Hash.h"
#include "sdfgc/Support/Json.h"
#include "sdfgc/Support/Process.h"

#include <algorithm>
#include <cstdlib>

namespace sdfgc::build {
namespace {

using Words = std::vector<std::string>;

void append(Words &to, const Words &from) { to.insert(to.end(), from.begin(), from.end()); }

/// Flags for which GCC links start-up code that changes the floating-point mode of the entire process.
bool changesHostFloatingPoint(const std::string &flag) {
    return flag == "-ffast-math" || flag == "-Ofast" || flag == "-funsafe-math-optimizations";
}

bool isForHip(const Request &request) {
    return std::any_of(request.sources.begin(), request.sources.end(), [](const std::string &s) {
        const platform::Dialect *d = platform::dialectOfFile(s);
        return d && d->device == platform::Device::Hip;
    });
}

bool isForOpenCl(const Request &request) {
    return std::find(request.libraries.begin(), request.libraries.end(), "OpenCL") != request.libraries.end();
}

/// `first`: additional flags that precede the user's.
Words compileWords(const Request &request, const Toolchain &toolchain, const std::vector<Library> &libraries, const Words &first,
                   const LevelFlags &level) {
    Words flags = package::compileFlags(request.options.fpModel, request.options.openmp);
    flags.push_back("-march=" + level.march);
    if (!level.name.empty())
        flags.push_back("-DSDFGC_LEVEL=" + level.name);
    if (toolchain.compiler.kind == CompilerKind::Gcc)
        append(flags, package::gccFlags(request.options.fpModel));
    else if (package::takesClangFlags(request.options.vectorMath, toolchain.compiler.machine))
        append(flags, package::clangFlags(request.options.vectorMath));
    append(flags, toolchain.compileFlags);
    for (const std::string &folder : request.includeFolders)
        flags.push_back("-I" + folder);
    for (const Library &lib : libraries)
        append(flags, lib.compileFlags);
    if (request.options.emulate) {
        flags.push_back("-DSDFGC_GPU_EMULATE");
        if (isForHip(request))
            flags.push_back("-DSDFGC_EMULATE_HIP");
    }
    if (isForOpenCl(request))
        flags.push_back(std::string("-D") + codegen::openClDefinition);
    if (request.options.emulateMpi)
        flags.push_back("-DSDFGC_MPI_EMULATE");
    append(flags, first);
    append(flags, request.options.cflags);
    return flags;
}

/// Sanitizers, link-time optimisation and code models are flags of both steps, so the link step gets the user's flags too.
Words linkWords(const std::string &name, const Request &request, const Toolchain &toolchain) {
    Words flags = package::linkFlags(name, request.options.openmp);
    for (const std::string &flag : request.options.cflags)
        if (!changesHostFloatingPoint(flag))
            flags.push_back(flag);
    append(flags, toolchain.linkFlags);
    return flags;
}

Words libraryWords(const std::vector<Library> &libraries) {
    Words words;
    for (const Library &lib : libraries)
        append(words, lib.linkFlags);
    return words;
}

/// Besides its words, a command depends on the compiler, on environment variables that compilers read, and on this machine if it
/// requests the machine's own instruction set.
std::string keyOf(const PlannedStep &step, const Toolchain &toolchain) {
    Hasher h;
    bool native = false;
    for (const std::string &word : step.argv()) {
        h.field(word);
        native = native || word.ends_with("=native");
    }
    h.field(toolchain.compiler.identity);
    h.field(native ? hostInstructionSet() : "");
    for (const char *variable : {"CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH"}) {
        const char *value = std::getenv(variable);
        h.field(value ? value : "");
    }
    return h.digest().hex();
}

/// nvcc passes the host compiler's flags on one by one.
Words nvccWords(const Request &request, const Toolchain &toolchain, const Words &flags) {
    Words words{toolchain.nvcc, "-ccbin", toolchain.compiler.command.front(), "-std=c++20"};
    append(words, package::cudaFlags(request.options.fpModel));
    for (const std::string &arch : request.options.gpuArch) {
        const std::string number = arch.substr(arch.find('_') + 1);
        words.insert(words.end(), {"-gencode", "arch=compute_" + number + ",code=[sm_" + number + ",compute_" + number + "]"});
    }
    for (const std::string &flag : flags) {
        const bool both = flag.starts_with("-I") || flag.starts_with("-D");
        const bool set = flag.starts_with("-std=") || flag.starts_with("-O");
        if (both)
            words.push_back(flag);
        else if (!set)
            words.push_back("-Xcompiler=" + flag);
    }
    return words;
}

/// hipcc is Clang, whichever compiler is used for the host.
Words hipccWords(const Request &request, const Toolchain &toolchain, const Words &flags) {
    Words words{toolchain.hipcc};
    for (const std::string &arch : request.options.gpuArch)
        words.push_back("--offload-arch=" + arch);
    const Words ofGcc = package::gccFlags(request.options.fpModel);
    for (const std::string &flag : flags)
        if (std::find(ofGcc.begin(), ofGcc.end(), flag) == ofGcc.end())
            words.push_back(flag);
    return words;
}

PlannedStep compileStep(const std::string &source, const Words &flags, const Request &request, const Toolchain &toolchain,
                        const std::string &level) {
    PlannedStep step;
    step.title = "compile " + source + (level.empty() ? "" : " for " + level);
    step.source = source;
    step.output = objectName(source, level);
    const platform::Dialect *gpu = platform::dialectOfFile(source);
    if (gpu && !request.options.emulate) {
        const bool cuda = gpu->device == platform::Device::Cuda;
        step.before = cuda ? nvccWords(request, toolchain, flags) : hipccWords(request, toolchain, flags);
        step.before.insert(step.before.end(), {"-c", source});
        return step;
    }
    step.before = toolchain.compiler.command;
    append(step.before, flags);
    if (gpu)
        step.before.insert(step.before.end(), {"-x", "c++"});
    step.before.insert(step.before.end(), {"-c", source});
    return step;
}

/// The dialect of the device sources; null if there are none.
const platform::Dialect *dialectOf(const std::vector<std::string> &sources) {
    for (const std::string &source : sources)
        if (const platform::Dialect *dialect = platform::dialectOfFile(source))
            return dialect;
    return nullptr;
}

/// The compiler that provides the GPU's runtime library links.
Words gpuLinkWords(const platform::Dialect &gpu, const Toolchain &toolchain) {
    if (gpu.device == platform::Device::Hip)
        return {toolchain.hipcc};
    return {toolchain.nvcc, "-ccbin", toolchain.compiler.command.front()};
}

/// Flags that only the host's linker driver understands.
Words forGpuCompiler(const Words &flags) {
    Words words;
    for (const std::string &flag : flags) {
        if (flag.starts_with("-Wl,"))
            words.push_back("-Xlinker=" + flag.substr(4));
        else if (flag == "-shared" || flag.starts_with("-l") || flag.starts_with("-L"))
            words.push_back(flag);
        else
            words.push_back("-Xcompiler=" + flag);
    }
    return words;
}

/// A C++ host program that finds the library relative to its own location.
PlannedStep callerStep(const std::string &name, const Request &request, const Toolchain &toolchain) {
    PlannedStep step;
    step.source = package::callerSource(name);
    step.title = "build " + step.source;
    step.output = package::callerProgram(name);
    step.isCaller = true;
    step.before = toolchain.compiler.command;
    step.before.insert(step.before.end(), {"-std=c++17", "-O2"});
    for (const std::string &flag : toolchain.compileFlags)
        if (!package::choosesInstructions(flag))
            step.before.push_back(flag);
    for (const std::string &folder : request.includeFolders)
        step.before.push_back("-I" + folder);
    for (const std::string &flag : request.options.cflags)
        if (!changesHostFloatingPoint(flag) && !package::choosesInstructions(flag)) // it reports what the processor lacks
            step.before.push_back(flag);
    append(step.before, toolchain.linkFlags);
    step.before.push_back(step.source);
    // The library itself finds its dependencies. It is linked by path: `-Llib` would put a program `c` or `m` before the system's
    // library.
    step.after = {"lib/lib" + name + ".so", "-Wl,-rpath,$ORIGIN/../lib", "-Wl,--allow-shlib-undefined"};
    return step;
}

/// Compiles kernels in OpenCL C for no device, so that their errors show now and not where the program runs. Only Clang can.
std::optional<PlannedStep> openClStep(const std::string &name, const Request &request, const Toolchain &toolchain) {
    const bool isClang = toolchain.compiler.kind == CompilerKind::Clang;
    const std::string clang = isClang ? toolchain.compiler.command.front() : process::find("clang");
    if (!isForOpenCl(request) || clang.empty())
        return std::nullopt;
    PlannedStep step;
    step.source = "src/opencl/" + name + ".cl";
    step.title = "check " + step.source;
    step.output = objectName(step.source);
    step.before = {
        clang,       "-x", "cl", "-cl-std=CL1.2", "-Xclang", "-finclude-default-header", "-target", "spir64-unknown-unknown",
        "-emit-llvm"};
    for (const std::string &folder : request.includeFolders)
        step.before.push_back("-I" + folder);
    step.before.insert(step.before.end(), {"-c", step.source});
    return step;
}

/// Opens libraries for DaCe; it has nothing of the program.
PlannedStep daceStubStep(const std::string &name, const Toolchain &toolchain) {
    PlannedStep step;
    step.source = package::daceStubSource();
    step.title = "build " + step.source;
    step.output = package::daceStubLibrary(name);
    step.before = toolchain.compiler.command;
    step.before.insert(step.before.end(), {"-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden", "-shared"});
    append(step.before, toolchain.linkFlags);
    step.before.push_back(step.source);
    step.after = {"-ldl"};
    return step;
}

/// Compiles all sources for one level; returns the objects.
Words compileLevel(Plan &plan, const LevelFlags &level, bool several, const Request &request, const Toolchain &toolchain,
                   const std::vector<Library> &libraries) {
    Words objects, flags = compileWords(request, toolchain, libraries, request.options.sourceFlags, level);
    Words runtimeFlags = compileWords(request, toolchain, libraries, {}, level);
    if (areApart({level}, request) || several ||
        request.staticLibrary) // whole objects are needed, and GCC marks some symbols as unique in the process
        for (Words *words : {&flags, &runtimeFlags}) {
            words->push_back("-fno-lto");
            if (toolchain.compiler.kind == CompilerKind::Gcc)
                words->push_back("-fno-gnu-unique");
        }
    const std::string name = several ? level.name : "";
    for (const std::string &source : request.sources) {
        plan.steps.push_back(compileStep(source, flags, request, toolchain, name));
        objects.push_back(plan.steps.back().output);
    }
    for (const std::string &source : request.runtimeSources) {
        plan.steps.push_back(compileStep(source, runtimeFlags, request, toolchain, name));
        plan.steps.back().isRuntime = true;
        objects.push_back(plan.steps.back().output);
    }
    return objects;
}

/// Compiles everything to objects; returns those to be linked.
Words compileSteps(Plan &plan, const Request &request, const Toolchain &toolchain, const std::vector<Library> &libraries,
                   const std::vector<LevelFlags> &levels) {
    const bool apart = areApart(levels, request);
    std::vector<Words> compiled;
    for (const LevelFlags &level : levels)
        compiled.push_back(compileLevel(plan, level, levels.size() > 1, request, toolchain, libraries));
    Words objects;
    if (!request.dispatcher.empty() && !levels.front().name.empty()) {
        plan.steps.push_back(dispatcherStep(request, toolchain));
        objects.push_back(plan.steps.back().output);
    }
    for (std::size_t i = 0; i < levels.size(); ++i) {
        if (!apart) {
            append(objects, compiled[i]);
            continue;
        }
        for (PlannedStep &step : joinSteps(levels[i], levels.size() > 1, compiled[i], toolchain))
            plan.steps.push_back(std::move(step));
        objects.push_back(plan.steps.back().output);
    }
    return objects;
}

} // namespace

std::vector<std::string> PlannedStep::argv(const std::string &outputName, const std::string &depfile) const {
    Words words = before;
    if (outputIsLast)
        words.push_back(outputName);
    else
        words.insert(words.end(), {"-o", outputName});
    append(words, after);
    if (!source.empty())
        words.insert(words.end(), {"-MD", "-MF", depfile});
    return words;
}

std::string objectName(const std::string &source, const std::string &level) {
    std::string flat;
    for (const char c : source)
        flat += c == '/' ? "_" : c == '_' ? "__" : std::string(1, c);
    return ".sdfgc/obj/" + level + (level.empty() ? "" : "-") + flat + ".o";
}

Plan makePlan(const std::string &name, const Request &request, const Toolchain &toolchain, const std::vector<Library> &libraries,
              const std::vector<LevelFlags> &levels) {
    Plan plan;
    plan.library = "lib/lib" + name + ".so";
    plan.flags = compileWords(request, toolchain, libraries, request.options.sourceFlags, levels.back());
    plan.linkFlags = linkWords(name, request, toolchain);
    append(plan.linkFlags, libraryWords(libraries));
    PlannedStep last;
    last.output = plan.library;
    last.before = toolchain.compiler.command;
    last.after = libraryWords(libraries);
    const platform::Dialect *gpu = dialectOf(request.sources);
    const bool oneCommand = request.sources.size() == 1 && request.runtimeSources.empty() && !gpu && request.dispatcher.empty() &&
                            !request.staticLibrary && std::none_of(plan.flags.begin(), plan.flags.end(), changesHostFloatingPoint);
    if (oneCommand) {
        last.title = "build " + request.sources[0];
        last.source = request.sources[0];
        append(last.before, plan.flags);
        append(last.before, linkWords(name, request, toolchain));
        last.before.push_back(last.source);
    } else {
        last.title = "link " + plan.library;
        if (gpu && !request.options.emulate)
            last.before = gpuLinkWords(*gpu, toolchain);
        append(last.before, gpu && !request.options.emulate ? forGpuCompiler(linkWords(name, request, toolchain))
                                                            : linkWords(name, request, toolchain));
        if (std::optional<PlannedStep> check = openClStep(name, request, toolchain))
            plan.steps.push_back(std::move(*check));
        last.objects = compileSteps(plan, request, toolchain, libraries, levels);
        append(last.before, last.objects);
    }
    const Words objects = last.objects;
    plan.steps.push_back(std::move(last));
    if (request.staticLibrary)
        for (PlannedStep &step : staticSteps(name, levels, objects, toolchain))
            plan.steps.push_back(std::move(step));
    if (request.caller)
        plan.steps.push_back(callerStep(name, request, toolchain));
    if (request.daceStub)
        plan.steps.push_back(daceStubStep(name, toolchain));
    for (PlannedStep &step : plan.steps)
        step.key = keyOf(step, toolchain);
    return plan;
}

std::string compileCommands(const Plan &plan, const std::string &absoluteFolder) {
    json::Value list = json::Value::array();
    for (const PlannedStep &step : plan.steps) {
        if (step.source.empty())
            continue;
        const Words words = step.argv();
        json::Value entry = json::Value::object();
        entry.set("directory", absoluteFolder);
        entry.set("file", step.source);
        entry.set("arguments", json::Value::array({words.begin(), words.end()}));
        entry.set("output", step.output);
        list.push(std::move(entry));
    }
    return list.dump(1) + "\n";
}

std::string commandScript(const Plan &plan) {
    std::string text = "#!/bin/sh -e\n# What sdfgc runs to build this library.\ncd \"$(dirname \"$0\")/..\"\n";
    for (const PlannedStep &step : plan.steps)
        text += process::quoted(step.argv()) + "\n";
    return text;
}

} // namespace sdfgc::build
