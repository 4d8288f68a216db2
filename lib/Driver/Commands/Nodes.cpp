// sdfgc nodes: lists library nodes and their expansions, from the table; also generates the documentation pages.
#include "Driver/Subcommand.h"
#include "sdfgc/LibraryNodes/LibraryNodes.h"
#include "sdfgc/Support/Json.h"

#include <algorithm>
#include <ostream>

namespace sdfgc::driver {
namespace {

using libnodes::Definition;

/// `blas.Gemm`; `onnx` for all classes of a library.
std::string nameOf(const Definition &d) {
    return d.className == "*" ? std::string(d.library) : std::string(d.library) + "." + std::string(d.className);
}

std::string nodesText() {
    std::size_t width = 0;
    for (const Definition &d : libnodes::all())
        width = std::max(width, nameOf(d).size());
    std::string out;
    for (const Definition &d : libnodes::all()) {
        const std::string name = nameOf(d), end = d.expand ? " [" + std::string(d.implementations) + "]" : "; refused";
        out += name + std::string(width - name.size(), ' ') + "  " + std::string(d.summary) + end + "\n";
    }
    return out + "\n`sdfgc nodes NODE` describes one of them.\n";
}

std::string_view gradientOf(libnodes::Gradient g) {
    switch (g) {
    case libnodes::Gradient::Rule:
        return "by a rule";
    case libnodes::Gradient::Expanded:
        return "the class of its expansion without a library";
    case libnodes::Gradient::Passive:
        return "not needed: its results are not floating-point numbers";
    case libnodes::Gradient::None:
        break;
    }
    return "none";
}

/// The contents of a page as pairs of title and text; empty texts are left out.
std::vector<std::pair<std::string, std::string>> facts(const Definition &d) {
    std::vector<std::pair<std::string, std::string>> out;
    auto add = [&](const char *title, std::string_view text) {
        if (!text.empty())
            out.emplace_back(title, text);
    };
    add("class", d.className == "*" ? "every class of dace.libraries." + std::string(d.library)
                                    : "dace.libraries." + std::string(d.library) + ".nodes. ... ." + std::string(d.className));
    std::string former;
    for (std::string_view library : libnodes::formerLibraries(d))
        former += (former.empty() ? "" : ", ") + std::string(library);
    add("in earlier versions in", former);
    if (!d.expand) {
        add("refused", d.refusal);
        return out;
    }
    add("implementations", d.implementations);
    add("element types", d.types);
    add("without a library", d.pure);
    add("calls on the host", d.calls);
    add("when it calls them", d.when);
    add("in device memory", d.device);
    add("gradient", gradientOf(d.gradient));
    return out;
}

std::string describe(const Definition &d) {
    std::string out = nameOf(d) + ": " + std::string(d.summary) + "\n\n";
    for (const auto &[title, text] : facts(d))
        out += "  " + title + std::string(24 - title.size(), ' ') + text + "\n";
    return out;
}

json::Value asJson(const Definition &d) {
    json::Value v = json::Value::object();
    v.set("name", nameOf(d));
    v.set("summary", d.summary);
    v.set("expanded", d.expand != nullptr);
    for (const auto &[title, text] : facts(d))
        v.set(title, text);
    return v;
}

/// Escapes text for a table cell.
std::string cell(const std::string &text) {
    std::string out;
    for (char c : text)
        out += c == '|' || c == '*' ? std::string("\\") + c : std::string(1, c);
    return out;
}

std::string page(const Definition &d) {
    std::string out = "# " + nameOf(d) + "\n\n" + cell(std::string(d.summary)) + "\n\n| | |\n|---|---|\n";
    for (const auto &[title, text] : facts(d))
        out += "| " + title + " | " + cell(text) + " |\n";
    return out + "\n[Library nodes](../library-nodes.md) says how an implementation is chosen.\n";
}

std::string nodesIndex() {
    std::string out = "# Library nodes\n\n| node | what it computes | |\n|---|---|---|\n";
    for (const Definition &d : libnodes::all())
        out += "| [" + nameOf(d) + "](" + nameOf(d) + ".md) | " + cell(std::string(d.summary)) + " | " +
               (d.expand ? std::string(d.implementations) : "refused") + " |\n";
    return out;
}

class Nodes : public Subcommand {
    void addOptions(CommandLine &line) override {
        line.argument("NODE", node_, "node to describe, as in `blas.Gemm` or `Gemm` (default: list all)", true);
        line.group("Output");
        line.flag("--json", json_, "print JSON");
        line.text("--markdown", folder_, "DIR", "write the pages of the documentation to DIR");
    }

    void run(Session &s) override {
        std::vector<const Definition *> chosen;
        for (const Definition &d : libnodes::all())
            if (node_.empty() || nameOf(d) == node_ || d.className == node_)
                chosen.push_back(&d);
        if (chosen.empty())
            return reportUnknown(s);
        if (!folder_.empty())
            return s.writePages(folder_, pages(chosen));
        if (json_) {
            json::Value list = json::Value::array();
            for (const Definition *d : chosen)
                list.push(asJson(*d));
            s.environment.out << list.dump(2) << '\n';
        } else if (node_.empty()) {
            s.environment.out << nodesText();
        } else {
            for (const Definition *d : chosen)
                s.environment.out << describe(*d);
        }
    }

    void reportUnknown(Session &s) const {
        std::vector<std::string> names;
        for (const Definition &d : libnodes::all()) {
            names.push_back(nameOf(d));
            names.emplace_back(d.className);
        }
        const std::string near = diag::nearest(node_, names);
        s.diags.report(diag::Id::OptionValueUnknown, {}, node_, "NODE",
                       near.empty() ? "`sdfgc nodes` lists all" : "did you mean `" + near + "`?");
    }

    static std::vector<std::pair<std::string, std::string>> pages(const std::vector<const Definition *> &nodes) {
        std::vector<std::pair<std::string, std::string>> out{{"README", nodesIndex()}};
        for (const Definition *d : nodes)
            out.emplace_back(nameOf(*d), page(*d));
        return out;
    }

    std::string node_, folder_;
    bool json_ = false;
};

} // namespace

std::unique_ptr<Subcommand> createNodes() { return std::make_unique<Nodes>(); }

} // namespace sdfgc::driver
