#include "DeviceLibraries.h"

#include <algorithm>

namespace sdfgc::targets {
namespace {

constexpr DeviceLibrary libraries[] = {
    {"__state->cublas_handle", "\"dace/libraries/cublas.h\"", "dace::blas::CublasHandle cublas_handle;", "cublas"},
    {"cufftHandle", "<cufftXt.h>", "", "cufft"},
    {"__state->cusparse_handle", "\"dace/libraries/cusparse.h\"", "dace::sparse::CusparseHandle cusparse_handle;", "cusparse"},
    {"__state->cutensor_handle", "\"dace/libraries/cutensor.h\"", "dace::linalg::CuTensorHandle cutensor_handle;", "cutensor"},
};

} // namespace

std::vector<DeviceLibrary> mentionedLibraries(const std::vector<std::vector<std::string>> &texts) {
    std::vector<DeviceLibrary> out;
    for (const DeviceLibrary &l : libraries) {
        auto mentions = [&](const std::string &text) { return text.find(l.mention) != std::string::npos; };
        if (std::any_of(texts.begin(), texts.end(), [&](const auto &list) { return std::any_of(list.begin(), list.end(), mentions); }))
            out.push_back(l);
    }
    return out;
}

} // namespace sdfgc::targets
