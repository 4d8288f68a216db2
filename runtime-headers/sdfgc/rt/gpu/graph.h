// Graphs of the device in the dialect of gpu.h: a fixed set of kernels, copies, fills and recorded calls of libraries with an order
// among them, prepared once and launched by one call. Only programs that use graphs include it, through gpu_graph.h.
//
// Rules: functions have the meaning of CUDA's functions of the same name, support what both CUDA and HIP 5.2 offer unless noted
// otherwise, return Status, never throw and never print. A graph is a plan: `graphInstantiate` copies it into an executable graph,
// which later changes of the plan do not affect. An executable graph may change the following between launches (CUDA's
// documentation of the functions graphExec...SetParams, which may add restrictions, so every status must be checked):
//   kernel   function, grid, block, dynamic shared memory, arguments; not whether all blocks must run at once
//   copy     addresses of the same kind of memory, length; one row before and after; never a length of zero, never the direction
//   fill     address, value, width; one row before and after; never a width of zero
//   child    nothing
// Graphs are not safe to use from several threads at once. Names are used only in reports of the emulation.
#pragma once

#include "sdfgc/rt/gpu.h"

#include <type_traits>

namespace sdfgc::gpu {

/// One parameter of a kernel, in the bytes that hold a launch's arguments.
struct KernelParameter {
    unsigned offset, bytes;
    bool isPointer, isClass;
};

#ifdef SDFGC_GPU_EMULATE
using NewKernelBody = emulate::KernelBody *(*)(const unsigned char *arguments); // null without memory
namespace detail {
template <auto Kernel> emulate::KernelBody *newBody(const unsigned char *arguments);
}
#endif

/// Compile-time properties of a kernel. There is one object per kernel, so its address identifies the kernel.
struct KernelTraits {
    const void *function;
    int count;                         // of its parameters
    const KernelParameter *parameters; // null without any
    unsigned bytes;                    // of all arguments, aligned as in a struct
    Status (*allowDynamicShared)(size_t bytes);
#ifdef SDFGC_GPU_EMULATE
    NewKernelBody newBody;
#endif
};

namespace detail {

/// The arguments of a kernel as bytes. On a device, too, kernels receive copies of bytes, so every type must be trivially copyable.
template <auto Kernel, class Signature = decltype(Kernel)> struct ArgumentsOf;

template <auto Kernel, class... P> struct ArgumentsOf<Kernel, void (*)(P...)> {
    static_assert((std::is_trivially_copyable<P>::value && ...), "a kernel's arguments are copied as bytes");

    struct Layout {
        KernelParameter parameters[sizeof...(P) + 1] = {};
        unsigned bytes = 0;
        constexpr Layout() {
            int i = 0;
            const auto add = [&](unsigned size, unsigned alignment, bool isPointer, bool isClass) {
                bytes = (bytes + alignment - 1) / alignment * alignment;
                parameters[i++] = {bytes, size, isPointer, isClass};
                bytes += size;
            };
            (add(sizeof(P), alignof(P), std::is_pointer<P>::value && !std::is_function<std::remove_pointer_t<P>>::value,
                 std::is_class<P>::value || std::is_union<P>::value),
             ...);
            (void)add;
        }
    };
    static constexpr Layout layout{};

    /// Converts the arguments as a call does and writes layout.bytes bytes; padding between arguments is not written.
    static void store(unsigned char *to, P... arguments) {
        int i = 0;
        (__builtin_memcpy(to + layout.parameters[i++].offset, &arguments, sizeof(P)), ...);
        (void)to, (void)i;
    }
};

} // namespace detail

/// A kernel's node: `arguments` has the bytes of all arguments as KernelTraits::parameters lays them out, 16-byte aligned, and is
/// read during the call only.
struct KernelNodeParams {
    Launch how;
    const KernelTraits *kernel = nullptr;
    Dim3 grid, block;
    size_t shared = 0; // dynamic; beyond Limits::sharedPerBlock, KernelTraits::allowDynamicShared must be called before
    const unsigned char *arguments = nullptr;
};

/// `height` rows of `width` elements of 1, 2 or 4 bytes get the low bytes of `value`; rows begin `pitch` bytes apart.
struct MemsetNodeParams {
    void *to = nullptr;
    size_t pitch = 0;
    unsigned value = 0, elementSize = 1;
    size_t width = 0, height = 1;
};

} // namespace sdfgc::gpu

#include SDFGC_GPU_HEADER(graph)

namespace sdfgc::gpu {

// All back ends define, all of them in this namespace:
//
// Types: GraphHandle (the plan), GraphNode, GraphExec (executable), GraphConditional (a condition, a number). Constants:
// graphExecUpdateFailure (an update that the executable graph cannot take: make a new one), notSupported.
//
//   Status graphSupport(GraphSupport &result)     of the current device; the version of its driver decides (CUDA 11.1: Flat, 12.4:
//                                                 Loops; HIP: Flat)
//   Status graphCreate(GraphHandle &, const char *name = "")            Status graphDestroy(GraphHandle)  with its nodes
//
// Nodes. `after` are nodes of the same graph, `count` of them, none twice, all of which come before the new one
//   Status graphAddKernelNode(GraphNode &, GraphHandle, const GraphNode *after, size_t count, const KernelNodeParams &)
//       an empty grid or block is an error here
//   Status graphAddMemcpyNode1D(GraphNode &, GraphHandle, const GraphNode *after, size_t count, void *to, const void *from, size_t,
//                               CopyKind)         device and page-locked memory only: a replay reads and writes at its own time
//   Status graphAddMemcpyNode(GraphNode &, GraphHandle, const GraphNode *after, size_t count, const Copy3D &, CopyKind)
//   Status graphAddMemsetNode(GraphNode &, GraphHandle, const GraphNode *after, size_t count, const MemsetNodeParams &)
//   Status graphAddEmptyNode(GraphNode &, GraphHandle, const GraphNode *after, size_t count)
//   Status graphConditionalHandleCreate(GraphConditional &, GraphHandle, unsigned value, bool assign)
//       a condition for one node of this very graph, a body's for a node in that body; with `assign` it has `value` at the beginning of
//       every launch (not of every run of a body), else it is undefined until a kernel sets it. notSupported before CUDA 12.4
//   Status graphAddConditionalNode(GraphNode &, GraphHandle &body, GraphHandle, const GraphNode *after, size_t count, ConditionalKind,
//                                  GraphConditional)
//       `body` gets the body, empty as yet, which belongs to the node. Graphs with such nodes have one executable graph at a time
//   void graphSetConditional(GraphConditional, unsigned)   in kernels; two kernels that may run at once must not set the same one
//   Status graphAddChildGraphNode(GraphNode &, GraphHandle, const GraphNode *after, size_t count, GraphHandle child)
//       a copy of another plan as one node; an empty node if that has none. It must have no conditions. Bodies may have such nodes, too
//   Status graphAddDependencies(GraphHandle, const GraphNode *from, const GraphNode *to, size_t count)  from[i] comes before to[i]
//
// Executable graphs
//   Status graphInstantiate(GraphExec &, GraphHandle, GraphNode *failed = nullptr)   `failed`: the node at fault, if one is known
//   Status graphExecDestroy(GraphExec)            no launch of it may still run
//   Status graphUpload(GraphExec, Stream)         what the first launch would have to bring to the device; nothing on HIP
//   Status graphLaunch(GraphExec, Stream)         comes after what the stream has, and after earlier launches of the same one
//   Status graphExecKernelNodeSetParams(GraphExec, GraphNode, const KernelNodeParams &)   for launches to come
//   Status graphExecMemcpyNodeSetParams1D(GraphExec, GraphNode, void *to, const void *from, size_t, CopyKind)
//   Status graphExecMemsetNodeSetParams(GraphExec, GraphNode, const MemsetNodeParams &)
//   Status graphNodeSetEnabled(GraphExec, GraphNode, bool)   kernels, copies, fills; CUDA 11.6 or later, else notSupported
//   Status graphMemTrim()                         gives memory back that earlier graphs of the device hold, where that is possible
//
// Recording: a capturing stream turns its operations into consecutive nodes instead of running them. This makes library calls part
// of graphs. Everything else has functions above, so the emulation rejects it here
//   Status streamBeginCapture(Stream)             a stream that streamCreate made. Until the end, this thread allocates nothing and does
//                                                 not wait for the device: what is recorded must have all memory that it needs
//   Status streamEndCapture(Stream, GraphHandle &, const char *name = "")   a plan of what was recorded; null on failure, also where
//                                                 something stood in the way before. The stream runs again in any case

/// The traits of a kernel.
#ifdef SDFGC_GPU_KERNELS
template <auto Kernel> const KernelTraits *kernelTraits() {
    using Arguments = detail::ArgumentsOf<Kernel>;
    static const KernelTraits traits = {reinterpret_cast<const void *>(Kernel),
                                        static_cast<int>(sizeof(Arguments::layout.parameters) / sizeof(KernelParameter)) - 1,
                                        Arguments::layout.parameters,
                                        Arguments::layout.bytes,
                                        &allowDynamicShared<Kernel>,
#ifdef SDFGC_GPU_EMULATE
                                        &detail::newBody<Kernel>
#endif
    };
    return &traits;
}
#endif

} // namespace sdfgc::gpu
