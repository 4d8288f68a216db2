// resolve-thread-guards: turn guards by thread, warp and block into conditions on map parameters.
//
//   before:  map b[b = 0:4] GPU_Device {                   after:  map b[b = 0:4] GPU_Device {
//              map t[t = 0:64] GPU_ThreadBlock {                     map t[t = 0:64] GPU_ThreadBlock {
//                set: x = 1     (location: gpu_thread: 0)              set: if t == 0: x = 1
//                map w[w = 0:2] GPU_Warp { ... w ... } } }             map w[w = t // 32 : t // 32 + 1] Sequential { ... } } }
//
// The `location` of a tasklet names the threads, warps or blocks that run it. A GPU_Warp map assigns each iteration to
// a warp, whose lanes run it together (DaCe: codegen/targets/cuda.py; experimental_cuda_helpers/scope_strategies.py).
// Both refer to positions, and a pass that reorders, splits or fuses maps changes which iteration has which position.
// So this pass runs before any of these and translates positions into iterations of the original graph:
//
//     thread of the block   iteration of the surrounding thread-block map: the last parameter counts along x, the one before
//                           it along y, and so on. Without thread-block maps in the kernel: the iteration of the kernel's
//                           map, modulo the block size
//     warp                  thread of the block divided by the lanes of a warp (option `lanes`; 0: the target's, by --gpu-arch)
//     block                 iteration of the kernel's map if there are thread-block maps, otherwise divided by the block size
//
// The parameter of a GPU_Warp map is the number of the warp. If the map has more iterations than a block has warps, the warps take
// turns. A condition is a branch in Python code, and a map of at most one iteration around anything else. Code next to thread-block
// maps runs once per block, on an unspecified thread: there, a guard by thread or warp holds if the block contains one that it
// names. Results of a guarded tasklet are dynamic, since they may not be written. No barrier may come between a condition and the
// guarded code.
//
// Not handled, and refused (SD4540, SD4541):
//   - guards outside kernels, which DaCe ignores on the host and obeys as soon as it moves the code to a device;
//   - guards of iterations without a known position (dynamic thread-block maps, device maps inside kernels);
//   - GPU_Warp maps outside thread-block maps, or in blocks without warps for them.
//
// A guard that counts threads of blocks whose size the graph leaves open assumes the usual size, with a warning
// (SD4542). On the CPU a guard has no effect (SD6022).
#include "Transforms/Normalise/ThreadPositions.h"

#include "sdfgc/Analysis/Device/Location.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/IR/ScopeConnectors.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Tasklet/Ast.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>
#include <optional>
#include <set>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using analysis::GuardLevel;
using analysis::ThreadGuard;
using diag::Id;

// ---- conditions

/// Is a nonnegative number in a range?
sym::Expr isIn(sym::Expr number, const sym::Range &r) {
    using sym::SymbolicKind;
    if (r.begin == r.end)
        return sym::compare(SymbolicKind::Eq, number, r.begin);
    std::vector<sym::Expr> all;
    if (!r.begin.isZero())
        all.push_back(sym::compare(SymbolicKind::Ge, number, r.begin));
    all.push_back(sym::compare(SymbolicKind::Le, number, r.end));
    if (!r.step.isOne())
        all.push_back(sym::compare(SymbolicKind::Eq, sym::mod(number - r.begin, r.step), 0));
    return all.size() == 1 ? all.front() : sym::logicalAnd(all);
}

constexpr const char *kMixedWarps = "GPUs that `--gpu-arch` names have warps of 32 lanes, others of 64";
constexpr const char *kOneKind = "build one library for RDNA GPUs (gfx10, gfx11, gfx12)and another one for the other GPUs";

class GuardResolver {
public:
    /// `lanes`: 0 if the target's devices differ in it.
    GuardResolver(pass::Context &context, int64_t lanes) : context_(context), lanes_(lanes) {}

    bool run(SDFG &root) {
        bool changed = false;
        for (SDFG *g : allSDFGs(root))
            for (State *s : allStates(*g)) {
                std::vector<Node *> nodes;
                for (const auto &n : s->nodes())
                    nodes.push_back(n.get());
                for (Node *n : nodes) {
                    if (auto *t = dyn_cast<Tasklet>(n))
                        changed |= tasklet(*t);
                    else if (auto *m = dyn_cast<MapEntry>(n); m && m->schedule == Schedule::GPU_Warp)
                        changed |= warpMap(*m);
                }
            }
        return changed;
    }

private:
    // ---- tasklets
    bool tasklet(Tasklet &t) {
        const analysis::ThreadGuards found = analysis::threadGuardsOf(t);
        if (!found.unreadable.empty()) {
            refuse(t, found.unreadable, "it is neither a number nor a range", "write `0`, `0:4` or `0:8:2`");
            return false;
        }
        if (found.guards.empty())
            return false;
        const ThreadPosition p = threadPosition(t);
        if (!p.kernel) {
            refuse(t, found.guards.front().text, "the tasklet is not in a kernel",
                   "give a surrounding map the schedule GPU_Device, or remove the `location`");
            return false;
        }
        std::vector<sym::Expr> all;
        for (const ThreadGuard &guard : found.guards) {
            if (const Name unknown = undefinedIn(guard, t)) {
                refuse(t, guard.text, "`" + unknown.str() + "` is not defined around the tasklet",
                       "name a symbol of the SDFG or a parameter of a map around the tasklet");
                return false;
            }
            if (guard.level == GuardLevel::Warp && lanes_ == 0) {
                refuse(t, guard.text, kMixedWarps, kOneKind);
                return false;
            }
            const std::optional<sym::Expr> holds = condition(guard, p);
            if (!holds) {
                refuse(t, guard.text, p.obstacle, "compute the condition in the tasklet from the parameters of maps");
                return false;
            }
            if (p.isOpen)
                closeBlocks(t, guard, p);
            all.push_back(*holds);
        }
        const sym::Expr when = all.size() == 1 ? all.front() : sym::logicalAnd(all);
        return guardBy(t, when, found.guards.front().text);
    }

    /// A name in a guard that is undefined at the tasklet.
    static Name undefinedIn(const ThreadGuard &guard, const Tasklet &t) {
        const SDFG &g = *t.state()->sdfg();
        std::set<Name> known;
        for (const auto &[name, type] : g.symbols)
            known.insert(name);
        for (const auto &[name, type] : analysis::definedSymbols(g))
            known.insert(name);
        for (const Node *around : ScopeTree(*t.state()).enclosing(&t))
            if (const auto *m = dyn_cast<MapEntry>(around))
                known.insert(m->params.begin(), m->params.end());
        for (const sym::Expr &e : {guard.range.begin, guard.range.end, guard.range.step})
            for (const Name n : e.freeSymbols())
                if (!known.count(n) && !g.constants.contains(n))
                    return n;
        return {};
    }

    std::optional<sym::Expr> condition(const ThreadGuard &guard, const ThreadPosition &p) const {
        if (guard.level == GuardLevel::Block)
            return p.block ? std::optional(isIn(*p.block, guard.range)) : std::nullopt;
        const sym::Expr lanes = guard.level == GuardLevel::Warp ? lanes_ : 1;
        if (p.thread)
            return isIn(sym::floorDiv(*p.thread, lanes), guard.range);
        if (!p.besideThreads)
            return std::nullopt;
        // The code runs once per block: on a thread that the guard names, if the block has one.
        return sym::logicalAnd({sym::compare(sym::SymbolicKind::Lt, guard.range.begin * lanes, p.threads),
                                sym::compare(sym::SymbolicKind::Le, guard.range.begin, guard.range.end)});
    }

    bool guardBy(Tasklet &t, sym::Expr when, const std::string &text) {
        for (const Edge *e : t.outEdges())
            if (e->srcConn && !e->memlet.data) {
                refuse(t, text, "its result is used directly by other code, which always needs it",
                       "store the result in a container");
                return false;
            }
        analysis::removeLocation(t);
        if (when == sym::Expr::boolean(true))
            return true;
        const bool isBranch = branchIn(t, when);
        if (!isBranch)
            mapAround(t, when);
        // In the surrounding map, the tasklet always writes; C++ code would treat a dynamic output as a pointer.
        for (Edge *e : t.outEdges())
            if (!e->memlet.isEmpty())
                for (Edge *on : analysis::memletPath(e))
                    on->memlet.dynamic = isBranch || on->src != &t || on->memlet.dynamic;
        return true;
    }

    /// Adds an `if` to the code; false if names in the code shadow those of the condition, or if it is not Python.
    static bool branchIn(Tasklet &t, sym::Expr when) {
        const Code::Block *block = t.code.block();
        const auto condition = py::parseExpr(when.str());
        if (!block || !condition.value)
            return false;
        const py::BlockNames names = py::blockNames(*block);
        for (const Name n : when.freeSymbols())
            if (t.inConnector(n) || t.outConnector(n) || names.written.count(n))
                return false;
        py::Stmt branch;
        branch.kind = py::StmtKind::If;
        branch.value = *condition.value;
        branch.body = *block;
        t.code = Code({std::make_shared<py::Stmt>(std::move(branch))});
        return true;
    }

    /// A map with one iteration, or none.
    static void mapAround(Tasklet &t, sym::Expr when) {
        State &s = *t.state();
        Name parameter("guard");
        for (int k = 0; isTaken(*s.sdfg(), parameter); ++k)
            parameter = Name("guard_" + std::to_string(k));
        MapEntry *entry =
            s.addMap(t.label + "_guard", {parameter}, {{0, sym::select(when, 0, -1), 1, 1}}, Schedule::Sequential, t.debugInfo);
        MapExit *exit = entry->exit;
        const std::vector<Edge *> in = t.inEdges(), out = t.outEdges();
        int number = 0;
        for (Edge *e : in) {
            const std::string k = std::to_string(number++);
            const bool isData = !e->memlet.isEmpty();
            s.connect(e->src, e->srcConn, entry, isData ? scopeInput(k) : Name(), e->memlet);
            s.connect(entry, isData ? scopeOutput(k) : Name(), &t, e->dstConn, e->memlet);
            s.removeEdge(e);
        }
        if (in.empty())
            s.connect(entry, {}, &t, {}, Memlet::empty());
        for (Edge *e : out) {
            const std::string k = std::to_string(number++);
            const bool isData = !e->memlet.isEmpty();
            s.connect(&t, e->srcConn, exit, isData ? scopeInput(k) : Name(), e->memlet);
            s.connect(exit, isData ? scopeOutput(k) : Name(), e->dst, e->dstConn, e->memlet);
            s.removeEdge(e);
        }
        if (out.empty())
            s.connect(&t, {}, exit, {}, Memlet::empty());
    }

    // ---- maps over warps
    bool warpMap(MapEntry &m) {
        if (lanes_ == 0) {
            refuseMap(m, kMixedWarps, kOneKind);
            return false;
        }
        const Surroundings around(m);
        const ThreadPosition p = around.threads ? threadPosition(m) : ThreadPosition();
        if (!around.threads || !p.thread) {
            refuseMap(m, p.obstacle.empty() ? "it is not in a GPU_ThreadBlock map" : p.obstacle,
                      "put it into a GPU_ThreadBlock map, whose threads make up the warps");
            return false;
        }
        if (const std::string why = meetsInside(m); !why.empty()) {
            refuseMap(m, why, "warps do not run the map together: threads can only synchronise outside of it");
            return false;
        }
        const std::optional<int64_t> threads = p.threads.asInt();
        if (threads && *threads % lanes_ != 0) {
            refuseMap(m, "blocks of " + std::to_string(*threads) + " threads do not consist of warps of " + std::to_string(lanes_),
                      "make the block size a multiple of the warp size");
            return false;
        }
        for (const sym::Range &r : m.ranges)
            if (sym::isLess(r.begin, 0) == sym::Truth::True) {
                refuseMap(m, "warp numbers are not negative", "let the range begin with 0 or more");
                return false;
            }
        if (!(m.params.size() > 1 ? splitByDimensions(m, p) : takeTurns(m, p)))
            return false;
        m.schedule = Schedule::Sequential;
        context_.done(m, "each iteration is of one warp of " + std::to_string(lanes_) + " lanes");
        return true;
    }

    /// The parameter is the index of the warp. After the last warp of a block, the first one continues.
    bool takeTurns(MapEntry &m, const ThreadPosition &p) {
        const sym::Expr warp = sym::floorDiv(*p.thread, lanes_), warps = sym::ceilDiv(p.threads, lanes_);
        sym::Range &r = m.ranges.front();
        if (sym::isLessEqual(r.end + 1, warps) == sym::Truth::True) {
            r = only(warp, r, r.end + 1 == warps);
            return true;
        }
        if (!r.step.isOne()) {
            refuseMap(m, "it may have more iterations than a block has warps, and some numbers are not iterations",
                      "use step 1 for its parameter");
            return false;
        }
        r = {r.begin + sym::mod(warp - r.begin, warps), r.end, warps, 1};
        return true;
    }

    /// A number if it is in a range. `isLast`: no number exceeds the end.
    static sym::Range only(sym::Expr number, const sym::Range &r, bool isLast) {
        if (!r.step.isOne())
            return {number, sym::select(isIn(number, r), number, number - 1), 1, 1};
        return {r.begin.isZero() ? number : sym::max({number, r.begin}), isLast ? number : sym::min({number, r.end}), 1, 1};
    }

    /// Several parameters are the digits of the warp's index; the last one varies fastest.
    bool splitByDimensions(MapEntry &m, const ThreadPosition &p) {
        sym::Expr all = 1;
        for (const sym::Range &r : m.ranges)
            all *= r.end + 1;
        const std::optional<int64_t> needed = all.asInt(), threads = p.threads.asInt();
        const bool tooMany = m.params.size() > 3;
        if (tooMany || !needed || !threads || *needed * lanes_ > *threads) {
            refuseMap(m,
                      tooMany ? "it has more than three parameters"
                      : !needed || !threads
                          ? "it has several parameters, and their sizes or the block's are not constant"
                          : "it needs " + std::to_string(*needed) + " warps, and a block has " + std::to_string(*threads / lanes_),
                      "give it one parameter: the warps then share its iterations");
            return false;
        }
        sym::Expr rest = sym::floorDiv(*p.thread, lanes_);
        for (std::size_t d = m.params.size(); d-- > 0;) {
            const sym::Expr size = m.ranges[d].end + 1;
            m.ranges[d] = only(d > 0 ? sym::mod(rest, size) : rest, m.ranges[d], d > 0 || *needed * lanes_ == *threads);
            rest = sym::floorDiv(rest, size);
        }
        return true;
    }

    /// An element in a map over warps that only all threads of the block can execute together.
    static std::string meetsInside(const MapEntry &m) { return meetsInside(*m.state(), &m); }
    static std::string meetsInside(const State &s, const Node *entry) {
        const ScopeTree scopes(s);
        for (const auto &n : s.nodes()) {
            if (entry && n.get() != entry && !scopes.encloses(entry, n.get()))
                continue;
            if (const auto *m = dyn_cast<MapEntry>(n.get()))
                if (m->gpuForceSyncthreads || isThreadBlock(m->schedule))
                    return "the threads of the block synchronise in map `" + m->label + "`";
            if (const auto *nested = dyn_cast<NestedSDFGNode>(n.get()); nested && nested->sdfg)
                for (const State *inner : allStates(*nested->sdfg))
                    if (std::string why = meetsInside(*inner, nullptr); !why.empty())
                        return why;
        }
        return "";
    }

    // ---- diagnostics
    void refuse(const Tasklet &t, const std::string &guard, const std::string &why, const std::string &hint) {
        context_.diags.report(Id::GuardRefused, analysis::placeOf(t), guard, t.label, why, hint);
    }
    void refuseMap(const MapEntry &m, const std::string &why, const std::string &hint) {
        context_.diags.report(Id::WarpMapRefused, analysis::placeOf(m), m.label, why, hint);
    }
    /// Gives the kernel the block size that the guard assumes.
    void closeBlocks(const Tasklet &t, const ThreadGuard &guard, const ThreadPosition &p) {
        context_.diags.report(Id::GuardBlockSize, analysis::placeOf(t), guard.text, t.label, p.kernel->label,
                              analysis::product(p.size).str());
        p.kernel->gpuBlockSize = std::vector<sym::Expr>(p.size.begin(), p.size.end());
    }

    pass::Context &context_;
    const int64_t lanes_;
};

class ResolveThreadGuards : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        int64_t lanes = option<int64_t>("lanes");
        if (lanes == 0)
            lanes = context.options.warpLanes().value_or(0);
        const bool changed = GuardResolver(context, lanes).run(root);
        if (changed)
            root.renumber();
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createResolveThreadGuards() { return std::make_unique<ResolveThreadGuards>(); }

} // namespace sdfgc::transforms
