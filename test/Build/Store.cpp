#include "sdfgc/Build/Store.h"

#include "Build/Fixture.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Hash.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace sdfgc;
using namespace sdfgc::build;

namespace {

const std::string kKey = hashOf("key").hex();

Entry entryOf(const std::string &content, std::vector<Input> inputs = {}) {
    json::Value about = json::Value::object();
    about.set("length", static_cast<std::int64_t>(content.size()));
    return {std::move(inputs), std::move(about), {{"lib/lib.so", content, true}, {"empty", "", false}}};
}

bool always(Entry &) { return true; }

/// The content that a store has for a key; empty: none.
std::string found(const Store &store, const std::string &key = kKey, std::vector<std::string> *damaged = nullptr) {
    const std::optional<Entry> entry = store.find(key, always, damaged);
    if (!entry)
        return "";
    REQUIRE(entry->files.size() == 2);
    CHECK(entry->files[0].isProgram);
    CHECK(entry->files[1].content.empty());
    CHECK(entry->about.get("length")->asInt() == static_cast<std::int64_t>(entry->files[0].content.size()));
    return entry->files[0].content;
}

/// The paths of all entries of a key.
std::vector<std::string> entriesOf(const Store &store, const std::string &key = kKey) {
    std::vector<std::string> out;
    const std::string folder = file::join(store.folder(), key.substr(0, 2));
    for (const std::string &name : *file::list(folder))
        if (name.starts_with(key + "-"))
            out.push_back(file::join(folder, name));
    return out;
}

void setAge(const std::string &path, int hours) {
    const timespec times[2] = {{0, UTIME_NOW}, {std::time(nullptr) - hours * 3600, 0}};
    REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
}

} // namespace

TEST_CASE("store: what was published is found again, with every byte") {
    const fixture::Folder folder;
    const Store store(folder / "builds", {});
    CHECK(found(store).empty());
    std::string bytes("\0\n\xff binary \n", 12);
    REQUIRE(store.publish(kKey, entryOf(bytes)));
    CHECK(found(store) == bytes);
    CHECK(found(store, hashOf("other").hex()).empty());
    CHECK(store.use().entries == 1);
    CHECK(store.clear() == 1);
    CHECK_FALSE(file::exists(folder / "builds"));
    CHECK(found(Store("", {})).empty());
    CHECK_FALSE(Store("", {}).publish(kKey, entryOf("x")));
}

TEST_CASE("store: a version is taken only while its inputs are unchanged, and a key keeps a few versions") {
    const fixture::Folder folder;
    const Store store(folder / "builds", {});
    const auto holds = [&](Entry &e) { return isUnchanged(e.inputs[0], e.inputs[0].path); };
    const std::string header = folder / "header.h";
    for (const std::string text : {"one", "two"}) {
        folder.write("header.h", text);
        REQUIRE(store.publish(kKey, entryOf(text, {{header, "", hashOf(text).hex()}})));
    }
    CHECK(entriesOf(store).size() == 2);
    for (const std::string text : {"one", "two", "one"}) {
        folder.write("header.h", text);
        const std::optional<Entry> entry = store.find(kKey, holds);
        REQUIRE(entry);
        CHECK(entry->files[0].content == text);
    }
    folder.write("header.h", "three");
    CHECK_FALSE(store.find(kKey, holds));
    REQUIRE(file::removeTree(header));
    CHECK_FALSE(store.find(kKey, holds));
    for (int i = 0; i < 20; ++i)
        REQUIRE(store.publish(kKey, entryOf("x", {{header, "", std::to_string(i)}})));
    CHECK(entriesOf(store).size() == Store::kVersions);
}

TEST_CASE("store: files are compared by stamp, and by content if only the stamp differs") {
    const fixture::Folder folder;
    folder.write("f", "text");
    Input byContent{folder / "f", "", hashOf("text").hex()}, byStamp{folder / "f", "1 2 3", ""};
    CHECK(isUnchanged(byContent, folder / "f"));
    CHECK_FALSE(byContent.stamp.empty()); // the next comparison reads nothing
    CHECK_FALSE(isUnchanged(byStamp, folder / "f"));
    byStamp.stamp = byContent.stamp;
    CHECK(isUnchanged(byStamp, folder / "f"));
    folder.write("f", "Text");
    CHECK_FALSE(isUnchanged(byContent, folder / "f"));
    CHECK_FALSE(isUnchanged(byContent, folder / "missing"));
}

TEST_CASE("store: damaged and truncated entries are removed, reported, and never returned") {
    const fixture::Folder folder;
    const Store store(folder / "builds", {});
    REQUIRE(store.publish(kKey, entryOf(std::string(1000, 'x'))));
    const std::string path = entriesOf(store).at(0), whole = *file::read(path);
    std::vector<std::string> wrong{"", "x", whole.substr(1), whole + "x", std::string(100, '\0')};
    for (std::size_t length = 0; length < whole.size(); length += 97)
        wrong.push_back(whole.substr(0, length));
    for (std::size_t at = 0; at < whole.size(); at += 61) {
        wrong.push_back(whole);
        wrong.back()[at] = static_cast<char>(wrong.back()[at] ^ 4);
    }
    for (const std::string &content : wrong) {
        REQUIRE(file::writeAtomic(path, content));
        std::vector<std::string> damaged;
        CHECK(found(store, kKey, &damaged).empty());
        CHECK(damaged == std::vector{path});
        CHECK_FALSE(file::exists(path));
    }
    REQUIRE(file::writeAtomic(path, whole));
    CHECK(found(store) == std::string(1000, 'x'));
}

TEST_CASE("store: pipes, links and folders in the place of entries are neither read nor waited for") {
    const fixture::Folder folder, elsewhere;
    const Store store(folder / "builds", {1 << 20});
    REQUIRE(store.publish(kKey, entryOf("mine")));
    const std::string path = entriesOf(store).at(0);
    REQUIRE(file::removeTree(path));
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    CHECK(found(store).empty());
    REQUIRE(store.publish(kKey, entryOf("mine")));
    CHECK(found(store) == "mine");
    elsewhere.write("far", *file::read(path));
    REQUIRE(file::removeTree(path));
    REQUIRE(::symlink((elsewhere / "far").c_str(), path.c_str()) == 0);
    CHECK(found(store).empty());
    REQUIRE(store.publish(kKey, entryOf("new")));
    CHECK(found(store) == "new");
    CHECK(file::read(elsewhere / "far")->find("mine") != std::string::npos);
    REQUIRE(file::removeTree(path));
    REQUIRE(file::makeFolder(path));
    CHECK(found(store).empty());
    CHECK_FALSE(store.publish(kKey, entryOf("new")));
}

TEST_CASE("store: an entry with files outside of its folder counts as damaged") {
    const fixture::Folder folder;
    const Store store(folder / "builds", {});
    for (const char *path : {"../x", "/etc/x", "a/../../x", "", ".", "a//b"}) {
        Entry entry = entryOf("x");
        entry.files.push_back({path, "x", false});
        REQUIRE(store.publish(kKey, entry));
        std::vector<std::string> damaged;
        CHECK_FALSE(store.find(kKey, always, &damaged));
        CHECK(damaged.size() == 1);
    }
}

TEST_CASE("store: who may write the folder may write its parts") {
    const fixture::Folder folder;
    const std::string shared = folder / "builds";
    REQUIRE(file::makeFolder(shared));
    REQUIRE(::chmod(shared.c_str(), 02777) == 0);
    const mode_t before = ::umask(022);
    CHECK(Store(shared, {}).publish(kKey, entryOf("x")));
    ::umask(before);
    struct ::stat st = {};
    REQUIRE(::stat(file::join(shared, kKey.substr(0, 2)).c_str(), &st) == 0);
    CHECK((st.st_mode & 07777) == 02777);
}

TEST_CASE("store: the least recently used entries go beyond the limit, and what is larger than it is not stored") {
    const fixture::Folder folder;
    const Store store(folder / "builds", {3500});
    const std::string content(1000, 'x');
    const auto key = [](int i) { return hashOf(std::to_string(i)).hex(); };
    for (int i = 0; i < 3; ++i) {
        REQUIRE(store.publish(key(i), entryOf(content)));
        setAge(entriesOf(store, key(i)).at(0), 10 - i);
    }
    CHECK(found(store, key(0)) == content); // and is now the one that was used last
    REQUIRE(store.publish(key(3), entryOf(content)));
    CHECK(found(store, key(1)).empty());
    for (const int kept : {0, 2, 3})
        CHECK(found(store, key(kept)) == content);
    CHECK(store.use().bytes <= 3500);
    const Result<void> large = store.publish(key(4), entryOf(std::string(5000, 'x')));
    REQUIRE_FALSE(large);
    CHECK(large.error().find("the limit of " + store.folder() + " is 3500") != std::string::npos);
    CHECK(store.use().entries == 3);
    const Store aged(folder / "builds", {0, std::int64_t{3600} * 1'000'000'000});
    for (const std::string &path : entriesOf(store, key(0)))
        setAge(path, 2);
    REQUIRE(aged.publish(key(5), entryOf("x")));
    CHECK(found(aged, key(0)).empty());
    CHECK(found(aged, key(2)) == content);
}

TEST_CASE("store: a folder that cannot be written costs a failure, not more") {
    const fixture::Folder folder;
    folder.write("file", "");
    for (const std::string &place : {folder / "file/builds", std::string("/proc/builds")}) {
        const Store store(place, {});
        CHECK(found(store).empty());
        CHECK_FALSE(store.publish(kKey, entryOf("x")));
        CHECK_FALSE(store.lock(kKey, 0, {}));
        CHECK(store.use().entries == 0);
        CHECK(store.clear() == 0);
    }
}

TEST_CASE("store: readers, writers and cleaners at once never see a wrong entry") {
    const fixture::Folder folder;
    const Store store(folder / "builds", {20000});
    std::atomic<bool> done{false};
    std::atomic<int> wrong{0}, read{0};
    const auto contentOf = [](int i) { return std::string(static_cast<std::size_t>(500 + 700 * i), static_cast<char>('a' + i)); };
    const auto keyOf = [](int i) { return hashOf("k" + std::to_string(i)).hex(); };
    const auto reader = [&] {
        for (int i = 0; !done; i = (i + 1) % 8) {
            std::vector<std::string> damaged;
            const std::optional<Entry> entry = store.find(keyOf(i), always, &damaged);
            wrong += !damaged.empty() || (entry && entry->files[0].content != contentOf(i));
            read += entry.has_value();
        }
    };
    const auto writer = [&] {
        for (int n = 0; n < 400; ++n)
            if (const Result<void> published = store.publish(keyOf(n % 8), entryOf(contentOf(n % 8))); n % 50 == 49)
                store.clear();
    };
    std::thread first(reader), second(reader), third(writer), fourth(writer);
    third.join();
    fourth.join();
    done = true;
    first.join();
    second.join();
    CHECK(wrong == 0);
    CHECK(read > 0);
}

TEST_CASE("store: runs with the same key take turns, and a killed one does not block the others") {
    const fixture::Folder folder;
    const Store store(folder / "builds", {});
    auto mine = store.lock(kKey, 0, {});
    REQUIRE(mine);
    REQUIRE(*mine);
    const auto other = store.lock(kKey, 0, {});
    REQUIRE(other);
    CHECK_FALSE(*other); // taken
    const auto unrelated = store.lock(hashOf("other").hex(), 0, {});
    REQUIRE(unrelated);
    CHECK(*unrelated);
    store.unlock(kKey, std::move(**mine));
    const std::string lockFile = file::join(store.folder(), kKey.substr(0, 2) + "/" + kKey + ".lock");
    CHECK_FALSE(file::exists(lockFile));
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const auto held = store.lock(kKey, 0, {});
        (void)::write(ready[1], held && *held ? "y" : "n", 1);
        ::pause();
        ::_exit(0);
    }
    char answer = 0;
    REQUIRE(::read(ready[0], &answer, 1) == 1);
    CHECK(answer == 'y');
    const auto busy = store.lock(kKey, 0.05, {});
    REQUIRE(busy);
    CHECK_FALSE(*busy);
    ::kill(child, SIGKILL);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(file::exists(lockFile));
    const auto freed = store.lock(kKey, 0, {});
    REQUIRE(freed);
    CHECK(*freed);
}

TEST_CASE("store: temporary files that killed runs left go when they are old") {
    const fixture::Folder folder;
    const Store store(folder / "builds", {});
    const std::string shard = "builds/" + kKey.substr(0, 2) + "/";
    folder.write(shard + ".x.tmp-1-1", "old");
    folder.write(shard + ".x.tmp-1-2", "young");
    setAge(folder / (shard + ".x.tmp-1-1"), 2);
    REQUIRE(store.publish(kKey, entryOf("x")));
    CHECK_FALSE(file::exists(folder / (shard + ".x.tmp-1-1")));
    CHECK(file::exists(folder / (shard + ".x.tmp-1-2")));
}
