// What nested SDFGs access of their arguments. Their memlets often pass whole arrays.
#include "Nest/CallElements.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Nest/LoopBody.h"

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

/// The accesses that a use stands for; empty if they are not known.
std::vector<analysis::AccessInstance> elementsOf(const Use &u, const LoopBody &body, const DataDesc &d) {
    std::vector<analysis::AccessInstance> out;
    for (const BodyUse &b : body.uses) {
        if (b.place.memory != u.memory || (u.kind == UseKind::Read ? b.kind == UseKind::Write : b.kind == UseKind::Read))
            continue;
        if (b.data != u.data || !b.instance.subset || b.instance.subset->rank() != d.rank())
            return {};
        analysis::AccessInstance a = widened(b.instance, d);
        const auto isSame = [&a](const auto &other) { return *other.subset == *a.subset && other.loops == a.loops; };
        if (std::none_of(out.begin(), out.end(), isSame))
            out.push_back(std::move(a));
        if (out.size() > mostAccesses)
            return {};
    }
    return out;
}

} // namespace

void nameElements(Step &call, SDFG &g, analysis::Memories &memories) {
    const SDFG &inner = *cast<NestedSDFGNode>(call.nodes.front())->sdfg;
    const auto isArgument = [&g](const Use &u) {
        const DataDesc *d = g.desc(u.data);
        return u.kind != UseKind::Update && u.subset && analysis::isPlain(d) && d->rank() > 0 && !u.subset->isOneElement();
    };
    if (std::none_of(call.uses.begin(), call.uses.end(), isArgument) || allBlocks(inner).size() > mostBlocks)
        return;
    LoopBody body;
    if (readCall(call, g, memories, body))
        return;
    for (Use &u : call.uses)
        if (isArgument(u))
            u.elements = elementsOf(u, body, *g.desc(u.data));
}

} // namespace sdfgc::nest
