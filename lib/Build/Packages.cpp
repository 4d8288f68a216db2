// The packages, as `apt-cache show` and `dpkg --contents` have them on Debian 12 (bookworm). What only a vendor distributes has the
// name that the vendor's own repository gives it. The index is not asked at run time: it may be old, or absent as in most
// containers.
#include "sdfgc/Build/Packages.h"

namespace sdfgc::build {
namespace {

struct Row {
    std::string_view need;
    Package package;
};

constexpr Row rows[] = {
    // libraries
    {"openblas", {"libopenblas-dev", Origin::Debian}},
    {"lapacke", {"liblapacke-dev", Origin::Debian}},
    {"fftw3", {"libfftw3-dev", Origin::Debian}},
    {"fftw3f", {"libfftw3-dev", Origin::Debian}},
    {"omp", {"libomp-dev", Origin::Debian}},
    {"cublas", {"nvidia-cuda-dev", Origin::DebianNonFree}},
    {"cusolver", {"nvidia-cuda-dev", Origin::DebianNonFree}},
    {"cusparse", {"nvidia-cuda-dev", Origin::DebianNonFree}},
    {"cufft", {"nvidia-cuda-dev", Origin::DebianNonFree}},
    {"cub", {"libcub-dev", Origin::Debian}},
    {"cutensor", {"cutensor", Origin::Nvidia}},
    {"hipblas", {"hipblas-dev", Origin::Amd}},
    {"hipfft", {"hipfft-dev", Origin::Amd}},
    {"hipsolver", {"hipsolver-dev", Origin::Amd}},
    {"hipsparse", {"libhipsparse-dev", Origin::Debian}},
    {"hiptensor", {"hiptensor-dev", Origin::Amd}},
    {"rocprim", {"librocprim-dev", Origin::Debian}},
    // programs
    {"g++", {"g++", Origin::Debian}},
    {"clang++", {"clang", Origin::Debian}},
    {"nvcc", {"nvidia-cuda-toolkit", Origin::DebianNonFree}},
    {"hipcc", {"hipcc", Origin::Debian}},
    {"gfortran", {"gfortran", Origin::Debian}},
    {"cmake", {"cmake", Origin::Debian}},
    {"python3", {"python3", Origin::Debian}},
    {"addr2line", {"binutils", Origin::Debian}},
    {"dot", {"graphviz", Origin::Debian}},
};

} // namespace

std::optional<Package> packageOf(std::string_view need) {
    for (const Row &row : rows)
        if (row.need == need)
            return row.package;
    return std::nullopt;
}

std::string describe(const Package &package) {
    const std::string name(package.name);
    switch (package.origin) {
    case Origin::Debian:
        break;
    case Origin::DebianNonFree:
        return "package " + name + " of Debian's section non-free";
    case Origin::Nvidia:
        return "package " + name + " of NVIDIA's repository (developer.download.nvidia.com)";
    case Origin::Amd:
        return "package " + name + " of AMD's repository (repo.radeon.com)";
    }
    return "Debian package " + name;
}

} // namespace sdfgc::build
