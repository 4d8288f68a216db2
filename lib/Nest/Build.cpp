#include "sdfgc/Nest/Build.h"

#include "sdfgc/Analysis/Memory/Bounds.h"
#include "sdfgc/Analysis/Symbols/Mentions.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Tasklet/Ast.h"

#include <algorithm>

namespace sdfgc::nest {

using namespace ir;

namespace {

/// Adds the container of an access node and, through any number of views, the containers that it shows.
void hide(const SDFG &g, const Node *n, std::set<Name> &hidden) {
    const auto *a = n ? dyn_cast<AccessNode>(n) : nullptr;
    if (!a)
        return;
    hidden.insert(a->data);
    if (g.desc(a->data) && g.desc(a->data)->isView())
        hide(g, viewedNode(a), hidden);
}

void hide(const SDFG &g, const std::vector<Item> &items, std::set<Name> &hidden) {
    for (const Item &i : items) {
        if (i.map) {
            hide(g, i.map->body, hidden);
            continue;
        }
        for (const Use &u : i.step->uses)
            if (u.access && g.desc(u.access->data) && g.desc(u.access->data)->isView())
                hide(g, u.access, hidden);
        for (const Node *n : i.step->nodes)
            hide(g, n, hidden);
    }
}

} // namespace

std::set<Name> hiddenContainers(const SDFG &g, const std::vector<Run> &runs) {
    std::set<Name> hidden = analysis::containersReadByControlFlow(g);
    std::set<const State *> read;
    for (const Run &r : runs) {
        read.insert(r.states.begin(), r.states.end());
        hide(g, r.items, hidden);
    }
    for (const State *s : allStates(g))
        for (const auto &n : s->nodes()) {
            const auto *a = dyn_cast<AccessNode>(n.get());
            if (!read.count(s) || (a && g.desc(a->data) && g.desc(a->data)->isView())) // also an unused view
                hide(g, n.get(), hidden);
        }
    return hidden;
}

bool mayBeVariable(const DataDesc &d) {
    return d.transient && d.isArray() && d.alias == AliasKind::None && !d.mayAlias && d.lifetime == Lifetime::Scope && !d.pool &&
           !d.totalSize.isOne() &&
           (d.storage == Storage::Default || d.storage == Storage::CPU_Heap || d.storage == Storage::Register);
}

bool callsLibrary(const Node &n) {
    if (isa<LibraryNode>(&n))
        return true;
    const auto *nested = dyn_cast<NestedSDFGNode>(&n);
    if (!nested || !nested->sdfg)
        return false;
    for (const State *s : allStates(std::as_const(*nested->sdfg)))
        if (std::any_of(s->nodes().begin(), s->nodes().end(), [](const auto &inner) { return callsLibrary(*inner); }))
            return true;
    return false;
}

bool mentions(const sym::Subset &s, const std::vector<Name> &params) {
    const std::set<Name> symbols = s.freeSymbols();
    return std::any_of(params.begin(), params.end(), [&](Name p) { return symbols.count(p) != 0; });
}

sym::Subset elementOf(const sym::Subset &s, const std::vector<sym::Expr> &at) {
    sym::Subset out = s;
    std::size_t next = 0;
    for (const std::size_t d : s.nonUnitDims()) {
        const sym::Range &r = s.dims[d];
        out.dims[d].begin = out.dims[d].end = r.begin + at[next++] * r.step;
        out.dims[d].step = 1;
    }
    return out;
}

bool isNextTo(const sym::Subset &s, const DataDesc &d, Name variable) {
    if (s.rank() != d.rank())
        return false;
    const std::map<Name, sym::Expr> next{{variable, sym::Expr::symbol(variable) + 1}};
    sym::Expr distance = 0;
    for (std::size_t k = 0; k < d.rank(); ++k) {
        const sym::Expr at = s.dims[k].begin;
        distance += d.strides[k] * (sym::substitute(at, next) - at);
    }
    return distance.isOne() || (distance + 1).isZero();
}

std::vector<analysis::IndexedOperand> operandsOf(const std::vector<Use> &uses) {
    std::vector<analysis::IndexedOperand> out;
    for (const Use &u : uses)
        if (const auto &subset = u.subset || u.memlet.data != u.data ? u.subset : u.memlet.subset)
            out.push_back({u.connector, u.writes(), *subset, {}});
    return out;
}

Use ofElement(const Use &whole, sym::Subset element, Name connector) {
    Use u = whole;
    u.connector = connector;
    u.memlet = Memlet::simple(whole.data, element);
    u.memlet.volume = 1;
    u.memlet.debugInfo = whole.memlet.debugInfo;
    u.subset = std::move(element);
    return u;
}

namespace {

/// Renames a connector whose name is also a container, symbol or constant. Stores the new name in `names`, under the old one.
void renameTaken(Use &u, const SDFG &g, std::map<Name, py::ExprRef> &names) {
    const Name free = g.freshName(u.connector.view());
    if (free == u.connector)
        return;
    names.emplace(u.connector, py::name(free));
    u.connector = free;
}

} // namespace

Item taskletStep(std::string label, std::string code, std::vector<Use> reads, Use written, const SDFG &g) {
    std::map<Name, py::ExprRef> renamed;
    for (Use &r : reads)
        renameTaken(r, g, renamed);
    renameTaken(written, g, renamed);
    if (!renamed.empty())
        code = py::print(py::substitute(*py::parseBlock(code).value, renamed));
    auto node = std::make_shared<Tasklet>();
    node->label = std::move(label);
    node->code = {std::move(code), Language::Python};
    node->debugInfo = written.access->debugInfo;
    auto step = std::make_unique<Step>();
    step->nodes.push_back(node.get());
    for (Use &r : reads) {
        node->addIn(r.connector, g.desc(r.data)->dtype);
        step->uses.push_back(std::move(r));
    }
    node->addOut(written.connector, g.desc(written.data)->dtype);
    step->uses.push_back(std::move(written));
    step->made = std::move(node);
    return {nullptr, std::move(step)};
}

sym::Expr stripsOf(const sym::Range &r, int64_t width, const std::vector<analysis::LoopLevel> &around,
                   const sym::Assumptions &facts) {
    const sym::Expr size = r.size();
    const std::optional<sym::Expr> least = analysis::leastOf(size, around);
    const bool isSize = least && sym::isNonNegative(*least, facts) == sym::Truth::True;
    return sym::floorDiv(isSize ? size : sym::max({sym::Expr(0), size}), width);
}

std::shared_ptr<MapEntry> entryLike(const MapEntry &like, std::string label) {
    std::shared_ptr<MapEntry> entry(cast<MapEntry>(ir::clone(like).release()));
    entry->label = std::move(label);
    return entry;
}

namespace {

Map mapOf(std::shared_ptr<MapEntry> entry, std::vector<Name> params, std::vector<sym::Range> ranges) {
    Map m;
    entry->simd = entry->ordered = false; // those flags described other loops
    m.entry = entry.get();
    m.made = std::move(entry);
    m.params = std::move(params);
    m.ranges = std::move(ranges);
    return m;
}

} // namespace

bool isPythonTasklet(const Step &s) {
    const auto *t = s.nodes.size() == 1 ? dyn_cast<Tasklet>(s.nodes.front()) : nullptr;
    return t && t->code.isPython();
}

const MapEntry &parallelEntry() {
    static const MapEntry parallel = [] {
        MapEntry e;
        e.schedule = Schedule::CPU_Multicore;
        return e;
    }();
    return parallel;
}

Map mapLike(const MapEntry &like, std::string label, std::vector<Name> params, std::vector<sym::Range> ranges) {
    return mapOf(entryLike(like, std::move(label)), std::move(params), std::move(ranges));
}

Map loopLike(const MapEntry &like, std::string label, std::vector<Name> params, std::vector<sym::Range> ranges) {
    std::shared_ptr<MapEntry> entry = entryLike(like, std::move(label));
    entry->schedule = Schedule::Sequential;
    return mapOf(std::move(entry), std::move(params), std::move(ranges));
}

void renameContainers(Item &i, const std::map<Name, Name> &names, SDFG &g, analysis::Memories &memories) {
    const auto nameOf = [&names](Name n) {
        const auto other = names.find(n);
        return other == names.end() ? n : other->second;
    };
    if (i.map) {
        std::set<Name> locals;
        for (const Name n : i.map->locals)
            locals.insert(nameOf(n));
        i.map->locals = std::move(locals);
        for (Item &inner : i.map->body)
            renameContainers(inner, names, g, memories);
        return;
    }
    for (Use &u : i.step->uses) {
        u.memlet.data = nameOf(u.memlet.data); // a copy has one memlet for both ends
        if (const Name n = nameOf(u.data); n != u.data) {
            u.moveTo(n, memories.of(g, n));
        }
    }
}

namespace {

/// Makes all memlets name the only element.
void retarget(Item &item, Name name) {
    if (item.map) {
        for (Item &inner : item.map->body)
            retarget(inner, name);
        return;
    }
    const sym::Subset element = DataDesc::scalar(ScalarKind::Int32).fullSubset();
    std::vector<Use> &uses = item.step->uses;
    for (Use &u : uses) {
        if (u.data == name)
            u.subset = element;
        if (u.memlet.data == name)
            u.memlet.subset = element;
        else if (u.data == name || (item.step->isCopy() && (uses.front().data == name || uses.back().data == name)))
            u.memlet.otherSubset = element;
    }
}

} // namespace

void removeUnusedViews(SDFG &g) {
    std::vector<Name> unused;
    const analysis::Mentions mentions(g);
    for (const auto &[name, d] : g.arrays)
        if (d.isView() && !mentions.contain(name))
            unused.push_back(name);
    for (const Name n : unused)
        g.arrays.erase(n);
}

void makeVariable(Map &owner, Name container, SDFG &g) {
    DataDesc &d = *g.desc(container);
    DataDesc variable = DataDesc::scalar(d.dtype, true);
    variable.storage = Storage::Register;
    variable.debugInfo = d.debugInfo;
    d = std::move(variable);
    for (Item &i : owner.body)
        retarget(i, container);
    owner.locals.insert(container);
}

namespace {

void set(Map &m, bool MapEntry::*property, bool value) {
    if (m.entry->*property == value)
        return;
    std::shared_ptr<MapEntry> entry = entryLike(*m.entry, m.entry->label);
    *entry.*property = value;
    m.entry = entry.get();
    m.made = std::move(entry);
}

} // namespace

void setSimd(Map &m, bool simd) { set(m, &MapEntry::simd, simd); }

void setOrdered(Map &m) { set(m, &MapEntry::ordered, true); }

} // namespace sdfgc::nest
