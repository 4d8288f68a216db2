#include "Nest/Frames.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/IR/StateGraph.h"

#include <algorithm>

namespace sdfgc::nest {

using namespace ir;

std::vector<analysis::Place> writtenIn(const Region &r, analysis::Memories &memories) {
    std::set<std::pair<analysis::Memory, Name>> known;
    std::vector<analysis::Place> out;
    const auto add = [&](const analysis::Place &p) {
        if (known.emplace(p.memory, p.member.path).second)
            out.push_back(p);
    };
    for (const State *s : allStates(r))
        for (const auto &n : s->nodes()) {
            if (const auto *a = dyn_cast<AccessNode>(n.get())) {
                if (a->setZero)
                    add(memories.placeOf(*a));
                for (const Edge *e : a->inEdges())
                    if (!e->memlet.isEmpty() && !analysis::isViewing(*e))
                        add(memories.placeOf(*a, *e));
            }
            if (const auto *nested = dyn_cast<NestedSDFGNode>(n.get()); nested && nested->sdfg)
                for (const analysis::Place &p : writtenIn(*nested->sdfg, memories))
                    add(p);
        }
    return out;
}

namespace {

/// The name of a structure; empty if it has none. Files may list its fields in different orders.
Name typeName(const DataDesc &d) {
    const Type t = d.dtype.isPointer() ? d.dtype.element() : d.dtype;
    return t.isStruct() ? t.name() : d.structName;
}

/// The structure that a view of all of it shows; anything else is shown by itself.
Name viewedStructure(const AccessNode *at, Name data, const SDFG &g) {
    for (;;) {
        const DataDesc *d = g.desc(data);
        if (!at || at->data != data || !d || !d->isStructure() || !d->isView())
            return data;
        const Edge *e = viewEdge(at);
        const AccessNode *viewed = viewedNode(at);
        const DataDesc *shown = viewed ? g.desc(viewed->data) : nullptr;
        if (!e || !shown || !shown->isStructure() || typeName(*shown) != typeName(*d) ||
            (e->memlet.data != data && e->memlet.data != viewed->data))
            return data;
        at = viewed;
        data = viewed->data;
    }
}

} // namespace

Placed argumentOf(const Use &u, const SDFG &g, const std::map<Name, sym::Expr> &meaning, const Frame &f, Values &values) {
    const DataDesc *inside = g.desc(u.connector), *outside = f.g.desc(u.data);
    Placed out{u.data, u.data, std::nullopt};
    if (inside && outside && u.memlet.subset && u.memlet.data == u.data && analysis::isPlain(inside) &&
        analysis::isPlain(outside)) {
        DataDesc translated = *outside;
        for (sym::Expr &e : translated.strides)
            e = values.translated(e);
        out.window = windowOf(*inside, meaning, translated, values.translated(*u.memlet.subset));
    }
    const auto [data, shown] =
        placed(viewedStructure(u.access, u.data, f.g), out.window ? std::optional(out.window->shown) : std::nullopt, f);
    out.data = data;
    if (shown && out.window)
        out.window->shown = *shown;
    else
        out.window.reset();
    out.isWholeStructure = inside && outside && inside->isStructure() && outside->isStructure() && !inside->isView();
    return out;
}

std::pair<Name, std::optional<sym::Subset>> placed(Name data, const std::optional<sym::Subset> &subset, const Frame &f) {
    if (!f.around)
        return {data, subset};
    const auto a = f.arguments.find(ownerOf(data));
    if (a == f.arguments.end())
        return {Name(), std::nullopt};
    if (a->first != data) // a member
        return a->second.isWholeStructure && !a->second.data.empty()
                   ? std::pair(Name(a->second.data.str() + data.str().substr(a->first.view().size())), subset)
                   : std::pair(Name(), std::optional<sym::Subset>());
    const bool fits = subset && a->second.window && subset->rank() == a->second.window->dims.size();
    return {a->second.data, fits ? std::optional(a->second.window->placed(*subset)) : std::nullopt};
}

bool isPrivate(Name data, const Frame &f, const PrivateContainers &all) {
    for (const Frame *at = &f;; at = at->around) {
        if (std::find(all.begin(), all.end(), std::pair<const SDFG *, Name>(&at->g, data)) != all.end())
            return true;
        const auto passed = at->arguments.find(ownerOf(data));
        if (!at->around || passed == at->arguments.end())
            return false;
        data = passed->second.outer;
    }
}

bool isOwnOfCall(analysis::Memory memory, const Frame &f, const analysis::Memories &memories) {
    if (memory < 0)
        return false;
    const auto &[g, name] = memories.owner(memory);
    const DataDesc *d = memories.desc(memory);
    for (const Frame *at = &f; at->around; at = at->around)
        if (&at->g == g)
            return d && d->transient && !memories.mayAlias(memory);
    return false;
}

} // namespace sdfgc::nest
