// The pass `lower`: the one step that has a graph in hand before it and a tree after it. The work is done by the library Lower.
#include "sdfgc/Lower/Lower.h"
#include "sdfgc/Transforms/Passes.h"

namespace sdfgc::transforms {
namespace {

class LowerToTree : public pass::Pass {
    bool run(pass::Program &program, pass::Context &context) override {
        program.tree = tree::lower(*program.graph, context);
        return true;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createLower() { return std::make_unique<LowerToTree>(); }

} // namespace sdfgc::transforms
