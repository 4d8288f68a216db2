// Executable graphs of the emulated GPU: making, updating, launching and destroying them. Part of gpu_emulate.cpp.
//
// Rules: an update that CUDA's documentation refuses returns the status it names, without a report: what keeps graphs up to date looks
// at it. A launch that is queued keeps the parameters that it was launched with.
#pragma once

#include "sdfgc/rt/gpu/emulated/graph_plan.h"

namespace sdfgc::gpu {

namespace emulate {

/// The executable graph; null, and reported, if there is none.
static std::shared_ptr<ExecState> findExec(Device &device, GraphExec exec) {
    const auto found = device.execs.find(exec);
    if (found != device.execs.end())
        return found->second;
    fail("undefined handle: an executable graph that was destroyed, or never made");
    return nullptr;
}

/// The number of a plan's node in an executable graph; false, and reported, if it has none.
static bool findNode(Device &device, const ExecState &exec, GraphNode node, size_t &number) {
    const auto found = device.graphNodes.count(node) != 0 ? exec.numbers.find(node->serial) : exec.numbers.end();
    if (found != exec.numbers.end())
        return number = found->second, true;
    fail("undefined handle: a node that is none of graph %s", exec.name.c_str());
    return false;
}

/// Gives a node other parameters: `set` those of a copy of it, `accepts(old, new)` says whether an executable graph can take them.
static Status updateNode(GraphExec handle, GraphNode node, NodeState::Kind kind, const SetNode &set,
                         const std::function<bool(const NodeState &, const NodeState &)> &accepts) {
    return call([&](Device &device) {
        const std::shared_ptr<ExecState> exec = findExec(device, handle);
        size_t number = 0;
        if (!exec || !findNode(device, *exec, node, number))
            return invalidHandle;
        const NodeState &old = (*exec->nodes)[number];
        if (old.kind != kind)
            return invalidValue;
        NodeState changed = old;
        if (const Status status = set(device, exec->name, changed); status != success)
            return status;
        if (!accepts(old, changed))
            return graphExecUpdateFailure;
        exec->writable()[number] = std::move(changed);
        return success;
    });
}

/// Queues a launch whose pointers are right as far as can be seen now.
static Status queueLaunch(Device &device, const std::shared_ptr<ExecState> &exec, StreamState &stream) {
    for (const NodeState &node : *exec->nodes) {
        std::vector<PointerArgument> pointers;
        for (int i = 0; node.kind == NodeState::Kernel && i < node.kernel.kernel->count; ++i)
            if (node.kernel.kernel->parameters[i].isPointer)
                pointers.push_back({i, node.pointer(i)});
        const Status status =
            checkPointers(device, KernelName(node.kernel.how), pointers.data(), static_cast<int>(pointers.size()));
        if (status != success) {
            device.stick(status);
            return status;
        }
    }
    auto operation = std::make_shared<Operation>();
    operation->name = "a launch of graph " + exec->name;
    operation->run = [&device, exec, nodes = exec->nodes] { GraphRun(device, *exec, *nodes).run(); };
    Scheduler::addDependence(*operation, exec->last);
    exec->last = operation;
    device.submit(stream, operation);
    return device.error;
}

/// What holds() compares: "stale argument: kernel k of graph g has 'A' of an earlier call".
static bool reportStale(const ExecState &exec, const NodeState &node, const std::string &what) {
    fail("stale argument: %s of graph %s has %s of an earlier call", node.name.c_str(), exec.name.c_str(), what.c_str());
    return false;
}
/// An address that a node has, or the other one where only that has a name.
static std::string addressName(Device &device, const void *has) {
    return device.residence(has) == Residence::Pageable ? "an address" : placeName(device, has);
}

static bool asksNode(GraphExec handle, GraphNode node,
                     const std::function<bool(Device &, const ExecState &, const NodeState &)> &holds) {
    bool result = false;
    (void)call([&](Device &device) {
        const std::shared_ptr<ExecState> exec = findExec(device, handle);
        size_t number = 0;
        result = exec && findNode(device, *exec, node, number) && holds(device, *exec, (*exec->nodes)[number]);
        return success;
    });
    return result;
}

bool graphExecHolds(GraphExec exec, GraphNode node, const KernelNodeParams &kernel) {
    return asksNode(exec, node, [&](Device &device, const ExecState &state, const NodeState &has) {
        const KernelTraits &traits = *has.kernel.kernel;
        if (kernel.kernel != &traits)
            return reportStale(state, has, "the function");
        for (int i = 0; i < traits.count; ++i) {
            const KernelParameter &p = traits.parameters[i];
            if (std::memcmp(has.arguments.data() + p.offset, kernel.arguments + p.offset, p.bytes) != 0)
                return reportStale(state, has, p.isPointer ? addressName(device, has.pointer(i)) : "argument " + std::to_string(i));
        }
        const auto same = [](Dim3 a, Dim3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; };
        if (!same(has.kernel.grid, kernel.grid) || !same(has.kernel.block, kernel.block) || has.kernel.shared != kernel.shared)
            return reportStale(state, has, "the size");
        return true;
    });
}
bool graphExecHolds(GraphExec exec, GraphNode node, const Copy3D &copy) {
    return asksNode(exec, node, [&](Device &device, const ExecState &state, const NodeState &has) {
        if (has.copy.to != copy.to || has.copy.from != copy.from)
            return reportStale(state, has, addressName(device, has.copy.to != copy.to ? has.copy.to : has.copy.from));
        const bool same = has.copy.width == copy.width && has.copy.height == copy.height && has.copy.depth == copy.depth;
        return same || reportStale(state, has, "the size");
    });
}
bool graphExecHolds(GraphExec exec, GraphNode node, const MemsetNodeParams &fill) {
    return asksNode(exec, node, [&](Device &device, const ExecState &state, const NodeState &has) {
        if (has.fill.to != fill.to)
            return reportStale(state, has, addressName(device, has.fill.to));
        if (has.fill.value != fill.value)
            return reportStale(state, has, "the value");
        const bool same = has.fill.width == fill.width && has.fill.height == fill.height;
        return same || reportStale(state, has, "the size");
    });
}
void reportStaleShape(GraphHandle handle) {
    (void)call([&](Device &device) {
        if (const GraphState *graph = findGraph(device, handle))
            fail("stale argument: graph %s has nodes or edges of an earlier call", graph->name.c_str());
        return success;
    });
}

void pretendCapture(Stream stream, bool capturing) {
    (void)callOn(stream, [&](Device &, StreamState &state) {
        state.capturing = capturing;
        return success;
    });
}

} // namespace emulate

Status graphInstantiate(GraphExec &exec, GraphHandle handle, GraphNode *failed) {
    exec = nullptr;
    if (failed)
        *failed = nullptr;
    return call([&](Device &device) {
        const GraphState *graph = findGraph(device, handle);
        if (!graph)
            return invalidHandle;
        if (graphsAre("fail-instantiate"))
            return outOfMemory;
        auto nodes = std::make_shared<ExecState::Nodes>();
        for (const auto &node : graph->nodes)
            nodes->push_back(*node);
        const std::vector<size_t> order = NodeOrder(*nodes, device.scheduler).get();
        if (order.size() != nodes->size()) {
            const auto [a, b] = cycleOf(*nodes, order);
            if (failed)
                *failed = graph->nodes[a].get();
            fail("cycle: in graph %s, %s comes after %s, which comes after it", graph->name.c_str(), (*nodes)[a].name.c_str(),
                 (*nodes)[b].name.c_str());
            return invalidValue;
        }
        auto state = std::make_shared<ExecState>();
        state->name = graph->name;
        for (size_t i = 0; i < nodes->size(); ++i)
            state->numbers[(*nodes)[i].serial] = i;
        state->nodes = nodes;
        exec = state.get();
        device.execs[exec] = state;
        return success;
    });
}

Status graphExecDestroy(GraphExec handle) {
    return cleanup([&](Device &device) {
        const std::shared_ptr<ExecState> exec = findExec(device, handle);
        if (!exec)
            return invalidHandle;
        if (exec->busy())
            fail("busy graph: executable graph %s is destroyed, but its launch in stream %d has not run", exec->name.c_str(),
                 exec->last->stream->number);
        device.execs.erase(handle); // a launch keeps what it needs
        return success;
    });
}

Status graphUpload(GraphExec handle, Stream stream) {
    return callOn(stream, [&](Device &device, StreamState &) { return findExec(device, handle) ? success : invalidHandle; });
}
Status graphLaunch(GraphExec handle, Stream stream) {
    return callOn(stream, [&](Device &device, StreamState &state) {
        const std::shared_ptr<ExecState> exec = findExec(device, handle);
        return exec ? queueLaunch(device, exec, state) : invalidHandle;
    });
}

Status graphExecKernelNodeSetParams(GraphExec exec, GraphNode node, const KernelNodeParams &kernel) {
    return updateNode(
        exec, node, NodeState::Kernel,
        [&](Device &device, const std::string &graph, NodeState &changed) { return setKernel(device, graph, kernel, changed); },
        [](const NodeState &old, const NodeState &changed) {
            return old.kernel.how.cooperative == changed.kernel.how.cooperative;
        });
}
Status graphExecMemcpyNodeSetParams1D(GraphExec exec, GraphNode node, void *to, const void *from, size_t bytes, CopyKind kind) {
    return updateNode(
        exec, node, NodeState::Copy,
        [&](Device &device, const std::string &graph, NodeState &changed) {
            return bytes == 0 ? invalidValue
                              : setCopy(device, graph, {to, bytes, bytes, from, bytes, bytes, bytes, 1, 1}, kind, changed);
        },
        [](const NodeState &old, const NodeState &changed) {
            return old.isRow() && old.direction == changed.direction && old.to == changed.to && old.from == changed.from;
        });
}
Status graphExecMemsetNodeSetParams(GraphExec exec, GraphNode node, const MemsetNodeParams &fill) {
    return updateNode(
        exec, node, NodeState::Fill,
        [&](Device &device, const std::string &graph, NodeState &changed) {
            return fill.width == 0 || fill.height == 0 ? invalidValue : setFill(device, graph, fill, changed);
        },
        [](const NodeState &old, const NodeState &changed) {
            return old.isRow() && changed.isRow() && old.fill.elementSize == changed.fill.elementSize && old.to == changed.to;
        });
}
Status graphNodeSetEnabled(GraphExec handle, GraphNode node, bool enabled) {
    return call([&](Device &device) {
        if (graphsAre("flat"))
            return notSupported;
        const std::shared_ptr<ExecState> exec = findExec(device, handle);
        size_t number = 0;
        if (!exec || !findNode(device, *exec, node, number))
            return invalidHandle;
        if ((*exec->nodes)[number].kind == NodeState::Empty)
            return invalidValue;
        exec->writable()[number].enabled = enabled;
        return success;
    });
}
Status graphMemTrim() {
    return call([](Device &) { return success; });
}
Status streamIsCapturing(Stream stream, bool &capturing) {
    capturing = false;
    return callOn(stream, [&](Device &, StreamState &state) {
        capturing = state.capturing;
        return success;
    });
}

} // namespace sdfgc::gpu
