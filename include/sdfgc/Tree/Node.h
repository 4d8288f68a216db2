// What all parts of the schedule tree are made of: variables, references to memory, nodes, blocks (Tree.h says how they make a
// program).
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Support/Id.h"
#include "sdfgc/Tasklet/Types.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sdfgc::tree {

struct Variable;
struct MemRef;
struct Function;
using VarId = Id<Variable>;      // of Function::vars
using RefId = Id<MemRef>;        // of Function::refs
using FunctionId = Id<Function>; // of Module::functions

/// The reference that a MemRef node of an expression stands for, and such a node.
inline RefId refOf(const py::Expr &e) { return RefId(static_cast<std::size_t>(e.slot)); }
inline py::ExprRef memRef(RefId r, Type t) { return py::memRef(r.index, t); }

/// Numbers that only the target knows, as calls in sizes (and in expressions): a printer spells them.
namespace number {
inline const Name teamSize = "__team_size";            // threads that a parallel region of the host gets
inline const Name thread = "__thread_number";          // of the host, in its team
inline const Name blocks = "__blocks";                 // (steps, threads of a block): blocks that it takes
inline const Name blockInGrid = "__block_in_grid";     // in a kernel
inline const Name threadInBlock = "__thread_in_block"; // in a kernel
inline const Name threadX = "__thread_x", threadY = "__thread_y", threadZ = "__thread_z"; // in a kernel, along an axis; no calls
inline const Name threadInGrid = "__thread_in_grid";                                      // in a kernel, over all blocks
inline const Name residentBlocks = "__resident_blocks"; // (kernel, threads of a block): blocks that the device runs at once
} // namespace number

/// Calls in expressions that check something while the program runs. `lower` makes the first two; insert-checks adds to them where
/// they stand, and makes the others. A printer spells them (sdfgc/rt/checks.h).
namespace check {
inline constexpr std::string_view prefix = "__check_";
inline const Name region = "__check_region"; // (address of a region): it lies in its container
inline const Name size = "__check_size";     // (container, place, sizes)
} // namespace check

enum class VarKind : uint8_t {
    Value,        // T x
    Stack,        // T x[count]
    Buffer,       // sdfgc::rt::Buffer<T> x: owning heap array; `count` given: allocated at the declaration, else by Allocate
    Pointer,      // T *x
    Reference,    // T &x
    Member,       // parent->name (struct member: pointer, value or struct pointer by type)
    StateField,   // __state->name
    Constant,     // file-scope constexpr value or array
    Stream,       // sdfgc::rt::Stream<T> x
    StreamRef,    // sdfgc::rt::Stream<T> &x
    StreamView,   // appends to an array: sdfgc::rt::ArrayStreamView<T> x(pointer)
    StructPtr,    // S *x
    Callback,     // function pointer parameter; `type` is the callback type
    DeviceBuffer, // sdfgc::gpu::Buffer<T> x: owning array in device memory, used as Buffer is
    PinnedBuffer, // sdfgc::gpu::PinnedBuffer<T> x: owning array in page-locked host memory
    PoolBuffer,   // sdfgc::gpu::PoolBuffer<T> x: owning array of the device's pool, allocated and released in the order of a stream
    Shared,       // in a kernel: T x[count] shared by the threads of a block
};
/// Does the variable own memory that the runtime of the device allocates?
constexpr bool isDeviceOwned(VarKind k) {
    return k == VarKind::DeviceBuffer || k == VarKind::PinnedBuffer || k == VarKind::PoolBuffer;
}
/// Does the variable own memory that is allocated while the program runs?
constexpr bool isOwned(VarKind k) { return k == VarKind::Buffer || isDeviceOwned(k); }

struct Variable {
    Name name; // unique among what is visible where it is used; the C++ identifier
    Type type; // element type (Value: the type itself)
    VarKind kind = VarKind::Value;
    sym::Expr count;         // Stack, Buffer: number of elements; Stream: number of streams (1)
    bool countKnown = true;  // Buffer: false when Allocate gives the size later
    int64_t alignment = 0;   // bytes, 0 = default
    sym::Expr startOffset;   // Buffer
    bool isConst = false;    // const value, pointer to const, reference to const
    bool isRestrict = false; // Pointer
    bool zeroed = false;     // zero-filled when allocated
    VarId parent;            // Member
    std::string comment;     // what it is, for the declaration (`transient tmp`), may be empty
};

/// What a reference means in the graph, for run-time checks (`--checks`): an element of a container, or a region of them.
struct Element {
    Name container;                 // as the graph calls it
    std::vector<sym::Expr> index;   // in each dimension, without what depends on data
    std::vector<sym::Expr> shape;   // of the container; `?` for a size that the program does not know
    std::vector<sym::Expr> extent;  // elements of a region along each dimension; none: it is one element
    std::vector<sym::Expr> counted; // the dimensions that the data-dependent indices count: constants
    sym::Expr memory = 0;           // elements of the memory that the container is a part of; 0: its own, or unknown
};

/// A place in memory. Element index = offset + sum(indices[k] * strides[k]); indices come from data-dependent subscripts.
struct MemRef {
    VarId var;
    sym::Expr offset = 0;
    std::vector<sym::Expr> strides; // of the py::Expr::args of the MemRef node that uses this slot
    bool address = false;           // the address `&x[offset]` is meant, not the element
    bool pop = false;               // a stream: one element is popped
    Type castTo;                    // when not void: reinterpret the address as pointer to this type
    std::optional<Element> element; // with `--checks`
};

/// Calls `f` with every size in a reference: offset, strides, and what is known for checks.
template <class Ref, class F> void forEachSize(Ref &r, F &&f) {
    f(r.offset);
    for (auto &stride : r.strides)
        f(stride);
    if (!r.element)
        return;
    for (auto *list : {&r.element->index, &r.element->shape, &r.element->extent})
        for (auto &size : *list)
            f(size);
    f(r.element->memory);
}

enum class Kind : uint8_t {
#define NODE(K, ...) K,
#include "sdfgc/Tree/Nodes.def"
};

struct Node {
    explicit Node(Kind k) : kind(k) {}
    virtual ~Node();
    const Kind kind;
    std::string comment;     // printed above the statement: names the graph element
    std::vector<int> origin; // {cfg id, state id, node id...} for the source map; may be empty
};
using NodePtr = std::unique_ptr<Node>;

/// What every kind of node derives from: it says which kind it is, to `isa` and `dyn_cast`.
template <Kind K> struct NodeOf : Node {
    NodeOf() : Node(K) {}
    static bool classof(const Node *n) { return n->kind == K; }
};

struct Block : NodeOf<Kind::Block> {
    std::vector<NodePtr> body;
    bool braces = false; // opens a C++ scope
    Name raises;         // a deferred error that the block declares; it raises what the error caught, after the statements
    Name catches;        // the deferred error that gets what the statements throw; they are skipped where it has something
    template <class T, class... A> T *add(A &&...a) {
        auto p = std::make_unique<T>(std::forward<A>(a)...);
        T *raw = p.get();
        body.push_back(std::move(p));
        return raw;
    }
};

} // namespace sdfgc::tree
