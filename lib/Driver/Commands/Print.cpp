// sdfgc print: the text form of a graph as in its file, a drawing, or the schedule tree that it is lowered to; also the GPU graphs
// of that tree.
#include "Driver/Compilation/PipelineOptions.h"
#include "Driver/Subcommand.h"
#include "sdfgc/IR/Dot.h"
#include "sdfgc/Serialize/Text.h"
#include "sdfgc/Tree/Dot.h"
#include "sdfgc/Tree/Text.h"

namespace sdfgc::driver {
namespace {

class Print : public Subcommand {
    void addOptions(CommandLine &line) override {
        line.argument("PROG.sdfg", input_, "graph, or tree (.sdfgtree), to print; `-` reads standard input");
        line.group("Output");
        line.text("-o,--output", output_, "FILE", "file for the text (default: standard output)");
        line.flag("--no-debug-info", noDebugInfo_, "leave out the source lines of the user's program");
        line.text("--filter", filter_, "TEXT",
                  "print only SDFGs and states with TEXT in their name or in the name of one of their elements");
        line.flag("--dot", dot_, "print a Graphviz drawing: sdfgc print --dot p.sdfg | dot -Tsvg > p.svg");
        line.flag("--graphs", graphs_, "with --dot: draw the GPU graphs that the target's pipeline forms");
        line.flag("--tree", tree_, "print the schedule tree that the target's pipeline makes");
        target_.addTo(line);
    }

    void run(Session &s) override {
        if (dot_ && tree_) {
            s.diags.report(diag::Id::OptionConflict, {}, "--dot", "--tree");
            return;
        }
        if (graphs_ && !dot_) {
            s.diags.report(diag::Id::OptionMisused, {}, "--graphs is for --dot", "`sdfgc print --dot --graphs` draws GPU graphs");
            return;
        }
        Input program = s.read(input_);
        if (!program)
            return;
        if (program.tree && ((dot_ && !graphs_) || !filter_.empty()))
            s.diags.report(diag::Id::TreeNotTaken, {input_});
        else if (std::optional<std::string> text = textOf(s, program))
            s.writeOutput(output_, *text);
    }

    std::optional<std::string> textOf(Session &s, Input &program) const {
        if (graphs_ || (tree_ && !program.tree))
            return lowerLevel(s, program);
        if (program.tree)
            return tree::print(*program.tree);
        return dot_ ? ir::printDot(*program.graph) : textForm(s, *program.graph);
    }

    std::optional<std::string> textForm(Session &s, ir::SDFG &graph) const {
        if (filter_.empty())
            return serialize::print(graph, {!noDebugInfo_});
        std::optional<std::string> text = serialize::printMatching(graph, filter_, {!noDebugInfo_});
        if (!text)
            s.diags.report(diag::Id::NothingMatches, {}, filter_, suggestion(graph));
        return text;
    }

    /// The most similar label of a state, node or SDFG.
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

    /// Prints the tree itself, or its GPU graphs.
    std::optional<std::string> lowerLevel(Session &s, Input &program) const {
        const std::shared_ptr<const tree::Module> module = program.tree ? std::move(program.tree) : scheduleTree(s, program);
        if (!module)
            return std::nullopt;
        return graphs_ ? tree::printGraphsDot(*module) : tree::print(*module);
    }

    std::unique_ptr<tree::Module> scheduleTree(Session &s, Input &program) const {
        pass::CompileOptions compile = target_.compileOptions(input_);
        ToolchainChoice().find(s, compile, false);
        pass::Context context(s.diags, compile);
        return lowered(s, program.program(), {}, context);
    }

    std::string input_, output_ = "-", filter_;
    bool noDebugInfo_ = false, dot_ = false, graphs_ = false, tree_ = false;
    TargetOptions target_;
};

} // namespace

std::unique_ptr<Subcommand> createPrint() { return std::make_unique<Print>(); }

} // namespace sdfgc::driver
