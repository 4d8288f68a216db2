// Do iterations of a loop depend on each other? For bodies with any control flow (LoopBody.h).
#include "Nest/BodyCover.h"

#include <cctype>

namespace sdfgc::nest {

using namespace ir;
using analysis::AccessInstance;
using diag::Reason;
using diag::Why;

namespace {

class Dependence {
public:
    Dependence(const LoopBody &body, const SDFG &g, const Conflicts &items, const analysis::Memories &memories)
        : body_(body), items_(items), memories_(memories), cover_(body, g, items.facts()) {
        std::map<Name, sym::Expr> other;
        for (const Name n : body.varying)
            other.emplace(n, sym::Expr::symbol(Name(n.str() + "'")));
        std::set<Name> written; // the elements of others do not count
        for (const BodyUse &u : body.uses)
            if (u.kind != UseKind::Read)
                written.insert(u.data);
        for (const BodyUse &u : body.uses) {
            instances_.push_back(u.instance);
            if (u.instance.subset && ownerOf(u.data) != u.data && written.count(u.data) &&
                items.leaves(u.data, *u.instance.subset, u.instance.loops))
                instances_.back().subset.reset();
            others_.push_back(inOtherIteration(instances_.back(), other));
        }
    }

    Reason find(const std::function<Outside(Name)> &outside, std::set<Name> &locals,
                const std::function<bool(Name)> &mayReduce) const {
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
                if (isOne && canBePrivate(u, outside))
                    locals.insert(u.data);
                else if (isOne && mayReduce && mayReduce(u.data))
                    reduced.insert(u.data);
                else
                    return reason(u, v, *c);
            }
        return {};
    }

private:
    bool canBePrivate(const BodyUse &u, const std::function<Outside(Name)> &outside) const {
        const Outside values = outside(u.data);
        return values != Outside::Needed && cover_.holds(u.data, u.place.memory, values == Outside::Nothing);
    }

    /// The same access in another iteration, where unknown values differ.
    static AccessInstance inOtherIteration(const AccessInstance &a, const std::map<Name, sym::Expr> &other) {
        AccessInstance out;
        if (a.subset)
            out.subset = a.subset->substituted(other);
        for (const analysis::LoopLevel &l : a.loops)
            out.loops.push_back({l.variable, l.range.substituted(other)});
        return out;
    }

    bool meet(const BodyUse &a, const BodyUse &b) const {
        return (a.kind != UseKind::Read || b.kind != UseKind::Read) && !memories_.apart(a.place, b.place);
    }

    std::optional<analysis::Conflict> conflict(std::size_t a, std::size_t b) const {
        AccessInstance u = instances_[a], v = others_[b];
        if (body_.uses[a].data != body_.uses[b].data || body_.uses[a].data.empty()) { // one memory under two names
            u.subset.reset();
            v.subset.reset();
        }
        return analysis::conflictOf(u, v, 1, items_.facts());
    }

    Reason reason(const BodyUse &a, const BodyUse &b, const analysis::Conflict &c) const {
        const Name data = nameOf(a);
        const std::string text = "iterations depend on each other by `" + data.str() + "`";
        if (data != nameOf(b))
            return {Why::MayAlias, text + ", which may be the memory of `" + nameOf(b).str() + "`"};
        if (!a.instance.subset || !b.instance.subset)
            return {Why::NotAffine, text + " (the elements of an access are unknown)"};
        if (!c.why.empty())
            return {Why::NotAffine, text + " (" + withoutNumbers(c.why) + ")"};
        return {Why::Dependence, text};
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
    const Conflicts &items_;
    const analysis::Memories &memories_;
    const BodyCover cover_;
    std::vector<AccessInstance> instances_, others_; // of the uses; of those in another iteration
};

} // namespace

Reason dependenceOf(const LoopBody &body, const SDFG &g, const Conflicts &items, const analysis::Memories &memories,
                    const std::function<Outside(Name)> &outside, std::set<Name> &locals,
                    const std::function<bool(Name)> &mayReduce) {
    return Dependence(body, g, items, memories).find(outside, locals, mayReduce);
}

} // namespace sdfgc::nest
