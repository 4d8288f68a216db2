// A gradient is a sum that starts at zero. If its first term is added to every element exactly once, it is stored
// instead.
//
//     gradient_B = 0                                            map i { gradient_B[i] = cos(B[i]) * gradient_C[i] }
//     map i { gradient_B[i] += cos(B[i]) * gradient_C[i] }  ->
#include "Transforms/Differentiate/FirstTerms.h"

#include "Transforms/Differentiate/Flow.h"

#include "sdfgc/Analysis/Flow/AssignedSymbols.h"

#include <algorithm>

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Item;
using nest::Use;
using nest::UseKind;

namespace {

/// Does each iteration of all loops use a different element, and together all of them?
bool takesEach(const nest::PlacedUse &u, const DataDesc &d) {
    if (!u.use->subset || u.use->subset->rank() != d.rank() || u.use->memlet.dynamic)
        return false;
    const sym::Subset full = d.fullSubset();
    std::set<Name> left;
    for (const analysis::LoopLevel &l : u.instance.loops)
        left.insert(l.variable);
    if (left.size() != u.instance.loops.size())
        return false;
    for (std::size_t k = 0; k < d.rank(); ++k) {
        const sym::Range &r = u.use->subset->dims[k];
        if (r == full.dims[k])
            continue;
        const auto loop = std::find_if(u.instance.loops.begin(), u.instance.loops.end(),
                                       [&](const auto &l) { return r.isPoint() && r.begin.isSymbol(l.variable); });
        if (loop == u.instance.loops.end() || !(loop->range == full.dims[k]) || !left.erase(loop->variable))
            return false;
    }
    return left.empty();
}

/// Turns a sum into a store. False if it is neither an update nor a node with `beta`.
bool makeStore(Use &u, nest::Step &s) {
    if (u.kind == UseKind::Write && u.certain)
        return true;
    if (u.kind == UseKind::Update) {
        u.kind = UseKind::Write;
        u.memlet.wcr.clear();
        u.certain = u.subset->isOneElement();
        return true;
    }
    auto *node = s.made ? const_cast<LibraryNode *>(dyn_cast<LibraryNode>(s.made.get())) : nullptr;
    if (!node || !node->properties.find("beta") || node->properties.find("beta")->text() != "1")
        return false;
    node->properties.set("beta", json::Value("0"));
    return true;
}

struct FirstUse {
    nest::Run *run;
    Item *item;
};

std::map<analysis::Memory, FirstUse> firstUsesIn(std::vector<nest::Run> &runs) {
    std::map<analysis::Memory, FirstUse> out;
    for (nest::Run &run : runs)
        for (Item &item : run.items)
            for (const nest::PlacedUse &u : nest::usesOf(item))
                out.emplace(u.use->memory, FirstUse{&run, &item});
    return out;
}

} // namespace

FirstTerm storeFirstTerm(Item &item, Name gradient, const DataDesc &d) {
    const std::vector<nest::PlacedUse> uses = nest::usesOf(item);
    const nest::PlacedUse *found = nullptr;
    for (const nest::PlacedUse &u : uses)
        if (u.use->data == gradient) {
            if (found)
                return FirstTerm::Added;
            found = &u;
        }
    if (!found)
        return FirstTerm::None;
    const bool stored = found->use->writes() && takesEach(*found, d) &&
                        makeStore(const_cast<Use &>(*found->use), const_cast<nest::Step &>(*found->step));
    return stored ? FirstTerm::Stored : FirstTerm::Added;
}

namespace {

/// The point where a container whose size depends on symbols is first cleared: before `block` or, if that is null, at the start of
/// the region itself.
struct Beginning {
    Region *region;
    Block *block = nullptr;
};

/// Returns the outermost region around a use in which the symbols keep their values. It contains all loops that use the
/// container repeatedly, and branches, since code after them may use the container as well.
Beginning beginningOf(Region &use, const std::set<Name> &symbols) {
    Beginning out{&use};
    const auto changes = [&symbols](const Region &r) {
        const std::set<Name> assigned = analysis::assignedIn(r);
        return std::any_of(symbols.begin(), symbols.end(), [&assigned](Name n) { return assigned.count(n) != 0; });
    };
    while (!isa<SDFG>(out.region) && !changes(*out.region)) {
        Block *around = out.region->conditional() ? static_cast<Block *>(out.region->conditional()) : out.region;
        out = {around->parent(), around};
    }
    return out;
}

} // namespace

std::set<Name> FlowReverser::clearInLoops(const std::set<Name> &gradients) {
    std::set<Name> out;
    std::vector<std::pair<Beginning, Name>> inFront;
    const auto firstUses = firstUsesIn(added_);
    for (const Name gradient : gradients) {
        const auto first = firstUses.find(maker_.memories().of(maker_.sdfg(), gradient));
        if (first == firstUses.end())
            continue;
        nest::Run &run = *first->second.run;
        const DataDesc &d = *maker_.sdfg().desc(gradient);
        const auto free = d.freeSymbols();
        const std::set<Name> symbols(free.begin(), free.end());
        bool depends = std::any_of(symbols.begin(), symbols.end(), [this](Name n) { return program_.assigned().count(n) != 0; });
        for (const Region *r = run.region; r && !isa<SDFG>(r); r = r->parent())
            if (const auto *l = dyn_cast<LoopRegion>(r))
                depends |= symbols.count(l->variable) != 0;
        if (!depends)
            continue;
        if (const Beginning beginning = beginningOf(*run.region, symbols); beginning.block)
            inFront.emplace_back(beginning, gradient);
        else
            run.items.insert(run.items.begin(), maker_.fill(gradient, d.fullSubset(), "0", !maker_.sdfg().isRoot()));
        out.insert(gradient);
    }
    for (const auto &[at, gradient] : inFront) {
        std::vector<Item> clear;
        clear.push_back(maker_.fill(gradient, maker_.sdfg().desc(gradient)->fullSubset(), "0", !maker_.sdfg().isRoot()));
        prepend(*at.region, at.block, "clear_" + gradient.str(), std::move(clear));
    }
    return out;
}

std::set<Name> FlowReverser::storeFirstTerms(const std::set<Name> &gradients) {
    std::set<Name> out;
    const auto firstUses = firstUsesIn(added_);
    for (const Name gradient : gradients) {
        const auto first = firstUses.find(maker_.memories().of(maker_.sdfg(), gradient));
        if (first == firstUses.end() || !isa<SDFG>(first->second.run->region))
            continue;
        if (storeFirstTerm(*first->second.item, gradient, *maker_.sdfg().desc(gradient)) == FirstTerm::Stored)
            out.insert(gradient);
    }
    return out;
}

} // namespace sdfgc::transforms::gradient
