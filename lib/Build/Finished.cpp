#include "sdfgc/Build/Finished.h"

#include "Build/Internal.h"
#include "Build/Record.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <sys/stat.h>

namespace sdfgc::build {
namespace {

constexpr const char *kManifest = "manifest.json", *kCommandList = "compile_commands.json", *kScript = ".sdfgc/commands.sh";
constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 31;

/// The list of commands with another folder: it is the only file that names the folder.
std::string commandsIn(const std::string &list, const std::string &folder) {
    std::optional<json::Value> commands = json::parse(list);
    if (!commands || !commands->isArray())
        return list;
    for (json::Value &command : commands->items())
        command.set("directory", folder);
    return commands->dump(1) + "\n";
}

/// The files that the recorded steps read, in order and without duplicates. Files of the package are determined by the key.
Result<std::vector<Input>> foreignInputs(const Folder &folder, const Record &record, const package::Files &generated) {
    std::map<std::string, Input> out;
    for (const auto &[output, step] : record.steps)
        for (const Input &input : step.inputs) {
            if (generated.count(input.path) || record.steps.count(input.path) || out.count(input.path))
                continue;
            if (!input.path.starts_with('/'))
                return Failure{"the library depends on " + input.path + " in " + folder.path()};
            const Result<std::string> content = file::readRegular(input.path);
            if (!content || input.stamp.empty() || stampText(file::stamp(input.path)) != input.stamp)
                return Failure{input.path + " has changed during the build"};
            out[input.path] = {input.path, input.stamp, hashOf(*content).hex()};
        }
    std::vector<Input> inputs;
    for (auto &[path, input] : out)
        inputs.push_back(std::move(input));
    return inputs;
}

/// Writes a library or a program, unless the file is there already. Returns whether it wrote.
Result<bool> writeProgram(const std::string &path, const std::string &content) {
    const Result<bool> written = file::writeIfChanged(path, content, file::Links::Replace);
    struct ::stat st = {};
    if (written && *written && !path.ends_with(".a") && ::stat(path.c_str(), &st) == 0)
        (void)::chmod(path.c_str(), (st.st_mode & 07777) | ((st.st_mode & 0444) >> 2)); // whoever may read it may run it
    return written;
}

bool isOlder(const std::string &path, const std::vector<std::string> &origins) {
    const std::optional<file::Stamp> stamp = file::stamp(path);
    return stamp && std::any_of(origins.begin(), origins.end(), [&](const std::string &each) {
               const std::optional<file::Stamp> origin = file::stamp(each);
               return origin && origin->modifiedNs > stamp->modifiedNs;
           });
}

std::string gpuToolIdentity(const std::string &tool) {
    if (tool.empty())
        return "";
    const std::string root = file::folderOf(file::folderOf(tool));
    std::string out = tool;
    for (const char *version : {"version.json", "version.txt", ".info/version"})
        if (const Result<std::string> text = file::readRegular(file::join(root, version), 1 << 20))
            out += "\n" + *text;
    return out + "\n" + stampText(file::stamp(tool));
}

/// Options whose value, in the same word or the next one, is the name of a file.
constexpr std::array<std::string_view, 16> kPathOptions{
    "-I",        "-L",         "-B",      "-isystem", "-iquote",     "-idirafter", "-include", "-imacros",
    "-isysroot", "--sysroot=", "-specs=", "-T",       "-Wl,-rpath,", "-fplugin=",  "-o",       "@"};

bool isRelative(std::string_view path) { return !path.empty() && path[0] != '/' && path[0] != '$'; }

bool hasRelativePath(const std::vector<std::string> &flags) {
    bool isValue = false; // of the flag before
    for (const std::string_view flag : flags) {
        const auto *option = std::find_if(kPathOptions.begin(), kPathOptions.end(), [&](auto o) { return flag.starts_with(o); });
        const bool isOption = option != kPathOptions.end() && !isValue;
        if (isOption && isRelative(flag.substr(option->size())))
            return true;
        const bool isFile = !isOption && !flag.starts_with('-') && flag.find_first_of("/.") != std::string_view::npos;
        if ((isValue || isFile) && isRelative(flag))
            return true;
        isValue = isOption && flag == *option;
    }
    return false;
}

} // namespace

bool writeCommands(const std::string &folder, const std::string &list, const std::string &script, diag::Engine &diags) {
    const std::string listPath = file::join(folder, kCommandList), scriptPath = file::join(folder, kScript);
    // sdfgc itself never creates links for the list, and writes the script after it.
    const Result<std::string> there = file::readRegular(listPath);
    if (file::isLink(listPath) || (file::exists(listPath) && !file::exists(scriptPath) && (!there || *there != list))) {
        package::reportForeign(folder, {kCommandList}, diags);
        return false;
    }
    for (const auto &[path, text] : {std::pair(listPath, list), std::pair(scriptPath, script)})
        if (const auto written = file::writeIfChanged(path, text, file::Links::Replace); !written) {
            diags.report(diag::Id::BuildFileError, {}, written.error());
            return false;
        }
    return true;
}

Store buildStore(const std::string &cacheFolder, std::uint64_t bytes) {
    return Store(cacheFolder.empty() ? "" : file::join(cacheFolder, kBuildStore), {bytes, 0});
}

Result<Entry> takeBuild(const Folder &folder, const package::Files &generated) {
    const Record record = readRecord(folder.statePath("build.json"));
    Result<std::vector<Input>> inputs = foreignInputs(folder, record, generated);
    if (!inputs)
        return Failure{inputs.error()};
    Entry entry;
    entry.inputs = std::move(*inputs);
    for (const auto &[path, text] : generated)
        entry.files.push_back({path, text, false});
    std::vector<std::string> more{kManifest, kCommandList, kScript, "lib/lib" + folder.name() + ".so"};
    for (const std::string &program :
         {package::callerProgram(folder.name()), package::daceStubLibrary(folder.name()), package::staticLibrary(folder.name())})
        if (record.steps.count(program))
            more.push_back(program);
    for (const std::string &path : more) {
        Result<std::string> content = file::readRegular(file::join(folder.path(), path), kLargestFile);
        if (!content)
            return Failure{content.error()};
        const bool isProgram = record.steps.count(path) > 0;
        entry.files.push_back({path, path == kCommandList ? commandsIn(*content, "") : std::move(*content), isProgram});
    }
    return entry;
}

std::optional<PlacedBuild> placeBuild(const Folder &folder, const Entry &entry, const std::string &key,
                                      const std::vector<std::string> &madeFrom, diag::Engine &diags) {
    const auto fail = [&](const std::string &why) {
        diags.report(diag::Id::BuildFileError, {}, why);
        return std::nullopt;
    };
    package::Files generated;
    std::map<std::string, std::string> others;
    for (const StoredFile &f : entry.files)
        (f.isProgram || f.path == kManifest || f.path == kCommandList || f.path == kScript ? others : generated)[f.path] =
            f.content;
    const std::optional<json::Value> manifest = json::parse(others[kManifest]);
    if (!manifest || !package::writeFolder(folder.path(), generated, *manifest, diags))
        return manifest ? std::nullopt : fail("a finished build has no manifest");
    for (const char *below : {"lib", ".sdfgc/obj"})
        if (const Result<void> made = file::makeFolderInside(folder.path(), below); !made)
            return fail(made.error());
    // A package (Archive.h) has no commands: they are those of another machine.
    if (others.count(kCommandList) &&
        !writeCommands(folder.path(), commandsIn(others[kCommandList], file::absolute(folder.path())), others[kScript], diags))
        return std::nullopt;
    PlacedBuild placed;
    Record record;
    for (const StoredFile &f : entry.files) {
        if (!f.isProgram)
            continue;
        const std::string path = file::join(folder.path(), f.path);
        if (const Result<void> made = file::makeFolderInside(folder.path(), file::folderOf(f.path)); !made)
            return fail(made.error());
        const Result<bool> written = writeProgram(path, f.content);
        if (!written)
            return fail(written.error());
        placed.isNew |= *written;
        if (f.path == "lib/lib" + folder.name() + ".so")
            placed.library = path;
        else if (f.path == package::callerProgram(folder.name()))
            placed.caller = path;
        if (path == placed.library && isOlder(path, madeFrom))
            (void)file::touch(path);
        // The key is none of a command: without the cache, the next run compiles.
        record.steps[f.path] = {"stored " + key, {{kManifest, "", ""}}, stampText(file::stamp(path))};
    }
    if (const Result<void> written = writeRecord(folder.statePath("build.json"), record); !written)
        return fail(written.error());
    return placed;
}

std::string toolchainIdentity(const Toolchain &toolchain, const std::vector<std::string> &flags, bool onDevice) {
    Hasher h;
    const auto add = [&h](const std::vector<std::string> &words) {
        h.field(std::to_string(words.size()));
        for (const std::string &word : words)
            h.field(word);
    };
    const Compiler &c = toolchain.compiler;
    h.field(c.identity).field(c.machine).field(c.kind == CompilerKind::Gcc ? "gcc" : "clang");
    for (const std::vector<std::string> *words :
         {&c.command, &c.includeFolders, &c.libraryFolders, &toolchain.compileFlags, &toolchain.linkFlags})
        add(*words);
    for (const auto &[name, library] : toolchain.described) {
        h.field(name);
        add(library.compileFlags);
        add(library.linkFlags);
    }
    for (const char *variable : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH",
                                 "GCC_EXEC_PREFIX", "SOURCE_DATE_EPOCH", "CCC_OVERRIDE_OPTIONS", "NVCC_PREPEND_FLAGS",
                                 "NVCC_APPEND_FLAGS", "HIPCC_COMPILE_FLAGS_APPEND", "HIPCC_LINK_FLAGS_APPEND"}) {
        const char *value = std::getenv(variable);
        h.field(value ? value : "");
    }
    const bool native = std::any_of(flags.begin(), flags.end(), [](const std::string &flag) { return flag.ends_with("native"); });
    h.field(native ? hostInstructionSet() : "");
    h.field(onDevice ? gpuToolIdentity(toolchain.nvcc) + gpuToolIdentity(toolchain.hipcc) : "");
    return h.digest().hex();
}

std::string libraryIdentity(const Toolchain &toolchain, const std::vector<std::string> &libraries) {
    std::string out;
    for (const std::string &name : libraries) {
        const Library library = toolchain.library(name);
        out += name + (library.found() ? ":" : " is missing");
        for (const std::vector<std::string> *flags : {&library.compileFlags, &library.linkFlags})
            for (const std::string &flag : *flags)
                out += " " + flag;
        out += "\n";
    }
    return out;
}

bool nameFolder(const std::vector<std::string> &flags) {
    return std::any_of(flags.begin(), flags.end(), [](const std::string &f) { return f.starts_with("-g") && f != "-g0"; });
}

bool needFolder(const std::vector<std::string> &flags) {
    constexpr std::array<std::string_view, 8> leaving{"--coverage",   "-fprofile",     "-ftest-coverage", "-save-temps",
                                                      "--save-temps", "-gsplit-dwarf", "-fdump",          "-fstack-usage"};
    const auto leaves = [&](const std::string &flag) {
        return std::any_of(leaving.begin(), leaving.end(), [&](std::string_view prefix) { return flag.starts_with(prefix); });
    };
    return hasRelativePath(flags) || std::any_of(flags.begin(), flags.end(), leaves);
}

} // namespace sdfgc::build
