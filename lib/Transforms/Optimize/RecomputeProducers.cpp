// recompute-producers: recompute a cheap value where it is read instead of storing it in an array.
//
//     map[i = 0:N + 1] { t[i] = A[i] + A[i + 1] }        map[i = 0:N] {
//     map[i = 0:N] { B[i] = t[i] * t[i + 1] }      ->        t_0 = A[i] + A[i + 1];  t_1 = A[i + 1] + A[i + 2]
//                                                            B[i] = t_0 * t_1
//                                                        }
//
// fuse-nests cannot fuse such maps, because an iteration reads what another one computes. If the value is cheap,
// recomputing it costs less than a walk through memory, and the map stays parallel. The pass visits each list of items,
// a run or the body of a map, from the end, so a chain of producers ends up in its last reader. A value that several
// readers of one iteration need is computed once.
//
// On a GPU, the same is done with scalars that are computed outside of maps from what kernels compute, such as a mean or the
// width of a bin. Each would be a kernel of one thread:
//
//     d = (hi - lo) / N                                  map[i = 0:N] {
//     map[i = 0:N] { e[i] = lo + i * d }        ->           d_0 = (hi - lo) / N;  e[i] = lo + i * d_0
//                                                        }
//
// Legal when (t is the container that is removed):
//   1. t is a transient array that may become a variable (mayBeVariable), or a scalar that is computed outside of maps, and all
//      its uses are known (hiddenContainers);
//   2. a single map of the list writes it: by a tasklet or a copy in its innermost loop, one element per iteration, a
//      different one in each. That is, every parameter is an index of t, up to an offset. The steps that compute the
//      value are Python tasklets and copies with one result each, whose intermediate values are variables of the
//      iteration (contract-arrays creates these);
//   3. all other uses are reads: of single elements, by tasklets in later items of the list, and of elements that the
//      map has written (analysis::isCovered);
//   4. the value's inputs are unchanged at each reader: neither the map nor any item up to the last reader writes them.
//
// Profitable when:
//   - the iterations of a reader do not reuse the same element: each of the reader's loops moves along t. On a GPU, where it
//     saves a kernel, this does not matter to a single operation, nor to four operations on scalars, nor to scalars;
//   - the additional computation costs less than the memory traffic saved: at most the option `operations` per byte of
//     an element, or `device-operations` on a GPU, which also saves a kernel;
//   - the total number of array reads decreases.
//
// Each value is computed by the same operations from the same values and rounded to the type of the array, so results
// are bitwise identical.
//
// Not handled: producers with inner loops (sums); readers that are library nodes, copies or nested SDFGs.
#include "Transforms/Edits/NestRemarks.h"
#include "Transforms/Optimize/DeviceSteps.h"

#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/Conflicts.h"
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
using nest::Step;
using nest::Use;
using nest::UseKind;

/// What the pass may do.
struct RecomputeLimits {
    bool device;
    int64_t operations;
    std::size_t containers, steps, window;
};

/// A read of an element by a tasklet.
struct Read {
    const Use *use = nullptr;
    const Map *body = nullptr;    // that contains the tasklet
    std::vector<LoopLevel> loops; // within the list
    std::size_t item = 0;         // of the list
};

/// Finds the reads of a container. Any other use clears `plain`.
struct Reads {
    Name data;
    std::vector<Read> all = {};
    std::size_t uses = 0;
    bool plain = true;

    void in(const Item &i, const Map *body, std::vector<LoopLevel> &loops, std::size_t item) {
        if (i.map) {
            analysis::addLoops(loops, *i.map);
            for (const Item &inner : i.map->body)
                in(inner, i.map.get(), loops, item);
            loops.resize(loops.size() - i.map->params.size());
            return;
        }
        const bool tasklet = i.step->nodes.size() == 1 && isa<Tasklet>(i.step->nodes.front());
        for (const Use &u : i.step->uses)
            if (u.data == data) {
                ++uses;
                plain &= tasklet && body && !isGpuSchedule(body->entry->schedule) && u.kind == UseKind::Read && u.subset &&
                         u.subset->isOneElement() && u.memlet.data == data;
                all.push_back({&u, body, loops, item});
            }
    }
};

/// Rewrites the items of one SDFG.
class Recomputation {
public:
    Recomputation(SDFG &g, analysis::Memories &memories, std::vector<nest::Run> &runs, const RecomputeLimits &limits,
                  pass::Context &context)
        : g_(g), memories_(memories), items_(g, memories), facts_(analysis::factsOf(g)), connectors_(nest::connectorsOf(g)),
          hidden_(nest::hiddenContainers(g, runs)),
          computed_(limits.device && !analysis::isInScope(g) ? computedByKernels(runs) : std::set<Name>()), limits_(limits),
          context_(context) {
        for (const nest::Run &r : runs)
            for (const Item &i : r.items)
                count(i, 1);
    }

    void rewrite(nest::Run &run) {
        around_.clear();
        run.changed |= in(run.items);
    }

    /// Removes containers that are no longer mentioned.
    void forget() {
        for (const Name n : gone_)
            if (uses_[n] == 0)
                g_.arrays.erase(n);
    }

private:
    /// Handles the maps of a list, last ones first. Returns whether anything changed.
    bool in(std::vector<Item> &list) {
        bool changed = false;
        for (std::size_t at = list.size(); at-- > 0;) {
            if (!list[at].map) {
                changed |= around_.empty() && recomputeScalar(list, at);
                continue;
            }
            Map &m = *list[at].map;
            analysis::addLoops(around_, m);
            changed |= in(m.body);
            around_.resize(around_.size() - m.params.size());
            if (const auto p = nest::producerOf(m); p && recompute(list, at, *p)) {
                changed = true;
                if (p->inner->body.empty())
                    list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
            }
        }
        return changed;
    }

    void count(const Item &i, int by) {
        for (const nest::PlacedUse &u : nest::usesOf(i)) {
            uses_[u.use->data] += static_cast<std::size_t>(by);
            writes_[u.use->data] += static_cast<std::size_t>(u.use->writes() ? by : 0);
        }
    }

    /// Recomputes a scalar that would be the result of a kernel of one thread.
    bool recomputeScalar(std::vector<Item> &list, std::size_t at) {
        if (!isThread(list[at], computed_))
            return false;
        Map alone;
        alone.body.push_back(copyOf(*list[at].step));
        const nest::Producer p{&alone, {}};
        const nest::ProducedValue v = nest::valueOf(p, 0, g_);
        if (v.steps.empty() || v.operations > limits_.operations || hidden_.count(v.data) || writes_[v.data] > 1 ||
            !isHostScalar(*g_.desc(v.data)) || !recompute(list, at, p, v))
            return false;
        drop(p, 0);
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
        return true;
    }

    bool recompute(std::vector<Item> &list, std::size_t at, const nest::Producer &p) {
        bool changed = false;
        for (std::size_t k = p.inner->body.size(); k-- > 0;) {
            k = std::min(k, p.inner->body.size() - 1); // steps that are no longer needed were removed
            const auto &uses = p.inner->body[k].step->uses;
            const auto write = std::find_if(uses.begin(), uses.end(), [](const Use &u) { return u.writes(); });
            if (write == uses.end() || p.inner->locals.count(write->data) || hidden_.count(write->data) ||
                !nest::mayBeVariable(*g_.desc(write->data)) || uses_[write->data] < 2)
                continue;
            const nest::ProducedValue v = nest::valueOf(p, k, g_);
            if (!v.steps.empty() && recompute(list, at, p, v)) {
                drop(p, k);
                changed = true;
            }
            if (p.inner->body.empty())
                break;
        }
        return changed;
    }

    bool recompute(std::vector<Item> &list, std::size_t at, const nest::Producer &p, const nest::ProducedValue &v) {
        Reads reads{v.data};
        std::vector<LoopLevel> loops;
        const std::size_t wanted = uses_[v.data] - 1;
        for (std::size_t i = at + 1; i < list.size() && i - at <= limits_.window && reads.uses < wanted; ++i)
            reads.in(list[i], nullptr, loops, i);
        if (reads.all.empty())
            return false;
        const pass::Element where(g_, v.data);
        Reason why = reads.uses < wanted ? Reason{Why::LiveOut, "it is also used elsewhere"} : Reason();
        for (const auto check : {&Recomputation::different, &Recomputation::overwritten, &Recomputation::loss})
            if (!why)
                why = (this->*check)(list, at, p, v, reads);
        if (why) {
            context_.missed(where, "is stored, not recomputed where it is read", why,
                            g_.desc(v.data)->totalSize * g_.desc(v.data)->dtype.bytes().value_or(1));
            return false;
        }
        if (!context_.mayChange(where, "is recomputed where it is read, at " + std::to_string(points(reads)) + " elements"))
            return false;
        for (std::size_t i = at + 1; i <= reads.all.back().item; ++i)
            if (list[i].map)
                insert(*list[i].map, p, v);
        gone_.insert(v.data);
        return true;
    }

    // ---- obstacles

    /// Is there a read of an element that is not different in each iteration, or that the producer has not written?
    Reason different(const std::vector<Item> &, std::size_t, const nest::Producer &p, const nest::ProducedValue &v,
                     const Reads &reads) const {
        if (!reads.plain)
            return {Why::Opaque, "it is used by more than tasklets that read one element"};
        analysis::AccessInstance written{v.write->subset, around_};
        written.loops.insert(written.loops.end(), p.loops.begin(), p.loops.end());
        const std::set<Name> names = namesOf(p, v);
        for (const Read &r : reads.all) {
            analysis::AccessInstance read{r.use->subset, around_};
            read.loops.insert(read.loops.end(), r.loops.begin(), r.loops.end());
            const auto meaning = nest::iterationOf(p, *v.write->subset, *r.use->subset);
            if (!meaning)
                return {Why::SharedElement, "an iteration writes more than one element of its own"};
            if (!analysis::isCovered(read, written, around_.size(), facts_))
                return {Why::SharedElement, "elements are read that the map may not write"};
            if (std::any_of(r.loops.begin(), r.loops.end(), [&](const LoopLevel &l) { return names.count(l.variable) != 0; }) ||
                std::any_of(v.steps.begin(), v.steps.end(), [&](const Step *s) { return !nest::canRename(copyOf(*s), *meaning); }))
                return {Why::Names, "the names of parameters conflict"};
        }
        return {};
    }

    static Item copyOf(const Step &s) { return {nullptr, std::make_unique<Step>(s)}; }

    /// The symbols that the steps mention, except for the producer's own parameters.
    static std::set<Name> namesOf(const nest::Producer &p, const nest::ProducedValue &v) {
        std::set<Name> out;
        for (const Step *s : v.steps) {
            for (const Node *n : s->nodes)
                if (n->state())
                    out.merge(analysis::freeSymbols(*n));
            for (const auto &[name, value] : s->renamed)
                out.insert(value.freeSymbols().begin(), value.freeSymbols().end());
            for (const Use &u : s->uses)
                if (u.subset)
                    out.merge(u.subset->freeSymbols());
        }
        for (const LoopLevel &l : p.loops)
            out.erase(l.variable);
        return out;
    }

    /// Does anything up to the last reader, in its own iterations or before, write the inputs of the value?
    Reason overwritten(const std::vector<Item> &list, std::size_t at, const nest::Producer &, const nest::ProducedValue &v,
                       const Reads &reads) const {
        for (const Use *input : v.inputs) {
            const std::set<Name> names = input->subset ? input->subset->freeSymbols() : std::set<Name>();
            if (!analysis::isPlain(g_.desc(input->data)) ||
                std::any_of(names.begin(), names.end(), [this](Name n) { return g_.desc(n) != nullptr; })) // position from memory
                return {Why::Opaque, "its inputs are unknown"};
        }
        for (std::size_t i = at; i <= reads.all.back().item; ++i)
            for (const nest::PlacedUse &u : nest::usesOf(list[i]))
                for (const Use *input : v.inputs)
                    if (items_.meet(*u.use, *input))
                        return {Why::Dependence, "`" + input->data.str() + "`, from which it is computed, is overwritten"};
        return {};
    }

    /// Would it take longer than storing the values?
    Reason loss(const std::vector<Item> &list, std::size_t at, const nest::Producer &p, const nest::ProducedValue &v,
                const Reads &reads) const {
        for (const Read &r : reads.all)
            if (!p.loops.empty() && !isAsCheapAsLoad(v) && !movesAlong(r, *nest::iterationOf(p, *v.write->subset, *r.use->subset)))
                return {Why::Unprofitable, "elements are read more than once by a reader"};
        const auto more = static_cast<int64_t>(points(reads)) - 1;
        const int64_t limit = limits_.operations * g_.desc(v.data)->dtype.bytes().value_or(1);
        if (more * v.operations >= limit && more > 0)
            return {Why::Unprofitable, "it would take " + std::to_string(more * v.operations) +
                                           " more operations for each element, the limit is " + std::to_string(limit - 1)};
        if (savedStreams(list, at, p, v, reads) <= 0)
            return {Why::Unprofitable, "readers would have to read more arrays than now"};
        std::map<const Map *, std::size_t> steps;
        for (const auto &[body, element] : elements(reads))
            steps.try_emplace(body, body->body.size()).first->second += v.steps.size();
        const nest::ItemFacts facts = items_.factsOf(list[at]);
        for (const auto &[body, n] : steps)
            if (n > limits_.steps)
                return {Why::Budget, "a reader would have more than " + std::to_string(limits_.steps) + " steps"};
        for (const Read &r : reads.all)
            if (items_.streamsOf(facts, items_.factsOf(list[r.item])) > limits_.containers)
                return {Why::Budget, "a reader would use more than " + std::to_string(limits_.containers) + " containers"};
        return {};
    }

    /// Does a thread of a device compute the value as fast as it would load it: by one operation, or from scalars by a few?
    bool isAsCheapAsLoad(const nest::ProducedValue &v) const {
        constexpr int64_t load = 4;
        const auto isScalar = [this](const Use *u) { return g_.desc(u->data)->totalSize.isOne(); };
        return limits_.device &&
               (v.operations <= 1 || (v.operations <= load && std::all_of(v.inputs.begin(), v.inputs.end(), isScalar)));
    }

    /// Do all loops around a read determine its element, each through a different index in steps of one?
    static bool movesAlong(const Read &r, const std::map<Name, sym::Expr> &iteration) {
        std::set<Name> moving;
        for (const auto &[parameter, index] : iteration) {
            std::size_t loops = 0;
            for (const LoopLevel &l : r.loops)
                if (index.dependsOn(l.variable)) {
                    const auto affine = sym::affineIn(index, l.variable);
                    if (!affine || !affine->first.isInteger() || !moving.insert(l.variable).second)
                        return false;
                    ++loops;
                }
            if (loops > 1)
                return false;
        }
        return moving.size() == r.loops.size();
    }

    /// The different elements that are read, with the bodies that read them.
    static std::vector<std::pair<const Map *, sym::Subset>> elements(const Reads &reads) {
        std::vector<std::pair<const Map *, sym::Subset>> out;
        for (const Read &r : reads.all)
            if (const auto element = std::pair(r.body, *r.use->subset); std::find(out.begin(), out.end(), element) == out.end())
                out.push_back(element);
        return out;
    }
    static std::size_t points(const Reads &reads) { return elements(reads).size(); }

    /// The number of passes over arrays that are saved: written elements are first read from memory.
    int64_t savedStreams(const std::vector<Item> &list, std::size_t at, const nest::Producer &p, const nest::ProducedValue &v,
                         const Reads &reads) const {
        std::set<analysis::Memory> inputs;
        for (const Use *u : v.inputs)
            if (const DataDesc *d = g_.desc(u->data); d && !d->totalSize.isOne())
                inputs.insert(u->memory);
        const nest::ItemFacts facts = items_.factsOf(list[at]);
        const bool goes = std::all_of(p.inner->body.begin(), p.inner->body.end(), [&](const Item &i) {
            return std::all_of(i.step->uses.begin(), i.step->uses.end(),
                               [&](const Use &u) { return !u.writes() || u.data == v.data || p.inner->locals.count(u.data); });
        });
        int64_t saved = 2 + (goes ? static_cast<int64_t>(inputs.size()) : 0);
        std::set<std::size_t> readers;
        for (const Read &r : reads.all)
            readers.insert(r.item);
        for (const std::size_t i : readers) {
            const nest::ItemFacts reader = items_.factsOf(list[i]);
            ++saved;
            for (const analysis::Memory m : inputs)
                saved -= reader.memories.count(m) ? 0 : 1;
        }
        return saved;
    }

    // ---- the change

    /// Computes the elements that a map reads before the first step that reads them.
    void insert(Map &m, const nest::Producer &p, const nest::ProducedValue &v) {
        std::vector<Item> body;
        std::vector<std::pair<sym::Subset, Name>> known;
        for (Item &i : m.body) {
            if (i.map) {
                insert(*i.map, p, v);
                body.push_back(std::move(i));
                continue;
            }
            for (Use &u : i.step->uses) {
                if (u.data != v.data)
                    continue;
                auto at = std::find_if(known.begin(), known.end(), [&](const auto &each) { return each.first == *u.subset; });
                if (at == known.end())
                    at = known.insert(known.end(),
                                      {*u.subset, compute(m, *nest::iterationOf(p, *v.write->subset, *u.subset), v, body)});
                --uses_[u.data];
                ++uses_[at->second];
                u = variable(u, at->second);
            }
            body.push_back(std::move(i));
        }
        m.body = std::move(body);
    }

    /// Appends the steps of one element. Returns the variable that holds it.
    Name compute(Map &m, const std::map<Name, sym::Expr> &iteration, const nest::ProducedValue &v, std::vector<Item> &into) {
        std::map<Name, Name> own;
        for (const Step *s : v.steps)
            for (const Use &u : s->uses)
                if (u.writes() && own.try_emplace(u.data).second) {
                    DataDesc d = DataDesc::scalar(g_.desc(u.data)->dtype, true);
                    d.storage = Storage::Register;
                    d.debugInfo = g_.desc(u.data)->debugInfo;
                    own[u.data] = nest::addContainer(g_, u.data.view(), std::move(d), connectors_);
                    m.locals.insert(own[u.data]);
                }
        for (const Step *s : v.steps) {
            Item step = s->isCopy() ? copyTasklet(*s) : copyOf(*s);
            nest::rename(step, iteration);
            for (Use &u : step.step->uses)
                if (const auto name = own.find(u.data); name != own.end())
                    u = variable(u, name->second);
            count(step, 1);
            into.push_back(std::move(step));
        }
        return own.at(v.data);
    }

    Item copyTasklet(const Step &s) const {
        const Use &from = s.uses.front(), &to = s.uses.back();
        return nest::taskletStep("copy_" + from.data.str(), "__out = __inp", {nest::ofElement(from, *from.subset, Name("__inp"))},
                                 nest::ofElement(to, *to.subset, Name("__out")), g_);
    }

    /// The use redirected to a variable.
    Use variable(const Use &u, Name name) const {
        Use out = u;
        out.moveTo(name, memories_.of(g_, name));
        out = nest::ofElement(out, g_.desc(name)->fullSubset(), u.connector);
        out.node = u.node;
        return out;
    }

    /// Removes a step of the producer, and the steps that only it needed.
    void drop(const nest::Producer &p, std::size_t step) {
        std::vector<Item> &body = p.inner->body;
        std::set<Name> needed;
        for (std::size_t k = body.size(); k-- > 0;) {
            const std::vector<Use> &uses = body[k].step->uses;
            const bool served = k == step || (!body[k].step->effects && std::all_of(uses.begin(), uses.end(), [&](const Use &u) {
                                    return !u.writes() || (p.inner->locals.count(u.data) && !needed.count(u.data));
                                }));
            if (served) {
                count(body[k], -1);
                for (const Use &u : uses)
                    if (u.writes())
                        gone_.insert(u.data);
                body.erase(body.begin() + static_cast<std::ptrdiff_t>(k));
                continue;
            }
            for (const Use &u : uses)
                if (!u.writes() || u.kind == UseKind::Update)
                    needed.insert(u.data);
        }
        std::erase_if(p.inner->locals, [&](Name n) { return uses_[n] == 0; });
    }

    SDFG &g_;
    analysis::Memories &memories_;
    const nest::Conflicts items_;
    const sym::Assumptions facts_;
    const std::set<Name> connectors_; // of all nodes
    const std::set<Name> hidden_;
    const std::set<Name> computed_; // by kernels
    const RecomputeLimits limits_;
    pass::Context &context_;
    std::map<Name, std::size_t> uses_, writes_; // number of uses and of writes of each container in all items
    std::vector<LoopLevel> around_;             // the current list
    std::set<Name> gone_;                       // containers that may have become unused
};

class RecomputeProducers : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        const auto limit = [this](const char *name) { return std::max<int64_t>(option<int64_t>(name), 0); };
        const RecomputeLimits limits{context.options.gpu(), limit(context.options.gpu() ? "device-operations" : "operations"),
                                     static_cast<std::size_t>(limit("containers")), static_cast<std::size_t>(limit("steps")),
                                     static_cast<std::size_t>(limit("window"))};
        return rewriteRuns(root, context, [&](SDFG &g, analysis::Memories &memories, std::vector<nest::Run> &runs) {
            Recomputation recomputation(g, memories, runs, limits, context);
            for (nest::Run &run : runs)
                recomputation.rewrite(run);
            recomputation.forget();
        });
    }
};

} // namespace

std::unique_ptr<pass::Pass> createRecomputeProducers() { return std::make_unique<RecomputeProducers>(); }

} // namespace sdfgc::transforms
