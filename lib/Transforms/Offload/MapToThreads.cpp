// map-to-threads: let the threads of a block share an iteration of a kernel's map.
//
//   before:  map[i = 0:N] GPU_Device {                       after:  map[i = 0:N] GPU_Device {
//              s = 0                                                   map[t = 0:256] GPU_ThreadBlock {
//              map[j = 0:M] { s += A[i, j] }                             p = 0
//              map[j = 0:M] { B[i, j] = A[i, j] / s }                    map[j = t:M:256] { p += A[i, j] }
//            }                                                           s = blockReduceAll(p)
//                                                                        map[j = t:M:256] { B[i, j] = A[i, j] / s }
//                                                                      } }
//
// In the original, each thread has a row of its own, and neighbouring threads access elements that are a row apart. In
// the result, neighbouring threads access neighbouring elements. Rows with several inner maps, such as a softmax or a
// normalisation, stay a single kernel.
//
// Legal as described in BlockRows.h, where the words row and lane loop are defined. Sums get a new order (class F1), which does
// not depend on the device.
//
// Profitable when most accesses in lane loops move to a neighbour with the lane loop and not with one of the map's
// parameters, or if there are known to be too few rows to give each thread one; but not if lane loops are known to be
// short (RowSharing::pays).
//
// If nothing is combined, and the range of all lane loops is the same one in each row, the lane loop becomes a parameter of the
// kernel instead:
//
//     map[i = 0:N] { map[j = 0:M] { B[i, j] = 0 }             map[i = 0:N, j = 0:M] {
//                    map[k = 0:K, j = 0:M] { B[i, j] += ... } }  ->    B[i, j] = 0;  map[k = 0:K] { B[i, j] += ... } }
//
// A map that only accumulates, over some of its parameters, is treated as a map of rows whose inner map has these
// parameters. If rows are not shared, it is left to accumulate-in-threads.
//
// An element that is the same one throughout a row, such as a sum in an array, is kept in a variable of each thread;
// the first thread stores it at the end of the row.
//
// In a persistent kernel, only sums are shared: a map that accumulates all of its iterations into one element becomes a row, with
// the step before it that sets this element. Its other maps have the threads of the grid already.
//
// Not handled: kernels that specify how their threads are arranged; rows that need more than one thread to see what
// another one has written (which would take shared memory and barriers); maps in nested SDFGs that the kernel calls.
#include "Transforms/Edits/BlockRows.h"
#include "Transforms/Edits/LaneParameters.h"
#include "Transforms/Edits/NestRemarks.h"

#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/LibraryNodes/LibraryNodes.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/MakeMaps.h"
#include "sdfgc/Support/FloatText.h"
#include "sdfgc/Tasklet/Types.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>
#include <numeric>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using diag::Reason;
using nest::Item;
using nest::Map;
using nest::Step;
using nest::UseKind;

constexpr int64_t mostThreads = 256, warp = 32; // of a block

/// Moves the parameters along which a map only accumulates to an inner map; false if there are none, or no others.
bool splitAccumulated(Map &m) {
    std::set<Name> written;
    for (const Item &i : m.body) {
        if (i.map)
            return false;
        for (const nest::Use &u : i.step->uses) {
            if (!u.writes() || m.locals.count(u.data))
                continue;
            if (u.kind != UseKind::Update || !u.subset)
                return false;
            written.merge(u.subset->freeSymbols());
        }
    }
    const auto isKept = [&](std::size_t d) { return written.count(m.params[d]) != 0; };
    std::vector<std::size_t> order(m.params.size());
    std::iota(order.begin(), order.end(), 0);
    const auto firstMoved = std::stable_partition(order.begin(), order.end(), isKept);
    std::vector<Name> moved;
    for (auto k = firstMoved; k != order.end(); ++k)
        moved.push_back(m.params[*k]);
    if (firstMoved == order.begin() || moved.empty() ||
        std::any_of(order.begin(), firstMoved, [&](std::size_t d) { return nest::mentions({{m.ranges[d]}}, moved); }))
        return false;
    const auto kept = static_cast<std::size_t>(firstMoved - order.begin());
    nest::reorderLoops(m, order);
    nest::splitOff(m, kept);
    return true;
}

/// Rewrites one map according to its plan.
class SharedRow {
public:
    SharedRow(Map &rows, const RowSharing &plan, SDFG &g, analysis::Memories &memories, const std::set<Name> &connectors)
        : rows_(rows), plan_(plan), g_(g), memories_(memories), connectors_(connectors), thread_(g.freshName("thread")) {}

    void rewrite() {
        const int64_t length = plan_.longest().value_or(mostThreads);
        threads_ = std::min(mostThreads, (length + warp - 1) / warp * warp);
        std::vector<Item> body = loadElements();
        for (Item &i : takeBody(rows_.body))
            body.push_back(std::move(i));
        for (Item &i : storeElements())
            body.push_back(std::move(i));
        Map block = nest::loopLike(*rows_.entry, "threads", {thread_}, {{0, threads_ - 1, 1, 1}});
        const std::shared_ptr<MapEntry> entry = nest::entryLike(*block.entry, block.entry->label);
        entry->schedule = Schedule::GPU_ThreadBlock;
        block.entry = entry.get();
        block.made = entry;
        block.body = std::move(body);
        rows_.body.clear();
        block.locals = std::move(rows_.locals);
        rows_.locals.clear();
        rows_.body.push_back({std::make_unique<Map>(std::move(block)), nullptr});
    }

private:
    // ---- elements that become variables

    struct Variable {
        Name name;
        nest::Use element; // a use of the element
        bool read = false; // before it is written
    };

    std::vector<Item> loadElements() {
        std::vector<Item> loads;
        for (const auto &[data, element] : plan_.elements()) {
            Variable v = variableFor(data);
            if (v.read)
                loads.push_back(copy("load", element_(v, UseKind::Read), variable_(v, UseKind::Write)));
            variables_.push_back(std::move(v));
        }
        for (Item &i : rows_.body)
            replaceElements(i);
        return loads;
    }

    Variable variableFor(Name data) {
        Variable v;
        DataDesc d = DataDesc::scalar(g_.desc(data)->dtype, true);
        d.storage = Storage::Register;
        v.name = nest::addContainer(g_, data.str() + "_value", std::move(d), connectors_);
        rows_.locals.insert(v.name);
        bool first = true;
        for (const Item &i : rows_.body)
            for (const nest::PlacedUse &u : nest::usesOf(i))
                if (u.use->data == data) {
                    if (std::exchange(first, false)) {
                        v.element = *u.use;
                        v.read = !(i.step && u.use->certain); // in an inner map that may have no iterations, too
                    }
                }
        return v;
    }

    nest::Use element_(const Variable &v, UseKind kind) const {
        nest::Use u = nest::ofElement(v.element, *v.element.subset, Name(kind == UseKind::Read ? "__inp" : "__out"));
        u.kind = kind;
        u.certain = kind == UseKind::Write;
        return u;
    }
    nest::Use variable_(const Variable &v, UseKind kind) const { return of(v.name, v.element, kind); }

    /// A use of a variable, derived from that of another container.
    nest::Use of(Name name, const nest::Use &like, UseKind kind) const {
        nest::Use u = like;
        u.moveTo(name, memories_.of(g_, name));
        u = nest::ofElement(u, g_.desc(name)->fullSubset(), Name(kind == UseKind::Read ? "__inp" : "__out"));
        u.kind = kind;
        u.certain = kind == UseKind::Write;
        return u;
    }

    Item copy(const std::string &label, nest::Use from, nest::Use to) const {
        return nest::taskletStep(label, "__out = __inp", {std::move(from)}, std::move(to), g_);
    }

    void replaceElements(Item &i) {
        if (i.map) {
            for (Item &inner : i.map->body)
                replaceElements(inner);
            return;
        }
        const auto isElement = [this](const nest::Use &u) { return plan_.elements().count(u.data) != 0; };
        if (std::none_of(i.step->uses.begin(), i.step->uses.end(), isElement))
            return;
        if (i.step->isCopy()) {
            nest::Use from = i.step->uses.front(), to = i.step->uses.back();
            from = nest::ofElement(from, *from.subset, Name("__inp"));
            to = nest::ofElement(to, *to.subset, Name("__out"));
            i = copy("copy_" + from.data.str(), std::move(from), std::move(to));
        }
        for (nest::Use &u : i.step->uses)
            if (isElement(u))
                moveUse(u, variableOf(u.data).name);
    }

    const Variable &variableOf(Name data) const {
        return *std::find_if(variables_.begin(), variables_.end(), [&](const Variable &v) { return v.element.data == data; });
    }

    /// Lets a use of one element refer to a variable.
    void moveUse(nest::Use &u, Name to) const {
        u.moveTo(to, memories_.of(g_, to));
        u.subset = g_.desc(to)->fullSubset();
        u.memlet.data = to;
        u.memlet.subset = u.subset;
    }

    /// The first thread stores the variables.
    std::vector<Item> storeElements() {
        std::vector<Item> stores;
        for (const Variable &v : variables_) {
            nest::Use to = element_(v, UseKind::Write);
            to.certain = false;
            to.memlet.dynamic = true;
            stores.push_back(nest::taskletStep("store_" + v.element.data.str(), "if " + thread_.str() + " == 0:\n    __out = __inp",
                                               {variable_(v, UseKind::Read)}, std::move(to), g_));
        }
        return stores;
    }

    // ---- lane loops and their sums

    std::vector<Item> takeBody(std::vector<Item> &body) {
        std::vector<Item> out;
        for (Item &i : body) {
            const auto lanes = i.map ? plan_.lanes().find(i.map.get()) : plan_.lanes().end();
            if (i.map && lanes == plan_.lanes().end())
                i.map->body = takeBody(i.map->body);
            if (lanes == plan_.lanes().end()) {
                out.push_back(std::move(i));
                continue;
            }
            const Map *original = i.map.get();
            std::vector<Item> after;
            for (const RowSum &sum : plan_.sums())
                if (sum.lanes == original)
                    combine(sum, *i.map, out, after);
            share(*i.map, lanes->second);
            out.push_back(std::move(i));
            std::move(after.begin(), after.end(), std::back_inserter(out));
        }
        return out;
    }

    void share(Map &m, std::size_t d) const {
        sym::Range &r = m.ranges[d];
        r.begin = r.begin + r.step * sym::Expr::symbol(thread_);
        r.step = r.step * threads_;
        if (m.entry->schedule != Schedule::Sequential) {
            const std::shared_ptr<MapEntry> entry = nest::entryLike(*m.entry, m.entry->label);
            entry->schedule = Schedule::Sequential;
            m.entry = entry.get();
            m.made = entry;
        }
    }

    /// Gives each thread a sum of its own, which starts before the lane loop, and is combined after it.
    void combine(const RowSum &sum, Map &m, std::vector<Item> &before, std::vector<Item> &after) {
        const bool isElement = plan_.elements().count(sum.data) != 0;
        const Name total = isElement ? variableOf(sum.data).name : sum.data;
        const Type type = g_.desc(total)->dtype;
        const py::Reduction kind = py::parseWcr(sum.wcr).value->kind;
        const py::ExprRef neutral = *py::reductionIdentity(kind, type);
        nest::Use like;
        if (isSetTo(*neutral, total, before)) { // each thread's variable is its part
            for (const Item &i : m.body)
                findUpdate(i, total, like);
            after.push_back(blockReduce(kind, of(total, like, UseKind::Read), of(total, like, UseKind::Write)));
            return;
        }
        DataDesc d = DataDesc::scalar(type, true);
        d.storage = Storage::Register;
        const Name part = nest::addContainer(g_, sum.data.str() + "_part", d, connectors_);
        const Name whole = nest::addContainer(g_, sum.data.str() + "_total", d, connectors_);
        rows_.locals.insert(part);
        rows_.locals.insert(whole);
        for (Item &i : m.body)
            moveUpdates(i, total, part, like);
        before.push_back(nest::taskletStep("init", "__out = " + py::print(*neutral), {}, of(part, like, UseKind::Write), g_));
        after.push_back(blockReduce(kind, of(part, like, UseKind::Read), of(whole, like, UseKind::Write)));
        nest::Use update = of(total, like, UseKind::Update);
        update.memlet.wcr = sum.wcr;
        after.push_back(copy("combine", of(whole, like, UseKind::Read), std::move(update)));
    }

    /// Is a variable set to a number by the last of these items that uses it?
    static bool isSetTo(const py::Expr &number, Name data, const std::vector<Item> &items) {
        for (std::size_t k = items.size(); k-- > 0;) {
            const std::vector<nest::PlacedUse> uses = nest::usesOf(items[k]);
            const auto used = std::find_if(uses.begin(), uses.end(), [&](const nest::PlacedUse &u) { return u.use->data == data; });
            if (used == uses.end())
                continue;
            const Step *s = items[k].step.get();
            const auto *t = s && s->uses.size() == 1 && s->uses.front().certain ? dyn_cast<Tasklet>(s->nodes.front()) : nullptr;
            return t && assigns(*t, number);
        }
        return false;
    }
    static bool assigns(const Tasklet &t, const py::Expr &number) {
        const auto block = py::parseBlock(t.code.text);
        const auto *only = block.value && block.value->size() == 1 ? block.value->front().get() : nullptr;
        if (!only || only->kind != py::StmtKind::Assign || !only->value)
            return false;
        const py::ExprRef &v = only->value; // `0`, or `dace.float64(0)`
        const bool isConverted = v->kind == py::ExprKind::Call && v->args.size() == 2 && v->type == number.type;
        const std::optional<double> value = numberIn(py::print(isConverted ? *v->args[1] : *v));
        return value && value == numberIn(py::print(number));
    }

    static void findUpdate(const Item &i, Name data, nest::Use &found) {
        for (const nest::PlacedUse &u : nest::usesOf(i))
            if (u.use->data == data)
                found = *u.use;
    }

    void moveUpdates(Item &i, Name from, Name to, nest::Use &like) const {
        if (i.map) {
            for (Item &inner : i.map->body)
                moveUpdates(inner, from, to, like);
            return;
        }
        for (nest::Use &u : i.step->uses)
            if (u.data == from) {
                like = u;
                moveUse(u, to);
            }
    }

    /// The threads of the block combine their values; each gets the result.
    Item blockReduce(py::Reduction kind, nest::Use part, nest::Use whole) const {
        auto node = std::make_shared<Tasklet>();
        node->label = "block";
        node->code = {"__out = gpuReduce.blockReduceAll(__inp, \"sdfgc::gpu::" + std::string(libnodes::deviceReduction(kind)) +
                          "()\")",
                      Language::Library};
        node->environments = {"GpuReduce"};
        node->debugInfo = part.access->debugInfo;
        const Type type = g_.desc(part.data)->dtype;
        node->addIn(part.connector, type);
        node->addOut(whole.connector, type);
        auto step = std::make_unique<Step>();
        step->nodes.push_back(node.get());
        step->uses.push_back(std::move(part));
        step->uses.push_back(std::move(whole));
        step->made = std::move(node);
        return {nullptr, std::move(step)};
    }

    Map &rows_;
    const RowSharing &plan_;
    SDFG &g_;
    analysis::Memories &memories_;
    const std::set<Name> &connectors_; // of all nodes
    const Name thread_;
    int64_t threads_ = mostThreads;
    std::vector<Variable> variables_;
};

class MapToThreads : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        const bool anyOrder = context.allows(pass::FloatClass::F1);
        return rewriteRuns(root, context, [&](SDFG &g, analysis::Memories &memories, std::vector<nest::Run> &runs) {
            const bool isOfGrid = g.parentNode && analysis::executorOf(*g.parentNode) == analysis::Executor::Grid;
            if (analysis::isInScope(g) && !isOfGrid) // what a kernel calls
                return;
            const nest::Conflicts items(g, memories);
            const std::set<Name> connectors = nest::connectorsOf(g);
            for (nest::Run &run : runs) {
                if (isOfGrid) {
                    run.changed |= shareSums(run.items, items, g, memories, connectors, anyOrder, context);
                    continue;
                }
                for (Item &i : run.items)
                    if (i.map && isOpen(*i.map->entry) && !hasThreads(i.map->body))
                        run.changed |= share(i.map, items, g, memories, connectors, anyOrder, context);
            }
        });
    }

    /// A kernel whose threads the graph leaves to us.
    static bool isOpen(const MapEntry &m) { return m.schedule == Schedule::GPU_Device && !m.gpuBlockSize && !m.ordered; }

    /// Does the graph arrange threads in these items?
    static bool hasThreads(const std::vector<Item> &list) {
        return std::any_of(list.begin(), list.end(), [](const Item &i) {
            return i.map && (isGpuSchedule(i.map->entry->schedule) || hasThreads(i.map->body));
        });
    }

    /// The only element that a map changes, if all of its iterations update it.
    static const nest::Use *sumOf(const Map &m) {
        const nest::Use *sum = nullptr;
        for (const Item &i : m.body) {
            if (i.map)
                return nullptr;
            for (const nest::Use &u : i.step->uses) {
                if (!u.writes() || m.locals.count(u.data))
                    continue;
                if (sum || u.kind != UseKind::Update || !u.subset || !u.subset->isOneElement() ||
                    nest::mentions(*u.subset, m.params))
                    return nullptr;
                sum = &u;
            }
        }
        return sum;
    }

    /// Does a step only set the element to a number?
    static bool sets(const Item &i, const nest::Use &element) {
        const Step *s = i.step.get();
        return s && s->uses.size() == 1 && s->uses.front().certain && s->uses.front().data == element.data &&
               s->uses.front().subset == element.subset && isa<Tasklet>(s->nodes.front());
    }

    /// Sums of a persistent kernel.
    static bool shareSums(std::vector<Item> &list, const nest::Conflicts &items, SDFG &g, analysis::Memories &memories,
                          const std::set<Name> &connectors, bool anyOrder, pass::Context &context) {
        bool changed = false;
        for (std::size_t k = 0; k < list.size(); ++k) {
            const Map *m = list[k].map.get();
            const nest::Use *sum = m && isOpen(*m->entry) ? sumOf(*m) : nullptr;
            if (!sum)
                continue;
            const bool isSet = k > 0 && sets(list[k - 1], *sum);
            Map row = nest::mapLike(*m->entry, "row", {g.freshName("row")}, {{0, 0, 1, 1}});
            Map lanes = nest::loopLike(*m->entry, m->entry->label, m->params, m->ranges);
            Map copy = nest::copyOf(*m);
            lanes.body = std::move(copy.body);
            lanes.locals = std::move(copy.locals);
            if (isSet)
                row.body.push_back({nullptr, std::make_unique<Step>(*list[k - 1].step)});
            row.body.push_back({std::make_unique<Map>(std::move(lanes)), nullptr});
            const pass::Element where = elementOfItem(*m, g);
            const RowSharing plan(row, items, g, anyOrder);
            if (plan.why() || plan.lanes().empty()) {
                context.missed(where, "the threads update a sum one after the other", plan.why());
                continue;
            }
            if (!context.mayChange(where, "the threads of a block share a sum"))
                continue;
            SharedRow(row, plan, g, memories, connectors).rewrite();
            list[k].map = std::make_unique<Map>(std::move(row));
            if (isSet)
                list.erase(list.begin() + static_cast<std::ptrdiff_t>(--k));
            changed = true;
        }
        return changed;
    }

    static bool share(std::unique_ptr<Map> &m, const nest::Conflicts &items, SDFG &g, analysis::Memories &memories,
                      const std::set<Name> &connectors, bool anyOrder, pass::Context &context) {
        auto rows = std::make_unique<Map>(nest::copyOf(*m)); // splitting may be in vain
        splitAccumulated(*rows);
        const RowSharing plan(*rows, items, g, anyOrder);
        if (plan.lanes().empty() || !plan.paysAsParameter())
            return false;
        const pass::Element where = elementOfItem(*m, g);
        if (plan.why()) {
            context.missed(where, "each thread has a row of its own", plan.why());
            return false;
        }
        if (spreadLanes(*rows, items, g, anyOrder)) {
            if (!context.mayChange(where, "each element of a row has a thread of its own"))
                return false;
            m = std::move(rows);
            return true;
        }
        if (!plan.pays())
            return false;
        if (!context.mayChange(where, "the threads of a block share a row"))
            return false;
        SharedRow(*rows, plan, g, memories, connectors).rewrite();
        m = std::move(rows);
        return true;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createMapToThreads() { return std::make_unique<MapToThreads>(); }

} // namespace sdfgc::transforms
