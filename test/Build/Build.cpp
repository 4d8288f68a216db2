#include "Build/Fixture.h"

#include "sdfgc/Build/Build.h"
#include "sdfgc/Support/Json.h"
#include "sdfgc/Support/Process.h"

#include <csignal>
#include <regex>
#include <sstream>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace sdfgc;
using namespace sdfgc::build;
using fixture::messages;

namespace {

const Toolchain &toolchain() {
    static const Toolchain found = [] {
        diag::Engine diags;
        ToolchainOptions o;
        o.cacheFolder = "-";
        auto t = findToolchain(o, diags);
        REQUIRE(t);
        return *t;
    }();
    return found;
}

/// A small program in a folder; every build is a separate run.
struct Project {
    fixture::Folder folder;
    std::string name = "f";
    Request request;
    diag::Engine diags;
    std::string printed;

    Project() {
        request.sources = {"src/f.cpp"};
        request.includeFolders = {"include"};
        request.options.cflags = {"-O0"};
        request.options.jobserver = false;
        request.options.print = [this](std::string_view text) { printed += text; };
        write("include/value.h", "#define VALUE 1\n");
        write("src/f.cpp",
              "#include \"value.h\"\nextern \"C\" __attribute__((visibility(\"default\"))) int f() { return VALUE; }\n");
    }
    void write(const std::string &file, const std::string &text) { folder.write("out/" + file, text); }
    std::string path(const std::string &file) const { return folder / ("out/" + file); }
    BuildResult build() {
        diags.clear();
        printed.clear();
        const auto opened = Folder::open(folder / "out", name, diags);
        REQUIRE(opened);
        return sdfgc::build::build(*opened, request, toolchain(), diags);
    }
    /// Loads a copy of the library, so that the loader does not return an older one.
    int call() {
        static int copies = 0;
        const std::string copy = folder / ("copy" + std::to_string(copies++) + ".so");
        REQUIRE(file::writeAtomic(copy, *file::read(path("lib/libf.so"))));
        void *library = ::dlopen(copy.c_str(), RTLD_NOW);
        REQUIRE(library);
        const int value = reinterpret_cast<int (*)()>(::dlsym(library, "f"))();
        ::dlclose(library);
        return value;
    }
    void addSecond() {
        request.sources.push_back("src/g.cpp");
        write("src/g.cpp", "int g() { return 10; }\n");
        write("src/f.cpp", "#include \"value.h\"\nint g();\n"
                           "extern \"C\" __attribute__((visibility(\"default\"))) int f() { return VALUE + g(); }\n");
    }
};

} // namespace

TEST_CASE("build: one source takes one command, a second run none, a changed header one") {
    Project p;
    const BuildResult first = p.build();
    CHECK(messages(p.diags).empty());
    REQUIRE(first.status == Status::Done);
    CHECK(first.commandsRun == 1);
    CHECK(first.library == p.path("lib/libf.so"));
    CHECK(p.call() == 1);
    CHECK(p.build().commandsRun == 0);
    p.write("include/value.h", "#define VALUE 2\n");
    CHECK(p.build().commandsRun == 1);
    CHECK(p.call() == 2);
    p.write("include/value.h", "#define VALUE 2\n"); // rewritten with the same content
    CHECK(p.build().commandsRun == 0);
    CHECK(p.printed.empty());
}

TEST_CASE("build: a library that is up to date gets younger than the graph that it comes from") {
    Project p;
    p.write("f.sdfg", "{}");
    p.request.madeFrom = {p.path("f.sdfg"), p.path("absent")};
    CHECK(p.build().commandsRun == 1);
    const auto first = file::stamp(p.path("lib/libf.so"));
    CHECK(p.build().commandsRun == 0);
    CHECK(file::stamp(p.path("lib/libf.so")) == first);
    p.write("f.sdfg", "{}");
    CHECK(p.build().commandsRun == 0);
    CHECK(file::stamp(p.path("lib/libf.so"))->modifiedNs >= file::stamp(p.path("f.sdfg"))->modifiedNs);
    const auto second = file::stamp(p.path("lib/libf.so"));
    CHECK(second->inode == first->inode);
    CHECK(p.build().commandsRun == 0); // the record has the new time
    CHECK(file::stamp(p.path("lib/libf.so")) == second);
}

TEST_CASE("build: only what changed is compiled again, then linked") {
    Project p;
    p.addSecond();
    CHECK(p.build().commandsRun == 3);
    CHECK(p.call() == 11);
    CHECK(p.build().commandsRun == 0);
    p.write("src/g.cpp", "int g() { return 20; }\n");
    CHECK(p.build().commandsRun == 2);
    CHECK(p.call() == 21);
    p.request.sources.pop_back();
    p.write("src/f.cpp", "extern \"C\" __attribute__((visibility(\"default\"))) int f() { return 5; }\n");
    CHECK(p.build().commandsRun == 1);
    CHECK(p.call() == 5);
    CHECK(file::list(p.path(".sdfgc/obj"))->empty()); // objects of the old plan are gone
    p.write(".sdfgc/obj/src_h.cpp.o", "made by a run that was killed before it wrote the record");
    CHECK(p.build().commandsRun == 0);
    CHECK(file::list(p.path(".sdfgc/obj"))->empty());
}

TEST_CASE("build: flags belong to the key") {
    Project p;
    CHECK(p.build().commandsRun == 1);
    p.request.options.cflags = {"-O0", "-DUNUSED"};
    const BuildResult second = p.build();
    CHECK(second.commandsRun == 1);
    CHECK(second.flags.back() == "-DUNUSED");
    p.request.options.openmp = false;
    CHECK(p.build().commandsRun == 1);
    const fixture::Variable path("CPATH", "/no/such");
    CHECK(p.build().commandsRun == 1);
}

TEST_CASE("build: -ffast-math compiles and links apart, so that the host's floating-point mode stays as it is") {
    Project p;
    p.request.options.fpModel = pass::FpModel::Fast;
    CHECK(p.build().commandsRun == 2);
    const std::string script = *file::read(p.path(".sdfgc/commands.sh"));
    const std::size_t link = script.find(" -shared");
    REQUIRE(link != std::string::npos);
    CHECK(script.find("-ffast-math", script.rfind('\n', link)) == std::string::npos);
    CHECK(p.call() == 1);
}

TEST_CASE("build: a damaged, missing or foreign library is built again") {
    Project p;
    CHECK(p.build().commandsRun == 1);
    REQUIRE(::truncate(p.path("lib/libf.so").c_str(), 100) == 0);
    CHECK(p.build().commandsRun == 1);
    CHECK(p.call() == 1);
    REQUIRE(file::removeTree(p.path("lib/libf.so")));
    CHECK(p.build().commandsRun == 1);
    p.write("lib/libf.so", "something else");
    CHECK(p.build().commandsRun == 1);
    CHECK(p.build().commandsRun == 0);
}

TEST_CASE("build: without its record nothing is trusted") {
    Project p;
    p.addSecond();
    CHECK(p.build().commandsRun == 3);
    p.write(".sdfgc/build.json", file::read(p.path(".sdfgc/build.json"))->substr(0, 50));
    CHECK(p.build().commandsRun == 3);
    REQUIRE(file::removeTree(p.path(".sdfgc/obj")));
    CHECK(p.build().commandsRun == 3);
    CHECK(p.call() == 11);
}

TEST_CASE("build: a compiler's error is passed on, the old library stays, what succeeded is kept") {
    Project p;
    p.addSecond();
    REQUIRE(p.build().status == Status::Done);
    p.write("include/value.h", "#define VALUE undeclared_name\n");
    p.write("src/g.cpp", "int g() { return 30; }\n");
    p.request.options.jobs = 1;
    std::swap(p.request.sources[0], p.request.sources[1]); // g first, then the one that fails
    const BuildResult bad = p.build();
    CHECK(bad.status == Status::CompilerFailed);
    CHECK(bad.library.empty());
    CHECK(p.printed.find("undeclared_name") != std::string::npos);
    CHECK(p.printed.find("sdfgc: in " + p.folder / "out") != std::string::npos);
    CHECK(messages(p.diags) == "SD7004: compiling src/f.cpp failed: exit status 1 (see the compiler's messages above; the "
                               "command is in " +
                                   p.path(".sdfgc/commands.sh") + ")\n");
    CHECK(p.call() == 11);
    for (const char *place : {"lib", ".sdfgc", ".sdfgc/obj"})
        for (const std::string &file : *file::list(p.path(place)))
            CHECK(file.find(".tmp-") == std::string::npos);
    p.write("include/value.h", "#define VALUE 1\n");
    CHECK(p.build().commandsRun == 2); // f and the link, not g
    CHECK(p.call() == 31);
}

TEST_CASE("build: a failing link is told apart") {
    Project p;
    p.addSecond();
    p.write("src/g.cpp", "int h;\nextern \"C\" int f();\nint f() { return 1; }\n"); // f twice
    const BuildResult bad = p.build();
    CHECK(bad.status == Status::CompilerFailed);
    CHECK(messages(p.diags).starts_with("SD7005: linking lib/libf.so failed: exit status 1"));
}

TEST_CASE("build: a missing library stops before any command, all at once") {
    Project p;
    p.request.libraries = {"no-such-a", "m", "no-such-b"};
    const BuildResult bad = p.build();
    CHECK(bad.status == Status::MissingLibrary);
    CHECK(bad.commandsRun == 0);
    CHECK(messages(p.diags) == "SD7003: the program needs no-such-a, but libno-such-a.so was not found (install it, or give its "
                               "location with --toolchain FILE)\n"
                               "SD7003: the program needs no-such-b, but libno-such-b.so was not found (install it, or give its "
                               "location with --toolchain FILE)\n");
    p.request.libraries = {"m"};
    CHECK(p.build().status == Status::Done);
    CHECK(file::read(p.path(".sdfgc/commands.sh"))->find(" -lm ") != std::string::npos);
}

TEST_CASE("build: a source that is not there, a folder that cannot be written") {
    Project p;
    p.request.sources = {"src/f.cpp", "src/absent.cpp"};
    CHECK(p.build().status == Status::FileError);
    CHECK(messages(p.diags) == "SD7008: the source " + p.path("src/absent.cpp") + " is not there\n");
    p.request.sources = {"src/f.cpp"};
    p.write("lib", "a file where the folder should be");
    CHECK(p.build().status == Status::FileError);
    CHECK(messages(p.diags).starts_with("SD7008: cannot create folder " + p.path("lib")));
}

TEST_CASE("build: the same sources give the same bytes in another folder") {
    Project a, b;
    a.addSecond();
    b.addSecond();
    a.request.options.cflags = b.request.options.cflags = {"-O1", "-g"};
    REQUIRE(a.build().status == Status::Done);
    REQUIRE(b.build().status == Status::Done);
    // -g records the folder of the compilation by design; everything else is equal.
    a.request.options.cflags = b.request.options.cflags = {"-O1"};
    REQUIRE(a.build().status == Status::Done);
    REQUIRE(b.build().status == Status::Done);
    CHECK(*file::read(a.path("lib/libf.so")) == *file::read(b.path("lib/libf.so")));
    CHECK(*file::read(a.path(".sdfgc/commands.sh")) == *file::read(b.path(".sdfgc/commands.sh")));
}

TEST_CASE("build: the script and compile_commands.json hold the commands that were run") {
    Project p;
    p.addSecond();
    REQUIRE(p.build().status == Status::Done);
    const auto commands = json::parse(*file::read(p.path("compile_commands.json")));
    REQUIRE(commands);
    REQUIRE(commands->items().size() == 2);
    CHECK(commands->items()[0].get("file")->text() == "src/f.cpp");
    CHECK(commands->items()[0].get("directory")->text() == p.folder / "out");
    REQUIRE(file::removeTree(p.path("lib/libf.so")));
    CHECK(process::run({{"/bin/sh", p.path(".sdfgc/commands.sh")}}).ok());
    CHECK(p.call() == 11);
}

TEST_CASE("build: the log has commands and times; compilers' warnings show only with it") {
    Project p;
    p.write("src/f.cpp", "#warning careful\nextern \"C\" int f() { return 1; }\n");
    CHECK(p.build().status == Status::Done);
    CHECK(p.printed.empty());
    std::ostringstream said;
    Log log(said, Log::Level::Debug);
    p.request.options.log = &log;
    p.request.options.cflags = {"-O1"};
    CHECK(p.build().status == Status::Done);
    CHECK(said.str().find("sdfgc: running ") == 0);
    CHECK(said.str().find(" -shared") != std::string::npos);
    CHECK(std::regex_search(said.str(), std::regex("src/f.cpp took \\d+\\.\\d\\d s")));
    CHECK(p.printed.find("careful") != std::string::npos);
}

TEST_CASE("build: each compiler run is a span of the time trace") {
    Project p;
    TimeTrace trace;
    p.request.options.trace = &trace;
    REQUIRE(p.build().status == Status::Done);
    CHECK(trace.chromeJson().find("\"build src/f.cpp\"") != std::string::npos);
}

TEST_CASE("build: a run that is killed leaves nothing that the next one trusts") {
    Project p;
    p.addSecond();
    for (int milliseconds : {5, 20, 40, 60, 90}) {
        p.write("src/g.cpp", "int g() { return " + std::to_string(milliseconds) + "; }\n");
        const pid_t run = ::fork();
        if (run == 0) {
            ::setpgid(0, 0);
            p.build();
            ::_exit(0);
        }
        ::usleep(static_cast<useconds_t>(milliseconds) * 1000);
        ::kill(-run, SIGKILL); // with its compilers: orphans would still write
        REQUIRE(::waitpid(run, nullptr, 0) == run);
        REQUIRE(p.build().status == Status::Done);
        CHECK(p.call() == 1 + milliseconds);
        // Compilers of the killed run may still write under their temporary names; the next runs remove what they leave.
        auto onlyTheLibrary = [&] { return *file::list(p.path("lib")) == std::vector<std::string>{"libf.so"}; };
        for (int i = 0; i < 100 && !onlyTheLibrary(); ++i) {
            ::usleep(100'000);
            REQUIRE(p.build().status == Status::Done);
        }
        CHECK(onlyTheLibrary());
    }
}

TEST_CASE("build: an interrupted run says so, ends its compilers and removes their files") {
    Project p;
    p.write("src/f.cpp", "template <int N> struct A { static const int v = A<N - 1>::v + A<N - 1>::v % 7; };\n"
                         "template <> struct A<0> { static const int v = 1; };\n"
                         "#include \"" +
                             p.path("pipe") + "\"\n"); // blocks: the pipe has no writer
    REQUIRE(::mkfifo(p.path("pipe").c_str(), 0600) == 0);
    const pid_t run = ::fork();
    if (run == 0) {
        const BuildResult result = p.build();
        ::_exit(result.status == Status::Interrupted && result.signal == SIGTERM ? 0 : 1);
    }
    // The compiler has opened the pipe for reading as soon as opening it for writing succeeds.
    int writer = -1;
    for (int i = 0; i < 1000 && writer < 0; ++i, ::usleep(10000))
        writer = ::open(p.path("pipe").c_str(), O_WRONLY | O_NONBLOCK);
    REQUIRE(writer >= 0);
    ::kill(run, SIGTERM);
    int status = -1;
    REQUIRE(::waitpid(run, &status, 0) == run);
    CHECK(status == 0);
    CHECK(file::list(p.path("lib"))->empty());
    ::close(writer);
}

TEST_CASE("build: two runs at once in one folder take turns, and the second finds everything done") {
    Project p;
    pid_t runs[2];
    for (pid_t &run : runs) {
        run = ::fork();
        if (run == 0)
            ::_exit(static_cast<int>(p.build().commandsRun));
    }
    int total = 0;
    for (const pid_t run : runs) {
        int status = -1;
        REQUIRE(::waitpid(run, &status, 0) == run);
        total += WEXITSTATUS(status);
    }
    CHECK(total == 1);
    CHECK(p.call() == 1);
}

namespace {

/// A project with one of sdfgc's own sources and its own cache.
struct RuntimeProject : Project {
    Toolchain found = toolchain();

    explicit RuntimeProject(const std::string &cacheFolder) {
        found.cacheFolder = cacheFolder;
        request.runtimeSources = {"runtime-headers/r.cpp"};
        write("runtime-headers/r.h", "#define OWN 10\n");
        write("runtime-headers/r.cpp", "#include \"r.h\"\nint r() { return OWN; }\n");
        write("src/f.cpp", "#include \"value.h\"\nint r();\n"
                           "extern \"C\" __attribute__((visibility(\"default\"))) int f() { return VALUE + r(); }\n");
    }
    /// The number of commands that were run.
    std::size_t commands() {
        diags.clear();
        const auto opened = Folder::open(folder / "out", name, diags);
        REQUIRE(opened);
        const BuildResult done = sdfgc::build::build(*opened, request, found, diags);
        CHECK(done.status == Status::Done);
        return done.commandsRun;
    }
};

} // namespace

TEST_CASE("build: sdfgc's own sources are compiled once for all folders, and again when something that they depend on changes") {
    const fixture::Folder cache;
    RuntimeProject first(cache.path());
    CHECK(first.commands() == 3);
    RuntimeProject second(cache.path());
    CHECK(second.commands() == 2);
    CHECK(second.call() == 11);
    CHECK(second.commands() == 0);
    CHECK(*file::read(first.path("lib/libf.so")) == *file::read(second.path("lib/libf.so")));

    second.write("runtime-headers/r.h", "#define OWN 20\n");
    CHECK(second.commands() == 2);
    CHECK(second.call() == 21);
    RuntimeProject third(cache.path()); // the older version is still there
    CHECK(third.commands() == 2);
    CHECK(third.call() == 11);

    RuntimeProject flags(cache.path());
    flags.request.options.cflags = {"-O1"};
    CHECK(flags.commands() == 3);
    RuntimeProject withLines(cache.path()); // of the program only
    withLines.request.options.sourceFlags = {"-g1"};
    CHECK(withLines.commands() == 2);
    CHECK(file::read(withLines.folder / "out/.sdfgc/commands.sh")->find("-g1") != std::string::npos);
    RuntimeProject withDebugging(cache.path()); // its object names the folder
    withDebugging.request.options.cflags = {"-O0", "-g"};
    CHECK(withDebugging.commands() == 3);
    RuntimeProject againWithDebugging(cache.path());
    againWithDebugging.request.options.cflags = {"-O0", "-g"};
    CHECK(againWithDebugging.commands() == 3);
}

namespace {

/// The names of the objects in a cache, relative to it.
std::vector<std::string> objectsIn(const fixture::Folder &cache) {
    std::vector<std::string> out;
    for (const std::string &shard : *file::list(cache / "objects"))
        if (file::isFolder(cache / ("objects/" + shard)))
            for (const std::string &name : *file::list(cache / ("objects/" + shard)))
                out.push_back("objects/" + shard + "/" + name);
    return out;
}

} // namespace

TEST_CASE("build: a cache of objects that is damaged or cannot be written does not matter") {
    const fixture::Folder cache;
    CHECK(RuntimeProject(cache.path()).commands() == 3);
    REQUIRE(objectsIn(cache).size() == 1);
    for (const std::string &name : objectsIn(cache))
        cache.write(name, file::read(cache / name)->substr(1));
    RuntimeProject damaged(cache.path());
    CHECK(damaged.commands() == 3);
    CHECK(damaged.call() == 11);
    CHECK(RuntimeProject(cache.path()).commands() == 2); // and the cache was repaired
    for (const std::string &name : objectsIn(cache))
        cache.write(name, "x");
    CHECK(RuntimeProject(cache.path()).commands() == 3);
    CHECK(RuntimeProject("/proc/no").commands() == 3);
    CHECK(RuntimeProject("").commands() == 3);
}

TEST_CASE("build: pipes and links in the cache are neither waited for nor written through") {
    const fixture::Folder cache, elsewhere;
    elsewhere.write("kept", "of somebody else");
    CHECK(RuntimeProject(cache.path()).commands() == 3);
    const std::vector<std::string> names = objectsIn(cache);
    auto replaceAll = [&](const std::function<int(const std::string &)> &make) {
        for (const std::string &name : names) {
            REQUIRE(file::removeTree(cache / name));
            REQUIRE(make(cache / name) == 0);
        }
    };
    replaceAll([](const std::string &path) { return ::mkfifo(path.c_str(), 0600); });
    CHECK(RuntimeProject(cache.path()).commands() == 3);
    CHECK(RuntimeProject(cache.path()).commands() == 2); // and the cache was repaired
    replaceAll([&](const std::string &path) { return ::symlink((elsewhere / "kept").c_str(), path.c_str()); });
    CHECK(RuntimeProject(cache.path()).commands() == 3);
    CHECK(*file::read(elsewhere / "kept") == "of somebody else");
    replaceAll([](const std::string &path) { return ::symlink("/dev/zero", path.c_str()); });
    CHECK(RuntimeProject(cache.path()).commands() == 3);
}

TEST_CASE("build: objects that nobody used for a month go") {
    const fixture::Folder cache;
    CHECK(RuntimeProject(cache.path()).commands() == 3);
    cache.write("objects/old.o", "old");
    cache.write("objects/young.o", "young");
    const timespec old[2] = {{1, 0}, {1, 0}};
    REQUIRE(::utimensat(AT_FDCWD, (cache / "objects/old.o").c_str(), old, 0) == 0);
    RuntimeProject other(cache.path());
    other.request.options.cflags = {"-O1"};
    CHECK(other.commands() == 3);
    CHECK(!file::exists(cache / "objects/old.o"));
    CHECK(file::exists(cache / "objects/young.o"));
}
