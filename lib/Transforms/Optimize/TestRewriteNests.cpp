// For tests only: reads every run of states into the nest form and writes it back unchanged. Anything that the nest
// form loses or gets wrong shows up in the results of programs, independently of the passes that use it.
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
