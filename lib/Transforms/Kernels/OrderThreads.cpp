// order-threads: order a kernel's parameters so that neighbouring threads access neighbouring elements.
//
//   before:  map copy[j = 0:M, i = 0:N] GPU_Device { B[i, j] = 2 * A[i, j] }
//   after:   map copy[i = 0:N, j = 0:M] GPU_Device { B[i, j] = 2 * A[i, j] }
//
//   before:  map transpose[i = 0:N, j = 0:M] GPU_Device { B[j, i] = A[i, j] }
//   after:   the same in blocks of [8, 32]
//
// The last parameter numbers the threads of a warp (shape-kernels). A device accesses memory in sectors of 32 bytes,
// and a warp should use every byte of a sector. It does so if accesses move by one element with the parameter, or not
// at all; otherwise each thread fetches a sector of its own. On an H100, a transposition with such reads or writes
// takes four times as long as one with tiles in shared memory.
//
// The address of an element is the sum of its indices times their strides. The coefficient of a parameter in this sum
// is the distance that the access moves with the parameter. A parameter costs 1 for each access that moves to a
// neighbour and 8 for each that moves farther, and more for accesses that move in loops inside the kernel too. The
// cheapest parameter goes last. Some accesses may still move far with it, but only to a neighbour with another
// parameter, as in a transposition. That other parameter then goes second to last, and blocks have 8 threads along the
// last parameter and 32 along the other: both accesses use entire sectors, and the 32 rows of a block come from the
// cache. This takes 1.1 times as long as tiles.
//
// If the blocks of a kernel combine the results of their threads, another order changes the sums: class F1.
//
// Not handled: kernels that specify how their threads are arranged (maps over threads, block sizes); ranges that depend
// on each other or on data.
#include "sdfgc/Analysis/Device/BlockSizes.h"
#include "sdfgc/Analysis/Memory/Axes.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>
#include <numeric>

namespace sdfgc::transforms {
namespace {

using namespace ir;

constexpr int64_t isFar = 8;      // cost of an access in which each thread uses a different piece of memory
constexpr int64_t inLoop = 8;     // factor for each loop that moves an access
constexpr int64_t deepest = 4096; // maximum factor
constexpr int64_t blockAcross[2] = {8, 32};

/// How an element moves with each parameter of a kernel.
enum class Move : uint8_t { Not, Near, Far };

struct Access {
    int64_t weight;
    std::vector<Move> moves; // by parameter
};

/// The accesses of a kernel to device memory.
class Accesses {
public:
    explicit Accesses(const MapEntry &kernel, const analysis::ScopeTree &scopes) : kernel_(kernel) {
        scope(Frame{kernel.state()->sdfg(), {}, {}, {}}, scopes, &kernel);
    }
    std::vector<Access> list;

private:
    /// An SDFG inside the kernel, or the one that contains the kernel.
    struct Frame {
        const SDFG *sdfg;
        std::map<Name, sym::Expr> values; // values of its symbols in terms of the kernel's
        std::map<Name, sym::Expr> places; // for containers of an outer SDFG: where they begin there
        std::vector<Name> loops;          // variables of the loops inside the kernel
    };

    void scope(const Frame &f, const analysis::ScopeTree &scopes, const Node *entry) {
        for (Node *n : scopes.children(entry)) {
            if (const auto *m = dyn_cast<MapEntry>(n)) {
                Frame within = f;
                for (std::size_t d = 0; d < m->params.size(); ++d) {
                    const auto only = sym::onlyValueOf(m->ranges[d]); // a condition
                    if (only || m->ranges[d].isPoint())
                        within.values[m->params[d]] = unclamped(sym::substitute(only ? only->value : m->ranges[d].begin, f.values));
                    else
                        within.loops.push_back(m->params[d]);
                }
                scope(within, scopes, m);
            } else if (const auto *nested = dyn_cast<NestedSDFGNode>(n); nested && nested->sdfg) {
                inside(f, *nested);
            } else if (isa<Tasklet>(n) || isa<LibraryNode>(n)) {
                for (const auto *edges : {&n->inEdges(), &n->outEdges()})
                    for (const Edge *e : *edges)
                        add(f, e->memlet.data, e->memlet.subset);
            } else if (isa<AccessNode>(n)) {
                for (const Edge *e : n->outEdges())
                    if (const auto *to = dyn_cast<AccessNode>(e->dst)) {
                        add(f, static_cast<const AccessNode *>(n)->data, analysis::sourceSubset(e));
                        add(f, to->data, analysis::destinationSubset(e));
                    }
            }
        }
    }

    /// The value within the bounds of an index: `i` for `max(i, 1)`.
    sym::Expr unclamped(sym::Expr e) const {
        if (e.kind() == sym::SymbolicKind::Add) {
            sym::Expr sum = 0;
            for (const sym::Expr term : e.operands())
                sum += unclamped(term);
            return sum;
        }
        if (e.kind() != sym::SymbolicKind::Min && e.kind() != sym::SymbolicKind::Max)
            return e;
        const auto moves = [this](sym::Expr operand) {
            return std::any_of(kernel_.params.begin(), kernel_.params.end(), [&](Name p) { return operand.dependsOn(p); });
        };
        const auto operands = e.operands();
        const auto found = std::find_if(operands.begin(), operands.end(), moves);
        return found == operands.end() ? e : unclamped(*found);
    }

    void inside(const Frame &outer, const NestedSDFGNode &n) {
        Frame f{n.sdfg.get(), {}, {}, outer.loops};
        for (const Block *b : allBlocks(*n.sdfg))
            if (const auto *l = dyn_cast<LoopRegion>(b); l && l->variable)
                f.loops.push_back(l->variable);
        for (const auto &[symbol, value] : n.symbolMapping)
            f.values[symbol] = sym::substitute(value, outer.values);
        for (const auto *edges : {&n.inEdges(), &n.outEdges()})
            for (const Edge *e : *edges)
                if (const auto place = placeOf(outer, e->memlet.data, e->memlet.subset))
                    f.places[edges == &n.inEdges() ? e->dstConn : e->srcConn] = *place;
        for (State *s : allStates(*n.sdfg)) {
            const analysis::ScopeTree scopes(*s);
            scope(f, scopes, nullptr);
        }
    }

    /// The index of a subset's first element in device memory, in terms of the kernel.
    static std::optional<sym::Expr> placeOf(const Frame &f, Name data, const std::optional<sym::Subset> &subset) {
        const DataDesc *d = data ? f.sdfg->desc(data) : nullptr;
        const auto outer = f.places.find(data);
        if (!d || !subset || !(outer != f.places.end() || d->storage == Storage::GPU_Global) || subset->rank() != d->strides.size())
            return std::nullopt;
        sym::Expr place = 0;
        for (std::size_t k = 0; k < subset->rank(); ++k)
            place += subset->dims[k].begin * d->strides[k];
        place = sym::substitute(place, f.values);
        return outer != f.places.end() ? place + outer->second : place;
    }

    void add(const Frame &f, Name data, const std::optional<sym::Subset> &subset) {
        const std::optional<sym::Expr> place = placeOf(f, data, subset);
        if (!place)
            return;
        Access access{1, {}};
        for (const Name loop : f.loops)
            if (place->dependsOn(loop))
                access.weight = std::min(deepest, access.weight * inLoop);
        for (const Name p : kernel_.params)
            access.moves.push_back(moveOf(*place, p));
        list.push_back(std::move(access));
    }
    static Move moveOf(const sym::Expr &place, Name parameter) {
        if (!place.dependsOn(parameter))
            return Move::Not;
        const auto affine = sym::affineIn(place, parameter);
        const auto step = affine ? affine->first.asInt() : std::nullopt;
        return step && std::abs(*step) == 1 ? Move::Near : Move::Far;
    }

    const MapEntry &kernel_;
};

class Order {
public:
    Order(MapEntry &m, const analysis::ScopeTree &scopes) : m_(m), accesses_(Accesses(m, scopes).list) {}

    /// A description of the change; empty if the kernel stays as it is.
    std::string run() {
        const std::size_t last = m_.params.size() - 1;
        std::size_t x = last;
        for (std::size_t d = m_.params.size(); d-- > 0;)
            if (!m_.ranges[d].steps().isOne() && (m_.ranges[x].steps().isOne() || cost(d) < cost(x)))
                x = d;
        const std::optional<std::size_t> y = across(x);
        std::string done;
        if (x != last)
            done = "the threads of a warp run along `" + m_.params[x].str() + "`";
        if (y) {
            done += (done.empty() ? "" : ", ") + std::string("the rows of blocks run along `") + m_.params[*y].str() + "`, too";
            m_.gpuBlockSize = std::vector<sym::Expr>{blockAcross[0], blockAcross[1], 1};
        }
        moveToEnd(x, y);
        return done;
    }

private:
    int64_t cost(std::size_t d) const {
        return std::accumulate(accesses_.begin(), accesses_.end(), int64_t(0), [d](int64_t sum, const Access &a) {
            return sum + (a.moves[d] == Move::Far ? isFar : a.moves[d] == Move::Near ? 1 : 0) * a.weight;
        });
    }

    /// The parameter along which most of the accesses that are far apart along `x` become neighbours.
    std::optional<std::size_t> across(std::size_t x) const {
        std::optional<std::size_t> best;
        int64_t most = 0, all = 0;
        for (const Access &a : accesses_)
            all += a.weight;
        for (std::size_t d = 0; d < m_.params.size(); ++d) {
            int64_t near = 0;
            for (const Access &a : accesses_)
                if (d != x && !m_.ranges[d].steps().isOne() && a.moves[x] == Move::Far && a.moves[d] == Move::Near)
                    near += a.weight;
            if (near > most)
                most = near, best = d;
        }
        return most * isFar >= all ? best : std::nullopt; // fewer do not matter compared with the others
    }

    void moveToEnd(std::size_t x, std::optional<std::size_t> y) {
        std::vector<std::size_t> order;
        for (std::size_t d = 0; d < m_.params.size(); ++d)
            if (d != x && d != y)
                order.push_back(d);
        if (y)
            order.push_back(*y);
        order.push_back(x);
        std::vector<Name> params;
        std::vector<sym::Range> ranges;
        for (const std::size_t d : order) {
            params.push_back(m_.params[d]);
            ranges.push_back(m_.ranges[d]);
        }
        m_.params = std::move(params);
        m_.ranges = std::move(ranges);
    }

    MapEntry &m_;
    const std::vector<Access> accesses_;
};

class OrderThreads : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        bool changed = false;
        for (SDFG *g : allSDFGs(root))
            for (State *s : allStates(*g)) {
                std::optional<analysis::ScopeTree> scopes;
                for (MapEntry *m : nodesOf<MapEntry>(*s)) {
                    if (!isCandidate(*m) || (analysis::reducesInBlocks(*m) && !context.allows(pass::FloatClass::F1)))
                        continue;
                    if (!scopes)
                        scopes.emplace(*s);
                    const pass::Element element(*m);
                    const std::string done = Order(*m, *scopes).run();
                    if (!done.empty())
                        context.done(element, done);
                    changed |= !done.empty();
                }
            }
        return changed;
    }

private:
    static bool isCandidate(const MapEntry &m) {
        return m.schedule == Schedule::GPU_Device && m.params.size() > 1 && !m.gpuBlockSize && !hasDynamicRange(m) &&
               analysis::isBox(m.params, m.ranges) && analysis::executorOf(m) == analysis::Executor::Host &&
               !analysis::runByBlocks(m);
    }
};

} // namespace

std::unique_ptr<pass::Pass> createOrderThreads() { return std::make_unique<OrderThreads>(); }

} // namespace sdfgc::transforms
