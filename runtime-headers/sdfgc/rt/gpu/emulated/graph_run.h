// One launch of a graph of the emulated GPU. Part of gpu_emulate.cpp.
//
// A launch runs its nodes in an order drawn from the seed. Unless SDFGC_EMULATE_GRAPH_CHECK is 0, or the graph is too large for it, it
// also looks for nodes that use the same memory without an order (watch.h), whichever of them came first now.
#pragma once

#include "sdfgc/rt/gpu/emulated/watch.h"

namespace sdfgc::gpu::emulate {

class GraphRun {
public:
    GraphRun(Device &device, ExecState &exec, const std::vector<NodeState> &nodes)
        : device_(device), exec_(exec), nodes_(nodes), order_(NodeOrder(nodes, device.scheduler).get()) {}

    void run() {
#ifdef __x86_64__
        constexpr size_t mostNodes = 4096; // the order of all pairs takes memory for their square
        if (settings().protect && nodes_.size() > 1 && nodes_.size() < mostNodes && environmentNumber("GRAPH_CHECK", 1) != 0)
            return runWatched();
#endif
        for (const size_t node : order_)
            runNode(nodes_[node]);
    }

private:
    /// False: an error sticks.
    bool runNode(const NodeState &node) {
        if (device_.error != success)
            return false;
        if (!node.enabled)
            return true;
        switch (node.kind) {
        case NodeState::Kernel:
            runKernel(node);
            break;
        case NodeState::Copy:
            runCopy(node);
            break;
        case NodeState::Fill:
            runFill(node);
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
    /// Page-locked memory that a node was made for and that is none any more.
    bool isGone(const NodeState &node, const void *p, Residence was) const {
        if (device_.residence(p) == was)
            return false;
        fail("use after free: %s of graph %s uses page-locked memory that was freed", node.name.c_str(), exec_.name.c_str());
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

#ifdef __x86_64__
    void runWatched() {
        AccessWatch watch(device_, nodes_.size());
        runAll(watch);
        if (!exec_.ancestors)
            exec_.ancestors = std::make_unique<const Ancestors>(nodes_, order_);
        uint64_t hash = 0;
        if (device_.error != success || !watch.findMeetings(*exec_.ancestors, hash) || exec_.judged.count(hash) != 0 ||
            !watch.rewind())
            return;
        exec_.judged.insert(hash);
        runAll(watch);
        watch.forEachConflict([&](size_t node, size_t other, uintptr_t address, bool bothWrite) {
            if (!exec_.missingEdges.insert(std::minmax(node, other)).second)
                return;
            const std::string place = placeName(device_, reinterpret_cast<void *>(address));
            fail("missing edge: %s %s %s that %s writes%s, and neither comes before the other in graph %s",
                 nodes_[node].name.c_str(), bothWrite ? "writes" : "reads", place.c_str(), nodes_[other].name.c_str(),
                 bothWrite ? ", too" : "", exec_.name.c_str());
        });
    }
    void runAll(AccessWatch &watch) {
        for (const size_t number : order_) {
            const NodeState &node = nodes_[number];
            watch.beginNode(number, pointersOf(node), hasClasses(node));
            if (node.enabled && node.kind == NodeState::Copy) {
                watch.note(boxOf(node.copy, false), false);
                watch.note(boxOf(node.copy, true), true);
            } else if (node.enabled && node.kind == NodeState::Fill)
                watch.note(node.fillBox(), true);
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
    ExecState &exec_;
    const std::vector<NodeState> &nodes_;
    const std::vector<size_t> order_;
};

} // namespace sdfgc::gpu::emulate
