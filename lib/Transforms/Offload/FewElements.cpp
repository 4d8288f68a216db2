// Estimates how many kernels a program launches, and how many elements each of them processes.
//
// A launch takes about three microseconds. Host threads process thousands of elements in that time, so offloading pays
// only if launches have enough elements. Their number is known only if the sizes are. But if a loop of the host counts
// to N and launches kernels over N elements, N cannot be large: otherwise the N launches alone would take minutes.
//
//     for k in range(N):                  N launches of N*N elements: on the device
//         A[i, j] += u[i] * v[j]
//     for t in range(T):                  T launches of N elements, and N can be anything: on the device
//         B[i] = A[i-1] + A[i+1]
//     for k in range(N):                  N launches of at most N elements: on the host (durbin, trisolv)
//         s += A[k, :k] @ x[:k]
//     for i in range(N):                  N*N launches of at most N elements: on the host (cholesky, lu, gramschmidt)
//         for j in range(i):
//             A[i, j] -= A[i, :j] @ A[j, :j]
//     for i in range(1, N):               N launches of one element: on the host
//         A[i] = A[i-1] + B[i]
//
// So the estimate assigns a small value to sizes that loops count to, and a large value to the others. If two nested
// loops count to the same size, the number of launches is its square, and all sizes get the small value: no program
// does that to long rows. Variables of loops and maps take the middle of their range.
//
// A loop around kernels may become a kernel itself (persist-loops). Its operations then are steps between barriers instead of
// launches: in a kernel of one block, a step of few elements takes a microsecond, but a single multiprocessor processes its
// elements. In a kernel of many blocks, the device does, but a step takes two microseconds. A thread's operations that depend on each
// other take the same time in all three forms. So the estimate compares the forms of each loop, inner ones first, and counts the
// fastest one. In a kernel, one thread runs a loop that only contains its code, without barriers (ThreadLoops.h).
//
// A kernel of many blocks loses nothing if its steps turn out to be large. So it also gets loops that it runs faster if arrays are square:
//
//     for k in range(N):                  A has M rows: probably not a million of them
//         A[:, k+1:] -= outer(A[:, k], A[:, k] @ A[:, k+1:])
#include "Transforms/Offload/FewElements.h"

#include "Transforms/Edits/HostReads.h"
#include "Transforms/Offload/ThreadLoops.h"

#include "sdfgc/Analysis/Flow/LoopHeader.h"
#include "sdfgc/Analysis/Scopes.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <utility>

namespace sdfgc::transforms {

using namespace ir;

namespace {

constexpr int64_t countedSize = 1000, otherSize = 1'000'000, uncountedTrips = 1000;
constexpr double fewLaunches = 200;  // this many take a millisecond, whatever they do
constexpr double fewElements = 4096; // processed in the first-level cache during the launch of a kernel
using Values = std::map<Name, int64_t>;

/// The bounds that host loops count to.
struct Counted {
    std::set<Name> sizes;   // symbols, including those from which loop bounds are computed
    std::set<Name> beside;  // other sizes of arrays of which a dimension has one of these sizes
    bool quadratic = false; // a loop counts to the same bound as a surrounding loop
};

void addSymbols(std::set<Name> &names, const sym::Expr &e) {
    for (Name n : e.freeSymbols())
        names.insert(n);
}

/// The bounds of loops; each loop is visited once.
class LoopSizes {
public:
    /// The bounds in terms of symbols that surrounding loops do not change: for `j in range(i)`, the bound of the loop over `i`.
    const std::set<Name> &of(const LoopRegion &l) {
        if (const auto known = sizes_.find(&l); known != sizes_.end())
            return known->second;
        std::set<Name> names;
        if (const analysis::LoopHeader trips = analysis::tripCountOf(l); trips.counted())
            addSymbols(names, trips.count);
        for (const Region *r = l.parent(); r; r = r->parent())
            if (const auto *around = dyn_cast<LoopRegion>(r); around && around->variable && names.erase(around->variable)) {
                const std::set<Name> &outer = of(*around);
                names.insert(outer.begin(), outer.end());
            }
        return sizes_.emplace(&l, std::move(names)).first->second;
    }
    bool isLikeOneAround(const LoopRegion &l) {
        const std::set<Name> &sizes = of(l);
        for (const Region *r = l.parent(); r; r = r->parent())
            if (const auto *around = dyn_cast<LoopRegion>(r))
                for (Name n : of(*around))
                    if (sizes.count(n))
                        return true;
        return false;
    }

private:
    std::map<const LoopRegion *, std::set<Name>> sizes_;
};

/// The bounds of all loops of an SDFG and its nested SDFGs.
Counted countedTo(SDFG &g) {
    Counted counted;
    LoopSizes sizes;
    for (const Block *b : allBlocks(g))
        if (const auto *l = dyn_cast<LoopRegion>(b)) {
            counted.quadratic = counted.quadratic || sizes.isLikeOneAround(*l);
            counted.sizes.insert(sizes.of(*l).begin(), sizes.of(*l).end());
        }
    for (NestedSDFGNode *nested : hostNested(g)) {
        const Counted inside = countedTo(*nested->sdfg);
        counted.quadratic = counted.quadratic || inside.quadratic;
        for (const auto &[symbol, value] : nested->symbolMapping)
            if (inside.sizes.count(symbol))
                addSymbols(counted.sizes, value);
    }
    for (std::size_t before = 0; before != counted.sizes.size();) { // n = N - 1; for i < n
        before = counted.sizes.size();
        for (const InterstateEdge *e : allInterstateEdges(g))
            for (const auto &[symbol, text] : e->assignments)
                if (counted.sizes.count(symbol))
                    if (const sym::ParseResult value = sym::parse(text); value.expr)
                        addSymbols(counted.sizes, *value.expr);
    }
    const auto isCounted = [&](Name n) { return counted.sizes.count(n) != 0; };
    for (const auto &[name, d] : g.arrays) {
        std::set<Name> sizes;
        for (const sym::Expr &e : d.isArray() && d.shape.size() > 1 ? d.shape : std::vector<sym::Expr>())
            addSymbols(sizes, e);
        if (std::any_of(sizes.begin(), sizes.end(), isCounted))
            std::copy_if(sizes.begin(), sizes.end(), std::inserter(counted.beside, counted.beside.end()), std::not_fn(isCounted));
    }
    return counted;
}

/// Visits everything that the host would launch, in one SDFG.
class Estimate {
public:
    Estimate(SDFG &g, Values values, DeviceWork &work, LoopChoice *loops = nullptr)
        : g_(g), values_(std::move(values)), work_(&work), loops_(loops) {
        for (bool more = true; more;)
            more = assign();
    }
    void region(Region &r, double times);

private:
    bool assign();
    void state(State &s, double times);
    void loop(LoopRegion &l, double times);
    void launch(double times, double elements, double chain = 1) {
        work_->launches += times;
        work_->elements += times * elements;
        work_->largest = std::max(work_->largest, elements);
        work_->chains += times * chain;
    }
    DeviceWork once(Block &b);
    void choose(LoopRegion &l, DeviceWork &work);
    double size(const sym::Range &r) const {
        return static_cast<double>(std::max<int64_t>(1, sym::evaluate(r.size(), values_).value_or(otherSize)));
    }
    double volume(const Edge &e) const {
        double elements = 1;
        if (e.memlet.subset)
            for (const sym::Range &r : e.memlet.subset->dims)
                elements *= size(r);
        return elements;
    }
    double largest(const Node &n) const;
    struct MapWork {
        double iterations, within; // the elements of each
    };
    MapWork workOf(const MapEntry &m, const analysis::ScopeTree &scopes);
    double inKernel(SDFG &nested, Values values) const;
    Values inside(const NestedSDFGNode &nested) const;

    SDFG &g_;
    Values values_; // of symbols with known values here
    DeviceWork *work_;
    LoopChoice *loops_; // null: the host runs all of them
};

/// Computes values of symbols that edges assign from those of other symbols; false if there are none left.
bool Estimate::assign() {
    bool more = false;
    for (const InterstateEdge *e : allInterstateEdges(g_))
        for (const auto &[symbol, text] : e->assignments)
            if (!values_.count(symbol))
                if (const sym::ParseResult parsed = sym::parse(text); parsed.expr)
                    if (const auto value = sym::evaluate(*parsed.expr, values_))
                        more = values_.emplace(symbol, *value).second;
    return more;
}

/// The number of elements of the largest subset that a node reads or writes.
double Estimate::largest(const Node &n) const {
    double most = 1;
    for (const auto &edges : {n.inEdges(), n.outEdges()})
        for (const Edge *e : edges)
            most = std::max(most, volume(*e));
    return most;
}

Values Estimate::inside(const NestedSDFGNode &nested) const {
    Values values;
    for (const auto &[symbol, value] : nested.symbolMapping)
        values[symbol] = sym::evaluate(value, values_).value_or(otherSize);
    return values;
}

/// The iterations of a map, and the elements that its scope processes in each.
Estimate::MapWork Estimate::workOf(const MapEntry &m, const analysis::ScopeTree &scopes) {
    double own = 1, within = 1;
    Values outside = values_;
    for (std::size_t i = 0; i < m.params.size(); ++i) {
        own *= size(m.ranges[i]);
        const auto begin = sym::evaluate(m.ranges[i].begin, values_), end = sym::evaluate(m.ranges[i].end, values_);
        values_[m.params[i]] = begin && end ? *begin + (*end - *begin) / 2 : 0;
    }
    for (Node *n : scopes.children(&m)) {
        if (const auto *inner = dyn_cast<MapEntry>(n)) {
            const MapWork work = workOf(*inner, scopes);
            within = std::max(within, work.iterations * work.within);
        } else if (isa<LibraryNode>(n))
            within = std::max(within, largest(*n));
        else if (const auto *nested = dyn_cast<NestedSDFGNode>(n); nested && nested->sdfg)
            within = std::max(within, inKernel(*nested->sdfg, inside(*nested)));
    }
    values_ = std::move(outside);
    return {own, within};
}

/// The same for a nested SDFG in a map, whose operations all belong to the kernel.
double Estimate::inKernel(SDFG &nested, Values values) const {
    DeviceWork work;
    Estimate(nested, std::move(values), work).region(nested, 1);
    return std::max(1.0, work.elements);
}

/// Does an edge between two nodes only make one a view of the other, without moving data?
bool makesView(const AccessNode &a, const AccessNode &b) {
    const auto shows = [](const AccessNode &view, const AccessNode &shown) {
        const DataDesc *d = view.state()->sdfg()->desc(view.data);
        return d && d->isView() && analysis::viewedNode(&view) == &shown;
    };
    return shows(a, b) || shows(b, a);
}

/// In a program that was moved: a copy that control flow needs, which the device does not.
bool isCopyToHost(const Edge &e) {
    const SDFG &g = *e.src->state()->sdfg();
    const DataDesc *from = g.desc(cast<AccessNode>(e.src)->data), *to = g.desc(cast<AccessNode>(e.dst)->data);
    return from && to && from->storage == Storage::GPU_Global && to->isArray() && to->storage == Storage::CPU_Heap;
}

void Estimate::state(State &s, double times) {
    const analysis::ScopeTree scopes(s);
    for (Node *n : scopes.children(nullptr)) {
        if (const auto *m = dyn_cast<MapEntry>(n)) {
            const MapWork work = workOf(*m, scopes);
            launch(times, work.iterations * work.within, work.within);
        } else if (isa<LibraryNode>(n)) {
            launch(times, largest(*n));
        } else if (isa<Tasklet>(n)) {
            if (usesArray(*n))
                launch(times, 1);
        } else if (auto *nested = dyn_cast<NestedSDFGNode>(n); nested && nested->sdfg) {
            Estimate(*nested->sdfg, inside(*nested), *work_, loops_).region(*nested->sdfg, times);
        } else if (isa<AccessNode>(n)) {
            for (const Edge *e : n->outEdges())
                if (const auto *to = dyn_cast<AccessNode>(e->dst);
                    to && !e->memlet.isEmpty() && !makesView(*cast<AccessNode>(n), *to))
                    launch(times, isCopyToHost(*e) ? 0 : volume(*e));
        }
    }
}

void Estimate::loop(LoopRegion &l, double times) {
    const analysis::LoopHeader trips = analysis::tripCountOf(l);
    const auto valueOf = [&](const sym::Expr &e) { return trips.counted() ? sym::evaluate(e, values_) : std::nullopt; };
    const int64_t often = valueOf(trips.count).value_or(uncountedTrips);
    const Values outside = values_;
    if (l.variable)
        values_[l.variable] = valueOf(trips.first).value_or(0) + valueOf(trips.step).value_or(1) * (often / 2);
    region(l, times * static_cast<double>(often));
    values_ = outside;
}

/// The work of one execution of a block. Records it, and the loops that should be kernels.
DeviceWork Estimate::once(Block &b) {
    DeviceWork work;
    DeviceWork *const outer = std::exchange(work_, &work);
    if (auto *s = dyn_cast<State>(&b))
        state(*s, 1);
    else if (auto *l = dyn_cast<LoopRegion>(&b))
        loop(*l, 1);
    else if (auto *c = dyn_cast<ConditionalBlock>(&b))
        for (const auto &branch : c->branches())
            region(*branch.region, 1);
    else if (auto *inner = dyn_cast<Region>(&b))
        region(*inner, 1);
    work_ = outer;
    if (!loops_)
        return work;
    if (auto *l = dyn_cast<LoopRegion>(&b))
        choose(*l, work);
    loops_->work[&b] = work;
    return work;
}

/// Lets a kernel run a loop if that is faster.
void Estimate::choose(LoopRegion &l, DeviceWork &work) {
    if (isForOneThread(l))
        if (const DeviceWork kernel = work.inThread().inBlock();
            kernel.onDevice() < work.onDevice() && loops_->mayBeKernel(l, KernelBlocks::One)) {
            work = kernel;
            loops_->kernels.insert_or_assign(&l, KernelBlocks::One);
            return;
        }
    std::vector<KernelBlocks> forms{KernelBlocks::One, KernelBlocks::Many};
    std::erase_if(forms, [&](KernelBlocks blocks) { return !work.isFasterIn(blocks); });
    std::stable_sort(forms.begin(), forms.end(),
                     [&](KernelBlocks a, KernelBlocks b) { return work.inKernel(a).onDevice() < work.inKernel(b).onDevice(); });
    if (loops_->manyIfSquare.count(&l) && forms.empty() && work.inKernel(KernelBlocks::Many).onDevice() <= work.onDevice())
        forms.push_back(KernelBlocks::Many);
    for (const KernelBlocks blocks : forms)
        if (loops_->mayBeKernel(l, blocks)) {
            work = work.inKernel(blocks);
            loops_->kernels.insert_or_assign(&l, blocks);
            return;
        }
}

void Estimate::region(Region &r, double times) {
    for (const auto &b : r.blocks())
        work_->add(once(*b), times);
}

} // namespace

bool DeviceWork::isNotWorthwhile() const {
    if (steps > 0)
        return launches + steps + threadSteps > fewLaunches && onHost() < onDevice();
    return launches > fewLaunches && elements < launches * fewElements;
}

double DeviceWork::onDevice(const Costs &c) const {
    return launches * c.launch + std::max((elements - stepElements) * c.deviceElement, (chains - stepChains) * c.chained) +
           inSteps + threadSteps * c.threadStep;
}

DeviceWork DeviceWork::inThread() const {
    DeviceWork step = *this;
    step.threadSteps += launches;
    step.launches = 1;
    return step;
}

DeviceWork DeviceWork::inKernel(KernelBlocks blocks, const Costs &c) const {
    const bool isOne = blocks == KernelBlocks::One;
    DeviceWork kernel;
    kernel.launches = 1;
    kernel.elements = kernel.stepElements = elements;
    kernel.largest = largest;
    kernel.chains = kernel.stepChains = chains;
    kernel.steps = launches + steps;
    kernel.threadSteps = threadSteps;
    kernel.inSteps = kernel.steps * (isOne ? c.step : c.gridStep) +
                     std::max(elements * (isOne ? c.blockElement : c.deviceElement), chains * c.chained);
    return kernel;
}

bool DeviceWork::isFasterIn(KernelBlocks blocks) const {
    const Costs c;
    const double saved = onDevice() - inKernel(blocks).onDevice();
    return blocks == KernelBlocks::One ? saved > launches * c.launch / 3
                                       : saved > launches * c.launch / 4 && largest * c.deviceElement < c.launch;
}

void DeviceWork::add(const DeviceWork &w, double times) {
    launches += times * w.launches;
    elements += times * w.elements;
    largest = std::max(largest, w.largest);
    chains += times * w.chains;
    steps += times * w.steps;
    stepElements += times * w.stepElements;
    stepChains += times * w.stepChains;
    inSteps += times * w.inSteps;
    threadSteps += times * w.threadSteps;
}

std::string durationText(double nanoseconds) {
    constexpr double day = 86400e9;
    if (nanoseconds > day)
        return "over a day";
    std::string_view unit = "ns";
    double value = nanoseconds;
    for (const std::string_view larger : {"µs", "ms", "s"}) {
        if (value < 999.5)
            break;
        value /= 1000;
        unit = larger;
    }
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.*f", value < 9.95 && unit != "ns" ? 1 : 0, value);
    return std::string(text.data()) + " " + std::string(unit);
}

DeviceWork estimateDeviceWork(SDFG &root, LoopChoice *loops) {
    const Counted counted = countedTo(root);
    const auto estimate = [&](bool square, LoopChoice *choice) {
        const auto sizeOf = [&](Name n) {
            return counted.quadratic || counted.sizes.count(n) || (square && counted.beside.count(n)) ? countedSize : otherSize;
        };
        Values values;
        for (const auto &[symbol, type] : root.symbols)
            values[symbol] = sizeOf(symbol);
        for (const auto &[name, d] : root.arrays) // numbers passed by the caller
            if (d.isScalar() && !d.transient)
                values[name] = sizeOf(name);
        DeviceWork work;
        Estimate(root, std::move(values), work, choice).region(root, 1);
        return work;
    };
    if (loops && !counted.quadratic && !counted.beside.empty()) {
        LoopChoice square{loops->mayBeKernel};
        estimate(true, &square);
        for (const auto &[l, blocks] : square.kernels)
            if (blocks == KernelBlocks::Many)
                loops->manyIfSquare.insert(l);
    }
    return estimate(false, loops);
}

} // namespace sdfgc::transforms
