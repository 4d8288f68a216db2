// sink-producers: compute an element of an array in the loop that reads it, if it is read once.
//
//     map[i = 0:2 * N] {                                  map[i = 0:N] {
//         s = 0                                               most = -inf
//         map[k = 0:K] { s += A[i + k] * w[k] }               map[w = 0:2] {
//         t[i] = max(s + b, 0)                      ->            s = 0
//     }                                                           map[k = 0:K] { s += A[2 * i + w + k] * w[k] }
//     map[i = 0:N] {                                              t = max(s + b, 0)
//         most = -inf                                             most = max(most, t)
//         map[w = 0:2] { most = max(most, t[2 * i + w]) }     }
//         B[i] = most                                         B[i] = most
//     }                                                   }
//
// On a GPU, this is one kernel instead of two, and the array needs no memory: a convolution and the layer that pools its results.
// recompute-producers computes cheap values as often as they are read. Here, each element is read at most once, so it may take any
// number of operations.
//
// Legal when (t is the array that is removed):
//   1. t is a transient array that may become a variable (mayBeVariable), and all its uses are known (hiddenContainers): one
//      certain write, and one read of an element by a tasklet in a later item of the run;
//   2. the map that writes t does so in its innermost loop, has no other result, and contains only maps, copies and Python tasklets.
//      Each of its parameters is an index of t, up to an offset, and together they write all of t, so the element that the
//      reader uses is one of these;
//   3. neither the maps nor any item between them writes what the value is computed from.
//
// Profitable when different iterations of the loops around the read use different elements, and the maps of the reader have threads
// for the entire device. Each thread then computes the elements of a window, of at most 16.
//
// Each element is computed by the same operations from the same values, so results are bitwise identical.
//
// Not handled: readers with several reads; windows that overlap; reads under conditions; SDFGs in scopes.
#include "Transforms/Edits/BlockRows.h"
#include "Transforms/Edits/NestRemarks.h"

#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/Conflicts.h"
#include "sdfgc/Nest/MakeMaps.h"
#include "sdfgc/Nest/Producers.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using analysis::LoopLevel;
using diag::Reason;
using diag::Why;
using nest::Item;
using nest::Map;
using nest::Use;
using nest::UseKind;

constexpr int64_t largestWindow = 16;        // elements that one thread computes
constexpr std::size_t mostContainers = 24;   // of a kernel
constexpr std::size_t sinkingDistance = 100; // items between the two maps

/// A map that computes an element of an array in each iteration, and does nothing else.
struct ElementMap {
    nest::Producer loops; // its loops, and the map whose body computes the element
    const Use *write = nullptr;
};

/// The only read of the array.
struct ElementRead {
    std::size_t item = 0; // of the run
    Map *body = nullptr;  // that contains the step
    std::size_t step = 0; // in it
    const Use *use = nullptr;
    std::vector<LoopLevel> loops; // around the step
};

/// Does an item only contain maps, copies and Python tasklets?
bool isOfTasklets(const Item &i) {
    if (i.map)
        return nest::canSplit(*i.map) && std::all_of(i.map->body.begin(), i.map->body.end(), isOfTasklets);
    return !i.step->effects && (i.step->isCopy() || nest::isPythonTasklet(*i.step));
}

std::optional<ElementMap> elementMapOf(Map &m) {
    ElementMap out;
    for (Map *each = &m;; each = each->body.front().map.get()) {
        if (each->entry->ordered || !nest::canSplit(*each))
            return std::nullopt;
        analysis::addLoops(out.loops.loops, *each);
        out.loops.inner = each;
        if (each->body.size() != 1 || !each->body.front().map || !each->locals.empty())
            break;
    }
    const std::set<Name> own = nest::localsOf(*out.loops.inner);
    for (const Item &i : out.loops.inner->body) {
        if (!isOfTasklets(i))
            return std::nullopt;
        for (const nest::PlacedUse &u : nest::usesOf(i)) {
            if (!u.use->writes() || own.count(u.use->data))
                continue;
            const bool isElement = i.step && !i.step->isCopy() && u.use->kind == UseKind::Write && u.use->certain &&
                                   u.use->subset && u.use->subset->isOneElement() && u.use->memlet.data == u.use->data;
            if (out.write || !isElement)
                return std::nullopt;
            out.write = u.use;
        }
    }
    return out.write ? std::optional(out) : std::nullopt;
}

/// Finds the tasklet in an item that reads an element of a container. `loops`: around the item.
bool findRead(Item &i, Map *body, std::size_t at, Name data, std::vector<LoopLevel> &loops, ElementRead &out) {
    if (i.map) {
        analysis::addLoops(loops, *i.map);
        for (std::size_t k = 0; k < i.map->body.size(); ++k)
            if (findRead(i.map->body[k], i.map.get(), k, data, loops, out))
                return true;
        loops.resize(loops.size() - i.map->params.size());
        return false;
    }
    for (const Use &u : i.step->uses)
        if (u.data == data && body) {
            const bool isElement = isOfTasklets(i) && !i.step->isCopy() && u.kind == UseKind::Read && u.subset &&
                                   u.subset->isOneElement() && u.memlet.data == data;
            out.body = isElement && nest::canSplit(*body) ? body : nullptr;
            out.step = at;
            out.use = &u;
            out.loops = loops;
            return true;
        }
    return false;
}

/// Do the loops of a map write every element of a container, each in one iteration?
bool writesAll(const ElementMap &m, const DataDesc &d) {
    const auto isZero = [](sym::Expr e) { return e.isZero(); };
    if (!std::all_of(d.offset.begin(), d.offset.end(), isZero))
        return false;
    std::set<Name> used;
    for (std::size_t k = 0; k < d.rank(); ++k) {
        const sym::Expr index = m.write->subset->dims[k].begin;
        const auto l = std::find_if(m.loops.loops.begin(), m.loops.loops.end(),
                                    [&](const LoopLevel &each) { return index.dependsOn(each.variable); });
        if (l == m.loops.loops.end()) {
            if (!index.isZero() || !d.shape[k].isOne())
                return false;
            continue;
        }
        const sym::Expr shift = index - sym::Expr::symbol(l->variable);
        const auto isOther = [&](const LoopLevel &each) { return shift.dependsOn(each.variable); };
        if (std::any_of(m.loops.loops.begin(), m.loops.loops.end(), isOther) || !used.insert(l->variable).second ||
            !l->range.step.isOne() || !l->range.tile.isOne() || !(l->range.begin + shift).isZero() ||
            !(l->range.end + shift + 1 == d.shape[k]))
            return false;
    }
    return used.size() == m.loops.loops.size();
}

/// Do different iterations of these loops use different elements? Each loop moves one index, and further than the loops with
/// smaller steps in this index: `2 * i + w` with two values of `w`.
bool areApart(const sym::Subset &element, const std::vector<LoopLevel> &loops) {
    std::set<Name> moving;
    for (const sym::Range &dim : element.dims) {
        std::vector<std::pair<int64_t, const LoopLevel *>> parts;
        for (const LoopLevel &l : loops) {
            if (!dim.begin.dependsOn(l.variable))
                continue;
            const auto affine = sym::affineIn(dim.begin, l.variable);
            const auto factor = affine ? affine->first.asInt() : std::nullopt;
            if (!factor || *factor <= 0 || !moving.insert(l.variable).second)
                return false;
            parts.emplace_back(*factor, &l);
        }
        std::stable_sort(parts.begin(), parts.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
        int64_t reach = 0; // of the loops with smaller steps
        for (const auto &[factor, l] : parts) {
            if (factor <= reach)
                return false;
            const auto distance = (l->range.end - l->range.begin).asInt();
            if (distance.value_or(l == parts.back().second ? 0 : -1) < 0)
                return false;
            reach += factor * distance.value_or(0);
        }
    }
    return moving.size() == loops.size();
}

/// Rewrites the runs of one SDFG.
class ProducerSinking {
public:
    ProducerSinking(SDFG &g, analysis::Memories &memories, std::vector<nest::Run> &runs, pass::Context &context)
        : g_(g), items_(g, memories), hidden_(nest::hiddenContainers(g, runs)), context_(context) {
        for (const nest::Run &r : runs)
            for (const Item &i : r.items)
                for (const nest::PlacedUse &u : nest::usesOf(i))
                    ++uses_[u.use->data];
    }

    /// Later maps first, so that a chain of producers ends up in its last reader.
    bool sink(std::vector<Item> &list) {
        bool changed = false;
        for (std::size_t at = list.size(); at-- > 0;)
            if (list[at].map && sink(list, at)) {
                list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
                changed = true;
            }
        return changed;
    }

private:
    bool sink(std::vector<Item> &list, std::size_t at) {
        const std::optional<ElementMap> m = elementMapOf(*list[at].map);
        if (!m || hidden_.count(m->write->data) || !nest::mayBeVariable(*g_.desc(m->write->data)) || uses_[m->write->data] != 2)
            return false;
        ElementRead read;
        std::vector<LoopLevel> loops;
        bool found = false;
        for (std::size_t i = at + 1; i < list.size() && i - at <= sinkingDistance && !found; ++i) {
            read.item = i;
            found = findRead(list[i], nullptr, 0, m->write->data, loops, read);
        }
        if (!found || !read.body)
            return false;
        const pass::Element where(g_, m->write->data);
        if (const Reason why = obstacle(list, at, *m, read)) {
            context_.missed(where, "is stored, not computed where it is read", why);
            return false;
        }
        if (!context_.mayChange(where, "is computed where it is read, in another kernel"))
            return false;
        move(*m, read);
        return true;
    }

    Reason obstacle(const std::vector<Item> &list, std::size_t at, const ElementMap &m, const ElementRead &read) const {
        const auto iteration = nest::iterationOf(m.loops, *m.write->subset, *read.use->subset);
        if (!iteration || !writesAll(m, *g_.desc(m.write->data)))
            return {Why::SharedElement, "its map may leave out elements"};
        if (!areApart(*read.use->subset, read.loops))
            return {Why::Unprofitable, "elements are read more than once"};
        if (const Reason why = threads(*list[read.item].map, read))
            return why;
        std::set<Name> names;
        for (const Item &i : m.loops.inner->body)
            names.merge(nest::namesOf(i));
        for (const LoopLevel &l : m.loops.loops)
            names.erase(l.variable);
        const auto isTaken = [&](const LoopLevel &l) { return names.count(l.variable) != 0; };
        const auto mayRename = [&](const Item &i) { return nest::canRename(i, *iteration); };
        if (std::any_of(read.loops.begin(), read.loops.end(), isTaken) ||
            !std::all_of(m.loops.inner->body.begin(), m.loops.inner->body.end(), mayRename))
            return {Why::Names, "the names of parameters conflict"};
        if (items_.streamsOf(items_.factsOf(list[at]), items_.factsOf(list[read.item])) > mostContainers)
            return {Why::Budget, "the kernel would use more than " + std::to_string(mostContainers) + " containers"};
        return overwritten(list, at, m, read);
    }

    /// Would the threads of the reader be too few?
    static Reason threads(const Map &reader, const ElementRead &read) {
        if (reader.entry->ordered || !nest::canSplit(reader) || !fillDevice(reader.ranges))
            return {Why::Shape, "the map that reads it has too few threads"};
        int64_t window = 1;
        for (std::size_t k = reader.params.size(); k < read.loops.size(); ++k) {
            const auto trips = read.loops[k].range.steps().asInt();
            if (!trips || *trips > largestWindow || (window *= std::max<int64_t>(*trips, 1)) > largestWindow)
                return {Why::Shape, "a thread would compute more than " + std::to_string(largestWindow) + " elements"};
        }
        return {};
    }

    /// Does anything up to the reader write what the value is computed from?
    Reason overwritten(const std::vector<Item> &list, std::size_t at, const ElementMap &m, const ElementRead &read) const {
        const std::set<Name> own = nest::localsOf(*m.loops.inner);
        for (const Item &i : m.loops.inner->body)
            for (const nest::PlacedUse &input : nest::usesOf(i)) {
                if (input.use->writes() || own.count(input.use->data))
                    continue;
                const std::set<Name> names = input.use->subset ? input.use->subset->freeSymbols() : std::set<Name>();
                if (!analysis::isPlain(g_.desc(input.use->data)) ||
                    std::any_of(names.begin(), names.end(), [this](Name n) { return g_.desc(n) != nullptr; }))
                    return {Why::Opaque, "its inputs are unknown"};
                for (std::size_t k = at; k <= read.item; ++k)
                    for (const nest::PlacedUse &u : nest::usesOf(list[k]))
                        if (u.use->writes() && items_.meet(*u.use, *input.use))
                            return {Why::Dependence, "`" + input.use->data.str() + "`, from which it is computed, is overwritten"};
            }
        return {};
    }

    /// Puts the body of the map in front of the step that reads its result, which becomes a variable.
    void move(const ElementMap &m, const ElementRead &read) {
        const Name data = m.write->data;
        const std::map<Name, sym::Expr> iteration = *nest::iterationOf(m.loops, *m.write->subset, *read.use->subset);
        std::vector<Item> body = std::move(m.loops.inner->body);
        for (Item &i : body)
            nest::rename(i, iteration);
        read.body->body.insert(read.body->body.begin() + static_cast<std::ptrdiff_t>(read.step),
                               std::make_move_iterator(body.begin()), std::make_move_iterator(body.end()));
        read.body->locals.insert(m.loops.inner->locals.begin(), m.loops.inner->locals.end());
        nest::makeVariable(*read.body, data, g_);
    }

    SDFG &g_;
    const nest::Conflicts items_;
    const std::set<Name> hidden_;
    pass::Context &context_;
    std::map<Name, std::size_t> uses_; // of each container, in all items
};

class SinkProducers : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        if (!context.options.gpu())
            return false;
        return rewriteRuns(root, context, [&](SDFG &g, analysis::Memories &memories, std::vector<nest::Run> &runs) {
            if (analysis::isInScope(g) || mentionsGpu(g))
                return;
            ProducerSinking sinking(g, memories, runs, context);
            for (nest::Run &run : runs)
                run.changed |= sinking.sink(run.items);
        });
    }
};

} // namespace

std::unique_ptr<pass::Pass> createSinkProducers() { return std::make_unique<SinkProducers>(); }

} // namespace sdfgc::transforms
