// sdfgc grad: takes a graph and writes the same graph with the gradient of a result. This is an ordinary graph: build, run and opt
// accept it.
#include "Driver/Compilation/PipelineOptions.h"
#include "Driver/Compilation/ProgramName.h"
#include "Driver/Execution/GradientCheck.h"
#include "Driver/Reports/Remarks.h"
#include "Driver/Subcommand.h"

#include "sdfgc/Analysis/Costs/Footprint.h"
#include "sdfgc/Serialize/Serialize.h"
#include "sdfgc/Serialize/Text.h"
#include "sdfgc/Support/Text.h"

#include <ostream>

namespace sdfgc::driver {
namespace {

class Grad : public Subcommand {
    void addOptions(CommandLine &line) override {
        line.argument("PROG.sdfg", input_, "graph to differentiate; `-` reads standard input");
        line.group("What to differentiate");
        line.list("--of", of_, "NAMES", "results to differentiate: arguments that the program writes");
        line.list("--wrt", wrt_, "NAMES", "arguments to differentiate with respect to");
        line.choice("--mode", mode_, wordsOf("mode"),
                    "`reverse` computes gradients of the result, `forward` how results change along tangents of the arguments");
        line.choice("--seed", seed_, wordsOf("seed"),
                    "initial gradient of the result: `one`, or the `argument` that the caller gives");
        line.choice("--init", init_, wordsOf("init"),
                    "initial value of the other gradients: `zero`, or `accumulate` to add to the caller's values");
        line.choice("--ties", ties_, wordsOf("ties"),
                    "gradient of a maximum of equal values: they `split` it, or the `first` one gets it");
        line.text("--strategy", strategy_, "LIST",
                  "how to keep values that are overwritten: `store` them, `recompute` them, or choose (`auto`); `store=A,B` and "
                  "`recompute=A,B` apply to containers");
        line.text("--memory", memory_, "SIZE",
                  "limit on the stored bytes (K, M, G, T: powers of 1024), for the values of symbols that --arg gives");
        line.text("--checkpoints", checkpoints_, "LIST",
                  "split loops into segments that are recomputed for their gradients, to store less: `t=100` iterations a segment, "
                  "`t=1000/50` in two levels, `auto` as --memory requires");
        line.text(
            "--prefix", prefix_, "TEXT",
            "prefix of the names of gradients, for the gradient of a gradient (default: gradient_, or tangent_ for tangents)");
        line.group("Output");
        line.text(
            "-o,--output", output_, "FILE",
            "file for the graph (`-`: standard output), or for its text form if FILE ends with .sdfgt (default: print the text "
            "form)");
        name_.addTo(line);
        line.flag(
            "--separate", separate_,
            "write two programs, to FILE with `_forward` and `_backward` in its name: the second computes the gradient from what "
            "the first stored");
        line.flag("--report", report_, "print which values are stored for the gradient, and how much memory the program needs");
        line.flag("--print-after-failure", printAfterFailure_, "print the program after a pass that fails");
        line.group("Comparison with differences");
        line.flag("--check", check_,
                  "run both programs in the interpreter and compare the gradient with finite differences; they must agree to "
                  "1e-6 (1e-2 in float32, 1e-1 in float16); the graph is written only with -o");
        line.texts("--arg", options_.arguments, "NAME=VALUE",
                   "set an argument of the program, as for `sdfgc run` (default: 5 for sizes)");
        line.text("--default", options_.otherwise, "VALUE",
                  "value of arrays and scalars that are not given (default: random:0.5:1.5; zeros for results)");
        line.real("--eps", options_.eps, "H",
                  "step of the differences, relative to the size of the arguments (default: the best of several)");
        line.number("--directions", options_.directions, "N", "number of random directions");
    }

    /// The values of a pass option that is a choice of words.
    static std::vector<std::string> wordsOf(std::string_view option) {
        return passRegistry().find("differentiate")->option(option)->choices;
    }

    void run(Session &s) override {
        if (report_ && s.general.diagnostics != DiagnosticForm::Text) { // must be the only output on standard error
            s.diags.report(diag::Id::OptionConflict, {}, "--report", "--diagnostics " + std::string(word(s.general.diagnostics)));
            return;
        }
        Input in = s.read(input_);
        if (!in)
            return;
        if (!name_.apply(s, in))
            return;
        if (!in.graph) {
            s.diags.report(diag::Id::PassAfterLowering, {}, "differentiate");
            return;
        }
        if (check_ || !separate_) {
            const std::unique_ptr<ir::SDFG> both = ir::clone(*in.graph);
            if (!differentiate(s, *both, "both"))
                return;
            if (check_)
                check(s, *in.graph, *both);
            name_.applyAfterPasses(both.get(), nullptr);
            if (!separate_ && (!check_ || !output_.empty()))
                write(s, *both, output_);
        }
        for (const std::string part : {"forward", "backward"}) {
            const std::unique_ptr<ir::SDFG> one = separate_ ? ir::clone(*in.graph) : nullptr;
            if (!one || !differentiate(s, *one, part))
                return;
            write(s, *one, withPart(output_, part));
        }
    }

    /// Runs the pass with its pipeline, and reports what is stored. False on error.
    bool differentiate(Session &s, ir::SDFG &g, const std::string &part) {
        PipelineOptions pipeline;
        pipeline.pipeline = "differentiate";
        pipeline.printAfterFailure = printAfterFailure_;
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
        option("strategy", strategy_);
        option("memory", memory_);
        option("sizes", text::joined(sizes(), "+"));
        option("part", part);
        pipeline.passOptions.push_back("cut-into-segments.checkpoints=" + checkpoints_);
        const pass::CompileOptions compile = TargetOptions().compileOptions(input_);
        pass::Context context(s.diags, compile);
        pass::Program program(g, nullptr);
        if (!runPasses(s, program, pipeline, context))
            return false;
        if (!report_)
            return true;
        for (const pass::Remark &r : context.remarks)
            if (isOfGradient(r.pass) && part != "backward") // it reports the same
                s.environment.err << r.element << ": " << r.text << '\n';
        s.environment.err << "memory" << (part == "both" ? "" : " of the " + part + " program") << ": " << memoryOf(g) << '\n';
        return true;
    }

    /// Does the pass belong to the gradient rather than to the program?
    static bool isOfGradient(const std::string &pass) {
        return pass == "cut-into-segments" || pass == "loops-for-maps" || pass == "split-updates" || pass == "differentiate";
    }

    /// `f_forward.sdfg` for `f.sdfg`.
    static std::string withPart(const std::string &file, const std::string &part) {
        const std::size_t name = file.find_last_of('/') == std::string::npos ? 0 : file.find_last_of('/') + 1;
        const std::size_t dot = file.find('.', name);
        return file.empty() || file == "-" ? file
               : dot == std::string::npos  ? file + "_" + part
                                           : file.substr(0, dot) + "_" + part + file.substr(dot);
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

    /// Integer arguments, such as symbols: NAME=VALUE.
    std::vector<std::string> sizes() const {
        std::vector<std::string> out;
        for (const std::string &argument : options_.arguments) {
            const std::size_t value = argument.find('=') + 1;
            if (value && value < argument.size() && argument.size() - value <= 18 &&
                argument.find_first_not_of("0123456789", value) == std::string::npos)
                out.push_back(argument);
        }
        return out;
    }

    /// The size of all containers that are not arguments, as a text; with values of symbols, a number of bytes.
    std::string memoryOf(const ir::SDFG &g) const {
        const sym::Expr all = analysis::bytesOfTransients(g);
        std::map<Name, int64_t> values;
        for (const std::string &argument : sizes())
            values.emplace(Name(argument.substr(0, argument.find('='))), std::stoll(argument.substr(argument.find('=') + 1)));
        analysis::addAssignedValues(g, values);
        const std::optional<int64_t> number = sym::evaluate(all, values);
        return all.str() + (number && !all.isInteger() ? " = " + std::to_string(*number) : "") +
               " bytes in containers that are not arguments";
    }

    static void write(Session &s, const ir::SDFG &g, const std::string &file) {
        if (file.empty())
            s.environment.out << serialize::print(g, {.orders = false});
        else if (file == "-")
            s.environment.out << serialize::writeText(g) << '\n';
        else
            serialize::writeFile(g, file, s.diags, {-1, file.ends_with(".sdfgz")});
    }

    std::string input_, output_, mode_ = "reverse", seed_ = "one", init_ = "zero", ties_ = "split", prefix_, strategy_ = "auto",
                                 memory_, checkpoints_;
    std::vector<std::string> of_, wrt_;
    bool separate_ = false, report_ = false, check_ = false, printAfterFailure_ = false;
    ProgramName name_;
    GradientCheckOptions options_;
};

} // namespace

std::unique_ptr<Subcommand> createGrad() { return std::make_unique<Grad>(); }

} // namespace sdfgc::driver
