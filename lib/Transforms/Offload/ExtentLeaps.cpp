#include "Transforms/Offload/ExtentLeaps.h"

#include "sdfgc/Analysis/Flow/LoopHeader.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <algorithm>
#include <set>

namespace sdfgc::transforms {

using namespace ir;

namespace {

class Leap {
public:
    Leap(LoopRegion &l, Name extent, const ExtentSites &sites) : g_(*l.sdfg()), extent_(extent), sites_(sites) { leap(l); }

private:
    void leap(LoopRegion &l) {
        const analysis::LoopHeader header = analysis::headerOf(l);
        if (!header.hasEnd() || !(header.step.isOne() || header.step.isConstant(-1)))
            return;
        std::set<Name> changing{l.variable};
        for (const Region *r : allRegions(l))
            collectAssigned(*r, changing);
        collectAssigned(l, changing);
        bool isUsed = false;
        if (!mayLeap(l, l.variable, changing, isUsed))
            return;
        const sym::Expr at = sym::Expr::symbol(l.variable), left = header.down ? at - header.end : header.end - at;
        const std::string distance = isUsed ? left.str() : (left + 1).str();
        l.update = Code{l.variable.str() + " = " + l.variable.str() + (header.down ? " - " : " + ") + "max(1, " + distance + ")"};
    }

    void collectAssigned(const Region &r, std::set<Name> &names) const {
        for (const auto &e : r.edges())
            for (const auto &[symbol, text] : e->assignments)
                if (symbol != extent_)
                    names.insert(symbol);
    }

    bool mentions(const std::optional<Code> &c, const std::set<Name> &names) const {
        const std::set<Name> read = c ? analysis::namesInCode(*c, g_) : std::set<Name>();
        return std::any_of(read.begin(), read.end(), [&](Name n) { return names.count(n) != 0; });
    }

    bool mayLeap(const Region &r, Name variable, const std::set<Name> &changing, bool &isUsed) const {
        for (const auto &e : r.edges())
            if (!mayLeap(*e, variable, changing, isUsed))
                return false;
        for (const auto &b : r.blocks()) {
            if (const auto *inner = dyn_cast<LoopRegion>(b.get()))
                if (changing.count(inner->variable) || mentions(inner->init, changing) || mentions(inner->condition, changing) ||
                    mentions(inner->update, changing))
                    return false;
            if (const auto *inner = dyn_cast<Region>(b.get()); inner && !mayLeap(*inner, variable, changing, isUsed))
                return false;
            if (const auto *c = dyn_cast<ConditionalBlock>(b.get()))
                for (const auto &branch : c->branches())
                    if (mentions(branch.condition, changing) || !mayLeap(*branch.region, variable, changing, isUsed))
                        return false;
            if (const auto *s = dyn_cast<State>(b.get()); s && !mayLeap(*s, changing))
                return false;
        }
        return true;
    }

    /// Tasklets compute containers, of which the extents may be.
    static bool mayLeap(const State &s, const std::set<Name> &changing) {
        const auto isChanging = [&](Name n) { return changing.count(n) != 0; };
        for (const auto &n : s.nodes()) {
            const std::set<Name> read = analysis::freeSymbols(*n);
            if (isa<Tasklet>(n.get()) || std::any_of(read.begin(), read.end(), isChanging))
                return false;
        }
        return std::none_of(s.edges().begin(), s.edges().end(), [&](const auto &e) {
            const std::set<Name> read = e->memlet.subset ? e->memlet.subset->freeSymbols() : std::set<Name>();
            return std::any_of(read.begin(), read.end(), isChanging);
        });
    }

    bool mayLeap(const InterstateEdge &e, Name variable, const std::set<Name> &changing, bool &isUsed) const {
        for (const auto &[symbol, text] : e.assignments)
            if (symbol != extent_ && mentions(Code{text}, changing))
                return false;
        const auto site = sites_.find(&e);
        for (const sym::Expr extent : site == sites_.end() ? std::vector<sym::Expr>() : site->second) {
            if (!extent.dependsOn(variable))
                continue;
            isUsed = true;
            const auto linear = sym::affineIn(extent, variable);
            if (!linear || !linear->first.isInteger())
                return false;
        }
        return true;
    }

    const SDFG &g_;
    const Name extent_;
    const ExtentSites &sites_;
};

} // namespace

void leap(LoopRegion &l, Name extent, const ExtentSites &sites) { Leap(l, extent, sites); }

} // namespace sdfgc::transforms
