// Graphs of the emulated GPU: plans, executable graphs and the order in which a launch runs its nodes. Part of gpu_emulate.cpp.
//
// Rules: a node keeps its parameters as bytes. An executable graph has a copy of the plan's nodes; a launch uses the nodes as they
// were at the call. Nodes run one after the other, in an order that their edges allow and the seed decides:
//   seed 0, seed modulo 4 == 0   as they were added
//   seed modulo 4 == 1           depth first, latest first
//   seed modulo 4 == 2           the longest chain last
//   seed modulo 4 == 3           any order
#pragma once

#include "sdfgc/rt/gpu/emulated/copy.h"

namespace sdfgc::gpu::emulate {

struct Findings;

struct NodeState {
    enum Kind { Kernel, Copy, Fill, Call, Empty, Child, Conditional }; // the first three can be changed, and switched off

    Kind kind = Empty;
    GraphState *graph = nullptr;
    uint64_t serial = 0; // never used twice, as addresses are
    std::string name;    // for reports: "kernel k (state s, map m)"
    bool enabled = true;
    std::vector<size_t> after; // numbers of nodes of the same graph

    KernelNodeParams kernel; // but for its arguments:
    std::vector<unsigned char> arguments;
    Copy3D copy;
    CopyKind direction = CopyKind::Any;
    Residence to = Residence::Device, from = Residence::Device; // of a copy; `to` of a fill, too
    MemsetNodeParams fill;
    LibraryFunction call;

    ConditionalKind repeats = ConditionalKind::If;
    GraphConditional condition = 0;
    GraphState *plan = nullptr;                   // of the body, also of a child
    std::shared_ptr<std::vector<NodeState>> body; // of an executable graph
    std::shared_ptr<Findings> findings;           // about it

    bool isRow() const { return kind == Copy ? copy.height == 1 && copy.depth == 1 : fill.height == 1; }
    Box fillBox() const {
        const size_t width = fill.width * fill.elementSize, pitch = fill.height == 1 ? width : fill.pitch;
        return {static_cast<char *>(fill.to), pitch, pitch * fill.height, width, fill.height, 1};
    }
    const void *pointer(int parameter) const {
        const void *p = nullptr;
        std::memcpy(&p, arguments.data() + kernel.kernel->parameters[parameter].offset, sizeof p);
        return p;
    }
};

/// The condition under which a node's body runs.
struct Condition {
    GraphConditional handle;
    unsigned value; // at the beginning of a launch
    bool assign;    // or undefined
    bool used = false;
};

struct GraphState {
    std::string name;
    std::vector<std::unique_ptr<NodeState>> nodes;
    std::vector<Condition> conditions;
    bool isBody = false;           // of a node
    std::weak_ptr<ExecState> exec; // the latest one
};

/// Which nodes come before which.
class Ancestors {
public:
    explicit Ancestors(const std::vector<NodeState> &nodes, const std::vector<size_t> &order)
        : words_((nodes.size() + 63) / 64), bits_(nodes.size() * words_) {
        for (const size_t node : order)
            for (const size_t before : nodes[node].after) {
                for (size_t w = 0; w < words_; ++w)
                    bits_[node * words_ + w] |= bits_[before * words_ + w];
                bits_[node * words_ + before / 64] |= uint64_t(1) << before % 64;
            }
    }
    bool ordered(size_t a, size_t b) const { return before(a, b) || before(b, a); }

private:
    bool before(size_t a, size_t b) const { return (bits_[b * words_ + a / 64] >> a % 64 & 1) != 0; }

    size_t words_;
    std::vector<uint64_t> bits_;
};

/// The findings of launches about the nodes of one graph or body.
struct Findings {
    std::unique_ptr<const Ancestors> ancestors;
    std::set<uint64_t> judged;                        // memory conflicts of nodes that were examined
    std::set<std::pair<size_t, size_t>> missingEdges; // reported
};

struct ExecState {
    using Nodes = std::vector<NodeState>;

    std::string name;             // of the graph
    std::shared_ptr<Nodes> nodes; // which launches that are queued have, too
    /// The location of nodes, by serial number: the number of the conditional node of each surrounding body, then their own.
    std::map<uint64_t, std::vector<size_t>> places;
    std::vector<Condition> conditions; // of bodies, too
    std::shared_ptr<Operation> last;   // the latest launch
    Findings findings;

    bool busy() const { return last && !last->done; }
    const NodeState &at(const std::vector<size_t> &place) const {
        const Nodes *level = nodes.get();
        for (size_t i = 0; i + 1 < place.size(); ++i)
            level = (*level)[place[i]].body.get();
        return (*level)[place.back()];
    }
    /// The same, for changes that later launches see.
    NodeState &writable(const std::vector<size_t> &place) {
        std::shared_ptr<Nodes> *level = &nodes;
        for (size_t i = 0;; ++i) {
            if (level->use_count() > 1)
                *level = std::make_shared<Nodes>(**level);
            NodeState &node = (**level)[place[i]];
            if (i + 1 == place.size())
                return node;
            level = &node.body;
        }
    }
};

/// Chooses among the nodes that may run next.
class NodeOrder {
public:
    NodeOrder(const std::vector<NodeState> &nodes, Scheduler &scheduler)
        : nodes_(nodes), scheduler_(scheduler), waits_(nodes.size()), followers_(nodes.size()) {
        for (size_t i = 0; i < nodes.size(); ++i) {
            waits_[i] = nodes[i].after.size();
            for (const size_t before : nodes[i].after)
                followers_[before].push_back(i);
        }
    }

    /// All nodes in an order that the edges allow; fewer when there is a cycle.
    std::vector<size_t> get() {
        if (scheduler_.policy() == Scheduler::OthersFirst)
            measureChains();
        for (size_t i = 0; i < nodes_.size(); ++i)
            if (waits_[i] == 0)
                put(i);
        std::vector<size_t> order;
        while (!ready_.empty()) {
            order.push_back(take());
            for (const size_t follower : followers_[order.back()])
                if (--waits_[follower] == 0)
                    put(follower);
        }
        return order;
    }

private:
    /// Ready nodes by rank, the lowest one next.
    void put(size_t node) {
        switch (scheduler_.policy()) {
        case Scheduler::Eager:
            return void(ready_.insert({node, node}));
        case Scheduler::Late: // the nodes that became ready last; of those, the latest one
            return void(ready_.insert({nodes_.size() * 2 - depthOf(node), nodes_.size() - node}));
        case Scheduler::OthersFirst:
            return void(ready_.insert({chains_[node], node}));
        case Scheduler::Any:
            return void(ready_.insert({scheduler_.random().next(), node}));
        }
    }
    size_t take() {
        const auto [rank, entry] = *ready_.begin();
        ready_.erase(ready_.begin());
        const size_t node = scheduler_.policy() == Scheduler::Late ? nodes_.size() - entry : entry;
        taken_[node] = ++steps_;
        (void)rank;
        return node;
    }
    /// The step at which the last predecessor has run.
    size_t depthOf(size_t node) const {
        size_t latest = 0;
        for (const size_t before : nodes_[node].after)
            if (const auto found = taken_.find(before); found != taken_.end())
                latest = std::max(latest, found->second);
        return latest;
    }
    /// The length of the longest chain after each node.
    void measureChains() {
        chains_.assign(nodes_.size(), 0);
        std::vector<size_t> left(nodes_.size()), open;
        for (size_t i = 0; i < nodes_.size(); ++i)
            if ((left[i] = followers_[i].size()) == 0)
                open.push_back(i);
        while (!open.empty()) {
            const size_t node = open.back();
            open.pop_back();
            for (const size_t before : nodes_[node].after) {
                chains_[before] = std::max(chains_[before], chains_[node] + 1);
                if (--left[before] == 0)
                    open.push_back(before);
            }
        }
    }

    const std::vector<NodeState> &nodes_;
    Scheduler &scheduler_;
    std::vector<size_t> waits_;
    std::vector<std::vector<size_t>> followers_;
    std::set<std::pair<uint64_t, size_t>> ready_;
    std::map<size_t, size_t> taken_;
    size_t steps_ = 0;
    std::vector<size_t> chains_;
};

/// Two nodes of a cycle that wait for each other. A cycle must exist.
inline std::pair<size_t, size_t> cycleOf(const std::vector<NodeState> &nodes, const std::vector<size_t> &order) {
    std::vector<bool> runs(nodes.size()), seen(nodes.size());
    for (const size_t node : order)
        runs[node] = true;
    size_t at = 0;
    while (runs[at])
        ++at;
    const auto stuckBefore = [&](size_t node) {
        for (const size_t before : nodes[node].after)
            if (!runs[before])
                return before;
        return node;
    };
    for (; !seen[at]; at = stuckBefore(at))
        seen[at] = true;
    return {at, stuckBefore(at)};
}

} // namespace sdfgc::gpu::emulate
