// sdfgc print: the text form of a graph as it is in the file, its picture, or the schedule tree that it is lowered to.
#include "Driver/PipelineOptions.h"
#include "Driver/Subcommand.h"
#include "sdfgc/IR/Dot.h"
#include "sdfgc/Serialize/Text.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Tree/Text.h"
#include "sdfgc/Tree/Verify.h"

namespace sdfgc::driver {
namespace {

class Print : public Subcommand {
    void addOptions(CommandLine &line) override {
        line.argument("PROG.sdfg", input_, "the graph; `-` reads standard input");
        line.group("Output");
        line.text("-o,--output", output_, "FILE", "where the text goes (standard output)");
        line.flag("--no-debug-info", noDebugInfo_, "without the lines of the user's program");
        line.text("--filter", filter_, "TEXT", "only SDFGs and states with TEXT in their name or in that of one of their elements");
        line.flag("--dot", dot_, "a picture for Graphviz: sdfgc print --dot p.sdfg | dot -Tsvg > p.svg");
        line.flag("--tree", tree_, "the schedule tree that the pipeline of the target leads to");
        target_.addTo(line);
    }

    void run(Session &s) override {
        if (dot_ && tree_) {
            s.diags.report(diag::Id::OptionConflict, {}, "--dot", "--tree");
            return;
        }
        if (input_.ends_with(".sdfgtree"))
            return printTree(s);
        std::unique_ptr<ir::SDFG> graph = s.readGraph(input_);
        if (!graph)
            return;
        if (std::optional<std::string> text = tree_ ? scheduleTree(s, *graph) : dot_ ? ir::printDot(*graph) : textForm(s, *graph))
            s.writeOutput(output_, *text);
    }

    /// A tree in its text form: read, verified, and written as sdfgc writes it.
    void printTree(Session &s) const {
        const Result<std::string> text = file::read(input_);
        if (!text) {
            s.diags.report(diag::Id::FileUnreadable, {input_}, text.error());
            return;
        }
        const std::unique_ptr<tree::Module> module = tree::parse(*text, input_, s.diags);
        if (module && tree::verify(*module, s.diags))
            s.writeOutput(output_, tree::print(*module));
    }

    std::optional<std::string> textForm(Session &s, ir::SDFG &graph) const {
        if (filter_.empty())
            return serialize::print(graph, {!noDebugInfo_});
        std::optional<std::string> text = serialize::printMatching(graph, filter_, {!noDebugInfo_});
        if (!text)
            s.diags.report(diag::Id::NothingMatches, {}, filter_, suggestion(graph));
        return text;
    }

    /// The nearest label of a state, node or SDFG.
    std::string suggestion(ir::SDFG &graph) const {
        std::vector<std::string> names;
        for (ir::SDFG *g : ir::allSDFGs(graph)) {
            names.push_back(g->name.str());
            for (const ir::State *state : ir::allStates(*g)) {
                names.push_back(state->label);
                for (const auto &n : state->nodes())
                    names.push_back(n->label);
            }
        }
        const std::string near = diag::nearest(filter_, names);
        return near.empty() ? "`sdfgc print` without --filter prints everything" : "did you mean `" + near + "`?";
    }

    std::optional<std::string> scheduleTree(Session &s, ir::SDFG &graph) const {
        pass::CompileOptions compile = target_.compileOptions(input_);
        ToolchainChoice().find(s, compile, false);
        pass::Context context(s.diags, compile);
        const std::unique_ptr<tree::Module> module = lowered(s, graph, {}, context);
        return module ? std::optional(tree::print(*module)) : std::nullopt;
    }

    std::string input_, output_ = "-", filter_;
    bool noDebugInfo_ = false, dot_ = false, tree_ = false;
    TargetOptions target_;
};

} // namespace

std::unique_ptr<Subcommand> createPrint() { return std::make_unique<Print>(); }

} // namespace sdfgc::driver
