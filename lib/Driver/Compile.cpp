// sdfgc emit and sdfgc build: from a graph to a build folder, and on to the library.
#include "Driver/Compilation.h"
#include "Driver/Subcommand.h"
#include "sdfgc/Support/File.h"

namespace sdfgc::driver {
namespace {

class Compile : public Subcommand {
public:
    explicit Compile(bool withLibrary) : withLibrary_(withLibrary) {}

private:
    void addOptions(CommandLine &line) override {
        line.argument("PROG.sdfg", input_, "the graph, or a tree (.sdfgtree); `-` reads standard input");
        line.group("Output");
        line.text("-o,--output", folder_, "DIR", "the build folder (./<name>.build)");
        line.text("--depfile", depfile_, "FILE", "write a rule for make that says what the output depends on");
        line.text("--dump-gpu-graph", compilation_.graphFolder, "DIR", "draw each GPU graph for Graphviz: DIR/<name>.<graph>.dot");
        line.flag(
            "--caller", compilation_.caller,
            "with a program that calls the library: `<name>_main NAME=VALUE ... --out NAME=FILE.npy`, values as those of `run`");
        compilation_.addTo(line, withLibrary_);
        if (withLibrary_)
            compilation_.pipeline.addValidationTo(line, compilation_.toolchain);
    }

    void run(Session &s) override {
        Input program = s.read(input_);
        if (!program)
            return;
        std::optional<Compiled> made = compilation_.run(s, std::move(program), input_, folder_, withLibrary_);
        if (made && !depfile_.empty())
            s.writeOutput(depfile_, dependencyRule(output(*made), made->files));
    }

    /// What a Makefile knows as the result.
    std::string output(const Compiled &made) const {
        return file::join(made.folder, withLibrary_ ? "lib/lib" + made.module->name.str() + ".so" : "manifest.json");
    }

    const bool withLibrary_;
    std::string input_, folder_, depfile_;
    Compilation compilation_;
};

} // namespace

std::unique_ptr<Subcommand> createBuild() { return std::make_unique<Compile>(true); }
std::unique_ptr<Subcommand> createEmit() { return std::make_unique<Compile>(false); }

} // namespace sdfgc::driver
