// The libraries that programs call, and the requirements of the calling code: the tables Libraries.def and
// Environments.def, used by all other parts of sdfgc (expansions, lowering, printers, the build folder, the build,
// `doctor`).
#pragma once

#include "sdfgc/Platform/Packages.h"
#include "sdfgc/Support/Name.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::platform {

enum class Toolkit : std::uint8_t { Host, Cuda, Rocm };
enum class Linking : std::uint8_t { ByName, HeadersOnly };

/// A row of Libraries.def, which documents the fields.
struct Library {
    std::string_view name;
    Toolkit toolkit = Toolkit::Host;
    std::string_view header;
    Linking linking = Linking::ByName;
    std::string_view cmake, pkgConfig;
    Package package;
};

/// The libraries, in table order.
std::span<const Library> libraries();
/// Returns the library with that link name, or null.
const Library *library(std::string_view name);

/// The device that a GPU program is built for.
enum class Device : std::uint8_t {
    Emulated,
#define SDFGC_DIALECT(Name, Title, Device, ...) Device,
#include "sdfgc/Platform/Dialects.def"
};

/// Stands for a library that a device does not have; no toolchain has one of this name.
inline constexpr std::string_view noLibrary = "none";

/// Returns the libraries behind a device-independent name (`gpublas`, `gpusolver`; docs/user/build.md), in link order;
/// empty if none is needed. Any other name stands for itself.
std::vector<std::string> librariesBehind(const std::string &name, Device device);
/// Returns the common name of the library behind a name on a device of CUDA or HIP: `cuBLAS`, `hipBLAS`. The name must
/// be in the table.
std::string_view titleOf(std::string_view name, Device device);

/// A row of Environments.def, which documents the fields. Lists are words separated by blanks.
struct Environment {
    enum class Side : std::uint8_t { Host, Device, Tasklets } side;
    enum class Inputs : std::uint8_t { Const, InPlace } inputs;
    std::string_view name, calls, makers, topic, include, field, libraries;
};

/// The environments, in table order, which is also the order of their fields in the state.
std::span<const Environment> environments();
/// Returns the environment with a name or path (`dace.libraries.blas.environments.openblas.OpenBLAS`), or null.
const Environment *environment(std::string_view path);
/// Returns the environment of a function, as named in library calls (`cblas_ddot`, `gpuBlas.gemm`), or null.
const Environment *environmentOfCall(std::string_view function);

/// Returns the C++ spelling of an environment's function (`gpuBlas.gemm`): `__state->gpuBlas.gemm` if the environment
/// has a field in the program's state, otherwise a function of the runtime headers (`sdfgc::gpu::reduce`,
/// `sdfgc::rt::fftw::transform`). Names without a dot are unchanged.
std::string spelled(const Environment &e, std::string_view function);

/// Returns the namespace in which an environment's functions are objects, with which GPU graphs record their calls
/// (`sdfgc::gpu::blas`; docs/user/gpu-graphs.md); empty if they cannot be recorded.
std::string_view recordedIn(const Environment &e);

/// Returns the C++ spelling of an environment's function that combines arguments into one (`tensor`, `block`); empty
/// for other functions.
std::string makerOf(const Environment &e, std::string_view function);

/// Returns the environments that a node with these paths and this C++ code needs, without duplicates, in table order.
/// DaCe's OpenBLAS also covers LAPACKE, so the code decides, as it does for OpenMP and for DaCe's device environments.
/// Paths without a row need nothing.
std::vector<const Environment *> neededBy(std::span<const Name> paths, std::string_view code);

} // namespace sdfgc::platform
