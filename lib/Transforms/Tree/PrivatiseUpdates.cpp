// privatise-updates: accumulate in a local variable in sequential loops, and vectorise loops that accumulate.
//
// resolve-wcr decides on the graph which updates are reductions of a parallel map; this pass handles the loops inside.
// In a sequential loop of a parallel one, atomic updates of one element become updates of an accumulator, followed by
// one atomic update after the loop. The innermost loop of a map that accumulates also gets an accumulator, and may keep
// it in vectors: the order of the updates is unspecified under every floating-point model.
//
//     for (j ...)                                    double sum_acc = 0.0;
//         sum[i] += A[N * i + j];        becomes     #pragma omp simd reduction(+ : sum_acc)
//                                                    for (j ...)
//                                                        sum_acc += A[N * i + j];
//                                                    sum[i] += sum_acc;
//
// A variable of the function is its own accumulator. A parallel loop is also marked `simd` if it reduces and does
// nothing else that prevents vectorisation.
//
// Legal when:
//   - all uses of the variable in the loop are updates of one element with a single kind of conflict resolution;
//   - the element does not depend on the loop;
//   - the kind has an identity and an OpenMP operator for the type;
//   - everything else that the loop updates is a different element in each iteration;
//   - if the element belongs to an array, the updates are unconditional, because it is accessed after the loop even if
//     no iteration ran an update. Single values are exempt.
//
// An accumulator adds the old element last, and vectors keep several sums: class F1. With --reductions ordered, updates
// whose order matters stay as they are.
//
// Runs again after loops have been versioned: a version without a team has no atomic updates that prevent
// vectorisation.
#include "sdfgc/Analysis/Dependences/WcrReductions.h"
#include "sdfgc/Tasklet/Types.h"

#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/Effects.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace tree;

bool isStraight(const std::vector<py::StmtRef> &stmts) {
    using py::StmtKind;
    return std::all_of(stmts.begin(), stmts.end(), [](const py::StmtRef &s) {
        bool plain = s->kind == StmtKind::Assign || s->kind == StmtKind::AnnAssign || s->kind == StmtKind::AugAssign;
        return plain || (s->kind == StmtKind::If && isStraight(s->body) && isStraight(s->orelse));
    });
}

/// Statements that a vectorised loop may contain: assignments, updates and branches.
bool isStraight(Node &n) {
    if (n.kind == TreeKind::Code)
        return isStraight(static_cast<Code &>(n).stmts);
    if (n.kind == TreeKind::Update)
        return !static_cast<Update &>(n).atomic;
    if (n.kind == TreeKind::Comment)
        return true;
    if (n.kind == TreeKind::Declare)
        return !static_cast<Declare &>(n).target;
    if (n.kind != TreeKind::Block && n.kind != TreeKind::If)
        return false;
    bool straight = true;
    forEachBlock(n, [&](Block &b) {
        for (NodePtr &s : b.body)
            straight = straight && isStraight(*s);
    });
    return straight;
}

/// Is it worth vectorising, with more than a handful of iterations?
bool isVectorLoop(For &loop) {
    std::optional<int64_t> last = (loop.end - loop.begin).asInt();
    return isStraight(loop.body) && !(last && *last < 7) && !loop.unroll;
}

/// The updates of one element in a loop.
struct Group {
    MemRef element;
    py::Reduction kind;
    std::vector<Update *> updates;
    bool conditional = false;
};

class Privatiser {
public:
    Privatiser(Function &f, pass::Context &context) : f_(f), context_(context), table_(f) {}
    /// Returns whether an update or a loop was changed.
    bool run() {
        block(f_.body, f_.kernel || f_.device, 0);
        return changed_;
    }

private:
    /// `shared`: the number of loops, starting with the current one, that are collapsed into a surrounding parallel loop
    /// (`collapse`): nothing may come between these.
    void block(Block &b, bool parallel, int shared);
    std::vector<Group> groups(Node &loop);
    void collect(Node &n, bool conditional, std::vector<Group> &out);
    void vectorise(For &loop);
    bool isAccumulator(const Group &g, For &loop);
    bool movesWith(const Group &g, const For &loop);
    static bool uniform(const Group &g);
    /// May updates of this kind and type be reordered?
    bool isOpen(py::Reduction kind, Type t) const { return context_.allows(pass::FloatClass::F1) || !py::orderCounts(kind, t); }
    bool qualifies(const Group &g, Node &loop, bool parallel);
    bool mentionedElsewhere(Node &n, Name variable, const Group &g);
    NodePtr privatise(NodePtr loop, const std::vector<Group> &groups);
    VarId accumulator(const Group &g);
    const Variable &var(const MemRef &r) const { return f_.vars[r.var]; }

    Function &f_;
    pass::Context &context_;
    EffectTable table_;
    bool changed_ = false;
};

void Privatiser::block(Block &b, bool parallel, int shared) {
    for (NodePtr &n : b.body) {
        Node *original = n.get();
        auto *loop = n->kind == TreeKind::For ? static_cast<For *>(n.get()) : nullptr;
        const bool omp = loop && loop->omp;
        if (((loop && !omp) || n->kind == TreeKind::Loop) && shared == 0) {
            std::vector<Group> found = groups(*n);
            std::erase_if(found, [&](const Group &g) { return !qualifies(g, *n, parallel); });
            changed_ = changed_ || !found.empty();
            for (const Group &g : found)
                context_.done(context_.loop(f_, *n), "has an accumulator for an element of " + var(g.element).name.str());
            if (!found.empty())
                n = privatise(std::move(n), found);
        }
        bool starts = omp || original->kind == TreeKind::ParallelRegion || original->kind == TreeKind::Sections ||
                      original->kind == TreeKind::Consume;
        const int below = omp                                 ? loop->omp->collapse - 1
                          : loop                              ? std::max(shared - 1, 0)
                          : original->kind == TreeKind::Block ? shared
                                                              : 0;
        forEachBlock(*original, [&](Block &inner) { block(inner, parallel || starts, below); });
        if (loop && shared == 0) // a pragma also comes in between
            vectorise(*loop);
    }
}

/// Vectorises a loop that accumulates in single values, and does nothing else that prevents it.
void Privatiser::vectorise(For &loop) {
    if (f_.kernel || f_.device || !isVectorLoop(loop))
        return;
    if (loop.omp) {
        const auto &reductions = loop.omp->reductions;
        loop.omp->simd = !reductions.empty() && std::all_of(reductions.begin(), reductions.end(), [this](const auto &r) {
            return r.count.isZero() && isOpen(r.kind, f_.vars[r.var].type);
        });
        changed_ = changed_ || loop.omp->simd;
        if (loop.omp->simd)
            context_.done(context_.loop(f_, loop), "threads reduce in vectors");
        return;
    }
    if (!loop.accumulators.empty())
        return;
    std::vector<Omp::Reduction> accumulators;
    for (const Group &g : groups(loop))
        if (isAccumulator(g, loop))
            accumulators.push_back({g.kind, g.element.var, 0});
        else if (!movesWith(g, loop))
            return;
    changed_ = changed_ || !accumulators.empty();
    for (const Omp::Reduction &r : accumulators)
        context_.done(context_.loop(f_, loop), "accumulates in vectors: " + f_.vars[r.var].name.str());
    loop.accumulators = std::move(accumulators);
}

/// Is it a single value, of which each vector can have several that are combined after the loop? Not a flag: in vectors of bytes,
/// a loop over a few dozen numbers would run in its remainder only.
bool Privatiser::isAccumulator(const Group &g, For &loop) {
    const Variable &v = var(g.element);
    return v.kind == VarKind::Value && g.element.offset.isZero() && uniform(g) && isOpen(g.kind, v.type) &&
           v.type != Type(ScalarKind::Bool) && analysis::hasClause(g.kind, v.type) && !table_.of(loop).declared.count(v.name) &&
           !mentionedElsewhere(loop, v.name, g);
}

/// Does each iteration of the loop update a different element? The iterations of a vector read all old values before they write
/// one.
bool Privatiser::movesWith(const Group &g, const For &loop) {
    const Effects &inside = table_.of(loop);
    if (inside.declared.count(var(g.element).name))
        return true;
    const auto affine = sym::affineIn(g.element.offset, f_.vars[loop.var].name);
    if (!affine || affine->first.isZero() || affine->first.dependsOn(f_.vars[loop.var].name))
        return false;
    for (const Name n : g.element.offset.freeSymbols())
        if (n != f_.vars[loop.var].name && (inside.changes(n) || inside.declared.count(n)))
            return false;
    return std::all_of(g.updates.begin(), g.updates.end(), [](const Update *u) { return u->targetIndices.empty(); });
}

void Privatiser::collect(Node &n, bool conditional, std::vector<Group> &out) {
    if (n.kind == TreeKind::RawTasklet)
        for (NodePtr &after : static_cast<RawTasklet &>(n).after)
            collect(*after, conditional, out);
    if (n.kind == TreeKind::Update) {
        auto &u = static_cast<Update &>(n);
        const MemRef &r = f_.refs[u.target];
        auto same = [&](const Group &g) { return g.element.var == r.var && g.element.offset == r.offset; };
        auto it = std::find_if(out.begin(), out.end(), same);
        if (it == out.end())
            it = out.insert(out.end(), Group{r, u.reduction, {}, false});
        it->updates.push_back(&u);
        it->conditional |= conditional;
        return;
    }
    bool opaque = n.kind == TreeKind::Consume || n.kind == TreeKind::Sections || n.kind == TreeKind::ParallelRegion;
    if (!opaque)
        forEachBlock(n, [&](Block &b) {
            for (NodePtr &s : b.body)
                collect(*s, conditional || n.kind == TreeKind::If, out);
        });
}

std::vector<Group> Privatiser::groups(Node &loop) {
    std::vector<Group> out;
    collect(loop, false, out);
    return out;
}

bool Privatiser::mentionedElsewhere(Node &n, Name variable, const Group &g) {
    if (n.kind == TreeKind::Update && std::find(g.updates.begin(), g.updates.end(), &n) != g.updates.end()) {
        const auto &u = static_cast<const Update &>(n);
        return table_.inExpr(u.value).has(variable);
    }
    if (table_.own(n).has(variable))
        return true;
    bool found = false;
    auto look = [&](Node &inner) { found = found || mentionedElsewhere(inner, variable, g); };
    if (n.kind == TreeKind::RawTasklet)
        for (NodePtr &after : static_cast<RawTasklet &>(n).after)
            look(*after);
    forEachBlock(n, [&](Block &b) {
        for (NodePtr &s : b.body)
            look(*s);
    });
    return found;
}

/// Are all updates plain ones of the same kind, on one element?
bool Privatiser::uniform(const Group &g) {
    return std::all_of(g.updates.begin(), g.updates.end(),
                       [&](const Update *u) { return u->reduction == g.kind && !u->old && u->targetIndices.empty(); });
}

/// Should the element have a separate accumulator around this loop?
bool Privatiser::qualifies(const Group &g, Node &loop, bool parallel) {
    const Variable &v = var(g.element);
    if (g.element.castTo || g.element.address || g.element.pop || !analysis::hasClause(g.kind, v.type) || !uniform(g) ||
        !isOpen(g.kind, v.type))
        return false;
    bool anyAtomic = std::any_of(g.updates.begin(), g.updates.end(), [](const Update *u) { return u->atomic; });
    bool allAtomic = std::all_of(g.updates.begin(), g.updates.end(), [](const Update *u) { return u->atomic; });
    bool single = v.kind == VarKind::Value || v.kind == VarKind::Reference;
    if (anyAtomic && !(allAtomic && parallel))
        return false;
    if (!anyAtomic && (f_.kernel || f_.device || single || loop.kind != TreeKind::For || !isVectorLoop(static_cast<For &>(loop))))
        return false;
    if (!single && g.conditional)
        return false;
    const Effects &inside = table_.of(loop);
    if (inside.declared.count(table_.root(g.element.var)))
        return false;
    for (Name n : g.element.offset.freeSymbols())
        if (inside.changes(n) || inside.declared.count(n))
            return false;
    return !mentionedElsewhere(loop, table_.root(g.element.var), g);
}

VarId Privatiser::accumulator(const Group &g) {
    Variable v;
    v.type = var(g.element).type;
    std::string wanted = table_.root(g.element.var).str() + "_acc", text = wanted;
    auto taken = [&](const std::string &t) {
        return std::any_of(f_.vars.begin(), f_.vars.end(), [&](const Variable &x) { return x.name.str() == t; });
    };
    for (int k = 0; taken(text); ++k)
        text = wanted + "_" + std::to_string(k);
    v.name = Name(text);
    return f_.vars.add(std::move(v));
}

/// `{ T acc = identity; loop; element op= acc; }`
NodePtr Privatiser::privatise(NodePtr loop, const std::vector<Group> &groups) {
    auto out = std::make_unique<Block>();
    out->braces = true;
    std::swap(out->comment, loop->comment);
    std::vector<NodePtr> combine;
    for (const Group &g : groups) {
        Type type = var(g.element).type;
        VarId local = accumulator(g);
        out->add<Declare>(local)->init = *py::reductionIdentity(g.kind, type);
        MemRef here;
        here.var = local;
        const bool atomic = g.updates[0]->atomic;
        for (Update *u : g.updates) {
            u->target = f_.refs.add(here);
            u->atomic = false;
        }
        auto update = std::make_unique<Update>();
        update->target = f_.refs.add(g.element);
        update->value = py::name(f_.vars[local].name, type);
        update->reduction = g.kind;
        update->atomic = atomic;
        combine.push_back(std::move(update));
    }
    out->body.push_back(std::move(loop));
    insert(*out, out->body.size(), std::move(combine));
    return out;
}

class PrivatiseUpdates : public pass::FunctionPass {
    bool run(Function &f, const Module &, pass::Context &context) override { return Privatiser(f, context).run(); }
};

} // namespace

std::unique_ptr<pass::Pass> createPrivatiseUpdates() { return std::make_unique<PrivatiseUpdates>(); }

} // namespace sdfgc::transforms
