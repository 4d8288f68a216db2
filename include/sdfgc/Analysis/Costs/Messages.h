// Messages between the ranks of a program: formulas for messages and bytes of each MPI node.
//
// Every rank is assumed to run the graph as written (SPMD). A collective call over a group of P ranks is counted by a
// linear model, regardless of how an MPI library implements it (docs/user/mpi.md has the same table):
//
//     Send, Isend, Sendrecv     one message of the buffer from each rank      Recv, Wait     nothing: the sender counts
//     Bcast, Scatter            P - 1 messages from the root                  Gather, Reduce a message from each rank but the root
//     Allreduce                 Reduce to rank 0, then Bcast                  Barrier        the same with empty messages
//     Allgather, Alltoall       a message from each rank to each other
//     BlockScatter, BlockGather Scatter and Gather of blocks of their sizes, plus the Bcast or Reduce over a second grid
//     Redistribute              a message for every two overlapping blocks, including those from a rank to itself
//     Scatterv, Gatherv, ...    like those without v; the bytes of the entire buffer at most
//     Halo, AllgatherParts      to each rank but one, from those that have some of the elements; Allgather of the existing parts
//
// A nonblocking node counts like its blocking form. For a communicator that the program creates, all ranks count, as an
// upper bound.
#pragma once

#include "sdfgc/Analysis/Sizes/SizeExpr.h"

#include <string>
#include <vector>

namespace sdfgc::analysis {

/// Sent data: by all ranks together, and by the rank that sends most.
struct Traffic {
    SizeExpr messages, bytes, mostMessages, mostBytes;
};

/// The messages of one node of the libraries mpi and pblas, over all its executions in a call of the program.
struct NodeTraffic {
    std::string element; // `Bcast `name` (state s)`, as in the program's error messages
    Traffic traffic;
    bool atMost = false;      // upper bound: it is in a branch, in code that a jump leaves, or depends on data
    bool mostIsBound = false; // the maximum for a single rank is only a bound
    std::string uncounted;    // why the formulas cover a single execution; empty if they cover all
};

/// Returns all nodes in graph order, including those that send nothing. `ranks`: the symbol for the number of ranks.
/// Process grids must be resolved (the pass resolve-process-grids), and control flow must be structured. Sizes that
/// depend on symbols of a nested SDFG without a defining expression keep these symbols. Symbols are assumed to be
/// non-negative.
std::vector<NodeTraffic> trafficOf(ir::SDFG &root, Name ranks);

} // namespace sdfgc::analysis
