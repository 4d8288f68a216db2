#include "sdfgc/Analysis/Flow/SymbolLiveness.h"

#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Flow/LoopHeader.h"
#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <algorithm>

namespace sdfgc::analysis {

using namespace ir;

SymbolLiveness::SymbolLiveness(const SDFG &g) : g_(g), tracked_(assignedInside(g)) {}

void SymbolLiveness::Summary::precede(const Summary &earlier) {
    for (const Name n : earlier.assigned)
        exposed.erase(n);
    exposed.insert(earlier.exposed.begin(), earlier.exposed.end());
    if (earlier.jumps) // what follows may not run
        assigned.clear();
    assigned.insert(earlier.assigned.begin(), earlier.assigned.end());
    jumps |= earlier.jumps;
}

void SymbolLiveness::read(const std::set<Name> &names, Summary &s) const {
    std::set_intersection(names.begin(), names.end(), tracked_.begin(), tracked_.end(), std::inserter(s.exposed, s.exposed.end()));
}

const SymbolLiveness::Summary &SymbolLiveness::of(const Block &b) {
    if (const auto known = known_.find(&b); known != known_.end())
        return known->second;
    Summary made = make(b);
    return known_.emplace(&b, std::move(made)).first->second;
}

SymbolLiveness::Summary SymbolLiveness::make(const Block &b) {
    if (const auto *s = dyn_cast<State>(&b))
        return ofState(*s);
    if (const auto *c = dyn_cast<ConditionalBlock>(&b))
        return ofBranches(*c);
    if (const auto *l = dyn_cast<LoopRegion>(&b))
        return ofLoop(*l);
    if (const auto *r = dyn_cast<Region>(&b))
        return ofContent(*r);
    Summary jump;
    jump.jumps = true;
    return jump;
}

SymbolLiveness::Summary SymbolLiveness::ofState(const State &s) const {
    Summary out;
    read(readIn(s), out);
    for (const auto &e : s.edges())
        for (const auto *subset : {&e->memlet.subset, &e->memlet.otherSubset})
            if (*subset)
                read((*subset)->freeSymbols(), out);
    return out;
}

SymbolLiveness::Summary SymbolLiveness::of(const InterstateEdge &e) const {
    Summary out;
    read(namesInCode(e.condition, g_), out);
    for (const auto &[symbol, value] : e.assignments)
        read(namesInCode({value, Language::Python}, g_), out);
    for (const auto &[symbol, value] : e.assignments)
        out.assigned.insert(symbol);
    return out;
}

SymbolLiveness::Summary SymbolLiveness::ofBranches(const ConditionalBlock &c) {
    Summary out;
    bool first = true, otherwise = false;
    for (const auto &branch : c.branches()) {
        const Summary arm = ofContent(*branch.region);
        if (branch.condition)
            read(namesInCode(*branch.condition, g_), out);
        otherwise |= !branch.condition;
        out.exposed.insert(arm.exposed.begin(), arm.exposed.end());
        out.jumps |= arm.jumps;
        if (first)
            out.assigned = arm.assigned;
        else
            std::erase_if(out.assigned, [&arm](Name n) { return !arm.assigned.count(n); });
        first = false;
    }
    if (!otherwise)
        out.assigned.clear();
    return out;
}

/// The test and the update of a loop.
SymbolLiveness::Summary SymbolLiveness::headerOf(const LoopRegion &l) const {
    Summary out;
    for (const auto *code : {&l.condition, &l.update})
        if (*code)
            read(namesInCode(**code, g_), out);
    return out;
}

SymbolLiveness::Summary SymbolLiveness::ofLoop(const LoopRegion &l) {
    Summary out = ofContent(l);
    out.assigned.clear(); // it may not run
    out.jumps = false;
    const Summary header = headerOf(l);
    out.exposed.insert(header.exposed.begin(), header.exposed.end());
    if (l.init) {
        if (hasPlainHeader(l)) {
            out.exposed.erase(l.variable);
            out.assigned.insert(l.variable);
        }
        read(namesInCode(*l.init, g_), out);
    }
    return out;
}

/// Everything in a region, in any order.
SymbolLiveness::Summary SymbolLiveness::anyOrder(const Region &r) {
    Summary out;
    const auto add = [&out](const Summary &s) { out.exposed.insert(s.exposed.begin(), s.exposed.end()); };
    for (const auto &b : r.blocks())
        add(of(*b));
    for (const auto &e : r.edges())
        add(of(*e));
    return out;
}

SymbolLiveness::Summary SymbolLiveness::ofContent(const Region &r) {
    const std::vector<Block *> blocks = sequenceOf(const_cast<Region &>(r));
    if (blocks.empty())
        return anyOrder(r);
    Summary out;
    for (auto b = blocks.rbegin(); b != blocks.rend(); ++b) {
        if (!(*b)->outEdges().empty())
            out.precede(of(*(*b)->outEdges().front()));
        out.precede(of(**b));
    }
    return out;
}

/// What runs after a block in its region.
SymbolLiveness::Summary SymbolLiveness::following(const Block &b) {
    Region &r = *b.parent();
    const std::vector<Block *> blocks = sequenceOf(r);
    if (blocks.empty())
        return anyOrder(r);
    Summary out;
    for (auto at = blocks.rbegin(); at != blocks.rend(); ++at) {
        if (!(*at)->outEdges().empty())
            out.precede(of(*(*at)->outEdges().front()));
        if (*at == &b)
            break;
        out.precede(of(**at));
    }
    return out;
}

void SymbolLiveness::forget(const LoopRegion &l) {
    known_.erase(&l);
    for (const Block *b : allBlocks(l))
        known_.erase(b);
}

SymbolLiveness::Reader SymbolLiveness::readerAfter(const Block &b, Name symbol) {
    const auto reads = [symbol](const Summary &s) { return s.exposed.count(symbol) != 0; };
    for (const Block *at = &b; !isa<SDFG>(at);
         at = at->conditional() ? static_cast<const Block *>(at->conditional()) : at->parent()) {
        if (at->conditional())
            continue;
        const std::vector<Block *> blocks = sequenceOf(*at->parent());
        for (auto next = std::find(blocks.begin(), blocks.end(), at); next != blocks.end(); ++next) {
            if (*next != at && reads(of(**next)))
                return {*next, false};
            if (*next != at && of(**next).assigned.count(symbol))
                return {};
            if (!(*next)->outEdges().empty() && reads(of(*(*next)->outEdges().front())))
                return {*next, true};
        }
        const auto *around = dyn_cast<LoopRegion>(at->parent());
        if (around && (reads(headerOf(*around)) || reads(ofContent(*around))))
            return {around, false};
    }
    return {};
}

std::set<Name> SymbolLiveness::after(const Block &b) {
    std::set<Name> out, assigned;
    bool jumps = false;
    const auto add = [&](const Summary &s) {
        std::set_difference(s.exposed.begin(), s.exposed.end(), assigned.begin(), assigned.end(), std::inserter(out, out.end()));
        if (!jumps)
            assigned.insert(s.assigned.begin(), s.assigned.end());
        jumps |= s.jumps;
    };
    for (const Block *at = &b; !isa<SDFG>(at);) {
        if (const ConditionalBlock *c = at->conditional()) {
            at = c;
            continue;
        }
        add(following(*at));
        const Region &around = *at->parent();
        if (const auto *l = dyn_cast<LoopRegion>(&around)) { // the next iteration
            add(headerOf(*l));
            add({ofContent(*l).exposed, {}, false});
        }
        at = &around;
    }
    return out;
}

} // namespace sdfgc::analysis
