// Messages between the ranks of a job. The MPI nodes of a graph call these functions.
//
// Rules: every rank has its own program and arguments. A call names its element of the graph, its buffers as blocks (mpi/layout.h),
// and its ranks: the program's world, one of its grids (mpi/communicator.h), or a Fortran communicator provided by the host. Ranks
// outside of a grid skip its calls. Sizes are 64-bit; counts beyond MPI's int are sent as derived types or in parts. Every return
// code becomes an error of the program (mpi/error.h). A Program is a member of the program's state; one thread at a time may use
// it.
//
//   struct state_t { mpi::Program mpi; ... };
//   __state->mpi.send("Send of A", mpi::block(A, N, 1), 1, 0, mpi::world());
//   __state->mpi.allreduce("Allreduce of s", mpi::Op::Sum, mpi::block(s), mpi::block(s), mpi::grid(0));
#pragma once

#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/mpi/distributed.h"

namespace sdfgc::mpi {

/// The complete interface, with one base class for each kind of call.
class Program : public Distributed {};

} // namespace sdfgc::mpi
