#include "Nest/Window.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Scopes.h"

#include <algorithm>

namespace sdfgc::nest {

using namespace ir;

sym::Subset Window::placed(const sym::Subset &own) const {
    sym::Subset out;
    for (const sym::Range &r : shown.dims)
        out.dims.push_back({r.begin, r.begin, 1, 1});
    for (std::size_t k = 0; k < dims.size(); ++k)
        if (dims[k]) {
            const sym::Range &at = shown.dims[*dims[k]], &r = own.dims[k];
            if (r.begin.isZero() && r.step.isOne() && r.tile.isOne() && r.size() == at.size()) {
                out.dims[*dims[k]] = at; // as written, even if a size is zero
                continue;
            }
            out.dims[*dims[k]] = {at.begin + r.begin * at.step, at.begin + r.end * at.step, r.step * at.step, r.tile};
        }
    return out;
}

std::optional<Window> windowOf(const DataDesc &inside, const std::map<Name, sym::Expr> &meaning, const DataDesc &outside,
                               const sym::Subset &shown) {
    const auto isZero = [](sym::Expr e) { return e.isZero(); };
    if (!(inside.dtype == outside.dtype) || shown.rank() != outside.rank() || !inside.startOffset.isZero() ||
        !std::all_of(inside.offset.begin(), inside.offset.end(), isZero) ||
        !std::all_of(shown.dims.begin(), shown.dims.end(),
                     [](const sym::Range &r) { return r.tile.isOne() && r.step.isInteger(); }))
        return std::nullopt;
    const auto agree = [&](std::size_t k, std::size_t d) {
        return sym::substitute(inside.strides[k], meaning) == outside.strides[d] * shown.dims[d].step;
    };
    const auto isOne = [&](std::size_t k) { return sym::substitute(inside.shape[k], meaning).isOne(); };
    bool same = inside.rank() == outside.rank();
    for (std::size_t k = 0; same && k < inside.rank(); ++k)
        same = agree(k, k) || (isOne(k) && shown.dims[k].size().isOne());
    Window out{shown, {}};
    const std::vector<std::size_t> several = shown.nonUnitDims();
    std::size_t next = 0;
    for (std::size_t k = 0; k < inside.rank(); ++k) {
        if (same)
            out.dims.emplace_back(k);
        else if (isOne(k))
            out.dims.emplace_back();
        else if (next < several.size() && agree(k, several[next]))
            out.dims.emplace_back(several[next++]);
        else
            return std::nullopt;
    }
    return same || next == several.size() ? std::optional(out) : std::nullopt;
}

namespace {

bool isMemberOf(Name data, Name base) { return data.str().rfind(base.str() + ".", 0) == 0; }

} // namespace

std::optional<MemberElements> memberElements(const Use &u, const SDFG &g) {
    const AccessNode *at = u.access;
    Name data = u.memlet.data;
    if (!at || at->data != u.data || !u.member.fixed || u.member.path.empty() || !u.memlet.subset ||
        !(data == u.data || isMemberOf(data, u.data)))
        return std::nullopt;
    sym::Subset subset = *u.memlet.subset;
    for (;;) {
        const DataDesc *d = g.desc(data);
        if (!d || !(d->isArray() || d->isScalar()) || subset.rank() != d->rank())
            return std::nullopt;
        if (analysis::isPlain(d)) {
            const std::optional<Name> member = analysis::Memories::memberOf(*at, data);
            return member && g.desc(*member) ? std::optional(MemberElements{*member, std::move(subset)}) : std::nullopt;
        }
        const Edge *e = d->isView() ? viewEdge(at) : nullptr;
        const AccessNode *viewed = e ? viewedNode(at) : nullptr;
        if (!viewed)
            return std::nullopt;
        const Name shown = e->memlet.data;
        const bool statesViewed = shown == viewed->data || isMemberOf(shown, viewed->data);
        const std::optional<sym::Subset> &part = statesViewed ? e->memlet.subset : e->memlet.otherSubset;
        at = viewed;
        data = statesViewed ? shown : viewed->data;
        const DataDesc *base = g.desc(data);
        if (!part || !base || !(base->isArray() || base->isScalar()))
            return std::nullopt;
        const std::optional<Window> window = windowOf(*d, {}, *base, *part);
        if (!window)
            return std::nullopt;
        subset = window->placed(subset);
    }
}

void retargetCopy(Step &copy, const std::function<void(Use &, sym::Subset &)> &retarget) {
    Use &from = copy.uses.front(), &to = copy.uses.back();
    const bool namesSource = from.memlet.data == from.data;
    sym::Subset ofSource = *from.subset, ofTarget = *to.subset;
    retarget(from, ofSource);
    retarget(to, ofTarget);
    for (Use *u : {&from, &to}) {
        u->memlet.data = namesSource ? from.data : to.data;
        u->memlet.subset = namesSource ? ofSource : ofTarget;
        u->memlet.otherSubset = namesSource ? ofTarget : ofSource;
    }
}

} // namespace sdfgc::nest
