#include "Driver/CommandTable.h"
#include "SourceTree.h"
#include "sdfgc/Support/File.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <map>

using namespace sdfgc;
using namespace sdfgc::driver;

namespace {

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

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
                std::string escaped;
                for (char c : n)
                    escaped += c == '-' ? "\\-" : std::string(1, c);
                CHECK(contains(manual, escaped));
            }
    }
}

TEST_CASE("every subcommand and every option is documented") {
    const Result<std::string> docs = file::read(std::string(SDFGC_SOURCE_DIR) + "/docs/cli.md");
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
    Result<std::string> docs = file::read(std::string(SDFGC_SOURCE_DIR) + "/docs/cli.md");
    REQUIRE(docs);
#define SDFGC_VARIABLE(Name, Meaning) CHECK(contains(*docs, "| `" Name "` |"));
#include "Driver/EnvironmentVariables.def"
#undef SDFGC_VARIABLE
}
