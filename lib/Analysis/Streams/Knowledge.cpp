#include "sdfgc/Analysis/Streams/Streams.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace sdfgc::analysis {

void StreamKnowledge::operation(const StreamStep &s, const StreamSteps &steps) {
    for (MemoryUse u : s.uses) {
        const Key key{u, s.stream};
        if (steps.endsWithState(u))
            endingWithState.insert(key);
        pending[key] = {uint64_t(1) << s.stream, s.node, s.edge};
        for (auto &[event, before] : events)
            before.erase(key);
    }
}

std::vector<std::pair<StreamKnowledge::Key, PendingAccess>> StreamKnowledge::pendingOn(const std::vector<Memory> &memories) const {
    std::vector<std::pair<Key, PendingAccess>> out;
    for (const Memory m : memories)
        for (auto at = pending.lower_bound(Key{{m, false}, std::numeric_limits<int>::min()});
             at != pending.end() && at->first.use.memory == m; ++at)
            out.push_back(*at);
    return out;
}

void StreamKnowledge::order(const AsyncOp &op) {
    const uint64_t stream = op.stream >= 0 ? uint64_t(1) << op.stream : 0;
    switch (op.kind) {
    case AsyncOp::Barrier: // of threads
    case AsyncOp::GridBarrier:
    case AsyncOp::Allocate:
    case AsyncOp::Free:
    case AsyncOp::Reserve:
        return;
    case AsyncOp::Synchronise:
        std::erase_if(pending, [&](const auto &p) { return (p.second.covered & stream) != 0; });
        return;
    case AsyncOp::Record: {
        std::set<Key> &before = events[op.event];
        before.clear();
        for (const auto &[key, access] : pending)
            if (access.covered & stream)
                before.insert(key);
        return;
    }
    case AsyncOp::Wait:
        for (const Key &key : events[op.event]) {
            auto it = pending.find(key);
            if (it != pending.end() && op.stream >= 0)
                it->second.covered |= stream;
            else if (it != pending.end())
                pending.erase(it);
        }
        return;
    }
}

void StreamKnowledge::join(const StreamKnowledge &other) {
    std::map<int, std::set<Key>> both;
    for (const auto &[event, before] : events) {
        auto there = other.events.find(event);
        if (there == other.events.end())
            continue;
        // If an access is complete on one side, the ordering known on the other side is kept.
        std::set<Key> &keys = both[event];
        for (const Key &key : before)
            if (there->second.count(key) || !other.pending.count(key))
                keys.insert(key);
        for (const Key &key : there->second)
            if (!pending.count(key))
                keys.insert(key);
    }
    events = std::move(both);
    endingWithState.insert(other.endingWithState.begin(), other.endingWithState.end());
    for (const auto &[key, access] : other.pending) {
        auto [it, isNew] = pending.try_emplace(key, access);
        if (isNew)
            continue;
        PendingAccess &here = it->second;
        here.covered &= access.covered;
        here.several |= access.several || here.node != access.node || here.edge != access.edge;
    }
}

bool StreamKnowledge::sameAs(const StreamKnowledge &other) const {
    auto samePending = [](const auto &a, const auto &b) {
        return a.first == b.first && a.second.covered == b.second.covered && a.second.several == b.second.several;
    };
    return events == other.events && pending.size() == other.pending.size() &&
           std::equal(pending.begin(), pending.end(), other.pending.begin(), samePending);
}

} // namespace sdfgc::analysis
