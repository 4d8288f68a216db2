// --cpu in the plan: the levels, and the steps that keep them apart.
//
// The objects of a level are joined by `ld -r` to one whose symbols objcopy makes private. Section groups are resolved before, because
// the linker keeps one group of a name whether its symbols are private or not. The list of constructors gets a name that the start-up
// code does not know; the dispatcher runs it for the level that it chooses.
#include "Build/Internal.h"
#include "Build/Plan.h"

#include "sdfgc/Package/Processors.h"
#include "sdfgc/Platform/Dialects.h"
#include "sdfgc/Support/OptionValues.h"
#include "sdfgc/Support/Process.h"

#include <algorithm>
#include <filesystem>

namespace sdfgc::build {
namespace {

using Words = std::vector<std::string>;

bool hasDeviceSources(const Request &request) {
    return std::any_of(request.sources.begin(), request.sources.end(),
                       [](const std::string &s) { return platform::dialectOfFile(s) != nullptr; });
}

/// A flag of the user that chooses an instruction set for all sources; empty if there is none.
std::string chosenBefore(const Request &request, const Toolchain &toolchain) {
    for (const Words *flags : {&toolchain.compileFlags, &request.options.cflags})
        for (const std::string &flag : *flags)
            if (flag.starts_with("-march=") || flag.starts_with("-mcpu="))
                return flag;
    return "";
}

/// Why the compiler cannot compile for an instruction set; empty if it can. Names that sdfgc knows are not tried.
std::string faultOfLevel(const std::string &march, const std::string &architecture, const Toolchain &toolchain) {
    if (march == "native") {
        const std::string host = hostArchitecture();
        return host == architecture ? "" : "the compiler is for " + toolchain.compiler.machine + ", and this machine is " + host;
    }
    const Words known = package::levelsOf({"portable"}, architecture);
    if (std::find(known.begin(), known.end(), march) != known.end())
        return "";
    const bool accepted = askCompiler(toolchain.compiler, {"-march=" + march, "-fsyntax-only", "-xc++", "/dev/null"}).ok();
    return accepted ? "" : "the compiler does not know `" + march + "` for -march";
}

} // namespace

std::string binutil(const Compiler &compiler, const std::string &name) {
    const std::string answer = askCompiler(compiler, {"-print-prog-name=" + name}).out;
    return process::find(answer.substr(0, answer.find('\n')));
}

std::optional<std::vector<LevelFlags>> levelsOf(const Request &request, const Toolchain &toolchain, diag::Engine &diags) {
    const std::string machine = package::architectureOf(toolchain.compiler.machine);
    const std::string architecture = machine.empty() ? hostArchitecture() : machine;
    const Words &cpu = request.options.cpu;
    const auto refuse = [&](const std::string &why, const std::string &hint) {
        diags.report(diag::Id::ProcessorUnusable, {}, optionText(cpu), why).hint = hint;
        return std::nullopt;
    };
    Words names = package::levelsOf(cpu, architecture);
    if (names.empty())
        return refuse("sdfgc knows no levels of " + architecture, "list instruction sets as for -march");
    for (const std::string &march : names)
        if (const std::string fault = faultOfLevel(march, architecture, toolchain); !fault.empty())
            return refuse(fault, march == "native" ? "use --cpu portable, or list instruction sets as for -march" : "");
    if (names.size() > 1 && request.dispatcher.empty())
        return refuse("the program has no dispatcher", "");
    if (hasDeviceSources(request)) // the host's part is the same for all
        names.resize(1);
    if (names.size() > 1 && !request.runtimeSources.empty())
        return refuse("emulated ranks are threads of one process on this machine", "leave out --cpu or --emulate-mpi");
    if (const std::string flag = chosenBefore(request, toolchain); names.size() > 1 && !flag.empty())
        return refuse("`" + flag + "` of the flags would apply to all levels", "remove the flag, or add its name to --cpu");
    const bool dispatched = !request.dispatcher.empty() && !package::baseline(architecture).empty();
    std::vector<LevelFlags> levels;
    for (const std::string &march : names)
        levels.push_back({march, dispatched ? package::levelName(march) : ""});
    if ((areApart(levels, request) || request.staticLibrary) && binutil(toolchain.compiler, "objcopy").empty())
        return refuse("there is no objcopy", "install binutils");
    return levels;
}

bool areApart(const std::vector<LevelFlags> &levels, const Request &request) {
    return levels.size() > 1 || (request.startupCode && !levels.front().name.empty() && !hasDeviceSources(request));
}

std::vector<PlannedStep> joinSteps(const LevelFlags &level, bool several, const std::vector<std::string> &objects,
                                   const Toolchain &toolchain) {
    PlannedStep join, hide;
    join.title = "join the objects for " + level.march;
    join.output = ".sdfgc/obj/" + level.name + ".joined.o";
    join.objects = objects;
    join.before = toolchain.compiler.command;
    join.before.insert(join.before.end(), {"-r", "-nostdlib", "-fuse-ld=bfd", "-Wl,--force-group-allocation"});
    join.before.insert(join.before.end(), objects.begin(), objects.end());
    hide.title = "separate the level " + level.march;
    hide.output = ".sdfgc/obj/" + level.name + ".o";
    hide.objects = {join.output};
    hide.before = {binutil(toolchain.compiler, "objcopy"), "--rename-section", ".init_array=sdfgc_constructors_" + level.name};
    if (several)
        hide.before.push_back("--keep-global-symbol=sdfgc_keeps_none");
    hide.before.push_back(join.output);
    hide.outputIsLast = true;
    return {join, hide};
}

PlannedStep dispatcherStep(const Request &request, const Toolchain &toolchain) {
    PlannedStep step;
    step.title = "compile " + request.dispatcher;
    step.source = request.dispatcher;
    step.output = objectName(step.source);
    step.before = toolchain.compiler.command;
    step.before.insert(step.before.end(), {"-std=c++20", "-O2", "-fPIC", "-fvisibility=hidden", "-fno-exceptions"});
    const std::string machine = package::architectureOf(toolchain.compiler.machine);
    step.before.push_back("-march=" + package::baseline(machine.empty() ? hostArchitecture() : machine));
    for (const std::string &folder : request.includeFolders)
        step.before.push_back("-I" + folder);
    for (const Words *flags : {&toolchain.compileFlags, &request.options.sourceFlags, &request.options.cflags})
        std::copy_if(flags->begin(), flags->end(), std::back_inserter(step.before),
                     [](const std::string &flag) { return package::reachesDispatcher(flag); });
    step.before.insert(step.before.end(), {"-c", step.source});
    return step;
}

} // namespace sdfgc::build
