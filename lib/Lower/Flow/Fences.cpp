// Fences: a statement that keeps C++ compilers from reordering loops whose iterations store to the same elements.
//
//     for (i = 1; i < N; ++i)                       for (i = 1; i < N; ++i) {
//         for (j = N - 1; j > 0; --j)       ->          asm volatile("");
//             B[N + i - j] = A[i] - A[j];               for (j = N - 1; j > 0; --j)
//                                                           B[N + i - j] = A[i] - A[j];
//                                                   }
//
// Iterations (i, j) and (i + 1, j + 1) store to the same element, and the value of the later one must remain. GCC 11 and 12 do not
// check whether a store depends on itself: they interchange the two loops, vectorise the outer one, or unroll the outer one and jam
// its copies into one inner loop, and then (i, j) comes last. An unknown stride (`B[K*i - 2*j]`) does not prevent this: GCC
// versions the loops for K = 1, and its unroll-and-jam does not check strides at all. Other compilers may have the same bug: `sdfgc
// doctor --compiler` tests for it. Compilers do not interchange a loop that contains an asm statement, nor unroll it and jam, nor
// vectorise it; its inner loops remain open to all three.
//
// A loop p gets a fence for a plain store in an inner loop q if:
//
//   - both are sequential loops of one thread that count in steps to their end (maps, copies, loop regions, and `for` in tasklets
//     as q; a fill counts as a loop, too);
//   - p and q both move the element, and the ratio of their steps is constant or depends on no symbol that bounds a surrounding
//     loop: a stride made of sizes is that of a matrix, whose rows do not overlap, unless a row is known to be longer than the
//     stride (`B[M*i + j]` with j < M + 2);
//   - according to the dependence engine, two iterations can store to the same element, where the one that is later in p is earlier
//     in q.
//
// Stores that read the element that they overwrite need no fence: compilers compare the load with the store and see the dependence.
// Not handled: stores in C++ tasklets, indices read from memory, and loops in called functions, which compilers would have to
// inline first.
#include "Lower/Flow/Fences.h"

#include "sdfgc/Analysis/Flow/LoopHeader.h"
#include "sdfgc/Tree/Fence.h"
#include "sdfgc/Tree/Walk.h"

#include <algorithm>
#include <map>

namespace sdfgc::tree::lowering {
namespace {

using sym::Expr;

constexpr int64_t mostLimit = int64_t(1) << 30; // of constants that are added and multiplied

/// A loop around a statement.
struct Level : analysis::LoopLevel {
    Block *body = nullptr; // that can have a fence; null: no compiler reorders the loop
    const Node *loop = nullptr;
};

/// The integer value of an expression, in terms of variables; nothing for other values and for memory reads.
std::optional<Expr> integerOf(const py::ExprRef &e) {
    const auto isOther = [](const py::Expr &x) {
        return x.kind == py::ExprKind::MemRef || x.kind == py::ExprKind::Raw || x.kind == py::ExprKind::Call ||
               (x.kind == py::ExprKind::Binary && x.op == py::Op::TrueDiv) || x.type.isFloat() || x.type.isComplex();
    };
    bool other = false;
    const py::ExprRef plain = py::rewrite(e, [&](const py::ExprRef &x) {
        other = other || isOther(*x);
        return x->kind == py::ExprKind::Cast && x->args.size() == 1 && x->type.isInteger() ? x->args[0] : x;
    });
    return other ? std::nullopt : sym::parse(py::print(*plain)).expr;
}

bool isName(const py::ExprRef &e, Name n) { return e->kind == py::ExprKind::Name && e->name == n; }

/// The amount that a loop adds to its variable.
std::optional<Expr> stepOf(const py::Stmt &update, Name variable) {
    if (update.targets.size() != 1 || !isName(update.targets[0], variable) || !update.value)
        return std::nullopt;
    const std::optional<Expr> value = integerOf(update.value);
    if (!value)
        return std::nullopt;
    if (update.kind == py::StmtKind::AugAssign)
        return update.op == py::Op::Add ? value : update.op == py::Op::Sub ? std::optional(-*value) : std::nullopt;
    const Expr step = *value - Expr::symbol(variable);
    return step.dependsOn(variable) ? std::nullopt : std::optional(step);
}

/// The last value of a variable that a condition permits; nothing if the condition has another form.
std::optional<Expr> lastBy(const py::ExprRef &condition, Name variable) {
    if (!condition || condition->kind != py::ExprKind::Compare || condition->ops.size() != 1)
        return std::nullopt;
    const std::optional<Expr> left = integerOf(condition->args[0]), right = integerOf(condition->args[1]);
    const auto test = left && right ? analysis::testOf(condition->ops[0], *left, *right, variable) : std::nullopt;
    return test && test->relation != sym::SymbolicKind::Ne ? std::optional(test->end()) : std::nullopt;
}

/// Can control leave this loop, or an inner one, before its end? Compilers do not reorder such nests.
bool hasExit(const Block &body) {
    return contains(body, TreeKind::Break) || contains(body, TreeKind::Return) || contains(body, TreeKind::Goto);
}

class Fencing {
public:
    explicit Fencing(Function &f) : f_(f) {}

    /// Returns the loops that got a fence.
    std::vector<Fenced> run() {
        block(f_.body);
        std::vector<Fenced> loops;
        for (const Level &l : fenced_) {
            std::vector<NodePtr> statements;
            statements.push_back(std::make_unique<Comment>("iterations store to the same elements: they stay in order"));
            statements.push_back(fence());
            insert(*l.body, 0, std::move(statements));
            loops.push_back({l.loop, l.variable});
        }
        return loops;
    }

private:
    void block(Block &b) {
        for (const NodePtr &n : b.body)
            node(*n);
    }

    void node(Node &n) {
        switch (n.kind) {
        case TreeKind::For:
            return loop(static_cast<For &>(n));
        case TreeKind::Loop:
            return loop(static_cast<Loop &>(n));
        case TreeKind::Declare:
            return declare(static_cast<const Declare &>(n));
        case TreeKind::SetPointer:
            return point(static_cast<const SetPointer &>(n).var, static_cast<const SetPointer &>(n).source);
        case TreeKind::Code:
            return code(static_cast<const Code &>(n).stmts);
        case TreeKind::Update:
            if (const auto &u = static_cast<const Update &>(n); u.reduction == py::Reduction::Exchange)
                store(u.target, u.targetIndices);
            return;
        case TreeKind::RawTasklet:
            for (const NodePtr &after : static_cast<RawTasklet &>(n).after)
                node(*after);
            return;
        case TreeKind::Fill:
            return fill(static_cast<const Fill &>(n));
        case TreeKind::ParallelRegion:
        case TreeKind::Sections:
        case TreeKind::Consume: // bodies become separate functions
            return alone([&] { inside(n); });
        default:
            inside(n);
        }
    }

    void inside(Node &n) {
        forEachBlock(n, [this](Block &b) { block(b); });
    }

    /// Runs f without the surrounding loops.
    template <class F> void alone(const F &f) {
        std::vector<Level> around;
        around.swap(levels_);
        f();
        around.swap(levels_);
    }

    /// May its iterations run in any order, as found earlier?
    static bool isVector(const For &l) { return l.simd || !l.accumulators.empty(); }

    void loop(For &l) {
        const Name variable = f_.vars[l.var].name;
        const bool shared = l.omp || l.spread || collapsed_ > 0;
        const int before = collapsed_;
        collapsed_ = l.omp ? l.omp->collapse - 1 : std::max(0, collapsed_ - 1);
        const auto around = static_cast<std::ptrdiff_t>(threads_.size());
        if (l.spread) {
            threads_.insert(threads_.end(), levels_.begin(), levels_.end());
            threads_.push_back({variable, sym::Range{l.begin, l.end, l.step, 1}.substituted(values_)});
        }
        if (shared)
            alone([&] { block(l.body); });
        else
            in({{variable, {l.begin, l.end, l.step, 1}}, isVector(l) || hasExit(l.body) ? nullptr : &l.body, &l},
               [&] { block(l.body); });
        collapsed_ = before;
        threads_.erase(threads_.begin() + around, threads_.end());
    }

    void loop(Loop &l) {
        const Name variable = l.update && l.update->targets.size() == 1 ? l.update->targets[0]->name : Name();
        const std::optional<Expr> step = variable.empty() ? std::nullopt : stepOf(*l.update, variable);
        if (!step || step->isZero())
            return block(l.body);
        std::optional<Expr> first;
        if (l.init && l.init->kind == py::StmtKind::Assign && isName(l.init->targets[0], variable))
            first = integerOf(l.init->value);
        const std::optional<Expr> last = l.form == Loop::Normal ? lastBy(l.condition, variable) : std::nullopt;
        in({{variable, {first ? *first : unknown(), last ? *last : unknown(), *step, 1}}, hasExit(l.body) ? nullptr : &l.body, &l},
           [&] { block(l.body); });
    }

    Expr unknown() { return Expr::symbol("__bound_" + std::to_string(unknowns_++)); }

    template <class F> void in(Level level, const F &f) {
        level.range = level.range.substituted(values_);
        values_.erase(level.variable);
        levels_.push_back(std::move(level));
        f();
        levels_.pop_back();
    }

    void declare(const Declare &d) {
        const Variable &v = f_.vars[d.var];
        if (d.target)
            point(d.var, d.target);
        else if (d.init)
            define(v.name, d.init);
    }

    /// Sets the value of a variable, until its next assignment, in terms of the surrounding loops.
    void define(Name variable, const py::ExprRef &value) {
        const std::optional<Expr> is = integerOf(value);
        if (is && !is->dependsOn(variable))
            values_[variable] = sym::substitute(*is, values_);
        else
            values_.erase(variable);
    }

    void point(VarId pointer, RefId to) {
        const MemRef &r = f_.refs[to];
        if (r.castTo.isVoid() && r.strides.empty())
            places_[pointer] = placeOf(r);
        else
            places_.erase(pointer);
    }

    /// The variable behind a pointer, and the offset from its start.
    std::pair<VarId, Expr> placeOf(const MemRef &r) const {
        const Expr offset = sym::substitute(r.offset, values_);
        const auto at = places_.find(r.var);
        return at == places_.end() ? std::pair(r.var, offset) : std::pair(at->second.first, at->second.second + offset);
    }

    void code(const std::vector<py::StmtRef> &stmts) {
        for (const py::StmtRef &s : stmts) {
            for (const py::ExprRef &target : s->targets)
                if (s->kind == py::StmtKind::Assign && target->kind == py::ExprKind::MemRef)
                    store(refOf(*target), target->args);
                else if (s->kind == py::StmtKind::Assign && target->kind == py::ExprKind::Name)
                    define(target->name, s->value);
            if (s->kind == py::StmtKind::For)
                counting(*s);
            else
                code(s->body);
            code(s->orelse);
        }
    }

    /// `for v in range(...)` of a tasklet.
    void counting(const py::Stmt &s) {
        const py::Expr &range = *s.value;
        if (s.targets[0]->kind != py::ExprKind::Name || range.kind != py::ExprKind::Call || range.args.size() < 2)
            return code(s.body);
        std::vector<std::optional<Expr>> given;
        for (std::size_t i = 1; i < range.args.size(); ++i)
            given.push_back(integerOf(range.args[i]));
        const Expr step = given.size() > 2 && given[2] ? *given[2] : Expr(1);
        const std::optional<Expr> end = given.size() > 1 ? given[1] : given[0];
        const Expr first = given.size() > 1 ? given[0].value_or(unknown()) : Expr(0);
        const bool down = sym::isLess(step, 0) == sym::Truth::True;
        const Expr last = end ? *end + Expr(down ? 1 : -1) : unknown();
        in({{s.targets[0]->name, {first, last, step, 1}}}, [&] { code(s.body); });
    }

    void fill(const Fill &fill) {
        const Expr element = unknown();
        in({{element.name(), {0, fill.count - 1, 1, 1}}}, [&] {
            MemRef r = f_.refs[fill.target];
            r.offset = r.offset + element;
            storeAt(r);
        });
    }

    void store(RefId to, const std::vector<py::ExprRef> &indices) {
        MemRef r = f_.refs[to];
        for (std::size_t k = 0; k < indices.size() && k < r.strides.size(); ++k) {
            const std::optional<Expr> index = integerOf(indices[k]);
            if (!index)
                return;
            r.offset = r.offset + *index * r.strides[k];
        }
        storeAt(r);
    }

    void storeAt(const MemRef &r) {
        if (levels_.size() < 2)
            return;
        const Expr offset = placeOf(r).second;
        std::optional<std::vector<std::vector<analysis::Directions>>> vectors;
        for (std::size_t p = 0; p + 1 < levels_.size(); ++p)
            for (std::size_t q = p + 1; levels_[p].body && q < levels_.size(); ++q) {
                if (isFenced(levels_[p]) || !mayOverlap(offset, p, q) || staysWithinStep(offset, p))
                    continue;
                if (!vectors)
                    vectors = vectorsOf(offset);
                if (std::any_of(vectors->begin(), vectors->end(),
                                [&](const auto &v) { return isReversed(v, threads_.size() + p, threads_.size() + q); }))
                    fenced_.push_back(levels_[p]);
            }
    }

    bool isFenced(const Level &l) const {
        return std::any_of(fenced_.begin(), fenced_.end(), [&](const Level &other) { return other.body == l.body; });
    }

    /// Can iterations of the two loops reach the same element with the steps by which they move it?
    bool mayOverlap(Expr offset, std::size_t p, std::size_t q) const {
        const auto a = sym::affineIn(offset, levels_[p].variable), b = sym::affineIn(offset, levels_[q].variable);
        if (!a || !b || a->first.isZero() || b->first.isZero())
            return false;
        const Expr byP = a->first * levels_[p].range.step, byQ = b->first * levels_[q].range.step;
        const std::vector<Name> symbols = (byP / byQ).freeSymbols();
        return std::none_of(symbols.begin(), symbols.end(), [this](Name n) { return boundsLoop(n); }) ||
               (b->first.asInt() && reaches(*b->first.asInt(), levels_[q], byP)) ||
               (a->first.asInt() && reaches(*a->first.asInt(), levels_[p], byQ));
    }

    /// Does a loop certainly move the element at least as far as a stride is long?
    static bool reaches(int64_t coefficient, const Level &loop, Expr stride) {
        const auto isNegative = [](Expr e) { return sym::isLess(e, 0) == sym::Truth::True; };
        const Expr way = loop.range.end - loop.range.begin, length = isNegative(stride) ? -stride : stride;
        return sym::isLess(std::abs(coefficient) * (isNegative(loop.range.step) ? -way : way), length) == sym::Truth::False;
    }

    /// Do the loops in a loop certainly move the element by less than a step of that loop does? Then iterations of it store to different
    /// elements, as with the rows of a tile. This is much cheaper than all dependences.
    bool staysWithinStep(Expr offset, std::size_t p) const {
        const auto isSmall = [](const Expr &e) { return e.asInt() && std::abs(*e.asInt()) < mostLimit; };
        const auto own = sym::affineIn(offset, levels_[p].variable);
        if (!own || !isSmall(own->first) || !isSmall(levels_[p].range.step))
            return false;
        int64_t left = std::abs(*own->first.asInt() * *levels_[p].range.step.asInt());
        for (std::size_t q = p + 1; q < levels_.size() && left > 0; ++q) {
            const auto inner = sym::affineIn(offset, levels_[q].variable);
            if (!inner || !isSmall(inner->first))
                return false;
            if (inner->first.isZero())
                continue;
            const sym::Range &r = levels_[q].range;
            const bool isDown = sym::isLess(r.step, 0) == sym::Truth::True;
            const std::optional<int64_t> first = limitOf(isDown ? r.end : r.begin, false, threads_.size() + q),
                                         last = limitOf(isDown ? r.begin : r.end, true, threads_.size() + q);
            if (!first || !last || !isSmall(r.step))
                return false;
            left -= std::abs(*inner->first.asInt()) * std::max<int64_t>(*last - *first, 0);
        }
        return left > 0;
    }

    /// A constant that an integer expression does not exceed, or does not fall below, for any values of the variables of the `loops`
    /// outermost loops.
    std::optional<int64_t> limitOf(Expr e, bool isUpper, std::size_t loops) const {
        const auto args = e.operands();
        std::optional<int64_t> out;
        switch (e.kind()) {
        case sym::SymbolicKind::Integer:
            out = e.asInt();
            break;
        case sym::SymbolicKind::Symbol:
            out = limitOfVariable(e.name(), isUpper, loops);
            break;
        case sym::SymbolicKind::Add:
            out = 0;
            for (const Expr &term : args) {
                const std::optional<int64_t> limit = limitOf(term, isUpper, loops);
                out = out && limit ? std::optional(*out + *limit) : std::nullopt;
            }
            break;
        case sym::SymbolicKind::Mul:
            if (const auto factor = args.size() == 2 ? args[0].asInt() : std::nullopt; factor && std::abs(*factor) < mostLimit)
                if (const auto limit = limitOf(args[1], isUpper == (*factor > 0), loops))
                    out = *factor * *limit;
            break;
        case sym::SymbolicKind::Min:
        case sym::SymbolicKind::Max: {
            // The limit of one operand bounds a minimum from above, those of all operands bound it from below.
            const bool isMin = e.kind() == sym::SymbolicKind::Min;
            std::vector<int64_t> limits;
            for (const Expr &a : args)
                if (const auto limit = limitOf(a, isUpper, loops))
                    limits.push_back(*limit);
            if (!limits.empty() && (isMin == isUpper || limits.size() == args.size()))
                out = isMin ? *std::min_element(limits.begin(), limits.end()) : *std::max_element(limits.begin(), limits.end());
            break;
        }
        default:
            break;
        }
        return out && std::abs(*out) < mostLimit ? out : std::nullopt;
    }

    /// The same for the variable of one of these loops, whose range depends on loops around it only.
    std::optional<int64_t> limitOfVariable(Name n, bool isUpper, std::size_t loops) const {
        while (loops-- > 0) {
            const analysis::LoopLevel &l = loops < threads_.size() ? threads_[loops] : levels_[loops - threads_.size()];
            if (l.variable != n)
                continue;
            const std::optional<int64_t> step = l.range.step.asInt();
            return !step || *step == 0 ? std::nullopt
                                       : limitOf((*step > 0) == isUpper ? l.range.end : l.range.begin, isUpper, loops);
        }
        return std::nullopt;
    }

    bool boundsLoop(Name n) const {
        return std::any_of(levels_.begin(), levels_.end(), [n](const Level &l) {
            return l.variable == n || l.range.begin.dependsOn(n) || l.range.end.dependsOn(n);
        });
    }

    std::vector<std::vector<analysis::Directions>> vectorsOf(Expr offset) const {
        analysis::AccessInstance access;
        access.subset = sym::Subset::point(std::vector{offset});
        access.loops = threads_;
        access.loops.insert(access.loops.end(), levels_.begin(), levels_.end());
        const auto conflict = analysis::conflictOf(access, access, access.loops.size(), {});
        return conflict ? conflict->vectors : std::vector<std::vector<analysis::Directions>>();
    }

    /// Are there two iterations, with equal indices outside of p, whose order in p is the reverse of their order in q?
    static bool isReversed(const std::vector<analysis::Directions> &v, std::size_t p, std::size_t q) {
        return std::all_of(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(p), [](const auto &d) { return d.equal; }) &&
               ((v[p].greater && v[q].less) || (v[p].less && v[q].greater));
    }

    Function &f_;
    std::vector<Level> levels_;
    std::vector<analysis::LoopLevel> threads_; // loops around them that the threads of a device share, and those around these
    int collapsed_ = 0;                        // loops that are collapsed into the surrounding parallel one
    int unknowns_ = 0;
    std::map<Name, Expr> values_;                    // of variables
    std::map<VarId, std::pair<VarId, Expr>> places_; // of pointers and references
    std::vector<Level> fenced_;
};

} // namespace

std::vector<Fenced> addFences(Function &f) { return Fencing(f).run(); }

} // namespace sdfgc::tree::lowering
