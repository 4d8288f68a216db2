// sdfgc emit and sdfgc build: from a graph to a build folder, and on to the library.
#include "Driver/Compilation/Compilation.h"
#include "Driver/Subcommand.h"
#include "sdfgc/Support/File.h"

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
        compilation_.addTo(line, withLibrary_);
        if (withLibrary_)
            compilation_.pipeline.validation.addTo(line, compilation_.toolchain);
    }

    void run(Session &s) override {
        Input program = s.read(input_);
        if (!program)
            return;
        std::optional<Compiled> made = compilation_.run(s, std::move(program), input_, folder_, withLibrary_);
        if (made && !depfile_.empty())
            s.writeOutput(depfile_, dependencyRule(output(*made), made->files));
    }

    /// The result, as named in a Makefile.
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
