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
#include "Transforms/Offload/MemberMemory.h"
#include "Transforms/Offload/StructureArguments.h"
#include "Transforms/Offload/StructureUses.h"

#include "sdfgc/Analysis/Memory/Memories.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/Mentions.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/Identifier.h"
#include "sdfgc/Tasklet/Ast.h"

#include <algorithm>
#include <set>

namespace sdfgc::transforms {
namespace {

using namespace ir;

/// `edges.length` of `P.edges.length`.
std::string pathIn(Name member) { return member.str().substr(member.str().find('.') + 1); }

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
    explicit Flattener(SDFG &root) : root_(root), memories_(root), known_(namesGiven(root)) {}

    FlatMembers run() {
        findWritten();
        flatten(root_, false);
        for (const auto &[member, container] : locals_[&root_].containers)
            out_.moved.push_back({member, container, locals_[&root_].certain.count(member) != 0});
        if (out_.obstacle.empty())
            out_.obstacle = sharedMemory(root_, out_.moved, written_, memories_);
        if (out_.obstacle.empty())
            out_.obstacle = unknownSizes(root_, out_.moved, known_);
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
    std::vector<ShownMember> viewsIn(State &s);
    void replaceView(const ShownMember &v, bool inKernel, const std::set<Name> &control);
    void passToNested(NestedSDFGNode &n);
    void replaceMemlets(State &s);
    void findViews(SDFG &g);
    void rewriteControl(SDFG &g);
    void readByHost(SDFG &g, const std::set<Name> &control);
    Name containerFor(SDFG &g, Name member);
    AccessNode *nodeFor(State &s, const AccessNode &structure, Name member, bool certain = true);
    Name inRoot(SDFG &g, Name member);

    SDFG &root_;
    analysis::Memories memories_;
    FlatMembers out_;
    std::map<const SDFG *, Local> locals_;
    std::map<Key, AccessNode *> nodes_; // for a node of a structure and a member
    std::map<std::pair<const SDFG *, Name>, ShownBy> shownBy_;
    std::set<Name> written_;     // members of the root that dataflow writes
    const std::set<Name> known_; // names that the program receives
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

std::vector<ShownMember> Flattener::viewsIn(State &s) {
    std::string why;
    std::vector<ShownMember> found = membersShown(s, why);
    if (!why.empty())
        fail(why);
    return found;
}

void Flattener::replaceView(const ShownMember &v, bool inKernel, const std::set<Name> &control) {
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

void Flattener::flattenState(State &s, bool inKernel, const std::set<Name> &control) {
    const analysis::ScopeTree scopes(s);
    std::vector<ShownMember> views = viewsIn(s);
    for (ShownMember &v : views)
        v.isEntire = shownBy_.at({s.sdfg(), v.view->data}).isEntire;
    for (NestedSDFGNode *n : nodesOf<NestedSDFGNode>(s))
        if (n->sdfg && !failed())
            flatten(*n->sdfg, inKernel || scopes.scopeOf(n));
    for (NestedSDFGNode *n : nodesOf<NestedSDFGNode>(s))
        if (n->sdfg && !failed())
            passToNested(*n);
    for (const ShownMember &v : views)
        if (!failed())
            replaceView(v, inKernel || scopes.scopeOf(v.view), control);
    if (!failed())
        replaceMemlets(s);
    for (NestedSDFGNode *n : nodesOf<NestedSDFGNode>(s))
        if (n->sdfg && !failed())
            dropStructures(*n);
    if (!failed())
        removeUnused(s, inKernel, control);
    nodes_.clear(); // addresses of removed nodes are used again
}

void Flattener::findViews(SDFG &g) {
    for (State *s : allStates(g))
        for (const ShownMember &v : viewsIn(*s)) {
            const auto [known, isNew] = shownBy_.try_emplace({&g, v.view->data}, ShownBy{v.member, v.isEntire});
            if (isNew)
                continue;
            if (known->second.member != v.member)
                return fail("view `" + v.view->data.str() + "` shows several members");
            known->second.isEntire &= v.isEntire;
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

} // namespace

bool hasStructures(const SDFG &root) {
    return std::any_of(root.arrays.begin(), root.arrays.end(), [](const auto &entry) { return entry.second.isStructure(); });
}

FlatMembers flattenMembers(SDFG &root) { return Flattener(root).run(); }

} // namespace sdfgc::transforms
