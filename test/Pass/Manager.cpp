#include "Pass/TestPasses.h"
#include "sdfgc/Pass/Instrumentation.h"
#include "sdfgc/Support/File.h"

#include <catch2/catch.hpp>
#include <sstream>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// One run over a program with an empty state.
struct Run {
    ir::SDFG graph{Name("prog")};
    pass::Registry passes = registry();
    pass::CompileOptions compile;
    pass::RunOptions options;
    diag::Engine diags;
    pass::Context context{diags, compile};
    std::ostringstream out;
    std::vector<pass::PassTime> times;

    Run() {
        graph.add<ir::State>()->label = "main";
        graph.renumber();
        compile.file = "prog.sdfg";
        options.out = &out;
        options.print = [](const pass::Program &p) {
            const ir::SDFG &g = *p.graph;
            std::string text = "sdfg " + g.name.str() + "\n";
            for (const auto &[name, type] : g.symbols)
                text += "symbol " + name.str() + "\n";
            return text;
        };
    }
    bool operator()(const std::string &pipeline) {
        auto p = pass::parsePipeline(pipeline, passes, diags);
        REQUIRE(p);
        pass::Program program{graph, nullptr};
        return pass::run(program, *p, passes, context, options, &times);
    }
    bool reported(diag::Id id) const {
        for (const diag::Diagnostic &x : diags.all())
            if (x.id == id)
                return true;
        return false;
    }
};

} // namespace

TEST_CASE("passes run in order with their options and the defaults of the others") {
    Run r;
    REQUIRE(r("raise,add-symbol{symbol=N,times=2},add-symbol{symbol=M},type"));
    CHECK(r.graph.symbols.contains(Name("N")));
    CHECK(r.graph.symbols.contains(Name("M")));
    CHECK(r.graph.level == ir::Level::Typed);
    REQUIRE(r.context.remarks.size() == 3);
    CHECK(r.context.remarks[0].pass == "add-symbol");
    CHECK(r.context.remarks[2].text == "added M");
    REQUIRE(r.times.size() == 4);
    CHECK(r.times[1].changed);
    CHECK_FALSE(r.times[3].changed);
}

TEST_CASE("levels are checked before any pass runs") {
    Run r;
    CHECK_FALSE(r("add-symbol{symbol=N},type"));
    CHECK(r.graph.symbols.empty());
    CHECK(
        text(r.diags) ==
        "PassLevel:1:22 pass `type` needs a program that is structured, but at this point it is loaded | run `raise` before it\n");
}

TEST_CASE("after a pass that adds elements of a lower level, the passes that give the levels above run again") {
    auto levelAfter = [](const std::string &pipeline) -> std::string {
        pass::Registry passes = registry();
        diag::Engine d;
        auto level = pass::checkLevels(*pass::parsePipeline(pipeline, passes, d), passes, ir::Level::Loaded, d);
        return level ? std::string(ir::name(*level)) : text(d);
    };
    CHECK(levelAfter("raise,type") == "typed");
    CHECK(levelAfter("raise,type,expand") == "expanded");
    CHECK(levelAfter("raise,untype") == "structured");
    CHECK(levelAfter("raise,type,expand,untype") == "structured");
    CHECK(levelAfter("raise,type,expand,untype,type,expand,schedule") == "scheduled");
    CHECK(levelAfter("raise,type,untype,expand").find("needs a program that is typed, but at this point it is structured") !=
          std::string::npos);
    CHECK(levelAfter("") == "loaded");
}

TEST_CASE("a failing pass ends the run") {
    Run r;
    r.options.printAfterFailure = true;
    CHECK_FALSE(r("fail,add-symbol{symbol=N}"));
    CHECK(r.graph.symbols.empty());
    CHECK(r.diags.errorCount() == 1);
    CHECK(r.out.str() == "// ---- after failure of fail (01 of 02) ----\nsdfg prog\n");
}

TEST_CASE("the pass that broke the graph is named") {
    Run r;
    CHECK_FALSE(r("raise,break,add-symbol{symbol=N}"));
    CHECK(r.graph.symbols.empty());
    CHECK(r.reported(diag::Id::PassBrokeGraph));
    CHECK(text(r.diags).find("pass `break` left a program that breaks the rules of the level `structured`") != std::string::npos);
    CHECK(r.diags.errorCount() >= 2); // and the verifier's error

    Run unverified;
    unverified.options.verify = false;
    CHECK(unverified("raise,break"));
}

TEST_CASE("errors before the run do not stop it") {
    Run r;
    r.diags.report(diag::Id::InternalError, {}, "earlier");
    CHECK(r("add-symbol{symbol=N}"));
}

TEST_CASE("graphs are printed before and after passes") {
    Run r;
    r.options.printBefore = {"add-symbol"};
    r.options.printAfter = {"add-symbol", "raise"};
    REQUIRE(r("raise,add-symbol{symbol=N}"));
    CHECK(r.out.str() == "// ---- after raise (01 of 02) ----\nsdfg prog\n"
                         "// ---- before add-symbol (02 of 02) ----\nsdfg prog\n"
                         "// ---- after add-symbol (02 of 02) ----\nsdfg prog\nsymbol N\n");
    Run all;
    all.options.printAfterAll = true;
    REQUIRE(all("raise,type"));
    CHECK(all.out.str() == "// ---- after raise (01 of 02) ----\nsdfg prog\n// ---- after type (02 of 02) ----\nsdfg prog\n");
}

TEST_CASE("changes are printed as differences") {
    Run r;
    r.options.printAfterChange = true;
    REQUIRE(r("raise,add-symbol{symbol=N}"));
    CHECK(r.out.str() == "// ---- no change by raise (01 of 02) ----\n"
                         "// ---- change by add-symbol (02 of 02) ----\n"
                         "--- before add-symbol\n+++ after add-symbol\n@@ -1 +1,2 @@\n sdfg prog\n+symbol N\n");
}

TEST_CASE("printing a pass that the pipeline does not have is an error") {
    Run r;
    r.options.printAfter = {"rise"};
    CHECK_FALSE(r("raise"));
    CHECK(text(r.diags) == "PassNotInPipeline:0:0 `rise` is not a pass of the pipeline --passes | did you mean `raise`?\n");
}

TEST_CASE("stopping and starting in the middle") {
    const std::string pipeline = "raise,add-symbol{symbol=A},type,add-symbol{symbol=B},add-symbol{symbol=C}";
    auto symbolsAfter = [&](const std::string &startAfter, const std::string &stopAfter) {
        Run r;
        r.options.startAfter = startAfter;
        r.options.stopAfter = stopAfter;
        if (!r(pipeline))
            return text(r.diags);
        std::string names;
        for (const auto &[name, type] : r.graph.symbols)
            names += name.str();
        return names + " " + std::string(ir::name(r.graph.level));
    };
    CHECK(symbolsAfter("", "") == "ABC typed");
    CHECK(symbolsAfter("", "add-symbol") == "A structured");
    CHECK(symbolsAfter("", "04") == "AB typed");
    CHECK(symbolsAfter("", "4-add-symbol") == "AB typed");
    CHECK(symbolsAfter("03-type", "") == "BC typed"); // the skipped passes count for the level
    CHECK(symbolsAfter("add-symbol", "type") == " typed");
    CHECK(symbolsAfter("raise", "04") == "AB typed");
    CHECK(symbolsAfter("04", "type").find("PassOrder:") == 0);
    CHECK(symbolsAfter("type", "type").find("PassOrder:") == 0);
    CHECK(symbolsAfter("", "04-type").find("`04-type` is not a pass of the pipeline") != std::string::npos);
    CHECK(symbolsAfter("9", "").find("`9` is not a pass of the pipeline") != std::string::npos);
    CHECK(symbolsAfter("", "99999999999").find("is not a pass") != std::string::npos);
}

TEST_CASE("numbered dumps") {
    Run r;
    file::TemporaryFolder folder = std::move(*file::TemporaryFolder::create());
    r.options.dumpDir = file::join(folder.path(), "dump");
    std::vector<std::string> saved;
    r.options.save = [&](const pass::Program &, const std::string &path) {
        saved.push_back(file::nameOf(path));
        return true;
    };
    REQUIRE(r("raise,add-symbol{symbol=A},type"));
    CHECK(saved == std::vector<std::string>{"00-input.sdfg", "01-raise.sdfg", "02-add-symbol.sdfg", "03-type.sdfg"});
    CHECK(file::isFolder(r.options.dumpDir));

    // Positions are still those in the complete pipeline.
    saved.clear();
    Run rest;
    rest.options = r.options;
    rest.options.startAfter = "add-symbol";
    REQUIRE(rest("raise,add-symbol{symbol=A},type"));
    CHECK(saved == std::vector<std::string>{"00-input.sdfg", "03-type.sdfg"});

    Run bad;
    bad.options = r.options;
    REQUIRE(file::writeAtomic(file::join(folder.path(), "file"), "x"));
    bad.options.dumpDir = file::join(folder.path(), "file/dump");
    CHECK_FALSE(bad("add-symbol{symbol=A}"));
    CHECK(bad.reported(diag::Id::DumpFailed));
    CHECK(bad.graph.symbols.empty());
}

TEST_CASE("observers of the caller see every pass") {
    struct Watcher : pass::Instrumentation {
        std::string log;
        void begin(const pass::Program &, pass::Context &) override { log += "begin;"; }
        void before(const pass::Program &, const pass::Event &e, pass::Context &) override { log += "before " + e.pass.name + ";"; }
        void after(const pass::Program &, const pass::Event &e, bool changed, pass::Context &) override {
            log += "after " + std::to_string(e.position) + "/" + std::to_string(e.total) + (changed ? " changed;" : ";");
        }
        void failed(const pass::Program &, const pass::Event &e, pass::Context &) override { log += "failed " + e.pass.name + ";"; }
    } watcher;
    Run r;
    r.options.instruments = {&watcher};
    CHECK_FALSE(r("add-symbol{symbol=A},fail"));
    CHECK(watcher.log == "begin;before add-symbol;after 1/2 changed;before fail;failed fail;");
}

TEST_CASE("the table of times has one row a pass, slowest first") {
    std::string table = pass::timeTable({{"fast", 0.001, 0.0005, false, 2048}, {"slow-pass", 0.002, 0.0005, true, 0}});
    CHECK(table == "pass              time    share       verify   peak memory  changed\n"
                   "slow-pass     2.000 ms   62.5 %       0.500 ms      0.0 MiB  yes\n"
                   "fast          1.000 ms   37.5 %       0.500 ms      2.0 MiB  no\n"
                   "all           3.000 ms  100.0 %       1.000 ms      2.0 MiB\n");
}
