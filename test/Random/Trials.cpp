#include "Trials.h"

#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Driver/Driver.h"
#include "sdfgc/Pass/Instrumentation.h"
#include "sdfgc/Run/Call.h"
#include "sdfgc/Serialize/Serialize.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Validate/Validator.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace sdfgc::random {
namespace {

constexpr double secondsForOne = 20, secondsForCall = 60;
constexpr double secondsForFirst = 2; // generated programs take far less

std::string errors(const diag::Engine &diags) {
    std::string out;
    int count = 0;
    for (const diag::Diagnostic &d : diags.sorted())
        if (d.severity == diag::Severity::Error && ++count <= 3)
            out += (out.empty() ? "" : "; ") + d.message + " (" + d.place.element + ")";
    return out;
}

/// Is sdfgc at fault, rather than the graph? A graph that runs without a fault must not have one after a pass.
bool isBug(const diag::Engine &diags) {
    return std::any_of(diags.all().begin(), diags.all().end(), [](const diag::Diagnostic &d) {
        return d.id == diag::Id::PassBrokeGraph || d.id == diag::Id::PassShowsFault || d.id == diag::Id::InternalError;
    });
}

std::string textOf(const Sizes &sizes) {
    std::string out;
    for (const auto &[name, value] : sizes)
        out += (out.empty() ? "" : " ") + name + "=" + std::to_string(value);
    return out;
}

interpret::Options interpreterOptions(double seconds = secondsForOne) { return {.seconds = seconds, .largest = int64_t(1) << 28}; }

/// Executes the graph on each input, after every n-th pass that changed it and after the last one. If n > 1, the verifier is also
/// called then, and not by the manager.
class Watcher : public pass::Instrumentation {
public:
    /// `isReal`: the program's sums are inexact, so passes may change their last bits.
    Watcher(std::vector<validate::Judged> inputs, std::size_t every, bool isReal, const Damage *damage, uint64_t seed)
        : inputs_(std::move(inputs)), every_(every), isReal_(isReal), damage_(damage), random_(seed), skipped_(seed % every) {}

    void after(const pass::Program &p, const pass::Event &e, bool changed, pass::Context &) override {
        if (finding)
            return;
        bool damaged = false;
        if (damage_ && !damaged_ && e.position >= 4) { // as if this pass had caused it
            damaged = damaged_ = damage_->apply(*p.graph, random_);
            diag::Engine diags;
            if (damaged && !analysis::verify(*p.graph, p.graph->level, diags)) {
                finding = "after " + e.pass.name + " the verifier says: " + errors(diags);
                return;
            }
        }
        if (isReal_ && changed && e.pass.repairs) {
            takeAnew(*p.graph);
            return;
        }
        isReassociated_ = isReassociated_ || e.pass.floatClass != pass::FloatClass::F0;
        if (!changed && !damaged)
            return;
        last_ = e.pass.name;
        if (++skipped_ >= every_)
            compareAfter(*p.graph);
    }
    /// Called at the end of the pipeline.
    void finish(const ir::SDFG &graph) {
        if (skipped_ > 0 && !last_.empty() && !finding)
            compareAfter(graph);
    }

    std::optional<std::string> finding;
    std::string input;   // the input that caused a fault
    std::string refusal; // why a graph was not executed: library functions, operations of all threads of a block

private:
    void compareAfter(const ir::SDFG &graph) {
        skipped_ = 0;
        diag::Engine diags;
        if (every_ > 1 && !analysis::verify(graph, graph.level, diags)) {
            finding = "after " + last_ + " the verifier says: " + errors(diags);
            return;
        }
        if (!refusal.empty())
            return;
        const std::unique_ptr<validate::Subject> subject = validate::interpreted(graph, interpreterOptions(), diags);
        if (!subject) {
            refusal = errors(diags);
            return;
        }
        for (const validate::Judged &judged : inputs_) {
            const validate::Execution got = validate::execute(*subject, judged.input.arguments);
            std::optional<std::string> wrong;
            if (got.timedOut)
                wrong = "does not end";
            else if (const auto found = validate::compare(judged.input.arguments, judged.execution, got, allowed()))
                wrong = found->fault ? "has a fault: " + found->fault->element + ": " + found->fault->what
                                     : "leaves other results: " + found->text();
            if (wrong) {
                finding = "after " + last_ + " the graph " + *wrong;
                input = judged.input.name;
                return;
            }
        }
    }
    /// After a pass that repairs graphs, the new results are the reference.
    void takeAnew(const ir::SDFG &graph) {
        diag::Engine diags;
        const std::unique_ptr<validate::Subject> subject = validate::interpreted(graph, interpreterOptions(), diags);
        for (validate::Judged &judged : inputs_)
            if (subject)
                judged.execution = validate::execute(*subject, judged.input.arguments);
        std::erase_if(inputs_, [](const validate::Judged &j) { return j.execution.timedOut || !j.execution.faults.empty(); });
        refusal = subject ? "" : errors(diags);
    }
    pass::FloatClass allowed() const { return isReal_ && isReassociated_ ? pass::FloatClass::F1 : pass::FloatClass::F0; }

    std::vector<validate::Judged> inputs_;
    const std::size_t every_;
    const bool isReal_;
    const Damage *damage_;
    test::RandomNumbers random_;
    std::size_t skipped_; // passes since the graph was executed
    std::string last_;    // the pass that changed it
    bool damaged_ = false, isReassociated_ = false;
};

class Judge {
public:
    Judge(const Subject &subject, const Plan &plan) : subject_(subject), plan_(plan), random_(subject.seed ^ 0x9e3779b97f4a7c15u) {}

    Verdict run() {
        diag::Engine diags;
        original_ = serialize::readText(subject_.text, "program", diags);
        if (!original_ || !analysis::verify(*original_, ir::Level::Loaded, diags))
            return discard("not legal: " + errors(diags));
        if (const std::optional<std::string> why = chooseInputs())
            return discard(*why);
        isGpu_ = pass::hasProperty(*original_, "gpu");
        if (!isGpu_)
            tryPipeline(standardTrial("cpu", anyLevel()));
        tryPipeline(standardTrial("cuda", anyLevel()));
        for (std::size_t k = 0; k < plan_.pipelines; ++k)
            tryPipeline(randomTrial(isGpu_ || random_.oneIn(2) ? "cuda" : "cpu", random_));
        if (plan_.compile && !isGpu_)
            compile("cpu");
        if (plan_.compile)
            compile("cuda");
        return verdict_;
    }

private:
    /// A single one, since a run with all of them would take four times as long; other seeds have the others.
    int anyLevel() { return static_cast<int>(random_.below(levels)); }
    Verdict discard(const std::string &why) {
        verdict_.kind = Verdict::Kind::Discarded;
        verdict_.what = why;
        return verdict_;
    }
    void find(const std::string &what, const std::string &pipeline, const std::string &input) {
        verdict_.kind = Verdict::Kind::Finding;
        verdict_.what = what;
        verdict_.pipeline = pipeline;
        verdict_.input = input;
    }
    /// Not generated: inputs are chosen, sums are inexact, and a target may refuse the graph.
    bool isRecorded() const { return subject_.sizes.empty(); }
    bool isOver() const { return verdict_.kind == Verdict::Kind::Finding; }

    /// Chooses inputs for which the graph has no fault, with the results; returns the reason if there are none.
    std::optional<std::string> chooseInputs() {
        diag::Engine diags;
        const std::unique_ptr<validate::Subject> program =
            validate::interpreted(*original_, interpreterOptions(isRecorded() ? secondsForOne : secondsForFirst), diags);
        if (!program)
            return "refused by the interpreter: " + errors(diags);
        std::string why;
        if (isRecorded()) {
            validate::ValidateOptions options;
            options.inputs.seed = subject_.seed;
            options.inputs.finite = true;
            options.inputs.largest = int64_t(1) << 22;
            options.count = 2;
            options.seconds = secondsForOne;
            inputs_ = validate::usableInputs(validate::InputMaker(*original_, options.inputs), *program, options, &why);
            return inputs_.empty() ? std::optional(why) : std::nullopt;
        }
        for (const Sizes &sizes : subject_.sizes) {
            std::optional<run::Arguments> arguments = inputsFor(*original_, sizes, subject_.seed, &why);
            if (!arguments)
                return "no inputs: " + why;
            validate::Execution execution = program->run(*arguments);
            if (execution.timedOut)
                return "slow";
            if (!execution.faults.empty())
                return "has a fault: " + execution.faults.front().element + ": " + execution.faults.front().what;
            inputs_.push_back({{textOf(sizes), std::move(*arguments)}, std::move(execution)});
        }
        addEdges(*program);
        return std::nullopt;
    }

    /// Sets each symbol to 0 and to 1, if the program permits: it was not generated for such sizes.
    void addEdges(validate::Subject &program) {
        for (const auto &[name, made] : subject_.sizes.front())
            for (const int64_t value : {0, 1}) {
                Sizes sizes = subject_.sizes.front();
                sizes[name] = value;
                std::string why;
                std::optional<run::Arguments> arguments = inputsFor(*original_, sizes, subject_.seed, &why);
                if (!arguments || value == made)
                    continue;
                validate::Execution execution = program.run(*arguments);
                if (!execution.timedOut && execution.faults.empty())
                    inputs_.push_back({{textOf(sizes), std::move(*arguments)}, std::move(execution)});
            }
    }

    void tryPipeline(const Trial &trial) {
        if (isOver())
            return;
        tryPipeline(trial, plan_.every);
        if (plan_.every == 1 || (!isOver() && !wasRefused_))
            return;
        const Verdict found = std::exchange(verdict_, {}); // caused by one of several passes
        if (tryPipeline(trial, 1) && !isOver())
            verdict_ = found;
    }
    /// Executes the graph after every n-th pass. Returns whether the pipeline ran to its end.
    bool tryPipeline(const Trial &trial, std::size_t every) {
        diag::Engine diags;
        pass::Context context(diags, trial.options);
        const std::unique_ptr<ir::SDFG> graph = ir::clone(*original_);
        pass::Program program(*graph, nullptr);
        Watcher watcher(inputs_, every, isRecorded(), plan_.damage, subject_.seed);
        pass::RunOptions options;
        options.instruments.push_back(&watcher);
        options.graphOnly = true;
        options.verify = every == 1;
        const bool isDone = pass::run(program, trial.pipeline, registry(), context, options);
        if (isDone)
            watcher.finish(*graph);
        wasRefused_ = !watcher.refusal.empty();
        if (watcher.finding)
            find(*watcher.finding, trial.name(), watcher.input);
        else if (!isDone && (!isRecorded() || isBug(diags)))
            find("after " + context.currentPass + ": " + errors(diags), trial.name(), {});
        return isDone;
    }

    /// Builds the program for a target and calls it with every input.
    void compile(const std::string &target) {
        if (isOver())
            return;
        const std::string input = plan_.folder + "/program.sdfgt", folder = plan_.folder + "/" + target;
        if (!file::writeAtomic(input, subject_.text))
            throw std::runtime_error("cannot write " + input);
        std::ostringstream out, err;
        driver::Environment environment{out, err};
        std::vector<std::string> words{"build",
                                       input,
                                       "-o",
                                       folder,
                                       "--cflags=-O0 -w",
                                       "--quiet",
                                       "-j",
                                       "1",
                                       "--target",
                                       target,
                                       "-O" + std::to_string(anyLevel())};
        if (target != "cpu")
            words.insert(words.end(), {"--emulate", "--gpu-graph", "auto", "--pass-option", "form-gpu-graphs.min-nodes=1"});
        if (driver::run(words, environment) != driver::Done) {
            if (err.str().find("[SD6012]") != std::string::npos) // an array in a kernel whose size is not constant
                return;
            find("not built: " + err.str().substr(0, 2000), "compiled for " + target, {});
            return;
        }
        for (const validate::Judged &judged : inputs_)
            if (const std::optional<std::string> wrong = called(folder, judged)) {
                find("compiled for " + target + ": " + *wrong, "compiled for " + target, judged.input.name);
                return;
            }
    }

    std::optional<std::string> called(const std::string &folder, const validate::Judged &judged) {
        const std::string name = original_->name.str();
        run::CallOptions options;
        options.seconds = secondsForCall;
        const run::CallResult got = run::call(folder + "/lib/lib" + name + ".so", name, judged.input.arguments, options);
        if (got.status != run::CallResult::Status::Done)
            return "it ends with status " + std::to_string(static_cast<int>(got.status)) + ": " + got.message;
        validate::Execution after;
        after.memory = got.memory;
        const pass::FloatClass allowed = isRecorded() ? pass::FloatClass::F1 : pass::FloatClass::F0;
        const auto found = validate::compare(judged.input.arguments, judged.execution, after, allowed);
        return found ? std::optional(found->text()) : std::nullopt;
    }

    const Subject &subject_;
    const Plan &plan_;
    test::RandomNumbers random_;
    std::unique_ptr<ir::SDFG> original_;
    bool isGpu_ = false; // the CPU's pipeline does not accept it
    std::vector<validate::Judged> inputs_;
    bool wasRefused_ = false; // some graph of the last pipeline could not be executed
    Verdict verdict_;
};

} // namespace

Verdict judge(const Subject &subject, const Plan &plan) { return Judge(subject, plan).run(); }

} // namespace sdfgc::random
