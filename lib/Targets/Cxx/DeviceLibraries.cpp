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

constexpr DeviceService services[] = {
    {"GpuBlas", "gpu_blas", "sdfgc::gpu::Blas gpuBlas; // the handle of the device's BLAS", "gpublas"},
    {"GpuSolver", "gpu_solver", "sdfgc::gpu::Solver gpuSolver; // the handle of the device's LAPACK", "gpusolver"},
    {"GpuFft", "gpu_fft", "sdfgc::gpu::Fft gpuFft; // plans of the device's Fourier transforms", "gpufft"},
    {"GpuPrimitives", "gpu_primitives", "", "gpuprimitives"},
    {"GpuReduce", "gpu_reduce", "", ""},
    {"GpuSparse", "gpu_sparse", "sdfgc::gpu::Sparse gpuSparse; // the handle of the device's library for sparse matrices",
     "gpusparse"},
    {"GpuTensors", "gpu_tensor", "sdfgc::gpu::Tensors gpuTensors; // plans of the device's library for tensors", "gputensor"},
};

} // namespace

std::vector<DeviceService> neededServices(const std::vector<Name> &environments) {
    std::vector<DeviceService> out;
    for (const DeviceService &s : services)
        if (std::find(environments.begin(), environments.end(), Name(s.environment)) != environments.end())
            out.push_back(s);
    return out;
}

std::vector<DeviceLibrary> mentionedLibraries(const std::vector<std::vector<std::string>> &texts) {
    std::vector<DeviceLibrary> out;
    for (const DeviceLibrary &l : libraries) {
        auto mentions = [&](const std::string &text) { return text.find(l.mention) != std::string::npos; };
        if (std::any_of(texts.begin(), texts.end(),
                        [&](const auto &list) { return std::any_of(list.begin(), list.end(), mentions); }))
            out.push_back(l);
    }
    return out;
}

} // namespace sdfgc::targets
