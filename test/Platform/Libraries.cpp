#include "sdfgc/Platform/Dialects.h"
#include "sdfgc/Support/Text.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::platform;

using Names = std::vector<std::string>;

TEST_CASE("libraries: a name that means others on each device") {
    CHECK(librariesBehind("gpublas", Device::Emulated) == Names{"openblas"});
    CHECK(librariesBehind("gpublas", Device::Cuda) == Names{"cublas"});
    CHECK(librariesBehind("gpusolver", Device::Hip) == Names{"hipsolver", "hipblas"});
    CHECK(librariesBehind("gpusparse", Device::Cuda) == Names{"cusparse"});
    CHECK(librariesBehind("gpusparse", Device::Emulated).empty());
    CHECK(librariesBehind("gputensor", Device::Hip) == Names{"hiptensor"});
    CHECK(librariesBehind("fftw3", Device::Cuda) == Names{"fftw3"});
    CHECK(titleOf("gpublas", Device::Hip) == "hipBLAS");
    CHECK(titleOf("gpublas", Device::Cuda) == "cuBLAS");
}

TEST_CASE("libraries: the rows of the tables know each other") {
    for (const Environment &e : environments())
        for (const std::string &name : text::words(e.libraries))
            for (Device device : {Device::Emulated, Device::Cuda, Device::Hip})
                for (const std::string &behind : librariesBehind(name, device)) {
                    INFO(e.name << " " << name << " " << behind);
                    CHECK(library(behind));
                }
    for (const Dialect &d : dialects())
        CHECK((packageOf(d.compiler) || d.device == Device::OpenCl)); // whose programs the compiler of the host compiles
}

TEST_CASE("environments: by path, by function, and what a node needs") {
    REQUIRE(environment("dace.libraries.blas.environments.openblas.OpenBLAS"));
    CHECK(environment("dace.libraries.blas.environments.openblas.OpenBLAS") == environment("OpenBLAS"));
    CHECK_FALSE(environment("dace.libraries.standard.environments.cpu.CPU"));
    REQUIRE(environmentOfCall("LAPACKE_dgetrf"));
    CHECK(environmentOfCall("LAPACKE_dgetrf")->inputs == Environment::Inputs::InPlace);
    CHECK(spelled(*environment("OpenBLAS"), "cblas_ddot") == "cblas_ddot");
    CHECK(spelled(*environment("GpuBlas"), "gpuBlas.gemm") == "__state->gpuBlas.gemm");
    CHECK(spelled(*environment("GpuPrimitives"), "gpuPrimitives.reduce") == "sdfgc::gpu::reduce");
    CHECK(spelled(*environment("FFTW"), "fftw.transform") == "sdfgc::rt::fftw::transform");
    CHECK(environmentOfCall("gpuBlas.gemm") == environment("GpuBlas"));
    CHECK_FALSE(environmentOfCall("cblas"));
    CHECK(recordedIn(*environment("GpuBlas")) == "sdfgc::gpu::blas");
    CHECK(recordedIn(*environment("GpuFft")).empty());
    auto needed = [](std::vector<Name> paths, const char *code) {
        std::string out;
        for (const Environment *e : neededBy(paths, code))
            out += std::string(e->name) + " ";
        return out;
    };
    CHECK(needed({"a.b.OpenBLAS", "x.GpuFft"}, "cblas_ddot();") == "OpenBLAS GpuFft ");
    CHECK(needed({"OpenBLAS"}, "LAPACKE_dpotrf();") == "OpenBLAS LAPACKE ");
    CHECK(needed({"cuBLAS"}, "nothing").empty());
    CHECK(needed({}, "cublasDgemm(__state->cublas_handle.get());") == "cuBLAS ");
    CHECK(needed({"unknown.Thing"}, "LAPACKE_dpotrf();").empty());
}

TEST_CASE("dialects: of targets, files and words") {
    CHECK_FALSE(dialect("cpu"));
    REQUIRE(dialect("hip"));
    CHECK(dialectOfFile("src/hip/a.hip") == dialect("hip"));
    CHECK(dialectOfFile("src/cuda/a.cu") == dialect("cuda"));
    CHECK_FALSE(dialectOfFile("src/cpu/a.cpp"));
    CHECK(dialectOfWord("cudaMemcpyAsync") == dialect("cuda"));
    CHECK(dialectOfWord("rocblas_dgemm") == dialect("hip"));
    CHECK_FALSE(dialectOfWord("cudaic"));
    CHECK_FALSE(dialectOfWord("hip"));
}
