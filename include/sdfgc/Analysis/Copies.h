// Copies: their shape, and the one table that says how each is made. The pass select-copies asks it and writes the answer into the
// graph, the lowering follows, the verifier compares.
//
// Who copies decides first: threads of a kernel, or the host: by itself if both sides are in its memory, else by an operation that
// it queues on a stream.
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
// (docs/user/gpu.md shows each row.) Rows and slices do not overlap or run backwards: a distance that is provably smaller than what lies
// in between is no pitch. Dimensions that continue each other on both sides are joined before; memory without gaps that both
// sides go through in the same order, row-major or not, is one run. A Kernel is a map over the elements. Staged goes through a
// contiguous container of the type of the side in the other memory; select-copies says where it lies.
//
// A single element of the host is assigned. Vectors and the elements that they are made of are the same bytes: the host converts
// nothing between them. Different memory is provably so (sdfgc/Analysis/Memories.h).
//
// The rule for streams comes from the reference on GPU code generation, section 7.2, with four changes: slices, strided copies
// between devices through a kernel instead of one call per element, conversions, and no case without an answer.
#pragma once

#include "sdfgc/Analysis/Axes.h"
#include "sdfgc/Analysis/Memories.h"
#include "sdfgc/IR/Sdfg.h"

#include <optional>
#include <set>

namespace sdfgc::analysis {

/// A dimension in which both sides move, by so many elements of memory.
struct CopyDim {
    sym::Expr size, from, to;
};

struct CopyShape {
    std::vector<Axis> from, to;
    bool corresponding = true; // dimension by dimension; else in row-major order of both sides
    std::vector<CopyDim> dims; // joined, outermost first, if corresponding; one run has one
    bool isRun() const { return dims.size() == 1 && dims[0].from.isOne() && dims[0].to.isOne(); }
    /// Is the innermost dimension one of contiguous elements?
    bool inRows() const { return !dims.empty() && dims.back().from.isOne() && dims.back().to.isOne(); }
};

/// The shape of a copy between two iterations over memory.
CopyShape copyShape(std::vector<Axis> from, std::vector<Axis> to);

/// Who runs the code of a node: the host, all threads of a persistent kernel together, all threads of a block, or one thread. Looks
/// through scopes and nested SDFGs outwards; a kernel without maps over its threads is code of one thread.
enum class Executor : uint8_t { Host, Grid, Block, Thread };
Executor executorOf(const ir::Node &n);

/// Has a kernel maps over the threads of its blocks? Then a block runs each iteration together.
bool runByBlocks(const ir::MapEntry &kernel);

struct CopyEnds {
    Executor executor = Executor::Host;
    bool fromDevice = false, toDevice = false;
    bool inRegisters = false; // one of the sides
    bool converts = false;    // different types
    bool repacks = false;     // different types, one of which is a vector: the same bytes
    bool resolves = false;    // write-conflict resolution
    bool apart = false;       // in memory that is provably not the same
};

/// The table above; never Undecided.
ir::CopyMethod chooseCopy(const CopyEnds &ends, const CopyShape &shape);

/// A copy of a graph: an edge between access nodes, through scopes or not, or a copy node's out-edge.
struct GraphCopy {
    ir::Edge *edge = nullptr; // whose memlet has the method
    ir::AccessNode *from = nullptr, *to = nullptr;
    Name fromData, toData; // the containers, or members of them
    const ir::DataDesc *source = nullptr, *target = nullptr;
    sym::Subset fromSubset, toSubset;
    ir::LibraryNode *node = nullptr; // if it is one
    Executor executor = Executor::Host;
    bool apart = false; // in different memory
    CopyEnds ends() const;
    CopyShape shape() const;
};

/// Could a copy that moves element after element, in row-major order, write an element that it reads later? Copies of a block or grid
/// are not asked about: their threads wait for each other.
bool overwritesItsSource(const GraphCopy &c, Memories &memories);

/// Is it the edge at which the lowered program copies between two access nodes, pushes or pops elements of a stream, or sets a
/// reference? On a path through scopes that is the innermost edge. Nothing moves where a view says what it looks at, nor where a
/// container goes onto itself: an access node of the container that its scope hands on only says that it was written there.
bool isTransfer(ir::Edge &e);

/// The subset of the side of a copy that does not name one, where the other side is `given` and the container `whole` (format
/// reference 6.14): the whole container if it has as many elements; the same indices if it has another number; if unknown, as
/// many elements in each dimension as are given, from the first one.
sym::Subset missingSubset(const sym::Subset &given, const sym::Subset &whole, const sym::Assumptions &facts = {});

/// Containers of an SDFG that are used outside of scopes or in more than one: what each iteration does not have for itself.
std::set<Name> sharedContainers(const ir::SDFG &g);

/// Library nodes that the lowering makes as they are. No expansion is needed, and their ends may be in different memories.
bool isCopyNode(const ir::LibraryNode &n);
bool isFillNode(const ir::LibraryNode &n);

/// The copies of a state. Setting a reference moves nothing; streams, and structures in a kernel, have ways of their own.
std::vector<GraphCopy> copiesOf(ir::State &s, Memories &memories);

} // namespace sdfgc::analysis
