// One launch of a graph of the emulated GPU. Part of gpu_emulate.cpp.
//
// A launch runs its nodes in an order drawn from the seed. Unless SDFGC_EMULATE_GRAPH_CHECK is 0, or the graph is too large for it,
// it also detects unordered nodes that use the same memory (watch.h), regardless of their order in this launch.
#pragma once

#include "sdfgc/rt/gpu/emulated/library.h"
#include "sdfgc/rt/gpu/emulated/watch.h"

#include <tuple>

namespace sdfgc::gpu::emulate {

/// The conditions of a launch.
class Conditions {
public:
    explicit Conditions(const std::vector<Condition> &all) {
        for (const Condition &c : all)
            values_[c.handle] = {c.assign ? c.value : 0, c.assign, {}};
    }

    /// The node of a graph or body that runs now: a kernel, which may set some, or a loop or branch, which reads one.
    void beginNode(const std::vector<NodeState> &nodes, const Ancestors *ancestors, size_t node, const std::string &graph) {
        nodes_ = &nodes;
        ancestors_ = ancestors; // null: unknown
        node_ = node;
        graph_ = &graph;
    }
    /// False if the condition is not one of this launch.
    bool set(GraphConditional handle, unsigned value) {
        const std::lock_guard<std::mutex> guard(mutex_); // blocks may run in several threads
        const auto found = values_.find(handle);
        if (found == values_.end())
            return false;
        Value &condition = found->second;
        for (const size_t node : unordered(condition.setters))
            fail("unordered conditions: %s sets a condition that %s sets, too, and neither comes before the other in graph %s",
                 (*nodes_)[node_].name.c_str(), (*nodes_)[node].name.c_str(), graph_->c_str());
        for (const size_t node : unordered(condition.readers))
            missing((*nodes_)[node], (*nodes_)[node_]);
        condition.value = value;
        condition.defined = true;
        condition.setters.insert({nodes_, node_});
        return true;
    }
    /// False: it is undefined.
    bool get(GraphConditional handle, unsigned &value) {
        Value &condition = values_[handle];
        value = condition.value;
        for (const size_t node : unordered(condition.setters))
            missing((*nodes_)[node_], (*nodes_)[node]);
        condition.setters.clear();
        condition.readers.insert({nodes_, node_});
        return condition.defined;
    }
    /// A loop cannot continue: no loop continues in this run of the nodes. Other nodes still run, because a missing edge may be the
    /// cause. Returns whether this is the first time.
    bool giveUp() {
        stopped_ = true;
        return !std::exchange(failed_, true);
    }
    bool stopped() const { return stopped_; }
    bool failed() const { return failed_; }
    /// For a second run of the same nodes.
    auto state() const { return std::make_pair(values_, stopped_); }
    template <class State> void restore(const State &state) { std::tie(values_, stopped_) = state; }

private:
    using Users = std::set<std::pair<const std::vector<NodeState> *, size_t>>;
    struct Value {
        unsigned value = 0;
        bool defined = false;
        Users setters; // since it was read
        Users readers;
    };
    /// The other nodes that are unordered with the running one and have not been reported.
    std::vector<size_t> unordered(const Users &users) {
        std::vector<size_t> out;
        for (const auto &[nodes, node] : users)
            if (ancestors_ && nodes == nodes_ && node != node_ && !ancestors_->ordered(node, node_) &&
                reported_.insert({nodes, std::minmax(node, node_)}).second)
                out.push_back(node);
        return out;
    }
    void missing(const NodeState &reader, const NodeState &setter) const {
        fail("missing edge: %s reads a condition that %s sets, and neither comes before the other in graph %s", reader.name.c_str(),
             setter.name.c_str(), graph_->c_str());
    }
    std::map<GraphConditional, Value> values_;
    bool stopped_ = false, failed_ = false;
    std::set<std::pair<const std::vector<NodeState> *, std::pair<size_t, size_t>>> reported_;
    std::mutex mutex_;
    const std::vector<NodeState> *nodes_ = nullptr;
    const Ancestors *ancestors_ = nullptr;
    const std::string *graph_ = nullptr;
    size_t node_ = 0;
};

/// The nodes of a graph, or those of a body once.
class GraphRun {
public:
    GraphRun(Device &device, const std::string &graph, Findings &findings, const std::vector<NodeState> &nodes)
        : device_(device), graph_(graph), findings_(findings), nodes_(nodes), order_(NodeOrder(nodes, device.scheduler).get()) {
        if (!findings.ancestors && nodes.size() < mostNodes)
            findings.ancestors = std::make_unique<const Ancestors>(nodes, order_);
    }

    void run() {
#ifdef __x86_64__
        const bool inside = AccessWatch::current() && AccessWatch::current()->steps(); // the outer one observes all accesses now
        if (settings().protect && nodes_.size() > 1 && findings_.ancestors && !inside && environmentNumber("GRAPH_CHECK", 1) != 0)
            return runWatched();
#endif
        for (const size_t node : order_)
            if (!runNode(node))
                return;
    }

private:
    static constexpr size_t mostNodes = 4096; // for which the order is stored: it needs memory quadratic in their number

    /// False: an error sticks.
    bool runNode(size_t number) {
        const NodeState &node = nodes_[number];
        if (device_.error != success)
            return false;
        if (!node.enabled)
            return true;
        noteUse(node);
        switch (node.kind) {
        case NodeState::Kernel:
            device_.conditions->beginNode(nodes_, findings_.ancestors.get(), number, graph_);
            runKernel(node);
            break;
        case NodeState::Conditional:
            runBody(node, number);
            break;
        case NodeState::Copy:
            runCopy(node);
            break;
        case NodeState::Fill:
            runFill(node);
            break;
        case NodeState::Call:
            runLibrary(node);
            break;
        case NodeState::Child:
            GraphRun(device_, graph_, *node.findings, *node.body).run();
            break;
        case NodeState::Empty:
            break;
        }
        return device_.error == success;
    }
    void runKernel(const NodeState &node) {
        const KernelNodeParams &k = node.kernel;
        const std::unique_ptr<KernelBody> body(k.kernel->newBody(node.arguments.data()));
        if (!body)
            return device_.stick(outOfMemory);
        KernelRun run{k.how, k.grid, k.block, k.shared, *body, device_.arena.origins};
        device_.runKernel(run, pointersOf(node));
        device_.countKernel(k.how);
    }
    void runBody(const NodeState &node, size_t number) {
        Conditions &conditions = *device_.conditions;
        const uint64_t most = environmentNumber("ITERATIONS", 1000000);
        for (uint64_t i = 0; !conditions.stopped(); ++i) {
            unsigned value = 0;
            conditions.beginNode(nodes_, findings_.ancestors.get(), number, graph_);
            if (!conditions.get(node.condition, value)) {
                if (conditions.giveUp())
                    fail("undefined condition: %s of graph %s is reached before a kernel has set its condition", node.name.c_str(),
                         graph_.c_str());
                return;
            }
            if (value == 0)
                return;
            if (i == most) {
                if (conditions.giveUp())
                    fail("endless loop: %s of graph %s has run %llu times, and its condition is %u", node.name.c_str(),
                         graph_.c_str(), static_cast<unsigned long long>(i), value);
                return;
            }
            GraphRun(device_, graph_, *node.findings, *node.body).run();
            if (device_.error != success || node.repeats == ConditionalKind::If)
                return;
        }
    }
    void runCopy(const NodeState &node) {
        Copy copy(device_, node.copy, node.direction);
        if (isGone(node, node.copy.to, node.to) || isGone(node, node.copy.from, node.from) || copy.check() != success)
            return device_.stick(illegalAddress);
        copy.run();
    }
    void runFill(const NodeState &node) {
        Fill fill(device_, node.fillBox(), node.fill.value, node.fill.elementSize);
        if (isGone(node, node.fill.to, node.to) || fill.check() != success)
            return device_.stick(illegalAddress);
        fill.run();
    }
    /// Reports the library's memory to the watch, because the library's own threads may use it.
    void runLibrary(const NodeState &node) {
        if (!hasMemory(device_, node.call))
            return;
#ifdef __x86_64__
        if (AccessWatch *const watch = AccessWatch::current())
            for (const MemoryRange &r : node.call.memory)
                watch->note(boxOfRange(r), r.isWritten);
#endif
        FaultWatch *const watch = std::exchange(device_.watch, nullptr);
        runCall(device_, node.call);
        device_.watch = watch;
    }
    /// Checks for memory that was page-locked when the node was made, and no longer is.
    bool isGone(const NodeState &node, const void *p, Residence was) const {
        if (device_.residence(p) == was)
            return false;
        fail("use after free: %s of graph %s uses page-locked memory that was freed", node.name.c_str(), graph_.c_str());
        return true;
    }
    static bool hasClasses(const NodeState &node) {
        bool result = false;
        for (int i = 0; node.kind == NodeState::Kernel && i < node.kernel.kernel->count; ++i)
            result = result || node.kernel.kernel->parameters[i].isClass;
        return result;
    }
    static std::vector<const volatile void *> pointersOf(const NodeState &node) {
        std::vector<const volatile void *> pointers;
        for (int i = 0; node.kind == NodeState::Kernel && i < node.kernel.kernel->count; ++i)
            if (node.kernel.kernel->parameters[i].isPointer && node.pointer(i))
                pointers.push_back(node.pointer(i));
        return pointers;
    }

    /// Reports to the watch the memory that host code will use, and the memory that a kernel may write unobserved.
    void noteUse(const NodeState &node) {
#ifdef __x86_64__
        AccessWatch *const watch = AccessWatch::current();
        if (!watch)
            return;
        if (node.kind == NodeState::Kernel) {
            watch->keepPinned(pointersOf(node), hasClasses(node));
        } else if (node.kind == NodeState::Copy) {
            watch->note(boxOf(node.copy, false), false);
            watch->note(boxOf(node.copy, true), true);
        } else if (node.kind == NodeState::Fill) {
            watch->note(node.fillBox(), true);
        }
#else
        (void)node;
#endif
    }

#ifdef __x86_64__
    void runWatched() {
        AccessWatch watch(device_, nodes_.size());
        const auto conditions = device_.conditions->state();
        runAll(watch);
        uint64_t hash = 0;
        if (device_.error != success || !watch.findMeetings(*findings_.ancestors, hash) || findings_.judged.count(hash) != 0 ||
            !watch.rewind())
            return;
        findings_.judged.insert(hash);
        device_.conditions->restore(conditions);
        const Counts counts = device_.counts;
        runAll(watch);
        device_.counts = counts; // the program launched the nodes once
        watch.forEachConflict([&](size_t node, size_t other, uintptr_t address, bool bothWrite) {
            if (!findings_.missingEdges.insert(std::minmax(node, other)).second)
                return;
            const std::string place = placeName(device_, reinterpret_cast<void *>(address));
            fail("missing edge: %s %s %s that %s writes%s, and neither comes before the other in graph %s",
                 nodes_[node].name.c_str(), bothWrite ? "writes" : "reads", place.c_str(), nodes_[other].name.c_str(),
                 bothWrite ? ", too" : "", graph_.c_str());
        });
    }
    void runAll(AccessWatch &watch) {
        for (const size_t node : order_) {
            watch.beginNode(node);
            if (!runNode(node))
                return;
            watch.endNode();
        }
    }
    static Box boxOf(const Copy3D &c, bool to) {
        return to ? Box{static_cast<char *>(c.to), c.toPitch, c.toSlice, c.width, c.height, c.depth}
                  : Box{static_cast<char *>(const_cast<void *>(c.from)), c.fromPitch, c.fromSlice, c.width, c.height, c.depth};
    }
#endif

    Device &device_;
    const std::string &graph_;
    Findings &findings_;
    const std::vector<NodeState> &nodes_;
    const std::vector<size_t> order_;
};

} // namespace sdfgc::gpu::emulate
