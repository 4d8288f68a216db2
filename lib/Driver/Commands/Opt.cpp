// sdfgc opt: runs passes on a graph or a tree and writes the result: a graph, or the schedule tree if the passes lower it.
#include "Driver/Compilation/PipelineOptions.h"
#include "Driver/Compilation/ProgramName.h"
#include "Driver/Subcommand.h"
#include "sdfgc/Serialize/Serialize.h"
#include "sdfgc/Serialize/Text.h"
#include "sdfgc/Tree/Text.h"

#include <ostream>

namespace sdfgc::driver {
namespace {

class Opt : public Subcommand {
    void addOptions(CommandLine &line) override {
        line.argument("PROG.sdfg", input_, "graph, or tree (.sdfgtree), to transform; `-` reads standard input");
        line.group("Output");
        line.text("-o,--output", output_, "FILE",
                  "file for the result (`-`: standard output): a graph, its text form if FILE ends with .sdfgt, or a tree if it "
                  "ends with "
                  ".sdfgtree (default: print the text of the result)");
        line.flag("--indent", indent_, "write the graph with line breaks and indentation");
        line.text("--depfile", depfile_, "FILE", "write a make rule with the dependencies of the output");
        name_.addTo(line);
        pipeline_.addTo(line);
        pipeline_.validation.addTo(line, toolchain_);
        target_.addTo(line);
        toolchain_.addTo(line);
    }

    void run(Session &s) override {
        Input in = s.read(input_);
        if (!in || !name_.apply(s, in))
            return;
        pass::CompileOptions compile = target_.compileOptions(input_);
        toolchain_.find(s, compile, false);
        const bool wholePipeline = !pipeline_.passes && pipeline_.pipeline.empty();
        if (wholePipeline && !accepts(s, in, compile))
            return;
        pass::Context context(s.diags, compile);
        std::vector<std::string> files = inputFiles(input_, in);
        if (in.graph && pipeline_.passes && !pipeline_.passes->empty())
            raiseLevel(*in.graph);
        pass::Program program = in.program();
        const bool asGraph = program.graph && !output_.empty() && !output_.ends_with(tree::fileSuffix);
        if (!runPasses(s, program, pipeline_, context, &files, asGraph))
            return;
        name_.applyAfterPasses(program.graph, program.tree.get());
        write(s, program, files);
    }

    void write(Session &s, const pass::Program &program, const std::vector<std::string> &files) const {
        const serialize::WriteOptions form{indent_ ? 2 : -1, output_.ends_with(".sdfgz")};
        if (program.tree)
            s.writeOutput(output_.empty() ? "-" : output_, tree::print(*program.tree));
        else if (output_.ends_with(tree::fileSuffix))
            s.diags.report(diag::Id::LevelTooLow, {}, ir::name(program.level()));
        else if (output_.empty())
            s.environment.out << serialize::print(*program.graph, {.orders = false});
        else if (output_ == "-")
            s.environment.out << serialize::writeText(*program.graph, form) << '\n';
        else if (!serialize::writeFile(*program.graph, output_, s.diags, form))
            return;
        if (!depfile_.empty())
            s.writeOutput(depfile_, dependencyRule(output_, files));
    }

    std::string input_, output_, depfile_;
    bool indent_ = false;
    ProgramName name_;
    PipelineOptions pipeline_;
    TargetOptions target_;
    ToolchainChoice toolchain_;
};

} // namespace

std::unique_ptr<Subcommand> createOpt() { return std::make_unique<Opt>(); }

} // namespace sdfgc::driver
