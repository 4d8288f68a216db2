// allocate-containers: decide where each transient is declared and where its memory is allocated.
//
//   before:  transient t: float64[N] (CPU_Heap)            after:  transient t: float64[N] (CPU_Heap, SDFG)
//            state a { ... -> t }  state b { t -> ... }            state a { ... -> t }  state b { t -> ... }
//
//   before:  transient t: float64[n]                       after:  transient t: float64[n] (SDFG)
//            goto s with n = 2*N                                   goto s with n = 2*N
//            state s {}                                            state s { reserve t }
//            goto a if c; goto b if not c                          goto a if c; goto b if not c
//            state a { ... -> t }  state b { ... -> t }            state a { ... -> t }  state b { ... -> t }
//
// The result is the lifetime of the container (sdfgc/Analysis/Memory/Allocation.h maps lifetimes to places), plus `Reserve`
// nodes for sizes that the SDFG computes itself. Memory is released at the end of its scope, on every path out of it.
//
//   1. A container that control flow reads, or that several states use, lives as long as a run of its SDFG: Scope and
//      State become SDFG. It has a single declaration, before all uses.
//   2. Device memory must not be released while queued work may use it. Memory that the host allocates for a device
//      therefore lives as long as the SDFG or, in a nested SDFG, as long as the call of the program (Global): at that
//      point the host has waited for the device anyway, and loops do not reallocate. If the size cannot be computed at
//      the start of the call, the memory is reserved where it is needed, which waits for the device only if the memory
//      grows. Memory that must be zero is reserved again at its original position. In scopes whose iterations run
//      concurrently on host threads, each iteration has private memory and waits for the device before releasing it.
//   3. A size that the SDFG assigns itself is known late. Memory is reserved before the nearest common dominator of all
//      uses. If a symbol of the size may still be unassigned there, memory is reserved before each block that uses the
//      container; memory that is already large enough is kept, with its contents.
//   4. Global containers of nested SDFGs are treated as in 2. They become Persistent if their size cannot be computed
//      at the start of a call. Registers cannot: in a kernel they live as long as the SDFG, and on the host ordinary
//      memory (CPU_Heap) replaces them.
//
// Not handled: views, constants, unused containers, containers in the program's state, pool memory (pool-memory has
// placed its nodes), and containers that already have `Reserve` nodes. Declarations inside a kernel stay there:
// place-in-memory chooses their memory.
#include "Transforms/Edits/Nodes.h"

#include "sdfgc/Analysis/Device/Async.h"
#include "sdfgc/Analysis/Flow/Dominators.h"
#include "sdfgc/Analysis/Flow/FlowWalk.h"
#include "sdfgc/Analysis/Memory/Allocation.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using analysis::AsyncOp;
using analysis::ContainerUses;
using analysis::Executor;

// ---------------------------------------------------------------------------------------------------- symbols with values

/// Symbols that may have no value yet.
struct Unassigned {
    std::set<Name> symbols;
    void join(const Unassigned &other) { symbols.insert(other.symbols.begin(), other.symbols.end()); }
    bool sameAs(const Unassigned &other) const { return symbols == other.symbols; }
};

/// Walks one SDFG to find symbols that may be unassigned before each block.
class AssignmentWalk : private analysis::FlowWalk<Unassigned> {
public:
    AssignmentWalk(SDFG &g, const std::set<Name> &assigned) {
        Unassigned start;
        for (Name n : assigned)
            if (!g.symbols.contains(n) || !(g.isRoot() || g.parentNode->mapped(n))) // else the caller provides a value
                start.symbols.insert(n);
        whole(g, std::move(start));
    }
    const std::set<Name> &before(const Block *b) const {
        static const std::set<Name> none; // unreachable
        auto it = before_.find(b);
        return it == before_.end() ? none : it->second;
    }

private:
    Unassigned state(State &, Unassigned in) override { return in; }
    void entering(Block &b, Unassigned &now) override {
        if (const auto *l = dyn_cast<LoopRegion>(&b); l && l->init)
            now.symbols.erase(l->variable);
        before_[&b].insert(now.symbols.begin(), now.symbols.end());
    }
    void along(const InterstateEdge &e, Unassigned &now) override {
        for (const auto &[symbol, text] : e.assignments)
            now.symbols.erase(symbol);
    }
    std::map<const Block *, std::set<Name>> before_;
};

// ---------------------------------------------------------------------------------------------------- one SDFG

class Allocator {
public:
    Allocator(SDFG &g, analysis::OuterValues &values, bool gpu, pass::Context &context)
        : g_(g), values_(values), context_(context), executor_(analysis::executorInside(g, nullptr)), gpu_(gpu) {}

    bool run() {
        uses_ = analysis::usesOfContainers(g_);
        for (const auto &[name, use] : uses_)
            if (std::any_of(use.nodes.begin(), use.nodes.end(), [](const AccessNode *n) { return n->setZero; }))
                zeroed_.insert(name);
        const std::set<Name> pooled = analysis::pooledContainers(g_), reserved = analysis::reservedContainers(g_);
        for (auto &[name, d] : g_.arrays) {
            const auto use = uses_.find(name);
            if (use == uses_.end() || !analysis::needsMemory(g_, name, d) || reserved.count(name))
                continue;
            if (pooled.count(name))
                enclose(name, d, use->second);
            else
                place(name, d, use->second);
        }
        return changed_;
    }

private:
    bool outlivesCalls(const DataDesc &d) const { return d.lifetime == Lifetime::Persistent || d.lifetime == Lifetime::External; }
    /// Is it memory, rather than an object or a pointer?
    static bool isMemory(const DataDesc &d) { return (d.isArray() || d.isScalar()) && !d.isReference(); }
    /// Does the host allocate it for a device?
    bool isOfDevice(const DataDesc &d) const {
        return gpu_ && executor_ == Executor::Host && (d.storage == Storage::GPU_Global || d.storage == Storage::CPU_Pinned) &&
               isMemory(d);
    }

    void place(Name name, DataDesc &d, const ContainerUses &u) {
        if (outlivesCalls(d))
            return;
        if (d.lifetime == Lifetime::Global && !g_.isRoot())
            return placeGlobal(name, d, u);
        if (isOfDevice(d) && !placeForDevice(name, d, u))
            return;
        enclose(name, d, u);
        if ((d.lifetime == Lifetime::SDFG || d.lifetime == Lifetime::Global) && isComputed(d))
            reserve(name, d, u);
    }

    /// A Global container of a nested SDFG. Registers cannot outlive their scope: in a kernel they live as long as the thread runs
    /// the SDFG, and on the host ordinary memory replaces them.
    void placeGlobal(Name name, DataDesc &d, const ContainerUses &u) {
        if (isMemory(d) && ofTheCall(d))
            return;
        if (d.storage == Storage::Register && executor_ != Executor::Host) {
            live(name, d, Lifetime::SDFG);
            return enclose(name, d, u);
        }
        if (d.storage == Storage::Register)
            d.storage = Storage::CPU_Heap;
        live(name, d, Lifetime::Persistent);
    }

    /// The declaration encloses all uses.
    void enclose(Name name, DataDesc &d, const ContainerUses &u) {
        if (!u.onlyState() && (d.lifetime == Lifetime::Scope || d.lifetime == Lifetime::State))
            live(name, d, Lifetime::SDFG);
    }

    /// Returns false if nothing else is left to decide.
    bool placeForDevice(Name name, DataDesc &d, const ContainerUses &u) {
        auto *only = const_cast<State *>(u.onlyState());
        const bool local = only && (d.lifetime == Lifetime::Scope || d.lifetime == Lifetime::State);
        if (local) {
            const analysis::ScopeTree scopes(*only);
            auto *scope = const_cast<Node *>(d.lifetime == Lifetime::Scope ? analysis::commonScope(u, scopes) : nullptr);
            if (analysis::executorInside(g_, scope) != Executor::Host)
                return true; // of a kernel
            if (analysis::runsInTeam(g_, only, scope)) {
                waitAtEnd(*only, scope, scopes);
                return false;
            }
            const bool ofScope = values_.of(g_, d.totalSize, only, scope).computed && !isComputed(d); // parameters of the scope
            if (ofScope || (zeroed_.count(name) && (scope || g_.isRoot()))) {
                live(name, d, g_.isRoot() ? Lifetime::SDFG : Lifetime::Global);
                reserveIn(*only, scope, name);
                return false;
            }
        }
        if (g_.isRoot()) {
            live(name, d, Lifetime::SDFG);
            return true;
        }
        if (analysis::runsInTeam(g_, nullptr, nullptr)) {
            waitAtEndOfSDFG();
            return true;
        }
        const bool ofFunction = analysis::becomesFunction(g_);
        live(name, d, ofFunction ? Lifetime::SDFG : Lifetime::Global);
        if (isComputed(d) || zeroed_.count(name) || (!ofFunction && !ofTheCall(d)))
            reserve(name, d, u);
        return false;
    }

    void live(Name name, DataDesc &d, Lifetime lifetime) {
        if (d.lifetime == lifetime)
            return;
        context_.done({elementName(g_) + ", container " + name.str(), pass::Element(g_, name).source},
                      "lives as long as " + std::string(lifetime == Lifetime::SDFG     ? "a run of its SDFG"
                                                        : lifetime == Lifetime::Global ? "a call of the program"
                                                                                       : "the program's state"));
        d.lifetime = lifetime;
        changed_ = true;
    }

    /// Can the size be computed at the start of the program's call, and is the container visible there?
    bool ofTheCall(const DataDesc &d) {
        for (const SDFG *g = &g_; g->parentNode; g = g->parentSDFG())
            if (analysis::becomesFunction(*g))
                return false;
        if (executor_ != Executor::Host || analysis::runsInTeam(g_, nullptr, nullptr))
            return false;
        for (sym::Expr e : sizesOf(d))
            if (values_.of(g_, e).computed)
                return false;
        return true;
    }

    static std::vector<sym::Expr> sizesOf(const DataDesc &d) {
        std::vector<sym::Expr> all = d.shape;
        all.push_back(d.totalSize);
        all.push_back(d.startOffset);
        return all;
    }
    std::set<Name> symbolsOf(const DataDesc &d) const {
        std::set<Name> symbols;
        for (sym::Expr e : sizesOf(d))
            symbols.insert(e.freeSymbols().begin(), e.freeSymbols().end());
        return symbols;
    }
    bool isComputed(const DataDesc &d) { return values_.isSizeAssigned(g_, d); }

    // ---- nodes
    void reserve(Name name, const DataDesc &d, const ContainerUses &u) {
        const Block *dominator = nearestCommonDominator(u);
        if (!dominator)
            return; // unreachable
        if (!assignments_)
            assignments_ = std::make_unique<AssignmentWalk>(g_, values_.assigned(g_));
        const std::set<Name> symbols = symbolsOf(d), &open = assignments_->before(dominator);
        if (std::none_of(symbols.begin(), symbols.end(), [&](Name n) { return open.count(n) != 0; })) {
            reserveBefore(*const_cast<Block *>(dominator), name);
            return;
        }
        std::set<const Block *> seen;
        for (const Block *b : u.blocks)
            if (seen.insert(b).second)
                reserveBefore(*const_cast<Block *>(b), name);
    }

    void reserveBefore(Block &b, Name name) {
        if (auto *s = dyn_cast<State>(&b))
            return reserveIn(*s, nullptr, name);
        State *&front = fronts_[&b];
        if (!front)
            front = b.parent()->addStateBefore(&b, g_.freshLabel("reserve_" + name.str()));
        reserveIn(*front, nullptr, name);
    }
    /// Reserves before everything in a scope, after earlier reservations there.
    void reserveIn(State &s, Node *scope, Name name) {
        s.renumber();
        const analysis::ScopeTree scopes(s);
        LibraryNode *n = analysis::addAsyncOp(s, {AsyncOp::Reserve, 0, -1, name});
        for (Node *child : scopes.children(scope)) {
            const bool first = std::all_of(child->inEdges().begin(), child->inEdges().end(),
                                           [&](const Edge *e) { return e->src == scope || isReserve(*e->src); });
            if (isReserve(*child))
                tie(s, child, n);
            else if (first)
                tie(s, n, child);
        }
        if (scope)
            tie(s, scope, n);
        changed_ = true;
    }
    static bool isReserve(const Node &n) {
        const auto *l = dyn_cast<LibraryNode>(&n);
        const auto op = l ? analysis::asyncOp(*l) : std::nullopt;
        return op && op->kind == AsyncOp::Reserve;
    }

    /// The host waits for work that an iteration has queued; it is on stream 0, like everything in a scope on the host.
    void waitAtEnd(State &s, Node *scope, const analysis::ScopeTree &scopes) {
        if (!waits_.insert({&s, scope}).second)
            return;
        LibraryNode *wait = analysis::addAsyncOp(s, {AsyncOp::Synchronise, 0, -1, {}});
        for (Node *child : scopes.children(scope)) {
            Node *end = exitOf(child);
            const bool last =
                std::all_of(end->outEdges().begin(), end->outEdges().end(), [](const Edge *e) { return e->dst->isExit(); });
            if (last)
                tie(s, end, wait);
        }
        if (scope)
            tie(s, wait, exitOf(scope));
        changed_ = true;
    }
    void waitAtEndOfSDFG() {
        if (!waits_.insert({nullptr, nullptr}).second)
            return;
        std::vector<Block *> last;
        for (const auto &b : g_.blocks())
            if (b->outEdges().empty() && b->kind() != BlockKind::Return)
                last.push_back(b.get());
        State *s = g_.add<State>();
        s->label = g_.freshLabel("finish");
        for (Block *b : last)
            g_.connect(b, s);
        analysis::addAsyncOp(*s, {AsyncOp::Synchronise, 0, -1, {}});
        changed_ = true;
    }

    // ---- dominators
    /// Blocks from the SDFG's top region down to `b`.
    static std::vector<const Block *> chain(const Block *b) {
        std::vector<const Block *> out;
        for (; b && b->kind() != BlockKind::SDFG; b = b->conditional() ? static_cast<const Block *>(b->conditional()) : b->parent())
            out.push_back(b);
        std::reverse(out.begin(), out.end());
        return out;
    }

    /// The nearest block on every path to a use: in the innermost region that contains all uses, or outside of it. Null if no use
    /// is reachable.
    const Block *nearestCommonDominator(const ContainerUses &u) {
        std::vector<std::vector<const Block *>> chains;
        for (const Block *b : u.blocks)
            chains.push_back(chain(b));
        std::size_t depth = 0;
        while (std::all_of(chains.begin(), chains.end(), [&](const auto &c) { return c.size() > depth + 1; }) &&
               std::all_of(chains.begin(), chains.end(), [&](const auto &c) { return c[depth] == chains[0][depth]; }))
            ++depth;
        // The branches of a conditional block are alternatives: the point before the conditional dominates all of them.
        while (depth > 0 && chains[0][depth - 1]->kind() == BlockKind::Conditional)
            --depth;
        const analysis::BlockDominators dominators(*chains[0][depth]->parent());
        const Block *best = dominators.reachable(chains[0][depth]) ? chains[0][depth] : nullptr;
        for (const auto &c : chains)
            best = best ? dominators.common(best, c[depth]) : dominators.reachable(c[depth]) ? c[depth] : nullptr;
        return best;
    }

    SDFG &g_;
    analysis::OuterValues &values_;
    pass::Context &context_;
    Executor executor_;
    bool gpu_, changed_ = false;
    std::map<Name, ContainerUses> uses_;
    std::set<Name> zeroed_; // zero when allocated
    std::unique_ptr<AssignmentWalk> assignments_;
    std::map<const Block *, State *> fronts_;
    std::set<std::pair<const State *, const Node *>> waits_;
};

class AllocateContainers : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        bool changed = false;
        analysis::OuterValues values;
        for (SDFG *g : allSDFGs(root))
            changed |= Allocator(*g, values, context.options.gpu(), context).run();
        if (changed)
            root.renumber();
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createAllocateContainers() { return std::make_unique<AllocateContainers>(); }

} // namespace sdfgc::transforms
