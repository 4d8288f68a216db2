// skew-loops: run nests of dependent loops as wavefronts.
//
//     for i = 1; i < N {                                  for plane = 2; plane < 2*N - 1 {
//         for j = 1; j < M {                                  map[i = max(1, plane - M + 1):min(N, plane)] {
//             A[i, j] = A[i - 1, j] + A[i, j - 1]    ->           j = plane - i
//         }                                                       A[i, j] = A[i - 1, j] + A[i, j - 1]
//     }                                                       }
//                                                         }
//
// All iterations on a hyperplane `i + j` are independent, so they are a kernel, or a step between barriers (persist-loops).
// Without this, a device runs them one after the other.
//
// A nest consists of loops each of which contains the next one, and of parts in the last of them: loops, maps and blocks that run
// once, one after the other.
//
//     for t { for i {                          a cell (t, i, j) runs, one after the other
//         map[k = 0:N - 2] { s[k] = ... }          the iteration k = j - 1 of the map
//         for j = 1; j < N - 1 { ... }             the iteration j of the loop
//         x[i] = ...                               the block, if j is N - 1: the one behind the last iteration
//     } }
//
// Iterations of different parts with the same number form a cell. A map with as many iterations as the loop is numbered like it. Each part
// becomes a loop that has one iteration or none. Arrays of which a cell only uses one element become an element of each cell.
//
// The hyperplanes are `a * i + j`, or `b * t + a * i + j`, with the smallest factors that are legal, those of inner loops first.
// Loops that count down are counted with a minus. If no factor is legal for an outer loop, the loop stays around the planes.
//
// Legal when, in the new order:
//   1. each conflict between two cells has the direction of the program: the hyperplane of the earlier cell comes first. So
//      cells of one hyperplane have no conflicts. The direction vectors of the dependence engine tell (nest::orderOf);
//   2. iterations of the loops inside a hyperplane may be maps, by the rules of loops-to-maps. Containers that a cell writes before it
//      reads them are private to it;
//   3. the loops count by one between bounds that nothing in them changes. Ranges of the loops around the parts do not
//      depend on each other, and those of the parts are affine in them;
//   4. containers in which cells pass values to each other are used outside of the nest as well: if a map is their only user, each of
//      its iterations has its own.
// Everything is tried with a copy of the program first.
//
// Every cell computes the same values from the same values, so results are bitwise identical, except for library nodes in it: sums
// of products become loops of a thread, which is class F1.
//
// Profitable on a device: nothing else makes these loops parallel, since the passes before this one have failed. Inner loops with
// maps for several threads in them are left alone. If one nest is in another, the one with the fewest loops around its
// hyperplanes is taken, and of these the deepest.
//
// Not handled: assignments between the parts, loops with steps, and values that an outer iteration passes along its parts, such
// as a sum in a scalar (`s += L[i, k] * x[k]; x[i] = s`), which would need an element for each outer iteration.
#include "Transforms/Edits/ChangeLoops.h"
#include "Transforms/Edits/Completion.h"
#include "Transforms/Optimize/LoopConversion.h"
#include "Transforms/Optimize/LoopScratch.h"
#include "Transforms/Optimize/Skewing.h"

#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/CallBlocks.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using diag::Reason;
using diag::Why;

constexpr int64_t largestFactor = 8; // of a loop in a hyperplane

/// A nest, by the positions of its loops among the regions of an SDFG, outermost first.
struct SkewNest {
    std::vector<std::size_t> loops;
    std::size_t around = 0; // loops that contain it
};

/// Does the new order of two cells agree with the program's? `v`: of the hyperplane and the loops inside it, which count upwards.
/// `down`: do the loops of the program count down?
bool keepsOrder(const std::vector<analysis::Directions> &v, const std::vector<bool> &down) {
    const auto isSame = [](const analysis::Directions &d) { return d.equal && !d.less && !d.greater; };
    const auto mayBe = [](const analysis::Directions &d, int sign) { return sign < 0 ? d.less : sign > 0 ? d.greater : d.equal; };
    if (v.front().equal && !std::all_of(v.begin() + 1, v.end(), isSame))
        return false;
    for (const int sign : {-1, 1}) {
        bool equal = mayBe(v.front(), sign);
        for (std::size_t k = 1; k < v.size() && equal; ++k) {
            if (mayBe(v[k], down[k - 1] ? sign : -sign))
                return false;
            equal = v[k].equal;
        }
    }
    return true;
}

/// Rewrites one nest of a program, or of a copy of it.
class Wavefront {
public:
    Wavefront(SDFG &root, std::size_t sdfg, const std::vector<std::size_t> &loops, pass::Context &context)
        : root_(root), g_(*allSDFGs(root)[sdfg]), context_(context) {
        const std::vector<Region *> regions = allRegions(g_);
        for (const std::size_t k : loops)
            loops_.push_back(cast<LoopRegion>(regions[k]));
    }

    /// Why not; empty if it was rewritten.
    Reason make(const std::vector<int64_t> &factors) {
        for (const LoopRegion *l : loops_)
            down_.push_back(analysis::headerOf(*l).down);
        LoopRegion *planes = nullptr;
        {
            analysis::Memories memories(root_);
            const nest::LoopItems items(g_, memories);
            for (const Region *r : allRegions(*loops_.front()))
                if (const auto *l = dyn_cast<LoopRegion>(r); l && items.isReadOutside(*l))
                    return {Why::LiveOut, "`" + l->variable.str() + "` is read after it"};
            Skewing skewing(g_, loops_);
            if (Reason why = skewing.obstacle())
                return why;
            skewing.contract(items, memories);
            planes = &skewing.apply(factors);
        }
        return toMaps(*planes);
    }

    bool moves() const { return moves_; }

private:
    Reason toMaps(LoopRegion &planes) {
        analysis::Memories memories(root_);
        const nest::Conflicts items(g_, memories);
        nest::LoopItems loops(g_, memories);
        ValuesAfterLoops after(g_, memories);
        const LoopsOf known{g_, memories, items, loops, after};
        if (Reason why = order(planes, known))
            return why;
        std::set<Name> privates;
        for (auto l = loops_.rbegin(); l != loops_.rend(); ++l) {
            LoopConversion conversion(**l, known, context_, IterationKind::Cell);
            if (Reason why = conversion.obstacle())
                return why;
            after.containers().forget(**l);
            conversion.replace();
            moves_ |= conversion.moves();
            if (conversion.seesThrough())
                nest::removeUnusedViews(g_);
            privates.insert(conversion.privateSymbols().begin(), conversion.privateSymbols().end());
        }
        nest::forgetSymbols(g_, privates);
        return {};
    }

    /// Rule 1.
    Reason order(LoopRegion &planes, const LoopsOf &known) const {
        nest::BodySymbols symbols(g_);
        for (auto &[symbol, containers] : symbols.sized)
            std::erase_if(containers, [this](Name n) { return g_.desc(n)->isView(); });
        nest::LoopBody cells, all;
        LoopRegion &inner = *loops_.back();
        if (Reason why = nest::readBody(inner, analysis::headerOf(inner), known.memories, known.loops.shared(), symbols, cells))
            return why;
        if (Reason why = nest::readBody(planes, analysis::headerOf(planes), known.memories, known.loops.shared(), symbols, all))
            return why;
        const LoopScratch scratch(inner, known.loops, known.after.containers());
        const std::set<Name> privates =
            nest::privateContainers(cells, g_, known.items, known.memories, [&](Name n) { return scratch.outside(n); });
        for (const nest::BodyUse &u : all.uses)
            if (!u.data.empty() && !privates.count(u.data) && g_.desc(u.data)->transient &&
                known.loops.isOnlyInside(u.data, planes))
                return {Why::Container,
                        "its iterations pass values to each other in `" + u.data.str() + "`, which nothing else uses"};
        return nest::orderOf(all, g_, known.items, known.memories, 1 + loops_.size(), privates,
                             [this](const std::vector<analysis::Directions> &v) { return keepsOrder(v, down_); });
    }

    SDFG &root_, &g_;
    pass::Context &context_;
    std::vector<LoopRegion *> loops_;
    std::vector<bool> down_;
    bool moves_ = false;
};

class SkewLoops : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        if (!context.options.gpu() || !option<bool>("device"))
            return false;
        tried_.clear();
        bool changed = false;
        while (change(root, context))
            changed = true;
        if (changed)
            root.renumber();
        return changed;
    }

    /// Rewrites the first nest that can be rewritten.
    bool change(SDFG &root, pass::Context &context) {
        const std::vector<SDFG *> all = allSDFGs(root);
        for (std::size_t k = 0; k < all.size(); ++k) {
            if (analysis::isInScope(*all[k]) || mentionsGpu(*all[k]))
                continue;
            for (const SkewNest &n : nestsOf(*all[k]))
                if (change(root, k, n, context))
                    return true;
        }
        return false;
    }

    bool change(SDFG &root, std::size_t sdfg, const SkewNest &n, pass::Context &context) {
        SDFG &g = *allSDFGs(root)[sdfg];
        const auto &inner = *cast<LoopRegion>(allRegions(g)[n.loops.back()]);
        if (!tried_.insert({g.name.str(), inner.label}).second)
            return false;
        std::vector<std::size_t> loops; // of the nest, from the inner ones
        std::vector<int64_t> factors;
        Reason why;
        for (auto l = n.loops.rbegin(); l != n.loops.rend(); ++l) {
            loops.insert(loops.begin(), *l);
            factors.insert(factors.begin(), 0);
            why = leastFactor(root, sdfg, loops, factors, context);
            if (!why)
                continue;
            loops.erase(loops.begin());
            factors.erase(factors.begin());
            break;
        }
        if (loops.empty()) {
            context.missed(inner, "is no wavefront", why);
            return false;
        }
        if (!context.mayChange(inner, "walks over hyperplanes, whose cells are independent: " + text(g, loops, factors)))
            return false;
        Wavefront wavefront(root, sdfg, loops, context);
        (void)wavefront.make(factors);
        if (wavefront.moves())
            inferTypes(root, context); // of arguments of nested SDFGs
        root.renumber();
        return true;
    }

    /// Finds the first factor; returns why there is none.
    static Reason leastFactor(SDFG &root, std::size_t sdfg, const std::vector<std::size_t> &loops, std::vector<int64_t> &factors,
                              pass::Context &context) {
        Reason why;
        for (int64_t f = 1; f <= largestFactor; ++f) {
            factors.front() = f;
            const std::unique_ptr<SDFG> copy = clone(root);
            why = Wavefront(*copy, sdfg, loops, context).make(factors);
            if (!why || why.code != Why::Dependence)
                return why;
        }
        return why;
    }

    /// `4*t + 2*i + j`
    static std::string text(const SDFG &g, const std::vector<std::size_t> &loops, const std::vector<int64_t> &factors) {
        const std::vector<const Region *> regions = allRegions(g);
        std::string out;
        for (std::size_t k = 0; k < loops.size(); ++k) {
            const auto &l = *cast<LoopRegion>(regions[loops[k]]);
            out += (analysis::headerOf(l).down ? (out.empty() ? "-" : " - ") : (out.empty() ? "" : " + ")) +
                   (factors[k] == 1 ? "" : std::to_string(factors[k]) + "*") + l.variable.str();
            if (k + 1 < loops.size())
                continue;
            for (const auto &b : l.blocks())
                if (const auto *inner = dyn_cast<LoopRegion>(b.get()))
                    return out + (analysis::headerOf(*inner).down ? " - " : " + ") + inner->variable.str();
        }
        return out;
    }

    /// The nests of an SDFG that have the form, those first that leave the fewest loops outside, then the deepest ones.
    static std::vector<SkewNest> nestsOf(SDFG &g) {
        const std::vector<Region *> regions = allRegions(g);
        std::map<const Region *, std::size_t> positions;
        for (std::size_t k = 0; k < regions.size(); ++k)
            positions.emplace(regions[k], k);
        std::vector<SkewNest> out;
        for (Region *r : regions) {
            auto *l = dyn_cast<LoopRegion>(r);
            if (!l || nest::isKept(*l))
                continue;
            std::vector<LoopRegion *> around{l};
            if (Skewing(g, around).obstacle())
                continue;
            for (auto *outer = dyn_cast<LoopRegion>(l->parent()); outer && outer->blocks().size() == 1;
                 outer = dyn_cast<LoopRegion>(outer->parent())) {
                std::vector<LoopRegion *> more = around;
                more.insert(more.begin(), outer);
                if (nest::isKept(*outer) || Skewing(g, more).obstacle())
                    break;
                around = std::move(more);
            }
            SkewNest n;
            for (const LoopRegion *each : around)
                n.loops.push_back(positions.at(each));
            for (const Region *each = around.front()->parent(); each; each = each->parent())
                n.around += isa<LoopRegion>(each);
            out.push_back(std::move(n));
        }
        std::stable_sort(out.begin(), out.end(), [](const SkewNest &a, const SkewNest &b) {
            return std::pair(a.around, b.loops.size()) < std::pair(b.around, a.loops.size());
        });
        return out;
    }

    std::set<std::pair<std::string, std::string>> tried_; // by SDFG and label of the last loop around the parts
};

} // namespace

std::unique_ptr<pass::Pass> createSkewLoops() { return std::make_unique<SkewLoops>(); }

} // namespace sdfgc::transforms
