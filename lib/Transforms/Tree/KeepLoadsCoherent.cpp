// Kernels that read what they write do not tell the compiler which other memory nobody writes.
//
//     kernel(const double *restrict B, double *restrict s)    becomes     kernel(const double *B, double *restrict s)
//         s[i] = ...                                                          s[i] = ...
//         r = c ? B[i] : s[i]                                                 r = c ? B[i] : s[i]
//
// A restrict pointer through which nothing is written leads to memory that no thread changes, and nvcc loads from there by the
// device's path for constant data (ld.global.nc), which sees no stores of the same kernel. Where a value comes from such memory or from
// other memory, nvcc 13.0 makes one load of both: it selects the address, and takes that path for either. So `s[i]` in the example would be
// what memory held before the kernel. The same becomes of branches (`if (c) r = B[i]; else r = s[i];`) and of pointers that are
// not const. Without restrict on B, the load is an ordinary one. Nothing else is lost: that s is restrict says already that stores to
// s do not change what B leads to.
//
// Only loads of as many bytes are merged, so pointers to other sizes keep the word; of structures the size is not known.
// Left alone: programs without a GPU.
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
