#include "sdfgc/Nest/Site.h"
#include "sdfgc/Analysis/UserSource.h"

namespace sdfgc::nest {

using namespace ir;

namespace {

/// ` (velocity.f90:680)`, without the folder; empty if the location is unknown.
std::string at(const diag::SourceLoc &source) {
    if (!source.known())
        return {};
    const std::string_view file = source.file.view();
    return " (" + std::string(file.substr(file.rfind('/') + 1)) + ":" + std::to_string(source.line) + ")";
}

std::string quoted(const std::string &label) { return "`" + label + "`"; }

/// The label of a block; the branch of a conditional block has its label.
std::string labelOf(const Block &b) {
    const Block &named = b.conditional() ? *b.conditional() : b;
    return quoted(named.label.empty() ? "#" + std::to_string(named.id()) : named.label);
}

std::string nodeText(const Node &n) {
    if (const auto *a = dyn_cast<AccessNode>(&n))
        return "the copy to " + quoted(a->data.str());
    if (n.isEntry())
        return "map " + quoted(n.label);
    return (isa<NestedSDFGNode>(&n) ? "nested SDFG " : "") + quoted(n.label);
}

} // namespace

std::string textOf(const Site &s) {
    if (s.node)
        return nodeText(*s.node) + at(analysis::userSource(*s.node));
    if (s.block)
        return (isa<LoopRegion>(s.block) ? "the header of " : "the condition of ") + labelOf(*s.block) +
               at(analysis::userSource(*s.block));
    if (s.after)
        return "an assignment after " + labelOf(*s.after) + at(analysis::userSource(*s.after));
    return {};
}

std::string blockText(const Block &b) {
    const char *kind = isa<State>(&b) ? "state " : isa<LoopRegion>(&b) ? "loop " : "";
    return kind + labelOf(b) + at(analysis::userSource(b));
}

} // namespace sdfgc::nest
