#include "Transforms/GpuGraphs/LoopJumps.h"

#include "Transforms/Edits/Nodes.h"

#include "sdfgc/Analysis/Flow/FlowWalk.h"
#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/IR/StateGraph.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;

namespace {

bool isPython(const std::optional<Code> &c) { return !c || c->isPython(); }

/// The jumps of a loop itself, without those of inner loops.
void jumpsOf(const Region &r, std::vector<const Block *> &out) {
    for (const auto &b : r.blocks()) {
        if (isJump(b->kind()))
            out.push_back(b.get());
        else if (const auto *c = dyn_cast<ConditionalBlock>(b.get()))
            for (const auto &branch : c->branches())
                jumpsOf(*branch.region, out);
        else if (const auto *inner = dyn_cast<Region>(b.get()); inner && !isa<LoopRegion>(inner))
            jumpsOf(*inner, out);
    }
}

/// The jump that is the only effect of a conditional block with one branch; null if there is anything else.
const Block *onlyJump(const ConditionalBlock &c) {
    const Region &r = *c.branches()[0].region;
    const Block *jump = nullptr;
    for (const auto &b : r.blocks()) {
        const auto *s = dyn_cast<State>(b.get());
        if (isJump(b->kind()))
            jump = b.get();
        else if (!s || !s->nodes().empty())
            return nullptr;
    }
    const bool plain = c.branches().size() == 1 && c.branches()[0].condition &&
                       std::all_of(r.edges().begin(), r.edges().end(), [](const auto &e) { return e->assignments.empty(); });
    return plain ? jump : nullptr;
}

/// Moves the contents of a region to an empty one.
void moveContent(Region &from, Region &to) {
    Block *const start = from.storedStart();
    to.adopt(from.release());
    to.setStart(start);
}

} // namespace

bool LoopJumps::canReplace() const {
    std::vector<const Block *> jumps;
    bool sequences = true;
    for (Region *r : allRegions(outermost_)) {
        if (const auto *l = dyn_cast<LoopRegion>(r))
            jumpsOf(*l, jumps);
        if (const auto *l = dyn_cast<LoopRegion>(r); l && !(isPython(l->condition) && isPython(l->update)))
            return false;
        sequences = sequences && (r->blocks().empty() || !analysis::sequenceOf(*r).empty());
    }
    return !jumps.empty() && sequences &&
           std::none_of(jumps.begin(), jumps.end(), [](const Block *b) { return b->kind() == BlockKind::Return; });
}

void LoopJumps::replace() {
    before_ = clone(outermost_);
    loops(outermost_);
    loop(outermost_);
}

void LoopJumps::enter() {
    if (!left_.empty())
        assignBefore(outermost_, {{left_, "0"}});
}

void LoopJumps::undo() {
    outermost_.release();
    auto &before = static_cast<LoopRegion &>(*before_);
    moveContent(before, outermost_);
    outermost_.condition = before.condition;
    outermost_.update = before.update;
    for (const Name s : added_)
        g_.symbols.erase(s);
}

Name LoopJumps::addSymbol(const std::string &name) {
    const Name symbol = g_.freshName(name);
    g_.symbols.set(symbol, Type(ScalarKind::Int32));
    added_.push_back(symbol);
    return symbol;
}

LoopJumps::Assignments LoopJumps::of(const Symbols &s, const Block &jump, const std::string &value) {
    Assignments out;
    if (!s.skips.empty())
        out.emplace_back(s.skips, value);
    if (jump.kind() == BlockKind::Break)
        out.emplace_back(s.leaves, value);
    return out;
}

/// Handles inner loops, whose jumps are replaced before those of the surrounding loops.
void LoopJumps::loops(Region &r) {
    std::vector<LoopRegion *> inside;
    for (Region *x : allRegions(r))
        if (auto *l = dyn_cast<LoopRegion>(x); l && l != &r)
            inside.push_back(l);
    for (auto l = inside.rbegin(); l != inside.rend(); ++l)
        loop(**l);
}

void LoopJumps::loop(LoopRegion &l) {
    std::vector<const Block *> jumps;
    jumpsOf(l, jumps);
    const auto has = [&jumps](BlockKind k) {
        return std::any_of(jumps.begin(), jumps.end(), [k](auto *b) { return b->kind() == k; });
    };
    Symbols s;
    if (has(BlockKind::Break))
        s.leaves = addSymbol("leaves");
    if (has(BlockKind::Continue))
        s.skips = addSymbol("skips");
    sequence(l, s);
    if (!s.skips.empty())
        assignBefore(*analysis::blocksInOrder(l).front(), {{s.skips, "0"}});
    if (s.leaves.empty())
        return;
    const std::string stays = s.leaves.str() + " == 0";
    const bool tests = l.condition && !l.condition->empty();
    l.condition = Code{tests ? "(" + l.condition->text() + ") and " + stays : stays, Language::Python};
    const std::string update = l.update ? l.update->text() : "";
    if (const std::size_t at = update.find('='); at != std::string::npos)
        l.update = Code(update.substr(0, at + 1) + " (" + update.substr(at + 1) + ") if " + stays + " else " + update.substr(0, at),
                        l.update->language());
    if (&l == &outermost_)
        left_ = s.leaves;
    else
        assignBefore(l, {{s.leaves, "0"}});
}

/// Returns whether a block jumps, so that the code after the region must be guarded.
bool LoopJumps::sequence(Region &r, const Symbols &s) {
    const std::vector<Block *> order = analysis::blocksInOrder(r);
    for (std::size_t i = 0; i < order.size(); ++i)
        if (block(*order[i], s)) {
            guardRest(r, order, i, s);
            return true;
        }
    return false;
}

bool LoopJumps::block(Block &b, const Symbols &s) {
    if (isJump(b.kind())) {
        assignInPlaceOf(b, of(s, b, "1"));
        return true;
    }
    if (auto *c = dyn_cast<ConditionalBlock>(&b)) {
        if (const Block *jump = onlyJump(*c)) {
            assignInPlaceOf(b, of(s, *jump, "1 if (" + c->branches()[0].condition->text() + ") else 0"));
            return true;
        }
        bool jumps = false;
        for (const auto &branch : c->branches())
            jumps = sequence(*branch.region, s) || jumps;
        return jumps;
    }
    auto *inner = dyn_cast<Region>(&b);
    return inner && !isa<LoopRegion>(inner) && sequence(*inner, s);
}

/// Assigns on the only edge to the block, so that values are read after all of its predecessors.
void LoopJumps::assignBefore(Block &b, Assignments values) {
    Region &r = *b.parent();
    const std::vector<InterstateEdge *> &in = b.inEdges();
    InterstateEdge *e = in.size() == 1 ? in[0] : nullptr;
    if (!e || !e->assignments.empty() || !e->isUnconditional()) {
        State *s = r.addStateBefore(&b, g_.freshLabel("before_" + b.label));
        e = s->outEdges().front();
    }
    e->assignments = std::move(values);
}

void LoopJumps::assignInPlaceOf(Block &b, Assignments values) {
    assignBefore(replaceByState(b, g_.freshLabel(b.label.empty() ? "jump" : b.label)), std::move(values));
}

/// Moves the code after a block to a branch that is taken if the iteration continues.
void LoopJumps::guardRest(Region &r, const std::vector<Block *> &order, std::size_t last, const Symbols &s) {
    if (last + 1 >= order.size())
        return;
    const std::set<const Block *> rest(order.begin() + static_cast<std::ptrdiff_t>(last) + 1, order.end());
    Block *first = order[last + 1], *start = r.start();
    auto inside = std::make_unique<Region>();
    Region::Content content = r.release();
    for (auto &b : content.blocks)
        (rest.count(b.get()) ? *inside : r).adopt(std::move(b));
    auto *guard = r.add<ConditionalBlock>();
    guard->label = g_.freshLabel("goes_on");
    Region &branch = *guard->addBranch(Code{s.stops().str() + " == 0", Language::Python}, std::move(inside));
    Assignments delayed;
    for (auto &e : content.edges) {
        if (e->dst == first) {
            delayed = e->assignments;
            r.connect(e->src, guard)->debugInfo = e->debugInfo;
            continue;
        }
        (rest.count(e->src) ? branch : r).adopt(std::move(e));
    }
    r.setStart(start);
    branch.setStart(first);
    if (!delayed.empty())
        assignBefore(*first, std::move(delayed));
    guards_.insert(guard);
    sequence(branch, s);
}

} // namespace sdfgc::transforms
