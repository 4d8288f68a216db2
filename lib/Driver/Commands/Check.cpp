// sdfgc check: checks that a graph is well formed and compiles for a target.
#include "Driver/Compilation/PipelineOptions.h"
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
        line.argument("PROG.sdfg", input_, "graph to verify; `-` reads standard input");
        line.group("What to check");
        line.choice("--level", level_, levelNames(), "check the rules up to this level");
        addTargetOption(line, "--target", target_, "also report what a build for this target would reject, without writing files");
        options_.addTo(line, pass::Subcommands::Checking, "With --target");
        line.check([this](diag::Engine &d) {
            if (options_.emulate && !target_)
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
        if (graph && !s.failed() && target_)
            compile(s, std::move(graph));
    }

    /// Everything that a build does except for the folder and the compiler: runs the passes and generates the sources.
    void compile(Session &s, std::unique_ptr<ir::SDFG> graph) const {
        pass::CompileOptions options = options_.compileOptions(input_);
        options.target = *target_;
        ToolchainChoice().find(s, options, false);
        if (s.failed() || !targets::accepts(*graph, options, s.diags))
            return;
        pass::Context context(s.diags, options);
        if (const std::unique_ptr<tree::Module> module = lowered(s, {*graph, nullptr}, {}, context))
            targets::find(options.target)->emit(*module, options);
    }

    std::string input_, level_ = "loaded";
    std::optional<pass::Target> target_; // none unless requested
    TargetOptions options_;
};

} // namespace

std::unique_ptr<Subcommand> createCheck() { return std::make_unique<Check>(); }

} // namespace sdfgc::driver
