// sdfgc passes, sdfgc targets: list everything in the tables, the pipeline in effect, and the documentation pages.
#include "Driver/Compilation/PipelineOptions.h"
#include "Driver/Subcommand.h"
#include "sdfgc/Platform/Libraries.h"
#include "sdfgc/Support/Resources.h"
#include "sdfgc/Support/Text.h"
#include "sdfgc/Targets/Targets.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>
#include <ostream>

namespace sdfgc::driver {
namespace {

using text::padded;

/// `loaded`, or `loaded -> structured` for a pass that raises the level.
std::string levels(const pass::PassInfo &p) {
    std::string out(ir::name(p.needs));
    return p.establishes ? out + " -> " + std::string(ir::name(*p.establishes)) : out;
}

/// The meaning of an option, and its invalid values.
std::string helpOf(const pass::OptionInfo &o) {
    return o.least == 0 ? o.help : o.help + "; " + std::to_string(o.least) + " or more";
}

std::string passesText() {
    std::size_t width = 0;
    for (const pass::PassInfo &p : passRegistry().all())
        width = std::max(width, p.name.size());
    std::string out;
    for (const pass::PassInfo &p : passRegistry().all()) {
        out += padded(p.name, width) + "  " + p.summary + " [" + levels(p) + "]\n";
        for (const pass::OptionInfo &o : p.options)
            out += padded("", width) + "  " + o.name + "=" + pass::str(o.defaultValue) + "  " + helpOf(o) + "\n";
    }
    return out;
}

json::Value optionJson(const pass::OptionInfo &o) {
    json::Value option = json::Value::object();
    option.set("name", o.name);
    option.set("help", o.help);
    option.set("default", std::visit([](const auto &d) { return json::Value(d); }, o.defaultValue));
    if (std::holds_alternative<int64_t>(o.defaultValue))
        option.set("least", o.least);
    if (!o.choices.empty())
        option.set("choices", json::strings(o.choices));
    return option;
}

std::string_view resultsWord(const pass::PassInfo &p) { return p.repairs ? "repaired" : pass::name(p.floatClass); }

std::string listJson() {
    json::Value list = json::Value::array();
    for (const pass::PassInfo &p : passRegistry().all()) {
        json::Value v = json::Value::object(), options = json::Value::array();
        v.set("name", p.name);
        v.set("summary", p.summary);
        v.set("needs", ir::name(p.needs));
        if (p.establishes)
            v.set("establishes", ir::name(*p.establishes));
        if (p.adds)
            v.set("adds", pass::name(*p.adds));
        v.set("results", resultsWord(p));
        for (const pass::OptionInfo &o : p.options)
            options.push(optionJson(o));
        v.set("options", std::move(options));
        list.push(std::move(v));
    }
    return list.dump(2) + "\n";
}

/// The default pipeline of a target (`-O2`) on a machine that has every library; nothing if it is not installed.
std::optional<pass::Pipeline> pipelineOf(const std::string &target) {
    const std::optional<std::string> path = findResource("pipelines", target + ".yaml");
    pass::CompileOptions compile;
    compile.target = pass::Target(target);
    for (const platform::Library &l : platform::libraries())
        compile.libraries.emplace(l.name);
    diag::Engine unused;
    return path ? pass::readPipeline(*path, passRegistry(), compile, unused) : std::nullopt;
}

std::string page(const pass::PassInfo &p) {
    std::string out = "# " + p.name + "\n\n" + p.summary + "\n\n" + std::string(transforms::description(p.name)) + "\n\n";
    out += "| | |\n|---|---|\n| needs | " + std::string(ir::name(p.needs)) + " |\n";
    if (p.establishes)
        out += "| establishes | " + std::string(ir::name(*p.establishes)) + " |\n";
    if (p.adds)
        out += "| adds | " + std::string(pass::name(*p.adds)) + ": the program is " +
               std::string(ir::name(pass::levelWith(*p.adds))) + " until other passes complete them |\n";
    if (p.repairs)
        out += "| results | change where the graph is ambiguous |\n";
    else
        out +=
            "| results | " + std::string(pass::name(p.floatClass)) + ": " + std::string(pass::description(p.floatClass)) + " |\n";
    std::string users;
    for (const targets::TargetInfo &t : targets::all())
        if (const auto pipeline = pipelineOf(t.name))
            if (std::any_of(pipeline->steps.begin(), pipeline->steps.end(),
                            [&](const pass::PipelineStep &s) { return s.pass == p.name; }))
                users += (users.empty() ? "" : ", ") + t.name;
    out += "| pipelines | " + (users.empty() ? "none" : users) + " |\n\n## Options\n\n";
    if (p.options.empty())
        return out + "none\n";
    out += "| option | default | meaning |\n|---|---|---|\n";
    for (const pass::OptionInfo &o : p.options)
        out += "| `" + o.name + "` | `" + pass::str(o.defaultValue) + "` | " + helpOf(o) + " |\n";
    return out;
}

std::string passesIndex() {
    std::string out = "# Passes\n\nWritten by `sdfgc passes --markdown docs/user/passes`; the texts are in "
                      "include/sdfgc/Transforms/Passes.def.\n\n"
                      "| pass | level | what it does |\n|---|---|---|\n";
    for (const pass::PassInfo &p : passRegistry().all())
        out += "| [" + p.name + "](" + p.name + ".md) | " + levels(p) + " | " + p.summary + " |\n";
    return out;
}

std::string page(const targets::TargetInfo &t) {
    std::string out = "# Target " + t.name + "\n\n" + t.summary + "\n\n" + t.description + "\n\n## Pipeline\n\n";
    if (const auto pipeline = pipelineOf(t.name))
        for (const pass::PipelineStep &s : pipeline->steps)
            out += "1. [" + s.pass + "](../passes/" + s.pass + ".md)\n";
    return out;
}

class Passes : public Subcommand {
    void addOptions(CommandLine &line) override {
        line.argument("PASS", pass_, "pass to describe (default: list all)", true);
        line.group("Output");
        line.flag("--json", json_, "print JSON");
        line.text("--markdown", folder_, "DIR", "write the pages of the documentation to DIR");
        line.group("The pipeline in effect");
        line.text("--pipeline", pipeline_.pipeline, "FILE",
                  "print the passes of a YAML file or an installed pipeline, with includes and conditions resolved");
        line.text("--passes", pipeline_.passes, "LIST", "print these passes, as in a,b{key=value},c");
        target_.addTo(line);
        toolchain_.addTo(line);
    }

    void run(Session &s) override {
        if (!pass_.empty())
            return describe(s);
        if (!pipeline_.pipeline.empty() || pipeline_.passes)
            return printPipeline(s);
        if (folder_.empty()) {
            s.environment.out << (json_ ? listJson() : passesText());
            return;
        }
        std::vector<std::pair<std::string, std::string>> pages{{"README", passesIndex()}};
        for (const pass::PassInfo &p : passRegistry().all())
            pages.emplace_back(p.name, page(p));
        s.writePages(folder_, pages);
    }

    void describe(Session &s) const {
        std::vector<std::string> names;
        for (const pass::PassInfo &p : passRegistry().all())
            names.push_back(p.name);
        if (const pass::PassInfo *p = passRegistry().find(pass_)) {
            s.environment.out << page(*p);
            return;
        }
        const std::string near = diag::nearest(pass_, names);
        s.diags.report(diag::Id::OptionValueUnknown, {}, pass_, "PASS",
                       near.empty() ? "`sdfgc passes` lists all" : "did you mean `" + near + "`?");
    }

    /// Every step with its position and levels, groups and conditions marked; then the text form accepted by --passes.
    void printPipeline(Session &s) {
        pass::CompileOptions compile = target_.compileOptions("");
        toolchain_.find(s, compile, false);
        const std::optional<pass::Pipeline> p = choosePipeline(s, pipeline_, compile);
        if (!p || !pass::checkLevels(*p, passRegistry(), ir::Level::Loaded, s.diags))
            return;
        std::ostream &out = s.environment.out;
        out << "// " << p->name << " for target " << compile.target.name() << '\n';
        for (std::size_t i = 0; i < p->steps.size(); ++i) {
            const pass::PipelineStep &step = p->steps[i];
            for (const pass::Group &g : p->groups)
                if (g.first == i)
                    out << "fixed-point, at most " << g.limit << " rounds, of " << g.last - g.first << ":\n";
            pass::Pipeline one;
            one.steps = {step};
            const std::string number = std::to_string(i + 1);
            out << padded(number.size() < 2 ? "0" + number : number, 3) << padded(pass::print(one), 40) << " ["
                << levels(*passRegistry().find(step.pass)) << "] " << step.file << ':' << step.line << '\n';
        }
        out << pass::print(*p) << '\n';
    }

    bool json_ = false;
    std::string pass_, folder_;
    PipelineOptions pipeline_;
    TargetOptions target_;
    ToolchainChoice toolchain_;
};

class Targets : public Subcommand {
    void addOptions(CommandLine &line) override {
        line.group("Output");
        line.text("--markdown", folder_, "DIR", "write the pages of the documentation to DIR");
    }

    void run(Session &s) override {
        if (!folder_.empty()) {
            std::vector<std::pair<std::string, std::string>> pages;
            for (const targets::TargetInfo &t : targets::all())
                pages.emplace_back(t.name, page(t));
            return s.writePages(folder_, pages);
        }
        for (const targets::TargetInfo &t : targets::all()) {
            std::optional<std::string> pipeline = findResource("pipelines", t.name + ".yaml");
            s.environment.out << padded(t.name, 8) << t.summary << " [" << pipeline.value_or("its pipeline is not installed")
                              << "]\n";
        }
    }

    std::string folder_;
};

} // namespace

std::unique_ptr<Subcommand> createPasses() { return std::make_unique<Passes>(); }
std::unique_ptr<Subcommand> createTargets() { return std::make_unique<Targets>(); }

} // namespace sdfgc::driver
