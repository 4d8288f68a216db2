#include "Transforms/Differentiate/Values.h"

#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Memory/Bounds.h"
#include "sdfgc/Analysis/Sizes/SizeExpr.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Support/Text.h"

#include <algorithm>

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Item;
using nest::Use;
using nest::UseKind;

std::optional<sym::Subset> subsetOf(const Use &u) {
    return u.subset ? u.subset : u.memlet.data == u.data ? u.memlet.subset : std::nullopt;
}

bool hasUse(const Item &i, const Use &use) {
    const std::vector<nest::PlacedUse> uses = nest::usesOf(i);
    return std::any_of(uses.begin(), uses.end(), [&](const nest::PlacedUse &u) { return u.use == &use; });
}

bool haveSameShape(const sym::Subset &a, const sym::Subset &b) {
    const std::vector<std::size_t> ofA = a.nonUnitDims(), ofB = b.nonUnitDims();
    if (ofA.size() != ofB.size())
        return false;
    for (std::size_t k = 0; k < ofA.size(); ++k)
        if (sym::isEqual(a.dims[ofA[k]].steps(), b.dims[ofB[k]].steps()) != sym::Truth::True)
            return false;
    return true;
}

bool meet(const Use &a, const Use &b, const sym::Assumptions &facts) {
    const auto sa = subsetOf(a), sb = subsetOf(b);
    return a.memory == b.memory && (a.data != b.data || !sa || !sb || sym::intersects(*sa, *sb, facts) != sym::Truth::False);
}

namespace {

std::vector<analysis::LoopLevel> levelsOf(const std::vector<analysis::CountedLoop> &loops) {
    std::vector<analysis::LoopLevel> out;
    for (const analysis::CountedLoop &l : loops)
        out.push_back(l.level());
    return out;
}

bool writes(const Item &item, analysis::Memory m) {
    for (const nest::PlacedUse &u : nest::usesOf(item))
        if (u.use->writes() && u.use->memory == m)
            return true;
    return false;
}

} // namespace

bool Values::lost(const Use &read, const std::string &why, const std::string &hint) {
    const Node *at = read.access;
    diag::Location place = analysis::placeOf(*at);
    place.file = context_.options.file;
    context_.diags.report(diag::Id::GradientStore, place, read.data.str(), why, hint);
    return false;
}

std::optional<Use> Values::of(const Use &read, Name connector) {
    if (maker_.sdfg().desc(read.data)->isStream()) {
        lost(read, "reading a stream removes its elements", "read it into an array first");
        return std::nullopt;
    }
    if (program_.isOverwritten(read))
        return stored(read, connector);
    Use out = read;
    out.connector = connector;
    out.node = 0;
    return out;
}

std::optional<Use> Values::ofResult(const Use &written, Name connector) {
    if (program_.isOverwritten(written) || !subsetOf(written))
        return stored(written, connector);
    Use out = maker_.read(written.data, *subsetOf(written), connector);
    out.access = written.access;
    out.memory = written.memory;
    return out;
}

std::optional<Use> Values::stored(const Use &u, Name connector) {
    if (strategy_.of(u.data) == Keep::Recompute) {
        diag::Location place = analysis::placeOf(*u.access);
        place.file = context_.options.file;
        context_.diags.report(diag::Id::GradientRecompute, place, u.data.str());
        return std::nullopt;
    }
    const std::optional<sym::Subset> subset = subsetOf(u);
    if (!subset) {
        lost(u, "the accessed elements are unknown");
        return std::nullopt;
    }
    const Site &site = program_.siteOf(u);
    if (const Tape *t = u.writes() ? nullptr : tapeInFrontOfLoop(u))
        return maker_.read(t->name, placeOf(*t, *site.instance.subset), connector);
    if (site.item->map && program_.isRewrittenIn(*site.item, u))
        return ofLocal(u, connector, *site.item->map);
    Tape t;
    t.run = const_cast<nest::Run *>(site.run);
    t.items = &t.run->items;
    t.result = u.writes();
    const Tape *tape = tapeAt(std::move(t), static_cast<std::size_t>(site.item - t.run->items.data()), u.memory, u);
    return tape ? std::optional(maker_.read(tape->name, placeOf(*tape, *subset), connector)) : std::nullopt;
}

std::size_t positionOf(const std::vector<Item> &items, const Use &u) {
    std::size_t out = 0;
    while (out < items.size() && !hasUse(items[out], u))
        ++out;
    return out;
}

/// Uses a tape filled by iterations of a map: of this map, or of the first one inside it in which no item both writes
/// and uses the elements.
std::optional<Use> Values::ofLocal(const Use &u, Name connector, const nest::Map &outermost) {
    const std::optional<sym::Subset> subset = subsetOf(u);
    if (!subset) {
        lost(u, "the accessed elements are unknown");
        return std::nullopt;
    }
    const Site &site = program_.siteOf(u);
    const nest::Map *map = &outermost;
    std::size_t item = positionOf(map->body, u);
    while (map->body[item].map && program_.isRewrittenIn(map->body[item], u)) {
        map = map->body[item].map.get();
        item = positionOf(map->body, u);
    }
    std::size_t end = site.scopes.size(); // one per parameter
    while (site.scopes[end - 1] != map)
        --end;
    Tape t;
    t.run = const_cast<nest::Run *>(site.run);
    t.items = const_cast<std::vector<Item> *>(&map->body);
    t.result = u.writes();
    t.maps = {site.instance.loops.begin() + static_cast<std::ptrdiff_t>(site.loops),
              site.instance.loops.begin() + static_cast<std::ptrdiff_t>(end)};
    const Tape *tape = tapeAt(std::move(t), item, u.memory, u);
    return tape ? std::optional(maker_.read(tape->name, placeOf(*tape, *subset), connector)) : std::nullopt;
}

/// Returns a tape, new or existing, that is filled between the writes of the memory around an item, or after the item
/// for its results.
const Values::Tape *Values::tapeAt(Tape t, std::size_t item, analysis::Memory m, const Use &u) {
    std::size_t begin = t.result ? item + 1 : item,
                end = begin; // of the items between two writes of the memory; the last one may be the second write
    while (!t.result && begin > 0 && !writes((*t.items)[begin - 1], m))
        --begin;
    while (end < t.items->size() && !writes((*t.items)[end], m))
        ++end;
    const auto place = std::tuple(static_cast<const std::vector<Item> *>(t.items), begin, u.data, t.result);
    if (const auto known = byPlace_.find(place); known != byPlace_.end())
        return &tapes_[known->second];
    const auto loops = analysis::countedLoopsAround(*t.run->region);
    if (!loops) {
        lost(u, "the iterations of a loop around it cannot be counted", "count by a constant");
        return nullptr;
    }
    t.data = u.data;
    t.loops = *loops;
    t.position = begin;
    t.access = u.access;
    setBox(t, boxOf(t, m, end));
    const auto shape = shapeOf(t);
    if (!shape) {
        lost(u, whyUnknown_.empty() ? "the number of elements is unknown before the loops" : whyUnknown_);
        return nullptr;
    }
    t.name = maker_.transient("tape_" + u.data.str(), *maker_.sdfg().desc(u.data), *shape);
    DataDesc &made = *maker_.sdfg().desc(t.name);
    if (made.storage == Storage::GPU_Shared) // lives as long as a block of threads
        made.storage = Storage::GPU_Global;
    else if (made.storage == Storage::Register || made.storage == Storage::CPU_ThreadLocal)
        made.storage = Storage::Default;
    byPlace_.emplace(place, tapes_.size());
    tapes_.push_back(std::move(t));
    return &tapes_.back();
}

namespace {

/// Returns the elements that a use accesses in all iterations of its scopes, from index `from` on, in terms of the
/// outer ones; nothing if they are not a box of the container.
std::optional<sym::Subset> overScopes(std::optional<sym::Subset> s, const Site &site, std::size_t from, const DataDesc &d) {
    if (!s || s->rank() != d.rank())
        return std::nullopt;
    for (std::size_t k = site.instance.loops.size(); k-- > from;) {
        sym::Range r = site.instance.loops[k].range;
        if (r.end.isUndefined() && s->freeSymbols().count(site.instance.loops[k].variable))
            return std::nullopt;
        if (k < site.loops && sym::isPositive(r.step) != sym::Truth::True) // a loop that counts down
            r = {r.end, r.begin, 1, 1};
        s = sym::propagate(*s, site.instance.loops[k].variable, r, d.fullSubset());
    }
    for (std::size_t k = from; k < site.instance.loops.size(); ++k)
        if (s->freeSymbols().count(site.instance.loops[k].variable))
            return std::nullopt;
    return s;
}

sym::Subset oneByOne(sym::Subset box) {
    for (sym::Range &r : box.dims)
        r.step = r.tile = 1;
    return box;
}

/// The part of a box, in terms of loops, that is inside the container: a condition may prevent the program from reading the rest.
sym::Subset insideOf(const DataDesc &d, sym::Subset box, const std::vector<analysis::LoopLevel> &loops,
                     const sym::Assumptions &facts) {
    const sym::Subset all = d.fullSubset();
    for (std::size_t k = 0; k < box.rank(); ++k) {
        sym::Range &r = box.dims[k];
        const sym::Expr first = all.dims[k].begin, last = all.dims[k].end;
        if (analysis::isCovered({sym::Subset{{r}}, loops}, {sym::Subset{{all.dims[k]}}, {}}, 0, facts))
            continue;
        if (r.isPoint()) {
            r.begin = r.end = sym::max({sym::min({r.begin, last}), first});
        } else {
            r.begin = sym::max({r.begin, first});
            r.end = sym::max({sym::min({r.end, last}), r.begin - 1});
        }
    }
    return box;
}

} // namespace

std::vector<analysis::LoopLevel> Values::levelsAround(const Tape &t) {
    std::vector<analysis::LoopLevel> out = levelsOf(t.loops);
    out.insert(out.end(), t.maps.begin(), t.maps.end());
    return out;
}

void Values::setBox(Tape &t, const sym::Subset &box) const {
    t.box = insideOf(*maker_.sdfg().desc(t.data), box, levelsAround(t), program_.facts());
    t.most = box.sizes();
}

/// Everything that the items up to an end read of the data, in terms of the loops and maps around the items.
sym::Subset Values::boxOf(const Tape &t, analysis::Memory m, std::size_t end) const {
    const DataDesc *d = maker_.sdfg().desc(t.data);
    std::optional<sym::Subset> box;
    const std::size_t first = t.result ? t.position - 1 : t.position, last = t.result ? first : std::min(end, t.items->size() - 1);
    for (std::size_t k = first; k <= last; ++k)
        for (const nest::PlacedUse &placed : nest::usesOf((*t.items)[k])) {
            const Use &u = *placed.use;
            if (u.writes() != t.result || u.data != t.data || u.memory != m)
                continue;
            const Site &s = program_.siteOf(u);
            const std::optional<sym::Subset> all = overScopes(subsetOf(u), s, s.loops + t.maps.size(), *d);
            if (!all)
                return d->fullSubset();
            box = box ? sym::boundingBox(*box, *all) : *all;
        }
    return box ? oneByOne(*box) : d->fullSubset();
}

/// Does it have the same value everywhere in the program?
bool Values::isKnownInFront(sym::Expr size) const {
    const auto &names = size.freeSymbols();
    return std::none_of(names.begin(), names.end(),
                        [this](Name n) { return program_.assigned().count(n) || maker_.sdfg().desc(n); });
}

/// For each loop, its maximum trip count over all iterations of the previous ones; nothing if it is unknown.
std::optional<std::vector<sym::Expr>> Values::tripsOf(const std::vector<analysis::CountedLoop> &loops) {
    const std::vector<analysis::LoopLevel> levels = levelsOf(loops);
    std::vector<sym::Expr> out;
    whyUnknown_.clear();
    for (std::size_t k = 0; k < loops.size(); ++k) {
        std::optional<sym::Expr> trips;
        if (loops[k].hasEnd())
            trips = analysis::largestOf(loops[k].room(), {levels.begin(), levels.begin() + static_cast<std::ptrdiff_t>(k)},
                                        program_.facts());
        if (!trips || !isKnownInFront(*trips))
            trips = counting_.most(loops[k]);
        if (!trips) {
            whyUnknown_ = counting_.whyNot();
            return std::nullopt;
        }
        out.push_back(*trips);
    }
    return out;
}

namespace {

/// The index of an iteration, from 0, in terms of its parameter.
sym::Expr numberIn(const analysis::LoopLevel &map) {
    return sym::floorDiv(sym::Expr::symbol(map.variable) - map.range.begin, map.range.step);
}

} // namespace

/// The same, including the maps inside the loops.
std::optional<std::vector<sym::Expr>> Values::tripsOf(const Tape &t) {
    std::vector<analysis::LoopLevel> levels = levelsOf(t.loops);
    auto out = tripsOf(t.loops);
    for (const analysis::LoopLevel &m : t.maps) {
        const auto trips = out ? analysis::largestOf(m.range.size(), levels, program_.facts()) : std::nullopt;
        if (!trips)
            return std::nullopt;
        out->push_back(*trips);
        levels.push_back(m);
    }
    return out;
}

std::optional<std::vector<sym::Expr>> Values::shapeOf(const Tape &t) {
    const std::vector<analysis::LoopLevel> levels = levelsAround(t);
    auto trips = tripsOf(t);
    if (!trips)
        return std::nullopt;
    std::vector<sym::Expr> &shape = *trips;
    const DataDesc *d = maker_.sdfg().desc(t.data);
    for (std::size_t k = 0; k < t.box.rank(); ++k) {
        std::optional<sym::Expr> size;
        for (const sym::Expr room : {t.box.dims[k].size(), t.most[k], d->shape[k]})
            if (!size || !isKnownInFront(*size))
                size = analysis::largestOf(room, levels, program_.facts());
        if (!size)
            return std::nullopt;
        shape.push_back(*size);
    }
    if (!std::all_of(shape.begin(), shape.end(), [this](sym::Expr e) { return isKnownInFront(e); }))
        return std::nullopt;
    return shape;
}

/// The position of the data's elements in the tape.
sym::Subset Values::placeOf(const Tape &t, const sym::Subset &s) const {
    sym::Subset out;
    for (const analysis::CountedLoop &l : t.loops)
        out.dims.push_back({l.number(), l.number(), 1, 1});
    for (const analysis::LoopLevel &m : t.maps)
        out.dims.push_back({numberIn(m), numberIn(m), 1, 1});
    for (std::size_t k = 0; k < s.rank(); ++k) {
        sym::Range r = s.dims[k];
        r.begin = r.begin - t.box.dims[k].begin;
        r.end = r.end - t.box.dims[k].begin;
        out.dims.push_back(r);
    }
    return out;
}

std::optional<Values::Note> Values::noteAt(Block &b, std::string_view name, ScalarKind type) {
    whyUnknown_ = "the variable of a loop around it does not count";
    const auto loops = analysis::countedLoopsAround(*b.parent());
    if (!loops)
        return std::nullopt;
    Note out;
    auto shape = tripsOf(*loops);
    if (!shape)
        return std::nullopt;
    for (const analysis::CountedLoop &l : *loops)
        out.index.push_back(l.number());
    DataDesc like = DataDesc::scalar(type, true);
    out.tape = maker_.transient(name, like, std::move(*shape));
    notes_.emplace_back(out.tape, &b);
    if (out.index.empty())
        out.index.push_back(0);
    return out;
}

std::string Values::Note::text(const SDFG &g) const {
    std::vector<std::string> at;
    for (const sym::Expr e : index)
        at.push_back(e.str());
    return tape.str() + (g.desc(tape)->isScalar() ? "" : "[" + text::joined(at, ", ") + "]");
}

// ---- tapes before loops

const Values::Tape *Values::tapeInFrontOfLoop(const Use &read) {
    const Site &site = program_.siteOf(read);
    const std::size_t before = program_.loopsBefore(read);
    const Use seen = nest::throughView(read, maker_.sdfg());
    if (before >= site.loops || !site.instance.subset || maker_.sdfg().desc(seen.data)->isView())
        return nullptr;
    const auto loops = analysis::countedLoopsAround(*site.run->region);
    if (!loops)
        return nullptr;
    LoopRegion *front = (*loops)[before].region;
    if (const auto known = inFront_.find({front, seen.data}); known != inFront_.end())
        return &tapes_[known->second];
    Tape t;
    t.data = seen.data;
    t.loops = {loops->begin(), loops->begin() + static_cast<std::ptrdiff_t>(before)};
    t.access = seen.access;
    t.inFrontOf = front;
    const std::optional<sym::Subset> box = boxInLoop(t, read.memory);
    if (!box)
        return nullptr;
    setBox(t, *box);
    const auto shape = shapeOf(t);
    if (!shape)
        return nullptr;
    t.name = maker_.transient("tape_" + t.data.str(), *maker_.sdfg().desc(t.data), *shape);
    inFront_.emplace(std::pair(front, t.data), tapes_.size());
    tapes_.push_back(std::move(t));
    return &tapes_.back();
}

/// Returns a box with everything that the loop reads of the data and that has its final value before the loop; the
/// entire container if the box would depend on symbols that the loop changes.
std::optional<sym::Subset> Values::boxInLoop(const Tape &t, analysis::Memory m) const {
    const DataDesc *d = maker_.sdfg().desc(t.data);
    const std::size_t level = t.loops.size();
    std::optional<sym::Subset> box;
    for (const Site &s : program_.sitesIn(*t.inFrontOf)) {
        if (s.use->writes() || s.use->memory != m || program_.loopsBefore(*s.use) > level)
            continue;
        const std::optional<sym::Subset> all = overScopes(s.instance.subset, s, level, *d);
        if (!all)
            return d->fullSubset();
        box = box ? sym::boundingBox(*box, *all) : *all;
    }
    if (!box)
        return std::nullopt;
    const std::set<Name> symbols = box->freeSymbols(), assigned = analysis::assignedIn(*t.inFrontOf);
    if (std::any_of(symbols.begin(), symbols.end(), [&assigned](Name n) { return assigned.count(n) != 0; }))
        return d->fullSubset();
    return oneByOne(*box);
}

Item Values::storeOf(const Tape &t) {
    Use from;
    from.kind = UseKind::Read;
    from.data = t.data;
    from.access = t.access;
    from.memory = maker_.memories().of(*t.access);
    from.subset = t.box;
    from.memlet.data = t.data;
    return maker_.copy(std::move(from), maker_.write(t.name, placeOf(t, t.box)));
}

std::vector<std::pair<LoopRegion *, Item>> Values::storeAll() {
    std::vector<const Tape *> order;
    std::vector<std::pair<LoopRegion *, Item>> inFront;
    for (const Tape &t : tapes_)
        if (t.inFrontOf)
            inFront.emplace_back(t.inFrontOf, storeOf(t));
        else
            order.push_back(&t);
    std::stable_sort(order.begin(), order.end(), [](const Tape *a, const Tape *b) { return a->position > b->position; });
    for (const Tape *t : order) { // those at later items first, so that positions stay valid
        t->items->insert(t->items->begin() + static_cast<std::ptrdiff_t>(t->position), storeOf(*t));
        t->run->changed = true;
    }
    return inFront;
}

Ledger Values::ledger() const {
    Ledger out;
    for (const Tape &t : tapes_)
        out.push_back({t.name, bytesOf(*maker_.sdfg().desc(t.name)), analysis::placeOf(*t.access)});
    for (const auto &[tape, block] : notes_)
        out.push_back({tape, bytesOf(*maker_.sdfg().desc(tape)), analysis::placeOf(*block)});
    return out;
}

} // namespace sdfgc::transforms::gradient
