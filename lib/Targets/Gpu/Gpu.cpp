// Targets cuda and hip: one file with kernels and the host code that launches them, in a dialect of C++ (Platform/Dialects.def).
// Everything that the dialects spell differently has one name in runtime-headers/sdfgc/rt/gpu.h, which the emulation also provides.
// A program for these targets without device code is a C++ file as for target cpu.
#include "Targets/Gpu/GpuEmitter.h"
#include "sdfgc/Targets/Targets.h"

namespace sdfgc::targets {

codegen::Sources emitGpu(const tree::Module &m, const pass::CompileOptions &compile) {
    return m.streams > 0 ? GpuEmitter(m, *compile.target.dialect()).emit() : emitCpu(m, compile);
}

codegen::Sources emitAsync(const tree::Module &m, const pass::CompileOptions &compile) {
    return GpuEmitter(m, *compile.target.dialect(), true).emit();
}

} // namespace sdfgc::targets
