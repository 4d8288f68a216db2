#include "sdfgc/Nest/LastValues.h"

#include "Nest/Frames.h"

#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Tasklet/Ast.h"

#include <algorithm>

namespace sdfgc::nest {

using namespace ir;

LastValues::LastValues(LoopRegion &l, const std::set<Name> &symbols) : loop_(l), needed_(symbols) {
    for (std::size_t before = 0; before != needed_.size();) {
        before = needed_.size();
        findNeeded(l);
    }
}

void LastValues::need(const Code &code) {
    const SDFG &g = *loop_.sdfg();
    needed_.merge(analysis::namesInCode(code, g));
    for (const Name n : analysis::containersRead(code, g))
        containers_.insert(n);
}

bool LastValues::isNeeded(const Block &b) const {
    const std::set<Name> assigned = analysis::assignedIn(b);
    return std::any_of(assigned.begin(), assigned.end(), [this](Name n) { return needed_.count(n) != 0; });
}

/// Adds what the assignments of needed symbols, and the conditions around them, read.
void LastValues::findNeeded(const Region &r) {
    for (const auto &e : r.edges())
        for (const auto &[symbol, text] : e->assignments)
            if (needed_.count(symbol))
                need({text, Language::Python});
    for (const auto &b : r.blocks()) {
        if (isa<State>(b.get()) || !isNeeded(*b))
            continue;
        if (const auto *c = dyn_cast<ConditionalBlock>(b.get()))
            for (const auto &branch : c->branches()) {
                if (branch.condition)
                    need(*branch.condition);
                findNeeded(*branch.region);
            }
        else
            hasRegions_ = true;
    }
}

bool LastValues::isPossible(analysis::Memories &memories, const std::set<Name> &carried) const {
    if (hasRegions_ || analysis::hasJump(loop_) || loop_.inverted ||
        std::any_of(carried.begin(), carried.end(), [this](Name n) { return needed_.count(n) != 0; }))
        return false;
    SDFG &g = *loop_.sdfg();
    const std::vector<analysis::Place> written = writtenIn(loop_, memories);
    return std::all_of(containers_.begin(), containers_.end(), [&](Name n) {
        const DataDesc *owner = g.desc(ownerOf(n));
        const analysis::Place read = memories.placeOf(g, n);
        return owner && owner->alias == AliasKind::None &&
               std::all_of(written.begin(), written.end(), [&](const analysis::Place &w) { return memories.apart(w, read); });
    });
}

/// Code of an iteration as that of the last one.
std::string LastValues::inLast(const std::string &text) const {
    const py::Parsed<py::ExprRef> parsed = py::parseExpr(text);
    return parsed.value ? py::print(*py::substitute(*parsed.value, {{loop_.variable, py::name(last_)}})) : text;
}

/// Copies what a region assigns to needed symbols, in its order.
void LastValues::copy(const Region &from, Region &to) const {
    SDFG &g = *loop_.sdfg();
    Block *last = nullptr;
    std::vector<std::pair<Name, std::string>> assigned; // on the edge to the next block
    const auto append = [&](Block *b) {
        if (last)
            to.connect(last, b, {"1", Language::Python}, std::exchange(assigned, {}));
        else
            to.setStart(b);
        last = b;
    };
    const auto appendState = [&] {
        auto *s = to.add<State>();
        s->label = g.freshLabel(loop_.label + "_value");
        append(s);
    };
    appendState();
    for (const Block *b : analysis::sequenceOf(const_cast<Region &>(from))) {
        if (const auto *c = dyn_cast<ConditionalBlock>(b); c && isNeeded(*c)) {
            auto *test = to.add<ConditionalBlock>();
            test->label = g.freshLabel(c->label + "_last");
            test->debugInfo = c->debugInfo;
            append(test);
            copy(*c, *test);
        }
        for (const InterstateEdge *e : b->outEdges()) {
            for (const auto &[symbol, text] : e->assignments)
                if (needed_.count(symbol))
                    assigned.emplace_back(symbol, inLast(text));
            if (!assigned.empty())
                appendState(); // values on one edge are evaluated together
        }
    }
}

void LastValues::copy(const ConditionalBlock &from, ConditionalBlock &to) const {
    for (const auto &branch : from.branches()) {
        std::optional<Code> condition = branch.condition;
        if (condition)
            condition = {inLast(condition->text()), condition->language()};
        Region *arm = to.addBranch(std::move(condition), std::make_unique<Region>());
        arm->label = loop_.sdfg()->freshLabel(branch.region->label + "_last");
        copy(*branch.region, *arm);
    }
}

void LastValues::add(const analysis::LoopHeader &header) const {
    SDFG &g = *loop_.sdfg();
    Region &r = *loop_.parent();
    last_ = g.freshName(loop_.variable.str() + "_last");
    const Type *type = g.symbols.find(loop_.variable);
    g.symbols[last_] = type ? *type : Type(ScalarKind::Int64);
    auto *test = r.add<ConditionalBlock>();
    test->label = g.freshLabel(loop_.label + "_last");
    test->debugInfo = loop_.debugInfo;
    const std::string first = header.first.str(), end = header.end.str();
    Region *arm = test->addBranch(Code{header.down ? first + " >= " + end : first + " <= " + end, Language::Python},
                                  std::make_unique<Region>());
    arm->label = g.freshLabel(loop_.label + "_ran");
    r.moveOutEdges(&loop_, test);
    r.connect(&loop_, test);
    copy(loop_, *arm);
    Block *start = arm->start();
    arm->addStateBefore(start, g.freshLabel(loop_.label + "_end"));
    start->inEdges().front()->assignments = {{last_, header.last().str()}};
}

} // namespace sdfgc::nest
