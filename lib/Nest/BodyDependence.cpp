// Do iterations of a loop depend on each other? For bodies with any control flow (LoopBody.h).
#include "sdfgc/Nest/LoopBody.h"

#include <algorithm>
#include <iterator>

namespace sdfgc::nest {

using namespace ir;
using analysis::AccessInstance;
using diag::Reason;
using diag::Why;

namespace {

class Dependence {
public:
    Dependence(const LoopBody &body, const SDFG &g, const Conflicts &items, const analysis::Memories &memories)
        : body_(body), g_(g), items_(items), memories_(memories) {
        std::map<Name, sym::Expr> other;
        for (const Name n : body.varying)
            other.emplace(n, sym::Expr::symbol(Name(n.str() + "'")));
        for (const BodyUse &u : body.uses)
            others_.push_back(inOtherIteration(u.instance, other));
    }

    Reason find(const std::function<bool(Name)> &mayBePrivate, std::set<Name> &locals) const {
        for (std::size_t a = 0; a < body_.uses.size(); ++a)
            for (std::size_t b = a; b < body_.uses.size(); ++b) {
                const BodyUse &u = body_.uses[a], &v = body_.uses[b];
                if (!meet(u, v) || locals.count(u.data))
                    continue;
                const auto c = conflict(a, b);
                if (!c || analysis::isWithinIteration(*c))
                    continue;
                if (u.data != v.data || u.data.empty() || !mayBePrivate(u.data) || !isCoveredEverywhere(u.data, u.memory))
                    return reason(u, v, *c);
                locals.insert(u.data);
            }
        return {};
    }

private:
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
        return (a.kind != UseKind::Read || b.kind != UseKind::Read) &&
               (a.memory == b.memory || !memories_.apart(a.memory, b.memory));
    }

    std::optional<analysis::Conflict> conflict(std::size_t a, std::size_t b) const {
        AccessInstance u = body_.uses[a].instance, v = others_[b];
        if (body_.uses[a].data != body_.uses[b].data || body_.uses[a].data.empty()) { // one memory under two names
            u.subset.reset();
            v.subset.reset();
        }
        return analysis::conflictOf(u, v, 1, items_.facts());
    }

    /// Does each read of a container, in any iteration, follow a write of the same iteration to the elements that it reads?
    bool isCoveredEverywhere(Name data, analysis::Memory memory) const {
        for (std::size_t r = 0; r < body_.uses.size(); ++r) {
            const BodyUse &read = body_.uses[r];
            if (read.memory == memory && read.data != data)
                return false;
            if (read.memory == memory && read.kind != UseKind::Write && !isCoveredBefore(r))
                return false;
        }
        return true;
    }

    bool isCoveredBefore(std::size_t r) const {
        AccessInstance read = body_.uses[r].instance;
        if (!read.subset)
            read.subset = g_.desc(body_.uses[r].data)->fullSubset();
        for (std::size_t w = 0; w < r; ++w)
            if (covers(body_.uses[w], body_.uses[r]) &&
                analysis::isCovered(read, body_.uses[w].instance, sharedLoops(body_.uses[w], body_.uses[r]), items_.facts()))
                return true;
        return false;
    }

    /// Has a write before a read happened whenever the read happens?
    static bool covers(const BodyUse &write, const BodyUse &read) {
        return write.data == read.data && write.kind == UseKind::Write && write.certain &&
               write.guards.size() <= read.guards.size() &&
               std::equal(write.guards.begin(), write.guards.end(), read.guards.begin());
    }

    static std::size_t sharedLoops(const BodyUse &a, const BodyUse &b) {
        const auto end = std::mismatch(a.loops.begin(), a.loops.end(), b.loops.begin(), b.loops.end()).first;
        return static_cast<std::size_t>(end - a.loops.begin());
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

    Name nameOf(const BodyUse &u) const { return u.data.empty() ? memories_.owner(u.memory).second : u.data; }

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
    std::vector<AccessInstance> others_;
};

} // namespace

Reason dependenceOf(const LoopBody &body, const SDFG &g, const Conflicts &items, const analysis::Memories &memories,
                    const std::function<bool(Name)> &mayBePrivate, std::set<Name> &locals) {
    return Dependence(body, g, items, memories).find(mayBePrivate, locals);
}

} // namespace sdfgc::nest
