// Pipelines in YAML and in text form: a pipeline that can be read has the same steps after it is printed and read again.
#include "../Mutator.h"
#include "Target.h"

#include "sdfgc/Pass/Pipeline.h"
#include "sdfgc/Transforms/Passes.h"

#include <sys/mman.h>
#include <unistd.h>

namespace sdfgc::fuzz {
namespace {

const pass::Registry &allPasses() {
    static const pass::Registry *registry = [] {
        auto *r = new pass::Registry;
        transforms::registerPasses(*r);
        return r;
    }();
    return *registry;
}

/// A file in memory: pipelines are read from files.
class MemoryFile {
public:
    explicit MemoryFile(std::string_view text) : descriptor_(::memfd_create("pipeline", MFD_CLOEXEC)) {
        if (descriptor_ < 0 || ::write(descriptor_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
            broken("there is memory for a file", "");
    }
    ~MemoryFile() { ::close(descriptor_); }
    MemoryFile(const MemoryFile &) = delete;
    MemoryFile &operator=(const MemoryFile &) = delete;
    std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

private:
    int descriptor_;
};

bool sameSteps(const pass::Pipeline &a, const pass::Pipeline &b) {
    auto sameCondition = [](const pass::GraphCondition &x, const pass::GraphCondition &y) {
        return x.anyOf == y.anyOf && x.wanted == y.wanted;
    };
    auto sameStep = [&](const pass::PipelineStep &x, const pass::PipelineStep &y) {
        return x.pass == y.pass && x.options == y.options &&
               std::equal(x.conditions.begin(), x.conditions.end(), y.conditions.begin(), y.conditions.end(), sameCondition);
    };
    auto sameGroup = [](const pass::Group &x, const pass::Group &y) {
        return x.first == y.first && x.last == y.last && x.limit == y.limit;
    };
    return std::equal(a.steps.begin(), a.steps.end(), b.steps.begin(), b.steps.end(), sameStep) &&
           std::equal(a.groups.begin(), a.groups.end(), b.groups.begin(), b.groups.end(), sameGroup);
}

void requireRoundTrip(const std::optional<pass::Pipeline> &pipeline, const diag::Engine &d) {
    require(pipeline.has_value() == (d.errorCount() == 0), "a pipeline is read, or an error is told", "");
    if (!pipeline)
        return;
    const std::string printed = pass::print(*pipeline);
    diag::Engine again;
    const std::optional<pass::Pipeline> read = pass::parsePipeline(printed, allPasses(), again);
    require(read && sameSteps(*pipeline, *read), "a printed pipeline has the same steps", printed);
    diag::Engine levels;
    (void)pass::checkLevels(*pipeline, allPasses(), ir::Level::Loaded, levels);
}

} // namespace

void runInput(std::string_view input) {
    pass::CompileOptions options;
    diag::Engine ofYaml, ofText;
    requireRoundTrip(pass::readPipeline(MemoryFile(input).path(), allPasses(), options, ofYaml), ofYaml);
    requireRoundTrip(pass::parsePipeline(input, allPasses(), ofText), ofText);
}

std::string damaged(const std::string &input, uint64_t seed, std::size_t most) { return Mutator(seed, most).mutateText(input); }

} // namespace sdfgc::fuzz
