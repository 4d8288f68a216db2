#include "sdfgc/Build/Tasklets.h"

#include "sdfgc/Build/Build.h"
#include "sdfgc/CodeGen/BodyPrinter.h"
#include "sdfgc/Platform/Libraries.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Hash.h"
#include "sdfgc/Support/Resources.h"
#include "sdfgc/Support/Text.h"

#include <algorithm>
#include <csignal>
#include <filesystem>

#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>

namespace sdfgc::build {
namespace {

class Loaded final : public interpret::NativeLibrary {
public:
    explicit Loaded(void *handle) : handle_(handle) {}
    ~Loaded() override { ::dlclose(handle_); }
    Function function(const std::string &name) const override { return reinterpret_cast<Function>(::dlsym(handle_, name.c_str())); }

private:
    void *handle_;
};

/// Headers that the code needs, and libraries to link.
struct Needs {
    std::string includes = "#include \"dace/dace.h\"\n";
    std::vector<std::string> libraries;
};

Needs needsOf(const interpret::NativeSource &source) {
    Needs out;
    for (const platform::Environment *e : platform::neededBy(source.environments, source.text)) {
        if (!e->topic.empty())
            out.includes += "#include " + codegen::includeOf(e->topic) + "\n";
        if (!e->include.empty())
            out.includes += "#include " + std::string(e->include) + "\n";
        for (std::string &library : text::words(e->libraries))
            if (std::find(out.libraries.begin(), out.libraries.end(), library) == out.libraries.end())
                out.libraries.push_back(std::move(library));
    }
    return out;
}

/// A folder for a text, and whether it is kept.
struct CompileFolder {
    CompileFolder(const Toolchain &toolchain, const std::string &text)
        : isKept(!toolchain.cacheFolder.empty()),
          path(isKept ? file::join(toolchain.cacheFolder, "tasklets/" + hashOf(text).hex())
                      : (std::filesystem::temp_directory_path() / ("sdfgc-tasklets-" + std::to_string(::getpid()))).string()) {}
    ~CompileFolder() {
        if (!isKept)
            (void)file::removeTree(path);
    }
    bool isKept;
    std::string path;
};

/// The up-to-date library of a source file; if it cannot be built, reports this and returns nothing.
std::optional<std::string> compile(const CompileFolder &where, const std::string &text, const Needs &needs,
                                   const Toolchain &toolchain, Log *log, diag::Engine &diags) {
    const std::optional<std::string> headers = findResource("runtime-headers", "");
    if (!headers) {
        diags.report(diag::Id::BuildFileError, {}, "the runtime headers are in none of " + resourceFolders());
        return std::nullopt;
    }
    const std::optional<Folder> folder = Folder::open(where.path, "tasklets", diags);
    if (!folder)
        return std::nullopt;
    if (const auto written = file::writeIfChanged(file::join(where.path, "tasklets.cpp"), text, file::Links::Replace); !written) {
        diags.report(diag::Id::BuildFileError, {}, written.error());
        return std::nullopt;
    }
    Request request;
    request.sources = {"tasklets.cpp"};
    request.includeFolders = {*headers};
    request.libraries = needs.libraries;
    request.options.log = log;
    request.options.quiet = true;
    const BuildResult made = build(*folder, request, toolchain, diags);
    if (made.status == Status::Interrupted) // an interpreter waiting for its tasklets has nothing to save
        std::raise(made.signal);
    return made.status == Status::Done ? std::optional(file::absolute(made.library)) : std::nullopt;
}

/// Keeps libraries loaded during its lifetime from starting threads: a fault is only caught in the thread that calls a tasklet
/// (interpret::callGuarded).
class OneThread {
public:
    OneThread() {
        for (const char *name : names) {
            const char *old = std::getenv(name);
            old_.push_back(old ? std::optional<std::string>(old) : std::nullopt);
            ::setenv(name, "1", 1);
        }
    }
    ~OneThread() {
        for (std::size_t k = 0; k < std::size(names); ++k)
            old_[k] ? ::setenv(names[k], old_[k]->c_str(), 1) : ::unsetenv(names[k]);
    }
    OneThread(const OneThread &) = delete;

private:
    static constexpr const char *names[] = {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"};
    std::vector<std::optional<std::string>> old_;
};

} // namespace

interpret::NativeCompiler taskletCompiler(ToolchainOptions options, Log *log) {
    return [options = std::move(options), log](const interpret::NativeSource &source,
                                               diag::Engine &diags) -> std::shared_ptr<const interpret::NativeLibrary> {
        std::optional<Toolchain> toolchain = findToolchain(options, diags);
        if (toolchain && toolchain->isForeign()) // its code cannot be loaded here
            toolchain = findToolchain({"", "", options.cacheFolder}, diags);
        if (!toolchain)
            return nullptr;
        const Needs needs = needsOf(source);
        const std::string text = needs.includes + "\n" + source.text;
        const CompileFolder where(*toolchain, text);
        const std::optional<std::string> library = compile(where, text, needs, *toolchain, log, diags);
        const OneThread whileLoading;
        void *handle = library ? ::dlopen(library->c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
        if (library && !handle)
            diags.report(diag::Id::ProgramFailed, {}, ::dlerror());
        return handle ? std::make_shared<const Loaded>(handle) : nullptr;
    };
}

} // namespace sdfgc::build
