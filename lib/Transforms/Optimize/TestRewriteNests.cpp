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
        return nest::rewriteRuns(root, [](ir::SDFG &, analysis::Memories &, std::vector<nest::Run> &runs) {
            for (nest::Run &run : runs)
                run.changed = true;
        });
    }
};

} // namespace

std::unique_ptr<pass::Pass> createTestRewriteNests() { return std::make_unique<TestRewriteNests>(); }

} // namespace sdfgc::transforms
