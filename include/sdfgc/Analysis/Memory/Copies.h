// The shape of copies, and the one table that chooses how each is performed. The pass select-copies records the choice
// in the graph, the lowering follows it, and the verifier checks it.
//
// The executor comes first: threads of a kernel; the host itself, if both sides are in its memory; otherwise an
// operation that the host queues on a stream.
//
//     #   who      condition (first that holds)                                       method
//     1   kernel   a side is in registers, or one thread runs the code                PerThread     each thread for itself
//     2   kernel   otherwise: a block, or the grid, as a whole runs the code          Cooperative   the threads share the elements
//     3   host     several elements, one run on both sides, in different memory;      Linear        one copy of bytes
//                  nothing is converted or resolved
//     4   host     otherwise                                                          Elements      one by one, in loops
//     5   stream   elements are converted or resolved, both sides on the device       Kernel
//     6   stream   elements are converted or resolved, one side on the host           Staged
//     7   stream   one run of memory on both sides                                    Linear        one asynchronous copy
//     8   stream   rows: contiguous elements, or single ones, at a constant distance  Pitched       one copy of rows
//     9   stream   both sides on the device                                           Kernel
//     10  stream   slices of rows, at distances that are multiples of the rows'       Pitched3D     one copy of slices
//     11  stream   rows again, with more dimensions around them                       Batched       a loop around copies of rows
//     12  stream   otherwise                                                          Staged
//
// (docs/user/gpu.md illustrates each row.) Rows and slices neither overlap nor run backwards: a distance that is
// provably smaller than the extent below it is not a pitch. Dimensions that are contiguous on both sides are merged
// first; memory without gaps that both sides traverse in the same order, row-major or not, is one run. A Kernel is a
// map over the elements. Staged goes through a contiguous container with the type of the side in the other memory;
// select-copies chooses its position.
//
// A single element of the host is assigned. A vector has the same bytes as its elements, so the host converts nothing
// between them. "Different memory" means provably different (sdfgc/Analysis/Memory/Memories.h).
//
// The rule for streams comes from the reference on GPU code generation, section 7.2, with four changes: slices, strided
// copies between devices by a kernel instead of one call per element, conversions, and an answer for every case.
#pragma once

#include "sdfgc/Analysis/Memory/Axes.h"
#include "sdfgc/Analysis/Memory/Memories.h"
#include "sdfgc/IR/Sdfg.h"

#include <optional>
#include <set>

namespace sdfgc::analysis {

/// A dimension in which both sides move, with their distances in elements.
struct CopyDim {
    sym::Expr size, from, to;
};

struct CopyShape {
    std::vector<Axis> from, to;
    bool corresponding = true; // dimension by dimension; otherwise in row-major order of both sides
    std::vector<CopyDim> dims; // merged, outermost first, if corresponding; a single run has one
    bool isRun() const { return dims.size() == 1 && dims[0].from.isOne() && dims[0].to.isOne(); }
    /// Is the innermost dimension one of contiguous elements?
    bool inRows() const { return !dims.empty() && dims.back().from.isOne() && dims.back().to.isOne(); }
};

/// The shape of a copy between two iterations over memory.
CopyShape copyShape(std::vector<Axis> from, std::vector<Axis> to);

/// Who runs the code of a node: the host, all threads of a persistent kernel together, all threads of a block, or one
/// thread. Looks outwards through scopes and nested SDFGs; the code of a kernel without maps over its threads runs on
/// one thread.
enum class Executor : uint8_t { Host, Grid, Block, Thread };
Executor executorOf(const ir::Node &n);

/// Does a kernel have maps over the threads of its blocks? Then an entire block runs each iteration.
bool runByBlocks(const ir::MapEntry &kernel);

struct CopyEnds {
    Executor executor = Executor::Host;
    bool fromDevice = false, toDevice = false;
    bool inRegisters = false; // one of the sides
    bool converts = false;    // different types
    bool repacks = false;     // different types, one of which is a vector of the other: the same bytes
    bool resolves = false;    // write-conflict resolution
    bool apart = false;       // provably in different memory
};

/// The table above; never Undecided.
ir::CopyMethod chooseCopy(const CopyEnds &ends, const CopyShape &shape);

/// A copy in a graph: an edge between access nodes, possibly through scopes, or the out-edge of a copy node.
struct GraphCopy {
    ir::Edge *edge = nullptr; // its memlet stores the method
    ir::AccessNode *from = nullptr, *to = nullptr;
    Name fromData, toData; // the containers, or members of them
    const ir::DataDesc *source = nullptr, *target = nullptr;
    sym::Subset fromSubset, toSubset;
    ir::LibraryNode *node = nullptr; // for a copy node
    Executor executor = Executor::Host;
    bool apart = false; // in different memory
    CopyEnds ends() const;
    CopyShape shape() const;
};

/// Could a copy in row-major order write an element that it has yet to read? Only for copies by one thread: the threads
/// of a block or grid wait for each other.
bool overwritesItsSource(const GraphCopy &c, Memories &memories);

/// Is it the edge at which the lowered program copies between two access nodes, pushes to or pops from a stream, or
/// sets a reference? On a path through scopes that is the innermost edge. An edge that defines a view transfers
/// nothing. Neither does one from a container to itself: an access node of a container that its scope passes on only
/// states that the container was written there.
bool isTransfer(const ir::Edge &e);

/// Does the edge only state what a view shows?
bool isViewing(const ir::Edge &e);

/// Returns the subset of the side of a copy that does not specify one, if the other side is `given` and the container
/// is `whole` (format reference 6.14): the entire container if its number of elements equals that of `given`; the same
/// indices if it differs; if that is unknown, as many elements in each dimension as are given, from the first one.
sym::Subset missingSubset(const sym::Subset &given, const sym::Subset &whole, const sym::Assumptions &facts = {});

/// Returns the containers of an SDFG that are used outside scopes or in several scopes, and thus are not private to an
/// iteration.
std::set<Name> sharedContainers(const ir::SDFG &g);

/// Library nodes that lowering handles directly. They need no expansion, and their ends may be in different memories.
bool isCopyNode(const ir::LibraryNode &n);
bool isFillNode(const ir::LibraryNode &n);

/// Returns the copies of a state. Excludes setting references, which moves nothing, and streams and structures in
/// kernels, which are copied differently.
std::vector<GraphCopy> copiesOf(ir::State &s, Memories &memories);

} // namespace sdfgc::analysis
