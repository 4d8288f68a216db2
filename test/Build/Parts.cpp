#include "Build/Depfile.h"
#include "Build/Fixture.h"
#include "Build/Progress.h"
#include "Build/Record.h"

#include "sdfgc/Build/Folder.h"
#include "sdfgc/Package/Flags.h"

using namespace sdfgc;
using namespace sdfgc::build;
using fixture::messages;

TEST_CASE("depfile: names, continuation lines, escapes, duplicates, phony rules") {
    using Names = std::vector<std::string>;
    CHECK(parseDepfile("a.o: a.cpp b.h \\\n c.h\\\n  b.h\n") == Names{"a.cpp", "b.h", "c.h"});
    CHECK(parseDepfile("a.o: with\\ blank.h ha\\#sh.h dol$$lar.h\n") == Names{"with blank.h", "ha#sh.h", "dol$lar.h"});
    CHECK(parseDepfile("dir/a.o: \\\r\n x.h\r\n") == Names{"x.h"});
    CHECK(parseDepfile("a.o: x.h\n\nx.h:\n") == Names{"x.h"});
    CHECK(parseDepfile("a.o: C:/x.h").size() == 1);
    CHECK(parseDepfile("").empty());
    CHECK(parseDepfile("no rule").empty());
}

TEST_CASE("a long progress line is cut in its middle") {
    CHECK(elided("abcdefghij", 10) == "abcdefghij");
    CHECK(elided("abcdefghij", 7) == "ab...ij");
    CHECK(elided("abcdefghij", 8) == "ab...hij");
    CHECK(elided("abcdefghij", 2) == "ab");
}

TEST_CASE("record: what is written is read; anything damaged counts as absent") {
    const fixture::Folder folder;
    Record record;
    record.steps["lib/libf.so"] = {"key", {{"src/f.cpp", "1 2 3", "hash"}, {"/usr/include/x.h", "4 5 6", ""}}, "7 8 9"};
    REQUIRE(writeRecord(folder / "r.json", record));
    const Record read = readRecord(folder / "r.json");
    REQUIRE(read.steps.count("lib/libf.so"));
    const RecordedStep &step = read.steps.at("lib/libf.so");
    CHECK(step.key == "key");
    CHECK(step.outputStamp == "7 8 9");
    REQUIRE(step.inputs.size() == 2);
    CHECK(step.inputs[1].path == "/usr/include/x.h");
    CHECK(step.inputs[0].hash == "hash");

    const std::string whole = *file::read(folder / "r.json");
    for (std::size_t n = 0; n + 2 < whole.size(); n += 7) { // a truncated record
        folder.write("r.json", whole.substr(0, n));
        CHECK(readRecord(folder / "r.json").steps.empty());
    }
    for (const char *text : {"[]", "{\"format\":2,\"steps\":{}}", "{\"format\":1,\"steps\":{\"a\":{\"key\":\"k\"}}}",
                             "{\"format\":1,\"steps\":{\"a\":{\"key\":\"k\",\"output\":\"o\",\"inputs\":[[\"p\"]]}}}"}) {
        folder.write("r.json", text);
        CHECK(readRecord(folder / "r.json").steps.empty());
    }
    CHECK(readRecord(folder / "absent").steps.empty());
}

TEST_CASE("record: a step is stale when its key, an input or its output changes, and not when only a time stamp does") {
    const fixture::Folder folder;
    folder.write("f.cpp", "text");
    folder.write("out", "object");
    auto recorded = [&] {
        RecordedStep step{"key", {describeInput(folder.path(), "f.cpp", INT64_MAX)}, ""};
        step.outputStamp = stampText(file::stamp(folder / "out"));
        return step;
    };
    RecordedStep step = recorded();
    CHECK(check(folder.path(), "out", step, "key") == Freshness::Current);
    CHECK(check(folder.path(), "out", step, "other") == Freshness::Stale);
    folder.write("f.cpp", "text"); // a new file with the same content
    CHECK(check(folder.path(), "out", step, "key") == Freshness::Touched);
    CHECK(check(folder.path(), "out", step, "key") == Freshness::Current);
    folder.write("f.cpp", "tent");
    CHECK(check(folder.path(), "out", step, "key") == Freshness::Stale);
    step = recorded();
    folder.write("out", "object");
    CHECK(check(folder.path(), "out", step, "key") == Freshness::Stale);
    step = recorded();
    REQUIRE(file::removeTree(folder / "f.cpp"));
    CHECK(check(folder.path(), "out", step, "key") == Freshness::Stale);
}

TEST_CASE("record: a file that changed after the command began never matches; one outside the folder is known by its stamp") {
    const fixture::Folder folder;
    folder.write("f.cpp", "text");
    CHECK(describeInput(folder.path(), "f.cpp", 0).stamp.empty());
    CHECK_FALSE(describeInput(folder.path(), "f.cpp", INT64_MAX).hash.empty());
    const Input outside = describeInput(folder.path(), folder / "f.cpp", INT64_MAX);
    CHECK(outside.hash.empty());
    CHECK_FALSE(outside.stamp.empty());
    CHECK(describeInput(folder.path(), "absent", INT64_MAX).stamp.empty());
}

TEST_CASE("folder: claimed for one program, locked, cleaned") {
    const fixture::Folder tmp;
    const std::string path = tmp / "f.build";
    diag::Engine diags;
    FolderOptions impatient;
    impatient.waitSeconds = 0;
    {
        const auto folder = Folder::open(path, "f", diags);
        REQUIRE(folder);
        CHECK(folder->statePath("x") == path + "/.sdfgc/x");
        diag::Engine busy;
        CHECK_FALSE(Folder::open(path, "f", busy, impatient));
        CHECK(messages(busy).starts_with("SD7006: another sdfgc process is using " + path));
        tmp.write("f.build/CMakeLists.txt", "");
        tmp.write("f.build/src/cpu/.f.cpp.tmp-1-2", "half");
        tmp.write("f.build/.sdfgc/obj/.f.o.tmp-1-3", "half");
        tmp.write("f.build/runtime-headers/sdfgc/rt/gpu/emulated/.copy.h.tmp-1-4", "half");
        tmp.write("f.build/python/.f.py.tmp-1-5", "half");
        tmp.write("f.build/mine/.a.tmp-1-2", "somebody else's");
    }
    REQUIRE(Folder::open(path, "f", diags, impatient));
    CHECK_FALSE(file::exists(path + "/src/cpu/.f.cpp.tmp-1-2"));
    CHECK_FALSE(file::exists(path + "/.sdfgc/obj/.f.o.tmp-1-3"));
    CHECK_FALSE(file::exists(path + "/runtime-headers/sdfgc/rt/gpu/emulated/.copy.h.tmp-1-4"));
    CHECK_FALSE(file::exists(path + "/python/.f.py.tmp-1-5"));
    CHECK(file::exists(path + "/mine/.a.tmp-1-2"));
    CHECK(diags.all().empty());

    CHECK_FALSE(Folder::open(path, "g", diags));
    CHECK(messages(diags).starts_with("SD7007: the build folder " + path + " belongs to program `f`"));
}

TEST_CASE("folder: a project of somebody else is not touched") {
    const fixture::Folder tmp;
    tmp.write("CMakeLists.txt", "project(mine)");
    diag::Engine diags;
    CHECK_FALSE(Folder::open(tmp.path(), "f", diags));
    CHECK(messages(diags).starts_with("SD7012: " + tmp.path() + " contains a project that sdfgc did not write"));
    CHECK(file::list(tmp.path())->size() == 1);
    diag::Engine unwritable;
    CHECK_FALSE(Folder::open("/proc/no", "f", unwritable));
    CHECK(messages(unwritable).starts_with("SD7008: cannot create folder /proc/no"));
}

TEST_CASE("flags: the model decides about contraction and reordering; start-up code of -ffast-math stays out of the link") {
    using pass::FpModel;
    auto has = [](const std::vector<std::string> &flags, const char *flag) {
        return std::find(flags.begin(), flags.end(), flag) != flags.end();
    };
    CHECK(has(package::compileFlags(FpModel::Strict, true), "-ffp-contract=off"));
    CHECK(has(package::compileFlags(FpModel::Contract, true), "-ffp-contract=fast"));
    CHECK(has(package::compileFlags(FpModel::Fast, true), "-ffast-math"));
    CHECK_FALSE(has(package::compileFlags(FpModel::Strict, false), "-fopenmp"));
    CHECK_FALSE(has(package::linkFlags("f", true), "-ffast-math"));
    CHECK(has(package::linkFlags("f", true), "-Wl,-soname,libf.so"));
}
