// Removes `restrict` from pointers to read-only memory in kernels that also read what they write.
//
//     kernel(const double *restrict B, double *restrict s)    becomes     kernel(const double *B, double *restrict s)
//         s[i] = ...                                                          s[i] = ...
//         r = c ? B[i] : s[i]                                                 r = c ? B[i] : s[i]
//
// A restrict pointer through which nothing is written refers to memory that no thread changes, so nvcc loads through
// the device's read-only path (ld.global.nc), which does not see stores of the same kernel. If a value comes either
// from such memory or from other memory, nvcc 13.0 merges the two loads: it selects the address and uses that path for
// both. In the example, `s[i]` would then return what memory held before the kernel. The same happens with branches
// (`if (c) r = B[i]; else r = s[i];`) and with pointers that are not const. Without restrict on B, the load is an
// ordinary one. Nothing else is lost: restrict on s already states that stores to s do not change what B points to.
//
// nvcc merges only loads of the same size, so pointers to elements of other sizes keep the qualifier. Structures have an
// unknown size, which counts as equal.
//
// Not handled: programs without a GPU.
#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/Effects.h"

#include <algorithm>
#include <vector>

namespace sdfgc::transforms {
namespace {

using namespace tree;

bool mayBeLoadedAlike(Type a, Type b) { return !a.bytes() || !b.bytes() || *a.bytes() == *b.bytes(); }

class KeepLoadsCoherent : public pass::FunctionPass {
    bool run(Function &f, const Module &, pass::Context &) override {
        if (!f.kernel && !f.device)
            return false;
        const Effects all = effectsOf(f);
        std::vector<Type> readAndWritten;
        for (VarId p : f.params)
            if (const Variable &v = f.vars[p]; v.kind == VarKind::Pointer && all.changes(v.name) && all.reads(v.name))
                readAndWritten.push_back(v.type);
        bool changed = false;
        for (VarId p : f.params) {
            Variable &v = f.vars[p];
            const auto alike = [&](Type t) { return mayBeLoadedAlike(v.type, t); };
            if (v.kind == VarKind::Pointer && v.isRestrict && !all.changes(v.name) &&
                std::any_of(readAndWritten.begin(), readAndWritten.end(), alike)) {
                v.isRestrict = false;
                changed = true;
            }
        }
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createKeepLoadsCoherent() { return std::make_unique<KeepLoadsCoherent>(); }

} // namespace sdfgc::transforms
