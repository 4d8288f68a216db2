// What the emulation of MPI does without.
#pragma once

#include <string_view>

namespace sdfgc::platform {

/// Is the library, by its name in Libraries.def, one of those that the emulation of MPI replaces?
constexpr bool isEmulatedWithMpi(std::string_view library) { return library == "mpi" || library == "scalapack"; }

} // namespace sdfgc::platform
