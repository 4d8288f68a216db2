#include "sdfgc/Build/Cache.h"

#include "Build/Fixture.h"
#include "sdfgc/Build/Folder.h"
#include "sdfgc/Support/File.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <ctime>
#include <fcntl.h>
#include <sys/stat.h>
#include <thread>

using namespace sdfgc;
using namespace sdfgc::build;

namespace {

/// A build folder of 100000 bytes in a cache, last used `hours` ago.
std::string kept(const fixture::Folder &cache, const std::string &name, int hours) {
    const std::string folder = cache / ("run/" + name);
    diag::Engine diags;
    REQUIRE(Folder::open(folder, "f", diags));
    cache.write("run/" + name + "/src/f.cpp", std::string(100000, 'x'));
    const timespec times[2] = {{0, UTIME_NOW}, {std::time(nullptr) - hours * 3600, 0}};
    REQUIRE(::utimensat(AT_FDCWD, (folder + "/.sdfgc/lock").c_str(), times, 0) == 0);
    return folder;
}

} // namespace

TEST_CASE("cache: sizes") {
    CHECK(parseBytes("0") == 0);
    CHECK(parseBytes("123") == 123);
    CHECK(parseBytes("2K") == 2048);
    CHECK(parseBytes("500M") == 500u << 20);
    CHECK(parseBytes("1T") == std::uint64_t{1} << 40);
    for (const char *wrong : {"", "M", "-1", "1.5G", "1MB", "1 M", "99999999999999999999", "99999999T"})
        CHECK_FALSE(parseBytes(wrong));
}

TEST_CASE("cache: what was not used for longest is removed first, as far as the limit asks for") {
    const fixture::Folder cache;
    const std::string older = kept(cache, "older", 5), oldest = kept(cache, "oldest", 9), newer = kept(cache, "newer", 1),
                      now = kept(cache, "now", 0);
    cache.write("objects/now.o", "object");
    boundCache(cache.path(), 250000);
    CHECK_FALSE(file::exists(oldest));
    CHECK_FALSE(file::exists(older));
    CHECK(file::exists(newer + "/src/f.cpp"));
    boundCache(cache.path(), 0); // no limit
    CHECK(file::exists(newer));
    boundCache(cache.path(), 1); // entries that were just used stay
    CHECK_FALSE(file::exists(newer));
    CHECK(file::exists(now));
    CHECK(file::exists(cache / "objects/now.o"));
}

TEST_CASE("cache: folders that another run works in, and links, stay") {
    const fixture::Folder cache, elsewhere;
    elsewhere.write("kept", "of somebody else");
    const std::string busy = kept(cache, "busy", 5);
    diag::Engine diags;
    {
        const auto opened = Folder::open(busy, "f", diags);
        REQUIRE(opened);
        const timespec old[2] = {{0, UTIME_NOW}, {std::time(nullptr) - 3600, 0}};
        REQUIRE(::utimensat(AT_FDCWD, (busy + "/.sdfgc/lock").c_str(), old, 0) == 0);
        REQUIRE(::symlink(elsewhere.path().c_str(), (cache / "run/link").c_str()) == 0);
        boundCache(cache.path(), 1);
        CHECK(emptyCache(cache.path()) == std::vector{busy});
        CHECK(file::exists(busy + "/src/f.cpp"));
        CHECK_FALSE(removeBuildFolder(busy, diags));
        CHECK(diags.all().back().id == diag::Id::FolderBusy);
    }
    CHECK(emptyCache(cache.path()).empty());
    CHECK_FALSE(file::exists(busy));
    CHECK(file::exists(elsewhere / "kept"));
}

TEST_CASE("cache: a run that waits for a folder which is removed makes it anew") {
    const fixture::Folder cache;
    std::atomic<int> opened{0}, failed{0};
    std::atomic<bool> done{false};
    const auto work = [&] {
        for (int i = 0; i < 200; ++i) {
            diag::Engine diags;
            const auto folder = Folder::open(cache / "run/f", "f", diags, {.announceWait = false});
            const std::string source = cache / "run/f/source";
            const std::string content = std::to_string(i);
            // While this process has the lock, no other one removes entries.
            const bool isOurs =
                folder && file::writeAtomic(source, content) && file::read(source) && *file::read(source) == content;
            ++(isOurs ? opened : failed);
        }
    };
    std::thread remover([&] {
        while (!done) {
            emptyCache(cache.path());
            std::this_thread::sleep_for(std::chrono::microseconds(50)); // in lockstep with the others, it could always be faster
        }
    });
    std::thread first(work), second(work);
    first.join();
    second.join();
    done = true;
    remover.join();
    CHECK(opened == 400);
    CHECK(failed == 0);
}
