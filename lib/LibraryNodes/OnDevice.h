// Which nodes on the device can be computed by its libraries. Other nodes without a parallel expansion are computed on the host.
#pragma once

#include "sdfgc/LibraryNodes/LibraryNodes.h"

namespace sdfgc::libnodes {

// For a node on the device, outside of kernels: why it cannot call the device's library; empty if it can. CUDA and ROCm include
// these libraries; the emulation calls those of the host, which the toolchain may lack.

/// LAPACK, and BLAS's triangular solve: for an element type.
std::string whyNoDeviceSolver(const ir::LibraryNode &n, Type t, const pass::CompileOptions &options);
/// Products with sparse matrices: for the types of the operands.
std::string whyNoDeviceSparse(const ir::LibraryNode &n, const pass::CompileOptions &options);
/// Fourier transforms: for the number of dimensions longer than one.
std::string whyNoDeviceTransform(const ir::LibraryNode &n, std::size_t rank, const pass::CompileOptions &options);

} // namespace sdfgc::libnodes
