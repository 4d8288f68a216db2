// Pointers and references that a function only reads through are const.
//
//     static void program(double *A, double *B)      becomes     static void program(const double *A, double *B)
//
// Last of the passes over trees, since the others move statements from one function to another. Left alone: programs for a GPU,
// whose kernels got their parameters when they were outlined.
#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/Effects.h"

namespace sdfgc::transforms {
namespace {

using namespace tree;

class ConstifyParameters : public pass::FunctionPass {
    bool run(Function &f, const Module &m, pass::Context &) override {
        if (m.streams > 0)
            return false;
        const Effects all = effectsOf(f);
        bool changed = false;
        for (VarId p : f.params) {
            Variable &v = f.vars[p];
            const bool readOnly = (v.kind == VarKind::Pointer || v.kind == VarKind::Reference) && !all.changes(v.name);
            changed = changed || (readOnly && !v.isConst);
            v.isConst = v.isConst || readOnly;
        }
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createConstifyParameters() { return std::make_unique<ConstifyParameters>(); }

} // namespace sdfgc::transforms
