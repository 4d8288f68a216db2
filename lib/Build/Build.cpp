#include "sdfgc/Build/Build.h"

#include "Build/Depfile.h"
#include "Build/Internal.h"
#include "Build/ObjectCache.h"
#include "Build/Plan.h"
#include "Build/Progress.h"
#include "Build/Record.h"

#include "sdfgc/Build/Cache.h"
#include "sdfgc/Package/Package.h"
#include "sdfgc/Platform/Dialects.h"
#include "sdfgc/Platform/Emulation.h"
#include "sdfgc/Support/JobRunner.h"
#include "sdfgc/Support/Time.h"

#include <algorithm>
#include <set>

namespace sdfgc::build {
namespace {

/// Looks up all libraries; reports all missing ones at once.
bool resolveLibraries(const Request &request, const Toolchain &toolchain, std::vector<Library> &libraries, diag::Engine &diags) {
    bool complete = true;
    for (const std::string &name : linkedLibraries(request, toolchain)) {
        Library lib = toolchain.library(name);
        if (!lib.found()) {
            const std::string what = lib.package ? "the " + platform::describe(*lib.package) : "it";
            diags.report(diag::Id::LibraryNotFound, {}, name, lib.missing, what);
            complete = false;
        }
        if (name != "omp") // -fopenmp links it
            libraries.push_back(std::move(lib));
    }
    return complete;
}

/// A single build: determines stale outputs, rebuilds them, and updates the record.
class Run {
public:
    Run(const Folder &folder, const Request &request, const Toolchain &toolchain, diag::Engine &diags)
        : folder_(folder), request_(request), toolchain_(toolchain), diags_(diags), progress_(request.options),
          cache_(toolchain.cacheFolder) {}

    BuildResult run() {
        std::vector<Library> libraries;
        if (!resolveLibraries(request_, toolchain_, libraries, diags_))
            return failed(Status::MissingLibrary);
        for (const Library &library : libraries)
            result_.libraries.push_back(library.name);
        const std::optional<std::vector<LevelFlags>> levels = levelsOf(request_, toolchain_, diags_);
        if (!levels)
            return failed(Status::BadProcessor);
        plan_ = makePlan(folder_.name(), request_, toolchain_, libraries, *levels);
        result_.flags = plan_.flags;
        result_.linkFlags = plan_.linkFlags;
        if (!sourcesExist() || !prepareFolders())
            return failed(Status::FileError);
        record_ = readRecord(folder_.statePath("build.json"));
        const std::vector<std::size_t> stale = findStale();
        if (!stale.empty())
            runSteps(stale);
        else
            keepNewerThanOrigins();
        if (!writeRecordIfChanged() || fileErrors_)
            result_.status = result_.status == Status::Done ? Status::FileError : result_.status;
        if (result_.status == Status::Done)
            result_.library = inFolder(plan_.library);
        if (result_.commandsRun > 0)
            boundCacheAtTimes(toolchain_.cacheFolder, toolchain_.cacheBytes);
        if (result_.status == Status::Done && request_.caller)
            result_.caller = inFolder(package::callerProgram(folder_.name()));
        return std::move(result_);
    }

private:
    std::string inFolder(const std::string &path) const { return file::join(folder_.path(), path); }

    BuildResult failed(Status status) {
        result_.status = status;
        return std::move(result_);
    }

    bool report(const Result<void> &done) {
        if (!done) {
            diags_.report(diag::Id::BuildFileError, {}, done.error());
            ++fileErrors_;
        }
        return static_cast<bool>(done);
    }

    bool sourcesExist() {
        for (const std::vector<std::string> *sources : {&request_.sources, &request_.runtimeSources})
            for (const std::string &source : *sources)
                if (!file::exists(inFolder(source)))
                    report(Failure{"the source " + inFolder(source) + " is not there"});
        return !fileErrors_;
    }

    /// Creates the folders that commands write to, and writes the list of commands.
    bool prepareFolders() {
        if (!report(file::makeFolderInside(folder_.path(), "lib")) ||
            (request_.caller && !report(file::makeFolderInside(folder_.path(), "bin"))) ||
            (plan_.steps.size() > 1 && !report(file::makeFolderInside(folder_.path(), ".sdfgc/obj"))))
            return false;
        if (!writeCommands(folder_.path(), compileCommands(plan_, file::absolute(folder_.path())), commandScript(plan_), diags_)) {
            ++fileErrors_;
            return false;
        }
        return true;
    }

    /// Indices of steps that must run. The library is stale when any of its objects is.
    std::vector<std::size_t> findStale() {
        TimeTrace::Scope scope(request_.options.trace, "build", "check which files are up to date");
        std::vector<std::size_t> stale;
        std::set<std::string> outputs;
        for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
            const PlannedStep &step = plan_.steps[i];
            outputs.insert(step.output);
            const auto recorded = record_.steps.find(step.output);
            const bool objectsChange = step.source.empty() && !stale.empty();
            const Freshness fresh = recorded == record_.steps.end() || objectsChange
                                        ? Freshness::Stale
                                        : check(folder_.path(), step.output, recorded->second, step.key);
            if (fresh == Freshness::Stale)
                stale.push_back(i);
            else if (request_.options.log)
                request_.options.log->debug("{} is up to date", step.output);
            recordChanged_ = recordChanged_ || fresh != Freshness::Current;
        }
        forgetOthers(outputs);
        for (const std::size_t i : stale)
            record_.steps.erase(plan_.steps[i].output);
        return stale;
    }

    /// Removes objects of sources that the program no longer has, its caller and DaCe's stub; including those of a run that was killed before
    /// it recorded them.
    void forgetOthers(const std::set<std::string> &outputs) {
        for (const std::string &more : {package::callerProgram(folder_.name()), package::daceStubLibrary(folder_.name()),
                                        package::staticLibrary(folder_.name())})
            if (record_.steps.count(more) && !outputs.count(more) && !file::isLink(inFolder(std::string(file::folderOf(more)))))
                report(file::removeTree(inFolder(more)));
        recordChanged_ |= std::erase_if(record_.steps, [&](const auto &step) { return !outputs.count(step.first); }) > 0;
        const std::string folder = ".sdfgc/obj";
        if (file::isLink(inFolder(folder)))
            return; // its target is not part of the build folder
        const Result<std::vector<std::string>> names = file::list(inFolder(folder));
        for (const std::string &name : names ? *names : std::vector<std::string>())
            if (const std::string object = file::join(folder, name); name.ends_with(".o") && !outputs.count(object))
                report(file::removeTree(inFolder(object)));
    }

    void keepNewerThanOrigins() {
        const std::optional<file::Stamp> library = file::stamp(inFolder(plan_.library));
        const bool isOld = library && std::any_of(request_.madeFrom.begin(), request_.madeFrom.end(), [&](const std::string &path) {
                               const std::optional<file::Stamp> origin = file::stamp(path);
                               return origin && origin->modifiedNs > library->modifiedNs;
                           });
        if (!isOld || !report(file::touch(inFolder(plan_.library))))
            return;
        record_.steps[plan_.library].outputStamp = stampText(file::stamp(inFolder(plan_.library)));
        recordChanged_ = true;
    }

    void runSteps(std::vector<std::size_t> stale) {
        std::vector<Job> jobs;
        startNs_ = wallClockNs();
        std::erase_if(stale, [this](std::size_t i) { return takeFromCache(plan_.steps[i]); });
        for (const std::size_t i : stale)
            jobs.push_back(jobFor(plan_.steps[i], jobs.size()));
        JobOptions options;
        options.workers = request_.options.jobs;
        options.jobserver = request_.options.jobserver;
        options.onProgress = [this](const JobProgress &p) {
            if (!p.ended && request_.options.log)
                request_.options.log->info("running {}", process::quoted(p.job.command.argv));
            progress_.show(p);
        };
        const std::int64_t traceStart = request_.options.trace ? request_.options.trace->nowUs() : 0;
        const JobReport done = runJobs(jobs, options);
        for (std::size_t j = 0; j < jobs.size(); ++j)
            conclude(plan_.steps[stale[j]], jobs[j], done.results[j], traceStart);
        if (done.interruptedBy) {
            result_.status = Status::Interrupted;
            result_.signal = done.interruptedBy;
        }
    }

    Job jobFor(const PlannedStep &step, std::size_t earlier) {
        const std::string output = file::temporaryName(step.output), depfile = output + ".d";
        Job job;
        job.title = step.title;
        job.command.argv = step.argv(output, depfile);
        job.command.folder = folder_.path();
        job.command.mergeOutput = true;
        if (step.source.empty() || step.isCaller)
            for (std::size_t i = 0; i < earlier; ++i)
                job.after.push_back(i);
        temporaries_[step.output] = output;
        job.finish = [this, &step, output, depfile](const process::Outcome &) {
            std::vector<std::string> inputs;
            if (!readInputs(step, depfile, inputs) || !accept(step, output, inputs))
                return false;
            cache_.store(step, record_.steps[step.output].inputs, inFolder(step.output));
            return true;
        };
        return job;
    }

    bool takeFromCache(const PlannedStep &step) {
        const std::string output = file::temporaryName(step.output);
        const std::optional<std::vector<std::string>> inputs = cache_.fetch(step, folder_.path(), inFolder(output));
        if (!inputs || !accept(step, output, *inputs))
            return false;
        if (request_.options.log)
            request_.options.log->info("cached {}", step.output);
        return true;
    }

    /// The names of the files that a command has read.
    bool readInputs(const PlannedStep &step, const std::string &depfile, std::vector<std::string> &inputs) {
        inputs = step.objects;
        if (step.source.empty())
            return true;
        const Result<std::string> text = file::read(inFolder(depfile));
        if (!text)
            return report(Failure{text.error()});
        inputs = parseDepfile(*text);
        return true;
    }

    /// Moves a finished output to its final path and adds the step to the record.
    bool accept(const PlannedStep &step, const std::string &output, const std::vector<std::string> &inputs) {
        RecordedStep done;
        done.key = step.key;
        // Objects were written by this run, after its start: they are described by their current state.
        const std::int64_t limit = step.source.empty() ? INT64_MAX : startNs_;
        for (const std::string &input : inputs)
            done.inputs.push_back(describeInput(folder_.path(), input, limit));
        if (!report(file::rename(inFolder(output), inFolder(step.output))))
            return false;
        done.outputStamp = stampText(file::stamp(inFolder(step.output)));
        record_.steps[step.output] = std::move(done);
        return true;
    }

    void conclude(const PlannedStep &step, const Job &job, const JobResult &done, std::int64_t traceStart) {
        if (done.state == JobState::NotRun)
            return;
        ++result_.commandsRun;
        const process::Outcome &outcome = done.outcome;
        for (const char *suffix : {"", ".d"})
            report(file::removeTree(inFolder(temporaries_[step.output] + suffix)));
        if (Log *log = request_.options.log)
            log->debug("{} took {:.2f} s", step.title, outcome.seconds);
        if (TimeTrace *trace = request_.options.trace)
            trace->add(step.title, process::quoted(job.command.argv),
                       traceStart + static_cast<std::int64_t>(done.startSeconds * 1e6),
                       static_cast<std::int64_t>(outcome.seconds * 1e6), 100 + done.lane);
        if (done.state == JobState::Failed && !fileErrors_) {
            progress_.print("sdfgc: in " + folder_.path() + ":\n" + outcome.out);
            const bool linking = step.source.empty();
            const std::string commands = folder_.statePath("commands.sh");
            diag::Location place;
            place.file = inFolder(linking ? plan_.library : step.source);
            diag::Diagnostic &d = linking
                                      ? diags_.report(diag::Id::LinkFailed, place, plan_.library, outcome.describe(), commands)
                                      : diags_.report(diag::Id::CompileFailed, place, step.source, outcome.describe(), commands);
            if (request_.options.explain)
                request_.options.explain(d, compilerMessages(outcome.out));
            result_.status = Status::CompilerFailed;
        } else if (isVerbose(request_.options) && !outcome.out.empty()) {
            progress_.print(outcome.out);
        }
    }

    /// The record marks completion: it is written after everything that it describes.
    bool writeRecordIfChanged() { return !recordChanged_ || report(writeRecord(folder_.statePath("build.json"), record_)); }

    const Folder &folder_;
    const Request &request_;
    const Toolchain &toolchain_;
    diag::Engine &diags_;
    Progress progress_;
    ObjectCache cache_;
    Plan plan_;
    Record record_;
    bool recordChanged_ = false;
    std::int64_t startNs_ = 0;
    std::map<std::string, std::string> temporaries_; // output -> name during writing
    std::size_t fileErrors_ = 0;
    BuildResult result_;
};

} // namespace

BuildResult build(const Folder &folder, const Request &request, const Toolchain &toolchain, diag::Engine &diags) {
    return Run(folder, request, toolchain, diags).run();
}

} // namespace sdfgc::build
