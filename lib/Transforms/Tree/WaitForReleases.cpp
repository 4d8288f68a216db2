// Device memory that is released in the middle of a function: the host waits first.
//
//   for (...) {                                      for (...) {
//       gpu::Buffer<double> tmp(n);                      gpu::Buffer<double> tmp(n);
//       launch<a>(0, ..., tmp);             ->           launch<a>(0, ..., tmp);
//   }                                                    synchronise(0);
//                                                    }
//
// Operations are queued, and the memory's owner ends with its block. At the end of the function the host has waited for everything
// anyway (order-streams); buffers of known size have left loops before (hoist-allocations). From here on
// the verifier sees to it (SD2163).
#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/Effects.h"

#include <algorithm>
#include <utility>

namespace sdfgc::transforms {
namespace {

using namespace tree;

bool releasesDeviceMemory(const Block &b, const Function &f) {
    return std::any_of(b.body.begin(), b.body.end(), [&](const NodePtr &n) {
        if (n->kind != Kind::Declare)
            return false;
        const VarKind kind = f.vars[static_cast<const Declare &>(*n).var].kind;
        return kind == VarKind::DeviceBuffer || kind == VarKind::PinnedBuffer;
    });
}

/// Returns whether a wait was added.
bool waitIn(Block &b, const Function &f, int streams) {
    bool added = false;
    for (const NodePtr &n : b.body)
        forEachBlock(*n, [&](Block &inner) {
            added = waitIn(inner, f, streams) || added;
            if (!releasesDeviceMemory(inner, f))
                return;
            const Kind last = inner.body.back()->kind;
            if (last == Kind::Return || last == Kind::Break || last == Kind::Continue || last == Kind::Synchronise)
                return;
            for (int s = 0; s < streams; ++s)
                inner.add<Synchronise>()->stream = s;
            added = true;
        });
    return added;
}

class WaitForReleases : public pass::TreePass {
    bool run(Module &m, pass::Context &) override {
        bool changed = !std::exchange(m.ordered, true);
        for (const auto &f : m.functions)
            if (!f->kernel && !f->device)
                changed = waitIn(f->body, *f, m.streams) || changed;
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createWaitForReleases() { return std::make_unique<WaitForReleases>(); }

} // namespace sdfgc::transforms
