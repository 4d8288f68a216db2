// Shared by the graph tests.
#pragma once

#include "Fixture.h"

#include "sdfgc/rt/gpu/graph.h"

#include <cstdlib>

/// Sets an environment variable for the lifetime of the object.
struct Environment {
    const char *name;
    Environment(const char *name, const char *value) : name(name) { setenv(name, value, 1); }
    ~Environment() { unsetenv(name); }
};

/// The arguments of a kernel in the form in which a node takes them.
template <auto Kernel> struct Arguments {
    alignas(16) unsigned char bytes[256] = {};
    template <class... A> explicit Arguments(const A &...arguments) {
        gpu::detail::ArgumentsOf<Kernel>::store(bytes, arguments...);
    }
    gpu::KernelNodeParams node(const gpu::Launch &how, gpu::Dim3 grid, gpu::Dim3 block, size_t shared = 0) const {
        return {how, gpu::kernelTraits<Kernel>(), grid, block, shared, bytes};
    }
};

/// A plan and an executable graph, both destroyed at the end.
struct Plan {
    gpu::GraphHandle graph = nullptr;
    gpu::GraphExec exec = nullptr;

    Plan() { REQUIRE(gpu::graphCreate(graph, "g") == gpu::success); }
    Plan(const Plan &) = delete;
    Plan &operator=(const Plan &) = delete;
    ~Plan() {
        (void)gpu::deviceSynchronize();
        if (exec)
            (void)gpu::graphExecDestroy(exec);
        (void)gpu::graphDestroy(graph);
    }

    template <auto Kernel, class... A>
    gpu::GraphNode kernel(const char *name, const std::vector<gpu::GraphNode> &after, int64_t threads, const A &...arguments) {
        return kernelIn<Kernel>(graph, name, after, threads, arguments...);
    }
    template <auto Kernel, class... A>
    static gpu::GraphNode kernelIn(gpu::GraphHandle where, const char *name, const std::vector<gpu::GraphNode> &after,
                                   int64_t threads, const A &...arguments) {
        gpu::GraphNode node = nullptr;
        const Arguments<Kernel> bytes(arguments...);
        REQUIRE(gpu::graphAddKernelNode(node, where, after.data(), after.size(),
                                        bytes.node({.name = name, .element = "map m"}, 1, threads)) == gpu::success);
        return node;
    }
    /// A conditional node, whose body `body` fills.
    static gpu::GraphNode conditional(gpu::GraphHandle where, gpu::ConditionalKind kind, gpu::GraphConditional condition,
                                      const std::vector<gpu::GraphNode> &after, gpu::GraphHandle &body) {
        gpu::GraphNode node = nullptr;
        REQUIRE(gpu::graphAddConditionalNode(node, body, where, after.data(), after.size(), kind, condition) == gpu::success);
        return node;
    }
    static gpu::GraphConditional condition(gpu::GraphHandle where, unsigned value = 0, bool assign = false) {
        gpu::GraphConditional result = 0;
        REQUIRE(gpu::graphConditionalHandleCreate(result, where, value, assign) == gpu::success);
        return result;
    }
    void instantiate() { REQUIRE(gpu::graphInstantiate(exec, graph) == gpu::success); }
    void launch(gpu::Stream stream = nullptr) const { REQUIRE(gpu::graphLaunch(exec, stream) == gpu::success); }
};
