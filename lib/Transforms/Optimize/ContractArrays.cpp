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
//      flow, and all its uses are of tasklets and copies in one map;
//   2. all uses are of one and the same element in terms of the map's parameters and of symbols from outside;
//   3. the first use in every iteration writes it, whatever holds: then no value comes from another iteration, or from before.
//
// The variable has the type of the array: values are rounded as they were.
#include "Transforms/Optimize/NestItems.h"

#include "sdfgc/Analysis/Symbols.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using nest::Item;
using nest::Map;
using nest::PlacedUse;
using nest::Step;
using nest::Use;

/// May such a container be in a variable instead, as far as its descriptor tells?
bool isCandidate(const DataDesc &d) {
    return d.transient && d.isArray() && d.alias == AliasKind::None && !d.mayAlias && d.lifetime == Lifetime::Scope && !d.pool &&
           !d.totalSize.isOne() &&
           (d.storage == Storage::Default || d.storage == Storage::CPU_Heap || d.storage == Storage::Register);
}

/// Where a container is used: the item of its run, if it is one only.
struct Place {
    std::size_t run = 0, item = 0;
    bool several = false;
    std::vector<PlacedUse> uses; // in the order of the item
};

/// Finds out, for one SDFG, and makes variables of its arrays.
class Contraction {
public:
    Contraction(SDFG &g, std::vector<nest::Run> &runs, pass::Context &context) : g_(g), runs_(runs), context_(context) {}

    bool contract() {
        locate();
        const std::set<Name> controlled = analysis::containersReadByControlFlow(g_);
        std::set<std::size_t> changed;
        for (const auto &[name, place] : places_) {
            DataDesc &d = *g_.desc(name);
            Item &item = runs_[place.run].items[place.item];
            if (!isCandidate(d) || place.several || controlled.count(name) || hidden_.count(name) || !item.map)
                continue;
            if (const std::string why = obstacle(*item.map, place.uses); !why.empty()) {
                context_.missed(g_.name.str() + ": container " + name.str(), "stays an array: " + why);
                continue;
            }
            context_.done(g_.name.str() + ": container " + name.str(),
                          "is a variable of each iteration of `" + item.map->entry->label + "`");
            makeVariable(item, name, d);
            changed.insert(place.run);
        }
        for (const std::size_t r : changed)
            nest::write(runs_[r]);
        return !changed.empty();
    }

private:
    void locate() {
        std::set<const State *> read;
        for (std::size_t r = 0; r < runs_.size(); ++r) {
            read.insert(runs_[r].states.begin(), runs_[r].states.end());
            for (std::size_t i = 0; i < runs_[r].items.size(); ++i)
                for (const PlacedUse &u : nest::usesOf(runs_[r].items[i])) {
                    auto [it, isNew] = places_.try_emplace(u.use->data, Place{r, i, false, {}});
                    it->second.several |= !isNew && (it->second.run != r || it->second.item != i);
                    it->second.uses.push_back(u);
                    hide({u.step->nodes.begin(), u.step->nodes.end()});
                    for (const AccessNode *a = u.use->access; a && g_.desc(a->data)->isView(); a = viewedNode(a))
                        hide({a, viewedNode(a)});
                }
        }
        for (const State *s : allStates(std::as_const(g_)))
            if (!read.count(s))
                for (const auto &n : s->nodes())
                    hide({n.get()});
    }

    /// Containers of access nodes that are not taken apart.
    void hide(const std::vector<const Node *> &nodes) {
        for (const Node *n : nodes)
            if (const auto *a = n ? dyn_cast<AccessNode>(n) : nullptr)
                hidden_.insert(a->data);
    }

    /// Why an array cannot be a variable of each iteration; empty if it can.
    std::string obstacle(const Map &m, const std::vector<PlacedUse> &uses) const {
        const std::optional<sym::Subset> &first = uses.front().use->subset;
        for (const PlacedUse &u : uses) {
            if (u.step->nodes.size() > 1 || (!u.step->isCopy() && !isa<Tasklet>(u.step->nodes.front())))
                return "it is used by more than tasklets and copies";
            const std::vector<analysis::LoopLevel> inner(u.loops.begin() + static_cast<std::ptrdiff_t>(m.params.size()),
                                                         u.loops.end());
            if (!u.use->subset || !u.use->subset->isOneElement() || !(*u.use->subset == *first) || variesInside(*first, inner))
                return "an iteration uses more than one element";
            if (&u == &uses.front() && (!u.use->certain || !inner.empty()))
                return "the first use in an iteration does not write it for certain";
        }
        return "";
    }

    static bool variesInside(const sym::Subset &s, const std::vector<analysis::LoopLevel> &loops) {
        const std::set<Name> symbols = s.freeSymbols();
        return std::any_of(loops.begin(), loops.end(), [&](const auto &l) { return symbols.count(l.variable) != 0; });
    }

    static void makeVariable(Item &item, Name name, DataDesc &d) {
        DataDesc variable = DataDesc::scalar(d.dtype, true);
        variable.storage = Storage::Register;
        variable.debugInfo = d.debugInfo;
        d = std::move(variable);
        retarget(item, name);
        item.map->locals.insert(name);
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
    std::map<Name, Place> places_;
    std::set<Name> hidden_; // used where no item says how
};

class ContractArrays : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        analysis::Memories memories(root);
        bool changed = false;
        std::vector<SDFG *> all = allSDFGs(root);
        for (auto g = all.rbegin(); g != all.rend(); ++g) { // writing copies nested SDFGs: these come first
            std::vector<nest::Run> runs = nest::readRuns(**g, memories);
            changed |= Contraction(**g, runs, context).contract();
        }
        if (changed)
            root.renumber();
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createContractArrays() { return std::make_unique<ContractArrays>(); }

} // namespace sdfgc::transforms
