#include "sdfgc/Analysis/Memory/Memories.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Scopes.h"

#include <algorithm>

namespace sdfgc::analysis {

using namespace ir;

namespace {

constexpr int mostViews = 64; // of views; more of them are a cycle

/// The access node at the far end of an edge's path, if there is one.
const AccessNode *end(const Edge *e, bool source) { return dyn_cast<AccessNode>(source ? pathSource(e) : pathDestination(e)); }

/// The text behind the first dot: the path of a member.
std::string_view membersIn(Name data) {
    const std::size_t dot = data.view().find('.');
    return dot == std::string_view::npos ? std::string_view() : data.view().substr(dot + 1);
}

/// The text of `data` behind `base` and a dot; empty if it is no member of `base`.
std::string_view membersBehind(Name data, Name base) {
    const std::string_view text = data.view(), prefix = base.view();
    return text.size() > prefix.size() && text.substr(0, prefix.size()) == prefix && text[prefix.size()] == '.'
               ? text.substr(prefix.size() + 1)
               : std::string_view();
}

template <class F> void forEachPart(std::string_view path, const F &f) {
    while (!path.empty()) {
        const std::size_t dot = path.find('.');
        f(path.substr(0, dot));
        path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
    }
}

void join(std::string &path, std::string_view inner) {
    if (!path.empty() && !inner.empty())
        path += '.';
    path += inner;
}

/// Is one path a prefix of the other?
bool isPrefix(std::string_view a, std::string_view b) {
    return a.empty() || (b.substr(0, a.size()) == a && (b.size() == a.size() || b[a.size()] == '.'));
}
bool overlap(Name a, Name b) { return isPrefix(a.view(), b.view()) || isPrefix(b.view(), a.view()); }

std::string commonPath(const std::string &a, const std::string &b) {
    std::vector<std::string_view> parts;
    forEachPart(b, [&parts](std::string_view part) { parts.push_back(part); });
    std::string out;
    std::size_t k = 0;
    bool same = true;
    forEachPart(a, [&](std::string_view part) {
        same = same && k < parts.size() && parts[k] == part;
        ++k;
        if (same)
            join(out, part);
    });
    return out;
}

Type structType(Type t) { return t.isStruct() ? t : t.isPointer() && t.element().isStruct() ? t.element() : Type(); }

Name structName(const DataDesc &d) {
    const Type t = structType(d.dtype);
    return t.isStruct() ? t.name() : d.structName;
}

/// May a value of the type have addresses in it? A structure without known fields may.
bool holdsAddresses(Type t) {
    if (t.isPointer())
        return true;
    if (!t.isStruct())
        return false;
    return t.fields().empty() ||
           std::any_of(t.fields().begin(), t.fields().end(), [](const auto &field) { return holdsAddresses(field.second); });
}

/// Are the elements structures?
bool holdsStructures(const DataDesc &d) {
    return !d.isStructure() && (d.elementDesc ? d.elementDesc->isStructure() : structType(d.dtype).isStruct());
}

/// Does it, a member of it, or its element have a property?
template <class Property> bool hasPart(const DataDesc &d, const Property &property) {
    return property(d) || (d.elementDesc && hasPart(*d.elementDesc, property)) ||
           std::any_of(d.members.begin(), d.members.end(), [&](const auto &m) { return hasPart(*m.second, property); });
}

bool isAliasing(const DataDesc &d) { return d.mayAlias; }

/// May a member share memory with others, by its own descriptor, those around it, or those in it? An unknown member may.
bool memberMayAlias(const DataDesc *d, std::string_view path) {
    bool may = false;
    forEachPart(path, [&](std::string_view part) {
        d = !d ? nullptr : part == "*" ? d->elementDesc.get() : d->member(Name(part));
        may |= d && d->mayAlias;
    });
    return may || !d || hasPart(*d, isAliasing);
}

/// Adds the paths of members that are references.
void addReferences(const DataDesc &d, const std::string &path, std::set<Name> &out) {
    for (const auto &[name, member] : d.members) {
        std::string inner = path;
        join(inner, name.view());
        if (member->isReference())
            out.insert(Name(inner));
        addReferences(*member, inner, out);
    }
    if (d.elementDesc) {
        std::string inner = path;
        join(inner, "*");
        addReferences(*d.elementDesc, inner, out);
    }
}

} // namespace

Memories::Memories(SDFG &root) : root_(&root) { find(root); }

void Memories::find(SDFG &root) {
    const std::vector<SDFG *> all = allSDFGs(root);
    for (SDFG *g : all)
        findReferences(*g);
    for (SDFG *g : all)
        findNewPointers(*g);
}

void Memories::replaced(const std::vector<const SDFG *> &gone, const std::vector<SDFG *> &made) {
    if (merges_) { // perhaps with memories of SDFGs that are gone
        const int64_t next = version_ + 1;
        *this = Memories(*root_);
        version_ = next;
        return;
    }
    for (const SDFG *g : gone)
        for (auto p = positions_.lower_bound({g, Name()}); p != positions_.end() && p->first.first == g;)
            p = positions_.erase(p);
    for (SDFG *g : made)
        find(*g);
}

// ---- paths

/// Extends a path by members of `from`.
void Memories::descend(Path &path, const SDFG &g, Name from, std::string_view members) {
    std::string at = from.str();
    forEachPart(members, [&](std::string_view member) {
        const DataDesc *d = path.closed ? nullptr : g.desc(Name(at));
        path.closed = !d || !(d->isStructure() || holdsStructures(*d));
        if (!path.closed && !d->isStructure())
            join(path.text, "*");
        if (!path.closed)
            join(path.text, member);
        join(at, member);
    });
}

void Memories::append(Path &path, const Path &inner) {
    if (path.closed)
        return;
    join(path.text, inner.text);
    path.closed = inner.closed;
}

Memories::Local Memories::localOf(const AccessNode &n, int views) {
    const SDFG &g = *n.state()->sdfg();
    Local out{ownerOf(n.data), {}};
    const DataDesc *d = g.arrays.find(out.root);
    const Edge *e = d && d->isView() ? viewEdge(&n) : nullptr;
    if (const AccessNode *viewed = e && views < mostViews ? viewedNode(&n) : nullptr)
        out = shownAt(*viewed, *e, e->dst == &n ? e->srcConn : e->dstConn, *d, views + 1);
    descend(out.path, g, ownerOf(n.data), membersIn(n.data));
    return out;
}

/// What an edge at an access node shows to a container with the descriptor `as`.
Memories::Local Memories::shownAt(const AccessNode &base, const Edge &e, Name connector, const DataDesc &as, int views) {
    const SDFG &g = *base.state()->sdfg();
    Local out = localOf(base, views);
    const DataDesc *d = g.desc(base.data);
    std::string shown = base.data.str();
    std::string_view members = membersBehind(e.memlet.data, base.data);
    if (members.empty() && connector && d && d->isStructure() && d->member(connector))
        members = connector.view();
    if (members.empty() && e.memlet.data != base.data && ownerOf(e.memlet.data) == ownerOf(base.data))
        out.path = {"", true}; // the edge and its node disagree
    descend(out.path, g, base.data, members);
    join(shown, members);
    if (!as.isStructure() || out.path.closed)
        return out;
    const DataDesc *structure = g.desc(Name(shown));
    const bool inArray = structure && holdsStructures(*structure);
    out.path.closed = !structure || !(structure->isStructure() || inArray) || structName(*structure) != structName(as);
    if (inArray)
        join(out.path.text, "*");
    return out;
}

// ---- positions

const Memories::Position &Memories::positionOf(SDFG &g, Name owner) {
    const auto [known, isNew] = positions_.try_emplace({&g, owner});
    if (!isNew)
        return known->second; // without a memory while it is being looked for: views in a cycle
    Position p = behind(g, owner);
    if (p.memory < 0)
        p = {add(g, owner), {}};
    Position &out = positions_.at({&g, owner});
    out = std::move(p);
    return out;
}

Memories::Position Memories::at(SDFG &g, const Local &l) {
    Position out = positionOf(g, l.root);
    append(out.path, l.path);
    return out;
}

/// The position of a view, or of an argument of a nested SDFG, by the nodes and edges that define it.
Memories::Position Memories::behind(SDFG &g, Name owner) {
    const DataDesc *d = g.arrays.find(owner);
    Position out;
    const auto add = [&](Position p) {
        if (out.memory < 0) {
            out = std::move(p);
        } else if (p.memory != out.memory && p.memory >= 0) {
            out.path = {"", true};
        } else if (p.memory >= 0) {
            std::string common = commonPath(out.path.text, p.path.text);
            const bool same = common == out.path.text && common == p.path.text;
            out.path = {std::move(common), !same || out.path.closed || p.path.closed};
        }
    };
    if (d && d->isView())
        for (State *s : allStates(g))
            for (const auto &n : s->nodes())
                if (const auto *a = dyn_cast<AccessNode>(n.get()); a && ownerOf(a->data) == owner)
                    if (const AccessNode *viewed = viewedNode(a); viewed && viewed->data != owner) {
                        const Edge *e = viewEdge(a);
                        add(at(g, shownAt(*viewed, *e, e->dst == a ? e->srcConn : e->dstConn, *d, 0)));
                    }
    if (out.memory >= 0 || !g.parentNode || !d || d->transient)
        return out;
    for (const Edge *e : g.parentNode->inEdges())
        if (const AccessNode *a = e->dstConn == owner ? end(e, true) : nullptr)
            add(at(*g.parentSDFG(), shownAt(*a, *e, {}, *d, 0)));
    for (const Edge *e : g.parentNode->outEdges())
        if (const AccessNode *a = e->srcConn == owner ? end(e, false) : nullptr)
            add(at(*g.parentSDFG(), shownAt(*a, *e, {}, *d, 0)));
    return out;
}

Memory Memories::add(SDFG &g, Name data) {
    const auto m = static_cast<Memory>(owners_.size());
    const DataDesc *d = g.arrays.find(data);
    owners_.emplace_back(&g, data);
    mayAlias_.push_back(d && d->mayAlias);
    membersMayAlias_.push_back(d && hasPart(*d, isAliasing));
    structures_.push_back(d && (d->isStructure() || holdsStructures(*d)));
    merged_.add();
    if (d)
        if (std::set<Name> references; addReferences(*d, "", references), !references.empty())
            changed_.emplace(m, std::move(references));
    return m;
}

void Memories::merge(Memory into, Memory other) {
    into = representative(into);
    other = representative(other);
    if (into == other)
        return;
    merges_ = true;
    const auto a = static_cast<std::size_t>(into), b = static_cast<std::size_t>(other);
    mayAlias_[a] = mayAlias_[a] || mayAlias_[b];
    membersMayAlias_[a] = membersMayAlias_[a] || membersMayAlias_[b];
    structures_[a] += structures_[b];
    if (auto changed = changed_.extract(other))
        changed_[into].merge(changed.mapped());
    merged_.join(a, b);
}

/// A reference may alias every container that it is set to.
void Memories::findReferences(SDFG &g) {
    for (State *s : allStates(g))
        for (const auto &e : s->edges())
            if (const auto *to = dyn_cast<AccessNode>(e->dst); to && e->dstConn == Name("set")) {
                const Position p = at(g, localOf(*to, 0));
                if (const AccessNode *from = end(e.get(), true))
                    merge(at(g, localOf(*from, 0)).memory, p.memory);
                if (!p.path.text.empty())
                    changed_[representative(p.memory)].insert(Name(p.path.text));
            }
}

/// A structure that is written as a whole gets other pointers: those of another one, or new ones.
void Memories::findNewPointers(SDFG &g) {
    const auto change = [&](const AccessNode &to, const Edge &e) {
        const DataDesc *d = g.desc(membersBehind(e.memlet.data, to.data).empty() ? to.data : e.memlet.data);
        const Node *from = pathSource(&e);
        const auto *source = dyn_cast<AccessNode>(from);
        if (!d || !(d->isStructure() || d->isContainerArray() || holdsStructures(*d)) || isa<NestedSDFGNode>(from) ||
            e.memlet.isEmpty() || isViewing(e) || (!d->elementDesc && d->dtype.isStruct() && !holdsAddresses(d->dtype)))
            return;
        const Local l = shownAt(to, e, {}, *d, 0);
        const Position p = at(g, l);
        if (source)
            merge(at(g, localOf(*source, 0)).memory, p.memory);
        changed_[representative(p.memory)].insert(Name(p.path.text));
    };
    for (State *s : allStates(g))
        for (const auto &e : s->edges())
            if (const auto *to = dyn_cast<AccessNode>(e->dst); to && e->dstConn != Name("set"))
                for (const Edge *leaf : e->src->isExit() ? memletLeaves(e.get()) : std::vector<Edge *>{e.get()})
                    change(*to, *leaf);
}

// ---- queries

Place Memories::placeAt(const Position &p) {
    Place out;
    out.memory = representative(p.memory);
    if (p.path.text.empty())
        return out;
    out.member.path = Name(p.path.text);
    out.member.mayAlias = memberMayAlias(desc(p.memory), p.path.text);
    const auto changed = changed_.find(out.memory);
    out.member.fixed = structures_[static_cast<std::size_t>(out.memory)] <= 1 &&
                       (changed == changed_.end() || std::none_of(changed->second.begin(), changed->second.end(),
                                                                  [&](Name c) { return overlap(c, out.member.path); }));
    return out;
}

Place Memories::placeOf(const AccessNode &n) { return placeAt(at(*const_cast<State *>(n.state())->sdfg(), localOf(n, 0))); }

Place Memories::placeOf(const AccessNode &n, const Edge &e) {
    if (membersBehind(e.memlet.data, n.data).empty())
        return placeOf(n);
    static const DataDesc element;
    return placeAt(at(*const_cast<State *>(n.state())->sdfg(), shownAt(n, e, {}, element, 0)));
}

Place Memories::placeOf(SDFG &g, Name data) {
    Position p = positionOf(g, ownerOf(data));
    descend(p.path, g, ownerOf(data), membersIn(data));
    return placeAt(p);
}

Memory Memories::of(const AccessNode &n) {
    return representative(positionOf(*const_cast<State *>(n.state())->sdfg(), localOf(n, 0).root).memory);
}

Memory Memories::of(SDFG &g, Name data) { return representative(positionOf(g, ownerOf(data)).memory); }

const DataDesc *Memories::desc(Memory m) const {
    const auto &[g, data] = owner(m);
    return g->arrays.find(data);
}

bool Memories::mayAlias(Memory m) const {
    const auto k = static_cast<std::size_t>(m);
    return mayAlias_[k] || membersMayAlias_[k];
}

bool Memories::apart(Memory a, Memory b) const { return a != b && !(mayAlias(a) && mayAlias(b)); }

bool Memories::apart(const Place &a, const Place &b) const {
    if (a.memory == b.memory)
        return !overlap(a.member.path, b.member.path) && a.member.fixed && b.member.fixed &&
               !(a.member.mayAlias && b.member.mayAlias);
    const auto may = [this](const Place &p) {
        return p.member.path.empty() ? mayAlias(p.memory) : p.member.mayAlias || mayAlias_[static_cast<std::size_t>(p.memory)];
    };
    return !(may(a) && may(b));
}

std::optional<Name> Memories::memberOf(const AccessNode &n, Name data) {
    const SDFG &g = *n.state()->sdfg();
    Local l = localOf(n, 0);
    descend(l.path, g, n.data, membersBehind(data, n.data));
    if (l.path.closed || l.path.text.empty() || l.path.text.find('*') != std::string::npos)
        return std::nullopt;
    return Name(l.root.str() + "." + l.path.text);
}

} // namespace sdfgc::analysis
