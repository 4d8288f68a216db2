#include "Transforms/Optimize/DistributionCost.h"

#include "sdfgc/Nest/CallElements.h"
#include "sdfgc/Tasklet/Cost.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;
using analysis::LoopLevel;
using nest::Item;
using nest::Step;
using nest::Use;

namespace {

constexpr int64_t chain = 16;    // an addition that waits for the one of the previous iteration
constexpr int64_t operation = 2; // two operations per cycle
constexpr int64_t elementsAtOnce = 4;
constexpr int64_t elementsOfLine = 8;
constexpr int64_t anyTrips = 64;     // of a loop whose trip count is symbolic
constexpr int64_t unknownStep = 16;  // operations of a step that cannot be counted
constexpr int64_t threadsOfPath = 2; // threads that share a path to memory, which one of them can saturate

int64_t tripsOf(const sym::Range &r) {
    const auto n = r.steps().asInt();
    return n ? std::clamp<int64_t>(*n, 1, anyTrips) : anyTrips;
}

/// Do two subsets differ by constants? If so, they belong to one stream: the second one finds most elements in the cache.
bool isNear(const sym::Subset &a, const sym::Subset &b) {
    if (a.rank() != b.rank())
        return false;
    for (std::size_t d = 0; d < a.rank(); ++d)
        if (!(a.dims[d].begin - b.dims[d].begin).asInt() || !(a.dims[d].end - b.dims[d].end).asInt())
            return false;
    return true;
}

/// Returns the distance in elements by which the first element of a subset moves per iteration of a loop; nothing if it
/// is not constant.
std::optional<int64_t> stepOf(const sym::Subset &s, const DataDesc &d, const LoopLevel &loop) {
    sym::Expr step = 0;
    for (std::size_t k = 0; k < s.rank() && k < d.strides.size(); ++k) {
        const auto affine = sym::affineIn(s.dims[k].begin, loop.variable);
        if (!affine)
            return std::nullopt;
        step += affine->first * d.strides[k] * loop.range.step;
    }
    return step.asInt();
}

} // namespace

DistributionCost::DistributionCost(const std::vector<Item> &body, LoopLevel loop, const SDFG &g, const std::set<Name> &variables)
    : g_(g), variables_(variables) {
    std::vector<LoopLevel> loops{std::move(loop)};
    for (const Item &i : body)
        addItem(i, loops, weights_.emplace_back());
}

void DistributionCost::addItem(const Item &item, std::vector<LoopLevel> &loops, Weight &to) const {
    if (item.step)
        return addStep(*item.step, loops, to);
    const std::size_t around = loops.size();
    analysis::addLoops(loops, *item.map);
    for (const Item &i : item.map->body)
        addItem(i, loops, to);
    loops.resize(around);
}

void DistributionCost::addStep(const Step &step, const std::vector<LoopLevel> &loops, Weight &to) const {
    int64_t times = 1;
    for (std::size_t l = 1; l < loops.size(); ++l)
        times *= tripsOf(loops[l].range);
    for (const Node *n : step.nodes)
        addNode(*n, times, to);
    for (const Use &u : step.uses) {
        if (variables_.count(u.data))
            continue;
        for (const analysis::AccessInstance &a :
             nest::accessesOf(u, step)) { // loops of a call count as if they walked over neighbours
            to.operations += times;
            if (const int64_t bytes = bytesOf(u, a.subset, loops))
                to.streams.push_back({u.data, a.subset, u.writes(), times * bytes});
        }
    }
}

void DistributionCost::addNode(const Node &n, int64_t times, Weight &to) {
    if (const auto *t = dyn_cast<Tasklet>(&n)) {
        const auto [all, inFunctions] = py::countOperations(t->code.blockOrRaw()).value_or(py::Operations{unknownStep});
        to.operations += times * (all - inFunctions);
        to.functions += times * inFunctions;
    } else if (const auto *nested = dyn_cast<NestedSDFGNode>(&n); nested && nested->sdfg) {
        for (const State *s : allStates(std::as_const(*nested->sdfg))) {
            int64_t inside = times;
            for (const Region *r = s->parent(); r; r = r->parent())
                inside *= isa<LoopRegion>(r) ? anyTrips : 1;
            for (const auto &inner : s->nodes())
                addNode(*inner, inside, to);
        }
    }
}

int64_t DistributionCost::bytesOf(const Use &use, const std::optional<sym::Subset> &subset,
                                  const std::vector<LoopLevel> &loops) const {
    const DataDesc *d = g_.desc(use.data);
    const int64_t element = d ? static_cast<int64_t>(d->dtype.bytes().value_or(8)) : 8;
    if (!d || !subset)
        return element * elementsOfLine;
    const std::optional<int64_t> step = stepOf(*subset, *d, loops.back());
    return element * (step ? std::min(std::abs(*step), elementsOfLine) : elementsOfLine);
}

int64_t DistributionCost::of(uint64_t steps, bool ordered, int64_t threads) const {
    std::vector<Stream> streams;
    int64_t operations = 0, functions = 0;
    for (std::size_t k = 0; k < weights_.size(); ++k) {
        if (!((steps >> k) & 1))
            continue;
        operations += weights_[k].operations;
        functions += weights_[k].functions;
        for (const Stream &s : weights_[k].streams) {
            const auto same = std::find_if(streams.begin(), streams.end(), [&](const Stream &other) {
                return other.data == s.data && other.subset && s.subset && isNear(*other.subset, *s.subset);
            });
            if (same == streams.end()) {
                streams.push_back(s);
                continue;
            }
            same->written = same->written || s.written;
            same->bytes = std::max(same->bytes, s.bytes);
        }
    }
    int64_t traffic = 0;
    for (const Stream &s : streams)
        traffic += s.written ? 2 * s.bytes : s.bytes; // written elements are first read into the cache
    const int64_t computing = operation * (functions + (ordered ? operations : operations / elementsAtOnce));
    if (ordered)
        return std::max({traffic, computing, chain});
    return std::max(traffic / std::max<int64_t>(1, threads / threadsOfPath), computing / threads);
}

} // namespace sdfgc::transforms
