// The libraries that programs call, and what code needs that calls them: the tables Libraries.def and Environments.def, which every
// other part of sdfgc asks (expansions, lowering, printers, the build folder, the build, `doctor`).
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

/// A row of Libraries.def, which says what the fields mean.
struct Library {
    std::string_view name;
    Toolkit toolkit = Toolkit::Host;
    std::string_view header;
    Linking linking = Linking::ByName;
    std::string_view cmake, pkgConfig;
    Package package;
};

/// The libraries, in the order of the table.
std::span<const Library> libraries();
/// The library of that link name, or null.
const Library *library(std::string_view name);

/// What a GPU program is built for.
enum class Device : std::uint8_t { Emulated, Cuda, Hip };

/// The libraries behind a name that means others on each device (`gpublas`, `gpusolver`; docs/user/build.md), in the order in which they
/// are linked; empty where none is needed. Any other name stands for itself.
std::vector<std::string> librariesBehind(const std::string &name, Device device);
/// What people call the library behind a name on a device of CUDA or HIP: `cuBLAS`, `hipBLAS`. The name must be in the table.
std::string_view titleOf(std::string_view name, Device device);

/// A row of Environments.def, which says what the fields mean. Lists are words with a blank between them.
struct Environment {
    enum class Side : std::uint8_t { Host, Device, Tasklets } side;
    enum class Inputs : std::uint8_t { Const, InPlace } inputs;
    std::string_view name, calls, makers, topic, include, field, libraries;
};

/// The environments, in the order of the table, which is that of fields in the state.
std::span<const Environment> environments();
/// The environment with a name or path (`dace.libraries.blas.environments.openblas.OpenBLAS`), or null.
const Environment *environment(std::string_view path);
/// The environment that has a function, as library calls name it (`cblas_ddot`, `gpuBlas.gemm`), or null.
const Environment *environmentOfCall(std::string_view function);

/// A function of an environment (`gpuBlas.gemm`) as C++ spells it: `__state->gpuBlas.gemm` where the environment has a field in the
/// program's state, else a function of the runtime headers (`sdfgc::gpu::reduce`, `sdfgc::rt::fftw::transform`); names without a
/// dot stay.
std::string spelled(const Environment &e, std::string_view function);

/// Where the functions of an environment stand as objects, by which GPU graphs record their calls (`sdfgc::gpu::blas`; docs/user/gpu-graphs.md);
/// empty where they cannot be recorded.
std::string_view recordedIn(const Environment &e);

/// A function of an environment that makes an argument of others (`tensor`, `block`) as C++ spells it; empty where it is none.
std::string makerOf(const Environment &e, std::string_view function);

/// The environments that a node with these paths and this C++ code needs, each once, in the order of the table. DaCe's OpenBLAS
/// stands for LAPACKE as well, which only the code tells, as it tells of OpenMP and of DaCe's environments for devices; paths that
/// no row has ask for nothing.
std::vector<const Environment *> neededBy(std::span<const Name> paths, std::string_view code);

} // namespace sdfgc::platform
