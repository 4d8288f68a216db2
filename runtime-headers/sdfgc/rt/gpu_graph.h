// Regions of a program that are launched as one graph of the device: built on the first call, replayed by the calls that follow.
//
// Rules: a region has two forms that do the same, a list of nodes (gpu/graph_nodes.h) and the host path, which queues the same
// operations one by one; whatever stands in the way of a graph, the host path runs. Executable graphs are kept by what cannot be
// changed in them (GraphNodes::key), the most recently used ones; a call that differs in arguments and sizes only updates the nodes
// that differ. Every status counts: an executable graph that refuses an update is made anew and never launched half updated. The
// region is one operation of one stream, the caller's if the caller set one. A Graph belongs to one handle and is used by one thread at
// a time, as the handle is.
//   SDFGC_GPU_GRAPH=0   every region takes the host path
//   SDFGC_GPU_GRAPH=1   a region that would take the host path throws instead
// Other values are ignored, with one warning.
// SDFGC_GPU_GRAPH_LOG and SDFGC_GPU_GRAPH_DOT: gpu/graph_trace.h.
#pragma once

#include "sdfgc/rt/gpu/graph_calls.h"
#include "sdfgc/rt/gpu/graph_trace.h"

#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <utility>

namespace sdfgc::gpu {

/// What became of a region's calls, since its handle was made.
struct GraphInfo {
    const char *name = "";       // of the region
    int64_t entries = 0;         // executable graphs that are kept
    int64_t builds = 0;          // made so far
    int64_t launches = 0;        // calls that launched one
    int64_t updates = 0;         // nodes that were changed in one
    int64_t nodesLast = 0;       // nodes of the last call's graph; 0 for the host path
    int64_t usedLast = 0;        // 1: the last call did not take the host path
    int64_t hostPath = 0;        // calls that took it
    int64_t iterationsLast = 0;  // of loops inside; -1: not counted
    int64_t evictions = 0;       // graphs that made room for others
    const char *lastReason = ""; // why the host path was taken the last time; "" if it never was
};

class Graph {
public:
    /// `name`, which must live as long, is what reports and reasons call the region; `entries`: how many executable graphs are kept.
    explicit Graph(const char *name, int entries = 8) : name_(name), most_(entries > 0 ? static_cast<size_t>(entries) : 1) {
        reset();
    }
    Graph(const Graph &) = delete;
    Graph &operator=(const Graph &) = delete;
    /// Waits for the device where a graph may still run.
    ~Graph() { dropAll(); }

    /// Runs the region in the program's stream of this number: launches a graph, or calls `hostPath()`. `inputs` is all that the
    /// nodes depend on, addresses of the program's own buffers included; `nodes(GraphNodes &, const Inputs &)` describes them, with no
    /// other effect. Throws what they throw, and rt::Error when a launch fails or, under SDFGC_GPU_GRAPH=1, when there is no graph.
    template <class Inputs, class Nodes, class HostPath>
    void run(Program &program, int stream, const Inputs &inputs, const Nodes &nodes, const HostPath &hostPath) {
        static_assert(std::is_trivially_copyable<Inputs>::value, "inputs are compared as bytes");
        const Call<Inputs, Nodes> call{nodes, inputs};
        const Describe describe = [](GraphNodes &list, const void *context) {
            const auto &made = *static_cast<const Call<Inputs, Nodes> *>(context);
            made.nodes(list, made.inputs);
        };
        if (!launch(program, program.stream(stream), &inputs, sizeof inputs, describe, &call))
            hostPath();
    }

    /// Counters; the object changes with every call.
    const GraphInfo &info() const noexcept { return info_; }

    /// As if just made: what a handle's initialisation does, for the device may have been reset in between. Waits for the device where
    /// a graph may still run.
    void reset() noexcept {
        dropAll();
        info_ = GraphInfo();
        info_.name = name_;
        info_.iterationsLast = -1;
        reason_[0] = '\0';
        info_.lastReason = reason_;
        const char *mode = std::getenv("SDFGC_GPU_GRAPH");
        required_ = mode && mode[0] == '1' && mode[1] == '\0';
        disabled_ = mode && mode[0] == '0' && mode[1] == '\0';
        static bool warned = false;
        if (mode && *mode && !required_ && !disabled_ && !warned) {
            warned = true;
            std::fprintf(stderr, "sdfgc: SDFGC_GPU_GRAPH is neither 0 nor 1, and is ignored\n");
        }
        inputs_.clear();
        refused_.clear();
        granted_.clear();
        trace_.begin(name_);
    }

private:
    template <class Inputs, class Nodes> struct Call {
        const Nodes &nodes;
        const Inputs &inputs;
    };
    using Describe = void (*)(GraphNodes &, const void *context);

    /// An executable graph and what it has.
    struct Entry {
        GraphKey key;
        GraphNodes held; // what it was last updated to
        GraphHandle plan = nullptr;
        GraphExec exec = nullptr;
        std::vector<GraphNode> nodes;             // of the plan and of loops in it, by their numbers in `held`
        std::vector<GraphHandle> bodies;          // of loops and branches, by their numbers
        std::vector<GraphConditional> conditions; // likewise
        int64_t lastUse = 0;                      // the launch that was its last one; 0: none
        Stream lastStream = nullptr;

        ~Entry() { destroy(plan, exec); }
    };
    /// Dynamic shared memory that a kernel may have.
    struct Granted {
        const KernelTraits *kernel;
        size_t bytes;
    };
    struct Owner {
        Entry *entry;
        ~Owner() { delete entry; }
    };
    /// One that may still run: it goes when `behind` is done.
    struct Retired {
        GraphHandle plan;
        GraphExec exec;
        Event behind;
    };

    /// False: take the host path.
    bool launch(Program &program, Stream stream, const void *inputs, size_t bytes, Describe describe, const void *context) {
        int device = 0;
        info_.usedLast = info_.nodesLast = 0;
        if (!usable(stream, device))
            return false;
        if (Entry *entry = unchanged(device, inputs, bytes)) {
#ifdef SDFGC_GPU_EMULATE // does `inputs` have all that the nodes depend on?
            now_.begin(device);
            describe(now_, context);
            verify(*entry, now_);
#endif
            replay(*entry, program, stream);
            return true;
        }
        now_.begin(device);
        describe(now_, context);
        if (now_.size() == 0) // nothing has anything to do
            return info_.usedLast = 1, true;
        if (now_.hasConditions() && support_ != GraphSupport::Loops)
            return refuse("the device's driver has no loops or branches in graphs", success);
        Entry *const entry = current(stream);
        if (!entry)
            return false;
        remember(device, *entry, inputs, bytes);
#ifdef SDFGC_GPU_EMULATE
        verify(*entry, entry->held);
#endif
        replay(*entry, program, stream);
        return true;
    }

    /// Can there be graphs at all, in this stream?
    bool usable(Stream stream, int &device) {
        if (disabled_)
            return refuse("SDFGC_GPU_GRAPH is 0", success);
        bool capturing = false;
        if (const Status status = streamIsCapturing(stream, capturing); status != success)
            return refuse("asking whether the stream is captured", status);
        if (capturing)
            return refuse("the caller captures the stream", success);
        if (const Status status = getDevice(device); status != success)
            return refuse("asking for the device", status);
        if (device != supportedOn_) {
            if (const Status status = graphSupport(support_); status != success)
                return refuse("asking for the driver", status);
            if (support_ == GraphSupport::None)
                return refuse("the device's driver has no graphs", success);
            supportedOn_ = device;
        }
        return true;
    }

    /// The entry of the call before, if this one does the same.
    Entry *unchanged(int device, const void *inputs, size_t bytes) const {
        const bool same = last_ && device == lastDevice_ && bytes == inputs_.size() &&
                          (bytes == 0 || __builtin_memcmp(inputs, inputs_.data(), bytes) == 0);
        return same ? last_ : nullptr;
    }
    void remember(int device, Entry &entry, const void *inputs, size_t bytes) {
        const auto *from = static_cast<const unsigned char *>(inputs);
        inputs_.assign(from, from + bytes);
        last_ = &entry;
        lastDevice_ = device;
    }

    /// An entry that has what was described: updated, or built. Null when none can be made.
    Entry *current(Stream stream) {
        last_ = nullptr;
        for (size_t i = 0; i < entries_.size(); ++i) {
            Entry &entry = *entries_[i];
            if (!(entry.key == now_.key()))
                continue;
            if (update(entry))
                return &entry;
            (void)getLastError();
            retire(i, stream);
            break;
        }
        for (const GraphKey &key : refused_)
            if (key == now_.key())
                return refuse(nullptr, success), nullptr; // the reason has not changed
        return build(stream);
    }

    // Updates

    /// Brings the executable graph to what was described; false when it refuses, so that it must not be launched again.
    bool update(Entry &entry) {
        GraphNodes &held = entry.held;
        for (size_t i = 0; i < now_.nodes_.size(); ++i) {
            if (same(held, held.nodes_[i], now_.nodes_[i]))
                continue;
            if (updateNode(entry, entry.nodes[i], now_.nodes_[i]) != success)
                return false;
            ++info_.updates;
        }
        std::swap(held, now_);
        return true;
    }
    bool same(const GraphNodes &held, const GraphNodes::Node &a, const GraphNodes::Node &b) const {
        switch (a.kind) {
        case GraphNodes::Kind::Kernel:
        case GraphNodes::Kind::Set:
            return sameExtent(a.kernel.grid, b.kernel.grid) && sameExtent(a.kernel.block, b.kernel.block) &&
                   a.kernel.shared == b.kernel.shared &&
                   __builtin_memcmp(held.bytes_.data() + a.arguments, now_.bytes_.data() + b.arguments, a.kernel.kernel->bytes) ==
                       0;
        case GraphNodes::Kind::Copy: // what else it has is in the key
            return a.copy.to == b.copy.to && a.copy.from == b.copy.from && a.copy.width == b.copy.width;
        case GraphNodes::Kind::Fill:
            return a.fill.to == b.fill.to && a.fill.value == b.fill.value && a.fill.width == b.fill.width;
        case GraphNodes::Kind::Call: // all of it is in the key
        case GraphNodes::Kind::Loop:
        case GraphNodes::Kind::Branch: // the flag is what their setters have
            return true;
        }
        return false;
    }
    static bool sameExtent(Dim3 a, Dim3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

    Status updateNode(const Entry &entry, GraphNode node, const GraphNodes::Node &to) {
        switch (to.kind) {
        case GraphNodes::Kind::Kernel:
        case GraphNodes::Kind::Set:
            if (const Status status = allowShared(to); status != success)
                return status;
            return graphExecKernelNodeSetParams(entry.exec, node, kernelOf(entry, now_, to));
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
    /// A kernel with its arguments; what sets a condition gets that of this entry. Until the next call.
    KernelNodeParams kernelOf(const Entry &entry, const GraphNodes &list, const GraphNodes::Node &node) {
        KernelNodeParams kernel = list.kernelOf(node);
        if (node.kind != GraphNodes::Kind::Set || kernel.kernel->bytes > sizeof setterArguments_)
            return kernel;
        __builtin_memcpy(setterArguments_, kernel.arguments, kernel.kernel->bytes);
        __builtin_memcpy(setterArguments_ + kernel.kernel->parameters[0].offset, &entry.conditions[static_cast<size_t>(node.sets)],
                         sizeof(GraphConditional));
        kernel.arguments = setterArguments_;
        return kernel;
    }
    /// The limit of dynamic shared memory belongs to the kernel, must be there before its node is, and must not sink below what
    /// another node was given.
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

    // Builds

    Entry *build(Stream stream) {
        reap();
        Owner owner{new Entry};
        Entry *const entry = owner.entry;
        entry->key = now_.key();
        const Status status = make(*entry, stream);
        if (status != success) {
            (void)getLastError();
            if (refused_.size() == most_)
                refused_.erase(refused_.begin());
            refused_.push_back(now_.key());
            return refuse(step_, stepSaysWhy_ ? success : status), nullptr;
        }
        while (entries_.size() >= most_)
            evict(stream);
        entries_.push_back(entry);
        owner.entry = nullptr;
        info_.entries = static_cast<int64_t>(entries_.size());
        trace_.built(now_, ++info_.builds);
        std::swap(entry->held, now_);
        return entry;
    }

    /// Makes the plan and its executable graph; step_ says what failed.
    Status make(Entry &entry, Stream stream) {
        step("making the graph", nullptr);
        entry.bodies.resize(now_.nodes_.size());
        entry.conditions.resize(now_.nodes_.size());
        Status status = graphCreate(entry.plan, name_);
        std::vector<GraphNode> after;
        for (size_t i = 0; status == success && i < now_.nodes_.size(); ++i) {
            const GraphNodes::Node &node = now_.nodes_[i];
            after.clear();
            for (size_t e = 0; e < node.edges; ++e)
                after.push_back(entry.nodes[static_cast<size_t>(now_.edges_[node.firstEdge + e])]);
            entry.nodes.push_back(nullptr);
            step("adding", &node);
            status = addNode(entry, i, after, node);
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
                    step("making the graph executable:", &now_.nodes_[i]);
            return status;
        }
        step("bringing the graph to the device", nullptr);
        return graphUpload(entry.exec, stream);
    }
    Status addNode(Entry &entry, size_t number, const std::vector<GraphNode> &after, const GraphNodes::Node &node) {
        GraphNode &made = entry.nodes[number];
        const GraphHandle plan = node.inside < 0 ? entry.plan : entry.bodies[static_cast<size_t>(node.inside)];
        switch (node.kind) {
        case GraphNodes::Kind::Loop:
        case GraphNodes::Kind::Branch:
            return graphAddConditionalNode(made, entry.bodies[number], plan, after.data(), after.size(),
                                           node.kind == GraphNodes::Kind::Loop ? ConditionalKind::While : ConditionalKind::If,
                                           entry.conditions[number]);
        case GraphNodes::Kind::Set:
            if (node.inside != node.sets) { // the one in front: the condition belongs to the graph that gets what it is for
                GraphConditional &condition = entry.conditions[static_cast<size_t>(node.sets)];
                if (const Status status = graphConditionalHandleCreate(condition, plan, 0, true); status != success)
                    return status;
            }
            [[fallthrough]];
        case GraphNodes::Kind::Kernel:
            if (const Status status = allowShared(node); status != success)
                return status;
            return graphAddKernelNode(made, plan, after.data(), after.size(), kernelOf(entry, now_, node));
        case GraphNodes::Kind::Copy:
            return GraphNodes::isRow(node) ? graphAddMemcpyNode1D(made, plan, after.data(), after.size(), node.copy.to,
                                                                  node.copy.from, node.copy.width, node.direction)
                                           : graphAddMemcpyNode(made, plan, after.data(), after.size(), node.copy, node.direction);
        case GraphNodes::Kind::Fill:
            return graphAddMemsetNode(made, plan, after.data(), after.size(), node.fill);
        case GraphNodes::Kind::Call:
            return addCall(made, plan, after, node);
        }
        return invalidValue;
    }
    Status addCall(GraphNode &made, GraphHandle plan, const std::vector<GraphNode> &after, const GraphNodes::Node &node) {
        GraphHandle child = nullptr;
        Status status =
            calls_.record(*node.call, node.object, now_.bytes_.data() + node.arguments, GraphTrace::nameOf(node).text, child);
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

    // Launches and ends

    void replay(Entry &entry, Program &program, Stream stream) {
        if (const Status status = graphLaunch(entry.exec, stream); status != success) {
            char what[128];
            std::snprintf(what, sizeof what, "launching graph %s", name_);
            program.done(status, what);
        }
        entry.lastStream = stream;
        entry.lastUse = ++info_.launches;
        info_.nodesLast = entry.held.size();
        info_.usedLast = 1;
    }

#ifdef SDFGC_GPU_EMULATE
    /// What this call describes is what the executable graph has: the emulation reports what is not.
    void verify(const Entry &entry, const GraphNodes &list) {
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

    /// The least recently used entry goes.
    void evict(Stream stream) {
        size_t oldest = 0;
        for (size_t i = 1; i < entries_.size(); ++i)
            if (entries_[i]->lastUse < entries_[oldest]->lastUse)
                oldest = i;
        trace_.evicted(entries_[oldest]->held.size());
        retire(oldest, stream);
        ++info_.evictions;
    }
    /// Takes an entry away, whose last launch may still run: behind an event in the stream of that launch. That stream may have been
    /// the caller's and be gone: then the device is waited for.
    void retire(size_t index, Stream stream) {
        Entry *const entry = entries_[index];
        entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(index));
        info_.entries = static_cast<int64_t>(entries_.size());
        if (last_ == entry)
            last_ = nullptr;
        Event behind = nullptr;
        if (entry->lastUse != 0 && entry->lastStream == stream && eventCreate(behind) == success &&
            eventRecord(behind, stream) == success) {
            retired_.push_back({std::exchange(entry->plan, nullptr), std::exchange(entry->exec, nullptr), behind});
        } else {
            if (behind)
                (void)eventDestroy(behind);
            if (entry->lastUse != 0)
                (void)deviceSynchronize();
        }
        delete entry;
    }
    /// Destroys what is retired and done.
    void reap() {
        size_t kept = 0;
        for (const Retired &r : retired_) {
            if (eventQuery(r.behind) == notReady) {
                retired_[kept++] = r;
                continue;
            }
            (void)eventDestroy(r.behind);
            destroy(r.plan, r.exec);
        }
        retired_.resize(kept);
    }
    void dropAll() noexcept {
        if (!entries_.empty() || !retired_.empty())
            (void)deviceSynchronize();
        for (const Entry *entry : entries_)
            delete entry;
        for (const Retired &r : retired_) {
            (void)eventDestroy(r.behind);
            destroy(r.plan, r.exec);
        }
        entries_.clear();
        retired_.clear();
        calls_.release();
        last_ = nullptr;
        supportedOn_ = -1;
    }
    static void destroy(GraphHandle plan, GraphExec exec) noexcept {
        if (exec)
            (void)graphExecDestroy(exec);
        if (plan)
            (void)graphDestroy(plan);
    }

    /// Keeps the reason, unless it is null, counts, and returns false; throws when a graph is required.
    bool refuse(const char *why, Status status) {
        if (why && status == success)
            std::snprintf(reason_, sizeof reason_, "%s", why);
        else if (why)
            std::snprintf(reason_, sizeof reason_, "%s: %s (%s)", why, getErrorString(status), getErrorName(status));
        ++info_.hostPath;
        trace_.refused(reason_);
        if (required_) {
            char text[sizeof reason_ + 64];
            std::snprintf(text, sizeof text, "graph %s: %s", name_, reason_);
            throw rt::Error(rt::DeviceError, text);
        }
        return false;
    }

    const char *name_;
    size_t most_;
    bool required_ = false, disabled_ = false;
    GraphInfo info_;
    char reason_[512] = "", step_[384] = "";
    bool stepSaysWhy_ = false; // no status says more
    GraphTrace trace_;

    GraphNodes now_;                    // described by this call
    GraphCalls calls_;                  // recorded for all graphs
    std::vector<unsigned char> inputs_; // of the last call that had a graph
    Entry *last_ = nullptr;             // which launched this entry
    int lastDevice_ = -1, supportedOn_ = -1;
    GraphSupport support_ = GraphSupport::None; // there
    alignas(16) unsigned char setterArguments_[32] = {};
    std::vector<Entry *> entries_;
    std::vector<Retired> retired_;
    std::vector<Granted> granted_;
    std::vector<GraphKey> refused_; // lists that no graph could be built for, the latest ones
};

} // namespace sdfgc::gpu
