#include "Transforms/Offload/TimeTiles.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Tasklet/Cost.h"

#include <algorithm>
#include <cstdlib>

namespace sdfgc::transforms {

using namespace ir;
using diag::Reason;
using diag::Why;
using nest::Item;
using nest::Map;
using nest::Step;
using nest::Use;
using sym::Expr;

namespace {

constexpr int64_t tooFar = 1024; // no tile has such a halo

/// Sizes by rank, from the first dimension to the last: the blocks' memory, preferred sizes first, and their threads.
const std::vector<std::vector<int64_t>> memoryTiles[3] = {
    {{1024}, {512}, {256}}, {{64, 64}, {32, 64}, {32, 32}}, {{16, 16, 32}, {8, 16, 32}, {8, 8, 32}}};
const std::vector<int64_t> tileThreads[3] = {{512}, {8, 32}, {4, 4, 32}};

std::string quoted(Name n) { return "`" + n.str() + "`"; }

/// Can a block execute the step for elements of its memory?
bool isPlainTasklet(const Step &s) {
    const auto *t = s.nodes.size() == 1 ? dyn_cast<Tasklet>(s.nodes.front()) : nullptr;
    return t && !s.effects && t->code.isPython() && t->codeGlobal.empty() && t->codeInit.empty() && t->codeExit.empty();
}

} // namespace

TimeLoop::TimeLoop(const std::vector<Item> &body, const analysis::LoopHeader &header, analysis::Memories &memories, SDFG &g)
    : header_(header), memories_(memories), g_(g) {
    why_ = read(body);
}

bool TimeLoop::isState(Name data) const {
    return std::any_of(arrays_.begin(), arrays_.end(), [data](const StateArray &a) { return a.data == data; });
}

Reason TimeLoop::read(const std::vector<Item> &body) {
    for (const Item &i : body) {
        if (const auto *kept = i.step && !i.step->isCopy() ? dyn_cast<MapEntry>(i.step->nodes.front()) : nullptr;
            kept && !kept->optimize)
            return {Why::Kept, "the graph asks to keep " + quoted(Name(kept->label)) + " unchanged"};
        if (!i.map)
            return {Why::Opaque, "its body contains more than maps"};
        const MapEntry &e = *i.map->entry;
        if (e.schedule != Schedule::GPU_Device || e.gpuBlockSize || e.ordered)
            return {Why::Shape, quoted(Name(e.label)) + " arranges its threads itself"};
        Sweep s;
        s.map = i.map.get();
        s.locals = nest::localsOf(*i.map);
        if (Reason why = flatten(i.map->body, {}, s))
            return why;
        for (const SweepStep &step : s.steps)
            if (Reason why = readStep(*step.step, s))
                return why;
        sweeps_.push_back(std::move(s));
    }
    if (arrays_.empty())
        return {Why::Unprofitable, "it writes nothing"};
    nameLoops();
    for (Sweep &s : sweeps_)
        if (Reason why = readWrites(s))
            return why;
    for (Sweep &s : sweeps_)
        if (Reason why = readReads(s))
            return why;
    readOrder();
    return readArrays();
}

/// Lists the steps of a sweep, with the conditions around them.
Reason TimeLoop::flatten(const std::vector<Item> &body, const SweepStep &around, Sweep &s) const {
    for (const Item &i : body) {
        SweepStep inside = around;
        if (i.step) {
            inside.step = i.step.get();
            s.steps.push_back(std::move(inside));
            continue;
        }
        inside.isConditional = true;
        for (std::size_t d = 0; d < i.map->params.size(); ++d) {
            const std::optional<sym::OnlyValue> only = sym::onlyValueOf(i.map->ranges[d]);
            if (!only || isGpuSchedule(i.map->entry->schedule))
                return {Why::Shape, "there are loops or maps in " + quoted(Name(s.map->entry->label))};
            const Expr value = sym::substitute(only->value, inside.values);
            for (const Name p : s.map->params)
                for (const Expr least : only->least)
                    if (value.dependsOn(p) && isConstant(least, *s.map) && isConstant(value - Expr::symbol(p), *s.map) &&
                        std::count(only->most.begin(), only->most.end(), least) != 0)
                        inside.fixed.emplace(p, least - (value - Expr::symbol(p)));
            inside.values.insert_or_assign(i.map->params[d], value);
        }
        if (Reason why = flatten(i.map->body, inside, s))
            return why;
    }
    return {};
}

/// Collects the state.
Reason TimeLoop::readStep(const Step &s, const Sweep &sweep) {
    const Map &m = *sweep.map;
    if (!s.isCopy() && !isPlainTasklet(s))
        return {Why::Opaque, "there is more than tasklets in Python in " + quoted(Name(m.entry->label))};
    if (const auto *t = s.isCopy() ? nullptr : cast<Tasklet>(s.nodes.front())) {
        if (analysis::namesInTasklet(t->code, g_).count(header_.variable))
            return {Why::Dependence, "a tasklet uses " + quoted(header_.variable)};
        const auto cost = py::operations(t->code.blockOrRaw());
        if (!cost)
            return {Why::UnknownWork, "it is not known how much " + quoted(Name(m.entry->label)) + " computes"};
        operations_ += *cost;
    }
    for (const Use &u : s.uses) {
        if (!u.writes() || sweep.locals.count(u.data) || isState(u.data))
            continue;
        const DataDesc *d = g_.desc(u.data);
        if (!analysis::isPlain(d) || !d->isArray() || d->storage != Storage::GPU_Global || d->mayAlias || u.shown ||
            !d->dtype.bytes())
            return {Why::Container, quoted(u.data) + " is not a plain array of the device"};
        const std::vector<sym::Range> all = d->fullSubset().dims;
        if (arrays_.empty())
            exists_ = all;
        else if (exists_ != all)
            return {Why::Shape, quoted(u.data) + " has another shape than " + quoted(arrays_.front().data)};
        if (all.empty() || all.size() > 3)
            return {Why::Shape, quoted(u.data) + " has more than three dimensions"};
        StateArray a;
        a.data = u.data;
        a.bytes = d->dtype.bytes();
        arrays_.push_back(std::move(a));
    }
    return {};
}

/// Is a value the same in all iterations of the loop and of the map?
bool TimeLoop::isConstant(Expr e, const Map &m) const {
    const std::vector<Name> &names = e.freeSymbols();
    return std::none_of(names.begin(), names.end(), [&](Name n) {
        return n == header_.variable || g_.desc(n) || std::count(m.params.begin(), m.params.end(), n) != 0;
    });
}

/// Rule 3, for the elements that it writes.
Reason TimeLoop::readWrites(Sweep &s) const {
    const Map &m = *s.map;
    const std::string label = quoted(Name(m.entry->label));
    if (m.params.size() != rank())
        return {Why::Shape, label + " does not have a loop for each dimension of " + quoted(arrays_.front().data)};
    for (const sym::Range &r : m.ranges)
        if (!r.step.isOne() || !r.tile.isOne() || !isConstant(r.begin, m) || !isConstant(r.end, m))
            return {Why::Shape, "the elements that " + label + " computes differ between steps of time"};
    const auto forEachWrite = [&](const auto &f) {
        for (const SweepStep &step : s.steps)
            for (const Use &u : step.step->uses)
                if (u.writes() && !s.locals.count(u.data))
                    f(step, u);
    };
    bool isOne = true;
    forEachWrite([&](const SweepStep &step, const Use &u) {
        isOne &= u.kind == nest::UseKind::Write && u.certain && u.subset && u.subset->isOneElement() && u.subset->rank() == rank();
        if (isOne && s.loops.size() != rank())
            findLoops(s, step, *u.subset);
    });
    if (!isOne)
        return {Why::SharedElement, "an iteration of " + label + " does not write exactly one element of each of its arrays"};
    if (s.loops.size() != rank())
        return {Why::Shape, label + " does not have a loop for each dimension of what it writes"};
    for (std::size_t k = 0; k < rank(); ++k) {
        if (!isConstant(s.shift[k], m))
            return {Why::NotAffine, "an index that " + label + " writes is not a parameter at a constant distance"};
        s.box.push_back({m.ranges[s.loops[k]].begin + s.shift[k], m.ranges[s.loops[k]].end + s.shift[k]});
    }
    bool isSame = true;
    forEachWrite([&](const SweepStep &step, const Use &u) {
        const auto d = distance(s, step, *u.subset);
        isSame &= d && std::all_of(d->begin(), d->end(), [](int64_t n) { return n == 0; });
    });
    if (!isSame)
        return {Why::SharedElement, "an iteration of " + label + " writes elements with different indices"};
    s.radius.assign(rank(), 0);
    return {};
}

/// Takes the loops that are the indices of a written element, if each of its dimensions has one.
bool TimeLoop::findLoops(Sweep &s, const SweepStep &step, const sym::Subset &written) {
    std::vector<std::size_t> loops;
    std::vector<Expr> shift;
    for (const sym::Range &r : written.dims) {
        const Expr index = sym::substitute(r.begin, step.values);
        const auto loop = std::find_if(s.map->params.begin(), s.map->params.end(), [&](Name p) { return index.dependsOn(p); });
        const auto at = static_cast<std::size_t>(loop - s.map->params.begin());
        if (loop == s.map->params.end() || std::count(loops.begin(), loops.end(), at) != 0)
            return false;
        loops.push_back(at);
        shift.push_back(index - Expr::symbol(*loop));
    }
    s.loops = std::move(loops);
    s.shift = std::move(shift);
    return true;
}

std::optional<std::vector<int64_t>> TimeLoop::distance(const Sweep &s, const SweepStep &step, const sym::Subset &element) const {
    std::vector<int64_t> out;
    if (!element.isOneElement() || element.rank() != rank())
        return std::nullopt;
    for (std::size_t k = 0; k < rank(); ++k) {
        const Expr own = Expr::symbol(s.map->params[s.loops[k]]) + s.shift[k];
        const Expr difference = sym::substitute(element.dims[k].begin, step.values) - own;
        std::optional<int64_t> d = difference.asInt();
        if (!d)
            d = sym::substitute(difference, step.fixed).asInt();
        if (!d || std::abs(*d) > tooFar)
            return std::nullopt;
        out.push_back(*d);
    }
    return out;
}

/// Rules 3 and 4, for the elements that it reads.
Reason TimeLoop::readReads(Sweep &s) const {
    const Map &m = *s.map;
    std::set<Name> own; // arrays of the state that it writes
    for (const SweepStep &step : s.steps)
        for (const Use &u : step.step->uses)
            if (u.writes())
                own.insert(u.data);
    for (const Item &i : m.body)
        if (!nest::canRename(i, placeholders(m)))
            return {Why::Names, "a name in " + quoted(Name(m.entry->label)) + " would have another meaning"};
    for (const SweepStep &step : s.steps)
        for (const Use &u : step.step->uses) {
            if (s.locals.count(u.data))
                continue;
            if (!isState(u.data)) {
                if (Reason why = readOther(u, m))
                    return why;
                continue;
            }
            const auto d = u.subset && !u.shown ? distance(s, step, *u.subset) : std::nullopt;
            if (!d)
                return {Why::NotAffine, "elements of " + quoted(u.data) + " are not at constant, short distances"};
            const bool isOwn = std::all_of(d->begin(), d->end(), [](int64_t n) { return n == 0; });
            if (own.count(u.data) && !isOwn)
                return {Why::Dependence, quoted(Name(m.entry->label)) + " reads elements of " + quoted(u.data) + " that it writes"};
            for (std::size_t k = 0; k < rank(); ++k)
                s.radius[k] = std::max(s.radius[k], std::abs((*d)[k]));
        }
    return {};
}

/// Rule 4.
Reason TimeLoop::readOther(const Use &u, const Map &m) const {
    for (const StateArray &a : arrays_) {
        if (!memories_.apart(memories_.of(g_, a.data), u.memory))
            return {Why::MayAlias, quoted(u.data) + " may share memory with " + quoted(a.data)};
        if (u.subset && u.subset->freeSymbols().count(a.data))
            return {Why::Dependence, quoted(a.data) + " is an index in " + quoted(Name(m.entry->label))};
    }
    return {};
}

/// Which arrays carry values from step to step?
Reason TimeLoop::readArrays() {
    for (std::size_t a = 0; a < arrays_.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
            if (!memories_.apart(memories_.of(g_, arrays_[a].data), memories_.of(g_, arrays_[b].data)))
                return {Why::MayAlias, quoted(arrays_[a].data) + " may share memory with " + quoted(arrays_[b].data)};
    for (StateArray &a : arrays_) {
        bool isCovered = true; // do sweeps read only what sweeps write?
        const auto read = [&](const Sweep &s, const SweepStep &step, const Use &u) {
            a.carries |= a.box.empty();
            const std::vector<int64_t> d = *distance(s, step, *u.subset);
            for (std::size_t k = 0; k < rank() && !a.box.empty(); ++k)
                isCovered &= sym::isLessEqual(a.box[k].begin, s.box[k].begin + d[k]) == sym::Truth::True &&
                             sym::isLessEqual(s.box[k].end + d[k], a.box[k].end) == sym::Truth::True;
        };
        for (const Sweep &s : sweeps_)
            for (const SweepStep &step : s.steps) {
                const std::vector<Use> &uses = step.step->uses;
                for (const Use &u : uses)
                    if (u.data == a.data && !u.writes())
                        read(s, step, u);
                const bool writes =
                    std::any_of(uses.begin(), uses.end(), [&](const Use &u) { return u.data == a.data && u.writes(); });
                a.carries |= writes && (step.isConditional || (!a.box.empty() && a.box != s.box));
                if (writes && a.box.empty())
                    a.box = s.box;
            }
        a.enters = a.carries || !isCovered;
    }
    if (std::none_of(arrays_.begin(), arrays_.end(), [](const StateArray &a) { return a.carries; }))
        return {Why::Unprofitable, "no step uses results of the step before it"};
    return {};
}

/// Neighbours along the last dimension are neighbours in memory, unless those along the first one are.
void TimeLoop::readOrder() {
    for (std::size_t k = 0; k < rank(); ++k)
        order_.push_back(k);
    const std::vector<Expr> &strides = g_.desc(arrays_.front().data)->strides;
    if (!strides.back().isOne() && strides.front().isOne())
        std::reverse(order_.begin(), order_.end());
}

void TimeLoop::nameLoops() {
    std::set<Name> taken = nest::connectorsOf(g_);
    taken.insert(header_.variable);
    for (const Sweep &s : sweeps_) {
        taken.insert(s.map->params.begin(), s.map->params.end());
        for (const SweepStep &step : s.steps)
            for (const auto &[loop, value] : step.values)
                taken.insert(loop);
    }
    const auto fresh = [&](const std::string &base) {
        Name out = g_.freshName(base);
        for (std::size_t n = 0; !taken.insert(out).second; ++n)
            out = g_.freshName(base + "_" + std::to_string(n));
        return out;
    };
    const std::string axes[] = {"x", "y", "z"};
    for (std::size_t k = 0; k < rank(); ++k) {
        const std::string &axis = axes[rank() - 1 - k], suffix = rank() == 1 ? "" : "_" + axis;
        names_.first.push_back(fresh("first" + suffix));
        names_.cell.push_back(fresh(axis));
        names_.thread.push_back(fresh("thread" + suffix));
    }
    names_.step = fresh("step");
    names_.any = fresh("any");
}

/// The meaning of names in steps, up to constants: what canRename needs.
std::map<Name, Expr> TimeLoop::placeholders(const Map &m) const {
    std::map<Name, Expr> out{{header_.variable, Expr::symbol(header_.variable) + Expr::symbol(names_.step)}};
    for (std::size_t k = 0; k < rank(); ++k)
        out.emplace(m.params[k], Expr::symbol(names_.first[k]) + Expr::symbol(names_.cell[k]));
    return out;
}

TileShape TimeLoop::shapeOf(const std::vector<int64_t> &cells, int64_t steps) const {
    TileShape out{steps, cells, {}, {}, {}, 0, 0};
    std::vector<int64_t> left = cells; // without the part of the halo that is not needed any more
    for (std::size_t k = 0; k < rank(); ++k) {
        int64_t radius = 0;
        for (const Sweep &s : sweeps_)
            radius += s.radius[k];
        out.halo.push_back(steps * radius);
        out.width.push_back(cells[k] - 2 * out.halo[k]);
    }
    if (std::any_of(out.width.begin(), out.width.end(), [](int64_t w) { return w <= 0; }))
        return {};
    double computed = 0, elements = 0;
    for (int64_t step = 0; step < steps; ++step)
        for (const Sweep &s : sweeps_) {
            double sweep = 1, tile = 1;
            for (std::size_t k = 0; k < rank(); ++k) {
                left[k] -= 2 * s.radius[k];
                sweep *= static_cast<double>(left[k]);
                tile *= static_cast<double>(out.width[k]);
            }
            computed += sweep;
            elements += tile;
        }
    out.redundant = static_cast<int64_t>(100 * (computed - elements) / elements + 0.5);
    out.bytes = 0;
    for (const StateArray &a : arrays_)
        out.bytes += *a.bytes;
    for (const int64_t c : cells)
        out.bytes *= c;
    return out;
}

std::optional<TileShape> TimeLoop::shape(const TileLimits &limits, Reason &why) const {
    const auto number = static_cast<int64_t>(sweeps_.size());
    const std::optional<int64_t> trips = header_.trips().asInt();
    const int64_t most = limits.steps ? limits.steps : limits.sweeps / number;
    if (most * number < 2 || (trips && *trips < 2)) {
        why = {Why::Small, "there are not enough steps"};
        return std::nullopt;
    }
    if (operations_ > limits.operations * number) {
        why = {Why::Unprofitable, "its operations take longer than its accesses"};
        return std::nullopt;
    }
    std::vector<std::vector<int64_t>> candidates = memoryTiles[rank() - 1];
    if (!limits.cells.empty())
        candidates = {limits.cells};
    why = {Why::Budget, "its tiles do not fit into " + std::to_string(limits.bytes) + " bytes of shared memory"};
    for (std::vector<int64_t> &cells : candidates) {
        if (cells.size() != rank()) {
            why = {Why::Shape, "`cells` has another number of dimensions"};
            return std::nullopt;
        }
        if (order_.front() != 0)
            std::reverse(cells.begin(), cells.end());
        if (shapeOf(cells, 0).bytes > limits.bytes)
            continue;
        TileShape best;
        const int64_t last = limits.steps ? most : std::min(most, trips.value_or(most));
        for (int64_t steps = limits.steps ? most : 1; steps <= last; ++steps)
            if (TileShape s = shapeOf(cells, steps); s.steps && (limits.steps || s.redundant <= limits.redundant))
                best = std::move(s);
        if (best.steps * number >= 2) {
            best.threads = tileThreads[rank() - 1];
            if (order_.front() != 0)
                std::reverse(best.threads.begin(), best.threads.end());
            return best;
        }
        why = {Why::Unprofitable,
               "more than " + std::to_string(limits.redundant) + " % of the elements of a tile would be computed more than once"};
        return std::nullopt;
    }
    return std::nullopt;
}

} // namespace sdfgc::transforms
