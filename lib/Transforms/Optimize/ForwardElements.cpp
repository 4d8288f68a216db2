// forward-elements: let kernels read elements of arrays that the host would read for them.
//
//     s = A[t]                                            map[i = 0:N] { B[i] = A[t] }
//     map[i = 0:N] { B[i] = s }                   ->
//
// A scalar is an argument of a kernel, and the host has to wait for the device before it can read an element of an array
// there. The threads of a kernel read the element at once, from the cache.
//
// Legal when:
//   1. the scalar is a transient that one copy of a single element writes, and that only tasklets in parallel maps of the
//      same run read, after the copy;
//   2. nothing up to the last of these maps writes the array's memory, and no loop around a reader changes the element.
//
// Each tasklet reads the same value. The copy is removed.
//
// Not handled: other readers, and values that tasklets compute from elements.
#include "Transforms/Edits/NestRemarks.h"

#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/Conflicts.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using nest::Item;
using nest::Use;

/// Replaces the reads of scalars in one SDFG.
class Forwarding {
public:
    Forwarding(SDFG &g, analysis::Memories &memories, std::vector<nest::Run> &runs, pass::Context &context)
        : g_(g), items_(g, memories), hidden_(nest::hiddenContainers(g, runs)), context_(context) {
        for (const nest::Run &r : runs)
            for (const Item &i : r.items)
                for (const nest::PlacedUse &u : nest::usesOf(i))
                    ++uses_[u.use->data];
    }

    void rewrite(nest::Run &run) {
        for (std::size_t at = 0; at < run.items.size(); ++at)
            run.changed |= run.items[at].step && run.items[at].step->isCopy() && forward(run.items, at);
        std::erase_if(run.items, [](const Item &i) { return !i.map && !i.step; });
    }

private:
    bool forward(std::vector<Item> &list, std::size_t at) {
        const nest::Step &copy = *list[at].step;
        const Use &from = copy.uses.front(), &to = copy.uses.back();
        const DataDesc *array = g_.desc(from.data), *scalar = g_.desc(to.data);
        if (!analysis::isPlain(array) || !array->isArray() || array->totalSize.isOne() || !analysis::isPlain(scalar) ||
            !scalar->transient || !scalar->totalSize.isOne() || scalar->lifetime != Lifetime::Scope ||
            !(array->dtype == scalar->dtype) || hidden_.count(to.data) || !from.subset || !from.subset->isOneElement() ||
            from.shown || !to.certain)
            return false;
        const std::set<Name> names = from.subset->freeSymbols();
        std::vector<Use *> reads;
        for (std::size_t i = at + 1; i < list.size() && reads.size() + 1 < uses_[to.data]; ++i) {
            if (!find(list[i], to.data, names, reads) || writes(list[i], from))
                return false;
        }
        if (reads.empty() || reads.size() + 1 != uses_[to.data])
            return false;
        if (!context_.mayChange(elementOfItem(list[at], g_),
                                "kernels read `" + from.data.str() + "[" + from.subset->str() + "]` themselves"))
            return false;
        for (Use *u : reads)
            *u = nest::ofElement(from, *from.subset, u->connector);
        list[at] = {};
        return true;
    }

    /// Collects the reads of a scalar by tasklets in parallel maps; false if it has other uses, or if a loop hides a name.
    static bool find(Item &i, Name scalar, const std::set<Name> &names, std::vector<Use *> &reads) {
        if (i.step)
            return std::none_of(i.step->uses.begin(), i.step->uses.end(), [&](const Use &u) { return u.data == scalar; });
        return i.map->entry->schedule != Schedule::CPU_Multicore || findInside(i, scalar, names, reads);
    }

    static bool findInside(Item &i, Name scalar, const std::set<Name> &names, std::vector<Use *> &reads) {
        if (i.map) {
            const std::size_t before = reads.size();
            for (Item &inner : i.map->body)
                if (!findInside(inner, scalar, names, reads))
                    return false;
            return reads.size() == before ||
                   std::none_of(i.map->params.begin(), i.map->params.end(), [&](Name p) { return names.count(p) != 0; });
        }
        const bool isTasklet = i.step->nodes.size() == 1 && isa<Tasklet>(i.step->nodes.front());
        for (Use &u : i.step->uses)
            if (u.data == scalar) {
                if (!isTasklet || u.writes() || u.memlet.data != scalar)
                    return false;
                reads.push_back(&u);
            }
        return true;
    }

    bool writes(const Item &i, const Use &element) const {
        const std::vector<nest::PlacedUse> uses = nest::usesOf(i);
        return std::any_of(uses.begin(), uses.end(),
                           [&](const nest::PlacedUse &u) { return u.use->writes() && items_.meet(*u.use, element); });
    }

    SDFG &g_;
    const nest::Conflicts items_;
    const std::set<Name> hidden_;
    pass::Context &context_;
    std::map<Name, std::size_t> uses_; // in all runs
};

class ForwardElements : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        if (!context.options.gpu())
            return false;
        return rewriteRuns(root, context, [&](SDFG &g, analysis::Memories &memories, std::vector<nest::Run> &runs) {
            if (analysis::isInScope(g))
                return;
            Forwarding forwarding(g, memories, runs, context);
            for (nest::Run &run : runs)
                forwarding.rewrite(run);
        });
    }
};

} // namespace

std::unique_ptr<pass::Pass> createForwardElements() { return std::make_unique<ForwardElements>(); }

} // namespace sdfgc::transforms
