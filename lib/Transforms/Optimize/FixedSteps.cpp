#include "Transforms/Optimize/FixedSteps.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Nest/LoopItems.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;
using nest::Item;
using nest::PlacedUse;
using nest::Step;
using nest::Use;

namespace {

/// May the step run if the loop does not, and does it have the same meaning there?
bool mayRunBefore(const Step &s, Name variable) {
    if (s.effects)
        return false;
    if (s.isCopy())
        return true;
    const auto *t = s.nodes.size() == 1 ? dyn_cast<Tasklet>(s.nodes.front()) : nullptr;
    return t && s.renamed.empty() && t->code.isPython() && analysis::freeSymbols(*t).count(variable) == 0 &&
           t->code.text().find("//") == std::string::npos && t->code.text().find('%') == std::string::npos;
}

/// Finds the fixed steps of one body.
class FixedSteps {
public:
    FixedSteps(const std::vector<Item> &body, const LoopRegion &l, const nest::ContainerUsers &users, const nest::Conflicts &items)
        : loop_(l), g_(*l.sdfg()), users_(users), items_(items), fixed_(body.size(), false) {
        for (const Name n : analysis::containersRead(l, g_))
            inHeader_.insert(n);
        for (const Item &i : body)
            uses_.push_back(nest::usesOf(i));
        for (std::size_t k = 0; k < body.size(); ++k)
            fixed_[k] = body[k].step && mayRunBefore(*body[k].step, l.variable) && isFixed(k);
    }
    bool operator[](std::size_t k) const { return fixed_[k]; }

private:
    bool isFixed(std::size_t k) const {
        return std::all_of(uses_[k].begin(), uses_[k].end(), [&](const PlacedUse &u) {
            const DataDesc *d = g_.desc(u.use->data);
            return u.use->kind != nest::UseKind::Update && analysis::isPlain(d) && d->totalSize.isOne() &&
                   (u.use->writes() ? isItsResult(k, *u.use) : !isWritten(k, *u.use));
        });
    }

    /// Does a step that stays write what this one reads?
    bool isWritten(std::size_t k, const Use &read) const {
        for (std::size_t other = 0; other < uses_.size(); ++other)
            if (other >= k || !fixed_[other])
                if (std::any_of(uses_[other].begin(), uses_[other].end(),
                                [&](const PlacedUse &u) { return u.use->writes() && items_.meet(*u.use, read); }))
                    return true;
        return false;
    }

    bool isItsResult(std::size_t k, const Use &write) const {
        const DataDesc &d = *g_.desc(write.data);
        if (inHeader_.count(write.data) || !write.certain || !write.subset || !nest::isSmallLocal(d) ||
            !users_.isOnlyInside(write.data, loop_))
            return false;
        for (std::size_t other = 0; other < uses_.size(); ++other)
            for (const PlacedUse &u : uses_[other])
                if (u.use != &write && items_.meet(*u.use, write) && (other <= k || u.use->writes()))
                    return false;
        return true;
    }

    const LoopRegion &loop_;
    const SDFG &g_;
    const nest::ContainerUsers &users_;
    const nest::Conflicts &items_;
    std::set<Name> inHeader_; // containers that the loop itself reads
    std::vector<std::vector<PlacedUse>> uses_;
    std::vector<bool> fixed_;
};

} // namespace

std::vector<Item> takeFixedSteps(std::vector<Item> &body, const LoopRegion &l, const nest::ContainerUsers &users,
                                 const nest::Conflicts &items) {
    const FixedSteps fixed(body, l, users, items);
    std::vector<Item> taken, rest;
    for (std::size_t k = 0; k < body.size(); ++k)
        (fixed[k] ? taken : rest).push_back(std::move(body[k]));
    body = std::move(rest);
    return taken;
}

} // namespace sdfgc::transforms
