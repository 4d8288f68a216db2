// Executable graphs of the emulated GPU: making, updating, launching and destroying them. Part of gpu_emulate.cpp.
//
// Rules: an update that CUDA's documentation rejects returns the documented status without a report, because the code that keeps
// graphs up to date checks it. A queued launch keeps the parameters that it was launched with.
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

/// Finds a plan's node in an executable graph; reports and returns false if it is missing.
static bool findNode(Device &device, const ExecState &exec, GraphNode node, std::vector<size_t> &place) {
    const auto found = device.graphNodes.count(node) != 0 ? exec.places.find(node->serial) : exec.places.end();
    if (found != exec.places.end())
        return place = found->second, true;
    fail("undefined handle: a node that is none of graph %s", exec.name.c_str());
    return false;
}

/// Changes a node's parameters: `set` changes a copy, and `accepts(old, new)` decides whether an executable graph can take them.
static Status updateNode(GraphExec handle, GraphNode node, NodeState::Kind kind, const SetNode &set,
                         const std::function<bool(const NodeState &, const NodeState &)> &accepts) {
    return call([&](Device &device) {
        const std::shared_ptr<ExecState> exec = findExec(device, handle);
        std::vector<size_t> place;
        if (!exec || !findNode(device, *exec, node, place))
            return invalidHandle;
        const NodeState &old = exec->at(place);
        if (old.kind != kind)
            return invalidValue;
        NodeState changed = old;
        if (const Status status = set(device, exec->name, changed); status != success)
            return status;
        const bool isRefused = place.size() > 1 && std::strcmp(environment("GRAPH_BODIES", ""), "refuse") == 0;
        if (!accepts(old, changed) || isRefused)
            return graphExecUpdateFailure;
        exec->writable(place) = std::move(changed);
        return success;
    });
}

/// Checks the pointers of all kernels as far as possible before they run.
static Status checkNodes(Device &device, const ExecState::Nodes &nodes) {
    for (const NodeState &node : nodes) {
        std::vector<PointerArgument> pointers;
        for (int i = 0; node.kind == NodeState::Kernel && i < node.kernel.kernel->count; ++i)
            if (node.kernel.kernel->parameters[i].isPointer)
                pointers.push_back({i, node.pointer(i)});
        Status status = checkPointers(device, KernelName(node.kernel.how), pointers.data(), static_cast<int>(pointers.size()));
        if (status == success && node.body)
            status = checkNodes(device, *node.body);
        if (status != success)
            return status;
    }
    return success;
}

static Status queueLaunch(Device &device, const std::shared_ptr<ExecState> &exec, StreamState &stream) {
    if (const Status status = checkNodes(device, *exec->nodes); status != success) {
        device.stick(status);
        return status;
    }
    auto operation = std::make_shared<Operation>();
    operation->name = "a launch of graph " + exec->name;
    operation->duration = durationOf(0) * static_cast<int64_t>(exec->nodes->size() + 1);
    operation->run = [&device, exec, nodes = exec->nodes] {
        Conditions conditions(exec->conditions);
        device.conditions = &conditions;
        GraphRun(device, exec->name, exec->findings, *nodes).run();
        if (conditions.failed())
            device.stick(launchFailure);
        device.conditions = nullptr;
        ++device.counts.graphs;
    };
    Scheduler::addDependence(*operation, exec->last);
    exec->last = operation;
    device.submit(stream, operation);
    return device.error;
}

/// Reports a difference that holds() has found: "stale argument: kernel k of graph g has 'A' of an earlier call".
static bool reportStale(const ExecState &exec, const NodeState &node, const std::string &what) {
    fail("stale argument: %s of graph %s has %s of an earlier call", node.name.c_str(), exec.name.c_str(), what.c_str());
    return false;
}
/// The name of a node's address in reports, if it has one.
static std::string addressName(Device &device, const void *has) {
    return device.residence(has) == Residence::Pageable ? "an address" : placeName(device, has);
}

static bool asksNode(GraphExec handle, GraphNode node,
                     const std::function<bool(Device &, const ExecState &, const NodeState &)> &holds) {
    bool result = false;
    (void)call([&](Device &device) {
        const std::shared_ptr<ExecState> exec = findExec(device, handle);
        std::vector<size_t> place;
        result = exec && findNode(device, *exec, node, place) && holds(device, *exec, exec->at(place));
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

/// Copies a plan's nodes, including those of bodies, into an executable graph; reports and returns errors.
static Status copyNodes(Device &device, const GraphState &graph, ExecState &exec, std::vector<size_t> place,
                        ExecState::Nodes &nodes, GraphNode *failed) {
    for (const auto &node : graph.nodes)
        nodes.push_back(*node);
    const std::vector<size_t> order = NodeOrder(nodes, device.scheduler).get();
    if (order.size() != nodes.size()) {
        const auto [a, b] = cycleOf(nodes, order);
        if (failed)
            *failed = graph.nodes[a].get();
        fail("cycle: in graph %s, %s comes after %s, which comes after it", graph.name.c_str(), nodes[a].name.c_str(),
             nodes[b].name.c_str());
        return invalidValue;
    }
    for (const Condition &condition : graph.conditions) {
        if (!condition.used) {
            fail("unused condition: a condition of graph %s belongs to no node", graph.name.c_str());
            return invalidValue;
        }
        exec.conditions.push_back(condition);
    }
    place.push_back(0);
    for (size_t i = 0; i < nodes.size(); ++i) {
        place.back() = i;
        exec.places[nodes[i].serial] = place;
        if (!nodes[i].plan)
            continue;
        nodes[i].body = std::make_shared<ExecState::Nodes>();
        nodes[i].findings = std::make_shared<Findings>();
        if (const Status status = copyNodes(device, *nodes[i].plan, exec, place, *nodes[i].body, failed); status != success)
            return status;
    }
    return success;
}

} // namespace emulate

Status graphInstantiate(GraphExec &exec, GraphHandle handle, GraphNode *failed) {
    exec = nullptr;
    if (failed)
        *failed = nullptr;
    return call([&](Device &device) {
        GraphState *graph = findGraph(device, handle);
        if (!graph)
            return invalidHandle;
        const bool trimmed = std::exchange(device.graphsTrimmed, false);
        if (graphsAre("fail-instantiate") || (graphsAre("fail-until-trimmed") && !trimmed))
            return outOfMemory;
        auto state = std::make_shared<ExecState>();
        state->name = graph->name;
        state->nodes = std::make_shared<ExecState::Nodes>();
        if (const Status status = copyNodes(device, *graph, *state, {}, *state->nodes, failed); status != success)
            return status;
        const std::shared_ptr<ExecState> other = graph->exec.lock();
        if (graph->isBody || (!state->conditions.empty() && other && device.execs.count(other.get()) != 0)) {
            fail("second executable graph: graph %s %s", graph->name.c_str(),
                 graph->isBody ? "is the body of a node" : "has conditions, and an executable graph already");
            return invalidValue;
        }
        graph->exec = state;
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
        std::vector<size_t> place;
        if (!exec || !findNode(device, *exec, node, place))
            return invalidHandle;
        if (exec->at(place).kind > NodeState::Fill)
            return invalidValue;
        exec->writable(place).enabled = enabled;
        return success;
    });
}
Status graphMemTrim() {
    return call([](Device &device) {
        device.graphsTrimmed = true;
        return success;
    });
}

// Functions that kernels call

void graphSetConditional(GraphConditional condition, unsigned value) {
    Worker &worker = runningWorker("a graph's condition");
    Conditions *const conditions = Device::get().conditions;
    if (conditions && conditions->set(condition, value))
        return;
    worker.report("wrong condition", conditions ? "it sets a condition that its graph does not have"
                                                : "it sets a graph's condition, but is not launched by a graph");
    throw KernelAbort();
}

} // namespace sdfgc::gpu
