#include "Transforms/Differentiate/Flow.h"

#include "Transforms/Differentiate/Devices.h"
#include "Transforms/Differentiate/Signatures.h"

#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Flow/LoopHeader.h"
#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Analysis/Verify.h"

#include <algorithm>

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Item;

void FlowReverser::fail(diag::Message message, const Block &at) {
    diag::Location place = analysis::placeOf(at);
    place.file = context_.options.file;
    context_.diags.report(std::move(message), place);
    failed_ = true;
}

// ---- regions

void FlowReverser::reverse(Region &from, Region &into) {
    if (!activity_.isActive(from))
        return;
    const std::vector<Block *> &chain = program_.chainOf(from);
    if (chain.empty())
        return fail({diag::Id::GradientOfFlow, "blocks that do not form a sequence",
                     "raise-control-flow converts most of these to loops and branches"},
                    from);
    const std::vector<Symbols> symbols = valuesAlong(chain);
    if (!last_.count(&into))
        last_[&into] = &from == &into ? chain.back() : nullptr;
    for (std::size_t k = chain.size(); k-- > 0;) {
        block(*chain[k], into, symbols[k]);
        const std::set<Name> inside = analysis::assignedIn(*chain[k]); // symbols that it assigns itself
        std::erase_if(restored_[&into], [&inside](const auto &a) { return inside.count(a.first) != 0; });
    }
}

namespace {

/// A jump out of a block, which may be the block itself; null if there is none. Breaks and continues do not leave their loop.
const Block *jumpOutOf(const Block &b, bool inLoop = false) {
    if (isJump(b.kind()))
        return inLoop && !isa<ReturnBlock>(&b) ? nullptr : &b;
    if (const auto *c = dyn_cast<ConditionalBlock>(&b))
        for (const auto &branch : c->branches())
            if (const Block *found = jumpOutOf(*branch.region, inLoop))
                return found;
    if (const auto *r = dyn_cast<Region>(&b))
        for (const auto &inner : r->blocks())
            if (const Block *found = jumpOutOf(*inner, inLoop || isa<LoopRegion>(r)))
                return found;
    return nullptr;
}

std::string jumpName(const Block &jump) {
    return isa<BreakBlock>(&jump) ? "a break" : isa<ContinueBlock>(&jump) ? "a continue" : "a return";
}

} // namespace

void FlowReverser::block(Block &b, Region &into, const Symbols &symbols) {
    if (const Block *jump = jumpOutOf(b))
        return fail({diag::Id::GradientOfFlow, jumpName(*jump), "structure-exits converts most of these to branches"}, *jump);
    if (const nest::Run *run = program_.runAt(&b)) {
        std::vector<Item> items;
        failed_ |= !items_.reverse(*run, items);
        if (items.empty())
            return;
        restore(into, b, symbols);
        append(into, b.label + "_reversed", std::move(items));
    } else if (auto *l = dyn_cast<LoopRegion>(&b)) {
        if (!activity_.isActive(*l))
            return;
        restore(into, b, symbols);
        loop(*l, into);
    } else if (auto *c = dyn_cast<ConditionalBlock>(&b)) {
        if (std::none_of(c->branches().begin(), c->branches().end(),
                         [this](const auto &branch) { return activity_.isActive(*branch.region); }))
            return;
        restore(into, b, symbols);
        branches(*c, into);
    } else if (auto *r = dyn_cast<Region>(&b)) {
        restore(into, b, symbols);
        reverse(*r, into);
    } else if (const auto *s = dyn_cast<State>(&b)) {
        for (const HiddenState &h : program_.hidden())
            if (h.state == s && activity_.isActive(h))
                return fail(obstacleOfState(*s), b);
    }
}

void FlowReverser::place(Region &into, Block *b) {
    Block *&last = last_[&into];
    if (isa<SDFG>(&into) && !first_)
        first_ = b;
    if (last)
        into.connect(last, b);
    else
        into.setStart(b);
    last = b;
}

State *FlowReverser::addState(Region &into, const std::string &label) {
    auto *s = into.add<State>();
    s->label = edits_.freshLabel(label);
    return s;
}

void FlowReverser::append(Region &into, const std::string &label, std::vector<Item> items) {
    State *s = addState(into, label);
    place(into, s);
    added_.push_back({&into, &maker_.memories(), {s}, std::move(items), true});
}

void FlowReverser::prepend(Region &into, Block *before, const std::string &label, std::vector<Item> items) {
    State *s = before ? into.addStateBefore(before, edits_.freshLabel(label)) : addState(into, label);
    if (!before)
        into.setStart(s);
    added_.push_back({&into, &maker_.memories(), {s}, std::move(items), true});
}

void FlowReverser::write() {
    for (std::vector<nest::Run> *runs : {&added_, &program_.runs()}) {
        for (nest::Run &run : *runs)
            if (run.changed)
                runOnDevice(run, maker_);
        nest::writeChanged(*runs, [this](const std::string &label) { return edits_.freshLabel(label); });
    }
}

// ---- symbols

// ---- loops

void FlowReverser::loop(LoopRegion &l, Region &into) {
    const std::optional<analysis::CountedLoop> counted = analysis::countedLoop(l);
    if (!counted) {
        const analysis::Uncounted why = analysis::tripCountOf(l, program_.facts()).why;
        const bool isNumber = why == analysis::Uncounted::No; // its initial value is unknown
        return fail({diag::Id::GradientOfLoop, isNumber ? "its start is read at run time" : std::string(analysis::text(why))}, l);
    }
    const std::string i = l.variable.str();
    auto reversed = std::make_unique<LoopRegion>();
    reversed->label = edits_.freshLabel(l.label + "_reversed");
    reversed->debugInfo = l.debugInfo;
    reversed->variable = l.variable;
    reversed->init = Code{i + " = " + counted->last().str(), Language::Python};
    reversed->condition = Code{i + (counted->down ? " <= " : " >= ") + counted->first.str(), Language::Python};
    reversed->update = Code{i + " = " + (sym::Expr::symbol(l.variable) - counted->step).str(), Language::Python};
    auto *body = cast<LoopRegion>(into.adopt(std::move(reversed)));
    last_[body] = nullptr;
    reverse(l, *body);
    if (body->blocks().empty())
        into.removeBlock(body);
    else if (counted->exact || noteLast(l, *counted, *body))
        place(into, body);
}

/// Stores the last value of the variable, at which the reversed loop starts.
bool FlowReverser::noteLast(LoopRegion &l, const analysis::CountedLoop &counted, LoopRegion &reversed) {
    const std::optional<Values::Note> last = values_.noteAt(l, "tape_last", ScalarKind::Int64);
    if (!last) {
        fail({diag::Id::GradientOfLoop, values_.whyUnknown()}, l);
        return false;
    }
    reversed.init = Code{l.variable.str() + " = " + last->text(maker_.sdfg()), Language::Python};
    prepend(l, l.start(), "note_iteration", note(*last, l.variable.str()));
    prepend(*l.parent(), &l, "note_iteration", note(*last, counted.valueIn(-1).str()));
    return true;
}

/// Sets a note to a value.
std::vector<Item> FlowReverser::note(const Values::Note &n, const std::string &value) {
    const Name out = maker_.connector("__out");
    sym::Subset at;
    for (const sym::Expr e : n.index)
        at.dims.push_back({e, e, 1, 1});
    std::vector<Item> items;
    items.push_back(maker_.tasklet("note", out.str() + " = " + value, {maker_.write(n.tape, at, out)}));
    return items;
}

// ---- branches

bool FlowReverser::canAskAgain(const ConditionalBlock &c) {
    const SDFG &g = *c.sdfg();
    for (const auto &branch : c.branches())
        if (branch.condition)
            for (const Name n : analysis::namesInCode(*branch.condition, g))
                if (program_.assigned().count(n) || analysis::isCallback(g, n) || (g.desc(n) && program_.isOverwritten(n, c)))
                    return false;
    return true;
}

void FlowReverser::branches(ConditionalBlock &c, Region &into) {
    std::optional<Values::Note> choice;
    if (!canAskAgain(c)) {
        choice = values_.noteAt(c, "tape_branch", ScalarKind::Int8);
        if (!choice)
            return fail(
                {diag::Id::GradientOfFlow, "a branch whose condition changes: " + values_.whyUnknown(), "count by a constant"}, c);
    }
    auto *reversed = cast<ConditionalBlock>(into.adopt(std::make_unique<ConditionalBlock>()));
    reversed->label = edits_.freshLabel(c.label + "_reversed");
    reversed->debugInfo = c.debugInfo;
    int64_t number = 0;
    bool hasElse = false;
    for (auto &branch : c.branches()) {
        auto region = std::make_unique<Region>();
        region->label = edits_.freshLabel(branch.region->label + "_reversed");
        std::optional<Code> condition = branch.condition;
        hasElse |= !condition;
        if (choice)
            condition = Code{choice->text(maker_.sdfg()) + " == " + std::to_string(number), Language::Python};
        Region *inner = reversed->addBranch(condition, std::move(region));
        last_[inner] = nullptr;
        reverse(*branch.region, *inner);
        if (inner->blocks().empty())
            place(*inner, addState(*inner, "nothing"));
        if (choice)
            prepend(*branch.region, branch.region->start(), "note_branch", note(*choice, std::to_string(number)));
        ++number;
    }
    if (choice && !hasElse)
        prepend(*c.parent(), &c, "note_branch", note(*choice, "-1"));
    place(into, reversed);
}

} // namespace sdfgc::transforms::gradient
