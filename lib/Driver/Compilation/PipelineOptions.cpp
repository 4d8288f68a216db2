#include "Driver/Compilation/PipelineOptions.h"
#include "Driver/Crash.h"
#include "Driver/Reports/ProgressLine.h"
#include "Driver/Reports/Remarks.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Pass/Instrumentation.h"
#include "sdfgc/Serialize/Serialize.h"
#include "sdfgc/Serialize/Text.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Resources.h"
#include "sdfgc/Support/Text.h"
#include "sdfgc/Support/Time.h"
#include "sdfgc/Targets/Targets.h"
#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/Text.h"
#include "sdfgc/Tree/Walk.h"

#include <fmt/core.h>
#include <ostream>
#include <set>

namespace sdfgc::driver {
namespace {

/// Updates the crash message and reproducer, the progress lines and the time trace.
class Watcher : public pass::Instrumentation {
public:
    /// `replay`: arguments of `sdfgc opt` that read the input for the same target without passes.
    /// `progress`: shows the passes, unless something else is printed while they run.
    Watcher(Session &s, const pass::Pipeline &p, std::vector<std::string> replay, ProgressLine *progress)
        : session_(s), pipeline_(p), replay_(std::move(replay)), progress_(progress) {}
    void begin(const pass::Program &, pass::Context &) override { crash::setPasses(pass::print(pipeline_)); }
    void before(const pass::Program &, const pass::Event &e, pass::Context &) override {
        crash::setActivity("running the pass " + e.pass.name);
        session_.log().info("pass {} ({} of {})", e.pass.name, e.position, e.total);
        if (progress_ && time_.seconds() >= session_.environment.patience)
            progress_->show(fmt::format("pass {} of {}: {}", e.position, e.total, e.pass.name));
        if (TimeTrace *trace = session_.trace())
            start_ = trace->nowUs();
    }
    void after(const pass::Program &, const pass::Event &e, bool changed, pass::Context &) override {
        record(e);
        session_.log().debug("pass {} {}", e.pass.name, changed ? "changed the graph" : "made no change");
        pass::PipelineStep done = pipeline_.steps[e.position - 1];
        done.conditions.clear(); // these held
        done_.steps.push_back(std::move(done));
        if (replay_.empty())
            return;
        std::vector<std::string> arguments = replay_;
        arguments.push_back("--passes=" + pass::print(done_));
        crash::setReplay(arguments);
    }
    void failed(const pass::Program &, const pass::Event &e, pass::Context &) override { record(e); }

private:
    void record(const pass::Event &e) {
        if (TimeTrace *trace = session_.trace())
            trace->add(e.pass.name, "pass", start_, trace->nowUs() - start_, 0);
    }
    Session &session_;
    const pass::Pipeline &pipeline_;
    const std::vector<std::string> replay_;
    ProgressLine *progress_;
    const Timer time_;
    pass::Pipeline done_; // the passes so far, with rounds of groups in sequence
    int64_t start_ = 0;
};

/// Implements --verify-text: parsing the printed program, a graph or a tree, must give it back.
class TextVerifier : public pass::Instrumentation {
    void begin(const pass::Program &p, pass::Context &context) override { verify(p, "before the first pass", context); }
    void after(const pass::Program &p, const pass::Event &e, bool, pass::Context &context) override {
        verify(p, "after the pass " + e.pass.name, context);
    }
    static void verify(const pass::Program &p, const std::string &when, pass::Context &context) {
        const std::string why = p.tree ? unequal(*p.tree) : unequal(*p.graph);
        if (!why.empty())
            context.diags.report(diag::Id::InternalError, {}, "the text form " + when + " is not the program: " + why);
    }
    static std::string unequal(const ir::SDFG &g) {
        diag::Engine scratch;
        const std::string text = serialize::print(g);
        const std::unique_ptr<ir::SDFG> again = serialize::readText(text, "text", scratch);
        if (!again)
            return unreadable(scratch);
        if (const std::optional<std::string> difference = serialize::difference(g, *again))
            return *difference;
        return serialize::writeText(g) != serialize::writeText(*again) || serialize::print(*again) != text ? "files differ" : "";
    }
    static std::string unequal(const tree::Module &m) {
        diag::Engine scratch;
        const std::string text = tree::print(m);
        const std::unique_ptr<tree::Module> again = tree::parse(text, "text", scratch);
        if (!again)
            return unreadable(scratch);
        std::string difference;
        if (!tree::same(m, *again, &difference))
            return difference;
        return tree::print(*again) != text ? "texts differ" : "";
    }
    static std::string unreadable(const diag::Engine &scratch) {
        return scratch.hasErrors() ? scratch.sorted().front().message : "it cannot be read";
    }
};

std::vector<std::string> replayArguments(const pass::CompileOptions &c) {
    if (c.file.empty() || c.file == "-")
        return {};
    std::vector<std::string> words = pass::argumentsOf(c);
    words.insert(words.begin(), {"opt", c.file});
    return words;
}

/// Names of the installed pipelines.
std::vector<std::string> installedPipelines() {
    std::vector<std::string> names;
    const std::optional<std::string> folder = findResource("pipelines", "");
    Result<std::vector<std::string>> files = folder ? file::list(*folder) : Result<std::vector<std::string>>(Failure{""});
    for (const std::string &f : files ? *files : std::vector<std::string>())
        if (f.ends_with(".yaml"))
            names.push_back(f.substr(0, f.size() - 5));
    return names;
}

/// A path, or a file name that ends in `.yaml`, is used as it is. Any other word names an installed pipeline, even if a local file
/// has that name (`--target cuda` next to a folder `cuda`), or else a file.
std::optional<std::string> pipelineFile(Session &s, const std::string &name) {
    const bool isYaml = name.ends_with(".yaml");
    if (name.find('/') != std::string::npos || (isYaml && file::exists(name)))
        return name;
    const std::string fileName = isYaml ? name : name + ".yaml";
    std::optional<std::string> found = findResource("pipelines", fileName);
    if (found)
        return found;
    if (file::exists(name))
        return name;
    const std::vector<std::string> installed = installedPipelines();
    if (installed.empty()) {
        s.diags.report(diag::Id::ResourceMissing, {}, "pipelines", fileName, resourceFolders());
        return found;
    }
    std::string list;
    for (const std::string &i : installed)
        list += (list.empty() ? "`" : ", `") + i + "`";
    const std::string near = diag::nearest(name, installed);
    s.diags.report(diag::Id::PipelineUnknown, {}, name, near.empty() ? "installed are " + list : "did you mean `" + near + "`?");
    return found;
}

/// The program in its text form; for a graph, only the elements that match `filter` unless that is empty.
std::string programText(const pass::Program &p, const std::string &filter) {
    if (p.tree)
        return tree::print(*p.tree);
    constexpr serialize::PrintOptions toRead{.orders = false};
    return filter.empty() ? serialize::print(*p.graph, toRead)
                          : serialize::printMatching(*p.graph, filter, toRead).value_or("// nothing matches " + filter + "\n");
}

pass::RunOptions runOptions(Session &s, const PipelineOptions &o) {
    pass::RunOptions r;
    r.printBefore = o.printBefore;
    r.printAfter = o.printAfter;
    r.printAfterAll = o.printAfterAll;
    r.printAfterChange = o.printAfterChange;
    r.printAfterFailure = o.printAfterFailure;
    r.dumpDir = o.dumpDir;
    r.stopAfter = o.stopAfter;
    r.startAfter = o.startAfter;
    r.out = &s.environment.out;
    r.print = [filter = o.printFilter](const pass::Program &p) { return programText(p, filter); };
    r.save = [&s](const pass::Program &p, const std::string &path) {
        return p.tree ? s.writeOutput(path, tree::print(*p.tree)) : serialize::writeFile(*p.graph, path, s.diags);
    };
    return r;
}

/// The passes of a target's default pipeline that every program needs: those that run without optimisation. Nothing if it is not
/// installed.
std::optional<pass::Pipeline> usualPipeline(pass::CompileOptions compile) {
    compile.optimize = pass::OptLevel::O0;
    diag::Engine scratch;
    const std::optional<std::string> path = findResource("pipelines", compile.target.name() + ".yaml");
    return path ? pass::readPipeline(*path, passRegistry(), compile, scratch) : std::nullopt;
}

/// A file name in a make rule: `$` is doubled, blanks, `#` and `%` get a backslash.
std::string makeEscaped(const std::string &path) {
    std::string out;
    for (char c : path) {
        if (c == ' ' || c == '#' || c == '%' || c == '\\')
            out += '\\';
        out += c == '$' ? "$$" : std::string(1, c);
    }
    return out;
}

/// With machine-readable diagnostics, nothing else may be printed on standard error.
bool mixesTexts(Session &s, const PipelineOptions &o) {
    if (s.general.diagnostics == DiagnosticForm::Text || !o.timePasses)
        return false;
    s.diags.report(diag::Id::OptionConflict, {}, "--time-passes", "--diagnostics " + std::string(word(s.general.diagnostics)))
        .hint = "`--time-trace FILE` writes times for machines";
    return true;
}

/// Reports missed optimisations in the format of the diagnostics: text, lines within `json`, or results in the `sarif` log.
void explainMissed(Session &s, const std::vector<pass::Remark> &remarks, const pass::LoopCounts &loops) {
    if (s.general.diagnostics == DiagnosticForm::Text)
        s.environment.err << missedText(remarks, loops);
    else if (s.general.diagnostics == DiagnosticForm::Json)
        s.environment.err << missedJson(remarks, loops);
    else
        for (pass::Remark &r : missedOnce(remarks))
            s.missed.push_back(std::move(r));
}

} // namespace

const pass::Registry &passRegistry() {
    static const pass::Registry registry = [] {
        pass::Registry r;
        transforms::registerPasses(r);
        return r;
    }();
    return registry;
}

std::optional<pass::Pipeline> choosePipeline(Session &s, const PipelineOptions &o, const pass::CompileOptions &compile) {
    if (!o.pipeline.empty() && o.passes) {
        s.diags.report(diag::Id::OptionConflict, {}, "--pipeline", "--passes");
        return std::nullopt;
    }
    if (!o.distribute.empty() && compile.gpu()) {
        s.diags.report(diag::Id::OptionConflict, {}, "--distribute", "--target " + compile.target.name());
        return std::nullopt;
    }
    const std::string named = !o.pipeline.empty() ? o.pipeline : o.distribute.empty() ? compile.target.name() : "distribute";
    std::optional<pass::Pipeline> pipeline;
    if (o.passes) {
        pipeline = pass::parsePipeline(*o.passes, passRegistry(), s.diags);
    } else if (std::optional<std::string> path = pipelineFile(s, named)) {
        pipeline = pass::readPipeline(*path, passRegistry(), compile, s.diags);
    }
    std::vector<std::string> options = o.passOptions;
    if (!o.distribute.empty())
        options.insert(options.begin(), "distribute.arrays=" + text::joined(o.distribute, "+"));
    for (const std::string &text : options)
        if (pipeline && !pass::setOption(*pipeline, text, passRegistry(), s.diags))
            return std::nullopt;
    return pipeline;
}

bool runPasses(Session &s, pass::Program &program, const PipelineOptions &o, pass::Context &context,
               std::vector<std::string> *files, bool graphOnly) {
    if (mixesTexts(s, o))
        return false;
    std::optional<pass::Pipeline> pipeline =
        program.graph || o.choosePasses() ? choosePipeline(s, o, context.options) : pass::Pipeline();
    if (!pipeline)
        return false;
    if (files)
        files->insert(files->end(), pipeline->files.begin(), pipeline->files.end());
    ProgressLine progress(s);
    const bool prints = !o.printBefore.empty() || !o.printAfter.empty() || o.printAfterAll || o.printAfterChange;
    Watcher watcher(s, *pipeline, replayArguments(context.options), prints || o.validation.validate ? nullptr : &progress);
    pass::RunOptions run = runOptions(s, o);
    run.instruments.push_back(&watcher);
    TextVerifier textVerifier;
    if (o.verifyText)
        run.instruments.push_back(&textVerifier);
    const Name name = program.tree ? program.tree->name : program.graph->name;
    validate::ValidateOptions validateOptions = o.validation.validateOptions(name, context.options.file);
    validateOptions.progress = progress.toValidation();
    validate::Validator validator(*pipeline, passRegistry(), std::move(validateOptions));
    if (o.validation.validate)
        run.instruments.push_back(&validator);
    run.graphOnly = graphOnly;
    context.changeLimit = o.passLimit;
    context.explains = o.explainMissed;
    if (o.choosePasses())
        run.usual = [&] { return usualPipeline(context.options); };
    std::vector<pass::PassTime> times;
    bool ok = pass::run(program, *pipeline, passRegistry(), context, run, &times);
    progress.clear();
    if (o.timePasses)
        s.environment.err << pass::timeTable(std::move(times));
    if (context.lastChange)
        s.log().info("the optimiser made {} changes, the last one: {}", context.changes,
                     oneLine(context.remarks[*context.lastChange]));
    if (o.explainMissed)
        explainMissed(s, context.remarks, context.loops);
    if (!o.remarks.empty())
        ok = s.writeOutput(o.remarks, remarkText(context.remarks, o.remarks)) && ok;
    return ok;
}

std::unique_ptr<tree::Module> lowered(Session &s, pass::Program program, const PipelineOptions &o, pass::Context &context,
                                      std::vector<std::string> *files) {
    if (!runPasses(s, program, o, context, files))
        return nullptr;
    if (!program.tree && o.stopAfter.empty()) // --passes, or the user's own pipeline file
        s.diags.report(diag::Id::LevelTooLow, {}, ir::name(program.level()));
    return std::move(program.tree);
}

void raiseLevel(ir::SDFG &graph) {
    for (auto next = ir::Level::Structured; next <= ir::Level::Scheduled; next = static_cast<ir::Level>(int(next) + 1)) {
        diag::Engine scratch;
        if (!analysis::verify(graph, next, scratch))
            return;
        graph.level = next;
    }
}

std::vector<std::string> inputFiles(const std::string &path, const Input &input) {
    std::vector<std::string> files;
    if (path != "-")
        files.push_back(path);
    if (input.graph)
        for (ir::SDFG *g : ir::allSDFGs(*input.graph))
            if (g->parentNode && !g->parentNode->externalPath.empty())
                files.push_back(file::join(file::folderOf(path), g->parentNode->externalPath));
    return files;
}

bool accepts(Session &s, const Input &input, const pass::CompileOptions &compile) {
    return input.graph ? targets::accepts(*input.graph, compile, s.diags) : targets::accepts(*input.tree, compile, s.diags);
}

std::string dependencyRule(const std::string &output, const std::vector<std::string> &files) {
    std::string rule = makeEscaped(output) + ":";
    std::set<std::string> seen;
    for (const std::string &f : files)
        if (seen.insert(f).second)
            rule += " \\\n  " + makeEscaped(f);
    return rule + "\n";
}

} // namespace sdfgc::driver
