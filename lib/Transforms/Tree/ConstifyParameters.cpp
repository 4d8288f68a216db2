// Makes pointer and reference parameters const if the function only reads through them.
//
//     static void program(double *A, double *B)      becomes     static void program(const double *A, double *B)
//
// Runs last among the tree passes, because the others move statements between functions.
//
// Not handled: programs for a GPU, whose kernels received their parameters when they were outlined.
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
