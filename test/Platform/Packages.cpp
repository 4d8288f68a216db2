#include "sdfgc/Platform/Libraries.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace sdfgc::platform;

namespace {

/// In section main of Debian 12: `apt-cache show` found each of them after `apt-get update` on bookworm.
const std::vector<std::string> indexed = {"binutils",
                                          "clang",
                                          "cmake",
                                          "g++",
                                          "g++-aarch64-linux-gnu",
                                          "gfortran",
                                          "graphviz",
                                          "hipcc",
                                          "libcub-dev",
                                          "libfftw3-dev",
                                          "libhipsparse-dev",
                                          "liblapacke-dev",
                                          "libomp-dev",
                                          "libopenblas-dev",
                                          "libopenmpi-dev",
                                          "librocprim-dev",
                                          "libscalapack-openmpi-dev",
                                          "libsleef-dev",
                                          "ocl-icd-opencl-dev",
                                          "python3",
                                          "qemu-user"};

} // namespace

TEST_CASE("what apt is advised to install is in the index of Debian 12") {
    std::vector<std::string> needs;
    for (const Library &l : libraries())
        needs.emplace_back(l.name);
    for (const ExternalProgram &p : programs())
        needs.emplace_back(p.name);
    CHECK(needs.size() > 20);
    for (const std::string &need : needs) {
        INFO(need);
        const std::optional<Package> package = packageOf(need);
        REQUIRE(package);
        const bool isIndexed = std::binary_search(indexed.begin(), indexed.end(), std::string(package->name));
        CHECK((package->origin == Origin::Debian) == isIndexed);
    }
}

TEST_CASE("a package is named with where it comes from") {
    CHECK(describe(packageOf("openblas").value()) == "Debian package libopenblas-dev");
    CHECK(describe(packageOf("cublas").value()) == "package nvidia-cuda-dev of Debian's section non-free");
    CHECK(describe(packageOf("cutensor").value()) == "package cutensor of NVIDIA's repository (developer.download.nvidia.com)");
    CHECK(describe(packageOf("hipblas").value()) == "package hipblas-dev of AMD's repository (repo.radeon.com)");
    CHECK(!packageOf("m"));
}
