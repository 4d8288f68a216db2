// Which nodes of the device its libraries can compute. Those that they cannot, and of which there is no parallel expansion, compute
// on the host.
#pragma once

#include "sdfgc/LibraryNodes/LibraryNodes.h"

namespace sdfgc::libnodes {

// Of a node on the device, outside of kernels: why it cannot call the device's library; empty when it can. CUDA and ROCm come with
// these libraries; the emulation calls those of the host, which the toolchain may lack.

/// LAPACK, and BLAS's solutions with triangles: for matrices of a type.
std::string whyNoDeviceSolver(const ir::LibraryNode &n, Type t, const pass::CompileOptions &options);
/// Products with sparse matrices: for the types of the operands.
std::string whyNoDeviceSparse(const ir::LibraryNode &n);
/// Fourier transforms: for a number of dimensions that are not one long.
std::string whyNoDeviceTransform(const ir::LibraryNode &n, std::size_t rank, const pass::CompileOptions &options);

} // namespace sdfgc::libnodes
