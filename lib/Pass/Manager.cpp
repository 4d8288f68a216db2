// Runs pipelines: resolves the steps, decides where to start and stop, and drives passes, verifier and observers.
#include "Pass/Levels.h"
#include "Pass/Observers.h"
#include "Pass/Options.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Support/Text.h"
#include "sdfgc/Support/Time.h"
#include "sdfgc/Tree/Verify.h"

#include <algorithm>
#include <cstdio>
#include <sys/resource.h>
#include <utility>

namespace sdfgc::pass {
namespace {

/// Index of the step named by `text`: `infer-types` (the first one), `05` or `05-infer-types`. Positions count from 1.
std::optional<std::size_t> findStep(const Pipeline &p, const std::string &text) {
    std::size_t digits = 0, position = 0;
    while (digits < text.size() && digits < 6 && text[digits] >= '0' && text[digits] <= '9')
        position = position * 10 + static_cast<std::size_t>(text[digits++] - '0');
    for (std::size_t i = 0; i < p.steps.size(); ++i) {
        if (text == p.steps[i].pass)
            return i;
        if (digits > 0 && position == i + 1 && (digits == text.size() || text.substr(digits) == "-" + p.steps[i].pass))
            return i;
    }
    return std::nullopt;
}

/// Does a verifier rule report a wrong value, rather than something missing or misplaced?
bool isOfValues(diag::Id rule) {
    using diag::Id;
    return rule == Id::OutOfBounds || rule == Id::NegativeSize || rule == Id::ZeroStep || rule == Id::MapStep ||
           rule == Id::CopySizes;
}

class Manager {
public:
    Manager(Program &program, const Pipeline &p, const Registry &r, Context &c, const RunOptions &o)
        : program_(program), pipeline_(p), registry_(r), context_(c), options_(o), printer_(o), dumper_(o),
          level_(program.level()) {}

    bool run(std::vector<PassTime> *times) {
        std::size_t errorsBefore = context_.diags.errorCount();
        if (!prepare())
            return false;
        for (Instrumentation *observer : observers_)
            observer->begin(program_, context_);
        auto failed = [&] { return context_.diags.errorCount() != errorsBefore; };
        for (std::size_t i = begin_; i < end_ && !failed();) {
            const Group *group = groupOf(i);
            if (group)
                runGroup(*group, times);
            else
                runStep(i, 1, times);
            i = group ? group->last : i + 1;
        }
        context_.currentPass.clear();
        return context_.diags.errorCount() == errorsBefore;
    }

private:
    /// Checks everything that can be wrong before a pass has run.
    bool prepare() {
        std::size_t errorsBefore = context_.diags.errorCount();
        for (const PipelineStep &step : pipeline_.steps)
            passes_.push_back(findPass(registry_, step.pass, placeOf(step), context_.diags));
        if (context_.diags.errorCount() != errorsBefore)
            return false;
        end_ = passes_.size();
        if (options_.graphOnly)
            end_ = static_cast<std::size_t>(std::find_if(passes_.begin(), passes_.end(),
                                                         [](const PassInfo *p) { return p->establishes == ir::Level::Lowered; }) -
                                            passes_.begin());
        chooseRange();
        for (const std::vector<std::string> *names : {&options_.printBefore, &options_.printAfter})
            for (const std::string &name : *names)
                if (std::none_of(passes_.begin(), passes_.end(), [&](const PassInfo *p) { return p->name == name; }))
                    notInPipeline(name);
        // With --start-after, the passes that are left out have run before.
        for (std::size_t i = 0; i < begin_; ++i)
            level_ = levelAfter(level_, *passes_[i]);
        checkLevels(rest(), registry_, level_, context_.diags);
        if (begin_ > 0 && begin_ < end_)
            checkResumed();
        if (!program_.tree)
            program_.graph->level = std::min(level_, ir::Level::Scheduled);
        addObservers();
        return context_.diags.errorCount() == errorsBefore;
    }

    /// --start-after trusts the user about earlier passes; this checks it.
    void checkResumed() {
        diag::Engine scratch;
        ir::Level is = program_.tree ? ir::Level::Lowered : std::min(level_, ir::Level::Scheduled);
        while (!program_.tree && is > ir::Level::Loaded && !analysis::verify(*program_.graph, is, scratch))
            is = static_cast<ir::Level>(static_cast<int>(is) - 1);
        if (is < level_)
            context_.diags.report(diag::Id::PassLevel, diag::Location{context_.options.file}, passes_[begin_]->name, name(level_),
                                  name(is),
                                  "--start-after " + options_.startAfter + " takes what --dump-dir wrote after that pass");
    }

    /// The steps that will run.
    Pipeline rest() const {
        Pipeline p;
        const std::size_t end = std::max(begin_, end_);
        p.steps.assign(pipeline_.steps.begin() + static_cast<std::ptrdiff_t>(begin_),
                       pipeline_.steps.begin() + static_cast<std::ptrdiff_t>(end));
        for (Group g : pipeline_.groups) {
            g.first = std::max(g.first, begin_) - begin_;
            g.last = std::max(std::min(g.last, end), begin_) - begin_;
            if (g.first < g.last)
                p.groups.push_back(std::move(g));
        }
        return p;
    }

    const Group *groupOf(std::size_t step) const {
        for (const Group &g : pipeline_.groups)
            if (g.first <= step && step < g.last)
                return &g;
        return nullptr;
    }

    /// Repeats the group until nothing changes. A run that starts or stops inside the group runs only part of one round.
    void runGroup(const Group &group, std::vector<PassTime> *times) {
        const std::size_t errorsBefore = context_.diags.errorCount();
        const int64_t rounds = end_ < group.last ? 1 : group.limit;
        for (int64_t round = 1; round <= rounds; ++round) {
            bool changed = false;
            for (std::size_t i = round == 1 ? std::max(group.first, begin_) : group.first; i < std::min(group.last, end_); ++i) {
                changed = runStep(i, round, times) || changed;
                if (context_.diags.errorCount() != errorsBefore)
                    return;
            }
            if (!changed)
                return;
        }
        if (end_ >= group.last)
            reportLimit(group);
    }

    void reportLimit(const Group &group) {
        std::string names;
        for (std::size_t i = group.first; i < group.last; ++i)
            names += (names.empty() ? "`" : ", `") + pipeline_.steps[i].pass + "`";
        context_.diags.report(diag::Id::FixedPointLimit, {group.file, group.line, group.column, {}, {}, {}}, names, group.limit);
    }

    bool conditionsHold(const PipelineStep &step) {
        return std::all_of(step.conditions.begin(), step.conditions.end(), [&](const GraphCondition &c) {
            return c.wanted == std::any_of(c.anyOf.begin(), c.anyOf.end(),
                                           [&](const std::string &p) { return program_.graph && hasProperty(*program_.graph, p); });
        });
    }

    void chooseRange() {
        if (!options_.startAfter.empty()) {
            if (auto step = findStep(pipeline_, options_.startAfter))
                begin_ = *step + 1;
            else
                notInPipeline(options_.startAfter);
        }
        if (!options_.stopAfter.empty()) {
            if (auto step = findStep(pipeline_, options_.stopAfter))
                end_ = *step + 1;
            else
                notInPipeline(options_.stopAfter);
        }
        if (end_ < begin_ || (end_ == begin_ && !options_.stopAfter.empty() && !options_.startAfter.empty()))
            context_.diags.report(diag::Id::PassOrder, {}, options_.stopAfter, options_.startAfter);
    }

    void addObservers() {
        if (options_.out && options_.print)
            observers_.push_back(&printer_);
        dumper_.startAfter(begin_);
        if (!options_.dumpDir.empty() && options_.save)
            observers_.push_back(&dumper_);
        observers_.insert(observers_.end(), options_.instruments.begin(), options_.instruments.end());
    }

    /// Returns whether the program changed.
    bool runStep(std::size_t i, int64_t round, std::vector<PassTime> *times) {
        if (!conditionsHold(pipeline_.steps[i]))
            return false;
        const PassInfo &info = *passes_[i];
        if (!isAllowed(info))
            return false;
        const Event event{info, i + 1, passes_.size(), round};
        context_.begin(info.name, program_.graph);
        std::size_t errorsBefore = context_.diags.errorCount();
        for (Instrumentation *observer : observers_)
            observer->before(program_, event, context_);

        if (info.establishes >= ir::Level::Typed && level_ < ir::Level::Typed && !isDecided(info))
            return false;

        PassTime time{info.name, 0, 0, false, 0};
        std::unique_ptr<Pass> pass = info.create();
        for (const OptionInfo &option : info.options)
            pass->options.emplace(option.name, option.defaultValue);
        for (const auto &[key, value] : pipeline_.steps[i].options)
            pass->options[key] = value;
        Timer timer;
        time.changed = pass->run(program_, context_);
        time.seconds = timer.seconds();
        bool ok = context_.diags.errorCount() == errorsBefore;
        if (ok) {
            const ir::Level before = std::exchange(level_, levelAfter(level_, info));
            ok = verify(i, before, time);
        }
        time.peakKiB = peakMemoryKiB();
        if (times)
            times->push_back(time);
        for (Instrumentation *observer : observers_) {
            if (ok)
                observer->after(program_, event, time.changed, context_);
            else
                observer->failed(program_, event, context_);
        }
        return time.changed;
    }

    /// Passes of classes above F1 do nothing beyond what their class permits, so they need permission. Passes of class F1 also do
    /// necessary work, and ask for permission for each change.
    bool isAllowed(const PassInfo &info) {
        if (info.floatClass <= FloatClass::F1 || context_.allows(info.floatClass))
            return true;
        context_.currentPass = info.name;
        context_.missed("", "does not run",
                        {diag::Why::Contract, "changes of class " + std::string(name(info.floatClass)) + " are not allowed"});
        return false;
    }

    /// A typed graph has no Default schedules and storages; the passes that type a graph do not replace these.
    bool isDecided(const PassInfo &info) {
        const std::string undecided = firstUndecided();
        if (!undecided.empty())
            context_.diags.report(diag::Id::PassLevel, diag::Location{context_.options.file}, info.name,
                                  "without Default schedules and storages", "not: " + undecided + " has one",
                                  "run `default-schedules` before it");
        return undecided.empty();
    }

    std::string firstUndecided() const {
        for (ir::SDFG *g : ir::allSDFGs(*program_.graph)) {
            for (const auto &[name, d] : g->arrays)
                if (d.storage == ir::Storage::Default)
                    return "container `" + name.str() + "`";
            for (ir::State *s : ir::allStates(*g))
                for (const auto &n : s->nodes())
                    if (const ir::Schedule *schedule = ir::scheduleOf(n.get()); schedule && *schedule == ir::Schedule::Default)
                        return "`" + n->label + "`";
        }
        return "";
    }

    /// If a pass reports no changes, and the graph had this level before, there is nothing to verify.
    bool verify(std::size_t step, ir::Level before, PassTime &time) {
        if (!program_.tree)
            program_.graph->level = level_;
        if (!options_.verify || !(time.changed || level_ > before))
            return true;
        Timer timer;
        const std::size_t reportsBefore = context_.diags.all().size();
        const bool ok = program_.tree ? tree::verify(*program_.tree, context_.diags)
                                      : analysis::verify(*program_.graph, level_, context_.diags, context_.options.file,
                                                         time.changed ? ir::Level::Loaded : before);
        time.verifySeconds = timer.seconds();
        if (ok)
            return true;
        if (showsFault(reportsBefore))
            context_.diags.report(diag::Id::PassShowsFault, diag::Location{context_.options.file}, passes_[step]->name);
        else
            blame(step, level_ > before);
        return false;
    }

    /// Are all errors from this report on about values? The verifier only reports these if they are certain. A pass that replaces
    /// names with values turns existing errors into certain ones.
    bool showsFault(std::size_t from) const {
        const std::vector<diag::Diagnostic> &all = context_.diags.all();
        return from < all.size() &&
               std::all_of(all.begin() + static_cast<std::ptrdiff_t>(from), all.end(),
                           [](const diag::Diagnostic &d) { return d.severity != diag::Severity::Error || isOfValues(d.id); });
    }

    /// A pass that completes a level depends on earlier ones, which a user's pipeline may lack. Anything else is the pass's own
    /// fault.
    void blame(std::size_t step, bool completesLevel) {
        const std::string &pass = passes_[step]->name;
        const std::vector<std::string> missing = completesLevel ? missingBefore(step) : std::vector<std::string>();
        if (missing.empty())
            context_.diags.report(diag::Id::PassBrokeGraph, diag::Location{context_.options.file}, pass, name(level_));
        else
            context_.diags.report(diag::Id::PassLevel, placeOf(pipeline_.steps[step]), pass,
                                  "ready to be " + std::string(name(level_)), "not: the rules of that level do not hold after it",
                                  "the pipeline of the target has before it, in this order, " + text::quotedList(missing));
    }

    /// Passes that the usual pipeline runs before this one, and that this pipeline does not run before it in the same order.
    std::vector<std::string> missingBefore(std::size_t step) const {
        std::vector<std::string> missing;
        const std::optional<Pipeline> usual = options_.usual ? options_.usual() : std::nullopt;
        std::size_t from = 0; // start of the steps that may still come next
        for (const PipelineStep &u : usual ? usual->steps : std::vector<PipelineStep>()) {
            if (u.pass == pipeline_.steps[step].pass)
                return missing;
            const auto begin = pipeline_.steps.begin(), end = begin + static_cast<std::ptrdiff_t>(step);
            const auto found = std::find_if(begin + static_cast<std::ptrdiff_t>(from), end,
                                            [&](const PipelineStep &s) { return s.pass == u.pass; });
            if (found == end)
                missing.push_back(u.pass);
            else
                from = static_cast<std::size_t>(found - begin) + 1;
        }
        return missing;
    }

    diag::Location placeOf(const PipelineStep &s) const { return {s.file, s.line, s.column, {}, {}, {}}; }
    void notInPipeline(const std::string &text) {
        std::vector<std::string> known;
        for (const PassInfo *p : passes_)
            known.push_back(p->name);
        std::string near = diag::nearest(text, known);
        context_.diags.report(diag::Id::PassNotInPipeline, {}, text, pipeline_.name,
                              near.empty() ? "its passes are " + print(pipeline_) : "did you mean `" + near + "`?");
    }

    Program &program_;
    const Pipeline &pipeline_;
    const Registry &registry_;
    Context &context_;
    const RunOptions &options_;
    Printer printer_;
    Dumper dumper_;
    ir::Level level_;                      // of the program
    std::vector<const PassInfo *> passes_; // one per step
    std::size_t begin_ = 0, end_ = 0;      // the steps to run
    std::vector<Instrumentation *> observers_;
};

} // namespace

bool run(Program &program, const Pipeline &p, const Registry &r, Context &c, const RunOptions &o, std::vector<PassTime> *times) {
    return Manager(program, p, r, c, o).run(times);
}

int64_t peakMemoryKiB() {
    rusage used{};
    return ::getrusage(RUSAGE_SELF, &used) == 0 ? used.ru_maxrss : 0;
}

std::string timeTable(std::vector<PassTime> times) {
    double total = 0;
    std::size_t width = 4;
    for (const PassTime &t : times) {
        total += t.seconds + t.verifySeconds;
        width = std::max(width, t.pass.size());
    }
    std::stable_sort(times.begin(), times.end(), [](const PassTime &a, const PassTime &b) {
        return a.seconds + a.verifySeconds > b.seconds + b.verifySeconds;
    });
    auto row = [&](const std::string &pass, double seconds, double verify, int64_t peakKiB, const char *changed) {
        char numbers[120];
        std::snprintf(numbers, sizeof numbers, "%10.3f ms  %5.1f %%  %10.3f ms  %7.1f MiB", seconds * 1e3,
                      total > 0 ? (seconds + verify) * 100 / total : 0, verify * 1e3, static_cast<double>(peakKiB) / 1024);
        return pass + std::string(width - pass.size(), ' ') + numbers + (*changed ? std::string("  ") + changed : "") + "\n";
    };
    double passes = 0;
    int64_t peakKiB = 0;
    std::string out = "pass" + std::string(width - 4, ' ') + "         time    share       verify   peak memory  changed\n";
    for (const PassTime &t : times) {
        out += row(t.pass, t.seconds, t.verifySeconds, t.peakKiB, t.changed ? "yes" : "no");
        passes += t.seconds;
        peakKiB = std::max(peakKiB, t.peakKiB);
    }
    return out + row("all", passes, total - passes, peakKiB, "");
}

} // namespace sdfgc::pass
