// For tests only: every run of states is read into the nest form and written back, although nothing changed. What the nest form
// forgets or gets wrong shows in the results of programs, whatever the passes do that use it.
//
// Passes whose names begin with `test-` are not listed, documented or suggested.
#include "sdfgc/Nest/Nest.h"
#include "sdfgc/Transforms/Passes.h"

namespace sdfgc::transforms {
namespace {

class TestRewriteNests : public pass::GraphPass {
    bool run(ir::SDFG &root, pass::Context &) override {
        bool changed = false;
        analysis::Memories memories(root);
        std::vector<ir::SDFG *> all = ir::allSDFGs(root);
        for (auto g = all.rbegin(); g != all.rend(); ++g) // writing copies nested SDFGs: these come first
            for (nest::Run &run : nest::readRuns(**g, memories)) {
                nest::write(run);
                changed = true;
            }
        root.renumber();
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createTestRewriteNests() { return std::make_unique<TestRewriteNests>(); }

} // namespace sdfgc::transforms
