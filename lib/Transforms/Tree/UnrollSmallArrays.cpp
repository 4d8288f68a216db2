// unroll-small-arrays: unroll short loops over local arrays of a few elements, so that the elements stay in registers.
//
//     double a[9];                                            double a[9];
//     for (i = 0; i < 3; ++i)                                 #pragma GCC unroll 3
//         for (j = i; j < 3; ++j)                  ->         for (i = 0; i < 3; ++i)
//             a[3 * i + j] = ...                                  #pragma GCC unroll 3
//                                                                 for (j = i; j < 3; ++j)
//                                                                     a[3 * i + j] = ...
//
// Compilers keep an array in registers only if every index is a constant after unrolling, and they unroll a loop without being told
// to only if that makes the code shorter. A loop that ends at a variable, as those of a triangle do, they do not even consider. The
// LU factorisation of 8 x 8 matrices takes half of the time.
//
//   1. Find the loops that run at most 16 times, with the ranges of their variables (`rangeOf`). A bound may contain variables of
//      such loops around.
//   2. Collect all uses of local arrays with a constant number of elements, at most 64.
//   3. An array is kept in registers if all its uses are elements whose indices only depend on variables of loops of step 1.
//   4. The loops with variables in these indices are unrolled, if the code is not too long then.
//
// It only tells the compiler what to do, so it is always legal, and of class F0.
//
// Not handled: arrays that are passed, copied, or filled as a whole; loops that a team shares, or that are vectorised; kernels,
// whose compilers decide as the pass does.
#include "CountingLoop.h"

#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/Effects.h"
#include "sdfgc/Tree/Fields.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace tree;

using diag::Reason;
using diag::Why;
using py::ExprKind;
using py::ExprRef;

constexpr int64_t mostIterations = 16;   // of a loop
constexpr int64_t mostElements = 64;     // of an array
constexpr int64_t mostStatements = 1500; // after unrolling, in loops over one array

struct Interval {
    int64_t least = 0, greatest = 0;
};

/// A loop that runs a few times.
struct SmallLoop {
    Node *loop = nullptr;
    Name variable;
    Interval range;
    int64_t iterations = 0; // at most
};

/// The uses of a local array.
struct SmallArray {
    std::vector<std::size_t> loops; // of all small loops of the function: those whose variables are in its indices
    int64_t statements = 0;         // that use it, after unrolling
    bool stays = false;             // in memory, because of another use
};

Interval product(Interval a, Interval b) {
    const auto [least, greatest] =
        std::minmax({a.least * b.least, a.least * b.greatest, a.greatest * b.least, a.greatest * b.greatest});
    return {least, greatest};
}

bool isSmall(const std::optional<Interval> &i) {
    return i && std::abs(i->least) <= mostElements && std::abs(i->greatest) <= mostElements;
}

class SmallArrayUnroller {
public:
    SmallArrayUnroller(Function &f, pass::Context &context) : f_(f), context_(context) {}

    /// Returns whether anything changed.
    bool run();

    // ---- the visitor of rebind: of a statement with uses of elements
    void var(VarId &) {}
    void sym(sym::Expr &) {}
    void slot(RefId &r) {
        if (r)
            use(r, true);
    }
    void expr(ExprRef &e) {
        if (e)
            uses(*e);
    }
    void stmt(py::StmtRef &s) {
        if (s)
            forEachExpr(*s, [this](const py::Expr &e) {
                if (e.kind == ExprKind::MemRef)
                    use(refOf(e), e.args.empty());
            });
    }

private:
    void block(Block &b);
    void statement(Node &n);
    std::optional<SmallLoop> rangeOf(Node &n) const;
    std::optional<SmallLoop> rangeOf(Loop &l) const;
    std::optional<Interval> intervalOf(const py::Expr &e) const;
    std::optional<Interval> intervalOf(sym::Expr e) const;
    std::optional<Interval> intervalOf(Name n) const;
    void uses(const py::Expr &e);
    void use(RefId r, bool isElement);
    bool unroll(VarId array, const SmallArray &found);

    Function &f_;
    pass::Context &context_;
    std::vector<SmallLoop> loops_;       // all
    std::vector<std::size_t> around_;    // the statement that is looked at
    std::map<VarId, SmallArray> arrays_; // whose number of elements is small
    std::set<VarId> counted_;            // by this statement
    bool elementsOnly_ = false;          // may the statement use elements of small arrays?
};

std::optional<Interval> SmallArrayUnroller::intervalOf(Name n) const {
    for (std::size_t k = around_.size(); k-- > 0;)
        if (loops_[around_[k]].variable == n)
            return loops_[around_[k]].range;
    return std::nullopt;
}

std::optional<Interval> SmallArrayUnroller::intervalOf(const py::Expr &e) const {
    if (e.kind == ExprKind::Int && e.text.size() <= 2)
        return Interval{std::stoll(e.text), std::stoll(e.text)};
    if (e.kind == ExprKind::Name)
        return intervalOf(e.name);
    if (e.kind != ExprKind::Binary || (e.op != py::Op::Add && e.op != py::Op::Sub))
        return std::nullopt;
    const std::optional<Interval> a = intervalOf(*e.args[0]), b = intervalOf(*e.args[1]);
    if (!isSmall(a) || !isSmall(b))
        return std::nullopt;
    return e.op == py::Op::Add ? Interval{a->least + b->least, a->greatest + b->greatest}
                               : Interval{a->least - b->greatest, a->greatest - b->least};
}

std::optional<Interval> SmallArrayUnroller::intervalOf(sym::Expr e) const {
    if (const std::optional<int64_t> value = e.asInt())
        return Interval{*value, *value};
    if (e.isSymbol())
        return intervalOf(e.name());
    const bool adds = e.kind() == sym::SymbolicKind::Add;
    if (!adds && e.kind() != sym::SymbolicKind::Mul)
        return std::nullopt;
    Interval out{adds ? 0 : 1, adds ? 0 : 1};
    for (const sym::Expr o : e.operands()) {
        const std::optional<Interval> one = intervalOf(o);
        if (!isSmall(one) || !isSmall(out))
            return std::nullopt;
        out = adds ? Interval{out.least + one->least, out.greatest + one->greatest} : product(out, *one);
    }
    return out;
}

/// A loop region that counts by one, with a range of few numbers.
std::optional<SmallLoop> SmallArrayUnroller::rangeOf(Loop &l) const {
    const std::optional<CountingLoop> c = l.unroll ? std::nullopt : countingLoopOf(l);
    if (!c || !c->countsByOne())
        return std::nullopt;
    const std::optional<Interval> begin = intervalOf(*c->begin), end = intervalOf(*c->end);
    if (!isSmall(begin) || !isSmall(end))
        return std::nullopt;
    const Interval range{begin->least, end->greatest - (c->includesEnd ? 0 : 1)};
    return SmallLoop{&l, c->variable, range, range.greatest - range.least + 1};
}

std::optional<SmallLoop> SmallArrayUnroller::rangeOf(Node &n) const {
    std::optional<SmallLoop> out;
    if (n.kind == TreeKind::Loop) {
        out = rangeOf(static_cast<Loop &>(n));
    } else if (auto *l = dyn_cast<For>(&n); l && !l->omp && !l->spread && !l->simd && l->accumulators.empty() && !l->unroll &&
                                            !l->descending && l->step.isOne()) {
        const std::optional<Interval> begin = intervalOf(l->begin), end = intervalOf(l->end);
        if (isSmall(begin) && isSmall(end))
            out = SmallLoop{l, f_.vars[l->var].name, {begin->least, end->greatest}, end->greatest - begin->least + 1};
    }
    return out && out->iterations > 1 && out->iterations <= mostIterations ? out : std::nullopt;
}

void SmallArrayUnroller::uses(const py::Expr &e) {
    if (e.kind == ExprKind::MemRef)
        use(refOf(e), e.args.empty());
    for (const ExprRef &a : e.args)
        if (a)
            uses(*a);
    for (const py::Keyword &k : e.keywords)
        uses(*k.value);
}

/// A use of memory by the statement that is looked at.
void SmallArrayUnroller::use(RefId r, bool isElement) {
    const MemRef &m = f_.refs[r];
    const auto found = arrays_.find(m.var);
    if (found == arrays_.end())
        return;
    SmallArray &array = found->second;
    if (!elementsOnly_ || !isElement || m.address || m.pop || !m.castTo.isVoid() || m.element || !m.strides.empty()) {
        array.stays = true;
        return;
    }
    for (const Name n : m.offset.freeSymbols()) {
        const auto at = std::find_if(around_.rbegin(), around_.rend(), [&](std::size_t k) { return loops_[k].variable == n; });
        if (at == around_.rend())
            array.stays = true;
        else if (std::find(array.loops.begin(), array.loops.end(), *at) == array.loops.end())
            array.loops.push_back(*at);
    }
    int64_t times = 1;
    for (const std::size_t k : around_)
        times = std::min(times * loops_[k].iterations, mostStatements + 1);
    if (counted_.insert(m.var).second)
        array.statements = std::min(array.statements + times, mostStatements + 1);
}

void SmallArrayUnroller::statement(Node &n) {
    counted_.clear();
    switch (n.kind) {
    case TreeKind::Code:
    case TreeKind::Update:
    case TreeKind::If:
    case TreeKind::Loop:
        elementsOnly_ = true;
        break;
    case TreeKind::Declare:
        elementsOnly_ = !static_cast<Declare &>(n).target;
        break;
    default:
        elementsOnly_ = false;
    }
    rebind(n, *this);
    if (const auto *l = dyn_cast<For>(&n))
        for (const auto *list : {&l->accumulators, l->omp ? &l->omp->reductions : nullptr})
            if (list)
                for (const Omp::Reduction &r : *list)
                    if (const auto found = arrays_.find(r.var); found != arrays_.end())
                        found->second.stays = true;
}

void SmallArrayUnroller::block(Block &b) {
    for (const NodePtr &n : b.body) {
        statement(*n);
        const std::optional<SmallLoop> small = rangeOf(*n);
        if (small) {
            around_.push_back(loops_.size());
            loops_.push_back(*small);
        }
        forEachBlock(*n, [this](Block &inner) { block(inner); });
        if (small)
            around_.pop_back();
    }
}

bool SmallArrayUnroller::unroll(VarId array, const SmallArray &found) {
    const std::string name = f_.vars[array].name.str();
    bool changed = false;
    for (const std::size_t k : found.loops) {
        const SmallLoop &small = loops_[k];
        auto *l = dyn_cast<For>(small.loop);
        auto *region = dyn_cast<Loop>(small.loop);
        if (l ? l->unroll : region->unroll)
            continue;
        if (found.statements > mostStatements) {
            context_.missed(context_.loop(f_, *small.loop), "elements of `" + name + "` stay in memory",
                            Reason{Why::Budget, "too many statements would use them if it was unrolled"});
            return changed;
        }
        if (!context_.mayChange(context_.loop(f_, *small.loop),
                                "is unrolled, so that elements of `" + name + "` stay in registers"))
            return changed;
        (l ? l->unroll : region->unroll) = true;
        (l ? l->unrollFactor : region->unrollFactor) = small.iterations;
        changed = true;
    }
    return changed;
}

bool SmallArrayUnroller::run() {
    const Effects all = effectsOf(f_);
    std::vector<VarId> order;
    for (std::size_t k = 0; k < f_.vars.size(); ++k) {
        const VarId v(k);
        const Variable &x = f_.vars[v];
        const std::optional<int64_t> count = x.kind == VarKind::Stack ? x.count.asInt() : std::nullopt;
        if (count && *count > 1 && *count <= mostElements && x.type.isScalar() && all.inText.count(x.name) == 0) {
            arrays_.emplace(v, SmallArray());
            order.push_back(v);
        }
    }
    if (order.empty())
        return false;
    block(f_.body);
    bool changed = false;
    for (const VarId v : order)
        if (const SmallArray &found = arrays_.at(v); !found.stays)
            changed |= unroll(v, found);
    return changed;
}

class UnrollSmallArrays : public pass::FunctionPass {
    bool run(Function &f, const Module &, pass::Context &context) override {
        return !f.kernel && !f.device && SmallArrayUnroller(f, context).run();
    }
};

} // namespace

std::unique_ptr<pass::Pass> createUnrollSmallArrays() { return std::make_unique<UnrollSmallArrays>(); }

} // namespace sdfgc::transforms
