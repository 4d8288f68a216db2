#include "Transforms/Optimize/SavedReads.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Nest/Build.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;
using nest::Item;
using nest::Map;
using nest::Step;
using nest::Use;
using nest::UseKind;

namespace {

/// Calls a function for each step of a map, at any depth.
template <class F> void forEachStep(const Map &m, const F &function) {
    for (const Item &i : m.body) {
        if (i.map)
            forEachStep(*i.map, function);
        else
            function(*i.step);
    }
}

/// The first `depth` loops of the map that a subset mentions.
std::vector<std::size_t> loopsOf(const sym::Subset &s, const Map &m, std::size_t depth) {
    const std::set<Name> names = s.freeSymbols();
    std::vector<std::size_t> out;
    for (std::size_t d = 0; d < depth; ++d)
        if (names.count(m.params[d]))
            out.push_back(d);
    return out;
}

bool dependsOnParameters(const sym::Range &r, const Map &m) {
    return std::any_of(m.params.begin(), m.params.end(), [&](Name p) { return r.begin.dependsOn(p) || r.end.dependsOn(p); });
}

/// Do the loops that do not determine the element run whenever those that determine it do?
bool runTogether(const Map &m, const std::vector<std::size_t> &mentioned, std::size_t depth) {
    for (std::size_t d = 0; d < depth; ++d) {
        const sym::Range &r = m.ranges[d];
        if (!r.step.isOne() || !r.tile.isOne() || dependsOnParameters(r, m))
            return false;
        const bool asOften =
            r.size().asInt().value_or(0) > 0 ||
            std::any_of(mentioned.begin(), mentioned.end(), [&](std::size_t k) { return m.ranges[k].size() == r.size(); });
        if (!asOften)
            return false;
    }
    return depth == m.params.size();
}

/// Is it an unconditional read of one element by a tasklet?
bool isPlainRead(const Use &read, const Map &m, const SDFG &g) {
    if (read.kind != UseKind::Read || !read.subset || !read.subset->isOneElement() || read.memlet.data != read.data ||
        read.memlet.dynamic || !analysis::isPlain(g.desc(read.data)) || !analysis::isOnHost(g.desc(read.data)))
        return false;
    return std::any_of(m.body.begin(), m.body.end(), [&](const Item &i) {
        return i.step && i.step->nodes.size() == 1 && isa<Tasklet>(i.step->nodes.front()) &&
               std::any_of(i.step->uses.begin(), i.step->uses.end(), [&](const Use &u) { return &u == &read; });
    });
}

} // namespace

bool canBeSaved(const nest::PlacedUse &read, const Map &m, std::size_t depth, const nest::Conflicts &items, const SDFG &g) {
    if (!isPlainRead(*read.use, m, g))
        return false;
    const std::set<Name> names = read.use->subset->freeSymbols();
    if (std::any_of(names.begin(), names.end(), [&](Name n) { return g.desc(n) != nullptr; })) // contents of other containers
        return false;
    const std::vector<std::size_t> mentioned = loopsOf(*read.use->subset, m, depth);
    if (mentioned.size() >= depth || !runTogether(m, mentioned, depth))
        return false;
    bool written = false;
    forEachStep(m, [&](const Step &s) {
        written = written || std::any_of(s.uses.begin(), s.uses.end(), [&](const Use &u) { return items.meet(u, *read.use); });
    });
    return !written;
}

namespace {

/// The container that saves an element for each iteration of certain loops, and the map that fills it.
struct Saved {
    Use place; // of the element, in terms of the loops
    Item fill;
};

Saved save(const Use &read, const Map &m, std::size_t depth, SDFG &g, analysis::Memories &memories,
           const std::set<Name> &connectors) {
    std::vector<Name> params;
    std::vector<sym::Range> ranges;
    std::vector<sym::Expr> shape, at;
    for (const std::size_t d : loopsOf(*read.subset, m, depth)) {
        params.push_back(m.params[d]);
        ranges.push_back(m.ranges[d]);
        shape.push_back(m.ranges[d].size());
        at.push_back(sym::Expr::symbol(m.params[d]) - m.ranges[d].begin);
    }
    const Type type = g.desc(read.data)->dtype;
    DataDesc d = shape.empty() ? DataDesc::scalar(type, true) : DataDesc::array(type, shape, true);
    d.storage = shape.empty() ? Storage::Register : Storage::CPU_Heap;
    const Name name = nest::addContainer(g, read.data.str() + "_saved", std::move(d), connectors);

    Saved out;
    out.place = read;
    out.place.moveTo(name, memories.of(g, name));
    const sym::Subset element = at.empty() ? g.desc(name)->fullSubset() : sym::Subset::point(at);
    out.place = nest::ofElement(out.place, element, read.connector);
    Use from = read, to = out.place;
    from.connector = Name("__inp");
    to.connector = Name("__out");
    to.kind = UseKind::Write;
    to.certain = true;
    Item step = nest::taskletStep("save_" + read.data.str(), "__out = __inp", {std::move(from)}, std::move(to), g);
    if (params.empty()) {
        out.fill = std::move(step);
        return out;
    }
    out.fill.map = std::make_unique<Map>(nest::mapLike(*m.entry, "save_" + read.data.str(), std::move(params), std::move(ranges)));
    out.fill.map->body.push_back(std::move(step));
    return out;
}

} // namespace

std::vector<Item> saveReads(Map &m, const std::vector<const Use *> &reads, std::size_t depth, SDFG &g, analysis::Memories &memories,
                            const std::set<Name> &connectors) {
    std::vector<Item> fills;
    std::vector<std::pair<Use, Use>> done; // original reads and their replacements
    for (const Item &i : m.body) {
        if (!i.step)
            continue;
        for (Use &u : i.step->uses) {
            if (std::find(reads.begin(), reads.end(), &u) == reads.end())
                continue;
            auto known = std::find_if(done.begin(), done.end(), [&](const auto &each) {
                return each.first.data == u.data && *each.first.subset == *u.subset;
            });
            if (known == done.end()) {
                Saved saved = save(u, m, depth, g, memories, connectors);
                fills.push_back(std::move(saved.fill));
                known = done.insert(done.end(), {u, std::move(saved.place)});
            }
            const Name connector = u.connector;
            const std::size_t node = u.node;
            u = known->second;
            u.connector = connector;
            u.node = node;
        }
    }
    return fills;
}

} // namespace sdfgc::transforms
