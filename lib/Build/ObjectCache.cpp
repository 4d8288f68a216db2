#include "Build/ObjectCache.h"

#include "Build/Internal.h"

#include <algorithm>
#include <array>

namespace sdfgc::build {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;
constexpr std::int64_t kOldestNs = std::int64_t{30} * 24 * 3600 * 1'000'000'000;

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

} // namespace

ObjectCache::ObjectCache(const std::string &cacheFolder)
    : store_(cacheFolder.empty() ? "" : file::join(cacheFolder, kObjectStore), {kMostBytes, kOldestNs}) {}

bool ObjectCache::keeps(const PlannedStep &step) const {
    return !store_.folder().empty() && step.isRuntime && std::none_of(step.before.begin(), step.before.end(), namesFolder);
}

std::optional<std::vector<std::string>> ObjectCache::fetch(const PlannedStep &step, const std::string &buildFolder,
                                                           const std::string &output) const {
    if (!keeps(step))
        return std::nullopt;
    const std::optional<Entry> found = store_.find(step.key, [&](Entry &entry) {
        return entry.files.size() == 1 && std::all_of(entry.inputs.begin(), entry.inputs.end(), [&](Input &input) {
                   return isUnchanged(input, file::join(buildFolder, input.path));
               });
    });
    if (!found || !file::writeAtomic(output, found->files.front().content))
        return std::nullopt;
    std::vector<std::string> names;
    for (const Input &input : found->inputs)
        names.push_back(input.path);
    return names;
}

void ObjectCache::store(const PlannedStep &step, const std::vector<Input> &inputs, const std::string &object) const {
    const bool known =
        std::all_of(inputs.begin(), inputs.end(), [](const Input &i) { return !i.stamp.empty() || !i.hash.empty(); });
    if (!keeps(step) || !known)
        return;
    const Result<std::string> content = file::read(object, kMostBytes);
    if (content)
        (void)store_.publish(step.key, {portable(inputs), json::Value::object(), {{step.output, *content}}});
}

} // namespace sdfgc::build
