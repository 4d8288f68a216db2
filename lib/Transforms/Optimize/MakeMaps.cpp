#include "Transforms/Optimize/MakeMaps.h"

#include "sdfgc/Analysis/Symbols.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;
using nest::Item;
using nest::Map;
using nest::Step;
using nest::Use;
using nest::UseKind;

namespace {

bool isOnHost(const DataDesc *d) {
    return d && (d->storage == Storage::Default || d->storage == Storage::CPU_Heap || d->storage == Storage::Register);
}

/// The element of a subset that an iteration takes. `at`: its position along each dimension with more than one element, in order.
sym::Subset elementOf(const sym::Subset &s, const std::vector<sym::Expr> &at) {
    sym::Subset out = s;
    std::size_t next = 0;
    for (const std::size_t d : s.nonUnitDims()) {
        const sym::Range &r = s.dims[d];
        out.dims[d].begin = out.dims[d].end = r.begin + at[next++] * r.step;
        out.dims[d].step = 1;
    }
    return out;
}

/// The element of a subset that each iteration of a map takes, a parameter for each dimension; nothing where sizes differ.
std::optional<sym::Subset> elementOf(const sym::Subset &s, const Map &like) {
    const std::vector<std::size_t> dims = s.nonUnitDims();
    if (dims.size() != like.params.size())
        return std::nullopt;
    std::vector<sym::Expr> at;
    for (std::size_t k = 0; k < dims.size(); ++k) {
        const sym::Range &r = s.dims[dims[k]], &l = like.ranges[k];
        if (!r.tile.isOne() || !(r.steps() == l.steps()))
            return std::nullopt;
        at.push_back((sym::Expr::symbol(like.params[k]) - l.begin) / l.step);
    }
    return elementOf(s, at);
}

bool mentions(const sym::Subset &s, const std::vector<Name> &params) {
    const std::set<Name> symbols = s.freeSymbols();
    return std::any_of(params.begin(), params.end(), [&](Name p) { return symbols.count(p) != 0; });
}

bool isBoxOfUnitSteps(const Map &m) {
    return std::all_of(m.ranges.begin(), m.ranges.end(), [&](const sym::Range &r) {
        return r.step.isOne() && r.tile.isOne() &&
               std::none_of(m.params.begin(), m.params.end(), [&](Name p) { return r.begin.dependsOn(p) || r.end.dependsOn(p); });
    });
}

Use ofElement(const Use &whole, sym::Subset element, Name connector) {
    Use u = whole;
    u.connector = connector;
    u.memlet = Memlet::simple(whole.data, element);
    u.memlet.volume = 1;
    u.memlet.debugInfo = whole.memlet.debugInfo;
    u.subset = std::move(element);
    return u;
}

/// A step of a tasklet that a pass makes, with one output and one input at most.
Item tasklet(std::string label, std::string code, std::optional<Use> read, Use written, const SDFG &g) {
    auto node = std::make_shared<Tasklet>();
    node->label = std::move(label);
    node->code = {std::move(code), Language::Python};
    node->debugInfo = written.access->debugInfo;
    auto step = std::make_unique<Step>();
    step->nodes.push_back(node.get());
    if (read) {
        node->addIn(read->connector, g.desc(read->data)->dtype);
        step->uses.push_back(std::move(*read));
    }
    node->addOut(written.connector, g.desc(written.data)->dtype);
    step->uses.push_back(std::move(written));
    step->made = std::move(node);
    return {nullptr, std::move(step)};
}

std::shared_ptr<MapEntry> entryLike(const MapEntry &like, std::string label) {
    std::shared_ptr<MapEntry> entry(cast<MapEntry>(ir::clone(like).release()));
    entry->label = std::move(label);
    return entry;
}

std::unique_ptr<Map> mapLike(const Map &like, std::string label) {
    auto map = std::make_unique<Map>();
    map->made = entryLike(*like.entry, std::move(label));
    map->entry = map->made.get();
    return map;
}

const Name in("__inp"), out("__out");

} // namespace

std::unique_ptr<Map> copyAsMap(const Step &copy, const Map &like, const SDFG &g) {
    const Use &from = copy.uses.front(), &to = copy.uses.back();
    const DataDesc *source = g.desc(from.data), *target = g.desc(to.data);
    if (!from.subset || !to.subset || !to.certain || !isOnHost(source) || !isOnHost(target) || !(source->dtype == target->dtype) ||
        !isBoxOfUnitSteps(like) || mentions(*from.subset, like.params) || mentions(*to.subset, like.params))
        return nullptr;
    const auto read = elementOf(*from.subset, like), written = elementOf(*to.subset, like);
    if (!read || !written)
        return nullptr;
    auto map = std::make_unique<Map>();
    map->entry = like.entry;
    map->params = like.params;
    map->ranges = like.ranges;
    map->body.push_back(
        tasklet("copy_" + from.data.str(), "__out = __inp", ofElement(from, *read, in), ofElement(to, *written, out), g));
    return map;
}

// ---- Reduce

namespace {

/// A Reduce node under conversion.
class Reduction {
public:
    Reduction(const Step &step, const Map &like, const SDFG &g)
        : node_(*cast<LibraryNode>(step.nodes.front())), like_(like), g_(g), from_(step.uses.front()), to_(step.uses.back()),
          isPair_(step.uses.size() == 2 && !from_.writes() && to_.kind == UseKind::Write) {}

    ReduceAsMaps maps() {
        if (!isPair_ || !readFunction() || !readDims() || !nameParameters())
            return {};
        return {init(), update()};
    }

private:
    std::string text(const char *property) const {
        const json::Value *v = node_.properties.find(property);
        return v && !v->isNull() ? v->text() : "";
    }

    /// An associative function, and what to begin with.
    bool readFunction() {
        wcr_ = text("wcr");
        identity_ = text("identity");
        const auto function = py::parseWcr(wcr_);
        if (!function.value || identity_.empty() || !py::freeNames(*function.value->lambda).empty() ||
            !analysis::namesInCode({identity_, Language::Python}, g_).empty())
            return false;
        const py::Reduction kind = function.value->kind;
        const bool isOrdered = kind == py::Reduction::Sub || kind == py::Reduction::Div || kind == py::Reduction::MinLocation ||
                               kind == py::Reduction::MaxLocation;
        return !isOrdered && py::reductionIdentity(kind, g_.desc(to_.data)->dtype).has_value();
    }

    /// Which dimensions of the input are kept, if the output has just these.
    bool readDims() {
        if (!from_.subset || !to_.subset || from_.memlet.dynamic || to_.memlet.dynamic || !isOnHost(g_.desc(from_.data)) ||
            !isOnHost(g_.desc(to_.data)))
            return false;
        const json::Value *axes = node_.properties.find("axes");
        const auto rank = static_cast<int64_t>(from_.subset->rank());
        dims_ = from_.subset->nonUnitDims();
        for (std::size_t k = 0; k < dims_.size(); ++k) {
            if (!from_.subset->dims[dims_[k]].tile.isOne())
                return false;
            const auto dim = static_cast<int64_t>(dims_[k]);
            bool reduced = !axes || axes->isNull();
            if (!reduced && !axes->isArray())
                return false;
            if (!reduced)
                for (const json::Value &a : axes->items())
                    reduced |= a.asInt() == dim || a.asInt() == dim - rank;
            if (!reduced)
                kept_.push_back(k);
        }
        const std::vector<std::size_t> written = to_.subset->nonUnitDims();
        bool fits = written.size() == kept_.size() && kept_.size() < dims_.size();
        for (std::size_t k = 0; fits && k < written.size(); ++k)
            fits = to_.subset->dims[written[k]].tile.isOne() &&
                   to_.subset->dims[written[k]].size() == from_.subset->dims[dims_[kept_[k]]].size();
        return fits;
    }

    /// Names that mean nothing in the subsets. Threads that share the first loop must not share outputs, but for a single one.
    bool nameParameters() {
        for (std::size_t k = 0; k < dims_.size(); ++k)
            params_.push_back(k < like_.params.size() ? like_.params[k] : g_.freshName("__r" + std::to_string(k)));
        const bool shared = isParallel(like_.entry->schedule) && !kept_.empty() && kept_.front() != 0;
        return !shared && canSplit(like_) && !mentions(*from_.subset, params_) && !mentions(*to_.subset, params_);
    }

    sym::Subset output() const {
        std::vector<sym::Expr> at;
        for (const std::size_t k : kept_)
            at.push_back(sym::Expr::symbol(params_[k]));
        return elementOf(*to_.subset, at);
    }

    void addLoop(Map &m, std::size_t k) const {
        m.params.push_back(params_[k]);
        m.ranges.push_back({0, from_.subset->dims[dims_[k]].size() - 1, 1, 1});
    }

    Item init() const {
        Use first = ofElement(to_, output(), out);
        first.certain = true;
        Item step = tasklet("init", "__out = " + identity_, std::nullopt, std::move(first), g_);
        if (kept_.empty())
            return step;
        std::unique_ptr<Map> map = mapLike(like_, "init");
        for (const std::size_t k : kept_)
            addLoop(*map, k);
        map->body.push_back(std::move(step));
        return {std::move(map), nullptr};
    }

    std::unique_ptr<Map> update() const {
        std::vector<sym::Expr> at;
        std::unique_ptr<Map> map = mapLike(like_, node_.label);
        for (std::size_t k = 0; k < dims_.size(); ++k) {
            at.push_back(sym::Expr::symbol(params_[k]));
            addLoop(*map, k);
        }
        Use updated = ofElement(to_, output(), out);
        updated.kind = UseKind::Update;
        updated.certain = false;
        updated.memlet.wcr = wcr_;
        map->body.push_back(
            tasklet(node_.label, "__out = __inp", ofElement(from_, elementOf(*from_.subset, at), in), std::move(updated), g_));
        return map;
    }

    const LibraryNode &node_;
    const Map &like_;
    const SDFG &g_;
    const Use &from_, &to_;
    const bool isPair_;
    std::string wcr_, identity_;
    std::vector<std::size_t> dims_, kept_; // of the input with more than one element; positions in dims_ of those of the output
    std::vector<Name> params_;             // by position in dims_
};

} // namespace

bool isReduce(const Step &s) {
    const auto *node = s.nodes.size() == 1 ? dyn_cast<LibraryNode>(s.nodes.front()) : nullptr;
    return node && node->className() == "Reduce" && node->libraryName() == "standard";
}

ReduceAsMaps reduceAsMaps(const Step &reduce, const Map &like, const SDFG &g) { return Reduction(reduce, like, g).maps(); }

// ---- maps inside of maps

bool canSplit(const Map &m) {
    const MapEntry &e = *m.entry;
    return (e.schedule == Schedule::CPU_Multicore || e.schedule == Schedule::Sequential) && e.collapse == 1 && !e.unroll &&
           e.ompNumThreads == sym::Expr(0) && e.ompSchedule == OmpSchedule::Default && e.ompIf == sym::Expr::boolean(true);
}

void splitOff(Map &m, std::size_t depth) {
    if (depth == m.params.size())
        return;
    auto inner = std::make_unique<Map>();
    std::shared_ptr<MapEntry> entry = entryLike(*m.entry, m.entry->label);
    entry->schedule = Schedule::Sequential;
    inner->entry = entry.get();
    inner->made = std::move(entry);
    const auto at = static_cast<std::ptrdiff_t>(depth);
    inner->params.assign(m.params.begin() + at, m.params.end());
    inner->ranges.assign(m.ranges.begin() + at, m.ranges.end());
    m.params.resize(depth);
    m.ranges.erase(m.ranges.begin() + at, m.ranges.end());
    std::swap(inner->body, m.body);
    std::swap(inner->locals, m.locals);
    m.body.push_back({std::move(inner), nullptr});
}

} // namespace sdfgc::transforms
