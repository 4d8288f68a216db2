// Executable graphs of a region: made from a list of nodes, and updated to match another list.
//
// Rules: every status is checked. A graph that refuses an update must not be launched again. If a graph cannot be made, only the
// reason is kept. Everything that a graph cannot change is in the key of its list (gpu/graph_nodes.h), so updates are only between
// lists with the same key.
#pragma once

#include "sdfgc/rt/gpu/graph_calls.h"
#include "sdfgc/rt/gpu/graph_trace.h"

#include <cstdio>
#include <utility>
#include <vector>

namespace sdfgc::gpu {

/// Either may be null. No launch may still be running.
inline void destroyGraph(GraphHandle plan, GraphExec exec) noexcept {
    if (exec)
        (void)graphExecDestroy(exec);
    if (plan)
        (void)graphDestroy(plan);
}

/// An executable graph and its state.
struct GraphEntry {
    GraphKey key;
    GraphNodes held; // the list that it was last updated to
    GraphHandle plan = nullptr;
    GraphExec exec = nullptr;
    std::vector<GraphNode> nodes;             // of the plan and of loops in it, by their numbers in `held`
    std::vector<GraphHandle> bodies;          // of loops and branches, by their numbers
    std::vector<GraphConditional> conditions; // likewise
    std::vector<int> loopsBefore;             // how many loops have a smaller number; one element more than there are nodes
    int64_t *counters = nullptr;              // of iterations, one for each loop, in memory that the maker lends
    int64_t lastUse = 0;                      // the number of its last launch; 0: none
    Stream lastStream = nullptr;

    ~GraphEntry() { destroyGraph(plan, exec); }
};

/// Makes the graphs of one region. Only one thread at a time may use them.
class GraphMaker {
public:
    /// Makes the new `entry` from the list, and uploads it to the device in the stream. On failure, why() gives the reason.
    Status make(GraphEntry &entry, const GraphNodes &list, const char *name, Stream stream) {
        entry.key = list.key();
        return makeAll(entry, list, name, stream);
    }
    /// "adding kernel k (state s, map m)": the last step of make(), with the reason if no status gives it.
    const char *why() const noexcept { return step_; }
    bool hasReason() const noexcept { return stepSaysWhy_; }

    /// Updates the executable graph to `now`, which receives the previous list; adds the number of changed nodes to `updates`.
    /// False if the graph refuses; it must then not be launched again.
    bool update(GraphEntry &entry, GraphNodes &now, int64_t &updates) {
        GraphNodes &held = entry.held;
        for (size_t i = 0; i < now.nodes_.size(); ++i) {
            if (same(held, held.nodes_[i], now, now.nodes_[i]))
                continue;
            if (updateNode(entry, entry.nodes[i], now, now.nodes_[i]) != success)
                return false;
            ++updates;
        }
        std::swap(held, now);
        return true;
    }

#ifdef SDFGC_GPU_EMULATE
    /// Checks that the executable graph matches what a call describes; the emulation reports differences.
    void verify(const GraphEntry &entry, const GraphNodes &list) {
        if (!(list.key() == entry.key))
            return emulate::reportStaleShape(entry.plan);
        for (size_t i = 0; i < list.nodes_.size(); ++i) {
            const GraphNodes::Node &node = list.nodes_[i];
            if (node.kind == GraphNodes::Kind::Kernel || node.kind == GraphNodes::Kind::Set)
                (void)emulate::graphExecHolds(entry.exec, entry.nodes[i], kernelOf(entry, list, node));
            else if (node.kind == GraphNodes::Kind::Call || node.kind == GraphNodes::Kind::Loop ||
                     node.kind == GraphNodes::Kind::Branch)
                continue;
            else if (node.kind == GraphNodes::Kind::Copy)
                (void)emulate::graphExecHolds(entry.exec, entry.nodes[i], node.copy);
            else
                (void)emulate::graphExecHolds(entry.exec, entry.nodes[i], node.fill);
        }
    }
#endif

    /// Iterations of all loops in the last launch, which must have ended; -1 if nothing counts, or they cannot be read from the
    /// device.
    int64_t iterations(const GraphEntry &entry) const {
        int64_t sum = 0;
        std::vector<int64_t> counted(static_cast<size_t>(entry.counters ? entry.loopsBefore.back() : 0));
        if (counted.empty() ||
            memcpySync(counted.data(), entry.counters, counted.size() * sizeof(int64_t), CopyKind::DeviceToHost) != success)
            return -1;
        for (const int64_t c : counted)
            sum += c;
        return sum;
    }
    /// No launch that counts there may still be running.
    void giveBack(const int64_t *counters) noexcept {
        for (Counters &c : counters_)
            c.used = c.used && c.memory != counters;
    }

    /// Forgets the state that belongs to the device. No graph may still be running.
    void release() noexcept {
        calls_.release();
        for (const Counters &c : counters_)
            (void)gpu::free(c.memory);
        counters_.clear();
    }
    /// Also forgets the limits granted to kernels, since the device may have been reset.
    void reset() noexcept { granted_.clear(); }

private:
    /// Dynamic shared memory that a kernel may have.
    struct Granted {
        const KernelTraits *kernel;
        size_t bytes;
    };
    /// Memory of the device for the iterations of a graph's loops. It is kept when the graph is destroyed, because freeing it waits
    /// for the device.
    struct Counters {
        int64_t *memory;
        int count;
        bool used;
    };
    Status lendCounters(GraphEntry &entry, const GraphNodes &list) {
        entry.loopsBefore.assign(1, 0);
        for (const GraphNodes::Node &node : list.nodes_)
            entry.loopsBefore.push_back(entry.loopsBefore.back() + (node.kind == GraphNodes::Kind::Loop));
        const int count = entry.loopsBefore.back();
        Counters *found = nullptr;
        for (Counters &c : counters_)
            if (!c.used && c.count >= count)
                found = &c;
        if (count > 0 && !found) {
            Counters made{nullptr, count, false};
            if (const Status status =
                    gpu::malloc(&made.memory, static_cast<size_t>(count) * sizeof(int64_t), "iterations of a graph's loops");
                status != success)
                return status;
            counters_.push_back(made);
            found = &counters_.back();
        }
        if (count > 0) {
            found->used = true;
            entry.counters = found->memory;
        }
        return success;
    }
    static bool same(const GraphNodes &held, const GraphNodes::Node &a, const GraphNodes &now, const GraphNodes::Node &b) {
        switch (a.kind) {
        case GraphNodes::Kind::Kernel:
        case GraphNodes::Kind::Set:
            return sameExtent(a.kernel.grid, b.kernel.grid) && sameExtent(a.kernel.block, b.kernel.block) &&
                   a.kernel.shared == b.kernel.shared &&
                   __builtin_memcmp(held.bytes_.data() + a.arguments, now.bytes_.data() + b.arguments, a.kernel.kernel->bytes) == 0;
        case GraphNodes::Kind::Copy: // everything else is in the key
            return a.copy.to == b.copy.to && a.copy.from == b.copy.from && a.copy.width == b.copy.width;
        case GraphNodes::Kind::Fill:
            return a.fill.to == b.fill.to && a.fill.value == b.fill.value && a.fill.width == b.fill.width;
        case GraphNodes::Kind::Call: // all of it is in the key
        case GraphNodes::Kind::Loop:
        case GraphNodes::Kind::Branch: // their setters hold the flag
            return true;
        }
        return false;
    }
    static bool sameExtent(Dim3 a, Dim3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

    Status updateNode(const GraphEntry &entry, GraphNode node, const GraphNodes &now, const GraphNodes::Node &to) {
        switch (to.kind) {
        case GraphNodes::Kind::Kernel:
        case GraphNodes::Kind::Set:
            if (const Status status = allowShared(to); status != success)
                return status;
            return graphExecKernelNodeSetParams(entry.exec, node, kernelOf(entry, now, to));
        case GraphNodes::Kind::Copy:
            return graphExecMemcpyNodeSetParams1D(entry.exec, node, to.copy.to, to.copy.from, to.copy.width, to.direction);
        case GraphNodes::Kind::Fill:
            return graphExecMemsetNodeSetParams(entry.exec, node, to.fill);
        case GraphNodes::Kind::Call:
        case GraphNodes::Kind::Loop:
        case GraphNodes::Kind::Branch:
            break;
        }
        return invalidValue;
    }
    /// A kernel with its arguments, valid until the next call. A condition setter gets the condition of this entry and the counters
    /// of its loops: before an outermost loop or branch, those of all loops inside, which restart.
    KernelNodeParams kernelOf(const GraphEntry &entry, const GraphNodes &list, const GraphNodes::Node &node) {
        KernelNodeParams kernel = list.kernelOf(node);
        if (node.kind != GraphNodes::Kind::Set || kernel.kernel->bytes > sizeof setterArguments_)
            return kernel;
        const auto of = static_cast<size_t>(node.sets);
        const GraphNodes::Node &whole = list.nodes_[of];
        int64_t *const counters = entry.counters ? entry.counters + entry.loopsBefore[of] : nullptr;
        const bool isLoop = whole.kind == GraphNodes::Kind::Loop, begins = node.inside < 0;
        const int reset = begins ? entry.loopsBefore[whole.end] - entry.loopsBefore[of] : 0;
        __builtin_memcpy(setterArguments_, kernel.arguments, kernel.kernel->bytes);
        setArgument(kernel, 0, entry.conditions[of]);
        setArgument(kernel, 2, counters);
        setArgument(kernel, 3, reset);
        setArgument(kernel, 4, isLoop);
        kernel.arguments = setterArguments_;
        return kernel;
    }
    template <class T> void setArgument(const KernelNodeParams &kernel, int number, const T &value) {
        __builtin_memcpy(setterArguments_ + kernel.kernel->parameters[number].offset, &value, sizeof value);
    }
    /// The limit of dynamic shared memory belongs to the kernel. It must be set before the node is added, and must not fall below
    /// the limit that another node needs.
    Status allowShared(const GraphNodes::Node &node) {
        constexpr size_t withoutAsking = size_t(48) << 10; // on every device
        const size_t bytes = node.kernel.shared;
        if (bytes <= withoutAsking)
            return success;
        Granted *known = nullptr;
        for (Granted &g : granted_)
            if (g.kernel == node.kernel.kernel)
                known = &g;
        if (known && known->bytes >= bytes)
            return success;
        const Status status = node.kernel.kernel->allowDynamicShared(bytes);
        if (status == success && known)
            known->bytes = bytes;
        else if (status == success)
            granted_.push_back({node.kernel.kernel, bytes});
        return status;
    }

    /// Makes the plan and its executable graph; step_ names the step that failed.
    Status makeAll(GraphEntry &entry, const GraphNodes &list, const char *name, Stream stream) {
        step("making the graph", nullptr);
        entry.bodies.resize(list.nodes_.size());
        entry.conditions.resize(list.nodes_.size());
        Status status = lendCounters(entry, list);
        if (status == success)
            status = graphCreate(entry.plan, name);
        std::vector<GraphNode> after;
        for (size_t i = 0; status == success && i < list.nodes_.size(); ++i) {
            const GraphNodes::Node &node = list.nodes_[i];
            after.clear();
            for (size_t e = 0; e < node.edges; ++e)
                after.push_back(entry.nodes[static_cast<size_t>(list.edges_[node.firstEdge + e])]);
            entry.nodes.push_back(nullptr);
            step("adding", &node);
            status = addNode(entry, list, i, after);
        }
        if (status != success)
            return status;
        step("making the graph executable", nullptr);
        GraphNode failed = nullptr;
        status = graphInstantiate(entry.exec, entry.plan, &failed);
        if (status == outOfMemory) {
            (void)graphMemTrim();
            (void)getLastError();
            entry.exec = nullptr;
            status = graphInstantiate(entry.exec, entry.plan, &failed);
        }
        if (status != success) {
            entry.exec = nullptr;
            for (size_t i = 0; failed && i < entry.nodes.size(); ++i)
                if (entry.nodes[i] == failed)
                    step("making the graph executable:", &list.nodes_[i]);
            return status;
        }
        step("bringing the graph to the device", nullptr);
        return graphUpload(entry.exec, stream);
    }
    Status addNode(GraphEntry &entry, const GraphNodes &list, size_t number, const std::vector<GraphNode> &after) {
        const GraphNodes::Node &node = list.nodes_[number];
        GraphNode &made = entry.nodes[number];
        const GraphHandle plan = node.inside < 0 ? entry.plan : entry.bodies[static_cast<size_t>(node.inside)];
        switch (node.kind) {
        case GraphNodes::Kind::Loop:
        case GraphNodes::Kind::Branch:
            return graphAddConditionalNode(made, entry.bodies[number], plan, after.data(), after.size(),
                                           node.kind == GraphNodes::Kind::Loop ? ConditionalKind::While : ConditionalKind::If,
                                           entry.conditions[number]);
        case GraphNodes::Kind::Set:
            if (node.inside != node.sets) { // the setter in front: its condition belongs to the outer graph
                GraphConditional &condition = entry.conditions[static_cast<size_t>(node.sets)];
                if (const Status status = graphConditionalHandleCreate(condition, plan, 0, true); status != success)
                    return status;
            }
            [[fallthrough]];
        case GraphNodes::Kind::Kernel:
            if (const Status status = allowShared(node); status != success)
                return status;
            return graphAddKernelNode(made, plan, after.data(), after.size(), kernelOf(entry, list, node));
        case GraphNodes::Kind::Copy:
            return GraphNodes::isRow(node) ? graphAddMemcpyNode1D(made, plan, after.data(), after.size(), node.copy.to,
                                                                  node.copy.from, node.copy.width, node.direction)
                                           : graphAddMemcpyNode(made, plan, after.data(), after.size(), node.copy, node.direction);
        case GraphNodes::Kind::Fill:
            return graphAddMemsetNode(made, plan, after.data(), after.size(), node.fill);
        case GraphNodes::Kind::Call:
            return addCall(made, plan, after, list, node);
        }
        return invalidValue;
    }
    Status addCall(GraphNode &made, GraphHandle plan, const std::vector<GraphNode> &after, const GraphNodes &list,
                   const GraphNodes::Node &node) {
        GraphHandle child = nullptr;
        Status status =
            calls_.record(*node.call, node.object, list.bytes_.data() + node.arguments, GraphTrace::nameOf(node).text, child);
        if (calls_.why()[0]) {
            const size_t length = __builtin_strlen(step_);
            std::snprintf(step_ + length, sizeof step_ - length, ": %s", calls_.why());
            stepSaysWhy_ = true;
        }
        if (status == success)
            status = graphAddChildGraphNode(made, plan, after.data(), after.size(), child);
        if (child)
            (void)graphDestroy(child);
        return status;
    }
    /// "adding kernel k (state s, map m)".
    void step(const char *what, const GraphNodes::Node *node) {
        std::snprintf(step_, sizeof step_, "%s%s%s", what, node ? " " : "", node ? GraphTrace::nameOf(*node).text : "");
        stepSaysWhy_ = false;
    }

    char step_[384] = "";
    bool stepSaysWhy_ = false; // no status gives more details
    GraphCalls calls_;         // recorded for all graphs
    std::vector<Granted> granted_;
    std::vector<Counters> counters_;
    alignas(16) unsigned char setterArguments_[48] = {};
};

} // namespace sdfgc::gpu
