// sdfgc bisect: finds the pass that changes the results.
//
// The graph after the first k passes of the pipeline is completed with the target's own pipeline up to `lower`, built and called; a
// tree, as left by the passes after `lower`, is printed as it is. The results for k = 0 are the reference, unless the user provides
// another one. With --expect interpreter, the interpreter's results are the reference, and graphs after the first k passes are also
// interpreted if it supports them; then the target's own pipeline is searched as well. A binary search finds a k for which the
// results agree after k - 1 passes and differ after k. If the pass belongs to the optimiser, its changes are searched in the same
// way.
#include "Driver/Crash.h"
#include "Driver/Execution/ProgramRun.h"
#include "Driver/Reports/ProgressLine.h"
#include "Driver/Reports/Remarks.h"
#include "Driver/Subcommand.h"
#include "sdfgc/Build/Tasklets.h"
#include "sdfgc/Run/Values.h"
#include "sdfgc/Serialize/Serialize.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Process.h"

#include <algorithm>
#include <cmath>
#include <ostream>

namespace sdfgc::driver {
namespace {

/// Contents of the compared arrays, by name; or why there are none.
struct Results {
    std::map<std::string, run::NpyArray> arrays;
    std::map<std::string, Type> types;
    std::string failure;
};

class Bisect : public Subcommand {
    void addOptions(CommandLine &line) override {
        line.argument("PROG.sdfg", input_, "graph to search");
        arguments_.addTo(line);
        line.group("Results");
        line.texts(
            "--expect", expected_, "NAME=FILE.npy",
            "expected content of an array after the call; `interpreter` stands for the interpreter's results, on generated inputs "
            "if no arguments are given (default: the results without the passes)");
        line.real("--rtol", relative_, "X", "relative tolerance for floating-point numbers");
        line.real("--atol", absolute_, "X", "absolute tolerance for floating-point numbers");
        line.real("--timeout", call_.seconds, "SECONDS", "time limit for each call; a call that takes longer counts as different");
        compilation_.addTo(line, true);
    }

    void run(Session &s) override {
        Input program{s.readGraph(input_), nullptr};
        Result<file::TemporaryFolder> folder = file::TemporaryFolder::create("sdfgc-bisect");
        if (!folder)
            s.diags.report(diag::Id::OutputFailed, {}, folder.error());
        if (!program || !folder)
            return;
        folder_ = folder->path();
        arguments_.lookAt(program);
        if (compilation_.pipeline.passes && !compilation_.pipeline.passes->empty())
            raiseLevel(*program.graph);
        const ir::SDFG &graph = *program.graph;
        compile_ = compilation_.target.compileOptions(input_);
        compilation_.toolchain.find(s, compile_, false);
        const std::optional<pass::Pipeline> pipeline = choosePipeline(s, compilation_.pipeline, compile_);
        interpreted_ = expected_ == std::vector<std::string>{"interpreter"};
        if (!pipeline || s.failed() || (!interpreted_ && !readReference(s, graph)))
            return;
        pipeline_ = *pipeline;
        steps_ = pipeline->steps.size();
        if (!chooseFinish(s))
            return;
        if (interpreted_)
            return bisectInterpreted(s, graph);
        bisectCompiled(s, graph);
    }

    /// The target's own pipeline up to `lower`.
    bool chooseFinish(Session &s) {
        std::optional<pass::Pipeline> own = choosePipeline(s, {}, compile_);
        if (!own)
            return false;
        const auto lowering =
            std::find_if(own->steps.begin(), own->steps.end(), [](const pass::PipelineStep &p) { return p.pass == "lower"; });
        own->steps.erase(lowering == own->steps.end() ? lowering : lowering + 1, own->steps.end());
        finish_ = std::move(*own);
        return true;
    }

    void bisectCompiled(Session &s, const ir::SDFG &graph) {
        if (reference_.arrays.empty()) {
            reference_ = resultsAfter(s, graph, 0);
            if (!reference_.failure.empty())
                return nothingToDo(s, "the program fails without the passes: " + reference_.failure,
                                   "give the expected results with --expect");
        }
        const std::string why = tryPasses(s, graph, steps_);
        if (why.empty())
            return nothingToDo(s, "the results do not change", "give inputs or expected results for which they do");
        search(s, graph, why);
    }

    /// Uses the given input, or the first generated one for which the program disagrees with the graph.
    void bisectInterpreted(Session &s, const ir::SDFG &graph) {
        const std::unique_ptr<validate::Subject> subject = validate::interpreted(graph, interpreterOptions(), s.diags);
        if (!subject)
            return;
        for (validate::Input &input : inputs(s, graph, *subject)) {
            chosen_ = std::move(input);
            reference_ = *interpret(graph);
            if (!reference_.failure.empty())
                return nothingToDo(s, "the program has a fault without the passes: " + reference_.failure, "give valid arguments");
            s.environment.out << "with " << chosen_->name << '\n';
            if (const std::string why = tryPasses(s, graph, steps_); !why.empty()) {
                saveInput(s, graph);
                return search(s, graph, why);
            }
        }
        if (chosen_)
            nothingToDo(s, "the results do not change", "give arguments for which they do");
    }

    /// A generated input is saved next to the graph for `--input`; a given one already exists.
    void saveInput(Session &s, const ir::SDFG &graph) const {
        if (arguments_.given())
            return;
        const std::string folder = file::join(graph.name.str() + ".bisect", "input");
        Result<void> written = file::removeTree(folder);
        if (written)
            written = file::makeFolder(folder);
        if (written)
            written = validate::writeInput(*chosen_, folder);
        if (written)
            s.environment.out << "the input is in " << folder << '\n';
        else
            s.diags.report(diag::Id::OutputFailed, {}, written.error());
    }

    std::vector<validate::Input> inputs(Session &s, const ir::SDFG &graph, validate::Subject &subject) {
        std::vector<validate::Input> out;
        if (arguments_.given()) {
            if (std::optional<run::Arguments> one = arguments_.prepare(s, run::interfaceOf(graph)))
                out.push_back({"the arguments that are given", std::move(*one)});
            return out;
        }
        validate::ValidateOptions options;
        options.seconds = interpreterOptions().seconds;
        options.inputs.finite = validate::reductionsOf(graph).compares || compilation_.target.fpModel == pass::FpModel::Fast;
        std::string why;
        ProgressLine progress(s);
        options.progress = progress.toValidation();
        for (validate::Judged &j : validate::usableInputs(validate::InputMaker(graph, options.inputs), subject, options, &why))
            out.push_back(std::move(j.input));
        if (out.empty())
            nothingToDo(s, why, "give arguments that are valid for the program");
        return out;
    }

    interpret::Options interpreterOptions() const {
        return {.compatDace = compilation_.target.hasDaceMeaning(),
                .file = input_,
                .seconds = call_.seconds > 0 ? call_.seconds : 60,
                .native = build::taskletCompiler({compilation_.toolchain.compiler, compilation_.toolchain.file, ""})};
    }

    /// The interpreter's results for a graph with the chosen input. Nothing if it does not support the graph.
    std::optional<Results> interpret(const ir::SDFG &graph) const {
        diag::Engine refusals;
        const std::unique_ptr<validate::Subject> subject = validate::interpreted(graph, interpreterOptions(), refusals);
        if (!subject)
            return std::nullopt;
        const validate::Execution done = validate::execute(*subject, chosen_->arguments);
        Results r;
        if (done.timedOut)
            r.failure = "it takes too long to execute";
        else if (!done.faults.empty())
            r.failure = done.faults.front().element + ": " + done.faults.front().what;
        take(r, chosen_->arguments, done.memory);
        return r;
    }

    void take(Results &r, const run::Arguments &arguments, const std::vector<std::string> &memory) const {
        for (std::size_t i = 0; i < arguments.all.size(); ++i) {
            const run::Argument &a = arguments.all[i];
            if (!a.isVisible() || (!reference_.arrays.empty() && !reference_.arrays.count(a.name.str())))
                continue;
            r.arrays.emplace(a.name.str(), run::gather(a, memory[i]));
            r.types.emplace(a.name.str(), a.type);
        }
    }

    /// If a signal ended a compiler, it is not the fault of the passes, and the search ends.
    static bool isInterrupted() { return process::Set::interrupted() != 0; }

    void nothingToDo(Session &s, const std::string &why, const std::string &hint) const {
        if (!isInterrupted())
            s.diags.report(diag::Id::ResultsAgree, {}, why, hint);
    }

    bool readReference(Session &s, const ir::SDFG &graph) {
        for (const std::string &text : expected_) {
            std::optional<run::Given> one = splitGiven(s, "--expect", text);
            if (!one)
                continue;
            Result<std::string> bytes = file::read(one->value);
            Result<run::NpyArray> array = bytes ? run::parseNpy(*bytes) : Result<run::NpyArray>(Failure{bytes.error()});
            if (!graph.arrays.contains(Name(one->name)))
                s.diags.report(diag::Id::ProgramArgumentUnknown, {}, one->name, "`sdfgc info` lists the arguments");
            else if (!array)
                s.diags.report(diag::Id::ProgramArgumentValue, {}, one->name, one->value + ": " + array.error(), "");
            else
                reference_.arrays.emplace(one->name, std::move(*array));
        }
        return !s.failed();
    }

    /// Runs the first `count` passes, the target's own pipeline up to a tree, and the compiler, and calls the program. A failure of
    /// any of them is also a result.
    Results resultsAfter(Session &outer, const ir::SDFG &graph, std::size_t count, std::optional<int64_t> changes = std::nullopt) {
        crash::setActivity("trying " + std::to_string(count) + " passes");
        Session s(outer.environment); // its diagnostics are not printed
        s.general = outer.general;
        s.general.quiet = true;
        Results r;
        const auto failed = [&](const std::string &what) {
            const auto &all = s.diags.all();
            const auto error =
                std::find_if(all.begin(), all.end(), [](const diag::Diagnostic &d) { return d.severity == diag::Severity::Error; });
            r.failure = error != all.end() ? error->message : what;
            return r;
        };
        Input candidate{ir::clone(graph), nullptr};
        pass::Context context(s.diags, compile_);
        context.changeLimit = limitOf(changes);
        pass::Program program = candidate.program();
        if (!pass::run(program, firstSteps(count), passRegistry(), context, {}))
            return failed("a pass failed");
        if (chosen_ && !program.tree)
            if (std::optional<Results> results = interpret(*candidate.graph))
                return *results;
        if (!program.tree) {
            candidate.graph->level = ir::Level::Loaded;
            context.changeLimit.reset();
            if (!pass::run(program, finish_, passRegistry(), context, {}))
                return failed("a pass of the target's pipeline failed");
        }
        Compilation rest = compilation_;
        rest.pipeline = {};
        rest.isCalled = true;
        std::optional<Compiled> made =
            rest.run(s, {nullptr, std::move(program.tree)}, input_, file::join(folder_, std::to_string(count)), true);
        if (!made)
            return failed("it does not compile");
        std::optional<run::Arguments> arguments =
            chosen_ ? run::inOrderOf(*made->module, chosen_->arguments) : arguments_.prepare(s, *made->module);
        if (!arguments)
            return failed("its arguments do not fit");
        const run::CallResult called =
            run::call(file::absolute(made->library), made->module->name.str(), *arguments, made->callOptions(call_));
        if (!reportCall(s, &*made, called))
            return failed("it fails");
        take(r, *arguments, called.memory);
        return r;
    }

    /// --pass-limit, unless the search sets a limit.
    std::optional<int64_t> limitOf(std::optional<int64_t> changes) const {
        return changes || !compilation_.pipeline.passLimit ? changes : std::optional<int64_t>(*compilation_.pipeline.passLimit);
    }

    /// The number of changes that the first `count` passes make, at most `limit`, and a description of the last one.
    std::pair<int64_t, std::string> changesOf(Session &outer, const ir::SDFG &graph, std::size_t count,
                                              std::optional<int64_t> limit = std::nullopt) const {
        Session s(outer.environment); // its diagnostics are not printed
        pass::Context context(s.diags, compile_);
        context.changeLimit = limitOf(limit);
        const std::unique_ptr<ir::SDFG> copy = ir::clone(graph);
        pass::Program program(*copy, nullptr);
        pass::run(program, firstSteps(count), passRegistry(), context, {});
        return {context.changes, context.lastChange ? oneLine(context.remarks[*context.lastChange]) : ""};
    }

    pass::Pipeline firstSteps(std::size_t count) const {
        pass::Pipeline p = pipeline_;
        p.steps.resize(count);
        std::erase_if(p.groups, [&](const pass::Group &g) { return g.first >= count; });
        for (pass::Group &g : p.groups)
            g.last = std::min(g.last, count);
        return p;
    }

    /// The first element of `a` that differs from `b`: `[1, 2] is 3, and was 4`. Empty if all are equal.
    std::string difference(const run::NpyArray &a, const run::NpyArray &b, Type type) const {
        if (a.shape != b.shape || a.dtype != b.dtype)
            return " is " + a.dtype.name() + run::shapeText(a.shape) + ", and was " + b.dtype.name() + run::shapeText(b.shape);
        const auto size = static_cast<std::size_t>(a.dtype.size);
        for (std::size_t i = 0; i * size < a.data.size(); ++i) {
            const std::string x = a.data.substr(i * size, size), y = b.data.substr(i * size, size);
            if (x != y && !equal(x, y, type))
                return indexText(a.shape, i) + " is " + run::textOf(type, x) + ", and was " + run::textOf(type, y);
        }
        return {};
    }

    /// `[1, 2]` for a position in row-major order.
    static std::string indexText(const std::vector<int64_t> &shape, std::size_t position) {
        std::vector<int64_t> at(shape.size());
        for (std::size_t d = shape.size(); d-- > 0; position /= static_cast<std::size_t>(shape[d]))
            at[d] = static_cast<int64_t>(position % static_cast<std::size_t>(shape[d]));
        return at.empty() ? "" : run::shapeText(at);
    }

    bool equal(const std::string &a, const std::string &b, Type type) const {
        if (!type.isFloat() && !type.isComplex())
            return false; // bitwise comparison
        const Type part = type.scalar() == ScalarKind::Complex64 ? Type(ScalarKind::Float32)
                          : type.isComplex()                     ? Type(ScalarKind::Float64)
                                                                 : type;
        const auto size = static_cast<std::size_t>(*part.bytes());
        for (std::size_t at = 0; at < a.size(); at += size) {
            const double x = run::valueOf(part, std::string_view(a).substr(at, size)),
                         y = run::valueOf(part, std::string_view(b).substr(at, size));
            if (!(x == y || (std::isnan(x) && std::isnan(y)) || std::fabs(x - y) <= absolute_ + relative_ * std::fabs(y)))
                return false;
        }
        return true;
    }

    /// Why the results differ from the reference; empty if they do not.
    std::string difference(const Results &r) const {
        if (!r.failure.empty())
            return r.failure;
        for (const auto &[name, array] : reference_.arrays) {
            const auto got = r.arrays.find(name);
            if (got == r.arrays.end())
                return "`" + name + "` is not an array of the program";
            if (const std::string why = difference(got->second, array, r.types.at(name)); !why.empty())
                return "`" + name + "` differs: " + name + why;
        }
        return {};
    }

    std::string describe(std::size_t count) const {
        return count == 0 ? "without passes" : "after " + pipeline_.steps[count - 1].pass + " (" + std::to_string(count) + ")";
    }

    /// The maximum number of steps of a binary search between two numbers.
    static int triesBetween(int64_t good, int64_t bad) {
        int tries = 0;
        for (int64_t left = bad - good; left > 1; left = (left + 1) / 2)
            ++tries;
        return tries;
    }

    /// `left`: number of remaining steps, including this one; 0: unknown.
    std::string tryPasses(Session &s, const ir::SDFG &graph, std::size_t count, int left = 0) {
        std::string why;
        {
            ProgressLine progress(s);
            const std::string what = "trying " + std::to_string(count) + " of " + std::to_string(steps_) + " passes";
            progress.done(what + (left == 0   ? ""
                                  : left == 1 ? ": the last try"
                                              : ": " + std::to_string(left) + " tries are left at most"));
            why = difference(resultsAfter(s, graph, count));
        }
        if (!isInterrupted())
            s.environment.out << describe(count) << ": " << (why.empty() ? "as expected" : why) << '\n' << std::flush;
        return why;
    }

    /// All passes together change the results, as described by `why`.
    void search(Session &s, const ir::SDFG &graph, std::string why) {
        if (!expected_.empty() && !chosen_)
            if (const std::string first = tryPasses(s, graph, 0); !first.empty())
                return nothingToDo(s, "the results are not as expected even without the passes: " + first,
                                   "the fault is in the graph, or in the pipeline of the target");
        std::size_t good = 0, bad = steps_;
        while (bad - good > 1 && !isInterrupted()) {
            const std::size_t middle = good + (bad - good) / 2;
            const std::string now =
                tryPasses(s, graph, middle, triesBetween(static_cast<int64_t>(good), static_cast<int64_t>(bad)));
            (now.empty() ? good : bad) = middle;
            if (!now.empty())
                why = now;
        }
        if (isInterrupted())
            return;
        s.environment.out << "the results change with pass " << bad << ", " << pipeline_.steps[bad - 1].pass << ": " << why << '\n';
        std::vector<std::string> command = pass::argumentsOf(compile_);
        command.insert(command.begin(), {"sdfgc", "opt", input_});
        command.insert(command.end(), {"--passes", pass::print(firstSteps(bad)), "--print-after-change"});
        if (const std::optional<int64_t> change = searchChanges(s, graph, bad))
            command.insert(command.end(), {"--pass-limit", std::to_string(*change)});
        s.environment.out << "to see what it does: " << process::quoted(command) << '\n';
    }

    /// The pass at position `last` changes the results: searches for the responsible one among the changes that the optimiser
    /// counts. Nothing if the pass does not count changes.
    std::optional<int64_t> searchChanges(Session &s, const ir::SDFG &graph, std::size_t last) {
        int64_t good = changesOf(s, graph, last - 1).first, bad = changesOf(s, graph, last).first;
        if (good == bad)
            return std::nullopt;
        while (bad - good > 1 && !isInterrupted()) {
            const int64_t middle = good + (bad - good) / 2;
            std::string now;
            {
                ProgressLine progress(s);
                progress.done("trying " + std::to_string(middle) + " of " + std::to_string(bad) +
                              " changes: " + std::to_string(triesBetween(good, bad)) + " tries are left at most");
                now = difference(resultsAfter(s, graph, last, middle));
            }
            if (!isInterrupted())
                s.environment.out << "with " << middle << " changes: " << (now.empty() ? "as expected" : now) << '\n' << std::flush;
            (now.empty() ? good : bad) = middle;
        }
        if (isInterrupted())
            return std::nullopt;
        s.environment.out << "the results change with change " << bad << ", " << changesOf(s, graph, last, bad).second << '\n';
        return bad;
    }

    std::string input_, folder_;
    std::vector<std::string> expected_;
    double relative_ = 1e-6, absolute_ = 1e-12;
    run::CallOptions call_;
    ProgramArguments arguments_;
    Compilation compilation_;
    pass::CompileOptions compile_; // with the libraries of the toolchain
    pass::Pipeline pipeline_;
    pass::Pipeline finish_; // the target's own, up to `lower`: later passes only improve a tree that is correct without them
    std::size_t steps_ = 0;
    Results reference_;
    bool interpreted_ = false;
    std::optional<validate::Input> chosen_; // with --expect interpreter: the input in use
};

} // namespace

std::unique_ptr<Subcommand> createBisect() { return std::make_unique<Bisect>(); }

} // namespace sdfgc::driver
