#include "Driver/CommandLine/CommandLine.h"
#include "Driver/CommandLine/Words.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using driver::CommandLine;

namespace {

/// A command line with one option of every kind.
struct Sample {
    bool fast = false;
    std::string output = "default", mode = "one", input;
    int jobs = 4;
    std::vector<std::string> names;
    diag::Engine diags;
    CommandLine line{"sdfgc test INPUT [options]", "A test."};

    Sample() {
        line.argument("INPUT", input, "what to read");
        line.group("Output");
        line.text("-o,--output", output, "FILE", "where to write");
        line.flag("--fast", fast, "be fast");
        line.choice("--mode", mode, {"one", "two", "three"}, "how");
        line.group("Other");
        line.number("-j,--jobs", jobs, "N", "how many");
        line.list("--name", names, "NAME,...", "which");
    }
    CommandLine::Result parse(std::vector<std::string> arguments) { return line.parse(arguments, diags); }
    std::string errors() const {
        std::string out;
        for (const diag::Diagnostic &d : diags.sorted())
            out += d.message + " | " + d.hint + "\n";
        return out;
    }
};

std::string errorsOf(std::vector<std::string> arguments) {
    Sample s;
    return s.parse(std::move(arguments)) == CommandLine::Result::Error ? s.errors() : "no error";
}

} // namespace

TEST_CASE("fields keep their defaults") {
    Sample s;
    REQUIRE(s.parse({"in.sdfg"}) == CommandLine::Result::Ok);
    CHECK(s.input == "in.sdfg");
    CHECK(s.output == "default");
    CHECK(s.mode == "one");
    CHECK(s.jobs == 4);
    CHECK_FALSE(s.fast);
    CHECK(s.names.empty());
}

TEST_CASE("options of every kind, in any order") {
    Sample s;
    REQUIRE(s.parse({"--fast", "-o", "x", "--mode=two", "--name", "a,b", "in.sdfg", "-j8", "--name=c"}) == CommandLine::Result::Ok);
    CHECK(s.fast);
    CHECK(s.output == "x");
    CHECK(s.mode == "two");
    CHECK(s.names == std::vector<std::string>{"a", "b", "c"});
    CHECK(s.jobs == 8);
    CHECK(s.input == "in.sdfg");
}

TEST_CASE("a list takes one word only, so that the argument may follow") {
    Sample s;
    REQUIRE(s.parse({"--name", "a", "in.sdfg"}) == CommandLine::Result::Ok);
    CHECK(s.names == std::vector<std::string>{"a"});
    CHECK(s.input == "in.sdfg");
}

TEST_CASE("the last of repeated options counts") {
    Sample s;
    REQUIRE(s.parse({"in", "--mode", "two", "--mode", "three", "-o", "a", "-o", "b", "--fast", "--fast"}) ==
            CommandLine::Result::Ok);
    CHECK(s.mode == "three");
    CHECK(s.output == "b");
}

TEST_CASE("values may look like options, and - is a file") {
    Sample s;
    REQUIRE(s.parse({"-", "-o", "-O3 -g"}) == CommandLine::Result::Ok);
    CHECK(s.input == "-");
    CHECK(s.output == "-O3 -g");
    Sample empty;
    REQUIRE(empty.parse({"in.sdfg", "--output="}) == CommandLine::Result::Ok);
    CHECK(empty.output.empty());
    CHECK(errorsOf({"in.sdfg", "--fast="}) != "no error"); // a flag takes no value, not even an empty one
    Sample rest;
    REQUIRE(rest.parse({"--", "--strange"}) == CommandLine::Result::Ok);
    CHECK(rest.input == "./--strange");
}

TEST_CASE("faults suggest what would be right") {
    CHECK(errorsOf({"in", "--ouptut", "x"}) == "unknown option `--ouptut` | did you mean `--output`?\n");
    CHECK(errorsOf({"in", "--fats"}) == "unknown option `--fats` | did you mean `--fast`?\n");
    CHECK(errorsOf({"in", "--moed=two"}) == "unknown option `--moed=two` | did you mean `--mode`?\n");
    CHECK(errorsOf({"in", "--nothing-like-it"}) == "unknown option `--nothing-like-it` | `sdfgc test --help` lists the options\n");
    CHECK(errorsOf({"in", "--mode", "tow"}) == "invalid value `tow` for --mode | its values are `one`, `two`, `three`\n");
    CHECK(errorsOf({"in", "--mode", "xxxxxx"}) == "invalid value `xxxxxx` for --mode | its values are `one`, `two`, `three`\n");
    CHECK(errorsOf({}) == "INPUT is missing | usage: sdfgc test INPUT [options]\n");
    CHECK(errorsOf({"in", "more"}) == "unexpected argument `more` | usage: sdfgc test INPUT [options]\n");
    for (const char *bad : {"0", "-1", "x", "3x", "99999999999", ""})
        CHECK(errorsOf({"in", std::string("--jobs=") + bad}) != "no error");
    CHECK(errorsOf({"in", "-j", "none"}) == "invalid value `none` for --jobs | its value is an integer from 1\n");
    CHECK(errorsOf({"in", "--output"}).find("--output") != std::string::npos);
}

TEST_CASE("all faults are reported at once") {
    CHECK(errorsOf({"in", "--moed", "two", "--jobs", "x"}) == "unknown option `--moed` | did you mean `--mode`?\n"
                                                              "invalid value `x` for --jobs | its value is an integer from 1\n");
}

TEST_CASE("help lists arguments and groups with aligned, wrapped texts") {
    Sample s;
    CHECK(s.parse({"--help"}) == CommandLine::Result::Help);
    CHECK(s.parse({"-h"}) == CommandLine::Result::Help);
    CHECK(s.line.help() == "usage: sdfgc test INPUT [options]\n\nA test.\n"
                           "\nArguments:\n"
                           "  INPUT                         what to read\n"
                           "\nOutput:\n"
                           "  -o, --output FILE             where to write (default: default)\n"
                           "      --fast                    be fast\n"
                           "      --mode one|two|three      how (default: one)\n"
                           "\nOther:\n"
                           "  -j, --jobs N                  how many (default: 4)\n"
                           "      --name NAME,...           which\n"
                           "\nGeneral options:\n"
                           "  -h, --help                    print this help\n");
    std::string field;
    CommandLine wide("sdfgc x", "X.");
    wide.text("--a-very-long-option-name", field, "PLACEHOLDER", std::string("word ") + std::string(65, 'w') + " next");
    CHECK(wide.help().find("      --a-very-long-option-name PLACEHOLDER\n" + std::string(32, ' ') + "word\n" +
                           std::string(32, ' ') + std::string(65, 'w') + "\n" + std::string(32, ' ') + "next\n") !=
          std::string::npos);
}

TEST_CASE("flags are split as a shell splits them") {
    using driver::splitWords;
    using Words = std::vector<std::string>;
    CHECK(splitWords("").empty());
    CHECK(splitWords("  -O3   -g ") == Words{"-O3", "-g"});
    CHECK(splitWords("-DA=\"a b\" '-DB=\"c\"' x\\ y") == Words{"-DA=a b", "-DB=\"c\"", "x y"});
    CHECK(splitWords("'' a''b \"c\\\"d\"") == Words{"", "ab", "c\"d"});
    CHECK(splitWords("'open") == Words{"open"});
    CHECK(splitWords("end\\") == Words{"end\\"});
}

TEST_CASE("an open quote is reported") {
    const auto errors = [](const std::string &flags) {
        std::string field;
        CommandLine line("sdfgc x", "X.");
        line.text("--cflags", field, "FLAGS", "flags");
        driver::requireClosed(line, "--cflags", field);
        diag::Engine diags;
        line.parse({"--cflags=" + flags}, diags);
        return diags.all().empty() ? "" : diags.all().front().message;
    };
    CHECK(errors("-DA=\"a b\" 'c'").empty());
    CHECK(errors("\\\" it\\'s").empty());
    CHECK(errors("-O2 '-g") == "--cflags has a quote that is not closed: -O2 '-g");
    CHECK(errors("\"it's") == "--cflags has a quote that is not closed: \"it's");
}
