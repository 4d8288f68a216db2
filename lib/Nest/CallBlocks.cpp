#include "sdfgc/Nest/CallBlocks.h"

#include "Nest/BodyCover.h"

#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Symbols/PassSymbols.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/LabelName.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Nest/CallElements.h"

#include <algorithm>

namespace sdfgc::nest {

using namespace ir;

namespace {

using Accesses = std::map<Name, analysis::Access>;

/// How dataflow and control flow of a region use containers of their SDFG.
Accesses usesIn(const Region &r) {
    Accesses out;
    for (const State *s : allStates(r))
        for (const AccessNode *a : nodesOf<AccessNode>(*s)) {
            analysis::Access &does = out[ownerOf(a->data)];
            does.read |= !a->outEdges().empty();
            does.written |= !a->inEdges().empty();
        }
    analysis::forEachControlRead(r, [&out](Name container, const Region &) { out[ownerOf(container)].read = true; });
    return out;
}

/// One level of teams is enough.
void makeSequential(SDFG &g) {
    for (State *s : allStates(g)) {
        for (MapEntry *m : nodesOf<MapEntry>(*s))
            if (m->schedule != Schedule::Unrolled)
                m->schedule = Schedule::Sequential;
        for (NestedSDFGNode *nested : nodesOf<NestedSDFGNode>(*s))
            if (nested->sdfg)
                makeSequential(*nested->sdfg);
    }
}

/// A `continue` of the loop ends the nested SDFG.
void returnInsteadOfContinue(Region &r) {
    std::vector<Block *> ends;
    for (const auto &b : r.blocks()) {
        if (isa<ContinueBlock>(b.get()))
            ends.push_back(b.get());
        else if (auto *c = dyn_cast<ConditionalBlock>(b.get()))
            for (auto &branch : c->branches())
                returnInsteadOfContinue(*branch.region);
        else if (auto *inner = dyn_cast<Region>(b.get()); inner && !isa<LoopRegion>(inner))
            returnInsteadOfContinue(*inner);
    }
    for (Block *b : ends) {
        auto *end = r.add<ReturnBlock>();
        end->label = b->label;
        if (r.start() == b)
            r.setStart(end);
        r.moveInEdges(b, end);
        r.removeBlock(b);
    }
}

/// A step that calls a new nested SDFG.
class Call {
public:
    Call(const std::string &label, const DebugInfo &where, SDFG &g, analysis::Memories &memories)
        : g_(g), memories_(memories), node_(std::make_shared<NestedSDFGNode>()) {
        node_->label = label;
        node_->debugInfo = where;
        node_->sdfg = std::make_unique<SDFG>(Name(label));
        SDFG &inner = *node_->sdfg;
        inner.parentNode = node_.get();
        inner.label = label;
        inner.usesExplicitControlFlow = true;
        inner.level = g_.level;
        inner.symbolHints = g_.symbolHints;
        step_.nodes = {node_.get()};
        step_.made = node_;
    }

    SDFG &sdfg() { return *node_->sdfg; }

    /// Gives the nested SDFG a container of its own.
    void addOwn(Name name, bool isLocal) {
        DataDesc d = *g_.desc(name);
        if (isLocal)
            d.lifetime = Lifetime::Scope;
        if (isLocal && isSmallLocal(d))
            d.storage = Storage::Register;
        sdfg().arrays.set(name, std::move(d));
    }

    void pass(Name name, analysis::Access does) {
        DataDesc d = *g_.desc(name);
        const sym::Subset whole = d.fullSubset();
        if (does.read)
            step_.uses.push_back(use(UseKind::Read, name, whole));
        if (does.written)
            step_.uses.push_back(use(UseKind::Write, name, whole));
        d.transient = false;
        d.lifetime = Lifetime::Scope;
        sdfg().arrays.set(name, std::move(d));
    }

    /// `assigned`: the symbols that its blocks assign; `variable`: of a loop around it.
    Step finish(const std::set<Name> &assigned, Name variable) {
        makeSequential(sdfg());
        std::stable_sort(step_.uses.begin(), step_.uses.end(),
                         [](const Use &a, const Use &b) { return !a.writes() && b.writes(); });
        const auto typeOf = [&](Name n) {
            const Type *declared = g_.symbols.find(n);
            return declared ? *declared : n == variable ? Type(ScalarKind::Int64) : analysis::symbolType(g_, n);
        };
        for (const Name n : assigned)
            sdfg().symbols.set(n, typeOf(n));
        analysis::passRequiredSymbols(*node_, typeOf);
        return std::move(step_);
    }

private:
    Use use(UseKind kind, Name name, const sym::Subset &whole) {
        Use u;
        u.kind = kind;
        u.data = u.connector = name;
        u.memory = memories_.of(g_, name);
        u.memlet = Memlet::simple(name, whole);
        u.memlet.volume = 0; // depends on the control flow
        u.memlet.dynamic = true;
        step_.ends.push_back(std::make_shared<AccessNode>(name));
        u.access = step_.ends.back().get();
        if (analysis::isPlain(g_.desc(name)))
            u.subset = whole;
        return u;
    }

    SDFG &g_;
    analysis::Memories &memories_;
    const std::shared_ptr<NestedSDFGNode> node_;
    Step step_;
};

/// Is a container private to the iterations of maps in blocks that alone use it? Then it is in no access of the body.
bool isPrivateInMaps(Name name, const DataDesc &d, const LoopBody &body) {
    return d.transient && std::none_of(body.uses.begin(), body.uses.end(), [name](const BodyUse &u) { return u.data == name; });
}

} // namespace

Step moveBody(LoopRegion &l, const LoopBody &body, const std::set<Name> &locals, analysis::Memories &memories,
              const std::set<Name> &inside, bool isCopy) {
    SDFG &g = *l.sdfg();
    const Accesses used = usesIn(l);
    Call call(identifierOf(l.label, "loop_"), l.debugInfo, g, memories);
    SDFG &inner = call.sdfg();
    if (l.blocks().empty()) // which a region may be, and an SDFG may not
        l.add<State>()->label = l.label;
    Block *start = l.start();
    inner.adopt(l.release());
    inner.setStart(start);
    returnInsteadOfContinue(inner);
    for (const auto &[name, does] : used) {
        const DataDesc &d = *g.desc(name);
        const bool isOnlyHere = inside.count(name);
        if (!locals.count(name) && !d.isView() && !(isOnlyHere && isPrivateInMaps(name, d, body))) {
            call.pass(name, does);
            continue;
        }
        call.addOwn(name, locals.count(name));
        if (isOnlyHere && !isCopy) // otherwise other code uses it too, and the body has a copy
            g.arrays.erase(name);
    }
    return call.finish(body.assigned, l.variable);
}

namespace {

/// Copies part of a sequence of blocks, with its edges.
void copyBlocks(const std::vector<Block *> &blocks, const Stretch &part, SDFG &to) {
    Block *last = nullptr;
    const auto add = [&](Block *b, std::size_t edge) {
        if (!last)
            to.setStart(b);
        else if (edge < part.first)
            to.connect(last, b);
        else
            to.connect(last, b, {"1", Language::Python}, blocks[edge / 2]->outEdges().front()->assignments);
        last = b;
    };
    const auto addEmpty = [&](const std::string &label, std::size_t edge) {
        auto *s = to.add<State>();
        s->label = label;
        add(s, edge);
    };
    if (part.first % 2)
        addEmpty(to.label + "_start", 0);
    for (std::size_t k = (part.first + 1) / 2; 2 * k <= part.last; ++k)
        add(to.adopt(ir::clone(static_cast<const Block &>(*blocks[k]))), k == 0 ? 0 : 2 * k - 1);
    if (part.last % 2)
        addEmpty(to.label + "_end", part.last);
}

/// A label for part of a body: that of the first block that is not a state.
const Block &mainBlock(const std::vector<Block *> &blocks, const Stretch &part) {
    for (std::size_t k = (part.first + 1) / 2; 2 * k <= part.last; ++k)
        if (!isa<State>(blocks[k]))
            return *blocks[k];
    return *blocks[part.first / 2];
}

/// Are all accesses of a container in this part of the body?
bool isUsedOnlyIn(const Stretch &part, Name name, const LoopBody &body) {
    return std::all_of(body.uses.begin(), body.uses.end(),
                       [&](const BodyUse &u) { return u.data != name || part.contains(u.position); });
}

} // namespace

Step callOf(const LoopRegion &l, const std::vector<Block *> &blocks, const Stretch &part, const LoopBody &body,
            const Conflicts &items, analysis::Memories &memories, const std::function<bool(Name)> &inside, std::set<Name> &moved) {
    SDFG &g = const_cast<SDFG &>(*l.sdfg());
    const Block &main = mainBlock(blocks, part);
    Call call(identifierOf(main.label, "block_"), main.debugInfo, g, memories);
    SDFG &inner = call.sdfg();
    copyBlocks(blocks, part, inner);
    inner.arrays = g.arrays; // for usesIn
    const Accesses used = usesIn(inner);
    inner.arrays = {};
    const BodyCover cover(body, g, items.facts());
    for (const auto &[name, does] : used) {
        const DataDesc &d = *g.desc(name);
        const bool isOnlyHere = inside(name) && isUsedOnlyIn(part, name, body);
        const bool isLocal = isOnlyHere && isSmallLocal(d) && cover.holds(name, memories.of(g, name), false);
        if (!isLocal && !d.isView() && !(isOnlyHere && isPrivateInMaps(name, d, body))) {
            call.pass(name, does);
            continue;
        }
        call.addOwn(name, isLocal);
        if (isOnlyHere)
            moved.insert(name);
    }
    const std::set<Name> assigned = analysis::assignedInside(inner);
    Step out = call.finish(assigned, l.variable);
    describeCall(out, std::make_shared<CallElements>(out.uses, l.variable, part, body, g));
    return out;
}

void forgetSymbols(SDFG &g, const std::set<Name> &symbols) {
    const std::set<Name> assigned = analysis::assignedInside(g), free = analysis::freeSymbols(g);
    for (const Name n : symbols)
        if (!assigned.count(n) && !free.count(n) && !(g.parentNode && g.parentNode->mapped(n)))
            g.symbols.erase(n);
}

} // namespace sdfgc::nest
