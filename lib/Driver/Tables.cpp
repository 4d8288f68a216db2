// sdfgc passes, sdfgc targets: what there is, from the tables.
#include "Driver/PipelineOptions.h"
#include "Driver/Subcommand.h"
#include "sdfgc/Support/Resources.h"
#include "sdfgc/Targets/Targets.h"

#include <algorithm>
#include <ostream>

namespace sdfgc::driver {
namespace {

std::string padded(std::string text, std::size_t width) {
    text.resize(std::max(width, text.size()), ' ');
    return text;
}

/// `loaded`, or `loaded -> structured` for a pass that raises the level.
std::string levels(const pass::PassInfo &p) {
    std::string out(ir::name(p.needs));
    return p.leaves > p.needs ? out + " -> " + std::string(ir::name(p.leaves)) : out;
}

class Passes : public Subcommand {
    void addOptions(CommandLine &line) override {
        line.group("Output");
        line.flag("--json", json_, "as JSON");
    }

    void run(Session &s) override { s.environment.out << (json_ ? asJson() : asText()); }

    static std::string asText() {
        std::size_t width = 0;
        for (const pass::PassInfo &p : passRegistry().all())
            width = std::max(width, p.name.size());
        std::string out;
        for (const pass::PassInfo &p : passRegistry().all()) {
            out += padded(p.name, width) + "  " + p.summary + " [" + levels(p) + "]\n";
            for (const pass::OptionInfo &o : p.options)
                out += padded("", width) + "  " + o.name + "=" + pass::str(o.defaultValue) + "  " + o.help + "\n";
        }
        return out;
    }

    static std::string asJson() {
        json::Value list = json::Value::array();
        for (const pass::PassInfo &p : passRegistry().all()) {
            json::Value v = json::Value::object(), options = json::Value::array();
            v.set("name", p.name);
            v.set("summary", p.summary);
            v.set("needs", ir::name(p.needs));
            v.set("leaves", ir::name(p.leaves));
            if (p.fallsTo)
                v.set("fallsTo", ir::name(*p.fallsTo));
            for (const pass::OptionInfo &o : p.options) {
                json::Value option = json::Value::object();
                option.set("name", o.name);
                option.set("help", o.help);
                option.set("default", std::visit([](const auto &d) { return json::Value(d); }, o.defaultValue));
                options.push(std::move(option));
            }
            v.set("options", std::move(options));
            list.push(std::move(v));
        }
        return list.dump(2) + "\n";
    }

    bool json_ = false;
};

class Targets : public Subcommand {
    void addOptions(CommandLine &) override {}

    void run(Session &s) override {
        for (const targets::TargetInfo &t : targets::all()) {
            std::optional<std::string> pipeline = findResource("pipelines", t.name + ".yaml");
            s.environment.out << padded(t.name, 6) << t.summary << " [" << pipeline.value_or("its pipeline is not installed")
                              << "]\n";
        }
    }
};

} // namespace

std::unique_ptr<Subcommand> createPasses() { return std::make_unique<Passes>(); }
std::unique_ptr<Subcommand> createTargets() { return std::make_unique<Targets>(); }

} // namespace sdfgc::driver
