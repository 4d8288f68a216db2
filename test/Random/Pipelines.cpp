#include "Pipelines.h"

#include "sdfgc/Support/Resources.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace sdfgc::random {
namespace {

pass::CompileOptions optionsFor(const std::string &target, int level) {
    pass::CompileOptions o;
    o.target = pass::Target(target);
    o.optimize = static_cast<pass::OptLevel>(level);
    if (o.gpu())
        o.gpuGraph = pass::GpuGraphMode::Auto;
    o.emulate = o.gpu(); // no libraries: maps compute their results instead, which the interpreter can run
    return o;
}

pass::OptionValue randomValue(const pass::OptionInfo &info, test::RandomNumbers &random) {
    static constexpr int64_t numbers[] = {0, 1, 2, 8, 100, 65536};
    if (std::holds_alternative<bool>(info.defaultValue))
        return random.oneIn(2);
    if (std::holds_alternative<int64_t>(info.defaultValue) && info.name != "threads") // a block has at most 1024
        return std::max(random.pick(numbers), info.least);
    return info.defaultValue;
}

/// Can the pass be appended to the pipeline?
bool fits(pass::Pipeline pipeline, const std::string &pass) {
    diag::Engine scratch;
    pipeline.steps.push_back({pass, {}, "", 0, 0, {}});
    return pass::checkLevels(pipeline, registry(), ir::Level::Loaded, scratch).has_value();
}

/// Adds passes that must directly precede another one for reasons that levels do not express: it relies on their decisions.
void addWhatItTakes(pass::Pipeline &pipeline, const std::string &pass) {
    static const std::map<std::string, std::vector<std::string>> before = {
        {"infer-types", {"default-schedules"}},
        {"place-in-memory", {"allocate-containers"}},
        {"order-streams",
         {"mirror-host-reads", "select-copies", "shape-kernels", "place-barriers", "allocate-containers", "place-in-memory",
          "assign-streams"}}};
    const auto found = before.find(pass);
    if (found == before.end())
        return;
    for (const std::string &needed : found->second)
        if (fits(pipeline, needed))
            pipeline.steps.push_back({needed, {}, "", 0, 0, {}});
}

} // namespace

const pass::Registry &registry() {
    static const pass::Registry all = [] {
        pass::Registry r;
        transforms::registerPasses(r);
        return r;
    }();
    return all;
}

namespace {

Trial readTrial(const std::string &target, int level) {
    Trial t{optionsFor(target, level), {}};
    const std::optional<std::string> file = findResource("pipelines", target + ".yaml");
    diag::Engine diags;
    std::optional<pass::Pipeline> read = file ? pass::readPipeline(*file, registry(), t.options, diags) : std::nullopt;
    if (!read)
        throw std::runtime_error("no pipeline for " + target);
    for (const pass::PipelineStep &step : read->steps)
        if (step.pass == "lower")
            break;
        else
            t.pipeline.steps.push_back(step);
    for (pass::PipelineStep &step : t.pipeline.steps)
        if (step.pass == "form-gpu-graphs") // random programs are short
            step.options["min-nodes"] = int64_t(1);
    t.pipeline.name = target;
    return t;
}

} // namespace

const Trial &standardTrial(const std::string &target, int level) {
    static std::map<std::pair<std::string, int>, Trial> read;
    const auto found = read.find({target, level});
    return found != read.end() ? found->second : read.emplace(std::pair(target, level), readTrial(target, level)).first->second;
}

Trial randomTrial(const std::string &target, test::RandomNumbers &random) {
    const Trial &standard = standardTrial(target, levels - 1);
    Trial t{standard.options, {}};
    t.pipeline.name = "random";
    std::vector<std::string> names;
    for (const pass::PipelineStep &step : standard.pipeline.steps)
        names.push_back(step.pass);
    std::size_t next = 0; // of the standard pipeline
    for (std::size_t k = 4 + random.below(20); k > 0 && next < names.size(); --k) {
        std::string name = names[next];
        if (random.oneIn(3))
            name = random.pick(names);
        else
            ++next;
        addWhatItTakes(t.pipeline, name);
        if (!fits(t.pipeline, name))
            continue;
        pass::PipelineStep step{name, {}, "", 0, 0, {}};
        for (const pass::OptionInfo &info : registry().find(name)->options)
            if (random.oneIn(2))
                step.options[info.name] = randomValue(info, random);
        t.pipeline.steps.push_back(step);
    }
    return t;
}

} // namespace sdfgc::random
