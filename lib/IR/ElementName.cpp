// Stable, readable names of graph elements. Used for diagnostics, dumps and remarks: these functions succeed for any element.
#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Support/Text.h"

namespace sdfgc::ir {
namespace {

std::string nodeText(const Node &n) {
    std::string label = n.label.empty() ? "#" + std::to_string(n.id()) : n.label;
    switch (n.kind()) {
    case NodeKind::Access:
        return "access node " + static_cast<const AccessNode &>(n).data.str();
    case NodeKind::Tasklet:
        return "tasklet " + label;
    case NodeKind::NestedSDFG:
        return "nested SDFG " + label;
    case NodeKind::MapEntry:
        return "map " + label + "[" + text::joined(static_cast<const MapEntry &>(n).params) + "]";
    case NodeKind::MapExit:
        return "exit of map " + label;
    case NodeKind::ConsumeEntry:
        return "consume scope " + label;
    case NodeKind::ConsumeExit:
        return "exit of consume scope " + label;
    case NodeKind::Library:
        return "library node " + static_cast<const LibraryNode &>(n).className() + " " + label;
    }
    return label;
}

std::string_view blockWord(BlockKind k) {
    switch (k) {
    case BlockKind::State:
        return "state ";
    case BlockKind::Loop:
        return "loop ";
    case BlockKind::Conditional:
        return "conditional ";
    case BlockKind::Break:
        return "break ";
    case BlockKind::Continue:
        return "continue ";
    case BlockKind::Return:
        return "return ";
    case BlockKind::SDFG:
        return "SDFG ";
    default:
        return "region ";
    }
}

} // namespace

std::string elementName(const SDFG &g) {
    const SDFG *up = g.parentSDFG();
    return up ? elementName(*g.parentNode) + ": " + g.name.str() : g.name.str();
}

std::string elementName(const Block &b) {
    if (b.kind() == BlockKind::SDFG)
        return elementName(static_cast<const SDFG &>(b));
    const SDFG *g = b.sdfg();
    std::string label = b.label.empty() ? "#" + std::to_string(b.id()) : b.label;
    return (g ? elementName(*g) + ": " : "") + std::string(blockWord(b.kind())) + label;
}

std::string elementName(const Node &n) { return (n.state() ? elementName(*n.state()) + ", " : "") + nodeText(n); }

std::string elementName(const Edge &e) {
    auto end = [](const Node *n, Name conn) { return n ? nodeText(*n) + (conn ? "." + conn.str() : "") : std::string("?"); };
    std::string state = e.src && e.src->state() ? elementName(*e.src->state()) + ", " : "";
    return state + "edge " + end(e.src, e.srcConn) + " -> " + end(e.dst, e.dstConn);
}

std::string elementName(const InterstateEdge &e, const Region &r) {
    auto end = [](const Block *b) { return b ? (b->label.empty() ? "#" + std::to_string(b->id()) : b->label) : std::string("?"); };
    return elementName(static_cast<const Block &>(r)) + ", edge " + end(e.src) + " -> " + end(e.dst);
}

} // namespace sdfgc::ir
