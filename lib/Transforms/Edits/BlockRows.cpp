#include "Transforms/Edits/BlockRows.h"

#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/LibraryNodes/LibraryNodes.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/MakeMaps.h"
#include "sdfgc/Tasklet/Types.h"

#include <algorithm>
#include <numeric>

namespace sdfgc::transforms {

using namespace ir;
using analysis::LoopLevel;
using diag::Reason;
using diag::Why;
using nest::Item;
using nest::Map;
using nest::Step;
using nest::Use;
using nest::UseKind;

namespace {

constexpr int64_t shortRow = 32;     // iterations that one thread runs as fast as a block
constexpr int64_t unknownSize = 512; // of a loop
constexpr int64_t deviceThreads = 16'896;
constexpr int64_t fewColumns = 8; // fewer leave most threads of a warp without a neighbour
const Name lane("__lane");        // the common name of the lane loops' variables

bool isElement(const std::optional<sym::Subset> &s) { return s && s->isOneElement(); }

/// An array whose elements have neighbours; scalars and values that are pushed have none.
const DataDesc *arrayOf(const Use &u, const SDFG &g) {
    const DataDesc *d = u.subset ? g.desc(u.data) : nullptr;
    return d && d->isArray() && !d->totalSize.isOne() ? d : nullptr;
}

bool movesNext(const Use &u, Name loop, const SDFG &g) {
    const DataDesc *d = arrayOf(u, g);
    return d && nest::isNextTo(*u.subset, *d, loop);
}

/// The loop of a map along which most of its accesses move to the next element; among several, one whose iterations all write
/// other elements; among these, the last one.
std::size_t laneOf(const Map &m, const std::vector<nest::PlacedUse> &uses, const SDFG &g) {
    const std::set<Name> own = nest::localsOf(m);
    std::vector<std::pair<std::ptrdiff_t, bool>> ranks;
    for (const Name p : m.params) {
        const auto isNear = [&](const nest::PlacedUse &u) { return movesNext(*u.use, p, g); };
        const auto isShared = [&](const nest::PlacedUse &u) {
            return u.use->writes() && !own.count(u.use->data) && !(u.use->subset && nest::mentions(*u.use->subset, {p}));
        };
        ranks.emplace_back(std::count_if(uses.begin(), uses.end(), isNear), std::none_of(uses.begin(), uses.end(), isShared));
    }
    const auto best = std::max_element(ranks.rbegin(), ranks.rend());
    return static_cast<std::size_t>(ranks.rend() - best) - 1;
}

/// The conflict resolution with which a nested SDFG updates an argument, if it does nothing else with it; empty otherwise.
std::string updateIn(const NestedSDFGNode &call, Name argument) {
    if (!call.sdfg || analysis::containersReadByControlFlow(*call.sdfg).count(argument))
        return "";
    std::set<std::string> found;
    for (const State *s : allStates(std::as_const(*call.sdfg)))
        for (const AccessNode *a : nodesOf<AccessNode>(*s)) {
            if (a->data != argument)
                continue;
            for (const Edge *e : a->inEdges()) {
                const auto *inner = e->memlet.wcr.empty() ? dyn_cast<NestedSDFGNode>(e->src) : nullptr;
                found.insert(inner ? updateIn(*inner, e->srcConn) : e->memlet.wcr);
            }
            if (!a->outEdges().empty())
                return "";
        }
    return found.size() == 1 ? *found.begin() : "";
}

/// Why no thread can execute a step as part of a row.
Reason obstacleOf(const Step &s) {
    if (s.effects)
        return {Why::Effects, "it has effects that its memlets do not describe"};
    if (s.nodes.size() > 1)
        return {Why::Opaque, "it has scopes that cannot be changed"};
    if (!s.isCopy() && nest::callsLibrary(*s.nodes.front()))
        return {Why::Library, "it calls a library"};
    return {};
}

} // namespace

RowSharing::RowSharing(const Map &rows, const nest::Conflicts &items, const SDFG &g, bool anyOrder)
    : rows_(rows), items_(items), g_(g), anyOrder_(anyOrder) {
    std::vector<LoopLevel> around;
    own_ = rows.locals;
    visit(rows.body, around);
    if (lanes_.empty())
        refuse({Why::Shape, "it has no inner map"});
    if (!why_)
        findElements();
    if (!why_)
        findSums();
    if (!why_)
        checkLoads();
    if (!why_)
        checkPairs();
}

void RowSharing::refuse(Reason why) {
    if (!why_)
        why_ = std::move(why);
}

void RowSharing::visit(const std::vector<Item> &list, std::vector<LoopLevel> &around) {
    for (const Item &i : list) {
        if (i.step) {
            visitStep(*i.step, around);
        } else if (!i.map->entry->ordered) {
            visitLanes(*i.map, around);
        } else {
            const std::size_t outside = around.size();
            analysis::addLoops(around, *i.map);
            own_.insert(i.map->locals.begin(), i.map->locals.end());
            visit(i.map->body, around);
            around.resize(outside);
        }
    }
}

void RowSharing::visitStep(const Step &s, const std::vector<LoopLevel> &around) {
    refuse(obstacleOf(s));
    for (const Use &u : s.uses)
        add(u, {.step = &s, .placed = {&u, &s, {u.subset, around}}});
}

void RowSharing::add(const Use &u, Access a) {
    a.use = &u;
    a.kind = u.kind;
    a.wcr = u.memlet.wcr;
    const auto *call = a.step->nodes.size() == 1 ? dyn_cast<NestedSDFGNode>(a.step->nodes.front()) : nullptr;
    if (call && a.wcr.empty() && u.writes()) {
        const bool isRead = std::any_of(a.step->uses.begin(), a.step->uses.end(),
                                        [&](const Use &other) { return !other.writes() && other.connector == u.connector; });
        a.wcr = isRead ? "" : updateIn(*call, u.connector);
        a.kind = a.wcr.empty() ? a.kind : UseKind::Update;
    }
    accesses_.push_back(std::move(a));
}

void RowSharing::visitLanes(const Map &m, const std::vector<LoopLevel> &around) {
    const Schedule schedule = m.entry->schedule;
    if (schedule != Schedule::Sequential && schedule != Schedule::CPU_Multicore)
        refuse({Why::Shape, "an inner map has the schedule " + std::string(name(schedule))});
    std::vector<nest::PlacedUse> uses;
    for (const Item &i : m.body)
        for (nest::PlacedUse &u : nest::usesOf(i))
            uses.push_back(std::move(u));
    const std::size_t d = laneOf(m, uses, g_);
    lanes_[&m] = d;
    first_ = first_ ? first_ : &m;
    std::vector<LoopLevel> others = around;
    for (std::size_t k = 0; k < m.params.size(); ++k)
        if (k != d)
            others.push_back({m.params[k], m.ranges[k]});
    const bool fixed = m.ranges[d].tile.isOne() && std::none_of(others.begin(), others.end(), [&](const LoopLevel &l) {
                           return m.ranges[d].begin.dependsOn(l.variable) || m.ranges[d].step.dependsOn(l.variable);
                       });
    const std::map<Name, sym::Expr> meaning{{m.params[d], sym::Expr::symbol(lane)}};
    sym::Range range = m.ranges[d];
    if (std::any_of(others.begin(), others.end(), [&](const LoopLevel &l) { return range.end.dependsOn(l.variable); }))
        range.end = sym::Expr::symbol("__last_lane");
    const std::set<Name> own = nest::localsOf(m);
    for (nest::PlacedUse &u : uses) {
        refuse(obstacleOf(*u.step));
        if (own.count(u.use->data))
            continue;
        std::vector<LoopLevel> loops{{lane, range}};
        for (const LoopLevel &l : others)
            loops.push_back({l.variable, l.range.substituted(meaning)});
        nest::PlacedUse placed{u.use, u.step, u.instance.substituted(meaning)};
        placed.instance.loops.insert(placed.instance.loops.begin(), loops.begin(), loops.end());
        if (u.shown)
            placed.shown = u.shown->substituted(meaning);
        placed.meaning = meaning;
        add(*u.use, {.step = u.step, .lanes = &m, .range = m.ranges[d], .fixed = fixed, .placed = std::move(placed)});
    }
}

/// Is it the same element of a container throughout the row?
bool RowSharing::isOwnElement(const Access &a) const {
    const Use &u = *a.use;
    if (!isElement(u.subset) || u.shown || a.placed.shown)
        return false;
    const std::set<Name> names = u.subset->freeSymbols();
    if (std::any_of(names.begin(), names.end(), [this](Name n) { return g_.desc(n) != nullptr; }))
        return false;
    const auto &loops = a.placed.instance.loops;
    if (std::any_of(loops.begin(), loops.end(), [&](const LoopLevel &l) { return names.count(l.variable) != 0; }) ||
        (a.lanes && names.count(a.lanes->params[lanes_.at(a.lanes)])))
        return false;
    if (!a.step->isCopy())
        return true;
    const Use &from = a.step->uses.front(), &to = a.step->uses.back(); // becomes a tasklet
    return isElement(from.subset) && isElement(to.subset) && to.kind == UseKind::Write &&
           g_.desc(from.data)->dtype == g_.desc(to.data)->dtype;
}

void RowSharing::findElements() {
    std::set<Name> written, others;
    std::map<Name, sym::Subset> elements;
    for (const Access &a : accesses_) {
        const Name n = a.use->data;
        const DataDesc *d = g_.desc(n);
        if (isVariable(n))
            continue;
        if (a.use->writes())
            written.insert(n);
        if (!analysis::isPlain(d) || d->isView() || !isOwnElement(a) ||
            !(elements.emplace(n, *a.use->subset).first->second == *a.use->subset))
            others.insert(n);
    }
    for (const auto &[n, element] : elements)
        if (written.count(n) && !others.count(n))
            elements_.emplace(n, element);
    for (const Access &a : accesses_) {
        if (!a.use->writes() || !elements_.count(a.use->data))
            continue;
        nest::PlacedUse row{a.use, a.step, {a.use->subset, {}}};
        analysis::addLoops(row.instance.loops, rows_);
        const auto c = items_.conflict(row, row, rows_.params.size());
        if (c && !analysis::isWithinIteration(*c))
            refuse({Why::SharedElement, "several rows write an element of `" + a.use->data.str() + "`"});
    }
}

bool RowSharing::isLoaded(Name element) const {
    for (const nest::Item &i : rows_.body)
        for (const nest::PlacedUse &u : nest::usesOf(i))
            if (u.use->data == element)
                return !(i.step && u.use->certain); // in an inner map that may have no iterations, too
    return false;
}

/// Do all threads meet between reading an element and storing it?
void RowSharing::checkLoads() {
    const auto meets = [this](const nest::Item &i) {
        return i.map && std::any_of(sums_.begin(), sums_.end(), [&](const RowSum &s) { return s.lanes == i.map.get(); });
    };
    if (std::any_of(rows_.body.begin(), rows_.body.end(), meets))
        return;
    for (const auto &[n, element] : elements_)
        if (isLoaded(n))
            refuse({Why::SharedElement, "its threads would read `" + n.str() + "` while the first one writes it"});
}

/// Does each thread have its own, with one value?
bool RowSharing::isVariable(Name n) const {
    if (elements_.count(n))
        return true;
    const DataDesc *d = g_.desc(n);
    return d && own_.count(n) && d->totalSize.isOne();
}

void RowSharing::findSums() {
    for (const Access &a : accesses_) {
        const Use &u = *a.use;
        if (!a.lanes || a.kind != UseKind::Update || !isVariable(u.data))
            continue;
        const auto function = py::parseWcr(a.wcr);
        const Type type = g_.desc(u.data)->dtype;
        if (!function.value || libnodes::deviceReduction(function.value->kind).empty() || !type.isNumeric() || type.isVector() ||
            !py::reductionIdentity(function.value->kind, type))
            return refuse({Why::Update, "blocks cannot combine the updates of `" + u.data.str() + "`"});
        if (!anyOrder_ && py::orderCounts(function.value->kind, type))
            return refuse({Why::Contract, "the order of the sums in `" + u.data.str() + "` would change"});
        const RowSum sum{a.lanes, u.data, a.wcr};
        if (std::find(sums_.begin(), sums_.end(), sum) == sums_.end())
            sums_.push_back(sum);
    }
}

void RowSharing::checkPairs() {
    for (std::size_t a = 0; a < accesses_.size() && !why_; ++a)
        for (std::size_t b = a; b < accesses_.size() && !why_; ++b)
            if (items_.meet(*accesses_[a].use, *accesses_[b].use))
                refuse(conflictOf(accesses_[a], accesses_[b]));
}

Reason RowSharing::conflictOf(const Access &a, const Access &b) const {
    const Name data = a.use->data;
    if (data != b.use->data && (isVariable(data) || isVariable(b.use->data)))
        return {Why::MayAlias, "`" + data.str() + "` may be the memory of `" + b.use->data.str() + "`"};
    const bool own = own_.count(data) != 0, variable = isVariable(data);
    if (!a.lanes && !b.lanes) {
        if (own || variable)
            return {};
        return {Why::SharedElement, "all threads would write elements of `" + data.str() + "`"};
    }
    if (!a.lanes || !b.lanes) {
        const Access &inLanes = a.lanes ? a : b;
        const bool isSum = inLanes.kind == UseKind::Update && variable;
        if ((own || variable) && (isSum || !inLanes.use->writes()))
            return {};
        return {Why::Dependence, "code between its inner maps accesses `" + data.str() + "`"};
    }
    if (!variable)
        return laneConflict(a, b);
    const bool sumA = a.kind == UseKind::Update, sumB = b.kind == UseKind::Update;
    const bool isPlainWrite = a.kind == UseKind::Write || b.kind == UseKind::Write;
    const bool same = sumA && sumB && a.wcr == b.wcr;
    if (isPlainWrite || (a.lanes == b.lanes && !same))
        return {Why::Dependence, "iterations of an inner map hand on values in `" + data.str() + "`"};
    return {};
}

Reason RowSharing::laneConflict(const Access &a, const Access &b) const {
    const auto c = items_.conflict(a.placed, b.placed, 1);
    if (!c)
        return {};
    if (!analysis::isWithinIteration(*c))
        return nest::conflictReason("threads depend on each other", a.placed, b.placed, *c);
    if (!a.fixed || !b.fixed || !(a.range.begin == b.range.begin) || !(a.range.step == b.range.step))
        return {Why::Shape, "inner maps that use `" + a.use->data.str() + "` start at different values"};
    return {};
}

std::optional<int64_t> RowSharing::longest() const {
    int64_t out = 0;
    for (const auto &[m, d] : lanes_) {
        const auto steps = m->ranges[d].steps().asInt();
        if (!steps)
            return std::nullopt;
        out = std::max(out, *steps);
    }
    return out;
}

namespace {

/// The parameters of all maps among items and inside them.
std::vector<Name> parametersIn(const std::vector<Item> &items) {
    std::vector<Name> out;
    for (const Item &i : items)
        for (const auto &names : i.map ? std::vector{i.map->params, parametersIn(i.map->body)} : std::vector<std::vector<Name>>())
            out.insert(out.end(), names.begin(), names.end());
    return out;
}

} // namespace

std::optional<sym::Range> RowSharing::sharedLane() const {
    if (lanes_.empty() || !sums_.empty() || !elements_.empty())
        return std::nullopt;
    const sym::Range &range = first_->ranges[lanes_.at(first_)];
    if (!range.tile.isOne() || nest::mentions({{range}}, rows_.params) ||
        std::any_of(lanes_.begin(), lanes_.end(), [&](const auto &l) { return !(l.first->ranges[l.second] == range); }))
        return std::nullopt;
    return nest::mentions({{range}}, parametersIn(rows_.body)) ? std::nullopt : std::optional(range);
}

/// Do iterations of a loop update common elements?
bool RowSharing::accumulates(const Map &m, std::size_t loop) const {
    return std::any_of(accesses_.begin(), accesses_.end(), [&](const Access &a) {
        return a.lanes == &m && a.kind == UseKind::Update && a.use->subset && !nest::mentions(*a.use->subset, {m.params[loop]});
    });
}

bool RowSharing::keepsThreads() const {
    return std::all_of(lanes_.begin(), lanes_.end(), [&](const auto &l) {
        const Map &m = *l.first;
        for (std::size_t d = 0; d < m.params.size(); ++d)
            if (d != l.second && !m.ranges[d].steps().isOne() && !accumulates(m, d))
                return false;
        return true;
    });
}

bool RowSharing::onlyAccumulates() const {
    return std::all_of(lanes_.begin(), lanes_.end(), [&](const auto &l) { return accumulates(*l.first, l.second); });
}

bool RowSharing::hasFewRows() const {
    sym::Expr rows = 1;
    for (const sym::Range &r : rows_.ranges)
        rows *= r.steps();
    const auto known = rows.asInt();
    return known && *known < fewThreads;
}

/// The number of accesses of lane loops that move to a neighbour with the lane loop, less those that do so with the row.
int64_t RowSharing::neighbours() const {
    int64_t balance = 0;
    for (const Access &a : accesses_)
        if (a.lanes && !isVariable(a.use->data)) {
            balance += movesNext(*a.use, a.lanes->params[lanes_.at(a.lanes)], g_);
            balance -= std::any_of(rows_.params.begin(), rows_.params.end(), [&](Name p) { return movesNext(*a.use, p, g_); });
        }
    return balance;
}

bool RowSharing::pays() const {
    const auto length = longest();
    return (!length || *length > shortRow) && paysAsParameter();
}

/// Are more accesses of lane loops apart in neighbouring lane iterations than in neighbouring rows?
bool RowSharing::prefersColumns() const {
    const Name row = rows_.params.back();
    int64_t balance = 0;
    for (const Access &a : accesses_)
        if (a.lanes && !isVariable(a.use->data)) {
            const auto isApart = [&](Name loop) {
                return a.use->subset && nest::mentions(*a.use->subset, {loop}) && !movesNext(*a.use, loop, g_);
            };
            balance += isApart(a.lanes->params[lanes_.at(a.lanes)]);
            balance -= isApart(row);
        }
    return balance > 0;
}

bool RowSharing::paysAsColumns() const {
    const sym::Range &r = rows_.ranges.back();
    const auto columns = r.steps().asInt(), length = longest();
    const auto isAtTop = [this](const auto &lanes) {
        return std::any_of(rows_.body.begin(), rows_.body.end(), [&](const Item &i) { return i.map.get() == lanes.first; });
    };
    return !sums_.empty() && r.step.isOne() && r.tile.isOne() && (!columns || *columns >= fewColumns) &&
           (!length || *length > shortRow) && std::all_of(lanes_.begin(), lanes_.end(), isAtTop) && !fillDevice(rows_.ranges) &&
           prefersColumns();
}

bool RowSharing::paysAsParameter() const { return hasFewRows() || neighbours() > 0; }

RowSharing::Sharing RowSharing::sharing() const {
    if (why_)
        return Sharing::None;
    if (sharedLane())
        return paysAsParameter() ? Sharing::Parameter : Sharing::None;
    return paysAsColumns() ? Sharing::Columns : pays() ? Sharing::Row : Sharing::None;
}

bool splitAccumulated(Map &m) {
    std::set<Name> updated;
    bool accumulates = false;
    for (const Item &i : m.body) {
        if (i.map)
            return false;
        for (const Use &u : i.step->uses) {
            if (u.kind != UseKind::Update || m.locals.count(u.data))
                continue;
            if (!u.subset)
                return false;
            accumulates = true;
            updated.merge(u.subset->freeSymbols());
        }
    }
    const auto isKept = [&](std::size_t d) { return updated.count(m.params[d]) != 0; };
    std::vector<std::size_t> order(m.params.size());
    std::iota(order.begin(), order.end(), 0);
    const auto firstMoved = std::stable_partition(order.begin(), order.end(), isKept);
    std::vector<Name> moved;
    for (auto k = firstMoved; k != order.end(); ++k)
        moved.push_back(m.params[*k]);
    if (!accumulates || firstMoved == order.begin() || moved.empty() ||
        std::any_of(order.begin(), firstMoved, [&](std::size_t d) { return nest::mentions({{m.ranges[d]}}, moved); }))
        return false;
    const auto kept = static_cast<std::size_t>(firstMoved - order.begin());
    nest::reorderLoops(m, order);
    nest::splitOff(m, kept);
    return true;
}

bool threadsAreNeighbours(const Map &m, std::size_t depth, const SDFG &g) {
    std::map<Name, std::size_t> near; // accesses that move to a neighbour with a loop
    for (const nest::PlacedUse &u : nest::aligned(m, m, {}, m.params.size()))
        for (const LoopLevel &l : u.instance.loops)
            near[l.variable] += movesNext(*u.use, l.variable, g);
    std::size_t shared = 0, most = 0;
    for (const auto &[loop, count] : near) {
        const auto at = std::find(m.params.begin(), m.params.end(), loop);
        std::size_t &best = at - m.params.begin() < static_cast<std::ptrdiff_t>(depth) ? shared : most;
        best = std::max(best, count);
    }
    return shared >= most;
}

bool fillDevice(const std::vector<sym::Range> &ranges) {
    int64_t threads = 1;
    for (const sym::Range &r : ranges) {
        threads *= std::max<int64_t>(r.steps().asInt().value_or(unknownSize), 1);
        if (threads >= deviceThreads)
            return true;
    }
    return false;
}

} // namespace sdfgc::transforms
