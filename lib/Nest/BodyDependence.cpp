// Do iterations of a loop depend on each other? For bodies with any control flow (LoopBody.h).
#include "Nest/BodyCover.h"
#include "Nest/DistinctIndices.h"

#include <algorithm>
#include <cctype>

namespace sdfgc::nest {

using namespace ir;
using analysis::AccessInstance;
using diag::Reason;
using diag::Why;

namespace {

constexpr std::size_t longestSubset = 60; // in texts

/// The operands of an extremum, also if something is added to it: `a + c` and `b + c` of `max(a, b) + c`.
std::vector<sym::Expr> operandsOf(sym::Expr e, sym::SymbolicKind kind) {
    sym::Expr extremum = e;
    if (e.kind() == sym::SymbolicKind::Add)
        for (const sym::Expr term : e.operands())
            if (term.kind() == kind)
                extremum = term;
    if (extremum.kind() != kind)
        return {e};
    std::vector<sym::Expr> out;
    for (const sym::Expr o : extremum.operands())
        out.push_back(o + (e - extremum));
    return out;
}

/// A range that contains the one of a loop and does without its bounds: one value, if the loop has at most that iteration
/// (`max(0, p - i)` to `min(N, p - i)`), or any.
sym::Range wider(const analysis::LoopLevel &l) {
    const std::vector<sym::Expr> most = operandsOf(l.range.end, sym::SymbolicKind::Min);
    for (const sym::Expr e : operandsOf(l.range.begin, sym::SymbolicKind::Max))
        if (std::find(most.begin(), most.end(), e) != most.end())
            return {e, e};
    return {sym::Expr::symbol(Name(l.variable.str() + "'first")), sym::Expr::symbol(Name(l.variable.str() + "'last"))};
}

class Dependence {
public:
    Dependence(const LoopBody &body, const SDFG &g, const Conflicts &items, const analysis::Memories &memories,
               const std::function<Outside(Name)> &outside, const std::function<std::string(Name)> &whyNeeded)
        : body_(body), g_(g), items_(items), memories_(memories), outside_(outside), whyNeeded_(whyNeeded),
          cover_(body, g, items.facts()) {
        for (const Name n : body.varying)
            other_.emplace(n, sym::Expr::symbol(Name(n.str() + "'")));
        std::set<Name> written; // the elements of others do not count
        for (const BodyUse &u : body.uses)
            if (u.kind != UseKind::Read)
                written.insert(u.data);
        for (const BodyUse &u : body.uses) {
            instances_.push_back(u.instance);
            if (u.instance.subset && ownerOf(u.data) != u.data && written.count(u.data) &&
                items.leaves(u.data, *u.instance.subset, u.instance.loops))
                instances_.back().subset.reset();
            others_.push_back(instances_.back().substituted(other_));
        }
    }

    std::set<Name> privates() const {
        std::set<Name> out;
        for (const BodyUse &u : body_.uses)
            if (!u.data.empty() && canBePrivate(u))
                out.insert(u.data);
        return out;
    }

    Reason order(std::size_t common, const std::set<Name> &privates,
                 const std::function<bool(const std::vector<analysis::Directions> &)> &keeps) const {
        for (std::size_t a = 0; a < body_.uses.size(); ++a)
            for (std::size_t b = a; b < body_.uses.size(); ++b) {
                const BodyUse &u = body_.uses[a], &v = body_.uses[b];
                if (!meet(u, v) || privates.count(u.data))
                    continue;
                if (!haveCommon(u, v, common))
                    return {Why::Shape, "`" + nameOf(u).str() + "` is used between its loops"};
                const auto isKept = [&](const std::optional<analysis::Conflict> &c) {
                    return !c || std::all_of(c->vectors.begin(), c->vectors.end(), keeps);
                };
                if (isKept(withoutBounds(a, b, common)))
                    continue;
                if (const auto c = conflict(a, b, common); !isKept(c))
                    return reason(u, v, *c);
            }
        return {};
    }

    Reason find(std::set<Name> &locals, const std::function<bool(Name)> &mayReduce, std::vector<DistinctIndex> *distinct) const {
        std::set<Name> reduced;
        for (std::size_t a = 0; a < body_.uses.size(); ++a)
            for (std::size_t b = a; b < body_.uses.size(); ++b) {
                const BodyUse &u = body_.uses[a], &v = body_.uses[b];
                if (!meet(u, v) || locals.count(u.data) || (u.data == v.data && reduced.count(u.data)))
                    continue;
                const auto c = conflict(a, b);
                if (!c || analysis::isWithinIteration(*c))
                    continue;
                const bool isOne = u.data == v.data && !u.data.empty();
                if (isOne && canBePrivate(u))
                    locals.insert(u.data);
                else if (isOne && mayReduce && mayReduce(u.data))
                    reduced.insert(u.data);
                else if (!isOne || !distinct || !areApartIfDistinct(a, b, *distinct))
                    return reason(u, v, *c);
            }
        return {};
    }

private:
    bool canBePrivate(const BodyUse &u) const {
        const Outside values = outside_(u.data);
        return values != Outside::Needed && cover_.holds(u.data, u.place.memory, values == Outside::Nothing);
    }

    bool meet(const BodyUse &a, const BodyUse &b) const {
        return (a.kind != UseKind::Read || b.kind != UseKind::Read) && !memories_.apart(a.place, b.place);
    }

    static bool haveCommon(const BodyUse &a, const BodyUse &b, std::size_t common) {
        return a.loops.size() >= common && b.loops.size() >= common &&
               std::equal(a.loops.begin(), a.loops.begin() + static_cast<std::ptrdiff_t>(common), b.loops.begin());
    }

    std::optional<analysis::Conflict> conflict(std::size_t a, std::size_t b, std::size_t common = 1) const {
        return conflictIn(a, b, instances_[a], others_[b], common);
    }

    /// `u`, `v`: the instances of the uses `a` and `b`, the latter in another iteration.
    std::optional<analysis::Conflict> conflictIn(std::size_t a, std::size_t b, AccessInstance u, AccessInstance v,
                                                 std::size_t common) const {
        if (body_.uses[a].data != body_.uses[b].data || body_.uses[a].data.empty()) { // one memory under two names
            u.subset.reset();
            v.subset.reset();
        }
        return analysis::conflictOf(u, v, common, items_.facts());
    }

    /// The conflict if the loops had more iterations, without the bounds of tiles and hyperplanes, which take the engine a hundred
    /// times as long: usually the indices alone decide about the order.
    std::optional<analysis::Conflict> withoutBounds(std::size_t a, std::size_t b, std::size_t common) const {
        AccessInstance u = instances_[a], v = others_[b];
        for (AccessInstance *each : {&u, &v})
            for (analysis::LoopLevel &l : each->loops)
                l.range = wider(l);
        return conflictIn(a, b, u, v, common);
    }

    /// Do the two uses only touch the same element in one iteration if elements of an index array differ?
    bool areApartIfDistinct(std::size_t a, std::size_t b, std::vector<DistinctIndex> &out) const {
        const BodyUse &u = body_.uses[a], &v = body_.uses[b];
        if (u.kind == UseKind::Update || v.kind == UseKind::Update || !instances_[a].subset || !others_[b].subset)
            return false;
        for (std::size_t d = 0; d < u.instance.subset->rank(); ++d) {
            const std::optional<IndexPair> indices = indexPair(body_, g_, u, v, d);
            if (!indices)
                continue;
            AccessInstance p = instances_[a], q = others_[b];
            const sym::Expr there = sym::substitute(indices->second, other_);
            p.subset->dims[d] = {indices->first, indices->first};
            q.subset->dims[d] = {there, there};
            const auto c = analysis::conflictOf(p, q, 1, items_.facts());
            if (c && !analysis::isWithinIteration(*c))
                continue;
            addDistinct(indices->distinct, out);
            return true;
        }
        return false;
    }

    Reason reason(const BodyUse &a, const BodyUse &b, const analysis::Conflict &c) const {
        const Name data = nameOf(a);
        const std::string text = "iterations depend on each other by `" + data.str() + "`";
        if (data != nameOf(b))
            return {Why::MayAlias, text + ", which may be the memory of `" + nameOf(b).str() + "`" + detail(a, b)};
        const std::string unknown = !a.instance.subset || !b.instance.subset ? " (the elements of an access are unknown)"
                                    : !c.why.empty()                         ? " (" + withoutNumbers(c.why) + ")"
                                                                             : "";
        Reason out{unknown.empty() ? Why::Dependence : Why::NotAffine, text + unknown};
        const BodyUse *early = a.data.empty() ? nullptr : readTooEarly(a);
        const std::string needed = whyNeeded_ && !a.data.empty() ? whyNeeded_(a.data) : "";
        const bool mayBeScratch = isFixed(a) && isFixed(b); // otherwise elements of other iterations are likely to be meant
        if (mayBeScratch && early && needed.empty()) {
            out.text += detail(a.kind == UseKind::Read ? b : a, *early);
            out.hint = "if no iteration needs values of another one, write everything that " + textOf(early->site) + " reads of `" +
                       data.str() + "` before that, on every path of an iteration";
        } else if (mayBeScratch && !early && !needed.empty()) {
            out.text += detail(a, b) + "; it cannot be private to an iteration, because " + needed;
            out.hint = "use another container for values that only one iteration needs";
        } else {
            out.text += detail(a, b);
        }
        return out;
    }

    /// Are the elements the same ones in every iteration?
    bool isFixed(const BodyUse &u) const {
        if (!u.instance.subset)
            return false;
        const std::set<Name> named = u.instance.subset->freeSymbols();
        return !named.count(body_.variable) &&
               std::none_of(named.begin(), named.end(), [this](Name n) { return body_.varying.count(n) != 0; });
    }

    /// A read of elements that the iteration may not have written before.
    const BodyUse *readTooEarly(const BodyUse &like) const {
        const BodyUse *out = cover_.obstacle(like.data, like.place.memory, outside_(like.data) == Outside::Nothing);
        return out && out->data == like.data ? out : nullptr;
    }

    /// `: `t1` reads `A[i - 1]`, `t2` writes `A[i]``
    std::string detail(const BodyUse &a, const BodyUse &b) const {
        const std::string first = textOf(a.site), second = textOf(b.site);
        if (first.empty() || second.empty())
            return {};
        const std::string does = verb(a.kind) + elementsOf(a), doesToo = verb(b.kind) + elementsOf(b);
        if (first != second)
            return ": " + first + does + ", " + second + doesToo;
        return ": " + first + does + (does == doesToo ? "" : " and" + doesToo);
    }

    static std::string verb(UseKind k) { return k == UseKind::Read ? " reads " : k == UseKind::Write ? " writes " : " updates "; }

    std::string elementsOf(const BodyUse &u) const {
        const Name data = nameOf(u);
        const DataDesc *d = g_.desc(data);
        const std::string subset = u.instance.subset && d && !d->totalSize.isOne() ? withoutNumbers(u.instance.subset->str()) : "";
        return "`" + data.str() + (subset.empty() || subset.size() > longestSubset ? "" : "[" + subset + "]") + "`";
    }

    Name nameOf(const BodyUse &u) const { return u.data.empty() ? memories_.owner(u.place.memory).second : u.data; }

    /// Text with the names of the program instead of those of values: `k#3` is `k`.
    static std::string withoutNumbers(const std::string &text) {
        std::string out;
        for (std::size_t at = 0; at < text.size(); ++at) {
            if (text[at] != '#') {
                out += text[at];
                continue;
            }
            while (at + 1 < text.size() && (std::isdigit(static_cast<unsigned char>(text[at + 1])) || text[at + 1] == '\''))
                ++at;
        }
        return out;
    }

    const LoopBody &body_;
    const SDFG &g_;
    const Conflicts &items_;
    const analysis::Memories &memories_;
    const std::function<Outside(Name)> &outside_;
    const std::function<std::string(Name)> &whyNeeded_;
    const BodyCover cover_;
    std::map<Name, sym::Expr> other_;                // unknown values, in another iteration
    std::vector<AccessInstance> instances_, others_; // of the uses; of those in another iteration
};

} // namespace

Reason dependenceOf(const LoopBody &body, const SDFG &g, const Conflicts &items, const analysis::Memories &memories,
                    const std::function<Outside(Name)> &outside, std::set<Name> &locals, const std::function<bool(Name)> &mayReduce,
                    const std::function<std::string(Name)> &whyNeeded, std::vector<DistinctIndex> *distinct) {
    return Dependence(body, g, items, memories, outside, whyNeeded).find(locals, mayReduce, distinct);
}

std::set<Name> privateContainers(const LoopBody &body, const SDFG &g, const Conflicts &items, const analysis::Memories &memories,
                                 const std::function<Outside(Name)> &outside) {
    return Dependence(body, g, items, memories, outside, {}).privates();
}

Reason orderOf(const LoopBody &body, const SDFG &g, const Conflicts &items, const analysis::Memories &memories, std::size_t common,
               const std::set<Name> &privates, const std::function<bool(const std::vector<analysis::Directions> &)> &keeps) {
    const std::function<Outside(Name)> needed = [](Name) { return Outside::Needed; };
    return Dependence(body, g, items, memories, needed, {}).order(common, privates, keeps);
}

} // namespace sdfgc::nest
