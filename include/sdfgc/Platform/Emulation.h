// Libraries that the emulation of MPI replaces.
#pragma once

#include <string_view>

namespace sdfgc::platform {

/// Does the emulation of MPI replace the library, given by its name in Libraries.def?
constexpr bool isEmulatedWithMpi(std::string_view library) { return library == "mpi" || library == "scalapack"; }

} // namespace sdfgc::platform
