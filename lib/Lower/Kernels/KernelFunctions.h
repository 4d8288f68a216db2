// Kernels as functions: their shape, their name, and the conversion of a body to a function that a launch starts.
//
// A kernel's body is lowered like any scope, in terms of the surrounding host function, and then moved to a separate function
// (sdfgc/Tree/Outline.h): the variables it uses become parameters.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// How a kernel's iterations are distributed over threads.
struct KernelShape {
    bool threadBlocks = false; // an iteration is a block and contains maps over its threads
    bool reduces = false;      // all iterations accumulate into one element
    std::array<sym::Expr, 3> block{1, 1, 1};
    std::array<int64_t, 3> most{0, 0, 0}; // maximum number of blocks; 0: as many as the iterations need
};

/// The shape chosen by shape-kernels, in terms of variables.
KernelShape kernelShape(const Instance &in, const ir::MapEntry &m);

/// A name for a kernel's function, similar to the label of its map.
Name nameKernel(LoweredProgram &program, const ir::MapEntry &m);

/// The launch of a kernel with blocks of this shape, on the stream of its map; grid, function and arguments are still missing.
std::unique_ptr<Launch> launchOf(const Instance &in, const ir::MapEntry &m, const KernelShape &shape);

/// Information for the kernel compiler: launch bounds, registers, whether threads synchronise.
KernelInfo kernelInfo(const ir::MapEntry &m, const KernelShape &shape, Block &body);

/// Moves the body to a function of the module and fills in function and arguments of the launch. Reports host values that the
/// kernel writes, variables that cannot be passed to it, and calls to libraries that no GPU provides.
void finishKernel(const Instance &in, const ir::MapEntry &m, Name name, Block body, const KernelInfo &info, Launch &launch);

} // namespace sdfgc::tree::lowering
