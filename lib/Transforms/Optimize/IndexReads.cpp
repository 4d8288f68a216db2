#include "Transforms/Optimize/IndexReads.h"

#include "Transforms/Edits/NamedElement.h"
#include "Transforms/Edits/Nodes.h"

#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Flow/LoopHeader.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/StateGraph.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;
using diag::Why;

IndexReads::IndexReads(const LoopRegion &l, std::vector<Name> arrays, const nest::LoopBody &body, analysis::Memories &memories)
    : loop_(l), g_(*const_cast<LoopRegion &>(l).sdfg()), arrays_(std::move(arrays)), body_(body), memories_(memories) {
    kept_.insert(&loop_);
    findReads(loop_);
    findOtherReads();
    if (!why_)
        findNeeded();
}

void IndexReads::fail(Why code, std::string text) {
    if (!why_)
        why_ = {code, std::move(text)};
}

// ---------------------------------------------------------------------------------------------------- analysis

/// The indices of all elements of an array that an expression reads.
std::vector<sym::Expr> IndexReads::positions(Name array, const std::string &text) const {
    std::vector<sym::Expr> out;
    for (const sym::Expr element : elementsRead(text, array, g_))
        out.push_back(element.operands().front());
    return out;
}

/// Notes the edges of a region that read index arrays, and the blocks that lead to them. Are there any?
bool IndexReads::findReads(const Region &r) {
    bool found = false;
    for (const auto &e : r.edges())
        for (const auto &[symbol, text] : e->assignments) {
            const std::vector<Name> read = analysis::containersRead(Code{text, Language::Python}, g_);
            for (const Name array : arrays_) {
                const auto times = std::count(read.begin(), read.end(), array);
                if (times == 0)
                    continue;
                const std::vector<sym::Expr> at = positions(array, text);
                const bool usesOther = std::any_of(at.begin(), at.end(), [&](sym::Expr p) {
                    return std::any_of(e->assignments.begin(), e->assignments.end(),
                                       [p](const auto &other) { return p.dependsOn(other.first); });
                });
                if (at.empty() || usesOther)
                    fail(Why::ControlFlow,
                         "an edge reads `" + array.str() + "` in another form than `symbol = " + array.str() + "[..]`");
                found = true;
                reads_.insert(e.get());
            }
        }
    for (const auto &b : r.blocks())
        if (findReads(*b)) {
            kept_.insert(b.get());
            found = true;
        }
    return found;
}

bool IndexReads::findReads(const Block &b) {
    if (isJump(b.kind())) // decides about what follows
        return true;
    if (const auto *r = dyn_cast<Region>(&b))
        return findReads(*r);
    bool found = false;
    if (const auto *c = dyn_cast<ConditionalBlock>(&b))
        for (const auto &branch : c->branches())
            found |= findReads(*branch.region);
    return found;
}

/// Indices must come from edges: dataflow, and nested SDFGs, may read anything.
void IndexReads::findOtherReads() {
    const auto isArray = [this](Name n) { return std::find(arrays_.begin(), arrays_.end(), n) != arrays_.end(); };
    const auto mentions = [&](const std::set<Name> &names) { return std::any_of(names.begin(), names.end(), isArray); };
    for (const State *s : allStates(loop_)) {
        bool found = false;
        for (const auto &n : s->nodes()) {
            if (const auto *a = dyn_cast<AccessNode>(n.get()))
                found |= isArray(a->data);
            if (const auto *nested = dyn_cast<NestedSDFGNode>(n.get()))
                for (const auto &[name, value] : nested->symbolMapping)
                    found |= mentions({value.freeSymbols().begin(), value.freeSymbols().end()});
        }
        for (const auto &e : s->edges())
            for (const auto *subset : {&e->memlet.subset, &e->memlet.otherSubset})
                found |= *subset && mentions((*subset)->freeSymbols());
        if (found)
            fail(Why::Opaque, nest::blockText(*s) + " reads an index array");
    }
}

void IndexReads::need(const Code &c) {
    needed_.merge(analysis::namesInCode(c, g_));
    for (const Name container : analysis::containersRead(c, g_)) {
        const analysis::Place place = memories_.placeOf(g_, container);
        for (const nest::BodyUse &u : body_.uses)
            if (u.kind != nest::UseKind::Read && !memories_.apart(u.place, place))
                fail(Why::Dependence, "iterations write `" + container.str() + "`, which decides about their indices");
    }
}

void IndexReads::findNeeded() {
    for (const Block *b : kept_) {
        if (const auto *l = dyn_cast<LoopRegion>(b))
            for (const auto *code : {&l->init, &l->condition, &l->update})
                if (*code)
                    need(**code);
        if (const auto *c = dyn_cast<ConditionalBlock>(b))
            for (const auto &branch : c->branches())
                if (branch.condition)
                    need(*branch.condition);
    }
    for (const InterstateEdge *e : reads_)
        for (const auto &[symbol, text] : e->assignments)
            for (const Name array : arrays_)
                for (const sym::Expr p : positions(array, text))
                    need(Code{p.str(), Language::Python});
    while (!why_ && addNeeded(loop_)) {
    }
    for (const Block *b : allBlocks(loop_)) {
        const auto *inner = dyn_cast<Region>(b);
        if (!inner || kept_.count(inner->conditional() ? static_cast<const Block *>(inner->conditional()) : b))
            continue;
        for (const Name n : analysis::assignedInside(*inner))
            if (needed_.count(n))
                fail(Why::ControlFlow, nest::blockText(*b) + " assigns `" + n.str() + "`, which decides about indices");
    }
}

/// Adds the symbols of which others are computed. Were there any?
bool IndexReads::addNeeded(const Region &r) {
    const std::size_t before = needed_.size();
    for (const auto &e : r.edges())
        for (const auto &[symbol, text] : e->assignments)
            if (needed_.count(symbol))
                need(Code{text, Language::Python});
    bool added = needed_.size() > before;
    for (const auto &b : r.blocks()) {
        if (!kept_.count(b.get()))
            continue;
        if (const auto *inner = dyn_cast<Region>(b.get()))
            added |= addNeeded(*inner);
        if (const auto *c = dyn_cast<ConditionalBlock>(b.get()))
            for (const auto &branch : c->branches())
                added |= addNeeded(*branch.region);
    }
    return added;
}

// ---------------------------------------------------------------------------------------------------- the copy

/// Is nothing left of a loop but reads at positions that only grow, or only shrink?
bool IndexReads::hasOnlyReads(const LoopRegion &l) const {
    const analysis::LoopHeader header = analysis::headerOf(l);
    if (!header.hasEnd() || !(header.step.isOne() || header.step.isConstant(-1)) ||
        !std::all_of(l.blocks().begin(), l.blocks().end(), [](const auto &b) { return isa<State>(b.get()); }))
        return false;
    for (const auto &e : l.edges())
        for (const auto &[symbol, text] : e->assignments) {
            if (needed_.count(symbol))
                return false;
            for (const Name array : arrays_)
                for (const sym::Expr p : positions(array, text)) {
                    const auto linear = sym::affineIn(p, l.variable);
                    if (!linear || !linear->first.isInteger())
                        return false;
                }
        }
    return true;
}

/// Lets a copy with only reads leap from its first to its last iteration. Returns how many iterations each of the two stands for.
std::string IndexReads::leap(const LoopRegion &l, LoopRegion &copy) const {
    const analysis::LoopHeader header = analysis::headerOf(l);
    const sym::Expr at = sym::Expr::symbol(l.variable), left = header.down ? at - header.end : header.end - at;
    std::string times = "max(1, " + left.str() + ")";
    copy.update = Code{l.variable.str() + " = " + l.variable.str() + (header.down ? " - " : " + ") + times, Language::Python};
    return times;
}

IndexReads::Assignments IndexReads::reduced(const InterstateEdge &e, const std::vector<Limits> &limits,
                                            const std::string &times) const {
    Assignments out;
    for (const auto &[symbol, text] : e.assignments)
        if (needed_.count(symbol))
            out.emplace_back(symbol, text);
    for (std::size_t k = 0; k < arrays_.size(); ++k) {
        std::vector<sym::Expr> at;
        for (const auto &[symbol, text] : e.assignments)
            for (const sym::Expr p : positions(arrays_[k], text))
                if (std::find(at.begin(), at.end(), p) == at.end())
                    at.push_back(p);
        if (at.empty())
            continue;
        std::string all;
        for (const sym::Expr p : at)
            all += ", " + p.str();
        out.emplace_back(limits[k].first, "min(" + limits[k].first.str() + all + ")");
        out.emplace_back(limits[k].last, "max(" + limits[k].last.str() + all + ")");
        out.emplace_back(limits[k].count, limits[k].count.str() + " + " + times);
    }
    return out;
}

void IndexReads::reduce(const Region &from, Region &to, const std::vector<Limits> &limits) const {
    std::vector<Block *> copies;
    for (const auto &b : to.blocks())
        copies.push_back(b.get());
    const auto *l = dyn_cast<LoopRegion>(&from);
    const bool leaps = l && l != &loop_ && hasOnlyReads(*l);
    const std::string times = leaps ? leap(*l, *cast<LoopRegion>(&to)) : "1";
    std::vector<Assignments> known; // in a loop with only reads, the same edge need not be there twice
    for (std::size_t k = 0; k < from.edges().size(); ++k) {
        Assignments left = reduced(*from.edges()[k], limits, times);
        if (leaps && std::find(known.begin(), known.end(), left) != known.end())
            left.clear();
        known.push_back(left);
        to.edges()[k]->assignments = std::move(left);
    }
    for (std::size_t k = 0; k < copies.size(); ++k) {
        const Block &b = *from.blocks()[k];
        Block &copy = *copies[k];
        copy.label = g_.freshLabel(b.label.empty() ? "block" : b.label);
        if (auto *s = dyn_cast<State>(&copy)) {
            std::vector<Node *> nodes;
            for (const auto &n : s->nodes())
                nodes.push_back(n.get());
            s->removeNodes(nodes);
        } else if (!kept_.count(&b)) {
            replaceByState(copy, copy.label);
        } else if (auto *inner = dyn_cast<Region>(&copy)) {
            reduce(*cast<Region>(&b), *inner, limits);
        } else if (auto *c = dyn_cast<ConditionalBlock>(&copy)) {
            for (std::size_t arm = 0; arm < c->branches().size(); ++arm) {
                Region &r = *c->branches()[arm].region;
                r.label = g_.freshLabel(r.label.empty() ? "arm" : r.label);
                reduce(*cast<ConditionalBlock>(&b)->branches()[arm].region, r, limits);
            }
        }
    }
}

LoopRegion *IndexReads::addCopy(Region &r, const std::vector<Limits> &limits) const {
    auto *copy = cast<LoopRegion>(r.adopt(ir::clone(static_cast<const Block &>(loop_))));
    copy->label = g_.freshLabel(loop_.label + "_reads");
    reduce(loop_, *copy, limits);
    return copy;
}

} // namespace sdfgc::transforms
