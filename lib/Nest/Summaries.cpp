// The effects of parts of a program on containers, from items to regions.
#include "sdfgc/Analysis/Flow/LoopHeader.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/Identifier.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Nest/CallElements.h"
#include "sdfgc/Nest/Liveness.h"

#include <algorithm>

namespace sdfgc::nest {

using namespace ir;
using analysis::AccessInstance;
using analysis::Memory;

namespace {

/// Elements that pieces expose and write; pieces are visited from the last to the first.
class Pieces {
public:
    explicit Pieces(const Summaries &all) : all_(all) {}

    void pass(const Summary &s) {
        assign(s);
        for (const auto &[m, instances] : s.written)
            for (const AccessInstance &a : instances) {
                exposed_.overwrite(m, a, all_.wholeOf(m), all_.factsOf(m));
                written_.add(m, a, false);
            }
        expose(s);
    }

    /// The piece may or may not run, before or after others.
    void passAnyOrder(const Summary &s) {
        assign(s);
        expose(s);
    }

    Summary whole() {
        out_.exposed = exposed_.all(true);
        out_.written = written_.all(false);
        return std::move(out_);
    }

private:
    void assign(const Summary &s) {
        for (MovingElements *e : {&exposed_, &written_}) {
            for (Name n : s.assigned)
                e->assigned(n);
            if (s.assignsUnknown)
                e->assignedAny();
        }
        out_.assigned.insert(s.assigned.begin(), s.assigned.end());
        out_.assignsUnknown |= s.assignsUnknown;
    }
    void expose(const Summary &s) {
        for (const auto &[m, instances] : s.exposed)
            for (const AccessInstance &a : instances)
                exposed_.add(m, a, true);
    }

    const Summaries &all_;
    MovingElements exposed_, written_;
    Summary out_;
};

/// Extends the effects of one iteration to all iterations of a loop: an instance that mentions symbols in `varying`, other than
/// variables of `loops`, may be any element. Without `loops`, no write is certain.
void overIterations(Summary &s, const std::vector<analysis::LoopLevel> &loops, const std::set<Name> &varying, bool certain) {
    const auto isFixed = [&](const AccessInstance &a) {
        if (!a.subset || s.assignsUnknown)
            return false;
        std::set<Name> names = a.subset->freeSymbols();
        for (const analysis::LoopLevel &l : a.loops) {
            if (std::any_of(loops.begin(), loops.end(), [&](const auto &o) { return o.variable == l.variable; }))
                return false; // the inner one shadows the outer one
            for (const sym::Expr e : {l.range.begin, l.range.end, l.range.step})
                names.insert(e.freeSymbols().begin(), e.freeSymbols().end());
        }
        return std::none_of(names.begin(), names.end(), [&](Name n) { return varying.count(n) != 0; });
    };
    const auto widen = [&](AccessInstance &a) {
        if (isFixed(a))
            a.loops.insert(a.loops.begin(), loops.begin(), loops.end());
        else
            a = AccessInstance();
    };
    for (auto &[m, instances] : s.exposed)
        for (AccessInstance &a : instances)
            widen(a);
    if (!certain)
        s.written.clear();
    for (auto &[m, instances] : s.written) {
        for (AccessInstance &a : instances)
            widen(a);
        std::erase_if(instances, [](const AccessInstance &a) { return !a.subset; });
    }
}

/// Does a jump leave the block: a return anywhere, or another jump outside of loops in it?
bool isLeft(const Block &b, bool inLoop = false) {
    if (isJump(b.kind()))
        return b.kind() == BlockKind::Return || !inLoop;
    if (const auto *c = dyn_cast<ConditionalBlock>(&b))
        return std::any_of(c->branches().begin(), c->branches().end(),
                           [&](const auto &branch) { return isLeft(*branch.region, inLoop); });
    const auto *r = dyn_cast<Region>(&b);
    return r && std::any_of(r->blocks().begin(), r->blocks().end(),
                            [&](const auto &inner) { return isLeft(*inner, inLoop || isa<LoopRegion>(r)); });
}

/// `i *= 2` in a tasklet.
void addChanged(const Node &n, Summary &s) {
    if (const auto *t = dyn_cast<Tasklet>(&n))
        s.assigned.merge(analysis::changedSymbols(*t));
}

} // namespace

Summaries::Summaries(SDFG &g, analysis::Memories &memories, const std::vector<Run> &runs, bool inCalls)
    : g_(g), memories_(memories), inCalls_(inCalls) {
    for (const Run &run : runs)
        for (const State *s : run.states)
            runs_[s] = s == run.states.front() ? &run : nullptr;
    track();
}

void Summaries::track() {
    std::set<Memory> shared;
    for (SDFG *g = &g_; g; g = g->parentSDFG())
        for (const auto &[name, d] : g->arrays)
            if (d.isReference())
                shared.insert(memories_.of(*g, name));
    for (SDFG *inner : allSDFGs(g_))
        for (const auto &[name, d] : inner->arrays)
            if (d.isReference())
                shared.insert(memories_.of(*inner, name));
    for (const auto &[name, d] : g_.arrays) {
        if (!analysis::isPlain(&d) || d.mayAlias)
            continue;
        const Memory m = memories_.of(g_, name);
        if (m < 0 || shared.count(m) || memories_.mayAlias(m) || memories_.owner(m) != std::pair<SDFG *, Name>(&g_, name))
            continue;
        sym::Assumptions facts = g_.symbolHints;
        for (const sym::Expr size : d.shape)
            if (size.isSymbol())
                facts[size.name()].positive = true;
        tracked_.emplace(m, std::move(facts));
    }
}

// ---------------------------------------------------------------------------------------------------- items

AccessInstance Summaries::instanceOf(const Use &u) const {
    return u.subset && memories_.owner(u.memory).second == u.data ? AccessInstance{u.subset, {}} : AccessInstance();
}

Summary Summaries::ofStep(const Step &s) const {
    Summary out;
    for (const Use &u : s.uses) {
        if (!isTracked(u.memory))
            continue;
        const AccessInstance all = instanceOf(u);
        if (u.kind == UseKind::Read && inCalls_ && all.subset)
            for (AccessInstance &a : accessesOf(u, s))
                out.exposed[u.memory].push_back(std::move(a));
        else if (u.kind == UseKind::Read)
            out.exposed[u.memory].push_back(all);
        else if (u.certain)
            out.written[u.memory].push_back(all);
    }
    if (s.effects)
        for (const Node *n : s.nodes)
            addChanged(*n, out);
    return out;
}

Summary Summaries::ofMap(const Map &m) const {
    Summary out = of(m.body);
    std::vector<analysis::LoopLevel> loops;
    analysis::addLoops(loops, m);
    overIterations(out, loops, {}, !isGpuSchedule(m.entry->schedule));
    for (Name local : m.locals) {
        const Memory memory = memoryOf(local);
        out.exposed.erase(memory);
        out.written.erase(memory);
    }
    return out;
}

Summary Summaries::of(const Item &item) const { return item.map ? ofMap(*item.map) : ofStep(*item.step); }

Summary Summaries::of(const std::vector<Item> &items) const {
    Pieces pieces(*this);
    for (auto i = items.rbegin(); i != items.rend(); ++i)
        pieces.pass(of(*i));
    return pieces.whole();
}

// ---------------------------------------------------------------------------------------------------- control flow

const Summary &Summaries::of(Block &b) {
    if (const auto known = blocks_.find(&b); known != blocks_.end())
        return known->second;
    Summary made = make(b); // which makes those of the blocks inside
    return blocks_.emplace(&b, std::move(made)).first->second;
}

Summary Summaries::make(Block &b) {
    if (const auto *s = dyn_cast<State>(&b)) {
        const auto run = runs_.find(s);
        return run == runs_.end() ? ofOpaque(*s) : run->second ? of(run->second->items) : Summary();
    }
    if (auto *l = dyn_cast<LoopRegion>(&b))
        return ofLoop(*l);
    if (auto *c = dyn_cast<ConditionalBlock>(&b))
        return ofBranches(*c);
    auto *r = dyn_cast<Region>(&b);
    return r ? ofContent(*r) : Summary();
}

Summary Summaries::of(const InterstateEdge &e) const {
    Summary out;
    read(analysis::containersRead(e, g_), out);
    for (const auto &[symbol, value] : e.assignments)
        out.assigned.insert(symbol);
    return out;
}

Summary Summaries::ofContent(Region &r) {
    const BlockChain chain = chainOf(r);
    Pieces pieces(*this);
    if (!chain.ordered)
        for (const auto &e : r.edges())
            pieces.passAnyOrder(of(*e));
    for (auto b = chain.blocks.rbegin(); b != chain.blocks.rend(); ++b) {
        if (!chain.ordered) {
            pieces.passAnyOrder(of(**b));
            continue;
        }
        pieces.pass(of(**b));
        for (const InterstateEdge *e : (*b)->inEdges())
            pieces.pass(of(*e));
    }
    Summary out = pieces.whole();
    if (!chain.ordered) // nor is the order of the assignments known
        overIterations(out, {}, out.assigned, false);
    return out;
}

BlockChain Summaries::chainOf(Region &r) const {
    BlockChain out;
    Block *const start = r.start();
    out.ordered = start && std::all_of(r.blocks().begin(), r.blocks().end(), [&](const auto &b) {
                      return !isLeft(*b) && b->outEdges().size() <= 1 && b->inEdges().size() == (b.get() == start ? 0 : 1) &&
                             (b->outEdges().empty() || b->outEdges().front()->isUnconditional());
                  });
    if (out.ordered) {
        for (Block *b = start; b; b = b->outEdges().empty() ? nullptr : b->outEdges().front()->dst)
            out.blocks.push_back(b);
        out.ordered = out.blocks.size() == r.blocks().size();
    }
    if (!out.ordered) {
        out.blocks.clear();
        for (const auto &b : r.blocks())
            out.blocks.push_back(b.get());
    }
    return out;
}

Summary Summaries::ofLoop(LoopRegion &l) {
    Summary out = ofContent(l);
    const analysis::LoopHeader header = analysis::headerOf(l);
    const std::set<Name> fixed = header.names();
    const bool counts = header.hasEnd() && !out.assignsUnknown && header.isOfIntegers(g_) &&
                        std::none_of(fixed.begin(), fixed.end(), [&](Name n) { return out.assigned.count(n) != 0; });
    std::set<Name> varying = out.assigned;
    if (!counts)
        varying.insert(l.variable);
    overIterations(out,
                   counts ? std::vector<analysis::LoopLevel>{{l.variable, header.range()}} : std::vector<analysis::LoopLevel>(),
                   varying, counts);
    read(analysis::containersRead(l, g_), out);
    out.assigned.insert(l.variable);
    out.assignsUnknown |= !counts && (l.init || l.update); // more than one symbol, perhaps
    return out;
}

Summary Summaries::ofBranches(ConditionalBlock &c) {
    Summary out;
    bool otherwise = false;
    for (std::size_t k = 0; k < c.branches().size(); ++k) {
        const ConditionalBlock::Branch &branch = c.branches()[k];
        const Summary &one = of(*branch.region);
        otherwise |= !branch.condition;
        for (const auto &[m, instances] : one.exposed)
            out.exposed[m].insert(out.exposed[m].end(), instances.begin(), instances.end());
        if (k == 0)
            out.written = one.written;
        for (auto &[m, instances] : out.written) {
            const auto there = one.written.find(m);
            std::erase_if(instances, [&, memory = m](const AccessInstance &a) {
                return there == one.written.end() ||
                       std::none_of(there->second.begin(), there->second.end(),
                                    [&](const AccessInstance &b) { return analysis::isCovered(a, b, 0, factsOf(memory)); });
            });
        }
        out.assigned.insert(one.assigned.begin(), one.assigned.end());
        out.assignsUnknown |= one.assignsUnknown;
    }
    if (!otherwise)
        out.written.clear();
    read(analysis::containersRead(c, g_), out);
    return out;
}

Summary Summaries::ofOpaque(const State &s) const {
    Summary out;
    std::vector<Name> named;
    for (const auto &n : s.nodes()) {
        addChanged(*n, out);
        if (const auto *a = dyn_cast<AccessNode>(n.get())) {
            if (const Memory m = memories_.of(*a); isTracked(m))
                out.exposed[m].assign(1, AccessInstance());
            named.push_back(ownerOf(a->data));
        }
        const std::set<Name> mentioned = analysis::freeSymbols(*n);
        named.insert(named.end(), mentioned.begin(), mentioned.end());
    }
    for (const auto &e : s.edges()) {
        named.push_back(ownerOf(e->memlet.data));
        for (const auto *subset : {&e->memlet.subset, &e->memlet.otherSubset})
            if (*subset) {
                const std::set<Name> mentioned = (*subset)->freeSymbols();
                named.insert(named.end(), mentioned.begin(), mentioned.end());
            }
    }
    read(named, out);
    return out;
}

void Summaries::read(const std::vector<Name> &containers, Summary &s) const {
    const auto expose = [&s](Memory m) { s.exposed[m].assign(1, AccessInstance()); };
    for (Name n : containers) {
        const DataDesc *d = g_.arrays.find(n);
        if (d && d->isView()) // it may view different containers in different places
            for (const auto &[m, facts] : tracked_)
                expose(m);
        else if (d && isTracked(memoryOf(n)))
            expose(memoryOf(n));
    }
}

} // namespace sdfgc::nest
