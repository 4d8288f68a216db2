#include "sdfgc/Build/Store.h"

#include "Build/Internal.h"
#include "Build/Record.h"

#include "sdfgc/Support/Hash.h"
#include "sdfgc/Support/Time.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

#include <sys/stat.h>
#include <unistd.h>

namespace sdfgc::build {

struct Store::Kept {
    std::int64_t usedNs;
    std::string path;
    std::uint64_t bytes;
};

namespace {

using json::Value;

constexpr std::string_view kMark = "sdfgc-entry 1 "; // then the size and the checksum of the rest, and a newline
constexpr std::uint64_t kLargestEntry = std::uint64_t{1} << 32;
constexpr std::string_view kLockSuffix = ".lock";

std::string packed(const Entry &entry) {
    Value inputs = Value::array(), files = Value::array();
    for (const Input &i : entry.inputs)
        inputs.push(Value::array({i.path, i.stamp, i.hash}));
    for (const StoredFile &f : entry.files)
        files.push(Value::array({f.path, static_cast<std::uint64_t>(f.content.size()), f.isProgram}));
    Value head = Value::object();
    head.set("inputs", std::move(inputs));
    head.set("about", entry.about);
    head.set("files", std::move(files));
    std::string body = head.dump() + "\n";
    for (const StoredFile &f : entry.files)
        body += f.content;
    return std::string(kMark) + std::to_string(body.size()) + " " + hashOf(body).hex() + "\n" + body;
}

/// The part of an entry that the checksum guards; nothing if size or checksum are wrong.
std::optional<std::string_view> bodyOf(std::string_view text) {
    if (!text.starts_with(kMark))
        return std::nullopt;
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos)
        return std::nullopt;
    const std::string_view line = text.substr(kMark.size(), end - kMark.size()), body = text.substr(end + 1);
    return line == std::to_string(body.size()) + " " + hashOf(body).hex() ? std::optional(body) : std::nullopt;
}

bool readInputs(const Value *list, std::vector<Input> &inputs) {
    if (!list || !list->isArray())
        return false;
    for (const Value &i : list->items()) {
        if (i.items().size() != 3)
            return false;
        inputs.push_back({i.items()[0].text(), i.items()[1].text(), i.items()[2].text()});
    }
    return true;
}

/// A path below the folder that an entry is for: an entry may come from someone else.
bool isPlain(const std::string &path) {
    const std::filesystem::path plain = std::filesystem::path(path).lexically_normal();
    return !path.empty() && plain.string() == path && !plain.is_absolute() && *plain.begin() != ".." && plain != ".";
}

std::optional<Entry> unpacked(std::string_view text) {
    const std::optional<std::string_view> body = bodyOf(text);
    const std::size_t end = body ? body->find('\n') : std::string_view::npos;
    if (end == std::string_view::npos)
        return std::nullopt;
    const std::optional<Value> head = json::parse(body->substr(0, end));
    std::string_view rest = body->substr(end + 1);
    Entry entry;
    const Value *files = head ? head->get("files") : nullptr, *about = head ? head->get("about") : nullptr;
    if (!files || !about || !readInputs(head->get("inputs"), entry.inputs))
        return std::nullopt;
    entry.about = *about;
    for (const Value &f : files->items()) {
        const std::optional<std::int64_t> size = f.items().size() == 3 ? f.items()[1].asInt() : std::nullopt;
        if (!size || *size < 0 || !isPlain(f.items()[0].text()) || static_cast<std::uint64_t>(*size) > rest.size())
            return std::nullopt;
        const auto bytes = static_cast<std::size_t>(*size);
        entry.files.push_back({f.items()[0].text(), std::string(rest.substr(0, bytes)), f.items()[2].asBool()});
        rest.remove_prefix(bytes);
    }
    return rest.empty() ? std::optional(std::move(entry)) : std::nullopt;
}

/// Distinguishes versions: what they depend on, regardless of time stamps.
std::string versionOf(const Entry &entry) {
    Hasher h;
    for (const Input &input : entry.inputs)
        h.field(input.path).field(input.hash.empty() ? input.stamp : input.hash);
    return h.digest().hex().substr(0, 8);
}

} // namespace

bool isUnchanged(Input &input, const std::string &path) {
    const std::string now = stampText(file::stamp(path));
    if (now.empty())
        return false;
    if (now == input.stamp)
        return true;
    const Result<std::string> content = input.hash.empty() ? Result<std::string>(Failure{""}) : file::readRegular(path);
    if (!content || hashOf(*content).hex() != input.hash)
        return false;
    input.stamp = now;
    return true;
}

std::string Store::shard(const std::string &key) const { return file::join(folder_, key.substr(0, 2)); }

/// Creates the folder of a key, for the same users as the store.
Result<void> Store::makeShard(const std::string &key) const {
    const std::string path = shard(key);
    if (file::isFolder(path) && !file::isLink(path))
        return {};
    if (Result<void> made = file::makeFolder(path); !made)
        return made;
    if (file::isLink(path))
        return Failure{"cannot write into " + path + ": it is a link"};
    struct ::stat st = {};
    if (::stat(folder_.c_str(), &st) == 0)
        (void)::chmod(path.c_str(), st.st_mode & 07777);
    return {};
}

/// All versions of all keys, and any other file in a shard. Links are left out.
std::vector<Store::Kept> Store::contents() const {
    std::vector<Kept> out;
    const auto namesIn = [](const std::string &folder) {
        const Result<std::vector<std::string>> names = file::isLink(folder) ? std::vector<std::string>() : file::list(folder);
        return names ? *names : std::vector<std::string>();
    };
    for (const std::string &top : namesIn(folder_)) {
        const std::string path = file::join(folder_, top);
        const std::optional<file::Stamp> stamp = file::isLink(path) ? std::nullopt : file::stamp(path);
        if (stamp && !stamp->isFolder && !top.ends_with(kLockSuffix))
            out.push_back({stamp->modifiedNs, path, stamp->size}); // of a version of sdfgc without shards
        if (!stamp || !stamp->isFolder)
            continue;
        for (const std::string &name : namesIn(path)) {
            const std::string full = file::join(path, name);
            if (name.starts_with('.') || name.ends_with(kLockSuffix) || file::isLink(full))
                continue;
            if (const std::optional<file::Stamp> s = file::stamp(full); s && !s->isFolder)
                out.push_back({s->modifiedNs, full, s->size});
        }
    }
    return out;
}

std::optional<Entry> Store::find(const std::string &key, const std::function<bool(Entry &)> &holds,
                                 std::vector<std::string> *damaged) const {
    if (folder_.empty() || file::isLink(shard(key)))
        return std::nullopt;
    std::vector<Kept> versions;
    const Result<std::vector<std::string>> names = file::list(shard(key));
    for (const std::string &name : names ? *names : std::vector<std::string>())
        if (const std::string path = file::join(shard(key), name); name.starts_with(key + "-") && !file::isLink(path))
            if (const std::optional<file::Stamp> stamp = file::stamp(path); stamp && !stamp->isFolder)
                versions.push_back({stamp->modifiedNs, path, stamp->size});
    std::sort(versions.begin(), versions.end(),
              [](const Kept &a, const Kept &b) { return std::tie(b.usedNs, a.path) < std::tie(a.usedNs, b.path); });
    for (const Kept &version : versions) {
        const Result<std::string> text = file::readRegular(version.path, kLargestEntry);
        if (!text)
            continue;
        std::optional<Entry> entry = unpacked(*text);
        if (!entry) {
            (void)file::removeTree(version.path);
            if (damaged)
                damaged->push_back(version.path);
        } else if (holds(*entry)) {
            (void)file::touch(version.path); // in a cache that cannot be written, the order of use is lost
            return entry;
        }
    }
    return std::nullopt;
}

Result<void> Store::publish(const std::string &key, const Entry &entry) const {
    if (folder_.empty())
        return Failure{"no folder is set"};
    const std::string text = packed(entry), folder = shard(key);
    if (limits_.bytes && text.size() > limits_.bytes)
        return Failure{"the result has " + std::to_string(text.size()) + " bytes, and the limit of " + folder_ + " is " +
                       std::to_string(limits_.bytes)};
    if (Result<void> made = makeShard(key); !made)
        return made;
    file::removeTemporaries(folder, kForgottenSeconds);
    if (Result<void> written = file::writeAtomic(file::join(folder, key + "-" + versionOf(entry)), text, file::Links::Replace);
        !written)
        return written;
    prune();
    return {};
}

/// The versions of a key beyond the newest are found by their names; then the limits of the store apply.
void Store::prune() const {
    std::vector<Kept> all = contents();
    std::uint64_t bytes = 0;
    for (const Kept &k : all)
        bytes += k.bytes;
    std::sort(all.begin(), all.end(),
              [](const Kept &a, const Kept &b) { return std::tie(a.usedNs, a.path) < std::tie(b.usedNs, b.path); });
    std::map<std::string, std::size_t> versions; // by key
    const auto keyOf = [](const Kept &k) { return k.path.substr(0, k.path.rfind('-')); };
    for (const Kept &k : all)
        ++versions[keyOf(k)];
    const std::int64_t oldest = limits_.ageNs ? wallClockNs() - limits_.ageNs : INT64_MIN;
    for (const Kept &k : all) {
        std::size_t &count = versions[keyOf(k)];
        if ((limits_.bytes == 0 || bytes <= limits_.bytes) && k.usedNs >= oldest && count <= kVersions)
            continue;
        if (file::removeTree(k.path)) {
            bytes -= k.bytes;
            --count;
        }
    }
}

Result<std::optional<file::Lock>> Store::lock(const std::string &key, double waitSeconds,
                                              const std::function<void(const std::string &)> &onWait) const {
    if (folder_.empty())
        return Failure{"no folder is set"};
    if (Result<void> made = makeShard(key); !made)
        return Failure{made.error()};
    return file::Lock::acquire(file::join(shard(key), key + std::string(kLockSuffix)), waitSeconds, onWait);
}

void Store::unlock(const std::string &key, file::Lock lock) const {
    // While this process holds the lock, the file is the one that others wait for; they notice that it is gone.
    (void)::unlink(file::join(shard(key), key + std::string(kLockSuffix)).c_str());
    (void)lock;
}

StoreUse Store::use() const {
    StoreUse out;
    for (const Kept &k : contents()) {
        ++out.entries;
        out.bytes += k.bytes;
        out.oldestNs = out.oldestNs ? std::min(out.oldestNs, k.usedNs) : k.usedNs;
    }
    return out;
}

std::size_t Store::clear() const {
    std::size_t removed = 0;
    for (const Kept &k : contents())
        removed += file::removeTree(k.path) ? 1 : 0;
    const Result<std::vector<std::string>> names = file::list(folder_);
    for (const std::string &name : names ? *names : std::vector<std::string>()) {
        const std::string folder = file::join(folder_, name);
        if (file::isLink(folder) || !file::isFolder(folder))
            continue;
        file::removeTemporaries(folder, kForgottenSeconds);
        const Result<std::vector<std::string>> locks = file::list(folder);
        for (const std::string &each : locks ? *locks : std::vector<std::string>())
            if (each.ends_with(kLockSuffix))
                if (auto lock = file::Lock::acquire(file::join(folder, each), 0); lock && *lock) // left by a killed run
                    (void)::unlink(file::join(folder, each).c_str());
        (void)::rmdir(folder.c_str());
    }
    (void)::rmdir(folder_.c_str());
    return removed;
}

} // namespace sdfgc::build
