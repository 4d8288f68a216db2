// Streams of the emulated GPU that record calls of libraries, and plans that are nodes of others. Part of gpu_emulate.cpp.
//
// Rules: recorded operations do not run. Anything else queued in the stream, and calls that the thread must not make during a
// capture, are reported and break the capture, as in CUDA's strictest capture mode.
#pragma once

#include "sdfgc/rt/gpu/emulated/graph_plan.h"

namespace sdfgc::gpu {

namespace emulate {

/// Copies the nodes of a plan, including their bodies, for another plan.
static void copyPlan(Device &device, const GraphState &from, GraphState &to) {
    for (const auto &node : from.nodes) {
        auto copy = std::make_unique<NodeState>(*node);
        copy->serial = ++device.graphNodesMade;
        copy->graph = &to;
        if (node->plan) {
            copy->plan = newBody(device, to.name);
            copyPlan(device, *node->plan, *copy->plan);
        }
        device.graphNodes.insert(copy.get());
        to.nodes.push_back(std::move(copy));
    }
}

/// Does it contain conditions, at any depth?
static bool hasConditions(const GraphState &graph) {
    return !graph.conditions.empty() || std::any_of(graph.nodes.begin(), graph.nodes.end(),
                                                    [](const auto &node) { return node->plan && hasConditions(*node->plan); });
}

/// A plan of the recorded calls, in order.
static GraphState *planOf(Device &device, Capture &capture, const char *name) {
    auto *plan = new GraphState;
    device.graphs.insert(plan);
    plan->name = name;
    for (LibraryFunction &call : capture.calls) {
        auto node = std::make_unique<NodeState>();
        node->kind = NodeState::Call;
        node->graph = plan;
        node->serial = ++device.graphNodesMade;
        node->name = "call " + call.name;
        node->call = std::move(call);
        if (!plan->nodes.empty())
            node->after = {plan->nodes.size() - 1};
        device.graphNodes.insert(node.get());
        plan->nodes.push_back(std::move(node));
    }
    return plan;
}

} // namespace emulate

Status graphAddChildGraphNode(GraphNode &made, GraphHandle graph, const GraphNode *after, size_t count, GraphHandle child) {
    return addNode(made, graph, after, count, [&](Device &device, const std::string &name, NodeState &node) {
        const GraphState *plan = findGraph(device, child);
        if (!plan)
            return invalidHandle;
        node.name = plan->name;
        if (plan == graph || hasConditions(*plan)) {
            fail("child graph: graph %s %s, and becomes a node of graph %s", plan->name.c_str(),
                 plan == graph ? "is that graph itself" : "has conditions", name.c_str());
            return invalidValue;
        }
        if (plan->nodes.empty())
            return success;
        node.kind = NodeState::Child;
        node.plan = newBody(device, name);
        copyPlan(device, *plan, *node.plan);
        return success;
    });
}

Status streamBeginCapture(Stream handle) {
    return callOnAny(handle, [](Device &, StreamState &stream) {
        if (graphsAre("none"))
            return notSupported;
        if (stream.number == 0) {
            fail("capture: the default stream cannot be captured");
            return captureUnsupported;
        }
        if (stream.capture) {
            fail("capture: stream %d is captured already", stream.number);
            return illegalState;
        }
        stream.capture = std::make_unique<Capture>();
        stream.capture->thread = std::this_thread::get_id();
        return success;
    });
}

Status streamEndCapture(Stream handle, GraphHandle &graph, const char *name) {
    graph = nullptr;
    return callOnAny(handle, [&](Device &device, StreamState &stream) {
        if (!stream.capture) {
            fail("capture: stream %d is not captured, and its capture ends", stream.number);
            return illegalState;
        }
        const std::unique_ptr<Capture> capture = std::move(stream.capture);
        if (capture->isBroken)
            return captureInvalidated;
        graph = planOf(device, *capture, name);
        return success;
    });
}

Status streamIsCapturing(Stream handle, bool &capturing) {
    capturing = false;
    return callOnAny(handle, [&](Device &, StreamState &stream) {
        capturing = stream.seemsCaptured || stream.capture;
        return success;
    });
}

void emulate::pretendCapture(Stream handle, bool capturing) {
    (void)callOnAny(handle, [&](Device &, StreamState &stream) {
        stream.seemsCaptured = capturing;
        return success;
    });
}

} // namespace sdfgc::gpu
