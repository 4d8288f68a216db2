// Free symbols by the rule of format reference 8.2.
//
// Blocks are walked in breadth-first order from the start of each region. The walk keeps three sets: names defined so far, names
// used, and names used before they were defined, which remain free. Two forms of the rule share the walk: `all` counts everything
// that must be known; the other form counts only what generated code needs.
#include "Analysis/Flow/Adjacency.h"
#include "Analysis/Symbols/ScopeNames.h"

#include "sdfgc/Analysis/Indexing.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Tasklet/Ast.h"

#include <algorithm>

namespace sdfgc::analysis {

using namespace ir;
using Names = std::unordered_set<Name>;

struct SymbolUse::Flow {
    const SDFG &g;
    Names defined, free, early; // early: used before it was defined
};

namespace {

void insert(Names &into, const std::vector<Name> &names) { into.insert(names.begin(), names.end()); }
void insert(Names &into, const std::set<Name> &names) { into.insert(names.begin(), names.end()); }
void insert(Names &into, sym::Expr e) { insert(into, e.freeSymbols()); }
void insert(Names &into, const std::vector<sym::Expr> &es) {
    for (sym::Expr e : es)
        insert(into, e);
}
void remove(Names &from, const Names &names) {
    if (names.size() < from.size())
        for (Name n : names)
            from.erase(n);
    else
        std::erase_if(from, [&](Name n) { return names.count(n) != 0; });
}

/// Names read by a statement such as `i = i + 1`, except the assigned ones.
void insertStatement(Names &into, const std::optional<Code> &code, const SDFG &g) {
    if (!code)
        return;
    const Code::Block *block = code->block();
    if (!block)
        return insert(into, namesInCode(*code, g));
    py::BlockNames names = py::blockNames(*block);
    for (Name n : names.read)
        if (!names.written.count(n))
            into.insert(n);
}

/// Symbols of strings in the properties of a library node; since 2.0, symbols have a dollar sign, which other text does not.
void insertSymbolic(Names &into, const json::Value &v) {
    if (!v.isString() || v.text().find('$') == std::string::npos)
        return;
    if (auto parsed = sym::parse(v.text()); parsed.expr)
        insert(into, *parsed.expr);
}

void insertTasklet(Names &into, const Tasklet &t, const SDFG &g) {
    Names own;
    insert(own, namesInTasklet(t.code, g));
    for (const Connector &c : t.inConnectors)
        own.erase(c.name);
    for (const Connector &c : t.outConnectors)
        own.erase(c.name);
    for (Name n : t.ignoredSymbols)
        own.erase(n);
    into.insert(own.begin(), own.end());
}

/// Ranges and sizes of blocks as seen from outside the map: earlier parameters and dynamic range connectors are not free.
void insertSizes(Names &into, const MapEntry &m) {
    Names bound;
    for (const Connector &c : m.inConnectors)
        if (!pairedConnector(c.name))
            bound.insert(c.name);
    const auto insertUnbound = [&](sym::Expr e) {
        for (Name n : e.freeSymbols())
            if (!bound.count(n))
                into.insert(n);
    };
    if (m.gpuBlockSize)
        for (sym::Expr e : *m.gpuBlockSize)
            insertUnbound(e);
    for (std::size_t d = 0; d < m.ranges.size(); ++d) {
        const sym::Range &r = m.ranges[d];
        for (sym::Expr e : {r.begin, r.end, r.step, r.tile})
            insertUnbound(e);
        if (d < m.params.size())
            bound.insert(m.params[d]);
    }
}

/// The assignments of a node (Stencil) are code, which its expansion turns into a tasklet.
void insertCode(Names &out, const LibraryNode &n, const SDFG &g) {
    const json::Value *code = has(n, Trait::HasCode) ? n.properties.find("code") : nullptr;
    const json::Value *text = code ? code->get("string_data") : nullptr;
    if (!code)
        return;
    for (Name name : namesInTasklet({text ? text->text() : code->text(), Language::Python}, g))
        if (!n.inConnector(name) && !n.outConnector(name) && g.symbols.contains(name))
            out.insert(name);
}

/// For edges at these nodes, generated code takes an address, so only range starts count. A connector of an access node indicates
/// that the edge defines a view or sets a reference; for other containers it has no meaning, and the edge is a copy.
bool takesAddress(const Edge &e) {
    const auto ends = [](const Node *n, Name connector) {
        const auto *access = dyn_cast<AccessNode>(n);
        const DataDesc *d = access && connector ? access->state()->sdfg()->desc(access->data) : nullptr;
        return n->kind() == NodeKind::Tasklet || n->kind() == NodeKind::NestedSDFG || (d && d->alias != AliasKind::None);
    };
    return ends(e.src, e.srcConn) || ends(e.dst, e.dstConn);
}

} // namespace

void SymbolUse::add(const DataDesc &d, Names &out) const {
    const bool allocated = d.transient && d.alias == AliasKind::None;
    if (d.kind != DataKind::Scalar && d.kind != DataKind::Stream && d.kind != DataKind::Structure)
        insert(out, d.strides);
    if (d.kind != DataKind::Scalar && d.kind != DataKind::Structure)
        insert(out, d.offset);
    if (allocated || all_) {
        insert(out, d.shape);
        if (d.kind == DataKind::Array || d.kind == DataKind::ContainerArray) {
            insert(out, d.totalSize);
            insert(out, d.cancelled);
        }
        if (d.kind == DataKind::Stream)
            insert(out, d.bufferSize);
        for (const auto &[name, member] : d.members)
            add(*member, out);
    }
}

void SymbolUse::add(const Edge &e, Names &out) const {
    if (!all_ && isOuterEdge(e))
        return;
    if (all_)
        insert(out, e.memlet.volume);
    const bool starts = !all_ && takesAddress(e);
    for (const auto *s : {&e.memlet.subset, &e.memlet.otherSubset})
        if (*s)
            for (const sym::Range &r : (*s)->dims) {
                insert(out, r.begin);
                if (!starts) {
                    insert(out, r.end);
                    insert(out, r.step);
                    insert(out, r.tile);
                }
            }
}

void SymbolUse::add(const Node &n, Names &out) {
    const SDFG *g = n.state() ? n.state()->sdfg() : nullptr;
    if (!g)
        return;
    if (auto *access = dyn_cast<AccessNode>(&n)) {
        if (const DataDesc *d = g->desc(access->data))
            add(*d, out);
    } else if (auto *t = dyn_cast<Tasklet>(&n)) {
        insertTasklet(out, *t, *g);
    } else if (auto *m = dyn_cast<MapEntry>(&n)) {
        insertSizes(out, *m);
    } else if (auto *c = dyn_cast<ConsumeEntry>(&n)) {
        Names own;
        insert(own, c->numPes);
        if (c->condition)
            insert(own, namesInCode(*c->condition, *g));
        for (Name name : own)
            if (!definesInside(c, name))
                out.insert(name);
    } else if (auto *nested = dyn_cast<NestedSDFGNode>(&n)) {
        const Names *used = nested->sdfg && !all_ ? &of(*nested->sdfg) : nullptr;
        for (const auto &[inner, value] : nested->symbolMapping)
            if (!used || used->count(inner))
                insert(out, value);
    } else if (auto *lib = dyn_cast<LibraryNode>(&n)) {
        for (const auto &[key, value] : lib->properties)
            insertSymbolic(out, value);
        insertCode(out, *lib, *g);
    }
}

void SymbolUse::state(const State &s, Names &out) {
    const SDFG &g = *s.sdfg();
    ScopeTree scopes(s);
    Names here;
    auto keepUnbound = [&](const Node *scope) {
        for (Name n : here)
            if (!definedByScope(scopes, scope, n) && !g.constant(n))
                out.insert(n);
        here.clear();
    };
    for (const auto &n : s.nodes()) {
        add(*n, here);
        keepUnbound(scopes.scopeOf(n.get()));
    }
    for (const auto &e : s.edges()) {
        add(*e, here);
        keepUnbound(scopeOfEdge(scopes, *e));
    }
}

namespace {

/// Symbols of a container count where a condition or assignment reads the container.
void addContainerSymbols(const SymbolUse &use, const SDFG &g, Names &names) {
    Names more;
    for (Name n : names)
        if (const DataDesc *d = g.arrays.find(n))
            use.add(*d, more);
    names.insert(more.begin(), more.end());
}

void addExpression(const std::string &text, const SDFG &g, Names &out) {
    if (auto e = py::parseExpr(text); e.value)
        insert(out, py::freeNames(**e.value));
    else
        insert(out, namesInCode({text, Language::CPP}, g));
}

/// Names used by an inter-state edge: those of the condition, and those of the values that the same edge did not assign earlier.
Names usedBy(const InterstateEdge &e, const SDFG &g) {
    Names used;
    if (!e.isUnconditional())
        addExpression(e.condition.text(), g, used);
    Names assigned;
    for (const auto &[target, value] : e.assignments) {
        addExpression(value, g, used);
        if (!used.count(target))
            assigned.insert(target);
    }
    remove(used, assigned);
    return used;
}

} // namespace

void SymbolUse::conditional(const ConditionalBlock &c, Flow &f) {
    for (const auto &branch : c.branches()) {
        if (branch.condition)
            for (Name n : namesInCode(*branch.condition, f.g))
                if (!f.defined.count(n))
                    f.free.insert(n);
        region(*branch.region, f);
    }
    remove(f.defined, f.early);
    remove(f.free, f.defined);
}

void SymbolUse::loop(const LoopRegion &l, Flow &f) {
    if (l.init)
        f.defined.insert(l.variable);
    insertStatement(f.free, l.init, f.g);
    insertStatement(f.free, l.update, f.g);
    Names condition;
    if (l.condition)
        insert(condition, namesInCode(*l.condition, f.g));
    condition.erase(l.variable);

    Flow body{f.g, {}, {}, {}};
    region(l, body);
    for (Name n : body.early)
        if (n != l.variable && (!f.defined.count(n) || f.early.count(n)))
            f.early.insert(n);
    f.free.insert(body.free.begin(), body.free.end());
    f.defined.insert(body.defined.begin(), body.defined.end());
    remove(f.defined, f.early);
    remove(f.free, f.defined);
    f.free.insert(condition.begin(), condition.end());
}

void SymbolUse::block(const Block &b, Flow &f, Names &ofBlock) {
    if (auto *s = dyn_cast<State>(&b)) {
        state(*s, ofBlock);
        f.free.insert(ofBlock.begin(), ofBlock.end());
    } else if (auto *l = dyn_cast<LoopRegion>(&b)) {
        loop(*l, f);
    } else if (auto *c = dyn_cast<ConditionalBlock>(&b)) {
        conditional(*c, f);
    } else if (auto *r = dyn_cast<Region>(&b)) {
        region(*r, f);
    }
}

void SymbolUse::region(const Region &r, Flow &f) {
    Adjacency out(r);
    for (const Block *b : out.breadthFirst()) {
        Names ofBlock;
        block(*b, f, ofBlock);
        // After a region, everything used so far counts as used by it: a later edge can no longer define such a name.
        const Names &before = isa<Region>(b) || isa<ConditionalBlock>(b) ? f.free : ofBlock;
        for (const InterstateEdge *e : out.edgesFrom(b)) {
            Names used = usedBy(*e, f.g);
            addContainerSymbols(*this, f.g, used);
            for (const auto &[target, value] : e->assignments)
                if (!used.count(target) && !before.count(target))
                    f.defined.insert(target);
            for (Name n : used)
                if (!f.defined.count(n))
                    f.early.insert(n);
            f.free.insert(used.begin(), used.end());
        }
    }
    remove(f.defined, f.early);
    remove(f.free, f.defined);
}

const Names &SymbolUse::of(const SDFG &g) {
    if (auto it = done_.find(&g); it != done_.end())
        return it->second;
    Flow f{g, {}, {}, {}};
    for (const auto &[name, d] : g.arrays)
        f.defined.insert(name);
    for (const auto &[name, c] : g.constants)
        f.defined.insert(name);
    for (const auto *codes : {&g.initCode, &g.exitCode})
        for (const TargetCode &t : *codes)
            for (Name n : identifiers(t.code.text()))
                if (g.symbols.contains(n))
                    f.free.insert(n);
    region(g, f);
    if (all_) // after the region: a declared symbol that it assigns before any use is local to it
        for (const auto &[name, type] : g.symbols)
            f.free.insert(name);
    for (const auto &[name, d] : g.arrays)
        add(d, f.free);
    f.free.insert(g.passedSymbols.begin(), g.passedSymbols.end());
    remove(f.free, f.defined);
    return done_.emplace(&g, std::move(f.free)).first->second;
}

namespace {

std::set<Name> sorted(const Names &names) { return {names.begin(), names.end()}; }

} // namespace

std::set<Name> freeSymbols(const SDFG &g) { return sorted(SymbolUse().of(g)); }
std::set<Name> requiredSymbols(const SDFG &g) { return sorted(SymbolUse(true).of(g)); }

std::set<Name> freeSymbols(const Node &n) {
    Names out;
    SymbolUse().add(n, out);
    return sorted(out);
}

std::set<Name> freeSymbols(const Edge &e) {
    Names out;
    SymbolUse().add(e, out);
    return sorted(out);
}

std::set<Name> freeSymbols(const DataDesc &d) {
    Names out;
    SymbolUse().add(d, out);
    return sorted(out);
}

} // namespace sdfgc::analysis
