// fill-scope-connectors: give every data edge at a scope node a connector, and list every connector that edges use.
//
//   before:  A -> map[i] (no connector)          after:  A -> IN_1 map[i]
//            map[i] -> tasklet.a  (A[i])                  map[i] OUT_1 -> tasklet.a  (A[i])
//
// Hand-written files and old versions omit the connectors of scopes (format reference 6.5, end). Later passes follow
// memlet paths by the names IN_x and OUT_x, so they must be explicit.
//
// For each node:
//   1. list the connectors that its edges name;
//   2. at a scope node, name the edges on the outer side (into an entry, out of an exit): with a suffix that the inner
//      side already uses for the same container and that has no outer edge, otherwise with the next free number;
//   3. name the edges on the inner side after the container that they carry.
//
// From here on all paths have two ends, so the verifier can now report mismatches in terms of the graph.
//
// Not handled: ordering edges (empty memlets), existing connectors, and dynamic map ranges.
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/IR/ScopeConnectors.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;

/// One side of a scope node: its edges and which end of them is at the node.
struct Side {
    const std::vector<Edge *> &edges;
    Name Edge::*connector;
    std::string_view prefix;
};

Side outerSide(const Node &n) {
    return n.isEntry() ? Side{n.inEdges(), &Edge::dstConn, scopeInputPrefix}
                       : Side{n.outEdges(), &Edge::srcConn, scopeOutputPrefix};
}
Side innerSide(const Node &n) {
    return n.isEntry() ? Side{n.outEdges(), &Edge::srcConn, scopeOutputPrefix}
                       : Side{n.inEdges(), &Edge::dstConn, scopeInputPrefix};
}

/// `x` of `IN_x`; nothing for other connectors (dynamic ranges, none).
std::optional<std::string> suffixOf(const Side &side, const Edge &e) {
    const std::string &text = (e.*side.connector).str();
    if (text.rfind(side.prefix, 0) != 0)
        return std::nullopt;
    return text.substr(side.prefix.size());
}

bool isUnnamed(const Side &side, const Edge &e) { return (e.*side.connector).empty() && !e.memlet.isEmpty(); }

const Edge *edgeWithSuffix(const Side &side, const std::string &suffix) {
    for (const Edge *e : side.edges)
        if (suffixOf(side, *e) == suffix)
            return e;
    return nullptr;
}

class ScopeNodeFiller {
public:
    ScopeNodeFiller(Node &n, pass::Context &c) : node_(n), context_(c), outer_(outerSide(n)), inner_(innerSide(n)) {}

    bool run() {
        for (Edge *e : outer_.edges)
            if (isUnnamed(outer_, *e)) {
                name(outer_, *e, suffixForOuter(*e));
                named_.push_back(e);
            }
        for (Edge *e : inner_.edges)
            if (isUnnamed(inner_, *e))
                nameInner(*e);
        for (const Edge *e : named_)
            if (!edgeWithSuffix(inner_, *suffixOf(outer_, *e)))
                unmatched(*e);
        return changed_;
    }

private:
    void name(const Side &side, Edge &e, const std::string &suffix) {
        Name connector(std::string(side.prefix) + suffix);
        e.*side.connector = connector;
        if (side.connector == &Edge::dstConn)
            node_.addIn(connector);
        else
            node_.addOut(connector);
        changed_ = true;
    }

    /// A suffix that the inner side uses for this container and that lacks its outer edge, else the smallest free number.
    std::string suffixForOuter(const Edge &e) const {
        for (const Edge *in : inner_.edges)
            if (auto s = suffixOf(inner_, *in); s && in->memlet.data == e.memlet.data && !edgeWithSuffix(outer_, *s))
                return *s;
        for (int i = 1;; ++i)
            if (std::string s = std::to_string(i); !edgeWithSuffix(outer_, s) && !edgeWithSuffix(inner_, s))
                return s;
    }

    /// The outer edge that carries the same container; a single outer edge that no other inner edge uses serves for a memlet that
    /// is written in terms of the container at its other end.
    void nameInner(Edge &e) {
        const Edge *match = nullptr, *unused = nullptr;
        std::size_t unusedCount = 0;
        for (const Edge *o : outer_.edges) {
            auto s = suffixOf(outer_, *o);
            if (!s)
                continue;
            if (!match && o->memlet.data == e.memlet.data)
                match = o;
            if (!edgeWithSuffix(inner_, *s)) {
                ++unusedCount;
                unused = o;
            }
        }
        if (!match && unusedCount == 1)
            match = unused;
        if (!match) {
            unmatched(e);
            return;
        }
        name(inner_, e, *suffixOf(outer_, *match));
    }

    void unmatched(const Edge &e) {
        diag::Location place = analysis::placeOf(e);
        place.file = context_.options.file;
        context_.diags.report(diag::Id::ScopeConnectorUnmatched, place, e.memlet.data.str());
    }

    Node &node_;
    pass::Context &context_;
    Side outer_, inner_;
    std::vector<const Edge *> named_; // outer ones
    bool changed_ = false;
};

/// Lists the connectors that edges name but the node does not.
bool listConnectors(Node &n) {
    bool changed = false;
    for (const Edge *e : n.inEdges())
        if (e->dstConn && !n.inConnector(e->dstConn)) {
            n.addIn(e->dstConn);
            changed = true;
        }
    for (const Edge *e : n.outEdges())
        if (e->srcConn && !n.outConnector(e->srcConn)) {
            n.addOut(e->srcConn);
            changed = true;
        }
    return changed;
}

class FillScopeConnectors : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        bool changed = false, filled = false;
        for (SDFG *g : allSDFGs(root))
            for (State *s : allStates(*g))
                for (const auto &n : s->nodes()) {
                    changed |= listConnectors(*n);
                    if (n->isEntry() || n->isExit())
                        filled |= ScopeNodeFiller(*n, context).run();
                }
        if (filled && !context.diags.hasErrors())
            analysis::verify(root, Level::Loaded, context.diags, context.options.file);
        return changed || filled;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createFillScopeConnectors() { return std::make_unique<FillScopeConnectors>(); }

} // namespace sdfgc::transforms
