#include "Driver/CommandTable.h"
#include "SourceTree.h"
#include "sdfgc/Support/File.h"

#include <catch2/catch.hpp>

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

TEST_CASE("what may follow an option") {
    auto row = [](const std::string &names, const std::string &placeholder, std::vector<std::string> values = {}) {
        return OptionRow{names, placeholder, "", "", std::move(values)};
    };
    CHECK(completionOf(row("--target", "cpu|cuda", {"cpu", "cuda"})) == Completion::Words);
    CHECK(completionOf(row("--print-after", "PASS,...")) == Completion::Passes);
    CHECK(completionOf(row("-o,--output", "DIR")) == Completion::Folders);
    CHECK(completionOf(row("--remarks", "FILE")) == Completion::Files);
    CHECK(completionOf(row("--pipeline", "FILE")) == Completion::Pipelines);
    CHECK(completionOf(row("--jobs", "N")) == Completion::None);
    CHECK(contains(completionWords(row("--print-after", "PASS,..."))[0], "-"));
}

TEST_CASE("the environment variables of the manual are documented") {
    Result<std::string> docs = file::read(std::string(SDFGC_SOURCE_DIR) + "/docs/cli.md");
    REQUIRE(docs);
#define SDFGC_VARIABLE(Name, Meaning) CHECK(contains(*docs, "| `" Name "` |"));
#include "Driver/EnvironmentVariables.def"
#undef SDFGC_VARIABLE
}
