#include "Transforms/Offload/ThreadLoops.h"

#include "Transforms/Edits/DevicePlacement.h"
#include "Transforms/Edits/Nodes.h"
#include "Transforms/Edits/Outline.h"
#include "Transforms/Offload/Obstacles.h"

#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Flow/SymbolLiveness.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/Mentions.h"
#include "sdfgc/IR/LabelName.h"
#include "sdfgc/IR/ScopeConnectors.h"
#include "sdfgc/Nest/LiveAfter.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;

namespace {

bool isOneElement(const std::optional<sym::Subset> &s) { return s && s->isOneElement(); }

/// Plain memory, of which code moves single elements at most.
bool isCodeOfThread(const AccessNode &a) {
    const DataDesc *d = a.state()->sdfg()->desc(a.data);
    if (!d || !(d->isScalar() || d->isArray()) || d->isView() || d->isReference() || d->isStream() || a.setZero ||
        a.data.view().find('.') != std::string_view::npos)
        return false;
    return std::all_of(a.outEdges().begin(), a.outEdges().end(), [](const Edge *e) {
        return !isa<AccessNode>(e->dst) || e->memlet.isEmpty() ||
               (analysis::isTransfer(*e) && isOneElement(analysis::sourceSubset(e)) &&
                isOneElement(analysis::destinationSubset(e)));
    });
}

bool isCodeOfThread(const State &s) {
    if (s.instrument != Instrumentation::No_Instrumentation || s.symbolInstrument != DataInstrumentation::No_Instrumentation)
        return false;
    for (const auto &n : s.nodes()) {
        const auto *m = dyn_cast<MapEntry>(n.get());
        const auto *t = dyn_cast<Tasklet>(n.get());
        const auto *a = dyn_cast<AccessNode>(n.get());
        if (m ? !isThread(*m) : t ? isForHost(*t) : a ? !isCodeOfThread(*a) : !isa<MapExit>(n.get()))
            return false;
    }
    return true;
}

bool readsContainers(const Block &b) {
    const SDFG &g = *b.sdfg();
    const auto *l = dyn_cast<LoopRegion>(&b);
    const auto *c = dyn_cast<ConditionalBlock>(&b);
    const auto *r = dyn_cast<Region>(&b);
    return (l && !analysis::containersRead(*l, g).empty()) || (c && !analysis::containersRead(*c, g).empty()) ||
           (r && std::any_of(r->edges().begin(), r->edges().end(),
                             [&](const auto &e) { return !analysis::containersRead(*e, g).empty(); }));
}

bool isCodeOfThread(const Block &b) {
    if (readsContainers(b))
        return false;
    if (const auto *s = dyn_cast<State>(&b))
        return isCodeOfThread(*s);
    const auto *c = dyn_cast<ConditionalBlock>(&b);
    const auto *r = dyn_cast<Region>(&b);
    const auto holds = [](const Region &inner) {
        return std::all_of(inner.blocks().begin(), inner.blocks().end(), [](const auto &x) { return isCodeOfThread(*x); });
    };
    return c ? std::all_of(c->branches().begin(), c->branches().end(),
                           [&](const auto &branch) { return !readsContainers(*branch.region) && holds(*branch.region); })
             : r && holds(*r);
}

/// Moves the only node in the scope of a map out of it.
void unwrap(State &s, MapEntry &m, Node &only) {
    for (Edge *inside : std::vector<Edge *>(only.inEdges()))
        if (!inside->memlet.isEmpty()) {
            const Edge *outside = m.inEdge(scopeInput(inside->srcConn.str().substr(scopeOutputPrefix.size())));
            s.connect(outside->src, outside->srcConn, &only, inside->dstConn, inside->memlet);
        }
    for (Edge *inside : std::vector<Edge *>(only.outEdges()))
        if (!inside->memlet.isEmpty()) {
            const Edge *outside = m.exit->outEdge(scopeOutput(inside->dstConn.str().substr(scopeInputPrefix.size())));
            s.connect(&only, inside->srcConn, outside->dst, outside->dstConn, inside->memlet);
        }
    for (const Edge *e : m.inEdges())
        if (e->memlet.isEmpty())
            tie(s, e->src, &only);
    for (const Edge *e : m.exit->outEdges())
        if (e->memlet.isEmpty())
            tie(s, &only, e->dst);
    MapExit *exit = m.exit;
    s.removeNodes({&m, exit});
}

/// Encloses one loop in a kernel of one thread.
class LoopOfThread {
public:
    explicit LoopOfThread(LoopRegion &l) : loop_(l), g_(*l.sdfg()), types_(g_) {}

    /// Do others use what it writes, but not the symbols that it assigns?
    bool isWorthwhile() {
        const std::set<Name> assigned = analysis::assignedIn(loop_), after = analysis::SymbolLiveness(g_).after(loop_);
        if (std::any_of(assigned.begin(), assigned.end(), [&](Name n) { return after.count(n) != 0; }))
            return false;
        findPrivate();
        const std::set<Name> written = writtenIn(loop_);
        return std::any_of(written.begin(), written.end(), [this](Name n) { return !private_.count(n); });
    }

    void enclose() {
        const std::string name = identifierOf(loop_.label, "loop_");
        const DebugInfo where = loop_.debugInfo;
        node_ = outlined(loop_, name, types_);
        const std::set<Name> known = knownInside();
        passContainers();
        passSymbols(*node_, known, types_);
        for (State *s : allStates(*node_->sdfg)) {
            unwrapTasklets(*s);
            for (MapEntry *m : nodesOf<MapEntry>(*s)) {
                m->schedule = Schedule::Sequential;
                m->gpuBlockSize.reset();
            }
        }
        const std::set<Name> assigned = analysis::assignedIn(loop_);
        State &s = replaceByState(loop_, g_.freshLabel(name));
        s.debugInfo = where;
        for (const Name n : private_)
            g_.arrays.erase(n);
        const std::set<Name> left = analysis::assignedIn(g_);
        for (const Name n : assigned)
            if (!left.count(n) && !node_->mapped(n) && !(g_.parentNode && g_.parentNode->mapped(n)))
                g_.symbols.erase(n);
        place(s, name, where);
    }

private:
    /// Elements that only the loop uses, and that later iterations of loops around it do not read.
    void findPrivate() {
        analysis::Memories memories(*g_.root());
        nest::LiveAfter live(g_, memories);
        const std::set<Name> outside = usedOutside(g_, loop_);
        for (const Block *b : blocksOf(loop_))
            if (const auto *s = dyn_cast<State>(b))
                for (const AccessNode *a : nodesOf<AccessNode>(*s)) {
                    const DataDesc &d = *g_.desc(a->data);
                    if (d.transient && d.totalSize.isOne() && d.lifetime != Lifetime::Persistent &&
                        d.lifetime != Lifetime::Global && !g_.constant(a->data) && !outside.count(a->data) &&
                        !live.isLive(loop_, a->data))
                        private_.insert(a->data);
                }
    }

    /// Symbols with a value before the loop; variables of the loops in it have none.
    std::set<Name> knownInside() {
        Block &top = *analysis::outermost(loop_);
        std::set<Name> known = knownAt(g_, top);
        for (const Region *r = loop_.parent(); r && r != &g_; r = r->parent()) {
            if (const auto *l = dyn_cast<LoopRegion>(r))
                known.insert(l->variable);
            for (const auto &e : r->edges())
                for (const auto &[symbol, value] : e->assignments)
                    known.insert(symbol);
        }
        for (const Block *b : blocksOf(loop_))
            if (const auto *l = dyn_cast<LoopRegion>(b))
                known.erase(l->variable);
        return known;
    }

    void passContainers() {
        SDFG &inner = *node_->sdfg;
        const analysis::Mentions mentions(inner);
        const std::set<Name> written = writtenIn(inner);
        std::vector<Name> names;
        for (const auto &[name, d] : inner.arrays)
            names.push_back(name);
        for (const Name n : names) {
            DataDesc &d = *inner.desc(n);
            if (inner.constant(n))
                continue;
            if (!mentions.contain(n)) {
                inner.arrays.erase(n);
                continue;
            }
            d.lifetime = Lifetime::Scope;
            if (private_.count(n)) {
                d.storage = Storage::Register;
                continue;
            }
            d.transient = false;
            const bool isWritten = written.count(n) != 0;
            const Type type = d.isScalar() && !isWritten ? d.dtype : Type::pointer(d.dtype);
            node_->addIn(n, type);
            if (isWritten)
                node_->addOut(n, type);
        }
    }

    void place(State &s, const std::string &name, const DebugInfo &where) {
        MapEntry *entry = addThread(s, name, where);
        auto *n = cast<NestedSDFGNode>(s.adopt(std::move(node_)));
        const auto whole = [&](Name argument) { return Memlet::simple(argument, g_.desc(argument)->fullSubset()); };
        for (const Connector &c : n->inConnectors) {
            s.connect(s.add<AccessNode>(c.name), {}, entry, scopeInput(c.name), whole(c.name));
            s.connect(entry, scopeOutput(c.name), n, c.name, whole(c.name));
        }
        for (const Connector &c : n->outConnectors) {
            s.connect(n, c.name, entry->exit, scopeInput(c.name), whole(c.name));
            s.connect(entry->exit, scopeOutput(c.name), s.add<AccessNode>(c.name), {}, whole(c.name));
        }
    }

    LoopRegion &loop_;
    SDFG &g_;
    const analysis::SymbolTypes types_;
    std::set<Name> private_;
    std::unique_ptr<NestedSDFGNode> node_;
};

void runInOneThread(Region &r) {
    std::vector<Block *> blocks;
    for (const auto &b : r.blocks())
        blocks.push_back(b.get());
    for (Block *b : blocks) {
        auto *l = dyn_cast<LoopRegion>(b);
        if (l && isForOneThread(*l)) {
            if (LoopOfThread loop(*l); loop.isWorthwhile())
                loop.enclose();
        } else if (auto *c = dyn_cast<ConditionalBlock>(b)) {
            for (const auto &branch : c->branches())
                runInOneThread(*branch.region);
        } else if (auto *inner = dyn_cast<Region>(b)) {
            runInOneThread(*inner);
        }
    }
}

} // namespace

bool isForOneThread(const LoopRegion &l) { return isCodeOfThread(static_cast<const Block &>(l)); }

void runInOneThread(SDFG &g) { runInOneThread(static_cast<Region &>(g)); }

void followStorage(SDFG &g) {
    for (State *s : allStates(g))
        for (NestedSDFGNode *n : nodesOf<NestedSDFGNode>(*s)) {
            const auto *m = dyn_cast<MapEntry>(analysis::ScopeTree(*s).scopeOf(n));
            if (!m || !isThread(*m) || !n->sdfg)
                continue;
            for (const auto &[name, d] : g.arrays)
                if (DataDesc *inner = n->inEdge(name) || n->outEdge(name) ? n->sdfg->arrays.find(name) : nullptr)
                    inner->storage = d.storage;
        }
}

void unwrapTasklets(State &s) {
    for (MapEntry *m : nodesOf<MapEntry>(s)) {
        const analysis::ScopeTree scopes(s);
        if (!isThread(*m) || scopes.scopeOf(m))
            continue;
        const auto &inside = scopes.children(m);
        const auto isPart = [&](const Node *n) { return n != m->exit; };
        if (std::count_if(inside.begin(), inside.end(), isPart) == 1)
            if (auto *t = dyn_cast<Tasklet>(*std::find_if(inside.begin(), inside.end(), isPart)))
                unwrap(s, *m, *t);
    }
}

} // namespace sdfgc::transforms
