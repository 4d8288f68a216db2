#include "sdfgc/Build/Toolchain.h"

#include "Build/Internal.h"

#include "sdfgc/Build/Cache.h"
#include "sdfgc/Package/Processors.h"
#include "sdfgc/Platform/Dialects.h"
#include "sdfgc/Platform/Machines.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Process.h"
#include "sdfgc/Support/Text.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include <sys/utsname.h>

namespace sdfgc::build {
namespace {

struct Choice {
    std::vector<std::string> command;
    std::string source;
};

/// --cc, then the toolchain file, then the cross compiler of a target for another machine, then CXX, then any compiler that exists.
Choice chooseCompiler(const ToolchainOptions &options, const std::string &fromFile) {
    if (!options.compiler.empty())
        return {text::words(options.compiler), "--cc"};
    if (!fromFile.empty())
        return {text::words(fromFile), "the toolchain file"};
    if (options.machine && options.machine->architecture != hostArchitecture())
        return {{std::string(options.machine->compiler)}, "--target " + std::string(options.machine->target)};
    if (const char *cxx = std::getenv("CXX"); cxx && !text::words(cxx).empty())
        return {text::words(cxx), "CXX"};
    for (const char *name : {"g++", "clang++"})
        if (!process::find(name).empty())
            return {{name}, "PATH"};
    return {};
}

} // namespace

std::vector<std::string> pathList(std::string_view text) {
    std::vector<std::string> result;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(':'), text.size());
        if (end > 0)
            result.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return result;
}

std::string gpuCompiler(const platform::Dialect &dialect) {
    const std::string name(dialect.compiler);
    if (const std::string found = process::find(name); !found.empty())
        return found;
    std::vector<std::string> folders;
    for (const std::string &variable : text::words(dialect.variables))
        if (const char *value = std::getenv(variable.c_str()); value && *value)
            folders.emplace_back(value);
    folders.emplace_back(dialect.customary);
    for (const std::string &folder : folders)
        if (const std::string path = folder + "/bin/" + name; file::isExecutable(path))
            return path;
    return "";
}

std::optional<Toolchain> findToolchain(const ToolchainOptions &options, diag::Engine &diags) {
    ToolchainFile file;
    if (!options.file.empty()) {
        std::optional<ToolchainFile> read = readToolchainFile(options.file, diags);
        if (!read)
            return std::nullopt;
        file = std::move(*read);
    }
    const Choice choice = chooseCompiler(options, file.compiler);
    if (choice.command.empty()) {
        diags.report(diag::Id::CompilerNotFound, {}, "neither g++ nor clang++ is on PATH, and CXX is not set");
        return std::nullopt;
    }
    const std::optional<std::uint64_t> cacheBytes = cacheLimit(diags);
    if (!cacheBytes)
        return std::nullopt;
    const std::string cacheFolder = compilerCacheFolder(options.cacheFolder);
    std::optional<Compiler> compiler = describeCompiler(choice.command, cacheFolder, diags);
    if (!compiler)
        return std::nullopt;
    if (options.machine && package::architectureOf(compiler->machine) != options.machine->architecture) {
        diags.report(diag::Id::CompilerOfOtherMachine, {}, process::quoted(compiler->command), compiler->machine,
                     std::string(options.machine->target), std::string(options.machine->architecture));
        return std::nullopt;
    }
    Toolchain toolchain;
    toolchain.compiler = std::move(*compiler);
    toolchain.compileFlags = std::move(file.compileFlags);
    toolchain.linkFlags = std::move(file.linkFlags);
    toolchain.described = std::move(file.libraries);
    toolchain.runner = std::move(file.runner);
    toolchain.cacheFolder = cacheFolder;
    toolchain.cacheBytes = *cacheBytes;
    toolchain.source = choice.source;
    for (const platform::Dialect &d : platform::dialects())
        if (d.device != platform::Device::OpenCl) // its programs are C++ for the host
            (d.device == platform::Device::Cuda ? toolchain.nvcc : toolchain.hipcc) = gpuCompiler(d);
    return toolchain;
}

Library Toolchain::library(const std::string &name) const {
    if (const auto at = described.find(name); at != described.end())
        return at->second;
    const platform::Library *known = platform::library(name);
    const platform::Toolkit toolkit = known ? known->toolkit : platform::Toolkit::Host;
    const std::string gpuDriver = toolkit == platform::Toolkit::Cuda ? nvcc : toolkit == platform::Toolkit::Rocm ? hipcc : "";
    if (gpuDriver.empty())
        return findLibrary(name, compiler);
    Compiler withToolkit = compiler; // the GPU compiler, which links, knows these folders itself
    const std::string root = file::folderOf(file::folderOf(gpuDriver));
    for (const char *folder : {"include", "include/cccl"}) // contains CUB since CUDA 13
        withToolkit.includeFolders.push_back(file::join(root, folder));
    for (const char *folder : {"lib64", "lib"})
        withToolkit.libraryFolders.push_back(file::join(root, folder));
    return findLibrary(name, withToolkit);
}

bool Toolchain::isForeign() const {
    return !compiler.machine.empty() && package::architectureOf(compiler.machine) != hostArchitecture();
}

std::vector<std::string> Toolchain::runnerCommand() const {
    if (!runner.empty() || !isForeign())
        return runner;
    const std::string emulator = process::find("qemu-" + package::architectureOf(compiler.machine));
    if (emulator.empty())
        return {};
    const std::string answer = askCompiler(compiler, {"-print-file-name=libc.so.6"}).out;
    std::error_code failed;
    const std::filesystem::path library = std::filesystem::canonical(answer.substr(0, answer.find('\n')), failed);
    return failed ? std::vector<std::string>{emulator}
                  : std::vector<std::string>{emulator, "-L", library.parent_path().parent_path().string()};
}

std::string hostArchitecture() {
    struct ::utsname system = {};
    return ::uname(&system) == 0 ? package::architectureOf(system.machine) : "";
}

// Linux describes each processor in a paragraph of /proc/cpuinfo; these lines are the same for all of them and do not change at run
// time.
std::string hostInstructionSet() {
    static const std::set<std::string, std::less<>> identity{"vendor_id", "cpu family",
                                                             "model",     "flags", // x86
                                                             "Features",  "CPU implementer",
                                                             "CPU part",  "CPU variant", // Arm
                                                             "isa",       "cpu"};        // RISC-V, POWER
    std::string out, line;
    for (std::ifstream in("/proc/cpuinfo"); std::getline(in, line) && !line.empty();)
        if (const std::string key(text::trimmed(line.substr(0, line.find(':')))); identity.count(key))
            out += line + '\n';
    return out;
}

} // namespace sdfgc::build
