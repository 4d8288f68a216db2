// sdfgc check: is this graph well formed, and does it compile for a target?
#include "Driver/PipelineOptions.h"
#include "Driver/Subcommand.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Targets/Targets.h"

namespace sdfgc::driver {
namespace {

std::vector<std::string> levelNames() {
    std::vector<std::string> names;
    for (int l = 0; l <= int(ir::Level::Scheduled); ++l)
        names.emplace_back(ir::name(static_cast<ir::Level>(l)));
    return names;
}

class Check : public Subcommand {
    void addOptions(CommandLine &line) override {
        line.argument("PROG.sdfg", input_, "the graph; `-` reads standard input");
        line.group("What to check");
        line.choice("--level", level_, levelNames(), "the rules of this level and of those below (loaded)");
        std::vector<std::string> targets;
        for (const targets::TargetInfo &t : targets::all())
            targets.push_back(t.name);
        line.choice("--target", options_.target, targets, "also report whatever a build for this target refuses; writes nothing");
        line.flag("--emulate", options_.emulate, "with --target: for a build with --emulate");
        line.choice("-O,--optimize", options_.optimize, {"0", "1", "2", "3"}, "with --target: for a build at this level (2)");
        line.check([this](diag::Engine &d) {
            if (options_.emulate && options_.target.empty())
                d.report(diag::Id::OptionMisused, {}, "--emulate is for --target",
                         "`--target cuda --emulate` checks for the emulated device");
        });
    }

    void run(Session &s) override {
        std::unique_ptr<ir::SDFG> graph = s.readGraph(input_);
        const std::vector<std::string> names = levelNames();
        std::size_t level = 0;
        while (names[level] != level_)
            ++level;
        if (graph && level != 0)
            analysis::verify(*graph, static_cast<ir::Level>(level), s.diags, input_);
        if (graph && !s.failed() && !options_.target.empty())
            compile(s, std::move(graph));
    }

    /// All of a build but the folder and the compiler: the passes, and the text of the sources.
    void compile(Session &s, std::unique_ptr<ir::SDFG> graph) const {
        pass::CompileOptions options = options_.compileOptions(input_);
        ToolchainChoice().find(s, options, false);
        if (s.failed() || !targets::accepts(*graph, options, s.diags))
            return;
        pass::Context context(s.diags, options);
        if (const std::unique_ptr<tree::Module> module = lowered(s, {*graph, nullptr}, {}, context))
            targets::find(options.target)->emit(*module, options);
    }

    std::string input_, level_ = "loaded";
    TargetOptions options_ = [] {
        TargetOptions o;
        o.target.clear(); // none unless asked for
        return o;
    }();
};

} // namespace

std::unique_ptr<Subcommand> createCheck() { return std::make_unique<Check>(); }

} // namespace sdfgc::driver
