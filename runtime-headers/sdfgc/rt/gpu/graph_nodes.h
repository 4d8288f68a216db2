// The operations of a region of a program, as a list of nodes with their order. gpu_graph.h keeps device graphs up to date with it.
//
// Rules: the region's generated function describes its nodes one after the other, the same way on every call, with this call's
// arguments. Each node lists its predecessors, which must order every pair of nodes of which one writes what the other uses. Empty
// operations (an empty grid, a copy or fill of no elements) are absent, since graphs have no empty nodes; nodes that depend on an
// absent node depend on its predecessors instead. An executable graph can be updated to lists with the same key. The key contains
// everything that graph.h does not let an executable graph change, so an update never misses a change.
//
// The nodes of a loop run repeatedly while a flag in device memory holds. Two extra nodes copy the flag to the condition that the
// device tests: one before the loop, one after all nodes inside. So a loop may have no iterations, and a nested loop restarts in
// each iteration of the outer one. The nodes of a branch run once or not at all. Nodes inside a loop or branch are numbered from 0.
//
// A library call is one node, regardless of what the library queues. It cannot be updated, so all of its arguments are in the key.
// All calls of a list share a workspace (gpu/graph_calls.h), so every two of them must be ordered.
#pragma once

#include "sdfgc/rt/gpu/graph.h"
#include "sdfgc/rt/gpu_program.h"

#include <initializer_list>
#include <utility>
#include <vector>

namespace sdfgc::gpu {

/// 128 bits of hash: different lists have the same key with a probability of 2^-128.
struct GraphKey {
    uint64_t low = 0, high = 0;

    void add(uint64_t word) noexcept {
        low = mixed(low ^ word);
        high = mixed(high + word * 0x9e3779b97f4a7c15 + low);
    }
    void add(const void *pointer) noexcept { add(static_cast<uint64_t>(reinterpret_cast<uintptr_t>(pointer))); }
    bool operator==(const GraphKey &other) const noexcept { return low == other.low && high == other.high; }

private:
    static uint64_t mixed(uint64_t z) noexcept { // the finaliser of splitmix64
        z += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }
};

#ifdef SDFGC_GPU_KERNELS
namespace detail {
/// Sets the first `reset` counters to 0. The first counter of a loop counts an iteration that is about to run.
SDFGC_DEVICE inline bool countIteration(const bool *flag, int64_t *counters, int reset, bool isLoop) {
    for (int i = 0; i < reset; ++i)
        counters[i] = 0;
    if (isLoop && *flag)
        ++counters[0];
    return *flag;
}
} // namespace detail
#endif

} // namespace sdfgc::gpu

// conditionSetter(): the kernel that sets the condition of a loop or branch from its flag and counts iterations. Its parameters
// are (GraphConditional, const bool *flag, int64_t *counters, int reset, bool isLoop). Null if graphs cannot have loops.
#include SDFGC_GPU_HEADER(conditions)

namespace sdfgc::gpu {

/// Compile-time properties of a call. There is one object per operation and argument types, so its address identifies them.
struct CallTraits {
    unsigned bytes;                                                           // of all arguments, aligned as in a struct
    void (*run)(void *object, Stream stream, const unsigned char *arguments); // throws the exceptions of the call
    size_t (*workspaceBytes)(void *object);                                   // likewise
    void (*lend)(void *object, void *workspace, size_t bytes);
};

namespace detail {

/// Calls `Operation()(object, stream, arguments...)`.
template <class Object, class Operation, class... A> class CallOf {
    using Arguments = ArgumentsOf<nullptr, void (*)(A...)>;

    template <size_t... I>
    static void call(Object &object, Stream stream, [[maybe_unused]] const unsigned char *arguments, std::index_sequence<I...>) {
        Operation()(object, stream, *reinterpret_cast<const A *>(arguments + Arguments::layout.parameters[I].offset)...);
    }

public:
    static void store(unsigned char *to, A... arguments) { Arguments::store(to, arguments...); }

    static constexpr CallTraits traits = {
        Arguments::layout.bytes,
        [](void *object, Stream stream, const unsigned char *arguments) {
            call(*static_cast<Object *>(object), stream, arguments, std::index_sequence_for<A...>());
        },
        [](void *object) { return static_cast<Object *>(object)->workspaceBytes(); },
        [](void *object, void *workspace, size_t bytes) { static_cast<Object *>(object)->lend(workspace, bytes); }};
};

} // namespace detail

class GraphNodes {
public:
    using After = std::initializer_list<int>; // numbers returned by earlier calls

    /// Clears the list. `device` is the number of the current device: graphs of one device do not run on another.
    void begin(int device) {
        nodes_.clear();
        described_.clear();
        edges_.clear();
        bytes_.clear();
        levels_.assign(1, {-1, 0});
        hasConditions_ = false;
        key_ = GraphKey();
        key_.add(static_cast<uint64_t>(device));
    }

#ifdef SDFGC_GPU_KERNELS
    /// A launch, with the meaning of gpu::launch. Returns the node's number; absent when the grid or the block is empty. Throws if
    /// a number in `after` is invalid.
    template <auto Kernel, class... A> int kernel(const Launch &how, After after, Dim3 grid, Dim3 block, const A &...arguments) {
        return kernelShared<Kernel>(how, after, grid, block, 0, arguments...);
    }
    /// The kernel with indices of 32 bits, if these hold them, else the one with indices of 64 bits.
    template <auto Narrow, auto Wide, class... A>
    int kernel(const Launch &how, After after, IndexRange range, Dim3 grid, Dim3 block, const A &...arguments) {
        return range.isNarrow(grid, block) ? kernel<Narrow>(how, after, grid, block, arguments...)
                                           : kernel<Wide>(how, after, grid, block, arguments...);
    }
    /// The same with `shared` bytes of dynamic shared memory for each block.
    template <auto Kernel, class... A>
    int kernelShared(const Launch &how, After after, Dim3 grid, Dim3 block, size_t shared, const A &...arguments) {
        if (grid.empty() || block.empty())
            return absent(after);
        Node node;
        node.kind = Kind::Kernel;
        node.kernel = {how, kernelTraits<Kernel>(), grid, block, shared, nullptr};
        node.arguments = (bytes_.size() + 15) / 16 * 16;
        bytes_.resize(node.arguments + node.kernel.kernel->bytes); // bytes between arguments: 0 on every call
        detail::ArgumentsOf<Kernel>::store(bytes_.data() + node.arguments, detail::kernelArgument(arguments)...);
        return add(node, after);
    }

    /// Sets `count` elements of device memory to a value: a fill if the value has at most 4 bytes or all its bytes are equal, else
    /// a kernel.
    template <class T> int fill(After after, T *target, int64_t count, T value) {
        if (count <= 0)
            return absent(after);
        unsigned char bytes[sizeof(T)];
        __builtin_memcpy(bytes, &value, sizeof(T));
        bool same = true;
        for (size_t i = 1; i < sizeof(T); ++i)
            same = same && bytes[i] == bytes[0];
        Node node;
        node.kind = Kind::Fill;
        if (same) {
            node.fill = {target, 0, bytes[0], 1, static_cast<size_t>(count) * sizeof(T), 1};
        } else if constexpr (sizeof(T) == 2 || sizeof(T) == 4) {
            node.fill = {target, 0, 0, sizeof(T), static_cast<size_t>(count), 1};
            __builtin_memcpy(&node.fill.value, bytes, sizeof(T)); // devices and their hosts are little-endian
        } else {
            return kernel<detail::fillKernel<detail::KernelElement<T>>>({.name = "fill"}, after, Dim3(blocks(count, 256)),
                                                                        Dim3(256), target, count, value);
        }
        return add(node, after);
    }
#endif

    /// Copies with the meaning of Program's functions of the same names; host memory must be page-locked. Copies of rows and slices
    /// cannot be updated: another address or size means another graph, so they suit arguments that never change.
    template <class T> int copyToDevice(After after, T *to, const T *from, int64_t width, Rows rows = {}, Rows slices = {}) {
        return copy(CopyKind::HostToDevice, after, sizeof(T), to, from, width, rows, slices);
    }
    template <class T> int copyToHost(After after, T *to, const T *from, int64_t width, Rows rows = {}, Rows slices = {}) {
        return copy(CopyKind::DeviceToHost, after, sizeof(T), to, from, width, rows, slices);
    }
    /// Rows that do not begin at multiples of 16 bytes are moved by a kernel: CUDA's driver takes a quarter longer for them, but
    /// only in graphs.
    template <class T> int copyOnDevice(After after, T *to, const T *from, int64_t width, Rows rows = {}, Rows slices = {}) {
#ifdef SDFGC_GPU_KERNELS
        if constexpr (sizeof(T) >= 4)
            if (width > 0 && rows.count == 1 && slices.count == 1 && !isAligned(to, from))
                return kernel<detail::copyKernel<detail::KernelElement<T>>>({.name = "copy"}, after, Dim3(blocks(width, 256)),
                                                                            Dim3(256), to, from, width);
#endif
        return copy(CopyKind::DeviceToDevice, after, sizeof(T), to, from, width, rows, slices);
    }

    /// Calls a library's `operation` (blas::gemm) on `object`, which must outlive the graph, with arguments that are copied as
    /// bytes. The object has workspaceBytes() and lend(), as gpu::Blas has.
    template <class Object, class Operation, class... A>
    int call(const Launch &how, After after, Object &object, const Operation &, A... arguments) {
        using Call = detail::CallOf<Object, Operation, A...>;
        Node node;
        node.kind = Kind::Call;
        node.kernel.how = how;
        node.call = &Call::traits;
        node.object = &object;
        node.arguments = (bytes_.size() + 15) / 16 * 16;
        bytes_.resize(node.arguments + Call::traits.bytes);
        Call::store(bytes_.data() + node.arguments, arguments...);
        return add(node, after);
    }

    /// A loop: the nodes described from here to end() run while `*flag`, in device memory, holds. The flag is tested when the loop
    /// is reached and after every iteration, and is an access of the loop like those of its nodes. `how` names it in reports.
    int loop(const Launch &how, After after, const bool *flag) { return open(Kind::Loop, how, after, flag); }
    /// A branch: the nodes described from here to end() run once if `*flag` holds, else not at all.
    int branch(const Launch &how, After after, const bool *flag) { return open(Kind::Branch, how, after, flag); }
    void end() {
        const Level level = levels_.back();
        Node &whole = nodes_[static_cast<size_t>(level.inside)];
        const bool isEmpty = nodes_.size() == static_cast<size_t>(level.inside) + 1; // some drivers hang there
        if (whole.kind == Kind::Loop || isEmpty) {
            Node last = setter(whole.flag, level.inside);
            last.firstEdge = edges_.size();
            addEnds(level.inside);
            last.edges = edges_.size() - last.firstEdge;
            put(last);
        }
        nodes_[static_cast<size_t>(level.inside)].end = nodes_.size();
        described_.resize(level.firstDescribed);
        levels_.pop_back();
    }

    /// Are there loops or branches among the nodes?
    bool hasConditions() const noexcept { return hasConditions_; }
    /// The number of nodes, including condition setters but not absent ones.
    int size() const noexcept { return static_cast<int>(nodes_.size()); }
    const GraphKey &key() const noexcept { return key_; }

private:
    friend class GraphMaker;
    friend class GraphTrace;

    enum class Kind { Kernel, Copy, Fill, Call, Loop, Branch, Set }; // Set: a kernel that sets the condition of a loop or branch
    struct Node {
        Kind kind = Kind::Kernel;
        KernelNodeParams kernel; // but for its arguments; of Call, Loop and Branch: its name
        size_t arguments = 0;    // of Kernel and Call: where they begin in bytes_
        Copy3D copy;             // one row: width bytes, height 1
        CopyKind direction = CopyKind::DeviceToDevice;
        MemsetNodeParams fill;
        const CallTraits *call = nullptr;
        void *object = nullptr;          // of Call
        size_t firstEdge = 0, edges = 0; // in edges_: the nodes that come before
        int inside = -1;                 // the number of the loop or branch around it; -1: none
        int sets = -1;                   // of Set: the number of its loop or branch
        size_t end = 0;                  // of Loop and Branch: the number after the last node inside
        const bool *flag = nullptr;      // likewise
    };
    /// The graph, or a loop or branch that has not ended.
    struct Level {
        int inside;
        size_t firstDescribed;
    };
    struct Described {
        int node;                // of nodes_; -1: absent
        size_t firstEdge, edges; // the predecessors of an absent node
    };

    KernelNodeParams kernelOf(const Node &node) const noexcept {
        KernelNodeParams kernel = node.kernel;
        kernel.arguments = bytes_.data() + node.arguments;
        return kernel;
    }
    static bool isAligned(const void *to, const void *from) noexcept {
        return (reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from)) % 16 == 0;
    }
    static bool isRow(const Node &node) noexcept { return node.copy.height == 1 && node.copy.depth == 1; }

    int copy(CopyKind direction, After after, size_t size, void *to, const void *from, int64_t width, Rows rows, Rows slices) {
        if (width <= 0 || rows.count <= 0 || slices.count <= 0)
            return absent(after);
        const auto bytes = [size](int64_t elements) { return static_cast<size_t>(elements) * size; };
        Node node;
        node.kind = Kind::Copy;
        node.direction = direction;
        node.copy = {to, bytes(width), bytes(width), from, bytes(width), bytes(width), bytes(width), 1, 1};
        if (rows.count > 1 || slices.count > 1) {
            node.copy.height = static_cast<size_t>(rows.count);
            node.copy.depth = static_cast<size_t>(slices.count);
            if (rows.count > 1)
                node.copy.toPitch = bytes(rows.toPitch), node.copy.fromPitch = bytes(rows.fromPitch);
            else
                node.copy.toPitch = bytes(slices.toPitch), node.copy.fromPitch = bytes(slices.fromPitch);
            node.copy.toSlice = slices.count > 1 ? bytes(slices.toPitch) : node.copy.toPitch * node.copy.height;
            node.copy.fromSlice = slices.count > 1 ? bytes(slices.fromPitch) : node.copy.fromPitch * node.copy.height;
        }
        return add(node, after);
    }

    int open(Kind kind, const Launch &how, After after, const bool *flag) {
        const int number = static_cast<int>(nodes_.size()) + 1;
        Node front = setter(flag, number);
        front.firstEdge = addEdges(after);
        front.edges = edges_.size() - front.firstEdge;
        put(front);
        Node node;
        node.kind = kind;
        node.kernel.how = how;
        node.flag = flag;
        node.firstEdge = edges_.size();
        node.edges = 1;
        edges_.push_back(number - 1);
        put(node);
        described_.push_back({number, 0, 0});
        const int result = static_cast<int>(described_.size() - levels_.back().firstDescribed) - 1;
        levels_.push_back({number, described_.size()});
        hasConditions_ = true;
        return result;
    }

    /// Appends the predecessors of a node: present ones, each once, in the order of their numbers.
    size_t addEdges(After after) {
        const size_t first = edges_.size(), from = levels_.back().firstDescribed;
        for (const int number : after) {
            if (number < 0 || static_cast<size_t>(number) >= described_.size() - from)
                throw rt::Error(rt::DeviceError, "a node of a graph comes after one that does not exist");
            const Described &before = described_[from + static_cast<size_t>(number)];
            if (before.node >= 0)
                insertEdge(first, before.node);
            else
                for (size_t i = 0; i < before.edges; ++i)
                    insertEdge(first, edges_[before.firstEdge + i]);
        }
        return first;
    }
    void insertEdge(size_t first, int node) {
        size_t at = edges_.size();
        while (at > first && edges_[at - 1] > node)
            --at;
        if (at == first || edges_[at - 1] != node)
            edges_.insert(edges_.begin() + static_cast<std::ptrdiff_t>(at), node);
    }

    int absent(After after) {
        const size_t first = addEdges(after);
        described_.push_back({-1, first, edges_.size() - first});
        return static_cast<int>(described_.size() - levels_.back().firstDescribed) - 1;
    }
    /// The edges of a node that follows all nodes of a loop or branch: from those without a successor inside.
    void addEnds(int whole) {
        const size_t first = static_cast<size_t>(whole) + 1;
        std::vector<bool> isBefore(nodes_.size() - first, false);
        for (size_t i = first; i < nodes_.size(); ++i)
            for (size_t e = 0; nodes_[i].inside == whole && e < nodes_[i].edges; ++e)
                isBefore[static_cast<size_t>(edges_[nodes_[i].firstEdge + e]) - first] = true;
        for (size_t i = first; i < nodes_.size(); ++i)
            if (nodes_[i].inside == whole && !isBefore[i - first])
                edges_.push_back(static_cast<int>(i));
    }
    /// A node without edges that sets the condition of a loop or branch; its graph provides the condition and counters.
    Node setter(const bool *flag, int of) {
        Node node;
        node.kind = Kind::Set;
        node.sets = of;
        node.kernel = {{.name = "condition"}, conditionSetter(), Dim3(1), Dim3(1), 0, nullptr};
        node.arguments = (bytes_.size() + 15) / 16 * 16;
        if (const KernelTraits *kernel = node.kernel.kernel) {
            bytes_.resize(node.arguments + kernel->bytes);
            __builtin_memcpy(bytes_.data() + node.arguments + kernel->parameters[1].offset, &flag, sizeof flag);
        }
        return node;
    }

    int add(Node &node, After after) {
        node.firstEdge = addEdges(after);
        node.edges = edges_.size() - node.firstEdge;
        put(node);
        described_.push_back({static_cast<int>(nodes_.size()) - 1, 0, 0});
        return static_cast<int>(described_.size() - levels_.back().firstDescribed) - 1;
    }
    void put(Node &node) {
        node.inside = levels_.back().inside;
        addToKey(node);
        nodes_.push_back(node);
    }

    /// Everything in a node that an executable graph cannot change. For nodes in loops this includes the extent, since no
    /// documentation states that it may change there.
    void addToKey(const Node &node) {
        key_.add(static_cast<uint64_t>(node.kind));
        key_.add(static_cast<uint64_t>(node.inside + 1));
        key_.add(node.edges);
        for (size_t i = 0; i < node.edges; ++i)
            key_.add(static_cast<uint64_t>(edges_[node.firstEdge + i]));
        if (node.inside >= 0)
            for (const size_t word :
                 {size_t(node.kernel.grid.x), size_t(node.kernel.grid.y), size_t(node.kernel.grid.z), size_t(node.kernel.block.x),
                  size_t(node.kernel.block.y), size_t(node.kernel.block.z), node.kernel.shared, node.copy.width, node.fill.width})
                key_.add(word);
        if (node.kind == Kind::Kernel) {
            key_.add(node.kernel.kernel->function);
            key_.add(static_cast<uint64_t>(node.kernel.how.cooperative));
        } else if (node.kind == Kind::Fill) {
            key_.add(node.fill.elementSize);
        } else if (node.kind == Kind::Call) {
            key_.add(static_cast<const void *>(node.call)), key_.add(node.object);
            addBytes(node.arguments, node.call->bytes);
        } else if (node.kind == Kind::Copy) {
            key_.add(static_cast<uint64_t>(node.direction));
            key_.add(static_cast<uint64_t>(isRow(node)));
            if (isRow(node))
                return;
            key_.add(node.copy.to), key_.add(node.copy.from);
            for (const size_t word : {node.copy.toPitch, node.copy.toSlice, node.copy.fromPitch, node.copy.fromSlice,
                                      node.copy.width, node.copy.height, node.copy.depth})
                key_.add(word);
        }
    }

    void addBytes(size_t first, size_t count) {
        for (size_t i = 0; i < count; i += sizeof(uint64_t)) {
            uint64_t word = 0;
            __builtin_memcpy(&word, bytes_.data() + first + i, count - i < sizeof word ? count - i : sizeof word);
            key_.add(word);
        }
    }

    std::vector<Node> nodes_;
    std::vector<Described> described_;
    std::vector<Level> levels_{{-1, 0}}; // the loops around the next node, innermost last
    bool hasConditions_ = false;
    std::vector<int> edges_;
    std::vector<unsigned char> bytes_; // arguments of all kernels and calls
    GraphKey key_;
};

} // namespace sdfgc::gpu
