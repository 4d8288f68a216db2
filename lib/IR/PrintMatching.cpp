// Parts of the text form, chosen by name.
#include "IR/PrintText.h"
#include "sdfgc/IR/Print.h"

#include <algorithm>

namespace sdfgc::ir {
namespace {

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

bool matches(const State &s, const std::string &part) {
    return contains(elementName(s), part) ||
           std::any_of(s.nodes().begin(), s.nodes().end(), [&](const auto &n) { return contains(elementName(*n), part); }) ||
           std::any_of(s.edges().begin(), s.edges().end(), [&](const auto &e) { return contains(elementName(*e), part); });
}

/// Is the SDFG inside one that has been printed whole?
bool isPrinted(const SDFG *g, const std::vector<const SDFG *> &done) {
    for (; g; g = g->parentSDFG())
        if (std::find(done.begin(), done.end(), g) != done.end())
            return true;
    return false;
}

} // namespace

std::optional<std::string> printMatching(const SDFG &root, const std::string &part, const PrintOptions &o) {
    std::string out;
    std::vector<const SDFG *> done;
    for (const SDFG *g : allSDFGs(root)) {
        if (isPrinted(g, done))
            continue;
        if (g->name.str() == part) {
            out += "// " + elementName(*g) + "\n" + print(*g, o);
            done.push_back(g);
            continue;
        }
        for (const State *s : allStates(*g)) {
            if (!matches(*s, part))
                continue;
            TextWriter w("  ");
            w.open("state " + s->label);
            printState(w, *s, o);
            w.close();
            out += "// " + elementName(*s) + "\n" + w.take();
        }
    }
    return out.empty() ? std::nullopt : std::optional(out);
}

} // namespace sdfgc::ir
