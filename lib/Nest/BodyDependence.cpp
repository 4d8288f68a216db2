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

constexpr std::size_t longestSubset = 60; // in texts
constexpr std::size_t maxDecisions = 4;   // nested and consecutive conditional blocks whose arms are combined

class Dependence {
public:
    Dependence(const LoopBody &body, const SDFG &g, const Conflicts &items, const analysis::Memories &memories,
               const std::function<std::string(Name)> &whyShared)
        : body_(body), g_(g), items_(items), memories_(memories), whyShared_(whyShared) {
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

    Reason find(const std::function<bool(Name)> &mayBePrivate, std::set<Name> &locals) const {
        for (std::size_t a = 0; a < body_.uses.size(); ++a)
            for (std::size_t b = a; b < body_.uses.size(); ++b) {
                const BodyUse &u = body_.uses[a], &v = body_.uses[b];
                if (!meet(u, v) || locals.count(u.data))
                    continue;
                const auto c = conflict(a, b);
                if (!c || analysis::isWithinIteration(*c))
                    continue;
                if (u.data != v.data || u.data.empty() || !mayBePrivate(u.data) || !isCoveredEverywhere(u.data, u.place.memory))
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

    /// Does each read of a container, in any iteration, follow a write of the same iteration to the elements that it reads?
    bool isCoveredEverywhere(Name data, analysis::Memory memory) const {
        for (std::size_t r = 0; r < body_.uses.size(); ++r) {
            const BodyUse &read = body_.uses[r];
            if (read.place.memory == memory && read.data != data)
                return false;
            if (read.place.memory == memory && read.kind != UseKind::Write && !isCoveredBefore(r))
                return false;
        }
        return true;
    }

    bool isCoveredBefore(std::size_t r) const {
        const BodyUse &read = body_.uses[r];
        AccessInstance elements = read.instance;
        if (!elements.subset)
            elements.subset = g_.desc(read.data)->fullSubset();
        std::vector<const BodyUse *> writes; // of all these elements, unless guards prevent it
        for (std::size_t w = 0; w < r; ++w) {
            const BodyUse &u = body_.uses[w];
            if (u.data == read.data && u.kind == UseKind::Write && u.certain &&
                analysis::isCovered(elements, u.instance, sharedLoops(u, read), items_.facts()))
                writes.push_back(&u);
        }
        return happens(writes, read, {read.guards.begin(), read.guards.end()});
    }

    /// Has one of the writes happened whenever the read happens under these guards?
    bool happens(const std::vector<const BodyUse *> &writes, const BodyUse &read, const std::set<Guard> &guards) const {
        for (const BodyUse *w : writes) {
            const auto open = std::find_if(w->guards.begin(), w->guards.end(), [&](const Guard &x) { return !guards.count(x); });
            if (open == w->guards.end() || happensInAllArms(open->block, writes, read, guards))
                return true;
        }
        return false;
    }

    /// The same if each arm of a conditional block, which is before the read in the same iterations, has such a write.
    bool happensInAllArms(int block, const std::vector<const BodyUse *> &writes, const BodyUse &read,
                          const std::set<Guard> &guards) const {
        const auto known = body_.alternatives.find(block);
        const bool isDecided = std::any_of(guards.begin(), guards.end(), [block](const Guard &x) { return x.block == block; });
        if (known == body_.alternatives.end() || isDecided || guards.size() > read.guards.size() + maxDecisions)
            return false;
        for (const BodyUse *w : writes)
            if (std::any_of(w->guards.begin(), w->guards.end(), [block](const Guard &x) { return x.block == block; }) &&
                sharedLoops(*w, read) < known->second.loops)
                return false; // its arms are chosen again in each iteration of a loop that the read is not in
        for (int arm = 0; arm < known->second.arms; ++arm) {
            std::set<Guard> inArm = guards;
            inArm.insert({block, arm});
            if (!happens(writes, read, inArm))
                return false;
        }
        return true;
    }

    static std::size_t sharedLoops(const BodyUse &a, const BodyUse &b) {
        const auto end = std::mismatch(a.loops.begin(), a.loops.end(), b.loops.begin(), b.loops.end()).first;
        return static_cast<std::size_t>(end - a.loops.begin());
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
        const std::string shared = whyShared_ && !a.data.empty() ? whyShared_(a.data) : "";
        const bool mayBeScratch = isFixed(a) && isFixed(b); // otherwise elements of other iterations are likely to be meant
        if (mayBeScratch && early && shared.empty()) {
            out.text += detail(a.kind == UseKind::Read ? b : a, *early);
            out.hint = "if no iteration needs values of another one, write everything that " + textOf(early->site) + " reads of `" +
                       data.str() + "` before that, on every path of an iteration";
        } else if (mayBeScratch && !early && !shared.empty()) {
            out.text += detail(a, b) + "; it cannot be private to an iteration, because " + shared;
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
        for (std::size_t r = 0; r < body_.uses.size(); ++r)
            if (const BodyUse &u = body_.uses[r]; u.data == like.data && u.kind != UseKind::Write && !isCoveredBefore(r))
                return &u;
        return nullptr;
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
    const std::function<std::string(Name)> &whyShared_;
    std::vector<AccessInstance> instances_, others_; // of the uses; of those in another iteration
};

} // namespace

Reason dependenceOf(const LoopBody &body, const SDFG &g, const Conflicts &items, const analysis::Memories &memories,
                    const std::function<bool(Name)> &mayBePrivate, std::set<Name> &locals,
                    const std::function<std::string(Name)> &whyShared) {
    return Dependence(body, g, items, memories, whyShared).find(mayBePrivate, locals);
}

} // namespace sdfgc::nest
