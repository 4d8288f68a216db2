// contract-arrays: a transient of which each iteration of a map uses one element becomes a variable of the iteration.
//
//     map[i = 0:N] {                                  map[i = 0:N] {
//         t[i] = A[i] + 1                                 t = A[i] + 1
//         B[i] = 2 * t[i]                      ->         B[i] = 2 * t
//     }                                               }
//     transient t: float64[N]                         transient t: float64 (Register)
//
// A container is contracted when (A9.2 of the rules in docs/optimiser.md)
//
//   1. it is a transient array that nothing outlives: of the lifetime of its scope, no view or reference of it, not mentioned by control
//      flow, and all its uses are of tasklets, nested SDFGs and copies in one map; of several maps around each other, the innermost counts;
//   2. all uses are of one and the same element in terms of the parameters of the maps and of symbols from outside;
//   3. the first use in every iteration writes it, whatever holds: then no value comes from another iteration, or from before.
//
// The variable has the type of the array: values are rounded as they were.
#include "Transforms/Optimize/NestItems.h"
#include "Transforms/Optimize/NestParts.h"

#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using diag::Reason;
using diag::Why;
using nest::Item;
using nest::Map;
using nest::PlacedUse;
using nest::Step;
using nest::Use;

/// A use together with the maps around it, outermost first.
struct Place {
    PlacedUse use;
    std::size_t run = 0;
    std::vector<Map *> maps;
};

/// Finds out, for one SDFG, and makes variables of its arrays.
class Contraction {
public:
    Contraction(SDFG &g, std::vector<nest::Run> &runs, pass::Context &context) : g_(g), runs_(runs), context_(context) {}

    void contract() {
        locate();
        const std::set<Name> hidden = hiddenContainers(g_, runs_);
        for (const auto &[name, places] : places_) {
            DataDesc &d = *g_.desc(name);
            const std::vector<Map *> around = commonMaps(places);
            if (!mayBeVariable(d) || around.empty() || hidden.count(name))
                continue;
            const std::string where = elementName(g_) + ": container " + name.str();
            if (const Reason why = obstacle(around, places)) {
                context_.missed(where, "stays an array", why, d.totalSize * d.dtype.bytes().value_or(1));
                continue;
            }
            Map &owner = *around.back();
            if (!context_.mayChange(where, "is a variable of each iteration of `" + owner.entry->label + "`"))
                continue;
            makeVariable(owner, name, d);
            runs_[places.front().run].changed = true;
        }
    }

private:
    void locate() {
        for (std::size_t r = 0; r < runs_.size(); ++r) {
            std::vector<analysis::LoopLevel> loops;
            std::vector<Map *> maps;
            locate(runs_[r].items, r, loops, maps);
        }
    }

    void locate(std::vector<Item> &items, std::size_t run, std::vector<analysis::LoopLevel> &loops, std::vector<Map *> &maps) {
        for (Item &i : items) {
            if (i.step) {
                for (const Use &u : i.step->uses)
                    places_[u.data].push_back({{&u, i.step.get(), loops}, run, maps});
                continue;
            }
            for (std::size_t d = 0; d < i.map->params.size(); ++d)
                loops.push_back({i.map->params[d], i.map->ranges[d]});
            maps.push_back(i.map.get());
            locate(i.map->body, run, loops, maps);
            maps.pop_back();
            loops.resize(loops.size() - i.map->params.size());
        }
    }

    /// The maps around all uses, outermost first.
    static std::vector<Map *> commonMaps(const std::vector<Place> &places) {
        std::vector<Map *> common = places.front().maps;
        for (const Place &p : places) {
            std::size_t k = 0;
            while (k < common.size() && k < p.maps.size() && common[k] == p.maps[k])
                ++k;
            common.resize(k);
        }
        return common;
    }

    /// Why an array cannot be a variable of each iteration of the innermost of these maps; empty if it can.
    static Reason obstacle(const std::vector<Map *> &around, const std::vector<Place> &places) {
        std::size_t outer = 0;
        for (const Map *m : around)
            outer += m->params.size();
        const std::optional<sym::Subset> &first = places.front().use.use->subset;
        for (const Place &p : places) {
            const PlacedUse &u = p.use;
            if (u.step->nodes.size() > 1 ||
                (!u.step->isCopy() && !isa<Tasklet>(u.step->nodes.front()) && !isa<NestedSDFGNode>(u.step->nodes.front())))
                return {Why::Opaque, "it is used by more than tasklets, nested SDFGs and copies"};
            const std::vector<analysis::LoopLevel> inner(u.loops.begin() + static_cast<std::ptrdiff_t>(outer), u.loops.end());
            if (!u.use->subset || !u.use->subset->isOneElement() || !(*u.use->subset == *first) || variesInside(*first, inner))
                return {Why::SharedElement, "an iteration uses more than one element"};
            if (&p == &places.front() && (!u.use->certain || !inner.empty()))
                return {Why::SharedElement, "the first use in an iteration does not write it for certain"};
        }
        return {};
    }

    static bool variesInside(const sym::Subset &s, const std::vector<analysis::LoopLevel> &loops) {
        const std::set<Name> symbols = s.freeSymbols();
        return std::any_of(loops.begin(), loops.end(), [&](const auto &l) { return symbols.count(l.variable) != 0; });
    }

    static void makeVariable(Map &owner, Name name, DataDesc &d) {
        DataDesc variable = DataDesc::scalar(d.dtype, true);
        variable.storage = Storage::Register;
        variable.debugInfo = d.debugInfo;
        d = std::move(variable);
        for (Item &i : owner.body)
            retarget(i, name);
        owner.locals.insert(name);
    }

    /// All memlets name the only element.
    static void retarget(Item &item, Name name) {
        if (item.map) {
            for (Item &inner : item.map->body)
                retarget(inner, name);
            return;
        }
        const sym::Subset element = DataDesc::scalar(ScalarKind::Int32).fullSubset();
        std::vector<Use> &uses = item.step->uses;
        for (Use &u : uses) {
            if (u.data == name)
                u.subset = element;
            if (u.memlet.data == name)
                u.memlet.subset = element;
            else if (u.data == name || (item.step->isCopy() && (uses.front().data == name || uses.back().data == name)))
                u.memlet.otherSubset = element;
        }
    }

    SDFG &g_;
    std::vector<nest::Run> &runs_;
    pass::Context &context_;
    std::map<Name, std::vector<Place>> places_; // in the order in which they run
};

class ContractArrays : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        return rewriteRuns(root, context, [&](SDFG &g, const analysis::Memories &, std::vector<nest::Run> &runs) {
            Contraction(g, runs, context).contract();
        });
    }
};

} // namespace

std::unique_ptr<pass::Pass> createContractArrays() { return std::make_unique<ContractArrays>(); }

} // namespace sdfgc::transforms
