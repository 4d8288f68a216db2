// Reverses maps: a map over the same iterations, in any order, contains the reversed items of an iteration.
//
// A map can be reversed as several maps.
//
//     map i { b[i] = a[i - 1] + a[i + 1] }   ->   map i { gradient_a[i - 1] += gradient_b[i] }
//                                                 map i { gradient_a[i + 1] += gradient_b[i]; gradient_b[i] = 0 }
//
// Several iterations that read the same element would all add to its gradient. Two reads may each access a different
// element in every iteration, while one of them accesses what the other accesses in another iteration. With two maps,
// neither needs atomic updates. Two sums over different iteration spaces are separated as well, so that each map can
// have the loops of its sum inside.
#include "Transforms/Differentiate/Items.h"
#include "Transforms/Differentiate/LoopsForMaps.h"

#include "sdfgc/Nest/Build.h"

#include <algorithm>

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Item;
using nest::Map;
using nest::Use;

namespace {

/// Can the reads access the same element in different iterations of the surrounding maps?
bool collide(const Site &a, const Site &b, const sym::Assumptions &facts) {
    const std::size_t common = std::min(a.scopes.size(), b.scopes.size());
    const auto conflict = analysis::conflictOf(a.instance, b.instance, common, facts);
    return conflict && std::any_of(conflict->vectors.begin(), conflict->vectors.end(), [&](const auto &v) {
               for (std::size_t k = 0; k < a.loops; ++k)
                   if (!v[k].equal)
                       return false;
               return std::any_of(v.begin() + static_cast<std::ptrdiff_t>(a.loops), v.end(),
                                  [](const analysis::Directions &d) { return d.less || d.greater; });
           });
}

/// The surrounding maps whose parameters do not determine which element is read: the gradient is a sum over their iterations.
std::set<std::size_t> summedOver(const Site &s) {
    std::set<std::size_t> out;
    const std::set<Name> symbols = s.instance.subset ? s.instance.subset->freeSymbols() : std::set<Name>();
    for (std::size_t k = s.loops; k < s.instance.loops.size(); ++k)
        if (!symbols.count(s.instance.loops[k].variable))
            out.insert(k);
    return out;
}

/// Are both gradients sums, over different iterations? Together, they would conflict over the order of the loops.
bool sumDifferently(const Site &a, const Site &b) {
    const std::set<std::size_t> ofA = summedOver(a), ofB = summedOver(b);
    return !ofA.empty() && !ofB.empty() && ofA != ofB && ofA.size() + a.loops < a.instance.loops.size() &&
           ofB.size() + b.loops < b.instance.loops.size();
}

/// A nested SDFG clears the gradients of its results itself, so a second part would find nothing.
bool hasNested(const Item &i) {
    const std::vector<nest::PlacedUse> uses = nest::usesOf(i);
    return std::any_of(uses.begin(), uses.end(), [](const nest::PlacedUse &u) {
        return std::any_of(u.step->nodes.begin(), u.step->nodes.end(), [](const Node *n) { return isa<NestedSDFGNode>(n); });
    });
}

} // namespace

/// Groups the reads of a map whose gradients are computed together: those in a group do not collide. The first group
/// contains reads of values that the map has produced earlier in the same iteration, because other groups need their
/// gradients. The last group contains reads of values that the map overwrites, because it changes the gradients of
/// results.
std::vector<std::set<const Use *>> ItemReverser::groupsOf(const Item &i) const {
    std::vector<std::set<const Use *>> groups(1);
    if (hasNested(i))
        return groups;
    std::vector<const Use *> reads;
    for (const nest::PlacedUse &u : nest::usesOf(i))
        if (!u.use->writes() && isActive(*u.use) && u.use->subset && !nest::localsOf(i).count(u.use->data))
            reads.push_back(u.use);
    std::set<const Use *> made; // reads of values that the map wrote before
    for (const Use *u : reads) {
        if (program_.isMadeInItem(*u)) {
            groups.front().insert(u);
            made.insert(u);
            continue;
        }
        const Site &site = program_.siteOf(*u);
        const auto free = std::find_if(groups.begin(), groups.end(), [&](const std::set<const Use *> &group) {
            return std::none_of(group.begin(), group.end(), [&](const Use *other) {
                if (sumDifferently(program_.siteOf(*other), site))
                    return true;
                return other->memory == u->memory && !(other->subset == u->subset) &&
                       collide(program_.siteOf(*other), site, program_.facts());
            });
        });
        (free == groups.end() ? groups.emplace_back() : *free).insert(u);
    }
    std::set<analysis::Memory> written;
    for (const nest::PlacedUse &u : nest::usesOf(i))
        if (u.use->writes())
            written.insert(u.use->memory);
    const auto inPlace = [&](const std::set<const Use *> &group) {
        return std::any_of(group.begin(), group.end(),
                           [&](const Use *u) { return written.count(u->memory) != 0 && made.count(u) == 0; });
    };
    if (std::count_if(groups.begin(), groups.end(), inPlace) > 1 || (groups.size() > 1 && inPlace(groups[0]) && !made.empty()))
        return std::vector<std::set<const Use *>>(1);
    std::stable_partition(groups.begin(), groups.end(), [&](const auto &group) { return !inPlace(group); });
    return groups;
}

namespace {

/// The number of last parameters of a map that do not determine which element is used.
std::size_t unusedAtEnd(const Map &m, const Use &u) {
    const std::set<Name> symbols = u.subset ? u.subset->freeSymbols() : std::set<Name>(m.params.begin(), m.params.end());
    std::size_t n = 0;
    while (n < m.params.size() && !symbols.count(m.params[m.params.size() - 1 - n]))
        ++n;
    return n;
}

/// A sum over the last loops of a map is accumulated in a variable and added to the gradient once:
///
///     map i, j { g[i] += a[i, j] }   ->   map i { s = 0; map j { s += a[i, j] }; g[i] += s }
void sumInRegister(Map &m, Maker &maker) {
    if (m.body.size() != 1 || !m.body[0].step || m.body[0].step->isCopy() || !isa<Tasklet>(m.body[0].step->nodes.front()))
        return;
    Use *sum = nullptr;
    std::size_t inside = 0;
    for (Use &u : m.body[0].step->uses)
        if (const std::size_t n = unusedAtEnd(m, u); u.kind == nest::UseKind::Update && n > 0) {
            if (sum || n == m.params.size() || !u.subset->isOneElement() || u.memlet.dynamic)
                return;
            sum = &u;
            inside = n;
        }
    if (!sum)
        return;
    const std::size_t outside = m.params.size() - inside;
    for (std::size_t k = 0; k < outside; ++k)
        for (std::size_t j = outside; j < m.params.size(); ++j)
            if (m.ranges[k].begin.dependsOn(m.params[j]) || m.ranges[k].end.dependsOn(m.params[j]))
                return;
    const Use whole = *sum;
    const Name s = maker.transient("sum_" + whole.data.str(), *maker.sdfg().desc(whole.data), {}), in = maker.connector("__in"),
               out = maker.connector("__out");
    *sum = maker.sum(s, maker.sdfg().desc(s)->fullSubset(), whole.connector);
    const auto at = static_cast<std::ptrdiff_t>(outside);
    auto inner = std::make_unique<Map>(
        nest::loopLike(*m.entry, m.entry->label, {m.params.begin() + at, m.params.end()}, {m.ranges.begin() + at, m.ranges.end()}));
    inner->body = std::move(m.body);
    m.body.clear();
    m.params.resize(outside);
    m.ranges.resize(outside);
    m.locals.insert(s);
    m.body.push_back(maker.fill(s, maker.sdfg().desc(s)->fullSubset(), "0", true));
    m.body.push_back({std::move(inner), nullptr});
    m.body.push_back(maker.tasklet("add_" + whole.data.str(), out.str() + " = " + in.str(),
                                   {maker.whole(nest::UseKind::Read, s, in), maker.sum(whole.data, *whole.subset, out)}));
}

} // namespace

void ItemReverser::map(const Map &m, Body &b, std::vector<Item> &out) {
    if (m.entry->ordered)
        return fail({diag::Id::GradientOfFlow, "an ordered map", "differentiate before the passes that create it"}, *m.entry);
    if (isInOrder(m, program_, [this](const Use &u) { return isActive(u); })) // otherwise loopsForMaps would have made it a loop
        return fail({diag::Id::GradientOfFlow, "an ordered map, which depend on each other and use one container by several names",
                     "write it as a loop"},
                    *m.entry);
    Body inner;
    inner.outer = &b;
    inner.map = &m;
    inner.items = &m.body;
    inner.own.ofProgram = inner.recomputed.locals = inner.cleared.of = m.locals;
    auto reversed = std::make_unique<Map>(nest::mapLike(*m.entry, m.entry->label + "_reversed", m.params, m.ranges));
    reversed->body = body(m.body, inner);
    if (reversed->body.empty())
        return;
    reversed->locals = inner.own.made;
    reversed->locals.insert(inner.recomputed.needed.begin(), inner.recomputed.needed.end());
    if (!b.inScope())
        sumInRegister(*reversed, maker_);
    out.push_back({std::move(reversed), nullptr});
    std::set<Name> own = inner.recomputed.needed;
    if (part_.another) // the next part has the same ones
        own.insert(inner.own.made.begin(), inner.own.made.end());
    rename({&out.back(), 1}, own);
}

} // namespace sdfgc::transforms::gradient
