// The tables of options that subcommands share: options that are printed for another command line are read as the same values.
#include "Driver/CommandLine/Options.h"

#include "OptionSamples.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::pass;
using driver::CommandLine;

namespace {

using Line = std::vector<std::string>;

/// Parses the words into options of a type whose `addTo` takes a command line and possibly more.
template <class Options, class... More> Options read(const Line &words, const More &...more) {
    Options out;
    CommandLine line("sdfgc x", "X.");
    out.addTo(line, more...);
    diag::Engine diags;
    CHECK(line.parse(words, diags) == CommandLine::Result::Ok);
    return out;
}

enum class Repeat { Once, Repeated };

/// The same for a row: `options` has `value` in the field, and prints `words`.
template <class T> void checkRow(Repeat repeat, const Line &words, const T &value, const T &usual, const T &again) {
    if (repeat == Repeat::Once)
        CHECK(words.empty());
    else
        CHECK(words.empty() == (value == usual));
    if (repeat == Repeat::Repeated)
        CHECK(again == value);
}

/// The help words of a row.
template <class Options, class... More> std::string helpOf(const std::string &names, const More &...more) {
    Options options;
    CommandLine line("sdfgc x", "X.");
    options.addTo(line, more...);
    for (const driver::OptionRow &row : line.rows())
        if (row.names == names)
            return row.help;
    return "";
}

} // namespace

TEST_CASE("every compile option is printed, and read as the same value") {
    const CompileOptions usual;
#define SDFGC_OPTION(Type, Field, Default, Names, Placeholder, Subcommands, Uses, Help)                                            \
    for (const Type &value : test::samples<Type>()) {                                                                              \
        INFO(Names << " " << optionText(value));                                                                                   \
        driver::TargetOptions given;                                                                                               \
        given.Field = value;                                                                                                       \
        const Line words = argumentsOf(given);                                                                                     \
        const auto again = read<driver::TargetOptions>(words);                                                                     \
        CHECK(again.Field == value);                                                                                               \
        CHECK(argumentsOf(again) == words);                                                                                        \
    }
#include "sdfgc/Pass/CompileOptions.def"
}

TEST_CASE("every shared option that is repeated is printed, and read as the same value") {
    const driver::ToolchainChoice toolchain;
#define SDFGC_TOOLCHAIN_OPTION(Type, Field, Default, Names, Placeholder, When, Help)                                               \
    for (const Type &value : test::samples<Type>()) {                                                                              \
        INFO(Names << " " << optionText(value));                                                                                   \
        driver::ToolchainChoice given;                                                                                             \
        given.Field = value.starts_with('-') ? "/-" : value;                                                                       \
        const Line words = given.arguments();                                                                                      \
        checkRow<Type>(Repeat::When, words, given.Field, toolchain.Field, read<driver::ToolchainChoice>(words).Field);             \
    }
#define SDFGC_LIBRARY_OPTION(Type, Field, Default, Names, Placeholder, When, Help)                                                 \
    for (const Type &value : test::samples<Type>()) {                                                                              \
        INFO(Names << " " << optionText(value));                                                                                   \
        driver::LibraryOptions given;                                                                                              \
        given.Field = value;                                                                                                       \
        const Line words = given.arguments();                                                                                      \
        checkRow<Type>(Repeat::When, words, value, driver::LibraryOptions().Field, read<driver::LibraryOptions>(words).Field);     \
    }
#define SDFGC_PIPELINE_OPTION(Type, Field, Default, Names, Placeholder, When, Help)                                                \
    for (const Type &value : test::samples<Type>()) {                                                                              \
        INFO(Names << " " << optionText(value));                                                                                   \
        driver::PipelineOptions given;                                                                                             \
        given.Field = value;                                                                                                       \
        const Line words = given.arguments();                                                                                      \
        checkRow<Type>(Repeat::When, words, value, driver::PipelineOptions().Field, read<driver::PipelineOptions>(words).Field);   \
        CHECK((given.repeated().Field == given.Field) == (!words.empty() || value == driver::PipelineOptions().Field));            \
    }
#define SDFGC_VALIDATION_OPTION(Type, Field, Default, Names, Placeholder, When, Help)                                              \
    for (const Type &value : test::samples<Type>()) {                                                                              \
        INFO(Names << " " << optionText(value));                                                                                   \
        driver::ValidationOptions given;                                                                                           \
        given.Field = value;                                                                                                       \
        const Line words = given.arguments();                                                                                      \
        Line validated = words;                                                                                                    \
        validated.push_back("--validate"); /* the other options need it */                                                         \
        checkRow<Type>(Repeat::When, words, value, driver::ValidationOptions().Field,                                              \
                       read<driver::ValidationOptions>(validated, toolchain).Field);                                               \
    }
#include "Driver/CommandLine/Options.def"
}

TEST_CASE("files of the toolchain are named so that the words hold in any folder") {
    driver::ToolchainChoice given;
    given.compiler = "clang++";
    CHECK(given.arguments() == Line{"--cc", "clang++"}); // searched on PATH
    given.compiler = "ccache /usr/bin/clang++ -I/usr/include";
    CHECK(given.arguments() == Line{"--cc", "ccache /usr/bin/clang++ -I/usr/include"});
    given = {};
    given.compiler = "bin/own";
    given.file = "own.yaml";
    const Line words = given.arguments();
    REQUIRE(words.size() == 4);
    CHECK((words[1].starts_with("/") && words[1].ends_with("/bin/own")));
    CHECK((words[3].starts_with("/") && words[3].ends_with("/own.yaml")));
}

TEST_CASE("help ends with the default") {
    CHECK(helpOf<driver::TargetOptions>("--target").ends_with(" (default: cpu)"));
    CHECK(helpOf<driver::TargetOptions>("--gpu-streams").ends_with(" (default: 4)"));
    CHECK(helpOf<driver::TargetOptions>("-O,--optimize").ends_with(" (default: 2)"));
    CHECK(helpOf<driver::TargetOptions>("--fp-model").ends_with(" (default: strict)"));
    CHECK(helpOf<driver::TargetOptions>("--gpu-graph").ends_with(" (default: auto for cuda, off for hip)"));
    CHECK(helpOf<driver::TargetOptions>("--emulate").find("default") == std::string::npos);
    CHECK(helpOf<driver::ValidationOptions>("--validate-timeout", driver::ToolchainChoice()).ends_with(" (default: 5)"));
    CHECK(helpOf<driver::PipelineOptions>("--pass-limit").find("default") == std::string::npos);
}

TEST_CASE("subcommands take the options that the table gives them") {
    const auto names = [](Subcommands which) {
        driver::TargetOptions options;
        CommandLine line("sdfgc x", "X.");
        options.addTo(line, which);
        std::string out;
        for (const driver::OptionRow &row : line.rows())
            out += row.names + " ";
        return out;
    };
    CHECK(names(Subcommands::Checking) == "-h,--help --emulate -O,--optimize ");
    CHECK(names(Subcommands::Informing) == "-h,--help --gpu-graph ");
}
