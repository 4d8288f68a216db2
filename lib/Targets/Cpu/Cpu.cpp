// Target cpu: C++ for any C++20 compiler, with OpenMP pragmas for parallel code.
#include "Targets/Cxx/Emitter.h"

namespace sdfgc::targets {
namespace {

class CpuEmitter : public CxxEmitter {
public:
    using CxxEmitter::CxxEmitter;

private:
    std::string mainPath() const override { return "src/cpu/" + name_ + ".cpp"; }
};

} // namespace

codegen::Sources emitCpu(const tree::Module &m, const pass::CompileOptions &) { return CpuEmitter(m).emit(); }

} // namespace sdfgc::targets
