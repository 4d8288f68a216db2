// sdfgc grad: a graph in, the same graph with the gradient of a result out. It is an ordinary graph: build, run and opt take it.
#include "Driver/GradientCheck.h"
#include "Driver/PipelineOptions.h"
#include "Driver/Remarks.h"
#include "Driver/Subcommand.h"
#include "sdfgc/Serialize/Serialize.h"
#include "sdfgc/Serialize/Text.h"
#include "sdfgc/Support/Text.h"

#include <ostream>

namespace sdfgc::driver {
namespace {

class Grad : public Subcommand {
    void addOptions(CommandLine &line) override {
        line.argument("PROG.sdfg", input_, "the graph; `-` reads standard input");
        line.group("What to differentiate");
        line.list("--of", of_, "NAMES", "the result: an argument that the program writes, or several");
        line.list("--wrt", wrt_, "NAMES", "arguments to get a gradient");
        line.choice("--mode", mode_, {"reverse", "forward"},
                    "gradients of the result (reverse), or how results change along tangents of arguments (forward)");
        line.choice("--seed", seed_, {"one", "argument"},
                    "what the gradient of the result begins with (one): argument takes what the caller put there");
        line.choice("--init", init_, {"zero", "accumulate"},
                    "what the other gradients begin with (zero): accumulate adds to what the caller put there");
        line.choice("--ties", ties_, {"split", "first"},
                    "where equal values are the largest: they share the gradient (split), or the first one gets it");
        line.text("--prefix", prefix_, "TEXT",
                  "what names of gradients begin with, if not gradient_ (tangents: tangent_): for the gradient of a gradient");
        line.group("Output");
        line.text("-o,--output", output_, "FILE",
                  "where the graph goes (`-`: standard output), its text form if FILE ends with .sdfgt; without it, the text form "
                  "is printed");
        line.flag("--report", report_, "print what is stored for the gradient, and why");
        line.group("Comparison with differences");
        line.flag("--check", check_,
                  "run both programs in the interpreter, and compare the gradient with differences of results; they must agree to "
                  "1e-6 (1e-2 in "
                  "float32). The graph is written only with -o");
        line.texts("--arg", options_.arguments, "NAME=VALUE", "an argument of the program, as for `sdfgc run`");
        line.text("--default", options_.otherwise, "VALUE", "of arrays and scalars that are not given");
        line.real("--eps", options_.eps, "H", "the step of differences, relatively to the size of arguments (the best of several)");
        line.number("--directions", options_.directions, "N", "how many random directions (3)");
    }

    void run(Session &s) override {
        Input in = s.read(input_);
        if (!in)
            return;
        if (!in.graph) {
            s.diags.report(diag::Id::PassAfterLowering, {}, "differentiate");
            return;
        }
        PipelineOptions pipeline;
        pipeline.pipeline = "differentiate";
        const auto option = [&pipeline](const char *name, const std::string &value) {
            pipeline.passOptions.push_back(std::string("differentiate.") + name + "=" + value);
        };
        option("of", text::joined(of_, "+"));
        option("wrt", text::joined(wrt_, "+"));
        option("mode", mode_);
        option("seed", seed_);
        option("init", init_);
        option("ties", ties_);
        option("prefix", prefix_);
        const pass::CompileOptions compile = TargetOptions().compileOptions(input_);
        pass::Context context(s.diags, compile);
        const std::unique_ptr<ir::SDFG> primal = check_ ? ir::clone(*in.graph) : nullptr;
        pass::Program program = in.program();
        if (!runPasses(s, program, pipeline, context))
            return;
        if (report_)
            for (const pass::Remark &r : context.remarks)
                if (r.pass == "differentiate")
                    s.environment.err << r.element << ": " << r.text << '\n';
        if (check_)
            check(s, *primal, *program.graph);
        if (!check_ || !output_.empty())
            write(s, *program.graph);
    }

    void check(Session &s, const ir::SDFG &primal, const ir::SDFG &derivative) {
        options_.of = of_;
        options_.wrt = wrt_;
        options_.forward = mode_ == "forward";
        options_.seedOne = seed_ == "one" && !options_.forward;
        options_.prefix = !prefix_.empty() ? prefix_ : options_.forward ? "tangent_" : "gradient_";
        options_.file = input_;
        checkGradient(s, primal, derivative, options_);
    }

    void write(Session &s, const ir::SDFG &g) const {
        if (output_.empty())
            s.environment.out << serialize::print(g);
        else if (output_ == "-")
            s.environment.out << serialize::writeText(g) << '\n';
        else
            serialize::writeFile(g, output_, s.diags, {-1, output_.ends_with(".sdfgz")});
    }

    std::string input_, output_, mode_ = "reverse", seed_ = "one", init_ = "zero", ties_ = "split", prefix_;
    std::vector<std::string> of_, wrt_;
    bool report_ = false, check_ = false;
    GradientCheckOptions options_;
};

} // namespace

std::unique_ptr<Subcommand> createGrad() { return std::make_unique<Grad>(); }

} // namespace sdfgc::driver
