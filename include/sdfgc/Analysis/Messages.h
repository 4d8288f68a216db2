// What the ranks of a program send to each other: formulas of messages and bytes for each MPI node.
//
// Every rank is taken to do what the graph says (SPMD). A call of all ranks of a group of P is counted by a linear model, whatever an MPI
// makes of it (docs/user/mpi.md has the same table):
//
//     Send, Isend, Sendrecv     one message of the buffer from each rank        Recv, Wait     nothing: the sender counts
//     Bcast, Scatter            P - 1 messages from the root                    Gather, Reduce a message from each rank but the root
//     Allreduce                 Reduce to rank 0, then Bcast                    Barrier        the same with empty messages
//     Allgather, Alltoall       a message from each rank to each other
//     BlockScatter, BlockGather Scatter and Gather of blocks of what sizes they are, with the Bcast or Reduce over a second grid
//     Redistribute              a message for each two blocks that overlap, those of a rank to itself included
//     Scatterv, Gatherv, ...    as those without v; the bytes of the whole buffer at most
//     Halo, AllgatherParts      to each rank but one, from those that have some of the elements; Allgather of what parts there are
//
// A node with a request counts as the one that it is the beginning of. Of a communicator that the program makes, all ranks count at most.
#pragma once

#include "sdfgc/Analysis/SizeExpr.h"

#include <string>
#include <vector>

namespace sdfgc::analysis {

/// What is sent: by all ranks together, and by the rank that sends most.
struct Traffic {
    SizeExpr messages, bytes, mostMessages, mostBytes;
};

/// The messages of one node of the libraries mpi and pblas, for all times that it runs in a call of the program.
struct NodeTraffic {
    std::string element; // `Bcast `name` (state s)`, as errors of the program name it
    Traffic traffic;
    bool atMost = false;      // it stands in a branch, in what a jump leaves, or depends on data
    bool mostIsBound = false; // of what one rank sends only a bound is known
    std::string uncounted;    // why the formulas are those of one time; empty: they are not
};

/// All nodes in the order of the graph, those that send nothing included. `ranks`: the symbol for the number of ranks. Of a graph in
/// which process grids are resolved (the pass resolve-process-grids) and control flow is structured. Sizes that depend on symbols of a
/// nested SDFG that nothing defines by an expression keep them. Symbols are taken not to be negative.
std::vector<NodeTraffic> trafficOf(ir::SDFG &root, Name ranks);

} // namespace sdfgc::analysis
