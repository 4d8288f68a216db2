// Kernels as functions: their shape, their name, and how a body becomes a function that a launch starts.
//
// A kernel's body is lowered like any scope, in the terms of the host function around it, and then moved into a function of its own
// (sdfgc/Tree/Outline.h): what it uses becomes parameters.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// How a kernel's iterations are spread over threads.
struct KernelShape {
    bool threadBlocks = false; // an iteration is a block; there are maps over its threads inside
    bool reduces = false;      // all iterations accumulate into one element
    std::array<sym::Expr, 3> block{1, 1, 1};
    std::array<int64_t, 3> most{0, 0, 0}; // blocks of the grid; 0: as many as the iterations need
};

/// As shape-kernels decided, in terms of variables.
KernelShape kernelShape(const Instance &in, const ir::MapEntry &m);

/// A name for a kernel's function, near the label of its map.
Name nameKernel(Program &program, const ir::MapEntry &m);

/// The launch of a kernel with blocks of this shape on the stream of its map, without grid, function and arguments.
std::unique_ptr<Launch> launchOf(const Instance &in, const ir::MapEntry &m, const KernelShape &shape);

/// What the compiler of kernels is told of one: bounds of the launch, registers, whether its threads meet.
KernelInfo kernelInfo(const ir::MapEntry &m, const KernelShape &shape, Block &body);

/// Moves the body into a function of the module and fills in function and arguments of the launch. Reported: values of the host
/// that the kernel writes, variables that cannot be handed to it, calls of libraries that no GPU has.
void finishKernel(const Instance &in, const ir::MapEntry &m, Name name, Block body, const KernelInfo &info, Launch &launch);

} // namespace sdfgc::tree::lowering
