#include "sdfgc/Analysis/Memory/Allocation.h"

#include "Analysis/Symbols/ScopeNames.h"

#include "sdfgc/Analysis/Device/Async.h"
#include "sdfgc/Analysis/Memory/Access.h"

#include <algorithm>

namespace sdfgc::analysis {

using namespace ir;

// ---------------------------------------------------------------------------------------------------- uses

namespace {

class UseCollector {
public:
    explicit UseCollector(const SDFG &g) : g_(g) {}

    std::map<Name, ContainerUses> run() {
        for (const State *s : allStates(g_)) {
            for (const auto &n : s->nodes())
                if (const auto *a = dyn_cast<AccessNode>(n.get()))
                    inState(*s, *a);
            inSymbolicText(*s);
        }
        for (const Region *r : allRegions(g_)) {
            for (const auto &e : r->edges()) {
                inCode(e->condition, *e->dst);
                for (const auto &[symbol, text] : e->assignments)
                    inCode({text, Language::Python}, *e->dst);
            }
            if (const auto *l = dyn_cast<LoopRegion>(r))
                for (const auto *code : {&l->init, &l->condition, &l->update})
                    if (*code)
                        inCode(**code, *l);
        }
        for (const Block *b : allBlocks(g_))
            if (const auto *c = dyn_cast<ConditionalBlock>(b))
                for (const auto &branch : c->branches())
                    if (branch.condition)
                        inCode(*branch.condition, *c);
        return std::move(uses_);
    }

private:
    void inState(const State &s, const AccessNode &n) {
        ContainerUses &u = uses_[ownerOf(n.data)];
        u.severalStates |= u.state && u.state != &s;
        u.state = &s;
        u.nodes.push_back(&n);
        if (u.blocks.empty() || u.blocks.back() != &s)
            u.blocks.push_back(&s);
    }
    void inCode(const Code &code, const Block &at) {
        if (code.empty() || code.text() == "1")
            return;
        for (Name n : namesInCode(code, g_)) {
            const Name data = ownerOf(n);
            if (!g_.arrays.contains(data))
                continue;
            uses_[data].inControlFlow = true;
            uses_[data].blocks.push_back(&at);
        }
    }

    /// Scalars that ranges, memlets and symbol mappings name like symbols.
    void inSymbolicText(const State &s) {
        if (!hasScalars_)
            return;
        const ScopeTree scopes(s);
        const auto names = [&](sym::Expr e, const Node *scope) {
            for (const Name n : e.freeSymbols())
                if (const DataDesc *d = g_.desc(n); d && d->isScalar() && !definedByScope(scopes, scope, n)) {
                    uses_[n].inControlFlow = true;
                    uses_[n].blocks.push_back(&s);
                }
        };
        const auto ranges = [&](const std::vector<sym::Range> &list, const Node *scope) {
            for (const sym::Range &r : list)
                for (const sym::Expr e : {r.begin, r.end, r.step, r.tile})
                    names(e, scope);
        };
        for (const auto &n : s.nodes()) {
            const Node *scope = scopes.scopeOf(n.get());
            if (const auto *m = dyn_cast<MapEntry>(n.get()))
                ranges(m->ranges, m);
            else if (const auto *c = dyn_cast<ConsumeEntry>(n.get()))
                names(c->numPes, scope);
            else if (const auto *nested = dyn_cast<NestedSDFGNode>(n.get()))
                for (const auto &[symbol, value] : nested->symbolMapping)
                    names(value, scope);
        }
        for (const auto &e : s.edges())
            for (const auto *subset : {&e->memlet.subset, &e->memlet.otherSubset})
                if (*subset)
                    ranges((*subset)->dims, scopeOfEdge(scopes, *e));
    }

    const SDFG &g_;
    const bool hasScalars_ =
        std::any_of(g_.arrays.begin(), g_.arrays.end(), [](const auto &a) { return a.second.isScalar() && a.second.transient; });
    std::map<Name, ContainerUses> uses_;
};

} // namespace

std::map<Name, ContainerUses> usesOfContainers(const SDFG &g) { return UseCollector(g).run(); }

bool needsMemory(const SDFG &g, Name name, const DataDesc &d) { return d.transient && !d.isView() && !g.constant(name); }

const Node *commonScope(const ContainerUses &u, const ScopeTree &scopes) {
    std::vector<Node *> common; // outermost first
    bool first = true;
    for (const Node *n : u.nodes) {
        std::vector<Node *> chain = scopes.enclosing(n);
        std::reverse(chain.begin(), chain.end());
        if (first)
            common = chain;
        std::size_t same = 0;
        while (same < common.size() && same < chain.size() && common[same] == chain[same])
            ++same;
        common.resize(same);
        first = false;
    }
    return common.empty() ? nullptr : common.back();
}

std::set<Name> reservedContainers(const SDFG &g) {
    std::set<Name> out;
    for (const State *s : allStates(g))
        for (const auto &n : s->nodes())
            if (const auto *l = dyn_cast<LibraryNode>(n.get()))
                if (const auto op = asyncOp(*l); op && op->kind == AsyncOp::Reserve)
                    out.insert(op->data);
    return out;
}

Declarations declarationsOf(const SDFG &g) {
    Declarations out;
    out.reserved = reservedContainers(g);
    const std::map<Name, ContainerUses> uses = usesOfContainers(g);
    for (const auto &[name, d] : g.arrays) {
        const auto use = uses.find(name);
        const bool isUsed = use != uses.end();
        if (!needsMemory(g, name, d) || !(isUsed || isInArena(d)))
            continue;
        const State *only = isUsed ? use->second.onlyState() : nullptr;
        if (d.lifetime == Lifetime::Persistent || d.lifetime == Lifetime::External) {
            out.program.push_back(name);
        } else if (d.lifetime == Lifetime::Global && !g.isRoot()) {
            out.call.push_back(name);
        } else if (only && d.lifetime == Lifetime::State) {
            out.local[only][nullptr].push_back(name);
        } else if (only && d.lifetime == Lifetime::Scope) {
            out.local[only][commonScope(use->second, ScopeTree(*only))].push_back(name);
        } else {
            out.top.push_back(name);
        }
    }
    return out;
}

void forEachDeclaration(const SDFG &g, const Declarations &d, const FoundDeclaration &found) {
    for (const auto *list : {&d.program, &d.call, &d.top})
        for (Name n : *list)
            found(n, *g.arrays.find(n), nullptr, nullptr);
    for (const State *s : allStates(g)) { // in list order, independent of addresses
        const auto at = d.local.find(s);
        if (at == d.local.end())
            continue;
        auto visit = [&](const Node *scope) {
            if (const auto names = at->second.find(scope); names != at->second.end())
                for (Name n : names->second)
                    found(n, *g.arrays.find(n), s, scope);
        };
        visit(nullptr);
        for (const auto &n : s->nodes())
            if (n->isEntry())
                visit(n.get());
    }
}

// ---------------------------------------------------------------------------------------------------- values outside

bool becomesFunction(const SDFG &nested) {
    const auto blocks = allBlocks(nested);
    return std::any_of(blocks.begin(), blocks.end(), [](const Block *b) { return b->kind() == BlockKind::Return; });
}

Executor executorInside(const SDFG &g, const Node *scope) {
    if (!scope)
        return g.parentNode ? executorOf(*g.parentNode) : Executor::Host;
    if (const auto *m = dyn_cast<MapEntry>(scope)) {
        if (isThreadBlock(m->schedule))
            return Executor::Thread;
        if (m->schedule == Schedule::GPU_Persistent)
            return Executor::Grid;
        if (m->schedule == Schedule::GPU_Device)
            return runByBlocks(*m) ? Executor::Block : Executor::Thread;
    }
    return executorOf(*scope);
}

const MapEntry *kernelAround(const SDFG &g, const State *s, const Node *scope) {
    if (g.parentNode)
        if (const State *outer = g.parentNode->state())
            if (const MapEntry *m = kernelAround(*outer->sdfg(), outer, ScopeTree(*outer).scopeOf(g.parentNode)))
                return m;
    if (!scope)
        return nullptr;
    const ScopeTree scopes(*s);
    const MapEntry *outermost = nullptr;
    for (const Node *n = scope; n; n = scopes.scopeOf(n))
        if (const auto *m = dyn_cast<MapEntry>(n))
            if (isKernelSchedule(m->schedule))
                outermost = m;
    return outermost;
}

bool runsInTeam(const SDFG &g, const State *s, const Node *scope) {
    if (scope) {
        const ScopeTree scopes(*s);
        for (const Node *entry = scope; entry; entry = scopes.scopeOf(entry)) {
            const auto *m = dyn_cast<MapEntry>(entry);
            if (!m || isGpuSchedule(m->schedule) || m->schedule == Schedule::CPU_Persistent ||
                (m->schedule == Schedule::CPU_Multicore && !m->params.empty()))
                return true;
        }
    }
    if (!g.parentNode)
        return false;
    const State &outer = *g.parentNode->state();
    const ScopeTree scopes(outer);
    return outer.sdfg()->openmpSections || runsInTeam(*outer.sdfg(), &outer, scopes.scopeOf(g.parentNode));
}

const std::set<Name> &OuterValues::assigned(const SDFG &g) {
    auto [it, isNew] = assigned_.try_emplace(&g);
    if (isNew)
        for (const auto &[name, type] : definedSymbols(g))
            it->second.insert(name);
    return it->second;
}

bool OuterValues::isSizeAssigned(const SDFG &g, const DataDesc &d) {
    auto depends = [&](sym::Expr e) {
        return std::any_of(e.freeSymbols().begin(), e.freeSymbols().end(), [&](Name n) { return assigned(g).count(n) != 0; });
    };
    return depends(d.totalSize) || depends(d.startOffset) || std::any_of(d.shape.begin(), d.shape.end(), depends);
}

bool OuterValues::isFunction(const SDFG &g) {
    auto [it, isNew] = functions_.try_emplace(&g);
    if (isNew)
        it->second = becomesFunction(g);
    return it->second;
}

OuterValue OuterValues::of(const SDFG &g, sym::Expr e, const State *s, const Node *scope, const SDFG *outermost) {
    OuterValue out;
    std::map<Name, sym::Expr> values;
    for (Name n : e.freeSymbols())
        symbol(g, n, s, scope, outermost, out, values[n]);
    out.value = values.empty() ? e : sym::substitute(e, values);
    return out;
}

/// The outer value of a symbol; a separate name if the program computes it.
void OuterValues::symbol(const SDFG &g, Name n, const State *s, const Node *scope, const SDFG *outermost, OuterValue &out,
                         sym::Expr &value) {
    auto computed = [&](bool ofKernel) {
        out.computed = true;
        out.ofKernel |= ofKernel;
        value = sym::Expr::symbol(Name(n.str() + "@" + std::to_string(fresh_++)));
    };
    for (const Node *entry = scope; entry; entry = ScopeTree(*s).scopeOf(entry)) {
        const auto *m = dyn_cast<MapEntry>(entry);
        const auto *c = dyn_cast<ConsumeEntry>(entry);
        const bool parameter = m && std::find(m->params.begin(), m->params.end(), n) != m->params.end();
        const Edge *range = isDynamicRange(n) ? entry->inEdge(n) : nullptr;
        if (parameter || range || (c && c->defines(n))) // bounds read from containers are read at the start of the scope
            return computed(range ? executorOf(*entry) != Executor::Host : executorInside(g, entry) != Executor::Host);
    }
    if (&g == outermost) {
        value = sym::Expr::symbol(n);
        return;
    }
    if (assigned(g).count(n) || g.arrays.contains(n))
        return computed(executorInside(g, nullptr) != Executor::Host);
    if (!g.parentNode) {
        value = sym::Expr::symbol(n);
        return;
    }
    if (isFunction(g)) // a parameter of the function
        return computed(executorInside(g, nullptr) != Executor::Host);
    const State &outer = *g.parentNode->state();
    const sym::Expr *mapped = g.parentNode->mapped(n);
    const OuterValue around =
        of(*outer.sdfg(), mapped ? *mapped : sym::Expr::symbol(n), &outer, ScopeTree(outer).scopeOf(g.parentNode), outermost);
    out.computed |= around.computed;
    out.ofKernel |= around.ofKernel;
    value = around.value;
}

// ---------------------------------------------------------------------------------------------------- the table

namespace {

bool isOneElement(const DataDesc &d) { return d.isScalar() || (d.isArray() && d.totalSize.isOne()); }

/// Does it take at most `limit` bytes? Elements of unknown size count as `unknownElement` bytes.
bool fits(const DataDesc &d, std::optional<int64_t> elements, int64_t limit, int64_t unknownElement) {
    return elements && *elements * d.dtype.bytes().value_or(unknownElement) <= limit;
}

MemoryKind inKernel(const DataDesc &d, const MemoryFacts &f, const StackLimits &limits) {
    if (f.executor == Executor::Grid && d.storage == Storage::GPU_Global)
        return MemoryKind::Grid;
    if (isOneElement(d) && d.storage == Storage::Register)
        return MemoryKind::Value;
    const bool large = !fits(d, f.elements, limits.kernel, 8);
    if (d.storage != Storage::GPU_Shared && f.hostKnowsSize && large && d.startOffset.isZero())
        return MemoryKind::Slices;
    if (d.storage == Storage::GPU_Shared || (d.storage == Storage::GPU_Global && f.executor == Executor::Block))
        return MemoryKind::Shared;
    if (!f.elements)
        return MemoryKind::DeviceHeap;
    return isOneElement(d) ? MemoryKind::Value : MemoryKind::Stack;
}

} // namespace

MemoryKind chooseMemory(const DataDesc &d, const MemoryFacts &f, const StackLimits &limits) {
    if (d.lifetime == Lifetime::Persistent || d.lifetime == Lifetime::External)
        return MemoryKind::Field;
    if (d.isStream() || d.isReference() || d.isStructure())
        return MemoryKind::Value;
    if (f.executor != Executor::Host)
        return inKernel(d, f, limits);
    if (f.gpu && d.storage == Storage::GPU_Global)
        return f.pooled ? MemoryKind::Pool : MemoryKind::Device;
    if (f.gpu && d.storage == Storage::CPU_Pinned)
        return MemoryKind::Pinned;
    if (isOneElement(d) && !f.reserved)
        return MemoryKind::Value;
    const int64_t limit = d.storage == Storage::Register ? limits.registers : limits.heap;
    if (!f.reserved && d.storage != Storage::CPU_ThreadLocal && fits(d, f.elements, limit, limit) && d.startOffset.isZero())
        return MemoryKind::Stack;
    return d.storage == Storage::CPU_ThreadLocal && !f.reserved && !f.inTeam ? MemoryKind::PerThread : MemoryKind::Heap;
}

std::string memoryProblem(const DataDesc &d, const MemoryFacts &f, MemoryKind kind) {
    const bool kernel = f.executor != Executor::Host;
    const bool outlives = d.lifetime == Lifetime::Persistent || d.lifetime == Lifetime::External;
    const bool object = d.isStream() || d.isReference() || d.isStructure();
    auto onlyIf = [](bool holds, const char *why) { return holds ? std::string() : std::string(why); };
    if (outlives != (kind == MemoryKind::Field))
        return outlives ? "its lifetime is longer than a call" : "its lifetime ends with a call";
    if (object && kind != MemoryKind::Value && kind != MemoryKind::Field)
        return "it is not an array";
    switch (kind) {
    case MemoryKind::Undecided:
        return "no pass has decided on it";
    case MemoryKind::Value:
        return onlyIf((object || isOneElement(d)) && !f.reserved, "it has more than one element");
    case MemoryKind::Stack:
        return onlyIf(f.elements.has_value() && !f.reserved && d.startOffset.isZero(), "its size is not constant");
    case MemoryKind::Heap:
    case MemoryKind::PerThread:
        return onlyIf(!kernel, "it is in a kernel");
    case MemoryKind::Device:
    case MemoryKind::Pinned:
        return onlyIf(!kernel, "it is in a kernel");
    case MemoryKind::Pool:
        return onlyIf(!kernel && f.pooled, "no node takes it from the pool");
    case MemoryKind::Shared:
    case MemoryKind::DeviceHeap:
        return onlyIf(kernel, "it is outside of kernels");
    case MemoryKind::Slices:
    case MemoryKind::Grid:
        return onlyIf(f.hostKnowsSize, "the host does not know its size");
    case MemoryKind::Field:
        return "";
    }
    return "";
}

MemoryFacts MemoryTable::facts(const SDFG &g, Name name, const DataDesc &d, const State *s, const Node *scope) {
    auto [place, isFirst] = places_.try_emplace({&g, scope});
    if (isFirst) {
        place->second.gpu = gpu_;
        place->second.executor = executorInside(g, scope);
        if (const MapEntry *m = kernelAround(g, s, scope)) { // iterations of a team cannot share the memory that the host provides
            const State &outer = *m->state();
            place->second.hostKnowsSize = !runsInTeam(*outer.sdfg(), &outer, ScopeTree(outer).scopeOf(m));
        }
    }
    MemoryFacts f = place->second;
    f.inTeam = d.storage == Storage::CPU_ThreadLocal && runsInTeam(g, s, scope);
    auto [given, isNew] = given_.try_emplace(&g);
    if (isNew)
        given->second = {pooledContainers(g), reservedContainers(g)};
    f.pooled = given->second.first.count(name) != 0;
    f.reserved = given->second.second.count(name) != 0;
    if (d.totalSize.asInt()) {
        f.elements = d.totalSize.asInt();
        return f;
    }
    const OuterValue size = values_.of(g, d.totalSize, s, scope);
    f.hostKnowsSize &= !size.ofKernel;
    f.elements = size.value.asInt();
    return f;
}

} // namespace sdfgc::analysis
