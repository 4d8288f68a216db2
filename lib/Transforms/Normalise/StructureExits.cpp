// structure-exits: replace breaks, continues and returns with branches and loop conditions.
//
//     for i = 0; i < N; i += 1 {                 left = False
//         a                                      for i = 0; not left and i < N; i += 1 {
//         if c { break }                             a
//         b                                 ->       if c { left = True } else { b }
//     }                                          }
//     d                                          d
//
// Control flow made only of sequences, branches and loops can be reversed; a jump cannot. And the loop's condition
// still bounds the trip count (sdfgc/Analysis/Flow/LoopHeader.h), which determines the size of tapes (Values.h).
//
//   1. Code after a block that may jump runs only if no jump was taken. If the block is a conditional in which all
//      branches but one certainly jump, the code moves into that branch, and no flag is needed.
//   2. Otherwise a symbol, the flag, is set when the jump is taken, and the code moves into a branch that tests it.
//   3. A loop that is left by a break, or by a return inside it, ends when the flag is set. Its condition tests the
//      flag first, so that the rest of the condition is evaluated as often as before.
//   4. The loop's update would then run one more time. That is harmless if the loop variable is not used after the loop
//      and the update depends only on symbols; otherwise the update tests the flag as well.
//   5. A conditional break at the start of the body moves into the loop's condition: `while a and not c`.
//   6. Flags are cleared before the loop (break), at the start of each iteration (continue), or at the start of the
//      SDFG (return).
//
// A return leaves its own SDFG, not the surrounding ones. Code after an unconditional jump is dead and is removed. A
// `while` whose body counts is first turned into a `for` if possible: its update is at the end of the body and would
// otherwise end up in a branch.
//
// Not handled: SDFGs that contain a jump in a region that is not a sequence (raise-control-flow turns most regions into
// one), a jump out of a loop whose header is not Python, or an element that the graph asks not to change. These SDFGs
// stay entirely as they are.
#include "Transforms/Edits/FlowEdits.h"
#include "Transforms/Edits/Nodes.h"
#include "Transforms/Normalise/Normalise.h"

#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Nest/CallBlocks.h"
#include "sdfgc/Nest/Nest.h"
#include "sdfgc/Tasklet/Ast.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;

/// Records whether jumps of one kind, out of one loop or the SDFG, were taken.
struct Flag {
    std::string name;          // of the symbol, approximately
    std::vector<State *> sets; // replacements of the jumps
    Name symbol;               // once it is tested
};

std::string textOf(const std::optional<Code> &c) { return c && !c->empty() ? c->text() : "True"; }

bool isAlways(const std::string &condition) { return condition == "True" || condition == "1"; }

bool isExpression(const Code &c) { return c.expression() != nullptr; }

bool isAssignment(const Code &c) {
    const Code::Block *block = c.block();
    return block && block->size() == 1 && block->front()->kind == py::StmtKind::Assign;
}

/// Can all jumps of an SDFG be removed?
bool canGo(SDFG &g) {
    for (Region *r : allRegions(g)) {
        if (!analysis::hasJump(*r))
            continue;
        if (analysis::sequenceOf(*r).empty() || nest::isKept(*r))
            return false;
        const auto *l = dyn_cast<LoopRegion>(r);
        if (l &&
            ((l->condition && !l->condition->empty() && !isExpression(*l->condition)) || (l->update && !isAssignment(*l->update))))
            return false;
    }
    return true;
}

/// How control leaves a region: at its end, or by jumps.
struct Ends {
    bool atEnd = true;
    std::set<Flag *> jumps;
    // For a conditional: its only branch that reaches its end, if no jump leaves that branch. It may be a missing `else`.
    std::optional<Region *> onlyWay = std::nullopt;
    /// Adds the exits of another path through the region.
    void add(const Ends &other) {
        atEnd |= other.atEnd;
        jumps.insert(other.jumps.begin(), other.jumps.end());
    }
};

class ExitStructure {
public:
    ExitStructure(SDFG &g, pass::Context &context) : g_(g), context_(context), edits_(g), variables_(g) {}

    void run() {
        region(g_, nullptr);
        write(return_, *g_.start());
    }

private:
    /// A loop whose body is being processed.
    struct Loop {
        Flag left{"left", {}, {}}, skipped{"skipped", {}, {}};
    };

    // ---- flags

    /// Tests of flags, ordered by name: none of the jumps was taken.
    std::vector<py::ExprRef> noneOf(const std::set<Flag *> &flags) {
        std::map<std::string, py::ExprRef> byName;
        for (Flag *f : flags)
            byName.emplace(symbolOf(*f).str(), py::unary(py::Op::Not, py::name(symbolOf(*f))));
        std::vector<py::ExprRef> out;
        for (const auto &[name, notSet] : byName)
            out.push_back(notSet);
        return out;
    }

    static std::string printAll(std::vector<py::ExprRef> tests) {
        return py::print(*(tests.size() == 1 ? tests.front() : py::boolOp(py::Op::And, std::move(tests))));
    }

    Name symbolOf(Flag &f) {
        if (f.symbol.empty()) {
            f.symbol = g_.freshName(f.name);
            g_.symbols[f.symbol] = ScalarKind::Bool;
        }
        return f.symbol;
    }

    /// Assigns a symbol on the edge to a block.
    void assign(Name symbol, const char *value, Block &to) {
        Region &r = *to.parent();
        if (to.inEdges().empty())
            r.addStateBefore(&to, edits_.freshLabel("before_" + to.label));
        to.inEdges().front()->assignments.emplace_back(symbol, value);
    }

    /// Adds the assignments of a flag if it is tested: false at a block, true in place of the jumps.
    void write(const Flag &f, Block &clearAt) {
        if (f.symbol.empty())
            return;
        for (State *s : f.sets)
            assign(f.symbol, "True", *s);
        assign(f.symbol, "False", clearAt);
    }

    // ---- code after a block

    /// Moves the code after a block to the end of another region.
    void moveRest(const std::vector<Block *> &chain, std::size_t after, Region &into) {
        Region &r = *chain[after]->parent();
        std::vector<std::unique_ptr<InterstateEdge>> edges;
        for (std::size_t k = after; k + 1 < chain.size(); ++k)
            edges.push_back(r.detachEdge(chain[k]->outEdges().front()));
        if (into.blocks().empty() && !edges.front()->assignments.empty())
            into.add<State>()->label = edits_.freshLabel("rest");
        Block *last = into.blocks().empty() ? nullptr : analysis::sequenceOf(into).back();
        for (std::size_t k = after + 1; k < chain.size(); ++k) {
            Block *moved = into.adopt(r.detach(chain[k]));
            const InterstateEdge &e = *edges[k - after - 1];
            if (last)
                into.connect(last, moved, e.condition, e.assignments)->debugInfo = e.debugInfo;
            else
                into.setStart(moved);
            last = moved;
        }
    }

    static void removeRest(const std::vector<Block *> &chain, std::size_t after) {
        chain[after]->parent()->removeBlocks({chain.begin() + static_cast<std::ptrdiff_t>(after) + 1, chain.end()});
    }

    /// Moves the code after a block to a branch that runs if no jump was taken.
    Ends guardRest(const std::vector<Block *> &chain, std::size_t after, Ends ends, Loop *loop) {
        Region &r = *chain[after]->parent();
        auto *c = cast<ConditionalBlock>(r.adopt(std::make_unique<ConditionalBlock>()));
        c->label = edits_.freshLabel("unless_left");
        auto branch = std::make_unique<Region>();
        branch->label = edits_.freshLabel("rest");
        Region *rest = c->addBranch(Code{printAll(noneOf(ends.jumps)), Language::Python}, std::move(branch));
        moveRest(chain, after, *rest);
        r.connect(chain[after], c);
        ends.add(region(*rest, loop));
        return ends;
    }

    // ---- regions

    Ends region(Region &r, Loop *loop) {
        const std::vector<Block *> chain = analysis::sequenceOf(r);
        for (std::size_t k = 0; k < chain.size(); ++k) {
            Ends ends = isJump(chain[k]->kind()) ? Ends{false, {&flagOf(*chain[k], loop)}} : block(*chain[k], loop);
            if (ends.jumps.empty())
                continue;
            if (!ends.atEnd)
                removeRest(chain, k);
            if (isJump(chain[k]->kind()))
                takePlaceOf(*chain[k], **ends.jumps.begin());
            if (!ends.atEnd || k + 1 == chain.size())
                return ends;
            if (!ends.onlyWay)
                return guardRest(chain, k, std::move(ends), loop);
            Region *way = *ends.onlyWay ? *ends.onlyWay : addElse(*cast<ConditionalBlock>(chain[k]));
            moveRest(chain, k, *way);
            Ends all{false, std::move(ends.jumps)};
            all.add(region(*way, loop));
            return all;
        }
        return {};
    }

    Flag &flagOf(const Block &jump, Loop *loop) {
        return isa<ReturnBlock>(&jump) ? return_ : isa<BreakBlock>(&jump) ? loop->left : loop->skipped;
    }

    /// Replaces a jump with a state.
    static void takePlaceOf(Block &jump, Flag &f) {
        const DebugInfo where = jump.debugInfo;
        State &s = replaceByState(jump, jump.label);
        s.debugInfo = where;
        f.sets.push_back(&s);
    }

    Ends block(Block &b, Loop *loop) {
        if (auto *c = dyn_cast<ConditionalBlock>(&b))
            return conditional(*c, loop);
        if (auto *l = dyn_cast<LoopRegion>(&b))
            return this->loop(*l);
        if (auto *r = dyn_cast<Region>(&b))
            return region(*r, loop);
        return {};
    }

    Ends conditional(ConditionalBlock &c, Loop *loop) {
        Ends all{false, {}};
        std::vector<Region *> ways;
        bool isComplete = false, mayJump = false;
        for (auto &branch : c.branches()) {
            const Ends ends = region(*branch.region, loop);
            all.add(ends);
            isComplete |= !branch.condition;
            mayJump |= ends.atEnd && !ends.jumps.empty();
            if (ends.atEnd)
                ways.push_back(branch.region.get());
        }
        if (!isComplete)
            ways.push_back(nullptr);
        all.atEnd |= !isComplete;
        if (ways.size() == 1 && !mayJump)
            all.onlyWay = ways.front();
        return all;
    }

    Region *addElse(ConditionalBlock &c) {
        Region *r = c.addBranch(std::nullopt, std::make_unique<Region>());
        r->label = edits_.freshLabel(c.label + "_else");
        return r;
    }

    /// The conditional at the start of a body, if it only breaks; otherwise null.
    static ConditionalBlock *breakInFront(LoopRegion &l) {
        if (l.inverted)
            return nullptr;
        for (Block *b : analysis::sequenceOf(l)) {
            if (auto *c = dyn_cast<ConditionalBlock>(b)) {
                const auto &branch = c->branches().front();
                const bool breaks =
                    c->branches().size() == 1 && branch.region->blocks().size() == 1 && isa<BreakBlock>(branch.region->start());
                return breaks && isExpression(*branch.condition) ? c : nullptr;
            }
            const auto *s = dyn_cast<State>(b);
            const std::vector<InterstateEdge *> &next = b->outEdges();
            if (!s || !s->nodes().empty() || next.empty() || !next.front()->assignments.empty())
                return nullptr;
        }
        return nullptr;
    }

    /// Moves breaks at the start of a loop's body into its condition.
    void joinBreaks(LoopRegion &l) {
        while (ConditionalBlock *c = breakInFront(l)) {
            const py::ExprRef ends = c->branches().front().condition->expression();
            std::vector<py::ExprRef> tests{py::unary(py::Op::Not, ends)};
            if (!isAlways(textOf(l.condition)))
                tests.insert(tests.begin(), l.condition->expression());
            l.condition = Code{printAll(std::move(tests)), Language::Python};
            replaceByState(*c, edits_.freshLabel(c->label));
        }
    }

    Ends loop(LoopRegion &l) {
        joinBreaks(l);
        Loop own;
        const Ends ends = region(l, &own);
        std::set<Flag *> leaving = ends.jumps;
        leaving.erase(&own.skipped);
        if (!leaving.empty()) {
            endBy(l, leaving);
            context_.done(l, "`" + l.condition->text() + "` ends it after a jump");
        }
        write(own.skipped, *l.start());
        write(own.left, l);
        leaving.erase(&own.left);
        return {true, leaving};
    }

    /// Makes a loop end once one of the flags is set.
    void endBy(LoopRegion &l, const std::set<Flag *> &flags) {
        const std::string condition = textOf(l.condition);
        std::vector<py::ExprRef> tests = noneOf(flags);
        const std::string stays = printAll(tests);
        if (!isAlways(condition))
            tests.push_back(*py::parseExpr(condition).value);
        l.condition = Code{printAll(std::move(tests)), Language::Python};
        if (!l.update || (!variables_.isReadOutside(l) && analysis::containersRead(Code(*l.update), g_).empty()))
            return;
        const std::string i = l.variable.str();
        const std::string next = py::print(*l.update->blockOrRaw().front()->value);
        l.update = Code{i + " = " + next + " if " + stays + " else " + i, Language::Python};
    }

    SDFG &g_;
    pass::Context &context_;
    FlowEdits edits_;
    const analysis::VariableReads variables_;
    Flag return_{"returned", {}, {}};
};

class StructureExits : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        bool changed = false;
        std::vector<SDFG *> all = allSDFGs(root);
        std::reverse(all.begin(), all.end()); // dead code may contain nested ones
        for (SDFG *g : all) {
            if (!analysis::hasJump(*g) || !canGo(*g) || !context.mayChange(*g, "has its jumps replaced with branches"))
                continue;
            const std::set<Name> assigned = analysis::assignedInside(*g);
            countLoops(*g);
            ExitStructure(*g, context).run();
            nest::forgetSymbols(*g, assigned); // those of dead code
            changed = true;
        }
        if (changed)
            root.renumber();
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createStructureExits() { return std::make_unique<StructureExits>(); }

} // namespace sdfgc::transforms
