#include "Build/ObjectCache.h"

#include "Build/Internal.h"

#include <algorithm>
#include <array>
#include <ctime>

namespace sdfgc::build {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;
constexpr std::int64_t kOldestNs = std::int64_t{30} * 24 * 3600 * 1'000'000'000;
constexpr std::size_t kVersions = 8; // of one command's object: for different versions of the sources

/// Flags that make an object depend on the folder in which it was built.
bool namesFolder(const std::string &flag) {
    static constexpr std::array<std::string_view, 5> prefixes{"-g", "--coverage", "-fprofile", "-ftest-coverage", "-save-temps"};
    return flag != "-g0" && std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view p) { return flag.starts_with(p); });
}

/// Files in the build folder are only described by content, since their time stamps are specific to the folder.
std::vector<Input> portable(std::vector<Input> inputs) {
    for (Input &input : inputs)
        if (!input.path.starts_with('/'))
            input.stamp.clear();
    return inputs;
}

std::string idOf(const std::string &key, const std::vector<Input> &inputs) {
    Hasher h;
    h.field(key);
    for (const Input &input : inputs)
        h.field(input.path).field(input.stamp).field(input.hash);
    return h.digest().hex();
}

} // namespace

ObjectCache::ObjectCache(const std::string &cacheFolder) : folder_(cacheFolder.empty() ? "" : file::join(cacheFolder, "objects")) {}

std::string ObjectCache::path(const std::string &name) const { return file::join(folder_, name); }

bool ObjectCache::keeps(const PlannedStep &step) const {
    return !folder_.empty() && step.isRuntime && std::none_of(step.before.begin(), step.before.end(), namesFolder);
}

std::optional<std::vector<std::string>> ObjectCache::fetch(const PlannedStep &step, const std::string &buildFolder,
                                                           const std::string &output) const {
    if (!keeps(step))
        return std::nullopt;
    Record versions = readRecord(path(step.key + ".json"));
    for (auto &[id, version] : versions.steps) {
        if (version.key != step.key || checkInputs(buildFolder, version) == Freshness::Stale)
            continue;
        const Result<std::string> object = file::readRegular(path(id + ".o"), kMostBytes);
        if (!object || hashOf(*object).hex() != version.outputStamp || !file::writeAtomic(output, *object))
            return std::nullopt;
        (void)file::touch(path(id + ".o"));
        (void)file::touch(path(step.key + ".json"));
        std::vector<std::string> names;
        for (const Input &input : version.inputs)
            names.push_back(input.path);
        return names;
    }
    return std::nullopt;
}

void ObjectCache::store(const PlannedStep &step, const std::vector<Input> &inputs, const std::string &object) const {
    const bool known =
        std::all_of(inputs.begin(), inputs.end(), [](const Input &i) { return !i.stamp.empty() || !i.hash.empty(); });
    if (!keeps(step) || !known || !file::makeFolder(folder_))
        return;
    const Result<std::string> content = file::read(object, kMostBytes);
    if (!content)
        return;
    RecordedStep version{step.key, portable(inputs), hashOf(*content).hex()};
    const std::string id = idOf(step.key, version.inputs);
    Record versions = readRecord(path(step.key + ".json"));
    if (versions.steps.size() >= kVersions)
        versions.steps.clear();
    versions.steps[id] = std::move(version);
    file::removeTemporaries(folder_, kForgottenSeconds);
    if (file::writeAtomic(path(id + ".o"), *content, file::Links::Replace))
        (void)writeRecord(path(step.key + ".json"), versions);
    prune();
}

void ObjectCache::prune() const {
    struct Kept {
        std::int64_t usedNs;
        std::string name;
        std::uint64_t bytes;
    };
    const Result<std::vector<std::string>> names = file::list(folder_);
    if (!names)
        return;
    std::vector<Kept> all;
    std::uint64_t bytes = 0;
    for (const std::string &name : *names)
        if (const std::optional<file::Stamp> s = file::stamp(path(name)); s && !s->isFolder) {
            all.push_back({s->modifiedNs, name, s->size});
            bytes += s->size;
        }
    std::sort(all.begin(), all.end(),
              [](const Kept &a, const Kept &b) { return std::tie(a.usedNs, a.name) < std::tie(b.usedNs, b.name); });
    const std::int64_t oldest = std::time(nullptr) * std::int64_t{1'000'000'000} - kOldestNs;
    for (const Kept &k : all) {
        if (bytes <= kMostBytes && k.usedNs >= oldest)
            break;
        (void)file::removeTree(path(k.name));
        bytes -= k.bytes;
    }
}

} // namespace sdfgc::build
