// Target toy: C++ like that of the CPU target, for programs that report when they are loaded and unloaded, and what they were
// compiled for. It follows docs/developer/adding-a-target.md: this folder, a row, a pipeline.
#include "Targets/Cxx/Emitter.h"

namespace sdfgc::targets {
namespace {

class ToyEmitter : public CxxEmitter {
public:
    using CxxEmitter::CxxEmitter;

private:
    std::string mainPath() const override { return "src/toy/" + name_ + ".cpp"; }
    void needs() override { use("cstdio"); }
    void stateFields(TextWriter &w) const override { w.line("const char *target = \"toy\";"); }
    bool hasResources() const override { return true; }
    void acquire(TextWriter &w) const override { w.line("std::fputs(\"" + name_ + ": hello\\n\", stderr);"); }
    void release(TextWriter &w) const override { w.line("std::fputs(\"" + name_ + ": goodbye\\n\", stderr);"); }
    std::vector<codegen::EntryPoint> furtherEntryPoints() const override {
        return {{"const char *", name_ + "_target", true, {}, {"return __state->target;"}}};
    }
};

} // namespace

codegen::Sources emitToy(const tree::Module &m, const pass::CompileOptions &) { return ToyEmitter(m).emit(); }

} // namespace sdfgc::targets
