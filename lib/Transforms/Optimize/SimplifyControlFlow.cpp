// simplify-control-flow: fold branches and loops with a known outcome, and unswitch loops with an invariant condition.
//
//     for i = 3; i < 4; i = i + 1 {                        i = 3
//         state { B[i] = A[i] }                    ->      state { B[i] = A[i] }
//     }
//     for i = 0; i < N; i = i + 1 {                        if flag > 0 {
//         if flag > 0 { state { B[i] = A[i] } }    ->          for i = 0; i < N; i = i + 1 { state { B[i] = A[i] } }
//         else        { state { B[i] = 0 } }               } else { for i = 0; i < N; i = i + 1 { state { B[i] = 0 } } }
//     }
//
// Loop passes look at runs of states (sdfgc/Nest/Nest.h), and a branch or a loop in between ends a run.
//
//   1. A branch whose condition is always false is removed; an always-true condition removes all branches after it. If
//      a single, unconditional branch remains, its blocks replace the conditional. Variables of loops that count up
//      from 0 or more are known to be non-negative.
//   2. A loop with a constant trip count of 0 or 1 is replaced with its body. Its variable is assigned the values that
//      it would have had.
//   3. A loop or a conditional without dataflow is removed if nothing reads the symbols that it assigns.
//   4. A comparison that an edge computes into a symbol, which only the branch after it tests, becomes the condition of the
//      branch (FoldConditions.h).
//   5. Loop unswitching (from -O2): a loop is duplicated, once for each branch, and the conditions are tested before
//      it.
//
// Unswitching is legal when:
//   - the body is states and a single conditional;
//   - no iteration changes what the conditions read;
//   - the conditions read only symbols and scalars, and do not divide: they are now evaluated even if the loop never
//     runs;
//   - the code next to the conditional, which is duplicated, is small.
//
// Innermost regions come first.
//
// Not handled: elements that the graph asks to keep, and code that a jump leaves.
#include "Transforms/Optimize/FoldConditions.h"
#include "Transforms/Optimize/UnswitchLoops.h"

#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Flow/EdgeValues.h"
#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Flow/SymbolLiveness.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Memory/Memories.h"
#include "sdfgc/Analysis/Symbols/Mentions.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using diag::Reason;
using diag::Why;

/// Is a condition always true, or always false, for all values of its symbols permitted by `facts`?
sym::Truth truthOf(sym::Expr e, const sym::Assumptions &facts) {
    using sym::Truth;
    const auto no = [](Truth t) { return t == Truth::Unknown ? t : t == Truth::True ? Truth::False : Truth::True; };
    const auto o = e.operands();
    switch (e.kind()) {
    case sym::SymbolicKind::Bool:
        return e.boolValue() ? Truth::True : Truth::False;
    case sym::SymbolicKind::Integer:
        return e.isZero() ? Truth::False : Truth::True;
    case sym::SymbolicKind::Not:
        return no(truthOf(o[0], facts));
    case sym::SymbolicKind::And:
    case sym::SymbolicKind::Or: {
        const Truth deciding = e.kind() == sym::SymbolicKind::And ? Truth::False : Truth::True;
        Truth all = no(deciding);
        for (const sym::Expr each : o) {
            const Truth t = truthOf(each, facts);
            if (t == deciding)
                return t;
            if (t == Truth::Unknown)
                all = t;
        }
        return all;
    }
    case sym::SymbolicKind::Lt:
        return sym::isLess(o[0], o[1], facts);
    case sym::SymbolicKind::Le:
        return sym::isLessEqual(o[0], o[1], facts);
    case sym::SymbolicKind::Gt:
        return sym::isLess(o[1], o[0], facts);
    case sym::SymbolicKind::Ge:
        return sym::isLessEqual(o[1], o[0], facts);
    case sym::SymbolicKind::Eq:
        return sym::isEqual(o[0], o[1], facts);
    case sym::SymbolicKind::Ne:
        return no(sym::isEqual(o[0], o[1], facts));
    default:
        return Truth::Unknown;
    }
}

class Simplification {
public:
    /// `arguments`: the symbols that callers pass to the program.
    Simplification(SDFG &g, const std::set<Name> &arguments, analysis::Memories &memories, pass::Context &context, bool unswitches)
        : g_(g), context_(context), unswitches_(unswitches), changedByCode_(analysis::changedSymbols(g)), arguments_(arguments),
          edits_(g), unswitching_(g, memories, changedByCode_, edits_) {}

    /// Returns whether anything changed.
    bool run() {
        if (nest::isKept(g_))
            return false;
        const std::set<Name> before = analysis::assignedIn(g_);
        changed_ |= foldConditions(g_, context_);
        removeDead();
        region(g_);
        if (changed_)
            forgetUnset(before);
        return changed_;
    }

private:
    /// Symbols that were assigned only by removed code, including loops in it, must not become arguments. If nothing mentions one, it
    /// is no longer declared. Otherwise it starts with 0: no read of it had a value, since the removed code never ran.
    void forgetUnset(const std::set<Name> &before) {
        const std::set<Name> after = analysis::assignedIn(g_);
        const analysis::Mentions mentions(g_);
        std::vector<std::pair<Name, std::string>> values;
        for (const Name n : before)
            if (!after.count(n)) {
                if (!mentions.contain(n))
                    g_.symbols.erase(n);
                else if (!isPassed(n))
                    values.emplace_back(n, "0");
            }
        if (values.empty())
            return;
        Block *start = g_.start();
        State *first = g_.add<State>();
        first->label = edits_.freshLabel("start");
        g_.connect(first, start, {"1", Language::Python}, std::move(values));
        g_.setStart(first);
    }

    /// Does it have a value at the start?
    bool isPassed(Name n) const { return g_.parentNode ? g_.parentNode->mapped(n) != nullptr : arguments_.count(n) != 0; }

    // ---- blocks that only assign symbols

    void removeDead() {
        analysis::SymbolLiveness liveness(g_);
        std::vector<Block *> dead;
        findDead(g_, liveness, dead);
        for (Block *b : dead) { // the liveness of blocks is not asked any more, since it is known by their addresses
            if (!mayChange(*b, "only assigns symbols that nothing reads"))
                continue;
            edits_.readLabels();
            if (auto *l = dyn_cast<LoopRegion>(b)) {
                analysis::stateInPlaceOf(*l).label = edits_.freshLabel(l->label);
                l->parent()->removeBlock(l);
            } else {
                edits_.putInPlaceOf(*b, *std::make_unique<Region>());
            }
        }
    }

    void findDead(Region &r, analysis::SymbolLiveness &liveness, std::vector<Block *> &out) {
        for (const auto &b : r.blocks()) {
            auto *c = dyn_cast<ConditionalBlock>(b.get());
            auto *inner = dyn_cast<Region>(b.get());
            if (isDead(*b, liveness))
                out.push_back(b.get());
            else if (c)
                for (auto &branch : c->branches())
                    findDead(*branch.region, liveness, out);
            else if (inner && !(isa<LoopRegion>(inner) && !cast<LoopRegion>(inner)->optimize))
                findDead(*inner, liveness, out);
        }
    }

    static bool isDead(const Block &b, analysis::SymbolLiveness &liveness) {
        if (b.kind() != BlockKind::Loop && b.kind() != BlockKind::Conditional)
            return false;
        if (!onlyAssigns(b) || !analysis::callbackIn(b).empty())
            return false;
        const std::set<Name> live = liveness.after(b), assigned = analysis::assignedIn(b);
        return std::none_of(assigned.begin(), assigned.end(), [&live](Name n) { return live.count(n) != 0; });
    }

    /// Does a block contain neither dataflow nor jumps, and only loops that end?
    static bool onlyAssigns(const Block &b) {
        if (const auto *s = dyn_cast<State>(&b))
            return s->instrument == Instrumentation::No_Instrumentation && onlyShows(*s);
        if (const auto *c = dyn_cast<ConditionalBlock>(&b))
            return std::all_of(c->branches().begin(), c->branches().end(),
                               [](const auto &branch) { return onlyAssigns(*branch.region); });
        const auto *l = dyn_cast<LoopRegion>(&b);
        const auto *r = dyn_cast<Region>(&b);
        if (!r || r->kind() == BlockKind::Unstructured || (l && (!l->optimize || !analysis::headerOf(*l).hasEnd())))
            return false;
        const std::set<Name> assigned = l ? analysis::assignedInside(*l) : std::set<Name>(),
                             names = l ? analysis::headerOf(*l).names() : std::set<Name>();
        return std::none_of(names.begin(), names.end(), [&assigned](Name n) { return assigned.count(n) != 0; }) &&
               std::all_of(r->blocks().begin(), r->blocks().end(), [](const auto &inner) { return onlyAssigns(*inner); });
    }

    /// Does dataflow consist of views that nothing reads or writes?
    static bool onlyShows(const State &s) {
        return std::all_of(s.nodes().begin(), s.nodes().end(),
                           [](const auto &n) { return isa<AccessNode>(n.get()) && !cast<AccessNode>(n.get())->setZero; }) &&
               std::all_of(s.edges().begin(), s.edges().end(), [](const auto &e) { return analysis::isViewing(*e); });
    }

    void region(Region &r) {
        std::vector<Block *> blocks;
        for (const auto &b : r.blocks())
            blocks.push_back(b.get());
        for (Block *b : blocks) {
            if (auto *c = dyn_cast<ConditionalBlock>(b)) {
                for (auto &branch : c->branches())
                    region(*branch.region);
                conditional(*c);
            } else if (auto *l = dyn_cast<LoopRegion>(b)) {
                if (l->optimize)
                    loop(r, *l);
            } else if (auto *inner = dyn_cast<Region>(b)) {
                region(*inner);
            }
        }
    }

    bool mayChange(const Block &b, const std::string &text) {
        const bool may = context_.mayChange(b, text);
        changed_ |= may;
        return may;
    }

    // ---- facts

    bool isFixed(Name n) const {
        const Type *t = g_.symbols.find(n);
        return t && t->isSigned() && !g_.desc(n) && !changedByCode_.count(n);
    }

    sym::Truth truthOf(const Code &c) const {
        if (!c.isPython() || analysis::hasQuotient(c.text()) || analysis::callsFunctions(c.text()))
            return sym::Truth::Unknown;
        const std::set<Name> names = analysis::namesInCode(c, g_); // even names that cancel out: a NaN does not equal itself
        const std::optional<sym::Expr> e = sym::parse(c.text()).expr;
        if (!e || e->isUndefined() || e->overflowed() ||
            !std::all_of(names.begin(), names.end(), [this](Name n) { return isFixed(n); }))
            return sym::Truth::Unknown;
        return transforms::truthOf(*e, facts_);
    }

    // ---- conditionals

    void conditional(ConditionalBlock &c) {
        std::vector<ConditionalBlock::Branch> &branches = c.branches();
        std::vector<std::size_t> left; // branches that may run
        bool always = false;           // the last of these runs if no earlier one does
        for (std::size_t k = 0; k < branches.size() && !always; ++k) {
            const sym::Truth t = branches[k].condition ? truthOf(*branches[k].condition) : sym::Truth::True;
            always = t == sym::Truth::True;
            if (t != sym::Truth::False)
                left.push_back(k);
        }
        const bool isElse = always && !branches[left.back()].condition;
        const bool only = always && left.size() == 1;
        if ((left.size() == branches.size() && (!always || isElse) && !only) ||
            (only && !canStandAlone(*branches[left.front()].region)) ||
            !mayChange(c, only           ? "always takes one of its branches"
                          : left.empty() ? "takes none of its branches"
                                         : "has branches that never run or that need no test"))
            return;
        std::vector<ConditionalBlock::Branch> kept;
        for (const std::size_t k : left)
            kept.push_back(std::move(branches[k]));
        branches = std::move(kept);
        if (always)
            branches.back().condition.reset();
        if (!only && !branches.empty())
            return;
        edits_.readLabels();
        const std::unique_ptr<Region> content = only ? std::move(branches.front().region) : std::make_unique<Region>();
        edits_.putInPlaceOf(c, *content);
    }

    /// Can the blocks of a branch replace the conditional? Not if it contains a jump, since no block may follow one.
    static bool canStandAlone(Region &branch) {
        return branch.blocks().empty() || (!analysis::hasJump(branch) && !analysis::sequenceOf(branch).empty());
    }

    // ---- loops

    void loop(Region &r, LoopRegion &l) {
        const analysis::LoopHeader header = analysis::headerOf(l);
        const std::set<Name> assigned = analysis::assignedInside(l);
        const auto isConstant = [&](Name n) { return isFixed(n) && !assigned.count(n); };
        const std::set<Name> names = header.names();
        const bool counts = header.hasEnd() && header.isOfIntegers(g_) && std::all_of(names.begin(), names.end(), isConstant);
        const sym::Assumptions around = facts_;
        facts_.erase(l.variable);
        if (counts && header.range().begin.asInt().value_or(-1) >= 0)
            facts_[l.variable].nonnegative = true;
        region(l);
        facts_ = around;
        if (counts && runsOnceAtMost(r, l, header))
            return;
        if (unswitches_)
            unswitch(l, assigned);
    }

    /// Does the loop run once, or never? Then it is gone afterwards.
    bool runsOnceAtMost(Region &r, LoopRegion &l, const analysis::LoopHeader &header) {
        const sym::Range range = header.range();
        const bool never = sym::isLess(range.end, range.begin) == sym::Truth::True;
        const bool once = !never && header.trips().isOne();
        if ((!never && !once) || (once && (analysis::hasJump(l) || analysis::sequenceOf(l).empty())) ||
            !mayChange(l, never ? "never runs" : "runs once"))
            return false;
        const Name variable = l.variable;
        const bool isRead = edits_.isReadOutside(l);
        const sym::Expr valueAfter = header.valueIn(never ? 0 : 1);
        State &first = analysis::stateInPlaceOf(l);
        first.label = edits_.freshLabel(first.label);
        Block *end = &first;
        if (once) {
            State *body = r.addStateAfter(end, edits_.freshLabel(first.label));
            end->outEdges().front()->assignments = {{variable, header.first.str()}};
            State *after = r.addStateAfter(body, edits_.freshLabel(first.label + "_end"));
            end = after;
            edits_.putInPlaceOf(*body, l);
        }
        if (isRead) {
            State *after = r.addStateAfter(end, edits_.freshLabel(first.label + "_end"));
            for (InterstateEdge *e : after->inEdges())
                e->assignments = {{variable, valueAfter.str()}};
        }
        r.removeBlock(&l);
        return true;
    }

    void unswitch(LoopRegion &l, const std::set<Name> &assigned) {
        const ConditionalBlock *c = LoopUnswitching::testOf(l);
        if (!c)
            return;
        if (const Reason why = unswitching_.obstacle(l, *c, assigned)) {
            context_.missed(l, "its test remains inside", why);
            return;
        }
        if (mayChange(l, "is tested before: `" + c->branches().front().condition->text() + "`"))
            unswitching_.unswitch(l, *c);
    }

    SDFG &g_;
    pass::Context &context_;
    const bool unswitches_;
    const std::set<Name> changedByCode_; // symbols changed by tasklets
    const std::set<Name> &arguments_;    // symbols of the program
    sym::Assumptions facts_;             // of the variables of surrounding loops
    FlowEdits edits_;
    LoopUnswitching unswitching_;
    bool changed_ = false;
};

class SimplifyControlFlow : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        analysis::KeptInterface interface(root);
        const std::set<Name> arguments = analysis::requiredSymbols(root);
        analysis::Memories memories(root);
        const bool unswitches = option<bool>("unswitch") && !context.options.gpu() && !mentionsGpu(root);
        bool changed = false;
        const std::vector<SDFG *> all = allSDFGs(root);
        for (auto g = all.rbegin(); g != all.rend(); ++g) // inner ones first: those that are removed or duplicated contain some
            changed |= Simplification(**g, arguments, memories, context, unswitches).run();
        interface.keep();
        if (changed)
            root.renumber();
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createSimplifyControlFlow() { return std::make_unique<SimplifyControlFlow>(); }

} // namespace sdfgc::transforms
