#include "Transforms/Offload/StructureUses.h"

#include "Transforms/Edits/Nodes.h"

#include "sdfgc/Analysis/Memory/Memories.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/IR/Identifier.h"
#include "sdfgc/IR/ScopeConnectors.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;

bool isStructure(const SDFG &g, Name data) {
    const DataDesc *d = g.desc(data);
    return d && d->isStructure();
}

bool isOfStructure(const Node *n) {
    const auto *a = dyn_cast<AccessNode>(n);
    return a && isStructure(*a->state()->sdfg(), ownerOf(a->data));
}

namespace {

/// Does a view show all of a container, with the same elements at the same positions?
bool showsAll(const DataDesc &view, const DataDesc &shown, const std::optional<sym::Subset> &subset) {
    return view.kind == shown.kind && view.dtype == shown.dtype && view.shape == shown.shape && view.strides == shown.strides &&
           view.offset == shown.offset && view.startOffset == shown.startOffset && (!subset || *subset == shown.fullSubset());
}

} // namespace

std::vector<ShownMember> membersShown(State &s, std::string &why) {
    const SDFG &g = *s.sdfg();
    std::vector<ShownMember> found;
    for (AccessNode *a : nodesOf<AccessNode>(s)) {
        const DataDesc *d = g.desc(a->data);
        if (!d || !d->isView() || d->isStructure())
            continue;
        Edge *e = viewEdge(a);
        AccessNode *shown = e ? viewedNode(a) : nullptr;
        if (!isOfStructure(shown) || (e->src != shown && e->dst != shown))
            continue; // views of arrays, and views through the entry of a map, whose memlets name the member
        const std::optional<Name> member = analysis::Memories::memberOf(*a, a->data);
        if (!member) {
            why = "view `" + a->data.str() + "` shows an unknown part of `" + shown->data.str() + "`";
            return {};
        }
        const DataDesc *of = g.desc(*member);
        std::optional<sym::Subset> subset = e->memlet.data == a->data ? e->memlet.otherSubset : e->memlet.subset;
        found.push_back({a, e, shown, *member, of && showsAll(*d, *of, subset)});
    }
    return found;
}

void forTree(Edge &e, bool outgoing, const std::function<void(Edge &)> &f) {
    f(e);
    if (outgoing && e.dst->isEntry() && isScopeInput(e.dstConn)) {
        for (Edge *inner : e.dst->outEdges())
            if (inner->srcConn == pairedConnector(e.dstConn))
                forTree(*inner, true, f);
    } else if (!outgoing && e.src->isExit() && isScopeOutput(e.srcConn)) {
        for (Edge *inner : e.src->inEdges())
            if (inner->dstConn == pairedConnector(e.srcConn))
                forTree(*inner, false, f);
    }
}

void renameTree(Edge &e, bool outgoing, Name from, Name to) {
    forTree(e, outgoing, [&](Edge &part) {
        if (part.memlet.data == from)
            part.memlet.data = to;
    });
}

bool isViewOf(const Edge &e, const AccessNode &a) {
    const auto *other = dyn_cast<AccessNode>(e.src == &a ? e.dst : e.src);
    const DataDesc *d = other ? other->state()->sdfg()->desc(other->data) : nullptr;
    return d && d->isView() && viewEdge(other) == &e;
}

void removeUnused(State &s, bool inKernel, const std::set<Name> &control) {
    const SDFG &g = *s.sdfg();
    const auto data = [](const std::vector<Edge *> &edges) {
        return std::count_if(edges.begin(), edges.end(), [](const Edge *e) { return !e->memlet.isEmpty(); });
    };
    const auto isUseless = [&](const AccessNode &a) {
        const DataDesc *d = g.desc(a.data);
        if (!d || !(d->isView() || isOfStructure(&a)))
            return false;
        const auto edges = data(a.inEdges()) + data(a.outEdges());
        if (!d->isView())
            return edges == 0;
        if (!d->isStructure() && !inKernel && control.count(a.data))
            return false;
        return edges == 0 || (edges == 1 && isOfStructure(viewedNode(&a)));
    };
    for (bool more = true; more;) {
        more = false;
        for (AccessNode *a : nodesOf<AccessNode>(s)) {
            if (!isUseless(*a))
                continue;
            for (const Edge *before : a->inEdges())
                for (const Edge *after : a->outEdges())
                    if (before->memlet.isEmpty() && after->memlet.isEmpty())
                        tie(s, before->src, after->dst);
            s.removeNode(a);
            more = true;
        }
    }
}

Name memberNamed(const SDFG &g, const py::Expr &e) {
    if (e.kind == py::ExprKind::Name)
        return isStructure(g, e.name) ? e.name : Name();
    const Name base = e.args.empty() || !e.args[0] ? Name() : memberNamed(g, *e.args[0]);
    if (!base)
        return {};
    if (e.kind == py::ExprKind::Attribute && isStructure(g, base)) {
        const Name member = base.str() + "." + e.name.str();
        return g.desc(member) ? member : Name();
    }
    const bool isFirst = e.kind == py::ExprKind::Subscript && e.args.size() == 2 && e.args[1] &&
                         e.args[1]->kind == py::ExprKind::Int && e.args[1]->text == "0";
    return isFirst && isStructure(g, base) ? base : Name();
}

void forControlCode(SDFG &g, const std::function<py::ExprRef(const py::ExprRef &)> &f) {
    const auto expression = [&](Code &c) {
        if (const py::ExprRef e = c.expression())
            if (const py::ExprRef now = py::replace(e, f); !py::equal(*now, *e))
                c = Code(*now);
    };
    const auto statement = [&](std::optional<Code> &c) {
        if (const Code::Block *block = c ? c->block() : nullptr)
            if (const auto now = py::replace(*block, f); !py::equal(now, *block))
                c = Code(now);
    };
    for (InterstateEdge *e : allInterstateEdges(g)) {
        if (!e->isUnconditional())
            expression(e->condition);
        for (auto &[symbol, text] : e->assignments) {
            Code value(text);
            expression(value);
            text = value.text();
        }
    }
    for (Block *b : allBlocks(g)) {
        if (auto *l = dyn_cast<LoopRegion>(b)) {
            for (auto *part : {&l->init, &l->condition, &l->update})
                statement(*part);
        } else if (auto *c = dyn_cast<ConditionalBlock>(b)) {
            for (auto &branch : c->branches())
                if (branch.condition)
                    expression(*branch.condition);
        }
    }
}

} // namespace sdfgc::transforms
