// sdfgc run: runs a graph without any host code.
#include "Driver/CommandLine/Words.h"
#include "Driver/Crash.h"
#include "Driver/Execution/Agreement.h"
#include "Driver/Execution/Interpretation.h"
#include "Driver/Execution/ProgramRun.h"
#include "Driver/Execution/Ranks.h"
#include "Driver/Reports/DeviceCounters.h"
#include "Driver/Reports/GraphCounters.h"
#include "Driver/Reports/Messages.h"
#include "Driver/Reports/Profile.h"
#include "Driver/Reports/Times.h"
#include "Driver/Subcommand.h"
#include "sdfgc/Build/Tasklets.h"
#include "sdfgc/Run/Values.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Process.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <ostream>
#include <set>

namespace sdfgc::driver {
namespace {

/// `float64[100] min 0 max 0.99 mean 0.5`; small arrays are listed.
std::string summary(const run::Argument &a, const run::NpyArray &content) {
    constexpr int64_t few = 6;
    const std::size_t size = static_cast<std::size_t>(a.dtype.size);
    const int64_t count = content.elements();
    auto element = [&](int64_t i) { return std::string_view(content.data).substr(static_cast<std::size_t>(i) * size, size); };
    std::string out = a.type.str() + (a.isArray ? run::shapeText(content.shape) : "");
    if (count <= few || a.type.isComplex()) {
        for (int64_t i = 0; i < std::min(count, few); ++i)
            out += (i ? ", " : "  ") + run::textOf(a.type, element(i));
        return out + (count > few ? ", ..." : "");
    }
    double lowest = std::numeric_limits<double>::infinity(), highest = -lowest, sum = 0;
    for (int64_t i = 0; i < count; ++i) {
        const double v = run::valueOf(a.type, element(i));
        lowest = std::min(lowest, v);
        highest = std::max(highest, v);
        sum += v;
    }
    char text[120];
    std::snprintf(text, sizeof text, "  min %.8g  max %.8g  mean %.8g", lowest, highest, sum / static_cast<double>(count));
    return out + text;
}

class Run : public Subcommand {
    void addOptions(CommandLine &line) override {
        line.argument("PROG.sdfg", input_, "graph, or tree (.sdfgtree), to run; `-` reads standard input");
        arguments_.addTo(line);
        line.group("Results");
        line.texts("--out", outputs_, "NAME=FILE.npy", "write an argument to a file after the call");
        line.flag("--once", once_,
                  "call the program once (default: a warm-up and up to 5 timed calls, for about a second, all with the same "
                  "arguments, where "
                  "the first gives the results; one call with --emulate, --emulate-mpi, --ranks, --interpret or --stats)");
        line.number("--repeat", call_.repeat, "N",
                    "make exactly N timed calls; the last one gives the results (default: see --once)");
        line.number("--warmup", call_.warmup, "N", "make N calls before the timed ones (default: see --once; 0 with --repeat)", 0);
        line.real("--timeout", call_.seconds, "SECONDS", "time limit for the program");
        line.number(
            "--ranks", ranks_, "N",
            "run the program on N MPI ranks, under mpirun or, with --emulate-mpi, as threads; `{rank}` and `{ranks}` in --arg, "
            "--input and --out stand for the numbers");
        line.text("--launcher", launcher_, "COMMAND", "command that starts the ranks (default: mpirun -n {ranks})");
        requireClosed(line, "--launcher", launcher_);
        line.number("--mpi-seed", call_.mpiSeed, "N",
                    "with --emulate-mpi: seed for random delays and orders of messages; 0 for none", 0);
        line.flag("--interpret", interpret_,
                  "run the program in the interpreter, which checks every access, instead of compiling it");
        line.flag("--tree", tree_, "with --interpret: run the schedule tree that the passes make, instead of the graph");
        line.flag("--json", json_, "print times and results as JSON");
        line.flag(
            "--stats", stats_,
            "also print the counters of the GPU graphs after the last call, with --emulate what the device did in that call, with "
            "--emulate-mpi the messages of the ranks, and with --interpret the memory of the program's containers");
        line.flag("--profile", profile_,
                  "measure the program's loops, maps and calls (--instrument all), and print what each of them takes");
        line.check([this, &line](diag::Engine &d) {
            if (profile_ && interpret_)
                d.report(diag::Id::OptionConflict, {}, "--profile", "--interpret");
            if (profile_ && ranks_ > 1)
                d.report(diag::Id::OptionConflict, {}, "--profile", "--ranks");
            if (profile_ && compilation_.target.instrument == pass::Instrument::None)
                d.report(diag::Id::OptionConflict, {}, "--profile", "--instrument none");
            if (profile_ && !line.given("--instrument"))
                compilation_.target.instrument = pass::Instrument::All;
            for (const char *count : {"--repeat", "--warmup"}) {
                isCounted_ = isCounted_ || line.given(count);
                if (once_ && line.given(count))
                    d.report(diag::Id::OptionConflict, {}, "--once", count);
            }
            if (stats_ && tree_)
                d.report(diag::Id::OptionConflict, {}, "--stats", "--tree");
            if (ranks_ > 1 && interpret_)
                d.report(diag::Id::OptionConflict, {}, "--ranks", "--interpret");
            if (compilation_.target.checks && interpret_)
                d.report(diag::Id::OptionConflict, {}, "--checks", "--interpret").hint =
                    "the interpreter checks every access by itself: leave out --checks";
            if (call_.repeat != 1 && interpret_)
                d.report(diag::Id::OptionConflict, {}, "--repeat", "--interpret");
            if (call_.warmup != 0 && interpret_)
                d.report(diag::Id::OptionConflict, {}, "--warmup", "--interpret");
            if (ranks_ > 1 && input_ == "-")
                d.report(diag::Id::OptionMisused, {}, "--ranks needs a file: every rank reads the graph", "save it first");
        });
        line.group("Output");
        line.text("-o,--output", folder_, "DIR", "build folder (default: one in the user's cache)");
        compilation_.addTo(line, true);
        compilation_.pipeline.validation.addTo(line, compilation_.toolchain);
    }

    void run(Session &s) override {
        std::vector<run::Given> outputs;
        for (const std::string &text : outputs_)
            if (std::optional<run::Given> one = splitGiven(s, "--out", text))
                outputs.push_back(std::move(*one));
        Input program = s.failed() ? Input() : s.read(input_);
        if (!program)
            return;
        arguments_.lookAt(program);
        if (tree_ && !interpret_) {
            s.diags.report(diag::Id::OptionMisused, {}, "--tree is for --interpret", "`sdfgc print --tree` shows the tree");
            return;
        }
        if (interpret_)
            return interpretProgram(s, std::move(program), outputs);
        compilation_.lineTables = true;
        compilation_.isCalled = true;
        std::optional<Agreement> agreement;
        if (compilation_.pipeline.validation.validate && program.graph)
            agreement.emplace(s, *program.graph, compilation_, input_);
        const std::string folder = folder_.empty() ? runFolder(input_, key()) : folder_;
        std::optional<Compiled> made = compilation_.run(s, std::move(program), input_, folder, true);
        if (!made)
            return;
        if (agreement && !arguments_.given() && stats_) {
            s.diags.report(diag::Id::OptionMisused, {}, "--stats needs a call, but --validate makes its own without arguments",
                           "give the arguments: --arg NAME=VALUE, --default VALUE");
            return;
        }
        if (agreement && !arguments_.given())
            return agreement->tryProgram(*made, call_.seconds > 0 ? call_.seconds : 60);
        const JobRank mine = JobRank::ofProcess();
        const int ranks = mine.isInJob() ? mine.size : ranks_;
        if (ranks > 1 && !mine.isInJob() && !compilation_.target.emulateMpi)
            return arguments_.prepare(s, *made->module, 0, ranks) ? launchRanks(s, ranks, launcher_) : void();
        const bool isHere = compilation_.target.emulateMpi && !mine.isInJob(); // all ranks are here
        const int first = isHere ? 0 : std::max(mine.rank, 0), last = isHere ? ranks - 1 : first;
        std::vector<run::Arguments> arguments;
        for (int r = first; r <= last; ++r) {
            std::optional<run::Arguments> one = arguments_.prepare(s, *made->module, r, ranks);
            if (!one || !outputsExist(s, *one, outputs))
                return;
            arguments.push_back(std::move(*one));
        }
        s.log().info("calling {}", made->module->name.str());
        crash::setActivity("calling the program");
        call_.gpuGraphs = graphsOf(*made->module);
        call_ = made->callOptions(call_);
        if (!made->runner.empty() && (isCounted_ || stats_)) {
            s.diags.report(diag::Id::OptionMisused, {}, "a program for another machine is called once, and nothing is counted",
                           "leave out --repeat, --warmup and --stats");
            return;
        }
        call_.messages = stats_ && isHere && made->sources.needs("mpi");
        if (isMeasured(ranks) && made->runner.empty()) {
            call_.measure = true;
            call_.warmup = 1;
            call_.repeat = 5;
        }
        s.environment.out.flush(); // the program prints next
        std::vector<const run::Arguments *> each;
        for (const run::Arguments &one : arguments)
            each.push_back(&one);
        std::vector<run::CallResult> results;
        if (profile_)
            chooseReportFolder(folder);
        {
            TimeTrace::Scope scope(s.trace(), "run", made->module->name.str());
            results = run::callRanks(file::absolute(made->library), made->module->name.str(), each, call_);
        }
        if (mine.isInJob())
            results.front().rank = mine.rank;
        if (!std::all_of(results.begin(), results.end(), [&](const run::CallResult &r) { return reportCall(s, &*made, r); }))
            return;
        reportGraphs(s, results);
        if (profile_)
            readProfile(s, results.front());
        for (std::size_t i = 0; i < results.size(); ++i)
            show(s, arguments[i], outputs, results[i], first + static_cast<int>(i), ranks);
        if (call_.messages && !json_)
            s.environment.out << sentTable(results.front().sent);
        if (agreement)
            agreement->compare(*made, {"the arguments that are given", arguments.front()}, results.front().memory);
    }

    /// The same without a library. Faults make the run fail, but its results are shown.
    void interpretProgram(Session &s, Input program, const std::vector<run::Given> &outputs) {
        if (tree_ && !lower(s, program))
            return;
        interpret::Options options{compilation_.target.hasDaceMeaning(), input_, call_.seconds};
        if (!compilation_.pipeline.validation.noNative)
            options.native = build::taskletCompiler({compilation_.toolchain.compiler, compilation_.toolchain.file, ""}, &s.log());
        const std::shared_ptr<const tree::Module> tree = std::move(program.tree);
        std::optional<run::Arguments> arguments =
            tree ? arguments_.prepare(s, *tree) : arguments_.prepare(s, run::interfaceOf(*program.graph));
        if (!arguments || !outputsExist(s, *arguments, outputs))
            return;
        const std::unique_ptr<validate::Subject> subject =
            tree ? validate::interpreted(tree, options, s.diags) : validate::interpreted(*program.graph, options, s.diags);
        if (!subject)
            return;
        s.log().info("interpreting {}", tree ? tree->name.str() : program.graph->name.str());
        const run::CallResult result = interpret(s, *subject, *arguments, input_);
        if (reportCall(s, nullptr, result))
            show(s, *arguments, outputs, result);
    }

    /// Runs the passes to lower the program to a tree.
    bool lower(Session &s, Input &program) const {
        pass::CompileOptions compile = compilation_.target.compileOptions(input_);
        compilation_.toolchain.find(s, compile, false);
        pass::Context context(s.diags, compile);
        program.tree = lowered(s, program.program(), compilation_.pipeline, context);
        return program.tree != nullptr;
    }

    /// Reports of earlier runs would count as calls of this one, so the folder is new.
    void chooseReportFolder(const std::string &folder) {
        reports_ = file::absolute(file::join(folder, "profile"));
        (void)file::removeTree(reports_);
        ::setenv("SDFGC_REPORT_FOLDER", reports_.c_str(), 1);
    }

    void readProfile(Session &s, const run::CallResult &result) {
        profiled_ = Profile::read(reports_, result.warmups.size());
        if (profiled_.reports == 0)
            s.diags.report(diag::Id::MeasurementMissing, {}, "the program has written no report",
                           "SDFGC_INSTRUMENT=0 in the environment turns measurements off");
    }

    /// Files named without `{rank}` are those of rank 0, and so are the numbers in machine-readable output.
    void show(Session &s, const run::Arguments &arguments, const std::vector<run::Given> &outputs, const run::CallResult &result,
              int rank = 0, int ranks = 1) {
        for (const run::Given &o : outputs) {
            const run::Argument *a = arguments.find(o.name);
            if (const std::string file = forRank(o.value, rank, ranks); rank == 0 || file != o.value)
                s.writeOutput(file, run::npyText(run::gather(*a, memoryOf(arguments, *a, result))));
        }
        if (json_ && rank == 0)
            s.environment.out << asJson(arguments, result);
        if (!json_)
            s.environment.out << (ranks > 1 ? labelled(asText(arguments, result), rank) : asText(arguments, result));
    }

    /// Every line prefixed with `rank N: `.
    static std::string labelled(const std::string &text, int rank) {
        std::string out;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = text.find('\n', at);
            out += "rank " + std::to_string(rank) + ": " + text.substr(at, end - at) + "\n";
            at = end + 1;
        }
        return out;
    }

    /// Are several calls made although none were requested? Times of an emulation are meaningless, counters should be those of a
    /// single call, and several ranks would have to agree on when to stop.
    bool isMeasured(int ranks) const {
        const bool isEmulated = compilation_.target.emulate || compilation_.target.emulateMpi;
        return !once_ && !isCounted_ && !stats_ && !isEmulated && ranks == 1;
    }

    /// Options that affect the sources or the library.
    std::string key() const {
        std::vector<std::string> words = compilation_.arguments();
        if (compilation_.name.isGiven())
            words.insert(words.end(), {"--name", compilation_.name.text()});
        return process::quoted(words);
    }

    static int graphsOf(const tree::Module &m) {
        const auto isGraph = [](const auto &f) { return f->graph.has_value(); };
        return static_cast<int>(std::count_if(m.functions.begin(), m.functions.end(), isGraph));
    }

    /// Reports graphs that were not used, unless the user has disabled them. Ranks are alike, so only the first such rank is
    /// reported.
    static void reportGraphs(Session &s, const std::vector<run::CallResult> &results) {
        if (const char *mode = std::getenv("SDFGC_GPU_GRAPH"); mode && std::string_view(mode) == "0")
            return;
        std::set<std::string> said;
        for (const run::CallResult &r : results)
            for (const run::GraphCounters &g : r.graphs)
                if (g.hostPath > 0 && said.insert(g.name).second)
                    s.diags.report(diag::Id::GraphNotUsed, {}, g.name, g.hostPath, g.hostPath + g.launches, g.lastReason);
    }

    static bool outputsExist(Session &s, const run::Arguments &arguments, const std::vector<run::Given> &outputs) {
        std::vector<std::string> names;
        for (const run::Argument &a : arguments.all)
            if (a.isVisible())
                names.push_back(a.name.str());
        for (const run::Given &o : outputs) {
            if (std::find(names.begin(), names.end(), o.name) != names.end())
                continue;
            const std::string near = diag::nearest(o.name, names);
            s.diags.report(diag::Id::ProgramArgumentUnknown, {}, o.name,
                           near.empty() ? "--out takes arrays of the call" : "did you mean `" + near + "`?");
        }
        return !s.failed();
    }

    static std::string_view memoryOf(const run::Arguments &arguments, const run::Argument &a, const run::CallResult &r) {
        return r.memory[static_cast<std::size_t>(&a - arguments.all.data())];
    }

    /// `5 calls: median 1.200 ms, min 1.100 ms, max 1.300 ms, middle half within 2.0 %; warm-up 480.000 ms`
    static std::string timesText(const run::CallResult &r) {
        const Spread t = spreadOf(r.seconds);
        std::string out = "1 call: " + milliseconds(t.median);
        if (r.seconds.size() > 1)
            out = std::to_string(r.seconds.size()) + " calls: median " + milliseconds(t.median) + ", min " +
                  milliseconds(t.lowest) + ", max " + milliseconds(t.highest) + ", middle half within " +
                  percent(t.quartiles, t.median);
        if (r.warmups.size() > 1)
            out += "; " + std::to_string(r.warmups.size()) + " warm-up calls, the first " + milliseconds(r.warmups.front());
        else if (r.warmups.size() == 1)
            out += "; warm-up " + milliseconds(r.warmups.front());
        return out;
    }

    std::string asText(const run::Arguments &arguments, const run::CallResult &r) const {
        std::string out;
        std::size_t width = 0;
        for (const run::Argument &a : arguments.all)
            width = std::max(width, a.name.str().size());
        for (const run::Argument &a : arguments.all)
            if (a.isVisible() && memoryOf(arguments, a, r) != a.data)
                out += a.name.str() + std::string(width - a.name.str().size() + 2, ' ') +
                       summary(a, run::gather(a, memoryOf(arguments, a, r))) + "\n";
        out += timesText(r) + "\n";
        if (profile_)
            out += profiled_.text();
        if (!stats_)
            return out;
        if (interpret_)
            return out + "containers of the program: " + std::to_string(r.held) + " bytes\n";
        return out + graphTable(r.graphs) + (r.device ? deviceText(*r.device) : "");
    }

    std::string asJson(const run::Arguments &arguments, const run::CallResult &r) const {
        json::Value v = json::Value::object(), times = json::Value::array(), warmups = json::Value::array();
        json::Value symbols = json::Value::object();
        const Spread t = spreadOf(r.seconds);
        for (double s : r.warmups)
            warmups.push(s);
        for (double s : r.seconds)
            times.push(s);
        for (const auto &[name, value] : arguments.symbols)
            symbols.set(name.str(), value);
        v.set("symbols", std::move(symbols));
        v.set("initSeconds", r.initSeconds);
        v.set("warmupSeconds", std::move(warmups));
        v.set("seconds", std::move(times));
        v.set("median", t.median);
        v.set("lowest", t.lowest);
        v.set("highest", t.highest);
        v.set("interquartileRange", t.quartiles);
        if (profile_)
            v.set("profile", profiled_.json());
        if (stats_ && interpret_)
            v.set("containerBytes", r.held);
        else if (stats_)
            v.set("gpuGraphs", graphsJson(r.graphs));
        if (stats_ && r.device)
            v.set("device", deviceJson(*r.device));
        if (call_.messages)
            v.set("messages", sentJson(r.sent));
        return v.dump(2) + "\n";
    }

    std::string input_, folder_;
    std::vector<std::string> outputs_;
    std::string launcher_;
    int ranks_ = 1;
    bool json_ = false, interpret_ = false, tree_ = false, stats_ = false, once_ = false, profile_ = false;
    bool isCounted_ = false; // the number of calls was given
    run::CallOptions call_;
    std::string reports_; // folder of --profile
    Profile profiled_;
    ProgramArguments arguments_;
    Compilation compilation_;
};

} // namespace

std::unique_ptr<Subcommand> createRun() { return std::make_unique<Run>(); }

} // namespace sdfgc::driver
