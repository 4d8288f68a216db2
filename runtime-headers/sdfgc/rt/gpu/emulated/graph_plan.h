// Plans of graphs of the emulated GPU: making them, adding nodes and edges, and validating nodes. Part of gpu_emulate.cpp.
//
// The checks of a new node are repeated when an executable graph changes its parameters. Pointers are checked when a launch is
// queued, as for kernel launches.
#pragma once

#include "sdfgc/rt/gpu/emulated/graph_run.h"
#include "sdfgc/rt/gpu/emulated/kernels.h"

namespace sdfgc::gpu {

namespace emulate {

/// The graph features of the device, and whether it has memory for executable graphs. Programs for HIP see HIP's features.
#ifdef SDFGC_EMULATE_HIP
static constexpr const char *customaryGraphs = "flat";
#else
static constexpr const char *customaryGraphs = "full";
#endif
static bool graphsAre(const char *what) { return std::strcmp(environment("GRAPHS", customaryGraphs), what) == 0; }

/// The plan; null, and reported, if there is none.
static GraphState *findGraph(Device &device, GraphHandle graph) {
    if (device.graphs.count(graph) != 0)
        return graph;
    fail("undefined handle: a graph that was destroyed, or never made");
    return nullptr;
}

/// Makes a kernel node from its parameters, or returns an error. Reports only errors that a program cannot handle.
static Status setKernel(Device &device, const std::string &graph, const KernelNodeParams &kernel, NodeState &node) {
    const KernelName name(kernel.how);
    if (kernel.grid.empty() || kernel.block.empty()) {
        fail("empty node: kernel %s of graph %s has a grid of (%u, %u, %u) blocks of (%u, %u, %u) threads", name.text,
             graph.c_str(), kernel.grid.x, kernel.grid.y, kernel.grid.z, kernel.block.x, kernel.block.y, kernel.block.z);
        return invalidConfiguration;
    }
    const Status status = checkLaunch(device, name, kernel.how, kernel.grid, kernel.block, kernel.shared, kernel.kernel->function);
    if (status != success)
        return status;
    node.kind = NodeState::Kernel;
    node.name = std::string("kernel ") + name.text;
    node.kernel = kernel;
    node.kernel.arguments = nullptr;
    node.arguments.assign(kernel.arguments, kernel.arguments + kernel.kernel->bytes);
    return success;
}

static Status setCopy(Device &device, const std::string &graph, const Copy3D &copy, CopyKind kind, NodeState &node) {
    Copy checked(device, copy, kind);
    if (copy.width == 0 || copy.height == 0 || copy.depth == 0) {
        fail("empty node: the copy of %s to %s of graph %s has no bytes", placeName(device, copy.from).c_str(),
             placeName(device, copy.to).c_str(), graph.c_str());
        return invalidValue;
    }
    if (const Status status = checked.check(); status != success)
        return status;
    if (checked.toResidence() == Residence::Pageable || checked.fromResidence() == Residence::Pageable) {
        fail("host memory in a graph: %s of graph %s: a replay uses memory at its own time, which must be device or page-locked "
             "memory",
             checked.name().c_str(), graph.c_str());
        return invalidValue;
    }
    node.kind = NodeState::Copy;
    node.name = checked.name();
    node.copy = copy;
    node.direction = kind;
    node.to = checked.toResidence();
    node.from = checked.fromResidence();
    return success;
}

static Status setFill(Device &device, const std::string &graph, const MemsetNodeParams &fill, NodeState &node) {
    if (fill.width == 0 || fill.height == 0 || (fill.elementSize != 1 && fill.elementSize != 2 && fill.elementSize != 4)) {
        fail("empty node: the fill of %s of graph %s has %zu rows of %zu elements of %u bytes", placeName(device, fill.to).c_str(),
             graph.c_str(), fill.height, fill.width, fill.elementSize);
        return invalidValue;
    }
    NodeState wanted;
    wanted.kind = NodeState::Fill;
    wanted.fill = fill;
    Fill checked(device, wanted.fillBox(), fill.value, fill.elementSize);
    if (const Status status = checked.check(); status != success)
        return status;
    node.kind = NodeState::Fill;
    node.name = checked.name();
    node.fill = fill;
    node.to = checked.residence();
    return success;
}

/// The numbers of nodes of `graph`; false, and reported, if one belongs to another graph or is repeated.
static bool numbersOf(Device &device, const GraphState &graph, const std::string &name, const GraphNode *nodes, size_t count,
                      std::vector<size_t> &numbers) {
    for (size_t i = 0; i < count; ++i) {
        size_t number = 0;
        const bool known = device.graphNodes.count(nodes[i]) != 0 && nodes[i]->graph == &graph;
        while (known && graph.nodes[number].get() != nodes[i])
            ++number;
        if (!known) {
            fail("unknown dependence: %s of graph %s comes after a node that is not one of this graph", name.c_str(),
                 graph.name.c_str());
            return false;
        }
        if (std::find(numbers.begin(), numbers.end(), number) != numbers.end()) {
            fail("repeated dependence: %s of graph %s comes twice after %s", name.c_str(), graph.name.c_str(),
                 nodes[i]->name.c_str());
            return false;
        }
        numbers.push_back(number);
    }
    return true;
}

/// Counts edges, and removes the one that leaveOutEdge() selected.
static void countEdges(Device &device, std::vector<size_t> &after) {
    const long index = device.edgeLeftOut - device.graphEdges - 1;
    device.graphEdges += static_cast<long>(after.size());
    if (device.edgeLeftOut > 0 && index >= 0 && index < static_cast<long>(after.size()))
        after.erase(after.begin() + index);
}

/// A plan that belongs to a node of a graph with this name.
static GraphState *newBody(Device &device, const std::string &graph) {
    auto *body = new GraphState;
    body->name = graph;
    body->isBody = true;
    device.graphs.insert(body);
    return body;
}

/// Includes the bodies of its nodes.
static void destroyPlan(Device &device, GraphState *graph) {
    for (const auto &node : graph->nodes) {
        device.graphNodes.erase(node.get());
        if (node->plan)
            destroyPlan(device, node->plan);
    }
    device.graphs.erase(graph);
    delete graph;
}

/// Gives a node its parameters: set(device, graph's name, node).
using SetNode = std::function<Status(Device &, const std::string &, NodeState &)>;

static Status addNode(GraphNode &made, GraphHandle handle, const GraphNode *after, size_t count, const SetNode &set) {
    made = nullptr;
    return call([&](Device &device) {
        GraphState *graph = findGraph(device, handle);
        if (!graph)
            return invalidHandle;
        auto node = std::make_unique<NodeState>();
        if (const Status status = set(device, graph->name, *node); status != success)
            return status;
        if (!numbersOf(device, *graph, node->name, after, count, node->after)) {
            if (node->plan)
                destroyPlan(device, node->plan);
            return invalidValue;
        }
        countEdges(device, node->after);
        node->serial = ++device.graphNodesMade;
        node->graph = graph;
        made = node.get();
        device.graphNodes.insert(made);
        graph->nodes.push_back(std::move(node));
        return success;
    });
}

long leaveOutEdge(long number) {
    long counted = 0;
    (void)call([&](Device &device) {
        device.edgeLeftOut = number;
        counted = std::exchange(device.graphEdges, 0);
        return success;
    });
    return counted;
}

} // namespace emulate

Status graphSupport(GraphSupport &result) {
    return call([&](Device &) {
        result = graphsAre("none") ? GraphSupport::None : graphsAre("flat") ? GraphSupport::Flat : GraphSupport::Loops;
        return success;
    });
}

Status graphCreate(GraphHandle &graph, const char *name) {
    graph = nullptr;
    return call([&](Device &device) {
        if (graphsAre("none"))
            return notSupported;
        graph = new GraphState;
        device.graphs.insert(graph);
        graph->name = *name ? name : std::to_string(device.graphs.size());
        return success;
    });
}
Status graphDestroy(GraphHandle handle) {
    return cleanup([&](Device &device) {
        GraphState *graph = findGraph(device, handle);
        if (!graph)
            return invalidHandle;
        if (graph->isBody) {
            fail("body: a body of graph %s is destroyed by itself, but belongs to its node", graph->name.c_str());
            return invalidValue;
        }
        destroyPlan(device, graph);
        return success;
    });
}

Status graphAddKernelNode(GraphNode &node, GraphHandle graph, const GraphNode *after, size_t count,
                          const KernelNodeParams &kernel) {
    return addNode(node, graph, after, count,
                   [&](Device &device, const std::string &name, NodeState &made) { return setKernel(device, name, kernel, made); });
}
Status graphAddMemcpyNode1D(GraphNode &node, GraphHandle graph, const GraphNode *after, size_t count, void *to, const void *from,
                            size_t bytes, CopyKind kind) {
    return graphAddMemcpyNode(node, graph, after, count, {to, bytes, bytes, from, bytes, bytes, bytes, 1, 1}, kind);
}
Status graphAddMemcpyNode(GraphNode &node, GraphHandle graph, const GraphNode *after, size_t count, const Copy3D &copy,
                          CopyKind kind) {
    return addNode(node, graph, after, count, [&](Device &device, const std::string &name, NodeState &made) {
        return setCopy(device, name, copy, kind, made);
    });
}
Status graphAddMemsetNode(GraphNode &node, GraphHandle graph, const GraphNode *after, size_t count, const MemsetNodeParams &fill) {
    return addNode(node, graph, after, count,
                   [&](Device &device, const std::string &name, NodeState &made) { return setFill(device, name, fill, made); });
}
Status graphAddEmptyNode(GraphNode &node, GraphHandle graph, const GraphNode *after, size_t count) {
    return addNode(node, graph, after, count, [](Device &, const std::string &, NodeState &made) {
        made.name = "an empty node";
        return success;
    });
}

Status graphConditionalHandleCreate(GraphConditional &condition, GraphHandle handle, unsigned value, bool assign) {
    condition = 0;
    return call([&](Device &device) {
        GraphState *graph = findGraph(device, handle);
        if (!graph)
            return invalidHandle;
        if (graphsAre("flat"))
            return notSupported;
        condition = ++device.conditionsMade;
        graph->conditions.push_back({condition, value, assign});
        return success;
    });
}
Status graphAddConditionalNode(GraphNode &made, GraphHandle &body, GraphHandle handle, const GraphNode *after, size_t count,
                               ConditionalKind kind, GraphConditional condition) {
    body = nullptr;
    return addNode(made, handle, after, count, [&](Device &device, const std::string &name, NodeState &node) {
        const auto known = std::find_if(handle->conditions.begin(), handle->conditions.end(),
                                        [&](const Condition &c) { return c.handle == condition; });
        node.name = (kind == ConditionalKind::If ? "if node " : "while node ") + std::to_string(handle->nodes.size());
        if (known == handle->conditions.end() || known->used) {
            fail("wrong condition: %s of graph %s gets a condition that is %s", node.name.c_str(), name.c_str(),
                 known == handle->conditions.end() ? "none of this graph's" : "that of another node");
            return invalidValue;
        }
        known->used = true;
        body = newBody(device, name);
        node.kind = NodeState::Conditional;
        node.repeats = kind;
        node.condition = condition;
        node.plan = body;
        return success;
    });
}

Status graphAddDependencies(GraphHandle handle, const GraphNode *from, const GraphNode *to, size_t count) {
    return call([&](Device &device) {
        GraphState *graph = findGraph(device, handle);
        if (!graph)
            return invalidHandle;
        for (size_t i = 0; i < count; ++i) {
            std::vector<size_t> later;
            if (!numbersOf(device, *graph, "a node", &to[i], 1, later))
                return invalidValue;
            NodeState &node = *graph->nodes[later[0]];
            if (!numbersOf(device, *graph, node.name, &from[i], 1, node.after))
                return invalidValue;
        }
        return success;
    });
}

} // namespace sdfgc::gpu
