#include "Driver/CommandLine/CommandTable.h"
#include "Driver/CommandLine/Words.h"
#include "SourceTree.h"
#include "sdfgc/Driver/Driver.h"
#include "sdfgc/Support/File.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <map>
#include <sstream>

using namespace sdfgc;
using namespace sdfgc::driver;

namespace {

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

/// In the form of the manual page.
std::string roff(const std::string &text) {
    std::string out;
    for (char c : text)
        out += c == '-' ? "\\-" : std::string(1, c);
    return out;
}

} // namespace

TEST_CASE("every option of every subcommand is in every completion script and in the manual") {
    const std::string bash = bashCompletion(), zsh = zshCompletion(), fish = fishCompletion(), manual = manualPage();
    for (const CommandRows &command : commandTable()) {
        INFO(command.info->name);
        CHECK(contains(bash, command.info->name + ")\n"));
        CHECK(contains(zsh, "'" + command.info->name + ":"));
        CHECK(contains(fish, "-a " + command.info->name + " -d"));
        CHECK(contains(manual, ".SS sdfgc " + command.info->name));
        for (const OptionRow &row : command.rows)
            for (const std::string &n : optionNames(row)) {
                INFO(n);
                CHECK(contains(bash, n));
                CHECK(contains(zsh, "'" + n));
                CHECK(contains(fish, n.starts_with("--") ? "-l " + n.substr(2) : "-s " + n.substr(1)));
                CHECK(contains(manual, roff(n)));
            }
    }
}

TEST_CASE("every subcommand and every option is documented") {
    const Result<std::string> docs = file::read(std::string(SDFGC_SOURCE_DIR) + "/docs/user/cli.md");
    REQUIRE(docs);
    const std::string overview = docs->substr(0, docs->find("```\n\n"));
    const auto mentions = [&](const std::string &option) {
        for (std::size_t at = docs->find(option); at != std::string::npos; at = docs->find(option, at + 1)) {
            const char before = (*docs)[at - 1], after = (*docs)[at + option.size()];
            if (before != '-' && !std::isalnum(static_cast<unsigned char>(after)) && after != '-')
                return true;
        }
        return false;
    };
    for (const CommandRows &command : commandTable()) {
        INFO(command.info->name);
        CHECK(contains(overview, "\nsdfgc " + command.info->name + " "));
        for (const OptionRow &row : command.rows)
            for (const std::string &name : optionNames(row)) {
                INFO(name);
                CHECK((name == "-W" || mentions(name))); // `-Werror` and others
            }
    }
}

TEST_CASE("every subcommand has examples, which are valid command lines and are in its help and in the manual") {
    std::map<std::string_view, int> counts;
    for (const Example &example : examples()) {
        INFO(example.commandLine());
        ++counts[example.subcommand];
        const auto info = std::find_if(subcommands().begin(), subcommands().end(),
                                       [&](const SubcommandInfo &s) { return s.name == example.subcommand; });
        REQUIRE(info != subcommands().end());
        CommandLine line(info->usage(), "");
        std::unique_ptr<Subcommand> subcommand = info->create();
        subcommand->addOptions(line);
        GeneralOptions general;
        general.addTo(line);
        diag::Engine diags;
        CHECK(line.parse(splitWords(example.arguments), diags) == CommandLine::Result::Ok);
        CHECK(diags.all().empty());

        std::ostringstream out, err;
        Environment environment{out, err, false};
        CHECK(run({info->name, "--help"}, environment) == 0);
        CHECK(contains(out.str(), "  # " + std::string(example.purpose) + "\n  " + example.commandLine() + "\n"));
        CHECK(contains(manualPage(), roff(example.commandLine())));
    }
    for (const SubcommandInfo &info : subcommands()) {
        INFO(info.name);
        CHECK(counts[info.name] >= 2);
        CHECK(counts[info.name] <= 3);
    }
}

TEST_CASE("what may follow an option") {
    auto row = [](const std::string &names, const std::string &placeholder, std::vector<std::string> values = {}) {
        return OptionRow{names, placeholder, "", "", std::move(values)};
    };
    CHECK(completionOf(row("--target", "cpu|cuda", {"cpu", "cuda"})) == Completion::Words);
    CHECK(completionOf(row("--print-after", "PASS,...")) == Completion::Passes);
    CHECK(completionOf(row("--passes", "LIST")) == Completion::Passes);
    CHECK(completionOf(row("-o,--output", "DIR")) == Completion::Folders);
    CHECK(completionOf(row("--remarks", "FILE")) == Completion::Files);
    CHECK(completionOf(row("--pipeline", "FILE")) == Completion::Pipelines);
    CHECK(completionOf(row("--jobs", "N")) == Completion::None);
    CHECK(contains(completionWords(row("--print-after", "PASS,..."))[0], "-"));
}

TEST_CASE("what may be the argument of a subcommand") {
    std::map<std::string, std::pair<Completion, std::vector<std::string>>> arguments;
    for (const CommandRows &command : commandTable())
        arguments[command.info->name] = {argumentCompletion(command), argumentWords(command)};
    const auto has = [&](const std::string &subcommand, const std::string &word) {
        const auto &[kind, words] = arguments.at(subcommand);
        return kind == Completion::Words && std::count(words.begin(), words.end(), word) == 1;
    };
    CHECK(has("passes", "resolve-wcr"));
    CHECK(has("nodes", "Gemm"));
    CHECK(has("nodes", "blas.Gemm"));
    CHECK(has("explain", "SD1001"));
    CHECK(has("explain", "UnknownContainer"));
    CHECK(has("explain", "dependence"));
    CHECK(has("completions", "fish"));
    CHECK(arguments.at("build").first == Completion::Graphs);
    CHECK(arguments.at("clean").first == Completion::Folders);
    CHECK(arguments.at("targets").first == Completion::None);
}

TEST_CASE("the environment variables of the manual are documented") {
    Result<std::string> docs = file::read(std::string(SDFGC_SOURCE_DIR) + "/docs/user/cli.md");
    REQUIRE(docs);
#define SDFGC_VARIABLE(Name, Meaning) CHECK(contains(*docs, "| `" Name "` |"));
#include "Driver/CommandLine/EnvironmentVariables.def"
#undef SDFGC_VARIABLE
}
