#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Tree/Walk.h"

namespace sdfgc::pass {
namespace {

constexpr std::string_view ownFolders[] = {"dace/sdfg/", "dace/frontend/", "dace/transformation/", "dace/libraries/"};

using ir::DebugInfo;

/// Is it a location in a user's program? DaCe gives elements that it adds itself lines of its own sources.
bool isOfUser(const DebugInfo &d) {
    const std::string_view file = d.file.view();
    return d.known() && std::none_of(std::begin(ownFolders), std::end(ownFolders),
                                     [&](std::string_view folder) { return file.find(folder) != std::string_view::npos; });
}

/// The entry of an exit; null if there is none. For any other node, the node itself.
const ir::Node *entryOf(const ir::Node *n) {
    if (const auto *m = dyn_cast<ir::MapExit>(n))
        return m->entry;
    const auto *c = dyn_cast<ir::ConsumeExit>(n);
    return c ? c->entry : n;
}

/// The scope of a node, as determined by its incoming edges; null at the top level of a state.
const ir::Node *scopeAround(const ir::Node &n) {
    const ir::Node *at = entryOf(&n);
    while (at && !at->inEdges().empty()) {
        at = at->inEdges().front()->src;
        if (at->isEntry())
            return at;
        at = entryOf(at);
    }
    return nullptr;
}

DebugInfo debugInfoOf(const ir::Node &n);

DebugInfo debugInfoOf(const ir::Block &b) {
    for (const ir::Block *at = &b; at; at = at->parent()) {
        if (isOfUser(at->debugInfo))
            return at->debugInfo;
        if (at->conditional() && isOfUser(at->conditional()->debugInfo))
            return at->conditional()->debugInfo;
        const auto *g = dyn_cast<ir::SDFG>(at);
        if (g && g->parentNode)
            return debugInfoOf(*g->parentNode);
    }
    return {};
}

DebugInfo debugInfoOf(const ir::Node &n) {
    for (const ir::Node *at = &n; at; at = scopeAround(*at))
        if (isOfUser(at->debugInfo))
            return at->debugInfo;
    return n.state() ? debugInfoOf(*n.state()) : DebugInfo();
}

diag::SourceLoc sourceOf(const DebugInfo &d) {
    return d.known() ? diag::SourceLoc{d.file, d.startLine, d.startColumn, d.endLine, d.endColumn} : diag::SourceLoc();
}

/// The debug information of the memlet, or else that of the edge's ends.
DebugInfo debugInfoOf(const ir::Edge &e) {
    if (isOfUser(e.memlet.debugInfo) || !e.src || !e.dst)
        return e.memlet.debugInfo;
    return isOfUser(e.src->debugInfo) ? e.src->debugInfo : debugInfoOf(*e.dst);
}

} // namespace

Element::Element(const ir::Node &n) : name(ir::elementName(n)), source(sourceOf(debugInfoOf(n))) {}
Element::Element(const ir::Edge &e) : name(ir::elementName(e)), source(sourceOf(debugInfoOf(e))) {}
Element::Element(const ir::Block &b) : name(ir::elementName(b)), source(sourceOf(debugInfoOf(b))) {}
Element::Element(const ir::InterstateEdge &e, const ir::Region &r)
    : name(ir::elementName(e, r)), source(sourceOf(isOfUser(e.debugInfo) ? e.debugInfo : debugInfoOf(r))) {}
Element::Element(const ir::SDFG &g, Name container) : name(ir::elementName(g) + ": container " + container.str()) {
    const ir::DataDesc *d = g.desc(container);
    source = sourceOf(d && isOfUser(d->debugInfo) ? d->debugInfo : debugInfoOf(g));
}

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
    return pass::sourceOf(node ? debugInfoOf(*node) : block ? debugInfoOf(*block) : DebugInfo());
}

Element Context::loop(const tree::Function &f, const tree::Node &loop) {
    const auto *counted = dyn_cast<tree::For>(&loop);
    std::string name = "function " + f.name.str() + ", loop" + (counted ? " over " + f.vars[counted->var].name.str() : "");
    return {std::move(name), sourceOf(f, loop)};
}

Element Context::program(const tree::Module &m) const {
    return {"program `" + m.name.str() + "`", graph_ ? pass::sourceOf(debugInfoOf(*graph_)) : diag::SourceLoc()};
}

void Context::done(Element element, std::string text) {
    remarks.push_back({.pass = currentPass, .element = std::move(element.name), .text = std::move(text), .source = element.source});
}

void Context::missed(Element element, const std::string &what, const diag::Reason &why, std::optional<sym::Expr> loss) {
    remarks.push_back({currentPass, std::move(element.name), what + ": " + why.text, why.code, std::move(loss), element.source});
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
