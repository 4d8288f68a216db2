// Parts of the text form, chosen by name.
#include "Serialize/Text/Printer.h"

#include <algorithm>

namespace sdfgc::serialize {
namespace {

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

bool matches(const ir::State &s, const std::string &part) {
    return contains(ir::elementName(s), part) ||
           std::any_of(s.nodes().begin(), s.nodes().end(), [&](const auto &n) { return contains(ir::elementName(*n), part); }) ||
           std::any_of(s.edges().begin(), s.edges().end(), [&](const auto &e) { return contains(ir::elementName(*e), part); });
}

/// Is the SDFG inside one that has been printed whole?
bool isPrinted(const ir::SDFG *g, const std::vector<const ir::SDFG *> &done) {
    for (; g; g = g->parentSDFG())
        if (std::find(done.begin(), done.end(), g) != done.end())
            return true;
    return false;
}

} // namespace

std::optional<std::string> printMatching(const ir::SDFG &root, const std::string &part, const PrintOptions &o) {
    std::string out;
    std::vector<const ir::SDFG *> done;
    for (const ir::SDFG *g : ir::allSDFGs(root)) {
        if (isPrinted(g, done))
            continue;
        if (g->name.str() == part) {
            out += "// " + ir::elementName(*g) + "\n" + print(*g, o);
            done.push_back(g);
            continue;
        }
        for (const ir::State *s : ir::allStates(*g)) {
            if (!matches(*s, part))
                continue;
            text::Printer p(o);
            p.stateAlone(*g, *s);
            out += "// " + ir::elementName(*s) + "\n" + p.take();
        }
    }
    return out.empty() ? std::nullopt : std::optional(out);
}

} // namespace sdfgc::serialize
