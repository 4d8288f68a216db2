#include "sdfgc/Build/Finished.h"

#include "Build/Fixture.h"
#include "sdfgc/Build/Cache.h"

#include <catch2/catch.hpp>
#include <sys/stat.h>

using namespace sdfgc;
using namespace sdfgc::build;
using fixture::messages;

namespace {

/// A program that is built in one folder and placed in others.
struct Program {
    fixture::Folder root;
    Toolchain found;
    package::Files files{
        {"src/f.cpp", "#include \"value.h\"\nextern \"C\" __attribute__((visibility(\"default\"))) int f() { return VALUE; }\n"},
        {"include/value.h", "#include <stddef.h>\n#define VALUE 1\n"}};
    diag::Engine diags;

    Program() {
        auto toolchain = findToolchain({"", "", "-"}, diags);
        REQUIRE(toolchain);
        found = std::move(*toolchain);
    }
    std::optional<Folder> open(const std::string &name) {
        auto opened = Folder::open(root / name, "f", diags, {.files = {"src/f.cpp"}});
        REQUIRE(opened);
        return opened;
    }
    /// Builds in a folder and describes the result.
    Result<Entry> take(const std::string &name, const std::vector<std::string> &cflags = {"-O0"}) {
        const auto folder = open(name);
        json::Value manifest = json::Value::object();
        manifest.set("name", "f");
        REQUIRE(package::writeFolder(folder->path(), files, manifest, diags));
        Request request;
        request.sources = {"src/f.cpp"};
        request.includeFolders = {"include"};
        request.options.cflags = cflags;
        request.options.jobserver = false;
        REQUIRE(sdfgc::build::build(*folder, request, found, diags).status == Status::Done);
        return takeBuild(*folder, files);
    }
    std::optional<PlacedBuild> place(const std::string &name, const Entry &entry) {
        return placeBuild(*open(name), entry, "key", {}, diags);
    }
    std::string text(const std::string &path) {
        const Result<std::string> content = file::read(root / path);
        return content ? *content : "";
    }
};

} // namespace

TEST_CASE("finished builds: a folder that is filled has what a build leaves, and can be removed") {
    Program p;
    const Result<Entry> entry = p.take("a");
    REQUIRE(entry);
    bool hasHeader = false;
    for (const Input &input : entry->inputs) {
        CHECK(input.path.starts_with('/'));
        CHECK_FALSE(input.hash.empty());
        hasHeader |= input.path.ends_with("/stddef.h");
    }
    CHECK(hasHeader);
    const auto placed = p.place("b", *entry);
    REQUIRE(placed);
    CHECK(placed->isNew);
    CHECK(placed->library == p.root / "b/lib/libf.so");
    for (const char *same : {"lib/libf.so", "src/f.cpp", "include/value.h", "manifest.json", ".sdfgc/commands.sh"}) {
        CHECK_FALSE(p.text(std::string("b/") + same).empty());
        CHECK(p.text(std::string("b/") + same) == p.text(std::string("a/") + same));
    }
    const auto commands = json::parse(p.text("b/compile_commands.json"));
    REQUIRE(commands);
    CHECK(commands->items().at(0).get("directory")->text() == p.root / "b");
    struct ::stat st = {};
    REQUIRE(::stat((p.root / "b/lib/libf.so").c_str(), &st) == 0);
    CHECK((st.st_mode & 0100) != 0);
    const auto again = p.place("b", *entry);
    REQUIRE(again);
    CHECK_FALSE(again->isNew);
    CHECK(removeBuildFolder(p.root / "b", p.diags));
    CHECK_FALSE(file::exists(p.root / "b"));
    CHECK(messages(p.diags).empty());
}

TEST_CASE("finished builds: what a folder held before is replaced, and a later build without the cache is complete") {
    Program p;
    const Result<Entry> one = p.take("a");
    p.files["include/value.h"] = "#define VALUE 2\n";
    p.files["include/more.h"] = "";
    const Result<Entry> two = p.take("b");
    REQUIRE(one);
    REQUIRE(two);
    REQUIRE(p.place("b", *one));
    CHECK(p.text("b/lib/libf.so") == p.text("a/lib/libf.so"));
    CHECK_FALSE(file::exists(p.root / "b/include/more.h"));
    const std::string second = p.text("a/lib/libf.so");
    REQUIRE(p.take("b"));
    CHECK(p.text("b/lib/libf.so") != second);
    CHECK(messages(p.diags).empty());
}

TEST_CASE("finished builds: what depends on a file of its folder alone is not described") {
    Program p;
    p.root.write("a/include/mine.h", "#define VALUE 3\n");
    p.files["include/value.h"] = "#include \"mine.h\"\n";
    const Result<Entry> entry = p.take("a");
    REQUIRE_FALSE(entry);
    CHECK(entry.error().find("the library depends on include/mine.h in ") == 0);
}

TEST_CASE("finished builds: files of others stop the filling of a folder") {
    Program p;
    const Result<Entry> entry = p.take("a");
    REQUIRE(entry);
    REQUIRE(p.open("b"));
    p.root.write("b/compile_commands.json", "[]\n");
    CHECK_FALSE(p.place("b", *entry));
    CHECK(messages(p.diags).find("SD7012") != std::string::npos);
    CHECK(p.text("b/compile_commands.json") == "[]\n");
}

TEST_CASE("finished builds: flags that tie a library to its folder") {
    using Flags = std::vector<std::string>;
    for (const Flags &tied : {Flags{"-I../include"},
                              {"-I", "inc"},
                              {"-isystem", "a"},
                              {"-includea.h"},
                              {"-L.", "-lx"},
                              {"x.o"},
                              {"-O2", "../x.a"},
                              {"@flags"},
                              {"--coverage"},
                              {"-fprofile-use"},
                              {"-save-temps"},
                              {"-gsplit-dwarf"}})
        CHECK(needFolder(tied));
    for (const Flags &apart : {Flags{},
                               {"-O2", "-DX=a/b", "-g"},
                               {"-I/usr/x"},
                               {"-isystem", "/x"},
                               {"-Wl,-rpath,$ORIGIN"},
                               {"--param", "inline-unit-growth=50"},
                               {"-march=native", "-fopenmp", "-lfoo"},
                               {"/x.o"}})
        CHECK_FALSE(needFolder(apart));
    CHECK(nameFolder({"-O2", "-g1"}));
    CHECK(nameFolder({"-ggdb"}));
    CHECK_FALSE(nameFolder({"-g0", "-O2"}));
}

TEST_CASE("finished builds: toolchains and libraries are told apart") {
    Program p;
    const std::string usual = toolchainIdentity(p.found, {"-O2"}, false);
    CHECK(usual == toolchainIdentity(p.found, {"-O2"}, false));
    CHECK(usual != toolchainIdentity(p.found, {"-march=native"}, false));
    Toolchain other = p.found;
    other.compiler.identity += "x";
    CHECK(usual != toolchainIdentity(other, {}, false));
    other = p.found;
    other.linkFlags.push_back("-s");
    CHECK(usual != toolchainIdentity(other, {}, false));
    {
        const fixture::Variable path("CPATH", "/somewhere");
        CHECK(usual != toolchainIdentity(p.found, {}, false));
    }
    other.described["m"] = {"m", {}, {"-lm2"}, "", std::nullopt};
    CHECK(libraryIdentity(p.found, {"m"}) != libraryIdentity(other, {"m"}));
    CHECK(libraryIdentity(p.found, {"sdfgc_none"}).find("is missing") != std::string::npos);
}
