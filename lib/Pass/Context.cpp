#include "sdfgc/Analysis/UserSource.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Tree/Walk.h"

namespace sdfgc::pass {

Element::Element(const ir::Node &n) : name(ir::elementName(n)), source(analysis::userSource(n)) {}
Element::Element(const ir::Edge &e) : name(ir::elementName(e)), source(analysis::userSource(e)) {}
Element::Element(const ir::Block &b) : name(ir::elementName(b)), source(analysis::userSource(b)) {}
Element::Element(const ir::InterstateEdge &e, const ir::Region &r)
    : name(ir::elementName(e, r)), source(analysis::userSource(e, r)) {}
Element::Element(const ir::SDFG &g, Name container)
    : name(ir::elementName(g) + ": container " + container.str()), source(analysis::userSource(g, container)) {}

void Context::begin(const std::string &pass, const ir::SDFG *graph) {
    currentPass = pass;
    graph_ = graph;
    origins_.reset(); // the previous step may have changed the graph
}

const analysis::Origins *Context::origins() {
    if (!origins_ && graph_)
        origins_.emplace(*graph_);
    return origins_ ? &*origins_ : nullptr;
}

diag::SourceLoc Context::sourceOf(const tree::Function &f, const tree::Node &statement) {
    const analysis::Origins *all = origins();
    const auto [block, node] = all ? all->find(tree::originOf(f, statement)) : analysis::Origins::Element();
    return node ? analysis::userSource(*node) : block ? analysis::userSource(*block) : diag::SourceLoc();
}

Element Context::loop(const tree::Function &f, const tree::Node &loop) {
    const auto *counted = dyn_cast<tree::For>(&loop);
    std::string name = "function " + f.name.str() + ", loop" + (counted ? " over " + f.vars[counted->var].name.str() : "");
    return {std::move(name), sourceOf(f, loop)};
}

Element Context::program(const tree::Module &m) const {
    return {"program `" + m.name.str() + "`", graph_ ? analysis::userSource(*graph_) : diag::SourceLoc()};
}

void Context::done(Element element, std::string text) {
    remarks.push_back({.pass = currentPass, .element = std::move(element.name), .text = std::move(text), .source = element.source});
}

void Context::missed(Element element, const std::string &what, const diag::Reason &why, std::optional<sym::Expr> loss) {
    remarks.push_back(
        {currentPass, std::move(element.name), what + ": " + why.text, why.code, std::move(loss), element.source, why.hint});
}

bool Context::mayChange(Element element, std::string text) {
    if (!changeLimit || changes < *changeLimit) {
        ++changes;
        lastChange = remarks.size();
        done(std::move(element), std::move(text));
        return true;
    }
    if (!limitReached_)
        missed(std::move(element), text, {diag::Why::PassLimit, "this is change " + std::to_string(changes + 1)});
    limitReached_ = true;
    return false;
}

} // namespace sdfgc::pass
