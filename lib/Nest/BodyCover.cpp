#include "Nest/BodyCover.h"

#include <algorithm>
#include <charconv>

namespace sdfgc::nest {

using analysis::AccessInstance;
using analysis::LoopLevel;
using analysis::SharedAccess;

namespace {

/// Values are numbered in the order in which the body creates them: `k#3`.
int numberOf(Name value) {
    const std::string_view text = value.view();
    int out = 0;
    std::from_chars(text.data() + text.rfind('#') + 1, text.data() + text.size(), out);
    return out;
}

std::size_t commonLoops(const std::vector<int> &a, const std::vector<int> &b) {
    const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
    return static_cast<std::size_t>(end - a.begin());
}

AccessInstance renamed(const AccessInstance &a, const std::map<Name, sym::Expr> &names) {
    AccessInstance out;
    if (a.subset)
        out.subset = a.subset->substituted(names);
    for (const LoopLevel &l : a.loops)
        out.loops.push_back({l.variable, l.range.substituted(names)});
    return out;
}

} // namespace

bool BodyCover::holds(Name data, analysis::Memory memory, bool uninitialised) const {
    std::vector<Write> writes = writesOf(data);
    joinArms(writes);
    std::map<Name, sym::Expr> other;
    for (const Name n : body_.varying)
        other.emplace(n, sym::Expr::symbol(Name(n.str() + "'")));
    std::vector<AccessInstance> all; // writes, in any iteration
    for (const BodyUse &u : body_.uses)
        if (u.place.memory == memory && u.kind != UseKind::Read)
            all.push_back(renamed(u.instance, other));
    for (std::size_t k = 0; k < body_.uses.size(); ++k) {
        const BodyUse &u = body_.uses[k];
        if (u.place.memory != memory)
            continue;
        if (u.data != data)
            return false;
        if (u.kind == UseKind::Write)
            continue;
        AccessInstance elements = u.instance;
        if (!elements.subset)
            elements.subset = g_.desc(data)->fullSubset();
        if (!analysis::isCoveredTogether(elements, before(u, k, writes), uninitialised ? &all : nullptr, facts_))
            return false;
    }
    return true;
}

std::vector<BodyCover::Write> BodyCover::writesOf(Name data) const {
    std::vector<Write> out;
    for (std::size_t k = 0; k < body_.uses.size(); ++k)
        if (const BodyUse &u = body_.uses[k]; u.data == data && u.kind == UseKind::Write && u.certain)
            out.push_back({u.instance, u.loops, u.guards, k});
    return out;
}

/// Adds writes of elements that every arm of a conditional block writes; inner blocks, which have greater numbers, come first.
void BodyCover::joinArms(std::vector<Write> &writes) const {
    for (auto b = body_.arms.rbegin(); b != body_.arms.rend(); ++b)
        joinArms(b->first, b->second, writes);
}

void BodyCover::joinArms(int block, int arms, std::vector<Write> &writes) const {
    std::vector<std::vector<std::size_t>> inArm(static_cast<std::size_t>(arms));
    std::size_t last = 0;
    for (std::size_t w = 0; w < writes.size(); ++w)
        if (!writes[w].guards.empty() && writes[w].guards.back().block == block) {
            inArm[static_cast<std::size_t>(writes[w].guards.back().arm)].push_back(w);
            last = std::max(last, writes[w].last);
        }
    if (std::any_of(inArm.begin(), inArm.end(), [](const auto &arm) { return arm.empty(); }))
        return;
    const std::size_t common = writes[inArm.front().front()].guards.back().loops;
    std::vector<Write> joined;
    for (std::size_t arm = 0; arm < inArm.size(); ++arm)
        for (const std::size_t w : inArm[arm]) {
            const auto isWrittenIn = [&](const std::vector<std::size_t> &other) {
                std::vector<SharedAccess> covers;
                for (const std::size_t v : other)
                    covers.push_back(shared(writes[v], common, static_cast<int>(covers.size())));
                return &other == &inArm[arm] || analysis::isCoveredTogether(writes[w].instance, covers, nullptr, facts_);
            };
            if (!std::all_of(inArm.begin(), inArm.end(), isWrittenIn))
                continue;
            Write one = writes[w];
            one.loops.resize(common); // those inside are loops of one arm
            one.guards.pop_back();
            one.last = last;
            joined.push_back(std::move(one));
        }
    std::move(joined.begin(), joined.end(), std::back_inserter(writes));
}

/// The writes that certainly happen before a read.
std::vector<SharedAccess> BodyCover::before(const BodyUse &read, std::size_t at, const std::vector<Write> &writes) const {
    std::vector<SharedAccess> out;
    for (const Write &w : writes) {
        const std::size_t common = commonLoops(w.loops, read.loops);
        const auto isShared = [&](const Guard &x) { return std::count(read.guards.begin(), read.guards.end(), x) > 0; };
        if (w.last < at && std::all_of(w.guards.begin(), w.guards.end(), isShared))
            out.push_back(shared(w, common, static_cast<int>(out.size())));
        for (std::size_t level = 1; level < common; ++level)
            if (auto earlier = inEarlierIteration(w, level, static_cast<int>(out.size())))
                out.push_back(std::move(*earlier));
    }
    return out;
}

/// The write in all earlier iterations of a loop, in an iteration of that loop.
std::optional<SharedAccess> BodyCover::inEarlierIteration(const Write &w, std::size_t level, int number) const {
    const auto isInside = [level](const Guard &x) { return x.loops > level; };
    const LoopLevel &loop = w.instance.loops[level];
    if (!body_.sequential.count(w.loops[level]) || std::any_of(w.guards.begin(), w.guards.end(), isInside) ||
        !loop.range.tile.isOne())
        return std::nullopt;
    const std::string suffix = "\"" + std::to_string(number);
    std::map<Name, sym::Expr> names = valuesInside(loop.variable, suffix);
    const auto earlier = [&suffix](Name n) { return Name(n.str() + suffix); };
    for (std::size_t k = level; k < w.instance.loops.size(); ++k)
        names.insert_or_assign(w.instance.loops[k].variable, sym::Expr::symbol(earlier(w.instance.loops[k].variable)));
    SharedAccess out{{w.instance.subset->substituted(names), {}}, level + 1};
    for (std::size_t k = 0; k <= level; ++k)
        out.access.loops.push_back(w.instance.loops[k]);
    sym::Range previous = loop.range;
    previous.end = sym::Expr::symbol(loop.variable) - loop.range.step;
    out.access.loops.push_back({earlier(loop.variable), previous});
    for (std::size_t k = level + 1; k < w.instance.loops.size(); ++k)
        out.access.loops.push_back({earlier(w.instance.loops[k].variable), w.instance.loops[k].range.substituted(names)});
    return out;
}

/// The write in one iteration of the loops that it has in common with another use.
SharedAccess BodyCover::shared(const Write &w, std::size_t common, int number) const {
    if (common == w.instance.loops.size())
        return {w.instance, common};
    return {renamed(w.instance, valuesInside(w.instance.loops[common].variable, "\"" + std::to_string(number))), common};
}

/// New names for values that may differ between the iterations of a loop, given its variable. They are those created after it.
std::map<Name, sym::Expr> BodyCover::valuesInside(Name variable, const std::string &suffix) const {
    std::map<Name, sym::Expr> out;
    for (const Name n : body_.varying)
        if (numberOf(n) > numberOf(variable))
            out.emplace(n, sym::Expr::symbol(Name(n.str() + suffix)));
    return out;
}

} // namespace sdfgc::nest
