#include "Driver/CommandLine/Options.h"
#include "Driver/CommandLine/Words.h"
#include "Driver/Session.h"
#include "sdfgc/Build/Tasklets.h"
#include "sdfgc/Package/Processors.h"
#include "sdfgc/Platform/Libraries.h"
#include "sdfgc/Platform/Machines.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Process.h"
#include "sdfgc/Support/Text.h"
#include "sdfgc/Targets/Targets.h"

namespace sdfgc::driver {
namespace {

std::vector<std::string> targetNames() {
    std::vector<std::string> out;
    for (const targets::TargetInfo &t : targets::all())
        out.push_back(t.name);
    return out;
}

/// Declares an option with the type of its field.
class Binder {
public:
    Binder(CommandLine &line, const char *names, const char *placeholder, const char *help)
        : line_(line), names_(names), placeholder_(placeholder), help_(help) {}
    void operator()(bool &field) const { line_.flag(names_, field, help_); }
    void operator()(int &field) const { line_.number(names_, field, placeholder_, help_, 0); }
    void operator()(std::optional<int> &field) const { line_.number(names_, field, placeholder_, help_, 0); }
    void operator()(Positive &field) const { line_.number(names_, field.value, placeholder_, help_, 1); }
    void operator()(std::optional<Positive> &field) const { line_.number(names_, field, placeholder_, help_, 1); }
    void operator()(double &field) const { line_.real(names_, field, placeholder_, help_); }
    void operator()(std::string &field) const { line_.text(names_, field, placeholder_, help_); }
    void operator()(std::optional<std::string> &field) const { line_.text(names_, field, placeholder_, help_); }
    void operator()(std::vector<std::string> &field) const { line_.list(names_, field, placeholder_, help_); }
    void operator()(pass::Processors &field) const { line_.list(names_, field.names, placeholder_, help_); }
    template <Choice E> void operator()(E &field) const { line_.choice(names_, field, help_); }
    template <Choice E> void operator()(std::optional<E> &field) const { line_.choice(names_, field, help_); }
    void operator()(pass::Target &field) const {
        line_.choice(names_, targetNames(), field.name(), help_, [&field](const std::string &w) { field = pass::Target(w); });
    }

private:
    CommandLine &line_;
    const std::string names_, placeholder_, help_;
};

/// A command, possibly with arguments (`ccache bin/g++`); makes its relative paths absolute. A bare name is searched on PATH.
std::string holdsAnywhere(const std::string &command) {
    std::vector<std::string> words = text::words(command);
    for (std::string &w : words)
        if (w.find('/') != std::string::npos && !w.starts_with('-') && (&w == &words.front() || file::exists(w)))
            w = file::absolute(w);
    return text::joined(words, " ");
}

enum class Repeat { Once, Repeated };
constexpr bool isRepeated(Repeat r) { return r == Repeat::Repeated; }

/// Collects the options that are repeated and do not have their default.
class Printer {
public:
    template <class T> void operator()(Repeat repeat, const char *names, const T &value, const T &usual) {
        if (isRepeated(repeat) && !(value == usual))
            appendOption(words_, names, value);
    }
    std::vector<std::string> take() { return std::move(words_); }

private:
    std::vector<std::string> words_;
};

} // namespace

void TargetOptions::addTo(CommandLine &line, pass::Subcommands which, const std::string &title) {
    using enum pass::Subcommands;
    line.group(title);
#define SDFGC_OPTION(Type, Field, Default, Names, Placeholder, Subcommands, Uses, Help)                                            \
    if (pass::has(Subcommands, which))                                                                                             \
        Binder(line, Names, Placeholder, Help)(Field);
#include "sdfgc/Pass/CompileOptions.def"
    if (which != Building)
        return; // these have a separate target option
    line.check([this, &line](diag::Engine &d) {
        using enum pass::OptionUses;
        if (const platform::Machine *m = platform::machine(target.name()); m && !line.given("--cpu"))
            cpu.names = {std::string(m->march)};
        if (checks && target.family() != pass::Family::Host)
            d.report(diag::Id::OptionConflict, {}, "--checks", "--target " + target.name()).hint =
                "kernels are not checked: build for the CPU, or run the program with --interpret";
#define SDFGC_OPTION(Type, Field, Default, Names, Placeholder, Subcommands, Uses, Help)                                            \
    if (pass::has(Uses, OfDevices) && target.family() == pass::Family::Host && line.given(Names))                                  \
        d.report(diag::Id::OptionWithoutEffect, {}, Names, target.name());
#include "sdfgc/Pass/CompileOptions.def"
        if (const std::string fault = package::faultOf(cpu.names); !fault.empty())
            d.report(diag::Id::ProcessorUnusable, {}, optionText(cpu), fault);
        if (vectorMath != pass::VectorMath::Auto && vectorMath != pass::VectorMath::None &&
            reductions == pass::ReductionOrder::Ordered)
            d.report(diag::Id::OptionConflict, {}, "--vector-math " + optionText(vectorMath), "--reductions ordered").hint =
                "the last iterations of a thread call the scalar functions, so results would depend on the number of threads";
        if (fpModel == pass::FpModel::Fast && vectorMath == pass::VectorMath::None)
            d.report(diag::Id::OptionConflict, {}, "--fp-model fast", "--vector-math none").hint =
                "with --fp-model fast, headers of the C library choose its vector functions; --fp-model contract leaves them out";
        if (fpModel == pass::FpModel::Fast && reductions == pass::ReductionOrder::Ordered)
            d.report(diag::Id::OptionConflict, {}, "--fp-model fast", "--reductions ordered").hint =
                "with --fp-model fast, the compiler may reorder sums; --fp-model contract leaves their order alone";
    });
}

pass::CompileOptions TargetOptions::compileOptions(const std::string &path) const {
    pass::CompileOptions o = *this;
    o.file = path;
    return o;
}

void addTargetOption(CommandLine &line, const std::string &names, std::optional<pass::Target> &field, const std::string &help) {
    line.choice(names, targetNames(), "", help, [&field](const std::string &w) { field = pass::Target(w); });
}

void ToolchainChoice::addTo(CommandLine &line) {
    line.group("Toolchain");
#define SDFGC_TOOLCHAIN_OPTION(Type, Field, Default, Names, Placeholder, Repeat, Help)                                             \
    Binder(line, Names, Placeholder, Help)(Field);
#include "Driver/CommandLine/Options.def"
}

std::vector<std::string> ToolchainChoice::arguments() const {
    static const ToolchainChoice usual;
    ToolchainChoice anywhere = *this;
    anywhere.compiler = holdsAnywhere(compiler);
    if (!file.empty())
        anywhere.file = file::absolute(file);
    Printer print;
#define SDFGC_TOOLCHAIN_OPTION(Type, Field, Default, Names, Placeholder, When, Help)                                               \
    print(Repeat::When, Names, anywhere.Field, usual.Field);
#include "Driver/CommandLine/Options.def"
    return print.take();
}

std::optional<build::Toolchain> ToolchainChoice::find(Session &s, pass::CompileOptions &compile, bool needed) const {
    s.log().info("looking for the compiler");
    compile.toolchain = arguments();
    diag::Engine scratch;
    const bool asked = needed || !compiler.empty() || !file.empty();
    std::optional<build::Toolchain> found =
        build::findToolchain({compiler, file, "", platform::machine(compile.target.name())}, asked ? s.diags : scratch);
    if (found) {
        s.log().debug("found {}, {}, by {}", process::quoted(found->compiler.command), found->compiler.version, found->source);
        std::vector<std::string> wanted =
            compile.gpu() ? platform::librariesBehind("gputensor", compile.vendor()) : std::vector<std::string>();
        for (const platform::Library &l : platform::libraries())
            if (l.toolkit == platform::Toolkit::Host)
                wanted.emplace_back(l.name);
        for (const std::string &name : wanted)
            if (found->library(name).found())
                compile.libraries.insert(name);
    }
    return found;
}

void LibraryOptions::addTo(CommandLine &line) {
#define SDFGC_LIBRARY_OPTION(Type, Field, Default, Names, Placeholder, Repeat, Help) Binder(line, Names, Placeholder, Help)(Field);
#include "Driver/CommandLine/Options.def"
    requireClosed(line, "--cflags", cflags);
}

std::vector<std::string> LibraryOptions::arguments() const {
    static const LibraryOptions usual;
    Printer print;
#define SDFGC_LIBRARY_OPTION(Type, Field, Default, Names, Placeholder, When, Help) print(Repeat::When, Names, Field, usual.Field);
#include "Driver/CommandLine/Options.def"
    return print.take();
}

void ValidationOptions::addTo(CommandLine &line, const ToolchainChoice &toolchain) {
    toolchain_ = &toolchain;
    line.group("What to check of the passes");
#define SDFGC_VALIDATION_OPTION(Type, Field, Default, Names, Placeholder, Repeat, Help)                                            \
    Binder(line, Names, Placeholder, Help)(Field);
#include "Driver/CommandLine/Options.def"
    line.check([this, &line](diag::Engine &d) {
        for (const std::string option : {"--validate-timeout", "--validate-seed", "--validate-input", "--validate-dir"})
            if (!validate && line.given(option))
                d.report(diag::Id::OptionMisused, {}, option + " is for --validate", "add --validate, or remove the option");
    });
}

std::vector<std::string> ValidationOptions::arguments() const {
    static const ValidationOptions usual;
    Printer print;
#define SDFGC_VALIDATION_OPTION(Type, Field, Default, Names, Placeholder, When, Help)                                              \
    print(Repeat::When, Names, Field, usual.Field);
#include "Driver/CommandLine/Options.def"
    return print.take();
}

validate::ValidateOptions ValidationOptions::validateOptions(Name program, const std::string &path) const {
    validate::ValidateOptions v;
    v.inputs.seed = static_cast<uint64_t>(validateSeed);
    v.inputs.folder = validateInput;
    v.seconds = validateTimeout;
    v.folder = validateFolder.empty() ? program.str() + ".validate" : validateFolder;
    v.file = path;
    v.arguments = arguments();
    if (!noNative)
        v.native = toolchain_ ? build::taskletCompiler({toolchain_->compiler, toolchain_->file, ""}) : build::taskletCompiler({});
    return v;
}

void PipelineOptions::addTo(CommandLine &line) {
#define SDFGC_PIPELINE_GROUP(Title) line.group(Title);
#define SDFGC_PIPELINE_OPTION(Type, Field, Default, Names, Placeholder, Repeat, Help) Binder(line, Names, Placeholder, Help)(Field);
#include "Driver/CommandLine/Options.def"
}

std::vector<std::string> PipelineOptions::arguments() const {
    static const PipelineOptions usual;
    Printer print;
#define SDFGC_PIPELINE_OPTION(Type, Field, Default, Names, Placeholder, When, Help) print(Repeat::When, Names, Field, usual.Field);
#include "Driver/CommandLine/Options.def"
    return print.take();
}

PipelineOptions PipelineOptions::repeated() const {
    PipelineOptions out;
#define SDFGC_PIPELINE_OPTION(Type, Field, Default, Names, Placeholder, When, Help)                                                \
    if constexpr (isRepeated(Repeat::When))                                                                                        \
        out.Field = Field;
#include "Driver/CommandLine/Options.def"
    return out;
}

} // namespace sdfgc::driver
