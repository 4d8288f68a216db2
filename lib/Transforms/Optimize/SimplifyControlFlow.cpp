// simplify-control-flow: branches and loops that are known to run always, once or never, and tests that do not change in a loop.
//
//     for i = 3; i < 4; i = i + 1 {                        i = 3
//         state { B[i] = A[i] }                    ->      state { B[i] = A[i] }
//     }
//     for i = 0; i < N; i = i + 1 {                        if flag > 0 {
//         if flag > 0 { state { B[i] = A[i] } }    ->          for i = 0; i < N; i = i + 1 { state { B[i] = A[i] } }
//         else        { state { B[i] = 0 } }               } else { for i = 0; i < N; i = i + 1 { state { B[i] = 0 } } }
//     }
//
// Passes over loops look at runs of states (sdfgc/Nest/Nest.h); a branch or a loop in between ends one.
//
//   1. A branch whose condition is false for all values of its symbols goes, and with one that is true all branches after it. If one is
//      left whatever holds, its blocks take the place of the conditional. Variables of loops that count up from 0 or more are not negative.
//   2. A loop with a constant number of trips, 0 or 1, is its body without the loop; its variable gets the values that it had.
//   3. Loop unswitching (from -O2): if the body is states and one conditional, and no iteration changes what the conditions read, the loop is
//      written once for each branch, and the conditions are tested in front of it. They are tested there even if the loop never runs, so
//      they may read symbols and scalars only, and must not divide. What stands beside the conditional is copied: little only.
//
// Innermost regions come first. Left alone: what the graph keeps, and what a jump would leave.
#include "Transforms/Optimize/Loops.h"
#include "Transforms/Optimize/Mentions.h"
#include "Transforms/Optimize/NestParts.h"
#include "Transforms/Optimize/SymbolFacts.h"

#include "sdfgc/Analysis/Copies.h"
#include "sdfgc/Analysis/Memories.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>
#include <unordered_set>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using diag::Reason;
using diag::Why;

constexpr std::size_t littleBeside = 40; // nodes beside a conditional that may be copied for each of its branches
constexpr std::size_t fewBranches = 4;
constexpr int manyLoops = 64; // of an SDFG, that are written more than once

bool hasJump(const Region &r) {
    const std::vector<const Block *> blocks = allBlocks(r);
    return std::any_of(blocks.begin(), blocks.end(), [](const Block *b) { return isJump(b->kind()); });
}

/// Is a condition true, or false, whatever values its symbols have, as far as `facts` allow them?
sym::Truth truthOf(sym::Expr e, const sym::Assumptions &facts) {
    using sym::Truth;
    const auto no = [](Truth t) { return t == Truth::Unknown ? t : t == Truth::True ? Truth::False : Truth::True; };
    const auto o = e.operands();
    switch (e.kind()) {
    case sym::Kind::Bool:
        return e.boolValue() ? Truth::True : Truth::False;
    case sym::Kind::Integer:
        return e.isZero() ? Truth::False : Truth::True;
    case sym::Kind::Not:
        return no(truthOf(o[0], facts));
    case sym::Kind::And:
    case sym::Kind::Or: {
        const Truth deciding = e.kind() == sym::Kind::And ? Truth::False : Truth::True;
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
    case sym::Kind::Lt:
        return sym::isLess(o[0], o[1], facts);
    case sym::Kind::Le:
        return sym::isLessEqual(o[0], o[1], facts);
    case sym::Kind::Gt:
        return sym::isLess(o[1], o[0], facts);
    case sym::Kind::Ge:
        return sym::isLessEqual(o[1], o[0], facts);
    case sym::Kind::Eq:
        return sym::isEqual(o[0], o[1], facts);
    case sym::Kind::Ne:
        return no(sym::isEqual(o[0], o[1], facts));
    default:
        return Truth::Unknown;
    }
}

class Simplification {
public:
    Simplification(SDFG &g, analysis::Memories &memories, pass::Context &context, bool unswitches)
        : g_(g), memories_(memories), context_(context), unswitches_(unswitches), changedByCode_(analysis::changedSymbols(g)) {}

    /// Returns whether anything changed.
    bool run() {
        if (nest::isKept(g_))
            return false;
        std::set<Name> before;
        assignedIn(g_, before);
        region(g_);
        if (changed_)
            forgetUnset(before);
        return changed_;
    }

private:
    /// Undeclares what only code that is gone gave values, loops in it included: undeclared symbols are nobody's argument.
    void forgetUnset(const std::set<Name> &before) {
        std::set<Name> after;
        assignedIn(g_, after);
        const Mentions mentions(g_);
        for (const Name n : before)
            if (!after.count(n) && !mentions.contain(n))
                g_.symbols.erase(n);
    }

    void region(Region &r) {
        std::vector<Block *> blocks;
        for (const auto &b : r.blocks())
            blocks.push_back(b.get());
        for (Block *b : blocks) {
            if (auto *c = dyn_cast<ConditionalBlock>(b)) {
                for (auto &branch : c->branches())
                    region(*branch.region);
                conditional(r, *c);
            } else if (auto *l = dyn_cast<LoopRegion>(b)) {
                if (l->optimize)
                    loop(r, *l);
            } else if (auto *inner = dyn_cast<Region>(b)) {
                region(*inner);
            }
        }
    }

    /// A label that no block has, or had. (SDFG::freshLabel goes over all blocks each time.)
    std::string freshLabel(const std::string &prefix) {
        if (labels_.empty())
            for (const Block *b : allBlocks(std::as_const(g_)))
                labels_.insert(b->label);
        std::string label = prefix;
        for (int i = 0; !labels_.insert(label).second; ++i)
            label = prefix + "_" + std::to_string(i);
        return label;
    }

    bool mayChange(const Block &b, const std::string &text) {
        const bool may = context_.mayChange(elementName(b), text);
        changed_ |= may;
        return may;
    }

    // ---- what is known

    bool isFixed(Name n) const {
        const Type *t = g_.symbols.find(n);
        return t && t->isSigned() && !g_.desc(n) && !changedByCode_.count(n);
    }

    sym::Truth truthOf(const Code &c) const {
        if (c.language != Language::Python || nest::hasQuotient(c.text) || calls(c.text))
            return sym::Truth::Unknown;
        const std::set<Name> names = analysis::namesInCode(c, g_); // also of what cancels out: a NaN does not equal itself
        const std::optional<sym::Expr> e = sym::parse(c.text).expr;
        if (!e || e->isUndefined() || e->overflowed() ||
            !std::all_of(names.begin(), names.end(), [this](Name n) { return isFixed(n); }))
            return sym::Truth::Unknown;
        return transforms::truthOf(*e, facts_);
    }

    // ---- conditionals

    void conditional(Region &r, ConditionalBlock &c) {
        std::vector<ConditionalBlock::Branch> &branches = c.branches();
        std::vector<std::size_t> left; // those that may run
        bool always = false;           // the last of these runs if none in front of it does
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
                                         : "has branches that never run, or need no test"))
            return;
        std::vector<ConditionalBlock::Branch> kept;
        for (const std::size_t k : left)
            kept.push_back(std::move(branches[k]));
        branches = std::move(kept);
        if (always)
            branches.back().condition.reset();
        if (!only && !branches.empty())
            return;
        const std::unique_ptr<Region> content = only ? std::move(branches.front().region) : std::make_unique<Region>();
        inPlaceOf(r, c, *content);
    }

    /// Can the blocks of a branch stand in place of the conditional? Nothing follows a jump.
    static bool canStandAlone(Region &branch) {
        return branch.blocks().empty() || (!hasJump(branch) && !sequenceOf(branch).empty());
    }

    /// The blocks of a region, which is a sequence, in place of a block; a state if it has none.
    void inPlaceOf(Region &r, Block &b, Region &content) {
        if (content.blocks().empty())
            content.add<State>()->label = freshLabel(b.label.empty() ? "empty" : b.label);
        const std::vector<Block *> order = sequenceOf(content);
        const bool starts = r.start() == &b;
        Region::Content parts = content.release();
        for (auto &each : parts.blocks)
            r.adopt(std::move(each));
        for (const auto &e : parts.edges)
            r.connect(e->src, e->dst, e->condition, e->assignments)->debugInfo = e->debugInfo;
        for (InterstateEdge *e : r.inEdges(&b))
            e->dst = order.front();
        for (InterstateEdge *e : r.outEdges(&b))
            e->src = order.back();
        if (starts)
            r.setStart(order.front());
        r.removeBlock(&b);
    }

    // ---- loops

    void loop(Region &r, LoopRegion &l) {
        const std::optional<LoopHeader> header = headerOf(l);
        std::set<Name> assigned;
        assignedIn(l, assigned);
        const auto isConstant = [&](Name n) { return isFixed(n) && !assigned.count(n); };
        const bool counts = header && isOfIntegers(header->range, g_) && isConstant(l.variable) && ends(header->range, isConstant);
        const sym::Assumptions around = facts_;
        facts_.erase(l.variable);
        if (counts && header->range.begin.asInt().value_or(-1) >= 0)
            facts_[l.variable].nonnegative = true;
        region(l);
        facts_ = around;
        if (counts && !header->descending && runsOnceAtMost(r, l, header->range))
            return;
        if (unswitches_)
            unswitch(r, l, assigned);
    }

    template <class F> static bool ends(const sym::Range &range, const F &isConstant) {
        return std::all_of(range.begin.freeSymbols().begin(), range.begin.freeSymbols().end(), isConstant) &&
               std::all_of(range.end.freeSymbols().begin(), range.end.freeSymbols().end(), isConstant);
    }

    /// Does the loop run once, or never? Then it is gone afterwards.
    bool runsOnceAtMost(Region &r, LoopRegion &l, const sym::Range &range) {
        const bool never = sym::isLess(range.end, range.begin) == sym::Truth::True;
        const bool once = !never && range.size().isOne();
        if ((!never && !once) || (once && (hasJump(l) || sequenceOf(l).empty())) ||
            !mayChange(l, never ? "never runs" : "runs once"))
            return false;
        const Name variable = l.variable;
        const bool isRead = isReadOutside(l);
        const sym::Expr last = never ? range.begin : range.begin + range.step;
        State &first = stateInPlaceOf(l);
        first.label = freshLabel(first.label);
        Block *end = &first;
        if (once) {
            State *body = r.addStateAfter(end, freshLabel(first.label));
            r.outEdges(end).front()->assignments = {{variable, range.begin.str()}};
            State *after = r.addStateAfter(body, freshLabel(first.label + "_end"));
            end = after;
            inPlaceOf(r, *body, l);
        }
        if (isRead) {
            State *after = r.addStateAfter(end, freshLabel(first.label + "_end"));
            for (InterstateEdge *e : r.inEdges(after))
                e->assignments = {{variable, last.str()}};
        }
        r.removeBlock(&l);
        return true;
    }

    // ---- unswitching

    void unswitch(Region &r, LoopRegion &l, const std::set<Name> &assigned) {
        const ConditionalBlock *c = nullptr;
        std::size_t position = 0;
        for (std::size_t k = 0; k < l.blocks().size(); ++k) {
            const auto *found = dyn_cast<ConditionalBlock>(l.blocks()[k].get());
            if (!found && !isa<State>(l.blocks()[k].get()))
                return;
            if (found && c)
                return;
            if (found) {
                c = found;
                position = k;
            }
        }
        if (!c)
            return;
        if (const Reason why = obstacle(l, *c, assigned)) {
            context_.missed(elementName(l), "its test stays inside", why);
            return;
        }
        if (mayChange(l, "is tested in front: `" + c->branches().front().condition->text + "`")) {
            ++unswitched_;
            split(r, l, position);
        }
    }

    Reason obstacle(const LoopRegion &l, const ConditionalBlock &c, const std::set<Name> &assigned) const {
        if (c.branches().empty() || !c.branches().front().condition)
            return {Why::ControlFlow, "it has no condition"};
        if (hasJump(l) || sequenceOf(const_cast<LoopRegion &>(l)).empty())
            return {Why::ControlFlow, "a jump leaves its body"};
        for (const auto &branch : c.branches()) {
            if (!branch.region->blocks().empty() && sequenceOf(*branch.region).empty())
                return {Why::ControlFlow, "a branch is no sequence"};
            if (branch.condition && !isInvariant(*branch.condition, l, assigned))
                return {Why::Dependence, "iterations may change `" + branch.condition->text + "`"};
        }
        std::size_t beside = 0;
        for (const auto &b : l.blocks())
            if (const auto *s = dyn_cast<State>(b.get()))
                beside += s->nodes().size();
        if (unswitched_ >= manyLoops || beside > littleBeside || c.branches().size() > fewBranches)
            return {Why::Budget, "too much would be written twice"};
        return whatIsSingle(l);
    }

    /// What must not be in a program twice: it has a name, or a state, of its own.
    static Reason whatIsSingle(const LoopRegion &l) {
        Reason out;
        for (const State *s : allStates(l)) {
            if (s->instrument != Instrumentation::No_Instrumentation ||
                s->symbolInstrument != DataInstrumentation::No_Instrumentation)
                out = {Why::Effects, "`" + s->label + "` is measured"};
            for (const auto &n : s->nodes()) {
                const auto *t = dyn_cast<Tasklet>(n.get());
                const auto *nested = dyn_cast<NestedSDFGNode>(n.get());
                const auto *a = dyn_cast<AccessNode>(n.get());
                const DataDesc *d = a ? s->sdfg()->desc(a->data) : nullptr;
                if (d && (d->isStructure() || d->isContainerArray())) // whose members have names that are made of theirs
                    out = {Why::Container, "`" + a->data.str() + "` has members"};
                if (n->instrument != Instrumentation::No_Instrumentation || (nested && !nested->uniqueName.empty()) ||
                    (t && (!t->codeGlobal.empty() || !t->codeInit.empty() || !t->codeExit.empty() || !t->stateFields.empty())))
                    out = {Why::Effects, "`" + n->label + "` has a name or state of its own"};
            }
        }
        return out;
    }

    /// Has a condition the same value in front of a loop and in all of its iterations, and can it be tested where the loop never runs?
    bool isInvariant(const Code &c, const LoopRegion &l, const std::set<Name> &assigned) const {
        if (c.language != Language::Python || c.text.find_first_of("/%[.") != std::string::npos || calls(c.text))
            return false;
        const std::set<Name> names = analysis::namesInCode(c, g_);
        return std::all_of(names.begin(), names.end(), [&](Name n) {
            if (n == l.variable || assigned.count(n) || changedByCode_.count(n))
                return false;
            const DataDesc *d = g_.desc(n);
            return d ? d->isScalar() && nest::isPlain(d) && isOnHost(d) && !isWrittenIn(l, n) : g_.symbols.contains(n);
        });
    }

    bool isWrittenIn(const LoopRegion &l, Name scalar) const {
        const analysis::Memory memory = memories_.of(g_, scalar);
        bool written = false;
        for (const State *s : allStates(l))
            for (const AccessNode *a : nodesOf<AccessNode>(*s))
                written |= !a->inEdges().empty() && !memories_.apart(memories_.of(*a), memory);
        return written;
    }

    /// A conditional in place of the loop, with a loop for each branch of the conditional at a position in it.
    void split(Region &r, LoopRegion &l, std::size_t position) {
        auto *outer = r.add<ConditionalBlock>();
        const auto &inner = cast<ConditionalBlock>(l.blocks()[position].get())->branches();
        outer->label = freshLabel(l.label + "_test");
        outer->debugInfo = l.blocks()[position]->debugInfo;
        const std::set<Name> shared = analysis::sharedContainers(g_);
        std::set<Name> owned;
        bool complete = false;
        for (std::size_t k = 0; k <= inner.size(); ++k) {
            const bool isElse = k == inner.size();
            if (isElse && (complete || isIdleWithout(l, position)))
                break;
            const std::optional<Code> condition = isElse ? std::nullopt : inner[k].condition;
            complete |= !condition;
            Region *branch = outer->addBranch(condition, std::make_unique<Region>());
            branch->label = freshLabel(l.label + "_branch");
            auto *copy = cast<LoopRegion>(branch->adopt(ir::clone(static_cast<const Block &>(l))));
            auto *c = cast<ConditionalBlock>(copy->blocks()[position].get());
            const std::unique_ptr<Region> content = isElse ? std::make_unique<Region>() : std::move(c->branches()[k].region);
            inPlaceOf(*copy, *c, *content);
            if (k > 0)
                rename(*copy);
            separate(*copy, shared, owned);
        }
        const bool starts = r.start() == &l;
        for (InterstateEdge *e : r.inEdges(&l))
            e->dst = outer;
        for (InterstateEdge *e : r.outEdges(&l))
            e->src = outer;
        if (starts)
            r.setStart(outer);
        r.removeBlock(&l);
    }

    /// Gives what iterations of scopes have for themselves a name of its own in each copy: used in several scopes, it would be one container
    /// for all iterations. `owned`: by copies before this one.
    void separate(LoopRegion &l, const std::set<Name> &shared, std::set<Name> &owned) {
        const std::vector<State *> states = allStates(l);
        std::map<Name, Name> names;
        for (const State *s : states)
            for (const AccessNode *a : nodesOf<AccessNode>(*s))
                if (g_.arrays.contains(a->data) && !shared.count(a->data))
                    names.try_emplace(a->data);
        if (connectors_.empty() && !names.empty())
            connectors_ = nest::connectorsOf(g_);
        for (auto &[name, other] : names)
            other = owned.insert(name).second ? name : nest::addContainer(g_, name.str(), DataDesc(*g_.desc(name)), connectors_);
        const auto rename = [&names](Name &n) {
            if (const auto found = names.find(n); found != names.end())
                n = found->second;
        };
        for (State *s : states) {
            for (AccessNode *a : nodesOf<AccessNode>(*s))
                rename(a->data);
            for (const auto &e : s->edges())
                rename(e->memlet.data);
        }
    }

    /// Does the loop do nothing where no branch is taken?
    bool isIdleWithout(const LoopRegion &l, std::size_t position) {
        for (std::size_t k = 0; k < l.blocks().size(); ++k)
            if (const auto *s = dyn_cast<State>(l.blocks()[k].get()); k != position && s && !s->nodes().empty())
                return false;
        return headerOf(l) && !isReadOutside(l) &&
               std::all_of(l.edges().begin(), l.edges().end(), [](const auto &e) { return e->assignments.empty(); });
    }

    /// Does something outside of a loop read its variable? The SDFG is asked once: what used to be in a loop that runs once reads the
    /// value that an edge gives the variable in front of it.
    bool isReadOutside(const LoopRegion &l) {
        if (!reads_)
            reads_.emplace(g_);
        return reads_->isReadOutside(l);
    }

    /// Labels that no other block has.
    void rename(LoopRegion &l) {
        l.label = freshLabel(l.label);
        for (Block *b : allBlocks(l))
            if (!b->label.empty())
                b->label = freshLabel(b->label);
    }

    SDFG &g_;
    analysis::Memories &memories_;
    pass::Context &context_;
    const bool unswitches_;
    std::set<Name> changedByCode_;           // symbols that tasklets change
    sym::Assumptions facts_;                 // of the variables of loops around
    std::unordered_set<std::string> labels_; // of all blocks, once one is asked for
    std::set<Name> connectors_;              // of all nodes, likewise
    std::optional<VariableReads> reads_;     // likewise
    int unswitched_ = 0;
    bool changed_ = false;
};

class SimplifyControlFlow : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        KeptInterface interface(root);
        analysis::Memories memories(root);
        const bool unswitches = option<bool>("unswitch") && !context.options.gpu() && !mentionsGpu(root);
        bool changed = false;
        const std::vector<SDFG *> all = allSDFGs(root);
        for (auto g = all.rbegin(); g != all.rend(); ++g) // inner ones first: what goes, or is copied, holds some
            changed |= Simplification(**g, memories, context, unswitches).run();
        interface.keep();
        if (changed)
            root.renumber();
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createSimplifyControlFlow() { return std::make_unique<SimplifyControlFlow>(); }

} // namespace sdfgc::transforms
