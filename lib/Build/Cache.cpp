#include "sdfgc/Build/Cache.h"

#include "Build/Internal.h"

#include "sdfgc/Build/Store.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Time.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <tuple>

#include <unistd.h>

namespace sdfgc::build {
namespace {

namespace fs = std::filesystem;

constexpr const char *kFolders[] = {"run", "tasklets"}; // of build folders
constexpr const char *kBounded = "bounded";             // its time stamp is the time of the last size check
constexpr std::int64_t kYoungNs = std::int64_t{600} * 1'000'000'000;

/// A file or build folder in the cache.
struct Kept {
    std::int64_t usedNs;
    std::string path;
    std::uint64_t bytes;
    bool isFolder;
};

std::uint64_t bytesBelow(const std::string &folder) {
    std::uint64_t bytes = 0;
    std::error_code ec;
    for (fs::recursive_directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec))
        if (std::error_code none; it->is_regular_file(none) && !it->is_symlink(none)) {
            const std::uintmax_t size = it->file_size(none);
            bytes += none ? 0 : size;
        }
    return bytes;
}

/// The contents of the cache, except for descriptions of compilers, which are small. Links are skipped, because their targets are
/// outside of the cache.
std::vector<Kept> contents(const std::string &cache) {
    std::vector<Kept> out;
    const auto eachIn = [&](const std::string &name, const auto &take) {
        const std::string folder = file::join(cache, name);
        const Result<std::vector<std::string>> names = file::isLink(folder) ? std::vector<std::string>() : file::list(folder);
        for (const std::string &each : names ? *names : std::vector<std::string>())
            if (const std::string path = file::join(folder, each); !file::isLink(path))
                if (const std::optional<file::Stamp> stamp = file::stamp(path))
                    take(path, *stamp);
    };
    for (const char *name : kFolders)
        eachIn(name, [&](const std::string &path, const file::Stamp &stamp) {
            const std::optional<file::Stamp> lock = file::stamp(file::join(path, ".sdfgc/lock")); // every run writes to it
            if (stamp.isFolder)
                out.push_back({lock ? lock->modifiedNs : stamp.modifiedNs, path, bytesBelow(path), true});
        });
    const auto takeFile = [&](const std::string &path, const file::Stamp &stamp) {
        if (!stamp.isFolder)
            out.push_back({stamp.modifiedNs, path, stamp.size, false});
    };
    for (const std::string store : {kObjectStore, kBuildStore})
        eachIn(store, [&](const std::string &path, const file::Stamp &stamp) {
            takeFile(path, stamp);
            if (stamp.isFolder)
                eachIn(file::join(store, file::nameOf(path)), takeFile);
        });
    return out;
}

/// Removes a build folder from the cache unless another run is using it.
bool removeCached(const std::string &folder) {
    const std::string state = file::join(folder, ".sdfgc"), lockFile = file::join(state, "lock");
    if (file::isLink(state))
        return false;
    if (!file::isFolder(state)) // a run that was killed while removing the folder left it empty
        return ::rmdir(folder.c_str()) == 0;
    const auto lock = file::Lock::acquire(lockFile, 0);
    if (!lock || !*lock)
        return false;
    const auto removeBut = [](const std::string &in, const std::string &kept) {
        const Result<std::vector<std::string>> names = file::list(in);
        for (const std::string &name : names ? *names : std::vector<std::string>())
            if (name != kept)
                (void)file::removeTree(file::join(in, name));
    };
    removeBut(folder, ".sdfgc");
    removeBut(state, "lock");
    return removeLocked(folder, false);
}

bool removeKept(const Kept &kept) {
    return kept.isFolder ? removeCached(kept.path) : static_cast<bool>(file::removeTree(kept.path));
}

} // namespace

bool removeLocked(const std::string &folder, bool keepFolder) {
    const std::string state = file::join(folder, ".sdfgc");
    // From here on, another run may recreate the folder: nothing that it writes is removed.
    return ::unlink(file::join(state, "lock").c_str()) == 0 && ::rmdir(state.c_str()) == 0 &&
           (keepFolder || ::rmdir(folder.c_str()) == 0);
}

std::string userCacheFolder() { return compilerCacheFolder(""); }

std::optional<std::uint64_t> parseBytes(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    const std::size_t power = unit.empty() ? 0 : std::string_view("KMGT").find(unit) + 1;
    if (error != std::errc() || unit.size() > 1 || (!unit.empty() && power == 0) || number > (UINT64_MAX >> (10 * power)))
        return std::nullopt;
    return number << (10 * power);
}

std::optional<std::uint64_t> cacheLimit(diag::Engine &diags) {
    const char *text = std::getenv("SDFGC_CACHE_SIZE");
    if (!text || !*text)
        return kCacheBytes;
    const std::optional<std::uint64_t> bytes = parseBytes(text);
    if (!bytes)
        diags.report(diag::Id::OptionValueUnknown, {}, text, "SDFGC_CACHE_SIZE", "give bytes, as in 500M or 4G; 0 means no limit");
    return bytes;
}

void boundCache(const std::string &folder, std::uint64_t limit) {
    if (folder.empty() || limit == 0)
        return;
    std::vector<Kept> all = contents(folder);
    std::uint64_t bytes = 0;
    for (const Kept &kept : all)
        bytes += kept.bytes;
    std::sort(all.begin(), all.end(),
              [](const Kept &a, const Kept &b) { return std::tie(a.usedNs, a.path) < std::tie(b.usedNs, b.path); });
    const std::int64_t young = wallClockNs() - kYoungNs;
    for (const Kept &kept : all) {
        if (bytes <= limit || kept.usedNs >= young)
            break;
        if (removeKept(kept))
            bytes -= kept.bytes;
    }
}

void boundCacheAtTimes(const std::string &folder, std::uint64_t limit) {
    const std::string mark = file::join(folder, kBounded);
    const std::optional<file::Stamp> last = file::stamp(mark);
    if (folder.empty() || limit == 0 || !file::isFolder(folder) || (last && last->modifiedNs > wallClockNs() - kYoungNs))
        return;
    if (file::writeAtomic(mark, "", file::Links::Replace)) // first: other runs then need not check, too
        boundCache(folder, limit);
}

std::vector<std::string> emptyCache(const std::string &folder) {
    std::vector<std::string> busy;
    for (const Kept &kept : contents(folder))
        if (!removeKept(kept) && kept.isFolder)
            busy.push_back(kept.path);
    const Result<std::vector<std::string>> names = file::list(folder);
    for (const std::string &name : names ? *names : std::vector<std::string>())
        if (const std::string path = file::join(folder, name);
            name == kBounded || (name.starts_with("compiler-") && name.ends_with(".json") && !file::isFolder(path)))
            (void)file::removeTree(path);
    for (const char *store : {kObjectStore, kBuildStore})
        (void)Store(file::join(folder, store), {}).clear();
    for (const char *name : kFolders)
        ::rmdir(file::join(folder, name).c_str());
    ::rmdir(folder.c_str());
    return busy;
}

} // namespace sdfgc::build
