#include "sdfgc/CodeGen/DevicePrinters.h"

#include "sdfgc/Platform/Libraries.h"
#include "sdfgc/Tree/Walk.h"

#include <algorithm>

namespace sdfgc::codegen {

using namespace tree;

namespace {

/// The variables that copies without a node number write on the host.
void flagTargets(const Function &f, const Block &b, std::set<VarId> &out) {
    for (const NodePtr &n : b.body) {
        if (const auto *c = dyn_cast<DeviceCopy>(n.get()); c && c->node < 0)
            out.insert(rootOf(f, f.refs[c->target].var));
        forEachBlock(std::as_const(*n), [&](const Block &inner) { flagTargets(f, inner, out); });
    }
}

} // namespace

GraphPrinter::GraphPrinter(const Module &m, const Function &f, const Output &out) : QueuePrinter(m, f, out) {
    flagTargets(f_, f_.body, flags_);
}

/// Does the statement copy a loop's flag to the host? In a graph the device reads flags itself.
bool GraphPrinter::bringsFlag(const Node &n) const {
    if (const auto *d = dyn_cast<Declare>(&n))
        return flags_.count(d->var) != 0;
    if (const auto *b = dyn_cast<Block>(&n))
        return std::all_of(b->body.begin(), b->body.end(), [this](const NodePtr &inner) { return bringsFlag(*inner); });
    const auto *c = dyn_cast<DeviceCopy>(&n);
    return n.kind == TreeKind::Synchronise || (c && c->node < 0);
}

/// Includes the comment that precedes it.
bool GraphPrinter::isLeftOut(const Block &b, std::size_t i) const {
    const bool isComment = b.body[i]->kind == TreeKind::Comment && i + 1 < b.body.size();
    return bringsFlag(*b.body[i]) || (isComment && bringsFlag(*b.body[i + 1]));
}

/// The nodes that precede one.
std::string GraphPrinter::after(const GraphNode &g) const { return list(g.after); }

std::string GraphPrinter::operation(const char *name, int, const GraphNode &g) const {
    return std::string("graph.") + name + "(" + after(g);
}

std::string GraphPrinter::launchCall(const Launch &l, const std::string &kernel, const std::string &how) const {
    return "graph.kernel<" + kernel + ">(" + how + ", " + after(l);
}

void GraphPrinter::operationComment(const Node &n, const GraphNode &g) {
    comment("node " + std::to_string(g.node) + (n.comment.empty() ? "" : ": " + n.comment));
}

void GraphPrinter::print(const LibraryCall &c) {
    const std::size_t dot = c.function.rfind('.');
    const std::string object = c.function.substr(0, dot), name = c.function.substr(dot + 1);
    const platform::Environment *environment = platform::environmentOfCall(object.substr(object.find_last_of('>') + 1) + ".");
    std::string text = "graph.call({" + textLiteral(name) + ", " + textLiteral(c.element) + "}, " + after(c) + ", " + object +
                       ", " + std::string(platform::recordedIn(*environment)) + "::" + name;
    for (const LibraryCall::Argument &a : c.arguments)
        text += ", " + argument(a);
    operationComment(c, c);
    w_.line(text + ");");
}

/// A loop or branch that the device decides on. Its nodes are numbered separately.
void GraphPrinter::print(const Loop &l) {
    const bool isBranch = l.form == Loop::Once;
    const std::string name = l.comment.starts_with("loop ") ? l.comment.substr(5) : isBranch ? "branch" : "loop";
    operationComment(l, l);
    w_.line(std::string("graph.") + (isBranch ? "branch" : "loop") + "({" + textLiteral(name) + "}, " + after(l) + ", " +
            addressOf(l.flag) + ");");
    w_.open();
    statements(l.body);
    w_.close();
    w_.line("graph.end();");
}

} // namespace sdfgc::codegen
