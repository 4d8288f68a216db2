// Return codes of MPI as errors of the program.
//
// Rules: a library never aborts the job. The communicators that a program makes return codes (MPI_ERRORS_RETURN); each code other
// than MPI_SUCCESS becomes an rt::Error that names the element of the graph, the function, MPI's own text and the rank.
#pragma once

#include "sdfgc/rt/abi.h"
#include "sdfgc/rt/mpi/api.h"

#include <string>

namespace sdfgc::mpi {

/// The origin of a call: an element of the graph as text, `Send of A (state exchange)`, and the calling rank.
struct Caller {
    const char *element;
    int rank;
};

[[noreturn]] inline void fail(const Caller &caller, const std::string &why) {
    const std::string text = std::string(caller.element) + ": " + why + " (rank " + std::to_string(caller.rank) + ")";
    throw rt::Error(rt::ProgramError, text.c_str());
}

/// Throws unless `code` is MPI_SUCCESS.
inline void check(const Caller &caller, int code, const char *function) {
    if (code == MPI_SUCCESS)
        return;
    char reason[MPI_MAX_ERROR_STRING + 1] = "";
    int length = 0;
    MPI_Error_string(code, reason, &length);
    fail(caller, std::string(function) + ": " + reason);
}

} // namespace sdfgc::mpi
