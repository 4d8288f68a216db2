// Messages between the ranks of a job: what the MPI nodes of a graph call.
//
// Rules: every rank has a program of its own, with arguments of its own. A call names the element of the graph that it is for, its
// buffers as blocks (mpi/layout.h), and the ranks it goes to: the program's world, one of its grids (mpi/communicator.h), or a
// communicator of Fortran's that the host gave. A rank outside of a grid passes by. Sizes are 64-bit; what MPI's int cannot count
// goes as derived types or in parts. Every return code becomes an error of the program (mpi/error.h). A Program is a member of the
// program's state; one thread at a time may use it.
//
//   struct state_t { mpi::Program mpi; ... };
//   __state->mpi.send("Send of A", mpi::block(A, N, 1), 1, 0, mpi::world());
//   __state->mpi.allreduce("Allreduce of s", mpi::Op::Sum, mpi::block(s), mpi::block(s), mpi::grid(0));
#pragma once

#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/mpi/distributed.h"

namespace sdfgc::mpi {

/// All of it: one base class for each kind of call.
class Program : public Distributed {};

} // namespace sdfgc::mpi
