#include "sdfgc/Support/File.h"

#include <catch2/catch.hpp>

#include <csignal>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace sdfgc;
using file::join;

namespace {
file::TemporaryFolder folder() {
    auto made = file::TemporaryFolder::create("sdfgc-test");
    REQUIRE(made);
    return std::move(*made);
}
} // namespace

TEST_CASE("file: devices are written to and links are followed, not replaced") {
    const auto tmp = folder();
    const std::string pipe = join(tmp.path(), "pipe"), link = join(tmp.path(), "link"), target = join(tmp.path(), "target");
    CHECK(file::writeAtomic("/dev/full", "x").error() == "cannot write /dev/full: No space left on device");
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
    REQUIRE(reader >= 0);
    REQUIRE(file::writeAtomic(pipe, "text"));
    char text[8] = {};
    CHECK(::read(reader, text, sizeof text) == 4);
    ::close(reader);
    CHECK(std::string(text) == "text");
    REQUIRE(file::writeAtomic(target, "old"));
    REQUIRE(::symlink("target", link.c_str()) == 0);
    REQUIRE(file::writeAtomic(link, "new"));
    CHECK(*file::read(target) == "new");
    struct stat st;
    REQUIRE(::lstat(link.c_str(), &st) == 0);
    CHECK(S_ISLNK(st.st_mode));
    CHECK(*file::list(tmp.path()) == std::vector<std::string>{"link", "pipe", "target"});
}

TEST_CASE("file: what is written atomically is read back, and nothing else is left") {
    const auto tmp = folder();
    const std::string path = join(tmp.path(), "a.txt");
    REQUIRE(file::writeAtomic(path, "one"));
    REQUIRE(file::writeAtomic(path, std::string("two\0!", 5)));
    CHECK(*file::read(path) == std::string("two\0!", 5));
    CHECK(*file::list(tmp.path()) == std::vector<std::string>{"a.txt"});
}

TEST_CASE("file: the mode of an existing file is kept") {
    const auto tmp = folder();
    const std::string path = join(tmp.path(), "script");
    REQUIRE(file::writeAtomic(path, "a"));
    REQUIRE(::chmod(path.c_str(), 0700) == 0);
    REQUIRE(file::writeAtomic(path, "b"));
    struct stat st;
    REQUIRE(::stat(path.c_str(), &st) == 0);
    CHECK((st.st_mode & 0777) == 0700);
}

TEST_CASE("file: failures name the file and the reason") {
    const auto tmp = folder();
    CHECK(file::read("/no/such").error() == "cannot read /no/such: No such file or directory");
    CHECK(file::read(tmp.path()).error() == "cannot read " + tmp.path() + ": Is a directory");
    CHECK(file::writeAtomic("/no/such", "x").error() == "cannot write /no/such: No such file or directory");
    CHECK(file::writeAtomic("/proc/version", "x").error().starts_with("cannot write /proc/version: "));
    const std::string busy = join(tmp.path(), "folder");
    REQUIRE(file::makeFolder(busy));
    CHECK(file::writeAtomic(busy, "x").error() == "cannot write " + busy + ": Is a directory");
    CHECK(file::list(tmp.path())->size() == 1); // the temporary file was removed
    CHECK(file::makeFolder("/proc/x/y").error().starts_with("cannot create folder /proc/x/y: "));
}

TEST_CASE("file: when there is no space the old file stays and the temporary one goes") {
    const auto tmp = folder();
    const std::string path = join(tmp.path(), "a");
    REQUIRE(file::writeAtomic(path, "old"));
    const pid_t writer = ::fork();
    if (writer == 0) { // limits hold for the lifetime of a process
        const rlimit limit{100, 100};
        ::signal(SIGXFSZ, SIG_IGN);
        ::setrlimit(RLIMIT_FSIZE, &limit);
        const auto written = file::writeAtomic(path, std::string(1000, 'x'));
        ::_exit(!written && written.error() == "cannot write " + path + ": File too large" ? 0 : 1);
    }
    int status = -1;
    REQUIRE(::waitpid(writer, &status, 0) == writer);
    CHECK(status == 0);
    CHECK(*file::read(path) == "old");
    CHECK(file::list(tmp.path())->size() == 1);
}

TEST_CASE("file: limits on reading count bytes exactly") {
    const auto tmp = folder();
    const std::string path = join(tmp.path(), "a");
    REQUIRE(file::writeAtomic(path, "12345"));
    CHECK(file::read(path, 5));
    CHECK_FALSE(file::read(path, 4));
    CHECK(file::read("/dev/zero", 1000).error() == "cannot read /dev/zero: it has more than 1000 bytes");
    CHECK(file::read("/proc/self/status")->size() > 100); // size 0 according to stat
}

TEST_CASE("file: writeIfChanged leaves an equal file untouched") {
    const auto tmp = folder();
    const std::string path = join(tmp.path(), "a.h");
    CHECK(*file::writeIfChanged(path, "abc"));
    const auto before = file::stamp(path);
    CHECK_FALSE(*file::writeIfChanged(path, "abc"));
    CHECK(file::stamp(path) == before);
    CHECK(*file::writeIfChanged(path, "abd")); // same size
    CHECK(*file::read(path) == "abd");
    CHECK_FALSE(file::writeIfChanged("/no/such/file", "x"));
}

TEST_CASE("file: touch changes the time and nothing else") {
    const auto tmp = folder();
    const std::string path = join(tmp.path(), "a");
    REQUIRE(file::writeAtomic(path, "x"));
    const auto before = file::stamp(path);
    ::usleep(20000); // time stamps have the resolution of kernel ticks
    REQUIRE(file::touch(path));
    const auto after = file::stamp(path);
    CHECK(after->modifiedNs > before->modifiedNs);
    CHECK(after->inode == before->inode);
    CHECK(*file::read(path) == "x");
    CHECK(file::touch("/no/such").error() == "cannot touch /no/such: No such file or directory");
}

TEST_CASE("file: only regular files are read where nobody has typed the path") {
    const auto tmp = folder();
    const std::string plain = join(tmp.path(), "plain"), pipe = join(tmp.path(), "pipe"), link = join(tmp.path(), "link");
    REQUIRE(file::writeAtomic(plain, "text"));
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    REQUIRE(::symlink(plain.c_str(), link.c_str()) == 0);
    CHECK(*file::readRegular(plain) == "text");
    CHECK(*file::readRegular(link) == "text");
    CHECK(file::readRegular(plain, 3).error() == "cannot read " + plain + ": it has more than 3 bytes");
    for (const std::string &path : {pipe, tmp.path(), std::string("/dev/zero")})
        CHECK(file::readRegular(path).error() == "cannot read " + path + ": it is not a regular file");
    CHECK(file::readRegular("/no/such").error() == "cannot read /no/such: No such file or directory");
}

TEST_CASE("file: temporaries of killed runs are removed, other hidden files stay") {
    const auto tmp = folder();
    const std::string mine = file::temporaryName(join(tmp.path(), "a.o"));
    CHECK(file::folderOf(mine) == tmp.path());
    CHECK(mine != file::temporaryName(join(tmp.path(), "a.o")));
    REQUIRE(file::writeAtomic(mine, "half"));
    REQUIRE(file::writeAtomic(join(tmp.path(), ".keep"), ""));
    file::removeTemporaries(tmp.path(), 60); // they are younger
    CHECK(file::list(tmp.path())->size() == 2);
    file::removeTemporaries(tmp.path());
    CHECK(*file::list(tmp.path()) == std::vector<std::string>{".keep"});
}

TEST_CASE("file: removeTree removes links, not what they point to, and refuses what nobody means") {
    const auto tmp = folder();
    const std::string outside = join(tmp.path(), "outside"), tree = join(tmp.path(), "tree");
    REQUIRE(file::makeFolder(outside));
    REQUIRE(file::writeAtomic(join(outside, "f"), "x"));
    REQUIRE(file::makeFolder(join(tree, "a/b")));
    REQUIRE(::symlink(outside.c_str(), join(tree, "a/link").c_str()) == 0);
    REQUIRE(file::removeTree(tree));
    CHECK_FALSE(file::exists(tree));
    CHECK(file::exists(join(outside, "f")));
    CHECK(file::removeTree(tree));
    CHECK_FALSE(file::removeTree(""));
    CHECK_FALSE(file::removeTree("/"));
    CHECK_FALSE(file::removeTree("/tmp/.."));
    CHECK_FALSE(file::removeTree("."));
}

TEST_CASE("file: parts of paths") {
    CHECK(join("a", "b") == "a/b");
    CHECK(join("a/", "b") == "a/b");
    CHECK(join("", "b") == "b");
    CHECK(join("a", "/b") == "/b");
    CHECK(file::folderOf("/a/b.c") == "/a");
    CHECK(file::folderOf("/a") == "/");
    CHECK(file::folderOf("a").empty());
    CHECK(file::nameOf("/a/b.c") == "b.c");
    CHECK(file::nameOf("b.c") == "b.c");
    CHECK(file::absolute("/a/./b/../c/") == "/a/c");
    CHECK(file::absolute("/") == "/");
}

TEST_CASE("lock: exclusive between descriptors, free after release, tells who waits for whom") {
    const auto tmp = folder();
    const std::string path = join(tmp.path(), ".lock");
    auto first = file::Lock::acquire(path, 0);
    REQUIRE(first);
    REQUIRE(*first);
    std::string holder;
    auto second = file::Lock::acquire(path, 0.02, [&](const std::string &who) { holder = who; });
    REQUIRE(second);
    CHECK_FALSE(*second);
    CHECK(holder.starts_with("process " + std::to_string(::getpid()) + " on "));
    first->reset();
    auto third = file::Lock::acquire(path, 0);
    REQUIRE(third);
    CHECK(*third);
    CHECK(file::Lock::acquire("/no/such/.lock", 0).error() == "cannot lock /no/such/.lock: No such file or directory");
}

TEST_CASE("a temporary folder disappears with its content") {
    std::string path;
    {
        const auto tmp = folder();
        path = tmp.path();
        REQUIRE(file::writeAtomic(join(path, "f"), ""));
        CHECK(file::isFolder(path));
    }
    CHECK_FALSE(file::exists(path));
}
