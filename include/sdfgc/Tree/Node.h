// The building blocks of the schedule tree: variables, memory references, nodes, blocks (Tree.h explains how they form
// a program).
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

/// Converts between MemRef nodes of expressions and the references that they denote.
inline RefId refOf(const py::Expr &e) { return RefId(static_cast<std::size_t>(e.slot)); }
inline py::ExprRef memRef(RefId r, Type t) { return py::memRef(r.index, t); }

/// Numbers that only the target knows, represented as calls in sizes (and expressions), which a printer spells.
namespace number {
inline const Name teamSize = "__team_size";            // number of threads of a host parallel region
inline const Name thread = "__thread_number";          // number of the host thread in its team
inline const Name blocks = "__blocks";                 // (steps, threads per block): number of blocks needed
inline const Name blockInGrid = "__block_in_grid";     // in a kernel
inline const Name threadInBlock = "__thread_in_block"; // in a kernel
inline const Name threadX = "__thread_x", threadY = "__thread_y", threadZ = "__thread_z"; // in a kernel, along one axis; not calls
inline const Name threadInGrid = "__thread_in_grid";                                      // in a kernel, over all blocks
inline const Name residentBlocks = "__resident_blocks"; // (kernel, threads per block): blocks that the device runs at once
} // namespace number

/// Calls in expressions that perform run-time checks. `lower` creates the first two; insert-checks extends them in
/// place and creates the others. A printer spells them (sdfgc/rt/checks.h).
namespace check {
inline constexpr std::string_view prefix = "__check_";
inline const Name region = "__check_region"; // (address of a region): it is inside its container
inline const Name size = "__check_size";     // (container, place, sizes)
} // namespace check

enum class VarKind : uint8_t {
    Value,        // T x
    Stack,        // T x[count]
    Buffer,       // sdfgc::rt::Buffer<T> x: owning heap array; `count` given: allocated at the declaration, otherwise by Allocate
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
    DeviceBuffer, // sdfgc::gpu::Buffer<T> x: owning array in device memory, used like Buffer
    PinnedBuffer, // sdfgc::gpu::PinnedBuffer<T> x: owning array in page-locked host memory
    PoolBuffer,   // sdfgc::gpu::PoolBuffer<T> x: owning array in the device's pool, allocated and released in stream order
    Shared,       // in a kernel: T x[count] shared by the threads of a block
};
/// Does the variable own memory allocated by the device runtime?
constexpr bool isDeviceOwned(VarKind k) {
    return k == VarKind::DeviceBuffer || k == VarKind::PinnedBuffer || k == VarKind::PoolBuffer;
}
/// Does the variable own memory allocated at run time?
constexpr bool isOwned(VarKind k) { return k == VarKind::Buffer || isDeviceOwned(k); }

struct Variable {
    Name name; // the C++ identifier; unique among visible names wherever it is used
    Type type; // element type (Value: the type itself)
    VarKind kind = VarKind::Value;
    sym::Expr count;         // Stack, Buffer: number of elements; Stream: number of streams (1)
    bool countKnown = true;  // Buffer: false if Allocate provides the size later
    int64_t alignment = 0;   // bytes, 0 = default
    sym::Expr startOffset;   // Buffer
    bool isConst = false;    // const value, pointer to const, reference to const
    bool isRestrict = false; // Pointer
    bool zeroed = false;     // zero-filled when allocated
    bool isIndex = false;    // Value, in a kernel with two types of indices: of the type that its launch chooses (KernelInfo)
    VarId parent;            // Member
    std::string comment;     // description for the declaration (`transient tmp`), may be empty
};

/// The graph element behind a reference, for run-time checks (`--checks`): an element of a container, or a region of
/// them.
struct Element {
    Name container;                 // as named in the graph
    std::vector<sym::Expr> index;   // in each dimension, without data-dependent parts
    std::vector<sym::Expr> shape;   // of the container; `?` for a size that the program does not know
    std::vector<sym::Expr> extent;  // elements of a region along each dimension; empty: a single element
    std::vector<sym::Expr> counted; // the dimensions of the data-dependent indices: constants
    sym::Expr memory = 0;           // elements of the memory that contains the container; 0: its own memory, or unknown
};

/// A location in memory. Element index = offset + sum(indices[k] * strides[k]); the indices are data-dependent
/// subscripts.
struct MemRef {
    VarId var;
    sym::Expr offset = 0;
    std::vector<sym::Expr> strides; // of the py::Expr::args of the MemRef node that uses this slot
    bool address = false;           // the address `&x[offset]` instead of the element
    bool pop = false;               // a stream: one element is popped
    Type castTo;                    // unless void: reinterpret the address as a pointer to this type
    std::optional<Element> element; // with `--checks`
};

/// Calls `f` for every size in a reference: offset, strides, and data for checks.
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

enum class TreeKind : uint8_t {
#define NODE(K, ...) K,
#include "sdfgc/Tree/Nodes.def"
};

struct Node {
    explicit Node(TreeKind k) : kind(k) {}
    virtual ~Node();
    const TreeKind kind;
    std::string comment;     // printed before the statement: names the graph element
    std::vector<int> origin; // {cfg id, state id, node id...} for the source map; may be empty
};
using NodePtr = std::unique_ptr<Node>;

/// Base of all node kinds, which provides the kind for `isa` and `dyn_cast`.
template <TreeKind K> struct NodeOf : Node {
    NodeOf() : Node(K) {}
    static bool classof(const Node *n) { return n->kind == K; }
};

struct Block : NodeOf<TreeKind::Block> {
    std::vector<NodePtr> body;
    bool braces = false; // opens a C++ scope
    Name raises;         // a deferred error that the block declares and rethrows, if it caught something, after the statements
    Name catches;        // the deferred error that catches exceptions of the statements, which are skipped once it holds one
    template <class T, class... A> T *add(A &&...a) {
        auto p = std::make_unique<T>(std::forward<A>(a)...);
        T *raw = p.get();
        body.push_back(std::move(p));
        return raw;
    }
};

} // namespace sdfgc::tree
