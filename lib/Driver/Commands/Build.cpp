// sdfgc emit and sdfgc build: from a graph to a build folder, and on to the library.
#include "Driver/Compilation/BuildCache.h"
#include "Driver/Subcommand.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Gzip.h"

namespace sdfgc::driver {
namespace {

class Compile : public Subcommand {
public:
    explicit Compile(bool withLibrary) : withLibrary_(withLibrary) {}

private:
    void addOptions(CommandLine &line) override {
        line.argument("PROG.sdfg", input_, "graph, or tree (.sdfgtree), to compile; `-` reads standard input");
        line.group("Output");
        line.text("-o,--output", folder_, "DIR", "build folder (default: ./<name>.build)");
        line.text("--depfile", depfile_, "FILE", "write a make rule with the dependencies of the output");
        line.text("--dump-gpu-graph", compilation_.graphFolder, "DIR",
                  "write a Graphviz drawing of each GPU graph to DIR/<name>.<graph>.dot");
        line.flag("--caller", compilation_.caller,
                  "also make a program that calls the library: `<name>_main NAME=VALUE ... --out NAME=FILE.npy`, with values as "
                  "for `run`");
        line.flag(
            "--async", compilation_.async,
            "also export `<name>_program_async`, which queues a GPU program on a stream of the caller and does not wait for it");
        line.flag("--static", compilation_.staticLibrary,
                  "also make a static library, lib<name>.a; the manifest and <name>-static.pc list what callers link with it");
        if (withLibrary_)
            line.text(
                "--cache", cacheFolder_, "DIR",
                "take finished builds from this folder, and put them there; folders, users and machines may share it (default: "
                "SDFGC_CACHE, else none)");
        line.flag(
            "--dace-files", compilation_.daceFiles,
            "also write what DaCe's loader and its extension for VS Code read: maps from lines to elements, the list of sources, "
            "and the library that DaCe loads first");
        if (withLibrary_)
            line.flag("--save-failing", saveFailing_,
                      "after a failure, copy the program to _dacegraphs/failing.sdfg, as DaCe does");
        compilation_.addTo(line, withLibrary_);
        if (withLibrary_)
            compilation_.pipeline.validation.addTo(line, compilation_.toolchain);
    }

    void run(Session &s) override {
        s.guard([&] { compile(s); });
        if (saveFailing_ && s.failed())
            saveInput(s);
    }

    void compile(Session &s) {
        const std::unique_ptr<BuildCache> cache =
            withLibrary_ ? BuildCache::open(s, cacheFolder_, compilation_, input_, folder_) : nullptr;
        const std::optional<Restored> restored = cache ? cache->restore(s) : std::nullopt;
        if (restored)
            writeDependencies(s, restored->folder, restored->name, restored->files);
        if (restored || s.failed())
            return;
        Input program = s.read(input_);
        if (!program)
            return;
        compilation_.cache = cache.get();
        if (std::optional<Compiled> made = compilation_.run(s, std::move(program), input_, folder_, withLibrary_))
            writeDependencies(s, made->folder, made->module->name.str(), made->files);
    }

    void writeDependencies(Session &s, const std::string &folder, const std::string &name, const std::vector<std::string> &files) {
        if (!depfile_.empty())
            s.writeOutput(depfile_,
                          dependencyRule(file::join(folder, withLibrary_ ? "lib/lib" + name + ".so" : "manifest.json"), files));
    }

    /// A text form keeps its suffix, and so does a compressed graph.
    void saveInput(Session &s) const {
        const Result<std::string> text = input_ != "-" ? file::read(input_) : Result<std::string>(s.standardInput.value_or(""));
        const std::string suffix = gzip::isCompressed(text ? *text : "") ? ".sdfgz"
                                   : input_.ends_with(".sdfgt")          ? ".sdfgt"
                                   : input_.ends_with(".sdfgtree")       ? ".sdfgtree"
                                                                         : ".sdfg";
        const std::string path = "_dacegraphs/failing" + suffix;
        Result<void> saved = text ? file::makeFolder("_dacegraphs") : Failure{text.error()};
        if (saved)
            saved = file::writeAtomic(path, *text);
        if (saved)
            s.log().result("saved the program as {}", path);
        else
            s.diags.report(diag::Id::OutputFailed, {}, saved.error());
    }

    const bool withLibrary_;
    bool saveFailing_ = false;
    std::string input_, folder_, depfile_, cacheFolder_;
    Compilation compilation_;
};

} // namespace

std::unique_ptr<Subcommand> createBuild() { return std::make_unique<Compile>(true); }
std::unique_ptr<Subcommand> createEmit() { return std::make_unique<Compile>(false); }

} // namespace sdfgc::driver
