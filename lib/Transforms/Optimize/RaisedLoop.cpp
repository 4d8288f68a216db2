// What becomes of the steps and containers of a loop with products; RaisedLoopItems.cpp builds the items.
#include "Transforms/Optimize/RaisedLoop.h"

#include "sdfgc/Analysis/Indexing.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Memory/Bounds.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/Identifier.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/MakeMaps.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;
using diag::Reason;
using diag::Why;
using nest::Item;
using nest::Map;
using nest::Outside;
using nest::Step;
using nest::Use;
using nest::UseKind;

bool RaisedLoop::hasProducts(const LoopRegion &l) {
    const std::vector<const Block *> blocks = allBlocks(l);
    return std::any_of(blocks.begin(), blocks.end(), [](const Block *b) {
        const auto *s = dyn_cast<State>(b);
        return s && std::any_of(s->nodes().begin(), s->nodes().end(), [](const auto &n) {
                   const auto *node = dyn_cast<LibraryNode>(n.get());
                   return node && ((analysis::isIndexed(*node) && !analysis::isReduction(*node)) || isSystem(*node));
               });
    });
}

Reason RaisedLoop::obstacle() {
    Reason why = find();
    if (why)
        abandon();
    return why;
}

void RaisedLoop::abandon() {
    for (const Name n : body_.made())
        g_.arrays.erase(n);
}

std::size_t RaisedLoop::products() const {
    return static_cast<std::size_t>(
        std::count_if(parts_.begin(), parts_.end(), [](const LoopPart &p) { return p.product && !p.isHoisted; }));
}

std::string RaisedLoop::result() const {
    const auto counted = [](std::size_t n, const std::string &what) {
        return n == 1 ? "a " + what : std::to_string(n) + " " + what + "s";
    };
    const auto calls = std::count_if(parts_.begin(), parts_.end(), [](const LoopPart &p) { return p.isSolution; });
    const std::size_t n = products();
    return "becomes " + (n ? counted(n, "product") + " of all iterations" : "") + (n && calls ? " and " : "") +
           (calls ? counted(static_cast<std::size_t>(calls), "call") + " of LAPACK for " + (n ? "them" : "all iterations") : "");
}

Reason RaisedLoop::find() {
    if (!loop_.optimize)
        return {Why::Kept, "the graph requires it"};
    if (!context_.allows(pass::FloatClass::F1))
        return {Why::Contract, "the order of its sums must not change"};
    header_ = analysis::headerOf(loop_);
    if (!header_.hasEnd() || !header_.isOfIntegers(g_))
        return {Why::LoopForm, "it does not count to a known end"};
    level_ = {loop_.variable, header_.range()};
    if (!level_.range.step.isOne())
        return {Why::LoopForm, "it does not count by one"};
    if (const auto trips = level_.range.size().asInt(); trips && *trips < 2)
        return {Why::Small, "it has fewer than two iterations"};
    if (sym::isNonNegative(level_.range.size(), items_.facts()) != sym::Truth::True)
        return {Why::UnknownSize, "its number of iterations may be negative"};
    if (Reason why = body_.read(loop_, [this](Item &i) { return copyAsMap(i); }))
        return why;
    if (Reason why = findPrivate())
        return why;
    if (Reason why = readParts())
        return why;
    joinOrdered();
    if (Reason why = findOrdered())
        return why;
    if (Reason why = expand())
        return why;
    return checkUses();
}

Reason RaisedLoop::findPrivate() {
    nest::LoopBody body;
    if (Reason why = nest::readBody(loop_, header_, memories_, loops_.shared(), after_.symbols(), body))
        return why;
    assigned_ = body.assigned;
    Reason why = nest::dependenceOf(
        body, g_, items_, memories_, [this](Name n) { return outside(n); }, locals_,
        [this](Name n) { return carried_.insert(n).second; });
    for (const Name n : body_.inner())
        if (!why && (carried_.count(n) || !locals_.erase(n)))
            return carriedBy(n);
    for (const Name n : body_.unguarded())
        if (!why && !locals_.count(n))
            return carriedBy(n);
    return why;
}

bool RaisedLoop::isCarried(const LoopPart &p) const {
    const std::vector<nest::PlacedUse> uses = nest::usesOf(p.item);
    return std::any_of(uses.begin(), uses.end(), [this](const nest::PlacedUse &u) {
        return std::any_of(carried_.begin(), carried_.end(), [&](Name n) {
            return u.use->data == n || (g_.desc(n) && !memories_.apart(u.use->place(), memories_.placeOf(g_, n)));
        });
    });
}

Reason RaisedLoop::findOrdered() {
    for (const Name n : carried_) {
        LoopPart *only = nullptr;
        for (LoopPart &p : parts_)
            for (const nest::PlacedUse &u : nest::usesOf(p.item))
                if (u.use->data == n || (g_.desc(n) && !memories_.apart(u.use->place(), memories_.placeOf(g_, n)))) {
                    if ((only && only != &p) || !p.item.map || p.product || p.isSolution)
                        return carriedBy(n);
                    only = &p;
                }
        if (!only || only->item.map->entry->ordered || only->item.map->entry->schedule != Schedule::CPU_Multicore)
            return carriedBy(n);
        only->isOrdered = true;
    }
    for (const LoopPart &p : parts_) {
        if (!p.isOrdered)
            continue;
        const Map &m = *p.item.map;
        for (const sym::Range &r : m.ranges)
            if (nest::mentions({{r}}, {loop_.variable}))
                return {Why::Shape, "a map that uses values of earlier iterations changes its range"};
        std::vector<nest::PlacedUse> uses = nest::aligned(m, m, {}, m.params.size());
        const std::set<Name> own = nest::localsOf(m);
        std::erase_if(uses, [&](const nest::PlacedUse &u) { return own.count(u.use->data) || locals_.count(u.use->data); });
        for (nest::PlacedUse &u : uses)
            u.instance.loops.insert(u.instance.loops.begin() + static_cast<std::ptrdiff_t>(m.params.size()),
                                    {loop_.variable, header_.walk()});
        if (Reason why = items_.dependence(uses, m.params.size(), "iterations of its maps depend on each other"))
            return why;
    }
    return {};
}

Reason RaisedLoop::carriedBy(Name n) { return {Why::Dependence, "iterations depend on each other by `" + n.str() + "`"}; }

Outside RaisedLoop::outside(Name n) const {
    const DataDesc *d = g_.desc(n);
    if (!d || ownerOf(n) != n || !nest::isScratch(*d))
        return Outside::Needed;
    return loops_.isOnlyInside(n, loop_) || !after_.containers().isLive(loop_, n) ? Outside::Dead : Outside::Needed;
}

Reason RaisedLoop::readParts() {
    for (std::size_t k = 0; k < body_.items().size(); ++k) {
        Item &i = body_.items()[k];
        if (Reason why = gatherFor(i))
            return why;
        if (Reason why = body_.whySymbols(i))
            return why;
        if (i.step && context_.options.gpu() && isSystem(*i.step)) {
            if (Reason why = readSolution(k))
                return why;
            continue;
        }
        LoopPart p;
        if (Reason why = readPart(std::move(i), p))
            return why;
        parts_.push_back(std::move(p));
    }
    hoist();
    const bool solves = std::any_of(parts_.begin(), parts_.end(), [](const LoopPart &p) { return p.isSolution && !p.isHoisted; });
    if (products() == 0 && !solves)
        return {Why::Shape, "its products are in maps, or the same in all iterations"};
    bool gains = true;
    for (const LoopPart &p : parts_)
        if (p.product && !p.isHoisted) {
            gains &= p.product->gainsDimension();
            if (!p.product->moves())
                return {Why::Shape, "no factor of `" + p.item.step->nodes.front()->label + "` has an index that moves with it"};
        }
    if (!context_.options.gpu() && !gains)
        return {Why::Unprofitable, "each of its calls multiplies matrices, and uses results of the others while they are in cache"};
    return {};
}

/// Gathers the elements of factors whose index is a symbol that the body reads from an array.
Reason RaisedLoop::gatherFor(Item &i) {
    if (!i.step || !BatchedProduct::isProduct(*i.step))
        return {};
    std::vector<Item> before;
    const Map like = emptyMap("gather");
    if (Reason why = body_.gather(
            *i.step, like, [this](std::size_t n) { return parameter(n); }, before))
        return why;
    for (Item &gathered : before)
        parts_.emplace_back().item = std::move(gathered);
    for (const Name n : body_.made())
        locals_.insert(n);
    return {};
}

Reason RaisedLoop::readPart(Item i, LoopPart &p) const {
    if (nest::hasEffects(i))
        return {Why::Effects, "its body has effects that its memlets do not describe"};
    p.item = std::move(i);
    if (p.item.map)
        return whyNotMap(*p.item.map);
    const Step &s = *p.item.step;
    if (s.isCopy())
        return copyAsMap(p.item);
    if (BatchedProduct::isProduct(s)) {
        p.product.emplace(s, level_, g_, items_.facts(), locals_);
        Reason why = p.product->read();
        if (why)
            why.text = "product `" + s.nodes.front()->label + "` in it has no common form: " + why.text;
        return why;
    }
    if (s.nodes.size() == 1 && isa<Tasklet>(s.nodes.front()))
        return {};
    return {isa<LibraryNode>(s.nodes.front()) ? Why::Library : Why::Opaque,
            "`" + s.nodes.front()->label + "` in it cannot run for all iterations at once"};
}

Reason RaisedLoop::whyNotMap(const Map &m) const {
    if (!nest::canSplit(m))
        return {Why::Opaque, "map `" + m.entry->label + "` in it cannot be changed"};
    if (std::find(m.params.begin(), m.params.end(), loop_.variable) != m.params.end())
        return {Why::Names, "map `" + m.entry->label + "` in it has a parameter of the same name"};
    for (const Item &i : m.body) {
        if (i.map) {
            if (Reason why = whyNotMap(*i.map))
                return why;
        } else if (!i.step->isCopy() && (i.step->nodes.size() != 1 || !isa<Tasklet>(i.step->nodes.front()))) {
            return {Why::Opaque, "map `" + m.entry->label + "` in it contains more than tasklets"};
        } else if (i.step->isCopy() && !(isPlain(i.step->uses.front()) && isPlain(i.step->uses.back()))) {
            return {Why::Opaque, "map `" + m.entry->label + "` in it copies unknown elements"};
        }
    }
    return {};
}

bool RaisedLoop::isPlain(const Use &u) const { return u.subset && analysis::isPlain(g_.desc(u.data)); }

Reason RaisedLoop::copyAsMap(Item &i) const {
    const Step &copy = *i.step;
    Map like = emptyMap("copy_" + copy.uses.front().data.str());
    const std::optional<sym::Subset> &to = copy.uses.back().subset;
    if (to)
        for (const std::size_t d : to->nonUnitDims()) {
            like.params.push_back(parameter(like.params.size()));
            like.ranges.push_back({0, to->dims[d].size() - 1, 1, 1});
        }
    std::unique_ptr<Map> map = to ? nest::copyAsMap(copy, like, g_) : nullptr;
    if (!map)
        return {Why::Layout, "the copy from `" + copy.uses.front().data.str() + "` to `" + copy.uses.back().data.str() +
                                 "` in it has no form by elements"};
    map->made = like.made;
    i = {std::move(map), nullptr};
    return {};
}

Name RaisedLoop::parameter(std::size_t number) const {
    Name n;
    do
        n = g_.freshName("__p" + std::to_string(number++));
    while (n == loop_.variable);
    return n;
}

Map RaisedLoop::emptyMap(std::string label) const {
    std::shared_ptr<MapEntry> entry = nest::entryFor(loop_);
    entry->label = std::move(label);
    entry->ordered = false;
    entry->schedule = Schedule::CPU_Multicore;
    Map m;
    m.entry = entry.get();
    m.made = std::move(entry);
    return m;
}

void RaisedLoop::hoist() {
    const bool runsAlways = sym::isPositive(level_.range.size(), items_.facts()) == sym::Truth::True;
    for (LoopPart &p : parts_) {
        if (p.isSolution || !isSame(p) || !(runsAlways || isHarmless(p)))
            continue;
        p.isHoisted = true;
        for (const nest::PlacedUse &u : nest::usesOf(p.item))
            if (u.use->writes())
                locals_.erase(u.use->data);
    }
}

bool RaisedLoop::isHarmless(const LoopPart &p) const {
    return p.item.step && !p.product && std::all_of(p.item.step->uses.begin(), p.item.step->uses.end(), [this](const Use &u) {
               const DataDesc &d = *g_.desc(u.data);
               return d.totalSize.isOne() && (!u.writes() || d.dtype.isFloat() || d.dtype.isComplex());
           });
}

bool RaisedLoop::isSame(const LoopPart &p) const {
    const std::set<Name> own = nest::localsOf(p.item);
    for (const nest::PlacedUse &placed : nest::usesOf(p.item)) {
        const Use &u = *placed.use, seen = nest::throughView(u, g_);
        if (!seen.subset || seen.subset->freeSymbols().count(loop_.variable) || u.memlet.dynamic || mentionsLoop(placed))
            return false;
        if (own.count(u.data))
            continue;
        const bool isOwn = locals_.count(u.data) && !g_.desc(u.data)->freeSymbols().count(loop_.variable);
        if (u.writes() && (!isOwn || u.kind != UseKind::Write))
            return false;
        for (const LoopPart &q : parts_)
            if (!(q.isHoisted && !u.writes()) && !(&q == &p && isOwn) && writesTo(q, u.place()))
                return false;
    }
    return true;
}

bool RaisedLoop::mentionsLoop(const nest::PlacedUse &u) const {
    const auto mentions = [this](const std::set<Name> &names) { return names.count(loop_.variable) != 0; };
    return std::any_of(u.instance.loops.begin(), u.instance.loops.end(),
                       [&](const analysis::LoopLevel &l) { return mentions(sym::Subset{{l.range}}.freeSymbols()); }) ||
           std::any_of(u.step->nodes.begin(), u.step->nodes.end(),
                       [&](const Node *n) { return mentions(analysis::freeSymbols(*n)); });
}

bool RaisedLoop::writesTo(const LoopPart &p, const analysis::Place &place) const {
    const std::vector<nest::PlacedUse> uses = nest::usesOf(p.item);
    return std::any_of(uses.begin(), uses.end(),
                       [&](const nest::PlacedUse &u) { return u.use->writes() && !memories_.apart(u.use->place(), place); });
}

Reason RaisedLoop::expand() {
    for (const Name n : locals_) {
        PerIteration e;
        const DataDesc &d = *g_.desc(n);
        for (std::size_t k = 0; k < d.rank(); ++k) {
            if (d.shape[k].isOne())
                continue;
            const auto size = analysis::largestOf(d.shape[k], {level_}, items_.facts());
            if (!size || size->dependsOn(loop_.variable))
                return {Why::UnknownSize, "the largest size of `" + n.str() + "` is not known"};
            e.dims.push_back(k);
            e.sizes.push_back(*size);
            e.shifts.emplace_back(0);
        }
        e.byColumns = columns_.count(n) != 0;
        private_.emplace(n, std::move(e));
    }
    std::set<Name> shifted;
    for (LoopPart &p : parts_)
        if (p.product && !p.isHoisted && !placeResult(*p.product, shifted))
            p.redirection = ownResult(*p.product);
    for (const auto &[n, e] : private_)
        if (!isAffordable(e))
            return tooLarge(n);
    for (const LoopPart &p : parts_)
        if (p.redirection && !isAffordable(*p.redirection))
            return tooLarge(p.product->result().data);
    for (const Name n : shifted)
        for (const LoopPart &p : parts_)
            if (p.product && p.product->reads(n))
                return {Why::SharedElement, "a product reads `" + n.str() + "`, whose length changes"};
    return {};
}

bool RaisedLoop::placeResult(const BatchedProduct &b, std::set<Name> &shifted) {
    const Use &u = b.result();
    const auto it = private_.find(u.data);
    if (it == private_.end())
        return b.isSpread();
    PerIteration e = it->second;
    const DataDesc &d = *g_.desc(u.data);
    bool isShifted = false;
    for (const BatchedProduct::Dim &dim : b.dims()) {
        const sym::Range &r = u.subset->dims[dim.dim];
        const auto at = std::find(e.dims.begin(), e.dims.end(), dim.dim);
        if (!dim.triangular && !r.begin.dependsOn(loop_.variable) && !r.end.dependsOn(loop_.variable))
            continue;
        if (!dim.triangular || at == e.dims.end() || !r.begin.isZero() || !(r.end + 1 == d.shape[dim.dim]) || !r.step.isOne())
            return false;
        const auto k = static_cast<std::size_t>(at - e.dims.begin());
        isShifted = true;
        e.sizes[k] = dim.size;
        e.shifts[k] = dim.shift;
    }
    // All dimensions of the container must have labels: others are not whole.
    if (e.dims.size() != b.dims().size() || (isShifted && !shifted.insert(u.data).second))
        return false;
    it->second = std::move(e);
    return true;
}

PerIteration RaisedLoop::ownResult(const BatchedProduct &b) {
    PerIteration e;
    for (const BatchedProduct::Dim &dim : b.dims()) {
        e.dims.push_back(dim.dim);
        e.sizes.push_back(dim.size);
        e.shifts.push_back(dim.shift);
    }
    return e;
}

bool RaisedLoop::isAffordable(const PerIteration &e) const {
    sym::Expr elements = level_.range.size();
    for (const sym::Expr size : e.sizes)
        elements = elements * size;
    if (const auto trips = level_.range.size().asInt(); trips && *trips <= mostTrips_)
        return true;
    for (const LoopPart &p : parts_)
        for (const nest::PlacedUse &u : nest::usesOf(p.item)) {
            const DataDesc *d = g_.desc(nest::throughView(*u.use, g_).data);
            if (d && !private_.count(u.use->data) && analysis::isPlain(d) && !d->totalSize.dependsOn(loop_.variable) &&
                isAtMost(elements, d->totalSize))
                return true;
        }
    return false;
}

bool RaisedLoop::isAtMost(sym::Expr elements, sym::Expr limit) const {
    if (sym::isLessEqual(elements, limit, items_.facts()) == sym::Truth::True)
        return true;
    const auto [numerator, denominator] = sym::asFraction(limit / elements);
    return denominator.isOne() && sym::isPositive(numerator, items_.facts()) == sym::Truth::True;
}

Reason RaisedLoop::tooLarge(Name n) const {
    return {Why::Budget, "`" + n.str() + "` of all iterations would be larger than the containers that it uses"};
}

Reason RaisedLoop::checkUses() const {
    for (const LoopPart &p : parts_) {
        if (p.isHoisted)
            continue;
        for (const nest::PlacedUse &placed : nest::usesOf(p.item)) {
            const Use &u = *placed.use;
            const DataDesc *d = g_.desc(u.data);
            const bool isPrivate = private_.count(u.data) != 0;
            if (p.product || p.isSolution)
                continue;
            if (d && d->isView())
                return {Why::Container, "it uses view `" + u.data.str() + "`"};
            if (isPrivate && (!u.subset || !u.subset->isOneElement() || u.memlet.data != u.data || !placed.step->nodes.size()))
                return {Why::SharedElement, "a step uses several elements of `" + u.data.str() + "`"};
        }
    }
    return {};
}

void RaisedLoop::add(const std::string &base, PerIteration &e, Type type, const std::set<Name> &connectors) {
    std::vector<sym::Expr> shape{level_.range.size()};
    shape.insert(shape.end(), e.sizes.begin(), e.sizes.end());
    DataDesc d = DataDesc::array(type, std::move(shape), true);
    d.storage = Storage::CPU_Heap;
    if (e.byColumns)
        d.strides = {e.sizes[0] * e.sizes[1], 1, e.sizes[0]};
    e.made = nest::addContainer(g_, base, std::move(d), connectors);
    e.memory = memories_.of(g_, e.made);
}

std::set<Name> RaisedLoop::onlyInside() const {
    std::set<Name> out;
    for (const State *s : body_.states())
        for (const AccessNode *a : nodesOf<AccessNode>(*s))
            if (const DataDesc *d = g_.desc(a->data);
                d && (d->isView() || private_.count(a->data) != 0) && loops_.isOnlyInside(a->data, loop_))
                out.insert(a->data);
    return out;
}

} // namespace sdfgc::transforms
