#include "sdfgc/Package/Libraries.h"

namespace sdfgc::package {

std::vector<std::string> librariesBehind(const std::string &name, Device device) {
    struct Behind {
        const char *name;
        std::vector<std::string> emulated, cuda, hip;
    };
    static const Behind all[] = {
        {"gpublas", {"openblas"}, {"cublas"}, {"hipblas"}},
        {"gpufft", {"fftw3", "fftw3f"}, {"cufft"}, {"hipfft"}},
        {"gpuprimitives", {}, {"cub"}, {"rocprim"}},
        {"gpusolver", {"lapacke", "openblas"}, {"cusolver", "cublas"}, {"hipsolver", "hipblas"}},
        {"gpusparse", {}, {"cusparse"}, {"hipsparse"}},
        {"gputensor", {}, {"cutensor"}, {"hiptensor"}},
    };
    for (const Behind &b : all)
        if (name == b.name)
            return device == Device::Emulated ? b.emulated : device == Device::Cuda ? b.cuda : b.hip;
    return {name};
}

bool isHeadersOnly(const std::string &library) { return library == "cub" || library == "rocprim"; }

} // namespace sdfgc::package
