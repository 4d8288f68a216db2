// --static: an archive beside the shared library, for callers that link the program into their own executable or library.
//
// The archive has one member. Linkers take members only to resolve names, and would leave out those that the dispatcher finds through
// a section; and symbols that are hidden in a shared library would clash between programs. So all objects are joined by `ld -r`, and
// hidden symbols become private.
//
// The lists of constructors of the levels (Levels.cpp) get the name of the program: linkers join sections of a name, and the
// dispatchers of two programs would run each other's.
#include "Build/Internal.h"
#include "Build/Plan.h"

#include "sdfgc/Package/Package.h"
#include "sdfgc/Platform/Dialects.h"
#include "sdfgc/Platform/Emulation.h"
#include "sdfgc/Platform/Libraries.h"
#include "sdfgc/Support/File.h"

#include <algorithm>

namespace sdfgc::build {
namespace {

/// Does a flag of the compilation also concern the link step of callers?
bool concernsCallers(const std::string &flag) {
    for (const char *prefix : {"-fsanitize", "-fprofile", "--coverage", "-l", "-L", "-Wl,", "-pthread", "/"})
        if (flag.starts_with(prefix))
            return true;
    return false;
}

const platform::Dialect *deviceOf(const Request &request) {
    for (const std::string &source : request.sources)
        if (const platform::Dialect *dialect = platform::dialectOfFile(source))
            return dialect;
    return nullptr;
}

/// The runtime library of the GPU, which the GPU's compiler would link by itself.
std::vector<std::string> runtimeOfDevice(const platform::Dialect &gpu, const Toolchain &toolchain) {
    const bool isCuda = gpu.device == platform::Device::Cuda;
    const std::string &compiler = isCuda ? toolchain.nvcc : toolchain.hipcc;
    const std::string root = file::folderOf(file::folderOf(compiler));
    std::vector<std::string> out;
    for (const std::string folder : {"lib64", "lib"})
        if (!compiler.empty() && file::isFolder(file::join(root, folder)) && root != "/usr")
            out.push_back("-L" + file::join(root, folder));
    out.emplace_back(isCuda ? "-lcudart" : "-lamdhip64");
    return out;
}

} // namespace

std::vector<std::string> linkedLibraries(const Request &request, const Toolchain &toolchain) {
    platform::Device device = platform::Device::Cuda;
    if (const platform::Dialect *dialect = deviceOf(request))
        device = dialect->device;
    if (request.options.emulate)
        device = platform::Device::Emulated;
    std::vector<std::string> names;
    for (const std::string &asked : request.libraries) {
        if (request.options.emulateMpi && platform::isEmulatedWithMpi(asked))
            continue;
        for (std::string &name : platform::librariesBehind(asked, device))
            if (std::find(names.begin(), names.end(), name) == names.end())
                names.push_back(std::move(name));
    }
    if (request.options.openmp && toolchain.compiler.kind == CompilerKind::Clang)
        names.emplace_back("omp"); // GCC brings its own
    return names;
}

std::vector<std::string> flagsOfStaticCallers(const Request &request, const Toolchain &toolchain) {
    std::vector<std::string> out;
    for (const std::vector<std::string> *flags : {&request.options.cflags, &toolchain.linkFlags})
        std::copy_if(flags->begin(), flags->end(), std::back_inserter(out), concernsCallers);
    for (const std::string &name : linkedLibraries(request, toolchain)) {
        const Library library = toolchain.library(name);
        out.insert(out.end(), library.linkFlags.begin(), library.linkFlags.end());
    }
    if (const platform::Dialect *gpu = deviceOf(request); gpu && !request.options.emulate)
        for (std::string &flag : runtimeOfDevice(*gpu, toolchain))
            out.push_back(std::move(flag));
    if (request.options.openmp && toolchain.compiler.kind == CompilerKind::Gcc)
        out.emplace_back("-lgomp");
    const auto &cflags = request.options.cflags;
    const bool isLlvms = std::find(cflags.begin(), cflags.end(), "-stdlib=libc++") != cflags.end();
    out.insert(out.end(), {isLlvms ? "-lc++" : "-lstdc++", "-lm", "-lpthread", "-ldl"});
    return out;
}

std::vector<PlannedStep> staticSteps(const std::string &name, const std::vector<LevelFlags> &levels,
                                     const std::vector<std::string> &objects, const Toolchain &toolchain) {
    PlannedStep join, hide, archive;
    join.title = "join the objects of the static library";
    join.output = ".sdfgc/obj/static.joined.o";
    join.objects = objects;
    join.before = toolchain.compiler.command;
    join.before.insert(join.before.end(), {"-r", "-nostdlib", "-fuse-ld=bfd", "-Wl,--force-group-allocation"});
    join.before.insert(join.before.end(), objects.begin(), objects.end());
    hide.title = "make the symbols of the static library private";
    hide.output = ".sdfgc/obj/lib" + name + ".o";
    hide.objects = {join.output};
    hide.before = {binutil(toolchain.compiler, "objcopy"), "--localize-hidden"};
    for (const LevelFlags &level : levels) {
        if (level.name.empty())
            continue;
        const std::string list = "sdfgc_constructors_" + level.name, own = list + "_" + name;
        hide.before.insert(hide.before.end(), {"--rename-section", list + "=" + own});
        for (const std::string bound : {"__start_", "__stop_"})
            hide.before.insert(hide.before.end(), {"--redefine-sym", bound + list + "=" + bound + own});
    }
    hide.before.push_back(join.output);
    hide.outputIsLast = true;
    const std::string ar = binutil(toolchain.compiler, "ar");
    archive.title = "archive " + package::staticLibrary(name);
    archive.output = package::staticLibrary(name);
    archive.objects = {hide.output};
    archive.before = {ar.empty() ? "ar" : ar, "rcsD"}; // D: without times and owners
    archive.outputIsLast = true;
    archive.after = {hide.output};
    return {join, hide, archive};
}

} // namespace sdfgc::build
