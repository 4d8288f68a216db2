// The pass `lower` turns a graph into a tree. It is the only pass that sees both; the library Lower does the work.
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
