// contract-arrays: replace a transient with a variable if each iteration of a map uses only one of its elements.
//
//     map[i = 0:N] {                                  map[i = 0:N] {
//         t[i] = A[i] + 1                                 t = A[i] + 1
//         B[i] = 2 * t[i]                      ->         B[i] = 2 * t
//     }                                               }
//     transient t: float64[N]                         transient t: float64 (Register)
//
// Legal when (rule A9.2 of docs/user/optimiser.md):
//   1. the container is a transient array with the lifetime of its scope, without views or references; control flow
//      does not mention it; and all its uses are in tasklets, nested SDFGs and copies of one map. In a nest of maps,
//      the innermost map that contains all uses counts;
//   2. all uses access the same element, as a function of the parameters of the maps and of symbols from outside;
//   3. the first use in every iteration is an unconditional write, so no value comes from another iteration or from
//      before the map.
//
// The variable has the type of the array, so values are rounded as before.
//
// With the option `rows`, an array is reduced to one row if each iteration uses a row of its own:
//
//     map[i = 0:N] {                                     map[i = 0:N] {
//         map[j = 0:M] { e[i, j] = exp(A[i, j]) }            map[j = 0:M] { e[j] = exp(A[i, j]) }
//         map[j = 0:M] { s[i] += e[i, j] }           ->      map[j = 0:M] { s[i] += e[j] }
//     }                                                  }
//     transient e: float64[N, M]                         transient e: float64[M]
//
// Each thread then only needs the memory of one iteration, which stays in cache. Conditions 2 and 3 become:
//   2'. in some dimensions all uses have the same index, as a function of the parameters of the maps around all of
//       them; all uses access single elements, in tasklets and copies;
//   3'. every read is of an element that an earlier step of the same iteration has certainly written
//       (analysis::isCovered).
//
// Rows come last in the pipeline, because jam-maps rejects maps with arrays that are private to an iteration.
//
// Not handled: containers used by library nodes; `rows` in programs for a GPU.
#include "Transforms/Edits/NestRemarks.h"

#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/Conflicts.h"
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
struct EnclosedUse {
    PlacedUse use;
    std::size_t run = 0;
    std::vector<Map *> maps;
};

/// Finds arrays of one SDFG that can become variables, and converts them.
class Contraction {
public:
    Contraction(SDFG &g, std::vector<nest::Run> &runs, bool rows, const NodeLabels &labels, pass::Context &context)
        : g_(g), runs_(runs), rows_(rows), facts_(analysis::factsOf(g)), labels_(labels), context_(context) {}

    void contract() {
        locate();
        const std::set<Name> hidden = nest::hiddenContainers(g_, runs_);
        for (const auto &[name, uses] : uses_) {
            DataDesc &d = *g_.desc(name);
            const std::vector<Map *> around = commonMaps(uses);
            if (!nest::mayBeVariable(d) || around.empty() || hidden.count(name))
                continue;
            const pass::Element where(g_, name);
            if (const Reason why = obstacle(around, uses)) {
                if (rows_ && contractToRow(name, d, around, uses))
                    continue;
                context_.missed(where, "remains an array", why, d.totalSize * d.dtype.bytes().value_or(1));
                continue;
            }
            Map &owner = *around.back();
            if (!context_.mayChange(where, "is a variable of each iteration of " + labels_.of(*owner.entry)))
                continue;
            nest::makeVariable(owner, name, g_);
            runs_[uses.front().run].changed = true;
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
                    uses_[u.data].push_back({{&u, i.step.get(), {u.subset, loops}}, run, maps});
                continue;
            }
            analysis::addLoops(loops, *i.map);
            maps.push_back(i.map.get());
            locate(i.map->body, run, loops, maps);
            maps.pop_back();
            loops.resize(loops.size() - i.map->params.size());
        }
    }

    /// The maps around all uses, outermost first.
    static std::vector<Map *> commonMaps(const std::vector<EnclosedUse> &uses) {
        std::vector<Map *> common = uses.front().maps;
        for (const EnclosedUse &p : uses) {
            std::size_t k = 0;
            while (k < common.size() && k < p.maps.size() && common[k] == p.maps[k])
                ++k;
            common.resize(k);
        }
        return common;
    }

    /// Why an array cannot be a variable of each iteration of the innermost of these maps; empty if it can.
    static Reason obstacle(const std::vector<Map *> &around, const std::vector<EnclosedUse> &uses) {
        std::size_t outer = 0;
        for (const Map *m : around)
            outer += m->params.size();
        std::optional<sym::Subset> first;
        for (const EnclosedUse &p : uses) {
            const PlacedUse &u = p.use;
            if (u.step->nodes.size() > 1 ||
                (!u.step->isCopy() && !isa<Tasklet>(u.step->nodes.front()) && !isa<NestedSDFGNode>(u.step->nodes.front())))
                return {Why::Opaque, "it is used by more than tasklets, nested SDFGs and copies"};
            const std::vector<analysis::LoopLevel> inner(u.instance.loops.begin() + static_cast<std::ptrdiff_t>(outer),
                                                         u.instance.loops.end());
            const std::optional<sym::Subset> element = outside(u.use->subset, inner);
            if (!first)
                first = element;
            if (!element || !element->isOneElement() || !(*element == *first) || variesInside(*first, inner))
                return {Why::SharedElement, "an iteration uses more than one element"};
            if (&p == &uses.front() && (!u.use->certain || !inner.empty()))
                return {Why::SharedElement, "the first use in an iteration is not certain to write it"};
        }
        return {};
    }

    /// A subset without the variables of loops that only are conditions.
    static std::optional<sym::Subset> outside(std::optional<sym::Subset> s, const std::vector<analysis::LoopLevel> &loops) {
        for (auto l = loops.rbegin(); l != loops.rend() && s; ++l)
            if (const auto only = sym::onlyValueOf(l->range))
                s = s->substituted({{l->variable, only->value}});
        return s;
    }

    // ---- rows

    /// Reduces an array to a row, if each iteration uses a separate one.
    bool contractToRow(Name name, DataDesc &d, const std::vector<Map *> &around, const std::vector<EnclosedUse> &uses) {
        const std::vector<std::size_t> kept = dimsOfRow(around, uses);
        Map &owner = *around.back();
        if (kept.empty() || kept.size() == d.rank() || !isWrittenFirst(uses) || isGpuSchedule(owner.entry->schedule) ||
            !context_.mayChange({g_, name}, "is a row of each iteration of " + labels_.of(*owner.entry)))
            return false;
        std::vector<sym::Expr> shape;
        for (const std::size_t k : kept)
            shape.push_back(d.shape[k]);
        DataDesc row = DataDesc::array(d.dtype, shape, true);
        for (std::size_t k = 0; k < kept.size(); ++k)
            row.offset[k] = d.offset[kept[k]];
        row.storage = d.storage;
        row.debugInfo = d.debugInfo;
        d = std::move(row);
        for (Item &i : owner.body)
            retarget(i, name, kept);
        owner.locals.insert(name);
        runs_[uses.front().run].changed = true;
        return true;
    }

    /// The dimensions in which uses have different indices; none if the other dimensions do not determine the iteration of an
    /// element.
    static std::vector<std::size_t> dimsOfRow(const std::vector<Map *> &around, const std::vector<EnclosedUse> &uses) {
        std::size_t outer = 0;
        std::vector<Name> params;
        for (const Map *m : around) {
            outer += m->params.size();
            params.insert(params.end(), m->params.begin(), m->params.end());
        }
        const std::optional<sym::Subset> &first = uses.front().use.use->subset;
        std::set<std::size_t> varying;
        for (const EnclosedUse &p : uses) {
            const PlacedUse &u = p.use;
            const bool element = u.use->subset && u.use->subset->isOneElement() && first && first->rank() == u.use->subset->rank();
            const bool withinItself = u.step->isCopy() && u.step->uses.front().data == u.step->uses.back().data;
            if (!element || withinItself ||
                (!u.step->isCopy() && (u.step->nodes.size() > 1 || !isa<Tasklet>(u.step->nodes.front()))))
                return {};
            const std::vector<analysis::LoopLevel> inner(u.instance.loops.begin() + static_cast<std::ptrdiff_t>(outer),
                                                         u.instance.loops.end());
            for (std::size_t d = 0; d < first->rank(); ++d)
                if (!(u.use->subset->dims[d] == first->dims[d]) || variesInside({{first->dims[d]}}, inner))
                    varying.insert(d);
        }
        for (std::size_t d = 0; d < first->rank(); ++d)
            if (!varying.count(d) && nest::mentions({{first->dims[d]}}, params))
                return {varying.begin(), varying.end()};
        return {};
    }

    /// Is each element written before it is read, in the same iteration of all maps around both steps?
    bool isWrittenFirst(const std::vector<EnclosedUse> &uses) const {
        for (std::size_t k = 0; k < uses.size(); ++k) {
            const EnclosedUse &read = uses[k];
            bool covered = read.use.use->kind == nest::UseKind::Write;
            for (std::size_t w = 0; w < k && !covered; ++w) {
                const EnclosedUse &write = uses[w];
                if (write.use.use->kind != nest::UseKind::Write || !write.use.use->certain || write.use.step == read.use.step)
                    continue;
                std::size_t common = 0;
                for (const Map *m : commonMaps({read, write}))
                    common += m->params.size();
                covered = analysis::isCovered(read.use.instance, write.use.instance, common, facts_);
            }
            if (!covered)
                return false;
        }
        return true;
    }

    /// Restricts memlets to the remaining dimensions.
    static void retarget(Item &item, Name name, const std::vector<std::size_t> &kept) {
        if (item.map) {
            for (Item &inner : item.map->body)
                retarget(inner, name, kept);
            return;
        }
        const auto row = [&](const sym::Subset &s) {
            sym::Subset out;
            for (const std::size_t k : kept)
                out.dims.push_back(s.dims[k]);
            return out;
        };
        std::optional<sym::Subset> element; // of a copy
        for (Use &u : item.step->uses)
            if (u.data == name)
                u.subset = element = row(*u.subset);
        if (!element)
            return;
        for (Use &u : item.step->uses) {
            if (u.memlet.data == name)
                u.memlet.subset = item.step->isCopy() ? element : u.subset;
            else if (item.step->isCopy() || u.data == name)
                u.memlet.otherSubset = item.step->isCopy() ? element : u.subset;
        }
    }

    static bool variesInside(const sym::Subset &s, const std::vector<analysis::LoopLevel> &loops) {
        const std::set<Name> symbols = s.freeSymbols();
        return std::any_of(loops.begin(), loops.end(), [&](const auto &l) { return symbols.count(l.variable) != 0; });
    }

    SDFG &g_;
    std::vector<nest::Run> &runs_;
    const bool rows_;
    const sym::Assumptions facts_;
    const NodeLabels &labels_;
    pass::Context &context_;
    std::map<Name, std::vector<EnclosedUse>> uses_; // in execution order
};

class ContractArrays : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        const NodeLabels labels(root);
        return rewriteRuns(root, context, [&](SDFG &g, const analysis::Memories &, std::vector<nest::Run> &runs) {
            Contraction(g, runs, option<bool>("rows") && !context.options.gpu(), labels, context).contract();
        });
    }
};

} // namespace

std::unique_ptr<pass::Pass> createContractArrays() { return std::make_unique<ContractArrays>(); }

} // namespace sdfgc::transforms
