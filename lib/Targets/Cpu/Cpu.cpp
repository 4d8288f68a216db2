// Target cpu: C++ for any C++20 compiler, with OpenMP pragmas for parallel code.
#include "Targets/Cxx/Emitter.h"

namespace sdfgc::targets {
namespace {

class CpuEmitter : public CxxEmitter {
public:
    CpuEmitter(const tree::Module &m, const pass::CompileOptions &compile) : CxxEmitter(m) { allowVectorMath(compile); }

private:
    std::string mainPath() const override { return "src/cpu/" + name_ + ".cpp"; }
};

} // namespace

codegen::Sources emitCpu(const tree::Module &m, const pass::CompileOptions &compile) { return CpuEmitter(m, compile).emit(); }

} // namespace sdfgc::targets
