// Elements of containers, known at a point that moves backwards through the program.
#include "sdfgc/Nest/Liveness.h"

#include <algorithm>

namespace sdfgc::nest {

using analysis::AccessInstance;
using analysis::Memory;

namespace {

constexpr std::size_t most = 4; // instances of one memory

} // namespace

std::set<Name> freeSymbolsOf(const AccessInstance &a) {
    if (!a.subset)
        return {};
    std::set<Name> out = a.subset->freeSymbols();
    for (auto l = a.loops.rbegin(); l != a.loops.rend(); ++l) {
        out.erase(l->variable);
        for (const sym::Expr e : {l->range.begin, l->range.end, l->range.step, l->range.tile})
            out.insert(e.freeSymbols().begin(), e.freeSymbols().end());
    }
    return out;
}

std::vector<MovingElements::Entry> &MovingElements::change(Memory m) {
    std::vector<Entry> &entries = entries_[m];
    oldEntries_.emplace_back(m, entries);
    return entries;
}

void MovingElements::add(Memory m, const AccessInstance &a, bool may) {
    if (!may && !a.subset)
        return;
    std::vector<Entry> &entries = change(m);
    if (may && (!a.subset || entries.size() >= most))
        entries.assign(1, {AccessInstance(), ++clock_});
    else if (entries.size() < most && (entries.empty() || entries.front().instance.subset))
        entries.push_back({a, ++clock_});
}

void MovingElements::overwrite(Memory m, const AccessInstance &by, const sym::Subset &whole, const sym::Assumptions &facts) {
    const auto it = entries_.find(m);
    if (it == entries_.end() || it->second.empty())
        return;
    std::erase_if(change(m), [&](const Entry &e) {
        const AccessInstance a = now(e);
        return analysis::isCovered(a.subset ? a : AccessInstance{whole, {}}, by, 0, facts);
    });
}

void MovingElements::read(Memory m, const AccessInstance &by, const sym::Assumptions &facts) {
    const auto it = entries_.find(m);
    if (it == entries_.end() || it->second.empty())
        return;
    std::erase_if(change(m), [&](const Entry &e) {
        const AccessInstance a = now(e);
        return !a.subset || !by.subset || analysis::conflictOf(a, by, 0, facts);
    });
}

void MovingElements::forget(Memory m) {
    if (const auto it = entries_.find(m); it != entries_.end() && !it->second.empty())
        change(m).clear();
}

void MovingElements::assigned(Name symbol) {
    uint64_t &when = assigned_[symbol];
    oldSymbols_.emplace_back(symbol, when);
    when = ++clock_;
}

AccessInstance MovingElements::now(const Entry &e) const {
    const std::set<Name> symbols = freeSymbolsOf(e.instance);
    const bool stale = (anyAssigned_ > e.since && !symbols.empty()) || std::any_of(symbols.begin(), symbols.end(), [&](Name n) {
                           const auto when = assigned_.find(n);
                           return when != assigned_.end() && when->second > e.since;
                       });
    return stale ? AccessInstance() : e.instance;
}

std::vector<AccessInstance> MovingElements::of(Memory m) const {
    std::vector<AccessInstance> out;
    if (const auto it = entries_.find(m); it != entries_.end())
        for (const Entry &e : it->second)
            out.push_back(now(e));
    return out;
}

Elements MovingElements::all(bool may) const {
    Elements out;
    for (const auto &[m, entries] : entries_) {
        std::vector<AccessInstance> instances = of(m);
        if (!may)
            std::erase_if(instances, [](const AccessInstance &a) { return !a.subset; });
        if (!instances.empty())
            out.emplace(m, std::move(instances));
    }
    return out;
}

void MovingElements::restore(const Mark &m) {
    for (; oldEntries_.size() > m.entries; oldEntries_.pop_back())
        entries_[oldEntries_.back().first] = std::move(oldEntries_.back().second);
    for (; oldSymbols_.size() > m.symbols; oldSymbols_.pop_back())
        assigned_[oldSymbols_.back().first] = oldSymbols_.back().second;
    anyAssigned_ = m.anyAssigned;
}

} // namespace sdfgc::nest
