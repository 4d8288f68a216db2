#include "sdfgc/Nest/MoveBody.h"

#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Symbols/PassSymbols.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/LabelName.h"
#include "sdfgc/IR/StateGraph.h"

#include <algorithm>

namespace sdfgc::nest {

using namespace ir;

namespace {

/// How dataflow and control flow of a region use containers of their SDFG.
std::map<Name, analysis::Access> usesIn(const Region &r) {
    std::map<Name, analysis::Access> out;
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

class Moving {
public:
    Moving(LoopRegion &l, const LoopBody &body, const std::set<Name> &locals, analysis::Memories &memories,
           const std::set<Name> &inside)
        : loop_(l), g_(*l.sdfg()), body_(body), locals_(locals), memories_(memories), inside_(inside) {}

    Step move() {
        const std::map<Name, analysis::Access> used = usesIn(loop_);
        auto node = std::make_shared<NestedSDFGNode>();
        node->label = identifierOf(loop_.label, "loop_");
        node->debugInfo = loop_.debugInfo;
        node->sdfg = std::make_unique<SDFG>(Name(node->label));
        SDFG &inner = *node->sdfg;
        inner.parentNode = node.get();
        inner.label = node->label;
        inner.usesExplicitControlFlow = true;
        inner.level = g_.level;
        inner.symbolHints = g_.symbolHints;
        Block *start = loop_.start();
        inner.adopt(loop_.release());
        inner.setStart(start);
        returnInsteadOfContinue(inner);
        makeSequential(inner);
        ends_ = loop_.add<State>();
        Step out;
        for (const auto &[name, does] : used)
            addContainer(name, does, inner, out);
        std::stable_sort(out.uses.begin(), out.uses.end(), [](const Use &a, const Use &b) { return !a.writes() && b.writes(); });
        declareSymbols(*node);
        out.nodes = {node.get()};
        out.made = node;
        return out;
    }

private:
    void addContainer(Name name, analysis::Access does, SDFG &inner, Step &s) {
        DataDesc d = *g_.desc(name);
        if (locals_.count(name) || d.isView() || isPrivateInside(name, d)) {
            const bool moves = inside_.count(name); // otherwise other code uses it too, and the body has a copy
            if (locals_.count(name) && isSmallLocal(d))
                d.storage = Storage::Register;
            inner.arrays.set(name, std::move(d));
            if (moves)
                g_.arrays.erase(name);
            return;
        }
        const sym::Subset whole = d.fullSubset();
        if (does.read)
            s.uses.push_back(use(UseKind::Read, name, whole));
        if (does.written)
            s.uses.push_back(use(UseKind::Write, name, whole));
        d.transient = false;
        d.lifetime = Lifetime::Scope;
        inner.arrays.set(name, std::move(d));
    }

    /// Is a container private to the iterations of maps in the body? The body does not use it otherwise.
    bool isPrivateInside(Name name, const DataDesc &d) const {
        return d.transient && inside_.count(name) &&
               std::none_of(body_.uses.begin(), body_.uses.end(), [name](const BodyUse &u) { return u.data == name; });
    }

    Use use(UseKind kind, Name name, const sym::Subset &whole) {
        Use u;
        u.kind = kind;
        u.data = u.connector = name;
        u.memory = memories_.of(g_, name);
        u.memlet = Memlet::simple(name, whole);
        u.memlet.volume = 0; // depends on the control flow
        u.memlet.dynamic = true;
        u.access = ends_->add<AccessNode>(name);
        if (analysis::isPlain(g_.desc(name)))
            u.subset = whole;
        return u;
    }

    void declareSymbols(NestedSDFGNode &node) const {
        const auto typeOf = [this](Name n) {
            const Type *declared = g_.symbols.find(n);
            return declared ? *declared : n == loop_.variable ? Type(ScalarKind::Int64) : analysis::symbolType(g_, n);
        };
        for (const Name n : body_.assigned)
            node.sdfg->symbols.set(n, typeOf(n));
        analysis::passRequiredSymbols(node, typeOf);
    }

    LoopRegion &loop_;
    SDFG &g_;
    const LoopBody &body_;
    const std::set<Name> &locals_;
    analysis::Memories &memories_;
    const std::set<Name> &inside_;
    State *ends_ = nullptr; // with the access nodes of the step's uses
};

} // namespace

Step moveBody(LoopRegion &l, const LoopBody &body, const std::set<Name> &locals, analysis::Memories &memories,
              const std::set<Name> &inside) {
    return Moving(l, body, locals, memories, inside).move();
}

void forgetSymbols(SDFG &g, const std::set<Name> &symbols) {
    const std::set<Name> assigned = analysis::assignedInside(g), free = analysis::freeSymbols(g);
    for (const Name n : symbols)
        if (!assigned.count(n) && !free.count(n) && !(g.parentNode && g.parentNode->mapped(n)))
            g.symbols.erase(n);
}

} // namespace sdfgc::nest
