// privatise-histograms: give each thread a private copy of a short array that all threads update.
//
//     #pragma omp parallel for                       if (bins >= 1 && bins <= 2048 && N >= 16 * bins) {
//     for (i ...)                                        double hist_acc[2048];
//         #pragma omp atomic               becomes       fill(hist_acc, bins, 0.0)
//         hist[bin(i)] += w[i];                          #pragma omp parallel for reduction(+ : hist_acc[:bins])
//                                                        for (i ...)
//                                                            hist_acc[bin(i)] += w[i];
//                                                        for (k ...)
//                                                            hist[k] += hist_acc[k];
//                                                    } else {
//                                                        the loop as it was
//                                                    }
//
// An atomic floating-point update is itself a loop, and threads that update the same element wait for each other.
// Copies cost memory, and each thread walks over the array twice, so they pay only with many updates per element. The
// array's length is known only at run time, so the program chooses; the copy on a thread's stack stays small (option
// `bytes`). Empty arrays are not copied: OpenMP leaves a reduction over no elements undefined.
//
// If the array's length is unknown, an inspector loop finds the range of its updates: reading the indices once more
// costs little compared with an atomic update for each. If that range is short, only it is copied:
//
//     #pragma omp parallel for                 if (omp_get_max_threads() > 1 && N >= 20000) {
//     for (i ...)                                  int64_t hist_first = INT64_MAX, hist_last = INT64_MIN;
//         #pragma omp atomic               ->       #pragma omp parallel for reduction(min : hist_first) reduction(max : hist_last)
//         hist[bin[i]] += w[i];                    for (i ...)
//                                                      hist_first = min(hist_first, bin[i]), hist_last = max(...)
//                                                  if (hist_first <= hist_last && hist_last - hist_first < 2048 && ...)
//                                                      as above, with hist_acc[bin[i] - hist_first]
//                                                  else
//                                                      the loop as it was
//                                              } else {
//                                                  the loop for one thread
//                                              }
//
// Legal when:
//   - the loop has a team, and uses the array only in atomic updates by a single operation, for which OpenMP has a
//     reduction clause;
//   - the size is known before the loop, or the loop contains nothing but one update at an index that is read from
//     memory.
//
// Results vary only as atomic updates do from run to run: in the order of sums.
//
// Not handled: arrays of constant size that a map updates itself, which are already reductions (resolve-wcr).
#include "Bindings.h"
#include "FunctionNames.h"
#include "Versions.h"

#include "sdfgc/Analysis/Dependences/WcrReductions.h"
#include "sdfgc/Diag/Reason.h"
#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/Effects.h"

#include <algorithm>
#include <set>

namespace sdfgc::transforms {
namespace {

using namespace tree;
using diag::Reason;
using diag::Why;

constexpr int64_t updatesPerElement = 16; // number for which a copy pays, for teams of any size

/// The part of an array that a loop updates, as determined at run time: elements at + stride * k, first <= k <= last.
struct Reach {
    VarId first, last;
    sym::Expr at = 0, stride = 1;
};

/// An array that a loop updates.
struct Target {
    VarId array;
    py::Reduction kind;
    sym::Expr count = 0;   // elements of the array
    sym::Expr updates = 0; // updates by the loop
    std::vector<Update *> statements;
    bool onlyAtomic = true;     // of one kind, with only the new value
    std::optional<Reach> reach; // the part that is copied
};

/// The trip count of a loop if it does not depend on `declared` names; otherwise one.
sym::Expr tripsOf(const For &loop, const std::unordered_set<Name> &declared) {
    const sym::Expr trips = loop.end - loop.begin + 1;
    const auto names = trips.freeSymbols();
    const bool known =
        loop.step.isOne() && std::none_of(names.begin(), names.end(), [&](Name n) { return declared.count(n) != 0; });
    return known ? trips : sym::Expr(1);
}

class Histograms {
public:
    Histograms(Function &f, const Module &m, int64_t bytes, pass::Context &context)
        : f_(f), module_(m), bytes_(bytes), context_(context), table_(f) {}

    /// Returns whether a loop was duplicated.
    bool run() {
        block(f_.body);
        return changed_;
    }

private:
    void block(Block &b) {
        for (NodePtr &n : b.body) {
            auto *loop = n->kind == TreeKind::For ? static_cast<For *>(n.get()) : nullptr;
            if (loop && loop->omp)
                privatise(n);
            else if (n->kind != TreeKind::ParallelRegion && n->kind != TreeKind::Sections && n->kind != TreeKind::Consume)
                forEachBlock(*n, [this](Block &inner) { block(inner); });
        }
    }

    // ---- selection of arrays

    std::vector<Target> targetsOf(For &loop) {
        std::vector<Target> out;
        collect(loop, sym::Expr(1), table_.of(loop).declared, out);
        return out;
    }

    void collect(Node &n, sym::Expr trips, const std::unordered_set<Name> &declared, std::vector<Target> &out) {
        if (n.kind == TreeKind::Update) {
            auto &u = static_cast<Update &>(n);
            if (u.atomic)
                add(u, trips, out);
            return;
        }
        if (const auto *loop = dyn_cast<For>(&n))
            trips = trips * tripsOf(*loop, declared);
        forEachBlock(n, [&](Block &b) {
            for (const NodePtr &inner : b.body)
                collect(*inner, trips, declared, out);
        });
    }

    void add(Update &u, sym::Expr trips, std::vector<Target> &out) const {
        const MemRef &r = f_.refs[u.target];
        auto at = std::find_if(out.begin(), out.end(), [&](const Target &t) { return t.array == r.var; });
        if (at == out.end())
            at = out.insert(at, Target{r.var, u.reduction, 0, 0, {}, true});
        at->updates = at->updates + trips;
        at->statements.push_back(&u);
        at->onlyAtomic &= u.reduction == at->kind && !u.old && !u.byBlock && !r.castTo && !r.address && !r.pop;
    }

    /// Why threads cannot have copies of an array; empty if they can.
    Reason obstacle(Target &t, For &loop) {
        const Variable &v = f_.vars[t.array];
        const std::string name = "`" + v.name.str() + "`";
        if (!t.onlyAtomic || !analysis::hasClause(t.kind, v.type))
            return {Why::Update, name + " is updated by more than one operation of OpenMP"};
        if (most(t) < 1)
            return {Why::Small, "memory for copies is limited to zero"};
        if (const auto count = countOf(v))
            t.count = *count;
        else if (!findReach(t, loop))
            return {Why::UnknownWork, "the length is unknown: " + name + " is, and the loop does more than one update"};
        if (bindings().isKept(t.array))
            return {Why::MayAlias, "pointers may access " + name};
        if (table_.of(loop).declared.count(v.name) || isMentionedElsewhere(loop, v.name, t.statements, table_))
            return {Why::Effects, "the loop does not only update " + name};
        if (!t.reach && !pays(t))
            return {Why::Small, name + " has too many elements for as many updates"};
        return {};
    }

    /// The number of elements, in terms of values that are visible everywhere in the function and do not change.
    std::optional<sym::Expr> countOf(const Variable &v) {
        std::optional<sym::Expr> count;
        if (v.kind == VarKind::Stack || (v.kind == VarKind::Buffer && v.countKnown && v.startOffset.isZero()))
            count = v.count;
        else if (v.kind == VarKind::Pointer && v.isRestrict)
            count = countOfArgument(v.name);
        if (!count)
            return std::nullopt;
        return isFixed(*count) ? count : std::nullopt;
    }

    /// Does it only consist of parameters that do not change?
    bool isFixed(sym::Expr e) {
        const auto names = e.freeSymbols();
        return std::all_of(names.begin(), names.end(), [this](Name n) {
            return !table_.of(f_.body).changes(n) && std::any_of(f_.params.begin(), f_.params.end(), [&](VarId p) {
                return f_.vars[p].name == n && f_.vars[p].kind == VarKind::Value;
            });
        });
    }

    /// The number of elements of a program argument according to the interface.
    std::optional<sym::Expr> countOfArgument(Name variable) const {
        if (&f_ != module_.functions.back().get())
            return std::nullopt;
        std::map<Name, sym::Expr> inTree;
        std::optional<sym::Expr> count;
        for (const Param &p : module_.params) {
            if (!p.desc)
                inTree.emplace(p.name, sym::Expr::symbol(p.cName));
            else if (p.cName == variable && p.desc->isArray())
                count = p.desc->totalSize;
        }
        return count ? std::optional(sym::substitute(*count, inTree)) : std::nullopt;
    }

    // ---- the range that a loop updates in an array of unknown length

    /// Requests an inspector loop for the range of the only update in the loop. Returns false if the loop contains
    /// anything else, or if the update is not at a single index that is read from memory.
    bool findReach(Target &t, For &loop) {
        const Variable &v = f_.vars[t.array];
        if (!aroundOnlyUpdate(loop) || (v.kind == VarKind::Pointer && !v.isRestrict) ||
            (v.kind != VarKind::Pointer && v.kind != VarKind::Buffer))
            return false;
        const Update *u = t.statements[0];
        const MemRef &r = f_.refs[u->target];
        if (u->targetIndices.size() != 1 || !isFixed(r.offset) || !isFixed(r.strides[0]) ||
            !u->targetIndices[0]->type.isInteger() || !canReadTwice(*u->targetIndices[0]) || !codeOf(t.updates) ||
            !worthATeam(loop.omp->onlyIf, true))
            return false;
        t.reach = Reach{{}, {}, r.offset, r.strides[0]};
        return true;
    }

    /// Does it only contain elements, variables, integers and operators?
    bool canReadTwice(const py::Expr &e) const {
        static const std::set<py::ExprKind> simple{py::ExprKind::MemRef, py::ExprKind::Name,   py::ExprKind::Int,
                                                   py::ExprKind::Unary,  py::ExprKind::Binary, py::ExprKind::Cast};
        return simple.count(e.kind) != 0 && (e.kind != py::ExprKind::MemRef || !f_.refs[refOf(e)].pop) &&
               std::all_of(e.args.begin(), e.args.end(), [this](const py::ExprRef &a) { return canReadTwice(*a); });
    }

    /// The block around an update that is the only effect of the loops; null if they have others.
    static Block *aroundOnlyUpdate(Node &n) {
        auto *loop = dyn_cast<For>(&n);
        Block *body = loop ? &loop->body : dyn_cast<Block>(&n);
        if (!body || body->body.size() != 1)
            return nullptr;
        return body->body[0]->kind == TreeKind::Update ? body : aroundOnlyUpdate(*body->body[0]);
    }

    /// `if (a team pays) { inspect; if (the range is short) copies else original } else for one thread`
    void privatiseReach(NodePtr &n, Target &t) {
        auto &loop = static_cast<For &>(*n);
        const py::ExprRef team = *worthATeam(loop.omp->onlyIf, true);
        NodePtr alone = twin(loop, f_);
        makeSequential(*alone);
        loop.omp->onlyIf = sym::Expr::boolean(true);
        auto out = std::make_unique<Block>();
        t.reach->first = declareBound(t, "_first", py::Reduction::Min, *out);
        t.reach->last = declareBound(t, "_last", py::Reduction::Max, *out);
        out->body.push_back(lookThrough(loop, t));
        const py::ExprRef little = isLittle(t);
        NodePtr plain = twin(loop, f_);
        plain->comment.clear();
        NodePtr copies = withCopies(std::move(n), {t});
        static_cast<Block &>(*copies).braces = false;
        out->body.push_back(choice(little, std::move(copies), std::move(plain)));
        n = choice(team, std::move(out), std::move(alone));
    }

    /// Returns `first <= last && last - first < most && updates >= 16 * (last - first + 1)`, in this order, because
    /// without an update the difference would overflow.
    py::ExprRef isLittle(Target &t) {
        const Type integer(ScalarKind::Int64);
        const py::ExprRef first = nameOf(t.reach->first), last = nameOf(t.reach->last);
        t.count = sym::Expr::symbol(last->name) - sym::Expr::symbol(first->name) + 1;
        const py::ExprRef distance = py::binary(py::Op::Sub, last, first, integer);
        const py::ExprRef enough = py::binary(py::Op::Mul, py::intLit(updatesPerElement),
                                              py::binary(py::Op::Add, distance, py::intLit(1), integer), integer);
        return py::boolOp(py::Op::And,
                          {py::compare(py::Op::Le, first, last), py::compare(py::Op::Lt, distance, py::intLit(most(t))),
                           py::compare(py::Op::Ge, *codeOf(t.updates), enough)});
    }

    VarId declareBound(const Target &t, const char *suffix, py::Reduction kind, Block &out) {
        Variable v;
        v.type = Type(ScalarKind::Int64);
        v.kind = VarKind::Value;
        v.name = names().declare(Name(f_.vars[t.array].name.str() + suffix));
        const VarId bound = f_.vars.add(std::move(v));
        out.add<Declare>(bound)->init = *py::reductionIdentity(kind, Type(ScalarKind::Int64));
        return bound;
    }
    py::ExprRef nameOf(VarId v) const { return py::name(f_.vars[v].name, f_.vars[v].type); }

    /// The loop with the array update replaced by two updates of the bounds.
    NodePtr lookThrough(const For &loop, const Target &t) {
        NodePtr look = twin(loop, f_);
        look->comment = "the accessed part is unknown: " + f_.vars[t.array].name.str() + " is reached";
        Block &body = *aroundOnlyUpdate(*look);
        py::ExprRef index = static_cast<Update &>(*body.body[0]).targetIndices[0];
        if (index->type != Type(ScalarKind::Int64))
            index = py::castTo(Type(ScalarKind::Int64), index);
        body.body.clear();
        addBound(body, t.reach->first, py::Reduction::Min, index);
        addBound(body, t.reach->last, py::Reduction::Max, index);
        static_cast<For &>(*look).omp->reductions = {{py::Reduction::Min, t.reach->first}, {py::Reduction::Max, t.reach->last}};
        return look;
    }
    void addBound(Block &body, VarId bound, py::Reduction kind, const py::ExprRef &index) {
        MemRef r;
        r.var = bound;
        auto *update = body.add<Update>();
        update->target = f_.refs.add(r);
        update->value = index;
        update->reduction = kind;
    }

    // ---- profitability

    int64_t most(const Target &t) const { return bytes_ / f_.vars[t.array].type.bytes().value_or(8); }

    /// False if known sizes do not fit, or if they cannot be tested at run time.
    bool pays(const Target &t) const {
        const std::vector<sym::Expr> wanted = conditionsOf({t});
        return std::all_of(wanted.begin(), wanted.end(), [](sym::Expr c) { return conditionOf(c).has_value(); });
    }

    /// Returns the run-time conditions for private copies of these arrays, without duplicates, and with the lowest of
    /// several limits on the same length.
    std::vector<sym::Expr> conditionsOf(const std::vector<Target> &targets) const {
        std::vector<sym::Expr> out;
        const auto add = [&out](sym::Expr c) {
            if (!(c == sym::Expr::boolean(true)) && std::find(out.begin(), out.end(), c) == out.end())
                out.push_back(c);
        };
        for (const Target &t : targets) {
            int64_t limit = most(t);
            for (const Target &other : targets)
                if (other.count == t.count)
                    limit = std::min(limit, most(other));
            add(sym::compare(sym::SymbolicKind::Ge, t.count, 1));
            add(sym::compare(sym::SymbolicKind::Le, t.count, limit));
            add(sym::compare(sym::SymbolicKind::Ge, t.updates, updatesPerElement * t.count));
        }
        return out;
    }

    // ---- the two versions

    void privatise(NodePtr &n) {
        auto &loop = static_cast<For &>(*n);
        if (loop.omp->inParallelRegion)
            return;
        const pass::Element where = context_.loop(f_, loop);
        std::vector<Target> targets;
        for (Target &t : targetsOf(loop)) {
            const Reason why = obstacle(t, loop);
            if (why)
                context_.missed(where, "updates `" + f_.vars[t.array].name.str() + "` atomically", why);
            else
                targets.push_back(std::move(t));
        }
        if (targets.empty() || !context_.mayChange(where, "threads have copies of the data that they update"))
            return;
        names(); // while the body is intact
        changed_ = true;
        if (targets[0].reach) // the only one, since there is a single update
            return privatiseReach(n, targets[0]);
        std::vector<py::ExprRef> conditions;
        for (const sym::Expr c : conditionsOf(targets))
            conditions.push_back(*conditionOf(c));
        NodePtr plain = conditions.empty() ? nullptr : twin(loop, f_);
        n = withCopies(std::move(n), targets);
        static_cast<Block &>(*n).braces = !plain; // a branch has braces
        if (plain)
            n = choice(conditions.size() == 1 ? conditions[0] : py::boolOp(py::Op::And, conditions), std::move(n),
                       std::move(plain));
    }

    /// `{ T acc[most]; fill; loop; for k: array[k] op= acc[k] }`
    NodePtr withCopies(NodePtr loop, const std::vector<Target> &targets) {
        auto out = std::make_unique<Block>();
        std::swap(out->comment, loop->comment);
        out->origin = loop->origin;
        std::vector<NodePtr> combine;
        for (const Target &t : targets) {
            const VarId copy = declareCopy(t, *out);
            static_cast<For &>(*loop).omp->reductions.push_back({t.kind, copy, t.count});
            for (Update *u : t.statements) {
                MemRef r = f_.refs[u->target];
                r.var = copy;
                if (t.reach) {
                    r.offset = -sym::Expr::symbol(f_.vars[t.reach->first].name);
                    r.strides = {1};
                }
                u->target = f_.refs.add(r);
                u->atomic = false;
            }
            combine.push_back(combined(t, copy));
        }
        out->body.push_back(std::move(loop));
        for (NodePtr &c : combine)
            out->body.push_back(std::move(c));
        return out;
    }

    VarId declareCopy(const Target &t, Block &out) {
        Variable v;
        v.type = f_.vars[t.array].type;
        v.kind = VarKind::Stack;
        v.count = t.count.asInt() ? t.count : sym::Expr(most(t));
        v.name = names().declare(Name(f_.vars[t.array].name.str() + "_acc"));
        const Type type = v.type;
        const VarId copy = f_.vars.add(std::move(v));
        out.add<Declare>(copy);
        MemRef first;
        first.var = copy;
        first.address = true;
        auto *fill = out.add<Fill>();
        fill->target = f_.refs.add(first);
        fill->count = t.count;
        fill->type = type;
        fill->value = *py::reductionIdentity(t.kind, type);
        return copy;
    }

    NodePtr combined(const Target &t, VarId copy) {
        Variable k;
        k.type = Type(ScalarKind::Int64);
        k.name = names().declare(Name("k"));
        MemRef from, to;
        from.offset = to.offset = sym::Expr::symbol(k.name);
        if (t.reach)
            to.offset = t.reach->at + t.reach->stride * (sym::Expr::symbol(f_.vars[t.reach->first].name) + to.offset);
        from.var = copy;
        to.var = t.array;
        auto loop = std::make_unique<For>();
        loop->var = f_.vars.add(std::move(k));
        loop->begin = 0;
        loop->end = t.count - 1;
        auto *update = loop->body.add<Update>();
        update->target = f_.refs.add(to);
        update->value = memRef(f_.refs.add(from), f_.vars[copy].type);
        update->reduction = t.kind;
        return loop;
    }

    NameScopes &names() {
        if (!names_)
            names_.emplace(namesOf(module_, f_, table_.of(f_.body)));
        return *names_;
    }
    const Bindings &bindings() { return bindings_ ? *bindings_ : bindings_.emplace(f_); }

    Function &f_;
    const Module &module_;
    const int64_t bytes_;
    pass::Context &context_;
    EffectTable table_;
    std::optional<NameScopes> names_; // those of the function
    std::optional<Bindings> bindings_;
    bool changed_ = false;
};

class PrivatiseHistograms : public pass::FunctionPass {
    bool run(Function &f, const Module &m, pass::Context &context) override {
        if (f.kernel || f.device)
            return false;
        return Histograms(f, m, option<int64_t>("bytes"), context).run();
    }
};

} // namespace

std::unique_ptr<pass::Pass> createPrivatiseHistograms() { return std::make_unique<PrivatiseHistograms>(); }

} // namespace sdfgc::transforms
