#include "sdfgc/Nest/LoopItems.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/LabelName.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Nest/Build.h"

#include <algorithm>

namespace sdfgc::nest {

using namespace ir;

namespace {

constexpr int64_t smallContainer = 64; // elements of a container that may be private to an iteration

bool hasAssignments(const Region &r) {
    return std::any_of(r.edges().begin(), r.edges().end(), [](const auto &e) { return !e->assignments.empty(); });
}

} // namespace

LoopItems::LoopItems(SDFG &g, analysis::Memories &memories) : g_(g), memories_(memories), reads_(g), users_(g) {}

std::optional<std::vector<Item>> LoopItems::contentOf(Region &r, bool isTakenApart) {
    isTakenApart_ = isTakenApart;
    variables_.clear();
    locals_.clear();
    around_.clear();
    if (const auto *l = dyn_cast<LoopRegion>(&r))
        around_.push_back(l->variable);
    std::optional<std::vector<Item>> out = read(r);
    around_.clear();
    return out;
}

std::optional<Run> LoopItems::runOf(LoopRegion &l) { return readRegion(l, memories_, users_.shared()); }

std::optional<std::vector<Item>> LoopItems::read(Region &r) {
    const std::vector<Block *> blocks = analysis::sequenceOf(r);
    if (blocks.empty() || hasAssignments(r))
        return std::nullopt;
    std::vector<Item> out;
    for (Block *b : blocks) {
        std::optional<std::vector<Item>> items = read(*b);
        if (!items)
            return std::nullopt;
        std::move(items->begin(), items->end(), std::back_inserter(out));
    }
    return out;
}

std::optional<std::vector<Item>> LoopItems::read(Block &b) {
    std::vector<Item> out;
    if (auto *l = dyn_cast<LoopRegion>(&b)) {
        out.push_back({mapOf(*l), nullptr});
        return out.back().map ? std::optional(std::move(out)) : std::nullopt;
    }
    const auto *s = dyn_cast<State>(&b);
    if (!s || !isReadable(*s))
        return std::nullopt;
    out = readState(*s, memories_, users_.shared());
    for (Item &i : out)
        if (isTakenApart_ && i.step && i.step->nodes.size() == 1 && isa<LibraryNode>(i.step->nodes.front()))
            for (Use &u : i.step->uses)
                u = throughView(u, g_);
    return haveFixedViews(out) ? std::nullopt : std::optional(std::move(out));
}

/// Remaining views are placed around the map that replaces a loop, so the viewed subset must not depend on its
/// iterations, and no copy may write to a view of a member: it would need a node of the view inside, which shows nothing there.
bool LoopItems::haveFixedViews(const std::vector<Item> &items) const {
    return std::any_of(items.begin(), items.end(), [this](const Item &i) {
        if (i.map)
            return haveFixedViews(i.map->body);
        if (i.step->isCopy() && isMemberView(i.step->uses.back()))
            return true;
        return std::any_of(i.step->uses.begin(), i.step->uses.end(),
                           [this](const Use &u) { return u.access && isMovingView(*u.access); });
    });
}

bool LoopItems::isMemberView(const Use &u) const {
    const AccessNode *n = u.access;
    for (const DataDesc *d = n ? g_.desc(n->data) : nullptr; d && d->isView(); d = n ? g_.desc(n->data) : nullptr)
        n = viewedNode(n);
    return n && n != u.access && g_.desc(n->data) && g_.desc(n->data)->isStructure();
}

bool LoopItems::isMovingView(const AccessNode &view) const {
    const DataDesc *d = g_.desc(view.data);
    if (!d || !d->isView())
        return false;
    std::set<Name> named = d->freeSymbols();
    if (const Edge *e = viewEdge(&view))
        for (const auto *subset : {&e->memlet.subset, &e->memlet.otherSubset})
            if (*subset)
                named.merge((*subset)->freeSymbols());
    if (std::any_of(around_.begin(), around_.end(), [&](Name v) { return named.count(v) != 0; }))
        return true;
    const AccessNode *viewed = viewedNode(&view);
    return viewed && isMovingView(*viewed);
}

std::unique_ptr<Map> LoopItems::mapOf(LoopRegion &l) {
    const analysis::LoopHeader header = analysis::headerOf(l);
    if (!l.optimize || !header.hasEnd() || !header.isOfIntegers(g_) ||
        std::find(around_.begin(), around_.end(), l.variable) != around_.end())
        return nullptr;
    around_.push_back(l.variable);
    std::optional<std::vector<Item>> body = read(l);
    around_.pop_back();
    if (!body || reads_.isReadOutside(l))
        return nullptr;
    auto out = std::make_unique<Map>();
    out->made = entryFor(l);
    out->entry = out->made.get();
    out->params = {l.variable};
    out->ranges = {header.walk()};
    out->body = std::move(*body);
    out->locals = localsOf(*out, l);
    variables_.insert(l.variable);
    locals_.insert(out->locals.begin(), out->locals.end());
    return out;
}

std::set<Name> LoopItems::localsOf(const Map &m, const LoopRegion &l) const {
    std::set<Name> seen, out;
    for (const Item &i : m.body) {
        const std::set<Name> inner = nest::localsOf(i);
        for (const PlacedUse &u : usesOf(i))
            if (seen.insert(u.use->data).second && !inner.count(u.use->data) && u.instance.loops.empty() && canBeLocal(*u.use, l))
                out.insert(u.use->data);
    }
    return out;
}

namespace {

std::vector<SDFG *> sdfgsIn(const State &s) {
    std::vector<SDFG *> out;
    for (const NestedSDFGNode *n : nodesOf<NestedSDFGNode>(s))
        if (n->sdfg)
            out.push_back(n->sdfg.get());
    return out;
}

/// Adds all nested SDFGs in items.
void addSdfgs(const std::vector<Item> &items, std::vector<const SDFG *> &out) {
    for (const Item &i : items) {
        if (i.map) {
            addSdfgs(i.map->body, out);
            continue;
        }
        for (const Node *n : i.step->nodes)
            if (const auto *nested = dyn_cast<NestedSDFGNode>(n); nested && nested->sdfg)
                for (const SDFG *g : allSDFGs(std::as_const(*nested->sdfg)))
                    out.push_back(g);
    }
}

/// Assigns the first value that the loop did not use; if the loop never ran, this is its initial value.
void assignValueAfter(Region &r, State &s, Name variable, const analysis::LoopHeader &header) {
    State *after = r.addStateAfter(&s, r.sdfg()->freshLabel(s.label + "_end"));
    r.removeEdge(s.outEdges().front());
    r.connect(&s, after, {"1", Language::Python}, {{variable, header.after().str()}});
}

} // namespace

void LoopItems::replace(LoopRegion &l, std::vector<Item> items, const analysis::LoopHeader &header) {
    users_.remove(l);
    put(l, std::move(items), header);
}

std::set<Name> LoopItems::release(const LoopRegion &l) {
    std::set<Name> used = users_.usedIn(l);
    std::erase_if(used, [&](Name n) { return !isOnlyInside(n, l); });
    users_.remove(l);
    return used;
}

void LoopItems::replaceEmpty(LoopRegion &l, Item item, const analysis::LoopHeader &header) {
    locals_.clear();
    variables_.clear();
    std::vector<Item> items;
    items.push_back(std::move(item));
    put(l, std::move(items), header);
}

/// Writing the items copies nested SDFGs.
void LoopItems::put(LoopRegion &l, std::vector<Item> items, const analysis::LoopHeader &header) {
    std::vector<const SDFG *> gone;
    addSdfgs(items, gone);
    for (const Name n : locals_)
        g_.desc(n)->storage = Storage::Register;
    Region &r = *l.parent();
    State &s = analysis::stateInPlaceOf(l);
    Run run;
    run.region = &r;
    run.memories = &memories_;
    run.states = {&s};
    run.items = std::move(items);
    const Name variable = l.variable;
    const bool isReadOutside = reads_.isReadOutside(l);
    if (isReadOutside) {
        assignValueAfter(r, s, variable, header);
        for (const Name n : header.after().freeSymbols())
            if (g_.arrays.contains(ownerOf(n)))
                users_.addRead(ownerOf(n), r);
    }
    write(run);
    std::vector<SDFG *> made;
    for (const State *written : run.states) {
        users_.add(*written);
        const std::vector<SDFG *> nested = sdfgsIn(*written);
        made.insert(made.end(), nested.begin(), nested.end());
    }
    r.removeBlock(&l);
    if (!isReadOutside)
        analysis::forgetVariable(g_, variable);
    for (const Name inner : variables_)
        analysis::forgetVariable(g_, inner);
    memories_.replaced(gone, made);
}

bool LoopItems::canBeLocal(const Use &first, const Region &loop) const {
    const DataDesc &d = *g_.desc(first.data);
    return isSmallLocal(d) && first.certain && first.subset && *first.subset == d.fullSubset() && isOnlyInside(first.data, loop);
}

bool isScratch(const DataDesc &d) {
    return d.transient && analysis::isPlain(&d) && d.lifetime == Lifetime::Scope && !d.pool && analysis::isOnHost(&d);
}

bool isSmallLocal(const DataDesc &d) {
    const auto size = d.totalSize.asInt();
    return isScratch(d) && size && *size <= smallContainer;
}

std::shared_ptr<MapEntry> entryFor(const LoopRegion &l) {
    auto entry = std::make_shared<MapEntry>();
    entry->label = l.label.empty() ? "for_" + l.variable.str() : identifierOf(l.label, "loop_");
    entry->debugInfo = l.debugInfo;
    entry->schedule = Schedule::Sequential;
    entry->ordered = true;
    return entry;
}

} // namespace sdfgc::nest
