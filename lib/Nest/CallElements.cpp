// What nested SDFGs access of their arguments. Their memlets often pass whole arrays.
#include "Nest/CallElements.h"

#include "sdfgc/Analysis/Memory/Access.h"

#include <algorithm>

namespace sdfgc::nest {

using namespace ir;

namespace {

constexpr std::size_t mostBlocks = 64;   // of a nested SDFG: larger ones are parts of programs, and are read often
constexpr std::size_t mostAccesses = 16; // of an argument

/// Values that only the nested SDFG knows (`k#3`), other than variables of its loops.
bool isUnknown(const sym::Range &r, const std::set<Name> &loops) {
    for (const sym::Expr e : {r.begin, r.end, r.step})
        for (const Name n : e.freeSymbols())
            if (n.view().find('#') != std::string_view::npos && !loops.count(n))
                return true;
    return false;
}

/// The access without values that only the nested SDFG knows: indices that depend on them may be any.
analysis::AccessInstance widened(const analysis::AccessInstance &a, const DataDesc &d) {
    analysis::AccessInstance out;
    std::set<Name> loops;
    for (const analysis::LoopLevel &l : a.loops)
        if (!isUnknown(l.range, loops)) {
            out.loops.push_back(l);
            loops.insert(l.variable);
        }
    out.subset = *a.subset;
    const sym::Subset whole = d.fullSubset();
    for (std::size_t k = 0; k < whole.rank(); ++k)
        if (isUnknown(out.subset->dims[k], loops))
            out.subset->dims[k] = whole.dims[k];
    return out;
}

/// Accesses of a body that is read, as far as they belong to a call.
struct Content {
    const LoopBody &body;
    std::optional<Stretch> part; // of the body of a loop
    Name variable;               // of that loop

    /// In terms of the surroundings of the call.
    analysis::AccessInstance instanceOf(const BodyUse &u) const {
        if (!part)
            return u.instance;
        analysis::AccessInstance out = u.instance.substituted({{body.variable, sym::Expr::symbol(variable)}});
        out.loops.erase(out.loops.begin());
        return out;
    }
};

/// The accesses that a use stands for; empty if they are not known.
std::vector<analysis::AccessInstance> elementsOf(const Use &u, const Content &content, const DataDesc &d) {
    std::vector<analysis::AccessInstance> out;
    for (const BodyUse &b : content.body.uses) {
        if (content.part && !content.part->contains(b.position))
            continue;
        if (b.place.memory != u.memory || (u.kind == UseKind::Read ? b.kind == UseKind::Write : b.kind == UseKind::Read))
            continue;
        if (b.data != u.data || !b.instance.subset || b.instance.subset->rank() != d.rank())
            return {};
        analysis::AccessInstance a = widened(content.instanceOf(b), d);
        const auto isSame = [&a](const auto &other) { return *other.subset == *a.subset && other.loops == a.loops; };
        if (std::none_of(out.begin(), out.end(), isSame))
            out.push_back(std::move(a));
        if (out.size() > mostAccesses)
            return {};
    }
    return out;
}

/// Is it an argument of several elements?
bool hasParts(const Use &u, const SDFG &g) {
    const DataDesc *d = g.desc(u.data);
    return u.kind != UseKind::Update && u.subset && analysis::isPlain(d) && d->rank() > 0 && !u.subset->isOneElement();
}

void nameElements(Step &call, const Content &content, const SDFG &g) {
    for (Use &u : call.uses)
        if (hasParts(u, g))
            u.elements = elementsOf(u, content, *g.desc(u.data));
}

} // namespace

void nameElements(Step &call, SDFG &g, analysis::Memories &memories) {
    const SDFG &inner = *cast<NestedSDFGNode>(call.nodes.front())->sdfg;
    if (std::none_of(call.uses.begin(), call.uses.end(), [&g](const Use &u) { return hasParts(u, g); }) ||
        allBlocks(inner).size() > mostBlocks)
        return;
    LoopBody body;
    if (!readCall(call, g, memories, body))
        nameElements(call, {body, {}, {}}, g);
}

void nameElements(Step &call, Name variable, const Stretch &part, const LoopBody &body, const SDFG &g) {
    nameElements(call, {body, part, variable}, g);
}

} // namespace sdfgc::nest
