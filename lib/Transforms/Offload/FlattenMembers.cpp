// Members of structures become containers, because kernels cannot follow pointers in a structure of the host.
//
//   before:  P -> v (view of P.x) -> map[i] -> w (view of P.y) -> P         after:  gpu_P_x -> map[i] -> gpu_P_y
//
//   before:  P -> map[b] { nested f(P) { P -> v (view of P.x) -> ... } }    after:  gpu_P_x -> map[b] { nested f(gpu_P_x) { ... } }
//
// This is the first step of offload-to-gpu for programs with structures. It runs only if the program is moved: on the host,
// containers of their own would cost copies. (The nest analysis of earlier passes follows views to members itself.)
//
//   1. Each member that dataflow uses becomes a transient of the root SDFG, which offload-to-gpu treats like the twin of an
//      argument: it copies the member in, unless all of it is overwritten first, and out if it is written. All views of a
//      member share one container. Unused members and empty structures cost nothing.
//   2. A view that shows an entire member with its layout is replaced. Others become views of the container. Conditions and
//      assignments in kernels name the container.
//   3. Nested SDFGs that received a structure receive the containers of the members that they use.
//   4. Outside of maps, control flow runs on the host and keeps reading the structure: views that it reads stay as well. It
//      sees values that kernels wrote, because offload-to-gpu copies them back first (MemberRead).
//
// Legal because members of one structure are apart unless their descriptors say that they may alias (Memories.h), so each can
// have memory of its own.
//
// Not handled; the whole program stays on the host, with a remark that names the reason:
//   - members that may share memory, one of which is written;
//   - members whose pointers change, and members of structures that the program creates;
//   - elements of arrays of structures, and structures that are used as a whole by a tasklet or a copy;
//   - structures that code in kernels uses in another way than `P.x`;
//   - members whose size needs a symbol that is not an argument.
#include "Transforms/Offload/FlattenMembers.h"

#include "Transforms/Edits/HostReads.h"
#include "Transforms/Edits/Nodes.h"

#include "sdfgc/Analysis/Memory/Memories.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/Mentions.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/Identifier.h"
#include "sdfgc/IR/ScopeConnectors.h"
#include "sdfgc/Tasklet/Ast.h"

#include <algorithm>
#include <functional>
#include <set>

namespace sdfgc::transforms {
namespace {

using namespace ir;

bool isStructure(const SDFG &g, Name data) {
    const DataDesc *d = g.desc(data);
    return d && d->isStructure();
}

/// A node of a structure, or of a member of one.
bool isOfStructure(const Node *n) {
    const auto *a = dyn_cast<AccessNode>(n);
    return a && isStructure(*a->state()->sdfg(), ownerOf(a->data));
}

/// `edges.length` of `P.edges.length`.
std::string pathIn(Name member) { return member.str().substr(member.str().find('.') + 1); }

/// Visits an edge of an access node, and the edges that continue it inside of scopes.
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

Type typeOf(const DataDesc &d) { return d.isScalar() ? d.dtype : Type::pointer(d.dtype); }

/// Does a view show all of a container, with the same elements at the same positions?
bool showsAll(const DataDesc &view, const DataDesc &shown, const std::optional<sym::Subset> &subset) {
    return view.kind == shown.kind && view.dtype == shown.dtype && view.shape == shown.shape && view.strides == shown.strides &&
           view.offset == shown.offset && view.startOffset == shown.startOffset && (!subset || *subset == shown.fullSubset());
}

/// Does a state run whenever its SDFG does?
bool alwaysRuns(const State &s) {
    for (const Region *r = s.parent(); r; r = r->parent()) {
        if (isa<LoopRegion>(r) || r->conditional())
            return false;
        if (std::any_of(r->edges().begin(), r->edges().end(), [](const auto &e) { return !e->isUnconditional(); }))
            return false;
        if (isa<SDFG>(r))
            break;
    }
    return true;
}

class Flattener {
public:
    explicit Flattener(SDFG &root) : root_(root), memories_(root) {}

    FlatMembers run() {
        const analysis::ArgumentList arguments = analysis::argumentList(root_);
        for (const auto *list : {&arguments.program, &arguments.init})
            for (const analysis::Argument &a : *list)
                known_.insert(a.name);
        for (const auto &[name, value] : root_.constants)
            known_.insert(name);
        findWritten();
        flatten(root_, false);
        for (const auto &[member, container] : locals_[&root_].containers)
            out_.moved.push_back({member, container, locals_[&root_].certain.count(member) != 0});
        if (out_.obstacle.empty())
            checkMemory();
        if (out_.obstacle.empty())
            checkSizes();
        return std::move(out_);
    }

private:
    /// The containers that replace members in one SDFG.
    struct Local {
        std::vector<std::pair<Name, Name>> containers; // of each member, by its name in the SDFG
        std::set<Name> certain;                        // members that are used whenever the SDFG runs
        Name of(Name member) const {
            for (const auto &[m, c] : containers)
                if (m == member)
                    return c;
            return {};
        }
    };
    /// A view of a member, and the edge that makes it one.
    struct Shown {
        AccessNode *view;
        Edge *edge;
        AccessNode *structure;
        Name member;
        bool isEntire;
    };
    /// What a view shows at all of its nodes.
    struct ShownBy {
        Name member;
        bool isEntire;
    };
    using Key = std::pair<const Node *, Name>;

    void fail(const std::string &why) {
        if (out_.obstacle.empty())
            out_.obstacle = why;
    }
    bool failed() const { return !out_.obstacle.empty(); }

    void findWritten();
    void flatten(SDFG &g, bool inKernel);
    void flattenState(State &s, bool inKernel, const std::set<Name> &control);
    std::vector<Shown> viewsIn(State &s);
    void replaceView(const Shown &v, bool inKernel, const std::set<Name> &control);
    void passToNested(NestedSDFGNode &n);
    void passIn(NestedSDFGNode &n, Edge &structure, Name inner, AccessNode &outer);
    void passOut(NestedSDFGNode &n, Edge &structure, Name inner, AccessNode &outer);
    void dropStructures(NestedSDFGNode &n);
    void dropPath(State &s, Edge *leaf, bool in);
    void replaceMemlets(State &s);
    void clean(State &s, bool inKernel, const std::set<Name> &control);
    void findViews(SDFG &g);
    void rewriteControl(SDFG &g);
    void readByHost(SDFG &g, const std::set<Name> &control);
    Name containerFor(SDFG &g, Name member);
    AccessNode *nodeFor(State &s, const AccessNode &structure, Name member, bool certain = true);
    Name inRoot(SDFG &g, Name member);
    void checkMemory();
    void checkSizes();

    SDFG &root_;
    analysis::Memories memories_;
    FlatMembers out_;
    std::map<const SDFG *, Local> locals_;
    std::map<Key, AccessNode *> nodes_; // for a node of a structure and a member
    std::map<std::pair<const SDFG *, Name>, ShownBy> shownBy_;
    std::set<Name> written_; // members of the root that dataflow writes
    std::set<Name> known_;   // names that the program receives
};

/// The name of a member in the root SDFG; empty if it is unknown.
Name Flattener::inRoot(SDFG &g, Name member) {
    const analysis::Place p = memories_.placeOf(g, member);
    if (p.memory < 0 || memories_.owner(p.memory).first != &root_)
        return {};
    return Name(memories_.owner(p.memory).second.str() + (p.member.path ? "." + p.member.path.str() : ""));
}

void Flattener::findWritten() {
    for (SDFG *g : allSDFGs(root_))
        for (State *s : allStates(*g))
            for (AccessNode *a : nodesOf<AccessNode>(*s)) {
                const DataDesc *d = g->desc(a->data);
                const Edge *view = d && d->isView() ? viewEdge(a) : nullptr;
                for (const Edge *e : a->inEdges()) {
                    if (e == view || e->memlet.isEmpty())
                        continue;
                    const analysis::Place p = memories_.placeOf(*a, *e);
                    if (p.member.path && p.memory >= 0 && memories_.owner(p.memory).first == &root_)
                        written_.insert(memories_.owner(p.memory).second.str() + "." + p.member.path.str());
                }
            }
}

Name Flattener::containerFor(SDFG &g, Name member) {
    Local &local = locals_[&g];
    if (const Name known = local.of(member))
        return known;
    const DataDesc *d = g.desc(member);
    if (!d || !(d->isArray() || d->isScalar()) || d->isReference() || d->isView()) {
        fail("member `" + member.str() + "` is not a plain array");
        return {};
    }
    if (g.isRoot() && g.arrays.find(ownerOf(member))->transient) {
        fail("structure `" + ownerOf(member).str() + "` is not an argument");
        return {};
    }
    std::string name = member.str();
    std::replace(name.begin(), name.end(), '.', '_');
    DataDesc own = *d;
    own.transient = g.isRoot();
    own.storage = own.isScalar() ? Storage::Register : Storage::CPU_Heap;
    own.lifetime = Lifetime::Scope;
    own.optional = std::nullopt;
    const Name container = g.addTransient((own.isScalar() ? "" : "gpu_") + name, std::move(own));
    local.containers.emplace_back(member, container);
    return container;
}

/// The node of a member's container that replaces a node of its structure. Views are followed to the structure, so that what is
/// ordered by its node stays in order.
AccessNode *Flattener::nodeFor(State &s, const AccessNode &structure, Name member, bool certain) {
    const AccessNode *base = nodeBehindViews(&structure);
    if (!base)
        base = &structure;
    if (certain && alwaysRuns(s))
        locals_[s.sdfg()].certain.insert(member);
    const auto [known, isNew] = nodes_.try_emplace({base, member}, nullptr);
    if (!isNew)
        return known->second;
    const Name container = containerFor(*s.sdfg(), member);
    if (!container)
        return nullptr;
    AccessNode *node = known->second = s.add<AccessNode>(container);
    node->debugInfo = base->debugInfo;
    const auto isOrder = [](const Edge *e) { return e->memlet.isEmpty(); };
    const std::vector<Edge *> in(base->inEdges().begin(), base->inEdges().end()),
        out(base->outEdges().begin(), base->outEdges().end());
    for (Edge *e : in)
        if (isOrder(e))
            tie(s, e->src, node);
    for (Edge *e : out)
        if (isOrder(e))
            tie(s, node, e->dst);
    return node;
}

std::vector<Flattener::Shown> Flattener::viewsIn(State &s) {
    const SDFG &g = *s.sdfg();
    std::vector<Shown> found;
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
            fail("view `" + a->data.str() + "` shows an unknown part of `" + shown->data.str() + "`");
            return {};
        }
        const DataDesc *of = g.desc(*member);
        std::optional<sym::Subset> subset = e->memlet.data == a->data ? e->memlet.otherSubset : e->memlet.subset;
        found.push_back({a, e, shown, *member, of && showsAll(*d, *of, subset)});
    }
    return found;
}

void Flattener::replaceView(const Shown &v, bool inKernel, const std::set<Name> &control) {
    State &s = *v.view->state();
    SDFG &g = *s.sdfg();
    const Name view = v.view->data;
    const bool isRead = control.count(view) != 0;
    std::vector<Edge *> in, out;
    for (Edge *e : v.view->inEdges())
        if (e != v.edge)
            in.push_back(e);
    for (Edge *e : v.view->outEdges())
        if (e != v.edge)
            out.push_back(e);
    if (in.empty() && out.empty() && !(isRead && inKernel && !v.isEntire))
        return; // for control flow, or for nothing
    AccessNode *node = nodeFor(s, *v.structure, v.member);
    if (!node)
        return;
    const bool toView = v.edge->dst == v.view;
    const auto show = [&](AccessNode *shown) {
        Memlet m = v.edge->memlet;
        if (m.data != view)
            m.data = node->data;
        if (toView)
            s.connect(node, {}, shown, v.edge->dstConn, m);
        else
            s.connect(shown, v.edge->srcConn, node, {}, m);
    };
    AccessNode *instead = node;
    if (!v.isEntire) {
        if (!isRead || inKernel) {
            show(v.view); // a view of the container
            s.removeEdge(v.edge);
            return;
        }
        const Name shownName = [&] {
            const Name known = "gpu_" + view.str();
            if (const DataDesc *d = g.arrays.find(known); d && d->isView())
                return known;
            return g.addTransient(known.str(), *g.arrays.find(view));
        }();
        instead = s.add<AccessNode>(shownName);
        instead->inConnectors = v.view->inConnectors;
        instead->outConnectors = v.view->outConnectors;
        instead->debugInfo = v.view->debugInfo;
        show(instead);
        for (Edge *e : {instead->inEdges().empty() ? nullptr : instead->inEdges().front(),
                        instead->outEdges().empty() ? nullptr : instead->outEdges().front()})
            if (e && e->memlet.data == view)
                e->memlet.data = shownName;
    }
    for (Edge *e : in) {
        renameTree(*e, false, view, instead->data);
        s.setDestination(e, instead, {});
    }
    for (Edge *e : out) {
        renameTree(*e, true, view, instead->data);
        s.setSource(e, instead, {});
    }
}

void Flattener::passIn(NestedSDFGNode &n, Edge &structure, Name inner, AccessNode &outer) {
    State &s = *n.state();
    const DataDesc &d = *s.sdfg()->arrays.find(outer.data);
    const Type type = typeOf(*n.sdfg->arrays.find(inner));
    Node *from = &outer;
    Name connector;
    for (Edge *e : memletPath(&structure)) {
        Memlet m = Memlet::simple(outer.data, d.fullSubset());
        m.volume = e->memlet.volume;
        m.dynamic = e->memlet.dynamic;
        if (e->dst == &n) {
            s.connect(from, connector, &n, inner, m);
            n.addIn(inner, type);
            return;
        }
        const Name into = scopeInput(outer.data), next = scopeOutput(outer.data);
        if (!e->dst->inEdge(into)) { // otherwise another nested SDFG has the way
            s.connect(from, connector, e->dst, into, m);
            e->dst->addIn(into, typeOf(d));
            e->dst->addOut(next, typeOf(d));
        }
        from = e->dst;
        connector = next;
    }
}

void Flattener::passOut(NestedSDFGNode &n, Edge &structure, Name inner, AccessNode &outer) {
    State &s = *n.state();
    const DataDesc &d = *s.sdfg()->arrays.find(outer.data);
    const Type type = typeOf(*n.sdfg->arrays.find(inner));
    Node *from = &n;
    Name connector = inner;
    n.addOut(inner, type);
    const std::vector<Edge *> path = memletPath(&structure);
    for (const Edge *e : path) {
        Memlet m = Memlet::simple(outer.data, d.fullSubset());
        m.volume = e->memlet.volume;
        m.dynamic = e->memlet.dynamic;
        if (e == path.back()) {
            s.connect(from, connector, &outer, {}, m);
            return;
        }
        std::string suffix = outer.data.str();
        for (int i = 0; e->dst->inConnector(scopeInput(suffix)); ++i)
            suffix = outer.data.str() + "_" + std::to_string(i);
        s.connect(from, connector, e->dst, scopeInput(suffix), m);
        e->dst->addIn(scopeInput(suffix), typeOf(d));
        e->dst->addOut(scopeOutput(suffix), typeOf(d));
        from = e->dst;
        connector = scopeOutput(suffix);
    }
}

/// Passes the containers that replace members in a nested SDFG.
void Flattener::passToNested(NestedSDFGNode &n) {
    State &s = *n.state();
    const Local inner = locals_[n.sdfg.get()];
    for (const auto &[member, container] : inner.containers) {
        const Name structure = ownerOf(member);
        const auto outer = [&](const Edge &end, const Node *node) -> AccessNode * {
            const auto *a = dyn_cast<AccessNode>(node);
            const Name base = a && ownerOf(end.memlet.data) == ownerOf(a->data) ? end.memlet.data : a ? a->data : Name();
            const std::optional<Name> shown =
                a ? analysis::Memories::memberOf(*a, Name(base.str() + "." + pathIn(member))) : std::nullopt;
            if (shown)
                return nodeFor(s, *a, *shown, inner.certain.count(member) != 0);
            fail("it is not known which structure the argument `" + structure.str() + "` of `" + n.label + "` is");
            return nullptr;
        };
        Edge *in = n.inEdge(structure), *out = n.outEdge(structure);
        const bool isWritten = writtenInDataflow(*n.sdfg, container);
        if (isWritten && !out)
            return fail("`" + n.label + "` writes `" + member.str() + "`, but does not return the structure");
        if (!in && !out)
            return fail("structure `" + structure.str() + "` in `" + n.label + "` is not an argument");
        if (in)
            if (AccessNode *node = outer(*memletPath(in).front(), pathSource(in)))
                passIn(n, *in, container, *node);
        if (isWritten && !failed())
            if (AccessNode *node = outer(*memletPath(out).back(), pathDestination(out)))
                passOut(n, *out, container, *node);
        if (failed())
            return;
    }
}

/// Removes the path of an edge at a nested SDFG, as far as no other path shares it.
void Flattener::dropPath(State &s, Edge *leaf, bool in) {
    for (Edge *e = leaf; e;) {
        Node *from = e->src, *to = e->dst, *scope = in ? from : to;
        const Name connector = in ? e->srcConn : e->dstConn;
        s.removeEdge(e);
        if (in && !isa<AccessNode>(from) && to->inEdges().empty())
            tie(s, from, to);
        if (!in && !isa<AccessNode>(to) && from->outEdges().empty())
            tie(s, from, to);
        e = nullptr;
        if (!connector || isa<AccessNode>(scope) || (in ? scope->outEdge(connector) : scope->inEdge(connector)))
            continue;
        const Name paired = pairedConnector(connector);
        e = in ? scope->inEdge(paired) : scope->outEdge(paired);
        if (in) {
            scope->removeOut(connector);
            scope->removeIn(paired);
        } else {
            scope->removeIn(connector);
            scope->removeOut(paired);
        }
    }
}

/// Removes arguments of a nested SDFG that are structures which it does not use any more.
void Flattener::dropStructures(NestedSDFGNode &n) {
    std::vector<Name> structures;
    for (const auto &[name, d] : n.sdfg->arrays)
        if (d.isStructure() && !d.transient)
            structures.push_back(name);
    if (structures.empty())
        return;
    const analysis::Mentions mentions(*n.sdfg);
    for (Name name : structures) {
        if (mentions.contain(name))
            continue;
        if (Edge *e = n.inEdge(name))
            dropPath(*n.state(), e, true);
        if (Edge *e = n.outEdge(name))
            dropPath(*n.state(), e, false);
        n.removeIn(name);
        n.removeOut(name);
        n.sdfg->arrays.erase(name);
    }
}

/// Does an edge make the node at its other end a view of this one?
bool isViewOf(const Edge &e, const AccessNode &a) {
    const auto *other = dyn_cast<AccessNode>(e.src == &a ? e.dst : e.src);
    const DataDesc *d = other ? other->state()->sdfg()->desc(other->data) : nullptr;
    return d && d->isView() && viewEdge(other) == &e;
}

/// Memlets, and access nodes, that name a member.
void Flattener::replaceMemlets(State &s) {
    const SDFG &g = *s.sdfg();
    for (AccessNode *a : nodesOf<AccessNode>(s)) {
        const Name data = a->data;
        if (!isOfStructure(a))
            continue;
        const std::vector<Edge *> in(a->inEdges().begin(), a->inEdges().end()), out(a->outEdges().begin(), a->outEdges().end());
        if (!isStructure(g, data)) { // the node names the member
            const auto moves = [a](const Edge *e) { return !e->memlet.isEmpty() && !isViewOf(*e, *a); };
            if (std::none_of(in.begin(), in.end(), moves) && std::none_of(out.begin(), out.end(), moves))
                continue;
            const std::optional<Name> member = analysis::Memories::memberOf(*a, data);
            if (!member)
                return fail("`" + data.str() + "` is an unknown part of a structure");
            AccessNode *node = nodeFor(s, *a, *member);
            if (!node)
                return;
            for (Edge *e : in)
                if (moves(e)) {
                    renameTree(*e, false, data, node->data);
                    s.setDestination(e, node, {});
                }
            for (Edge *e : out)
                if (moves(e)) {
                    renameTree(*e, true, data, node->data);
                    s.setSource(e, node, {});
                }
            continue;
        }
        const Edge *own = g.desc(data)->isView() ? viewEdge(a) : nullptr;
        for (const auto *edges : {&in, &out})
            for (Edge *e : *edges) {
                const bool outgoing = edges == &out;
                if (e == own || e->memlet.isEmpty() || isViewOf(*e, *a))
                    continue;
                const Name part = e->memlet.data;
                if (ownerOf(part) != part && ownerOf(part) == ownerOf(data) && !isStructure(g, part)) {
                    const std::optional<Name> member = analysis::Memories::memberOf(*a, part);
                    if (!member)
                        return fail("`" + part.str() + "` is an unknown part of a structure");
                    AccessNode *node = nodeFor(s, *a, *member);
                    if (!node)
                        return;
                    renameTree(*e, outgoing, part, node->data);
                    if (outgoing)
                        s.setSource(e, node, {});
                    else
                        s.setDestination(e, node, {});
                    continue;
                }
                forTree(*e, outgoing, [&](Edge &end) {
                    const Node *user = outgoing ? end.dst : end.src;
                    const bool isScope = outgoing ? user->isEntry() : user->isExit();
                    if (!isScope && !isa<NestedSDFGNode>(user))
                        fail("`" + (isa<AccessNode>(user) ? cast<AccessNode>(user)->data.str() : user->label) +
                             "` uses the structure `" + data.str() + "` as a whole");
                });
            }
    }
}

/// Removes nodes of structures, and of views of them, that have lost their users.
void Flattener::clean(State &s, bool inKernel, const std::set<Name> &control) {
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

void Flattener::flattenState(State &s, bool inKernel, const std::set<Name> &control) {
    const analysis::ScopeTree scopes(s);
    std::vector<Shown> views = viewsIn(s);
    for (Shown &v : views)
        v.isEntire = shownBy_.at({s.sdfg(), v.view->data}).isEntire;
    for (NestedSDFGNode *n : nodesOf<NestedSDFGNode>(s))
        if (n->sdfg && !failed())
            flatten(*n->sdfg, inKernel || scopes.scopeOf(n));
    for (NestedSDFGNode *n : nodesOf<NestedSDFGNode>(s))
        if (n->sdfg && !failed())
            passToNested(*n);
    for (const Shown &v : views)
        if (!failed())
            replaceView(v, inKernel || scopes.scopeOf(v.view), control);
    if (!failed())
        replaceMemlets(s);
    for (NestedSDFGNode *n : nodesOf<NestedSDFGNode>(s))
        if (n->sdfg && !failed())
            dropStructures(*n);
    if (!failed())
        clean(s, inKernel, control);
    nodes_.clear(); // addresses of removed nodes are used again
}

void Flattener::findViews(SDFG &g) {
    for (State *s : allStates(g))
        for (const Shown &v : viewsIn(*s)) {
            const auto [known, isNew] = shownBy_.try_emplace({&g, v.view->data}, ShownBy{v.member, v.isEntire});
            if (isNew)
                continue;
            if (known->second.member != v.member)
                return fail("view `" + v.view->data.str() + "` shows several members");
            known->second.isEntire &= v.isEntire;
        }
}

/// The structure, or member of one, that an expression names: `P.cells[0].area`. Empty for anything else.
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

/// Replaces expressions (py::replace) in conditions, assignments and loop headers. Code that is not Python stays.
void forControlCode(SDFG &g, const std::function<py::ExprRef(const py::ExprRef &)> &f) {
    const auto expression = [&](std::string &text) {
        if (const auto parsed = py::parseExpr(text); parsed.value)
            if (const py::ExprRef now = py::replace(*parsed.value, f); !py::equal(*now, **parsed.value))
                text = py::print(*now);
    };
    const auto statement = [&](std::optional<Code> &c) {
        if (!c || c->language != Language::Python)
            return;
        if (const auto parsed = py::parseBlock(c->text); parsed.value)
            if (const auto now = py::replace(*parsed.value, f); !py::equal(now, *parsed.value))
                c->text = py::print(now);
    };
    for (InterstateEdge *e : allInterstateEdges(g)) {
        if (!e->isUnconditional() && e->condition.language == Language::Python)
            expression(e->condition.text);
        for (auto &[symbol, text] : e->assignments)
            expression(text);
    }
    for (Block *b : allBlocks(g)) {
        if (auto *l = dyn_cast<LoopRegion>(b)) {
            for (auto *part : {&l->init, &l->condition, &l->update})
                statement(*part);
        } else if (auto *c = dyn_cast<ConditionalBlock>(b)) {
            for (auto &branch : c->branches())
                if (branch.condition && branch.condition->language == Language::Python)
                    expression(branch.condition->text);
        }
    }
}

/// In kernels, control flow reads the containers.
void Flattener::rewriteControl(SDFG &g) {
    const auto replaced = [&](const py::ExprRef &e) -> py::ExprRef {
        Name member;
        if (e->kind == py::ExprKind::Name) {
            if (const auto shown = shownBy_.find({&g, e->name}); shown != shownBy_.end() && shown->second.isEntire)
                member = shown->second.member;
        } else if (e->kind == py::ExprKind::Attribute) {
            member = memberNamed(g, *e);
            if (member && (isStructure(g, member) || g.desc(ownerOf(member))->isView()))
                member = {};
        }
        const Name container = member ? containerFor(g, member) : Name();
        return container ? py::name(container) : nullptr;
    };
    forControlCode(g, replaced);
}

/// What control flow of the host reads from members that dataflow writes.
void Flattener::readByHost(SDFG &g, const std::set<Name> &control) {
    const auto add = [&](Name name, Name member) {
        if (const Name container = containerFor(g, member))
            out_.reads.push_back({&g, {name, member, container}});
    };
    std::set<Name> named; // members that control flow names, and structures that it uses in another way
    forControlCode(g, [&](const py::ExprRef &e) -> py::ExprRef {
        const Name member = memberNamed(g, *e);
        if (!member)
            return nullptr;
        named.insert(member);
        return e;
    });
    for (Name name : control) {
        if (const auto shown = shownBy_.find({&g, name}); shown != shownBy_.end()) {
            if (written_.count(inRoot(g, shown->second.member)))
                add(name, shown->second.member);
        } else if (isStructure(g, name)) {
            const std::string inner = name.str() + ".", outer = inRoot(g, name).str() + ".";
            const auto isNamed = [&](Name member) {
                return std::any_of(named.begin(), named.end(), [&](Name n) {
                    return n == member || (isStructure(g, n) && member.str().rfind(n.str() + ".", 0) == 0);
                });
            };
            for (Name written : written_)
                if (written.str().rfind(outer, 0) == 0)
                    if (const Name member = inner + written.str().substr(outer.size()); isNamed(member))
                        add(name, member);
        }
    }
}

void Flattener::flatten(SDFG &g, bool inKernel) {
    const std::set<Name> control = analysis::containersReadByControlFlow(g);
    findViews(g);
    for (State *s : allStates(g)) {
        if (failed())
            return;
        flattenState(*s, inKernel, control);
    }
    if (!failed() && inKernel)
        rewriteControl(g);
    else if (!failed())
        readByHost(g, control);
    if (failed())
        return;
    for (const auto &[member, container] : locals_[&g].containers)
        g.arrays.find(container)->transient = g.isRoot();
    const analysis::Mentions mentions(g);
    std::vector<Name> unused;
    for (const auto &[name, d] : g.arrays) {
        if (!mentions.contain(name) && (shownBy_.count({&g, name}) || (d.isStructure() && d.isView())))
            unused.push_back(name);
        else if (inKernel && d.isStructure() && mentions.contain(name))
            return fail("code in a kernel uses the structure `" + name.str() + "`");
    }
    for (Name name : unused)
        g.arrays.erase(name);
}

void Flattener::checkMemory() {
    struct Moved {
        Name name;
        analysis::Place place;
        bool isMember, isWritten;
    };
    std::vector<Moved> all;
    for (const MovedMember &m : out_.moved)
        all.push_back({m.member, memories_.placeOf(root_, m.member), true, written_.count(m.member) != 0});
    for (const auto &[name, d] : root_.arrays)
        if (d.isArray() && !d.transient && !d.isView())
            all.push_back({name, memories_.placeOf(root_, name), false, writtenInDataflow(root_, name)});
    for (const Moved &m : all)
        if (m.isMember && !m.place.member.fixed)
            return fail("the pointer of member `" + m.name.str() + "` changes");
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if ((all[i].isMember || all[j].isMember) && (all[i].isWritten || all[j].isWritten) &&
                !memories_.apart(all[i].place, all[j].place))
                return fail("`" + all[j].name.str() + "` and `" + all[i].name.str() +
                            "` may share memory, and the program writes one of them");
}

void Flattener::checkSizes() {
    for (const MovedMember &m : out_.moved) {
        const DataDesc &d = *root_.arrays.find(m.container);
        if (d.isScalar())
            continue;
        const auto isUndefined = [](sym::Expr e) { return e.isUndefined(); };
        if (isUndefined(d.totalSize) || std::any_of(d.shape.begin(), d.shape.end(), isUndefined) ||
            std::any_of(d.strides.begin(), d.strides.end(), isUndefined))
            return fail("the size of `" + m.member.str() + "` is undefined");
        for (Name symbol : d.freeSymbols())
            if (!known_.count(symbol))
                return fail("the size of `" + m.member.str() + "` needs `" + symbol.str() +
                            "`, which is not an argument of the program");
    }
}

} // namespace

bool hasStructures(const SDFG &root) {
    return std::any_of(root.arrays.begin(), root.arrays.end(), [](const auto &entry) { return entry.second.isStructure(); });
}

FlatMembers flattenMembers(SDFG &root) { return Flattener(root).run(); }

} // namespace sdfgc::transforms
