#include "Transforms/Differentiate/Recompute.h"

#include "Transforms/Differentiate/Items.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Memory/Bounds.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/Liveness.h"

#include <algorithm>

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Item;
using nest::Map;
using nest::Step;
using nest::Use;
using nest::UseKind;

bool writesAny(const Item &i, const std::set<Name> &names) {
    const std::vector<nest::PlacedUse> uses = nest::usesOf(i);
    return std::any_of(uses.begin(), uses.end(),
                       [&](const nest::PlacedUse &u) { return u.use->writes() && names.count(u.use->data); });
}

/// Does it consist only of maps, copies and tasklets?
bool isPlainWork(const Item &i) {
    if (i.map)
        return std::all_of(i.map->body.begin(), i.map->body.end(), isPlainWork);
    return i.step->isCopy() || (i.step->nodes.size() == 1 && isa<Tasklet>(i.step->nodes.front()) && !i.step->effects);
}

/// The uses of containers, for all runs of loops.
struct PrivateContainers::Usage {
    Usage(PrimalProgram &program, SDFG &g, analysis::Memories &memories) : summaries(g, memories, program.runs()) {
        for (const Site &s : program.sites()) {
            names[s.use->memory].insert(s.use->data);
            runs[s.use->memory].insert(s.run);
        }
    }
    std::map<analysis::Memory, std::set<Name>> names;             // names of a memory
    std::map<analysis::Memory, std::set<const nest::Run *>> runs; // runs that use it
    const nest::Summaries summaries;
};

const PrivateContainers::Usage &PrivateContainers::usage() {
    if (!usage_)
        usage_ = std::make_shared<const Usage>(program_, maker_.sdfg(), maker_.memories());
    return *usage_;
}

std::set<Name> PrivateContainers::ownOf(const nest::Run &run) {
    std::set<Name> out;
    SDFG &g = maker_.sdfg();
    bool inLoop = false;
    for (const Region *r = run.region; r && !isa<SDFG>(r); r = r->parent())
        inLoop |= isa<LoopRegion>(r);
    if (!inLoop)
        return out;
    const Usage &usage = this->usage();
    const nest::Summary summary = usage.summaries.of(run.items);
    for (const Item &i : run.items)
        for (const nest::PlacedUse &u : nest::usesOf(i)) {
            const Use &w = *u.use;
            const DataDesc *d = g.desc(w.data);
            if (!w.writes() || !d->transient || d->lifetime != Lifetime::Scope || !analysis::isPlain(d) ||
                usage.runs.at(w.memory).size() != 1 || usage.names.at(w.memory).size() != 1 || program_.isReadByFlow(w.data) ||
                nest::localsOf(i).count(w.data) || !usage.summaries.isTracked(w.memory) || summary.exposed.contains(w.memory))
                continue;
            out.insert(w.data);
        }
    return out;
}

namespace {

/// Does the run assign all elements of a container before it reads or updates one of them?
bool isMadeFirst(const nest::Run &run, const nest::Summaries &summaries, analysis::Memory m, const SDFG &g) {
    if (!summaries.isTracked(m) || summaries.of(run.items).exposed.contains(m))
        return false;
    bool written = false;
    for (const Item &i : run.items)
        for (const nest::PlacedUse &u : nest::usesOf(i)) {
            if (u.use->memory != m)
                continue;
            if (u.use->kind == UseKind::Update && !written)
                return false;
            written |= u.use->kind == UseKind::Write && u.use->certain && u.use->subset &&
                       analysis::isCovered({g.desc(u.use->data)->fullSubset(), {}}, u.instance, 0, summaries.factsOf(m));
        }
    return true;
}

} // namespace

std::set<Name> PrivateContainers::againOf(const nest::Run &run) {
    std::set<Name> out;
    if (strategy_.otherwise != Keep::Recompute && strategy_.named.empty())
        return out;
    SDFG &g = maker_.sdfg();
    const Usage &usage = this->usage();
    std::set<Name> refused;
    for (const Item &i : run.items)
        for (const nest::PlacedUse &u : nest::usesOf(i)) {
            const Use &w = *u.use;
            if (!w.writes() || strategy_.of(w.data) != Keep::Recompute || out.count(w.data) || refused.count(w.data))
                continue;
            const bool possible =
                analysis::isPlain(g.desc(w.data)) && usage.names.at(w.memory).size() == 1 && !nest::localsOf(i).count(w.data) &&
                std::none_of(run.items.begin(), run.items.end(),
                             [&](const Item &other) { return writesAny(other, {w.data}) && nest::hasEffects(other); }) &&
                isMadeFirst(run, usage.summaries, w.memory, g);
            (possible ? out : refused).insert(w.data);
        }
    return out;
}

bool ItemReverser::isComputedAgain(const Use &u, const Body &b) const {
    return b.recomputed.locals.count(u.data) || (b.recomputed.again.count(u.data) && program_.isOverwritten(u));
}

/// A copy of a local container, with its value when an item reads it, because the same iteration overwrites it.
Name ItemReverser::saved(const Use &read, Body &b) {
    const std::size_t position = positionOf(*b.items, read);
    for (const Body::Recomputed::Save &s : b.recomputed.saves)
        if (s.position == position && s.local == read.data)
            return s.saved;
    const Name name = maker_.transientLike("saved_" + read.data.str(), *maker_.sdfg().desc(read.data));
    if (b.inScope())
        b.own.made.insert(name);
    b.recomputed.saves.push_back({position, read.data, name});
    return name;
}

void ItemReverser::rename(std::span<Item> items, const std::set<Name> &containers) {
    std::map<Name, Name> names;
    for (const Name n : containers)
        names.emplace(n, maker_.transientLike(n.view(), *maker_.sdfg().desc(n)));
    for (Item &i : names.empty() ? std::span<Item>() : items)
        nest::renameContainers(i, names, maker_.sdfg(), maker_.memories());
}

namespace {

class Recomputer {
public:
    Recomputer(ItemReverser &r, Body &b) : r_(r), maker_(r.maker()), b_(b) {}

    /// Creates the items that compute needed values, in order. They are found from last to first, since each may need results of
    /// earlier ones.
    void run(std::vector<Item> &out) {
        std::vector<Item> backwards;
        for (std::size_t p = b_.items->size(); p-- > 0;) {
            const Item &i = (*b_.items)[p];
            std::set<Name> inner;
            std::vector<Item> again;
            if (writesAny(i, b_.recomputed.needed))
                recomputed(i, inner, again);
            std::move(again.rbegin(), again.rend(), std::back_inserter(backwards));
            for (const Body::Recomputed::Save &s : b_.recomputed.saves)
                if (s.position == p) {
                    const sym::Subset all = maker_.sdfg().desc(s.local)->fullSubset();
                    backwards.push_back(maker_.copy(maker_.read(s.local, all), maker_.write(s.saved, all)));
                }
        }
        for (auto i = backwards.rbegin(); i != backwards.rend(); ++i)
            out.push_back(std::move(*i));
    }

private:
    /// `inner`: containers private to iterations of recomputed maps around the item. `around`: the innermost of these maps,
    /// or null.
    void recomputed(const Item &i, std::set<Name> &inner, std::vector<Item> &out, Map *around = nullptr) {
        if (i.step)
            return recomputed(*i.step, inner, out, around);
        const Map &m = *i.map;
        auto again = std::make_unique<Map>(nest::mapLike(*m.entry, m.entry->label, m.params, m.ranges));
        again->locals = m.locals;
        inner.insert(m.locals.begin(), m.locals.end());
        for (const Item &each : m.body)
            recomputed(each, inner, again->body, again.get());
        if (again->body.empty())
            return;
        out.push_back({std::move(again), nullptr});
        r_.rename({&out.back(), 1}, m.locals);
    }

    /// Creates a container private to each iteration of the recomputed map, or to the body if there is none.
    Name ownIn(Map *around, const std::string &name, const DataDesc &like, std::vector<sym::Expr> shape) {
        if (!around)
            return r_.temporary(name, like, std::move(shape), b_);
        const Name own = maker_.transient(name, like, std::move(shape));
        maker_.sdfg().desc(own)->storage = Storage::Default;
        around->locals.insert(own);
        return own;
    }

    /// A destination for a result that already exists and is not needed again. It is written once, whatever the program
    /// sums up, and is private to each iteration if its size is known.
    Use unused(const Use &u, Map *around) {
        const bool own = subsetOf(u)->numElements().asInt().has_value();
        const Name out = ownIn(own ? around : nullptr, "unused_" + u.data.str(), r_.desc(u), subsetOf(u)->sizes());
        return maker_.whole(UseKind::Write, out, u.connector);
    }

    /// Returns the operand of a recomputed library node that depends on the number of dimensions: a tape has additional
    /// ones, for loops and maps, so its elements are copied.
    Use operand(const Use &had, const Use &has, std::vector<Item> &out, Map *around) {
        const std::optional<sym::Subset> from = subsetOf(had), to = subsetOf(has);
        if (!from || !to || from->rank() == to->rank() || to->isOneElement())
            return has;
        const Site &site = r_.program().siteOf(had);
        const std::vector<analysis::LoopLevel> maps(site.instance.loops.begin() + static_cast<std::ptrdiff_t>(site.loops),
                                                    site.instance.loops.end());
        std::vector<sym::Expr> most; // maximum number of elements per dimension, over all iterations of the surrounding maps
        sym::Subset part;
        for (const sym::Expr size : from->sizes()) {
            most.push_back(analysis::largestOf(size, maps, r_.program().facts()).value_or(size));
            part.dims.push_back({0, size - 1, 1, 1});
        }
        const Name own = ownIn(around, had.data.str() + "_read", r_.desc(had), most);
        out.push_back(maker_.copy(has, maker_.write(own, part)));
        return maker_.read(own, part, has.connector);
    }

    /// Redirects the arguments of a recomputing nested SDFG to the current locations of the data.
    bool moveArguments(const Step &s, const NestedSDFGNode &n, Step &again) {
        if (std::equal(s.uses.begin(), s.uses.end(), again.uses.begin(),
                       [](const Use &a, const Use &b) { return a.data == b.data; }))
            return true;
        const std::shared_ptr<Node> own = ir::clone(n);
        std::set<Name> done;
        for (std::size_t k = s.uses.size(); k-- > 0;) // an in/out argument is treated as written
            if (done.insert(s.uses[k].connector).second &&
                !r_.moveTo(*cast<NestedSDFGNode>(own.get()), s.uses[k].connector, s.uses[k], again.uses[k]))
                return false;
        again.nodes = {own.get()};
        again.made = own;
        return true;
    }

    void recomputed(const Step &s, const std::set<Name> &inner, std::vector<Item> &out, Map *around) {
        const auto stays = [&](const Use &u) { return inner.count(u.data) || b_.recomputed.needed.count(u.data); };
        if (std::none_of(s.uses.begin(), s.uses.end(), [&](const Use &u) { return u.writes() && stays(u); }))
            return;
        auto again = std::make_unique<Step>(s);
        for (std::size_t k = 0; k < s.uses.size(); ++k) {
            const Use &u = s.uses[k];
            Use &now = again->uses[k];
            if (u.writes() && !stays(u)) {
                now = unused(u, around);
                if (const auto *n = dyn_cast<NestedSDFGNode>(s.nodes.front()); n && n->sdfg && isUpdatedIn(*n->sdfg, u.connector))
                    out.push_back(maker_.fill(now.data, maker_.sdfg().desc(now.data)->fullSubset(), "0", around || b_.inScope()));
            } else if (!u.writes() && r_.isComputedAgain(u, b_) && !(b_.map && r_.request().strategy.of(u.data) == Keep::Store)) {
                b_.recomputed.needed.insert(u.data); // at this point of the order, it has its original value
            } else if (!u.writes() && !inner.count(u.data)) {
                const std::optional<Use> v = r_.value(u, u.connector, b_);
                if (!v)
                    return;
                now = !s.isCopy() && isa<LibraryNode>(s.nodes.front()) ? operand(u, *v, out, around) : *v;
            }
            now.node = u.node;
        }
        if (!s.isCopy())
            changeInPlace(*again, out);
        if (const auto *n = s.isCopy() ? nullptr : dyn_cast<NestedSDFGNode>(s.nodes.front());
            n && n->sdfg && !moveArguments(s, *n, *again))
            return;
        if (s.isCopy() && again->uses.front().data != s.uses.front().data)
            out.push_back(maker_.copy(again->uses.front(), again->uses.back()));
        else
            out.push_back({nullptr, std::move(again)});
    }

    /// A container that a nested SDFG both reads and writes is one argument: an unneeded result starts with the value that is read.
    void changeInPlace(Step &again, std::vector<Item> &out) {
        for (Use &written : again.uses)
            for (Use &read : again.uses)
                if (written.writes() && !read.writes() && !read.connector.empty() && read.connector == written.connector &&
                    read.data != written.data) {
                    const sym::Subset all = maker_.sdfg().desc(written.data)->fullSubset();
                    out.push_back(maker_.copy(read, maker_.write(written.data, all)));
                    read = maker_.read(written.data, all, read.connector);
                }
    }

    ItemReverser &r_;
    Maker &maker_;
    Body &b_;
};

} // namespace

void recompute(ItemReverser &r, Body &b, std::vector<Item> &out) { Recomputer(r, b).run(out); }

} // namespace sdfgc::transforms::gradient
