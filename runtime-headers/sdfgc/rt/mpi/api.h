// MPI's C interface: the machine's, or the emulation's.
//
// Rules: nothing beyond MPI 3.1 is used, so any implementation serves. The old C++ binding is disabled, because it takes longer to
// parse than everything else. With SDFGC_MPI_EMULATE the same functions run ranks as threads of one process (mpi/emulate.h).
#pragma once

#ifdef SDFGC_MPI_EMULATE
#include "sdfgc/rt/mpi/emulate.h"
#else
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

namespace sdfgc::mpi {
/// The emulation names the element of the graph in its reports; a real MPI ignores it.
inline void enterElement(const char *) noexcept {}
} // namespace sdfgc::mpi
#endif
